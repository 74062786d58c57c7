"""How cards look on a terminal. Everything that came from a file is text, never markup."""

from __future__ import annotations

import json
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.novel_parts import pairs, say
from clew.kernel.faults import plain

SHOWN: Final = 40
"""Lines of an import that are shown; the rest is in the report."""
_LONG: Final = 600
_FIELDS: Final = (
    ("description", "设定", "description"), ("personality", "性格", "personality"),
    ("scenario", "场景", "scenario"), ("first_mes", "开场白", "first message"),
    ("mes_example", "对话示例", "example messages"), ("creator_notes", "作者说明", "creator's notes"),
    ("system_prompt", "系统提示", "system prompt"),
    ("post_history_instructions", "历史后指令", "post-history instructions"),
)  # fmt: skip
_OUTCOMES: Final = {
    "taken": ("已导入", "taken", "green"), "updated": ("新版本", "new version", "green"),
    "skipped": ("已有", "known", "dim"), "refused": ("拒绝", "refused", "red"),
}  # fmt: skip
_KINDS: Final = {
    "repaired": ("修好", "repaired"), "note": ("提示", "note"), "refused": ("拒绝", "refused"),
}  # fmt: skip
_STATES: Final = {
    "active": ("", ""), "archived": ("已归档", "archived"), "trashed": ("回收站", "in the trash"),
}  # fmt: skip
_MADE: Final = {
    "imported": ("导入", "imported"), "new": ("新建", "new"), "edited": ("修改", "edited"),
    "restored": ("回到旧版", "from an older one"), "exported": ("设计导出", "from a design"),
    "updated": ("原处改过", "changed over there"),
}  # fmt: skip
_CHANGES: Final = {
    "added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow"),
    "moved": ("↕", "cyan"),
}  # fmt: skip


def word(both: tuple[str, str], lang: str) -> str:
    """One of two languages."""
    return both[0] if lang == "zh" else both[1]


def text(value: Any, limit: int = _LONG, style: str = "") -> Text:
    """A text of a card: never markup, control characters shown, not at length."""
    shown = "\n".join(plain(line) for line in str(value).split("\n"))
    return Text(shown if len(shown) <= limit else shown[: limit - 1] + "…", style=style)


def imported(answer: Any, lang: str) -> RenderableType:
    """What an import did: counts, then every file of which there is something to say."""
    zh = lang == "zh"
    head = Text()
    for count, chinese, english, style in (
        (answer.taken, "已导入", "taken", "bold green"),
        (answer.updated, "新版本", "new versions", "bold green"),
        (answer.skipped, "已有", "known already", "dim"),
        (answer.repaired, "有修复", "with repairs", "yellow"),
        (answer.refused, "拒绝", "refused", "bold red"),
        (answer.ignored, "不是卡片", "no cards", "dim"),
    ):
        if count or chinese == "已导入":
            head.append(f"{count} {chinese if zh else english}   ", style=style)
    # What is merely kept without being understood is in the report, and no news.
    told = [
        item
        for item in answer.items
        if item.outcome == "refused" or any(line["what"] != "kept" for line in item.lines)
    ]
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    table.add_column(overflow="fold", ratio=3)
    for item in sorted(told, key=lambda one: one.outcome != "refused")[:SHOWN]:
        chinese, english, style = _OUTCOMES[item.outcome]
        lines = Text()
        for line in (line for line in item.lines if line["what"] != "kept"):
            what = word(_KINDS.get(line["what"], ("", "")), lang)
            lines.append(f"{what}: ", style="dim").append_text(text(line["message"])).append("\n")
        lines.rstrip()
        table.add_row(say(lang, chinese, english, style), text(item.file, 80), lines)
    parts: list[RenderableType] = [head]
    if told:
        parts.append(table)
    if len(told) > SHOWN:
        more = len(told) - SHOWN
        parts.append(say(lang, f"…还有 {more} 个文件，见 --report", f"… and {more} more: use --report",
                         "dim"))  # fmt: skip
    if answer.report:
        parts.append(say(lang, f"报告：{answer.report}", f"report: {answer.report}"))
    return Group(*parts)


