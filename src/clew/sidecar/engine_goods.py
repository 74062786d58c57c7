"""Ledgers and stocks: what is counted, and never appears or vanishes. Pure.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles.

A ledger has four moves, and each keeps both balances by construction:
purse + spent = earned + borrowed − repaid, and debt = borrowed − repaid.
A stock counts units of each kind exactly in the bookkeeping and shows them on a fuzzy scale. What is
shown is the truth: a count that does not fit it (another program edited the file) is estimated anew.
"""

from __future__ import annotations

from clew.sidecar.engine_shape import INT_MOST, ITEMS, is_key, nearest
from clew.sidecar.engine_values import BOOK, discreet, get, put
from clew.sidecar.engine_words import word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Profile = dict[str, Any]
    State = dict[str, Any]
    Word = dict[str, Any]

MOVES = {
    "earn": {"purse": 1, "earned": 1},
    "borrow": {"purse": 1, "debt": 1, "borrowed": 1},
    "repay": {"purse": -1, "debt": -1, "repaid": 1},
    "spend": {"purse": -1, "spent": 1},
}
_SIDES = {
    "purse": ("余额", "the balance"),
    "debt": ("欠款", "the debt"),
}


def move(profile: Profile, state: State, name: str, kind: str, amount: Any) -> list[Word]:
    """One move of a ledger, in a state that is a copy of its own; refused whole."""
    if not isinstance(amount, int) or isinstance(amount, bool) or amount < 1:
        return [word("not_positive", name, found=amount)]
    ledger = profile["ledgers"][name]
    after: list[tuple[list[str], int]] = []
    refused: list[Word] = []
    for part, sign in MOVES[kind].items():
        path, keys = _place(ledger, name, part)
        had = _at(state, keys)
        if had + sign * amount < 0:
            code = "not_enough" if part == "purse" else "too_much"
            found = discreet(profile, path, had)
            refused.append(word(code, path, found=found, needed=amount))
        elif had + sign * amount > INT_MOST:
            found = discreet(profile, path, had + amount)
            refused.append(word("out_of_range", path, found=found, allowed="≤ 2^53-1"))
        after.append((keys, had + sign * amount))
    if not refused:
        for keys, value in after:
            put(state, keys, value)
    return refused


def room(profile: Profile, state: State, name: str, kind: str) -> tuple[int, str]:
    """How much a move can add before a number is as great as numbers get, and which one it is."""
    ledger = profile["ledgers"][name]
    found = []
    for part, sign in MOVES[kind].items():
        path, keys = _place(ledger, name, part)
        if sign > 0:
            found.append((INT_MOST - _at(state, keys), path))
    return min(found)


def _place(ledger: dict[str, Any], name: str, part: str) -> tuple[str, list[str]]:
    path = ledger.get(part)
    if path is None:  # the profile has no field for what was spent: the bookkeeping has
        return name + "." + part, [BOOK, part, name]
    return path, path.split(".")


def _at(state: State, keys: list[str]) -> int:
    found: Any = state
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, int) else 0


def totals(profile: Profile, state: State, name: str) -> dict[str, int]:
    """Every amount of a ledger by its part."""
    ledger = profile["ledgers"][name]
    parts = ("purse", "debt", "earned", "borrowed", "repaid", "spent")
    kept = [part for part in parts if part in ledger or part == "spent"]
    return {part: _at(state, _place(ledger, name, part)[1]) for part in kept}


def differences(profile: Profile, state: State, name: str) -> dict[str, int]:
    """By how much each balance of a ledger is off (at most 2^53-1, which is as far as it can be
    written down); a balance that holds is left out."""
    found = totals(profile, state, name)
    owed = found.get("borrowed", 0) - found.get("repaid", 0)
    off = {"purse": found["purse"] + found["spent"] - found["earned"] - owed}
    if "debt" in found:
        off["debt"] = found["debt"] - owed
    return {side: max(-INT_MOST, min(number, INT_MOST)) for side, number in off.items() if number}


def balance(profile: Profile, state: State, words: list[Word], code: str) -> None:
    """Record how far the ledgers are off now, if that is not what is recorded.

    `code` says how it came about: `difference` for a file that is taken over, `unbalanced` later.
    """
    for name in profile["ledgers"]:
        off = differences(profile, state, name)
        known = state[BOOK]["differences"]
        if off == known.get(name, {}):
            continue
        for side, number in off.items():
            zh, en = _SIDES[side]
            shown = discreet(profile, profile["ledgers"][name][side], number)
            words.append(word(code, name, ledger=name, found=shown, side_zh=zh, side_en=en))
        changed = {other: known[other] for other in known if other != name}
        if off:
            changed[name] = off
        put(state, [BOOK, "differences"], changed)


