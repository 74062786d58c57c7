"""The runner that asks an OpenAI-compatible endpoint: one chat completion over plain HTTP(S).

The standard library's client, one request, no redirect, a limit of time over all of it, a limit of
size. The key comes from the environment variable that the settings name; it is in no fault, no log and
no answer. The caller has made sure that the home is trusted.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from clew.kernel.faults import Both, Fault, excerpt
from clew.persona.pulse.outcome import ANSWER_BYTES, POLL, Meanwhile, Outcome, estimated

_PATH: Final = "/chat/completions"
_SLACK: Final = 5.0
"""Seconds: the limit of all of it is kept by who asks; a single wait may not outlive it by much."""


class Request(NamedTuple):
    """What is asked of an endpoint."""

    url: str
    """The service's base (`…/v1`), or the whole address of its chat completions."""
    model: str
    key_env: str | None
    max_tokens: int
    timeout: float
    """Seconds for everything."""


def ask(
    request: Request,
    system: str,
    prompt: str,
    meanwhile: Meanwhile,
    secret: Callable[[str], str | None] = os.environ.get,
) -> Outcome:
    """Ask once. Never raises for what the network or the service does."""
    key = secret(request.key_env) if request.key_env else None
    if request.key_env and not key:
        return Outcome(fault=Fault("endpoint_key", found=request.key_env))
    call = _Call(request, system, prompt, key or "")
    worker = threading.Thread(target=call.run, daemon=True)
    worker.start()
    until = time.monotonic() + request.timeout
    while worker.is_alive():
        worker.join(POLL)
        if not worker.is_alive():
            break
        if meanwhile.stopped():
            call.close()
            return Outcome(fault=Fault("runner_stopped", found=call.place))
        if time.monotonic() >= until:
            call.close()
            limit = round(request.timeout)
            return Outcome(
                tokens=estimated(system, prompt),
                fault=Fault("runner_timeout", found=call.place, limit=limit),
            )
        meanwhile.beat()
    found = call.found or call.failed(Both("没有回答", "no answer"))
    # What may have been paid for is counted.
    return found if found.tokens else found._replace(tokens=call.spent)


class _Call:
    """One request in a thread of its own, so that it can be given up at any moment."""

    def __init__(self, request: Request, system: str, prompt: str, key: str) -> None:
        self.request, self.key = request, key
        self.messages = [
            *([{"role": "system", "content": system}] if system else []),
            {"role": "user", "content": prompt},
        ]
        self.estimate = estimated(system, prompt)
        self.spent = 0
        self.found: Outcome | None = None
        parts = urlsplit(request.url)
        self.place = f"{parts.scheme}://{parts.netloc}"
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        try:
            status, body = self._exchange()
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.found = self.failed(str(error) or type(error).__name__)
            return
        self.found = self._read(status, body)

    def close(self) -> None:
        """Give it up: whatever the thread waits for ends now."""
        connection = self._connection
        if connection is None or connection.sock is None:
            return
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    def failed(self, reason: str | Both) -> Outcome:
        """A failure without the key in it, whatever the service repeated."""
        if isinstance(reason, str):
            clean = reason.replace(self.key, "***") if self.key else reason
            reason = str(excerpt(" ".join(clean.split())))
        return Outcome(fault=Fault("endpoint_failed", file=self.place, reason=reason))

    def _exchange(self) -> tuple[int, bytes]:
        parts = urlsplit(self.request.url)
        path = parts.path.rstrip("/")
        path = path if path.endswith(_PATH) else path + _PATH
        if parts.query:
            path += f"?{parts.query}"
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        connection = kind(parts.hostname or "", parts.port, timeout=self.request.timeout + _SLACK)
        self._connection = connection
        body = json.dumps(
            {"model": self.request.model, "messages": self.messages,
             "max_tokens": self.request.max_tokens, "stream": False},
            ensure_ascii=False,
        ).encode("utf-8", "replace")  # fmt: skip
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            connection.request("POST", path, body, headers)
            self.spent = self.estimate
            response = connection.getresponse()
            return response.status, response.read(ANSWER_BYTES + 1)
        finally:
            connection.close()

    def _read(self, status: int, body: bytes) -> Outcome:
        if len(body) > ANSWER_BYTES:
            return self.failed(Both("回答太长", "the answer is too long"))
        value = _json(body)
        if not 200 <= status < 300:
            error = value.get("error") if isinstance(value, dict) else None
            message = error.get("message") if isinstance(error, dict) else error
            self.spent = 0
            return self.failed(f"HTTP {status} {message or ''}".strip())
        text = _content(value)
        if text and self.key:
            text = text.replace(self.key, "***")
        usage = value.get("usage") if isinstance(value, dict) else None
        total = usage.get("total_tokens") if isinstance(usage, dict) else None
        known = isinstance(total, int) and not isinstance(total, bool) and total > 0
        tokens = (
            int(total) if known and total is not None else self.estimate + estimated(text or "")
        )
        if text is None:
            reason = Both("不是 chat.completion 的格式", "not a chat completion")
            return self.failed(reason)._replace(tokens=tokens)
        if not text.strip():
            fault = Fault("runner_silent", found=self.place)
            return Outcome(tokens=tokens, fault=fault)
        return Outcome(text.strip(), tokens)


def _content(value: Any) -> str | None:
    try:
        content = value["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return None
    return content if isinstance(content, str) else "" if content is None else None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
