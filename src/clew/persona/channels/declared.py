"""What each channel is for, as data. Pure. Source: the table of persona seed section 3."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from clew.kernel.faults import Both
from clew.persona.model import CHANNELS, VITALS

Name = Literal["board", "baton", "stream", "live", "digest", "receipts", "state"]
Form = Literal["log", "view", "document"]


class Channel(NamedTuple):
    """One channel and its meaning."""

    name: Name
    file: str
    """Below the home."""
    form: Form
    writer: Both
    reader: Both
    delay_seconds: int
    """How late a reader may see it. 0: at once."""
    purpose: Both
    wakes: Literal[False] = False
    """Never: who reads it does so of their own accord."""


DECLARED: Final = (
    Channel(
        "board", f"{CHANNELS}/board.jsonl", "log", Both("任一侧", "either side"),
        Both("任一侧", "either side"), 0,
        Both("一时的话，转交任务", "a passing word, a task handed over"),
    ),
    Channel(
        "baton", f"{CHANNELS}/baton.jsonl", "log", Both("下线前的窗口", "a window before it goes"),
        Both("下一个窗口，开场时", "the next window, at its opening"), 0,
        Both("做到哪、下一步、别重复", "where it got to, what is next, what not to repeat"),
    ),
    Channel(
        "stream", f"{CHANNELS}/stream.jsonl", "log", Both("各窗口各一句", "each window, a line"),
        Both("各窗口", "every window"), 0, Both("此刻在想什么", "what is on its mind now"),
    ),
    Channel(
        "live", f"{CHANNELS}/live.jsonl", "log", Both("两侧各自同步", "each side, synchronised"),
        Both("对侧", "the other side"), 120,
        Both("看见对方刚说了什么", "what the other has just said"),
    ),
    Channel(
        "digest", f"{CHANNELS}/digest.md", "view", Both("定时汇总", "the pulse"),
        Both("外部入口", "an entrance from outside"), 180,
        Both("给设备外的那一端看", "for whoever looks from another device"),
    ),
    Channel(
        "receipts", f"{CHANNELS}/receipts.jsonl", "log", Both("入站消息", "every prompt that comes in"),
        Both("排障的人", "whoever looks for a fault"), 0,
        Both("分辨有人按键与被塞进来", "typed by a person, or put in by a program"),
    ),
    Channel(
        "state", VITALS, "document", Both("脉搏与钩子", "the pulse and the hooks"),
        Both("开场读一次", "an opening, once"), 300,
        Both("体温：情绪、时长、沉默", "the temperature: mood, time alive, silence"),
    ),
)  # fmt: skip
OF: Final = {channel.name: channel for channel in DECLARED}
