"""An edition on disk: where it goes, what it never replaces, and the clipboard."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import EXAMPLES, MOMENT, Shelf, members

from clew.kernel.errors import ClewError, Missing, Refused, StorageFailed, Usage
from clew.kernel.faults import Fault
from clew.kernel.folder import FolderVault
from clew.kernel.text import NAME_BYTES, byte_length, name_fault
from clew.novel.export.edition import Exported, How, make
from clew.novel.export.gather import Wish
from clew.novel.export.target import MEMORY, file_name
from clew.novel.ledger import Ledger
from clew.testing.faulty import FaultyFiles
from clew.testing.novel import begin_book, refusal, tree

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "book" / "渡口旧账")
    for number in range(1, 4):
        shelf.body(number, f"# 第{number}章 渡口\n\n他走了{number}里。\n")
    return shelf


def edition(
    shelf: Shelf, to: Any = "txt", notes: list[Fault] | None = None, wish: Wish | None = None, **how: Any
) -> Exported:  # fmt: skip
    ledger = Ledger(shelf.root, clock=lambda: MOMENT)
    return make(ledger, wish or Wish(), How(to=to, **how), [] if notes is None else notes)


def names(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


# ---- where it goes -------------------------------------------------------------------------------


@pytest.mark.parametrize(("to", "name"), [
    ("epub", "渡口旧账.epub"), ("docx", "渡口旧账.docx"), ("markdown", "渡口旧账.md"), ("txt", "渡口旧账.txt"),
])  # fmt: skip
def test_an_edition_goes_into_a_folder_of_the_book(shelf: Shelf, to: str, name: str) -> None:
    before = tree(shelf.root)
    done = edition(shelf, to)
    data = (shelf.root / "导出" / name).read_bytes()
    assert (done.file, done.written, done.size, done.format) == (
        f"导出/{name}",
        True,
        len(data),
        to,
    )
    assert (done.chapters, done.visible_chars, done.book_title) == (3, 18, "渡口旧账")
    after = tree(shelf.root)
    assert {path: data for path, data in after.items() if path in before} == before
    assert sorted(after.keys() - before.keys()) == [".story/", MEMORY, "导出/", f"导出/{name}"]


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        (Wish(2, 2), "渡口旧账_第002章.txt"), (Wish(1, 3), "渡口旧账_第001-003章.txt"),
        (Wish(2), "渡口旧账_第002-章.txt"), (Wish(None, 2), "渡口旧账_第001-002章.txt"),
        (Wish(1, 99), "渡口旧账_第001-003章.txt"), (Wish(3, 99), "渡口旧账_第003章.txt"),
        (Wish(2, 2, language="en"), "渡口旧账 - Chapter 002.txt"),
        (Wish(2, 3, language="en"), "渡口旧账 - Chapters 002-003.txt"),
        (Wish(title="上:下?"), "上：下？.txt"),
    ],
)  # fmt: skip
def test_the_name_says_title_and_range(shelf: Shelf, wish: Wish, name: str) -> None:
    assert edition(shelf, wish=wish).file == f"导出/{name}"


def test_the_author_is_remembered_for_the_next_export(shelf: Shelf) -> None:
    assert edition(shelf).author == ""
    assert edition(shelf, wish=Wish(author="林渡")).author == "林渡"
    assert edition(shelf, "markdown").author == "林渡"
    assert "林渡" in (shelf.root / "导出/渡口旧账.md").read_text(encoding="utf-8")
    assert edition(shelf, wish=Wish(author="林渡二")).author == "林渡二"
    assert edition(shelf, out="-").author == "林渡二"


@pytest.mark.parametrize(
    "kept", ['{"author": "\\u0000 "}', '{"author": 3}', '{"author": "\\ud800"}']
)
def test_an_author_that_cannot_be_read_is_none(shelf: Shelf, kept: str) -> None:
    (shelf.root / MEMORY).parent.mkdir(parents=True)
    (shelf.root / MEMORY).write_text(kept, encoding="utf-8")
    assert edition(shelf).author == ""


@given(st.text(max_size=90))
def test_any_title_gives_a_name_that_every_system_allows(title: str) -> None:
    name = file_name(title, "epub")
    assert name_fault(name) is None
    assert name.endswith(".epub")
    assert byte_length(name) <= NAME_BYTES + 2


@given(st.text(max_size=200), st.sampled_from(["", "_第1001-1002章", " - Chapters 001-1002"]))
def test_a_long_title_never_costs_the_range_its_place(title: str, part: str) -> None:
    name = file_name(title * 3, "epub", part)
    assert name_fault(name) is None
    assert name.endswith(f"{part}.epub")
    assert byte_length(name) <= NAME_BYTES + 2


def test_two_ranges_of_a_book_with_a_long_title_are_two_files(shelf: Shelf) -> None:
    title = "渡口旧账与十七号灯船" * 6
    first = edition(shelf, wish=Wish(1, 2, title=title)).file
    second = edition(shelf, wish=Wish(3, 3, title=title)).file
    assert first and first.endswith("_第001-002章.txt")
    assert second and second.endswith("_第003章.txt")
    assert len(names(shelf.root / "导出")) == 2


def test_an_edition_may_go_anywhere_outside(shelf: Shelf, tmp_path: Path) -> None:
    out = tmp_path / "桌面"
    out.mkdir()
    assert edition(shelf, out=str(out / "书.txt")).file == str(out / "书.txt")
    assert edition(shelf, out=str(out)).file == str(out / "渡口旧账.txt")
    assert edition(shelf, out=str(shelf.root / "成品" / "书.txt")).file == "成品/书.txt"
    assert names(out) == ["书.txt", "渡口旧账.txt"]
    assert not (shelf.root / "导出").exists()


@pytest.mark.parametrize(
    "out", ["正文/第009章_书.md", "追踪/书.txt", "大纲/书.txt", "x/../正文/书.txt"]
)
def test_nothing_is_written_where_the_book_itself_lies(shelf: Shelf, out: str) -> None:
    error = refusal(shelf.root, lambda: edition(shelf, out=str(shelf.root / out), force=True))
    assert [f.code for f in error.faults] == ["unsafe_path"]


def test_a_link_into_the_book_is_followed_and_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shelf.root / "正文")
    error = refusal(
        tmp_path, lambda: edition(shelf, out=str(tmp_path / "link" / "书.txt"), force=True)
    )
    assert error.code == "unsafe_path"


@pytest.mark.parametrize(
    ("link", "target", "out"),
    [
        ("追踪", "t", "t/书.txt"),
        ("追踪", "t", "追踪/书.txt"),
        ("大纲", "深/处", "深/处/卷一/书.txt"),
        ("正文", "../外", "../外/书.txt"),
        ("导出", "正文", None),
        ("导出", "追踪", None),
        ("成品", "大纲", "成品/书.txt"),
        ("导出/渡口旧账.txt", "../正文/第001章.md", None),
    ],
)
def test_no_link_inside_the_book_leads_into_what_is_kept(
    shelf: Shelf, link: str, target: str, out: str | None
) -> None:
    for folder in ("追踪", "大纲", "正文"):
        (shelf.root / folder).mkdir(exist_ok=True)
    place = shelf.root / link
    real = place.parent / target
    if link in ("追踪", "大纲", "正文"):
        real.parent.mkdir(parents=True, exist_ok=True)
        place.rename(real)
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(target)
    given = None if out is None else str(shelf.root / out)
    error = refusal(shelf.root.parent, lambda: edition(shelf, out=given, force=True))
    assert error.code == "unsafe_path"


def test_a_folder_that_is_named_as_one_is_one(shelf: Shelf) -> None:
    done = edition(shelf, out=f"{shelf.root}/exports/")
    assert done.file == "exports/渡口旧账.txt"
    assert names(shelf.root / "exports") == ["渡口旧账.txt"]
    gone = refusal(shelf.root.parent, lambda: edition(shelf, out=f"{shelf.root.parent}/nowhere/"))
    assert gone.code == "missing_file"


@pytest.mark.skipif(os.name == "nt", reason="names that are no text")
def test_a_name_that_is_no_text_is_written_and_remembered(shelf: Shelf) -> None:
    out = os.fsdecode(os.fsencode(str(shelf.root)) + b"/\xff.txt")
    assert edition(shelf, out=out).written
    shelf.body(4, "又一章。")
    assert edition(shelf, out=out).written
    assert Path(out).exists()


@pytest.mark.parametrize("size", [200, 239, 250, 255])
def test_any_name_that_a_file_can_have_is_written(shelf: Shelf, size: int) -> None:
    name = "x" * (size - 4) + ".txt"
    assert edition(shelf, out=str(shelf.root / name)).file == name
    assert [path.name for path in shelf.root.glob("x*")] == [name]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="devices in the file system")
def test_the_device_of_standard_output_is_refused_with_the_way_to_it(shelf: Shelf) -> None:
    for device in ("/dev/stdout", "/dev/null", "/dev/fd/1"):
        with pytest.raises(Refused) as refused:
            edition(shelf, out=device, force=True)
        (fault,) = refused.value.faults
        assert (fault.code, "--out -" in fault.message("zh")) == ("unsafe_path", True)


def test_an_export_folder_that_leads_outside_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    (shelf.root / "导出").symlink_to(tmp_path)
    assert refusal(tmp_path, lambda: edition(shelf)).code == "unsafe_path"


def test_a_folder_that_is_not_there_and_a_device_are_refused(shelf: Shelf, tmp_path: Path) -> None:
    gone = refusal(tmp_path, lambda: edition(shelf, out=str(tmp_path / "没有" / "书.txt")))
    assert (type(gone), gone.code) == (Missing, "missing_file")
    (tmp_path / "null").symlink_to("/dev/null")
    error = refusal(tmp_path, lambda: edition(shelf, out=str(tmp_path / "null"), force=True))
    assert error.code == "unsafe_path"


# ---- what is there already -----------------------------------------------------------------------


def test_what_clew_wrote_itself_is_replaced(shelf: Shelf) -> None:
    assert edition(shelf).written
    again = edition(shelf)
    assert (again.written, again.file) == (False, "导出/渡口旧账.txt")
    shelf.body(4, "又一章。")
    assert edition(shelf).written
    assert "又一章" in (shelf.root / "导出/渡口旧账.txt").read_text(encoding="utf-8")


def test_a_file_of_somebody_else_is_not_replaced(shelf: Shelf) -> None:
    path = shelf.root / "导出" / "渡口旧账.txt"
    path.parent.mkdir()
    path.write_text("别人的", encoding="utf-8")
    error = refusal(shelf.root, lambda: edition(shelf))
    assert (type(error), [f.code for f in error.faults]) == (Refused, ["export_exists"])
    assert edition(shelf, force=True).written
    assert not edition(shelf).written


def test_an_edition_that_was_edited_is_not_replaced(shelf: Shelf) -> None:
    edition(shelf)
    path = shelf.root / "导出" / "渡口旧账.txt"
    path.write_text(path.read_text(encoding="utf-8") + "改过", encoding="utf-8")
    shelf.body(4, "又一章。")
    assert refusal(shelf.root, lambda: edition(shelf)).code == "export_exists"


@pytest.mark.parametrize(
    "memory", [b"", b"{", b"[]", b'{"files": 3}', b"\xff", b'{"files": {"x": 1}}']
)
def test_a_memory_that_cannot_be_read_knows_nothing(shelf: Shelf, memory: bytes) -> None:
    edition(shelf)
    (shelf.root / MEMORY).write_bytes(memory)
    shelf.body(4, "又一章。")
    assert refusal(shelf.root, lambda: edition(shelf)).code == "export_exists"
    edition(shelf, force=True)
    assert list(json.loads((shelf.root / MEMORY).read_bytes())["files"]) == ["导出/渡口旧账.txt"]


def test_whatever_call_fails_an_edition_is_there_whole_or_as_it_was(shelf: Shelf) -> None:
    edition(shelf)
    path = shelf.root / "导出" / "渡口旧账.txt"
    outcomes = []
    for number in range(4, 30):
        shelf.body(number, "又一章。")
        before = path.read_bytes()
        files = FaultyFiles(number - 3)
        ledger = Ledger(
            shelf.root, vault=FolderVault(shelf.root, files=files), clock=lambda: MOMENT
        )
        notes: list[Fault] = []
        try:
            make(ledger, Wish(), How(to="txt", force=True), notes)
        except StorageFailed:
            outcomes.append("refused")
            assert path.read_bytes() == before
        else:
            outcomes.append("noted" if notes else "written")
            assert path.read_text(encoding="utf-8").count("又一章。") == number - 3
        assert not [name for name in names(shelf.root) if name.endswith(".tmp")]
        if not files.failure.hits:
            break
    assert outcomes[-1] == "written"
    assert {"refused", "noted"} <= set(outcomes)


def test_a_book_that_cannot_be_written_is_exported_elsewhere(shelf: Shelf, tmp_path: Path) -> None:
    (shelf.root / ".story").write_text("不是文件夹", encoding="utf-8")
    notes: list[Fault] = []
    assert edition(shelf, notes=notes, out=str(tmp_path / "书.txt")).written
    assert [note.code for note in notes] == ["export_not_remembered"]


# ---- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("to", "how", "count"),
    [
        ("epub", {"out": "-"}, 1), ("docx", {"clipboard": True}, 1), ("txt", {"cover": "x.png"}, 1),
        ("epub", {"blank_lines": True}, 1), ("markdown", {"headings": False}, 1),
        ("txt", {"page_breaks": True}, 1),
        ("docx", {"clipboard": True, "cover": "x", "headings": False}, 3),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused_at_once(
    shelf: Shelf, to: str, how: dict[str, Any], count: int
) -> None:
    error = refusal(shelf.root, lambda: edition(shelf, to, **how))
    assert (type(error), [f.code for f in error.faults]) == (Usage, ["usage"] * count)


def test_the_text_itself_can_be_the_answer(shelf: Shelf) -> None:
    before = tree(shelf.root)
    done = edition(shelf, out="-", wish=Wish(2, 2))
    assert done.text == done.raw() == "第2章 渡口\n\n　　他走了2里。\n"
    assert (done.file, done.written) == (None, False)
    assert tree(shelf.root) == before
    assert edition(shelf).raw() is None


def test_a_cover_is_put_into_the_epub(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "c.jpeg").write_bytes(PNG)  # told by its bytes, whatever its name says
    done = edition(shelf, "epub", cover=str(tmp_path / "c.jpeg"))
    assert members((shelf.root / str(done.file)).read_bytes())["EPUB/cover.png"] == PNG


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"GIF89a", "cover_unusable"), (b"", "cover_unusable"), (None, "missing_file")],
)
def test_a_cover_that_is_none_is_refused(
    shelf: Shelf, tmp_path: Path, data: bytes | None, code: str
) -> None:
    if data is not None:
        (tmp_path / "c.png").write_bytes(data)
    error = refusal(shelf.root, lambda: edition(shelf, "epub", cover=str(tmp_path / "c.png")))
    assert error.code == code


def test_a_folder_is_no_cover(shelf: Shelf, tmp_path: Path) -> None:
    assert isinstance(
        refusal(shelf.root, lambda: edition(shelf, "epub", cover=str(tmp_path))), ClewError
    )


def test_the_moment_of_an_edition_is_the_clocks(shelf: Shelf) -> None:
    for to in ("epub", "docx"):
        first = (shelf.root / str(edition(shelf, to).file)).read_bytes()
        other = shelf.root / "again"
        edition(shelf, to, out=str(other), force=True)
        assert other.read_bytes() == first


@pytest.mark.parametrize("to", ["epub", "docx", "markdown", "txt"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_example_books_are_exported(tmp_path: Path, lang: str, to: str) -> None:
    shelf = Shelf(tmp_path / EXAMPLES[lang].name)
    for path in (EXAMPLES[lang] / "正文").glob("*.md"):
        (shelf.root / "正文" / path.name).write_bytes(path.read_bytes())
    for path in (EXAMPLES[lang] / "大纲").glob("*.md"):
        (shelf.root / "大纲" / path.name).write_bytes(path.read_bytes())
    begin_book(shelf.root)
    notes: list[Fault] = []
    done = edition(shelf, to, notes)
    assert (done.language, done.chapters) == (lang, {"zh": 13, "en": 5}[lang])
    assert (shelf.root / str(done.file)).stat().st_size == done.size > 10_000
    assert notes == []


# ---- the clipboard -------------------------------------------------------------------------------


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole search path: programs put there are the system's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def tool(folder: Path, name: str, code: int = 0, stays: float = 0) -> Path:
    """A program that keeps what it is given, and may leave a child behind, as xclip does."""
    kept = folder / f"{name}.got"
    path = folder / name
    path.write_text(
        f"#!{sys.executable}\nimport os, sys, time\ndata = sys.stdin.buffer.read()\n"
        f"open({str(kept)!r}, 'wb').write(b' '.join(a.encode() for a in sys.argv[1:]) + b'|' + data)\n"
        f"if {stays} and os.fork() == 0:\n    time.sleep({stays})\n"
        f"sys.exit({code})\n"
    )
    path.chmod(0o755)
    return kept


CHAPTER = "第2章 渡口\n\n　　他走了2里。\n"


@pytest.mark.skipif(os.name == "nt", reason="tools are scripts of POSIX here")
class TestClipboard:
    """Which tool takes the text, and how."""

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("wl-copy", ""),
            ("xclip", "-selection clipboard"),
            ("xsel", "--clipboard --input"),
            ("pbcopy", ""),
        ],
    )
    def test_the_text_goes_to_the_first_tool_that_is_there(
        self, shelf: Shelf, tools: Path, name: str, arguments: str
    ) -> None:
        kept = tool(tools, name)
        before = tree(shelf.root)
        done = edition(shelf, clipboard=True, wish=Wish(2, 2))
        assert (done.clipboard, done.file) == (name, None)
        assert kept.read_bytes() == f"{arguments}|{CHAPTER}".encode()
        assert tree(shelf.root) == before

    def test_windows_gets_utf_16_with_a_mark(self, shelf: Shelf, tools: Path) -> None:
        kept = tool(tools, "clip.exe")
        edition(shelf, clipboard=True, wish=Wish(2, 2))
        assert kept.read_bytes()[1:].decode("utf-16") == CHAPTER
        assert kept.read_bytes()[1:3] == b"\xff\xfe"

    def test_a_tool_that_fails_gives_way_to_the_next(self, shelf: Shelf, tools: Path) -> None:
        tool(tools, "wl-copy", code=1)
        kept = tool(tools, "xsel")
        assert edition(shelf, clipboard=True).clipboard == "xsel"
        assert kept.exists()

    def test_a_tool_that_stays_behind_is_not_waited_for(self, shelf: Shelf, tools: Path) -> None:
        tool(tools, "xclip", stays=30)
        assert edition(shelf, clipboard=True).clipboard == "xclip"

    def test_without_a_tool_that_works_the_refusal_names_those_that_may(
        self, shelf: Shelf, tools: Path
    ) -> None:
        tool(tools, "wl-copy", code=1)
        error = refusal(shelf.root, lambda: edition(shelf, clipboard=True))
        assert (type(error), error.code, error.exit_code) == (Missing, "no_clipboard", 3)
        assert error.faults[0].facts["allowed"] == [
            "wl-copy",
            "xclip",
            "xsel",
            "pbcopy",
            "clip.exe",
        ]

    def test_file_and_clipboard_go_together(
        self, shelf: Shelf, tools: Path, tmp_path: Path
    ) -> None:
        tool(tools, "pbcopy")
        done = edition(shelf, "markdown", clipboard=True, out=str(tmp_path / "书.md"))
        assert (done.clipboard, done.written) == ("pbcopy", True)
        assert (tmp_path / "书.md").read_text(encoding="utf-8") in (tools / "pbcopy.got").read_text(
            "utf-8"
        )
