"""The answer guard: the known shapes of a turn that ended without its answer (F1–F8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scribe import Scribe, last_turn, text, thinking, tool

from clew.persona.answer_guard import judge, told_by_host

WORDS = "他后来去了渡口，没有回来。"

CASES: dict[str, tuple[Callable[[Scribe], Scribe], str, str]] = {
    "an answer": (lambda s: s.persona(thinking("想"), text("好")), "spoken", ""),
    "F1 only thinking, cut off by the limit": (
        lambda s: s.persona(thinking(WORDS), stop="max_tokens"), "cut_off", WORDS),
    "F2 thinking with words, no text": (lambda s: s.persona(thinking(WORDS)), "salvageable", WORDS),
    "F3 a signature without words": (
        lambda s: s.persona(thinking("", "x" * 900)), "gone", ""),
    "F3 redacted thinking": (
        lambda s: s.persona({"type": "redacted_thinking", "data": "x"}), "gone", ""),
    "F4 the harness asked again and got an answer": (
        lambda s: s.persona(thinking(WORDS)).person("continue", isMeta=True).persona(text("好")),
        "healed", ""),
    "F5 a stub of the harness": (
        lambda s: s.persona(text("No response requested."), model="<synthetic>", tokens=0,
                            stop="stop_sequence"), "stub", ""),
    "an error of the interface": (
        lambda s: s.persona(text("API Error"), isApiErrorMessage=True), "stub", ""),
    "F6 tokens were spent and nothing is there": (
        lambda s: s.add(s._envelope("assistant", requestId="r", message={
            "id": "m", "role": "assistant", "model": "c", "content": [], "stop_reason": "end_turn",
            "usage": {"output_tokens": 13}})), "empty", ""),
    "F7 white space that somebody asked for": (
        lambda s: s.persona(thinking("不说话"), text("\n")), "silence", ""),
    "F8 a blank block beside a real one": (
        lambda s: s.persona(text("\n\n"), text("好")), "spoken", ""),
    "a call of a tool": (lambda s: s.persona(thinking("查一下"), tool(), stop="tool_use"),
                         "running", ""),
    "a result came and no answer yet": (
        lambda s: s.persona(tool(), stop="tool_use").result(), "running", ""),
    "an answer after tools": (
        lambda s: s.persona(tool(), stop="tool_use").result().persona(text("查到了")),
        "spoken", ""),
    "thinking without words after tools": (
        lambda s: s.persona(tool(), stop="tool_use").result().persona(thinking(WORDS)),
        "salvageable", WORDS),
    "nothing yet": (lambda s: s, "running", ""),
    "only a subagent spoke": (lambda s: s.persona(text("子任务"), isSidechain=True), "running", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_shape_has_its_verdict(name: str) -> None:
    shape, kind, words = CASES[name]
    verdict = judge(last_turn(shape(Scribe().person("后来呢")).data))
    assert (verdict.kind, verdict.words) == (kind, words)
    assert verdict.lost == (kind in ("salvageable", "cut_off", "gone", "empty"))


def test_a_response_is_judged_only_when_its_lines_are_joined() -> None:
    whole = Scribe().person("后来呢").persona(thinking("想"), text("好"))
    half = Scribe().person("后来呢").persona(thinking("想"), text("好"))
    half.lines.pop()
    assert judge(last_turn(whole.data)).kind == "spoken"
    assert judge(last_turn(half.data)).kind == "salvageable"


def test_a_block_written_twice_first_in_part_is_one() -> None:
    scribe = Scribe().person("后来呢")
    for words in ("他后来", "他后来去了渡口。"):
        message = {"id": "m1", "role": "assistant", "model": "c", "content": [text(words)],
                   "stop_reason": "end_turn", "usage": {}}  # fmt: skip
        scribe.add(scribe._envelope("assistant", requestId="r1", message=message))
    turn = last_turn(scribe.data)
    assert turn.last is not None and turn.last.text == "他后来去了渡口。" and turn.responses == 1


def test_f22_old_records_written_again_after_a_fork_are_no_new_turns() -> None:
    scribe = Scribe().person("一").persona(text("壹")).person("二").persona(text("贰"))
    scribe.lines += scribe.lines[:2]
    turn = last_turn(scribe.data)
    assert turn.prompt is not None and turn.prompt.text == "二"
    assert judge(turn).kind == "spoken"


@pytest.mark.parametrize(
    ("message", "again", "kind"),
    [("好", False, "spoken"), ("", True, "healed"), (None, True, "healed"), ("  ", False, None),
     (None, False, None)],
)  # fmt: skip
def test_what_the_host_tells_settles_it_without_the_transcript(
    message: str | None, again: bool, kind: str | None
) -> None:
    assert told_by_host(message, asked_again=again) == kind


PROMPTS = [
    ("在吗", {}, True),
    ("", {}, False),
    ([{"type": "image", "source": {}}], {}, True),
    ([text("看这张图"), {"type": "image", "source": {}}], {}, True),
    ("<command-name>/clear</command-name>\n<command-args></command-args>", {}, False),
    ("<task-notification>x</task-notification>", {}, False),
    ("<system-reminder>x</system-reminder>在吗", {}, True),
    ("在吗", {"isMeta": True}, False),
    ("一大段", {"isCompactSummary": True}, False),
    ("醒一醒", {"promptSource": "cron"}, False),
    ("醒一醒", {"origin": {"kind": "task-notification"}}, False),
    ("在吗", {"promptSource": "typed"}, True),
    ("在吗", {"origin": 7, "promptSource": None}, True),
    (7, {}, False),
    (None, {}, False),
    ("长" * 20_000, {}, True),
]


@pytest.mark.parametrize(("content", "more", "person"), PROMPTS)
def test_a_prompt_is_a_persons_or_the_harnesss(
    content: object, more: dict[str, object], person: bool
) -> None:
    turn = last_turn(Scribe().person(content, **more).data)
    assert (turn.prompt is not None) == person
