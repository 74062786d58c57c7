"""The guard of a writing agent: what may be begun, and what is nobody's to edit by hand."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.faults import Fault
from clew.novel import filenames, guard, outline
from clew.novel.guard import Touch, judge_body, judge_ledger, review, standing
from clew.novel.peek import last_committed, title_in
from clew.testing.novel import begin_book, init_document

# ---- the rules -----------------------------------------------------------------------------------

BODY = [
    # chapter, last committed, outlines, bodies -> codes
    (1, 0, {1}, set(), []),
    (1, 0, set(), set(), ["outline_first"]),
    (2, 0, {2}, set(), ["previous_unwritten"]),
    (2, 0, {1, 2}, {1}, ["previous_uncommitted"]),
    (2, 1, {2}, {1}, []),
    (2, 1, {1}, {1}, ["outline_first"]),
    (3, 1, {2}, {1, 2}, ["previous_uncommitted", "outline_first"]),
    (9, 1, {9}, {1, 8}, ["previous_unwritten"]),
    (1, 5, set(), set(), []),  # committed or imported: written anew
    (5, 5, set(), {1}, []),
    (6, 5, {6}, {1}, []),
]


@pytest.mark.parametrize(("chapter", "last", "outlines", "bodies", "codes"), BODY)
def test_a_body_is_begun_after_the_chapter_before_it_and_its_outline(
    chapter: int, last: int, outlines: set[int], bodies: set[int], codes: list[str]
) -> None:
    assert judge_body(chapter, last, outlines, bodies) == codes


@pytest.mark.parametrize(
    ("below", "removes", "denied"),
    [
        ("上下文.md", False, True),
        ("角色状态/江晨.md", False, True),
        ("_tracking-state.json", False, True),
        ("随手记.md", False, True),
        ("", False, True),
        ("上下文.md", True, False),
        ("逐章记录/第010章.md", True, False),  # the way out of `record_exists`
        ("逐章记录", True, True),
        ("_tracking-state.json", True, True),
        ("_history.jsonl", True, True),
        (".clew/aside/x", True, True),
        ("", True, True),
    ],
)
def test_the_ledger_is_not_edited_by_hand(below: str, removes: bool, denied: bool) -> None:
    assert judge_ledger(below, removes=removes) == (["ledger_by_hand"] if denied else [])


@pytest.mark.parametrize(
    ("state", "found"),
    [
        (b'{\n  "last_committed_chapter": 12,\n  "x": 1\n}\n', 12),
        (b'{\n  "x": 1,\n  "last_committed_chapter": 0\n}', 0),
        (b'{"last_committed_chapter": 7}', 7),
        (b'{\r\n  "last_committed_chapter": 7\r\n}', 7),
        (b'\xef\xbb\xbf{"last_committed_chapter": 7}', 7),
        (b'{\n "characters": {\n  "last_committed_chapter": 3},\n "last_committed_chapter": 8}', 8),
        (b'{\n  "a": {\n  "last_committed_chapter": 3},\n  "last_committed_chapter": 8}', 8),
        (b'{"last_committed_chapter": "7"}', None),
        (b'{"last_committed_chapter": true}', None),
        (b'{"last_committed_chapter": -1}', None),
        (b"[1]", None),
        (b"", None),
        (b"\0" * 40, None),
        (b'{\n  "last_committed_chapter": 12', None),
        (b"[" * 100_000, None),
        (b"\xff", None),
    ],
)
def test_the_last_chapter_is_read_from_any_state_that_tells_it(
    state: bytes, found: int | None
) -> None:
    assert last_committed(state) == found


def test_the_last_chapter_of_a_state_of_ours_is_found(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path, init_document(last_chapter=14))
    state = Path(ledger.root, "追踪/_tracking-state.json").read_bytes()
    assert last_committed(state) == json.loads(state)["last_committed_chapter"] == 14


NAMES = st.one_of(
    st.text(max_size=12),
    st.builds(
        "{}第{}{}章{}{}.md".format,
        st.sampled_from(["", "细纲_", "大纲_", " "]),
        st.sampled_from(["", "0", "00"]),
        st.integers(0, 10**10),
        st.sampled_from(["", "_", "-", " ", "\u3000", "_原稿_", "："]),
        st.text(max_size=5),
    ),
)


@given(name=NAMES)
def test_names_are_read_here_as_the_room_reads_them(name: str) -> None:
    for form in ("NFC", "NFD"):
        shown = unicodedata.normalize(form, name)
        assert filenames.body_number(shown) == outline.body_number(shown)
        assert filenames.outline_number(shown) == outline.outline_number(shown)
        assert filenames.body_title(shown) == outline.body_title(shown)


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ('{\n  "book_title": "渡口旧账",\n  "x": 1\n}\n', "渡口旧账"),
        ('{"book_title":"The \\"Leaf\\""}', 'The "Leaf"'),
        ('{"book_title": "\\u6e21"}', "渡"),
        ('{"book_title": 3}', ""), ('{"book_title": "x', ""), ("{}", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_title_is_read_off_the_states_bytes(state: str, title: str) -> None:
    assert title_in(state.encode()) == title


# ---- the reader ----------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Twelve chapters are committed; 13 has its outline, 14 has none."""
    root = tmp_path / "渡口 旧账"
    begin_book(root, init_document(last_chapter=12))
    for folder in ("大纲", "正文"):
        (root / folder).mkdir()
    (root / "大纲/细纲_第013章_渡口.md").write_text("# 第13章：渡口\n", encoding="utf-8")
    (root / "正文/第012章_旧账.md").write_text("旧账。\n", encoding="utf-8")
    return root


