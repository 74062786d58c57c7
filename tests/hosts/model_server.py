"""A model that is not there: a server on the loopback interface that speaks what hosts speak.

Anthropic's Messages, OpenAI's Responses and Chat Completions, Gemini's generateContent, each whole or
as server-sent events. It says what a test told it to say, in order, and records every request with its
body as it came over the socket. Only a request that carries tools takes the next reply: hosts also ask
for titles and the like on the side, and those get `ASIDE`.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, NamedTuple

import model_wire as wire
from model_wire import Reply

ASIDE: Final = Reply("ok")


class Asked(NamedTuple):
    """One request of a host."""

    path: str
    body: Any
    headers: dict[str, str]

    @property
    def main(self) -> bool:
        """Whether it belongs to the conversation."""
        if not isinstance(self.body, dict):
            return False
        listed = self.body.get("input")
        kinds = [one.get("type") for one in listed] if isinstance(listed, list) else []
        return bool(self.body.get("tools")) or "additional_tools" in kinds

    @property
    def text(self) -> str:
        """Every string of the body, so that a test can look for what the model was told."""
        return "\n".join(_strings(self.body))

    @property
    def last(self) -> str:
        """Every string of the last message alone: what this request added."""
        body = self.body if isinstance(self.body, dict) else {}
        listed = body.get("messages") or body.get("input") or body.get("contents") or [""]
        return "\n".join(_strings(listed[-1]))

    def results(self) -> list[str]:
        """What the host told of the tools that it ran (or did not), in order."""
        body = self.body if isinstance(self.body, dict) else {}
        listed = body.get("messages") or body.get("input") or body.get("contents") or []
        return ["\n".join(_strings(one)) for one in wire.results(listed)]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


class ModelServer:
    """The server; a context manager. `say` what comes next, look at `asked` afterwards."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._replies: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def main(self) -> list[Asked]:
        """The requests of the conversation, in order."""
        return [one for one in self.asked if one.main]

    def say(self, *replies: Reply | str) -> None:
        """Say these next, one at each request; after the last, `ASIDE`."""
        with self._lock:
            self._replies.extend(Reply(one) if isinstance(one, str) else one for one in replies)

    def forget(self) -> None:
        """Forget what was asked, and what was still to be said."""
        with self._lock:
            self.asked.clear()
            self._replies.clear()

    def left(self) -> int:
        """Replies that nobody asked for."""
        return len(self._replies)

    def answer(self, asked: Asked, *, always: bool) -> Reply:
        """The reply to a request; `always`: whether it carries tools or not."""
        with self._lock:
            self.asked.append(asked)
            if (asked.main or always) and self._replies:
                return self._replies.popleft()
        return ASIDE

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: what was asked is in `asked`."""

        def do_HEAD(self) -> None:
            self._whole(200, b"")

        def do_GET(self) -> None:
            self._json(200, wire.models(self.path))

        def do_POST(self) -> None:
            asked = Asked(self.path, self._body(), dict(self.headers.items()))
            path, _, query = self.path.partition("?")
            body = asked.body if isinstance(asked.body, dict) else {}
            if path.endswith(("count_tokens", ":countTokens")):
                self._json(200, {"input_tokens": 10, "totalTokens": 10})
            elif path.endswith("/messages"):
                self._tell(wire.MESSAGES, server.answer(asked, always=False), body)
            elif path.endswith("/responses"):
                self._tell(wire.RESPONSES, server.answer(asked, always=False), body)
            elif path.endswith("/chat/completions"):
                self._tell(wire.CHAT, server.answer(asked, always=True), body)
            elif path.endswith((":generateContent", ":streamGenerateContent")):
                body = {**body, "stream": "alt=sse" in query}
                self._tell(wire.GEMINI, server.answer(asked, always=False), body)
            else:
                self._json(404, {"error": {"type": "not_found_error", "message": self.path}})

        def _body(self) -> Any:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                return json.loads(data)
            except ValueError:
                return data.decode("utf-8", "replace")

        def _tell(self, protocol: wire.Protocol, reply: Reply, body: dict[str, Any]) -> None:
            if reply.wait:
                time.sleep(reply.wait)
            try:
                if reply.raw is not None:
                    self._whole(reply.status, reply.raw)
                elif reply.status != 200:
                    self._json(reply.status, protocol.error(reply))
                elif body.get("stream"):
                    self._events(protocol.events(reply, body))
                else:
                    self._json(200, protocol.whole(reply, body))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # who asked has gone

        def _json(self, status: int, value: Any) -> None:
            self._whole(status, json.dumps(value, ensure_ascii=False).encode())

        def _whole(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _events(self, events: Sequence[wire.Event]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for event in events:
                head = f"event: {event.name}\n" if event.name else ""
                data = event.data if isinstance(event.data, str) else json.dumps(event.data)
                line = f"{head}data: {data}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

    return Handler
