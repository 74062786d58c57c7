"""Conversations as a list of messages: OpenAI-style, and the session documents of older Gemini CLIs.

Pure. One message a line (`{"role": …, "content": …}`, or `{"messages": […]}`), or one JSON document
that holds them all. Such a document is rewritten as a whole at each save, so it has no offset to go
on from: it is read again when its bytes changed.
"""

from __future__ import annotations

from typing import Any, Final

from clew.persona.transcripts.piece import Piece, injected, name_of, text_of, texts_in

_ROLES: Final = {
    "user": "person", "human": "person", "assistant": "persona", "model": "persona",
    "gemini": "persona", "tool": "tool", "function": "tool",
}  # fmt: skip
_STOPS: Final = {"length": "max_tokens", "MAX_TOKENS": "max_tokens", "tool_calls": "tool_use"}


def pieces(record: dict[str, Any]) -> list[Piece]:
    """What a message, or an object that holds messages, says."""
    listed = record.get("messages")
    if not isinstance(listed, list):
        return _message(record, "")
    window = name_of(record.get("sessionId") or record.get("session_id") or record.get("id"))
    return [piece for one in listed if isinstance(one, dict) for piece in _message(one, window)]


def _message(message: dict[str, Any], window: str) -> list[Piece]:
    role = message.get("role") or message.get("type")
    who: Any = _ROLES.get(role, "harness") if isinstance(role, str) else None
    if who is None:
        return []
    parts = texts_in(message.get("content"), "text", "input_text", "output_text")
    if not parts and isinstance(message.get("parts"), list):
        parts = [text_of(part.get("text")) for part in message["parts"] if isinstance(part, dict)]
    text = "\n".join(part for part in parts if part)
    at = name_of(message.get("timestamp") or message.get("created_at"), 40)
    ident = name_of(message.get("id"))
    if who != "persona":
        if who == "person" and injected(text):
            who = "harness"
        return [Piece(who, text=text, ident=ident, at=at, window=window)]
    thinking = text_of(message.get("reasoning_content") or message.get("reasoning"))
    thinking = thinking or thoughts_of(message.get("thoughts"))
    calls = message.get("tool_calls") or message.get("toolCalls")
    tools = len(calls) if isinstance(calls, list) else 0
    stop = name_of(message.get("finish_reason") or message.get("finishReason"), 40)
    return [
        Piece(
            "persona", text=text if text.strip() else "", thinking=thinking,
            blank=any(parts) and not text.strip(), tools=tools,
            stop=_STOPS.get(stop, stop) or ("tool_use" if tools else ""), ident=ident, at=at,
            window=window, group=ident, model=name_of(message.get("model")),
        )
    ]  # fmt: skip


def thoughts_of(value: Any) -> str:
    """Gemini's thoughts: a subject and a description each."""
    found = []
    for one in value if isinstance(value, list) else []:
        if isinstance(one, dict):
            parts = [text_of(one.get("subject")), text_of(one.get("description"))]
            found.append(": ".join(part for part in parts if part))
    return "\n\n".join(one for one in found if one)
