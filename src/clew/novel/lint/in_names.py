"""Rules of names in the prose: one that has a slip in it, one that nobody registered.

Pure. Source: the design of the ledger (Lint: a near-miss of a name; a name that keeps appearing and
is not registered). Imported chapters that were never recorded are no ground for a finding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from clew.novel import manuscript
from clew.novel.lint.body import Body
from clew.novel.lint.cast import alternation, is_han, surname_of
from clew.novel.lint.model import Book, Found, Words, chapter_words
from clew.novel.lint.near import ChineseNames, EnglishNames, Slip, looks_like_a_relative, ordinary
from clew.novel.lint.shapes import look_alike
from clew.novel.lint.stage import weight_of
from clew.novel.lint.stagewords import ROLES
from clew.novel.namewords import NO_NAMES, NOT_FIRST, NOT_IN

_OF_ITS_OWN: Final = 5
"""A name in so many chapters is a name of its own, whatever it sounds like."""
_RARE: Final = 2
"""A slip that is no homophone comes but once or twice."""
_MOSTLY: Final = 4
"""A name stands as a name stands at least once in so many times; an ordinary word hardly ever does."""
_MENTIONS: Final = 6
_CHAPTERS: Final = 3
_ACTS: Final = 2
_CLAUSE: Final = re.compile(r"(?<![\u3400-\u9fff])[\u3400-\u9fff]{2,4}")
"""What a clause begins with."""
_CAPITALS: Final = re.compile(r"(?<!\w)[A-Z\u00c0-\u00de][\w'’-]+(?: [A-Z\u00c0-\u00de][\w'’-]+)*")
_LISTED: Final = 300
"""So many candidates of a book are looked at, the most frequent first."""


class _Variant:
    """Everything that was seen of one slip."""

    def __init__(self) -> None:
        self.total = 0
        self.name_like = 0
        self.places: dict[int, list[tuple[Body, Slip]]] = {}


def name_near_miss(book: Book) -> Iterator[Found]:
    """A text names somebody who is one slip away from one of the cast."""
    variants: dict[tuple[str, str], _Variant] = {}
    chinese, english = ChineseNames(book.cast), EnglishNames(book.cast)
    for body in _looked_at(book):
        text = body.written
        found = [*chinese.slips(text), *(english.slips(text) if body.language == "en" else ())]
        latin = {slip.written for slip in found if slip.written.isascii()}
        small = ordinary(latin, text) if latin else set()
        for slip in found:
            variant = variants.setdefault((slip.written, slip.meant), _Variant())
            variant.total += 1
            if (
                slip.name_like
                and slip.written not in small
                and not looks_like_a_relative(text, slip)
            ):
                variant.name_like += 1
                variant.places.setdefault(body.chapter, []).append((body, slip))
    told: set[tuple[int, str]] = set()
    for (written, _), variant in sorted(variants.items()):
        if not _is_slip(variant):
            continue
        for chapter, places in sorted(variant.places.items()):
            if (chapter, written) not in told:
                told.add((chapter, written))
                yield _near_miss(book, chapter, places)


def _looked_at(book: Book) -> Iterator[Body]:
    """The bodies that are asked for; of others those that share a slip with one, since how often
    something stands there tells whether it is one."""
    asked = list(_own_bodies(book, book.asked()))
    yield from asked
    if book.only is None:
        return
    chinese, english = ChineseNames(book.cast), EnglishNames(book.cast)
    shared = {
        slip.written
        for body in asked
        for slip in [*chinese.slips(body.written), *english.slips(body.written)]
        if slip.name_like
    }
    yield from (body for body in book.others(shared) if _is_own(book, body.chapter))


def _own_bodies(book: Book, chapters: Iterable[int]) -> Iterator[Body]:
    for chapter in chapters:
        body = book.bodies.get(chapter) if _is_own(book, chapter) else None
        if body is not None:
            yield body


def _is_own(book: Book, chapter: int) -> bool:
    return chapter > book.state.imported_through_chapter or chapter in book.accounts


def _is_slip(variant: _Variant) -> bool:
    if not variant.places or variant.name_like * _MOSTLY < variant.total:
        return False  # mostly it stands where no name stands: an ordinary word
    slip = next(iter(variant.places.values()))[0][1]
    if slip.kind in ("letter", "double") and not slip.written.isascii():
        return variant.total <= _RARE
    return len(variant.places) < _OF_ITS_OWN


def _near_miss(book: Book, chapter: int, places: list[tuple[Body, Slip]]) -> Found:
    body, slip = places[0]
    name = (
        book.cast.forms[slip.meant] if slip.meant in book.cast.forms else _owner(book, slip.meant)
    )
    meant = slip.meant if slip.meant == name else f"{slip.meant}（{name}）"
    meant_en = slip.meant if slip.meant == name else f"{slip.meant} ({name})"
    why_zh = {
        "sound": "只有一个字不同，读音相近",
        "letter": "只有一个字不同，字形相近" if _looks_alike(slip) else "只有一个字不同",
        "order": "两个字颠倒了",
        "extra": "多或少一个字",
        "double": "一个字写了两遍",
    }
    why_en = {"sound": "one character differs and sounds alike", "letter": "one letter differs",
              "order": "two letters are swapped", "extra": "one letter too many or too few",
              "double": "one character stands there twice"}  # fmt: skip
    return Found(
        (slip.written, chapter),
        Words(
            f"第 {chapter} 章的「{slip.written}」像是把{meant}写错了",
            f"“{slip.written}” in chapter {chapter} looks like a slip for {meant_en}",
        ),
        Words(
            f"{why_zh[slip.kind]}；这一章里有 {len(places)} 处，账本和别名里没有这个人",
            f"{why_en[slip.kind]}; {len(places)} in this chapter, and nobody is called so",
        ),
        characters=(name,) if name else (),
        chapters=(chapter,),
        place=body.place(slip.at),
    )


def _looks_alike(slip: Slip) -> bool:
    pairs = zip(slip.written, slip.meant, strict=False)
    return any(look_alike(one, other) for one, other in pairs if one != other)


def _owner(book: Book, word: str) -> str:
    """Whose name a word of a Latin name belongs to, when it is one person's."""
    owners = {name for form, name in book.cast.forms.items() if word in form.split(" ")}
    return next(iter(owners)) if len(owners) == 1 else ""


