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
from clew.persona.answers import Begun
from clew.persona.layer_operations import LAYERS
from clew.persona.opening_home import home_of
from clew.persona.requests import (
    PersonaAdopt,
    PersonaCheck,
    PersonaExport,
    PersonaInit,
    PersonaOpening,
    PersonaStatus,
)

if TYPE_CHECKING:
    from clew.persona.home import Home


# ---- the home ---------------------------------------------------------------------------------------


def _init(host: Host, request: PersonaInit) -> Any:
    from clew.persona import creating, voice

    card = host.read_card(request.card) if request.card else None
    name = request.name or (card or {}).get("nickname") or (card or {}).get("name") or ""
    faults = [
        *creating.name_faults(name), *creating.zone_faults(request.zone),
        *creating.person_faults(request.person),
    ]  # fmt: skip
    if faults:
        raise Refused(*faults)
    folder = creating.place_for(name, home=request.home, cwd=host.cwd, library=host.library)
    home = creating.create(
        folder, name, request.zone, host=request.host, card=card, person=request.person,
        clock=host.clock, lock_timeout=host.lock_timeout, lang=host.lang,
    )  # fmt: skip
    host.notes += home.notes
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
    if there := creating.home_at(place, name, request.zone, host.clock, host.lock_timeout):
        there.notes = host.notes
        host.later.append(there.settle)
        return adopting.adopt(there, folder, request.map, apply=request.apply, lang=host.lang)
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
    from clew.persona import keeping, statusing
    from clew.persona.finding import list_homes
    from clew.persona.pulse_operations import means_of

    if request.all:
        return statusing.everyone(list_homes(cwd=host.cwd, library=host.library), host)
    home = home_of(host, request)
    _catch_up(host, home)
    host.notes += keeping.clock_notes(home)
    return statusing.status(home, host, means_of(host, "tick"))


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

    if request.tokens is not None and request.bytes is not None:
        reason = Both("--bytes 和 --tokens 只写一个", "give either --bytes or --tokens")
        raise Usage(Fault("usage", reason=reason))
    home = home_of(host, request)
    _catch_up(host, home)
    unit = "tokens" if request.tokens is not None else "bytes"
    return opening_card(
        home, window=request.window, lang=host.lang,
        limit=request.tokens if request.tokens is not None else request.bytes, unit=unit,
        plain=request.text,
    )  # fmt: skip


def _check(host: Host, request: PersonaCheck) -> Any:
    from clew.persona.home import Home
    from clew.persona.opening_home import folder_of

    # Not `home_of`: settings that cannot be read are one fault among others here.
    home = Home(folder_of(host, request), clock=host.clock, lock_timeout=host.lock_timeout)
    home.notes = host.notes
    host.later.append(home.settle)
    if request.accept_loss and not request.mend:
        reason = Both("--accept-loss 要和 --mend 一起写", "--accept-loss goes with --mend")
        raise Usage(Fault("usage", reason=reason))
    if request.mend:
        from clew.persona import mending

        return mending.mend(home, host.lang, accept_loss=request.accept_loss)
    from clew.persona import checking

    return checking.check(home, host.lang)


def _export(host: Host, request: PersonaExport) -> Any:
    from clew.persona import exporting

    home = home_of(host, request)
    return exporting.export(home, posixpath.join(host.cwd, request.out), redact=request.redact)


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
    *LAYERS,
)  # fmt: skip
