"""Why an entry does not run, as words for machines and as sentences for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Reason = Literal[
    "waits_for_person", "off", "paused", "held_elsewhere", "clock_back", "not_due", "quiet",
    "no_intent", "dice", "gap", "cap", "present", "busy", "not_trusted", "runs_spent",
    "tokens_spent",
]  # fmt: skip

_SENTENCES: Final[dict[Reason, tuple[str, str]]] = {
    "waits_for_person": ("有人说话时才来", "comes when a person speaks"),
    "off": ("在 persona.toml 里关掉了", "switched off in persona.toml"),
    "paused": ("已暂停；clew persona resume 继续", "paused; `clew persona resume` goes on"),
    "held_elsewhere": ("脉搏在另一处：{holder}", "another host has the pulse: {holder}"),
    "clock_back": (
        "时钟被拨回过，等下一个时刻",
        "the clock was set back; waits for the next moment",
    ),
    "not_due": ("还没到时刻", "not due yet"),
    "quiet": ("安静时段", "quiet hours"),
    "no_intent": ("清单上没有未完成的事", "no open intent on the list"),
    "dice": ("这次没掷中（{thrown} ≥ {percent}%）", "the dice missed ({thrown} ≥ {percent}%)"),
    "gap": ("离上次不到 {minutes} 分钟", "less than {minutes} minutes since the last one"),
    "cap": ("今天已到上限 {cap} 次", "today's {cap} are used up"),
    "present": ("有人在", "a person is there"),
    "busy": ("另一次醒来还没结束：{key}", "another wake is not over: {key}"),
    "not_trusted": (
        "文件夹未被信任；clew trust 后才会运行程序或端点",
        "the folder is not trusted; a program or endpoint runs after `clew trust`",
    ),
    "runs_spent": ("今天的运行次数 {limit} 已用完", "today's {limit} runs are spent"),
    "tokens_spent": ("今天的 token 上限 {limit} 已用完", "today's {limit} tokens are spent"),
}


class _Unknown(dict[str, str | int]):
    def __missing__(self, key: str) -> str:
        return "…"


def sentence(reason: Reason, facts: Mapping[str, str | int], lang: str) -> str:
    """What a person reads. A fact that is not at hand is an ellipsis."""
    zh, en = _SENTENCES[reason]
    return (zh if lang == "zh" else en).format_map(_Unknown(facts))