def faults(book: Path, path: str | Path, *, removes: bool = False) -> list[Fault]:
    """What stands against a touch, told to an agent in the book folder."""
    return review([Touch(str(book / path), removes)], str(book)).faults


def codes(book: Path, path: str | Path, *, removes: bool = False) -> list[str]:
    return [fault.code for fault in faults(book, path, removes=removes)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("正文/第013章_渡口.md", []),
        ("正文/第13章_渡口.md", []),
        ("正文/第00013章 渡口.md", []),
        ("正文/第012章_旧账.md", []),
        ("正文/第012章_别名.md", []),
        ("正文/第003章_导入的.md", []),
        ("正文/第014章_下一章.md", ["previous_unwritten", "outline_first"]),
        ("正文/第014章_原稿_0901.md", []),
        ("正文/第14章.md", ["previous_unwritten", "outline_first"]),
        # Nobody gets past the guard by a name that the ledger does not know.
        ("正文/第014章标题没有分隔.md", ["previous_unwritten", "outline_first"]),
        ("正文/第014章_下一章.txt", ["previous_unwritten", "outline_first"]),
        ("正文/第十四章_下一章.md", ["previous_unwritten", "outline_first"]),
        ("正文/第十三章_渡口.md", []),
        ("正文/14.md", ["previous_unwritten", "outline_first"]),
        ("正文/Chapter 14.md", ["previous_unwritten", "outline_first"]),
        ("正文/14 号码头的笔记.json", []),
        ("正文/2026 年度计划.md", []),
        ("正文/99_废稿.md", []),
        ("正文/18 names.txt", []),
        ("正文/第20章备忘.txt", []),
        ("正文/第020章_备份.txt", []),
        ("正文/第1-14章合订.md", []),
        ("正文/卷一/第014章_下一章.md", []),
        ("正文/.clew-prose.toml", []),
        ("大纲/细纲_第014章_下一章.md", []),
        (".story/work/第013章/tracking.json", []),
        ("设定/别名.toml", []),
        ("追踪/上下文.md", ["ledger_by_hand"]),
        ("追踪/新文件.md", ["ledger_by_hand"]),
        ("追踪/角色状态/江晨.md", ["ledger_by_hand"]),
        ("追踪", ["ledger_by_hand"]),
        ("正文/../追踪/伏笔.md", ["ledger_by_hand"]),
        ("大纲/./../正文/第014章_x.md", ["previous_unwritten", "outline_first"]),
        ("追踪/../设定/x.md", []),
        ("正文/", []),
    ],
)
def test_what_may_be_written_in_a_book(book: Path, path: str, expected: list[str]) -> None:
    assert codes(book, path) == expected


def test_a_body_under_another_name_is_there_all_the_same(book: Path) -> None:
    (book / "正文/第十三章 渡口.md").write_text("x", encoding="utf-8")
    (found,) = [f for f in faults(book, "正文/第014章_下一章.md") if f.code != "outline_first"]
    assert (found.code, found.facts["found"]) == ("previous_uncommitted", 13)
    assert codes(book, "正文/第十三章 渡口.md") == []


def test_the_outline_that_is_wanted_has_the_title_of_the_body(book: Path) -> None:
    found = faults(book, "正文/第十四章 过河.md")[-1]
    assert found.facts["name"] == "大纲/细纲_第014章_过河.md"


