"""How text is found: folding, pieces, queries, and that the index's tokens say the same as the rule."""

from __future__ import annotations

import sqlite3
import unicodedata
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.kernel.errors import Refused
from clew.kernel.index_text import (
    QUERY_CHARS,
    TEXT_CHARS,
    WORD_CHARS,
    Query,
    expression,
    facet_token,
    matches,
    pieces,
    query_of,
    tokens,
)

ODD = [
    '"', "''", "*", "^", "江*", "AND", "OR NOT", "NEAR(a b, 2)", "body:江", "{body} : a", "-a", "+", "(", ")",
    "\0", "a\0b", "江\0晨", "\ud800", "a\udfff", "%", "_", "a_b", "江%", ";DROP TABLE messages", "\\", "\n\t",
    "，。！", "　", "😀", "👍🏽", "👨‍👩‍👧", "e\u0301", "\u0301", "ﬁ", "İ", "ß", "¦", "江¦", "\ufeff", "\u200b江\u200b",
    "ก็", "한국어", "日本語テキスト", "ｶﾞ", "\U000f0000\U00100000", "١٢٣", "a" * 999, "江" * 999,
]  # fmt: skip

ALPHABET = "江晨灯塔的 ，。\n" + "abé ÀzZ0" + "ＡかガﾞÆ😀ก็한\u0301\u200d\ufe0f¦\0\U000f0000"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=24) | st.text(max_size=12)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("江晨", ["江晨"]),
        ("他说：“江晨，你好！”", ["他说", "江晨", "你好"]),
        ("用Python写代码", ["用", "python", "写代码"]),
        ("第12章", ["第", "12", "章"]),
        ("Café, Zoë & José", ["cafe", "zoe", "jose"]),
        ("cafe\u0301", ["cafe"]),
        ("ＡＢＣ１２", ["abc12"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("İstanbul ISTANBUL", ["istanbul", "istanbul"]),
        ("Łódź œuvre Ærø", ["lodz", "oeuvre", "aero"]),
        ("don’t don't", ["don", "t", "don", "t"]),
        ("Ελλάδα", ["ελλαδα"]),
        ("Ёжик йод", ["ежик", "йод"]),
        ("ｶﾞか\u3099", ["ガが"]),
        ("アルベルト・アインシュタイン", ["アルベルト", "アインシュタイン"]),
        ("하늘 아래", ["하늘", "아래"]),
        ("👍🏽ok", ["👍", "ok"]),
        ("★江", ["★江"]),
        ("zero\u200bwidth soft\u00adhyphen", ["zerowidth", "softhyphen"]),
        ("a\0b\ud800c", ["a", "b", "c"]),
        ("，。！？…— \n", []),
        ("", []),
    ],
)
def test_text_is_made_plain_and_split(text: str, found: list[str]) -> None:
    assert pieces(text) == found


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("见江晨了", "江", True),
        ("见江晨了", "江晨", True),
        ("见江晨了", "见江晨了", True),
        ("江，晨", "江晨", False),
        ("江，晨", "江，晨", True),
        ("江 晨", "江。晨", True),
        ("江晨", "江，晨", False),
        ("江水，晨光", "江 晨", True),
        ("江水", "江 晨", False),
        ("你好，世界", "好，世", True),
        ("你好！？——世界", "你好，世界", True),
        ("python写代码", "python写", True),
        ("python 写代码", "python写", True),
        ("python再写", "python写", False),
        ("写python", "写python", True),
        ("写python", "写py", False),  # two letters begin no word
        ("写python", "写pyt", True),
        ("写jpython", "写pyt", False),
        ("the lanterns", "lantern", True),
        ("the lanterns", "antern", False),
        ("the lanterns", "la", False),
        ("la casa", "la", True),
        ("the old lantern", "lantern the", True),
        ("Zoë met José at the Café", "zoe jose cafe", True),
        ("zoe", "ZOË", True),
        ("ＡＢＣ公司", "abc公司", True),
        ("江湖", "江湖", True),
        ("汉字", "漢字", False),  # simplified and traditional are different characters
        ("漢字", "漢", True),
        ("哈哈😀", "😀", True),
        ("哈哈😀", "哈😀", True),
        ("等等…", "…", False),  # nothing to search for
        ("anything", "", False),
    ],
)
def test_what_is_found(text: str, query: str, found: bool) -> None:
    assert matches(text, query_of(query)) is found


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("the old lantern", "old lantern", True),
        ("the lantern, old", "old lantern", False),
        ("old, lantern", "old lantern", True),
        ("江 晨", "江 晨", True),
        ("江水，晨光", "江 晨", False),
    ],
)
def test_an_exact_query_is_one_term(text: str, query: str, found: bool) -> None:
    assert matches(text, query_of(query, exact=True)) is found


