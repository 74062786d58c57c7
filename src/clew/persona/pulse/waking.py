"""One wake: decide, reserve, run, record.

The reservation is a line of the ledger, synced within the transaction that made the decision, before
anything starts; so that a run happens at most once, whoever looks at the same time and wherever one is
killed. What came of it is recorded together with what it leaves behind: the line of a channel, the
prompt in the outbox, the event.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.kernel.clock import stamp
from clew.kernel.errors import ClewError, Locked
from clew.kernel.faults import Fault
from clew.persona.channels import reading
from clew.persona.channels.lines import Note, Thinking
from clew.persona.channels.writing import TEXT_CHARS, Writer
from clew.persona.model import SETTINGS
from clew.persona.pulse import lease, outbox, runlock
from clew.persona.pulse.ledgerfile import WAKE
from clew.persona.pulse.outcome import Outcome
from clew.persona.pulse.prompts import ITEMS, Scene, compose
from clew.persona.pulse.runlock import RunLock
from clew.persona.pulse.view import Means, View, view_of
from clew.persona.quoting import marked
from clew.persona.wake.decide import Run, Skip, decide
from clew.persona.wake.ledger import Effect, Ledger, Lost, Reserved
from clew.persona.wake.rules import Entry

if TYPE_CHECKING:
    from datetime import datetime

    from clew.persona.home import Change, Home

LATE: Final = timedelta(seconds=60)
"""So long after its deadline a run is lost even if something still holds its lock."""
_KEPT_CHARS: Final = 200
_TRIES: Final = 6
ENVIRONMENT: Final = "CLEW_WAKE"
"""Tells the hooks within a started program that its prompt came from a wake, not from a person."""


class Reservation(NamedTuple):
    """A run that is ours to start."""

    line: Reserved
    lock: RunLock
    view: View


class Woken(NamedTuple):
    """A run that is over."""

    line: Reserved
    outcome: Outcome


def reserve(home: Home, means: Means, entry: Entry, mail: int) -> Reservation | Skip:
    """Decide under the lock, and reserve the run when it is to be. Nothing has started yet."""
    lock: RunLock | None = None
    answered = _answered(home, mail) if entry == "resident" else 0
    try:
        with home.change() as change:
            now = change.clock_now
            held = lease.hold(change, means.owner)
            view = view_of(
                home, means, change.read, now, mail=mail, holds=held.ours, holder=str(held.lease)
            )
            found = decide(
                entry, now, view.grid, view.ledger, view.intents, view.presence, view.host
            )
            if not isinstance(found, Run):
                return found
            lock = runlock.take(home, found.slot.key)
            if lock is None:
                return Skip(entry, "busy", {"key": found.slot.key}, found.slot)
            line = _line(home, means, found, now, answered)
            change.append(WAKE, line)
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    return Reservation(line, lock, view)


def _answered(home: Home, mail: int) -> int:
    """Up to which note a run sees the mail. A prompt that is left in the outbox says that there is some;
    what is run answers those that its prompt shows, and the rest is reason enough to wake again."""
    if home.settings.runner.kind == "outbox" or not mail:
        return mail
    shown = reading.unread(home, most=ITEMS)
    return shown[-1].n if shown else mail


def _line(home: Home, means: Means, found: Run, now: datetime, mail: int) -> Reserved:
    runner, slot = home.settings.runner, found.slot
    limit = timedelta(seconds=0 if runner.kind == "outbox" else runner.timeout_seconds)
    return Reserved(
        at=stamp(now), entry=slot.entry, date=slot.date, ordinal=slot.ordinal, due=stamp(slot.due),
        runner=runner.kind, deadline=stamp(now + limit + LATE), host=means.owner.host,
        boot=means.owner.boot, pid=means.owner.pid, mail=mail,
    )  # fmt: skip


def perform(home: Home, means: Means, reserved: Reservation) -> Woken:
    """Run what was reserved, and record what came of it. Raises only when that cannot be recorded:
    then the reservation stays open and is told as lost."""
    line = reserved.line
    began = home.now()
    # Those that the prompt shows, the oldest first: a note that it does not show stays unread.
    notes = reading.unread(home, most=ITEMS) if line.mail else []
    try:
        scene = _scene(home, reserved.view, began, [note.text for note in notes], means.lang)
        prompt = compose(line.entry, scene, means.lang)
        outcome = _run(home, means, reserved, prompt)
    except ClewError as error:
        prompt, outcome = "", Outcome(fault=error.faults[0])
    try:
        _record(home, means, reserved, prompt, outcome, notes)
    except BaseException:
        reserved.lock.abandon()
        raise
    return Woken(line, outcome)


def _run(home: Home, means: Means, reserved: Reservation, prompt: str) -> Outcome:
    settings, line = home.settings, reserved.line
    if line.runner == "outbox":
        return Outcome()
    if not means.trusted(home.root, (SETTINGS,)) or home.read_settings() != settings:
        # Looked at again, last of all: what runs is what was trusted.
        return Outcome(fault=Fault("not_trusted", file=home.root))
    if line.runner == "endpoint" and settings.endpoint is not None:
        from clew.persona.pulse import endpoint

        asked = endpoint.Request(
            settings.endpoint.url, settings.endpoint.model, settings.endpoint.key_env,
            settings.runner.max_tokens, settings.runner.timeout_seconds,
        )  # fmt: skip
        return endpoint.ask(asked, _card(home, means), prompt, means.meanwhile)
    from clew.persona.pulse import command

    program = command.Program(
        settings.runner.command, settings.runner.prompt, settings.runner.answer,
        settings.runner.timeout_seconds, home.root, runlock.path_of(home, line.key, "prompt"),
        {ENVIRONMENT: line.entry}, (reserved.lock.handle,),
    )  # fmt: skip
    return command.run(program, f"{_card(home, means)}\n\n{prompt}".strip(), means.meanwhile)


def _card(home: Home, means: Means) -> str:
    from clew.persona.opening import opening_card

    return opening_card(home, lang=means.lang).text


def _scene(home: Home, view: View, now: datetime, mail: list[str], lang: str) -> Scene:
    from clew.persona import keeping

    here = keeping.state(home, now, lang)
    return Scene(
        now.astimezone(home.zone).strftime("%Y-%m-%d %H:%M"),
        here.silence_seconds // 60 if here.last_word_at else None,
        f"{here.mood:.2f} · {marked(here.cause, lang, 300)}",
        [one.text for one in view.lists.open_intents()],
        [one.text for one in view.lists.open_hanging()], mail, view.refusals,
    )  # fmt: skip


def _record(
    home: Home,
    means: Means,
    reserved: Reservation,
    prompt: str,
    outcome: Outcome,
    notes: list[Note],
) -> None:
    for attempt in range(_TRIES):
        try:
            with home.change() as change:
                _write(change, means, reserved, prompt, outcome, notes)
        except Locked:
            if attempt + 1 == _TRIES:
                raise
        else:
            break
    reserved.lock.release()


def _write(
    change: Change,
    means: Means,
    reserved: Reservation,
    prompt: str,
    outcome: Outcome,
    notes: list[Note],
) -> None:
    line, fault = reserved.line, outcome.fault
    seconds = (change.clock_now - _moment(line.at)).total_seconds()
    change.append(
        WAKE,
        Effect(
            at=stamp(change.clock_now), key=line.key, outcome=outcome.word(line.runner),
            tokens=outcome.tokens, text=outcome.text[:_KEPT_CHARS],
            code=fault.code if fault is not None else "",
            detail=fault.message(means.lang) if fault is not None else "",
            seconds=max(0, round(seconds)),
        ),
    )  # fmt: skip
    change.event(
        "wake",
        entry=line.entry,
        wake=line.key,
        runner=line.runner,
        outcome=outcome.word(line.runner),
    )
    if not outcome.ok:
        return
    if line.runner == "outbox":
        outbox.leave(change, line.key, line.entry, prompt)
    else:
        _say(change, line, outcome.text[:TEXT_CHARS], notes)


def _say(change: Change, line: Reserved, text: str, notes: list[Note]) -> None:
    """What was said goes where the entry speaks: an answer and a question onto the board, all else
    into the stream."""
    writer = Writer(change)
    if line.entry == "opener" or notes:
        answered = notes[-1].n if notes else 0
        writer.add("board", Note, text=text, by=reading.PERSONA, re=answered)
    else:
        writer.add("stream", Thinking, text=text)
    if notes:
        reading.mark(change, reading.PERSONA, max(note.n for note in notes))


def _moment(text: str) -> datetime:
    from clew.persona.decoding import instant

    return instant(text)


def lost_runs(home: Home, means: Means, ledger: Ledger, now: datetime) -> list[Lost]:
    """Reservations that will have no effect any more: nobody holds their lock, their machine has
    started anew, or their time is long over."""
    found = []
    for run in ledger.open():
        line = run.line
        here = line.host == means.owner.host
        gone = here and (line.boot != means.owner.boot or runlock.is_free(home, line.key))
        if gone:
            found.append(Lost(at=stamp(now), key=line.key, reason="owner_gone"))
        elif now > _moment(line.deadline):
            found.append(Lost(at=stamp(now), key=line.key, reason="deadline"))
    return found
