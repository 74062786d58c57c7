"""What a writer reads before a chapter: the card, one character, what a rewrite may touch.

Reads the ledger, its history, 大纲/, 正文/ and the aliases through the ledger's vault; writes nothing.
The answers themselves are made by `context`, `who` and `impact`, which know no files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.kernel.errors import ClewError, Corrupt, Refused, Usage
from clew.kernel.faults import Both, Fault
from clew.kernel.text import byte_length, clean
from clew.kernel.vault import Reader
from clew.novel import book, history
from clew.novel.context_rank import Desk, OutlineSeen, Rewrite
from clew.novel.ledger import Ledger
from clew.novel.mentions import Names, ids_within
from clew.novel.model import State

if TYPE_CHECKING:
    from clew.novel.context import Card
    from clew.novel.history import Brief
    from clew.novel.impact import Impact
    from clew.novel.standing import Standing
    from clew.novel.who import Person

_OUTLINE_CHARS: Final = 200_000
"""So much of an outline is searched for names."""
_TITLE_BYTES: Final = 240
_ENDING_CHARS: Final = 200
"""So much of the chapter before is on the card at most."""
Aliases = Mapping[str, Sequence[str]]


class _Past(NamedTuple):
    """A ledger with its whole history."""

    state: State
    lines: list[bytes]
    briefs: list[Brief]


# ---- the card ------------------------------------------------------------------------------------


def context(
    ledger: Ledger,
    lang: str,
    notes: list[Fault],
    *,
    chapter: int | None = None,
    budget: int | None = None,
    tokens: int | None = None,
) -> Card:
    """The card for the next chapter, or for a rewrite of `chapter`.

    `budget` is in bytes, `tokens` in estimated tokens; with neither the card has at most 12 288
    bytes. Raises `Refused` (`budget_too_small`, `no_such_chapter`) and what loading raises. An
    outline or alias file that cannot be read costs a note.
    """
    from clew.novel import marks
    from clew.novel.context import card

    state, lines = ledger.look(lambda reader: (ledger.load(reader).state, ledger.lines(reader)))
    said = marks.of_lines(lines)
    coming = state.last_committed_chapter + 1
    number = coming if chapter is None else chapter
    if not 1 <= number <= coming:
        raise Refused(Fault("no_such_chapter", found=number, allowed=f"1..{coming}"))
    called = _aliases(ledger, notes)
    desk = Desk(state.book_title, number, state)
    if number != coming:
        desk = _rewriting(ledger, lang, notes, number, called)
    late = desk.state.foreshadow if desk.state is not None else ()
    silences = marks.holding(said, state).silences
    desk = _with_history(desk, lines, notes)
    desk = _with_outlines(ledger, desk, notes, lang, called)
    desk = desk._replace(
        silenced=[ident for ident in late if marks.overdue_key(ident) in silences],
        ending=_ending(ledger, number - 1, notes),
    )
    return card(desk, lang, budget=budget, tokens=tokens)


def _with_history(desk: Desk, lines: list[bytes], notes: list[Fault]) -> Desk:
    """The desk with what only the history tells: who has left, and where the main line stood."""
    from clew.novel.departures import departed, main_line
    from clew.novel.standing import standing

    if desk.state is None or desk.chapter < 2:
        return desk
    try:
        said = standing(lines)
        return desk._replace(
            gone=departed(said, desk.state, desk.chapter),
            paused=main_line(said, desk.state, desk.chapter),
        )
    except Corrupt as error:  # a broken history is no reason to have no card
        notes.extend(error.faults)
        return desk


def _ending(ledger: Ledger, chapter: int, notes: list[Fault]) -> str:
    """How the body of a chapter ends; empty where there is none to read."""
    from clew.novel.lastwords import last_words
    from clew.novel.survey import decoded

    try:
        names = sorted(book.bodies(ledger).get(chapter, ()))
        if not names:
            return ""
        data = book.read_text(ledger, f"{book.BODIES}/{names[0]}").data
    except ClewError as error:  # what cannot be read is no reason to have no card
        notes.extend(error.faults)
        return ""
    return last_words(decoded(data)[0], _ENDING_CHARS)


def _with_outlines(
    ledger: Ledger, desk: Desk, notes: list[Fault], lang: str, called: Aliases
) -> Desk:
    from clew.novel.outline import parse_outline

    seen: list[OutlineSeen] = []
    texts: list[str] = []
    try:
        names = sorted(book.outlines(ledger).get(desk.chapter, ()))
        found = [book.read_text(ledger, f"{book.OUTLINES}/{name}") for name in names]
    except ClewError as error:  # what cannot be read is no reason to have no card
        notes.extend(error.faults)
        found = []
    for path, data in found:
        outline = parse_outline(data)
        title = clean(outline.title or "")
        bounds = outline.author_range
        target = "" if outline.target is None else str(outline.target)
        if bounds is not None:
            target += (
                f"（{bounds.min}–{bounds.max}）"
                if lang == "zh"
                else f" ({bounds.min}–{bounds.max})"
            )
        shown = clean(path).encode("utf-8", "replace").decode()
        seen.append(
            OutlineSeen(shown, title if byte_length(title) <= _TITLE_BYTES else "", target.strip())
        )
        texts.append(data.decode("utf-8", "replace")[:_OUTLINE_CHARS])
    if not seen:
        notes.extend(book.called_otherwise(ledger, book.OUTLINES, desk.chapter))
    text = "\n".join(texts)
    if not text:
        return desk._replace(outlines=seen)
    cast = desk.state.characters if desk.state is not None else {}
    left = (gone.name for gone in desk.gone)
    people = Names(_forms([*cast, *left, *called], called, offices=True))
    return desk._replace(outlines=seen, named=people.within(text), ids=ids_within(text))


def _rewriting(
    ledger: Ledger, lang: str, notes: list[Fault], chapter: int, called: Aliases
) -> Desk:
    """The desk of a rewrite: the state right before the chapter, what it established, and what
    relies on it."""
    from clew.novel.context_rewrite import established, relied_on

    past = _past(ledger)
    reach, standing = _reach(ledger, lang, notes, past, chapter, called)
    before = _before(past, chapter)
    rewrite = Rewrite(
        established=established(standing, past.lines, chapter, lang),
        relied=relied_on(reach, lang),
        published=reach.published,
        last=past.state.last_committed_chapter,
        revision=past.state.state_revision,
    )
    return Desk(past.state.book_title, chapter, before, rewrite=rewrite)


def _before(past: _Past, chapter: int) -> State | None:
    """The state right before the line that appended a chapter; later revisions of the chapters
    before it are not in it, those made earlier are."""
    kinds = [
        index
        for index, brief in enumerate(past.briefs)
        if brief.kind == "append" and brief.chapter == chapter
    ]
    if not kinds:
        return None
    return history.back_to(past.state, past.lines, kinds[-1] - 1)


# ---- one character, one chapter ------------------------------------------------------------------


def who(ledger: Ledger, name: str, notes: list[Fault], *, at: int | None = None) -> Person:
    """One character now, or right after chapter `at` was appended. `name` may be an alias.

    Raises `Usage` for no name, `Refused` (`unknown_character`, `ambiguous_name`, `no_such_point`), `Corrupt` where the
    history is broken, and what loading raises.
    """
    from clew.novel.standing import standing
    from clew.novel.who import who as told

    if not clean(name):
        reason = Both("要给一个名字，如 clew novel who 江晨", "say whom: clew novel who NAME")
        raise Usage(Fault("usage", reason=reason))
    past = _past(ledger)
    state, lines = past.state, past.lines
    if at is not None:
        points = {
            chapter: index
            for chapter, index in history.appended(past.briefs)
            if chapter <= state.last_committed_chapter
        }
        if at not in points:
            span = f"{min(points)}..{max(points)}" if points else "-"
            raise Refused(Fault("no_such_point", found=at, allowed=span))
        state = history.back_to(state, lines, points[at])
        lines = lines[: points[at] + 1]
    stand = standing(lines, state.last_committed_chapter)
    return told(name, state, lines, stand, _aliases(ledger, notes))


def impact(ledger: Ledger, chapter: int, lang: str, notes: list[Fault]) -> Impact:
    """What a rewrite of a committed chapter may touch.

    Raises `Refused` (`no_such_chapter`), `Corrupt` where the history is broken, and what loading
    raises.
    """
    past = _past(ledger)
    last = past.state.last_committed_chapter
    if not 1 <= chapter <= last:
        allowed = f"1..{last}" if last else "-"
        raise Refused(Fault("no_such_chapter", found=chapter, allowed=allowed))
    return _reach(ledger, lang, notes, past, chapter, _aliases(ledger, notes))[0]


def _reach(
    ledger: Ledger, lang: str, notes: list[Fault], past: _Past, chapter: int, called: Aliases
) -> tuple[Impact, Standing]:
    from clew.novel.impact import Story
    from clew.novel.impact import impact as reach
    from clew.novel.marks import of_lines
    from clew.novel.standing import standing
    from clew.novel.who import everyone

    bodies = book.bodies(ledger)

    def read(number: int) -> str:
        try:
            path = f"{book.BODIES}/{sorted(bodies[number])[0]}"
            return book.read_text(ledger, path).data.decode("utf-8", "replace")
        except ClewError as error:
            notes.extend(error.faults)
            return ""

    stand = standing(past.lines, past.state.last_committed_chapter)
    people = everyone(past.state, stand)
    story = Story(
        state=past.state,
        lines=past.lines,
        stand=stand,
        called=_forms(people, called, offices=False),
        offices=_forms(people, called, offices=True),
        published=chapter in of_lines(past.lines).published,
        title=(book.title_of(ledger, chapter) or "") if not stand.of(chapter) else "",
        lang=lang,
        bodies=list(bodies),
        read_body=read,
    )
    return reach(story, chapter), stand


# ---- reading -------------------------------------------------------------------------------------


def _past(ledger: Ledger) -> _Past:
    def read(reader: Reader) -> tuple[State, list[bytes]]:
        return ledger.load(reader).state, ledger.lines(reader)

    state, lines = ledger.look(read)
    briefs, faults = history.verify(lines)
    if faults:
        raise Corrupt(*faults)
    return _Past(state, lines, briefs)


def _aliases(ledger: Ledger, notes: list[Fault]) -> Aliases:
    """What people are called, by the ledger's name. A file that cannot be understood costs a note."""
    from clew.novel.aliases import read

    found = read(ledger)
    notes.extend(found.faults)
    return found.called


def _forms(names: Iterable[str], called: Aliases, *, offices: bool) -> dict[str, list[str]]:
    """By what forms a text names these people without doubt: aliases, and what follows from names.

    `offices` lets an alias such as 老板 count too: enough to put somebody first, not to say that an
    old chapter is about him.
    """
    from clew.novel.lint.cast import Cast

    cast = Cast(names, called)
    if not offices:
        return {name: cast.telling(name) for name in cast.names}
    found: dict[str, list[str]] = {name: [] for name in cast.names}
    for form, name in cast.forms.items():
        found[name].append(form)
    return found
