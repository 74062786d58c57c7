"""What a window reads between its opening and its end: at each turn, after a compaction, at a turn
without an answer. Pure: facts in, text out. Statements, no orders: what a hook puts before an agent
is held for an attack where it commands. Everything is within the hosts' limits, and no text of a file can pass for
a line of ours (`quoting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo

TURN_CHARS: Final = 4_000
CARD_CHARS: Final = 9_000
"""Hosts cut what a hook says at 10 000 characters."""
_REFUSAL_CHARS: Final = 200
_TOLD_CHARS: Final = 2_000
_NAME_CHARS: Final = 80
_TIMER_CHARS: Final = 120


class Turn(NamedTuple):
    """What is told at a turn."""

    name: str
    when: str
    """Civil date, time and zone, in words."""
    refusals: Sequence[str]
    today: str = ""
    """The refusal that stands out today."""
    unread: int = 0
    """Notes on the board."""
    waiting: int = 0
    """Prompts in the outbox."""


def at_turn(turn: Turn, lang: str) -> str:
    """What each turn reads: everything that the persona does not do, the one of the day first."""
    zh = lang == "zh"
    rest = [one for one in turn.refusals if one != turn.today]
    lines = []
    if turn.today:
        lines.append(f"- {'今天这一条：' if zh else 'Today: '}{_short(turn.today)}")
    lines += [f"- {_short(one)}" for one in rest]
    name = _short(turn.name, _NAME_CHARS)
    head = (
        f"{name} 不做的事（写于 {turn.when}）：" if zh
        else f"What {name} does not do (written at {turn.when}):"
    )  # fmt: skip
    if not lines:
        head = f"{name}（写于 {turn.when}）" if zh else f"{name} (written at {turn.when})"
    tail = []
    if turn.unread:
        tail.append(
            f"留言板有 {turn.unread} 条未读：clew persona board read --reader persona" if zh
            else f"{turn.unread} unread on the board: clew persona board read --reader persona"
        )  # fmt: skip
    if turn.waiting:
        tail.append(
            f"信箱里有 {turn.waiting} 条在等：clew persona outbox" if zh
            else f"{turn.waiting} waiting in the outbox: clew persona outbox"
        )  # fmt: skip
    return _within(head, lines, tail, TURN_CHARS, zh)


def handed(window: str, notes: int, tasks: int, lang: str) -> str:
    """What one window is told of the notes that were left for it alone."""
    if lang == "zh":
        of_them = f"，其中转交 {tasks} 件" if tasks else ""
        said = f"留言板有 {notes} 条是给这个窗口的，未读{of_them}："
    else:
        of_them = f", {tasks} of them handed over" if tasks else ""
        said = f"{notes} unread on the board for this window{of_them}: "
    return f"{said}clew persona board read --reader {window}"


def _within(head: str, lines: list[str], tail: list[str], most: int, zh: bool) -> str:
    """As many lines as fit; how many did not is said, and where they are."""
    room = most - len(head) - sum(len(one) + 1 for one in tail) - 80
    kept: list[str] = []
    for line in lines:
        if len(line) + 1 > room:
            left = len(lines) - len(kept)
            kept.append(
                f"（还有 {left} 条：clew persona refusal list）" if zh
                else f"({left} more: clew persona refusal list)"
            )  # fmt: skip
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join([head, *kept, *tail])


def _short(text: str, most: int = _REFUSAL_CHARS) -> str:
    from clew.persona.quoting import flat  # not for the events that a host waits for

    return flat(text, most)


def brought_back(kind: str, words: str, lang: str) -> str:
    """What a window is told at its next turn: its last one had no answer, and what was left in it."""
    from clew.persona.quoting import block

    said = without_answer(kind, len(words), lang)
    return f"{said}\n{block(words[:_TOLD_CHARS])}" if words else said


def after_compaction(compacted: str, baton_at: str, zone: tzinfo, lang: str) -> str:
    """What a window reads after its host compacted it: whether the baton is from before. Both moments
    are in UTC, and told by the persona's clock."""
    if not compacted or (baton_at and baton_at >= compacted):
        return ""
    compacted = f"{_wall(compacted, zone)} ({zone})"
    baton_at = _wall(baton_at, zone)
    if lang == "zh":
        when = f"最近一根写于 {baton_at}" if baton_at else "还没有写过"
        return f"这个窗口在 {compacted} 被压缩；交接棒{when}，不含压缩前的最后一段（clew persona baton write）。"
    when = f"the last one is from {baton_at}" if baton_at else "there is none yet"
    return (
        f"This window was compacted at {compacted}; of the batons {when}, so that the stretch before "
        "it is in none (clew persona baton write)."
    )


