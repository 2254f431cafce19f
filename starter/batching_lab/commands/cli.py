"""The student's command line."""

import argparse
import difflib
import os
import re
import sys
from collections.abc import Callable

from batching_lab.commands import (
    bench,
    calibrate,
    check_answers,
    common,
    compare,
    fuzz,
    generate,
    pack,
    run,
    sweep,
    timeline,
)
from batching_lab.errors import ModelError

COMMANDS = (run, compare, timeline, sweep, fuzz, check_answers, pack, generate, bench, calibrate)


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m batching_lab", description="Run your scheduler, tick by tick.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        parser.error(about_unknown(unknown, commands.choices[options.command].format_help()))
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed: what is printed goes nowhere
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    function: Callable[[argparse.Namespace], int] = options.function
    try:
        return function(options)
    except (common.UsageError, ModelError) as error:
        print(f"batching_lab: {error}", file=sys.stderr)
        return common.USAGE
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return common.OK
    except KeyboardInterrupt:
        print("batching_lab: interrupted", file=sys.stderr)
        return common.INTERRUPTED


def about_unknown(words: list[str], help_text: str) -> str:
    """The words that no option of the command takes, and the option that one of them is most like."""
    sentence = f"unrecognized arguments: {' '.join(words)}"
    known = re.findall(r"--[\w-]+", help_text)
    for word in words:
        name = word.partition("=")[0].replace("_", "-")
        if alike := difflib.get_close_matches(name, known, 1):
            return f"{sentence} (did you mean {alike[0]}?)"
    return sentence
