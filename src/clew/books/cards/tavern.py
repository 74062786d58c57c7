"""Character Card V1, V2, V3 and what was made of them: a JSON object to a `Card`.

One rule where several places say the same thing: `data` outranks the copies of the V1 fields that
stand beside it; a copy is used where `data` says nothing.

Pure. Rules: Character Card V1, V2, V3; the odd shapes of docs/cards.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clew.books.cards import repair
from clew.books.cards.fields import (
    BOOK_FIELDS,
    CARD_FIELDS,
    ENTRY_FIELDS,
    LOOSE_ENTRY,
)
from clew.books.cards.oddvalues import as_text, word
from clew.books.cards.report import Limits, Report
from clew.books.cards.values import child, is_number, number, same, token
from clew.books.model import V1, V1_FIELDS, V2, V3, Card
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

ROOT_EXTRAS: Final = (
    "avatar", "chat", "create_date", "creatorcomment", "fav", "tags", "talkativeness",
)  # fmt: skip
"""What SillyTavern writes beside `data`."""
_TAVERN_AI: Final = (
    "public_id", "public_id_short", "create_date_local", "create_date_online", "edit_date_local",
    "edit_date_online", "add_date_local", "last_action_date", "short_description", "user_name",
    "user_name_view", "nsfw", "online", "categories", "status", "edit_date",
)  # fmt: skip
_V3_ONLY: Final = tuple(name for name, field in CARD_FIELDS.items() if field.since == 3)
_FLAT_V2: Final = (
    "alternate_greetings", "system_prompt", "post_history_instructions", "character_book",
    "creator_notes", "character_version",
)  # fmt: skip
"""What makes a flat card without `spec` a newer one whose nesting got lost."""
_CODED: Final = ("eyJ", "ew")
"""How base64 of a JSON object begins."""
_NEWEST: Final = {V1: 1.0, V2: 2.0, V3: 3.0}


def is_card(value: Mapping[str, Any]) -> bool:
    """True for a card of V1, V2, V3 or TavernAI, also without its `spec`."""
    spec = value.get("spec")
    if isinstance(spec, str) and spec.strip().lower().startswith(("chara_card", "tavern_ai")):
        return True
    inner = value.get("data")
    if isinstance(inner, str) and inner.lstrip().startswith("{"):
        return _tells(value) or "first_mes" in inner
    return _tells(value) or (isinstance(inner, dict) and (_tells(inner) or _is_whole(inner)))


def _is_whole(value: Mapping[str, Any]) -> bool:
    """True when an object that should be the `data` of a card is all of one, with `data` of its own."""
    inner, spec = value.get("data"), value.get("spec")
    named = isinstance(spec, str) and spec.strip().lower().startswith("chara_card")
    if not isinstance(inner, dict) or not (named or not _tells(value)):
        return False
    return _tells(inner) or _is_whole(inner)


def _tells(value: Mapping[str, Any]) -> bool:
    """True when an object has the fields of a card: a description alone is not enough, since half
    of all JSON files have one."""
    found = [name for name in V1_FIELDS if name in value]
    certain = {"first_mes", "mes_example", "personality", "scenario"} & set(found)
    return (len(found) > 1 and bool(certain)) or (bool(found) and value.keys() <= set(V1_FIELDS))


def cased(value: dict[str, Any], names: Iterable[str], path: str, report: Report) -> dict[str, Any]:
    """An object whose keys have the names of a format where they were written in capitals."""
    by_lower: dict[str, list[str]] = {}
    for key in value:
        if not key.islower() and key.isascii():
            by_lower.setdefault(key.lower().replace(" ", "_"), []).append(key)
    found = {
        by_lower[name][0]: name
        for name in names
        if name not in value and len(by_lower.get(name, ())) == 1
    }
    for key, name in found.items():
        report.repair("key_renamed", path, found=key, after=name)
    return {found.get(key, key): item for key, item in value.items()} if found else value


def of_document(value: Mapping[str, Any], path: str, report: Report, limits: Limits) -> Card:
    """The card of a JSON object for which `is_card` holds."""
    whole = value.get("data")
    if isinstance(whole, dict) and _is_whole(whole):
        reason = Both("整张卡又套在 data 里", "a whole card stands inside data")
        report.repair("json_mended", child(path, "data"), reason=reason)
        beside = {k: item for k, item in value.items() if k not in ("spec", "spec_version", "data")}
        return of_document({**beside, **whole}, child(path, "data"), report, limits)
    inner = _inner(value, path, report, limits)
    spec, version = _spec(value, inner, path, report)
    flat_data = inner is None and value.get("data") not in (None, {}, [], "")
    skipped = ("spec", "spec_version", *(() if flat_data else ("data",)))
    root = {key: item for key, item in value.items() if key not in skipped}
    if inner is None:
        # Flat: V1, or a newer card whose `data` went missing. What the claimed version knows goes in.
        since = 1 if spec in (V1, "tavernai") else 3
        data = {n: root.pop(n) for n, f in CARD_FIELDS.items() if n in root and f.since <= since}
        if since == 3:
            report.repair("data_missing", path)
        data = repair.card_data(data, path, report)
    else:
        place = child(path, "data")
        inner = cased(inner, CARD_FIELDS, place, report)
        data = repair.card_data(_filled(inner, root, place, report), place, report)
        _compare_copies(data, root, path, report)
    _tell_unknown(data, root, child(path, "data") if inner is not None else path, path, report)
    return Card(data, root, spec=spec, spec_version=version)


def _inner(
    value: Mapping[str, Any], path: str, report: Report, limits: Limits
) -> dict[str, Any] | None:
    inner = value.get("data")
    if isinstance(inner, dict) and (inner or not _tells(value)):
        return inner
    one = inner[0] if isinstance(inner, list) and len(inner) == 1 else None
    if isinstance(one, dict) and _tells(one) and not _tells(value):
        reason = Both("data 是只有一项的列表", "data is a list of one")
        report.repair("json_mended", child(path, "data"), reason=reason)
        return one
    if isinstance(inner, list) and not _tells(value) and len(inner) > 1:
        many = [row for row in inner if isinstance(row, dict) and _tells(row)]
        if many:
            what = Both(f"data 里有 {len(inner)} 张卡", f"data holds {len(inner)} cards; split it")
            raise Refused(Fault("not_a_card", file=report.file, found=what))
    if isinstance(inner, str) and inner.lstrip().startswith(("{", '"', *_CODED)):
        parsed = _spelt(inner.strip(), child(path, "data"), report, limits)
        if isinstance(parsed, dict):
            report.repair("data_was_text", child(path, "data"))
            return parsed
    return None


def _spelt(inner: str, path: str, report: Report, limits: Limits) -> Any:
    """`data` that is written as a text: JSON, or base64 of it."""
    from clew.books.cards.jsontext import parse
    from clew.books.cards.payload import document

    own = Report(report.file)
    try:
        if inner.startswith(("{", '"')):
            value = parse(inner, path, own, limits)
            if isinstance(value, str):  # written as a text twice
                value = parse(value, path, own, limits)
        else:
            value = document(inner.encode("utf-8", "replace"), path, own, limits)
    except Refused as refused:
        if inner.startswith("{"):
            report.refuse(refused.faults[0])
        return None
    report.absorb(own)
    return value


def _spec(
    value: Mapping[str, Any], inner: dict[str, Any] | None, path: str, report: Report
) -> tuple[str, str]:
    """The format that the card claims or shows, and its version as written."""
    claimed = value.get("spec")
    said = value.get("spec_version")
    word = claimed.strip().lower() if isinstance(claimed, str) else ""
    word = word.replace("-", "_").replace(" ", "_")
    # V1 has no `spec`: where one is claimed, the fields say more.
    flat = inner is None and word in ("", "chara_card_v1")
    newer = flat and any(name in value for name in _FLAT_V2)
    if inner is None and word.startswith("tavern_ai"):
        return "tavernai", said if isinstance(said, str) else ""
    if word.startswith("chara_card_v2"):
        spec = V2
    elif word.startswith("chara_card"):
        spec = V1 if word.startswith("chara_card_v1") else V3
        if newer:
            spec = V2
            report.repair("spec_assumed", child(path, "spec"), after=spec)
    elif inner is None and not newer:
        return V1, ""
    else:
        spec = V3 if any(name in (inner or value) for name in _V3_ONLY) else V2
        report.repair("spec_assumed", child(path, "spec"), after=spec)
    if word not in ("", "chara_card_v1", "chara_card_v2", "chara_card_v3"):
        report.keep("newer_spec", child(path, "spec"), found=word)
    return spec, _version(said, spec, child(path, "spec_version"), report)


def _version(said: Any, spec: str, path: str, report: Report) -> str:
    """The version as written where it is one; the usual one where something else stands there."""
    text = said if isinstance(said, str) else token(said) if is_number(said) else ""
    written = number(text)
    usual = _NEWEST[spec]
    if written is not None and float(written) > 3.0:
        report.keep("newer_spec", path, found=text)
    if said is None or (isinstance(said, str) and written is not None):
        return text
    after = text if written is not None and "." in text else f"{usual:.1f}"
    report.repair("spec_version_odd", path, found=word(said), after=after)
    return after


def _filled(
    inner: dict[str, Any], root: dict[str, Any], path: str, report: Report
) -> dict[str, Any]:
    """`data` with what only the copies beside it say."""
    out = dict(inner)
    for name in V1_FIELDS:
        if name not in root:
            continue
        blank = name == "name" and as_text(out.get(name)) in ("", None)
        if name not in out or (blank and root[name]):
            out[name] = root[name]
            report.repair("field_from_root", child(path, name))
    return out


def _compare_copies(data: dict[str, Any], root: dict[str, Any], path: str, report: Report) -> None:
    differ = [
        name
        for name in V1_FIELDS
        if name in root and name in data and not same(root[name], data[name])
        and as_text(root[name]) != data[name]
    ]  # fmt: skip
    if differ:
        report.keep("root_copies_differ", path, found=differ)


def _tell_unknown(
    data: dict[str, Any], root: dict[str, Any], path: str, outside: str, report: Report
) -> None:
    """One line for each place that holds keys which no version of the format has."""
    beside = [
        k for k in root if k not in V1_FIELDS and k not in ROOT_EXTRAS and k not in _TAVERN_AI
    ]
    if beside:
        report.keep("unknown_keys", outside, found=beside)
    unknown = [key for key in data if key not in CARD_FIELDS]
    if unknown:
        report.keep("unknown_keys", path, found=unknown)
    inner = data.get("extensions")
    if isinstance(inner, dict) and inner:
        report.keep("extensions_kept", child(path, "extensions"), found=list(inner))
        _tell_odd_extensions(inner, child(path, "extensions"), report)
    book = data.get("character_book")
    if isinstance(book, dict):
        tell_unknown_lore(book, child(path, "character_book"), report)


def _tell_odd_extensions(inner: dict[str, Any], path: str, report: Report) -> None:
    """Extensions belong to their programs and stay as written; what is read from them is said."""
    depth = inner.get("depth_prompt")
    if isinstance(depth, dict) and "depth" in depth and not is_number(depth["depth"]):
        report.keep(
            "odd_value_kept",
            f"{path}.depth_prompt.depth",
            found=word(depth["depth"]),
            after=4,
        )
    talk = inner.get("talkativeness")
    if talk is not None and not is_number(talk):
        report.keep(
            "odd_value_kept",
            f"{path}.talkativeness",
            found=word(talk),
            after=as_text(talk),
        )
    favourite = inner.get("fav")
    if favourite is not None and not isinstance(favourite, bool):
        good = str(favourite).strip().lower() == "true"
        report.keep("odd_value_kept", f"{path}.fav", found=word(favourite), after=str(good).lower())


def tell_unknown_lore(book: Mapping[str, Any], path: str, report: Report) -> None:
    """Unknown keys of a lorebook and of its entries."""
    unknown = [key for key in book if key not in BOOK_FIELDS]
    if unknown:
        report.keep("unknown_keys", path, found=unknown)
    rows = book.get("entries")
    odd: dict[str, None] = {}
    for row in rows if isinstance(rows, list) else ():
        for key in row if isinstance(row, dict) else ():
            if key not in ENTRY_FIELDS and key not in LOOSE_ENTRY:
                odd[key] = None
    if odd:
        report.keep("unknown_keys", f"{path}.entries[*]", found=list(odd))
