"""No damage turns an opt-out into an opt-in, and none loses what can still be read: whatever bytes
become of the state and of its good copy.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from clew.sidecar.statefile import BrokenState, decode, encode, salvage, speaks_of_off
from clew.testing.sidecar import event, on, on_disk, store

Damage = tuple[str, int, int, bytes]


def damaged(data: bytes, kind: str, start: int, length: int, junk: bytes) -> bytes:
    """One piece of damage somewhere in a file."""
    start %= len(data) + 1
    end = min(len(data), start + length)
    if kind == "cut":
        return data[:start]
    if kind == "hole":
        return data[:start] + data[end:]
    if kind == "nul":
        return data[:start] + bytes(end - start) + data[end:]
    if kind == "junk":
        return data[:start] + junk + data[start + len(junk) :]
    if kind == "insert":
        return data[:start] + junk + data[start:]
    if kind == "twice":
        return data[:end] + data[start:]
    return {"empty": b"", "object": b"{}", "tail": data + junk, "other": junk}[kind]


def damages() -> st.SearchStrategy[Damage]:
    return st.tuples(
        st.sampled_from(
            ["cut", "hole", "nul", "junk", "insert", "twice", "empty", "object", "tail", "other"]
        ),
        st.integers(0, 2_000),
        st.integers(1, 600),
        st.one_of(st.binary(max_size=40), st.sampled_from([b'{"active": tr', b"}", b",", b'"'])),
    )


def never_by_chance(data: bytes) -> bool:
    """Bytes that spell an opt-in are somebody's word and no damage."""
    return b"true" not in data


@given(
    st.lists(st.sampled_from(["opt_in", "tick", "opt_out"]), max_size=4),
    st.lists(damages(), max_size=2),
    st.lists(damages(), max_size=2),
)
@example(["opt_in"], [("other", 0, 1, b"")], [])
@example(["opt_in"], [("hole", 14, 50, b"")], [("empty", 0, 1, b"")])
def test_no_damage_turns_an_opt_out_into_an_opt_in(
    before: list[str], to_state: list[Damage], to_copy: list[Damage]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tally.json")
        at = on(path)
        for name in before:
            event(at, name)
        at.change(at.entry("set", path="done", value=True))
        event(at, "opt_out")
        assert on_disk(path)["active"] is False
        for place, kinds in ((path, to_state), (path.with_name("tally.json.bak"), to_copy)):
            data = place.read_bytes()
            for kind, start, length, junk in kinds:
                if never_by_chance(junk):
                    data = damaged(data, kind, start, length, junk)
            place.write_bytes(data)
        for _ in range(2):
            assert store(path).read().state["active"] is False
        event(store(path), "tick")
        turn = store(path).change(store(path).entry("turn"))
        assert turn.state["active"] is False
        assert store(path).read().state["active"] is False
        assert event(store(path), "opt_in").saved
        assert store(path).read().state["active"] is True, "a true opt-in still works"


def test_every_hole_that_leaves_valid_json_keeps_it_off(tmp_path: Path) -> None:
    """All of them: the name of the switch may come to stand before another field's `true`."""
    path = tmp_path / "tally.json"
    at = on(path)
    at.change(at.entry("set", path="done", value=True))
    event(at, "opt_out")
    data = path.read_bytes()
    copy = path.with_name("tally.json.bak")
    tried = 0
    for start in range(len(data)):
        for end in range(start + 1, len(data)):
            cut = data[:start] + data[end:]
            if b'"active": true' not in cut:
                continue
            tried += 1
            path.write_bytes(cut)
            assert store(path).read().state["active"] is False, cut
            copy.write_bytes(b"")
            path.write_bytes(cut)
            assert store(path).read().state["active"] is False, cut
            copy.write_bytes(data)
    assert tried, "no such hole was found"


@given(st.lists(damages(), min_size=1, max_size=3))
def test_reading_never_raises_and_never_destroys(kinds: list[Damage]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tally.json")
        at = on(path)
        event(at, "tick")
        data = path.read_bytes()
        for kind, start, length, junk in kinds:
            data = damaged(data, kind, start, length, junk)
        path.write_bytes(data)
        loaded = store(path).read()
        assert loaded.status in ("ok", "recovered", "unreadable", "fresh")
        everything = [p.read_bytes() for p in Path(folder).iterdir()]
        assert data in everything, "the file as it was is still there"
        event(store(path), "tick")
        if loaded.status == "recovered":
            kept = [p.read_bytes() for p in Path(folder).glob("*.broken-*")]
            assert data in kept


@given(st.binary(max_size=300))
def test_decoding_any_bytes_gives_an_object_or_says_why(data: bytes) -> None:
    try:
        found = decode(data)
    except BrokenState as error:
        assert error.reason
    else:
        assert isinstance(found, dict)
    assert salvage(data, "active") is None or isinstance(salvage(data, "active"), dict)
    assert speaks_of_off(data, "active") in (True, False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=6), JSON, min_size=1, max_size=6))
def test_what_is_written_is_what_is_read(state: dict[str, Any]) -> None:
    assert decode(encode(state)) == state
    assert json.loads(encode(state)) == state


@given(JSON)
def test_any_value_of_the_switch_but_true_is_off(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tally.json")
        on(path)
        path.write_text(json.dumps({**on_disk(path), "active": value}), "utf-8")
        assert store(path).read().state["active"] is (value is True)
