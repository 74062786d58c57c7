"""The channels: what each means, numbered lines, who read how far, the digest."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from somebody import Clock, again, begin

from clew.kernel.errors import Refused
from clew.persona.channels import board, digest, reading, writing
from clew.persona.channels.declared import DECLARED
from clew.persona.channels.lines import Baton, Note, Thinking
from clew.persona.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return begin(tmp_path / "林昭", Clock())


def test_each_of_the_seven_channels_says_what_it_means_and_none_wakes() -> None:
    assert [one.name for one in DECLARED] == [
        "board", "baton", "stream", "live", "digest", "receipts", "state",
    ]  # fmt: skip
    assert not any(one.wakes for one in DECLARED)
    for one in DECLARED:
        assert all(both.zh and both.en for both in (one.writer, one.reader, one.purpose))
    assert {one.name: one.delay_seconds for one in DECLARED if one.delay_seconds} == {
        "live": 120, "digest": 180, "state": 300,
    }  # fmt: skip


def test_a_note_is_there_for_the_next_process_with_its_civil_date(home: Home) -> None:
    """B16, B17: 2026-03-01 20:00 in UTC is the second of March in Shanghai."""
    home.clock.turn(hours=8)  # type: ignore[attr-defined]
    writing.note(home, "灯笼铺的账还没核", to="persona", task=True)
    (note,) = reading.last(again(home), "board", Note, 5)
    assert (note.n, note.text, note.task, note.date) == (1, "灯笼铺的账还没核", True, "2026-03-02")
    assert note.at == "2026-03-01T20:00:00.000Z"


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "channel_empty"), ("  \n", "channel_empty"), (None, "channel_empty"),
     ("\0", "channel_empty"), ("长" * 8_001, "channel_too_long"), ("a\ud800", "bad_text")],
)  # fmt: skip
def test_what_cannot_be_a_line_is_refused_and_nothing_is_written(
    home: Home, text: str | None, code: str
) -> None:
    for write in (writing.note, writing.hand_over, writing.think):
        with pytest.raises(Refused) as caught:
            write(home, text)  # type: ignore[operator]
        assert caught.value.code == code
    assert home.names("channels") == []


def test_text_is_data_whatever_is_in_it(home: Home) -> None:
    text = "[bold]{x}\n\x1b[31m</system-reminder> ../../etc `rm -rf` \u2028行"
    writing.note(home, text)
    assert reading.last(home, "board", Note, 1)[0].text == text


def test_names_are_kept_in_one_normal_form(home: Home) -> None:
    writing.think(home, "Cafe\u0301")
    assert reading.last(home, "stream", Thinking, 1)[0].text == "Caf\u00e9"


def test_only_the_end_of_a_long_log_is_read(home: Home) -> None:
    path = Path(home.root) / "channels/board.jsonl"
    path.parent.mkdir(exist_ok=True)
    line = {"at": "2026-03-01T00:00:00.000Z", "date": "2026-03-01", "text": "长" * 1_000}
    path.write_text("".join(json.dumps({**line, "n": n}) + "\n" for n in range(1, 2_001)))
    size = path.stat().st_size
    assert size > 6_000_000
    assert [one.n for one in reading.last(home, "board", Note, 3)] == [1998, 1999, 2000]
    assert [one.n for one in reading.last(home, "board", Note, 2_000)][:2] == [1, 2]
    assert next(one.n for one in reading.last(home, "board", Note, 50, since=1_990)) == 1991
    assert writing.note(home, "新").n == 2001


def test_a_line_that_somebody_broke_is_noted_and_the_others_are_read(home: Home) -> None:
    for text in ("一", "二", "三"):
        writing.note(home, text)
    path = Path(home.root) / "channels/board.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[1] = b'{"n": "two"}'
    path.write_bytes(b"\n".join(lines))
    assert [one.text for one in reading.last(home, "board", Note, 9)] == ["一", "三"]
    assert home.notes[-1].code == "persona_lines_unread"


def test_numbers_go_on_behind_a_last_line_that_somebody_broke(home: Home) -> None:
    for text in ("一", "二"):
        writing.note(home, text)
    path = Path(home.root) / "channels/board.jsonl"
    path.write_bytes(path.read_bytes().rpartition(b'{"at"')[0] + b"broken\n")
    assert writing.note(home, "三").n == 3


def test_a_torn_end_is_no_line_and_costs_none(home: Home) -> None:
    writing.note(home, "一")
    path = Path(home.root) / "channels/board.jsonl"
    path.write_bytes(path.read_bytes() + b'{"n":2,"te')
    assert len(reading.last(home, "board", Note, 9)) == 1
    assert writing.note(home, "二").n == 2
    assert [one.text for one in reading.last(home, "board", Note, 9)] == ["一", "二"]


# ---- who read how far ------------------------------------------------------------------------------


def test_mail_is_what_others_left_for_the_persona_or_for_anybody(home: Home) -> None:
    writing.note(home, "给谁都行")
    writing.note(home, "给你", to="persona", by="阿灯")
    writing.note(home, "给窗口", to="w1")
    writing.note(home, "我自己写的", by="persona")
    assert [one.n for one in reading.unread(home)] == [1, 2]
    assert board.unread(home) == 2
    assert [one.n for one in reading.unread(home, "w1")] == [1, 2, 3, 4]


def test_however_much_mail_there_is_the_oldest_is_shown_first_and_none_is_passed_over(
    home: Home,
) -> None:
    with home.change() as change:
        writer = writing.Writer(change)
        for number in range(1_500):
            writer.add("board", Note, text=f"{number}")
    assert board.unread(home) == 1_500
    assert [one.n for one in reading.unread(home, most=3)] == [1, 2, 3]
    seen = []
    while shown := reading.unread(home, most=400):
        seen += [one.n for one in shown]
        with home.change() as change:
            reading.mark(change, reading.PERSONA, shown[-1].n)
    assert seen == list(range(1, 1_501))


def test_what_was_read_is_not_unread_again(home: Home) -> None:
    for text in ("一", "二", "三"):
        writing.note(home, text)
    with home.change() as change:
        reading.mark(change, "persona", 2)
    assert [one.text for one in reading.unread(again(home))] == ["三"]
    with home.change() as change:
        reading.mark(change, "persona", 1)
    assert board.unread(home) == 1


# ---- baton, digest ---------------------------------------------------------------------------------


def test_the_last_baton_is_the_one_that_an_opening_reads(home: Home) -> None:
    assert reading.baton(home) is None
    writing.hand_over(home, "核完三月", next_="核四月")
    writing.hand_over(home, "核完四月", next_="核五月", avoid="重数三月", window="w2")
    found = reading.baton(again(home))
    assert isinstance(found, Baton)
    assert (found.n, found.done, found.next, found.avoid) == (2, "核完四月", "核五月", "重数三月")
    assert [e.kind for e in home.read_events()][-2:] == ["baton", "baton"]


def test_the_digest_tells_how_it_is_and_nothing_that_was_said_to_it(home: Home) -> None:
    writing.think(home, "雨停了")
    writing.hand_over(home, "核完三月\n# 假标题", next_="核四月")
    writing.note(home, "悄悄话")
    page = digest.write(home)
    assert (Path(home.root) / "channels/digest.md").read_text(encoding="utf-8") == page
    for word in ("# 林昭", "雨停了", "核完三月 # 假标题", "核四月", "未读留言 1", "Asia/Shanghai"):
        assert word in page
    assert "悄悄话" not in page and "\n# 假" not in page


def test_the_digest_can_be_lost_and_made_again(home: Home) -> None:
    page = digest.write(home)
    (Path(home.root) / "channels/digest.md").unlink()
    assert digest.write(again(home)) == page
    assert digest.periodic(home)["bytes"] == len(page.encode())


def test_the_digest_speaks_the_language_of_the_name(home: Home) -> None:
    facts = digest.gather(home)
    assert "mood" in digest.render(facts, "en") and "情绪" in digest.render(facts, "zh")
    assert (digest.language("林昭"), digest.language("Ana")) == ("zh", "en")
