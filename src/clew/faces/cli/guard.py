"""The outermost frame of every command: UTF-8 out, no traceback, exit codes, a report for a bug.

Imports nothing that `clew --version` would have to wait for.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

_OBJECTS = 500_000
"""Containers alive before cycles are looked for: more than any short command makes."""


class UnheardError(Exception):
    """The answer could not be written to stdout; what the command did is done."""


def leave(main: Callable[[list[str]], int]) -> None:
    """Run a console script's `main` and end the process with its exit code."""
    # Answers are UTF-8 whatever the console's code page is, and a lone surrogate in a path that
    # somebody typed is shown, not a failure.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    # A command lives for one answer: collecting cycles of what it decoded, and taking its objects
    # apart at the end, would cost an eighth of a commit.
    gc.set_threshold(_OBJECTS)
    code = guarded(lambda: main(sys.argv[1:]), sys.argv[1:])
    try:
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # closed, full, or not there: nobody to tell
        os._exit(code)
    os._exit(code)


def guarded(command: Callable[[], int], argv: list[str]) -> int:
    """Run a command. What it did not foresee becomes a report file and exit 2."""
    try:
        try:
            code = command()
        except SystemExit as ended:  # argparse after --help
            code = ended.code if isinstance(ended.code, int) else 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): not an error of ours, and nothing can be told to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnheardError as error:
        return _unheard(error)
    except Exception:  # noqa: BLE001 - the last frame: what reaches it is a bug, and is told as one
        return _bug(argv)


def _unheard(error: Exception) -> int:
    from clew.faces.config import language

    if sys.stderr is not None:
        sys.stderr.write(
            f"答案写不出去（{error}）；命令本身已执行完，用 clew novel check 查看结果。\n"
            if language() == "zh"
            else f"the answer could not be written ({error}); the command itself is done: see `clew novel check`.\n"
        )
    return 1


def _bug(argv: list[str]) -> int:
    import platform
    import tempfile
    import traceback

    from clew import __version__
    from clew.faces.config import language

    handle, path = tempfile.mkstemp(prefix="clew-report-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
        report.write(
            f"clew {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
            f"command: {argv[:2]}\n\n{traceback.format_exc()}"
        )
    sys.stderr.write(
        f"clew 遇到自身的错误，你的文件没有因此被改坏。报告已写到 {path}，提交问题时请附上。\n"
        if language() == "zh"
        else f"clew hit a bug of its own. The report is in {path}; please attach it to an issue.\n"
    )
    if not sys.stdout.isatty():
        # A program that waits for one line of JSON gets one.
        sys.stdout.write(
            '{"status":"error","error_code":"internal","message":"a bug of clew: see stderr"}\n'
        )
    return 2
