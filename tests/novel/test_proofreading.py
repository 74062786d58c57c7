"""`chapter check --fix-punctuation`: a difference first, the file only with `--write`."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.kernel.errors import ChangedOutside, ClewError, Refused
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.novel import book, chapters
from clew.novel.ledger import Ledger
from clew.novel.proofreading import Repair, repair
from clew.testing.novel import begin_book, tree

BODY = "正文/第001章_渡口.md"
OLD = "# 第1章 渡口\r\n\r\n他说--走吧。\n门开了。。。\r没有人,只有灯.\r\n"
NEW = "# 第1章 渡口\r\n\r\n他说——走吧。\n门开了……\r没有人，只有灯。\r\n"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = begin_book(tmp_path / "book")
    for path, text in (
        (BODY, OLD),
        ("大纲/细纲_第001章_渡口.md", "# 第1章：渡口\n字数目标：18\n字数口径：visible_chars_v1\n"),
    ):
        place = Path(ledger.root, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    return ledger


def run(ledger: Ledger, write: bool, notes: list[Fault] | None = None) -> Repair:
    notes = [] if notes is None else notes
    return repair(ledger, book.body(ledger, 1), notes, write=write)


def settings(ledger: Ledger, text: str) -> None:
    Path(ledger.root, "正文/.clew-prose.toml").write_text(text, encoding="utf-8")


def on_disk(ledger: Ledger) -> str:
    return Path(ledger.root, BODY).read_bytes().decode()


def test_without_write_the_difference_is_shown_and_nothing_changes(ledger: Ledger) -> None:
    before = tree(ledger.root)
    notes: list[Fault] = []
    found = run(ledger, False, notes)
    assert tree(ledger.root) == before
    assert (found.lines, found.written, found.kept) == (3, False, None)
    assert "-他说--走吧。\n" in found.diff and "+他说——走吧。\n" in found.diff
    (note,) = notes
    assert note.code == "repair_not_written"
    assert "--write" in note.hint("zh") and "--write" in note.hint("en")


def test_with_write_the_body_is_replaced_and_the_old_one_kept(ledger: Ledger) -> None:
    place = Path(ledger.root, BODY)
    place.chmod(0o640)
    before = tree(ledger.root)
    found = run(ledger, True)
    assert (found.lines, found.written) == (3, True)
    assert on_disk(ledger) == NEW
    assert found.kept is not None and found.kept.startswith("追踪/.clew/aside/")
    assert Path(ledger.root, found.kept).read_bytes().decode() == OLD
    assert place.stat().st_mode & 0o777 == 0o640
    after = tree(ledger.root)
    assert {path for path in before if after.get(path) != before[path]} <= {BODY}


def test_a_second_time_there_is_nothing_to_do(ledger: Ledger) -> None:
    run(ledger, True)
    before = tree(ledger.root)
    notes: list[Fault] = []
    assert run(ledger, True, notes) == Repair(lines=0, diff="", written=False)
    assert (notes, tree(ledger.root)) == ([], before)


def test_a_byte_order_mark_stays(ledger: Ledger) -> None:
    Path(ledger.root, BODY).write_bytes(b"\xef\xbb\xbf" + OLD.encode())
    run(ledger, True)
    assert Path(ledger.root, BODY).read_bytes() == b"\xef\xbb\xbf" + NEW.encode()


@pytest.mark.parametrize(
    ("text", "body", "fixed"),
    [
        ("strict = true", "他说——走吧……\n", "他说，走吧。\n"), ("strict = false", "他说——走吧……\n", "他说——走吧……\n"),
        ("curly_quotes = true", '他说:"走吧。"\n', "他说：“走吧。”\n"), ("", '他说:"走吧。"\n', '他说："走吧。"\n'),
        ('literals = ["他说--"]', "他说--走吧...\n", "他说--走吧……\n"),
    ],
)  # fmt: skip
def test_the_book_says_how_far_it_goes(ledger: Ledger, text: str, body: str, fixed: str) -> None:
    settings(ledger, text)
    Path(ledger.root, BODY).write_text(body, encoding="utf-8")
    run(ledger, True)
    assert on_disk(ledger) == fixed


def test_a_body_in_another_encoding_is_refused_and_left_alone(ledger: Ledger) -> None:
    Path(ledger.root, BODY).write_bytes(OLD.encode("gbk"))
    before = tree(ledger.root)
    with pytest.raises(Refused) as refused:
        run(ledger, True)
    assert refused.value.code == "bad_encoding"
    assert tree(ledger.root) == before


def test_an_edit_of_the_last_instant_is_not_written_over(ledger: Ledger) -> None:
    source = book.body(ledger, 1)
    Path(ledger.root, BODY).write_text("另写的一章。\n", encoding="utf-8")
    with pytest.raises(ChangedOutside) as refused:
        repair(ledger, source, [], write=True)
    assert refused.value.code == "edited_meanwhile"
    assert on_disk(ledger) == "另写的一章。\n"


class Full(Files):
    """Real files, on a disk that takes no new body."""

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        if ".clew-" in path and path.endswith(".tmp"):
            raise OSError(28, "No space left on device", path)
        super().create(path, data, mode)


def test_a_full_disk_leaves_the_old_body_whole(ledger: Ledger) -> None:
    full = Ledger(ledger.root, vault=FolderVault(ledger.root, files=Full()))
    with pytest.raises(ClewError):
        run(full, True)
    assert on_disk(ledger) == OLD
    assert sorted(p.name for p in Path(ledger.root, "正文").iterdir()) == ["第001章_渡口.md"]


# ---- within a check ------------------------------------------------------------------------------


def nobody(folder: str, files: tuple[str, ...]) -> bool:
    return False


def test_a_check_with_a_repair_is_about_the_body_as_it_is_then(ledger: Ledger) -> None:
    settings(ledger, "strict = true")
    Path(ledger.root, BODY).write_text(
        "# 第1章\n\n他说--走吧。门开了，屋里没有人，只有灯。\n", encoding="utf-8"
    )
    plain = chapters.check_chapter(ledger, 1, [], trusted=nobody)
    assert plain.status == "blocked" and not plain.punctuation
    shown = chapters.check_chapter(ledger, 1, [], trusted=nobody, punctuation="show")
    assert (shown.status, shown.punctuation_fixed) == ("blocked", False)
    assert isinstance(shown.punctuation, Repair) and shown.punctuation.lines == 1
    done = chapters.check_chapter(ledger, 1, [], trusted=nobody, punctuation="write")
    assert (done.status, done.punctuation_fixed) == ("ready", True)
    assert done.quality.blocking_findings == []
    assert on_disk(ledger).endswith("他说，走吧。门开了，屋里没有人，只有灯。\n")


def test_a_chapter_whose_outline_is_missing_is_not_repaired(ledger: Ledger) -> None:
    Path(ledger.root, "大纲/细纲_第001章_渡口.md").unlink()
    before = tree(ledger.root)
    with pytest.raises(ClewError):
        chapters.check_chapter(ledger, 1, [], trusted=nobody, punctuation="write")
    assert tree(ledger.root) == before


def test_a_repair_of_a_committed_chapter_asks_for_a_revision_before_the_ledger_agrees(
    ledger: Ledger,
) -> None:
    from clew.novel.commit import commit as low
    from clew.testing.novel import chapter, state_of

    run(ledger, True)
    chapters.commit_chapter(ledger, 1, chapter(state_of(ledger)), [], trusted=nobody)
    Path(ledger.root, BODY).write_bytes(OLD.encode())
    run(ledger, True)
    assert low(ledger, chapter(state_of(ledger), 1), []).state_revision == 2
