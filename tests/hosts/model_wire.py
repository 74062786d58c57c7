"""How each protocol says a reply: whole, as a stream of events, or as an error. Pure.

Sources: the public references of Anthropic's Messages, OpenAI's Responses and Chat Completions, and
Gemini's generateContent. Only what a reply of this server can hold is said.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

_number = itertools.count(1)


class Call(NamedTuple):
    """A tool that the model asks for."""

    name: str
    arguments: dict[str, Any]


class Reply(NamedTuple):
    """What the model says to one request."""

    text: str = ""
    thinking: str = ""
    """Words in a thinking block, before the text."""
    sealed: bool = False
    """A thinking block of which only a signature is told."""
    calls: tuple[Call, ...] = ()
    cut: bool = False
    """The limit of tokens ended it."""
    status: int = 200
    """Another one is an error, in the protocol's own shape."""
    raw: bytes | None = None
    """These very bytes instead."""
    wait: float = 0.0
    """Seconds before anything is said."""


class Event(NamedTuple):
    """One server-sent event."""

    name: str
    data: Any


class Protocol(NamedTuple):
    """How one protocol says a reply, for the body of a request."""

    whole: Callable[[Reply, dict[str, Any]], Any]
    events: Callable[[Reply, dict[str, Any]], list[Event]]
    error: Callable[[Reply], Any]


def models(path: str) -> dict[str, Any]:
    """What there is to choose from; hosts ask, and need no more than an answer."""
    return {"object": "list", "data": [], "models": [], "has_more": False, "path": path}


def results(messages: list[Any]) -> list[Any]:
    """The results of tools among the messages of any protocol."""
    return [one for message in messages if isinstance(message, dict) for one in _of(message)]


def _of(message: dict[str, Any]) -> Iterator[Any]:
    if str(message.get("type", "")).endswith("_output"):
        yield message.get("output")
    content = message.get("content")
    for part in message.get("parts") or (content if isinstance(content, list) else []):
        if isinstance(part, dict) and "functionResponse" in part:
            yield part["functionResponse"]
        elif isinstance(part, dict) and part.get("type") == "tool_result":
            yield part.get("content")


# ---- Anthropic: Messages ---------------------------------------------------------------------------


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if reply.thinking or reply.sealed:
        blocks.append(
            {"type": "thinking", "thinking": reply.thinking, "signature": "c2lnbmF0dXJl" * 8}
        )
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    blocks += [
        {
            "type": "tool_use",
            "id": f"toolu_{next(_number):08}",
            "name": c.name,
            "input": c.arguments,
        }
        for c in reply.calls
    ]
    return blocks


def _message(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    stop = "tool_use" if reply.calls else "max_tokens" if reply.cut else "end_turn"
    return {
        "id": f"msg_{next(_number):08}", "type": "message", "role": "assistant",
        "model": body.get("model", "model"), "content": _blocks(reply), "stop_reason": stop,
        "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip


def _message_events(reply: Reply, body: dict[str, Any]) -> list[Event]:
    message = _message(reply, body)
    blocks, stop = message["content"], message["stop_reason"]
    start = {**message, "content": [], "stop_reason": None}
    out: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for at, block in enumerate(blocks):
        empty = {key: "" if key in ("text", "thinking", "signature") else value
                 for key, value in block.items()}  # fmt: skip
        if block["type"] == "tool_use":
            empty["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        elif block["type"] == "text":
            deltas = [{"type": "text_delta", "text": block["text"]}]
        else:
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}]
            deltas = deltas if block["thinking"] else []
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        out.append({"type": "content_block_start", "index": at, "content_block": empty})
        out += [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas]
        out.append({"type": "content_block_stop", "index": at})
    out.append(
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
         "usage": {"output_tokens": 5}}
    )  # fmt: skip
    out.append({"type": "message_stop"})
    return [Event(one["type"], one) for one in out]