# ---- names that nobody registered ----------------------------------------------------------------


def unregistered_name(book: Book) -> Iterator[Found]:
    """Somebody keeps appearing whom the ledger does not know."""
    bodies = [body for _, _, body in book.recorded()]
    names: set[str] | None = None
    if book.only is not None:
        names = {name for body in bodies for name in _acting(book, body)}
        bodies += [body for body in book.others(names) if body.chapter in book.accounts]
    found_names = _candidates(book, bodies)
    names = found_names if names is None else found_names & names
    if not names:
        return
    pattern = alternation(names)
    mentions: dict[str, Counter[int]] = {name: Counter() for name in names}
    deeds: dict[str, list[tuple[Body, int]]] = {name: [] for name in names}
    for body in bodies:
        for found in pattern.finditer(body.written):
            mentions[found[0]][body.chapter] += 1
            if len(deeds[found[0]]) < _ACTS and _acts(body, found.start(), found[0]):
                deeds[found[0]].append((body, found.start()))
    for name in sorted(names, key=lambda name: (-mentions[name].total(), name)):
        seen = mentions[name]
        if seen.total() >= _MENTIONS and len(seen) >= _CHAPTERS and len(deeds[name]) >= _ACTS:
            yield _unregistered(name, seen, *deeds[name][0])


def _acts(body: Body, at: int, name: str) -> int:
    index, start = body.locate(at)
    return weight_of(body, index, start, start + len(name))


def _acting(book: Book, body: Body) -> Iterator[str]:
    """What may be the name of somebody unknown who acts in a body. With a surname or a capital, or
    where he speaks."""
    english = body.language == "en"
    for found in (_CAPITALS if english else _CLAUSE).finditer(body.told):
        for size in (len(found[0]),) if english else range(2, min(4, len(found[0])) + 1):
            name = found[0][:size]
            if name in NO_NAMES or name in ROLES or any(char in NOT_IN for char in name):
                continue
            if _is_known(book, name) or not (weight := _acts(body, found.start(), name)):
                continue
            if english or surname_of(name) or (weight > 1 and name[0] not in NOT_FIRST):
                yield name


def _candidates(book: Book, bodies: list[Body]) -> set[str]:
    found: Counter[str] = Counter()
    for language, read in (("zh", manuscript.chinese_names), ("en", manuscript.english_names)):
        text = "\n".join(body.written for body in bodies if body.language == language)
        found.update(read(text))
    likely = [
        name
        for name, count in sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
        if count >= _CHAPTERS and not _is_known(book, name)
    ][:_LISTED]
    words = {word for name in likely if " " in name for word in name.split(" ")}
    return {name for name in likely if name not in words}


def _is_known(book: Book, name: str) -> bool:
    if book.cast.may_mean(name):
        return True
    if is_han(name):
        # 葛明堂笑 is 葛明堂, and 叫小满 is 小满.
        return any(
            name[start:end] in book.cast.known
            for start in range(len(name))
            for end in range(start + 2, len(name) + 1)
        )
    return all(word in book.cast.known for word in name.split(" "))


def _unregistered(name: str, seen: Counter[int], body: Body, at: int) -> Found:
    chapters = tuple(sorted(seen))
    named = chapter_words(chapters[:3])
    more_zh, more_en = ("等", " and others") if len(chapters) > 3 else ("", "")
    return Found(
        (name,),
        Words(
            f"{name}在 {len(chapters)} 章里出现了 {seen.total()} 次，账本里没有登记",
            f"{name} appears {seen.total()} times in {len(chapters)} chapters and is not registered",
        ),
        Words(
            f"见于{named.zh}{more_zh}；不是任何人的名字或别名",
            f"in {named.en}{more_en}; nobody's name and nobody's alias",
        ),
        characters=(name,),
        chapters=chapters,
        place=body.place(at),
    )
