"""Values of another kind than expected: what they say, how a report shows them, which are kept.

What an entry of a lorebook says in its extensions belongs to SillyTavern and is never rewritten; what
is read from it all the same (`clew.books.lore`) is told, so that nobody wonders why "50%" counts.

Pure. Rules: the World Info files of SillyTavern; docs/cards.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Any, Final

from clew.books.cards.report import Report
from clew.books.cards.values import Json, Number, child, encode, is_number, token
from clew.books.lore import ROLES, flag, percent, real, whole
from clew.kernel.faults import Both

_NUMBERS: Final = frozenset(
    ["position", "selectiveLogic", "probability", "depth", "group_weight", "scan_depth", "role",
     "sticky", "cooldown", "delay", "display_index"]
)  # fmt: skip
_FLAGS: Final = frozenset(
    ["vectorized", "addMemo", "ignore_budget", "exclude_recursion", "prevent_recursion",
     "useProbability", "group_override", "case_sensitive", "match_whole_words", "use_group_scoring",
     "match_persona_description", "match_character_description", "match_character_personality",
     "match_character_depth_prompt", "match_scenario", "match_creator_notes"]
)  # fmt: skip
_MOST: Final = 3
_PLAIN: Final = (int, float, Number, bool, type(None))
NOTHING: Final = Both("没有写", "nothing")


def tell_odd(inner: Mapping[str, Any], path: str, report: Report) -> None:
    """A line for each value of an entry's extensions that is read as something else than it is."""
    for name, value in inner.items():
        if isinstance(value, _PLAIN):
            continue
        if name in _NUMBERS and not (name == "role" and value in ROLES):
            read = percent(value) if name == "probability" else real(value)
            count: Json = whole(read) if read is not None and read == whole(read) else read
        elif name in _FLAGS:
            count = flag(value)
        else:
            continue
        after = NOTHING if count is None else word(count)
        report.keep("odd_value_kept", child(path, name), found=word(value), after=after)


def word(value: Json) -> str | Both:
    """A value as a line of the report shows it."""
    if isinstance(value, str):
        shown = encode_basestring(value[:40])  # a line break shows as \n
        return f'{shown[:-1]}…"' if len(value) > 40 else shown
    if isinstance(value, dict):
        return Both(f"{len(value)} 个键的对象", f"an object of {_count(value, 'key')}")
    if isinstance(value, list):
        return Both(f"{len(value)} 项的列表", f"a list of {_count(value, 'item')}")
    return token(value)[:40] if is_number(value) else encode(value)


def as_text(value: Json) -> str | None:
    """A value as text where that says the same; None for an object, which needs more care."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return token(value) if is_number(value) else None


def spoken(value: Json) -> str:
    """One text of a list: a greeting may be an object that holds it."""
    if isinstance(value, dict):
        for key in ("message", "mes", "text", "content", "name", "value"):
            if isinstance(value.get(key), str):
                return str(value[key])
    plain = as_text(value)
    return encode(value) if plain is None else plain


def listed(found: list[tuple[int, str | Both]]) -> Both:
    """Items of a list by their places, as a line shows them."""
    shown = [
        (index, one if isinstance(one, Both) else Both(one, one)) for index, one in found[:_MOST]
    ]
    more = "…" if len(found) > _MOST else ""
    return Both(
        "、".join(f"[{index}] {one.zh}" for index, one in shown) + more,
        ", ".join(f"[{index}] {one.en}" for index, one in shown) + more,
    )


def _count(value: list[Json] | dict[str, Json], what: str) -> str:
    return f"{len(value)} {what}{'s' * (len(value) != 1)}"
