"""Locks a worker in before it runs a byte of a submission: files, network, processes. Linux only.

It is copied beside child.py, with the two libraries that it uses. The template makes a `Lockdown` once,
from what the trusted side sends; each worker then applies it to itself and reports what is on.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

try:
    import landlockpy
except ImportError:
    landlockpy = None  # type: ignore[assignment]
try:
    import pyseccomp
except (ImportError, RuntimeError):  # RuntimeError: there is no libseccomp on this system
    pyseccomp = None

# What Python needs to compute, to import and to run threads: all else does not exist for a worker. Above all
# no fork, exec, kill, ptrace, socket, connect, no reading of other processes, and no change to any file.
ALLOWED = """
    read readv pread64 write writev lseek close close_range dup dup2 dup3 pipe pipe2
    open openat access faccessat faccessat2 stat lstat fstat newfstatat statx fstatfs
    readlink readlinkat getdents64 getcwd chdir fchdir umask
    poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2
    sendto recvfrom sendmsg recvmsg shutdown getsockopt setsockopt getsockname getpeername
    brk mmap munmap mprotect mremap madvise mincore membarrier
    futex set_robust_list get_robust_list set_tid_address rseq sched_yield sched_getaffinity getcpu
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait sigaltstack restart_syscall pause
    alarm setitimer getitimer clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times
    getpid getppid gettid getpgrp getpgid getsid getuid geteuid getgid getegid getresuid getresgid getgroups
    uname sysinfo getrusage getrlimit getrandom arch_prctl exit exit_group
