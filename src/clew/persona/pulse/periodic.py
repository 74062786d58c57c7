"""The seed's periodic tools: which there are, how often each runs, and running those that are due.

Rules: persona seed section 8 and the delays of section 3. A tool is a function of the room that knows
the thing; it is loaded when it is due. One that fails is told and tried again at its next time; it
keeps nothing else from running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from clew.kernel.clock import stamp
from clew.kernel.errors import ClewError
from clew.kernel.faults import Both
from clew.persona.decoding import instant
from clew.persona.model import SETTINGS
from clew.persona.pulse.view import LOOKS, Looks, Means, looks_of

if TYPE_CHECKING:
    from clew.persona.home import Change, Home


class Tool(NamedTuple):
    """A periodic tool."""

    name: str
    minutes: int
    run: str
    """`module:function`, called with the home."""
    purpose: Both
    asks_trust: bool = False
    """Whether it also wants to know if the home is trusted."""


TOOLS: Final[tuple[Tool, ...]] = (
    Tool("answer_guard", 2, "clew.persona.watching:guard_periodic",
         Both("把写进思考块的正文捞回来", "brings back an answer that was left in the thinking")),
    Tool("live", 2, "clew.persona.channels.live:periodic",
         Both("双向直播同步", "shows each window what the others said")),
    Tool("digest", 3, "clew.persona.channels.digest:periodic",
         Both("给设备外看的摘要", "the digest for a reader outside")),
    Tool("state", 5, "clew.persona.keeping:periodic",
         Both("持续状态", "marks that the persona is there")),
    Tool("archive", 10, "clew.persona.archiving:periodic",
         Both("会话原文逐字节留底", "copies transcripts byte for byte")),
    Tool("context_guard", 30, "clew.persona.watching:context_periodic",
         Both("量轮数与体积", "counts turns and bytes of the windows")),
    Tool("word_index", 30, "clew.persona.memory.words:periodic",
         Both("原文索引", "the index of words")),
    Tool("vector_index", 180, "clew.persona.memory.vectors:periodic",
         Both("向量索引", "the index of vectors"), True),
)  # fmt: skip


class ToolRun(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One run of a tool."""

    tool: str
    outcome: str
    """`done` or `failed`."""
    code: str = ""
    detail: str = ""
    facts: dict[str, Any] = {}


class ToolNext(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """When a tool runs next."""

    tool: str
    minutes: int
    at: str
    last_at: str = ""
    last_failed: str = ""
    """The code of its last failure."""
    purpose: str = ""


def due(looks: Looks, now: datetime) -> list[Tool]:
    """The tools whose time has come. A last run in the future is a clock that was set back."""
    return [tool for tool in TOOLS if next_of(tool, looks, now) <= now]


def next_of(tool: Tool, looks: Looks, now: datetime) -> datetime:
    """When a tool runs next; now, where it never ran."""
    last = looks.tools.get(tool.name)
    if not last or instant(last) > now:
        return now
    return instant(last) + timedelta(minutes=tool.minutes)


def claim(
    change: Change,
    looks: Looks,
    now: datetime,
    *,
    wanted: bool = True,
    only: Sequence[str] | None = None,
) -> list[Tool]:
    """Take the due tools (or those that are named, due or not) for this process, within its change:
    nobody else runs them now. Not `wanted`: only mark that somebody looked."""
    found = due(looks, now) if wanted else []
    if only is not None:
        found = [tool for tool in TOOLS if tool.name in only]
    began = looks.tools | {tool.name: stamp(now) for tool in found}
    after = msgspec.structs.replace(looks, at=stamp(now), tools=began)
    change.view(LOOKS, msgspec.json.encode(after))
    return found


def run(home: Home, means: Means, tools: Iterable[Tool]) -> list[ToolRun]:
    """Run tools one after the other; a failure is an answer, too."""
    found = []
    for tool in tools:
        if means.meanwhile.stopped():
            break
        found.append(_one(home, means, tool))
    _remember(home, found)
    return found


def _one(home: Home, means: Means, tool: Tool) -> ToolRun:
    module, _, name = tool.run.partition(":")
    function: Callable[..., dict[str, Any]] = getattr(import_module(module), name)
    how = {"trusted": means.trusted(home.root, (SETTINGS,))} if tool.asks_trust else {}
    try:
        facts = function(home, **how)
    except ClewError as error:
        return ToolRun(tool=tool.name, outcome="failed", code=error.code, detail=str(error))
    except OSError as error:
        return ToolRun(tool=tool.name, outcome="failed", code="io_failed", detail=str(error))
    except Exception as error:  # noqa: BLE001 - a tool's own bug is told; the heart beats on
        detail = f"{type(error).__name__}: {error}"
        return ToolRun(tool=tool.name, outcome="failed", code="internal", detail=detail)
    return ToolRun(tool=tool.name, outcome="done", facts=facts)


def _remember(home: Home, found: list[ToolRun]) -> None:
    """Which tools failed last: only when that changed."""
    with home.change() as change:
        looks = looks_of(change.read(LOOKS))
        failed = {
            name: code
            for name, code in looks.failed.items()
            if name not in {one.tool for one in found}
        }
        failed |= {one.tool: one.code for one in found if one.outcome == "failed"}
        if failed != looks.failed:
            after = msgspec.structs.replace(looks, failed=failed)
            change.view(LOOKS, msgspec.json.encode(after))


def coming(looks: Looks, now: datetime, lang: str) -> list[ToolNext]:
    """When each tool runs next, in the order of the table."""
    return [
        ToolNext(
            tool=tool.name, minutes=tool.minutes, at=stamp(next_of(tool, looks, now)),
            last_at=looks.tools.get(tool.name, ""), last_failed=looks.failed.get(tool.name, ""),
            purpose=tool.purpose.zh if lang == "zh" else tool.purpose.en,
        )
        for tool in TOOLS
    ]  # fmt: skip