def kept_paths(profile: Profile) -> dict[str, list[str]]:
    """The fields that belong to ledgers, each with the events that move it."""
    kept: dict[str, list[str]] = {}
    for name, ledger in profile["ledgers"].items():
        for part, path in ledger.items():
            if part == "spent_from":
                continue
            kept[path] = [
                event
                for event, body in profile["events"].items()
                if any(
                    part in MOVES[kind] and change.get(kind) == name
                    for change in body["change"]
                    for kind in MOVES
                )
            ]
    return kept


def spent_before(profile: Profile, state: State, name: str) -> int:
    """What the lists of a taken-over file show as spent."""
    source = profile["ledgers"][name].get("spent_from")
    items = get(state, source["list"]) if source else []
    prices = [item[source["member"]] for item in items if isinstance(item, dict)]
    whole = [price for price in prices if isinstance(price, int) and price > 0]
    return min(sum(whole), INT_MOST)


def label(stock: dict[str, Any], units: int) -> str:
    """How a number of units is shown."""
    for value, least in zip(stock["values"], stock["from"]):  # noqa: B905 - Python 3.9
        if units >= least:
            return str(value)
    return str(stock["values"][-1])


def typical(stock: dict[str, Any], shown: Any) -> int:
    """The number of units that a shown value stands for when nobody counted."""
    at = stock["values"].index(shown)
    if at == 0:
        return int(stock["size"])
    return int((stock["from"][at] + stock["from"][at - 1] - 1) // 2)


def _counts(state: State, name: str) -> dict[str, int]:
    found = state[BOOK]["packs"].get(name)
    return found if isinstance(found, dict) else {}


def _write(state: State, name: str, stock: dict[str, Any], kind: str, units: int) -> None:
    put(state, [BOOK, "packs", name, kind], units)
    shown = label(stock, units)
    shelf = get(state, stock["shelf"])
    if kind in shelf or len(shelf) < ITEMS:  # the current kind needs no place on a full shelf
        put(state, [*stock["shelf"].split("."), kind], shown)
    if get(state, stock["kind"]) == kind:
        put(state, stock["left"].split("."), shown)


def stock_up(profile: Profile, state: State, name: str, kind: Any, units: Any) -> list[Word]:
    """Add units of a kind; a kind that is not on the shelf yet gets its place."""
    stock = profile["stocks"][name]
    refused = _unfit(stock, kind, units)
    if refused:
        return refused
    shelf = get(state, stock["shelf"])
    if kind not in shelf and len(shelf) >= ITEMS:
        return [word("too_many", stock["shelf"], found=len(shelf) + 1, limit=ITEMS)]
    have = _counts(state, name).get(kind, 0) + units
    if have > INT_MOST:
        return [word("out_of_range", stock["shelf"], found=have, allowed="≤ 2^53-1")]
    _write(state, name, stock, kind, have)
    return []


def take(profile: Profile, state: State, name: str, units: Any) -> list[Word]:
    """Take units of the current kind."""
    stock = profile["stocks"][name]
    kind = get(state, stock["kind"])
    refused = _unfit(stock, kind, units)
    if refused:
        return refused
    have = _counts(state, name).get(kind, 0)
    if have < units:
        return [word("none_left", stock["left"], kind=discreet(profile, stock["kind"], kind))]
    _write(state, name, stock, kind, have - units)
    return []


def switch(profile: Profile, state: State, name: str, kind: Any, empty: bool) -> list[Word]:
    """Make another kind the current one; what is left of the old one stays on the shelf. With
    `empty`, also a kind of which nothing is there."""
    stock = profile["stocks"][name]
    refused = _unfit(stock, kind, 1)
    if refused:
        return refused
    units = _counts(state, name).get(kind, 0)
    if units < 1 and not empty:
        return [word("none_left", stock["shelf"], kind=discreet(profile, stock["kind"], kind))]
    shelf, old = get(state, stock["shelf"]), get(state, stock["kind"])
    new = [other for other in (old, kind) if is_key(other) and other not in shelf]
    if len(shelf) + len(new) > ITEMS:
        return [word("too_many", stock["shelf"], found=len(shelf) + len(new), limit=ITEMS)]
    if is_key(old):
        _write(state, name, stock, old, _counts(state, name).get(old, 0))
    put(state, stock["kind"].split("."), kind)
    if "main" in stock:
        put(state, stock["main"].split("."), kind)
    _write(state, name, stock, kind, units)
    return []


def _unfit(stock: dict[str, Any], kind: Any, units: Any) -> list[Word]:
    if not is_key(kind):
        return [word("bad_form", stock["kind"], found=kind, expected="a short text")]
    if not isinstance(units, int) or isinstance(units, bool) or units < 1:
        return [word("not_positive", stock["left"], found=units)]
    return []


def _lead(profile: Profile, state: State, name: str, touched: set[str], words: list[Word]) -> None:
    """The current kind is the main one, where the profile has a field for that: it follows it, and
    what is left of the kind that was current is put on the shelf."""
    stock = profile["stocks"][name]
    kind, main = get(state, stock["kind"]), get(state, stock.get("main", stock["kind"]))
    if kind == main or not is_key(main):
        return
    shelf, left = get(state, stock["shelf"]), get(state, stock["left"])
    if is_key(kind) and (kind in shelf or len(shelf) < ITEMS):
        put(state, [*stock["shelf"].split("."), kind], left)
    if stock["main"] not in touched or stock["kind"] in touched:
        found = discreet(profile, stock["kind"], kind)
        words.append(word("behind", stock["kind"], found=found, expected=stock["main"]))
    put(state, stock["kind"].split("."), main)
    put(state, stock["left"].split("."), get(state, stock["shelf"]).get(main, stock["values"][-1]))


def remember(profile: Profile, raw: State, state: State) -> None:
    """Where a shown amount was no value of its scale, go by what else is known of it: the shelf,
    the word itself as far as it can be understood (`nearest` put that in already), the count.

    `raw` is what was read, `state` what was made of it, a copy of its own with its bookkeeping.
    """
    for name, stock in profile["stocks"].items():
        values, counts = stock["values"], _counts(state, name)
        scale = {"values": values}
        main = stock.get("main")
        if (
            main
            and not isinstance(get(raw, main), str)
            and isinstance(get(raw, stock["kind"]), str)
        ):
            put(state, main.split("."), get(state, stock["kind"]))
        shelf = get(raw, stock["shelf"])
        shelf = shelf if isinstance(shelf, dict) else {}
        for kind, shown in shelf.items():
            here = get(state, stock["shelf"])
            if kind not in here and kind in counts and shown not in values and len(here) < ITEMS:
                put(state, [*stock["shelf"].split("."), kind], label(stock, counts[kind]))
        kind, shown = get(state, stock["kind"]), get(raw, stock["left"])
        if isinstance(shown, str) and shown in values:
            continue
        if isinstance(shelf.get(kind), str) and shelf[kind] in values:
            put(state, stock["left"].split("."), shelf[kind])
        elif nearest(scale, shown) is None and kind in counts:
            put(state, stock["left"].split("."), label(stock, counts[kind]))


def shelve(profile: Profile, state: State, touched: set[str], words: list[Word]) -> None:
    """Bring shelf, current kind and counts of every stock in line with what is shown."""
    for name, stock in profile["stocks"].items():
        _lead(profile, state, name, touched, words)
        kind, left = get(state, stock["kind"]), get(state, stock["left"])
        shelf = get(state, stock["shelf"])
        if kind in shelf and shelf[kind] != left:
            where = told = stock["shelf"] + "." + kind
            if discreet(profile, stock["shelf"], kind) != kind:
                told = stock["shelf"]
            if where in touched and stock["left"] not in touched:
                left = shelf[kind]
                put(state, stock["left"].split("."), left)
            else:
                found = discreet(profile, stock["shelf"], shelf[kind])
                words.append(word("behind", told, found=found, expected=stock["left"]))
                put(state, [*stock["shelf"].split("."), kind], left)
        known = _counts(state, name)
        shown = {**shelf, kind: left} if is_key(kind) else shelf
        counts = {}
        for key, value in shown.items():
            units = known.get(key)
            fits = units is not None and label(stock, units) == value
            counts[key] = units if fits else typical(stock, value)
        if counts != known:
            put(state, [BOOK, "packs", name], counts)
