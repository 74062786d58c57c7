"""Rules of time and place: story time that goes back, one person in two places.

Pure. Source: the design of the ledger (Lint, in the ledger). The story time of a chapter is the
position its transaction handed in; a revision hands in that of the newest chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from clew.novel.lint import storytime
from clew.novel.lint.cast import Cast
from clew.novel.lint.chronicle import Step
from clew.novel.lint.model import Book, Found, Words, chapter_words
from clew.novel.lint.storytime import When
from clew.novel.model import Position, id_number

# ---- order ---------------------------------------------------------------------------------------


class _Told(NamedTuple):
    """A chapter and its story time."""

    chapter: int
    position: Position
    when: When


def story_time_gap(book: Book) -> Iterator[Found]:
    """A chapter's story time is before that of an earlier chapter, and nothing says it is meant."""
    threads: dict[str, list[_Told]] = {}
    for chapter, position in book.positions.items():
        if _is_meant(book, chapter, position):
            continue
        when = storytime.when(position.story_time)
        if when is None:
            continue
        here = _Told(chapter, position, when)
        scheme = when.scheme
        if scheme == "day of ":
            scheme = f"{scheme}{position.volume}"  # a bare count of days may begin anew
        latest = _goes_on(threads.setdefault(scheme, []), here)
        if latest is not None:
            yield _goes_back(latest, here)
        if (yearless := when.within_year) is not None:
            # 九月初四 may come after 景和十九年九月初三.
            _goes_on(threads.setdefault(yearless.scheme, []), here._replace(when=yearless))


def _goes_on(known: list[_Told], here: _Told) -> _Told | None:
    """Takes a chapter into the times that a book tells; the latest of them where it fits none. A book
    may tell two times in turns: a chapter goes on with whichever it can."""
    fitting = [told for told in known if not storytime.before(here.when, told.when)]
    latest = None
    if fitting:
        known.remove(max(fitting, key=lambda told: (told.when.last, told.chapter)))
    elif known:
        latest = max(known, key=lambda told: told.chapter)
    known.append(here)
    return latest


def _is_meant(book: Book, chapter: int, position: Position) -> bool:
    titles = [step.transaction.chapter_title for step in book.accounts.get(chapter, ())]
    return any(map(storytime.is_meant, (position.story_time, position.scene, *titles)))


def _goes_back(before: _Told, here: _Told) -> Found:
    return Found(
        (here.chapter,),
        Words(
            f"第 {here.chapter} 章的故事时间「{here.position.story_time}」早于"
            f"第 {before.chapter} 章的「{before.position.story_time}」",
            f"the story time of chapter {here.chapter}, “{here.position.story_time}”, is before "
            f"“{before.position.story_time}” of chapter {before.chapter}",
        ),
        Words(
            "两处是同一种写法，可以比先后；故事时间、场景、章名里没有回忆、倒叙之类的字样",
            "both are written in the same way and can be compared; neither story time, scene nor "
            "title says flashback or the like",
        ),
        chapters=(before.chapter, here.chapter) if before.chapter else (here.chapter,),
    )


# ---- places --------------------------------------------------------------------------------------

_TRAVEL: Final = re.compile(
    "到|去|回|赶|来|离|往|进|出|路|逃|送|搬|追|跟|随|带|押|解|上船|下船|渡|过河|转|途|奔|走|飞|车|"
    r"\b(?:go(?:es)?|went|com(?:es|e|ing)|came|leav(?:es|e|ing)|left|return\w*|arriv\w*|travel\w*|walk\w*|"
    r"rid\w*|rode|driv\w*|drove|sail\w*|reach\w*|follow\w*|tak(?:es|en)|took|brought|brings|flee\w*|fled|"
    r"runs?|ran|mov\w*|way|road|from|to)\b",
    re.IGNORECASE,
)
_SMALL: Final = frozenset("的里外上下中内前后旁边处在和与之")


class _Stay(NamedTuple):
    """Somebody was somewhere at a story time, as one source says."""

    source: str
    chapter: int
    location: str
    explains: str
    """Texts of the same source that may tell how he came there."""


def two_places(book: Book) -> Iterator[Found]:
    """Two sources put somebody in different places at the same precise story time."""
    stays: dict[tuple[str, str], list[_Stay]] = {}
    for step in book.chronicle.every():
        if step.last != step.chapter:
            continue  # a revision of an older chapter speaks of now, not of then
        _from_snapshots(step, stays)
    _from_events(book, stays)
    for (name, moment), found in sorted(stays.items()):
        clash = _clash(found)
        if clash is not None:
            yield _two(name, moment, *clash)


