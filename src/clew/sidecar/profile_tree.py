"""The shape of a profile: every key known, every value of its shape. Faults carry their line.

`shaped` gives the parts that are right, so that the meaning of the rest is judged in the same run
and all faults are told at once.
"""

from __future__ import annotations

from typing import Any, Final

from clew.kernel.faults import Both, Fault
from clew.sidecar import profile_codes as _codes  # registers what is raised here  # noqa: F401
from clew.sidecar.engine_shape import INT_MOST, clean_text, is_slug
from clew.sidecar.engine_words import kind_of, plain, told
from clew.sidecar.profile_grammar import TABLES
from clew.sidecar.profile_lines import Lines, Path

BAD: Final[Any] = object()
_EXPECTED: Final = {
    "bool": Both("true 或 false", "true or false"),
    "int": Both("整数", "an integer"),
    "text": Both("文字", "text"),
    "name": Both(
        "小写字母、数字、下划线的名字", "a name of lower-case letters, digits and underscores"
    ),
    "slug": Both("小写字母、数字、连字符", "lower-case letters, digits and hyphens"),
    "path": Both("用点相连的字段名", "names of fields joined by dots"),
    "words": Both(
        '两种语言各一句：{ zh = "…", en = "…" }',
        'a sentence in each language: { zh = "…", en = "…" }',
    ),
    "literal": Both("布尔、整数、文字、列表或表", "a boolean, integer, text, list or table"),
}


class Sheet:
    """Collects faults, each with its line."""

    def __init__(self, file: str, lines: Lines) -> None:
        self.file = file
        self.lines = lines
        self.faults: list[Fault] = []

    def add(self, code: str, path: Path, **facts: Any) -> None:
        """Add a fault about what stands, or should stand, at `path`."""
        line, exact = self.lines.of(path)
        where = Both(
            f"{self.file} 第 {line} 行" + ("" if exact else "起的表"),
            f"{self.file}, {'line' if exact else 'in the table from line'} {line}",
        )
        self.faults.append(
            Fault(code, dotted(path), file=self.file, line=line, where=where, **facts)
        )

    def value(self, path: Path, found: Any, reason: Both, *, typed: bool = False) -> None:
        """`profile_value`: what is expected. `typed`: what is wrong is the type of what was found."""
        plain = isinstance(found, str | int) and not is_huge(found)
        shown = named(found) if typed or not plain else found
        self.add("profile_value", path, found=shown, reason=reason)

    def clash(self, path: Path, zh: str, en: str) -> None:
        """`profile_clash`, in both languages."""
        self.add("profile_clash", path, reason=Both(zh, en))

    def name(self, path: Path, found: str, known: Any) -> None:
        """`profile_name`: something that is not declared."""
        self.add("profile_name", path, found=found, allowed=tuple(known) or ("-",))


def is_huge(found: Any) -> bool:
    """Whether an integer is longer than TOML allows, so that it is not even written out."""
    return isinstance(found, int) and not -(2**63) <= found < 2**63


_KINDS: Final = {
    "object": Both("一张表", "a table"),
    "list": Both("一个列表", "a list"),
    "date": Both("一个日期", "a date"),
    "datetime": Both("一个时刻", "a moment"),
    "time": Both("一个钟点", "a time"),
}


def named(found: Any) -> Both:
    """What was found, with the name of its type: that `1` is not `"1"` is not to be guessed."""
    if isinstance(found, str):
        short = plain(found)
        return Both(f"文字“{short}”", f'the text "{short}"')
    if isinstance(found, bool):
        return Both(
            *[f"{word}{'true' if found else 'false'}" for word in ("布尔值 ", "the boolean ")]
        )
    if isinstance(found, int):
        shown = told(found)
        return Both(f"整数 {shown}", f"the integer {shown}")
    if isinstance(found, float):
        return Both(f"小数 {found}", f"the fraction {found}")
    kind = kind_of(found)
    return _KINDS.get(kind, Both(kind, kind))


def dotted(path: Path) -> str:
    """A path as people write it: `events.buy.change[2].when`."""
    out = ""
    for key in path:
        out += f"[{key}]" if isinstance(key, int) else f".{key}" if out else key
    return out


