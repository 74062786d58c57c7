"""Codex's rollouts: `rollout-<time>-<uuid>.jsonl`, lines of `{timestamp, type, payload}`.

Pure. Two logs run through one file: `response_item` is the conversation, `event_msg` what was shown.
Most words stand in both by design; only the first is read, besides the end of a turn.
"""

from __future__ import annotations

from typing import Any, Final

from clew.persona.transcripts.piece import Piece, injected, name_of, text_of, texts_in

_PREAMBLES: Final = ("# AGENTS.md instructions", "<INSTRUCTIONS>", "<permissions")


def pieces(record: dict[str, Any]) -> list[Piece]:
    """What a line says."""
    payload = record.get("payload")
    if not isinstance(payload, dict):
        return []
    kind, at = record.get("type"), name_of(record.get("timestamp"), 40)
    if kind == "session_meta":
        forked = name_of(payload.get("forked_from_id") or payload.get("forked_from"))
        return [Piece("harness", at=at, window=name_of(payload.get("id")), forked=forked)]
    if kind == "compacted":
        return [Piece("harness", at=at, boundary=True)]
    if kind == "response_item":
        return _item(payload, at)
    return []


def _item(item: dict[str, Any], at: str) -> list[Piece]:
    kind, ident = item.get("type"), name_of(item.get("id"))
    if kind == "message":
        return _message(item, ident, at)
    if kind == "reasoning":
        parts = texts_in(item.get("summary"), "summary_text")
        parts += texts_in(item.get("content"), "reasoning_text", "text")
        thinking = "\n\n".join(part for part in parts if part.strip())
        return [
            Piece(
                "persona", thinking=thinking, sealed=not thinking, ident=ident, at=at, group="codex"
            )
        ]
    if isinstance(kind, str) and kind.endswith("_call"):
        return [Piece("persona", tools=1, stop="tool_use", ident=ident, at=at, group="codex")]
    if isinstance(kind, str) and kind.endswith("_output"):
        return [Piece("tool", ident=ident, at=at)]
    return []


def _message(item: dict[str, Any], ident: str, at: str) -> list[Piece]:
    texts = texts_in(item.get("content"), "input_text", "output_text", "text")
    text = "\n".join(text_of(one) for one in texts if one)
    role = item.get("role")
    if role == "assistant":
        return [
            Piece(
                "persona", text=text if text.strip() else "", blank=bool(texts) and not text.strip(),
                ident=ident, at=at, group="codex", stop="end_turn",
            )
        ]  # fmt: skip
    made = role != "user" or injected(text) or text.lstrip().startswith(_PREAMBLES)
    return [Piece("harness" if made else "person", text=text, ident=ident, at=at)]