def test_without_prefix_words_are_found_whole() -> None:
    assert not matches("the lanterns", query_of("lantern", prefix=False))
    assert matches("the lantern", query_of("lantern", prefix=False))


def test_very_long_words_are_the_same_when_they_begin_the_same() -> None:
    long = "x" * WORD_CHARS
    assert matches(long + "yyy", query_of(long + "zzz"))
    assert len(max(tokens("x" * 10_000).split(), key=len)) == WORD_CHARS


def test_only_the_first_million_characters_of_a_text_are_indexed() -> None:
    text = "一" * TEXT_CHARS + "晨"
    assert "晨" not in tokens(text)
    assert not matches(text, query_of("晨"))


@pytest.mark.parametrize("query", ["x" * (QUERY_CHARS + 1), "江" * 10_000_000, "ﷺ" * 900])
def test_a_query_that_is_too_long_is_refused(query: str) -> None:
    with pytest.raises(Refused) as refused:
        query_of(query)
    assert refused.value.code == "query_too_long"


def test_a_term_that_is_repeated_counts_once() -> None:
    assert len(query_of("江 江 江 the THE").terms) == 2


# ---- the tokens say the same as the rule -------------------------------------------------------


def fts(*texts: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(a, content='', columnsize=0, tokenize='ascii', prefix='3')"
    )
    for number, text in enumerate(texts):
        connection.execute("INSERT INTO t (rowid, a) VALUES (?, ?)", (number, tokens(text)))
    return connection


def found_by_index(connection: sqlite3.Connection, query: str, **how: bool) -> set[int]:
    """The numbers of the texts that are found; closes the index."""
    understood = query_of(query, **how)
    with closing(connection):
        return _found(connection, understood)


def _found(connection: sqlite3.Connection, understood: Query) -> set[int]:
    if not understood.terms:
        return set()
    return {
        row
        for (row,) in connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ?", (expression(understood),)
        )
    }


@given(st.lists(TEXTS, max_size=6), TEXTS, st.booleans(), st.booleans())
@example(["江晨", "江，晨", "晨江"], "江晨", False, True)
@example(["你好，世界abc"], "界ab", False, True)
def test_the_index_finds_what_the_rule_says(
    texts: list[str], query: str, exact: bool, prefix: bool
) -> None:
    understood = query_of(query, exact=exact, prefix=prefix)
    expected = {number for number, text in enumerate(texts) if matches(text, understood)}
    assert found_by_index(fts(*texts), query, exact=exact, prefix=prefix) == expected


@given(TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_any_stretch_of_a_text_finds_the_text(text: str, start: int, length: int) -> None:
    # A word is found from its beginning, and a mark belongs to the character before it.
    part = text[start : start + length]
    whole_words = {piece for piece in pieces(text) if piece < "\u0e00"}
    if (
        all(piece in whole_words for piece in pieces(part) if piece < "\u0e00")
        and not any(unicodedata.combining(c) or unicodedata.category(c)[0] in "MC" for c in text)
        and all(ord(c) < 0x1100 or ord(c) > 0x11FF for c in unicodedata.normalize("NFKC", text))
    ):
        query = query_of(part, exact=True)
        assert not query.terms or matches(text, query)


@pytest.mark.parametrize("query", ODD)
def test_nothing_in_a_query_is_an_operator(query: str) -> None:
    connection = fts(query, "something else entirely")
    found = found_by_index(connection, query, exact=True)
    assert found == ({0} if pieces(query) else set())


@given(st.text(max_size=40))
def test_any_text_can_be_indexed_and_searched(text: str) -> None:
    assert matches(text, query_of(text, exact=True)) is bool(pieces(text))
    assert found_by_index(fts(text), text, exact=True) == ({0} if pieces(text) else set())


def test_five_hundred_terms_are_understood() -> None:
    words = " ".join(chr(0x4E00 + n) for n in range(450))
    assert found_by_index(fts(words, "一"), words) == {0}


# ---- facets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "left", "right", "same"),
    [
        ("text", "a", "a", True),
        ("text", "a", "b", False),
        ("text", None, "", False),
        ("text", None, "None", False),
        ("integer", 1, 1.0, True),
        ("integer", 1, True, True),
        ("integer", "1", 1, True),
        ("text", "1", "1.0", False),
        ("text", 1, "1", True),
    ],
)
def test_values_that_are_equal_have_one_facet(
    kind: str, left: object, right: object, same: bool
) -> None:
    assert (facet_token("c", kind, left) == facet_token("c", kind, right)) is same


def test_a_facet_is_no_text() -> None:
    token = facet_token("book", "text", "b1")
    assert pieces(token) == []
    assert token != facet_token("role", "text", "b1")
