"""How exports and publications look on a terminal."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.novel_parts import pairs, say

_OUTCOMES: Final = {
    "published": ("已标记发布", "published", "green"),
    "republished": ("已标记发布（正文换过）", "published again, the text is another", "green"),
    "already": ("早已发布，没有变化", "published already, unchanged", "dim"),
    "withdrawn": ("已取消发布", "withdrawn", "yellow"),
    "not_published": ("没有发布过", "was not published", "dim"),
}


def _spans(spans: list[Any]) -> str:
    return ", ".join(str(s.first) if s.first == s.last else f"{s.first}–{s.last}" for s in spans)


def _exported(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    if answer.file is None:
        head = say(lang, f"已放到剪贴板（{answer.clipboard}）", f"on the clipboard ({answer.clipboard})",
                   "bold green")  # fmt: skip
    elif answer.written:
        head = say(lang, f"已导出：{answer.file}", f"exported: {answer.file}", "bold green")
    else:
        head = say(lang, f"没有变化：{answer.file}", f"unchanged: {answer.file}", "bold")
    rows: list[tuple[str, Any]] = [
        ("书名" if zh else "title", answer.book_title),
        ("章" if zh else "chapters", answer.chapters),
        ("可见字符" if zh else "visible characters", f"{answer.visible_chars:,}"),
    ]
    if answer.author:
        rows.insert(1, ("作者" if zh else "author", answer.author))
    if answer.volumes:
        rows.insert(1, ("卷" if zh else "volumes", ("、" if zh else ", ").join(answer.volumes)))
    if answer.file is not None and answer.clipboard:
        rows.append(("剪贴板" if zh else "clipboard", answer.clipboard))
    if answer.uncommitted:
        rows.append(("未提交的章" if zh else "not committed", _spans(answer.uncommitted)))
    return Group(head, pairs(rows))


def _published(answer: Any, lang: str) -> RenderableType:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for row in answer.chapters:
        zh, en, style = _OUTCOMES[row.outcome]
        table.add_row(
            say(lang, f"第 {row.chapter} 章", f"chapter {row.chapter}"), say(lang, zh, en, style),
            Text(row.body_sha256[:12], style="dim"),
        )  # fmt: skip
    return table


RENDERINGS: Final[dict[str, Rendering]] = {
    "novel.export": _exported,
    "novel.publish": _published,
}
