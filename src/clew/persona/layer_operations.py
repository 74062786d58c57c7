"""What `clew persona` offers on the layers of a persona: choice, memory, state, expression, refusals.

As in `operations`: each opens the home, calls one function of the room and returns its answer. What was
given beside an action that has no use for it is refused, not passed over.
"""

from __future__ import annotations

import posixpath
from typing import Any, Final

import msgspec

from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host, Operation
from clew.persona import addressing
from clew.persona.answers import DiaryAnswer, Entries, MoodAnswer, RefusalAnswer, VoiceAnswer
from clew.persona.opening_home import home_of, only
from clew.persona.requests import (
    PersonaDiary,
    PersonaHang,
    PersonaIntent,
    PersonaMood,
    PersonaRefusal,
    PersonaThought,
    PersonaVoice,
)

_TEXT_FILE: Final = 400_000
_UNIT: Final = Both("0 到 1 的数", "a number 0..1")


# ---- choice -----------------------------------------------------------------------------------------


def _needed(action: str, what: str | None) -> str:
    if what is None:
        raise Refused(Fault("entry_text", "$.what", name=action))
    return what


def _intent(host: Host, request: PersonaIntent) -> Any:
    from clew.persona import intents

    uses = {"add": ("what", "due", "thought", "source"), "list": ("all",)}
    only(request, *uses.get(request.action, ("what", "outcome")))
    home = home_of(host, request)
    made: Any = None
    if request.action == "add":
        made = intents.add_intent(
            home, request.what or "", due=request.due or "", thought=request.thought.upper(),
            source=request.source,
        )  # fmt: skip
    elif request.action != "list":
        made = intents.close_intent(
            home, _needed(request.action, request.what), outcome=request.outcome,
            dropped=request.action == "drop",
        )  # fmt: skip
    _past(host, home, made)
    lists = home.read_lists()
    shown = lists.intents if request.all else intents.by_due(lists.open_intents())
    return _entries("intent", request.action, made, shown, len(lists.open_intents()))


def _past(host: Host, home: Any, made: Any) -> None:
    """Say so where something is due on a date that is over: more likely a slip than a wish."""
    if made is not None and not made.closed_at and made.due and made.due < (today := home.today()):
        host.notes.append(Fault("due_past", "$.due", found=made.due, limit=today))


def _thought(host: Host, request: PersonaThought) -> Any:
    from clew.persona import intents

    uses = {"add": ("what", "source"), "drop": ("what", "outcome")}
    only(request, *uses.get(request.action, ("all",)))
    home = home_of(host, request)
    made: Any = None
    if request.action == "add":
        made = intents.add_thought(home, request.what or "", source=request.source)
    elif request.action == "drop":
        made = intents.drop_thought(home, _needed("drop", request.what), outcome=request.outcome)
    lists = home.read_lists()
    free = lists.open_thoughts()
    shown = lists.thoughts if request.all else free
    return _entries("thought", request.action, made, shown, len(free))


def _hang(host: Host, request: PersonaHang) -> Any:
    from clew.persona import intents

    uses = {"add": ("what", "due", "window"), "done": ("what", "outcome")}
    only(request, *uses.get(request.action, ("all",)))
    home = addressing.home_and_window(host, request)
    made: Any = None
    if request.action == "add":
        made = intents.add_hanging(
            home, request.what or "", due=request.due or "", window=request.window
        )
    elif request.action == "done":
        made = intents.close_hanging(home, _needed("done", request.what), outcome=request.outcome)
    _past(host, home, made)
    lists = home.read_lists()
    shown = lists.hanging if request.all else intents.by_due(lists.open_hanging())
    return _entries("hanging", request.action, made, shown, len(lists.open_hanging()))


def _entries(kind: str, action: str, made: Any, shown: list[Any], count: int) -> Entries:
    entries = [made] if made is not None else shown
    plain = [msgspec.to_builtins(one) for one in entries]
    return Entries(kind=kind, action=action, entries=plain, open=count)


# ---- memory, state, expression, refusals --------------------------------------------------------------


def _diary(host: Host, request: PersonaDiary) -> Any:
    from clew.persona import diary, intents

    if request.action == "write":
        only(request, "file", "window", *(() if request.file else ("what",)))
    else:
        only(request, "what", *(() if request.what else ("days",)))
    home = addressing.home_and_window(host, request)
    if request.action == "write":
        text = _file(host, request.file) if request.file else request.what or ""
        days = [diary.write(home, text, window=request.window)]
    else:
        date = intents.civil_date(request.what, "$.what") if request.what else None
        days = diary.show(home, date=date, days=request.days)
    return DiaryAnswer(
        action=request.action, days=[{"date": one.date, "text": one.text} for one in days]
    )


def _file(host: Host, path: str) -> str:
    from clew.kernel.files import Files
    from clew.persona.decoding import text_of

    files, real = Files(), posixpath.normpath(posixpath.join(host.cwd, path))
    if (there := files.stat(files.resolve(real))) is None or there.kind != "file":
        raise Missing(Fault("missing_file", file=real))
    data = files.read(real, 0, _TEXT_FILE + 1)
    if len(data) > _TEXT_FILE:
        raise Refused(Fault("too_large", file=path, found=len(data), limit=_TEXT_FILE))
    return text_of(data, path)


