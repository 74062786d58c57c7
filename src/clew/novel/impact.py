"""What a rewrite of a chapter may touch: what it established, and which later chapters rely on it.

Pure. `clew novel impact --chapter N` reads what the chapter's transaction says now (its latest
revision), the ledger's present rows, and what the later chapters' transactions and bodies name. A
list of reasons to look, not a verdict: it holds no judgement of the prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from clew.novel.mentions import Names, ids_within
from clew.novel.model import Delta, State, id_number
from clew.novel.standing import (
    Commit,
    Standing,
    baseline_state,
    context_of,
    delta_of,
    packed,
    snapshot_of,
    snapshots_in,
)

CHAPTERS: Final = 50
"""At most so many later chapters are named for one thing, and listed in all."""
_KEY: Final = re.compile(rb'"[a-z_]+":')
"""A key of a transaction: the words of a chapter are what stands after them."""
BODIES: Final = 200
"""So many bodies after the chapter are read for the names that it introduced or retired."""

Kind = Literal["foreshadow", "event", "character", "knowledge", "constraint", "commitment"]
How = Literal[
    "planted", "updated", "resolved", "expired", "abandoned", "deleted", "first_told",
    "partly_revealed", "revealed", "introduced", "changed", "retired", "learned", "came_to_hold", "promised",
]  # fmt: skip
_STATUS: Final[Mapping[str, How]] = {
    "已回收": "resolved", "已过期": "expired", "放弃": "abandoned",
}  # fmt: skip


class Touched(msgspec.Struct, frozen=True):
    """One thing that the chapter established or changed."""

    kind: Kind
    key: str
    """The id, or the character's name; the text itself where there is no other key."""
    how: list[How]
    reason: str
    """Why it is worth a look, in the language of the answer."""
    text: str
    later: list[int]
    """Later chapters that go on with it."""
    later_more: int = 0
    """How many more there are than are listed."""


class Later(msgspec.Struct, frozen=True):
    """A later chapter that names something of this one."""

    chapter: int
    title: str
    goes_on: list[str]
    """Ids, and characters who came or went here, that its transaction changes again."""
    mentions: list[str]
    """Ids, and characters who came or went here, that the words of its transaction name."""
    body: list[str]
    """Characters who came or went here and whom its body names, by name or alias."""


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """What a rewrite of a chapter may touch."""

    status: str = "ok"
    chapter: int
    title: str
    last_committed_chapter: int
    recorded: bool
    """False for an imported chapter without a record: only the ledger's rows speak of it then."""
    published: bool
    touched: list[Touched]
    later: list[Later]
    later_more: int
    """Later chapters that name something and are not listed."""
    bodies_read: int
    bodies_unread: int
    """Later bodies that were not searched for the characters who came or went here."""


class Story(NamedTuple):
    """What an impact is computed from."""

    state: State
    lines: Sequence[bytes]
    stand: Standing
    called: Mapping[str, Sequence[str]]
    """What else people are called, by name."""
    offices: Mapping[str, Sequence[str]]
    """The same with aliases that are an office (师傅) and one man's only: enough to look whether
    somebody who is gone is named."""
    published: bool
    title: str
    """The chapter's, where no transaction names it."""
    lang: str
    bodies: Sequence[int]
    """Chapters that have a body."""
    read_body: Callable[[int], str]


def impact(story: Story, chapter: int) -> Impact:
    """What a rewrite of `chapter` may touch. The chapter is one of 1..last."""
    commits = story.stand.of(chapter)
    after = {
        number: (commit, delta_of(commit))
        for number, commit in story.stand.latest(above=chapter).items()
    }
    here = delta_of(commits[-1]) if commits else Delta(result="")
    touched = [
        *_foreshadows(story, here, chapter, after),
        *_events(story, here, chapter, after),
        *_characters(story, here, chapter, commits, after),
        *(_handed_in(story, commits[0], after) if commits and commits[0].mode == "append" else ()),
        *_promised(story, here, chapter),
    ]
    new = [row.key for row in touched if "introduced" in row.how]
    gone = [row.key for row in touched if "retired" in row.how]
    ids = {row.key for row in touched if row.kind in ("foreshadow", "event")}
    called = {name: story.called.get(name, ()) for name in new}
    names = Names(called | {name: story.offices.get(name, ()) for name in gone})
    people = [*new, *gone]
    later_bodies = [number for number in sorted(story.bodies) if number > chapter] if people else []
    read = {n: list(names.within(story.read_body(n))) for n in later_bodies[:BODIES]}
    later = list(_later({*ids, *people}, names, after, read))
    return Impact(
        chapter=chapter,
        title=packed(commits[-1]).chapter_title if commits else story.title,
        last_committed_chapter=story.state.last_committed_chapter,
        recorded=bool(commits),
        published=story.published,
        touched=touched,
        later=later[:CHAPTERS],
        later_more=max(0, len(later) - CHAPTERS),
        bodies_read=len(read),
        bodies_unread=len(later_bodies) - len(read),
    )


