"""The opening card: what a window reads before it says anything.

Identity, then everything it does not do (the one of the day first), then one baton, the mood with
its cause, what is due, samples of speech, what it means to do, what hangs, the end of the diary: as
much as fits, the hardest layers first. Identity and refusals are never cut and never left out. The
card always says what it left out and where to read it. It states facts; what files hold is data.
Rules: persona seed sections 1 and 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple, TypeVar

import msgspec

from clew.kernel.errors import ClewError
from clew.kernel.faults import Fault
from clew.kernel.text import byte_length
from clew.kernel.vault import Reader
from clew.persona import diary, refusals, voice
from clew.persona.home import Home, decoded, needed, text_of
from clew.persona.intents import by_due
from clew.persona.keeping import StateNow, state_of
from clew.persona.model import (
    IDENTITY,
    LISTS,
    REFUSALS,
    VITALS,
    VOICE,
    Hanging,
    Intent,
    Lists,
    Vitals,
)

T = TypeVar("T")
_ROUNDS: Final = 12
_DAYS_ZH: Final = "一二三四五六日"
_DAYS_EN: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_TITLES: Final = {
    "refusals": ("不做的事", "What it does not do"),
    "baton": ("交接棒", "The baton"),
    "state": ("此刻", "Now"),
    "due": ("有日子的事", "Things with a date"),
    "samples": ("它说过的原话", "What it really said"),
    "intents": ("想做的事", "What it means to do"),
    "hanging": ("没说完的话", "What was not said to its end"),
    "diary": ("日记末尾", "The end of the diary"),
}
_WHERE: Final = {
    "baton": "clew persona baton read",
    "due": "clew persona intent list",
    "samples": "clew persona voice list",
    "intents": "clew persona intent list",
    "hanging": "clew persona hang list",
    "diary": "clew persona diary show --days 7",
}


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A section that is not whole in the card."""

    section: str
    shown: int
    of: int
    cut_chars: int = 0


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The opening card."""

    status: str
    """`ok`; `over` where identity and refusals alone are more than the budget."""
    text: str
    bytes: int
    tokens: int
    """Estimated, rather too many than too few."""
    budget: int
    unit: str
    date: str
    refusal_today: str
    left_out: list[LeftOut]
    faults: list[dict[str, object]] = []
    """Layers that could not be read, and are missing for that reason."""

    def raw(self) -> str | None:
        """Asked for as itself, it is text and no JSON (`--text`)."""
        return None


class PlainCard(Card, frozen=True, kw_only=True):
    """The same, printed as it is."""

    def raw(self) -> str | None:
        """The text of the card."""
        return self.text


class _Section(NamedTuple):
    key: str
    items: list[str]
    total: int
    newest_last: bool = False


def tokens(text: str) -> int:
    """An estimate of a text's tokens: one for each Chinese character, one for three others."""
    wide = sum(ord(c) > 0x2E7F for c in text)
    return wide + -(-(len(text) - wide) // 3)


def opening_card(
    home: Home,
    *,
    window: str = "",
    lang: str = "zh",
    limit: int | None = None,
    unit: str = "bytes",
    plain: bool = False,
) -> Card:
    """The card of now, within `limit` bytes (or `tokens`); `[quotas] opening_bytes` by default.

    Remembers the refusal of the day as shown. Raises for identity, refusals, vitals and lists that
    cannot be read: a persona does not open without its limits. Other layers are told in `faults`.
    """
    budget = home.settings.quotas.opening_bytes if limit is None else limit
    size: Callable[[str], int] = tokens if unit == "tokens" else byte_length
    today = refusals.show_today(home, window=window)
    moment = home.now()
    found: list[Fault] = []
    baton = _baton(home, lang, found)

    def look(
        reader: Reader,
    ) -> tuple[str, list[refusals.Refusal], StateNow, Lists, list[voice.Sample], list[str]]:
        vitals = needed(decoded(reader.read(VITALS), Vitals, VITALS), VITALS)
        lists = needed(decoded(reader.read(LISTS), Lists, LISTS), LISTS)
        return (
            text_of(reader.read(IDENTITY), IDENTITY),
            refusals.of_bytes(reader.read(REFUSALS)),
            state_of(home, vitals, lists, moment, lang),
            lists,
            _or_none(lambda: voice.parse(text_of(reader.read(VOICE), VOICE)), found),
            _or_none(lambda: diary.last_entries(reader), found),
        )

    identity, known, state, lists, samples, entries = home.look(look)
    date = home.civil(moment)
    chosen = voice.of_day(samples, date, home.settings.quotas.samples, home.settings.id)
    head = _head(home, moment, identity, lang)
    sections = [
        _Section("refusals", _refusal_lines(known, today, lang), len(known)),
        _Section("baton", baton, len(baton)),
        _Section("state", _state_lines(state, lang), 1),
        _Section("due", _due(lists), len(_due(lists))),
        _Section("samples", [voice.render(one) for one in chosen], len(chosen)),
        _Section("intents", _intents(lists), len(_intents(lists))),
        _Section("hanging", _hanging(lists), len(_hanging(lists))),
        _Section("diary", [f"{one}\n" for one in entries], len(entries), newest_last=True),
    ]
    diary_most = min(home.settings.quotas.diary_bytes, budget)
    text, left_out = compose(head, sections, budget, size, lang, diary_most)
    over = size(text) > budget
    if over:
        found.append(Fault("opening_too_small", found=size(text), limit=budget))
    kind = PlainCard if plain else Card
    return kind(
        status="over" if over else "ok", text=text, bytes=byte_length(text), tokens=tokens(text),
        budget=budget, unit=unit, date=date, refusal_today=today.id if today is not None else "",
        left_out=left_out, faults=[fault.to_dict(lang) for fault in found],
    )  # fmt: skip


# ---- composing (pure) -------------------------------------------------------------------------------


def compose(
    head: str,
    sections: list[_Section],
    budget: int,
    size: Callable[[str], int],
    lang: str,
    diary_most: int,
) -> tuple[str, list[LeftOut]]:
    """The text of a card and what is not in it. The first section is put in whole, always."""
    kept = 0
    for _ in range(_ROUNDS):
        text, left_out = _composed(head, sections, budget - kept, size, lang, diary_most)
        over = size(text) - budget
        if over <= 0:
            break
        kept += over  # room for saying what is left out, which grows with it
    return text, left_out


def _composed(
    head: str,
    sections: list[_Section],
    budget: int,
    size: Callable[[str], int],
    lang: str,
    diary_most: int,
) -> tuple[str, list[LeftOut]]:
    first, *rest = sections
    parts = [head, _block(first.key, first.items, lang)] if first.items else [head]
    room = budget - size("\n\n".join(parts)) - size("\n")
    left_out: list[LeftOut] = []
    for section in rest:
        most = min(room, diary_most) if section.newest_last else room
        shown, cut = _fitting(section, most, size, lang)
        if shown:
            block = _block(section.key, shown, lang)
            parts.append(block)
            room -= size(block) + size("\n\n")
        if len(shown) < section.total or cut:
            left_out.append(
                LeftOut(section=section.key, shown=len(shown), of=section.total, cut_chars=cut)
            )
    if left_out:
        parts.append(_left_out_line(left_out, lang))
    return "\n\n".join(parts) + "\n", left_out


def _fitting(
    section: _Section, room: int, size: Callable[[str], int], lang: str
) -> tuple[list[str], int]:
    """The items that fit, in their order; of the diary the last ones, the end of the last at worst."""
    room -= size(_block(section.key, [], lang)) + size("\n\n")
    shown: list[str] = []
    for item in reversed(section.items) if section.newest_last else section.items:
        need = size(item) + size("\n")
        if need > room:
            break
        shown.append(item)
        room -= need
    if section.newest_last:
        shown.reverse()
        if not shown and section.items and room > 60:
            last = section.items[-1].rstrip("\n")
            kept = _ending(last, room - size("…\n"), size)
            return [f"…{kept}"], len(last) - len(kept)
    return shown, 0


def _ending(text: str, room: int, size: Callable[[str], int]) -> str:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if size(text[len(text) - middle :]) <= room:
            low = middle
        else:
            high = middle - 1
    return text[len(text) - low :]


def _block(key: str, items: list[str], lang: str) -> str:
    title = _TITLES[key][lang != "zh"]
    return "\n".join([f"## {title}", *items]).rstrip("\n")


def _left_out_line(left_out: list[LeftOut], lang: str) -> str:
    zh = lang == "zh"
    said = []
    for one in left_out:
        title = _TITLES[one.section][not zh]
        number = f"{one.shown}/{one.of}"
        if one.cut_chars:
            number += f"，截去 {one.cut_chars} 字" if zh else f", {one.cut_chars} characters cut"
        where = _WHERE.get(one.section, "")
        said.append(f"{title} {number}" + (f"（{where}）" if zh else f" ({where})"))
    return ("没放进来的：" + "；".join(said)) if zh else ("Left out: " + "; ".join(said))


# ---- what goes in -----------------------------------------------------------------------------------


def _head(home: Home, moment: datetime, identity: str, lang: str) -> str:
    local = moment.astimezone(home.zone)
    zh = lang == "zh"
    day = f"星期{_DAYS_ZH[local.weekday()]}" if zh else _DAYS_EN[local.weekday()]
    when = f"{local:%Y-%m-%d} {day} {local:%H:%M}"
    zone = f"（{home.settings.zone}）" if zh else f" ({home.settings.zone})"
    body = re.sub(r"<!--.*?-->", "", identity, flags=re.DOTALL).strip()
    title = body if body.startswith("# ") else f"# {home.settings.name}\n\n{body}".strip()
    return f"{title}\n\n{when}{zone}"


def _refusal_lines(
    known: list[refusals.Refusal], today: refusals.Refusal | None, lang: str
) -> list[str]:
    mark = "**今天这一条：**" if lang == "zh" else "**Today's:** "
    first = [f"- {mark}{today.text}"] if today is not None else []
    return [*first, *(f"- {one.text}" for one in known if today is None or one.id != today.id)]


def _baton(home: Home, lang: str, found: list[Fault]) -> list[str]:
    from clew.persona.channels import reading

    try:
        baton = reading.baton(home)
    except ClewError as error:
        found += error.faults
        return []
    if baton is None:
        return []
    zh = lang == "zh"
    when = f"{baton.date} {baton.window}".strip()
    rows = [
        (f"做到哪（{when}）：" if zh else f"Got to ({when}): ", baton.done),
        ("下一步：" if zh else "Next: ", baton.next),
        ("别重复：" if zh else "Not again: ", baton.avoid),
    ]
    return [f"- {name}{text}" for name, text in rows if text]


def _state_lines(state: StateNow, lang: str) -> list[str]:
    zh = lang == "zh"
    silence = span(state.silence_seconds, lang)
    if zh:
        cause = f"因为：{state.cause}" + ("（已淡去）" if state.faded else "")
        return [
            f"- 心情 {state.mood:.2f}（平常 {state.baseline:.2f}），{cause}；离上次有人说话 {silence}"
        ]
    cause = f"because: {state.cause}" + (" (faded)" if state.faded else "")
    return [
        f"- Mood {state.mood:.2f} (baseline {state.baseline:.2f}), {cause}; "
        f"{silence} since a person last spoke"
    ]


def _due(lists: Lists) -> list[str]:
    entries: list[Intent | Hanging] = [*lists.open_intents(), *lists.open_hanging()]
    dated = [one for one in entries if one.due]
    return [f"- {one.due} {one.id} {one.text}" for one in by_due(dated)]


def _intents(lists: Lists) -> list[str]:
    return [f"- {one.id} {one.text}" for one in lists.open_intents() if not one.due]


def _hanging(lists: Lists) -> list[str]:
    return [f"- {one.id} {one.text}" for one in reversed(lists.open_hanging()) if not one.due]


def span(seconds: float, lang: str) -> str:
    """A length of time in words, to the minute."""
    minutes = int(seconds) // 60
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    if lang == "zh":
        parts = [f"{days} 天" if days else "", f"{hours} 小时" if hours else "",
                 f"{rest} 分钟" if rest and not days else ""]  # fmt: skip
        return " ".join(part for part in parts if part) or "不到一分钟"
    parts = [f"{days} d" if days else "", f"{hours} h" if hours else "",
             f"{rest} min" if rest and not days else ""]  # fmt: skip
    return " ".join(part for part in parts if part) or "less than a minute"


def _or_none(read: Callable[[], list[T]], found: list[Fault]) -> list[T]:
    try:
        return read()
    except ClewError as error:
        found += error.faults
        return []
