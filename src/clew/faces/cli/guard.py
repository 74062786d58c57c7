"""The outermost frame of every command: no traceback, exit codes, and a report file for a bug."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from clew.faces.config import language


def guarded(command: Callable[[], int], argv: list[str]) -> int:
    """Run a command. What it did not foresee becomes a report file and exit 2."""
    try:
        return command()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): not an error of ours, and nothing can be told to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # noqa: BLE001 - the last frame: what reaches it is a bug, and is told as one
        path = _report(argv)
        zh = language() == "zh"
        sys.stderr.write(
            f"clew 遇到自身的错误，你的文件没有因此被改坏。报告已写到 {path}，提交问题时请附上。\n"
            if zh
            else f"clew hit a bug of its own. The report is in {path}; please attach it to an issue.\n"
        )
        return 2


def _report(argv: list[str]) -> str:
    import platform
    import tempfile
    import traceback

    from clew import __version__

    handle, path = tempfile.mkstemp(prefix="clew-report-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
        report.write(
            f"clew {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        )
        report.write(f"command: {argv[:2]}\n\n{traceback.format_exc()}")
    return path
