"""Every odd file is read for what it means, or refused with a reason; and the reason is said."""

from __future__ import annotations

from collections import Counter

import pytest
from cardfiles import book, entry, text, v2
from odd import FILES
from oddfile import Odd

from clew.books import cards

ALL = pytest.mark.parametrize("file", FILES, ids=[file.ident for file in FILES])


@ALL
def test_an_odd_file_gives_its_card_or_its_reason(file: Odd) -> None:
    read = cards.read(file.data, name=file.file)
    codes = {fault.code for _, fault in read.report}
    if file.refused:
        assert not read.ok
        assert [fault.code for fault in read.report.refused] == [file.refused]
        return
    assert read.ok, [fault.message() for fault in read.report.refused]
    found = read.lorebook if file.lore else read.card
    assert found is not None
    assert found.name == file.name
    assert codes >= set(file.says)
    assert file.check is None or file.check(read)


@ALL
def test_every_line_of_a_report_is_whole_in_both_languages(file: Odd) -> None:
    for _, fault in cards.read(file.data, name=file.file).report:
        for lang in ("zh", "en"):
            shown = fault.to_dict(lang)
            for word in (str(shown["message"]), str(shown.get("hint", ""))):
                assert "Both(" not in word
                for fact in (
                    "found",
                    "after",
                    "name",
                    "reason",
                    "expected",
                    "file",
                    "limit",
                    "more",
                ):
                    assert f"<{fact}>" not in word, word
                word.encode("utf-8")


@ALL
def test_what_was_read_is_in_repair(file: Odd) -> None:
    """A second reading of what an export wrote finds nothing more to repair."""
    read = cards.read(file.data, name=file.file)
    if read.card is not None:
        spec = read.spec if read.spec in ("v1", "v2", "v3") else "v3"
        again = cards.read(cards.write(read.card, spec, "json"), name=file.file)
    elif read.lorebook is not None:
        again = cards.read(cards.write_lorebook(read.lorebook))
    else:
        return
    told = [f for f in again.report.repaired if f.code not in ("name_missing", "name_misleads")]
    assert told == []


def test_reading_an_open_file_gives_the_same(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for file in FILES:
        path = tmp_path / "file"
        path.write_bytes(file.data)
        with path.open("rb") as opened:
            read = cards.read(opened, name=file.file)
            other = cards.read(file.data, name=file.file)
            assert (read.card, read.lorebook) == (other.card, other.lorebook), file.ident
            assert read.report.to_dict() == other.report.to_dict(), file.ident


def test_there_are_enough_of_them_and_each_has_its_own_name() -> None:
    assert len(FILES) >= 200
    assert not [ident for ident, times in Counter(f.ident for f in FILES).items() if times > 1]
    shapes = {file.shape for file in FILES}
    assert shapes >= {str(number) for number in range(1, 19)}, shapes


def test_a_report_of_two_thousand_like_slips_is_short() -> None:
    rows = [entry(insertion_order=None, priority="") for _ in range(2000)]
    read = cards.read(text(v2(character_book=book(*rows))))
    lines = read.report.repaired
    assert [fault.path for fault in lines] == [
        "$.data.character_book.entries[*].insertion_order",
        "$.data.character_book.entries[*].priority",
    ]
    assert "2000" in lines[0].message("en")
