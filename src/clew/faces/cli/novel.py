"""How answers of the novel room look on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from clew.faces.cli import chapter, drafts
from clew.faces.cli.answer import Rendering
from clew.faces.cli.novel_parts import pairs, say
from clew.novel.meanings import MEANINGS


def _where(answer: Any, lang: str) -> Text:
    last, revision = answer.last_committed_chapter, answer.state_revision
    return say(
        lang,
        f"第 {last} 章 · 修订 {revision}",
        f"chapter {last} · revision {revision}",
        "bold green",
    )


def _files(lang: str, zh: str, en: str, names: list[str]) -> list[RenderableType]:
    if not names:
        return []
    head = say(lang, f"{zh}（{len(names)}）", f"{en} ({len(names)})", "dim")
    return [
        head,
        *(Text(f"  {name}") for name in names[:12]),
        *([Text("  …")] if len(names) > 12 else []),
    ]


def _committed(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = [_where(answer, lang)]
    if getattr(answer, "already_committed", False):
        parts.append(
            say(lang, "已经提交过，没有改动", "already committed, nothing changed", "yellow")
        )
    parts += _files(lang, "写入", "written", answer.written)
    return Group(*parts)


def _started(answer: Any, lang: str) -> RenderableType:
    if not hasattr(answer, "state_revision"):
        return drafts.manuscript(answer, lang)
    head = say(lang, "账本已开", "the ledger is started", "bold green")
    return Group(head, _where(answer, lang), *_files(lang, "写入", "written", answer.written))


def _checked(answer: Any, lang: str) -> RenderableType:
    parts = [
        _where(answer, lang),
        say(lang, "一切与账本一致", "everything agrees with the ledger"),
    ]
    if not answer.adopted:
        parts.append(
            say(
                lang,
                "尚无历史：clew novel adopt 接管",
                "no history yet: `clew novel adopt`",
                "yellow",
            )
        )
    return Group(*parts)


def _takeover(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    head = (
        say(
            lang, "会接管这些（什么都没改）", "would take over (nothing was changed)", "bold yellow"
        )
        if answer.dry_run
        else say(lang, "已接管", "taken over", "bold green")
    )
    rows = [
        ("书名" if zh else "title", answer.book_title),
        ("已写到" if zh else "last chapter", answer.last_committed_chapter),
        ("导入截止" if zh else "imported through", answer.imported_through_chapter),
        ("修订" if zh else "revision", answer.state_revision),
        ("角色" if zh else "characters", _listed(answer.characters, zh)),
        ("未回收伏笔" if zh else "open foreshadows", answer.open_foreshadows),
        ("逾期伏笔" if zh else "overdue", _listed(answer.overdue_foreshadows, zh)),
        ("事件" if zh else "events", answer.events),
        ("逐章记录" if zh else "records", answer.chapter_records),
        ("缺记录" if zh else "missing records", len(answer.missing_records)),
        (
            "正文比记录新" if zh else "bodies newer than their record",
            _chapters(answer.changed_bodies, zh),
        ),
    ]
    return Group(head, pairs(rows))


def _rendered(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = [_where(answer, lang)]
    if not (answer.written or answer.pruned):
        parts.append(say(lang, "视图都是新的", "every view is up to date"))
    parts += _files(lang, "重建", "rebuilt", answer.written)
    parts += _files(lang, "留档", "kept aside", answer.set_aside)
    parts += _files(lang, "移走", "moved aside", answer.pruned)
    return Group(*parts)


def _history(answer: Any, lang: str) -> RenderableType:
    if not hasattr(answer, "entries"):
        return _turned(answer, lang)
    zh = lang == "zh"
    table = Table("修订" if zh else "rev", "种类" if zh else "kind", "章" if zh else "ch.",
                  "结果" if zh else "result", "人物" if zh else "characters", "时间" if zh else "time")  # fmt: skip
    table.columns[3].overflow = "fold"  # a key of a finding is one long word
    for entry in answer.entries:
        table.add_row(
            str(entry.revision), entry.kind, str(entry.chapter or ""), escape(_what(entry, zh)),
            escape(_listed(entry.characters[:6], zh) if entry.characters else ""), entry.time[:16].replace("T", " "),
        )  # fmt: skip
    return table


def _what(entry: Any, zh: bool) -> str:
    """What a line of the history says: a chapter's result, what it takes back, what it marks."""
    if entry.undoes is not None:
        return entry.result or f"↩ r{entry.undoes}"
    if entry.finding:
        lifted = ("（取消静默）" if zh else " (lifted)") if entry.lifted else ""
        reason = (f"：{entry.reason}" if zh else f": {entry.reason}") if entry.reason else ""
        return f"{entry.finding}{lifted}{reason}"
    if entry.withdrawn:
        return "取消发布" if zh else "withdrawn"
    return str(entry.result)


