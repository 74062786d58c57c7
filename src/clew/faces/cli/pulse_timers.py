"""How the timers of the operating system look on a terminal: what is there, and what would change."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from clew.faces.cli.novel_parts import say, word
from clew.faces.cli.persona_parts import Column, Rows, command, shown, told
from clew.kernel.faults import plain


def timers(answer: Any, lang: str) -> RenderableType:
    """Every kind of timer, or the steps of a change."""
    if hasattr(answer, "timers"):
        rows = []
        for one in answer.timers:
            if not one.available and not one.installed:
                state = say(lang, "这台机器没有", "not on this machine", "dim")
            elif not one.installed:
                state = say(lang, "未安装", "not installed", "dim")
            elif one.current:
                state = say(lang, "已安装", "installed", "bold green")
            else:
                state = say(lang, "已安装，内容不同", "installed, and different", "yellow")
            files = [f"{one.active}" if one.active else "", *one.files]
            rows.append(
                [one.kind, state, shown("\n".join(file for file in files if file), 2000, "dim")]
            )
        parts: list[RenderableType] = [
            Text(plain(answer.name), style="bold"),
            Rows([Column(""), Column("", bare=True), Column("", flex=True, bare=True)], rows),
        ]
        if not any(one.installed for one in answer.timers):
            parts.append(told(lang, "接着：clew persona timers install（先看改动）",
                              "next: clew persona timers install (shows the change first)", "cyan"))  # fmt: skip
        return Group(*parts)
    if not answer.changed:
        return told(lang, "没有要改的", "there is nothing to change", "dim")
    parts = []
    for step in answer.steps:
        if step.diff:
            parts.append(_diff(step.diff))
        if step.command:
            parts.append(command(plain("$ " + " ".join(word(part) for part in step.command))))
    if answer.applied:
        parts.append(told(lang, "已完成", "done", "bold green"))
    else:
        parts.append(
            told(lang, "以上只是显示；加 --yes 才会改", "only shown; --yes does it", "bold yellow")
        )
    return Group(*parts)


def _diff(text: str) -> Text:
    shown = Text()
    for line in text.split("\n"):
        head = line.startswith(("+++", "---", "@@"))
        style = "dim" if head else "green" if line[:1] == "+" else "red" if line[:1] == "-" else ""
        shown.append(plain(line) + "\n", style=style)
    return shown