"""
EQ, MASKED_EQ = 4, 7  # libseccomp's comparisons
CLONE_THREAD = 0x10000
# With conditions on arguments that must all hold: (index, EQ, value) or (index, MASKED_EQ, mask, value).
ALLOWED_WITH: list[tuple[str, list[Any]]] = [
    ("clone", [(0, MASKED_EQ, CLONE_THREAD, CLONE_THREAD)]),
    ("prlimit64", [(0, EQ, 0), (2, EQ, 0)]),  # one's own limits, to read
    ("socketpair", [(0, EQ, socket.AF_UNIX), (1, MASKED_EQ, 0xF, socket.SOCK_STREAM)]),  # asyncio's, to oneself
    *[("fcntl", [(1, EQ, command)]) for command in (0, 1, 2, 3, 4, 1030)],  # descriptors and flags; no F_SETOWN
    *[("ioctl", [(1, EQ, request)]) for request in (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)],
    *[("prctl", [(0, EQ, option)]) for option in (15, 16)],  # a thread's name
]
MAX_THREADS = 64
MAX_DESCRIPTORS = 1024


class Lockdown:
    """What one grading run's workers may do. Made once: a forked worker inherits ruleset and filter.

    policy  readable: paths that may be read, or None where a mount namespace already hides all others;
            listable: folders whose names may be read; uid: the user to become, or None
    """

    def __init__(self, policy: dict[str, Any]) -> None:
        self.uid: int | None = policy["uid"]
        self.ruleset = file_rules(policy["readable"], policy["listable"]) if policy["readable"] is not None else None
        self.filter = system_call_filter() if pyseccomp is not None else None
        self.callback_files = callback_files()
        self.template = os.getpid()
        hide_memory()

    def apply(self, keep: set[int]) -> dict[str, Any]:
        """Lock this process in, for good, with these descriptors open and no others, and say how."""
        for descriptor in self.callback_files:
            open_anew(descriptor)
        keep = {*keep, *self.callback_files}
        if self.ruleset is not None:
            keep = {*keep, self.ruleset.fileno()}
        for below, above in pairwise(sorted({-1, *keep, MAX_DESCRIPTORS})):
            if below + 1 < above:  # an empty range at 0 would close everything
                os.closerange(below + 1, above)
        if self.ruleset is not None:
            self.ruleset.restrict()
            self.ruleset.close()
        has_own_uid = self.uid is not None and become(self.uid)
        if has_own_uid:
            limit_threads()
        die_with_parent(self.template)  # a change of user clears it: after that
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        if self.filter is not None:
            self.filter.load()
        return {"landlock": self.ruleset is not None, "seccomp": self.filter is not None, "own_uid": has_own_uid}


def limit_threads() -> None:
    """Of the worker's own user; a lower limit that this machine has stays."""
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    most = MAX_THREADS if hard == resource.RLIM_INFINITY else min(MAX_THREADS, hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def callback_files() -> set[int]:
    """The descriptor that newer versions of libffi keep: ctypes maps the code of each hundred callbacks from it.

    Kept is a descriptor only if it is open for reading alone, and of a file that this process already executes: that
    of libffi, or of the library that contains it. Without /proc libffi makes one that can be written: that is closed.
    """
    kept = set()
    with contextlib.suppress(OSError):
        fields = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()]
        executed = {words[5] for words in fields if len(words) == 6 and "x" in words[1]}
        for path in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):  # the one that lists the folder
                is_to_read = fcntl.fcntl(int(path.name), fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
                if is_to_read and str(path.readlink()) in executed:
                    kept.add(int(path.name))
    return kept


def open_anew(descriptor: int) -> None:
    """An inherited descriptor's position is common to all workers: they could leave each other a number there."""
    own = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
    os.dup2(own, descriptor, inheritable=False)
    os.close(own)


def file_rules(readable: list[str], listable: list[str]) -> Any:
    """Reading below these paths, and /dev/null; nothing else, and no TCP, no signals or sockets to outside."""
    access = landlockpy.AccessFS
    ruleset = landlockpy.Ruleset(scoped=landlockpy.Scope.SIGNAL | landlockpy.Scope.ABSTRACT_UNIX_SOCKET)
    for path in readable:
        with contextlib.suppress(FileNotFoundError):
            may = access.READ_FILE | access.READ_DIR if Path(path).is_dir() else access.READ_FILE
            ruleset.allow_path(path, may)
    for path in listable:
        ruleset.allow_path(path, access.READ_DIR)
    ruleset.allow_path(os.devnull, access.READ_FILE | access.WRITE_FILE)
    return ruleset


def system_call_filter() -> Any:
    """Everything that is not allowed fails as if the kernel didn't know it: callers then try something older."""
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
    for name in ALLOWED.split():
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:  # not every machine has each
            rules.add_rule(pyseccomp.ALLOW, name)
    for name, conditions in ALLOWED_WITH:
        rules.add_rule(pyseccomp.ALLOW, name, *[pyseccomp.Arg(*condition) for condition in conditions])
    return rules


# What neither library covers: memory that others can't read, death with the parent, no new privileges without Landlock.
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38


def prctl(option: int, value: int) -> None:
    """Raises `OSError`."""
    if ctypes.CDLL(None, use_errno=True).prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def hide_memory() -> None:
    """Nobody of the same user reads this process through /proc or ptrace."""
    prctl(PR_SET_DUMPABLE, 0)


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` ends; if it has ended already, end at once."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it died before we asked


def become(uid: int) -> bool:
    """Another user, for good; False in a container where root may not."""
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError:
        return False
    return True


def probe(targets: Any) -> list[str]:
    """What of the things that a worker must not reach it does reach: "files", "network", "processes"."""
    reached = []
    for path in targets["files"]:
        with contextlib.suppress(OSError):
            Path(path).open("rb").close()
            reached.append("files")
        with contextlib.suppress(OSError):
            next(Path(path).iterdir())
            reached.append("files")
    for folder in targets["folders"]:
        with contextlib.suppress(OSError):
            Path(folder, "probe").open("wb").close()
            reached.append("files")
            Path(folder, "probe").unlink()
    with contextlib.suppress(OSError), socket.socket() as tcp:
        tcp.connect(("127.0.0.1", targets["port"]))
        reached.append("network")
    for kind in (socket.AF_INET, socket.AF_UNIX):
        with contextlib.suppress(OSError):
            socket.socket(kind, socket.SOCK_DGRAM).close()
            reached.append("network")
    with contextlib.suppress(OSError):
        os.kill(targets["pid"], 0)
        reached.append("processes")
    with contextlib.suppress(OSError):
        next(Path(f"/proc/{targets['pid']}").iterdir())
        reached.append("processes")
    with contextlib.suppress(OSError):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        reached.append("processes")
    return sorted(set(reached))
