"""How `clew chapter` looks on a terminal: a check with its findings, a repair, a rule explained."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from clew.faces.cli.novel_parts import pairs, say

_ACTIONS: Final = {
    "commit": ("提交", "commit"),
    "compress-once": ("压缩一遍（只删不加）", "compress once"),
    "accept-current-length": ("按现长接受", "accept the current length"),
    "revise-outline-or-target": ("改细纲或目标", "revise outline or target"),
    "discard": ("放弃这一稿", "discard this version"),
}
_STYLES: Final = {"ready": "bold green", "needs_decision": "bold yellow"}
_STATUS: Final = {
    "ready": ("可以提交", "ready to commit"),
    "needs_decision": ("等作者决定", "for the author to decide"),
    "blocked": ("有必须先改的地方", "something must be mended first"),
    "invalid": ("没法检查", "cannot be checked"),
    "tool_unavailable": ("有检测器没能运行", "a detector could not run"),
}
_LENGTH: Final = {
    "internal_pass": ("合适", "as planned"),
    "borderline": ("靠近边上，可以接受", "near the edge, accepted"),
    "under": ("不足", "too short"),
    "over": ("超出", "too long"),
    "invalid": ("没法计数", "not counted"),
}
_WEIGHT: Final = {"blocking": ("必须改", "MUST MEND"), "advisory": ("建议", "advice")}


def chapter(answer: Any, lang: str) -> RenderableType:
    """A check, a commit, or a rule explained: what `clew chapter` answers."""
    if hasattr(answer, "turn_off"):
        return _rule(answer, lang)
    zh = lang == "zh"
    done = hasattr(answer, "wordcount")
    style = _STYLES.get(answer.status, "bold red")
    head = say(lang, f"第 {answer.chapter} 章", f"chapter {answer.chapter}", style)
    parts: list[RenderableType] = [
        head if done else head + Text("  ") + say(lang, *_STATUS[answer.status], style)
    ]
    rows = _length(answer, zh)
    if answer.available_actions and not done:
        words = [_ACTIONS[action][0 if zh else 1] for action in answer.available_actions]
        rows.append(("可以" if zh else "you may", "、".join(words) if zh else ", ".join(words)))
    if rows:
        parts.append(pairs(rows))
    if answer.compression is not None:
        cut = answer.compression.remove_to_user_band
        span = f"{cut.min}–{cut.max}"
        parts.append(say(lang, f"  压缩一遍：删 {span} 字", f"  compress once: cut {span}"))
    for fault in answer.faults or ():
        parts.append(Text(f"  {fault['message']}", style="red"))
        if fault.get("hint"):
            parts.append(Text(f"    → {fault['hint']}", style="cyan"))
    parts += _findings(answer, lang)
    parts += [Text(f"  {error}", style="red") for error in answer.quality.tool_errors]
    if answer.punctuation:
        parts += _repair(answer.punctuation, lang)
    parts += [Text(f"→ {_side(line, lang)}", style="cyan") for line in answer.advice or ()]
    if done:
        revision = answer.state_revision
        parts.append(
            say(lang, f"已提交，修订 {revision}", f"committed, revision {revision}", "green")
        )
    return Group(*parts)


def _side(message: Any, lang: str) -> str:
    return str(message.zh if lang == "zh" else message.en)


def _length(answer: Any, zh: bool) -> list[tuple[str, Any]]:
    length = answer.length
    band = f"{length.user_band.min}–{length.user_band.max}" if length.user_band else ""
    rows: list[tuple[str, Any]] = []
    word = _LENGTH[length.status][0 if zh else 1]
    state = f"（{word}）" if zh else f"({word})"
    if length.actual is not None:
        rows.append(("字数" if zh else "length", f"{length.actual}  {state}"))
    if length.target is not None:
        rows.append(("目标" if zh else "target", f"{length.target}  {band}"))
    return rows


def _findings(answer: Any, lang: str) -> list[RenderableType]:
    """Findings with their weight in words and their places; the advice of a rule once, under its
    first finding."""
    parts: list[RenderableType] = []
    told: set[str] = set()
    for finding in answer.quality.blocking_findings + answer.quality.advisories:
        tone = "red" if finding.severity == "blocking" else "yellow"
        weight = _WEIGHT[finding.severity][0 if lang == "zh" else 1]
        place = f"  {finding.line}:{finding.column} {weight} [{finding.rule}] "
        parts.append(Text(place + _side(finding.message, lang), style=tone))
        parts.append(Text(f"      {finding.excerpt}", style="dim"))
        if finding.advice is not None and finding.rule not in told:
            told.add(finding.rule)
            parts.append(Text(f"      → {_side(finding.advice, lang)}", style="cyan"))
    return parts


def _repair(repair: Any, lang: str) -> list[RenderableType]:
    """The difference, line by line in its colours."""
    if not repair.lines:
        return [
            say(lang, "标点没有可以自动修正的", "no punctuation to put right by itself", "green")
        ]
    tones = {"-": "red", "+": "green", "@": "cyan"}
    parts: list[RenderableType] = [
        Text(line, style=tones.get(line[:1], "")) for line in repair.diff.split("\n") if line
    ]
    if repair.written:
        parts.append(
            say(
                lang,
                f"已修正 {repair.lines} 行，原文在 {repair.kept}",
                f"{repair.lines} lines put right; the old body is at {repair.kept}",
                "green",
            )
        )
    return parts


_SEVERITY: Final = {
    "blocking": ("阻止提交", "blocks a commit"),
    "advisory": ("建议，不阻止提交", "advice, does not block"),
}
_REVIEW: Final = {
    "mechanical": ("照着改即可", "sure as it stands"),
    "semantic": ("要读过上下文再定", "to be read and decided"),
}
_KEEPABLE: Final = (
    "形式确凿；作者有意的可以放行",
    "sure in its shape; the author may keep what is meant",
)
_LANGUAGES: Final = {"zh": ("中文", "Chinese"), "en": ("英文", "English")}


def _rule(answer: Any, lang: str) -> RenderableType:
    side = 0 if lang == "zh" else 1
    parts: list[RenderableType] = [Text(answer.rule, style="bold")]
    for text in answer.texts:
        spoken = " · ".join(_LANGUAGES[name][side] for name in text.languages)
        if len(answer.texts) > 1:
            # The entries of the languages are two rules; without a heading they run together.
            heading = f"—— {spoken}章节 ——" if side == 0 else f"-- {spoken} chapters --"
            parts.append(Text(heading, style="bold"))
        severity = _SEVERITY[text.severity][side]
        if text.strict_severity:
            strict = _SEVERITY[text.strict_severity][side]
            severity += f"（strict：{strict}）" if side == 0 else f" (strict: {strict})"
        rows: list[tuple[str, Any]] = [
            (("名称", "name")[side], _side(text.name, lang)),
            (("语言", "language")[side], spoken),
            (("严重度", "severity")[side], severity),
            (("判断", "review")[side], _review(text)[side]),
            (("查什么", "finds")[side], _side(text.finds, lang)),
        ]
        if text.why:
            rows.append((("为什么", "why")[side], _side(text.why, lang)))
        rows.append((("怎么改", "advice")[side], _side(text.advice, lang)))
        if text.outline:
            rows.append((("细纲", "outline")[side], text.outline))
        rows.append((("会查到", "finds this")[side], _shown(text.bad)))
        rows.append((("不会查到", "not this")[side], _shown(text.good)))
        rows += [(key, f"{value:g}") for key, value in text.limits.items()]
        parts.append(pairs(rows))
    parts.append(Text(_side(answer.turn_off, lang), style="cyan"))
    return Group(*parts)


def _review(text: Any) -> tuple[str, str]:
    """How far a finding is sure; what blocks has no need to be read first, but may be meant."""
    blocks = text.severity == "blocking" and text.review == "semantic"
    return _KEEPABLE if blocks else _REVIEW[text.review]


def _shown(text: str) -> str:
    return text if len(text) <= 400 else text[:399] + "…"
