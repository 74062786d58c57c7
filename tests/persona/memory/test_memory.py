"""Memory: words of diary, transcripts and channels, one Chinese character at a time; never an authority."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent))
from scribe import SESSION, Scribe, text, thinking
from somebody import Clock, again, begin

from clew.persona import archiving, registering
from clew.persona.channels import writing
from clew.persona.home import Home
from clew.persona.memory.source import found_in
from clew.persona.memory.words import Entry, Memory, periodic


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return begin(tmp_path / "林昭", Clock())


def diary(home: Home, date: str, words: str) -> Path:
    path = Path(home.root) / f"diary/{date}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(words, encoding="utf-8")
    return path


def talk(home: Home, folder: Path, scribe: Scribe) -> None:
    registering.act(
        home, "add", scribe.session, transcript=str(scribe.write(folder)), host="claude"
    )
    archiving.run(home)


def find(home: Home, words: str, **how: object) -> list[Entry]:
    with Memory(again(home)) as memory:
        memory.refresh()
        return memory.search(words, **how)[0]  # type: ignore[arg-type]


def test_one_character_is_found_wherever_it_was_written(home: Home, tmp_path: Path) -> None:
    diary(home, "2026-02-27", "# 夜\n\n灯笼铺关了。\n\n# 晨\n\n没有人。\n")
    writing.note(home, "灯油快没了", window="w1")
    writing.hand_over(home, "数完灯", next_="核账")
    writing.think(home, "灯亮着")
    talk(
        home, tmp_path, Scribe().person("灯还亮吗").persona(thinking("灯火"), text("亮着，灯在。"))
    )
    found = find(home, "灯")
    assert {one.kind for one in found} == {"diary", "board", "baton", "stream", "transcript"}
    assert len(found) == 6
    for one in found:
        assert one.spans and all(one.text[a:b] == "灯" for a, b in one.spans)
    assert "灯火" not in "".join(one.text for one in found)


def test_a_search_is_narrowed_to_a_kind_and_to_a_window(home: Home, tmp_path: Path) -> None:
    writing.think(home, "灯", window="w1")
    writing.think(home, "灯", window="w2")
    writing.note(home, "灯")
    assert len(find(home, "灯", kinds=["stream"])) == 2
    assert [one.window for one in find(home, "灯", window="w2")] == ["w2"]


def test_pages_follow_one_another(home: Home) -> None:
    for number in range(7):
        writing.think(home, f"灯{number}")
    with Memory(home) as memory:
        memory.refresh()
        first, after = memory.search("灯", limit=4)
        second, end = memory.search("灯", limit=4, after=after)
    assert [one.text for one in (*first, *second)] == [f"灯{n}" for n in range(6, -1, -1)]
    assert end == ""


def test_only_what_was_added_is_read(home: Home, tmp_path: Path) -> None:
    scribe = Scribe().person("一盏灯")
    talk(home, tmp_path, scribe)
    find(home, "灯")
    scribe.person("两盏灯").write(tmp_path)
    archiving.run(home)
    with Memory(again(home)) as memory:
        done = memory.index.refresh()
        assert done.rows == 1
        assert [one.text for one in memory.search("灯")[0]] == ["两盏灯", "一盏灯"]


def test_b9_what_was_taken_out_of_the_diary_does_not_come_back(home: Home) -> None:
    diary(home, "2026-02-27", "# 夜\n\n秘密。\n\n# 晨\n\n灯。\n")
    assert len(find(home, "秘密")) == 1
    diary(home, "2026-02-27", "# 晨\n\n灯。\n")
    assert find(home, "秘密") == [] and len(find(home, "灯")) == 1


def test_b14_a_file_that_was_edited_or_removed_by_hand_leaves_no_orphan(home: Home) -> None:
    path = diary(home, "2026-02-27", "灯。\n")
    assert len(find(home, "灯")) == 1
    path.write_bytes(b"")
    assert find(home, "灯") == []
    path.write_text("灯。\n", encoding="utf-8")
    assert len(find(home, "灯")) == 1
    path.unlink()
    with Memory(again(home)) as memory:
        memory.refresh()
        assert memory.index.query("SELECT count(*) FROM entry") == [(0,)]


@pytest.mark.parametrize("damage", ["absent", "zeroes", "cut", "foreign"])
def test_b15_a_damaged_index_is_made_anew_and_nothing_else_is_touched(
    home: Home, damage: str
) -> None:
    writing.think(home, "灯")
    find(home, "灯")
    path = Path(home.root) / "index.sqlite"
    if damage == "absent":
        path.unlink()
    elif damage == "zeroes":
        path.write_bytes(b"\0" * path.stat().st_size)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:5_000])
    else:
        path.unlink()
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
        other.close()
    assert [one.text for one in find(home, "灯")] == ["灯"]
    assert len(home.read_lines("channels/stream.jsonl", dict)) == 1  # type: ignore[type-var]
    if damage == "foreign":
        assert list(Path(home.root).glob("index.sqlite.aside-*"))


def test_b34_two_processes_search_and_refresh_one_index_at_once(home: Home) -> None:
    for number in range(60):
        writing.think(home, f"灯{number}")
    work = (
        "import sys\n"
        "from clew.persona.home import Home\n"
        "from clew.persona.memory.words import Memory\n"
        "for _ in range(10):\n"
        "    with Memory(Home(sys.argv[1])) as memory:\n"
        "        memory.refresh()\n"
        "        assert len(memory.search('灯', limit=100)[0]) == 60\n"
        "        if sys.argv[2] == '0': memory.index.discard()\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", work, home.root, str(n)], stderr=subprocess.PIPE)
        for n in range(3)
    ]
    for one in running:
        _, err = one.communicate(timeout=60)
        assert one.returncode == 0, err.decode()


def test_the_index_of_a_private_home_is_private(home: Home) -> None:
    writing.think(home, "灯")
    find(home, "灯")
    assert (Path(home.root) / "index.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_transcript_that_lies_in_the_archive_twice_is_found_once(
    home: Home, tmp_path: Path
) -> None:
    scribe = Scribe().person("一盏灯").person("还有呢")
    talk(home, tmp_path, scribe)
    scribe.lines.reverse()
    scribe.write(tmp_path)
    assert archiving.run(home).anew == 1
    assert [one.text for one in find(home, "灯")] == ["一盏灯"]


def test_b32_memory_goes_by_the_persona_not_by_the_folder_where_a_session_stood(
    home: Home, tmp_path: Path
) -> None:
    talk(home, tmp_path / ".claude/projects/-a-worktree", Scribe("w1").person("灯一"))
    talk(home, tmp_path / ".claude/projects/-b", Scribe("w2").person("灯二"))
    assert {one.window for one in find(home, "灯")} == {"w1", "w2"}


def test_the_tool_of_the_pulse_tells_what_it_did(home: Home) -> None:
    writing.think(home, "灯")
    assert periodic(home) == {"rows": 1, "waiting": 0}


def test_transcripts_of_other_hosts_are_found_by_their_words(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "rollout-g1.json"
    path.write_text('[{"role": "user", "content": "灯呢"}, {"role": "assistant", "content": "在"}]')
    registering.act(home, "add", "g1", transcript=str(path), host="gemini")
    archiving.run(home)
    (found,) = find(home, "灯")
    assert (found.window, found.who, found.source) == ("g1", "person", "archive/gemini/g1.json")


@given(
    st.sampled_from(
        [
            "archive/claude/s.jsonl",
            "archive/x/s.json",
            "diary/2026-01-01.md",
            "channels/board.jsonl",
        ]
    ),
    st.binary(max_size=300),
)
def test_no_bytes_of_any_file_are_a_failure(path: str, data: bytes) -> None:
    for one in found_in(path, data):
        assert one.body and one.key and one.kind


def test_the_same_bytes_give_the_same_rows() -> None:
    data = Scribe(SESSION).person("灯").data.strip()
    assert found_in("archive/claude/s.jsonl", data) == found_in("archive/claude/s.jsonl", data)


def test_what_a_rewritten_transcript_says_is_shown_once_over_all_pages(
    home: Home, tmp_path: Path
) -> None:
    """The older copy stays in the archive: what only it holds is found, all else in the current one."""
    scribe = Scribe().person("一盏灯").person("两盏灯").person("三盏灯")
    talk(home, tmp_path, scribe)
    rest = scribe.lines[1:]
    scribe.lines = [rest[0].replace("两盏灯", "两盏灯亮着"), rest[1]]
    scribe.write(tmp_path)
    assert archiving.run(home).anew == 1
    with Memory(again(home)) as memory:
        memory.refresh()
        found: list[Entry] = []
        after: str | None = None
        while after != "":
            page, after = memory.search("灯", limit=1, after=after)
            found += page
    assert sorted(one.text for one in found) == ["一盏灯", "三盏灯", "两盏灯亮着"]
    current = {one.text: one.source for one in found}
    assert current["两盏灯亮着"] == current["三盏灯"] != current["一盏灯"]
