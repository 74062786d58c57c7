"""How the pulse of a persona looks on a terminal. Everything that came from a file is text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.novel_parts import pairs, say
from clew.kernel.faults import plain

if TYPE_CHECKING:
    from clew.faces.cli.answer import Rendering

_ENTRIES: Final = {
    "interactive": ("交互", "interactive"),
    "autonomous": ("自主唤醒", "autonomous"),
    "monologue": ("自写一句", "monologue"),
    "resident": ("常驻体", "resident"),
    "opener": ("主动搭话", "opener"),
    "explore": ("外部探索", "explore"),
}
_STATES: Final = {
    "done": ("做完", "green"),
    "failed": ("失败", "red"),
    "lost": ("丢失", "bold red"),
    "open": ("进行中", "yellow"),
}
_TEXT: Final = 60


def _entry(name: str, lang: str) -> str:
    zh, en = _ENTRIES.get(name, (name, name))
    return zh if lang == "zh" else en


def _table(*heads: str) -> Table:
    table = Table(*heads, box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in table.columns:
        column.overflow = "fold"
    return table


def _clock(local: str) -> str:
    """`MM-DD HH:MM:SS` of a moment by the wall clock."""
    return local[5:19].replace("T", " ") if local else "—"


def _cut(text: str) -> Text:
    one = plain(" ".join(text.split()))
    return Text(one if len(one) <= _TEXT else one[: _TEXT - 1] + "…")


def _ticked(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    head = Text(plain(f"{answer.persona}  {answer.local}"), style="bold")
    parts: list[RenderableType] = [head]
    if not answer.holds:
        parts.append(
            say(lang, f"脉搏在另一处：{plain(answer.holder)}",
                f"another host has the pulse: {plain(answer.holder)}", "yellow")
        )  # fmt: skip
    if answer.clock_back:
        parts.append(
            say(lang, "时钟被拨回过，已记下", "the clock was set back; it is recorded", "yellow")
        )
    parts += [
        say(lang, f"丢失：{plain(key)}", f"lost: {plain(key)}", "bold red") for key in answer.lost
    ]
    table = _table("入口" if zh else "entry", "", "为什么" if zh else "why")
    for one in answer.decisions:
        table.add_row(_entry(one.entry, lang), *_decision(one, lang))
    parts.append(table)
    for tool in answer.tools:
        if tool.outcome == "failed":
            line = Text(f"{tool.tool}: ", style="red")
            parts.append(line.append(plain(tool.detail)).append(f"  [{tool.code}]", style="dim"))
    done = sum(tool.outcome == "done" for tool in answer.tools)
    if done:
        parts.append(say(lang, f"周期工具：{done} 个已运行", f"periodic tools: {done} ran", "dim"))
    return Group(*parts)


def _decision(one: Any, lang: str) -> tuple[Text, Text]:
    if one.decision == "skip":
        return Text("—", style="dim"), Text(plain(one.why), style="dim")
    if not one.wake:
        return say(lang, "会醒", "would run"), Text()
    word, style = _STATES[one.outcome]
    state = Text(word if lang == "zh" else one.outcome, style=style)
    return state, Text(plain(one.detail)) if one.detail else _cut(one.text or one.wake)


def _next(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    head = Text(plain(f"{answer.persona}  {answer.local}  {answer.zone}"), style="bold")
    table = _table(
        "入口" if zh else "entry", "下次" if zh else "next", "今天" if zh else "today",
        "为什么" if zh else "why",
    )  # fmt: skip
    for one in answer.entries:
        used = f"{one.used}/{one.cap}" if one.cap else str(one.used or "")
        reasons = [one.why] if one.why else [
            f"{p.why} @{_local_of(p.due, answer)}" for p in one.passed[:2]]  # fmt: skip
        when = Text(_clock(one.local), style="dim" if one.blocked else "bold")
        table.add_row(_entry(one.entry, lang), when, used, Text(plain("；".join(reasons))))
    tools = _table(
        "周期工具" if zh else "tool", "每" if zh else "every", "下次" if zh else "next", ""
    )
    for tool in answer.tools:
        note = Text(plain(tool.purpose), style="dim")
        if tool.last_failed:
            note = Text(f"[{plain(tool.last_failed)}] ", style="red").append_text(note)
        tools.add_row(tool.tool, f"{tool.minutes} min", _local_of(tool.at, answer), note)
    trust = "" if answer.trusted else ("（未信任）" if zh else " (not trusted)")
    rows: list[tuple[str, Any]] = [("运行方式" if zh else "runner", answer.runner + trust)]
    if answer.runner != "outbox":
        rows.append(
            ("今天运行" if zh else "runs today", f"{answer.runs_today}/{answer.runs_per_day}")
        )
        rows.append(("token", f"{answer.tokens_today:,}/{answer.tokens_per_day:,}"))
    rows.append(("脉搏" if zh else "pulse", plain(answer.holder) or ("无人" if zh else "nobody")))
    parts: list[RenderableType] = [head]
    if answer.paused:
        parts.append(say(lang, "已暂停", "paused", "bold yellow"))
    return Group(*parts, table, Text(), tools, Text(), pairs(rows))


def _local_of(moment: str, answer: Any) -> str:
    """`HH:MM` by the persona's wall clock."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    if not moment:
        return ""
    found = datetime.fromisoformat(moment).astimezone(ZoneInfo(answer.zone))
    today = found.date().isoformat() == answer.local[:10]
    return found.strftime("%H:%M" if today else "%m-%d %H:%M")


