"""The long way through an event of a persona's session: opens the home, judges, records.

What a host tells is data: the session's id is judged before it becomes a key, the transcript's path
before anything is read there, and no word of a prompt is written down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clew.faces.hooks import persona_contract as contract
from clew.faces.hooks.persona_contract import Told
from clew.kernel.errors import ClewError

if TYPE_CHECKING:
    from clew.faces.hooks.session import Call
    from clew.persona.home import Change, Home

LOCK_SECONDS: Final = 1.5
_BEHIND_SECONDS: Final = 30.0
_SHOWN: Final = 5


def answer(call: Call, told: Told, folder: str) -> bytes:
    """What goes to stdout at an opening, or at a turn that may have lost its answer."""
    try:
        home = _home(call, told, folder)
        try:
            lang = _lang(call, home)
            if told.event == contract.OPENING:
                return _opening(call, told, home, lang)
            return _done(told, home, lang)
        finally:
            said = _said_in(call, home.root)
            call.notes += [note.message(said) for note in home.notes[:_SHOWN]]
    except ClewError as error:
        _note(call, error, folder)
        opening = told.event == contract.OPENING
        broken = _broken(call, error, folder) if opening else ""
        return contract.context(told, broken) if opening else contract.silence(told)


def turn(call: Call, told: Told, folder: str) -> str:
    """What a turn reads, where nothing lay ready. A home that cannot be read is told, not passed over
    in silence: a persona without its limits is no persona."""
    from clew.persona import taking
    from clew.persona.home import Home

    try:
        home = Home(folder, lock_timeout=LOCK_SECONDS)
        return taking.turn_of(home, _lang(call, home), call.key, told.session)
    except ClewError as error:
        _note(call, error, folder)
        return _broken(call, error, folder)


def take_up(call: Call, told: Told, folder: str) -> None:
    """Take up the marks, after the host had its answer. Whatever is wrong, they stay for the next."""
    from clew.persona import taking
    from clew.persona.home import Home

    home = Home(folder, lock_timeout=_BEHIND_SECONDS)
    lang = _lang(call, home)
    if taking.take_up(home, lang) or told.event == contract.OPENING:
        taking.turn_of(home, lang, call.key)
        taking.card_of(home, lang, call.key)
        if told.event in contract.COMPACTING:
            from clew.persona import archiving

            archiving.run(home)


def failed(call: Call, told: Told, error: Exception) -> bytes:
    """The answer where a home cannot be found, read or written to. What is no failure of that kind is
    raised again."""
    known = note_failure(call, error)
    if told.event == contract.OPENING or told.event in contract.WORDS:
        return contract.context(told, _broken(call, known, call.given))
    return contract.silence(told)


def note_failure(call: Call, error: Exception) -> ClewError:
    """Tell the person what the system refused, in their language."""
    if isinstance(error, OSError):
        from clew.kernel.errors import storage_failed

        error = storage_failed(error, str(error.filename or call.given))
    if not isinstance(error, ClewError):
        raise error
    _note(call, error, call.given)
    return error


def _home(call: Call, told: Told, folder: str) -> Home:
    from clew.persona.home import Home

    if not folder:
        from clew.persona.finding import find_home

        folder = find_home(call.given, cwd=told.cwd or call.cwd, library=call.library)
    return Home(folder, lock_timeout=LOCK_SECONDS)


def _lang(call: Call, home: Home) -> str:
    from clew.persona.taking import language

    return language(home, call.asked, call.locale)


def _said_in(call: Call, folder: str) -> str:
    """The language in which a fault is told: that of everything else the hook says here, as far as the
    home can still be read; else by its folder's name."""
    from clew.faces.hooks import session
    from clew.persona.home import Home

    try:
        return _lang(call, Home(folder)) if folder else session.language(call, call.given)
    except (ClewError, OSError):
        return session.language(call, folder or call.given)


def _note(call: Call, error: ClewError, folder: str) -> None:
    lang = _said_in(call, folder)
    call.notes += [fault.message(lang) for fault in error.faults[:_SHOWN]]


def _broken(call: Call, error: ClewError, folder: str) -> str:
    lang = _said_in(call, folder)
    return "\n".join(
        f"clew [{one.code}] {one.message(lang)} → {one.hint(lang)}" for one in error.faults[:_SHOWN]
    )


def _transcript(told: Told) -> str:
    from clew.persona.transcripts.naming import belongs

    return told.transcript if belongs(told.transcript, told.session) else ""


def _saw(told: Told, change: Change, origin: str = "") -> Any:
    """The window, which is in the register from now on; None where the host named none."""
    from clew.persona import registering

    if not told.session:
        return None
    host: Any = told.host
    known = registering.saw(
        change, told.session, host=host, transcript=_transcript(told), cwd=told.cwd, origin=origin
    )
    return known.find(told.session)


# ---- events ----------------------------------------------------------------------------------------


def _opening(call: Call, told: Told, home: Home, lang: str) -> bytes:
    from clew.faces.hooks import session
    from clew.persona import keeping, opening, taking, turning

    extra = ""
    try:
        taking.take_up(home, lang)
        with home.change() as change:
            window = _saw(told, change, _origin(told, home))
            keeping.seen(change)
            if told.session:  # an opening that belongs to no window is nobody's
                change.event("opened", window=told.session, source=told.source[:40], host=told.host)
        if told.source == "compact" and window is not None:
            extra = turning.after_compaction(window.compacted, _baton_at(home), home.zone, lang)
        handed = taking.handed_to(home, told.session, lang) if told.session else ""
        extra = "\n".join(part for part in (extra, handed) if part)
        call.later = lambda: session.behind(home.root, call, told)  # for the next opening and turn
    except ClewError as error:  # the card matters more than the record of having shown it
        _note(call, error, home.root)
    most = turning.CARD_CHARS - len(extra) - 2
    text = opening.opening_card(home, window=told.session, lang=lang).text
    text = text if len(text) <= most else text[: most - 1] + "…"
    return contract.opening(told, f"{text}\n{extra}" if extra else text, home.root, lang)


def _origin(told: Told, home: Home) -> str:
    """The window that this one was forked from, where its transcript tells it."""
    path = _transcript(told)
    if told.source != "fork" or not path:
        return ""
    from clew.persona import origins

    return origins.told(home.vault.files, path)


def _baton_at(home: Home) -> str:
    from clew.persona.channels import reading

    baton = reading.baton(home)
    return "" if baton is None else baton.at


def _done(told: Told, home: Home, lang: str) -> bytes:
    """A turn that ended, as far as its host tells, without a word."""
    from clew.persona import answer_guard, keeping, taking, turning, watching

    path = _transcript(told)
    found = watching.last_turn(home, path) if path else None
    verdict = answer_guard.judge(found) if found is not None else None
    if found is not None and told.message is None and (found.last is None or not found.last.stop):
        verdict = None  # the host may not have written its end yet: the pulse looks again
    with home.change() as change:
        _saw(told, change)
        keeping.seen(change)
        findings = taking.audit_timers(change, told.session, told.timers)
        lost = []
        if verdict is not None and verdict.lost and told.session:
            lost = watching.keep(change, told.session, [verdict])
    if lost:
        reason = turning.without_answer(lost[0].kind, len(lost[0].words), lang)
        return contract.go_on(told, reason)
    if findings:
        return contract.notice(turning.about_timers(findings, lang))
    return contract.silence(told)
