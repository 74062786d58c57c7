"""Rules of the chapters as a whole: who has been away, titles, bodies that moved on.

Pure. Source: the design of the ledger (Lint, in the ledger).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from clew.kernel.text import clean, nfc
from clew.novel.lint.model import Book, Found, Words, chapter_words, in_order

ABSENT: Final = 20
"""Chapters after which an active character is missed."""


def character_absent(book: Book) -> Iterator[Found]:
    """An active character has been in no transaction and no body for 20 chapters."""
    if book.chronicle.baseline is None or book.last < ABSENT:
        return
    baseline = book.chronicle.baseline
    seen = dict.fromkeys(baseline.characters, baseline.last_committed_chapter)
    for step in book.chronicle.every():
        delta = step.transaction.delta
        names = {row.name for row in delta.character_changes} | {
            *step.transaction.character_snapshots
        }
        for event in delta.timeline_events:
            names |= {book.cast.resolve(who) or who for who in event.characters}
        for name in names:
            seen[name] = max(seen.get(name, 0), step.chapter)
    for name in book.state.context.active_character_names:
        last_seen = seen.get(name, 0)
        missing = book.last - last_seen
        if missing < ABSENT or _named_lately(book, name, last_seen):
            continue
        yield Found(
            (name, last_seen),
            Words(
                f"{name}列在活跃角色里，却已有 {missing} 章没有出现",
                f"{name} is listed as active, and has been away for {missing} chapters",
            ),
            Words(
                f"最近一次在第 {last_seen} 章；此后的事务和正文都没有提到" if last_seen else
                "开篇以来的事务和正文都没有提到",
                f"last seen in chapter {last_seen}; neither transactions nor bodies name them since"
                if last_seen else "neither transactions nor bodies have named them so far",
            ),
            characters=(name,),
            chapters=in_order(last_seen or None, book.last),
        )  # fmt: skip


def _named_lately(book: Book, name: str, since: int) -> bool:
    for chapter in range(book.last, max(since, book.last - ABSENT), -1):
        body = book.bodies.get(chapter)
        if body is not None and book.cast.names_in(name, body.text):
            return True
    return False


_NUMBERED: Final = re.compile(
    r"^(?:第[0-9零〇一二三四五六七八九十百千两]+[章回节]|(?i:chapter)\s+\w+)[\s:：._·-]*"
)
_REPEATABLE: Final = re.compile(r"(?i:番外|间章|插曲|幕间|楔子|尾声|interlude|intermission)[\W\d]*")


def title_twice(book: Book) -> Iterator[Found]:
    """Two chapters have the same title."""
    by_title: dict[str, list[int]] = {}
    shown: dict[str, str] = {}
    for chapter, steps in book.accounts.items():
        title = _NUMBERED.sub("", clean(steps[-1].transaction.chapter_title))
        key = nfc(title).casefold()
        if key and not _REPEATABLE.fullmatch(key):
            by_title.setdefault(key, []).append(chapter)
            shown.setdefault(key, title)
    for key, chapters in by_title.items():
        for earlier, later in pairwise(chapters):
            named = chapter_words((earlier, later))
            yield Found(
                (earlier, later),
                Words(
                    f"章名「{shown[key]}」用了两次：{named.zh}",
                    f"the title “{shown[key]}” is used twice: {named.en}",
                ),
                Words(
                    "按各章最新事务的 chapter_title 比较",
                    "compared by the chapters' latest chapter_title",
                ),
                chapters=(earlier, later),
            )


def body_newer(book: Book) -> Iterator[Found]:
    """A body is no longer the one that was counted and committed."""
    for chapter in book.asked():
        record = book.state.wordcount_records.get(str(chapter))
        body = book.bodies.get(chapter) if record is not None else None
        if record is None or body is None or record.body_sha256 in body.digests:
            continue
        yield Found(
            (chapter, body.digest[:8]),
            Words(
                f"第 {chapter} 章的正文在提交之后改过",
                f"the body of chapter {chapter} was changed after it was committed",
            ),
            Words(
                f"字数记录记的是 {record.body_sha256[:8]}…，现在的正文是 {body.digest[:8]}…",
                f"the word record was made on {record.body_sha256[:8]}…, the body now is "
                f"{body.digest[:8]}…",
            ),
            chapters=(chapter,),
            place=body.top(),
        )
