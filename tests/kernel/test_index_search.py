"""Searching an index: newest first, page by page, narrowed; and how its text is kept in order."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_room import SCHEMA, Memory, line, room, say

from clew.kernel import index_runs
from clew.kernel.errors import Refused
from clew.kernel.index import Index
from clew.kernel.index_schema import Column, Put, Schema, Table
from clew.kernel.index_text import matches, query_of

A, B = "a/messages.jsonl", "b/messages.jsonl"


def keys(index: Index, text: str, **how: object) -> list[str]:
    return [hit.key for hit in index.search("messages", text, **how)]  # type: ignore[arg-type]


@pytest.fixture
def index() -> Iterator[Index]:
    source = Memory()
    source.files = {
        A: b"".join(line(str(n), f"江晨说了第{n}句", n, role="user" if n % 2 else "model") for n in range(100)),
        B: b"".join(line(str(n), f"灯塔{'，江' if n % 10 == 0 else ''}", n) for n in range(100)),
        "a/cards.json": '[{"title": "江晨", "about": "守灯塔的人"}, {"title": "灯塔", "about": "江边"}]'.encode(),
    }  # fmt: skip
    with Index(None, SCHEMA, source) as made:
        made.refresh()
        yield made


# ---- order and pages ---------------------------------------------------------------------------


def test_the_newest_come_first_whatever_file_they_are_in(index: Index) -> None:
    hits = index.search("messages", "江", limit=5)
    assert [(hit.ordinal, hit.source) for hit in hits] == [
        (99, A),
        (98, A),
        (97, A),
        (96, A),
        (95, A),
    ]
    assert [(hit.ordinal, hit.source) for hit in index.search("messages", "江", limit=11)][-2:] == [
        (90, B),
        (90, A),
    ]


def test_pages_follow_each_other_without_gap_or_repetition(index: Index) -> None:
    whole = index.search("messages", "江", limit=1000)
    assert len(whole) == 110
    paged, before = [], None
    while page := index.search("messages", "江", limit=7, before=before):
        paged += page
        before = page[-1].cursor
    assert paged == whole


def test_a_page_goes_on_where_it_was_when_something_new_came_meanwhile(tmp_path: Path) -> None:
    say(tmp_path, "a", *(line(str(n), "江", n) for n in range(10)))
    with room(tmp_path) as index:
        index.refresh()
        first = index.search("messages", "江", limit=5)
        say(tmp_path, "a", line("new", "江", 50), line("old", "江", 3))
        index.refresh()
        index.discard()
        second = index.search("messages", "江", limit=50, before=first[-1].cursor)
        assert [hit.key for hit in second] == ["4", "old", "3", "2", "1", "0"]


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "[]",
        "[1,2,3,4]",
        '[1,2,"a"]',
        '{"a":1}',
        "null",
        "[" * 50_000,
        '[true,1,"a","b"]',
        "9" * 9000,
    ],
)
def test_a_cursor_that_is_none_is_refused(index: Index, cursor: str) -> None:
    with pytest.raises(Refused) as refused:
        index.search("messages", "江", before=cursor)
    assert refused.value.code == "bad_cursor"


def test_a_cursor_may_point_anywhere(index: Index) -> None:
    assert keys(index, "江", before='[0,0,"",""]') == []
    assert len(keys(index, "江", before='[999,0,"",""]', limit=500)) == 110
    assert keys(index, "江", before='[1,0,"",""]') == ["0", "0"]


# ---- narrowing ---------------------------------------------------------------------------------


def test_it_is_narrowed_to_rows_with_some_values(index: Index) -> None:
    assert keys(index, "江", where={"book": "b"}, limit=3) == ["90", "80", "70"]
    assert keys(index, "江", where={"source": B}, limit=3) == ["90", "80", "70"]
    assert keys(index, "江", where={"book": "a", "role": "user"}, limit=3) == ["99", "97", "95"]
    assert len(keys(index, "江", where={"book": ["a", "b"]}, limit=500)) == 110
    assert keys(index, "江", where={"role": None}, limit=2) == ["90", "80"]
    assert len(keys(index, "江", where={"role": ["user", None]}, limit=500)) == 60
    assert keys(index, "江", where={"book": "c"}) == []
    assert keys(index, "江", where={"book": []}) == []
    assert keys(index, "江", where={"book": None}) == []
    assert keys(index, "江", where={"key": "7"}) == ["7"]
    assert (
        len(keys(index, "江", where={"book": {str(n) for n in range(500)} | {"a"}}, limit=500))
        == 100
    )


def test_a_value_is_a_value_and_no_sql(index: Index) -> None:
    assert keys(index, "江", where={"book": "a' OR 1=1 --"}) == []
    assert keys(index, "江", where={"role": ["' OR ''='"]}) == []


def test_some_texts_only(index: Index) -> None:
    def cards(text: str, *columns: str) -> list[str]:
        return [hit.key for hit in index.search("cards", text, columns=columns)]

    assert cards("灯塔") == ["1", "0"]
    assert cards("灯塔", "title") == ["1"]
    assert cards("灯塔", "about") == ["0"]
    assert cards("灯塔", "title", "about") == ["1", "0"]
    assert cards("灯塔 江") == ["1", "0"]  # one term in one text, one in the other
    assert cards("灯塔 江", "title") == []
    assert cards("塔江") == []  # never across two texts


@pytest.mark.parametrize(
    "call",
    [
        lambda index: index.search("nothing", "江"),
        lambda index: index.search("tags", "江"),
        lambda index: index.search("messages", "江", where={"nothing": 1}),
        lambda index: index.search("messages", "江", where={"body": 1}),
        lambda index: index.search("messages", "江", columns=["book"]),
    ],
)
def test_what_is_not_declared_is_a_mistake(index: Index, call: object) -> None:
    with pytest.raises(ValueError):
        call(index)  # type: ignore[operator]


def test_nothing_to_search_for_finds_nothing(index: Index) -> None:
    assert keys(index, "") == keys(index, "，。 *") == keys(index, "江", limit=0) == []


def test_sql_of_a_room_can_only_read(index: Index) -> None:
    assert index.query("SELECT count(*) FROM messages WHERE book = ?", ("a",)) == [(100,)]
    assert index.query("SELECT count(*) FROM messages WHERE book = :b", {"b": "b"}) == [(100,)]
    with pytest.raises(sqlite3.Error):
        index.query("SELECT nothing FROM nowhere")
    assert index.query("SELECT count(*) FROM messages") == [(200,)]


# ---- against the plain rule --------------------------------------------------------------------

ALPHABET = "江晨灯 ，a b the lantern Zoë\n😀"
TEXTS = st.lists(st.text(st.sampled_from(ALPHABET), max_size=12), max_size=12)


@given(TEXTS, st.text(st.sampled_from(ALPHABET), min_size=1, max_size=4), st.integers(1, 5))
def test_a_search_finds_what_reading_everything_finds(
    texts: list[str], query: str, limit: int
) -> None:
    source = Memory()
    source.files = {A: b"".join(line(str(n), text, n // 3) for n, text in enumerate(texts))}
    understood = query_of(query)
    wanted = [str(n) for n, text in enumerate(texts) if matches(text, understood)]
    with Index(None, SCHEMA, source) as index:
        index.refresh()
        assert keys(index, query, limit=limit) == wanted[::-1][:limit]


# ---- runs and parts ----------------------------------------------------------------------------


class Shuffled:
    """Rows that come in any order, a few at a time, each in a log of its own."""

    def __init__(self) -> None:
        self.source = Memory()
        self.index = Index(None, SCHEMA, self.source)
        self.texts: dict[int, str] = {}

    def put(self, ordinal: int, text: str) -> None:
        self.texts[ordinal] = text
        path = f"x/{ordinal:04d}.jsonl"
        self.source.files[path] = line(str(ordinal), text, ordinal)

    def drop(self, ordinal: int) -> None:
        del self.texts[ordinal], self.source.files[f"x/{ordinal:04d}.jsonl"]

    def wanted(self, character: str) -> list[str]:
        return [str(n) for n in sorted(self.texts, reverse=True) if character in self.texts[n]]

    def runs(self) -> list[index_runs.Run]:
        with self.index._store.read() as connection:
            return index_runs.runs_of(connection, SCHEMA.tables[0])


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shuffled]:
    monkeypatch.setattr(index_runs, "RUNS", 4)
    monkeypatch.setattr(index_runs, "MANY_RUNS", 9)
    monkeypatch.setattr(index_runs, "FEW", 20)
    made = Shuffled()
    yield made
    made.index.close()


@pytest.mark.parametrize("seed", range(6))
def test_order_survives_any_order_of_coming(rows: Shuffled, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(60):
        for _ in range(chance.randrange(1, 6)):
            if rows.texts and chance.random() < 0.3:
                rows.drop(chance.choice(list(rows.texts)))
            else:
                rows.put(chance.randrange(200), chance.choice(["江晨", "灯江", "塔"]))
        rows.index.refresh(text=chance.random() < 0.8)
        if chance.random() < 0.5:
            while rows.index.refresh_text(chance.randrange(1, 9)):
                pass
    rows.index.refresh()
    assert keys(rows.index, "江", limit=500) == rows.wanted("江")
    assert rows.index.check()
    page = rows.index.search("messages", "江", limit=3)
    assert keys(rows.index, "江", limit=500, before=page[-1].cursor) == rows.wanted("江")[3:]


def test_the_newest_can_be_found_while_the_rest_waits() -> None:
    source = Memory()
    source.files = {A: b"".join(line(str(n), "江晨", n) for n in range(100))}
    with Index(None, SCHEMA, source) as index:
        assert index.refresh(text=False).waiting == 100
        assert keys(index, "江") == []
        assert index.query("SELECT count(*) FROM messages") == [(100,)]
        assert index.refresh_text(10) == 90
        assert keys(index, "江") == [str(n) for n in range(99, 89, -1)]
        while index.refresh_text(30):
            pass
        assert len(keys(index, "江", limit=500)) == 100


def test_an_index_built_from_the_newest_back_is_one_run(rows: Shuffled) -> None:
    for ordinal in range(100):
        rows.put(ordinal, "江")
    rows.index.refresh(text=False)
    while rows.index.refresh_text(7):
        pass
    for ordinal in range(100, 110):
        rows.put(ordinal, "江")
        rows.index.refresh()
    assert len(rows.runs()) == 1


def test_small_runs_are_put_together(rows: Shuffled) -> None:
    for ordinal in range(0, 200, 2):
        rows.put(ordinal, "江")
    rows.index.refresh()
    for ordinal in random.Random(3).sample(range(1, 199, 2), 60):
        rows.put(ordinal, "江")
        rows.index.refresh()
        assert len(rows.runs()) <= index_runs.RUNS + 1
    assert keys(rows.index, "江", limit=500) == rows.wanted("江")


def parts(rows: Shuffled) -> set[str]:
    return {run.part for run in rows.runs()}


def test_when_a_fifth_is_dead_the_text_moves_into_the_other_part(rows: Shuffled) -> None:
    for ordinal in range(100):
        rows.put(ordinal, "江")
    rows.index.refresh()
    for ordinal in range(30):
        rows.drop(ordinal * 3)
    rows.index.refresh()
    seen = [parts(rows)]
    for _ in range(12):
        rows.index.refresh_text(10)
        seen.append(parts(rows))
        assert keys(rows.index, "江", limit=500) == rows.wanted("江")
    assert seen[0] == {"a"} and {"a", "b"} in seen and seen[-1] == {"b"}
    assert rows.index.query("SELECT count(*) FROM messages_text_a_data WHERE id > 10") == [(0,)]
    assert rows.index.check()


def test_too_many_large_runs_move_into_the_other_part(rows: Shuffled) -> None:
    for start in range(11):
        for step in range(15):
            rows.put(step * 20 + start, "江")
        rows.index.refresh(text=False)
        while rows.index.refresh_text(5):
            pass
    assert len(parts(rows)) == 2
    for _ in range(20):
        rows.index.refresh_text(40)
    assert len(parts(rows)) == 1 and len(rows.runs()) <= index_runs.RUNS
    assert keys(rows.index, "江", limit=500) == rows.wanted("江")
    assert rows.index.check()


def test_a_step_takes_no_more_text_than_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_runs, "STEP_BYTES", 1_000)
    source = Memory()
    source.files = {A: b"".join(line(str(n), "江" * 100, n) for n in range(9))}
    with Index(None, SCHEMA, source) as index:
        index.refresh(text=False)
        assert index.refresh_text() == 6
        index.refresh()
        assert len(keys(index, "江")) == 9


def test_two_rows_of_one_line_are_both_found() -> None:
    source = Memory()
    source.files = {A: b"x\ny\n"}
    source.rows = lambda path, data: [  # type: ignore[method-assign]
        Put("t", f"{data.decode()}{n}", 0, {"n": n}, {"x": f"江{data.decode()}"}) for n in range(3)
    ]
    table = Table("t", (Column("n", "integer"),), text=("x",))
    with Index(None, Schema("lines", 1, (table,)), source) as index:
        index.refresh()
        assert [hit.key for hit in index.search("t", "江")] == ["y2", "y1", "y0", "x2", "x1", "x0"]
