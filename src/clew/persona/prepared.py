"""The opening card that lies ready for a hook. Standard library only.

A host waits for what its session opens with, so the card of the civil date is laid ready behind its back,
with gaps for what changes by itself: the clock, the mood, the silence. It counts while everything that it
was made from is unchanged, mood and last word are the same, and nothing waits to be taken up. `taking`
lays it; where none lies ready the card is made anew.
"""

from __future__ import annotations

import json
import os
import time

from clew.persona import marks

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is a tenth of what a hook may take
    from typing import Any

CARD = ".clew/card.json"
INPUTS = (
    "persona.toml", "identity.md", "voice.md", "refusals.toml", "refusals.jsonl", "intents.json",
    "channels/baton.jsonl", "diary",
)  # fmt: skip
"""What a card is made from, besides the diary's last files and the vitals."""
VITALS = "vitals.json"
CLOCK = "\0cccc"
MOOD = "\0mmm"
SILENCE = "\0" + "s" * 23
"""Gaps, as wide as the widest that is put into them. No text of a file holds a NUL by then."""


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


def fill(text: str, clock: str, mood: float, silence: str) -> str:
    """The card with what its gaps stand for."""
    return text.replace(CLOCK, clock).replace(MOOD, f"{mood:.2f}").replace(SILENCE, silence)


def lay(home: str, card: dict[str, Any]) -> None:
    """Lay a card ready: `text`, `key` (under which language), `lang`, `names` and `stamps` of its
    inputs, `offset` (seconds east of UTC), `since` and `until` (seconds since 1970) between which it
    holds, `vitals` as `vitals_of` tells them, and the law of the mood: `value`, `at`, `baseline`,
    `half_life` (seconds), `spoken`. Raises `OSError`."""
    marks.lay(home, CARD, card)


def ready(home: str, key: str) -> str | None:
    """The card as of now; None where none lies ready that still holds."""
    try:
        card = json.loads(marks.read(f"{home}/{CARD}"))
        seconds = time.time()
        if card["key"] != key or not card["since"] <= seconds < card["until"]:
            return None
        if card["stamps"] != marks.stamps(home, card["names"]) or marks.waits(home):
            return None
        if card["vitals"] != vitals_of(marks.read(f"{home}/{VITALS}")):
            return None
        clock = time.strftime("%H:%M", time.gmtime(seconds + card["offset"]))
        passed = max(0.0, seconds - card["at"])
        mood = card["baseline"] + (card["value"] - card["baseline"]) * 2 ** (
            -passed / card["half_life"]
        )
        silence = span(max(0.0, seconds - card["spoken"]), card["lang"])
        return fill(card["text"], clock, mood, silence)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ):
        return None


def vitals_of(data: bytes) -> list[Any]:
    """What of the vitals a card says: the mood that was written last, and the last word."""
    found = json.loads(data)
    return [found["mood"], found.get("last_word_at", ""), found["born_at"]]


def diary_names(home: str, dates: list[str]) -> list[str]:
    """The diary's files of these dates."""
    names = sorted(os.listdir(f"{home}/diary")) if dates else []  # noqa: PTH208
    return [f"diary/{name}" for name in names if name[:10] in dates]