def _moment(answer: Any, lang: str) -> RenderableType:
    from clew.novel.views import card

    head = say(
        lang,
        f"第 {answer.chapter} 章刚写完时（修订 {answer.revision}）",
        f"right after chapter {answer.chapter} (revision {answer.revision})",
        "bold",
    )
    return Group(head, Text(""), Text(card(answer.state), no_wrap=True, overflow="ignore"))


def _difference(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = [
        Text(f"r{answer.revisions[0]} → r{answer.revisions[1]}", style="bold")
    ]
    for change in answer.changes:
        parts.append(Text(change.path, style="cyan"))
        if change.after is None:
            parts.append(say(lang, "  - 已不在当前状态里", "  - no longer in the state", "red"))
            continue
        before, after = _flat(change.before), _flat(change.after)
        for key in dict.fromkeys([*before, *after]):
            name = f"{key}: " if key else ""
            was, now = before.get(key, []), after.get(key, [])
            parts += [_side("-", f"{name}{item}", "red") for item in was if item not in now]
            parts += [_side("+", f"{name}{item}", "green") for item in now if item not in was]
    return Group(*parts)


_INTERNAL: Final = ("body_sha256", "metric", "updated_chapter", "first_recorded_chapter")
"""Fields that say nothing to a reader of a difference; `--json` has them."""


def _side(mark: str, line: str, style: str) -> Text:
    return Text(f"  {mark} {line}", style=style, no_wrap=True, overflow="ignore")


def _flat(value: Any) -> dict[str, list[str]]:
    """The lines of a value by field; of a list, one an item, so that only what changed is shown."""
    if isinstance(value, Mapping):
        return {key: _lines(item) for key, item in value.items() if key not in _INTERNAL}
    return {"": _lines(value)}


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list):
        return [line for item in value for line in _lines(item)]
    if isinstance(value, Mapping):
        return ["｜".join(str(item) for item in value.values())]
    return [str(value)]


def _turned(answer: Any, lang: str) -> RenderableType:
    parts: list[RenderableType] = [_where(answer, lang)]
    for turn, zh, en in (
        (answer.undone, "已撤销", "taken back"),
        (answer.redone, "已重做", "brought back"),
    ):
        if turn is not None:
            where = f"r{turn.revision} {turn.kind}"
            parts.append(
                say(
                    lang,
                    f"{zh}：第 {turn.chapter} 章（{where}）",
                    f"{en}: chapter {turn.chapter} ({where})",
                )
            )
    if answer.restored:
        parts.append(say(lang, "已恢复", "restored"))
    parts += _files(lang, "留档", "kept aside", answer.set_aside)
    return Group(*parts)


def _stats(answer: Any, lang: str) -> RenderableType:
    zh = lang == "zh"
    rows = [
        ("已提交" if zh else "committed", answer.last_committed_chapter),
        ("正文" if zh else "bodies", answer.bodies),
        ("可见字符" if zh else "visible characters", f"{answer.visible_chars:,}"),
        ("英文词" if zh else "words", f"{answer.words:,}"),
        ("核心角色" if zh else "core characters", answer.characters),
        ("下一章活跃" if zh else "active next", answer.active_characters),
        (
            "伏笔" if zh else "foreshadows",
            "  ".join(f"{k if zh else MEANINGS[k]} {v}" for k, v in answer.foreshadows.items())
            or "—",
        ),
        ("逾期伏笔" if zh else "overdue", _overdue(answer, zh)),
        ("事件" if zh else "events", answer.events),
        ("读者还不知道" if zh else "unknown to the reader", _listed(answer.unrevealed, zh)),
    ]
    if answer.partly_revealed:
        partly = _listed(answer.partly_revealed, zh)
        rows.append(("读者知道一部分" if zh else "partly known to the reader", partly))
    if answer.changed_bodies:
        since = _chapters(answer.changed_bodies, zh)
        rows.append(("提交后改过" if zh else "changed after the commit", since))
    if answer.published:  # a book that comes out whole has no stock
        stock = answer.stock
        rows += [
            ("已发布" if zh else "published", answer.published),
            (
                "存稿" if zh else "in stock",
                f"{stock.chapters} 章 · {stock.visible_chars:,} 字"
                if zh
                else f"{stock.chapters} chapter{'s' * (stock.chapters != 1)} · {stock.visible_chars:,} characters",
            ),
            (
                "发布后改过" if zh else "changed after publishing",
                _chapters(answer.published_changed, zh),
            ),
        ]
    return Group(Text(answer.book_title, style="bold"), pairs(rows), _lengths(answer, zh))


