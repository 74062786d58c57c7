"""How the pulse of a persona looks on a terminal. Everything that came from a file is text. Times are
those of the persona's wall clock."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from clew.faces.cli.novel_parts import say, word
from clew.faces.cli.persona_parts import (
    Column,
    Facts,
    Flow,
    Rows,
    Wall,
    command,
    shown,
    shown_zone,
    told,
)
from clew.faces.cli.pulse_timers import timers
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
    "done": ("做完", "done", "green"),
    "left": ("留了提示", "left", "cyan"),
    "failed": ("失败", "failed", "red"),
    "lost": ("丢失", "lost", "bold red"),
    "open": ("进行中", "open", "yellow"),
}
_KINDS: Final = {
    "reason": ("换了理由", "reason"), "clock_back": ("拨钟", "clock"), "slept": ("没人看", "asleep"),
    "paused": ("暂停", "paused"), "resumed": ("继续", "resumed"), "host": ("脉搏", "pulse"),
}  # fmt: skip
_PASSED_ON: Final = {
    "taken": ("接手", "taken by"), "expired": ("前一处没有心跳，接手", "the last beat was too old; taken by"),
    "rebooted": ("机器重启过，接手", "the machine was restarted; taken by"),
    "gone": ("前一个进程已不在，接手", "the process before is gone; taken by"),
    "released": ("放手", "given up by"), "taken_over": ("强行接管", "taken over by"),
}  # fmt: skip
_HOLDING: Final = {"tick": ("由 tick 看着", "by ticks"), "run": ("常驻", "resident")}
_TEXT: Final = 60
_PASSED: Final = 2
_LATE_MINUTES: Final = 90
"""So long without a look: nothing calls the pulse."""


def _of(words: tuple[str, ...], lang: str) -> str:
    return words[0 if lang == "zh" else 1]


def entry_name(name: str, lang: str) -> str:
    """What an entry is called."""
    return _of(_ENTRIES.get(name, (name, name)), lang)


def holder(said: str, wall: Wall, lang: str) -> Text:
    """Who has the pulse, as a person reads it."""
    if not said:
        return Text("无人" if lang == "zh" else "nobody", style="yellow")
    host, *rest = said.split(", ")
    if len(rest) != 3:
        return shown(wall.within(said), 300)
    kind = _of(_HOLDING.get(rest[1], (rest[1], rest[1])), lang)
    since = wall.minute(rest[2])
    more = f"（{kind}，自 {since}）" if lang == "zh" else f" ({kind}, since {since})"
    return shown(host + more, 300)


def because(code: str, why: str, wall: Wall, lang: str) -> str:
    """Why an entry does not come. Who has the pulse instead stands elsewhere, once."""
    if code == "held_elsewhere":
        return "脉搏在另一处" if lang == "zh" else "another host has the pulse"
    return plain(wall.within(why))


def looked(answer: Any, wall: Wall, lang: str) -> Text:
    """When anything last called the pulse; where nothing does, how to have it called."""
    zh = lang == "zh"
    last = max([answer.looked, *(tool.last_at for tool in answer.tools)])
    call = (
        "没有东西在调它：clew persona timers install"
        if zh
        else "nothing calls it: clew persona timers install"
    )
    if not last:
        return Text("从没看过。" if zh else "it never looked; ").append(call, style="yellow")
    gone = datetime.fromisoformat(answer.at) - datetime.fromisoformat(last)
    line = Text(wall.minute(last))
    if gone.total_seconds() > _LATE_MINUTES * 60:
        line.append("。" if zh else "; ").append(call, style="yellow")
    return line


def _local(moment: str, zone: str) -> str:
    """A moment that is the wall clock's already, with the zone's name."""
    return f"{moment[:19].replace('T', ' ')}  {zone}" if moment else "—"


def _cut(text: str) -> Text:
    one = plain(" ".join(text.split()))
    return Text(one if len(one) <= _TEXT else one[: _TEXT - 1] + "…")


def _ticked(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    parts: list[RenderableType] = [
        Flow(shown(f"{answer.persona}  {_local(answer.local, answer.zone)}", 300, "bold"))
    ]
    if not answer.holds:
        who = holder(answer.holder, Wall(answer.zone), lang).plain
        parts.append(
            told(lang, f"脉搏在另一处：{who}", f"another host has the pulse: {who}", "yellow")
        )  # fmt: skip
    if answer.clock_back:
        parts.append(
            told(lang, "时钟被拨回过，已记下", "the clock was set back; it is recorded", "yellow")
        )
    parts += [
        told(lang, f"丢失：{plain(key)}", f"lost: {plain(key)}", "bold red") for key in answer.lost
    ]
    if answer.decisions:
        wall = Wall(answer.zone)
        rows = [
            [entry_name(one.entry, lang), *_decision(one, wall, lang)] for one in answer.decisions
        ]
        columns = [
            Column("入口" if zh else "entry", bare=True), Column("", bare=True),
            Column("为什么" if zh else "why", flex=True, bare=True),
        ]  # fmt: skip
        parts.append(Rows(columns, rows))
    parts += _tools(answer, lang)
    woken = any(one.outcome == "left" for one in answer.decisions)
    if woken:
        parts.append(told(lang, "话在发件箱里：clew persona outbox",
                          "what it leaves is in the outbox: clew persona outbox", "cyan"))  # fmt: skip
    elif answer.decisions:
        parts.append(
            told(lang, "何时会醒：clew persona next", "when it wakes: clew persona next", "dim")
        )
    return Group(*parts)


def _tools(answer: Any, lang: str) -> list[RenderableType]:
    by_hand = not answer.decisions
    parts: list[RenderableType] = []
    for tool in answer.tools:
        if tool.outcome == "failed":
            line = shown(tool.detail, 600, "red").append(f"  [{tool.code}]", style="dim")
            parts.append(Flow(line, Text(f"{tool.tool}: ", style="red")))
        elif by_hand:
            facts = "  ".join(f"{name} {value}" for name, value in tool.facts.items())
            first = f"{tool.tool}  {_of(_STATES['done'], lang)}  "
            parts.append(Flow(shown(facts, 400, "dim"), first, 2))
    done = sum(tool.outcome == "done" for tool in answer.tools)
    if done and not by_hand:
        parts.append(told(lang, f"周期工具：跑了 {done} 个", f"periodic tools: {done} ran", "dim"))
    return parts


def _decision(one: Any, wall: Wall, lang: str) -> tuple[Text, Text]:
    if one.decision == "skip":
        return Text("—", style="dim"), Text(because(one.reason, one.why, wall, lang), style="dim")
    if not one.wake:
        return say(lang, "会醒", "would run"), Text()
    *words, style = _STATES[one.outcome]
    state = Text(_of(tuple(words), lang), style=style)
    return state, Text(plain(one.detail)) if one.detail else _cut(one.text or one.wake)


def _next(answer: Any, lang: str) -> RenderableType:
    zh, wall = lang == "zh", Wall(answer.zone)
    today = answer.local[:10]
    head = shown(f"{answer.persona}  {_local(answer.local, answer.zone)}", 300, "bold")
    parts: list[RenderableType] = [Flow(head, indent=2)]
    if answer.paused:
        note = f" · {plain(answer.paused_note)}" if answer.paused_note else ""
        parts.append(told(lang, f"已暂停{note}；clew persona resume 继续",
                          f"paused{note}; `clew persona resume` goes on", "bold yellow"))  # fmt: skip
    rows = []
    for one in answer.entries:
        used = f"{one.used}/{one.cap}" if one.cap else str(one.used or "")
        # To the second: jitter and dice are told in advance, and whoever asks may want to watch.
        when = f"{one.local[5:19].replace('T', ' ')}" if one.local else "—"
        rows.append([
            entry_name(one.entry, lang), Text(when, style="dim" if one.blocked else "bold"), used,
            Text(plain(_why(one, wall, today, lang))),
        ])  # fmt: skip
    entries = [
        Column("入口" if zh else "entry", bare=True), Column("下次" if zh else "next", bare=True),
        Column("今天" if zh else "today"), Column("为什么" if zh else "why", flex=True, bare=True),
    ]  # fmt: skip
    tools = []
    for tool in answer.tools:
        purpose = shown(tool.purpose, 300, "dim")
        if tool.last_failed:
            purpose = Text(f"[{plain(tool.last_failed)}] ", style="red").append_text(purpose)
        tools.append([tool.tool, _every(tool.minutes, lang), wall.short(tool.at, today), purpose])
    columns = [
        Column("周期工具" if zh else "tool", bare=True), Column("每" if zh else "every"),
        Column("下次" if zh else "next"), Column("", flex=True, bare=True),
    ]  # fmt: skip
    return Group(
        *parts,
        Rows(entries, rows),
        Text(),
        Rows(columns, tools),
        Text(),
        Facts(_running(answer, wall, lang)),
    )


def _why(one: Any, wall: Wall, today: str, lang: str) -> str:
    """Why it does not come; or which moments pass by before it does."""
    if one.why:
        return because(one.blocked, one.why, wall, lang)
    passed = [
        f"{wall.short(p.due, today)} {because(p.reason, p.why, wall, lang)}"
        for p in one.passed[:_PASSED]
    ]
    if not passed:
        return ""
    if lang == "zh":
        return "之前不来：" + "；".join(passed)
    return "not before: " + "; ".join(passed)


def _every(minutes: int, lang: str) -> str:
    number, unit = (
        (minutes // 60, ("小时", "h")) if minutes % 60 == 0 else (minutes, ("分钟", "min"))
    )
    return f"{number} {_of(unit, lang)}"


def _running(answer: Any, wall: Wall, lang: str) -> list[tuple[str, Any]]:
    zh = lang == "zh"
    trust = "" if answer.trusted else ("（未信任）" if zh else " (not trusted)")
    rows: list[tuple[str, Any]] = [("醒来做什么" if zh else "a wake does", answer.runner + trust)]
    if answer.runner != "outbox":
        rows += [
            ("今天运行" if zh else "runs today", f"{answer.runs_today}/{answer.runs_per_day}"),
            ("今天 token" if zh else "tokens today", f"{answer.tokens_today:,}/{answer.tokens_per_day:,}"),
        ]  # fmt: skip
    rows.append(("脉搏" if zh else "pulse", holder(answer.holder, wall, lang)))
    rows.append(("上次看" if zh else "last look", looked(answer, wall, lang)))
    return rows


def _told(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if not answer.runs and not answer.lines:
        return told(lang, "没有可说的：账本还是空的，或没有这样的记录",
                    "nothing to tell: the ledger is empty, or has no such line", "dim")  # fmt: skip
    wall = Wall(answer.zone)
    parts: list[RenderableType] = [shown_zone(wall, lang)]
    if answer.runs:
        rows = []
        for one in answer.runs:
            *words, style = _STATES[one.state]
            state = Text(_of(tuple(words), lang), style=style)
            if one.taken_at:
                state.append("，已取走" if zh else ", taken")
            rows.append([
                one.local[5:19].replace("T", " "), entry_name(one.entry, lang),
                state, f"{one.tokens:,}" if one.tokens else "",
                shown(one.detail, 600) if one.detail else _cut(one.text),
            ])  # fmt: skip
        columns = [
            Column("时刻" if zh else "at", bare=True), Column("入口" if zh else "entry", bare=True),
            Column("结果" if zh else "state", bare=True), Column("token"), Column("", flex=True, bare=True),
        ]  # fmt: skip
        counts = "  ".join(
            f"{_of(_STATES[state], lang)} {number}" for state, number in answer.counts.items()
        )
        parts += [Rows(columns, rows), Text(counts, style="bold")]
    if answer.runs and answer.lines:
        parts.append(Text())
    if answer.lines:
        rows = [
            [line.local[5:19].replace("T", " "), _of(_KINDS.get(line.kind, (line.kind, line.kind)), lang),
             Text(_happened(line, wall, lang), style="dim")]
            for line in answer.lines
        ]  # fmt: skip
        columns = [
            Column("时刻" if zh else "at", bare=True),
            Column("", bare=True),
            Column("", flex=True, bare=True),
        ]
        parts.append(Rows(columns, rows))
    return Group(*parts)


def _happened(line: Any, wall: Wall, lang: str) -> str:
    """What a line tells, by the wall clock and in the user's language."""
    facts = line.facts
    if line.kind == "host":
        who = holder(facts.get("holder") or facts.get("before", ""), wall, lang).plain
        change = facts.get("change", "")
        return f"{_of(_PASSED_ON.get(change, (change, change)), lang)} {who}"
    if line.kind in ("paused", "resumed"):
        return plain(" · ".join(part for part in (facts.get("by"), facts.get("note")) if part))
    entry = facts.get("entry", "")
    said = line.what.removeprefix(f"{entry}: ") if entry else line.what
    name = f"{entry_name(entry, lang)}{'：' if lang == 'zh' else ': '}" if entry else ""
    return plain(wall.within(f"{name}{said}"))


