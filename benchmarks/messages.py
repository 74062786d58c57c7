"""Messages of a large library: many chats, four fifths Chinese, one fifth English.

Pure and deterministic. Characters, words and lengths are spread as in real text (a few very common,
most of them rare), which is what decides the size and the speed of an index.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final, NamedTuple

CHATS: Final = 500
RARE: Final = "龘靐"
"""Planted in few messages; neither character is used by the generator."""
NAME: Final = "江晨"
"""A name of a chat's cast, in many messages."""
PLANTED: Final = 20
START: Final = 1_700_000_000_000
_COMMON: Final = (
    "的了是我不在他有这人们来到说一个上你着就那要她出也里去得子时好没自小看头家天过下可心对起还手什么事以地"
    "之把样后前都只想多开面已当道又中大年知然情如国能"
)
_STARTS: Final = [
    "b",
    "c",
    "d",
    "f",
    "g",
    "h",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "w",
    "st",
    "tr",
    "sh",
]
_ENDS: Final = ["a", "e", "i", "o", "u", "ai", "ou", "an", "er", "in"]
_SHORT: Final = ["the", "a", "and", "to", "of", "in", "he", "she", "was", "it"]


class Message(NamedTuple):
    """One line of a chat."""

    chat: int
    number: int
    at: int
    text: str


def line(message: Message) -> bytes:
    """The message as its log has it."""
    said: dict[str, Any] = {
        "id": f"m{message.number:07d}", "parent": f"m{max(0, message.number - CHATS):07d}",
        "role": "user" if message.number % 3 == 0 else "assistant", "at": message.at,
        "text": message.text,
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def path(chat: int) -> str:
    """Where a chat's log lies."""
    return f"books/b{chat:04d}/messages.jsonl"


def messages(count: int, seed: int = 7) -> Iterator[Message]:
    """`count` messages in the order of their times; chats take turns, in stretches."""
    chance = random.Random(seed)
    chinese, weights = _chinese(chance)
    english, english_weights = _english(chance)
    every = max(1, count // PLANTED)
    chat = 0
    for number in range(count):
        if number % 7 == 0:
            chat = chance.randrange(CHATS)
        if chance.random() < 0.8:
            length = int(chance.expovariate(1 / 65)) + 5
            words = chance.choices(chinese, cum_weights=weights, k=length)
            for place in range(7, length, 9):
                words[place] += "，"
            if chance.random() < 0.2:
                words[length // 2] += f" {chance.choices(english, cum_weights=english_weights)[0]} "
            if chance.random() < 0.1:
                words[0] = NAME
            if number % every == every // 2:
                words[-1] = RARE
            text = "".join(words) + "。"
        else:
            words = chance.choices(
                english, cum_weights=english_weights, k=int(chance.expovariate(1 / 35)) + 4
            )
            text = " ".join(words).capitalize() + "."
        yield Message(chat, number, START + number * 1000, text)


def _chinese(chance: random.Random) -> tuple[list[str], list[float]]:
    characters = [chr(0x4E00 + number * 5) for number in range(3500)]
    chance.shuffle(characters)
    weights = list(accumulate(1 / (number + 3) for number in range(len(characters))))
    words = [
        "".join(chance.choices(characters, cum_weights=weights, k=chance.choice((2, 2, 2, 3, 4))))
        for _ in range(20_000)
    ]
    weighted = [6 / (number + 2) for number in range(len(_COMMON))]
    weighted += [1.5 / (number + 5) for number in range(len(words))]
    return [*_COMMON, *words], list(accumulate(weighted))


def _english(chance: random.Random) -> tuple[list[str], list[float]]:
    syllables = [start + end for start in _STARTS for end in _ENDS]
    words = [
        "".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3)))) for _ in range(8_000)
    ]
    words = [*_SHORT, *words]
    return words, list(accumulate(1 / (number + 2) for number in range(len(words))))