def _message_error(reply: Reply) -> Any:
    kind = {429: "rate_limit_error", 529: "overloaded_error"}.get(reply.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": reply.text or kind}}


MESSAGES: Final = Protocol(_message, _message_events, _message_error)


# ---- OpenAI: Responses -----------------------------------------------------------------------------


def _items(reply: Reply) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.thinking or reply.sealed:
        summary = [{"type": "summary_text", "text": reply.thinking}] if reply.thinking else []
        items.append(
            {"type": "reasoning", "id": f"rs_{next(_number):08}", "summary": summary,
             "encrypted_content": "c2VhbGVk" * 8}
        )  # fmt: skip
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        items.append(
            {"type": "message", "id": f"msg_{next(_number):08}", "role": "assistant",
             "status": "completed", "content": content}
        )  # fmt: skip
    for call in reply.calls:
        number = next(_number)
        custom = set(call.arguments) == {"input"}
        given = (
            {"type": "custom_tool_call", "input": call.arguments["input"]} if custom
            else {"type": "function_call", "arguments": json.dumps(call.arguments)}
        )  # fmt: skip
        items.append(
            {**given, "id": f"fc_{number:08}", "call_id": f"call_{number:08}", "name": call.name,
             "status": "completed"}
        )  # fmt: skip
    return items


def _response(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    usage = {
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
    }  # fmt: skip
    return {
        "id": f"resp_{next(_number):08}", "object": "response", "created_at": 0,
        "status": "incomplete" if reply.cut else "completed", "model": body.get("model", "model"),
        "output": _items(reply), "usage": usage,
        **({"incomplete_details": {"reason": "max_output_tokens"}} if reply.cut else {}),
    }  # fmt: skip


def _response_events(reply: Reply, body: dict[str, Any]) -> list[Event]:
    response = _response(reply, body)
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    out: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for at, item in enumerate(response["output"]):
        blank = {**item, "content": []} if "content" in item else item
        out.append({"type": "response.output_item.added", "output_index": at, "item": blank})
        if item["type"] == "message":
            out.append(
                {"type": "response.output_text.delta", "item_id": item["id"], "output_index": at,
                 "content_index": 0, "delta": item["content"][0]["text"]}
            )  # fmt: skip
        out.append({"type": "response.output_item.done", "output_index": at, "item": item})
    end = "response.incomplete" if reply.cut else "response.completed"
    out.append({"type": end, "response": response})
    return [Event(one["type"], {**one, "sequence_number": n}) for n, one in enumerate(out)]


def _openai_error(reply: Reply) -> Any:
    kind = "rate_limit_exceeded" if reply.status == 429 else "server_error"
    return {"error": {"message": reply.text or kind, "type": kind, "code": kind}}


RESPONSES: Final = Protocol(_response, _response_events, _openai_error)


# ---- OpenAI: Chat Completions ----------------------------------------------------------------------


def _said(reply: Reply) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.thinking:
        said["reasoning_content"] = reply.thinking
    if reply.calls:
        said["tool_calls"] = [
            {"index": at, "id": f"call_{next(_number):08}", "type": "function",
             "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
            for at, call in enumerate(reply.calls)
        ]  # fmt: skip
    return said


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "length" if reply.cut else "stop"


_USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _completion(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "message": _said(reply), "finish_reason": _finish(reply)}
    return {
        "id": f"chatcmpl-{next(_number)}", "object": "chat.completion", "created": 0,
        "model": body.get("model", "model"), "choices": [choice], "usage": _USAGE,
    }  # fmt: skip


def _completion_events(reply: Reply, body: dict[str, Any]) -> list[Event]:
    base = {
        "id": f"chatcmpl-{next(_number)}", "object": "chat.completion.chunk", "created": 0,
        "model": body.get("model", "model"),
    }  # fmt: skip
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": _said(reply), "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": _finish(reply)},
    ]
    chunks: list[Any] = [{**base, "choices": [choice]} for choice in choices]
    chunks += [{**base, "choices": [], "usage": _USAGE}, "[DONE]"]
    return [Event("", chunk) for chunk in chunks]


CHAT: Final = Protocol(_completion, _completion_events, _openai_error)


# ---- Gemini: generateContent -----------------------------------------------------------------------


def _content(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if reply.thinking:
        parts.append({"text": reply.thinking, "thought": True})
    if reply.text:
        parts.append({"text": reply.text})
    parts += [{"functionCall": {"name": c.name, "args": c.arguments}} for c in reply.calls]
    candidate = {
        "content": {"role": "model", "parts": parts},
        "finishReason": "MAX_TOKENS" if reply.cut else "STOP", "index": 0,
    }  # fmt: skip
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "model"}


def _content_events(reply: Reply, body: dict[str, Any]) -> list[Event]:
    return [Event("", _content(reply, body))]


def _content_error(reply: Reply) -> Any:
    status = "RESOURCE_EXHAUSTED" if reply.status == 429 else "INTERNAL"
    return {"error": {"code": reply.status, "message": reply.text or status, "status": status}}


GEMINI: Final = Protocol(_content, _content_events, _content_error)
