"""The register of windows: pure steps of what hooks and people tell of sessions."""

from __future__ import annotations

import pytest

from clew.kernel.errors import Missing
from clew.persona.windows import Windows, ended, is_id, retire, revive, saw, trimmed

A, B, C = "2026-03-01T10:00:00.000Z", "2026-03-01T11:00:00.000Z", "2026-03-01T12:00:00.000Z"


def test_a_window_is_registered_when_it_is_first_seen() -> None:
    one = saw(Windows(), "s1", A, host="claude", transcript="/t/s1.jsonl", cwd="/x").find("s1")
    assert one is not None
    assert (one.state, one.opened, one.seen, one.host) == ("current", A, A, "claude")


def test_what_is_not_told_again_stays() -> None:
    known = saw(saw(Windows(), "s1", A, host="claude", transcript="/t/s1.jsonl", cwd="/x"), "s1", B)
    one = known.find("s1")
    assert one is not None and len(known.windows) == 1
    assert (one.host, one.transcript, one.cwd, one.opened, one.seen) == (
        "claude", "/t/s1.jsonl", "/x", A, B)  # fmt: skip


def test_a_window_that_ended_and_is_seen_again_was_resumed() -> None:
    known = ended(saw(Windows(), "s1", A), {"s1": B})
    assert known.windows[0].ended == B and known.windows[0].state == "current"
    assert saw(known, "s1", C).windows[0].ended == ""


def test_an_end_that_is_told_after_the_window_was_resumed_is_no_end() -> None:
    known = ended(saw(saw(Windows(), "s1", A), "s1", C), {"s1": B, "nobody": B})
    assert known.windows[0].ended == "" and len(known.windows) == 1


def test_a_fork_names_where_it_comes_from() -> None:
    one = saw(saw(Windows(), "s1", A), "s2", B, origin="s1").find("s2")
    assert one is not None and (one.state, one.origin) == ("forked", "s1")


def test_a_retired_window_stays_so_until_somebody_says_otherwise() -> None:
    known = retire(saw(Windows(), "s1", A), "s1")
    assert saw(known, "s1", B).windows[0].state == "retired"
    assert revive(known, "s1").windows[0].state == "current"
    fork = retire(saw(Windows(), "s2", A, origin="s1"), "s2")
    assert revive(fork, "s2").windows[0].state == "forked"


def test_a_register_of_many_lets_go_of_those_that_ended_longest_ago() -> None:
    known = Windows()
    for number in range(6):
        known = saw(known, f"s{number}", f"2026-03-0{number + 1}T10:00:00.000Z")
    known = ended(known, {f"s{n}": "2026-03-09T10:00:00.000Z" for n in (1, 3, 4)})
    kept, left = trimmed(known, 4)
    assert [one.id for one in left] == ["s1", "s3"]
    assert [one.id for one in kept.windows] == ["s0", "s2", "s4", "s5"]
    assert trimmed(kept, 4) == (kept, [])
    assert len(trimmed(kept, 1)[0].windows) == 3  # what is open stays


@pytest.mark.parametrize("act", [retire, revive])
def test_a_window_that_nobody_saw_cannot_be_retired_or_revived(act: object) -> None:
    with pytest.raises(Missing) as caught:
        act(Windows(), "s1")  # type: ignore[operator]
    assert caught.value.code == "no_window"


@pytest.mark.parametrize(
    ("text", "good"),
    [("0b9f-1", True), ("a.b_c:d", True), ("", False), ("../x", False), (".x", False), ("a/b", False),
     ("a b", False), ("灯", False), ("a\n", False), ("x" * 200, True), ("x" * 201, False)],
)  # fmt: skip
def test_an_id_can_be_the_name_of_a_file(text: str, good: bool) -> None:
    assert is_id(text) is good
