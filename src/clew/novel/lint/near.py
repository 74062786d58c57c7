"""Names with one slip in them: another character, one too many, two in the wrong order.

Pure. Chinese has no spaces, so that one slip away from a name there is always some ordinary text;
what counts as a slip must stand where a name stands. A character that only sounds like the right one
is the usual slip of a keyboard and is believed sooner than any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from clew.novel.lint import stage
from clew.novel.lint.cast import Cast, alternation, given_of, is_han, surname_of, words_of
from clew.novel.lint.shapes import WORDS, look_alike
from clew.novel.lint.sounds import alike
from clew.novel.lint.stagewords import ROLES
from clew.novel.namewords import ENGLISH_TITLES, NO_NAMES, NOT_IN, SURNAMES

Kind = Literal["sound", "letter", "order", "extra", "double"]
Strength = Literal["strong", "medium", "weak", ""]
"""Somebody acts or speaks there; the text before and after fits a name; only one of them does."""


class Slip(NamedTuple):
    """A place where a text has something one slip away from a name."""

    written: str
    meant: str
    """The form it is close to."""
    kind: Kind
    at: int
    name_like: bool
    """Whether it stands there as a name stands."""


_FAMILIAR: Final = frozenset("老小阿大")
_BEFORE: Final = frozenset(
    "和与跟同对向给把被让叫找见问替为像连请喊骂看望是的在从由陪带扶拉抱送交到而但说道"
)
_AFTER: Final = frozenset(
    "的和与跟同也又便就才却还都没不在从把被对向已正是说道问答喊站坐走跑看听点摇抬转笑一先再只这那"
)
_FUNCTION: Final = frozenset("于曾时连向和从由都应能别那过安乐成相当常单")
"""Surnames that are mostly another word."""
_STOPS: Final = frozenset("，。！？；：、…—“”‘’「」『』（）《》,.!?;:\"'() \t\u3000\x00")
_RANK: Final[dict[Strength, int]] = {"": 0, "weak": 1, "medium": 2, "strong": 3}
_KIN: Final = re.compile("[哥弟姐妹兄堂表爹娘爸妈父母儿女叔伯姑舅侄孙族]|双胞|孪生")
_MOST: Final = 6
_SAYS_OR_MOVES: Final = frozenset("说问答站坐抬低摇推拉伸皱")
"""What begins a clause's verb after a name and no word with the name's own last character."""
_TWICE: Final = frozenset("笑看走想点坐试说听问等摇")
"""Characters that stand twice as a verb: 沈笑笑笑 apart, 沈渡笑笑 is right."""


class _Target(NamedTuple):
    form: str
    name: str
    whole: bool
    """A name with its surname, not a given name."""


class ChineseNames:
    """Finds what is one slip away from the Chinese names of a cast."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._known = alternation(cast.known)
        self._changed: dict[str, list[_Target]] = {}
        self._swapped: dict[str, _Target] = {}
        self._longer: dict[str, _Target] = {}
        self._doubled: dict[str, _Target] = {}
        sizes: tuple[dict[str, set[int]], ...] = ({}, {}, {})
        for target in _targets(cast):
            form = target.form
            for index in range(len(form)):
                key = f"{form[:index]}*{form[index + 1 :]}"
                self._changed.setdefault(key, []).append(target)
            sizes[0].setdefault(form[0], set()).add(len(form))
            sizes[1].setdefault(form[1], set()).add(len(form))
            for index in range(len(form) - 1 if target.whole else 0):
                swapped = f"{form[:index]}{form[index + 1]}{form[index]}{form[index + 2 :]}"
                self._swapped.setdefault(swapped, target)
                sizes[2].setdefault(swapped[0], set()).add(len(form))
            if target.whole and len(form) > 2:
                self._longer[form] = target
            if target.whole and form[-1] * 2 not in cast.known:
                doubles = [f"{form}{form[-1]}", *([form[0] + form] if len(form) == 2 else [])]
                self._doubled |= dict.fromkeys(doubles, target)
        self._first, self._second, self._swap = sizes
        """Lengths of the targets by their first and second character, of swapped ones by the first."""
        anchors = "".join(sorted({char for chars in sizes for char in chars}))
        self._anchors = re.compile(f"[{re.escape(anchors)}]" if anchors else r"(?!)")

    def slips(self, text: str) -> Iterator[Slip]:
        """Every slip of a text, whether it stands as a name or not. Linear in the text."""
        spans = [found.span() for found in self._known.finditer(text)]
        seen: set[tuple[int, str]] = set()
        next_span = 0
        for anchor in self._anchors.finditer(text):
            while next_span < len(spans) and spans[next_span][1] < anchor.start() - _MOST:
                next_span += 1
            for slip in self._at(text, anchor.start()):
                if (slip.at, slip.written) in seen or self._covered(slip, spans, next_span):
                    continue
                seen.add((slip.at, slip.written))
                yield slip

    def _at(self, text: str, at: int) -> Iterator[Slip]:
        char = text[at]
        for size in self._first.get(char, ()):
            window = text[at : at + size]
            for index in range(1, len(window)):
                yield from self._changes(text, at, window, index)
            longer = text[at : at + size + 1]
            yield from self._insertion(text, at, longer)
            target = self._doubled.get(longer)
            if target is not None:
                stands = _stands_doubled(text, at, at + len(longer))
                yield Slip(longer, target.form, "double", at, stands)
        for size in self._second.get(char, ()) if at else ():
            yield from self._changes(text, at - 1, text[at - 1 : at - 1 + size], 0)
        for size in self._swap.get(char, ()):
            window = text[at : at + size]
            target = self._swapped.get(window)
            if target is not None:
                wanted: Strength = "strong" if size < 3 else "medium"
                yield self._slip(text, at, window, target, "order", wanted)

    def _changes(self, text: str, start: int, window: str, index: int) -> Iterator[Slip]:
        targets = self._changed.get(f"{window[:index]}*{window[index + 1 :]}", ())
        for target in targets:
            if len(target.form) == len(window) and window[index] != target.form[index]:
                yield from self._change(text, start, window, target, index)

    def _change(
        self, text: str, start: int, window: str, target: _Target, index: int
    ) -> Iterator[Slip]:
        new, old = window[index], target.form[index]
        sound = alike(new, old)
        short = len(window) < 3
        if not is_han(new) or new in NOT_IN:
            return
        if not sound and not (target.whole and (not short or _by_shape(text, window, target))):
            return
        if index == 0 and (new in _FAMILIAR or (not sound and new not in SURNAMES)):
            return  # 小罗 is no 老罗, 叫小满 is no 汪小满
        wanted: Strength = "strong"
        other_word = index == 0 and target.whole and (new in _FUNCTION or new not in SURNAMES)
        if sound and not other_word:
            # Of two characters one is left: ordinary words are as near to a given name.
            firm = target.whole and target.form[0] in SURNAMES
            wanted = "weak" if not short else "medium" if firm else "strong"
        slip = self._slip(text, start, window, target, "sound" if sound else "letter", wanted)
        if short and not sound and slip.name_like:
            slip = slip._replace(name_like=_acts_at_once(text, start, start + len(window)))
        yield slip

    def _insertion(self, text: str, at: int, longer: str) -> Iterator[Slip]:
        for index in range(1, len(longer) - 1):
            target = self._longer.get(longer[:index] + longer[index + 1 :])
            # 顾长长庚: a character that stands twice is a slip, whatever else it may mean.
            twice = longer[index] in (longer[index - 1], longer[index + 1])
            if (
                target is not None
                and is_han(longer[index])
                and (twice or longer[index] not in NOT_IN)
            ):
                yield self._slip(text, at, longer, target, "extra", "medium")
                return

    def _slip(
        self, text: str, at: int, written: str, target: _Target, kind: Kind, wanted: Strength
    ) -> Slip:
        found = strength(text, at, at + len(written))
        return Slip(written, target.form, kind, at, _RANK[found] >= _RANK[wanted])

    def _covered(self, slip: Slip, spans: list[tuple[int, int]], index: int) -> bool:
        """Whether a name that is right stands there, or an ordinary word does."""
        if slip.written in self._cast.known or slip.written in NO_NAMES or slip.written in ROLES:
            return True
        end = slip.at + len(slip.written)
        while index < len(spans) and spans[index][0] < end:
            start, stop = spans[index]
            index += 1
            if stop <= slip.at:
                continue
            # 王小满 holds 小满, and is a slip of 汪小满 all the same where the surname sounds alike.
            given = (start, stop) == (slip.at + len(surname_of(slip.meant)), end)
            doubled = slip.kind == "double" and _part(slip, start, stop) == slip.meant
            # 顾长长庚 holds 长庚 likewise.
            part = _part(slip, start, stop)
            twice = slip.kind == "extra" and stop == end and part == given_of(slip.meant)
            if not (doubled or twice or (given and slip.kind == "sound")):
                return True
        return False


