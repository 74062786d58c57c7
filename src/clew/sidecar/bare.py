"""What the verbs of a conversation do without their profile, which is damaged or out of reach.

`read` and `turn` answer as switched off and write nothing; an opt-out is written all the same, as the
one field of the file that needs no profile to be understood. Not part of bundles, which carry their
profile.
"""

from __future__ import annotations

from clew.sidecar.changes import revision_of
from clew.sidecar.engine_values import BOOK
from clew.sidecar.messages import reason_of, word
from clew.sidecar.saying import Reply
from clew.sidecar.store import LOCK_S, Store
from clew.sidecar.verbs import open_store, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.sidecar.calling import Call
    from clew.sidecar.shelf import DamagedProfileError
    from clew.sidecar.verbs import Host

    Word = dict[str, Any]

VERBS = ("read", "turn", "pause")


def answer(call: Call, damaged: DamagedProfileError, host: Host) -> Reply:
    """The answer of one of `VERBS`. Raises `CallError`."""
    if call.flag("strict"):
        return refused(damaged.words, exit=damaged.exit)
    if call.verb == "pause":
        return _pause(open_store(call, _stub(damaged), host), damaged)
    told = [*damaged.words, word("sidecar_without_profile", name=damaged.name)]
    if call.flag("hook"):
        return Reply(text="", told=told)
    if call.verb == "turn":
        return Reply({"status": "ok", "active": False, "guards": {}}, told=told)
    if call.flag("field"):
        path = call.text("field")
        if path != damaged.active:
            return refused([word("sidecar_no_field", path=path)], told=told, exit=1)
        return Reply(text="false\n", told=told)
    return Reply(
        {"status": "unreadable", "profile": damaged.name, "active": False,
         "state": {damaged.active: False}, "open": []},
        told=told,
    )  # fmt: skip


def _stub(damaged: DamagedProfileError) -> dict[str, Any]:
    """As much of a profile as finding and replacing a file needs."""
    fields = {damaged.active: {"type": "bool", "default": False}}
    return {"name": damaged.name, "version": 0, "active": damaged.active, "fields": fields,
            "migrations": []}  # fmt: skip


def _pause(store: Store, damaged: DamagedProfileError) -> Reply:
    told = list(damaged.words)
    keeping = store.keeping
    entry = store.entry("off")
    entry["rev"], found_on = -1, False
    try:
        with keeping.section(LOCK_S, make=True):
            look = keeping.look()
            if look.kind in ("broken", "staged"):
                look, notes = keeping.mend(look)
                told += notes
            raw = look.raw
            found_on = not keeping.is_off(raw)
            entry["rev"] = 0 if raw is None else revision_of(raw)
            waiting = bool(store.pending.waiting())
            if raw is not None and (found_on or waiting):
                told += keeping.save(look, _off(raw, damaged.active), keep_old=False)
            if raw is not None or not waiting:
                return Reply({"status": "ok", "active": False}, told=told)
    except OSError as error:
        why = {"file": store.path, **reason_of(error)}
    else:
        # A first opt-in waits for a file that is not there: this comes behind it.
        why = {"file": store.path, "reason_zh": "还不存在", "reason_en": "it is not there yet"}
    kept = store.keep([entry])
    if kept:
        told.append(word("sidecar_not_saved", found=1, kept=kept, **why))
        return Reply({"status": "waiting", "active": False}, told=told, exit=1)
    told.append(word("sidecar_lost", names="pause", **why))
    return Reply({"status": "lost", "active": found_on}, told=told, exit=1)


def _off(raw: dict[str, Any], active: str) -> dict[str, Any]:
    """Off, under a revision of its own: an opt-in that waits was meant for the one before."""
    out = {**raw, active: False}
    if isinstance(raw.get(BOOK), dict):
        out[BOOK] = {**raw[BOOK], "revision": revision_of(raw) + 1}
    return out
