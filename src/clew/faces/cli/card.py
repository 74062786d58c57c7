"""How cards look on a terminal. Everything that came from a file is text, never markup."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.books.assets import joined_labels
from clew.faces.cli.answer import Rendering
from clew.faces.cli.card_show import MADE, STATES, minute, show, text, word
from clew.faces.cli.novel_parts import say
from clew.kernel.faults import plain

SHOWN: Final = 40
"""Lines of an import that are shown; the rest is in the report."""
IGNORED: Final = 5
"""Files that are no cards whose names are shown."""
_OUTCOMES: Final = {
    "taken": ("已导入", "taken", "green"), "updated": ("新版本", "new version", "green"),
    "skipped": ("已有", "known", "dim"), "refused": ("拒绝", "refused", "red"),
}  # fmt: skip
_KINDS: Final = {
    "repaired": ("修好", "repaired"), "note": ("提示", "note"), "refused": ("拒绝", "refused"),
}  # fmt: skip
_ROLES: Final = {
    "card": ("主角", "card"), "cast": ("配角", "cast"), "world": ("世界书", "world"),
    "design": ("设计书", "designed in"),
}  # fmt: skip
_CHANGES: Final = {
    "added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow"),
    "moved": ("↕", "cyan"),
}  # fmt: skip


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
            style = style if count else "dim"
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
    hinted: set[str] = set()
    for item in sorted(told, key=lambda one: one.outcome != "refused")[:SHOWN]:
        chinese, english, style = _OUTCOMES[item.outcome]
        lines = Text()
        for line in (line for line in item.lines if line["what"] != "kept"):
            what = word(_KINDS.get(line["what"], ("", "")), lang)
            lines.append(f"{what}: ", style="dim").append_text(text(line["message"])).append("\n")
            if line.get("hint") and line["code"] not in hinted:
                hinted.add(line["code"])  # once is enough, however many files it is about
                lines.append_text(text(f"→ {line['hint']}", style="cyan")).append("\n")
        lines.rstrip()
        table.add_row(say(lang, chinese, english, style), text(item.file, 80), lines)
    parts: list[RenderableType] = [head]
    if answer.dry_run:
        parts.insert(0, say(lang, "试运行：什么也没有写，真导入会是这样：",
                            "dry run, nothing was written; an import would do this:", "yellow"))  # fmt: skip
    if told:
        parts.append(table)
    if len(told) > SHOWN:
        more = len(told) - SHOWN
        parts.append(say(lang, f"…还有 {more} 个文件，见 --report", f"… and {more} more: use --report",
                         "dim"))  # fmt: skip
    if answer.ignored:
        parts.append(_passed_over(answer, lang))
    if not (answer.taken or answer.updated or answer.skipped or answer.refused or answer.ignored):
        parts.append(say(lang, "这里没有文件", "there is no file to import here", "yellow"))
    if answer.report:
        parts.append(say(lang, f"报告：{answer.report}", f"report: {answer.report}"))
    return Group(*parts)


def _passed_over(answer: Any, lang: str) -> Text:
    """Some of the files that are no cards, by name."""
    line = say(lang, "不是卡片：", "no cards: ", "dim")
    why = {row["file"]: row for row in answer.ignored_why}
    names = sorted(answer.ignored_files, key=lambda name: name not in why)[:IGNORED]
    line.append_text(text(", ".join(names), style="dim"))
    more = answer.ignored - len(names)
    if more:
        line.append_text(
            say(lang, f" …还有 {more} 个，见 --report", f" … and {more} more: use --report", "dim")
        )
    for name in names:
        if name in why:
            line.append("\n  ").append_text(text(why[name]["message"], style="dim"))
    return line


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
        title = text(row.title, 36)
        state = word(STATES[row.state], lang)
        if state:
            title.append(f"  {state}", style="yellow")
        words = joined_labels(row.labels, row.tags)
        table.add_row(
            Text("★" if row.favourite else " ", style="yellow"), title, text(" ".join(row.creator.split()), 40),
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


def _versions(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    # To the minute, and never broken: the exact moment is in --json.
    for zh_name, en_name, how in (
        ("版", "v", {"no_wrap": True}), ("时间", "when", {"no_wrap": True}),
        ("怎么来的", "how", {"no_wrap": True}), ("自", "from", {"no_wrap": True}),
        ("内容摘要", "content", {"overflow": "ellipsis", "no_wrap": True}),
        ("说明", "note", {"overflow": "fold"}),
    ):  # fmt: skip
        table.add_column(zh_name if zh else en_name, **how)
    for row in answer.versions:
        number = Text(
            f"{row.number}{' ←' if row.current else ''}", style="bold" if row.current else ""
        )
        table.add_row(
            number, minute(row.at), word(MADE[row.made], lang), str(row.parent or ""),
            Text(row.content_hash[:12], style="dim"), text(row.note or row.source, 80),
        )  # fmt: skip
    return Group(text(answer.title, 200, "bold"), table)


def _diff(answer: Any, lang: str) -> RenderableType:
    head = say(
        lang, f"第 {answer.a} 版 → 第 {answer.b} 版", f"version {answer.a} → {answer.b}", "bold"
    )
    if not answer.changes and answer.picture is None:
        return Group(head, say(lang, "内容和图片都相同", "content and picture are the same", "dim"))
    parts: list[RenderableType] = [head]
    if answer.picture is not None:
        parts.append(
            Text("~ ", style="yellow").append(word(("图片", "picture"), lang), style="bold")
        )
        parts.append(text(f"    - {_picture(answer.picture.before, lang)}", 300, "red"))
        parts.append(text(f"    + {_picture(answer.picture.after, lang)}", 300, "green"))
    for change in answer.changes:
        mark, style = _CHANGES[change.kind]
        parts.append(Text(f"{mark} ", style=style).append(plain(change.path), style="bold"))
        if change.kind != "added":
            parts.append(text(f"    - {_value(change.before)}", 300, "red"))
        if change.kind != "removed":
            parts.append(text(f"    + {_value(change.after)}", 300, "green"))
    return Group(*parts)


def _picture(one: Any, lang: str) -> str:
    if one is None:
        return word(("没有图片", "no picture"), lang)
    return "  ".join(
        filter(None, (one.name, one.kind.upper(), f"{one.bytes:,} B", one.sha256[:12]))
    )


def _value(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _uses(answer: Any, lang: str) -> RenderableType:
    if not answer.uses:
        return say(lang, "没有书用到它", "no book uses it", "dim")
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for use in answer.uses:
        behind = "" if use.current else word(("（不是当前版）", "(not the current one)"), lang)
        version = f"v{use.version} {behind}" if use.version else ""
        table.add_row(
            text(use.title, 80), word(_ROLES.get(use.role, (use.role, use.role)), lang), version,
            Text(use.book, "dim"),
        )  # fmt: skip
    return table


def _kept(answer: Any, lang: str) -> RenderableType:
    zh, en = ("已改", "done") if answer.changed else ("没有变化", "nothing changed")
    state = word(STATES[answer.state], lang)
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


def _moved(answer: Any, lang: str) -> RenderableType:
    return Group(*(_kept(card, lang) for card in answer.cards))


def purged(answer: Any, lang: str) -> RenderableType:
    """What was deleted for good, or would be: every file of it."""
    done = answer.status == "ok"
    parts: list[RenderableType] = []
    for item in answer.items:
        zh = f"{item.versions} 版，" if item.versions else ""
        en = f"{item.versions} version{'s' * (item.versions > 1)}, " if item.versions else ""
        parts.append(
            say(
                lang,
                f"{'已永久删除' if done else '会永久删除'}：{plain(item.title)}（{zh}{item.bytes:,} 字节）",
                f"{'deleted for good' if done else 'would be deleted for good'}: {plain(item.title)} "
                f"({en}{item.bytes:,} bytes)",
                "bold red",
            )
        )
        parts += [text(f"  {path}", 200, "dim") for path in item.files]
    if not done:
        parts.append(say(lang, "加 --yes 才真的删除", "add --yes to delete it", "cyan"))
    return Group(*parts)


def _exported(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = []
    if answer.losses:
        parts.append(say(lang, "这个格式放不下的：", "what this format does not hold:", "yellow"))
        parts += [text(f"  · {loss['message']}") for loss in answer.losses]
    else:
        parts.append(say(lang, "什么也不会丢", "nothing is lost", "green"))
    parts += [text(f"  · {one['message']}", style="dim") for one in answer.remarks]
    size = f"{answer.bytes:,}"
    zh, en, style = {
        "": ("已写出", "written", "bold green"),
        "dry_run": ("未写（--dry-run 只是试运行）", "not written (--dry-run only tells)", "dim"),
        "there_already": ("未写：那里已有一模一样的文件", "not written, the same file is there already",
                          "dim"),
    }[answer.why_not]  # fmt: skip
    line = say(lang, f"{zh}：", f"{en}: ", style)
    parts.append(line.append(plain(answer.file)).append(f"  {size} B", style="dim"))
    said = f"{answer.spec.upper()} {answer.container.upper()}"
    return Group(*parts, Text(f"  {said}", style="dim"))


RENDERINGS: Final[dict[str, Rendering]] = {
    "card.import": imported,
    "card.new": _new,
    "card.list": _list,
    "card.show": show,
    "card.versions": _versions,
    "card.diff": _diff,
    "card.edit": _edited,
    "card.rename": _kept,
    "card.mark": _kept,
    "card.archive": _moved,
    "card.trash": _moved,
    "card.restore": _moved,
    "card.purge": purged,
    "card.where-used": _uses,
    "card.export": _exported,
}
