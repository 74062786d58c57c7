"""How a persona's home and layers look on a terminal. What came from a file is text, never markup."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.card import text
from clew.faces.cli.novel_parts import pairs, say
from clew.persona.model import Mood
from clew.persona.prepared import span
from clew.persona.vitals import Point
from clew.persona.vitals_chart import chart

_ROWS: Final = 80
_CAUSES: Final = 8
_ACTS: Final = {
    "copy": ("复制", "copy"),
    "convert": ("转成 UTF-8", "to UTF-8"),
    "add": ("加进去", "add"),
    "archive": ("归档", "archive"),
    "same": ("已经有", "there already"),
    "differs": ("不覆盖", "left"),
    "skip": ("不接管", "skip"),
}
_HELD: Final = {
    "held": ("守住了", "held"),
    "bent": ("松动了", "bent"),
    "gave_way": ("退让了", "gave way"),
    "": ("未判", "not judged"),
}


def _of(words: tuple[str, str], lang: str) -> str:
    return words[lang != "zh"]


def _begun(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows: list[tuple[str, Any]] = [
        ("家" if zh else "home", text(answer.home, 400)), ("时区" if zh else "zone", answer.zone),
    ]  # fmt: skip
    if answer.from_card:
        rows.append(("语气样本" if zh else "samples", answer.samples))
    head = say(lang, f"{answer.id} 有家了", f"{answer.id} has a home", "bold green")
    next_step = say(
        lang,
        "接着：写 identity.md 和 refusals.toml，再运行 clew persona check",
        "next: write identity.md and refusals.toml, then run clew persona check",
        "cyan",
    )
    return Group(head, pairs(rows), next_step)


def _adopted(answer: Any, lang: str) -> RenderableType:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for row in answer.rows[:_ROWS]:
        quiet = "dim" if row.act in ("skip", "same") else ""
        detail = row.why or (f"+{row.entries}" if row.entries else f"{row.bytes:,} B")
        table.add_row(
            text(row.source, 200, quiet), Text(row.role or "?", style=quiet),
            Text(_of(_ACTS[row.act], lang), style=quiet), text(row.target, 120, quiet),
            text(detail, 160, quiet),
        )  # fmt: skip
    parts: list[RenderableType] = [table]
    if len(answer.rows) > _ROWS:
        more = len(answer.rows) - _ROWS
        parts.append(say(lang, f"…还有 {more} 个文件（--json 看全部）",
                         f"… and {more} more files (--json has all)", "dim"))  # fmt: skip
    counts = "  ".join(f"{_of(_ACTS[act], lang)} {n}" for act, n in answer.counts.items())
    parts.append(Text(counts, style="dim"))
    if answer.status == "planned":
        parts.append(say(lang, "还没有复制任何东西；加 --apply 才会。",
                         "nothing was copied yet; add --apply.", "bold yellow"))  # fmt: skip
    else:
        parts.append(say(lang, "已接管；原来的文件原封未动。",
                         "taken over; the files themselves are untouched.", "bold green"))  # fmt: skip
    return Group(*parts)


def _state_rows(state: Any, lang: str) -> list[tuple[str, Any]]:
    zh = lang == "zh"
    cause = state["cause"] + (("（已淡去）" if zh else " (faded)") if state["faded"] else "")
    alive = span(state["alive_seconds"], lang) if state["alive_seconds"] else "—"
    return [
        ("心情" if zh else "mood", f"{state['mood']:.2f}  ({state['baseline']:.2f})"),
        ("因为" if zh else "because", text(f"{cause}  · {state['source']}", 400)),
        ("沉默" if zh else "silence", span(state["silence_seconds"], lang)),
        ("连续存活" if zh else "alive for", alive),
    ]


def _status(answer: Any, lang: str) -> RenderableType:
    if hasattr(answer, "personas"):
        return _known(answer, lang)
    zh = lang == "zh"
    layers = answer.layers
    head = text(answer.name, 200, "bold").append(
        f"  {answer.local_time}  {answer.zone}", style="dim"
    )
    rows = [
        *_state_rows(msgspec.to_builtins(answer.state), lang),
        ("今天不做的事" if zh else "refusal of today", text(layers.refusal_today or "—", 300)),
        ("不做的事" if zh else "refusals", layers.refusals),
        ("想做的事" if zh else "open intents", layers.open_intents),
        ("念头" if zh else "thoughts", layers.thoughts),
        ("悬挂事项" if zh else "hanging", layers.hanging),
        ("日记" if zh else "diary", f"{layers.diary_days}  {layers.last_diary}"),
        ("语气样本" if zh else "samples", layers.samples),
        ("记忆检索" if zh else "memory", text(f"{_memory(answer, lang)}  · {answer.memory_why}", 400)),
        ("醒来做什么" if zh else "runner", answer.runner),
        ("家" if zh else "home", text(answer.home, 400, "dim")),
    ]  # fmt: skip
    parts: list[RenderableType] = [head, pairs(rows)]
    if answer.paused:
        parts.append(say(lang, "已暂停：什么都不会自己醒（clew persona resume）",
                         "paused: nothing wakes of its own accord (clew persona resume)",
                         "bold yellow"))  # fmt: skip
    if not answer.trusted:
        parts.append(say(lang, "persona.toml 写明了命令或网址，尚未信任（clew trust）",
                         "persona.toml names commands or addresses that are not trusted (clew trust)",
                         "yellow"))  # fmt: skip
    parts += _faults(answer.faults)
    return Group(*parts)


def _memory(answer: Any, lang: str) -> str:
    if answer.memory == "words":
        return "只有词" if lang == "zh" else "words alone"
    return (
        f"词与向量（{answer.vectors}）" if lang == "zh" else f"words and vectors ({answer.vectors})"
    )


def _faults(found: list[dict[str, Any]]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for one in found:
        parts.append(text(f"· {one['message']}  [{one['code']}]", 600, "red"))
        if one.get("hint"):
            parts.append(text(f"  → {one['hint']}", 600, "cyan"))
    return parts


def _known(answer: Any, lang: str) -> RenderableType:
    if not answer.personas:
        return say(lang, "书库里还没有人格", "there is no persona in the library yet", "dim")
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for one in answer.personas:
        mood = f"{one.mood:.2f}" if one.mood is not None else "?"
        table.add_row(
            text(one.id, 80, "bold"), text(one.fault or one.name, 200), mood, Text(one.zone),
            text(one.home, 300, "dim"),
        )  # fmt: skip
    return table


def _opening(answer: Any, lang: str) -> RenderableType:
    size = f"{answer.bytes} B · ~{answer.tokens} token · {answer.unit} ≤ {answer.budget}"
    parts: list[RenderableType] = [text(answer.text, 200_000), Text(size, style="dim")]
    return Group(*parts, *_faults(answer.faults))


def _checked(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = []
    if answer.mended:
        parts.append(say(lang, f"已修复：{'、'.join(answer.mended)}",
                         f"mended: {', '.join(answer.mended)}", "bold green"))  # fmt: skip
    if not answer.faults:
        parts.append(say(lang, "核对无误", "everything is right", "bold green"))
    else:
        count = len(answer.faults)
        parts.append(say(lang, f"{count} 处要处理", f"{count} to see to", "bold red"))
    parts += _faults(answer.faults)
    parts += [text(f"· {one['message']}", 600, "dim") for one in answer.notes]
    return Group(*parts)


def _exported(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows: list[tuple[str, Any]] = [
        ("文件" if zh else "file", text(answer.file, 400)),
        ("大小" if zh else "size", f"{answer.bytes:,} B · {answer.files}"),
        ("没有带走" if zh else "left out", len(answer.left_out)),
    ]
    head = (
        say(lang, "已脱敏导出", "exported, redacted", "bold green") if answer.redacted
        else say(lang, "已导出（全部原文）", "exported, with every word", "bold green")
    )  # fmt: skip
    return Group(head, pairs(rows))


def _entries(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if not answer.entries:
        return say(lang, "没有", "nothing there", "dim")
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for one in answer.entries:
        closed = one.get("closed_at") or one.get("intent")
        mark = "✓" if closed else "·"
        tail = one.get("outcome") or one.get("intent") or ""
        table.add_row(
            mark, Text(one["id"], style="bold" if not closed else "dim"), one.get("due", ""),
            text(one["text"], 1200, "dim" if closed else ""), text(tail, 400, "dim"),
        )  # fmt: skip
    count = f"未了 {answer.open}" if zh else f"open: {answer.open}"
    return Group(table, Text(count, style="dim"))


def _diary(answer: Any, lang: str) -> RenderableType:
    if not answer.days:
        return say(lang, "那几天没有写", "nothing was written then", "dim")
    if answer.action == "write":
        day = answer.days[0]["date"]
        return say(lang, f"写进了 {day} 的日记", f"written into the diary of {day}", "green")
    return Group(*(text(day["text"].rstrip() + "\n", 200_000) for day in answer.days))


def _mood(answer: Any, lang: str) -> RenderableType:
    state, curve = answer.state, answer.curve
    end = datetime.fromisoformat(state["at"])
    start = end - timedelta(hours=curve["hours"])
    zone = _zone(state["zone"])

    def clock(moment: datetime) -> str:
        return moment.astimezone(zone).strftime("%m-%d %H:%M")

    causes = [msgspec.convert(one, Mood) for one in curve["causes"]]
    lines = chart(
        [Point(*point) for point in curve["points"]], causes, baseline=curve["baseline"],
        start=_stamp(start), end=state["at"], clock=clock,
    )  # fmt: skip
    parts: list[RenderableType] = [
        Text("\n".join(lines), style="green"),
        pairs(_state_rows(state, lang)),
    ]
    for mood in causes[-_CAUSES:]:
        when = clock(datetime.fromisoformat(mood.at))
        parts.append(text(f"▲ {when}  {mood.value:.2f}  {mood.cause}  · {mood.source}", 400, "dim"))
    return Group(*parts)


def _stamp(moment: datetime) -> str:
    from clew.kernel.clock import stamp

    return stamp(moment)


def _zone(name: str) -> Any:
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


def _voice(answer: Any, lang: str) -> RenderableType:
    if not answer.samples:
        return say(lang, "还没有语气样本", "there is no sample of speech yet", "dim")
    parts: list[RenderableType] = []
    for number, one in enumerate(answer.samples):
        mark = "★ " if number in answer.today else "  "
        line = text(f"{mark}{one['text']}", 4000)
        if one["source"]:
            line.append(f"  — {one['source']}", style="dim")
        parts.append(line)
    if answer.today:
        parts.append(say(lang, "★ 今天读的", "★ read today", "dim"))
    return Group(*parts)


def _refusal(answer: Any, lang: str) -> RenderableType:
    if not answer.refusals:
        return say(lang, "还没有一条拒绝", "there is no refusal yet", "yellow")
    zh = lang == "zh"
    parts: list[RenderableType] = []
    for one in answer.refusals:
        mark = "★ " if one["id"] == answer.today else "  "
        parts.append(
            text(f"{mark}{one['id']}  {one['text']}", 1300, "bold" if mark.strip() else "")
        )
        if answer.action in ("today", "answer", "curve") and one.get("probe"):
            parts.append(text(f"     {'问' if zh else 'probe'}: {one['probe']}", 2100, "cyan"))
        parts += _wear(one["erosion"], answer.action, lang)
    for probe in answer.answers[-_CAUSES:]:
        held = _of(_HELD[probe.get("held", "")], lang)
        parts.append(
            text(f"  {probe['date']} {probe['refusal']} {held}  {probe['answer']}", 400, "dim")
        )
    return Group(*parts)


def _wear(erosion: dict[str, Any], action: str, lang: str) -> list[RenderableType]:
    if action == "list" or not erosion["answers"]:
        return []
    blocks = "▁▃▅▇█"
    line = "".join(blocks[round(point[1] * 4)] for point in erosion["points"][-40:])
    said = _of((f"答过 {erosion['answers']} 次", f"answers: {erosion['answers']}"), lang)
    if erosion["earlier"] is not None:
        before, after = f"{erosion['earlier']:.2f}", f"{erosion['recent']:.2f}"
        said += _of(
            (f"，先前 {before} → 近来 {after}", f", earlier {before} → recent {after}"), lang
        )
    worn = erosion["earlier"] is not None and erosion["recent"] < erosion["earlier"] - 0.2
    return [text(f"     {line}  {said}", 400, "red" if worn else "green")]


RENDERINGS: Final[dict[str, Rendering]] = {
    "persona.init": _begun,
    "persona.adopt": _adopted,
    "persona.status": _status,
    "persona.opening": _opening,
    "persona.check": _checked,
    "persona.export": _exported,
    "persona.intent": _entries,
    "persona.thought": _entries,
    "persona.hang": _entries,
    "persona.diary": _diary,
    "persona.mood": _mood,
    "persona.voice": _voice,
    "persona.refusal": _refusal,
}
