"""Lines of a transcript: any bytes, any size, whole ones only (F12, F17–F21, F24–F27, F29)."""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent))
from scribe import Scribe, last_turn, pieces, read_from, text

from clew.persona.transcripts import codex
from clew.persona.transcripts.lines import LINE_BYTES, lines, records, tail_start
from clew.persona.transcripts.reading import detect, format_of, pieces_of, steps, whole


def said(data: bytes) -> list[str]:
    return [piece.text for piece in pieces(data) if piece.who in ("person", "persona")]


def test_f17_a_torn_record_with_the_next_on_its_line_loses_only_itself() -> None:
    scribe = Scribe().person("一").persona(text("壹")).person("二")
    torn = scribe.lines[1][: len(scribe.lines[1]) // 2]
    scribe.lines[1:3] = [torn + scribe.lines[2]]
    steps_ = list(steps(read_from(scribe.data)))
    assert said(scribe.data) == ["一", "二"]
    assert steps_[1].lost == len(torn.encode())


def test_f18_a_run_of_nul_bytes_costs_nothing_but_itself() -> None:
    scribe = Scribe().person("一")
    scribe.raw("\0" * 400 + Scribe().person("二").lines[0]).raw("\0" * 300).person("三")
    assert said(scribe.data) == ["一", "二", "三"]


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_f19_a_torn_end_is_left_for_the_next_time(cut: int) -> None:
    data = Scribe().person("一").person("二").data
    assert said(data[:-cut]) == ["一"]


def test_f19_a_torn_middle_does_not_stop_the_rest() -> None:
    scribe = Scribe().person("一").person("二").person("三")
    scribe.lines[1] = scribe.lines[1][:30]
    assert said(scribe.data) == ["一", "三"]


@pytest.mark.parametrize("parent", ["nobody", "u1", "u2", 7, {"a": 1}, None])
def test_f20_f21_orphans_and_cycles_are_read_in_the_order_of_the_file(parent: object) -> None:
    scribe = Scribe().person("一", parentUuid=parent).person("二", parentUuid="u2")
    assert said(scribe.data) == ["一", "二"]


def test_f24_a_lone_surrogate_is_replaced() -> None:
    line = Scribe().person("XX").lines[0].replace("XX", "한글\\ud83d")
    found = said(line.encode() + b"\n")
    assert found == ["한글?"]
    assert found[0].encode("utf-8")


def test_f25_a_line_separator_in_a_string_is_no_end_of_a_record() -> None:
    assert said(Scribe().person("上\u2028下\u2029\x85").data) == ["上\u2028下\u2029\x85"]


def test_f26_f27_a_file_with_a_huge_line_is_read_with_bounded_memory() -> None:
    size = 3 * LINE_BYTES
    head = Scribe().person("一").data
    end = Scribe().person("二").data

    def read(offset: int, limit: int) -> bytes:
        out = b""
        while len(out) < limit and offset + len(out) < len(head) + size + 1 + len(end):
            at = offset + len(out)
            if at < len(head):
                out += head[at : at + limit - len(out)]
            elif at < len(head) + size:
                out += b"x" * min(limit - len(out), len(head) + size - at)
            else:
                out += (b"\n" + end)[at - len(head) - size :][: limit - len(out)]
        return out

    tracemalloc.start()
    found = list(steps(read))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [piece.text for step in found for piece in step.pieces] == ["一", "二"]
    assert found[1].line.too_long and found[1].lost == size + 1
    assert peak < 4 * LINE_BYTES


def test_f12_one_token_repeated_to_the_limit_costs_linear_time() -> None:
    data = Scribe().person("court ").persona(text("court " * 200_000)).data
    began = time.perf_counter()
    assert len(said(data)) == 2
    assert time.perf_counter() - began < 2


def test_f29_a_first_prompt_of_many_kilobytes_is_read() -> None:
    long = "长" * 30_000
    assert said(Scribe().person(long).data) == [long]


def test_many_starts_of_records_on_one_broken_line_cost_linear_time() -> None:
    began = time.perf_counter()
    assert records(b'{"type":' * 100_000).records == []
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    "line",
    [b"", b"\0\0", b"null", b"[]", b"7", b"NaN", b'"x"', b"\xff\xfe", b"{" * 10_000,
     b"[" * 200_000, b'{"a":' + b"9" * 5_000 + b"}", b'{"type":"user"', b'{"type":"user"}{'],
)  # fmt: skip
def test_any_line_is_read_or_passed_over(line: bytes) -> None:
    found = records(line)
    assert all(isinstance(record, dict) for record in found.records)