def is_name(text: str) -> bool:
    """Lower-case ASCII letters, digits and underscores, beginning with a letter."""
    return (
        0 < len(text) <= 60
        and text.isascii()
        and text[0].isalpha()
        and text == text.lower()
        and text.replace("_", "a").isalnum()
    )


def shaped(sheet: Sheet, shape: str, raw: Any, path: Path) -> Any:
    """`raw` as far as it has the shape, or `BAD`."""
    kind, _, inner = shape.partition(" ")
    if kind == "list":
        return _list(sheet, inner, raw, path)
    if kind in ("each", "keyed"):
        return _each(sheet, inner, raw, path, named=kind == "each")
    if shape in TABLES:
        return _table(sheet, shape, raw, path)
    if shape in ("value", "condition", "change"):
        return raw  # judged where its fields and arguments are known
    if _fits(shape, raw):
        return raw
    expected = _EXPECTED[shape]
    if shape == "words" and isinstance(raw, dict):
        lacking = [lang for lang in ("zh", "en") if lang not in raw]
        if lacking:
            expected = Both(
                f"{expected.zh}，缺 {'、'.join(lacking)}",
                f"{expected.en}; {' and '.join(lacking)} is missing",
            )
    same = shape in ("text", "name", "slug", "path") and isinstance(raw, str)
    sheet.value(path, raw, expected, typed=not same and shape != "literal")
    return BAD


def _fits(shape: str, raw: Any) -> bool:
    if shape == "bool":
        return isinstance(raw, bool)
    if shape == "int":
        return isinstance(raw, int) and not isinstance(raw, bool) and abs(raw) <= INT_MOST
    if shape == "words":
        return (
            isinstance(raw, dict)
            and set(raw) == {"zh", "en"}
            and all(isinstance(text, str) and text.strip() for text in raw.values())
        )
    if shape == "literal":
        return _plain(raw)
    if not isinstance(raw, str) or not raw:
        return False
    if shape == "text":
        return clean_text(raw) is raw
    if shape == "slug":
        return is_slug(raw)
    parts = raw.split(".") if shape == "path" else [raw]
    return all(is_name(part) for part in parts[:1]) and all(parts)


def _plain(raw: Any) -> bool:
    """What JSON can hold and a state may: no dates of TOML's own, no fractions."""
    if isinstance(raw, dict):
        return all(_plain(item) for item in raw.values())
    if isinstance(raw, list):
        return all(_plain(item) for item in raw)
    return isinstance(raw, bool | int | str) and not is_huge(raw)


def _list(sheet: Sheet, inner: str, raw: Any, path: Path) -> Any:
    if not isinstance(raw, list):
        sheet.value(path, raw, Both("列表：[ … ]", "a list: [ … ]"), typed=True)
        return BAD
    # What is wrong keeps its place, so that positions still tell where an item stands.
    return [shaped(sheet, inner, item, (*path, at)) for at, item in enumerate(raw)]


def _each(sheet: Sheet, inner: str, raw: Any, path: Path, *, named: bool) -> Any:
    if not isinstance(raw, dict):
        sheet.value(path, raw, Both("一张表", "a table"), typed=True)
        return BAD
    out = {}
    for key, item in raw.items():
        if named and not is_name(key):
            sheet.value((*path, key), key, _EXPECTED["name"])
            continue
        value = shaped(sheet, inner, item, (*path, key))
        if value is not BAD:
            out[key] = value
    return out


def _table(sheet: Sheet, table: str, raw: Any, path: Path) -> Any:
    if not isinstance(raw, dict):
        sheet.value(path, raw, Both("一张表", "a table"), typed=True)
        return BAD
    keys = TABLES[table]
    out = {}
    for key, item in raw.items():
        if key not in keys:
            sheet.add("profile_key", (*path, key), allowed=tuple(keys))
            continue
        value = shaped(sheet, keys[key].shape, item, (*path, key))
        if value is not BAD:
            out[key] = value
    for key, spec in keys.items():
        if spec.needed and key not in raw:
            form = ' = { zh = "…", en = "…" }' if spec.shape == "words" else ""
            more = f"；{key}{form}" if form else "", f"; {key}{form}" if form else ""
            reason = Both(spec.zh + more[0], spec.en + more[1])
            sheet.add("profile_missing", (*path, key), reason=reason)
    return out
