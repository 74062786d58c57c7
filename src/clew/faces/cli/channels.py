"""How channels, windows, archive and memory look on a terminal. What came from a file is text,
never markup. Times are the persona's civil time; its zone is named once, above them."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Group, RenderableType
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
    shown_zone,
    told,
)
from clew.kernel.faults import plain

_SHOWN: Final = 60
_NAME: Final = 12
"""So much of a window's id tells it from the others."""
_LIGHTS: Final = {
    "green": ("正常", "fine"),
    "yellow": ("偏长", "long"),
    "red": ("太长", "too long"),
}


def _of(words: tuple[str, str], lang: str) -> str:
    return words[lang != "zh"]


def _channels(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows = []
    for one in answer.channels:
        late = one.delay_seconds // 60
        delay = (f"{late} 分钟" if zh else f"{late} min") if late else ("即时" if zh else "none")
        rows.append([
            Text(one.name, style="bold"), shown(one.writer), shown(one.reader), delay, shown(one.purpose),
        ])  # fmt: skip
    columns = [
        Column("通道" if zh else "channel", bare=True), Column("谁写" if zh else "writer", flex=True),
        Column("谁读" if zh else "reader", flex=True), Column("延迟" if zh else "delay"),
        Column("用途" if zh else "purpose", flex=True),
    ]  # fmt: skip
    return Group(
        Rows(columns, rows), told(lang, "都不唤醒谁。", "None of them wakes anybody.", "dim")
    )


def _nothing(lang: str) -> RenderableType:
    return say(lang, "没有", "nothing there", "dim")


def _light(light: str, lang: str) -> Text:
    return Text(_of(_LIGHTS[light], lang), style=light)


def _notes(answer: Any, lang: str) -> RenderableType:
    if not answer.notes:
        return _nothing(lang)
    wall = Wall(answer.zone)
    parts: list[RenderableType] = [shown_zone(wall, lang)]
    for one in answer.notes:
        who = one.by or one.window or "—"
        line = Text(wall.minute(one.at), style="dim")
        line.append_text(shown(f"  {who}" + (f" → {one.to}" if one.to else ""), 400, "cyan"))
        if one.task:
            line.append("  任务" if lang == "zh" else "  task", style="yellow")
        if one.re:
            line.append(f"  ↩ {one.re}", style="dim")
        parts += [
            Flow(line, Text(f"{one.n:>4}  ", style="bold")),
            Flow(shown(one.text, 20_000), "      "),
        ]
    if answer.unread:
        parts.append(
            told(lang, f"还有 {answer.unread} 条未读", f"{answer.unread} more unread", "yellow")
        )
    return Group(*parts)


def _batons(answer: Any, lang: str) -> RenderableType:
    if not answer.batons:
        return _nothing(lang)
    zh, wall = lang == "zh", Wall(answer.zone)
    parts: list[RenderableType] = [shown_zone(wall, lang)]
    for one in answer.batons:
        rows: list[tuple[str, Any]] = [
            ("时间" if zh else "when", wall.minute(one.at)),
            ("做到" if zh else "got to", shown(one.done, 20_000)),
        ]
        if one.next:
            rows.append(("下一步" if zh else "next", shown(one.next, 20_000)))
        if one.avoid:
            rows.append(("别重复" if zh else "do not repeat", shown(one.avoid, 20_000)))
        if one.window:
            rows.append(("窗口" if zh else "window", shown(one.window, 200, "dim")))
        parts.append(Facts(rows))
    return Group(*parts)


def _lines(answer: Any, lang: str) -> RenderableType:
    if not answer.lines:
        return _nothing(lang)
    wall = Wall(answer.zone)
    parts: list[RenderableType] = [shown_zone(wall, lang)]
    for one in answer.lines:
        line = Text(wall.minute(getattr(one, "said_at", "") or one.at), style="dim")
        who = getattr(one, "who", "")
        if who:
            words = {"person": ("人", "person"), "persona": ("人格", "persona")}[who]
            line.append(f"  {_of(words, lang)}", style="cyan")
        if one.window:
            line.append(f"  {plain(one.window[:_NAME])}", style="dim")
        if getattr(one, "salvaged", False):
            line.append("  捞回" if lang == "zh" else "  brought back", style="yellow")
        said = shown(one.text, 20_000)
        if cut := getattr(one, "cut_chars", 0):
            said.append(
                f" （另有 {cut} 字）" if lang == "zh" else f" (+{cut} characters)", style="dim"
            )
        parts.append(Flow(said, line.append("  "), 6))
    return Group(*parts)


def _live(answer: Any, lang: str) -> RenderableType:
    if not hasattr(answer, "windows"):
        return _lines(answer, lang)
    return told(
        lang, f"{answer.windows} 个窗口，新收 {answer.lines} 句",
        f"{many(answer.windows, 'window')}, {many(answer.lines, 'new line')}", "bold green",
    )  # fmt: skip


def _page(answer: Any, lang: str) -> RenderableType:
    return Flow(shown(answer.text.rstrip(), 200_000))


_HOW: Final = {"typed": ("键入", "typed"), "injected": ("注入", "injected")}
_EVIDENCE: Final = {
    "host": ("宿主说的", "the host says so"), "markup": ("宿主的标记", "the host's markup"),
    "timer": ("定时器", "a timer"), "wake": ("自己的唤醒", "its own wake"),
    "none": ("没有反证", "nothing against it"),
}  # fmt: skip


def _receipts(answer: Any, lang: str) -> RenderableType:
    if not answer.lines:
        return _nothing(lang)
    zh, wall, rows = lang == "zh", Wall(answer.zone), []
    for one in answer.lines:
        why = _of(_EVIDENCE[one.evidence], lang) + (f" ({one.source})" if one.source else "")
        rows.append([
            wall.minute(one.at), _of(_HOW[one.how], lang), shown(why, 200), f"{one.chars:,}",
            shown(one.window[:_NAME], 20, "dim"),
        ])  # fmt: skip
    columns = [
        Column("时间" if zh else "when", bare=True), Column("怎样" if zh else "how", bare=True),
        Column("凭什么" if zh else "evidence", bare=True), Column("字数" if zh else "chars"),
        Column("窗口" if zh else "window"),
    ]  # fmt: skip
    return Group(shown_zone(wall, lang), Rows(columns, rows))


_STATES: Final = {
    "current": ("在用", "current"), "retired": ("已退下", "retired"), "forked": ("分叉", "forked"),
}  # fmt: skip


def _windows(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if not answer.windows:
        return told(lang, "没有在用的窗口；--all 也列已退下的",
                    "no window is in use; --all lists retired ones, too", "dim")  # fmt: skip
    wall, rows = Wall(answer.zone), []
    for one in answer.windows[:_SHOWN]:
        state = _of(_STATES[one.state], lang)
        if one.ended and one.state != "retired":
            state += "，已结束" if zh else ", ended"
        rows.append([
            shown(one.id, 200, "bold"), one.host, state, wall.minute(one.seen), _light(one.light, lang),
            shown(one.transcript or ("没有会话文件" if zh else "no transcript"), 1000, "dim"),
        ])  # fmt: skip
    columns = [
        Column("窗口" if zh else "window", bare=True), Column("宿主" if zh else "host", bare=True),
        Column("状态" if zh else "state", bare=True), Column("最近" if zh else "last seen"),
        Column("长度" if zh else "length"), Column("会话文件" if zh else "transcript", flex=True, bare=True),
    ]  # fmt: skip
    parts: list[RenderableType] = [shown_zone(wall, lang), Rows(columns, rows)]
    if len(answer.windows) > _SHOWN:
        more = len(answer.windows) - _SHOWN
        parts.append(told(lang, f"…还有 {more} 个（--json 看全部）",
                          f"… and {more:,} more (--json has all)", "dim"))  # fmt: skip
    return Group(*parts)


def _archive(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if hasattr(answer, "rows"):
        return _kept(answer, lang)
    if hasattr(answer, "findings"):
        if not answer.findings:
            return told(lang, f"{answer.files} 个文件，核对无误",
                        f"{many(answer.files, 'file')}, as recorded", "bold green")  # fmt: skip
        return Group(
            *(Flow(shown(one["message"], 600, "red"), Text("✗ ", style="red")) for one in answer.findings),
            told(lang, "接着：clew persona archive run（原件还在就重存）",
                 "next: clew persona archive run (copies again what is still there)", "cyan"),
        )  # fmt: skip
    head = told(
        lang, f"看了 {answer.looked} 个，存入 {answer.copied} 个，共 {answer.bytes:,} 字节",
        f"{answer.looked:,} looked at, {answer.copied:,} copied ({many(answer.bytes, 'byte')})", "bold green",
    )  # fmt: skip
    gone = Text("  − ", style="yellow")
    said = "原件已删：" if zh else "its original is gone: "
    return Group(
        head,
        *(Flow(shown(f"{said}{one}", 1000, "yellow"), gone) for one in answer.vanished[:_SHOWN]),
    )


def _kept(answer: Any, lang: str) -> RenderableType:
    zh, rows = lang == "zh", []
    for row in answer.rows[:_SHOWN]:
        left = "—" if row.days_left is None else str(row.days_left)
        soon = row.behind and row.days_left is not None and row.days_left < 7
        if row.gone:
            left = "原件已删" if zh else "gone"
        style = "yellow" if soon else ""
        rows.append([
            Text(left, style=style), f"{row.bytes:,}", Text(f"{row.behind:,}", style=style),
            shown(row.source, 1000, style),
        ])  # fmt: skip
    columns = [
        Column("剩几天" if zh else "days left"), Column("已存" if zh else "kept"),
        Column("落后" if zh else "behind"), Column("会话文件" if zh else "transcript", flex=True, bare=True),
    ]  # fmt: skip
    head = told(lang, f"{answer.files} 个文件，{answer.bytes:,} 字节",
                f"{many(answer.files, 'file')}, {many(answer.bytes, 'byte')}", "bold green")  # fmt: skip
    if not answer.rows:
        return head
    return Group(head, Rows(columns, rows))


def _index(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows: list[tuple[str, Any]] = [
        (_of(_SOURCES.get(kind, (kind, kind)), lang), f"{count:,}") for kind, count in answer.kinds.items()
    ]  # fmt: skip
    rows.append(("等待" if zh else "waiting", f"{answer.waiting:,}"))
    meaning = (
        ("只按词找" if zh else "words alone") if answer.vectors is None else f"{answer.vectors:,}"
    )
    rows.append(
        (
            "向量" if zh else "vectors",
            Text(meaning).append_text(shown(f"  · {answer.why}", 400, "dim")),
        )
    )
    return Facts(rows)


_SOURCES: Final = {
    "transcript": ("会话", "transcript"), "diary": ("日记", "diary"), "board": ("留言板", "board"),
    "baton": ("交接棒", "baton"), "stream": ("意识流", "stream"),
}  # fmt: skip


def _hit(one: Any, wall: Wall, lang: str) -> RenderableType:
    line = Text(wall.minute(one.moment), style="dim")
    line.append(f"  {_of(_SOURCES.get(one.kind, (one.kind, one.kind)), lang)}", style="cyan")
    if one.likeness is not None:
        line.append(f"  {one.likeness}%", style="dim")
    found = shown(one.text)
    if found.plain == one.text:
        for start, end in one.spans:
            found.stylize("bold yellow", start, end)
    return Flow(found, line.append("  "), 6)


def _search(answer: Any, lang: str) -> RenderableType:
    if not answer.hits and not answer.near:
        return told(lang, "没有找到", "nothing was found", "dim")
    wall = Wall(answer.zone)
    parts: list[RenderableType] = [
        shown_zone(wall, lang),
        *(_hit(one, wall, lang) for one in answer.hits),
    ]
    if answer.near:
        parts.append(say(lang, "意思相近：", "near in meaning:", "bold"))
        parts += [_hit(one, wall, lang) for one in answer.near]
    if answer.next:
        said = "还有。同一命令加上：" if lang == "zh" else "there is more; to the same command add:"
        parts += [Text(said, style="dim"), command(f"  --after {word(answer.next)}")]
    return Group(*parts)


_KINDS: Final = {
    "spoken": ("说了", "spoken"), "healed": ("宿主已让它补说", "healed by its host"),
    "running": ("还没说完", "not over yet"), "silence": ("有意沉默", "meant silence"),
    "stub": ("宿主的占位", "a stub of the host"), "salvageable": ("丢在思考里，捞得回", "in the thinking, saved"),
    "cut_off": ("被截断，捞得回一部分", "cut off, partly saved"), "gone": ("丢了，思考没有留文字", "gone"),
    "empty": ("空的", "empty"),
}  # fmt: skip


def _guard(answer: Any, lang: str) -> RenderableType:
    if hasattr(answer, "kind"):
        style = "bold red" if answer.status == "lost" else "bold green"
        head = Text(_of(_KINDS[answer.kind], lang), style=style)
        return Group(head, Flow(shown(answer.words, 200_000))) if answer.words else head
    if not answer.lost:
        return told(
            lang, f"{answer.windows} 个窗口、{answer.turns} 轮，没有丢的",
            f"{many(answer.windows, 'window')}, {many(answer.turns, 'turn')}: nothing lost", "bold green",
        )  # fmt: skip
    wall = Wall(answer.zone)
    parts: list[RenderableType] = [shown_zone(wall, lang)]
    for one in answer.lost:
        said = f"{wall.minute(one.at)}  {_of(_KINDS[one.kind], lang)}  "
        parts.append(Flow(shown(said, 200, "red").append_text(shown(one.window, 200, "dim")), "✗ "))
        if one.words:
            parts.append(Flow(shown(one.words, 200_000), "  "))
    return Group(*parts)


def _context(answer: Any, lang: str) -> RenderableType:
    if not answer.windows:
        return told(lang, "没有在用的、读得到会话文件的窗口",
                    "no window is in use whose transcript can be read", "dim")  # fmt: skip
    zh = lang == "zh"
    rows = [
        [shown(one.window or "—", 200, "bold"), _light(one.light, lang), f"{one.turns:,}",
         f"{one.bytes:,}", str(one.compactions)]
        for one in answer.windows
    ]  # fmt: skip
    columns = [
        Column("窗口" if zh else "window", bare=True), Column("长度" if zh else "length", bare=True),
        Column("轮数" if zh else "turns"), Column("字节" if zh else "bytes"),
        Column("压缩过" if zh else "compacted"),
    ]  # fmt: skip
    return Rows(columns, rows)


RENDERINGS: Final[dict[str, Rendering]] = {
    "persona.channels": _channels,
    "persona.board": _notes,
    "persona.baton": _batons,
    "persona.stream": _lines,
    "persona.live": _live,
    "persona.digest": _page,
    "persona.receipts": _receipts,
    "persona.windows": _windows,
    "persona.archive": _archive,
    "persona.index": _index,
    "persona.search": _search,
    "persona.guard": _guard,
    "persona.watch-context": _context,
}
