"""What is typed for a layer: each word is used or refused, with what is allowed and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest
import somebody
from somebody import clew

from clew.persona.home import Home

CHANGE = ("--cause", "收到了回信", "--source", "person")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return somebody.begin(tmp_path / "林昭")


def truth(home: Home) -> dict[str, bytes]:
    root = Path(home.root)
    return {
        p.name: p.read_bytes() for p in root.rglob("*") if p.is_file() and ".clew" not in p.parts
    }


@pytest.mark.parametrize("line", [
    ("intent", "list", "把故事讲完"), ("intent", "add", "x", "--outcome", "y"),
    ("intent", "done", "I1", "--due", "2026-04-01"), ("thought", "list", "x"),
    ("thought", "add", "x", "--all"), ("hang", "list", "x"), ("hang", "done", "H1", "--window", "w"),
    ("diary", "write", "x", "--days", "3"), ("diary", "show", "--window", "w"),
    ("diary", "show", "2026-03-01", "--days", "3"), ("diary", "write", "x", "--file", "y"),
    ("mood", "show", "0.5"), ("mood", "show", "--cause", "x"), ("voice", "list", "x"),
    ("voice", "list", "--source", "x"), ("refusal", "today", "R1"), ("refusal", "list", "--text", "x"),
    ("refusal", "curve", "R1", "--held", "bent"), ("opening", "--bytes", "900", "--tokens", "900"),
])  # fmt: skip
def test_what_an_action_has_no_use_for_is_refused(home: Home, line: tuple[str, ...]) -> None:
    before = truth(home)
    code, answer, _ = clew("persona", *line, "--home", home.root, "--lang", "en")
    assert (code, answer["error_code"]) == (2, "usage")
    assert truth(home) == before


@pytest.mark.parametrize("line", [
    ("intent", "add", "x", "--due", "2026-04-01", "--source", "self"), ("intent", "list", "--all"),
    ("thought", "add", "x"), ("hang", "add", "x", "--window", "w"), ("diary", "write", "x"),
    ("diary", "show", "--days", "3"), ("diary", "show", "2026-03-01"), ("mood",),
    ("mood", "show", "--hours", "5"), ("mood", "set", "0.4", *CHANGE, "--hours", "5"),
    ("voice", "add", "x", "--source", "y"), ("refusal", "list", "R1"), ("refusal", "curve", "R1"),
    ("refusal", "answer", "R1", "--text", "不", "--held", "held", "--note", "x"),
])  # fmt: skip
def test_what_an_action_uses_is_taken(home: Home, line: tuple[str, ...]) -> None:
    assert clew("persona", *line, "--home", home.root)[0] == 0


@pytest.mark.parametrize(("lang", "wanted"), [("zh", "0 到 1 的数"), ("en", "a number 0..1")])
@pytest.mark.parametrize("value", ["high", "高", "1.5", "0.5x", "1e9"])
def test_a_word_for_a_mood_is_refused_and_a_number_is_asked_for(
    home: Home, value: str, lang: str, wanted: str
) -> None:
    line = ("mood", "set", value, *CHANGE, "--home", home.root, "--lang", lang)
    code, answer, _ = clew("persona", *line)
    (fault,) = answer["faults"]
    assert (code, fault["code"]) == (2, "mood_value")
    assert wanted in fault["message"] and "mood set 0.7" in fault["hint"]


@pytest.mark.parametrize("days", ["0", "00"])
def test_no_days_is_no_number_of_days(home: Home, days: str) -> None:
    code, answer, _ = clew("persona", "diary", "show", "--days", days, "--home", home.root)
    assert (code, answer["error_code"]) == (2, "out_of_range")


@pytest.mark.parametrize(("line", "code"), [
    (("intent", "done", "I9"), "no_such_entry"), (("hang", "done", "H9"), "no_such_entry"),
    (("refusal", "list", "R9"), "no_such_entry"), (("intent", "add"), "entry_text"),
    (("mood", "set", *CHANGE), "entry_text"), (("diary", "write", "--file", "nowhere"), "missing_file"),
    (("diary", "write", "--file", "."), "missing_file"),
])  # fmt: skip
def test_what_is_not_there_is_told_with_a_next_step(
    home: Home, line: tuple[str, ...], code: str
) -> None:
    exit_code, answer, _ = clew("persona", *line, "--home", home.root, "--lang", "en")
    (fault,) = answer["faults"]
    assert (exit_code >= 2, fault["code"]) == (True, code) and fault["hint"]
    assert "(there are: )" not in fault["message"]


# ---- a diary with a page that cannot be read ---------------------------------------------------------


@pytest.mark.parametrize("damage", ["bytes", "folder", "long"])
def test_one_day_that_cannot_be_read_hides_no_other(home: Home, damage: str) -> None:
    clew("persona", "diary", "write", "雨停了", "--home", home.root)
    bad = Path(home.root) / "diary/2026-02-28.md"
    if damage == "folder":
        bad.mkdir()
    else:
        bad.write_bytes(b"\xff\xfe" if damage == "bytes" else b"a" * 10_000_000)
    code, answer, _ = clew("persona", "diary", "show", "--days", "7", "--home", home.root)
    assert (code, len(answer["days"])) == (0, 1) and "雨停了" in answer["days"][0]["text"]
    assert [note["file"] for note in answer["notes"]] == ["diary/2026-02-28.md"]
    code, card, _ = clew("persona", "opening", "--home", home.root)
    assert code == 0 and "雨停了" in card["text"]
    assert [fault["file"] for fault in card["faults"]] == ["diary/2026-02-28.md"]
    assert clew("persona", "status", "--home", home.root)[0] == 0
    assert clew("persona", "search", "雨停", "--home", home.root)[1]["hits"]
    code, told, _ = clew("persona", "diary", "show", "2026-02-28", "--home", home.root)
    assert code == 2 and told["faults"][0]["file"] == "diary/2026-02-28.md"


def test_a_page_that_cannot_be_read_does_not_use_up_a_day(home: Home) -> None:
    pages = Path(home.root) / "diary"
    pages.mkdir(exist_ok=True)
    for day in (25, 26, 27):
        (pages / f"2026-02-{day}.md").write_text(f"二月{day}日\n", encoding="utf-8")
    (pages / "2026-02-28.md").write_bytes(b"\xff")
    _, answer, _ = clew("persona", "diary", "show", "--days", "2", "--home", home.root)
    assert [day["date"] for day in answer["days"]] == ["2026-02-26", "2026-02-27"]
