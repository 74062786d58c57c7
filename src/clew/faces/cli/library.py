"""How the library looks on a terminal. Everything that came from a file is text, never markup."""

from __future__ import annotations

from shlex import quote
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clew.faces.cli.answer import Rendering
from clew.faces.cli.card import imported, purged
from clew.faces.cli.card_show import text, word
from clew.faces.cli.novel_parts import pairs, say
from clew.kernel.faults import plain

_SHOWN: Final = 60
_KINDS: Final = {
    "character_card_design": ("角色卡设计", "card design"), "character_card_play": ("游玩", "play"),
    "novel": ("小说", "novel"), "forum": ("论坛体", "forum"), "weird_rules": ("规则怪谈", "weird rules"),
    "custom": ("自定义", "custom"),
}  # fmt: skip
_STAGES: Final = {
    "design": ("设计中", "design"), "play": ("游玩中", "play"), "done": ("完成", "done"),
    "archived": ("已归档", "archived"),
}  # fmt: skip


def _started(answer: Any, lang: str) -> RenderableType:
    return say(
        lang, f"书库已建好：{answer.library}", f"a library was made: {answer.library}", "bold green"
    )


def _findings(found: list[dict[str, Any]], lang: str) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for number, one in enumerate(found[:_SHOWN], 1):
        line = Text(f"{number:>3}. ", style="dim")
        line.append_text(text(one["message"])).append(f"  [{one['code']}]", style="dim")
        parts.append(line)
        if one.get("hint"):
            parts.append(text(f"     → {one['hint']}", style="cyan"))
    if len(found) > _SHOWN:
        more = len(found) - _SHOWN
        parts.append(
            say(
                lang,
                f"…还有 {more} 条（--json 看全部）",
                f"… and {more} more (--json has all)",
                "dim",
            )
        )
    return parts


def _checked(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows: list[tuple[str, Any]] = [
        ("卡片" if zh else "cards", answer.cards), ("世界书" if zh else "lorebooks", answer.worlds),
        ("书" if zh else "books", answer.books), ("版本" if zh else "versions", answer.versions),
        ("源文件" if zh else "source files", answer.sources),
    ]  # fmt: skip
    if not answer.findings:
        return Group(say(lang, "核对无误", "everything agrees", "bold green"), pairs(rows))
    count = len(answer.findings)
    head = say(lang, f"{count} 处不对", f"{count} finding{'s' * (count > 1)}", "bold red")
    return Group(head, *_findings(answer.findings, lang), pairs(rows))


def _repaired(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = []
    if answer.done:
        parts.append(say(lang, "已修复：", "mended:", "bold green"))
        parts += [text(f"  · {one['message']}") for one in answer.done[:_SHOWN]]
    if answer.findings:
        parts.append(say(lang, "还有：", "still wrong:", "bold red"))
        parts += _findings(answer.findings, lang)
    if not parts:
        parts.append(say(lang, "没有要修的", "there is nothing to mend", "bold green"))
    return Group(*parts)


def _reindexed(answer: Any, lang: str) -> RenderableType:
    return say(lang, f"索引已重建：{answer.assets} 项", f"the index was made anew: {answer.assets} assets",
               "bold green")  # fmt: skip


def _found(answer: Any, lang: str) -> RenderableType:
    if not answer.hits:
        return say(lang, "没有找到", "nothing was found", "dim")
    parts: list[RenderableType] = []
    for hit in answer.hits:
        head = text(hit.asset.title, 120, "bold")
        head.append(f"  {hit.asset.id[:8]}", style="dim")
        if hit.damaged:
            head.append("  ").append_text(say(lang, "版本文件损坏", "damaged", "bold red"))
        cut = Text(plain(hit.excerpt))
        for start, end in hit.spans:
            cut.stylize("bold yellow", start, end)
        parts += [head, Text("  ").append_text(cut)]
    if answer.next:
        again = f"clew library search {quote(plain(answer.query))} --after {quote(answer.next)}"
        # On a line of its own that no width breaks, so that it can be copied.
        parts.append(say(lang, "还有更多：", "there is more:", "dim"))
        parts.append(Text(f"  {again}", style="dim", no_wrap=True, overflow="ignore"))
    return Group(*parts)


def _from_sillytavern(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    found = answer.damage
    head = say(lang, f"来自 {plain(answer.folder)}", f"from {plain(answer.folder)}", "dim")
    kept = {
        "copy": ("源文件已复制到书库", "source files were copied"),
        "reference": (
            "源文件留在原处，书库里是卡片全文",
            "source files were left in place; the cards are kept in full",
        ),
    }[answer.kept]
    rows: list[tuple[str, Any]] = [
        ("聊天" if zh else "chats", f"{found.chats} ({found.messages:,})"),
        ("备份" if zh else "backups", found.backups), ("群组" if zh else "groups", found.groups),
    ]  # fmt: skip
    parts: list[RenderableType] = [head, imported(answer.imported, lang)]
    if answer.imported.taken or answer.imported.updated:
        parts.append(say(lang, *kept, "dim"))
    parts.append(Text())
    if found.findings:
        count = len(found.findings) + found.more
        parts.append(say(lang, f"损坏报告：{count} 条", f"damage report: {count}", "bold yellow"))
        parts += _findings(found.findings, lang)
    else:
        parts.append(say(lang, "损坏报告：没有发现损坏", "damage report: nothing found", "green"))
    parts.append(pairs(rows))
    return Group(*parts)


def _books(answer: Any, lang: str) -> RenderableType:
    if not answer.books:
        return say(lang, "还没有书", "there are no books yet", "dim")
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for how in ({"overflow": "fold"}, {"no_wrap": True}, {"no_wrap": True}, {"overflow": "fold"},
                {"no_wrap": True}):  # fmt: skip
        table.add_column(**how)
    for book in answer.books:
        title = text(book.title, 80)
        if book.state == "trashed":
            title.append("  ").append_text(say(lang, "回收站", "in the trash", "yellow"))
        uses = " ".join(_short(use) for use in book.uses)
        uses = f"{word(('用到', 'uses'), lang)} {uses}" if uses else ""
        table.add_row(
            title,
            word(_KINDS.get(book.kind, (book.kind, book.kind)), lang),
            word(_STAGES.get(book.stage, (book.stage, book.stage)), lang),
            text(book.folder or uses, 80, "dim"),
            Text(book.id[:8], "dim"),
        )
    return table


def _short(use: str) -> str:
    """An asset with its version, by the beginning of its id."""
    ident, at, version = use.partition("@")
    return f"{ident[:8]}{at}{version}"


RENDERINGS: Final[dict[str, Rendering]] = {
    "library.init": _started,
    "library.check": _checked,
    "library.repair": _repaired,
    "library.reindex": _reindexed,
    "library.search": _found,
    "library.import": _from_sillytavern,
    "library.books": _books,
    "library.book": _books,
    "library.stage": _books,
    "library.trash": _books,
    "library.restore": _books,
    "library.purge": purged,
}
