"""How the findings of `clew novel lint` look on a terminal: by rule, each with its place and the
command that silences it."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.novel_parts import say, word

_TONES: Final = {"contradiction": "bold red", "doubt": "bold yellow", "reminder": "bold cyan"}
_WEIGHTS: Final = {
    "contradiction": ("矛盾", "contradiction"), "doubt": ("存疑", "doubt"), "reminder": ("提醒", "reminder"),
}  # fmt: skip
"""Said in words too: a terminal may have no colour."""


def _linted(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = []
    if answer.marked is not None:
        parts += [_marked(answer.marked, lang), Text("")]
    for rule, found in groupby(answer.findings, key=lambda finding: finding.rule):
        parts += [*_group(rule, list(found), lang), Text("")]
    if answer.silenced:
        parts += [say(lang, "已沉默", "silenced", "bold dim")]
        parts += [part for silence in answer.silenced for part in _silenced(silence, lang)]
        parts.append(Text(""))
    return Group(*parts, _footer(answer, lang))


def _group(rule: str, found: list[Any], lang: str) -> list[RenderableType]:
    from clew.novel.lint.rules import BY_ID

    known = BY_ID[rule]
    zh = lang == "zh"
    weight = _WEIGHTS[known.weight][not zh]
    title = f"【{weight}】{known.title.zh}" if zh else f"[{weight}] {known.title.en}"
    head = Text(title, style=_TONES[known.weight])
    head.append(f"  {rule}  {len(found)}", style="dim")
    return [head, *(part for finding in found for part in _finding(finding, lang))]


def _finding(finding: Any, lang: str) -> list[RenderableType]:
    zh = lang == "zh"

    def word(words: Any) -> str:
        return str(words.zh if zh else words.en)

    parts: list[RenderableType] = [_indented(Text(word(finding.message)), 2)]
    place = finding.place
    if place is not None:
        parts.append(_indented(Text(f"{place.path}:{place.line}:{place.column}", style="cyan"), 4))
        parts.append(_indented(Text(place.excerpt, style="dim"), 4))
    parts.append(_indented(Text(word(finding.reason), style="dim"), 4))
    parts.append(_indented(Text(f"→ {word(finding.next)}"), 4))
    parts.append(_indented(Text(_silencing(finding.key), style="dim"), 4))
    return parts


def _silencing(key: str) -> str:
    return f'clew novel lint --silence {word(key)} --reason "…"'


def _silenced(silence: Any, lang: str) -> list[RenderableType]:
    """A silence: its key, what the finding says now, and why it was silenced."""
    zh, finding = lang == "zh", silence.finding
    line = Text(f"  {silence.key}", style="dim")
    if finding is None:
        line.append("  " + ("（已经没有这一条）" if zh else "(there is none now)"))
    parts: list[RenderableType] = [line]
    if finding is not None:
        parts.append(_indented(Text(finding.message.zh if zh else finding.message.en), 4))
    why = f"理由：{silence.reason}" if zh else f"why: {silence.reason}"
    return [*parts, _indented(Text(why), 4)]


def _marked(marked: Any, lang: str) -> Text:
    if marked.lifted:
        return say(lang, f"已撤掉沉默：{marked.key}", f"heard again: {marked.key}", "bold green")
    return say(lang, f"已沉默：{marked.key}", f"silenced: {marked.key}", "bold green")


def _footer(answer: Any, lang: str) -> Text:
    checked, counts = answer.checked, answer.counts
    tone = "bold" if counts.findings else "bold green"
    return say(
        lang,
        f"{counts.findings} 处发现，另有 {counts.silenced} 处已沉默"
        f"（{checked.chapters} 章的事务，读了 {checked.bodies} 份正文）；都不拦提交",
        f"{counts.findings} finding{'s' * (counts.findings != 1)}, {counts.silenced} more silenced "
        f"({checked.chapters} chapters' transactions, {checked.bodies} bodies read); "
        "none blocks a commit",
        tone,
    )


def _indented(text: Text, by: int) -> Padding:
    return Padding(text, (0, 0, 0, by))


RENDERINGS: Final[dict[str, Rendering]] = {"novel.lint": _linted}
