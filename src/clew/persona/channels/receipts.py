"""Where a prompt came from: a person's keys, or a program. Pure.

Hosts hand every prompt to a hook in the same way, whoever wrote it, so the difference is told by what
speaks against a person: the host's own word, its markup, a timer of the session with the same words, a
wake of the pulse. Where nothing does, it counts as typed. Source: persona seed section 3, the receipts.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

from clew.persona.timer_audit import PROMPT_CHARS, Timer
from clew.persona.transcripts.claude import machine_source


class Origin(NamedTuple):
    """How a prompt came in, and what tells."""

    how: Literal["typed", "injected"]
    evidence: Literal["host", "markup", "timer", "wake", "none"]
    source: str = ""


def start_of(prompt: str) -> int:
    """What a prompt's beginning is known by, without its words."""
    return zlib.crc32(prompt.strip()[:PROMPT_CHARS].strip().encode("utf-8", "replace"))


def origin_of(
    *,
    told: str = "",
    wake: str = "",
    markup: bool = False,
    start: int | None = None,
    timers: Sequence[Timer] = (),
) -> Origin:
    """How a prompt came in. `told`: the host's word for its source. `wake`: the entry of the pulse that
    started this process. `markup`: it is wholly made of a harness's markup. `start`: what its beginning
    is known by. `timers`: those that the session had at its last turn."""
    if wake:
        return Origin("injected", "wake", wake[:80])
    if told:
        return Origin("injected" if machine_source(told) else "typed", "host", told[:80])
    if markup:
        return Origin("injected", "markup")
    for timer in timers:
        if timer.prompt.strip() and start == start_of(timer.prompt):
            return Origin("injected", "timer", timer.id[:80])
    return Origin("typed", "none")
