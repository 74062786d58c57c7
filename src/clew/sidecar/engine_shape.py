"""Types of a profile's fields: judging a value, mending it, defaults. Pure.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles.

One walk serves both questions, "what is wrong" and "what would be lawful": `judge` gives the
nearest lawful value and a word for everything that it changed. No word means nothing changed.
"""

from __future__ import annotations

from clew.sidecar.engine_words import kind_of, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Word = dict[str, Any]
    Spec = dict[str, Any]

INT_MOST = 2**53 - 1
"""Beyond it, other readers of JSON lose digits."""
TEXT_CHARS = 2_000
KEY_CHARS = 200
SLUG_CHARS = 80
ITEMS = 1_000
_LOOKED_AT = 2 * ITEMS
"""How many items of an overlong list or map are judged; whoever wrote more wrote no state of ours."""
STAMP = "a moment in UTC as YYYY-MM-DDThh:mm:ssZ"
_FORMS = {
    "slug": "lower-case letters, digits and single hyphens (a slug)",
    "date": "a day as YYYY-MM-DD",
    "stamp": STAMP,
}
_NAMES = {"bool": "boolean", "int": "integer", "object": "object", "map": "object", "list": "list"}


class _Bad:
    def __repr__(self) -> str:
        return "BAD"


BAD: Any = _Bad()
"""No lawful value could be made: the spec has no default."""


def default_of(spec: Spec) -> Any:
    """The value of a field that nobody has set, or `BAD` where the profile gives none."""
    if "default" in spec:
        return _copied(spec["default"])
    if spec.get("null"):
        return None
    kind = spec["type"]
    if kind == "object":
        members = {name: default_of(member) for name, member in spec["fields"].items()}
        return BAD if BAD in members.values() else members
    return {"list": list, "map": dict}.get(kind, lambda: BAD)()


def _copied(value: Any) -> Any:
    """So that nobody who changes a state changes the profile."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def judge(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    """The lawful value nearest to `raw`; what was changed is added to `words`. Never raises for
    anything that JSON can hold."""
    if raw is None:
        if spec.get("null"):
            return None
        return _replaced(spec, raw, path, words, "wrong_type", expected=expected(spec))
    return _JUDGES[spec["type"]](spec, raw, path, words)


def lawful(spec: Spec, raw: Any, path: str) -> list[Word]:
    """Everything that is wrong with a value, at once."""
    words: list[Word] = []
    judge(spec, raw, path, words)
    return words


def expected(spec: Spec) -> str:
    """What a spec takes, for a person."""
    kind = spec["type"]
    if "values" in spec:
        return " | ".join(spec["values"])
    return _FORMS.get(kind) or _NAMES.get(kind, "string")


def found_fact(raw: Any) -> Any:
    """What a word keeps of a value that was replaced: all of it, unless it is long."""
    if isinstance(raw, str):
        raw = raw[:TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")
    elif isinstance(raw, (dict, list)) and len(raw) > 20:
        return f"<{kind_of(raw)}, {len(raw)}>"
    elif isinstance(raw, int) and raw.bit_length() > 64:
        return f"<{raw.bit_length()}-bit integer>"
    return raw


def child(path: str, key: str) -> str:
    """The dotted path of a member."""
    return path + "." + key if path else key


def hidden(spec: Spec) -> bool:
    """Whether a value of a spec is private, or holds something private."""
    if spec.get("private"):
        return True
    inner = spec.get("items")
    if inner is not None and hidden(inner):
        return True
    return any(hidden(member) for member in spec.get("fields", {}).values())


def kind_only(raw: Any) -> str:
    """All that is told of a value that must not be shown."""
    return f"<{kind_of(raw)}>"


def _hushed(item: Word) -> Word:
    """A word without the value that it was about: it stood beside something private, and may be
    that itself in the wrong place."""
    if "found" not in item or item["code"] in _COUNTING:
        return item
    facts = {key: fact for key, fact in item.items() if key not in ("code", "path", "zh", "en")}
    if str(facts["found"])[:1] != "<":
        facts["found"] = kind_only(facts["found"])
    return word(item["code"], item.get("path", ""), **facts)


_COUNTING = ("too_long", "too_many", "list_cut")


def _say(spec: Spec, words: list[Word], code: str, path: str, raw: Any, **facts: Any) -> None:
    found = kind_only(raw) if hidden(spec) else found_fact(raw)
    words.append(word(code, path, found=found, **facts))


def _replaced(spec: Spec, raw: Any, path: str, words: list[Word], code: str, **facts: Any) -> Any:
    _say(spec, words, code, path, raw, **facts)
    return default_of(spec)


def _bool(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    if raw is True or raw is False:
        return raw
    return _replaced(spec, raw, path, words, "wrong_type", expected="boolean")


def _int(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    number = _whole(raw)
    if number is None:
        return _replaced(spec, raw, path, words, "wrong_type", expected="integer")
    least, most = spec.get("min", -INT_MOST), spec.get("max", INT_MOST)
    if not least <= number <= most:
        whole = "max" in spec or number > most
        limits = f"{least}..{most}" if whole else f"≥ {least}"
        if abs(number) > INT_MOST:
            return _replaced(spec, raw, path, words, "out_of_range", allowed=limits)
        _say(spec, words, "out_of_range", path, raw, allowed=limits)
        return least if number < least else most
    if not isinstance(raw, int):
        _say(spec, words, "converted", path, raw)
    return number


def _whole(raw: Any) -> int | None:
    """An integer that another program wrote as `47.0` or `"47"` is still that integer."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return raw
    if isinstance(raw, float):
        return int(raw) if abs(raw) <= INT_MOST and raw == int(raw) else None
    if isinstance(raw, str) and 0 < len(raw) <= 16 and raw.isascii():
        digits = raw[1:] if raw[0] == "-" else raw
        if digits.isdigit() and (digits == "0" or digits[0] != "0") and raw != "-0":
            return int(raw)
    return None


