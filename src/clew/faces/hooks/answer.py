"""Joins an event to the rooms: the guard before a tool call, a pointer to the card at the start.

What is told at the start is facts: numbers and paths that clew made, no text of the book, because an
agent reads it as part of its instructions.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.faces.hooks import contract
from clew.faces.hooks.contract import Event
from clew.kernel.faults import Fault, plain
from clew.novel import guard

if TYPE_CHECKING:
    from collections.abc import Callable

    Tongue = Callable[[str], str]
    """The language to answer in, by a book's title."""

_SHOWN: Final = 6
"""Faults that one denial tells in full."""


class Answer(NamedTuple):
    """What goes to stdout, and what to stderr."""

    out: bytes
    notes: list[str]


def answer(event: Event, lang: str | None, *, cwd: str, home: str, locale: str = "en") -> Answer:
    """Answer one event. `cwd` is where the hook runs, for a host that told no folder. What it
    cannot judge it lets pass.

    `lang` is the language that somebody asked for; without one the answer speaks the language of the
    book, and that of `locale` where its title does not tell: a host is started from anywhere.
    """
    cwd = event.cwd or cwd

    def tongue(title: str) -> str:
        return lang or _language_of(title) or locale

    if event.name in contract.BEFORE_TOOL:
        return _before_tool(event, tongue, cwd, home)
    if event.name == contract.SESSION_START:
        text = _standing(cwd, tongue)
        return Answer(contract.context(event, text) if text else contract.silence(event), [])
    return Answer(contract.silence(event), [])


def _language_of(title: str) -> str:
    """By the letters of a title; empty for a title without any, such as 1984."""
    if any("\u3400" <= char <= "\u9fff" or char >= "\U00020000" for char in title):
        return "zh"
    return "en" if any(char.isalpha() for char in title) else ""


def _before_tool(event: Event, tongue: Tongue, cwd: str, home: str) -> Answer:
    touches = contract.touches(event, cwd.replace(os.sep, "/"), home, os.path.isdir)
    if not touches:
        return Answer(contract.silence(event), [])
    found = guard.review(touches, cwd)
    reasons = _reasons(found.faults, tongue(found.title)) if found.faults else ""
    out = contract.denial(event, reasons) if reasons else None
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


def _standing(folder: str, tongue: Tongue) -> str:
    """Where the book stands, in a few lines; empty outside of a book."""
    found = guard.standing(folder)
    if found is None:
        return ""
    lang = tongue(found.title)
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