After = Mapping[int, tuple[Commit, Delta]]


_WORDS: Final[Mapping[How, tuple[str, str]]] = {
    "planted": ("本章埋下", "planted here"),
    "updated": ("本章推进", "moved on here"),
    "resolved": ("本章回收", "resolved here"),
    "expired": ("本章作过期处理", "declared expired here"),
    "abandoned": ("本章放弃", "abandoned here"),
    "deleted": ("本章删除登记", "taken off the ledger here"),
    "first_told": ("本章首次登记", "first recorded here"),
    "partly_revealed": ("本章向读者透露了一部分", "partly revealed to the reader here"),
    "revealed": ("本章向读者揭示", "revealed to the reader here"),
    "introduced": ("首次登场", "appears here for the first time"),
    "changed": ("本章有变化", "changes here"),
    "retired": ("本章退役", "retires here"),
    "learned": ("从本章起知道", "knows it from here on"),
    "came_to_hold": ("本章起算数，至今有效", "holds from here on, and still does"),
    "promised": ("本章许下", "promised here"),
}
_GOES_ON: Final[Mapping[Kind, tuple[str, str]]] = {
    "foreshadow": ("又动到", "goes on in"),
    "event": ("又动到", "goes on in"),
    "character": ("又有变化", "changes again in"),
    "knowledge": ("的快照里还在", "still in the snapshots of"),
    "constraint": ("", ""),
    "commitment": ("来接", "to be kept in"),
}
_TOLD: Final = 6


def _touched(
    story: Story, kind: Kind, key: str, how: Sequence[How], text: str, later: Sequence[int]
) -> Touched:
    ways = list(dict.fromkeys(how))
    more = max(0, len(later) - CHAPTERS)
    reason = _reason(story.lang == "zh", kind, ways, later)
    return Touched(kind, key, ways, reason, text, list(later[:CHAPTERS]), more)


def _reason(zh: bool, kind: Kind, how: Sequence[How], later: Sequence[int]) -> str:
    said = ("、" if zh else ", ").join(_WORDS[way][not zh] for way in how)
    if not later:
        return said
    numbers = [str(n) for n in later[:_TOLD]]
    more = len(later) - len(numbers)
    if zh:
        chapters = f"第{'、'.join(numbers)}章{f'等 {len(later)} 章' if more else ''}"
        return f"{said}；{chapters}{_GOES_ON[kind][0]}"
    word = "chapter" if len(later) == 1 else "chapters"
    chapters = f"{word} {', '.join(numbers)}{f' and {more} more' if more else ''}"
    return f"{said}; {_GOES_ON[kind][1]} {chapters}"


def _foreshadows(story: Story, here: Delta, chapter: int, after: After) -> Iterator[Touched]:
    how: dict[str, list[How]] = {}
    text: dict[str, str] = {}
    for row in here.foreshadow_changes:
        if row.action == "delete":
            how[row.id] = ["deleted"]
            continue
        text[row.id] = row.summary or ""
        said = _STATUS.get(row.status or "")
        first: list[How] = ["planted"] if row.planted_chapter == chapter else []
        how[row.id] = [*first, *([said] if said else [] if first else ["updated"])]
    for planted in story.state.foreshadow.values():
        if planted.planted_chapter == chapter and "planted" not in how.setdefault(planted.id, []):
            how[planted.id].insert(0, "planted")
    for ident in sorted(how, key=id_number):
        now = story.state.foreshadow.get(ident)
        later = [
            n for n, (_, d) in after.items() if any(r.id == ident for r in d.foreshadow_changes)
        ]
        summary = now.summary if now else text.get(ident, "")
        yield _touched(story, "foreshadow", ident, how[ident], summary, later)


def _events(story: Story, here: Delta, chapter: int, after: After) -> Iterator[Touched]:
    how: dict[str, list[How]] = {}
    text: dict[str, str] = {}
    for row in here.timeline_events:
        if row.action == "delete":
            how[row.id] = ["deleted"]
            continue
        text[row.id] = row.objective_fact or ""
        known = story.state.timeline.get(row.id)
        first = known is None or known.first_recorded_chapter == chapter
        how[row.id] = ["first_told"] if first else []
        if row.reveal_chapter == chapter:
            how[row.id].append(_revealed(row.reveal_status))
        how[row.id] = how[row.id] or ["updated"]
    for event in story.state.timeline.values():
        if event.first_recorded_chapter == chapter:
            how.setdefault(event.id, ["first_told"])
        if event.reveal_chapter == chapter:
            how.setdefault(event.id, []).append(_revealed(event.reveal_status))
    for ident in sorted(how, key=id_number):
        now = story.state.timeline.get(ident)
        later = {n for n, (_, d) in after.items() if any(r.id == ident for r in d.timeline_events)}
        if now is not None and (now.reveal_chapter or 0) > chapter:
            later.add(now.reveal_chapter or 0)
        fact = now.objective_fact if now else text.get(ident, "")
        yield _touched(story, "event", ident, how[ident], fact, sorted(later))


