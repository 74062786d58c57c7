"""What `clew persona` offers on the home of a persona and its layers, to every face.

Each operation opens the home, calls one function of the room and returns its answer. Modules are
imported where they are used: a command pays for what it does.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

import msgspec

from clew.kernel.errors import Refused, StorageFailed, Usage
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host, Operation
from clew.persona.answers import (
    Begun,
    DiaryAnswer,
    Entries,
    MoodAnswer,
    RefusalAnswer,
    VoiceAnswer,
)
from clew.persona.opening_home import home_of
from clew.persona.requests import (
    PersonaAdopt,
    PersonaCheck,
    PersonaDiary,
    PersonaExport,
    PersonaHang,
    PersonaInit,
    PersonaIntent,
    PersonaMood,
    PersonaOpening,
    PersonaRefusal,
    PersonaStatus,
    PersonaThought,
    PersonaVoice,
)

if TYPE_CHECKING:
    from clew.persona.home import Home

_TEXT_FILE: Final = 400_000


# ---- the home ---------------------------------------------------------------------------------------


def _init(host: Host, request: PersonaInit) -> Any:
    from clew.persona import creating, voice

    card = host.read_card(request.card) if request.card else None
    name = request.name or (card or {}).get("nickname") or (card or {}).get("name") or ""
    faults = [*creating.name_faults(name), *creating.zone_faults(request.zone)]
    if faults:
        raise Refused(*faults)
    folder = creating.place_for(name, home=request.home, cwd=host.cwd, library=host.library)
    home = creating.create(
        folder, name, request.zone, host=request.host, card=card, clock=host.clock,
        lock_timeout=host.lock_timeout, lang=host.lang,
    )  # fmt: skip
    host.later.append(home.settle)
    return Begun(
        id=home.settings.id, home=home.root, zone=home.settings.zone, from_card=card is not None,
        samples=len(voice.read(home)),
    )  # fmt: skip


def _adopt(host: Host, request: PersonaAdopt) -> Any:
    from clew.persona import adopting, creating

    folder = posixpath.join(host.cwd, request.folder)
    if request.name is None and request.zone is None:
        home = home_of(host, request)
        return adopting.adopt(home, folder, request.map, apply=request.apply, lang=host.lang)
    name = request.name or ""
    faults = [*creating.name_faults(name), *creating.zone_faults(request.zone)]
    if faults:
        raise Refused(*faults)
    place = creating.place_for(name, home=request.home, cwd=host.cwd, library=host.library)
    # Planned first: a folder in which nothing is recognised makes no home.
    plan = adopting.adopt(None, folder, request.map, lang=host.lang)
    if not request.apply:
        return msgspec.structs.replace(plan, home=place)
    made = creating.create(
        place, name, request.zone, clock=host.clock, lock_timeout=host.lock_timeout,
        lang=host.lang, begun="adopted_home",
    )  # fmt: skip
    made.notes = host.notes
    host.later.append(made.settle)
    return adopting.adopt(made, folder, request.map, apply=True, lang=host.lang)


def _status(host: Host, request: PersonaStatus) -> Any:
    from clew.persona import statusing
    from clew.persona.finding import list_homes

    if request.all:
        return statusing.everyone(list_homes(cwd=host.cwd, library=host.library), host)
    home = home_of(host, request)
    _catch_up(host, home)
    return statusing.status(home, host)


def _catch_up(host: Host, home: Home) -> None:
    """Take up what hooks left since the last change; where nothing can be written, say so and go
    on."""
    from clew.persona import taking

    try:
        taking.take_up(home, host.lang)
    except StorageFailed as failed:
        host.notes += failed.faults


def _opening(host: Host, request: PersonaOpening) -> Any:
    from clew.persona.opening import opening_card

    home = home_of(host, request)
    _catch_up(host, home)
    unit = "tokens" if request.tokens is not None else "bytes"
    return opening_card(
        home, window=request.window, lang=host.lang,
        limit=request.tokens if request.tokens is not None else request.bytes, unit=unit,
        plain=request.text,
    )  # fmt: skip


def _check(host: Host, request: PersonaCheck) -> Any:
    from clew.persona import checking
    from clew.persona.home import Home
    from clew.persona.opening_home import folder_of

    # Not `home_of`: settings that cannot be read are one fault among others here.
    home = Home(folder_of(host, request), clock=host.clock, lock_timeout=host.lock_timeout)
    home.notes = host.notes
    host.later.append(home.settle)
    return checking.mend(home, host.lang) if request.mend else checking.check(home, host.lang)


def _export(host: Host, request: PersonaExport) -> Any:
    from clew.persona import exporting

    home = home_of(host, request)
    return exporting.export(home, posixpath.join(host.cwd, request.out), redact=request.redact)


# ---- choice -----------------------------------------------------------------------------------------


def _needed(action: str, what: str | None) -> str:
    if what is None:
        raise Refused(Fault("entry_text", "$.what", name=action))
    return what


def _intent(host: Host, request: PersonaIntent) -> Any:
    from clew.persona import intents

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
    lists = home.read_lists()
    shown = lists.intents if request.all else intents.by_due(lists.open_intents())
    return _entries("intent", request.action, made, shown, len(lists.open_intents()))


def _thought(host: Host, request: PersonaThought) -> Any:
    from clew.persona import intents

    home = home_of(host, request)
    made: Any = None
    if request.action == "add":
        made = intents.add_thought(home, request.what or "", source=request.source)
    pool = home.read_lists().thoughts
    free = [one for one in pool if not one.intent]
    return _entries("thought", request.action, made, pool if request.all else free, len(free))


def _hang(host: Host, request: PersonaHang) -> Any:
    from clew.persona import intents

    home = home_of(host, request)
    made: Any = None
    if request.action == "add":
        made = intents.add_hanging(
            home, request.what or "", due=request.due or "", window=request.window
        )
    elif request.action == "done":
        made = intents.close_hanging(home, _needed("done", request.what), outcome=request.outcome)
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

    home = home_of(host, request)
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
    from clew.persona.home import text_of

    data = Files().read(posixpath.join(host.cwd, path), 0, _TEXT_FILE + 1)
    if len(data) > _TEXT_FILE:
        raise Refused(Fault("too_large", file=path, found=len(data), limit=_TEXT_FILE))
    return text_of(data, path)


def _mood(host: Host, request: PersonaMood) -> Any:
    from clew.persona import keeping

    home = home_of(host, request)
    if not 1 <= request.hours <= 8760:
        raise Refused(Fault("out_of_range", "$.hours", found=request.hours, allowed="1..8760"))
    if request.action != "show":
        keeping.change_mood(
            home, request.action, _number(request.value), cause=request.cause,
            source=request.source, window=request.window,
        )  # fmt: skip
    elif request.cause or request.source or request.value:
        raise Usage(Fault("usage", reason=Both("mood show 不改心情", "mood show changes nothing")))
    return MoodAnswer(
        state=msgspec.to_builtins(keeping.state(home, lang=host.lang)),
        curve=msgspec.to_builtins(keeping.mood_curve(home, request.hours, lang=host.lang)),
    )


def _number(text: str | None) -> float:
    import re

    if text is None:
        raise Refused(Fault("entry_text", "$.value", name=Both("0 到 1 的数", "a number 0..1")))
    if not re.fullmatch(r"[0-9]{0,3}(?:\.[0-9]{1,20})?", text) or text in ("", "."):
        raise Refused(Fault("mood_value", "$.value", found=text, allowed="0..1"))
    return float(text)


def _voice(host: Host, request: PersonaVoice) -> Any:
    from clew.persona import voice

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

    home = home_of(host, request)
    if request.action == "today":
        refusals.show_today(home)
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
    shown = [refusals.named(known, request.refusal)] if request.refusal else known
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
_FINDINGS: Final = lambda answer: 0 if answer.status == "ok" else 1  # noqa: E731
OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "persona.init", PersonaInit, f"{_P}.answers:Begun", _init, "write",
        "给一个人格安家", "make a home for a persona",
        "clew persona init 林昭 --zone Asia/Shanghai",
    ),
    Operation(
        "persona.adopt", PersonaAdopt, f"{_P}.adopting:Adopted", _adopt, "write",
        "接管已有的文件：先给看，再复制，从不移动",
        "take over files that are there: shown first, then copied, never moved",
        "clew persona adopt 旧文件 --apply",
    ),
    Operation(
        "persona.status", PersonaStatus, f"{_P}.statusing:Status", _status, "read",
        "一眼看全：此刻、五层、谁在跑", "at a glance: now, the five layers, what runs",
        "clew persona status",
    ),
    Operation(
        "persona.opening", PersonaOpening, f"{_P}.opening:Card", _opening, "write",
        "开场卡：身份、不做的事、交接棒、心情、原话、想做的、日记末尾",
        "the opening card: identity, refusals, baton, mood, samples, intents, the diary's end",
        "clew persona opening --bytes 6000", _FINDINGS,
    ),
    Operation(
        "persona.check", PersonaCheck, f"{_P}.checking:Checked", _check, "write",
        "核对家里的一切，一次说全；--mend 修复能修复的",
        "look at everything in the home and tell every fault; --mend mends what can be mended",
        "clew persona check", _FINDINGS,
    ),
    Operation(
        "persona.export", PersonaExport, f"{_P}.exporting:Exported", _export, "read",
        "打成一个 zip 带走；--redact 脱敏", "carry it out as one zip; --redact takes out what was said",
        "clew persona export 林昭.zip --redact",
    ),
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
