"""Joins an event to the rooms: the guard before a tool call, a pointer to the card at the start.

What is told at the start is facts: numbers and paths that clew made, no text of the book, because an
agent reads it as part of its instructions.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from clew.faces.hooks import contract
from clew.faces.hooks.contract import Event
from clew.kernel.faults import Fault, plain
from clew.novel import guard

_SHOWN: Final = 6
"""Faults that one denial tells in full."""


class Answer(NamedTuple):
    """What goes to stdout, and what to stderr."""

    out: bytes
    notes: list[str]


def answer(event: Event, lang: str, *, cwd: str, home: str) -> Answer:
    """Answer one event. `cwd` is where the hook runs, for a host that told no folder. What it
    cannot judge it lets pass."""
    cwd = event.cwd or cwd
    if event.name in contract.BEFORE_TOOL:
        return _before_tool(event, lang, cwd, home)
    if event.name == contract.SESSION_START:
        text = _standing(cwd, lang)
        return Answer(contract.context(event, text) if text else contract.silence(event), [])
    return Answer(contract.silence(event), [])


def _before_tool(event: Event, lang: str, cwd: str, home: str) -> Answer:
    touches = contract.touches(event, cwd.replace(os.sep, "/"), home, os.path.isdir)
    if not touches:
        return Answer(contract.silence(event), [])
    found = guard.review(touches, cwd)
    out = contract.denial(event, _reasons(found.faults, lang)) if found.faults else None
    return Answer(out or contract.silence(event), found.unsure[:_SHOWN])


def _reasons(faults: list[Fault], lang: str) -> str:
    lines = []
    for fault in faults[:_SHOWN]:
        lines.append(f"clew [{fault.code}] {fault.message(lang)}")
        lines.append(f"  → {fault.hint(lang)}")
    more = len(faults) - _SHOWN
    if more > 0:
        lines.append(f"（另有 {more} 处）" if lang == "zh" else f"({more} more)")
    return "\n".join(lines)


def _standing(folder: str, lang: str) -> str:
    """Where the book stands, in a few lines; empty outside of a book."""
    found = guard.standing(folder)
    if found is None:
        return ""
    last, following, where = found.last, found.last + 1, plain(found.root)
    files = (("细纲", "outline", found.outline), ("正文", "body", found.body))
    if lang == "zh":
        have = "、".join(f"{name}{'已有' if there else '还没有'}" for name, _, there in files)
        return (
            f"{where} 是一本由 clew 记账的小说：已提交到第 {last} 章；第 {following} 章的{have}。\n"
            f"写下一章要看的状态卡：clew novel context（同 {guard.LEDGER}/上下文.md）。"
            "每章的流程见 clew-novel 技能；追踪/ 由 clew 维护，不手改。"
        )
    have = ", ".join(f"{name}: {'there' if there else 'not yet'}" for _, name, there in files)
    return (
        f"{where} is a novel whose ledger clew keeps: chapter {last} is the last one committed; "
        f"chapter {following} is next ({have}).\n"
        f"The card for the next chapter: `clew novel context` (also {guard.LEDGER}/上下文.md). The loop "
        "of a chapter is in the clew-novel skill; 追踪/ is kept by clew and not edited by hand."
    )