def _mood(host: Host, request: PersonaMood) -> Any:
    from clew.persona import keeping

    changes = ("value", "cause", "source", "window") if request.action != "show" else ()
    only(request, "hours", *changes)
    home = addressing.home_and_window(host, request)
    if not 1 <= request.hours <= 8760:
        raise Refused(Fault("out_of_range", "$.hours", found=request.hours, allowed="1..8760"))
    if request.action != "show":
        keeping.change_mood(
            home, request.action, _number(request.value), cause=request.cause,
            source=request.source, window=request.window,
        )  # fmt: skip
    return MoodAnswer(
        state=msgspec.to_builtins(keeping.state(home, lang=host.lang)),
        curve=msgspec.to_builtins(keeping.mood_curve(home, request.hours, lang=host.lang)),
    )


def _number(text: str | None) -> float:
    import re

    if text is None:
        raise Refused(Fault("entry_text", "$.value", name=_UNIT))
    if not re.fullmatch(r"[0-9]{0,3}(?:\.[0-9]{1,20})?", text) or text in ("", "."):
        raise Refused(Fault("mood_value", "$.value", found=text, allowed=_UNIT))
    return float(text)


def _voice(host: Host, request: PersonaVoice) -> Any:
    from clew.persona import voice

    only(request, *(("what", "source") if request.action == "add" else ()))
    home = home_of(host, request)
    if request.action == "add":
        made = voice.add(home, request.what or "", source=request.source)
        shown = [{"text": made.text, "source": made.source}]
        return VoiceAnswer(action="add", samples=shown, today=[])
    found = voice.read(home)
    if not found:
        host.notes.append(Fault("no_samples"))
    chosen = voice.of_day(found, home.today(), home.settings.quotas.samples, home.settings.id)
    return VoiceAnswer(
        action="list", samples=[{"text": one.text, "source": one.source} for one in found],
        today=[number for number, one in enumerate(found) if one in chosen],
    )  # fmt: skip


def _refusal(host: Host, request: PersonaRefusal) -> Any:
    from clew.persona import refusals
    from clew.persona.model import PROBES

    uses = {
        "today": (), "add": ("refusal", "probe"),
        "answer": ("refusal", "text", "held", "window", "note"),
    }  # fmt: skip
    only(request, *uses.get(request.action, ("refusal",)))
    home = home_of(host, request)
    added = ""
    if request.action == "today":
        refusals.show_today(home)
    elif request.action == "add":
        from clew.persona import refusals_file

        added = refusals_file.add(home, _needed("add", request.refusal), probe=request.probe).id
    elif request.action == "answer":
        refusals.answer(
            home, _needed("answer", request.refusal), request.text or "",
            held=request.held or "", window=request.window, note=request.note,
        )  # fmt: skip
    known = refusals.read(home)
    probes = refusals.probes_in(home.read(PROBES), home)
    today = refusals.of_day(known, probes, home.today(), home.settings.id)
    if not known:
        host.notes.append(Fault("no_refusals"))
    wear = {one.refusal: one for one in refusals.erosion(known, probes)}
    wanted = added or request.refusal
    shown = [refusals.named(known, wanted)] if wanted else known
    if request.action == "today":
        shown = [today] if today is not None else []
    with_answers = request.action == "curve" or request.action == "answer"
    ids = {one.id for one in shown}
    return RefusalAnswer(
        action=request.action, date=home.today(), today=today.id if today is not None else "",
        refusals=[
            msgspec.to_builtins(one) | {"erosion": msgspec.to_builtins(wear[one.id])}
            for one in shown
        ],
        answers=[
            msgspec.to_builtins(probe)
            for probe in probes
            if with_answers and probe.kind == "answer" and probe.refusal in ids
        ],
    )  # fmt: skip


_P: Final = "clew.persona"
LAYERS: Final[tuple[Operation, ...]] = (
    Operation(
        "persona.intent", PersonaIntent, f"{_P}.answers:Entries", _intent, "write",
        "自建清单：想做的事；没有未完成项就不会自己醒",
        "the self-made list; with nothing open on it, nothing wakes of its own accord",
        "clew persona intent add 把渡口的故事讲完 --due 2026-05-01",
    ),
    Operation(
        "persona.thought", PersonaThought, f"{_P}.answers:Entries", _thought, "write",
        "念头池", "the pool of thoughts", "clew persona thought add 雨停以后的街是什么颜色",
    ),
    Operation(
        "persona.hang", PersonaHang, f"{_P}.answers:Entries", _hang, "write",
        "没说完的话", "what was not said to its end", "clew persona hang add 上次说到一半的那封信",
    ),
    Operation(
        "persona.diary", PersonaDiary, f"{_P}.answers:DiaryAnswer", _diary, "write",
        "日记，按它自己的日历日", "the diary, by its own civil date",
        "clew persona diary write 今天没有人来",
    ),
    Operation(
        "persona.mood", PersonaMood, f"{_P}.answers:MoodAnswer", _mood, "write",
        "心情：看曲线，或因为什么而改变", "the mood: its curve, or a change because of something",
        "clew persona mood raise 0.2 --cause 收到了回信 --source person",
    ),
    Operation(
        "persona.voice", PersonaVoice, f"{_P}.answers:VoiceAnswer", _voice, "write",
        "语气样本：原话，一字不改", "samples of speech, to the letter",
        "clew persona voice add 灯我留着，你慢慢走",
    ),
    Operation(
        "persona.refusal", PersonaRefusal, f"{_P}.answers:RefusalAnswer", _refusal, "write",
        "不做的事：每天一条，试探的回答，磨损曲线",
        "what it does not do: one a day, answers to probes, the erosion curve",
        "clew persona refusal today",
    ),
)  # fmt: skip
