"""One character: who that is, where, wanting what, and what is known since which chapter.

Pure. `clew novel who NAME` walks the snapshots of a history: an item is known since the first
chapter whose snapshot holds it. A snapshot that words an item anew (one text holds the other) goes
on with the older date. What an imported baseline holds was known before the first chapter of the
ledger, and nobody can say since when.

A revision of an old chapter hands in characters as of the latest one; what is new in it is dated to
the chapter that was revised, for that is where it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from clew.kernel.errors import Refused
from clew.kernel.faults import Code, Fault, register
from clew.kernel.text import clean, portable_key
from clew.novel.model import RevealStatus, Snapshot, State, id_number
from clew.novel.standing import (
    Commit,
    Standing,
    baseline_state,
    delta_of,
    needle,
    snapshot_of,
)

EVENTS: Final = 20
CHANGES: Final = 20
LOST: Final = 40
_NEAREST: Final = 5
_LISTED: Final = 20
_MATTER: Final = 4
"""Letters that two wordings share at least to be one thing."""
LISTS: Final = ("knowledge", "relationships", "open_threads", "abilities_resources")


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a snapshot and its date. Exactly one of `since` and `before` is there."""

    text: str
    since: int | None = None
    """The first chapter whose snapshot holds it; 0: from the start of the book."""
    before: int | None = None
    """It came with an imported ledger: known before this chapter, nobody can say since when."""
    reworded: int | None = None
    """The chapter since which it is worded so."""