_WORDY: Final = 8
"""A book with a word in so many characters is written in words."""


def _lengths(answer: Any, zh: bool) -> Table:
    """The latest chapters with their lengths; a book in English with its words."""
    in_words = answer.words * _WORDY > answer.visible_chars
    table = Table(
        "章" if zh else "ch.",
        "字符" if zh else "chars",
        *(("英文词" if zh else "words",) if in_words else ()),
        "目标" if zh else "target",
        "",
        title_justify="left",
    )
    for row in answer.lengths[-20:]:
        bar = "█" * max(1, round(row.visible_chars / max(1, row.target or row.visible_chars) * 12))
        mark = "" if row.committed else ("未提交" if zh else "not committed")
        if row.published:
            mark = "已发布" if zh else "published"
        table.add_row(
            str(row.chapter), str(row.visible_chars), *([str(row.words)] if in_words else []),
            str(row.target or ""), f"{bar[:18]} {mark}".rstrip(),
        )  # fmt: skip
    return table


def _listed(words: Sequence[str], zh: bool) -> str:
    return ("、" if zh else ", ").join(words) or "—"


def _chapters(numbers: Sequence[int], zh: bool) -> str:
    """Chapters as a sentence names them."""
    if not numbers:
        return "—"
    if zh:
        return f"第 {'、'.join(map(str, numbers))} 章"
    return f"chapter{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def _overdue(answer: Any, zh: bool) -> str:
    """Each with how long it is overdue, and whether the author means it."""
    rows = []
    for ident in answer.overdue:
        late = answer.overdue_by[ident]
        said = [f"{late} 章" if zh else f"by {late}"] if late else []
        if ident in answer.overdue_silenced:
            said.append("已沉默" if zh else "silenced")
        more = ("，" if zh else ", ").join(said)
        rows.append(ident + (f"（{more}）" if zh else f" ({more})") * bool(more))
    return _listed(rows, zh)


def _plain(answer: Any, lang: str) -> RenderableType:
    """Any other answer: its fields, one a line."""
    import msgspec

    plain = msgspec.to_builtins(answer)
    return pairs([(key, _short(value, lang)) for key, value in plain.items()])


def _short(value: Any, lang: str) -> str:
    if isinstance(value, dict) and set(value) == {"zh", "en"}:
        return str(value[lang])
    if isinstance(value, list):
        return "\n".join(_short(item, lang) for item in value) or "—"
    if isinstance(value, dict):
        return "  ".join(
            f"{key}={_short(item, lang)}" for key, item in value.items() if item is not None
        )
    return "—" if value is None else str(value)


RENDERINGS: Final[Mapping[str, Rendering]] = {
    "novel.init": _started,
    "novel.adopt": _takeover,
    "novel.backfill": drafts.backfill,
    "novel.check": _checked,
    "novel.draft": drafts.draft,
    "novel.commit": _committed,
    "novel.render": _rendered,
    "novel.history": _history,
    "novel.at": _moment,
    "novel.diff": _difference,
    "novel.undo": _turned,
    "novel.redo": _turned,
    "novel.recover": drafts.recovered,
    "novel.stats": _stats,
    "novel.shims": drafts.shims,
    "chapter.check": chapter.chapter,
    "chapter.commit": chapter.chapter,
    "chapter.accept-current-length": chapter.chapter,
    "wordcount.measure": _plain,
    "wordcount.check": _plain,
    "wordcount.checkpoint": _plain,
}
