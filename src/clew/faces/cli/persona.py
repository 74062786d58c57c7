"""How a persona's home and layers look on a terminal. What came from a file is text, never markup."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.novel_parts import say, word
from clew.faces.cli.persona_parts import (
    Column,
    Facts,
    Flow,
    Rows,
    Wall,
    command,
    many,
    shown,
    told,
)
from clew.faces.cli.persona_status import fault_lines, state_rows, status
from clew.persona.model import Mood
from clew.persona.vitals import Point
from clew.persona.vitals_chart import chart

_ROWS: Final = 80
_CAUSES: Final = 8
_LEFT_OUT: Final = 12
_AXIS: Final = 5
"""Cells that the chart needs before its columns."""
_WIDEST: Final = 96
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
        ("家" if zh else "home", shown(answer.home)), ("时区" if zh else "zone", answer.zone),
    ]  # fmt: skip
    if answer.from_card:
        rows.append(("语气样本" if zh else "samples", answer.samples))
    name = word(answer.id)
    steps = (
        ("写它不做什么：refusals.toml；它是谁：identity.md；它怎么说话：voice.md",
         "write what it does not do: refusals.toml; who it is: identity.md; how it speaks: voice.md",
         f"clew persona check --persona {name}"),
        ("它想做什么：没有未完成的事就不会自己醒",
         "what it means to do: with nothing open it does not wake by itself",
         f"clew persona intent add {'要做的事' if zh else 'TEXT'} --persona {name}"),
        ("何时会醒，以及让它真的会醒", "when it wakes, and what makes it wake",
         f"clew persona next --persona {name}"),
        ("接上 Agent，在项目目录里", "join it to an agent, in the folder of a project",
         f"clew agent install claude --persona {name}"),
    )  # fmt: skip
    parts: list[RenderableType] = [
        told(lang, f"{shown(answer.id, 200)} 有家了", f"{shown(answer.id, 200)} has a home", "bold green"),
        Facts(rows), told(lang, "接着：", "next:", "bold"),
    ]  # fmt: skip
    for number, (chinese, english, line) in enumerate(steps, 1):
        parts += [Flow(chinese if zh else english, f"{number}. "), command(f"   {line}")]
    return Group(*parts)


def _adopted(answer: Any, lang: str) -> RenderableType:
    rows = []
    for row in answer.rows[:_ROWS]:
        quiet = "dim" if row.act in ("skip", "same") else ""
        counted = f"+{row.entries}" if row.entries else f"{row.bytes:,} B" if not row.why else ""
        detail = "  ".join(word for word in (counted, row.why) if word)
        target = f"{row.target}  {detail}" if row.target else detail
        rows.append([
            shown(row.source, 200, quiet), Text(row.role or "?", style=quiet),
            Text(_of(_ACTS[row.act], lang), style=quiet), shown(target, 300, quiet),
        ])  # fmt: skip
        if row.act == "add":
            # Refusals are the hardest layer: they are read before they are taken over.
            rows += [[Text(""), Text(""), Text("·"), shown(text, 400, quiet)] for text in row.texts]
    columns = [
        Column("", flex=True),
        Column("", bare=True),
        Column("", bare=True),
        Column("", flex=True),
    ]
    home = told(lang, f"家：{answer.home}", f"home: {answer.home}", "dim")
    parts: list[RenderableType] = [home, Rows(columns, rows)]
    if len(answer.rows) > _ROWS:
        more = len(answer.rows) - _ROWS
        parts.append(told(lang, f"…还有 {more} 个文件（--json 看全部）",
                          f"… and {many(more, 'more file')} (--json has all)", "dim"))  # fmt: skip
    counts = "  ".join(f"{_of(_ACTS[act], lang)} {n}" for act, n in answer.counts.items())
    parts.append(Flow(Text(counts, style="dim")))
    if answer.status == "planned":
        parts.append(told(lang, "还没有复制任何东西；加 --apply 才会。",
                          "nothing was copied yet; add --apply.", "bold yellow"))  # fmt: skip
    else:
        parts.append(told(lang, "已接管；原来的文件原封未动。",
                          "taken over; the files themselves are untouched.", "bold green"))  # fmt: skip
        line = "clew persona check"
        parts.append(Flow(Text(f"接着：{line}" if lang == "zh" else f"next: {line}", style="cyan")))
    return Group(*parts)


def _opening(answer: Any, lang: str) -> RenderableType:
    unit = {"bytes": ("字节", "bytes"), "tokens": ("token", "tokens")}[answer.unit]
    size = (
        f"{answer.bytes:,} 字节，约 {answer.tokens:,} token；上限 {answer.budget:,} {unit[0]}",
        f"{answer.bytes:,} bytes, about {answer.tokens:,} tokens; at most {answer.budget:,} {unit[1]}",
    )
    parts: list[RenderableType] = [Flow(shown(answer.text, 200_000)), told(lang, *size, "dim")]
    return Group(*parts, *fault_lines(answer.faults))


def _checked(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = []
    if answer.mended:
        parts.append(told(lang, f"已修复：{'、'.join(answer.mended)}",
                          f"mended: {', '.join(answer.mended)}", "bold green"))  # fmt: skip
    if not answer.faults:
        parts.append(say(lang, "核对无误", "everything is right", "bold green"))
    else:
        count = len(answer.faults)
        parts.append(
            say(lang, f"{count} 处要处理", f"{many(count, 'thing')} to see to", "bold red")
        )
    parts += fault_lines(answer.faults)
    parts += [
        Flow(shown(one["message"], 600, "dim"), Text("· ", style="dim")) for one in answer.notes
    ]
    return Group(*parts)


def _exported(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    left = ("、" if zh else ", ").join(answer.left_out[:_LEFT_OUT])
    if len(answer.left_out) > _LEFT_OUT:
        more = len(answer.left_out) - _LEFT_OUT
        left += f" …还有 {more} 个" if zh else f" … and {more} more"
    rows: list[tuple[str, Any]] = [
        ("文件" if zh else "file", shown(answer.file)),
        ("大小" if zh else "size", f"{answer.bytes:,} B"),
        ("装了" if zh else "holds", f"{answer.files} 个文件" if zh else many(answer.files, "file")),
        ("没有带走" if zh else "left out", shown(left if answer.left_out else "—", 600, "dim")),
    ]  # fmt: skip
    head = (
        told(lang, "已脱敏导出", "exported, redacted", "bold green") if answer.redacted
        else told(lang, "已导出（全部原文）", "exported, with every word", "bold green")
    )  # fmt: skip
    return Group(head, Facts(rows))


def _entries(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if not answer.entries:
        return say(lang, "没有", "nothing there", "dim")
    parts: list[RenderableType] = []
    wide = max(len(one["id"]) for one in answer.entries)
    for one in answer.entries:
        closed = one.get("closed_at") or one.get("intent")
        gone = one.get("state") == "dropped" or (
            closed and answer.kind == "thought" and not one.get("intent")
        )
        first = Text("✗ " if gone else "✓ " if closed else "· ")
        first.append(f"{one['id']:<{wide}}  ", style="dim" if closed else "bold")
        line = shown(one["text"], 1200, "dim" if closed else "")
        if one.get("due"):
            line.append(f"  （到 {one['due']}）" if zh else f"  (by {one['due']})", style="yellow")
        tail = one.get("outcome") or one.get("intent") or ""
        if tail:
            line.append("  → ", style="dim").append_text(shown(tail, 400, "dim"))
        parts.append(Flow(line, first))
    parts.append(Text(f"未了 {answer.open}" if zh else f"open: {answer.open}", style="dim"))
    return Group(*parts)


def _diary(answer: Any, lang: str) -> RenderableType:
    if not answer.days:
        return told(lang, "那几天没有写", "nothing was written then", "dim")
    if answer.action == "write":
        day = answer.days[0]["date"]
        return told(lang, f"写进了 {day} 的日记", f"written into the diary of {day}", "green")
    parts: list[RenderableType] = []
    for day in answer.days:
        text = day["text"].rstrip()
        if day["date"] not in text.split("\n", 1)[0]:  # a page that was taken over
            parts.append(Text(day["date"], style="bold"))
        parts.append(Flow(shown(text + "\n", 200_000)))
    return Group(*parts)


class _Curve:
    """The mood over time, as wide as the terminal lets it be."""

    def __init__(self, state: dict[str, Any], curve: dict[str, Any], causes: list[Mood]) -> None:
        self.state, self.curve, self.causes = state, curve, causes
        self.wall = Wall(state["zone"])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from clew.kernel.clock import stamp

        end = datetime.fromisoformat(self.state["at"])
        start = end - timedelta(hours=self.curve["hours"])
        lines = chart(
            [Point(*point) for point in self.curve["points"]], self.causes,
            baseline=self.curve["baseline"], start=stamp(start), end=self.state["at"],
            width=min(options.max_width, _WIDEST) - _AXIS,
            clock=lambda moment: moment.astimezone(self.wall.zone).strftime("%m-%d %H:%M"),
        )  # fmt: skip
        for line in lines:
            yield Text(line, style="green", no_wrap=True, overflow="ignore")


def _mood(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    causes = [msgspec.convert(one, Mood) for one in answer.curve["causes"]]
    wall = Wall(answer.state["zone"])
    now = ("现在" if zh else "now", f"{wall.minute(answer.state['at'])}  {wall.name}")
    parts: list[RenderableType] = [
        _Curve(answer.state, answer.curve, causes), Facts([now, *state_rows(answer.state, lang)]),
    ]  # fmt: skip
    for mood in causes[-_CAUSES:]:
        first = Text(f"▲ {wall.short(mood.at)}  {mood.value:.2f}  ", style="dim")
        parts.append(Flow(shown(f"{mood.cause}  · {mood.source}", 700, "dim"), first, 4))
    return Group(*parts)


def _voice(answer: Any, lang: str) -> RenderableType:
    if not answer.samples:
        return told(lang, "还没有语气样本；clew persona voice add 原话",
                    "there is no sample of speech yet; clew persona voice add TEXT", "dim")  # fmt: skip
    parts: list[RenderableType] = []
    for number, one in enumerate(answer.samples):
        line = shown(one["text"])
        if one["source"]:
            line.append("  — ", style="dim").append_text(shown(one["source"], 200, "dim"))
        parts.append(Flow(line, "★ " if number in answer.today else "  "))
    if answer.today:
        parts.append(say(lang, "★ 今天读的", "★ read today", "dim"))
    return Group(*parts)


def _refusal(answer: Any, lang: str) -> RenderableType:
    if not answer.refusals:
        return told(lang, "还没有一条拒绝；clew persona refusal add 它不做什么",
                    "there is no refusal yet; clew persona refusal add TEXT", "yellow")  # fmt: skip
    zh = lang == "zh"
    parts: list[RenderableType] = []
    for one in answer.refusals:
        today = one["id"] == answer.today
        first = f"{'★ ' if today else '  '}{one['id']}  "
        parts.append(Flow(shown(one["text"], 1300, "bold" if today else ""), shown(first, 60)))
        if answer.action in ("today", "add", "answer", "curve") and one.get("probe"):
            first = "    问：" if zh else "    probe: "
            parts.append(Flow(shown(one["probe"], 2100, "cyan"), Text(first, style="cyan")))
        parts += _wear(one["erosion"], answer.action, lang)
    for probe in answer.answers[-_CAUSES:]:
        held = _of(_HELD[probe.get("held", "")], lang)
        first = f"  {probe['date']} {probe['refusal']} {held}  "
        said = shown(probe["answer"], 400, "dim")
        if probe.get("note"):
            said.append("\n").append("因为：" if zh else "because: ", style="dim")
            said.append_text(shown(probe["note"], 400, "dim"))
        parts.append(Flow(said, shown(first, 100, "dim"), 4))
    if answer.action == "add":
        parts.append(
            told(
                lang,
                "写进了 refusals.toml；每轮都会读到",
                "written into refusals.toml; every turn reads it",
                "green",
            )
        )
    return Group(*parts)


def _wear(erosion: dict[str, Any], action: str, lang: str) -> list[RenderableType]:
    if action == "list" or not erosion["answers"]:
        return []
    blocks = "▁▃▅▇█"
    line = "".join(blocks[round(point[1] * 4)] for point in erosion["points"][-40:])
    said = _of((f"答过 {erosion['answers']} 次", many(erosion["answers"], "answer")), lang)
    if erosion["earlier"] is not None:
        before, after = f"{erosion['earlier']:.2f}", f"{erosion['recent']:.2f}"
        said += _of(
            (f"，先前 {before} → 近来 {after}", f", earlier {before} → recent {after}"), lang
        )
    worn = erosion["earlier"] is not None and erosion["recent"] < erosion["earlier"] - 0.2
    return [Flow(Text(f"{line}  {said}", style="red" if worn else "green"), "    ")]


RENDERINGS: Final[dict[str, Rendering]] = {
    "persona.init": _begun,
    "persona.adopt": _adopted,
    "persona.status": status,
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