class Lost(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that a later snapshot no longer holds."""

    list: str
    text: str
    gone: int
    """The chapter whose snapshot left it out."""
    since: int | None = None
    before: int | None = None


class Change(msgspec.Struct, frozen=True):
    """What a chapter changed for the character."""

    chapter: int
    change: str


class Involved(msgspec.Struct, frozen=True):
    """An event that names the character."""

    id: str
    chapter: int
    """Where it was first recorded."""
    story_time: str
    objective_fact: str
    reveal_status: RevealStatus


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A character as of a chapter."""

    status: str = "ok"
    name: str
    asked: str = ""
    """What was asked for, where that is another name."""
    aliases: list[str] = []
    through_chapter: int
    """The chapter after which all this holds."""
    core: bool
    """Whether there is a snapshot, now or before the character retired."""
    active: bool = False
    retired: int | None = None
    identity: str = ""
    state: str = ""
    location: str = ""
    goal: str = ""
    snapshot_chapter: int | None = None
    """The chapter that handed in the snapshot shown; none for that of a baseline."""
    knowledge: list[Item] = []
    relationships: list[Item] = []
    open_threads: list[Item] = []
    abilities_resources: list[Item] = []
    lost: list[Lost] = []
    """The latest lines that snapshots stopped holding: condensed, settled or forgotten."""
    lost_total: int = 0
    changed: list[int] = []
    """Chapters that changed the character."""
    changes: list[Change] = []
    """The latest of them in words."""
    events: list[Involved] = []
    """The latest events, and how many there are in all."""
    events_total: int = 0
    imported_through: int = 0
    """Chapters up to this one were imported: what happened there is known as far as recorded."""


class _Items:
    """One list of a character's snapshots as they follow each other."""

    def __init__(self) -> None:
        self._dates: dict[str, Item] = {}
        self._now: list[str] = []
        self._gone: dict[str, int] = {}

    def hand_in(self, items: Sequence[str], chapter: int, before: int | None = None) -> None:
        left = [text for text in self._now if text not in items]
        for text in items:
            if text not in self._now:
                self._begin(text, left, chapter, before)
        self._gone |= dict.fromkeys(left, chapter)
        self._now = list(items)

    def _begin(self, text: str, left: list[str], chapter: int, before: int | None) -> None:
        self._gone.pop(text, None)
        older = next((other for other in left if _one_matter(text, other)), None)
        if older is not None:
            left.remove(older)
            date = self._dates[older]
            self._dates[text] = Item(text, date.since, date.before, chapter)
        elif text not in self._dates:
            since = chapter if before is None else None
            self._dates[text] = Item(text, since, before)

    def dated(self) -> list[Item]:
        return [self._dates[text] for text in self._now]

    def lost(self, name: str) -> list[Lost]:
        return [
            Lost(name, text, gone, self._dates[text].since, self._dates[text].before)
            for text, gone in self._gone.items()
        ]


def _one_matter(text: str, other: str) -> bool:
    a, b = ("".join(c for c in t.casefold() if c.isalnum()) for t in (text, other))
    short, long = sorted((a, b), key=len)
    return len(short) >= _MATTER and short in long


class _Walk:
    """What the history's snapshots of one character say, in their order."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lists = {key: _Items() for key in LISTS}
        self.snapshot: Snapshot | None = None
        self.chapter: int | None = None
        self.retired: int | None = None
        self.changed: dict[int, str] = {}

    def baseline(self, state: State) -> None:
        found = state.characters.get(self.name)
        last = state.last_committed_chapter
        if found is None:
            if self.snapshot is not None and self.retired is None:
                self.retired = last
            return
        self._snapshot(found, last, last + 1 if last else None)
        self.chapter = None

    def commit(self, commit: Commit, mark: bytes) -> None:
        # A later revision of a chapter replaces what the chapter said, also by silence.
        self.changed.pop(commit.chapter, None)
        if mark not in commit.raw:
            return
        delta = delta_of(commit)
        for row in delta.character_changes:
            if row.name == self.name:
                self.changed[commit.chapter] = row.change
        if self.name in delta.retired_characters:
            self.retired = commit.chapter
        found = snapshot_of(commit, self.name)
        if found is not None:
            self._snapshot(found, commit.chapter, None)
            self.chapter = commit.chapter

    def _snapshot(self, found: Snapshot, chapter: int, before: int | None) -> None:
        self.snapshot = found
        self.retired = None
        for key, items in self.lists.items():
            items.hand_in(getattr(found, key), chapter, before)


def who(
    name: str,
    state: State,
    lines: Sequence[bytes],
    stand: Standing,
    called: Mapping[str, Sequence[str]],
) -> Person:
    """The character of that name or alias as of `state`, which is the state after `lines`.

    `called` are the aliases by name. Raises `Refused` (`unknown_character`, `ambiguous_name`) with
    the nearest names.
    """
    found = resolve(name, state, stand, called)
    walk = _Walk(found)
    mark = needle(found)
    pile = {commit.at: commit for commit in stand.commits}
    # A commit that was brought back stands where it was made: its line holds the transaction.
    for index in sorted({*stand.baselines, *pile}):
        if index in pile:
            walk.commit(pile[index], mark)
        else:
            began = baseline_state(lines, index)
            if began is not None:
                walk.baseline(began)
    if not stand.baselines:  # a ledger of another tool that was not taken over: no history
        walk.baseline(state)
    return _person(name, found, state, walk, list(called.get(found, ())))


def _person(asked: str, name: str, state: State, walk: _Walk, aliases: list[str]) -> Person:
    shown = state.characters.get(name, walk.snapshot)
    known = {portable_key(other) for other in (name, *aliases)}
    lost = sorted(
        (row for key, items in walk.lists.items() for row in items.lost(key)),
        key=lambda row: (row.gone, LISTS.index(row.list)),
    )
    events = [
        Involved(e.id, e.first_recorded_chapter, e.story_time, e.objective_fact, e.reveal_status)
        for e in state.timeline.values()
        if any(portable_key(person) in known for person in e.characters)
    ]
    events.sort(key=lambda e: (e.chapter, id_number(e.id)))
    changed = sorted(walk.changed)
    return Person(
        name=name,
        asked=asked if asked != name else "",
        aliases=aliases,
        through_chapter=state.last_committed_chapter,
        core=shown is not None,
        active=name in state.context.active_character_names,
        retired=walk.retired if name not in state.characters else None,
        identity=shown.identity if shown else "",
        state=shown.state if shown else "",
        location=shown.location if shown else "",
        goal=shown.goal if shown else "",
        snapshot_chapter=walk.chapter,
        knowledge=walk.lists["knowledge"].dated(),
        relationships=walk.lists["relationships"].dated(),
        open_threads=walk.lists["open_threads"].dated(),
        abilities_resources=walk.lists["abilities_resources"].dated(),
        lost=lost[-LOST:],
        lost_total=len(lost),
        changed=changed,
        changes=[Change(chapter, walk.changed[chapter]) for chapter in changed[-CHANGES:]],
        events=events[-EVENTS:],
        events_total=len(events),
        imported_through=state.imported_through_chapter,
    )


# ---- names ---------------------------------------------------------------------------------------


def resolve(asked: str, state: State, stand: Standing, called: Mapping[str, Sequence[str]]) -> str:
    """The ledger's name for `asked`, which may be an alias, or a part that people are called by:
    the given name of 何三更, a word of `Tobias Finch`.

    Raises `Refused` with the nearest names (`unknown_character`), or with all whom an alias or a
    part means (`ambiguous_name`).
    """
    wanted = portable_key(clean(asked))
    for name in state.characters:
        if portable_key(name) == wanted:
            return name
    cast = everyone(state, stand)
    meant = [n for n, others in called.items() if wanted in map(portable_key, others)]
    known = [name for name in meant if name in cast]
    if len(known) == 1:
        return known[0]
    if known:
        raise Refused(Fault("ambiguous_name", found=asked, allowed=known))
    for name in cast:
        if portable_key(name) == wanted:
            return name
    parts = _by_part(wanted, cast, called)
    if len(parts) == 1:
        return parts[0]
    if parts:
        raise Refused(Fault("ambiguous_name", found=asked, allowed=parts))
    near = _nearest(wanted, [*cast, *(o for others in called.values() for o in others)])
    raise Refused(Fault("unknown_character", found=asked, allowed=near or list(cast)[:_LISTED]))


def _by_part(wanted: str, cast: Iterable[str], called: Mapping[str, Sequence[str]]) -> list[str]:
    """Whom a part of a name may mean."""
    from clew.novel.lint.cast import shortened  # only where no whole name fits

    return [
        name for name in cast if wanted in map(portable_key, shortened(name, called.get(name, ())))
    ]


def everyone(state: State, stand: Standing) -> dict[str, None]:
    """Every name that the ledger knows: core characters first, then who once was one, who changed
    in passing, and who is named in an event."""
    names = dict.fromkeys(state.characters)
    for commit in stand.commits:
        delta = delta_of(commit)
        names |= dict.fromkeys(row.name for row in delta.character_changes)
        names |= dict.fromkeys(delta.retired_characters)
    for event in state.timeline.values():
        names |= dict.fromkeys(event.characters)
    return names


def _nearest(wanted: str, names: Sequence[str]) -> list[str]:
    from difflib import SequenceMatcher  # only where a name is not known

    scores: dict[str, float] = {}
    for name in names:
        key = portable_key(name)
        within = bool(wanted and key) and (wanted in key or key in wanted)
        score = 1.0 if within else SequenceMatcher(None, wanted, key).ratio()
        if score >= 0.5:
            scores[name] = score
    return sorted(scores, key=lambda name: (-scores[name], name))[:_NEAREST]


register(
    Code(
        "unknown_character", 2,
        "账本里没有叫“{found}”的人；可以查：{allowed}",
        "nobody in the ledger is called {found}; you may ask for: {allowed}",
        "换成账本里的名字；称呼写进 设定/别名.toml 之后也能查。",
        "Use the name that the ledger uses; what people are called can be listed in 设定/别名.toml.",
        about_zh="名字、别名都对不上。列出的是相近的名字；没有相近的就列出账本里的人。",
        about_en="Neither a name nor an alias fits. The names listed are near ones, or the cast where "
        "none is near.",
    ),
    Code(
        "ambiguous_name", 2,
        "“{found}”可以指好几个人：{allowed}",
        "{found} may be several people: {allowed}",
        "用其中一个名字再查。",
        "Ask again with one of these names.",
        about_zh="设定/别名.toml 里同一个称呼写给了几个人，或者几个人的名字里都有这一部分。",
        about_en="In 设定/别名.toml several people share this name, or it is a part of several names.",
    ),
)  # fmt: skip