@given(st.lists(st.binary(max_size=40).filter(lambda b: b"\n" not in b), max_size=8), st.binary())
def test_lines_are_what_stands_between_newlines(parts: list[bytes], rest: bytes) -> None:
    rest = rest.replace(b"\n", b"")
    data = b"".join(part + b"\n" for part in parts) + rest
    found = list(lines(read_from(data)))
    assert [line.data for line in found] == [part.removesuffix(b"\r") for part in parts]
    assert sum(line.size for line in found) == len(data) - len(rest)
    for line in found:
        again = next(lines(read_from(data), line.offset))
        assert again == line


@given(st.binary(max_size=200), st.integers(0, 220))
def test_the_tail_begins_where_a_line_does(data: bytes, want: int) -> None:
    start = tail_start(read_from(data), len(data), want)
    assert start == len(data) or start == 0 or data[start - 1 : start] == b"\n"
    assert want < len(data) or start == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)
KEYS = st.sampled_from(
    ["type", "message", "content", "uuid", "payload", "role", "messages", "parts", "usage", "origin",
     "sessionId", "thoughts", "tool_calls", "forkedFrom", "text", "summary", "reasoning", "id"]
)  # fmt: skip


@given(
    st.dictionaries(
        KEYS,
        JSON | st.sampled_from(["user", "assistant", "response_item", "message"])
        | st.dictionaries(KEYS, JSON, max_size=5) | st.lists(st.dictionaries(KEYS, JSON), max_size=3),
        max_size=8,
    )
)  # fmt: skip
def test_no_record_of_any_shape_is_a_failure(record: dict[str, object]) -> None:
    for kind in (None, "claude", "codex", "chat"):
        for piece in pieces_of(record, kind):  # type: ignore[arg-type]
            assert isinstance(piece.text, str) and isinstance(piece.ident, str)


CODEX = [
    {"type": "session_meta", "timestamp": "2026-11-30T10:00:00Z", "payload": {"id": "s9", "cwd": "/x"}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "<environment_context>x</environment_context>"}]}},
    {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "后来呢"}]}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "后来呢"}},
    {"type": "response_item", "payload": {"type": "reasoning", "summary": [
        {"type": "summary_text", "text": "想"}], "encrypted_content": "x"}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell"}},
    {"type": "response_item", "payload": {"type": "function_call_output", "output": "ok"}},
    {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [
        {"type": "output_text", "text": "去了渡口。"}]}},
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "去了渡口。"}},
    {"type": "compacted", "payload": {"message": "x"}},
]  # fmt: skip


def test_a_rollout_of_codex_is_read_once_though_it_says_everything_twice() -> None:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in CODEX)
    assert detect(read_from(data)) == "codex"
    assert said(data)[:1] == ["后来呢"] and [t for t in said(data) if t] == ["后来呢", "去了渡口。"]
    assert codex.pieces(CODEX[0])[0].window == "s9"
    turn = last_turn(data)
    assert turn.last is not None and turn.last.text == "去了渡口。"


def test_openai_style_messages_are_read_a_line_or_a_document_at_a_time() -> None:
    messages = [
        {"role": "system", "content": "你是"},
        {"role": "user", "content": [{"type": "text", "text": "后来呢"}]},
        {"role": "assistant", "content": "", "reasoning_content": "想", "finish_reason": "length"},
        {"role": "assistant", "content": "去了渡口。"},
    ]
    by_line = b"".join(json.dumps(one).encode() + b"\n" for one in messages)
    for found in (
        [p.text for p in pieces(by_line)],
        [p.text for p in whole(json.dumps(messages).encode())],
        [p.text for p in whole(json.dumps({"messages": messages}).encode())],
    ):
        assert found == ["你是", "后来呢", "", "去了渡口。"]
    assert pieces(by_line)[2].stop == "max_tokens" and pieces(by_line)[2].thinking == "想"


def test_a_session_of_gemini_is_read_as_one_document() -> None:
    session = {"sessionId": "g1", "messages": [
        {"id": "1", "type": "user", "content": "后来呢"},
        {"id": "2", "type": "gemini", "content": "去了渡口。", "thoughts": [
            {"subject": "想", "description": "他"}]}]}  # fmt: skip
    found = whole(json.dumps(session, indent=2).encode())
    assert [(p.who, p.text, p.thinking, p.window) for p in found] == [
        ("person", "后来呢", "", "g1"), ("persona", "去了渡口。", "想: 他", "g1"),
    ]  # fmt: skip


def test_a_record_of_nobody_has_no_format() -> None:
    assert format_of({"a": 1}) is None
    assert whole(b"\xff") == [] and whole(b"[1, 2]") == []