def test_an_existing_body_may_be_edited_whatever_the_ledger_says(book: Path) -> None:
    (book / "正文/第020章_提前写的.md").write_text("x", encoding="utf-8")
    assert codes(book, "正文/第020章_提前写的.md") == []
    assert codes(book, "正文/第020章_另一份.md") == ["previous_unwritten", "outline_first"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("正文/第020章_提前写的.md", "正文/第020章_改了名.md", []),
        ("正文/第020章_提前写的.md", "正文/第二十章 改了名.md", []),
        ("正文/第020章_提前写的.md", "草稿/第020章_提前写的.md", []),
        (
            "正文/第020章_提前写的.md",
            "正文/第021章_提前写的.md",
            ["previous_unwritten", "outline_first"],
        ),
        (
            "正文/第020章_没有的.md",
            "正文/第020章_改了名.md",
            ["previous_unwritten", "outline_first"],
        ),
        ("草稿/第020章.md", "正文/第020章.md", ["previous_unwritten", "outline_first"]),
    ],
)
def test_a_body_that_only_gets_another_name_is_not_begun(
    book: Path, old: str, new: str, expected: list[str]
) -> None:
    (book / "正文/第020章_提前写的.md").write_text("x", encoding="utf-8")
    touches = [Touch(str(book / old), removes=True), Touch(str(book / new))]
    assert [fault.code for fault in review(touches, str(book)).faults] == expected


