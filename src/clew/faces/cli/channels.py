"""How channels, windows, archive and memory look on a terminal. What came from a file is text,
never markup."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.card import text
from clew.faces.cli.novel_parts import pairs, say

_SHOWN: Final = 60


def _table(lang: str, *heads: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for zh, en in heads:
        table.add_column(zh if lang == "zh" else en, overflow="fold")
    return table


def _moment(at: str) -> Text:
    """A moment to the minute, in UTC and marked as that; a date as it is."""
    shown = f"{at[:16].replace('T', ' ')}Z" if len(at) > 10 else at
    return Text().append(shown, style="dim")


def _channels(answer: Any, lang: str) -> RenderableType:
    table = _table(
        lang, ("通道", "channel"), ("谁写", "writer"), ("谁读", "reader"), ("延迟", "delay"),
        ("用途", "purpose"), ("唤醒", "wakes"),
    )  # fmt: skip
    for one in answer.channels:
        delay = (
            f"{one.delay_seconds} s" if one.delay_seconds else ("即时" if lang == "zh" else "none")
        )
        table.add_row(
            text(one.name), text(one.writer), text(one.reader), delay, text(one.purpose),
            "否" if lang == "zh" else "no",
        )  # fmt: skip
    return table


def _nothing(lang: str) -> RenderableType:
    return say(lang, "没有", "nothing there", "dim")


def _notes(answer: Any, lang: str) -> RenderableType:
    if not answer.notes:
        return _nothing(lang)
    parts: list[RenderableType] = []
    for one in answer.notes:
        line = Text(f"{one.n:>4}  ", style="bold").append_text(_moment(one.at))
        who = one.by or one.window or "—"
        line.append_text(text(f"  {who}" + (f" → {one.to}" if one.to else ""), style="cyan"))
        if one.task:
            line.append("  任务" if lang == "zh" else "  task", style="yellow")
        if one.re:
            line.append(f"  ↩ {one.re}", style="dim")
        parts += [line, text("\n".join(f"      {row}" for row in one.text.splitlines()))]
    if answer.unread:
        parts.append(
            say(lang, f"还有 {answer.unread} 条未读", f"{answer.unread} more unread", "yellow")
        )
    return Group(*parts)


def _batons(answer: Any, lang: str) -> RenderableType:
    if not answer.batons:
        return _nothing(lang)
    zh = lang == "zh"
    parts: list[RenderableType] = []
    for one in answer.batons:
        rows: list[tuple[str, Any]] = [
            ("时间" if zh else "when", _moment(one.at)),
            ("做到" if zh else "got to", text(one.done)),
        ]
        if one.next:
            rows.append(("下一步" if zh else "next", text(one.next)))
        if one.avoid:
            rows.append(("别重复" if zh else "do not repeat", text(one.avoid)))
        parts.append(pairs(rows))
    return Group(*parts)


def _lines(answer: Any, lang: str) -> RenderableType:
    if not answer.lines:
        return _nothing(lang)
    parts: list[RenderableType] = []
    for one in answer.lines:
        line = _moment(one.at)
        who = getattr(one, "who", "")
        if who:
            words = {"person": ("人", "person"), "persona": ("人格", "persona")}[who]
            line.append(f"  {words[0 if lang == 'zh' else 1]}", style="cyan")
        if getattr(one, "salvaged", False):
            line.append("  捞回" if lang == "zh" else "  brought back", style="yellow")
        first, *rest = one.text.splitlines() or [""]
        line.append_text(text("\n".join([f"  {first}", *(f"      {row}" for row in rest)])))
        if getattr(one, "cut_chars", 0):
            line.append(f" (+{one.cut_chars})", style="dim")
        parts.append(line)
    return Group(*parts)


def _live(answer: Any, lang: str) -> RenderableType:
    if hasattr(answer, "windows"):
        return say(
            lang, f"{answer.windows} 个窗口，新收 {answer.lines} 句",
            f"{answer.windows} windows, {answer.lines} new lines", "bold green",
        )  # fmt: skip
    return _lines(answer, lang)


def _page(answer: Any, lang: str) -> RenderableType:
    return text(answer.text.rstrip())


_HOW: Final = {"typed": ("键入", "typed"), "injected": ("注入", "injected")}
_EVIDENCE: Final = {
    "host": ("宿主说的", "the host says so"), "markup": ("宿主的标记", "the host's markup"),
    "timer": ("定时器", "a timer"), "wake": ("自己的唤醒", "its own wake"),
    "none": ("没有反证", "nothing against it"),
}  # fmt: skip


def _receipts(answer: Any, lang: str) -> RenderableType:
    if not answer.lines:
        return _nothing(lang)
    side = 0 if lang == "zh" else 1
    table = _table(lang, ("时间", "when"), ("怎样", "how"), ("凭什么", "evidence"), ("字数", "chars"),
                   ("窗口", "window"))  # fmt: skip
    for one in answer.lines:
        why = _EVIDENCE[one.evidence][side] + (f" ({one.source})" if one.source else "")
        table.add_row(_moment(one.at), _HOW[one.how][side], text(why), str(one.chars),
                      text(one.window[:12]))  # fmt: skip
    return table


_STATES: Final = {
    "current": ("在用", "current"), "retired": ("已退下", "retired"), "forked": ("分叉", "forked"),
}  # fmt: skip


def _windows(answer: Any, lang: str) -> RenderableType:
    if not answer.windows:
        return _nothing(lang)
    side = 0 if lang == "zh" else 1
    table = _table(lang, ("窗口", "window"), ("宿主", "host"), ("状态", "state"), ("最近", "last seen"),
                   ("长度", "length"), ("会话文件", "transcript"))  # fmt: skip
    for one in answer.windows[:_SHOWN]:
        state = _STATES[one.state][side] + (("（已结束）", " (ended)")[side] if one.ended else "")
        table.add_row(text(one.id), one.host, state, _moment(one.seen),
                      Text(one.light, style=one.light), text(one.transcript or "—"))  # fmt: skip
    return table


def _archive(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if hasattr(answer, "rows"):
        table = _table(lang, ("剩几天", "days left"), ("已存", "kept"), ("落后", "behind"),
                       ("会话文件", "transcript"))  # fmt: skip
        for row in answer.rows[:_SHOWN]:
            left = (
                ("原件已删" if zh else "gone")
                if row.gone
                else "—"
                if row.days_left is None
                else str(row.days_left)
            )
            style = (
                "yellow" if row.behind and row.days_left is not None and row.days_left < 7 else ""
            )
            table.add_row(left, str(row.bytes), str(row.behind), text(row.source), style=style)
        head = say(lang, f"{answer.files} 个文件，{answer.bytes} 字节",
                   f"{answer.files} files, {answer.bytes} bytes", "bold green")  # fmt: skip
        return Group(head, table) if answer.rows else head
    if hasattr(answer, "findings"):
        if not answer.findings:
            return say(lang, f"{answer.files} 个文件，核对无误", f"{answer.files} files, as recorded",
                       "bold green")  # fmt: skip
        return Group(*(text(f"✗ {one['message']}", style="red") for one in answer.findings))
    head = say(
        lang, f"看了 {answer.looked} 个，存入 {answer.copied} 个共 {answer.bytes} 字节",
        f"{answer.looked} looked at, {answer.copied} copied ({answer.bytes} bytes)", "bold green",
    )  # fmt: skip
    rest = [text(f"  − {one}", style="yellow") for one in answer.vanished[:_SHOWN]]
    return Group(head, *rest)


def _index(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows: list[tuple[str, Any]] = [(kind, str(count)) for kind, count in answer.kinds.items()]
    rows.append(("等待" if zh else "waiting", str(answer.waiting)))
    meaning = ("只按词" if zh else "words alone") if answer.vectors is None else str(answer.vectors)
    rows.append(("向量" if zh else "vectors", text(f"{meaning} ({answer.why})")))
    return pairs(rows)


def _hit(one: Any) -> Text:
    line = _moment(one.moment)
    line.append_text(text(f"  {one.kind}", style="cyan"))
    if one.likeness is not None:
        line.append(f"  {one.likeness}%", style="dim")
    shown = text(one.text)
    if shown.plain == one.text:
        for start, end in one.spans:
            shown.stylize("bold yellow", start, end)
    return line.append("  ").append_text(shown)


def _search(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = [_hit(one) for one in answer.hits]
    if answer.near:
        parts.append(say(lang, "意思相近：", "near in meaning:", "bold"))
        parts += [_hit(one) for one in answer.near]
    if answer.next:
        parts.append(
            say(lang, f"接着看：--after {answer.next}", f"go on: --after {answer.next}", "dim")
        )
    return Group(*parts) if parts else say(lang, "没有找到", "nothing was found", "dim")


_KINDS: Final = {
    "spoken": ("说了", "spoken"), "healed": ("宿主已让它补说", "healed by its host"),
    "running": ("还没说完", "not over yet"), "silence": ("有意沉默", "meant silence"),
    "stub": ("宿主的占位", "a stub of the host"), "salvageable": ("丢在思考里，捞得回", "in the thinking, saved"),
    "cut_off": ("被截断，捞得回一部分", "cut off, partly saved"), "gone": ("丢了，思考没有留文字", "gone"),
    "empty": ("空的", "empty"),
}  # fmt: skip


def _guard(answer: Any, lang: str) -> RenderableType:
    side = 0 if lang == "zh" else 1
    if hasattr(answer, "kind"):
        style = "bold red" if answer.status == "lost" else "bold green"
        head = Text(_KINDS[answer.kind][side], style=style)
        return Group(head, text(answer.words)) if answer.words else head
    if not answer.lost:
        return say(lang, f"{answer.windows} 个窗口、{answer.turns} 轮，没有丢的",
                   f"{answer.windows} windows, {answer.turns} turns: nothing lost", "bold green")  # fmt: skip
    parts: list[RenderableType] = []
    for one in answer.lost:
        parts.append(text(f"✗ {one.at} {one.window} {_KINDS[one.kind][side]}", style="red"))
        if one.words:
            parts.append(text(f"  {one.words}"))
    return Group(*parts)


def _context(answer: Any, lang: str) -> RenderableType:
    if not answer.windows:
        return _nothing(lang)
    table = _table(lang, ("灯", "light"), ("窗口", "window"), ("轮数", "turns"), ("字节", "bytes"),
                   ("压缩过", "compacted"))  # fmt: skip
    for one in answer.windows:
        table.add_row(Text(one.light, style=one.light), text(one.window or "—"), str(one.turns),
                      str(one.bytes), str(one.compactions))  # fmt: skip
    return table


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
