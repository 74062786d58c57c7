"""How a persona is, at a glance, on a terminal: what a person wants to know first stands first."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from clew.faces.cli.persona_parts import Column, Facts, Flow, Rows, Wall, many, shown, told
from clew.faces.cli.pulse import because, entry_name, holder, looked
from clew.persona.prepared import span

_LISTED: Final = 3


def state_rows(state: Any, lang: str) -> list[tuple[str, Any]]:
    """Mood with its cause, and the clocks."""
    zh, wall = lang == "zh", Wall(state["zone"])
    today = state["date"]
    since = wall.short(state["since"], today)
    because = shown(state["cause"], 600)
    if state["faded"]:
        because.append("（已淡去）" if zh else " (faded)", style="dim")
    because.append("  · ", style="dim").append_text(shown(state["source"], 120, "dim"))
    because.append(f"，自 {since}" if zh else f", since {since}", style="dim")
    usual = f"（平时 {state['baseline']:.2f}）" if zh else f" (usually {state['baseline']:.2f})"
    if state["last_word_at"]:
        ago = span(state["silence_seconds"], lang)
        at = wall.short(state["last_word_at"], today)
        heard = f"{at}，{ago}前" if zh else f"{at}, {ago} ago"
    else:
        heard = "还没有人说过话" if zh else "nobody has spoken yet"
    alive = span(state["alive_seconds"], lang) if state["alive_since"] else "—"
    return [
        ("心情" if zh else "mood", Text(f"{state['mood']:.2f}", style="bold").append(usual, style="dim")),
        ("因为" if zh else "because", because),
        ("有人说话" if zh else "last word", heard),
        ("连续存活" if zh else "alive for", alive),
    ]  # fmt: skip


def status(answer: Any, lang: str) -> RenderableType:
    """One persona, or every one of a library."""
    if hasattr(answer, "personas"):
        return _known(answer, lang)
    wall = Wall(answer.zone)
    head = shown(answer.name, 200, "bold").append(
        f"  {wall.minute(answer.state.at)}  {wall.name}", style="dim"
    )
    parts: list[RenderableType] = [Flow(head, indent=2)]
    if answer.paused:
        parts.append(told(lang, "已暂停：什么都不会自己醒（clew persona resume）",
                          "paused: nothing wakes of its own accord (clew persona resume)",
                          "bold yellow"))  # fmt: skip
    parts.append(
        Facts(
            [
                *state_rows(msgspec.to_builtins(answer.state), lang), *_self_rows(answer, lang),
                *_work_rows(answer, wall, lang), *_pulse_rows(answer, wall, lang),
                *_rest_rows(answer, lang),
            ]
        )
    )  # fmt: skip
    if not answer.trusted:
        parts.append(told(lang, "persona.toml 写明了命令或网址，尚未信任：看过之后 clew trust 这个家",
                          "persona.toml names commands or addresses that are not trusted: look at it, "
                          "then `clew trust` the home", "yellow"))  # fmt: skip
    return Group(*parts, *_broken(answer, lang))


def _self_rows(answer: Any, lang: str) -> list[tuple[str, Any]]:
    zh, layers = lang == "zh", answer.layers
    if layers.refusals_broken:
        said = ("读不出来，所以什么都不会自己醒：clew persona check" if zh
                else "cannot be read, so nothing wakes of its own accord: clew persona check")  # fmt: skip
        return [("今天不做" if zh else "does not do", Text(said, style="bold red"))]
    if not layers.refusals:
        said = "还没有写：refusals.toml" if zh else "not written yet: refusals.toml"
        return [("今天不做" if zh else "does not do", Text(said, style="yellow"))]
    today = shown(layers.refusal_today or "—", 300)
    more = f"  （共 {layers.refusals} 条）" if zh else f"  ({layers.refusals} in all)"
    return [("今天不做" if zh else "does not do", today.append(more, style="dim"))]


def _work_rows(answer: Any, wall: Wall, lang: str) -> list[tuple[str, Any]]:
    zh, layers, glance, today = lang == "zh", answer.layers, answer.glance, answer.state.date
    rows = [
        ("想做的事" if zh else "open intents",
         _items(glance.intents, layers.open_intents, today, lang)),
    ]  # fmt: skip
    if layers.hanging:
        rows.append(
            ("没说完的" if zh else "hanging", _items(glance.hanging, layers.hanging, today, lang))
        )
    if glance.unread or glance.unanswered:
        counts = f"{glance.unread} 条未读" if zh else f"{glance.unread} unread"
        if glance.unanswered:
            counts += (
                f"，{glance.unanswered} 件转交的没人答"
                if zh
                else f", {many(glance.unanswered, 'task')} without an answer"
            )
        notes = Text(counts, style="yellow" if glance.unanswered else "")
        for one in glance.notes[:_LISTED]:
            who = f"{one.by}: " if one.by else ""
            mark = ("（任务）" if zh else " (task)") if one.task else ""
            notes.append("\n").append_text(shown(f"{one.n} {who}{' '.join(one.text.split())}", 200))
            notes.append(mark, style="yellow")
    else:
        notes = Text("" if glance.handed else "没有等着的" if zh else "nothing waits", style="dim")
    for one in glance.handed[:_LISTED]:
        left = (f"给窗口 {one.window[:12]} 的 {one.notes} 条没读" if zh
                else f"{one.notes} left for window {one.window[:12]}, unread")  # fmt: skip
        if one.tasks:
            left += f"，转交 {one.tasks} 件" if zh else f", {many(one.tasks, 'task')}"
        notes.append("\n" if notes.plain else "").append(left, style="yellow")
    rows.append(("留言板" if zh else "board", notes))
    if glance.baton is not None:
        baton = shown(" ".join(glance.baton.done.split()), 200)
        if glance.baton.next:
            baton.append(" → ", style="dim").append_text(
                shown(" ".join(glance.baton.next.split()), 200)
            )
        rows.append(("交接棒" if zh else "baton",
                     baton.append(f"  {wall.short(glance.baton.at, today)}", style="dim")))  # fmt: skip
    if glance.mind is not None:
        mind = shown(" ".join(glance.mind.text.split()), 200)
        rows.append(("此刻在想" if zh else "on its mind",
                     mind.append(f"  {wall.short(glance.mind.at, today)}", style="dim")))  # fmt: skip
    return rows


def _items(items: list[Any], count: int, today: str, lang: str) -> Text:
    zh, out = lang == "zh", Text()
    if not count:
        return Text("没有" if zh else "none", style="yellow")
    for one in items[:_LISTED]:
        out.append("\n" if out.plain else "").append(f"{one.id} ", style="bold")
        out.append_text(shown(" ".join(one.text.split()), 200))
        if one.due:
            late = one.due < today
            said = (f"（到 {one.due}{'，已过' if late else ''}）" if zh
                    else f" (by {one.due}{', overdue' if late else ''})")  # fmt: skip
            out.append(said, style="red" if late else "yellow")
    if count > _LISTED:
        out.append(
            f"\n还有 {count - _LISTED} 件" if zh else f"\nand {count - _LISTED} more", style="dim"
        )
    return out


def _pulse_rows(answer: Any, wall: Wall, lang: str) -> list[tuple[str, Any]]:
    zh, pulse, today = lang == "zh", answer.glance.pulse, answer.state.date
    runner = answer.runner + ("" if answer.trusted else ("（未信任）" if zh else " (not trusted)"))
    rows: list[tuple[str, Any]] = []
    if pulse is not None:
        coming, not_coming = Text(), Text()
        why_not: dict[str, list[str]] = {}
        for one in sorted(pulse.entries, key=lambda one: one.at or "~"):
            if one.entry == "interactive":
                continue
            name = entry_name(one.entry, lang)
            if one.at and not one.blocked:
                coming.append("\n" if coming.plain else "").append(
                    f"{wall.short(one.at, today)} ", style="bold"
                )
                coming.append(name)
            else:
                why_not.setdefault(because(one.blocked, one.why, wall, lang), []).append(name)
        for why, names in why_not.items():
            not_coming.append("\n" if not_coming.plain else "")
            not_coming.append(("、" if zh else ", ").join(names))
            not_coming.append_text(shown(f"：{why}" if zh else f": {why}", 300, "dim"))
        if coming.plain:
            rows.append(("会醒" if zh else "wakes", coming))
        if not_coming.plain:
            rows.append(("不会醒" if zh else "does not wake", not_coming))
        rows.append(("脉搏" if zh else "pulse", holder(pulse.holder, wall, lang)))
        rows.append(("上次看" if zh else "last look", looked(pulse, wall, lang)))
    else:
        said = "停着：有文件读不出来，见下" if zh else "stopped: a file cannot be read, see below"
        rows.append(("脉搏" if zh else "pulse", Text(said, style="bold red")))
    rows.append(("醒来做什么" if zh else "a wake does", runner))
    return rows


def _rest_rows(answer: Any, lang: str) -> list[tuple[str, Any]]:
    zh, layers = lang == "zh", answer.layers
    if answer.memory == "words":
        memory = "只按词找" if zh else "by words alone"
    else:
        memory = f"词与向量（{answer.vectors}）" if zh else f"words and vectors ({answer.vectors})"
    kept = [
        f"日记 {layers.diary_days} 天" if zh else many(layers.diary_days, "diary day"),
        f"念头 {layers.thoughts}" if zh else many(layers.thoughts, "thought"),
        f"原话 {layers.samples}" if zh else many(layers.samples, "sample"),
        _windows(answer.glance, lang),
    ]  # fmt: skip
    return [
        ("记忆" if zh else "memory", Text(memory).append(f"  · {answer.memory_why}", style="dim")),
        ("存着" if zh else "keeps", " · ".join(kept)),
        ("家" if zh else "home", shown(answer.home, 400, "dim")),
    ]  # fmt: skip


def _windows(glance: Any, lang: str) -> str:
    said = f"窗口 {glance.windows}" if lang == "zh" else many(glance.windows, "window")
    if glance.ended:
        said += f"（{glance.ended} 个已结束）" if lang == "zh" else f" ({glance.ended} ended)"
    return said


def _broken(answer: Any, lang: str) -> list[RenderableType]:
    zh, pulse = lang == "zh", answer.glance.pulse
    parts: list[RenderableType] = []
    for tool in pulse.tools if pulse is not None else ():
        if tool.last_failed:
            said = (
                f"周期工具 {tool.tool} 上次失败"
                if zh
                else f"the periodic tool {tool.tool} failed last time"
            )
            parts.append(
                Flow(Text(f"{said}  [{tool.last_failed}]", style="red"), Text("· ", style="red"))
            )
    if answer.glance.lost:
        number = answer.glance.lost
        parts.append(told(lang, f"· 今天丢失了 {number} 次醒来（clew persona wake）",
                          f"· {many(number, 'wake')} of today lost (clew persona wake)", "red"))  # fmt: skip
    parts += [
        told(lang, f"· 窗口 {ident} 太长了（clew persona watch-context）",
             f"· window {ident} has become too long (clew persona watch-context)", "red")
        for ident in answer.glance.long
    ]  # fmt: skip
    return [*parts, *fault_lines(answer.faults)]


def fault_lines(found: list[dict[str, Any]]) -> list[RenderableType]:
    """Faults with their hints, each on lines of its own."""
    parts: list[RenderableType] = []
    for one in found:
        parts.append(
            Flow(shown(f"{one['message']}  [{one['code']}]", 600, "red"), Text("· ", style="red"))
        )
        if one.get("hint"):
            parts.append(Flow(shown(one["hint"], 600, "cyan"), Text("  → ", style="cyan")))
    return parts


def _known(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if not answer.personas:
        return told(lang, "书库里还没有人格；clew persona init 名字 --zone 时区",
                    "there is no persona in the library yet; clew persona init NAME --zone ZONE", "dim")  # fmt: skip
    rows = []
    for one in answer.personas:
        mood = f"{one.mood:.2f}" if one.mood is not None else "?"
        name = "" if one.name == one.id else one.name
        intents = "" if one.open_intents is None else str(one.open_intents)
        rows.append([
            shown(one.id, 80, "bold"), mood, intents, one.zone,
            shown(one.fault, 300, "red") if one.fault else shown(name, 200),
            shown(one.home, 300, "dim"),
        ])  # fmt: skip
    columns = [
        Column("名字" if zh else "name", bare=True), Column("心情" if zh else "mood"),
        Column("想做的" if zh else "intents"), Column("时区" if zh else "zone", bare=True),
        Column("", flex=True), Column("", flex=True),
    ]  # fmt: skip
    return Rows(columns, rows)