def _list(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    # Titles and ids are what the next command needs: where it is narrow, creator and tags give way.
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=True)
    for name, how in (
        ("" , {"no_wrap": True, "width": 1}),
        ("标题" if zh else "title", {"overflow": "fold", "ratio": 3, "min_width": 12}),
        ("作者" if zh else "creator", {"overflow": "ellipsis", "ratio": 1, "no_wrap": True}),
        ("标签" if zh else "tags", {"overflow": "ellipsis", "ratio": 3, "no_wrap": True}),
        ("版" if zh else "v", {"justify": "right", "width": 3}),
        ("编号" if zh else "id", {"no_wrap": True, "width": 8}),
    ):  # fmt: skip
        table.add_column(name, **how)
    for row in answer.rows:
        title = text(row.title, 80)
        state = word(_STATES[row.state], lang)
        if state:
            title.append(f"  {state}", style="yellow")
        words = [*row.labels, *(tag for tag in row.tags if tag not in row.labels)]
        table.add_row(
            Text("★" if row.favourite else " ", style="yellow"), title, text(row.creator, 40),
            text(" · ".join(words), 120, "dim"), str(row.version), Text(row.id[:8], style="dim"),
        )  # fmt: skip
    if not answer.total:
        return say(
            lang,
            "没有符合的：放宽条件，或用 clew card import 导入",
            "there is none: ask for less, or import some with `clew card import`",
            "dim",
        )
    last = answer.offset + len(answer.rows)
    foot = say(lang, f"{answer.offset + 1 if answer.rows else 0}–{last} / {answer.total}",
               f"{answer.offset + 1 if answer.rows else 0}–{last} of {answer.total}", "dim")  # fmt: skip
    return Group(table, foot)