def _wall(at: str, zone: tzinfo) -> str:
    from datetime import datetime

    return f"{datetime.fromisoformat(at).astimezone(zone):%Y-%m-%d %H:%M}" if at else ""


def before_compaction(ago: float | None, lang: str, *, archived: bool = True) -> str:
    """What a person is told while a host compacts a window; `ago` seconds since the last baton. Where
    the host names no transcript there is none to archive."""
    from clew.persona.prepared import span

    if lang == "zh":
        when = f"最近一根交接棒写于{span(ago, lang)}前" if ago is not None else "还没有交接棒"
        doing = "正在归档会话原文" if archived else "宿主没有说会话文件在哪，没有归档"
        return f"clew：{doing}；{when}。"
    when = (
        f"the last baton is {span(ago, lang)} old" if ago is not None else "there is no baton yet"
    )
    doing = (
        "the transcript is being archived" if archived
        else "the host names no transcript, so that none is archived"
    )  # fmt: skip
    return f"clew: {doing}; {when}."


def without_answer(kind: str, words: int, lang: str) -> str:
    """What the persona is told when its turn ended without a word."""
    zh = lang == "zh"
    if kind in ("salvageable", "cut_off"):
        cut = (
            ("，而且被长度上限截断" if zh else ", cut off by the limit of length")
            if kind == "cut_off"
            else ""
        )
        return (
            f"这一轮没有正文：回答留在思考里（{words} 字{cut}），对方什么都没有看到。" if zh
            else f"This turn has no text: the answer is in the thinking ({words} characters{cut}), and the "
            "other side has seen nothing of it."
        )  # fmt: skip
    return (
        "这一轮没有正文，思考也没有留下文字：对方什么都没有看到。" if zh
        else "This turn has no text, and no words of its thinking were kept: the other side has seen nothing."
    )  # fmt: skip


_TIMERS: Final = {
    "gone": ("定时 {id} 不在了", "the timer {id} is not there any more"),
    "expired": (
        "定时 {id} 不在了：循环的到期会自行删除",
        "the timer {id} is not there any more: a recurring one deletes itself when it is old",
    ),
    "expires_soon": (
        "定时 {id} 到 {when} 可能会自行删除",
        "the timer {id} is so old that it may delete itself at {when}",
    ),
    "session_only": ("定时 {id} 只在本会话里，不会留存", "the timer {id} lives in this session only"),
    "overdue": ("定时 {id} 该在 {when} 运行，没有运行", "the timer {id} was due at {when} and did not run"),
    "born_late": ("定时 {id} 在它的时刻 {when} 之后才建好", "the timer {id} was set up after its moment, {when}"),
    "full": ("定时已满，再建会失败", "there is no room for another timer"),
}  # fmt: skip


def about_fork(ident: str, origin: str, lang: str) -> str:
    """What a window is told that was opened under the name of the one that it is a copy of."""
    return (
        f"clew：这个窗口是 {origin} 的分叉，自己的标识是 {ident}；写 baton、stream、diary、mood、hang 时"
        f"用 --window {ident}" if lang == "zh"
        else f"clew: this window is a fork of {origin}, and its own id is {ident}; baton, stream, diary, "
        f"mood and hang take --window {ident}"
    )  # fmt: skip


class AboutTimer(NamedTuple):
    """What was found about a timer."""

    kind: str
    ident: str
    when: str
    """The moment it is about, by the persona's clock."""
    schedule: str = ""
    prompt: str = ""


def about_timers(findings: Sequence[AboutTimer], lang: str) -> str:
    """What was found about timers, on one line: with what it takes to set each up again."""
    side = 0 if lang == "zh" else 1
    said = [
        _TIMERS[one.kind][side].format(id=_timer(one, lang), when=one.when).replace("） ", "）")
        for one in findings
    ]
    return "clew" + ("：" if side == 0 else ": ") + ("；" if side == 0 else "; ").join(said)


def _timer(one: AboutTimer, lang: str) -> str:
    """A timer by its id, its schedule and the beginning of its prompt, which is somebody's words."""
    from clew.persona.quoting import marked

    ident, schedule = _short(one.ident, _NAME_CHARS), _short(one.schedule, _NAME_CHARS)
    prompt = marked(one.prompt, lang, _TIMER_CHARS) if one.prompt else ""
    told = " ".join(part for part in (schedule if schedule not in ident else "", prompt) if part)
    if not told:
        return ident
    return f"{ident}（{told}）" if lang == "zh" else f"{ident} ({told})"
