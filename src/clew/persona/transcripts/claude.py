"""Claude Code's transcripts: `<session>.jsonl`, one record a line, one line for each content block.

Pure. The format is internal to that program and may change at any release: what is not known is
passed over. One response is several lines with one `message.id` and `requestId`; both together, as
long as they follow one another, make the `group`.
"""

from __future__ import annotations

from typing import Any, Final

from clew.persona.transcripts.piece import Piece, count_of, injected, name_of, text_of

SYNTHETIC: Final = "<synthetic>"
"""The `model` of what the harness wrote in the model's place."""


def pieces(record: dict[str, Any]) -> list[Piece]:
    """What a record says; nothing for one that belongs to a subagent or says nothing."""
    if record.get("isSidechain") is True:
        return []
    kind = record.get("type")
    if kind == "user":
        return _user(record)
    if kind == "assistant":
        return _assistant(record)
    if kind == "system" and record.get("subtype") == "compact_boundary":
        return [_piece(record, boundary=True)]
    return []


def _piece(record: dict[str, Any], **more: Any) -> Piece:
    given: dict[str, Any] = {
        "who": "harness",
        "ident": name_of(record.get("uuid")),
        "at": name_of(record.get("timestamp"), 40),
        "window": name_of(record.get("sessionId")),
        "forked": _forked(record.get("forkedFrom")),
    }
    return Piece(**{**given, **more})


def _forked(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("sessionId")
    return name_of(value)


def _user(record: dict[str, Any]) -> list[Piece]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    if any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks):
        return [_piece(record, who="tool")]
    if isinstance(content, str):
        texts = [text_of(content)]
    else:
        texts = [
            text_of(block.get("text"))
            for block in blocks
            if isinstance(block, dict) and block.get("type") == "text"
        ]
    text = "\n".join(one for one in texts if one)
    made = any(
        record.get(flag) is True
        for flag in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    )
    # A picture alone is a person's word as well.
    if made or injected(text) or not (text.strip() or blocks) or _by_machine(record):
        return [_piece(record, text=text)]
    return [_piece(record, who="person", text=text)]


def _by_machine(record: dict[str, Any]) -> bool:
    """Whether the host says that nobody typed this: a timer, another session, a queue's own."""
    origin = record.get("origin")
    if isinstance(origin, dict):
        origin = origin.get("kind") or origin.get("type")
    told = [record.get("promptSource"), origin]
    return any(isinstance(one, str) and machine_source(one) for one in told)


_MACHINES: Final = (
    "cron", "timer", "schedule", "loop", "task", "agent", "session", "channel", "hook", "system",
    "auto", "peer", "monitor", "coordinator", "sdk-injected",
)  # fmt: skip


def machine_source(word: str) -> bool:
    """Whether a host's word for where a prompt came from names a machine. What is not known
    counts as a person: silence is then too short rather than too long."""
    folded = word.casefold()
    return any(folded.startswith(one) or folded.endswith(one) for one in _MACHINES)


def _assistant(record: dict[str, Any]) -> list[Piece]:
    message = record.get("message")
    if not isinstance(message, dict):
        return []
    texts: list[str] = []
    thoughts: list[str] = []
    sealed = blank = False
    tools = 0
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "text":
            text = text_of(block.get("text"))
            if text.strip():
                texts.append(text)
            else:
                blank = True
        elif kind == "thinking":
            thought = text_of(block.get("thinking"))
            if thought.strip():
                thoughts.append(thought)
            else:
                sealed = True
        elif kind == "redacted_thinking":
            sealed = True
        elif isinstance(kind, str) and kind.endswith("tool_use"):
            tools += 1
    usage = message.get("usage")
    model = name_of(message.get("model"))
    request, ident = name_of(record.get("requestId")), name_of(message.get("id"))
    group = f"{request}/{ident}" if request or ident else name_of(record.get("uuid"))
    return [
        _piece(
            record, who="persona", text="\n\n".join(texts), thinking="\n\n".join(thoughts),
            sealed=sealed, blank=blank, tools=tools, stop=name_of(message.get("stop_reason"), 40),
            tokens=count_of(usage.get("output_tokens")) if isinstance(usage, dict) else None,
            stub=model == SYNTHETIC or record.get("isApiErrorMessage") is True,
            group=group, model=model,
        )
    ]  # fmt: skip
