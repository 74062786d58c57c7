"""Reading what a program says: plain text, one JSON object, or a stream of JSON events. Pure.

Formats: `claude -p --output-format json` prints one object with `result`, `is_error` and `usage`;
`codex exec --json` prints one event a line, the last `agent_message` is the answer and
`turn.completed` has the usage. Unknown keys and events are left alone.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from clew.kernel.faults import Fault, excerpt
from clew.persona.pulse.outcome import Outcome, estimated

Form = Literal["text", "claude", "codex"]
_COUNTED: Final = ("input_tokens", "cache_creation_input_tokens", "output_tokens")


def read_answer(form: Form, out: str, prompt: str, name: str) -> Outcome:
    """The answer in a program's output. Blank text is no answer."""
    if form == "text":
        found = Outcome(out.strip(), estimated(prompt, out))
    elif form == "claude":
        found = _claude(out, prompt, name)
    else:
        found = _codex(out, prompt, name)
    if found.ok and not found.text:
        return found._replace(fault=Fault("runner_silent", found=name))
    return found


def _claude(out: str, prompt: str, name: str) -> Outcome:
    value = _json(out)
    if isinstance(value, list):  # with --verbose: every message, the result last
        value = value[-1] if value else None
    if not isinstance(value, dict) or value.get("type") != "result":
        return _unread(name, out, prompt)
    tokens = _tokens(value.get("usage"), prompt, out)
    text = value.get("result")
    text = text.strip() if isinstance(text, str) else ""
    if value.get("is_error"):
        reason = text or str(value.get("subtype", ""))
        return Outcome(
            tokens=tokens, fault=Fault("runner_failed", found=name, limit=0, reason=_short(reason))
        )
    return Outcome(text, tokens)


def _codex(out: str, prompt: str, name: str) -> Outcome:
    text, failure, tokens, seen = "", "", 0, False
    for line in out.splitlines():
        event = _json(line)
        if not isinstance(event, dict):
            continue
        seen = True
        kind = event.get("type")
        item = event.get("item")
        if kind == "item.completed" and isinstance(item, dict):
            said = item.get("text")
            if item.get("type") == "agent_message" and isinstance(said, str):
                text = said.strip()
        elif kind == "turn.completed":
            tokens += _tokens(event.get("usage"), prompt, out)
        elif kind in ("turn.failed", "error"):
            error = event.get("error")
            message = error.get("message") if isinstance(error, dict) else event.get("message")
            failure = str(message or kind)
    if not seen:
        return _unread(name, out, prompt)
    tokens = tokens or estimated(prompt, text)
    if failure and not text:
        fault = Fault("runner_failed", found=name, limit=0, reason=_short(failure))
        return Outcome(tokens=tokens, fault=fault)
    return Outcome(text, tokens)


def _unread(name: str, out: str, prompt: str) -> Outcome:
    fault = Fault("runner_answer", found=name, reason=_short(out) or "—")
    return Outcome(tokens=estimated(prompt, out), fault=fault)


def _tokens(usage: Any, prompt: str, out: str) -> int:
    if not isinstance(usage, dict):
        return estimated(prompt, out)
    counted = [usage.get(key) for key in _COUNTED]
    return sum(n for n in counted if isinstance(n, int) and not isinstance(n, bool) and n > 0)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _short(text: str) -> str:
    return str(excerpt(" ".join(text.split())))
