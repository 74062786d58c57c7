"""An OpenAI-compatible endpoint on a real socket."""

from __future__ import annotations

import time

import pytest
from heart import Service, code_of, service, stopping

from clew.persona.pulse import endpoint
from clew.persona.pulse.outcome import Meanwhile, Outcome

ECHO = "sys.stdout.write('听到：' + sys.stdin.read())\n"


def request(server: Service, **how: object) -> endpoint.Request:
    plain: dict[str, object] = {
        "url": server.url, "model": "small", "key_env": None, "max_tokens": 64, "timeout": 20.0,
    }  # fmt: skip
    return endpoint.Request(**(plain | how))  # type: ignore[arg-type]


def test_an_endpoint_is_asked_in_its_own_protocol() -> None:
    with service() as server:
        found = endpoint.ask(request(server), "卡", "问", Meanwhile())
    assert found == Outcome("灯还亮着。", 57)
    assert server.paths == ["/v1/chat/completions"]
    assert server.seen == [{
        "model": "small", "max_tokens": 64, "stream": False,
        "messages": [{"role": "system", "content": "卡"}, {"role": "user", "content": "问"}],
    }]  # fmt: skip
    assert "Authorization" not in server.headers[0]


def test_a_whole_address_is_used_as_it_stands() -> None:
    with service() as server:
        endpoint.ask(request(server, url=f"{server.url}/chat/completions"), "", "问", Meanwhile())
    assert server.paths == ["/v1/chat/completions"]


def test_the_key_comes_from_the_environment_and_is_never_told() -> None:
    secret = "sk-very-secret"
    with service() as server:
        asked = request(server, key_env="MY_KEY")
        found = endpoint.ask(asked, "", "问", Meanwhile(), {"MY_KEY": secret}.get)
        assert server.headers[0]["Authorization"] == f"Bearer {secret}"
        assert found.ok
        server.status, server.body = 401, {"error": {"message": f"bad key {secret}"}}
        found = endpoint.ask(asked, "", "问", Meanwhile(), {"MY_KEY": secret}.get)
    assert found.fault is not None
    assert secret not in str(found)
    assert "401" in found.fault.message()
    assert "***" in found.fault.message()


def test_without_its_key_an_endpoint_is_not_asked() -> None:
    with service() as server:
        found = endpoint.ask(request(server, key_env="MY_KEY"), "", "问", Meanwhile(), {}.get)
        assert server.seen == []
    assert code_of(found) == "endpoint_key"


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (500, {"error": "overloaded"}, "endpoint_failed"),
        (302, {}, "endpoint_failed"),
        (200, {}, "endpoint_failed"),
        (200, {"choices": []}, "endpoint_failed"),
        (200, {"choices": [{"message": {"content": 7}}]}, "endpoint_failed"),
        (200, {"choices": [{"message": {"content": None}}]}, "runner_silent"),
        (200, {"choices": [{"message": {"content": " \n"}}]}, "runner_silent"),
        (200, [], "endpoint_failed"),
    ],
)
def test_what_an_endpoint_does_wrong_is_an_answer(status: int, body: object, expected: str) -> None:
    with service() as server:
        server.status, server.body = status, body
        found = endpoint.ask(request(server), "", "问", Meanwhile())
    assert code_of(found) == expected


def test_an_endpoint_that_is_not_there_or_speaks_something_else() -> None:
    with service() as server:
        gone = request(server)
        server.raw = b"SSH-2.0-hello\r\n"
        assert code_of(endpoint.ask(request(server), "", "问", Meanwhile())) == "endpoint_failed"
    assert code_of(endpoint.ask(gone, "", "问", Meanwhile())) == "endpoint_failed"


def test_an_endpoint_that_takes_too_long_is_given_up_and_what_it_may_cost_is_counted() -> None:
    with service() as server:
        server.delay = 30.0
        before = time.monotonic()
        found = endpoint.ask(request(server, timeout=1.0), "", "问" * 30, Meanwhile())
    assert code_of(found) == "runner_timeout"
    assert found.tokens == 30
    assert time.monotonic() - before < 10


def test_a_wish_to_leave_ends_the_asking() -> None:
    with service() as server:
        server.delay = 30.0
        found = endpoint.ask(request(server), "", "问", stopping())
    assert code_of(found) == "runner_stopped"
