"""How the writer's answers look on a terminal: the card, one character, what a rewrite may touch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.novel_parts import pairs, say
from clew.novel.meanings import MEANINGS

_LISTS: Final = (
    ("knowledge", "知道", "knows"),
    ("open_threads", "未结", "open"),
    ("relationships", "关系", "ties"),
    ("abilities_resources", "能力与资源", "has"),
)
_KINDS: Final = (
    ("foreshadow", "伏笔", "foreshadows"),
    ("event", "事件", "events"),
    ("character", "人物", "characters"),
    ("knowledge", "谁知道了什么", "who learned what"),
    ("constraint", "约束与风险", "rules and risks"),
    ("commitment", "承诺", "promises"),
)


def _card(answer: Any, lang: str) -> RenderableType:
    # Whole lines where the face lets them be, so that the card can be copied as it is.
    return Text(answer.text.removesuffix("\n"), no_wrap=True, overflow="ignore")


# ---- one character -------------------------------------------------------------------------------


def _person(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    parts: list[RenderableType] = [_name(answer, zh)]
    rows = [
        ("身份" if zh else "identity", answer.identity),
        ("状态" if zh else "state", answer.state),
        ("位置" if zh else "at", answer.location),
        ("目标" if zh else "wants", answer.goal),
        ("别名" if zh else "also called", ("、" if zh else ", ").join(answer.aliases)),
        ("有变化的章" if zh else "changed in", _chapters(answer.changed)),
    ]
    if not answer.core:
        parts.append(
            say(lang, "临时角色，没有快照", "a passing character, without a snapshot", "yellow")
        )
    parts.append(pairs([row for row in rows if row[1]]))
    for key, name_zh, name_en in _LISTS:
        found = getattr(answer, key)
        if found:
            dated = ((_since(row, zh), row.text) for row in found)
            parts += [say(lang, name_zh, name_en, "bold"), _table(dated)]
    if answer.lost:
        names = {key: name_zh if zh else name_en for key, name_zh, name_en in _LISTS}
        gone = (
            (_gone(row, zh), f"{names[row.list]}{'｜' if zh else ' · '}{row.text}")
            for row in answer.lost
        )
        head = say(lang, "快照里不再列出的", "no longer listed in snapshots", "bold")
        parts += [head, _table(gone), *_rest(answer.lost_total - len(answer.lost), lang)]
    if answer.changes:
        told = ((_chapter(row.chapter, zh), row.change) for row in answer.changes)
        parts += [say(lang, "经历", "what happened", "bold"), _table(told)]
        parts += _rest(len(answer.changed) - len(answer.changes), lang)
    if answer.events:
        involved = (
            (
                f"{row.id} {_chapter(row.chapter, zh)}",
                f"{row.objective_fact}（{row.reveal_status}）"
                if zh
                else f"{row.objective_fact} ({MEANINGS[row.reveal_status]})",
            )
            for row in answer.events
        )
        parts += [say(lang, "牵涉的事件", "events", "bold"), _table(involved)]
        parts += _rest(answer.events_total - len(answer.events), lang)
    return Group(*parts)


def _name(answer: Any, zh: bool) -> Text:
    line = Text(answer.name, style="bold green")
    through = answer.through_chapter
    if answer.asked:
        line.append(f"（{answer.asked}）" if zh else f" ({answer.asked})", style="dim")
    line.append(f"  截至第 {through} 章" if zh else f"  through chapter {through}", style="dim")
    if answer.retired is not None:
        word = f"  第 {answer.retired} 章退役" if zh else f"  retired in chapter {answer.retired}"
        line.append(word, style="yellow")
    elif answer.active:
        line.append("  下一章活跃" if zh else "  active in the next chapter", style="cyan")
    return line


def _since(row: Any, zh: bool) -> str:
    if row.before is not None:
        text = f"第{row.before}章之前（导入）" if zh else f"before ch. {row.before} (imported)"
    elif row.since:
        text = f"第{row.since}章起" if zh else f"since ch. {row.since}"
    else:
        text = "开篇起" if zh else "from the start"
    if row.reworded is not None:
        text += f"，第{row.reworded}章改写" if zh else f", reworded in {row.reworded}"
    return text


def _gone(row: Any, zh: bool) -> str:
    if row.before is not None:
        return f"?–{row.gone}"
    start = str(row.since) if row.since else ("开篇" if zh else "start")
    return f"{start}–{row.gone}"


# ---- a rewrite -----------------------------------------------------------------------------------


def _impact(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    head = Text(_chapter(answer.chapter, zh), style="bold green")
    head.append(f"  {answer.title}")
    parts: list[RenderableType] = [head]
    if answer.published:
        said = ("已发布：读者看过原来的写法", "published: readers have seen it as it was")
        parts.append(say(lang, *said, "bold yellow"))
    if not answer.recorded:
        said = (
            "这一章没有逐章事务（导入），只能从账本的条目看",
            "no transaction of this chapter (imported): only the ledger's rows speak of it",
        )
        parts.append(say(lang, *said, "yellow"))
    for kind, name_zh, name_en in _KINDS:
        rows = [row for row in answer.touched if row.kind == kind]
        if rows:
            parts.append(say(lang, name_zh, name_en, "bold"))
            parts.append(_table((_key(row), _why(row)) for row in rows))
    if not answer.touched:
        parts.append(
            say(lang, "账本里没有什么出自这一章", "nothing in the ledger is from this chapter")
        )
    if answer.later:
        parts.append(say(lang, "后面提到这些的章", "later chapters that name these", "bold"))
        table = Table(
            "章" if zh else "ch.", "标题" if zh else "title", "又动到" if zh else "goes on with",
            "提到" if zh else "mentions", "正文写到" if zh else "body names", box=None,
        )  # fmt: skip
        for row in answer.later:
            cells = (
                str(row.chapter),
                row.title,
                *map(_joined, (row.goes_on, row.mentions, row.body)),
            )
            table.add_row(*map(Text, cells))
        parts += [table, *_rest(answer.later_more, lang)]
    if answer.bodies_unread:
        left = answer.bodies_unread
        parts.append(
            say(lang, f"另有 {left} 章正文没有查", f"{left} later bodies were not searched", "dim")
        )
    return Group(*parts)


def _key(row: Any) -> str:
    return "" if row.key == row.text else row.key


def _why(row: Any) -> Text:
    style = "yellow" if row.later or row.kind == "constraint" else "dim"
    return Text.assemble((row.reason, style), f"\n{row.text}" if row.text else "")


# ---- parts ---------------------------------------------------------------------------------------


def _table(rows: Iterable[tuple[str, str | Text]]) -> Table:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for left, right in rows:
        table.add_row(Text(left, style="dim"), right if isinstance(right, Text) else Text(right))
    return table


def _rest(count: int, lang: str) -> list[RenderableType]:
    return [say(lang, f"  另有 {count} 条", f"  {count} more", "dim")] if count > 0 else []


def _chapter(number: int, zh: bool) -> str:
    return f"第{number}章" if zh else f"ch. {number}"


def _joined(words: list[str]) -> str:
    return ", ".join(words)


def _chapters(numbers: list[int]) -> str:
    """Chapters as runs: 1–3, 7, 9–12."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)


RENDERINGS: Final[dict[str, Rendering]] = {
    "novel.context": _card,
    "novel.who": _person,
    "novel.impact": _impact,
}
