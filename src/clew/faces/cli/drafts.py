"""How drafts, progress, recoveries and shims look on a terminal."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.novel_parts import command, pairs, say, word
from clew.novel.meanings import MEANINGS, explained


def draft(answer: Any, lang: str) -> RenderableType:
    """A chapter's draft: where it is and what to fill in."""
    zh = lang == "zh"
    existing = {
        "new": ("已写好草稿", "drafted"),
        "kept": ("已有草稿，未改动", "a draft was there and is left as it is"),
        "merged": ("已有草稿，并入当前账本", "the draft that was there was brought up to date"),
        "replaced": ("已替换旧草稿", "the old draft was replaced"),
    }[answer.existing]
    rows = [
        ("草稿" if zh else "draft", answer.draft),
        ("章" if zh else "chapter", f"{answer.chapter}  ({answer.mode})"),
        ("修订" if zh else "revision", answer.expected_state_revision),
    ]
    if answer.kept_beside:
        rows.append(("旧稿" if zh else "old draft", answer.kept_beside))
    parts: list[RenderableType] = [say(lang, *existing, "bold green"), pairs(rows), Text("")]
    parts += _fill(answer.fill, lang)
    parts += _limits(answer.limits_chars, lang)
    parts += _shapes(answer.shapes, lang)
    for row in answer.differences:
        parts.append(Text(f"  ≠ {row.path}", style="yellow"))
    commit = f"clew chapter commit --chapter {answer.chapter} --input {word(answer.draft)}"
    return Group(*parts, Text(""), command(lang, commit))


def manuscript(answer: Any, lang: str) -> RenderableType:
    """A draft of the init document, and what the manuscript shows."""
    zh = lang == "zh"
    rows = [
        ("草稿" if zh else "draft", answer.draft),
        ("书名" if zh else "title", answer.book_title),
        ("已写到" if zh else "last chapter", answer.last_chapter),
        ("可见字符" if zh else "visible characters", f"{answer.visible_chars:,}"),
    ]
    if answer.gaps:
        rows.append(("缺章" if zh else "gaps", _spans(answer.gaps)))
    parts: list[RenderableType] = [
        say(lang, "已写好 init 草稿", "the init document is drafted", "bold green"),
        pairs(rows),
    ]
    if answer.names:
        table = Table("像人名的" if zh else "looks like a name", "次数" if zh else "times",
                      "首见章" if zh else "first in", box=None)  # fmt: skip
        for row in answer.names[:20]:
            table.add_row(Text(row.text), str(row.count), str(row.first_chapter))
        parts += [Text(""), table]
    parts += [Text(""), *_fill(answer.fill, lang)]
    init = f"clew novel init --input {word(answer.draft)}"
    return Group(*parts, Text(""), command(lang, init))


def backfill(answer: Any, lang: str) -> RenderableType:
    """How far the imported chapters are recorded."""
    zh = lang == "zh"
    rows = [
        ("导入截止" if zh else "imported through", answer.imported_through_chapter),
        ("已补记" if zh else "recorded", _spans(answer.recorded)),
        ("未补记" if zh else "left", f"{_spans(answer.left)}  ({answer.left_count})"),
        ("下一章" if zh else "next", answer.next or "—"),
    ]
    parts: list[RenderableType] = [pairs(rows)]
    if answer.draft is not None:
        parts += [Text(""), draft(answer.draft, lang)]
    return Group(*parts)


def recovered(answer: Any, lang: str) -> RenderableType:
    """What recover found: nothing, a completed change, or files to decide on."""
    if answer.status == "needs_decision":
        head = say(
            lang,
            "这些文件在中断之后被改动，请决定",
            "these files were edited; decide",
            "bold yellow",
        )
        parts: list[RenderableType] = [head]
        for row in answer.conflicts:
            parts += [
                Text(row.file, style="cyan"),
                say(lang, "  磁盘上的：", "  on disk:", "dim"), Text(f"    {row.disk}"),
                say(lang, "  日志里的：", "  in the journal:", "dim"), Text(f"    {row.journal}"),
            ]  # fmt: skip
        parts.append(Text("clew novel recover --keep disk | --keep journal", style="cyan"))
        return Group(*parts)
    if not answer.pending:
        return say(lang, "没有中断的写入", "nothing was interrupted", "green")
    rows = [
        ("已补完" if lang == "zh" else "completed", "\n".join(answer.rolled_forward) or "—"),
        ("留档" if lang == "zh" else "kept aside", "\n".join(answer.set_aside) or "—"),
    ]
    return Group(say(lang, "已恢复", "recovered", "bold green"), pairs(rows))


def shims(answer: Any, lang: str) -> RenderableType:
    """The two files of a skill."""
    words = {
        "installed": ("已接管", "installed"),
        "outdated": ("旧的 clew 路径，请重新 install", "points to an older clew: install again"),
        "replaced": (
            "被技能更新换回，请重新 install",
            "an update put its own file back: install again",
        ),
        "missing": ("没有", "not there"),
    }
    table = Table("文件" if lang == "zh" else "file", "状态" if lang == "zh" else "state",
                  "原文件" if lang == "zh" else "kept", box=None)  # fmt: skip
    for row in answer.shims:
        table.add_row(row.path, words[row.state][0 if lang == "zh" else 1], row.kept or "—")
    return table


def _fill(rows: list[Any], lang: str) -> list[RenderableType]:
    head = say(lang, "要填的：", "to fill in:", "bold")
    return [head, *(Text(f"  {row.path.removeprefix('$.')}  {getattr(row, lang)}") for row in rows)]


def _limits(limits: dict[str, int], lang: str) -> list[RenderableType]:
    """The caps, by where the texts stand; a Latin letter takes a third of a Chinese character."""
    groups: dict[str, list[str]] = {}
    for name, chars in limits.items():
        where, _, field = name.rpartition(".")
        groups.setdefault(where, []).append(f"{field} {chars}")
    return [
        say(
            lang,
            "字数上限（按汉字算；一个英文字母占三分之一）：",
            "longest texts, in Chinese characters (three Latin letters count as one):",
            "bold",
        ),
        *(Text(f"  {f'{where}: ' if where else ''}{'  '.join(rows)}", style="dim")
          for where, rows in groups.items()),
    ]  # fmt: skip


def _shapes(shapes: dict[str, Any], lang: str) -> list[RenderableType]:
    """One example of each kind of entry, as it stands in the file."""
    head = say(lang, "每类条目的样子：", "what an entry looks like:", "bold")
    rows: list[RenderableType] = [head]
    for kind, examples in shapes.items():
        first = examples[0] if isinstance(examples, list) else examples
        rows.append(Text(f"  {kind}  {json.dumps(first, ensure_ascii=False)}", style="dim"))
    if lang != "zh":
        said = " · ".join(map(explained, MEANINGS))
        rows.append(Text(f"  values of the format: {said}", style="dim"))
    return rows


def _spans(spans: list[Any]) -> str:
    return (
        ", ".join(str(s.first) if s.first == s.last else f"{s.first}–{s.last}" for s in spans)
        or "—"
    )