def _paused(answer: Any, lang: str) -> RenderableType:
    if answer.paused:
        head = told(lang, "已暂停：不会再自己醒来，周期工具也停了；clew persona resume 继续",
                    "paused: nothing wakes by itself, and the periodic tools stand still; "
                    "`clew persona resume` goes on", "bold yellow")  # fmt: skip
        return Group(head, Flow(shown(answer.note, 600))) if answer.note else head
    if not answer.changed:
        return told(lang, "本来就没有暂停", "it was not paused", "dim")
    return told(lang, "继续了", "it goes on", "bold green")


def _outbox(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = [
        told(lang, f"已取走：{plain(key)}", f"taken: {plain(key)}", "green") for key in answer.taken
    ]
    if not answer.waiting and not answer.taken:
        parts.append(told(lang, "没有在等的；何时会有：clew persona next",
                          "nothing waits; when something will: clew persona next", "dim"))  # fmt: skip
    for left in answer.waiting:
        head = Text(entry_name(left.entry, lang), style="bold")
        parts += [
            head.append(f"  {plain(left.id)}", style="dim"),
            Flow(shown(left.prompt, 40_000), "  "),
        ]
        parts += [command(f"  clew persona outbox take {word(left.id)}"), Text()]
    return Group(*parts[:-1] if answer.waiting else parts)


def _ran(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows: list[tuple[str, Any]] = [
        ("看了" if zh else "looks", answer.ticks), ("醒来" if zh else "wakes", answer.wakes),
        ("失败" if zh else "failed", answer.failed), ("丢失" if zh else "lost", answer.lost),
        ("周期工具" if zh else "tools", answer.tools),
    ]  # fmt: skip
    parts: list[RenderableType] = [
        told(lang, f"{plain(answer.persona)}：已离开", f"{plain(answer.persona)}: left", "bold"),
        Facts(rows),
    ]
    parts += [
        Flow(shown(f"{one['message']}  [{one['code']}]", 600, "red"), Text("· ", style="red"))
        for one in answer.troubles
    ]
    return Group(*parts)


RENDERINGS: Final[dict[str, Rendering]] = {
    "persona.tick": _ticked,
    "persona.run": _ran,
    "persona.next": _next,
    "persona.wake": _told,
    "persona.pause": _paused,
    "persona.resume": _paused,
    "persona.outbox": _outbox,
    "persona.timers": timers,
}
