"""Guards: an action allowed once in a while, after a gap drawn from a band. Pure and reproducible.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles.

The gap after an opening is drawn from the state's seed, the guard's name and the number of its
openings, so that the same state always gives the same answer, and nobody can draw again. What a
guard counts is turns, characters, tool calls, or an integer field of the profile.
"""

from __future__ import annotations

from clew.sidecar.engine_values import BOOK, Scene, discreet, get, holds, put
from clew.sidecar.engine_words import word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    State = dict[str, Any]
    Guard = dict[str, Any]
    Word = dict[str, Any]

COUNTED = ("turns", "chars", "tools")
"""What the bookkeeping itself counts."""
_UNITS = {
    "turns": ("按轮数计", "turns"),
    "chars": ("按字数计", "characters"),
    "tools": ("按工具调用次数计", "tool calls"),
}
_SIXTY_FOUR = 2**64 - 1


def counted(state: State, guard: Guard) -> int:
    """How far the guard's unit has come."""
    per = guard["per"]
    found = state[BOOK].get(per) if per in COUNTED else get(state, per)
    return found if isinstance(found, int) else 0


def now_of(state: State, guard: Guard) -> int:
    """What a use now is noted at. In turns: the number of the turn that is under way, which is one
    more than those that have ended."""
    return counted(state, guard) + (1 if guard["per"] == "turns" else 0)


def drawn(seed: object, name: str, times: int, band: list[int]) -> int:
    """The gap after opening number `times` (0: before the first), from `band`, both ends possible.

    FNV-1a with a final mix: enough for a draw from a handful, and no module has to be loaded.
    """
    mixed = 0xCBF29CE484222325
    for byte in f"{seed}|{name}|{times}".encode("utf-8", "replace"):
        mixed = (mixed ^ byte) * 0x100000001B3 & _SIXTY_FOUR
    mixed = (mixed ^ mixed >> 33) * 0xFF51AFD7ED558CCD & _SIXTY_FOUR
    mixed = (mixed ^ mixed >> 33) * 0xC4CEB9FE1A85EC53 & _SIXTY_FOUR
    low, high = band
    return low + (mixed ^ mixed >> 33) % (high - low + 1)


def view(scene: Scene, name: str) -> dict[str, Any]:
    """Whether the guarded action is open, why, and in how many turns it opens (None: unknown)."""
    profile, state = scene.profile, scene.state
    if state.get(profile["active"]) is not True:
        return {"open": False, "why": word("off"), "in": None}
    guard = profile["guards"][name]
    left, gap = _left(state, name, guard)
    if not holds(scene, guard.get("when")):
        facts: dict[str, Any] = {"left": left, "gap": gap} if left > 0 else {}
        say = guard["say"]
        why = word("condition", say_zh=say["zh"], say_en=say["en"], **facts)
        return {"open": False, "why": why, "in": None}
    if left > 0:
        per = guard["per"]
        zh, en = _UNITS.get(per, (per, per))
        why = word("waiting", left=left, gap=gap, unit=per, unit_zh=zh, unit_en=en)
        return {"open": False, "why": why, "in": left if per == "turns" else None}
    return {"open": True, "why": word("ready"), "in": 0}


def _left(state: State, name: str, guard: Guard) -> tuple[int, int]:
    """What still has to pass, and the gap that it is measured by."""
    book = state[BOOK]
    entry = book["opened"].get(name)
    times = entry["times"] if entry else 0
    since = entry["at"] if entry else None
    if since is None:
        if times or "first" not in guard:
            return 0, 0
        gap = drawn(book["seed"], name, 0, guard["first"])
        return gap - counted(state, guard), gap
    gap = drawn(book["seed"], name, times, guard["band"])
    return since + gap - now_of(state, guard), gap


def use(profile: dict[str, Any], state: State, name: str) -> None:
    """Note an opening, in a state that is a copy of its own."""
    guard = profile["guards"][name]
    book = state[BOOK]
    entry = book["opened"].get(name)
    times = entry["times"] + 1 if entry else 1
    put(state, [BOOK, "opened", name], {
        "times": times,
        "turn": book["turns"] + 1,
        "at": now_of(state, guard),
        "gap": drawn(book["seed"], name, times, guard["band"]),
    })  # fmt: skip
    if "last" in guard:
        put(state, guard["last"].split("."), book["turns"] + 1)


def follow(profile: dict[str, Any], state: State, words: list[Word]) -> None:
    """Bring the notes on openings in line with the fields that everybody can see and edit.

    The field that names the last turn is the truth; a turn that has not come yet is cut to now, so
    that no edit closes a guard for longer than its band.
    """
    for name, guard in profile["guards"].items():
        book = state[BOOK]
        turns = book["turns"] + 1
        entry = book["opened"].get(name)
        last = entry["turn"] if entry else None
        if "last" in guard:
            last = get(state, guard["last"])
        if last is not None and last > turns:
            if "last" in guard:
                found = discreet(profile, guard["last"], last)
                words.append(word("in_the_future", guard["last"], found=found, limit=turns))
                put(state, guard["last"].split("."), turns)
            last = turns
        if entry is None and last is None:
            continue
        lawful = _entry(state, name, guard, entry, last)
        if lawful != entry:
            put(state, [BOOK, "opened", name], lawful)


def _entry(
    state: State, name: str, guard: Guard, entry: dict[str, Any] | None, last: int | None
) -> dict[str, Any]:
    now = now_of(state, guard)
    times = entry["times"] if entry else 1
    at = entry["at"] if entry else None
    if last is None:
        at = None
    elif guard["per"] == "turns":
        at = last
    elif at is None or entry is None or entry["turn"] != last:
        at = now
    if at is not None:
        at = min(at, now)
    gap = drawn(state[BOOK]["seed"], name, times, guard["band"])
    return {"times": times, "turn": last, "at": at, "gap": gap}
