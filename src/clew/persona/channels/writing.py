"""Writing to the channels: one numbered line, within the change of a home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from clew.kernel import log
from clew.kernel.errors import refuse
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.text import has_surrogate, nfc
from clew.persona.channels.declared import OF, Name
from clew.persona.channels.lines import Baton, Line, Note, Said, Thinking

if TYPE_CHECKING:
    from clew.persona.home import Change, Home

TEXT_CHARS: Final = 8_000
"""Longest text of one line. A channel is for a word, the diary for a page."""
LIVE_CHARS: Final = 2_000
"""So much of what was said is shown to the other side."""
_WORDS: Final = Both("内容", "the text")
_PARTS: Final = {"$.done": Both("做到哪", "where it got to")}
L = TypeVar("L", bound=Line)


class Writer:
    """Adds lines to the logs of one change; several lines count on."""

    def __init__(self, change: Change) -> None:
        self.change = change
        self._next: dict[str, int] = {}

    def add(self, channel: Name, kind: type[L], **fields: Any) -> L:
        """Add a line. `n`, `at` and `date` are set here."""
        path = OF[channel].file
        number = self._next.get(path) or self._after(path)
        self._next[path] = number + 1
        line = kind(n=number, at=self.change.at, date=self.change.date, **fields)
        self.change.append(path, line)
        return line

    def _after(self, path: str) -> int:
        """The next number: one that a lost line had is not given again."""
        return max(_last(self.change, path), self.change.ends.number(path)) + 1


class _Counted(msgspec.Struct):
    n: int


def _last(change: Change, path: str) -> int:
    """The number of the last line of a log. Where somebody's edit broke that line, numbers go on
    behind all that are there."""
    line = change.tail(path).line
    if line is None:
        return 0
    try:
        return max(0, msgspec.json.decode(line, type=_Counted).n)
    except (msgspec.DecodeError, UnicodeDecodeError):
        lines, _ = log.lines(change.read(path) or b"")
        return max(len(lines), *(_number(one) for one in lines))


def _number(line: bytes) -> int:
    try:
        return msgspec.json.decode(line, type=_Counted).n
    except (msgspec.DecodeError, UnicodeDecodeError):
        return 0


def words(text: str | None, path: str, *, needed: bool = True) -> str:
    """A text as a channel keeps it: NFC, ends trimmed, no NUL. Raises `Refused` (`channel_empty`,
    `channel_too_long`, `bad_text`)."""
    faults = []
    found = nfc((text or "").replace("\0", "")).strip()
    if needed and not found:
        faults.append(Fault("channel_empty", path, name=_PARTS.get(path, _WORDS)))
    if len(found) > TEXT_CHARS:
        faults.append(
            Fault(
                "channel_too_long", path, found=len(found), limit=TEXT_CHARS,
                cut_chars=len(found) - TEXT_CHARS,
            )
        )  # fmt: skip
    if has_surrogate(found):
        faults.append(Fault("bad_text", path))
    refuse(faults)
    return found


def note(
    home: Home, text: str, *, by: str = "", to: str = "", window: str = "", task: bool = False,
    re: int = 0,
) -> Note:  # fmt: skip
    """Leave a note on the board. Wakes nobody."""
    kept = words(text, "$.text")
    with home.change() as change:
        return Writer(change).add(
            "board", Note, text=kept, by=by, to=to, window=window, task=task, re=re
        )


def hand_over(
    home: Home, done: str, *, next_: str = "", avoid: str = "", window: str = ""
) -> Baton:
    """Write the baton: what the next window reads first."""
    kept = {
        "done": words(done, "$.done"),
        "next": words(next_, "$.next", needed=False),
        "avoid": words(avoid, "$.avoid", needed=False),
    }
    with home.change() as change:
        baton = Writer(change).add("baton", Baton, window=window, **kept)
        change.event("baton", window=window, baton=baton.n)
        return baton


def think(home: Home, text: str, *, window: str = "") -> Thinking:
    """Add a line to the stream."""
    kept = words(text, "$.text")
    with home.change() as change:
        return Writer(change).add("stream", Thinking, text=kept, window=window)


def say(writer: Writer, window: str, who: Any, text: str, **more: Any) -> Said:
    """Add what was said in a window to the live channel, cut to what the other side needs."""
    kept = text.replace("\0", "").strip()
    return writer.add(
        "live", Said, window=window, who=who, text=kept[:LIVE_CHARS],
        cut_chars=max(0, len(kept) - LIVE_CHARS), **more,
    )  # fmt: skip


register(
    Code(
        "channel_empty", 2,
        "没有写{name}",
        "{name} is missing",
        "写在 write 后面；几个词要是一句，就加引号。",
        "Put it behind `write`; several words that are one go in quotation marks.",
        about_zh="通道的一行至少有一个字。",
        about_en="A line of a channel has at least one character.",
    ),
    Code(
        "channel_too_long", 2,
        "太长：{found} 字，上限 {limit}",
        "too long: {found} characters, {limit} at most",
        "长文写进日记：clew persona diary write。",
        "Longer texts belong in the diary: clew persona diary write.",
        about_zh="通道里一行是一句话，不是一篇文章。",
        about_en="A line of a channel is a word to somebody, not a page.",
    ),
)  # fmt: skip
