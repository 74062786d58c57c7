"""The card for the next chapter, or for the rewrite of one, within a budget.

Pure. Source: the seed (续写状态卡: 12 288 bytes, what the next chapter needs) and the design of
`context`. Items go in by need (`context_rank`), each whole, until the budget is used; where something
was left out a line says how much, and where it can be seen. The items that a budget holds are always
the first ones of one order, so a larger budget never loses any. The same state gives the same card.

Tokens are an estimate: a character of Chinese, Japanese or Korean text (from U+2E80 on) counts one,
an ASCII character a quarter, any other half. Recent models need fewer for Chinese.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from clew.kernel.errors import Refused
from clew.kernel.faults import Code, Fault, register
from clew.kernel.text import byte_length
from clew.novel.context_rank import Desk, Item, Section, sections
from clew.novel.model import CARD_BYTES

BUDGET: Final = CARD_BYTES
"""Bytes of a card when nobody says otherwise: the cap of the seed's card."""
ENOUGH: Final = 4_096
"""A budget of so many bytes holds the frame of any card."""
_NAMED_BYTES: Final = 48
"""So many bytes of keys are named where items were left out."""
_BY_KEY: Final = ("foreshadows", "characters", "gone", "hidden")
"""Sections whose items have names of their own."""
_FAR: Final = 1 << 62
_KINDS: Final = {
    "knowledge": ("知道", "knows"), "open_threads": ("未结", "open"),
    "relationships": ("关系", "ties"), "abilities_resources": ("有", "has"),
}  # fmt: skip


class Shown(msgspec.Struct, frozen=True):
    """One item of the card. `why` is overdue, due, due_soon, named or active."""

    key: str
    text: str
    why: str = ""


class Part(msgspec.Struct, frozen=True):
    """One section of the card."""

    key: str
    title: str
    items: list[Shown]
    details: list[Shown]
    """What is shown below an item; the key begins with the item's."""
    left_out: int
    left_out_details: int
    more: str
    """Where the rest can be seen: a file of the book, or a command."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The card, as a text to read and as data."""

    status: str = "ok"
    chapter: int
    """The chapter to be written."""
    rewrite: bool
    state_revision: int | None
    """The revision whose state is shown; none where nobody recorded the state before a chapter."""
    text: str
    bytes: int
    tokens: int
    """Estimated."""
    included: dict[str, int]
    left_out: dict[str, int]
    """By section; `details` counts what was left out of characters that are shown."""
    sections: list[Part]


def card(desk: Desk, lang: str, *, budget: int | None = None, tokens: int | None = None) -> Card:
    """The card within `budget` bytes and `tokens` estimated tokens; with neither, `BUDGET` bytes.

    Raises `Refused` (`budget_too_small`), naming the least budget that holds this card's frame.
    """
    if budget is None and tokens is None:
        budget = BUDGET
    made = _Made(desk, lang)
    frame = made.text(0)
    found = [
        Fault(
            "budget_too_small", path, found=given, limit=least, chapter=desk.chapter,
            kind_zh=zh, kind=en,
        )
        for path, given, least, zh, en in (
            ("$.budget", budget, byte_length(frame), "字节", "bytes"),
            ("$.tokens", tokens, estimate(frame), "词元", "tokens"),
        )
        if given is not None and given < least
    ]  # fmt: skip
    if found:
        raise Refused(*found)
    limits = (_FAR if budget is None else budget, _FAR if tokens is None else tokens)
    count, text = made.within(*limits)
    return made.card(count, text)


