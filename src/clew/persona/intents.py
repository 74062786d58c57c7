"""The layer of choice: the self-made list of intents, the pool of thoughts, and what hangs.

Without an open intent nothing wakes of its own accord. An entry's id is used once; every change is
told in an event that holds the whole entry. Rules: persona seed sections 1 and 4.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

import msgspec

from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Both, Code, Fault, register
from clew.persona.decoding import needed
from clew.persona.home import Change, Home
from clew.persona.keeping import builtins, one_line
from clew.persona.model import LISTS, Hanging, Intent, Lists, Thought

TEXT_BYTES: Final = 1200
_NAMES: Final = {
    "intent": Both("意图", "intent"),
    "thought": Both("念头", "thought"),
    "hanging": Both("悬挂事项", "hanging item"),
}
_FIELDS: Final = {"intent": "intents", "thought": "thoughts", "hanging": "hanging"}


def add_intent(
    home: Home, text: str, *, due: str = "", thought: str = "", source: str = ""
) -> Intent:
    """Mean to do something, out of a thought where one is named (its text, where none is given).

    Raises `Refused` (`entry_text`, `text_too_long`, `bad_date`), `Missing` (`no_such_entry`).
    """
    due = civil_date(due, "$.due")
    with home.change() as change:
        lists = _lists(change)
        grown = _find(lists, "thought", thought) if thought else None
        line = _line(text or (grown.text if grown is not None else ""), "intent")
        intent = Intent(
            id=_id("I", lists), text=line, at=change.at, due=due, source=source, thought=thought
        )
        lists = msgspec.structs.replace(
            lists, intents=[*lists.intents, intent], made=lists.made + 1
        )
        change.event("intent", entry=intent.id, what="add", intent=builtins(intent))
        if grown is not None:
            lists = _put(change, lists, "thought", msgspec.structs.replace(grown, intent=intent.id))
        change.save(LISTS, lists)
    return intent


def close_intent(home: Home, ident: str, *, outcome: str = "", dropped: bool = False) -> Intent:
    """An intent is done, or dropped. Raises `Missing` (`no_such_entry`), `Refused`
    (`entry_closed`)."""
    outcome = one_line(outcome, "$.outcome", TEXT_BYTES) if outcome.strip() else ""
    with home.change() as change:
        lists = _lists(change)
        found: Intent = _find(lists, "intent", ident)
        if found.state != "open":
            raise Refused(Fault("entry_closed", "$.what", found=found.id))
        closed = msgspec.structs.replace(
            found, state="dropped" if dropped else "done", closed_at=change.at, outcome=outcome
        )
        change.save(LISTS, _put(change, lists, "intent", closed))
    return closed


def add_thought(home: Home, text: str, *, source: str = "") -> Thought:
    """Put a thought into the pool. Raises `Refused` (`entry_text`, `text_too_long`)."""
    line = _line(text, "thought")
    with home.change() as change:
        lists = _lists(change)
        thought = Thought(id=_id("T", lists), text=line, at=change.at, source=source)
        change.event("thought", entry=thought.id, what="add", thought=builtins(thought))
        change.save(
            LISTS,
            msgspec.structs.replace(
                lists, thoughts=[*lists.thoughts, thought], made=lists.made + 1
            ),
        )
    return thought


def drop_thought(home: Home, ident: str, *, outcome: str = "") -> Thought:
    """Let a thought go. Raises `Missing` (`no_such_entry`), `Refused` (`entry_closed`) for one that was
    let go already or became an intent."""
    outcome = one_line(outcome, "$.outcome", TEXT_BYTES) if outcome.strip() else ""
    with home.change() as change:
        lists = _lists(change)
        found: Thought = _find(lists, "thought", ident)
        if found.closed_at or found.intent:
            raise Refused(Fault("entry_closed", "$.what", found=found.id))
        gone = msgspec.structs.replace(found, closed_at=change.at, outcome=outcome)
        change.save(LISTS, _put(change, lists, "thought", gone))
    return gone


def add_hanging(home: Home, text: str, *, due: str = "", window: str = "") -> Hanging:
    """Something was not said to its end. What has a date is shown until it is closed, however old
    it is. Raises as `add_intent` does."""
    line, due = _line(text, "hanging"), civil_date(due, "$.due")
    with home.change() as change:
        lists = _lists(change)
        item = Hanging(id=_id("H", lists), text=line, at=change.at, due=due, window=window)
        change.event("hanging", window=window, entry=item.id, what="add", hanging=builtins(item))
        change.save(
            LISTS,
            msgspec.structs.replace(lists, hanging=[*lists.hanging, item], made=lists.made + 1),
        )
    return item


def close_hanging(home: Home, ident: str, *, outcome: str = "") -> Hanging:
    """It was said after all. Raises `Missing` (`no_such_entry`), `Refused` (`entry_closed`)."""
    outcome = one_line(outcome, "$.outcome", TEXT_BYTES) if outcome.strip() else ""
    with home.change() as change:
        lists = _lists(change)
        found: Hanging = _find(lists, "hanging", ident)
        if found.closed_at:
            raise Refused(Fault("entry_closed", "$.what", found=found.id))
        closed = msgspec.structs.replace(found, closed_at=change.at, outcome=outcome)
        change.save(LISTS, _put(change, lists, "hanging", closed))
    return closed


def civil_date(text: str, path: str) -> str:
    """A civil date as it is stored, or empty. Raises `Refused` (`bad_date`)."""
    if not text:
        return ""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise Refused(Fault("bad_date", path, found=text)) from None
    return found.isoformat()


def by_due(entries: list[Any]) -> list[Any]:
    """Those with a date first, the nearest first; then the others as they came."""
    return sorted(entries, key=lambda one: (not one.due, one.due))


def _lists(change: Change) -> Lists:
    return needed(change.load(LISTS, Lists), LISTS)


def _id(letter: str, lists: Lists) -> str:
    return f"{letter}{lists.made + 1}"


def _line(text: str, kind: str) -> str:
    if not text.strip():
        raise Refused(Fault("entry_text", "$.what", name=_NAMES[kind]))
    return one_line(text, "$.what", TEXT_BYTES)


def _find(lists: Lists, kind: str, ident: str) -> Any:
    entries = getattr(lists, _FIELDS[kind])
    wanted = ident.strip().upper()
    for one in entries:
        if one.id == wanted:
            return one
    known = [one.id for one in entries][-20:] or Both("一个也没有", "none")
    raise Missing(Fault("no_such_entry", "$.what", found=ident, name=_NAMES[kind], allowed=known))


def _put(change: Change, lists: Lists, kind: str, entry: Any) -> Lists:
    """The lists with an entry as it is now, and the event that tells of it."""
    field = _FIELDS[kind]
    entries = [entry if one.id == entry.id else one for one in getattr(lists, field)]
    window = getattr(entry, "window", "")
    change.event(kind, window=window, entry=entry.id, what="change", **{kind: builtins(entry)})
    return msgspec.structs.replace(lists, **{field: entries})


register(
    Code(
        "due_past", 1,
        "{found} 已经过去了（今天是 {limit}），照样记下",
        "{found} is over (today is {limit}); it is kept all the same",
        "写错了就 drop 它，再加一次。",
        "If that is a slip, drop it and add it again.",
        about_zh="到期日按人格自己的日历日。",
        about_en="Due dates are civil dates of the persona.",
    ),
)  # fmt: skip