def _targets(cast: Cast) -> Iterator[_Target]:
    """Names, given names, and aliases that are made like a name (佟瘸子, 葛先生 are not)."""
    for form, name in cast.forms.items():
        if is_han(form) and 1 < len(form) < _MOST and form not in ROLES:
            if form == name:
                yield _Target(form, name, True)
            elif form == given_of(name) or (given_of(form) and not cast.is_title(form)):
                yield _Target(form, name, False)


def _part(slip: Slip, start: int, stop: int) -> str:
    """The part of a slip that stands at a span of its text."""
    return slip.written[max(0, start - slip.at) : stop - slip.at]


def _by_shape(text: str, window: str, target: _Target) -> bool:
    """Whether a name of two characters is one of the cast whose given name looks alike: only where
    the right one is in the text too, since a new person may be called anything."""
    form = target.form
    return (
        window[0] == form[0]
        and form[0] in SURNAMES
        and window not in WORDS
        and look_alike(window[1], form[1])
        and form in text
    )


def _acts_at_once(text: str, start: int, end: int) -> bool:
    left = text[max(0, start - 20) : start].rpartition("\n")[2]
    right = text[end : end + 40].partition("\n")[0]
    return stage.acts_at_once(_open(left), right)


def _stands_doubled(text: str, start: int, end: int) -> bool:
    """Whether a name with a character written twice stands there: 沈渡渡说, and not 沈渡渡河."""
    left, right = text[max(0, start - 1) : start], text[end : end + 1]
    if right in _SAYS_OR_MOVES and right:
        return strength(text, start, end) == "strong"
    before = not left or left in _STOPS or left in _BEFORE or left == "\n"
    after = not right or right in _STOPS or right == "\n"
    return before and after and text[end - 1] not in _TWICE


