"""Gemini CLI's sessions: `session-<time>-<start of the id>.jsonl`, a header, messages, and `$set` lines.

Pure. A message is written when it is complete, and once more with the tools that it called; a `$set` line
holds what was said before (at a resume, all of it) or facts about the session, so it is passed over.
What a hook adds stands in the person's message, within a markup of its own. Sessions of older versions
are one JSON document (`chat`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from clew.persona.transcripts.chat import thoughts_of
from clew.persona.transcripts.piece import Piece, count_of, injected, name_of, text_of, texts_in

_CONTEXT: Final = re.compile(r"\s*<hook_context>.*?</hook_context>\s*", re.DOTALL)
"""The host takes the angle brackets out of what it puts in between."""


def is_ours(record: dict[str, Any]) -> bool:
    """Whether a record is a line of such a file."""
    if "projectHash" in record or "$set" in record or "$rewindTo" in record:
        return True
    return record.get("type") in ("user", "gemini") and "content" in record and "id" in record


def pieces(record: dict[str, Any]) -> list[Piece]:
    """What a line says."""
    ident, at = name_of(record.get("id")), name_of(record.get("timestamp"), 40)
    if "projectHash" in record:
        return [Piece("harness", window=name_of(record.get("sessionId")))]
    kind, content = record.get("type"), record.get("content")
    if kind == "user":
        parts = content if isinstance(content, list) else []
        if any(isinstance(part, dict) and "functionResponse" in part for part in parts):
            return [Piece("tool", ident=ident, at=at)]
        text = said_by_person("\n".join(_texts(content)))
        made = not text.strip() if _texts(content) else False
        who: Any = "harness" if made or injected(text) else "person"
        return [Piece(who, text=text, ident=ident, at=at)]
    if kind != "gemini":
        return []
    texts = _texts(content)
    text = "\n".join(one for one in texts if one)
    thinking = thoughts_of(record.get("thoughts")) or "\n\n".join(_texts(content, thought=True))
    tokens = record.get("tokens")
    found = [
        Piece(
            "persona", text=text if text.strip() else "", thinking=thinking,
            blank=any(texts) and not text.strip(), ident=ident, at=at, group=ident,
            tokens=count_of(tokens.get("output")) if isinstance(tokens, dict) else None,
            model=name_of(record.get("model")),
        )
    ]  # fmt: skip
    calls = record.get("toolCalls")
    if isinstance(calls, list) and calls:
        found.append(
            Piece(
                "persona", tools=len(calls), stop="tool_use", ident=f"{ident}+", at=at, group=ident
            )
        )
    return found


def said_by_person(prompt: str) -> str:
    """A prompt without what hooks put before and behind it."""
    while (found := _CONTEXT.match(prompt)) is not None:
        prompt = prompt[found.end() :]
    while prompt.rstrip().endswith("</hook_context>"):
        start = prompt.rfind("<hook_context>")
        if start < 0:
            break
        prompt = prompt[:start].rstrip()
    return prompt


def _texts(content: Any, *, thought: bool = False) -> list[str]:
    """The texts of a message: of its parts, which have no type, or the one that it is. `thought`: those
    that are no part of the answer."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        return [
            text_of(part.get("text")) for part in parts if (part.get("thought") is True) is thought
        ]
    return [] if thought else texts_in(content)