@pytest.mark.parametrize(("there", "written"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_a_body_is_known_under_either_normal_form(book: Path, there: str, written: str) -> None:
    name = "正文/第030章_Café é.md"
    (book / unicodedata.normalize(there, name)).write_text("x", encoding="utf-8")
    assert codes(book, unicodedata.normalize(written, name)) == []
    assert codes(book, unicodedata.normalize(written, "正文/第030章_Thé.md"))


def test_outside_of_a_ledger_nothing_is_said(tmp_path: Path, book: Path) -> None:
    (tmp_path / "正文").mkdir()
    (tmp_path / "追踪").mkdir()
    assert codes(tmp_path, "正文/第009章_x.md") == []
    assert codes(tmp_path, "追踪/上下文.md") == []
    assert standing(str(tmp_path)) is None


def test_links_are_followed_both_ways(tmp_path: Path, book: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "door").symlink_to(book / "正文")
    (tmp_path / "card.md").symlink_to(book / "追踪/上下文.md")
    (tmp_path / "alias").symlink_to(book)
    (book / "设定").mkdir()
    (book / "设定/in.md").symlink_to(book / "追踪/伏笔.md")
    assert codes(tmp_path, "door/第014章_x.md") == ["previous_unwritten", "outline_first"]
    assert codes(tmp_path, "card.md") == ["ledger_by_hand"]
    assert codes(tmp_path, "alias/追踪/上下文.md") == ["ledger_by_hand"]
    assert codes(book, "设定/in.md") == ["ledger_by_hand"]
    # A link above the folder that `..` would leave: only where it really leads counts.
    (tmp_path / "away/in").symlink_to(tmp_path / "away")
    assert codes(tmp_path, f"away/in/../{book.name}/追踪/上下文.md") == ["ledger_by_hand"]


def test_a_ledger_folder_that_is_a_link_is_guarded_too(book: Path) -> None:
    (book / "追踪").rename(book / "库")
    (book / "追踪").symlink_to(book / "库")
    assert codes(book, "追踪/上下文.md") == ["ledger_by_hand"]
    assert codes(book, "正文/第014章_x.md") == ["previous_unwritten", "outline_first"]


def test_one_touch_is_told_once(book: Path) -> None:
    (book.parent / "alias").symlink_to(book)
    touches = [Touch(f"{book.parent}/alias/追踪/a.md"), Touch(f"{book}/追踪/a.md")] * 3
    assert [f.code for f in review(touches, str(book)).faults] == ["ledger_by_hand"]


@pytest.mark.parametrize("name", ["\0", "a\0b", "\ud800", "x" * 5000, "", "a/" * 3000])
def test_a_path_that_no_file_can_have_stops_nothing(book: Path, name: str) -> None:
    assert codes(book, f"正文/{name}") == []


@pytest.mark.parametrize(
    "state", [b"", b"\0" * 64, b"{", b"[]", b'{"last_committed_chapter": "x"}']
)
def test_a_state_that_does_not_tell_stops_no_body_but_guards_itself(
    book: Path, state: bytes
) -> None:
    (book / "追踪/_tracking-state.json").write_bytes(state)
    found = review([Touch(f"{book}/正文/第099章_x.md"), Touch(f"{book}/追踪/a.md")], str(book))
    assert [fault.code for fault in found.faults] == ["ledger_by_hand"]
    assert "clew novel check" in found.faults[0].hint("zh")
    assert len(found.unsure) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes in the file system")
def test_a_pipe_in_the_place_of_the_state_is_not_waited_for(book: Path) -> None:
    (book / "追踪/_tracking-state.json").unlink()
    os.mkfifo(book / "追踪/_tracking-state.json")
    assert codes(book, "正文/第099章_x.md") == []


def test_a_commit_that_is_not_wholly_in_place_counts(book: Path) -> None:
    """The journal holds chapter 12, the state on the disk is still that of chapter 5."""
    slot = book / "追踪/.clew/journal.slot"
    state = book / "追踪/_tracking-state.json"
    old = state.read_bytes().replace(
        b'"last_committed_chapter": 12', b'"last_committed_chapter": 5'
    )
    slot.write_bytes(
        slot.read_bytes().replace(b"settled ", b"armed   ").replace(b"done    ", b"armed   ")
    )
    before = slot.read_bytes()
    state.write_bytes(old)
    assert codes(book, "正文/第013章_渡口.md") == []
    assert standing(str(book / "正文")) == (str(book), 12, True, False, "渡口旧账")
    assert codes(book, "正文/第014章_x.md") == ["previous_unwritten", "outline_first"]
    assert (slot.read_bytes(), state.read_bytes()) == (before, old)  # a look mends nothing


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_denial_names_the_next_command(book: Path, lang: str) -> None:
    (book / "正文/第013章_渡口.md").write_text("x", encoding="utf-8")
    (book / "大纲/细纲_第014章_下一章.md").write_text("x", encoding="utf-8")
    (fault,) = faults(book, "正文/第014章_下一章.md")
    assert fault.code == "previous_uncommitted"
    assert "clew novel draft --chapter 13" in fault.hint(lang)
    work = book / ".story/work/第013章/tracking.json"
    work.parent.mkdir(parents=True)
    work.write_text("{}", encoding="utf-8")
    (fault,) = faults(book, "正文/第014章_下一章.md")
    command = "clew chapter commit --chapter 13 --input .story/work/第013章/tracking.json"
    assert command in fault.hint(lang)
    assert "正文/第014章_下一章.md" in fault.message(lang) and "12" in fault.message(lang)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_is_missing_is_named_as_it_is_to_be_called(book: Path, lang: str) -> None:
    unwritten, outline_first = faults(book, "正文/第014章_下一章.md")
    assert "正文/第013章_渡口.md" in unwritten.hint(lang)
    assert "大纲/细纲_第014章_下一章.md" in outline_first.hint(lang)


def test_a_command_works_from_where_the_agent_stands(book: Path, tmp_path: Path) -> None:
    def hint(cwd: Path) -> str:
        return review([Touch(f"{book}/追踪/a.md")], str(cwd)).faults[0].hint("en")

    assert "`clew novel draft --chapter 13`" in hint(book)
    assert "`clew novel draft --chapter 13`" in hint(book / "正文")
    assert f"`clew novel draft --chapter 13 --project '{book}'`" in hint(tmp_path)


def test_where_a_book_stands(book: Path) -> None:
    assert standing(str(book)) == (str(book), 12, True, False, "渡口旧账")
    (book / "正文/第013章_渡口.md").write_text("x", encoding="utf-8")
    assert standing(str(book / "正文")) == (str(book), 12, True, True, "渡口旧账")


def test_a_review_changes_nothing(book: Path) -> None:
    from clew.testing.novel import tree

    before = tree(book)
    for path in ("正文/第014章_x.md", "追踪/a.md", "正文/第013章_渡口.md"):
        codes(book, path)
    standing(str(book))
    assert tree(book) == before


def test_the_guard_loads_no_types_of_the_ledger() -> None:
    import subprocess
    import sys

    code = "import sys, clew.novel.guard; print('msgspec' in sys.modules, 'pathlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_guard_names_folders_as_the_ledger_does() -> None:
    from clew.novel import book as room
    from clew.novel import ledger

    assert f"{guard.LEDGER}/{guard.STATE}" == ledger.STATE
    assert (guard.BODIES, guard.OUTLINES) == (room.BODIES, room.OUTLINES)