def _show(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    head = text(answer.title, 200, "bold")
    if answer.favourite:
        head.append("  ★", style="yellow")
    state = word(_STATES[answer.state], lang)
    if state:
        head.append(f"  {state}", style="yellow")
    version = answer.version
    rows: list[tuple[str, Any]] = [
        ("编号" if zh else "id", answer.id),
        ("版本" if zh else "version", f"{version.number} / {answer.versions}  "
         f"{word(_MADE[version.made], lang)}  {version.at}"),
        ("来自" if zh else "from", " ".join(filter(None, (version.spec, plain(version.source))))),
    ]  # fmt: skip
    data = (answer.card or {}).get("data", {}) if answer.card else (answer.lorebook or {})["data"]
    for key, chinese, english in (
        ("creator", "作者", "creator"), ("character_version", "卡片版本", "card version"),
        ("nickname", "别称", "nickname"),
    ):  # fmt: skip
        if data.get(key):
            rows.append((chinese if zh else english, plain(str(data[key]))))
    tags = [str(tag) for tag in data.get("tags") or ()] + list(answer.labels)
    if tags:
        rows.append(("标签" if zh else "tags", plain(" · ".join(tags))))
    parts: list[RenderableType] = [head, pairs(rows)]
    for key, chinese, english in _FIELDS:
        if isinstance(data.get(key), str) and data[key].strip():
            parts += [Text(), say(lang, chinese, english, "dim"), text(data[key])]
    greetings = data.get("alternate_greetings") or ()
    if greetings:
        parts += [Text(), say(lang, f"另有 {len(greetings)} 条开场白", f"{len(greetings)} other greetings",
                              "dim")]  # fmt: skip
    book = data.get("character_book") if answer.card else data
    entries = (book or {}).get("entries") or ()
    if entries:
        parts += [Text(), say(lang, f"世界书：{len(entries)} 条", f"lorebook: {len(entries)} entries",
                              "dim")]  # fmt: skip
        for entry in entries[:8]:
            keys = ", ".join(str(key) for key in entry.get("keys") or ())
            parts.append(text(f"  {keys or entry.get('comment') or '—'}", 100))
    if answer.notes_of_card:
        parts.append(Text())
        parts += [text(f"· {note['message']}", style="yellow") for note in answer.notes_of_card]
    return Group(*parts)


def _versions(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in (("版", "时间", "怎么来的", "自", "内容摘要", "说明") if zh else
                 ("v", "when", "how", "from", "content", "note")):  # fmt: skip
        table.add_column(name, overflow="fold")
    for row in answer.versions:
        number = Text(
            f"{row.number}{' ←' if row.current else ''}", style="bold" if row.current else ""
        )
        table.add_row(
            number, row.at, word(_MADE[row.made], lang), str(row.parent or ""),
            Text(row.content_hash[:12], style="dim"), text(row.note or row.source, 80),
        )  # fmt: skip
    return Group(text(answer.title, 200, "bold"), table)


def _diff(answer: Any, lang: str) -> RenderableType:
    head = say(
        lang, f"第 {answer.a} 版 → 第 {answer.b} 版", f"version {answer.a} → {answer.b}", "bold"
    )
    if not answer.changes:
        return Group(head, say(lang, "内容相同", "the content is the same", "dim"))
    parts: list[RenderableType] = [head]
    for change in answer.changes:
        mark, style = _CHANGES[change.kind]
        parts.append(Text(f"{mark} ", style=style).append(plain(change.path), style="bold"))
        if change.kind != "added":
            parts.append(text(f"    - {_value(change.before)}", 300, "red"))
        if change.kind != "removed":
            parts.append(text(f"    + {_value(change.after)}", 300, "green"))
    return Group(*parts)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _uses(answer: Any, lang: str) -> RenderableType:
    if not answer.uses:
        return say(lang, "没有书用到它", "no book uses it", "dim")
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for use in answer.uses:
        behind = "" if use.current else word(("（不是当前版）", "(not the current one)"), lang)
        table.add_row(
            text(use.title, 80), use.role, f"v{use.version} {behind}", Text(use.book, "dim")
        )
    return table


def _kept(answer: Any, lang: str) -> RenderableType:
    zh, en = ("已改", "done") if answer.changed else ("没有变化", "nothing changed")
    state = word(_STATES[answer.state], lang)
    line = say(lang, f"{zh}：", f"{en}: ", "bold green" if answer.changed else "dim")
    line.append_text(text(answer.title, 200))
    return line.append(f"  {state}  v{answer.version}  {answer.id}", style="dim")


def _new(answer: Any, lang: str) -> RenderableType:
    line = say(lang, "已新建：", "made: ", "bold green").append_text(text(answer.title, 200))
    return line.append(f"  v{answer.version}  {answer.id}", style="dim")


def _edited(answer: Any, lang: str) -> RenderableType:
    if not answer.changed:
        return say(
            lang, "内容没有变化，没有新版本", "nothing changed, so there is no new version", "dim"
        )
    line = say(
        lang, f"第 {answer.version.number} 版：", f"version {answer.version.number}: ", "bold green"
    )
    return line.append_text(text(answer.title, 200)).append(f"  {answer.id}", style="dim")


def _purged(answer: Any, lang: str) -> RenderableType:
    done = answer.status == "ok"
    head = say(
        lang,
        f"{'已永久删除' if done else '会永久删除'}：{plain(answer.title)}（{answer.versions} 版，"
        f"{answer.bytes:,} 字节）",
        f"{'deleted for good' if done else 'would be deleted for good'}: {plain(answer.title)} "
        f"({answer.versions} versions, {answer.bytes:,} bytes)",
        "bold red",
    )
    files = [text(f"  {path}", 200, "dim") for path in answer.files]
    hint = say(lang, "加 --yes 才真的删除", "add --yes to delete it", "cyan")
    return Group(head, *files, *([] if done else [hint]))


def _exported(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = []
    if answer.losses:
        parts.append(say(lang, "这个格式放不下的：", "what this format does not hold:", "yellow"))
        parts += [text(f"  · {loss['message']}") for loss in answer.losses]
    else:
        parts.append(say(lang, "什么也不会丢", "nothing is lost", "dim"))
    size = f"{answer.bytes:,}"
    if answer.written:
        zh, en, style = "已写出", "written", "bold green"
    else:
        zh, en, style = (
            "未写（试运行，或文件已是这样）",
            "not written (a dry run, or it is there already)",
            "dim",
        )
    line = say(lang, f"{zh}：", f"{en}: ", style)
    parts.append(line.append(plain(answer.file)).append(f"  {size} B", style="dim"))
    return Group(*parts)


RENDERINGS: Final[dict[str, Rendering]] = {
    "card.import": imported,
    "card.new": _new,
    "card.list": _list,
    "card.show": _show,
    "card.versions": _versions,
    "card.diff": _diff,
    "card.edit": _edited,
    "card.rename": _kept,
    "card.mark": _kept,
    "card.archive": _kept,
    "card.trash": _kept,
    "card.restore": _kept,
    "card.purge": _purged,
    "card.where-used": _uses,
    "card.export": _exported,
}
