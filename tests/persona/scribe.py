"""Writes transcripts as Claude Code does: one record a line, one line for each content block."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clew.persona.transcripts.piece import Piece
from clew.persona.transcripts.reading import steps
from clew.persona.transcripts.turns import Turn, Turns

_DAY = max(f"{datetime.now(UTC):%Y-%m-%d}", "2026-11-30")
"""Today: what was said long before a window was first followed is not in the live channel."""
SESSION = "0b9f2c1e-1111-4222-8333-444455556666"


class Scribe:
    """A transcript in the making. Numbers count turns, so that ids are readable."""

    def __init__(self, session: str = SESSION) -> None:
        self.session = session
        self.lines: list[str] = []
        self._count = 0

    def add(self, record: dict[str, Any]) -> Scribe:
        """Add a record as it is."""
        self.lines.append(json.dumps(record, ensure_ascii=False))
        return self

    def raw(self, line: str) -> Scribe:
        """Add a line that need not be JSON."""
        self.lines.append(line)
        return self

    def _envelope(self, kind: str, **more: Any) -> dict[str, Any]:
        self._count += 1
        return {
            "type": kind, "uuid": f"{kind[0]}{self._count}", "parentUuid": None,
            "sessionId": self.session, "cwd": "/x", "version": "2.1.240",
            "timestamp": f"{_DAY}T10:{self._count // 60:02}:{self._count % 60:02}.000Z", **more,
        }  # fmt: skip

    def person(self, text: Any, **more: Any) -> Scribe:
        """A prompt."""
        return self.add(self._envelope("user", message={"role": "user", "content": text}, **more))

    def result(self, text: str = "ok") -> Scribe:
        """The result of a tool."""
        block = {"type": "tool_result", "tool_use_id": "t1", "content": text}
        return self.person([block])

    def persona(
        self, *blocks: dict[str, Any], stop: str | None = "end_turn", model: str = "claude-x",
        tokens: int = 12, **more: Any,
    ) -> Scribe:  # fmt: skip
        """A response: a line for each block, all of one message."""
        mark = self._count + 1
        for number, block in enumerate(blocks):
            message = {
                "id": f"msg_{mark}", "role": "assistant", "model": model, "content": [block],
                "stop_reason": stop if number == len(blocks) - 1 else None,
                "usage": {"output_tokens": tokens},
            }  # fmt: skip
            self.add(self._envelope("assistant", requestId=f"req_{mark}", message=message, **more))
        return self

    def boundary(self) -> Scribe:
        """The host compacted the conversation."""
        record = self._envelope("system", subtype="compact_boundary", logicalParentUuid="x")
        return self.add(record).person("一大段总结", isCompactSummary=True)

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return "".join(f"{line}\n" for line in self.lines).encode("utf-8", "surrogatepass")

    def write(self, folder: Path, *, old: bool = True) -> Path:
        """Write the file, as one that its host has not touched for some minutes."""
        path = folder / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        if old:
            os.utime(path, (time.time() - 300, time.time() - 300))
        return path


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def thinking(words: str, signature: str = "sig") -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": signature}


def tool(name: str = "Bash") -> dict[str, Any]:
    return {"type": "tool_use", "id": "t1", "name": name, "input": {}}


def read_from(data: bytes) -> Any:
    """A function that reads bytes, as readers want it."""
    return lambda offset, limit: data[offset : offset + limit]


def pieces(data: bytes) -> list[Piece]:
    """Everything that a transcript says."""
    return [piece for step in steps(read_from(data)) for piece in step.pieces]


def last_turn(data: bytes) -> Turn:
    """The last turn of a transcript."""
    turns = Turns()
    for piece in pieces(data):
        turns.take(piece)
    return turns.present
