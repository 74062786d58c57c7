"""How text is found: folding, splitting into tokens, queries. Pure.

The rule, in one place. Text is made *plain*: compatibility forms are unified (NFKC: full width,
ligatures), case is folded, accents of Latin and Greek letters are dropped. What is left is a row of
pieces with gaps between them; punctuation and white space are gaps of one and the same kind. A piece
is either a *word* (letters and digits of scripts that put spaces between words) or a *run* of
characters of scripts that do not (Chinese, Japanese, Korean, Thai …, and symbols such as emoji).

A query is split at white space into terms, and a row is found when it holds every term. A term is
found where its pieces stand one after the other: a run anywhere inside a run, a word as a whole, the
last word of a term also as the beginning of one. So 江晨 is found in 见江晨了, `cafe` in Café, and
你好，世界 wherever there is some gap between 你好 and 世界. Simplified and traditional characters are
different characters.

For the index every run is written as its pairs of neighbours, walls (¦) at its ends included, and
each of its characters once more alone; every word as it is. That turns each term into a phrase of
tokens, found exactly, whatever its length.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from operator import add
from typing import Final, NamedTuple

from clew.kernel.errors import Refused
from clew.kernel.faults import Code, Fault, register

QUERY_CHARS: Final = 1_000
"""Longest query, in characters, before and after it is made plain."""
TEXT_CHARS: Final = 1_000_000
"""Characters of one text that are indexed; what follows is not found."""
WORD_CHARS: Final = 64
"""Longer words are the same when their first characters are."""
PREFIX_CHARS: Final = 3
"""Shorter words are only found whole: what they begin would be half of everything."""

_WALL: Final = "¦"
_RUNS: Final = (
    "\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"  # Thai, Lao, Tibetan, Burmese, jamo, Khmer
    "\u2190-\u2bff\u2e80-\u2fdf"  # arrows, symbols, dingbats; radicals
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # 々〆〇, Suzhou numerals
    "\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # kana
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff"
    "\U0001b000-\U0001b2ff\U0001f000-\U0001f3fa\U0001f400-\U0001faff\U00020000-\U0003ffff"
)
_FIRST_RUN: Final = "\u0e00"
_IN_RUN: Final = re.compile(f"[{_RUNS}]")
PIECE: Final = re.compile(f"[{_RUNS}]+|[^ {_RUNS}]+")
_ASCII_WORD: Final = re.compile("[a-z0-9]+")
_PLAIN_LETTER: Final = {
    "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŧ": "t",
    "þ": "th", "ё": "е",
}  # fmt: skip


MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u1160-\u11ff\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\uff9e\uff9f\U0001f3fb-\U0001f3ff"
)
"""What may belong to the character before it: only texts that hold some need to be normalised as a
whole."""
_MARKED: Final = re.compile(f"[{MARKS}]")
_REMEMBERED: Final = 50_000


class _Folding(dict[int, str]):
    """What each character becomes: plain letters, characters of a run, a gap (space), nothing."""

    def __missing__(self, code: int) -> str:
        char = unicodedata.normalize("NFKC", chr(code)).casefold()
        plain = "".join(map(_plain, char))
        if len(self) < _REMEMBERED:  # a text of every character there is costs time, not memory
            self[code] = plain
        return plain


def _plain(char: str) -> str:
    if _IN_RUN.match(char):
        return char
    kind = unicodedata.category(char)
    if kind == "Cf" or kind == "Me" or "\U0001f3fb" <= char <= "\U0001f3ff":
        return ""  # joiners, soft hyphens, key caps, skin tones
    if kind == "Mn" and (
        "\u0300" <= char <= "\u036f" or unicodedata.name(char, "")[:9] == "VARIATION"
    ):
        return ""
    if kind[0] not in "LNM":
        return " "
    apart = unicodedata.normalize("NFD", char)
    if len(apart) > 1 and (apart[0] < "\u0250" or "\u0370" <= apart[0] <= "\u03ff"):
        char = "".join(c for c in apart if not "\u0300" <= c <= "\u036f")
    return _PLAIN_LETTER.get(char, char)


_FOLDING: Final = _Folding()


def folded(text: str) -> str:
    """Plain characters, with a space for each that is a gap."""
    if _MARKED.search(text):
        text = unicodedata.normalize("NFKC", text)
    return text.translate(_FOLDING)


def pieces(text: str) -> list[str]:
    """The words and runs of a text, made plain. Two that stand together have a gap between them, or
    are a word beside a run."""
    found = _ASCII_WORD.findall(text.lower()) if text.isascii() else PIECE.findall(folded(text))
    return [p if len(p) <= WORD_CHARS or is_run(p) else p[:WORD_CHARS] for p in found]


def is_run(piece: str) -> bool:
    """Whether a piece belongs to a script without spaces; else it is a word."""
    return piece > _FIRST_RUN and _IN_RUN.match(piece) is not None


def tokens(text: str) -> str:
    """What the index keeps of a text, as one string of tokens with spaces between them."""
    out: list[str] = []
    runs: list[str] = []
    for piece in pieces(text[:TEXT_CHARS]):
        if is_run(piece):
            runs.append(piece)
            walled = _WALL + piece + _WALL
            out.extend(map(add, walled, walled[1:]))
        else:
            out.append(piece)
    out.extend(dict.fromkeys("".join(runs)))
    return " ".join(out)


def facet_token(column: str, kind: str, value: object) -> str:
    """A token for a column's value: two private characters, which no text can hold.

    Values that SQLite takes for equal in a column of that kind have one token; others may share it.
    """
    if isinstance(value, bool):
        value = int(value)
    if kind in ("integer", "real") and value is not None:
        with suppress(ValueError, TypeError, OverflowError):
            value = float(value)  # type: ignore[arg-type]
    word = f"{column}\0{'' if value is None else '+'}{value}"
    digest = hashlib.blake2b(word.encode("utf-8", "backslashreplace"), digest_size=4).digest()
    high, low = int.from_bytes(digest[:2], "big"), int.from_bytes(digest[2:], "big")
    return chr(0xF0000 + min(high, 0xFFFD)) + chr(0x100000 + min(low, 0xFFFD))


class Term(NamedTuple):
    """What must stand together."""

    pieces: tuple[str, ...]
    prefix: bool
    """Whether the last piece, a word, may be the beginning of one."""


class Query(NamedTuple):
    """What someone searches, understood. Without terms it finds nothing."""

    terms: tuple[Term, ...]


def query_of(text: str, *, exact: bool = False, prefix: bool = True) -> Query:
    """Read what was typed. Nothing in it is an operator: it is all text.

    `exact`: white space is a gap like any other, and all of it is one term. `prefix`: the last word
    of a term is also found as the beginning of a word, when it has three letters or more.
    Raises `Refused` (`query_too_long`).
    """
    if len(text) > QUERY_CHARS:
        raise Refused(Fault("query_too_long", found=len(text), limit=QUERY_CHARS))
    terms: dict[Term, None] = {}
    for part in [text] if exact else text.split():
        found = pieces(part)
        if found:
            open_end = prefix and not is_run(found[-1]) and len(found[-1]) >= PREFIX_CHARS
            terms[Term(tuple(found), open_end)] = None
    length = sum(len(piece) for term in terms for piece in term.pieces)
    if length > QUERY_CHARS:
        raise Refused(Fault("query_too_long", found=length, limit=QUERY_CHARS))
    return Query(tuple(terms))


def _phrase(term: Term) -> str:
    out: list[str] = []
    last = len(term.pieces) - 1
    for number, piece in enumerate(term.pieces):
        if not is_run(piece):
            out.append(piece)
            continue
        walled = (_WALL if number else "") + piece + (_WALL if number < last else "")
        out.extend(map(add, walled, walled[1:]) if len(walled) > 1 else [walled])
    return f'"{" ".join(out)}"' + (" *" if term.prefix else "")


def expression(
    query: Query, columns: Sequence[str] = (), facets: Sequence[Sequence[str]] = ()
) -> str:
    """The query in FTS5's language. Only tokens of ours get into it, in quotes.

    `columns` limits it to some texts; of each of `facets` one token must be there besides.
    """
    found = " AND ".join(_phrase(term) for term in query.terms)
    if columns:
        found = f"{{{' '.join(columns)}}} : ({found})"
    narrowed = ["(" + " OR ".join(f'"{token}"' for token in any_of) + ")" for any_of in facets]
    return " AND ".join([*narrowed, found])


# ---- the same rule on one text -----------------------------------------------------------------


def places(plain: str, term: Term) -> list[tuple[int, int]]:
    """Where a term stands in pieces joined by spaces."""
    needle = " ".join(term.pieces)
    starts_word, ends_word = not is_run(term.pieces[0]), not is_run(term.pieces[-1])
    found: list[tuple[int, int]] = []
    start = plain.find(needle)
    while start >= 0:
        end = start + len(needle)
        begins = not starts_word or start == 0 or plain[start - 1] == " "
        ends = not ends_word or term.prefix or end == len(plain) or plain[end] == " "
        if begins and ends:
            found.append((start, end))
        start = plain.find(needle, start + 1)
    return found


def matches(text: str, query: Query) -> bool:
    """Whether a search for `query` finds a row with this text."""
    plain = " ".join(pieces(text[:TEXT_CHARS]))
    return bool(query.terms) and all(places(plain, term) for term in query.terms)


register(
    Code(
        "query_too_long", 2,
        "搜索词太长：{found} 个字符，上限 {limit}",
        "the query is too long: {found} characters of {limit}",
        "只留最能认出那段文字的一句。",
        "Keep the one sentence that tells the passage best.",
        about_zh="搜索词一律当作文字，没有运算符；长度按字符计，全角转半角之后再量一次。",
        about_en="A query is text, there are no operators in it. Its length is counted in characters, "
        "and once more after compatibility forms were unified.",
    ),
)  # fmt: skip
