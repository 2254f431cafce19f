"""What `make` does with an environment that is half done, or that somebody else has made. Nothing is installed."""

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.paths import ROOT

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("make") is None, reason="make is for Linux and macOS"
)
# In place of python3: its venv gets a pip that installs nothing.
PYTHON = """#!/bin/sh
echo "$*" >> "{log}"
if [ "$2" != venv ]; then exec "{python}" "$@"; fi
if [ -e "{fails}" ]; then echo "ensurepip is not available"; exit 1; fi
shift 2
"{python}" -m venv --without-pip "$@" || exit 1
for folder in "$@"; do :; done
info="$folder/{site}/pip-1.dist-info"
mkdir -p "$info"
printf '#!/bin/sh\\n' > "$folder/bin/pip" && chmod +x "$folder/bin/pip"
printf 'Name: pip\\nVersion: 1\\n' > "$info/METADATA"
printf 'pip\\n' > "$info/INSTALLER"
printf '../../../bin/pip,,\\npip-1.dist-info/INSTALLER,,\\npip-1.dist-info/RECORD,,\\n' > "$info/RECORD"
"""


class Environment:
    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        (checkout / "grader" / "tools").mkdir(parents=True)
        for name in ("Makefile", "pyproject.toml", "constraints.txt", "grader/tools/environment.py"):
            shutil.copy(ROOT / name, checkout / name)
        self.path = checkout / ".venv"
        paths = {"base": str(self.path), "platbase": str(self.path)}
        self.packages = Path(sysconfig.get_path("purelib", "venv", paths))
        self.log, self.fails = checkout / "log", checkout / "fails"
        site = self.packages.relative_to(self.path)
        text = PYTHON.format(python=sys.executable, log=self.log, fails=self.fails, site=site)
        (checkout / "python").write_text(text, encoding="utf-8")
        (checkout / "python").chmod(0o755)

    def make(self, stamp: str = "lab") -> subprocess.CompletedProcess[str]:
        command = ["make", "PYTHON=./python", f".venv/{stamp}.stamp"]
        return subprocess.run(command, cwd=self.checkout, capture_output=True, text=True)

    def made(self) -> int:
        """How often an environment was made."""
        return self.log.read_text(encoding="utf-8").count("-m venv")

    def is_whole(self) -> bool:
        command = [str(self.path / "bin" / "python"), "-I", "grader/tools/environment.py"]
        return subprocess.run(command, cwd=self.checkout).returncode == 0


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "a checkout")


def test_a_whole_environment_is_kept(environment: Environment) -> None:
    """Also one without the stamp, in which somebody has installed PyTorch's CPU build as the README says."""
    assert environment.make().returncode == 0 and environment.is_whole() and environment.made() == 1
    (environment.path / "lab.stamp").unlink()
    (environment.packages / "torch").mkdir()
    assert environment.make().returncode == 0 and environment.made() == 1
    assert (environment.packages / "torch").exists()
    assert environment.make("dev").returncode == 0 and environment.made() == 1


def without_pip(environment: Environment) -> None:
    shutil.rmtree(environment.packages / "pip-1.dist-info")
    (environment.path / "bin" / "pip").unlink()


def without_a_file_of_pip(environment: Environment) -> None:
    (environment.path / "bin" / "pip").unlink()


def with_the_list_of_pips_wheel(environment: Environment) -> None:
    """As it is before pip has made the programs."""
    (environment.packages / "pip-1.dist-info" / "RECORD").write_text("pip-1.dist-info/METADATA,,\n", encoding="utf-8")
    (environment.path / "bin" / "pip").unlink()


def with_a_package_cut_off(environment: Environment) -> None:
    (environment.packages / "pytest-9.dist-info").mkdir()
    (environment.packages / "pytest-9.dist-info" / "METADATA").write_text("Name: pytest\n", encoding="utf-8")


def with_a_python_that_is_gone(environment: Environment) -> None:
    (environment.path / "bin" / "python").unlink()
    (environment.path / "bin" / "python").symlink_to("/nowhere/python")


def empty(environment: Environment) -> None:
    shutil.rmtree(environment.path)
    environment.path.mkdir()


@pytest.mark.parametrize("stamp", ["lab", "dev"])
@pytest.mark.parametrize(
    "harm",
    [
        without_pip,
        without_a_file_of_pip,
        with_the_list_of_pips_wheel,
        with_a_package_cut_off,
        with_a_python_that_is_gone,
        empty,
    ],
)
def test_a_half_made_environment_is_mended(
    environment: Environment, harm: Callable[[Environment], None], stamp: str
) -> None:
    assert environment.make().returncode == 0
    harm(environment)
    if stamp == "lab":
        (environment.path / "lab.stamp").unlink(missing_ok=True)
    done = environment.make(stamp)
    assert done.returncode == 0, done.stdout + done.stderr
    assert environment.is_whole()
    assert (environment.path / "lab.stamp").exists() and (environment.path / f"{stamp}.stamp").exists()


def test_without_python3_venv_the_next_make_goes_on(environment: Environment) -> None:
    environment.fails.touch()
    done = environment.make()
    assert done.returncode != 0 and "ensurepip is not available" in done.stdout
    environment.fails.unlink()
    assert environment.make().returncode == 0 and environment.is_whole()
