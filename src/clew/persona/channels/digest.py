"""The digest: a page for whoever looks from outside, rendered every three minutes. A view.

It is made from documents and channels and never read back. It tells how the persona is, not what was
said to it: of the live channel only the time of the last word stands here.
"""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.persona import quoting
from clew.persona.channels import reading
from clew.persona.channels.declared import OF
from clew.persona.channels.lines import Baton, Thinking
from clew.persona.windows import FILE, Window, Windows

if TYPE_CHECKING:
    from clew.persona.home import Home
    from clew.persona.keeping import StateNow

_LINES = 5


class Facts(NamedTuple):
    """What the page is made from."""

    name: str
    state: StateNow
    baton: Baton | None
    stream: list[Thinking]
    windows: list[Window]
    unread: int
    handed: int
    """Notes that were left for one window alone, and wait there."""
    zone: tzinfo
    """Of the persona: its page goes by its own clock."""


def gather(home: Home) -> Facts:
    """Everything that stands on the page, as it is now."""
    from clew.persona import keeping

    windows = home.load(FILE, Windows) or Windows()
    return Facts(
        home.settings.name, keeping.state(home, lang=language(home.settings.name)),
        reading.baton(home), reading.last(home, "stream", Thinking, _LINES),
        [one for one in windows.windows if one.state != "retired"], len(reading.unread(home)),
        sum(one.notes for one in reading.handed(home)), home.zone,
    )  # fmt: skip


def language(name: str) -> str:
    """The language of a page that nobody asked for: by the persona's name."""
    cjk = any("\u3400" <= char <= "\u9fff" or char >= "\U00020000" for char in name)
    return "zh" if cjk else "en"


def render(facts: Facts, lang: str) -> str:
    """The page. Pure. What somebody wrote stands on one line each and has no markup of its own, so that
    it can be neither a heading nor a link."""
    zh, state = lang == "zh", facts.state

    def say(chinese: str, english: str) -> str:
        return chinese if zh else english

    silence, alive = _span(state.silence_seconds, zh), _span(state.alive_seconds, zh)
    lines = [
        f"# {_line(facts.name)}",
        "",
        f"{_when(state.at, facts.zone)} ({state.zone})",
        "",
        f"- {say('情绪', 'mood')} {state.mood:.2f}"
        + (f" — {_line(state.cause)}" if state.cause else ""),
        f"- {say('沉默', 'silence')} {silence} · {say('连续存活', 'alive')} {alive}",
        f"- {say('未完成', 'open intents')} {state.open_intents} · {say('悬着', 'hanging')} {state.hanging}"
        f" · {say('未读留言', 'unread notes')} {facts.unread}"
        + (f" · {say('留给窗口的', 'left for a window')} {facts.handed}" if facts.handed else ""),
    ]
    if facts.baton is not None:
        lines += ["", f"## {say('交接棒', 'Baton')}", ""]
        for label, text in (
            (say("做到", "got to"), facts.baton.done), (say("下一步", "next"), facts.baton.next),
            (say("别重复", "do not repeat"), facts.baton.avoid),
        ):  # fmt: skip
            if text:
                lines.append(f"- {label}{say('：', ': ')}{_line(text)}")
    if facts.stream:
        lines += ["", f"## {say('此刻', 'On its mind')}", ""]
        lines += [
            f"- {_when(one.at, facts.zone)} {_line(one.text)}" for one in reversed(facts.stream)
        ]
    if facts.windows:
        lines += ["", f"## {say('窗口', 'Windows')}", ""]
        for one in sorted(facts.windows, key=lambda w: w.seen, reverse=True)[:_LINES]:
            seen = f"{say('最近', 'last seen')} {_when(one.seen, facts.zone)}"
            gone = _when(one.ended, facts.zone) if one.ended else ""
            ended = f" ({say('已结束', 'ended')} {gone})" if gone else ""
            lines.append(f"- {one.host} {one.id[:12]} · {seen}{ended}")
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    """What somebody wrote, on one line, at most 300 characters."""
    return quoting.escaped(text, 300)


def _when(at: str, zone: tzinfo) -> str:
    """A moment by the persona's own clock, to the minute; what is none, as it was written."""
    try:
        return datetime.fromisoformat(at).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return _line(at[:40])


def _span(seconds: int, zh: bool) -> str:
    days, rest = divmod(max(0, seconds), 86_400)
    hours, minutes = rest // 3600, rest % 3600 // 60
    units = ("天", "小时", "分") if zh else ("d", "h", "min")
    parts = [f"{n} {u}" for n, u in zip((days, hours, minutes), units, strict=True) if n]
    return " ".join(parts) or f"0 {units[2]}"


def write(home: Home, lang: str | None = None) -> str:
    """Render the page anew; returns it."""
    facts = gather(home)
    page = render(facts, lang or language(facts.name))
    with home.change() as change:
        change.view(OF["digest"].file, page.encode())
    return page


def periodic(home: Home) -> dict[str, Any]:
    """The tool of the pulse, every three minutes."""
    return {"bytes": len(write(home).encode())}
