"""Hypothesis strategies for cards: valid ones with unknown keys at every level, and odd numbers."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from clew.books.cards.fields import ASSET, BOOK, CARD, ENTRY, Field
from clew.books.cards.values import Number

TEXTS = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(
    ["", "码头", "{{char}} said", "a\nb", "\ud83d", "💧", "@@depth 4\nx", "@@@", "</script>", "\0"]
)
NUMBERS = (
    st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        [Number(t) for t in ("1.0e3", "1E5", "-0", "1.50", "0.10", "9" * 60, "1e999")]
    )
)
ATOMS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES: st.SearchStrategy[Any] = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(
    st.sampled_from(["x_new", "data", "未知", "a b", "$", "", "__proto__", "toString"]),
    VALUES,
    max_size=3,
)
CONTENTS = TEXTS | st.sampled_from(
    ["@@depth 4\n@@@instruct_depth 3\n正文", "@@activate\n\n@@role user\nx", "@@", "@@ not one", "\n@@depth 1\nx"]
)  # fmt: skip
URIS = TEXTS | st.sampled_from(
    ["ccdefault:", "embeded://a.png", "embedded://b", "__asset:0", "https://x/y.png", "data:,", "file:///x", "../z"]
)  # fmt: skip
"""What the URI of an asset can be, lawful or not."""
ROOT = st.dictionaries(
    st.sampled_from(["fav", "create_date", "avatar", "talkativeness", "creatorcomment", "my_root", "name"]),
    VALUES, max_size=3,
)  # fmt: skip


def of_kind(field: Field) -> st.SearchStrategy[Any]:
    """A value that is right for a field, or null where the field may be absent."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "text": TEXTS,
        "texts": st.lists(TEXTS, max_size=3),
        "words": st.lists(TEXTS, max_size=3),
        "number": NUMBERS,
        "flag": st.booleans(),
        "object": st.dictionaries(TEXTS, VALUES, max_size=3),
        "ident": st.integers(0, 9) | TEXTS,
        "moment": st.integers(0, 10**10),
        "languages": st.dictionaries(
            st.sampled_from(["en", "zh", "zh-TW", "x"]), TEXTS, max_size=3
        ),
        "position": st.sampled_from(["before_char", "after_char"]),
        "assets": st.lists(assets(), max_size=3),
        "entries": st.lists(st.deferred(entries), max_size=3),
        "book": st.deferred(books),
    }
    right = CONTENTS if field.name == "content" else kinds[field.kind]
    return right if field.required else right | st.none()


def _object(
    fields: tuple[Field, ...], version: int, *, whole: bool
) -> st.SearchStrategy[dict[str, Any]]:
    known = [field for field in fields if field.since <= version]
    must = {f.name: of_kind(f) for f in known if f.required and (whole or f.name == "name")}
    may = {f.name: of_kind(f) for f in known if f.name not in must}
    right = st.fixed_dictionaries(must, optional=may)
    return st.builds(lambda odd, good: {**odd, **good}, UNKNOWN, right)


def assets() -> st.SearchStrategy[dict[str, Any]]:
    """A row of `assets`: some of its four keys, and others."""
    known = {name: URIS if name == "uri" else TEXTS for name in ASSET}
    rows = st.fixed_dictionaries({}, optional=known)
    return st.builds(lambda odd, good: {**odd, **good}, UNKNOWN, rows)


def entries() -> st.SearchStrategy[dict[str, Any]]:
    return _object(ENTRY, 3, whole=True)


def books() -> st.SearchStrategy[dict[str, Any]]:
    return _object(BOOK, 3, whole=True)


@st.composite
def documents(draw: st.DrawFn, spec: str) -> dict[str, Any]:
    """A document of V1, V2 or V3 with everything that its version requires."""
    version = int(spec[1])
    data = draw(_object(CARD, version, whole=True))
    if version == 1:
        return {k: v for k, v in data.items() if k != "data"}
    root = draw(ROOT)
    return {"spec": f"chara_card_{spec}", "spec_version": f"{version}.0", "data": data, **root}