def estimate(text: str) -> int:
    """About how many tokens a model takes for a text; see the top of this module."""
    return -(-_quarters(text) // 4)


_WIDE: Final = re.compile(r"[^\x00-\u2e7f]+")
_ASCII: Final = re.compile(r"[\x00-\x7f]+")


def _quarters(text: str) -> int:
    if text.isascii():
        return len(text)
    wide = sum(map(len, _WIDE.findall(text)))
    plain = sum(map(len, _ASCII.findall(text)))
    return 4 * wide + plain + 2 * (len(text) - wide - plain)


class _Place(NamedTuple):
    """An item in the one order of need."""

    item: Item
    section: str
    under: str
    """The key of the item that it is a detail of."""


class _Made:
    """A card of a desk with any number of its items."""

    def __init__(self, desk: Desk, lang: str) -> None:
        self.desk = desk
        self.zh = lang == "zh"
        self.parts = sections(desk, lang)
        places = [
            _Place(item, part.key, under)
            for part in self.parts
            for under, rows in (("", part.items), *part.details.items())
            for item in rows
        ]
        self.order = sorted(places, key=lambda place: place.item.need)

    # ---- how much fits ---------------------------------------------------------------------------

    def within(self, budget: int, tokens: int) -> tuple[int, str]:
        """The greatest number of items whose card fits, and that card."""
        for count in range(self._most(budget, tokens), -1, -1):
            text = self.text(count)
            if byte_length(text) <= budget and estimate(text) <= tokens:
                return count, text
        raise AssertionError("the frame fits, or the budget was refused")

    def _most(self, budget: int, tokens: int) -> int:
        """More items than this cannot fit, whatever stands around them."""
        size = weight = 0
        for count, place in enumerate(self.order):
            size += byte_length(place.item.text)
            weight += _quarters(place.item.text)
            if size > budget or weight > 4 * tokens:
                return count
        return len(self.order)

    # ---- the text --------------------------------------------------------------------------------

    def text(self, count: int) -> str:
        """The card with the first `count` items of the order, and what that leaves out."""
        taken = Counter((place.section, place.under) for place in self.order[:count])
        lines = list(self._head())
        for part in self.parts:
            if part.optional and not taken[part.key, ""]:
                continue  # a heading over nothing would cost what the chapter needs
            lines += ["", f"## {part.title}", *self._part(part, taken)]
        return "\n".join(lines) + "\n"

    def _part(self, part: Section, taken: Counter[tuple[str, str]]) -> Iterator[str]:
        shown = part.items[: taken[part.key, ""]]
        for item in reversed(shown) if part.ascending else shown:
            yield f"- {item.text}"
            details = part.details.get(item.key, [])
            kept = taken[part.key, item.key]
            yield from self._details(details[:kept])
            if len(details) > kept:
                more = part.more.format(_word(item.key))
                yield f"  - {self._more(len(details) - kept)}{self._bar}{more}"
        left = part.items[len(shown) :]
        if left:
            named = _named([item.key for item in left], zh=self.zh) if part.key in _BY_KEY else ""
            colon = ("：" if self.zh else ": ") if named else ""
            more = part.more.format(_word(left[0].key))
            people = part.key in ("characters", "gone")
            yield f"- {self._more(len(left), people=people)}{colon}{named}{self._bar}{more}"

    def _details(self, details: Sequence[Item]) -> Iterator[str]:
        by_kind: dict[str, list[str]] = {}
        for item in details:
            by_kind.setdefault(item.kind, []).append(item.text)
        for kind, words in _KINDS.items():
            if kind in by_kind:
                colon, mark = ("：", "；") if self.zh else (": ", "; ")
                yield f"  - {words[not self.zh]}{colon}{mark.join(by_kind[kind])}"

    def _more(self, count: int, *, people: bool = False) -> str:
        return f"另有 {count} {'人' if people else '条'}" if self.zh else f"{count} more"

    @property
    def _bar(self) -> str:
        return "｜" if self.zh else " · "

    def _head(self) -> Iterator[str]:
        desk, zh = self.desk, self.zh
        number, title = desk.chapter, desk.title
        if desk.rewrite is None:
            yield (
                f"# 续写卡｜第{number}章｜{title}"
                if zh
                else f"# Card for chapter {number} · {title}"
            )
        else:
            yield (
                f"# 改写卡｜第{number}章｜{title}"
                if zh
                else f"# Card for rewriting chapter {number} · {title}"
            )
        yield ""
        yield from (f"> {line}" for line in self._notices())
        if desk.state is not None:
            place = desk.state.context.position
            start = place.volume_start_chapter
            yield ""
            if zh:
                yield "## 当前位置"
                yield f"- 卷：{place.volume}（始于第{start}章）"
                yield f"- 故事时间：{place.story_time}"
                yield f"- 场景：{place.scene}"
                if desk.paused is not None:
                    left = desk.paused.position
                    yield f"- 主线停在：第{desk.paused.chapter}章｜{left.story_time}｜{left.scene}"
            else:
                yield "## Where the story stands"
                yield f"- volume: {place.volume} (from chapter {start})"
                yield f"- story time: {place.story_time}"
                yield f"- scene: {place.scene}"
                if desk.paused is not None:
                    left = desk.paused.position
                    yield (
                        f"- the main line was left in chapter {desk.paused.chapter}: "
                        f"{left.story_time} · {left.scene}"
                    )

    def _notices(self) -> Iterator[str]:
        desk, zh, state = self.desk, self.zh, self.desk.state
        number, rewrite = desk.chapter, desk.rewrite
        if rewrite is not None:
            last, now = rewrite.last, rewrite.revision
            if state is None:
                yield (
                    f"第{number}章是导入或接管的，动笔之前的状态没有记录；下面只有本章记下的和后文依靠的。"
                    if zh
                    else f"Chapter {number} was imported or taken over: nobody recorded the state "
                    "before it. Below is what it established and what relies on it."
                )
            else:
                yield (
                    f"下面是第{number}章动笔之前的状态（修订 {state.state_revision}）；"
                    f"账本已写到第{last}章（修订 {now}）。"
                    if zh
                    else f"The state right before chapter {number} (revision {state.state_revision}); "
                    f"the ledger has gone on to chapter {last} (revision {now})."
                )
            if rewrite.published:
                yield (
                    f"第{number}章已经发布，读者看过原来的写法。"
                    if zh
                    else f"Chapter {number} is published: readers have seen it as it was."
                )
        elif state is not None:
            last = state.last_committed_chapter
            done = f"已写到第{last}章" if zh else f"written through chapter {last}"
            if not last:
                done = "尚未开篇" if zh else "nothing is written yet"
            yield (
                f"修订 {state.state_revision}，{done}。"
                if zh
                else f"Revision {state.state_revision}, {done}."
            )
        if not desk.outlines:
            yield (
                f"大纲/ 里没有第{number}章的细纲。"
                if zh
                else f"大纲/ holds no outline of chapter {number}."
            )

    # ---- the answer ------------------------------------------------------------------------------

    def card(self, count: int, text: str) -> Card:
        """The answer that holds the first `count` items."""
        taken = Counter((place.section, place.under) for place in self.order[:count])
        parts = [self._answer(part, taken) for part in self.parts]
        left = {part.key: part.left_out for part in parts}
        state = self.desk.state
        return Card(
            chapter=self.desk.chapter,
            rewrite=self.desk.rewrite is not None,
            state_revision=None if state is None else state.state_revision,
            text=text,
            bytes=byte_length(text),
            tokens=estimate(text),
            included={part.key: len(part.items) for part in parts},
            left_out=left | {"details": sum(part.left_out_details for part in parts)},
            sections=parts,
        )

    def _answer(self, part: Section, taken: Counter[tuple[str, str]]) -> Part:
        shown = part.items[: taken[part.key, ""]]
        details = [
            item
            for head in shown
            for item in part.details.get(head.key, [])[: taken[part.key, head.key]]
        ]
        possible = sum(len(part.details.get(head.key, ())) for head in shown)
        left = part.items[len(shown) :]
        first = left[0].key if left else shown[0].key if shown else ""
        return Part(
            key=part.key,
            title=part.title,
            items=[Shown(item.key, item.text, item.why) for item in shown],
            details=[Shown(item.key, item.text) for item in details],
            left_out=len(left),
            left_out_details=possible - len(details),
            more=part.more.format(_word(first)),
        )


def _named(keys: Sequence[str], *, zh: bool) -> str:
    """The first of the keys, as many as a short line holds."""
    comma = "、" if zh else ", "
    out: list[str] = []
    size = 0
    for key in keys:
        size += byte_length(key) + 3
        if out and size > _NAMED_BYTES:
            return comma.join(out) + " …"
        out.append(key)
    return comma.join(out)


def _word(text: str) -> str:
    """A name as one word of a command line."""
    if re.fullmatch(r"[\w·.-]+", text) and not text.startswith("-"):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


register(
    Code(
        "budget_too_small", 2,
        "预算 {found} {kind_zh}装不下第 {chapter} 章的卡：光是框架就要 {limit} {kind_zh}",
        "a budget of {found} {kind} does not hold the card for chapter {chapter}: its frame alone takes "
        "{limit} {kind}",
        "预算至少给 {limit} {kind_zh}。",
        "Give at least {limit} {kind}.",
        about_zh="卡上总要写明位置，以及每一栏各略去多少；4096 字节对任何一本书都够。条目从不截断。",
        about_en="A card always says where the story stands and how much of each section was left out; "
        "4096 bytes are enough for any book. No item is ever cut.",
    )
)  # fmt: skip