def _told(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if not answer.runs and not answer.lines:
        return say(lang, "账本还是空的", "the ledger is empty", "dim")
    runs = _table(
        "时刻" if zh else "at", "入口" if zh else "entry", "结果" if zh else "state", "token", ""
    )
    for one in answer.runs:
        word, style = _STATES[one.state]
        runs.add_row(
            _clock(one.local), _entry(one.entry, lang),
            Text(word if zh else one.state, style=style), f"{one.tokens:,}" if one.tokens else "",
            Text(plain(one.detail)) if one.detail else _cut(one.text),
        )  # fmt: skip
    others = _table("时刻" if zh else "at", "", "")
    for line in answer.lines:
        others.add_row(_clock(line.local), Text(line.kind), Text(plain(line.what), style="dim"))
    counts = "  ".join(
        f"{_STATES[state][0] if zh else state} {number}" for state, number in answer.counts.items()
    )
    parts: list[RenderableType] = [runs, Text(counts, style="bold"), Text()] if answer.runs else []
    return Group(*parts, *([others] if answer.lines else []))


def _paused(answer: Any, lang: str) -> RenderableType:
    if answer.paused:
        head = say(lang, "已暂停：不会再自己醒来，周期工具也停了",
                   "paused: nothing wakes by itself, and the periodic tools stand still",
                   "bold yellow")  # fmt: skip
        return Group(head, _cut(answer.note)) if answer.note else head
    if not answer.changed:
        return say(lang, "本来就没有暂停", "it was not paused", "dim")
    return say(lang, "继续了", "it goes on", "bold green")


def _outbox(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = [
        say(lang, f"已取走：{plain(key)}", f"taken: {plain(key)}", "green") for key in answer.taken
    ]
    if not answer.waiting:
        parts.append(say(lang, "没有在等的提示", "nothing waits", "dim"))
    for left in answer.waiting:
        head = Text(_entry(left.entry, lang), style="bold")
        parts += [head.append(f"  {plain(left.id)}", style="dim"), _lines(left.prompt), Text()]
    return Group(*parts)


def _lines(text: str) -> Text:
    return Text("\n".join(f"  {plain(line)}" for line in text.split("\n")))


def _ran(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows: list[tuple[str, Any]] = [
        ("看了" if zh else "looks", answer.ticks), ("醒来" if zh else "wakes", answer.wakes),
        ("失败" if zh else "failed", answer.failed), ("丢失" if zh else "lost", answer.lost),
        ("周期工具" if zh else "tools", answer.tools),
    ]  # fmt: skip
    parts: list[RenderableType] = [
        say(lang, f"{plain(answer.persona)}：已离开", f"{plain(answer.persona)}: left", "bold"),
        pairs(rows),
    ]
    parts += [
        Text(plain(f"· {one['message']}  [{one['code']}]"), style="red") for one in answer.troubles
    ]
    return Group(*parts)


def _timers(answer: Any, lang: str) -> RenderableType:
    if hasattr(answer, "timers"):
        table = _table(answer.name, "", "", "")
        for one in answer.timers:
            if not one.available and not one.installed:
                state = say(lang, "这台机器没有", "not on this machine", "dim")
            elif not one.installed:
                state = say(lang, "未安装", "not installed", "dim")
            elif one.current:
                state = say(lang, "已安装", "installed", "bold green")
            else:
                state = say(lang, "已安装，内容不同", "installed, and different", "yellow")
            table.add_row(
                one.kind, state, Text(plain(one.active)), Text(plain("\n".join(one.files)))
            )
        return table
    if not answer.changed:
        return say(lang, "没有要改的", "there is nothing to change", "dim")
    parts: list[RenderableType] = []
    for step in answer.steps:
        if step.diff:
            parts.append(_diff(step.diff))
        if step.command:
            parts.append(Text(plain("$ " + " ".join(step.command)), style="cyan"))
    if answer.applied:
        parts.append(say(lang, "已完成", "done", "bold green"))
    else:
        parts.append(
            say(lang, "以上只是显示；加 --yes 才会改", "only shown; --yes does it", "bold yellow")
        )
    return Group(*parts)


def _diff(text: str) -> Text:
    shown = Text()
    for line in text.split("\n"):
        head = line.startswith(("+++", "---", "@@"))
        style = "dim" if head else "green" if line[:1] == "+" else "red" if line[:1] == "-" else ""
        shown.append(plain(line) + "\n", style=style)
    return shown


RENDERINGS: Final[dict[str, Rendering]] = {
    "persona.tick": _ticked,
    "persona.run": _ran,
    "persona.next": _next,
    "persona.wake": _told,
    "persona.pause": _paused,
    "persona.resume": _paused,
    "persona.outbox": _outbox,
    "persona.timers": _timers,
}