def strength(text: str, start: int, end: int) -> Strength:
    """How clearly a name stands at a span of Chinese text."""
    left = text[max(0, start - 12) : start].rpartition("\n")[2]
    right = text[end : end + 40].partition("\n")[0]
    if stage.bare_weight(_open(left), right, english=False):
        return "strong"
    before = not left or left[-1] in _STOPS or left[-1] in _BEFORE
    after = not right or right[0] in _STOPS or right[0] in _AFTER
    return "medium" if before and after else "weak" if before or after else ""


def _open(left: str) -> str:
    """An opening quotation mark begins a clause as a closing one ends it."""
    return f"{left[:-1]}，" if left[-1:] in ("“", "「", "『", "‘", '"') else left


def looks_like_a_relative(text: str, slip: Slip) -> bool:
    """Whether another person may be meant: brothers share all but one character."""
    surname = len(surname_of(slip.meant))
    if slip.kind != "letter" or surname == 0 or slip.written[:surname] != slip.meant[:surname]:
        return False
    paragraph = text[max(0, slip.at - 200) : slip.at].rpartition("\n")[2]
    paragraph += text[slip.at : slip.at + 200].partition("\n")[0]
    around = text[max(0, slip.at - 12) : slip.at + len(slip.written) + 12]
    return slip.meant in paragraph or _KIN.search(around.replace(slip.written, "")) is not None


