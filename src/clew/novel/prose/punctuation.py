"""Put right what is surely wrong in a chapter's punctuation, and nothing else.

Pure: text in, text and a difference out. Source: the seed («运行工具», `chapter check`) and the
conventions of Chinese typesetting. Only lines that a reader reads are touched: no front matter, code,
tables, rulers, chapter headings or comments, and within a line no code spans, addresses and texts
that the book lists as meant. Line endings, a byte order mark and the number of lines stay.

What is sure, in Chinese: `--`, dots and single halves of —— and …… beside Chinese text, ASCII marks
between Chinese characters, a stray space between two of them in a line of prose. The marks —— and
…… themselves stay, except in a book that is strict. In English: `--` between words, fullwidth marks
between Latin letters; three dots stay, because both ways of writing an ellipsis are in use. Straight
quotation marks become “ ” only where a book asks for it, and only where the pairs of a line leave no
doubt. `fix` is idempotent: its result has nothing left to fix.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from clew.novel.prose.literals import Literals, literals_of
from clew.novel.prose.strict import unmarked
from clew.novel.prose.text import MASK, Language, Line, LineKind, language_of, read_body

_ROUNDS: Final = 8
"""A repair may uncover the next one; a handful of rounds reach the end."""
_CONTEXT: Final = 2
_FIXED: Final = frozenset({LineKind.NARRATIVE, LineKind.QUOTE, LineKind.LIST, LineKind.HEADING})
_NEWLINE: Final = re.compile(r"(\r\n|\r|\n)")
_SPARED: Final = re.compile(
    r"(?<!`)(`{1,8})(?!`).{1,400}?(?<!`)\1(?!`)"
    r"|\b(?:https?|ftp|mailto):[^\s，。！？；：”’」』）】]+"
    r"|\]\([^()\s]{0,400}\)|<[A-Za-z/!][^<>\n]{0,400}>"
    r"|(?<![\w.+-])[\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{1,60}"
)

_HAN: Final = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OPEN: Final = "“‘「『（《【〈"
_CLOSE: Final = "”’」』）》】〉"
_CJK: Final = re.compile(rf"[{_HAN}{_OPEN}{_CLOSE}，。！？；：、…—]")
_WORDLY: Final = re.compile(r"[\w<>!/\\|=+*#-]", re.ASCII)
"""Beside one of these a run of hyphens or dots may be an option, an arrow, a path or a comment."""
_FULL: Final = str.maketrans(",!?;:", "，！？；：")
_HALF: Final = str.maketrans("，。！？；：、", ",.!?;:,")

_HYPHENS: Final = re.compile(r" ?(?<!-)-{2,6}(?!-) ?")
_DOTS: Final = re.compile(r"\.{3,}|。{3,}|(?<!…)…(?!…)")
_HALF_DASH: Final = re.compile("(?<=[了着过的呢吗吧啊，。！？”」])—(?![—0-9A-Za-z])")
_ASCII: Final = re.compile(
    rf"(?:(?<=[{_HAN}{_CLOSE}])|(?<=[{_HAN}。！？…]\"))[,!?;:]+ ?(?=[{_HAN}{_OPEN}{_CLOSE}\"]|$)"
)
# A full stop between two Chinese characters may part the two halves of a foreign name.
_STOP: Final = re.compile(
    rf"(?<=[{_HAN}{_CLOSE}])\.(?:(?=[{_CLOSE}{_OPEN}\"]|$)| (?=[{_HAN}{_OPEN}]))"
)
_STRAY: Final = re.compile(
    rf"【[^【】]{{0,200}}】|《[^《》]{{0,200}}》|(?<![{_HAN} ])([{_HAN}]{{1,200}}) ([{_HAN}]{{1,200}})(?![{_HAN} ])"
    rf"|(?<=[，。！？；：、]) (?=[{_HAN}])"
)
_PROSE: Final = re.compile("[。！？…”」』]")
_VERSE: Final = 4
"""Two halves of one length, this or more, with a space between are two lines of verse."""

_EN_DASH: Final = re.compile(
    r"(?<=[\w,.;:!?”’\")])(?<!-)-{2,3}(?!-)(?=[\w“‘\"(”’]|$)"
    r"|(?<=[\w,.;:!?”’\")] )-{2,3}(?= [\w“‘\"(])"
)
_EN_FULL: Final = re.compile(r"(?<=[A-Za-z0-9])[，。！？；：、](?:(?= )|(?=[A-Za-z0-9“‘\"”’])|$)")
_APOSTROPHE: Final = re.compile(r"(?<=[A-Za-z])'(?=[A-Za-z])")
_MAY_OPEN: Final = re.compile(r"(?:^|[\s(\[—–‘-])$")
_MAY_CLOSE: Final = re.compile(r"$|[\s.,;:!?)\]—–’…-]")


class Fixed(NamedTuple):
    """A text after the repair, and how many of its lines changed."""

    text: str
    lines: int


def fix(
    text: str,
    *,
    language: Language | None = None,
    strict: bool = False,
    quotes: bool = False,
    literals: Collection[str] = (),
) -> Fixed:
    """Repair a chapter's punctuation. `strict` also takes —— and …… out of a Chinese book, `quotes`
    sets straight quotation marks, `literals` are texts that stay as they are. Never raises."""
    spoken = language or language_of(text)
    meant = literals_of(frozenset(literals) - {""})
    now = text
    for _ in range(_ROUNDS):
        after = _once(now, spoken, strict, quotes, meant)
        if after == now:
            pairs = zip(_NEWLINE.split(text)[::2], _NEWLINE.split(now)[::2], strict=True)
            return Fixed(now, sum(old != new for old, new in pairs))
        now = after
    return Fixed(text, 0)  # two repairs undo each other: then neither was sure


def _once(text: str, language: Language, strict: bool, quotes: bool, literals: Literals) -> str:
    pieces = _NEWLINE.split(text)  # lines at even places, their endings between them
    for line in read_body(text, language).lines:
        if line.kind not in _FIXED:
            continue
        at = 2 * (line.number - 1)
        mark = "\ufeff" if at == 0 and text.startswith("\ufeff") else ""
        pieces[at] = mark + _mended(line, language, strict, quotes, literals)
    return "".join(pieces)


def _mended(line: Line, language: Language, strict: bool, quotes: bool, literals: Literals) -> str:
    masked = _spare(line, literals)
    kept = [own for own, seen in zip(line.text, masked, strict=True) if seen == MASK]
    mended = _chinese(masked, line.kind, strict) if language == "zh" else _english(masked)
    if quotes:
        mended = _curled(mended, language)
    # No repair touches a masked character, so they come back in their order.
    first, *rest = mended.split(MASK)
    return first + "".join(own + piece for own, piece in zip(kept, rest, strict=True))


def _spare(line: Line, literals: Literals) -> str:
    """The line with everything masked that no repair may touch."""
    spared = [found.span() for found in _SPARED.finditer(line.text)]
    end = 0
    for place, start in reversed(list(enumerate(literals.starts(line.text)))):
        # From the end: a text that ends later may hold this one.
        if start < place and (not end or start < end):
            spared.append((start, min(place, end) if end else place))
            end = start
    out = list(line.shown)
    for start, end in spared:
        out[start:end] = MASK * (end - start)
    return "".join(out)


def _chinese(text: str, kind: LineKind, strict: bool) -> str:
    text = _HYPHENS.sub(_dash, text)
    text = _HALF_DASH.sub("——", text)
    text = _DOTS.sub(_ellipsis, text)
    text = _ASCII.sub(lambda found: found[0].rstrip(" ").translate(_FULL), text)
    text = _STOP.sub("。", text)
    if kind is not LineKind.HEADING and _PROSE.search(text):
        text = _STRAY.sub(_joined, text)
    return unmarked(text) if strict and kind is LineKind.NARRATIVE else text


def _dash(found: re.Match[str]) -> str:
    text, (start, end) = found.string, found.span()
    left, right = text[start - 1 : start] if start else "", text[end : end + 1]
    is_left, is_right = bool(_CJK.match(left)), bool(_CJK.match(right))
    if not (is_left or is_right) or _WORDLY.match(left) or _WORDLY.match(right):
        return found[0]
    before = " " if found[0].startswith(" ") and not is_left else ""
    after = " " if found[0].endswith(" ") and not is_right else ""
    return f"{before}——{after}"


def _ellipsis(found: re.Match[str]) -> str:
    text, (start, end) = found.string, found.span()
    left, right = text[start - 1 : start] if start else "", text[end : end + 1]
    beside = _CJK.match(left) or _CJK.match(right) or found[0].startswith("。")
    if not beside or _WORDLY.match(left) or _WORDLY.match(right):
        return found[0]
    return "……"


def _joined(found: re.Match[str]) -> str:
    if found[0] == " ":
        return ""
    if found[1] is None or (len(found[1]) == len(found[2]) >= _VERSE):
        return found[0]
    return found[1] + found[2]


def _english(text: str) -> str:
    return _EN_FULL.sub(_half, _EN_DASH.sub(_en_dash, text))


def _en_dash(found: re.Match[str]) -> str:
    text, (start, end) = found.string, found.span()
    return "–" if text[start - 1].isdigit() and text[end : end + 1].isdigit() else "—"


def _half(found: re.Match[str]) -> str:
    following = found.string[found.end() : found.end() + 1]
    spaced = following in ("", " ", "”", "’")
    return found[0].translate(_HALF) + ("" if spaced else " ")


def _curled(text: str, language: Language) -> str:
    """Straight double quotation marks as “ ”, where the whole line leaves no doubt."""
    parts = text.split('"')
    if language == "en":
        parts = [_APOSTROPHE.sub("’", part) for part in parts]
    if len(parts) % 2 == 0 or "“" in text or "”" in text or not _paired(parts, language):
        return '"'.join(parts)
    out = [parts[0]]
    for number, part in enumerate(parts[1:]):
        out += ("”" if number % 2 else "“", part)
    return "".join(out)


def _paired(parts: list[str], language: Language) -> bool:
    for number in range(0, len(parts) - 2, 2):
        outside, inside, after = parts[number : number + 3]
        if not inside.strip() or inside != inside.strip() or outside[-1:].isdigit():
            return False  # nothing quoted, or an inch mark
        if language == "en" and not (
            _MAY_OPEN.search(outside[-1:]) and _MAY_CLOSE.match(after[:1])
        ):
            return False
        if inside[-1:].isdigit() and language == "en":
            return False
    return True


def difference(before: str, after: str, name: str) -> str:
    """A unified difference of two texts with the same number of lines; empty where they are equal.
    Lines are shown without their endings, which a repair never changes."""
    old, new = _NEWLINE.split(before)[::2], _NEWLINE.split(after)[::2]
    changed = [number for number, (one, two) in enumerate(zip(old, new, strict=True)) if one != two]
    out: list[str] = []
    for start, end in _hunks(changed, len(old)):
        if not out:
            out += (f"--- a/{name}", f"+++ b/{name}")
        span = f"{start + 1},{end - start}"
        out.append(f"@@ -{span} +{span} @@")
        for number in range(start, end):
            if old[number] == new[number]:
                out.append(f" {old[number]}")
            else:
                out += (f"-{old[number]}", f"+{new[number]}")
    return "\n".join([*out, ""]) if out else ""


def _hunks(changed: list[int], lines: int) -> list[tuple[int, int]]:
    """Spans of lines around the changed ones, joined where they touch."""
    hunks: list[tuple[int, int]] = []
    for number in changed:
        start, end = max(0, number - _CONTEXT), min(lines, number + _CONTEXT + 1)
        if hunks and start <= hunks[-1][1]:
            hunks[-1] = (hunks[-1][0], end)
        else:
            hunks.append((start, end))
    return hunks
