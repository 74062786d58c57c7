"""What the format's own values mean in English: 高 is high, 已埋 is planted.

Pure. The format fixes these values in Chinese, whatever language a book is written in, and other tools
read them; a message in English says beside them what they mean. Source: the state format (status,
importance, reveal_status).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clew.kernel.faults import Both, Fault

MEANINGS: Final[Mapping[str, str]] = {
    "高": "high", "中": "medium", "低": "low",
    "已埋": "planted", "已回收": "resolved", "已过期": "expired", "放弃": "abandoned",
    "未揭示": "not revealed", "部分揭示": "partly revealed", "已揭示": "revealed",
}  # fmt: skip


class Choice(Fault):
    """A value outside of the format's own: in English its message says what they mean. The field
    `allowed` holds the values alone, in any language."""

    __slots__ = ()

    def message(self, lang: str = "en") -> str:
        said = super().message(lang)
        if lang == "zh":
            return said
        return f"{said} ({', '.join(map(explained, self.facts['allowed']))})"


def explained(value: str) -> str:
    """A value with its meaning: `高 high`."""
    return f"{value} {MEANINGS[value]}" if value in MEANINGS else value


def choice(fault: Fault) -> Fault:
    """The fault itself, or where it is about one of these values, the same with their meanings."""
    allowed = fault.facts.get("allowed")
    known = isinstance(allowed, list) and all(value in MEANINGS for value in allowed)
    if fault.code != "not_allowed" or not known:
        return fault
    return Choice(fault.code, fault.path, **fault.facts)


def one_of(*values: str) -> Both:
    """These values as a phrase: `高 | 中 | 低`, with their meanings in English."""
    return Both(" | ".join(values), " | ".join(map(explained, values)))