def _revealed(status: str | None) -> How:
    return "partly_revealed" if status == "部分揭示" else "revealed"


def _characters(
    story: Story, here: Delta, chapter: int, commits: Sequence[Commit], after: After
) -> Iterator[Touched]:
    known = _known_before(story, commits[0] if commits else None)
    changes = {row.name: row.change for row in here.character_changes}
    # A revision retires nobody and keeps who did: the append says so.
    retired = [name for commit in commits for name in delta_of(commit).retired_characters]
    for name in dict.fromkeys([*changes, *retired]):
        how: list[How] = ["changed"] if name in known else ["introduced"]
        if name in retired:
            how.append("retired")
        later = [
            n for n, (_, d) in after.items() if any(row.name == name for row in d.character_changes)
        ]
        yield _touched(story, "character", name, how, changes.get(name, ""), later)


def _known_before(story: Story, first: Commit | None) -> set[str]:
    """Whom the ledger knew before a commit."""
    known: set[str] = set()
    for index in story.stand.baselines:
        state = baseline_state(story.lines, index)
        if state is not None and (first is None or index < first.at):
            known |= {
                *state.characters,
                *(p for e in state.timeline.values() for p in e.characters),
            }
    for commit in story.stand.commits:
        if first is None or commit.at >= first.at:
            continue
        delta = delta_of(commit)
        known |= {row.name for row in delta.character_changes}
        known |= {person for event in delta.timeline_events for person in event.characters}
    return known


def _handed_in(story: Story, first: Commit, after: After) -> Iterator[Touched]:
    """What characters learned and which lasting items came with the chapter's first transaction,
    as far as it holds in later ones."""
    before = [commit for commit in story.stand.commits if commit.at < first.at]
    start = [index for index in story.stand.baselines if index < first.at]
    opening = baseline_state(story.lines, start[-1]) if start else None
    later = [(number, commit) for number, (commit, _) in after.items()]
    for name in snapshots_in(first):
        found = snapshot_of(first, name)
        if found is None:
            continue
        older = next(filter(None, (snapshot_of(c, name) for c in reversed(before))), None)
        if older is None and opening is not None:
            older = opening.characters.get(name)
        theirs = [(n, snapshot_of(c, name)) for n, c in later]
        for item in found.knowledge:
            if older is not None and item in older.knowledge:
                continue
            held = [n for n, snapshot in theirs if snapshot and item in snapshot.knowledge]
            now = story.state.characters.get(name)
            if held or (now is not None and item in now.knowledge):
                yield _touched(story, "knowledge", name, ["learned"], item, held)
    old = context_of(before[-1]) if before else opening.context if opening else None
    context = context_of(first)
    for field in ("long_term_constraints", "continuity_risks"):
        had = getattr(old, field) if old is not None else ()
        for item in getattr(context, field):
            if item not in had and item in getattr(story.state.context, field):
                yield _touched(story, "constraint", item, ["came_to_hold"], item, [])


def _promised(story: Story, here: Delta, chapter: int) -> Iterator[Touched]:
    then = [chapter + 1] if chapter < story.state.last_committed_chapter else []
    for item in here.next_chapter_commitments:
        yield _touched(story, "commitment", item, ["promised"], item, then)


def _later(
    keys: set[str], names: Names, after: After, bodies: Mapping[int, list[str]]
) -> Iterator[Later]:
    for number in sorted({*after, *bodies}):
        goes_on: list[str] = []
        mentions: list[str] = []
        title = ""
        if number in after:
            commit, delta = after[number]
            parts = packed(commit)
            title = parts.chapter_title
            rows = [row.id for row in delta.foreshadow_changes]
            rows += [row.id for row in delta.timeline_events]
            rows += [row.name for row in delta.character_changes]
            goes_on = [key for key in rows if key in keys]
            said = _KEY.sub(b"", bytes(parts.delta)).decode()
            named = [ident for ident in ids_within(said) if ident in keys]
            mentions = [key for key in (*named, *names.within(said)) if key not in goes_on]
        body = bodies.get(number, [])
        if goes_on or mentions or body:
            yield Later(number, title, goes_on, mentions, body)
