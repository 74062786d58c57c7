"""What `clew persona` offers on the pulse: looking, staying, what comes, timers, pausing.

Each operation opens the home, calls one function of `clew.persona.pulse` and returns its answer.
Modules are imported where they are used.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from clew.kernel.operations import Host, Operation
from clew.persona.opening_home import home_of
from clew.persona.pulse_requests import (
    PersonaNext,
    PersonaOutbox,
    PersonaPause,
    PersonaResume,
    PersonaRun,
    PersonaTick,
    PersonaTimers,
    PersonaWake,
)

if TYPE_CHECKING:
    from clew.persona.home import Home
    from clew.persona.pulse.lease import Kind
    from clew.persona.pulse.timer_texts import Job
    from clew.persona.pulse.view import Means


def means_of(host: Host, kind: Kind, *, take_over: bool = False) -> Means:
    """What a face lends to the pulse."""
    from clew.persona.pulse.lease import Owner
    from clew.persona.pulse.view import Means

    return Means(Owner.here(kind), host.trusted, host.lang, take_over=take_over)


def _tick(host: Host, request: PersonaTick) -> Any:
    from clew.persona.pulse.running import meanwhile
    from clew.persona.pulse.tick import only_tools, tick
    from clew.persona.wake.rules import SELF

    home = home_of(host, request)
    means = means_of(host, "tick", take_over=request.take_over)
    means = means._replace(meanwhile=meanwhile(home, means))
    _tell_trust(host, home, means)
    if request.tool:
        return only_tools(home, means, request.tool)
    entries = (request.entry,) if request.entry else SELF
    return tick(home, means, entries=entries, tools=not request.no_tools)


def _tell_trust(host: Host, home: Home, means: Means) -> None:
    from clew.persona.pulse.view import not_run

    note = not_run(home, means)
    if note is not None:
        host.notes.append(note)


def _run(host: Host, request: PersonaRun) -> Any:
    from clew.persona.pulse.running import Resident, leaves_when_asked

    home = home_of(host, request)
    means = means_of(host, "run", take_over=request.take_over)
    _tell_trust(host, home, means)
    resident = Resident(
        home, means, standby=request.wait, seconds=request.seconds,
        tell=lambda what: host.progress(0, 0, what),
    )  # fmt: skip
    with leaves_when_asked(resident):
        return resident.run()


def _next(host: Host, request: PersonaNext) -> Any:
    from clew.persona.pulse.coming import coming

    return coming(home_of(host, request), means_of(host, "tick"))


def _wake(host: Host, request: PersonaWake) -> Any:
    from clew.persona.intents import civil_date
    from clew.persona.pulse.story import tell

    home = home_of(host, request)
    date = civil_date(request.date, "$.date") if request.date else ""
    return tell(home, entry=request.entry or "", date=date, last=request.last, lang=host.lang)


def _pause(host: Host, request: PersonaPause) -> Any:
    from clew.persona.pulse import pausing

    return pausing.pause(home_of(host, request), by=request.by, note=request.note)


def _resume(host: Host, request: PersonaResume) -> Any:
    from clew.persona.pulse import pausing

    return pausing.resume(home_of(host, request), by=request.by)


def _outbox(host: Host, request: PersonaOutbox) -> Any:
    from clew.persona.pulse import outbox

    home = home_of(host, request)
    if request.action == "take":
        return outbox.take(home, request.id, by=request.by, all_of_it=not request.id)
    return outbox.Outbox(waiting=outbox.waiting(home))


def _timers(host: Host, request: PersonaTimers) -> Any:
    from clew.persona.pulse import timers

    home = home_of(host, request)
    job = _job(host, home, int(request.every), request.resident)
    if request.action == "status":
        return timers.status(job)
    kind = request.kind or timers.default_kind()
    change = timers.install if request.action == "install" else timers.remove
    return change(job, kind, apply=request.yes)


def _job(host: Host, home: Home, every: int, resident: bool) -> Job:
    from clew.persona.pulse.timer_texts import Job

    verb = ["run", "--wait"] if resident else ["tick"]
    argv = [
        host.interpreter, "-P", "-m", "clew.faces.cli.main", "persona", *verb, "--home", home.root,
        "--lang", host.lang, "--json",
    ]  # fmt: skip
    path = os.environ.get("PATH", os.defpath)
    return Job(home.settings.id, home.root, argv, every, resident, path)


_P: Final = "clew.persona.pulse"
OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "persona.tick", PersonaTick, f"{_P}.tick:Ticked", _tick, "write",
        "看一眼：该醒的醒一次，到点的工具跑一遍（可反复调用）",
        "look once: wake what is to wake, run the tools that are due (as often as you like)",
        "clew persona tick", lambda answer: 1 if answer.went_wrong() else 0,
    ),
    Operation(
        "persona.run", PersonaRun, f"{_P}.running:Ran", _run, "write",
        "常驻：守着脉搏，直到被要求离开", "stay resident and keep the pulse until asked to leave",
        "clew persona run",
    ),
    Operation(
        "persona.next", PersonaNext, f"{_P}.coming:Next", _next, "read",
        "接下来各入口何时来，不来是为什么", "when each entry comes next, or why it does not",
        "clew persona next",
    ),
    Operation(
        "persona.wake", PersonaWake, f"{_P}.story:Told", _wake, "read",
        "看醒来账本", "show the wake ledger", "clew persona wake --last 20",
    ),
    Operation(
        "persona.pause", PersonaPause, f"{_P}.pausing:Paused", _pause, "write",
        "立即停下一切自发的事", "stop everything that comes of itself, at once",
        "clew persona pause --note 休假",
    ),
    Operation(
        "persona.resume", PersonaResume, f"{_P}.pausing:Paused", _resume, "write",
        "继续", "go on", "clew persona resume",
    ),
    Operation(
        "persona.outbox", PersonaOutbox, f"{_P}.outbox:Outbox", _outbox, "write",
        "看醒来留下的提示，或取走它们", "show the prompts that wakes left, or take them",
        "clew persona outbox take --by window-3",
    ),
    Operation(
        "persona.timers", PersonaTimers, f"{_P}.timers:TimersPlan", _timers, "write",
        "用系统定时器装上脉搏：先显示，--yes 才改",
        "install the pulse with the system's timers: shown first, done with --yes",
        "clew persona timers install --yes",
    ),
)  # fmt: skip