# ---- English -------------------------------------------------------------------------------------

_WORD: Final = re.compile(r"[A-Z\u00c0-\u00de][A-Za-z\u00c0-\u024f'’-]+")
_SHORTEST: Final = 5
_PREVIOUS: Final = re.compile(r"([A-Za-z\u00c0-\u024f'’-]+)(\.?)\s+$")
_FOLLOWING: Final = re.compile(r"\s+([A-Z\u00c0-\u00de][A-Za-z\u00c0-\u024f'’-]+)")


class EnglishNames:
    """Finds what is one slip away from the words of Latin names."""

    def __init__(self, cast: Cast) -> None:
        self._words: dict[str, set[str]] = {}
        self._known: set[str] = set()
        for form in cast.known:
            words = words_of(form)
            self._known |= {_bare(word) for word in words}
            for word in words:
                if len(word) >= _SHORTEST and form in cast.forms:
                    self._words.setdefault(_bare(word), set()).update(words)
        self._near: dict[str, set[str]] = {}
        for word in self._words:
            for key in _deletions(word.casefold()):
                self._near.setdefault(key, set()).add(word)

    def slips(self, text: str) -> Iterator[Slip]:
        """Every slip of a text, whether it stands as a name or not. Linear in the text."""
        for found in _WORD.finditer(text) if self._words else ():
            written = _bare(found[0])
            if len(written) < _SHORTEST - 1 or written in self._known:
                continue
            keys = _deletions(written.casefold())
            close = sorted({word for key in keys for word in self._near.get(key, ())})
            for word in close:
                kind = _kind(written.casefold(), word.casefold())
                if kind is None or _plural(written, word):
                    continue
                start, end = found.start(), found.start() + len(written)
                yield Slip(written, word, kind, start, self._stands(text, start, end, word))
                break

    def _stands(self, text: str, start: int, end: int, word: str) -> bool:
        left, right = text[max(0, start - 40) : start], text[end : end + 40]
        before, after = _PREVIOUS.search(left), _FOLLOWING.match(right)
        companions = self._words[word] - {word}
        beside = {m[1] for m in (before, after) if m is not None and m[1][0].isupper()}
        if beside & companions:
            return True
        if text[start].casefold() != word[0].casefold():
            return False  # another first letter makes another family
        if before is not None and before[1].lower() in ENGLISH_TITLES:
            return True
        strangers = {other for other in beside if other.lower() not in ENGLISH_TITLES}
        opening = left.rstrip(" “\"'‘")
        if strangers and opening and opening[-1] not in ".!?\n":
            return False
        return stage.bare_weight(left.rpartition("\n")[2], right, english=True) > 0


def _bare(word: str) -> str:
    for ending in ("'s", "’s", "'", "’"):
        word = word.removesuffix(ending)
    return word.strip("-'’")


def _deletions(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _kind(one: str, other: str) -> Kind | None:
    """What kind of a slip makes `one` of `other`; None when it takes more than one."""
    if len(one) == len(other):
        off = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        if len(off) == 1:
            return "letter"
        swapped = len(off) == 2 and off[1] == off[0] + 1
        return (
            "order"
            if swapped and one[off[0]] == other[off[1]] and one[off[1]] == other[off[0]]
            else None
        )
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    one_more = len(longer) == len(shorter) + 1 and shorter in _deletions(longer)
    return "extra" if one_more else None


def _plural(one: str, other: str) -> bool:
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return longer in (f"{shorter}s", f"{shorter}es")


def ordinary(words: Iterable[str], text: str) -> set[str]:
    """Those of some capitalised words that a text also writes small."""
    return {w for w in words if re.search(rf"\b{re.escape(w.lower())}\b", text) is not None}
