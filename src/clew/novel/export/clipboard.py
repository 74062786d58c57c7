"""Puts text on the system's clipboard, by the first tool that takes it.

Runs wl-copy, xclip, xsel, pbcopy or clip.exe; the text goes to its standard input, never into a
command line.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

from clew.kernel.errors import Missing
from clew.kernel.faults import Code, Fault, register

TOOLS: Final[tuple[tuple[str, ...], ...]] = (
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("pbcopy",),
    ("clip.exe",),
)
_SECONDS: Final = 10


def copy(text: str) -> str:
    """Put the text on the clipboard; returns the tool that took it.

    Raises `Missing` (`no_clipboard`) when there is no tool, or none works here.
    """
    tried = []
    for tool, *arguments in TOOLS:
        path = shutil.which(tool)
        if path is None:
            continue
        tried.append(tool)
        # Windows reads bytes in its own code page unless a mark says that they are UTF-16.
        data = text.encode("utf-16" if tool == "clip.exe" else "utf-8")
        try:
            # xclip stays behind to serve the text: a pipe that it holds would never end.
            done = subprocess.run(
                [path, *arguments],
                input=data,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue  # the next tool may work; if none does, they are named together
        if done.returncode == 0:
            return tool
    raise Missing(Fault("no_clipboard", found=tried, allowed=[tool for tool, *_ in TOOLS]))


register(
    Code(
        "no_clipboard",
        3,
        "没有可用的剪贴板工具（支持：{allowed}）",
        "there is no clipboard tool that works here (any of: {allowed})",
        "装上其中一个；或者用 --out 写到文件，--out - 写到标准输出。",
        "Install one of them; or write to a file with --out, to standard output with --out -.",
        about_zh="剪贴板要靠系统里的小工具：Wayland 用 wl-copy，X11 用 xclip 或 xsel，macOS 用 pbcopy，"
        "Windows 与 WSL 用 clip.exe。找到的工具也可能因为没有图形界面而失败。",
        about_en="The clipboard is reached through a small tool: wl-copy on Wayland, xclip or xsel on "
        "X11, pbcopy on macOS, clip.exe on Windows and WSL. One that is there may fail for want of a "
        "display.",
    ),
)