def _text(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    if not isinstance(raw, str):
        return _replaced(spec, raw, path, words, "wrong_type", expected="string")
    clean = clean_text(raw)
    if clean is not raw:
        _say(spec, words, "bad_text", path, raw)
    limit = spec.get("max", TEXT_CHARS)
    if len(clean) > limit:
        hidden = {"limit": limit, "found": len(clean)}
        words.append(word("too_long", path, **hidden))
        return clean[:limit]
    return clean


def clean_text(raw: str) -> str:
    """The same text where it is text; lone surrogates, which no UTF-8 file can hold, replaced."""
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError:
        return raw.encode("utf-8", "replace").decode("utf-8")
    return raw


def _form(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    if not isinstance(raw, str):
        return _replaced(spec, raw, path, words, "wrong_type", expected="string")
    kind = spec["type"]
    if {"slug": is_slug, "date": is_date, "stamp": is_stamp}[kind](raw):
        return raw
    if kind == "stamp" and is_stamp(raw + "Z"):  # a moment that names no zone is one in UTC
        _say(spec, words, "converted", path, raw)
        return raw + "Z"
    return _replaced(spec, raw, path, words, "bad_form", expected=_FORMS[kind])


def _choice(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    if not isinstance(raw, str):
        return _replaced(spec, raw, path, words, "wrong_type", expected="string")
    if raw in spec["values"]:
        return raw
    allowed = ["…"] if spec.get("private") else spec["values"]
    close = nearest(spec, raw) if spec["type"] == "scale" else None
    if close is None:
        return _replaced(spec, raw, path, words, "not_allowed", allowed=allowed)
    _say(spec, words, "not_allowed", path, raw, allowed=allowed)
    return close


def nearest(spec: Spec, raw: Any) -> str | None:
    """The value of a scale that a wrong word plainly means; None when that cannot be told.

    The same word in another case or with blanks around it; or a short Chinese word that ends as
    one of the values does: `大半包` is nearer to `约半包` than to anything that does not speak of
    half a pack. Of several the fullest, which comes first.
    """
    if not isinstance(raw, str) or len(raw) > KEY_CHARS:
        return None
    bare = raw.strip().lower()
    for value in spec["values"]:
        if value.strip().lower() == bare:
            return str(value)
    if 2 <= len(bare) <= 4 and not bare[-2:].isascii() and bare[0] not in "不没非":
        for value in spec["values"]:
            if value.endswith(bare[-2:]):
                return str(value)
    return None


def _object(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    if not isinstance(raw, dict):
        return _replaced(spec, raw, path, words, "wrong_type", expected="object")
    before = len(words)
    out = _members(spec, raw, path, words)
    if len(words) > before and path and hidden(spec):
        words[before:] = [_hushed(item) for item in words[before:]]
    return out


def _members(spec: Spec, raw: dict[str, Any], path: str, words: list[Word]) -> Any:
    out = raw
    for name, member in spec["fields"].items():
        where = child(path, name)
        if name in raw:
            value = judge(member, raw[name], where, words)
            if value is raw[name]:
                continue
        else:
            words.append(word("missing_field", where))
            value = default_of(member)
        if value is BAD:
            return BAD
        if out is raw:
            out = dict(raw)
        out[name] = value
    return out


def _list(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    if not isinstance(raw, list):
        return _replaced(spec, raw, path, words, "wrong_type", expected="list")
    items = spec["items"]
    out: list[Any] = []
    keep = spec.get("keep_last")
    # What is cut anyway is not judged: the latest where the latest are kept, else the first.
    first = max(0, len(raw) - _LOOKED_AT) if keep is not None else 0
    looked = raw if len(raw) <= _LOOKED_AT else raw[first : first + _LOOKED_AT]
    same = looked is raw
    for at, item in enumerate(looked, first):
        where = f"{path}[{at}]"
        value = judge(items, item, where, words)
        same = same and value is item
        if value is BAD:
            _say(spec, words, "item_dropped", where, item)
        else:
            out.append(value)
    unseen = len(raw) - len(looked)
    if keep is not None and len(out) + unseen > keep:
        words.append(word("list_cut", path, found=len(out) + unseen, limit=keep))
        return out[max(0, len(out) - keep) :]
    most = spec.get("max", ITEMS)
    if keep is None and len(out) + unseen > most:
        words.append(word("too_many", path, found=len(out) + unseen, limit=most))
        return out[:most]
    return raw if same else out


def _map(spec: Spec, raw: Any, path: str, words: list[Word]) -> Any:
    if not isinstance(raw, dict):
        return _replaced(spec, raw, path, words, "wrong_type", expected="object")
    items = spec["items"]
    out: dict[str, Any] = {}
    unseen = max(0, len(raw) - _LOOKED_AT)
    same = not unseen
    secret = bool(spec.get("private"))
    for key, item in raw.items() if same else list(raw.items())[:_LOOKED_AT]:
        where = child(path, "…" if secret else key[:KEY_CHARS])
        if not is_key(key):
            _say(spec, words, "item_dropped", where, key)
            same = False
            continue
        value = judge(items, item, where, words)
        same = same and value is item
        if value is BAD:
            _say(spec, words, "item_dropped", where, item)
        else:
            out[key] = value
    most = spec.get("max", ITEMS)
    if len(out) + unseen > most:
        words.append(word("too_many", path, found=len(out) + unseen, limit=most))
        return dict(list(out.items())[:most])
    return raw if same else out


_JUDGES: dict[str, Callable[[Spec, Any, str, list[Word]], Any]] = {
    "bool": _bool, "int": _int, "text": _text, "slug": _form, "date": _form, "stamp": _form,
    "enum": _choice, "scale": _choice, "object": _object, "list": _list, "map": _map,
}  # fmt: skip


def is_key(key: Any) -> bool:
    """Whether a text can be the key of a map."""
    return isinstance(key, str) and 0 < len(key) <= KEY_CHARS and clean_text(key) is key


def is_slug(text: str) -> bool:
    """`nv-yujie`: lower-case ASCII letters and digits in groups joined by single hyphens."""
    return (
        0 < len(text) <= SLUG_CHARS
        and text.isascii()
        and text == text.lower()
        and all(part.isalnum() for part in text.split("-"))
    )


def is_date(text: str) -> bool:
    """A day of the calendar as `YYYY-MM-DD`."""
    return day_number(text) is not None


def is_stamp(text: Any) -> bool:
    """A moment in UTC: `2026-05-08T10:12:34Z`, with or without a fraction; `+00:00` also names UTC."""
    for end in ("Z", "+00:00"):
        if isinstance(text, str) and text.endswith(end):
            day, mark, time = text[: -len(end)].partition("T")
            time, dot, fraction = time.partition(".")
            return (
                mark == "T"
                and is_date(day)
                and _clock(time)
                and (not dot or (_digits(fraction) and len(fraction) <= 9))
            )
    return False


def _clock(time: str) -> bool:
    parts = time.split(":")
    return (
        len(parts) == 3
        and all(len(part) == 2 and _digits(part) for part in parts)
        and int(parts[0]) < 24
        and int(parts[1]) < 60
        and int(parts[2]) <= 60  # a leap second
    )


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_number(text: Any) -> int | None:
    """Days from 0001-01-01 (which is 1, a Monday) in the Gregorian calendar; None for no date."""
    if not isinstance(text, str) or len(text) != 10 or text[4] != "-" or text[7] != "-":
        return None
    if not (_digits(text[:4]) and _digits(text[5:7]) and _digits(text[8:])):
        return None
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:])
    if year < 1 or not 1 <= month <= 12:
        return None
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _LENGTHS[month - 1] + (1 if leap and month == 2 else 0):
        return None
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    return days + sum(_LENGTHS[: month - 1]) + (1 if leap and month > 2 else 0) + day


def date_of(number: int) -> str:
    """The day of a day number, as `YYYY-MM-DD`."""
    year = number // 366 + 1
    while day_number(f"{year:04}-12-31") < number:  # type: ignore[operator]
        year += 1
    month = 12
    while day_number(f"{year:04}-{month:02}-01") > number:  # type: ignore[operator]
        month -= 1
    first = day_number(f"{year:04}-{month:02}-01") or 0
    return f"{year:04}-{month:02}-{number - first + 1:02}"
