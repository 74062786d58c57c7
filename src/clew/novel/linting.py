"""`lint` on a book folder: reads what the rules need, runs them, silences what the author means.

May touch files through the ledger and the book only; writes nothing but marks in the history. The
rules are pure and live in `clew.novel.lint`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Final

from clew.kernel.document import digest
from clew.kernel.errors import ClewError, Corrupt, Refused
from clew.kernel.faults import Fault
from clew.kernel.validate import text as cap
from clew.kernel.validate import validate
from clew.kernel.vault import Reader
from clew.novel import aliases, book, history, marks
from clew.novel.history import Silence
from clew.novel.ledger import Ledger
from clew.novel.lint.answer import Checked, Counts, Linted, Marked, Silenced
from clew.novel.lint.body import Body
from clew.novel.lint.cast import Cast
from clew.novel.lint.chronicle import Chronicle, chronicle_of
from clew.novel.lint.model import Book, Finding, Rule
from clew.novel.lint.rules import BY_ID, RULES
from clew.novel.lint.run import run
from clew.novel.marks import Marks
from clew.novel.model import State
from clew.novel.survey import decoded

REASON_BYTES: Final = 384
_NEAR: Final = 5


def lint(
    ledger: Ledger,
    notes: list[Fault],
    *,
    rules: Sequence[str] = (),
    chapter: int | None = None,
    everything: bool = False,
) -> Linted:
    """The findings of a book, of some rules and of one chapter where these are given.

    `everything` adds what is silenced. Raises `Refused` (`unknown_rule`, `no_such_chapter`),
    `Corrupt` for a broken history, and what reading a ledger raises.
    """
    chosen = _rules(rules)
    subject, known = _open(ledger, notes, only=chapter)
    if chapter is not None and not 1 <= chapter <= subject.last and chapter not in subject.bodies:
        allowed = [f"1..{subject.last}"] if subject.last else []
        allowed += [str(number) for number in subject.bodies if number > subject.last]
        raise Refused(Fault("no_such_chapter", found=chapter, allowed=allowed or "—"))
    findings = run(subject, chosen)
    if chapter is not None:
        findings = [finding for finding in findings if chapter in finding.chapters]
    whole = chapter is None and not rules
    return _answer(subject, known, findings, everything=everything, whole=whole)


def silence(ledger: Ledger, notes: list[Fault], key: str, reason: str | None) -> Linted:
    """Silence a finding that there is, with a reason; the history keeps both.

    Raises `Refused` (`silence_without_reason`, `no_such_finding`, faults of the reason's text).
    """
    if reason is None or not reason.strip():
        raise Refused(Fault("silence_without_reason", found=key))
    said, faults = validate(reason, Annotated[str, cap(REASON_BYTES)], "$.reason")
    if faults:
        raise Refused(*faults)
    subject, known = _open(ledger, notes)
    findings = run(subject, RULES)
    keys = [finding.key for finding in findings]
    if key not in keys:
        raise Refused(Fault("no_such_finding", found=key, allowed=_nearest(key, keys)))
    revision = subject.state.state_revision
    before = known.silences.get(key)
    if before is None or before.reason != said:
        mark = marks.silence_of(key, said, subject.state)
        revision = marks.put(ledger, notes, mark)
        known.silences[key] = mark
    return _answer(subject, known, findings, marked=Marked(key, said, False, revision))


def unsilence(ledger: Ledger, notes: list[Fault], key: str) -> Linted:
    """Take a silence back. Raises `Refused` (`not_silenced`)."""
    subject, known = _open(ledger, notes)
    before = known.silences.pop(key, None)
    if before is None:
        raise Refused(Fault("not_silenced", found=key, allowed=_nearest(key, [*known.silences])))
    revision = marks.put(ledger, notes, Silence(key, lifted=True))
    findings = run(subject, RULES)
    return _answer(subject, known, findings, marked=Marked(key, before.reason, True, revision))


def _rules(wanted: Sequence[str]) -> list[Rule]:
    unknown = [name for name in wanted if name not in BY_ID]
    if unknown:
        allowed = get_close_matches(unknown[0], BY_ID, n=_NEAR, cutoff=0.5) or list(BY_ID)
        raise Refused(Fault("unknown_rule", found=unknown[0], allowed=allowed))
    return [rule for rule in RULES if not wanted or rule.id in wanted]


def _nearest(key: str, keys: Sequence[str]) -> list[str]:
    """The keys closest to one; where none is close, the first there are."""
    return get_close_matches(key, keys, n=_NEAR, cutoff=0.6) or list(keys[:_NEAR]) or ["—"]


def _answer(
    subject: Book,
    known: Marks,
    findings: list[Finding],
    *,
    everything: bool = False,
    whole: bool = True,
    marked: Marked | None = None,
) -> Linted:
    silences = known.silences
    told = [finding for finding in findings if finding.key not in silences]
    quiet = [finding for finding in findings if finding.key in silences]
    silenced = [Silenced(f.key, silences[f.key].reason, f) for f in quiet] if everything else []
    if everything and whole:
        here = {finding.key for finding in quiet}
        silenced += [Silenced(k, s.reason) for k, s in sorted(silences.items()) if k not in here]
    by_rule: dict[str, int] = {}
    for finding in told:
        by_rule[finding.rule] = by_rule.get(finding.rule, 0) + 1
    bodies = subject.bodies
    return Linted(
        findings=told,
        silenced=silenced,
        counts=Counts(len(told), len(quiet), by_rule),
        checked=Checked(len(subject.accounts), bodies.read if isinstance(bodies, _Bodies) else 0),
        marked=marked,
    )


# ---- reading -------------------------------------------------------------------------------------


def _open(ledger: Ledger, notes: list[Fault], *, only: int | None = None) -> tuple[Book, Marks]:
    """The book as rules see it. Bodies are read when a rule asks for them."""

    def read(reader: Reader) -> tuple[State, list[bytes]]:
        return ledger.load(reader).state, ledger.lines(reader)

    state, lines = ledger.look(read)
    broken = history.verify(lines)[1]
    if broken:
        raise Corrupt(*broken)
    chronicle = chronicle_of(lines)
    notes += book.left_out(ledger)
    found = aliases.read(ledger)
    notes += found.faults
    cast = _cast(state, chronicle, found.called)
    notes += _alias_notes(cast)
    known = marks.holding(marks.of_lines(lines), state)
    return Book(state, chronicle, cast, _Bodies(ledger, notes), only), known


def _cast(state: State, chronicle: Chronicle, called: Mapping[str, Sequence[str]]) -> Cast:
    """Everybody whom the ledger ever registered."""
    baseline = chronicle.baseline or state
    core = dict.fromkeys([*baseline.characters, *state.characters])
    names = dict(core)
    others: dict[str, None] = {}
    for step in chronicle.every():
        delta = step.transaction.delta
        core.update(dict.fromkeys(step.transaction.character_snapshots))
        names.update(dict.fromkeys(row.name for row in delta.character_changes))
        names.update(dict.fromkeys(step.transaction.character_snapshots))
        for event in delta.timeline_events:
            others.update(dict.fromkeys(event.characters))
    for row in state.timeline.values():
        others.update(dict.fromkeys(row.characters))
    return Cast(names, called, core=core, others=others)


def _alias_notes(cast: Cast) -> Iterator[Fault]:
    if cast.unknown:
        near = [
            name
            for wrong in cast.unknown
            for name in get_close_matches(wrong, cast.names, n=1, cutoff=0.3)
        ]
        allowed = list(dict.fromkeys(near or cast.names))[:_NEAR] or ["—"]
        yield Fault("aliases_unknown_name", file=aliases.PATH, found=cast.unknown, allowed=allowed)
    for form, owners in sorted(cast.shared.items()):
        yield Fault("aliases_shared", file=aliases.PATH, found=form, allowed=owners)


class _Bodies(Mapping[int, Body]):
    """The bodies of a book, each read once, when it is first asked for.

    One that cannot be read is left out, with a note.
    """

    def __init__(self, ledger: Ledger, notes: list[Fault]) -> None:
        self._ledger = ledger
        self._notes = notes
        self._names: dict[int, list[str]] | None = None
        self._known: dict[int, Body | None] = {}

    @property
    def read(self) -> int:
        """How many were read."""
        return sum(body is not None for body in self._known.values())

    def __getitem__(self, chapter: int) -> Body:
        if chapter not in self._known:
            self._known[chapter] = self._read(chapter)
        body = self._known[chapter]
        if body is None:
            raise KeyError(chapter)
        return body

    def __contains__(self, chapter: Any) -> bool:
        return chapter in self._files()

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._files()))

    def __len__(self) -> int:
        return len(self._files())

    def _files(self) -> dict[int, list[str]]:
        if self._names is None:
            try:
                self._names = book.bodies(self._ledger)
            except ClewError as error:
                self._notes.extend(error.faults)
                self._names = {}
        return self._names

    def _read(self, chapter: int) -> Body | None:
        names = self._files().get(chapter)
        if not names:
            return None
        path = f"{book.BODIES}/{sorted(names)[0]}"
        try:
            data = book.read_text(self._ledger, path).data
        except ClewError as error:
            self._notes.extend(error.faults)
            return None
        plain = data.replace(b"\r\n", b"\n")
        windows = plain.replace(b"\n", b"\r\n")
        text, _ = decoded(data)
        return Body(chapter, path, text, digest(data), map(digest, (plain, windows)))
