"""The quick way through an event of a persona's session. Standard library only.

Called at every turn, so it opens no home: it leaves a mark of what happened, reads the text that lies
ready, and has the mark taken up behind the host's back, in a process of its own. Where nothing lies
ready, or there is something to be judged, `persona` takes the long way.
"""

from __future__ import annotations

import os

from clew.faces.hooks import persona_contract as contract
from clew.faces.hooks.persona_contract import Told
from clew.persona import marks, prepared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INPUT_BYTES = 16_000_000
_TIMERS_CHARS = 200_000
_START_CHARS = 160


class Call:
    """One call of the hook, and what the face knows about it."""

    def __init__(
        self,
        argv: list[str],
        given: str,
        *,
        asked: str | None = None,
        locale: str = "en",
        cwd: str = "",
        library: str = "",
        wake: str = "",
    ) -> None:
        self.named = next((word for word in argv if word[:1] != "-"), "")
        host = _after(argv, "--host")
        self.host = host if host in contract.HOSTS else ""
        self.given = given.rstrip("/")
        """The persona: its folder, or its name."""
        self.asked = asked
        self.locale = locale
        self.cwd = cwd
        self.library = library
        self.wake = wake
        self.notes: list[str] = []
        self.later: Callable[[], None] | None = None
        """What is to be done once the host has its answer."""

    @property
    def key(self) -> str:
        """The language under which a text lies ready: where none was asked for, the persona's name
        decides, or else the locale."""
        return self.asked or f"by name, else {self.locale}"


def answer(call: Call, data: bytes) -> bytes:
    """What goes to stdout. A home that cannot be found or read is told to the agent where it would have
    read a text, not passed over in silence; raises only what nobody foresaw.

    Where a host's words make no sense, the event of the command line is answered all the same: what a
    persona does not do is told at every turn.
    """
    garbled = False
    try:
        if len(data) > INPUT_BYTES:
            raise ValueError(f"more than {INPUT_BYTES} bytes")
        told = contract.read(data, call.named, call.host)
    except (ValueError, RecursionError) as error:
        call.notes.append(f"{type(error).__name__}: {error}")
        told, garbled = Told(call.named, call.host or "claude"), True
    if told.subagent or told.event not in contract.EVENTS:
        return contract.silence(told)
    try:
        return _answer(call, told, garbled=garbled)
    except Exception as error:  # noqa: BLE001 - what is no known failure is raised again there
        from clew.faces.hooks import persona

        return persona.failed(call, told, error)


def _answer(call: Call, told: Told, *, garbled: bool) -> bytes:
    folder = _folder(call)
    if told.event == contract.CLOSING:
        if told.session:
            marks.leave(folder or _found(call, told), "ended", session=told.session)
        return contract.silence(told)
    if told.event == contract.OPENING and told.source in contract.PLAIN:
        folder = folder or _found(call, told)
        card, turn = prepared.ready(folder, call.key), marks.ready(folder, call.key, told.session)
        if card is not None and turn is not None:
            if told.session:  # an opening that belongs to no window is nobody's
                _mark(call, folder, "opened", told, source=told.source)
            card = f"{card.rstrip()}\n\n{turn[1]}" if turn[1] else card
            return contract.opening(told, card, folder, language(call, folder))
    if told.event in contract.WORDS:
        folder = folder or _found(call, told)
        return _words(call, told, folder, garbled=garbled)
    if told.event in contract.DONE and _settled(told):
        folder = folder or _found(call, told)
        if told.session:
            timers = told.timers if len(repr(told.timers)) < _TIMERS_CHARS else None
            _mark(call, folder, "done", told, timers=timers)
        return contract.silence(told)
    if told.event in contract.COMPACTING:
        if told.event == "PreCompress" and told.trigger == "auto":
            return contract.silence(
                told
            )  # asked before every request, and mostly nothing is compressed
        folder = folder or _found(call, told)
        if not _mark(call, folder, "compacting", told) or told.host == "claude":
            return contract.silence(told)  # Claude Code gives what is said here to its summary
        from clew.persona import turning

        lang = language(call, folder)
        ago = marks.ago(marks.last_baton(folder))
        text = turning.before_compaction(ago, lang, archived=bool(told.transcript))
        return contract.notice(text)
    from clew.faces.hooks import persona

    return persona.answer(call, told, folder)


def language(call: Call, folder: str) -> str:
    """The language of a word to the person: the one that was asked for, else by the home's name."""
    cjk = any("\u3400" <= char <= "\u9fff" for char in folder.rpartition("/")[2])
    return call.asked or ("zh" if cjk else call.locale)


def _settled(told: Told) -> bool:
    """Whether the turn needs no guard: it ended with words, or was made to go on already."""
    return told.asked_again or bool(told.message and told.message.strip())


def _words(call: Call, told: Told, folder: str, *, garbled: bool) -> bytes:
    if not garbled:
        from zlib import crc32

        start = told.prompt.strip()[:_START_CHARS].strip().encode("utf-8", "replace")
        _mark(
            call, folder, "words", told, wake=call.wake, source=told.prompt_source, markup=_markup(told.prompt),
            chars=len(told.prompt), start=crc32(start), prompt=told.prompt_id,
        )  # fmt: skip
    ready = marks.ready(folder, call.key, told.session)
    if ready is not None:
        text = "\n".join(part for part in ready if part)
    else:
        from clew.faces.hooks import persona

        text = persona.turn(call, told, folder)
    extra = marks.told(folder, told.session) if told.session else ""
    return contract.context(told, f"{text}\n{extra}" if extra else text)


def _markup(prompt: str) -> bool:
    if not prompt.lstrip().startswith("<"):
        return False
    from clew.persona.transcripts.piece import injected

    return injected(prompt)


def _mark(call: Call, folder: str, kind: str, told: Told, **facts: object) -> bool:
    """Leave a mark and have it taken up; whether that could be done."""
    try:
        marks.leave(
            folder, kind, session=told.session, host=told.host, transcript=told.transcript[:4096],
            cwd=told.cwd[:4096], **facts,
        )  # fmt: skip
    except OSError as error:  # the answer matters more than the record
        from clew.faces.hooks import persona

        persona.note_failure(call, error)
        return False
    call.later = lambda: behind(folder, call, told)
    return True


def _folder(call: Call) -> str:
    """The home's folder where that was given, as an installed hook gives it; else empty."""
    given = call.given
    there = os.path.isabs(given) and os.path.isfile(f"{given}/persona.toml")  # noqa: PTH113, PTH117
    return given if there else ""


def _found(call: Call, told: Told) -> str:
    from clew.persona.finding import find_home

    return find_home(call.given, cwd=told.cwd or call.cwd, library=call.library)


def behind(folder: str, call: Call, told: Told) -> None:
    """Have the marks taken up by a process that the host does not wait for; where the system has no
    fork, by this one. A mark that is not taken up now is by whoever comes next."""
    if not hasattr(os, "fork"):
        _take_up(folder, call, told)
        return
    if os.fork():
        return
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nowhere, fd)
        _take_up(folder, call, told)
    finally:
        os._exit(0)


def _take_up(folder: str, call: Call, told: Told) -> None:
    from clew.faces.hooks import persona

    persona.take_up(call, told, folder)


def _after(argv: list[str], flag: str) -> str:
    for at, word in enumerate(argv):
        if word == flag and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{flag}="):
            return word[len(flag) + 1 :]
    return ""
