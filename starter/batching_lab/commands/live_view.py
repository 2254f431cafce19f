"""Shows texts while they are generated: all at once on a terminal, one by one elsewhere."""

import os
import re
import shutil
import sys
import time
import unicodedata
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from batching_lab.request import Job
from batching_lab.timing.stopwatch import Progress, Stopwatch, TickState

if TYPE_CHECKING:
    from batching_lab.model.loading.tokenizer import Tokenizer

FRAMES_PER_SECOND = 15
RATE_SECONDS = 2.0  # the tokens a second are those of the last seconds
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
CLEAR_LINE, CLEAR_BELOW = "\x1b[K", "\x1b[J"
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[m"


class Lines:
    """One line for each request that finishes. For pipes and files."""

    def __init__(self, watch: Stopwatch, texts: "Texts", stream: TextIO) -> None:
        self.watch = watch
        self.texts = texts
        self.stream = stream

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.flush()

    def show(self, state: TickState) -> None:
        """A line for each request that this tick finished."""
        for request_id in state.sampled:
            progress = self.watch.requests[request_id]
            if progress.is_finished:
                print(self.texts.line(progress), file=self.stream, flush=True)


class LiveView:
    """A line a request, drawn anew in place. At the end it is wiped and the finished texts are printed whole."""

    def __init__(self, watch: Stopwatch, texts: "Texts", stream: TextIO, num_blocks: int) -> None:
        self.watch = watch
        self.texts = texts
        self.stream = stream
        self.num_blocks = num_blocks
        self.num_lines = 0  # of the frame on the screen
        self.last_frame = 0.0
        self.recent: deque[tuple[float, int]] = deque()  # (seconds, output tokens so far)

    def __enter__(self) -> "LiveView":
        if os.name == "nt":
            os.system("")  # this makes the Windows console understand what follows
        self.stream.write(HIDE_CURSOR)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        up = f"\x1b[{self.num_lines}A" if self.num_lines else ""
        self.stream.write(f"\r{up}{CLEAR_BELOW}{SHOW_CURSOR}")
        for progress in self.watch.finished:
            print(self.texts.line(progress), file=self.stream)
        self.stream.flush()

    def show(self, state: TickState) -> None:
        """Draw the state after a tick, unless the last frame is too recent."""
        now = time.perf_counter()
        if now - self.last_frame >= 1 / FRAMES_PER_SECOND:
            self.last_frame = now
            self.draw(self.frame(state))

    def draw(self, lines: list[str]) -> None:
        """Overwrite the last frame in one write, line by line, so that nothing flickers."""
        up = f"\x1b[{self.num_lines}A" if self.num_lines else ""
        # A frame with fewer lines than the one before would leave the rest of it: wipe that, too.
        self.stream.write(f"\r{up}" + "".join(f"{line}{CLEAR_LINE}\n" for line in lines) + CLEAR_BELOW)
        self.stream.flush()
        self.num_lines = len(lines)

    def frame(self, state: TickState) -> list[str]:
        """The lines to draw, as many as the terminal has room for."""
        width, height = shutil.get_terminal_size()
        shown = self.requests_to_show(state, max(1, height - 3))
        names = max((len(progress.request_id) for progress in shown), default=0)
        lines = [cut(self.heading(state), width - 1)]
        lines += [self.row(progress, state, names, width - 1) for progress in shown]
        if len(shown) < len(self.watch.requests):
            lines.append(cut(f"(and {len(self.watch.requests) - len(shown)} more requests)", width - 1))
        return lines

    def heading(self, state: TickState) -> str:
        """The tick, how many run and wait, the blocks in use, and the speed."""
        rate = self.tokens_per_second()
        return (
            f"tick {state.tick}   running {len(state.running)}   waiting {state.num_waiting}   "
            f"KV blocks {state.blocks_used}/{self.num_blocks}   {rate:.0f} tokens/s"
        )

    def tokens_per_second(self) -> float:
        """Output tokens a second, over the last `RATE_SECONDS`."""
        self.recent.append((self.watch.seconds, self.watch.num_output_tokens))
        while self.recent[-1][0] - self.recent[0][0] > RATE_SECONDS:
            self.recent.popleft()
        (first, before), (last, now) = self.recent[0], self.recent[-1]
        return (now - before) / (last - first) if last > first else self.watch.tokens_per_second

    def requests_to_show(self, state: TickState, most: int) -> list[Progress]:
        """All, in the order of the jobs; if there is no room for all, those that run, then those that wait."""
        requests = list(self.watch.requests.values())
        if len(requests) > most:
            requests.sort(key=lambda progress: (progress.request_id not in state.running, progress.is_finished))
        return requests[:most]

    def row(self, progress: Progress, state: TickState, names: int, width: int) -> str:
        """The name, a mark, and as much of the text's end as fits."""
        running = progress.request_id in state.running and not progress.is_finished
        mark = "=" if progress.is_finished else ">" if running else " "
        head = cut(f"{progress.request_id.ljust(names)} {mark} ", width)
        prompt, text = self.texts.prompt(progress), self.texts.generated(progress)
        room = width - display_width(head)
        text = cut_front(text, room)
        prompt = cut_front(prompt, room - display_width(text))
        return f"{head}{DIM}{prompt}{PLAIN}{BOLD if running else ''}{text}{PLAIN}"


class Texts:
    """Prompts and generated texts, fit to be printed."""

    def __init__(self, prompts: Iterable[str], jobs: Iterable[Job], tokenizer: "Tokenizer") -> None:
        self.prompts = {job.request.request_id: prompt for job, prompt in zip(jobs, prompts, strict=True)}
        self.decode = tokenizer.decode

    def prompt(self, progress: Progress) -> str:
        """The prompt, on one line."""
        return printable(self.prompts[progress.request_id])

    def generated(self, progress: Progress) -> str:
        """What was generated so far, on one line."""
        return printable(self.decode(progress.token_ids))

    def line(self, progress: Progress) -> str:
        """A finished request: the tick of its last token, its prompt and its text."""
        return (
            f"{progress.request_id} (tick {progress.ticks[-1]}): {self.prompt(progress)} | {self.generated(progress)}"
        )


def view_for(
    watch: Stopwatch, texts: Texts, num_blocks: int, plain: bool, stream: TextIO | None = None
) -> Lines | LiveView:
    """A `LiveView` on a terminal that can show it, else `Lines`."""
    stream = stream or sys.stdout
    if plain or not stream.isatty() or os.environ.get("TERM") == "dumb":
        return Lines(watch, texts, stream)
    return LiveView(watch, texts, stream, num_blocks)


def printable(text: str) -> str:
    """On one line, and without characters that would command the terminal."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", escaped, text)


def escaped(match: re.Match[str]) -> str:
    """A character as Python would write it in a string."""
    return match[0].encode("unicode_escape").decode("ascii")


def display_width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return sum(map(character_width, text))


def character_width(character: str) -> int:
    """Columns that a character takes: 0 if it is drawn over the one before it, 2 if it is wide."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """The beginning of a text that fits."""
    used = 0
    for number, character in enumerate(text):
        used += character_width(character)
        if used > width:
            return text[:number]
    return text


def cut_front(text: str, width: int) -> str:
    """The end of a text that fits."""
    used = 0
    for number in range(len(text), 0, -1):
        used += character_width(text[number - 1])
        if used > width:
            return text[number:]
    return text
