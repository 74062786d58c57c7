"""What a wake is told: plain statements of what is there, and what this entry is for. Pure.

Facts, not orders of a system: texts that sound like one are taken for an attack by the hosts that
they are shown in. What comes from files (intents, notes) is quoted as data: one line each, in quotation
marks that it cannot close. Rules: persona seed 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.persona.quoting import flat, marked
from clew.persona.wake.rules import Entry

ITEMS: Final = 12
"""So many notes, intents or hanging items are shown at once."""
_ITEM_CHARS: Final = 400


class Scene(NamedTuple):
    """What is there when it wakes."""

    local_time: str
    """In the persona's zone, `YYYY-MM-DD HH:MM`."""
    silence_minutes: int | None
    mood: str
    """Value and cause in words; empty where unknown."""
    intents: Sequence[str] = ()
    hanging: Sequence[str] = ()
    mail: Sequence[str] = ()
    refusals: Sequence[str] = ()


_ASKS: Final[dict[Entry, tuple[str, str]]] = {
    "autonomous": (
        "这是一次自己的醒来，没有人在等。从下面未完成的事里选一件，推进一步；做完后说明做到哪里、下一步是什么。",
        "This is a waking of one's own; nobody is waiting. One of the open matters below can go one "
        "step further; afterwards: where it got to, and what comes next.",
    ),
    "monologue": (
        "这是独处的一刻，写给自己的一行：此刻在想什么。一行就够，不需要回应任何人。",
        "This is a moment alone: one line to oneself, of what is on the mind now. One line is "
        "enough; it answers nobody.",
    ),
    "resident": (
        "这是身体的一次节拍。有留言就回，没有就说一句此刻的话。",
        "This is a beat of the body: an answer where notes wait, otherwise one line of now.",
    ),
    "opener": (
        "使用者已经有一阵没有说话。这里可以有一句主动的问话：具体，出自自己的关心，不追问，不催促。",
        "The person has said nothing for a while. Here is room for one question, unasked: a definite "
        "one, out of one's own interest, without pressing.",
    ),
    "explore": (
        "今天往外看一次：看一样自己想知道的东西，带回一条见闻，写明从哪里看到的。",
        "One look outside today: at something that one wants to know; one thing seen, and where.",
    ),
    "interactive": ("有人在说话。", "A person is speaking."),
}


def compose(entry: Entry, scene: Scene, lang: str) -> str:
    """The prompt of a wake."""
    zh = lang == "zh"
    parts = [_ASKS[entry][0 if zh else 1], ""]
    parts.append(f"时间：{scene.local_time}" if zh else f"Time: {scene.local_time}")
    if scene.silence_minutes is not None:
        parts.append(
            f"没有人说话已 {scene.silence_minutes} 分钟" if zh
            else f"Nobody has spoken for {scene.silence_minutes} minutes"
        )  # fmt: skip
    if scene.mood:
        mood = flat(scene.mood, _ITEM_CHARS)
        parts.append(f"心情：{mood}" if zh else f"Mood: {mood}")
    parts += _listed(
        "不做的事" if zh else "What is not done", scene.refusals, lang, all_of_them=True
    )
    if entry in ("autonomous", "opener"):
        parts += _listed("未完成的事" if zh else "Open matters", scene.intents, lang)
    if entry in ("opener", "monologue", "autonomous"):
        parts += _listed("没说完的话" if zh else "Left hanging", scene.hanging, lang)
    if entry == "resident":
        parts += _listed("留言" if zh else "Notes", scene.mail, lang)
    return "\n".join(parts)


def _listed(title: str, texts: Sequence[str], lang: str, *, all_of_them: bool = False) -> list[str]:
    if not texts:
        return []
    most = len(texts) if all_of_them else ITEMS
    rows = [f"- {marked(text, lang, _ITEM_CHARS)}" for text in texts[:most]]
    if len(texts) > most:
        rows.append(f"- … +{len(texts) - ITEMS}")
    return ["", f"{title}{'（原文）：' if lang == 'zh' else ' (as written):'}", *rows]