def _from_snapshots(step: Step, stays: dict[tuple[str, str], list[_Stay]]) -> None:
    transaction = step.transaction
    position = transaction.context.position
    if not storytime.is_moment(position.story_time) or storytime.is_meant(position.story_time):
        return
    changes = {row.name: row.change for row in transaction.delta.character_changes}
    for name, snapshot in transaction.character_snapshots.items():
        explains = f"{changes.get(name, '')} {position.scene} {transaction.delta.result}"
        stay = _Stay(f"chapter {step.chapter}", step.chapter, snapshot.location, explains)
        key = (name, _same(position.story_time))
        others = [s for s in stays.get(key, []) if s.source != stay.source]
        stays[key] = [*others, stay]


def _from_events(book: Book, stays: dict[tuple[str, str], list[_Stay]]) -> None:
    gazetteer = _gazetteer(book)
    for event in sorted(book.state.timeline.values(), key=lambda row: id_number(row.id)):
        if not storytime.is_moment(event.story_time):
            continue
        for name in dict.fromkeys(filter(None, map(book.cast.resolve, event.characters))):
            place = _stated_place(book.cast, name, event.objective_fact, gazetteer)
            if place is not None:
                stay = _Stay(event.id, event.first_recorded_chapter, place, event.objective_fact)
                stays.setdefault((name, _same(event.story_time)), []).append(stay)


def _gazetteer(book: Book) -> Mapping[str, None]:
    """Places that the ledger knows by name."""
    states = [state for state in (book.chronicle.baseline, book.state) if state is not None]
    snapshots = [snapshot for state in states for snapshot in state.characters.values()]
    for step in book.chronicle.every():
        snapshots += step.transaction.character_snapshots.values()
    found: dict[str, None] = {}
    for snapshot in snapshots:
        found[snapshot.location] = None
    return found


def _stated_place(cast: Cast, name: str, fact: str, gazetteer: Mapping[str, None]) -> str | None:
    """`江晨在北京`: where a fact says that somebody was, if he is the only one it speaks of before."""
    for form in cast.telling(name):
        at = fact.find(form)
        if at < 0:
            continue
        rest = fact[at + len(form) :]
        stated = re.match(
            r"[^，。；,.;]{0,6}?(?:身在|正在|在|待在|留在|\s+(?:is|was|stays|stayed) (?:in|at)\s+)",
            rest,
        )
        if stated is None:
            continue
        where = rest[stated.end() :]
        known = [place for place in gazetteer if where.startswith(place)]
        if known:
            return max(known, key=len)
        free = re.match(r"(?:the )?([A-Z]\w+(?: [A-Z]\w+)*)", where)
        return free[1] if free else None
    return None


def _clash(stays: list[_Stay]) -> tuple[_Stay, _Stay] | None:
    """Two stays that cannot both be, with nothing that tells of a way between them."""
    for index, one in enumerate(stays):
        for other in stays[index + 1 :]:
            moved = one.source.startswith("chapter") and _TRAVEL.search(other.explains)
            if not moved and _apart(one.location, other.location):
                return one, other
    return None


def _apart(one: str, other: str) -> bool:
    """Whether two places have nothing in common, not even two characters or one word."""
    a, b = _pieces(one), _pieces(other)
    return bool(a) and bool(b) and a.isdisjoint(b)


def _pieces(place: str) -> set[str]:
    words = {word.casefold() for word in re.findall(r"[A-Za-z\u00c0-\u024f]{3,}", place)} - {
        "the", "near", "old", "new", "north", "south", "east", "west",
    }  # fmt: skip
    for run in re.findall(r"[\u3400-\u9fff]+", place):
        words |= {run[at : at + 2] for at in range(len(run) - 1)}
        if len(run) == 1 and run not in _SMALL:
            words.add(run)
    return words


def _same(story_time: str) -> str:
    return re.sub(r"[\s，。、,.·]+", "", story_time).casefold()


def _two(name: str, moment: str, one: _Stay, other: _Stay) -> Found:
    chapters = tuple(sorted({one.chapter, other.chapter}))
    ids = tuple(stay.source for stay in (one, other) if stay.source.startswith("E"))
    named = chapter_words(chapters)
    return Found(
        (name, *ids, *(() if ids else chapters)),
        Words(
            f"{name}在同一故事时间身处两地：「{one.location}」与「{other.location}」（{named.zh}）",
            f"{name} is in two places at one story time: “{one.location}” and "
            f"“{other.location}” ({named.en})",
        ),
        Words(
            f"两处都记在「{moment}」，没有一处说到怎样从一地到另一地",
            f"both are recorded for “{moment}”, and nothing tells of the way between them",
        ),
        ids=ids,
        characters=(name,),
        chapters=chapters,
    )
