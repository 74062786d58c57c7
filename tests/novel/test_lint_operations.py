"""`clew novel lint`: what it answers, what it silences, and that it changes nothing else."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from clew.faces.cli.lint import RENDERINGS
from clew.kernel.errors import Corrupt, Missing, Usage
from clew.kernel.operations import Host, find
from clew.novel.check import check, stats
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE, Ledger
from clew.novel.lint.answer import Linted
from clew.novel.lint.rules import RULES
from clew.novel.lint_operations import LintRequest
from clew.novel.linting import lint, silence
from clew.novel.timetravel import entries
from clew.testing.novel import (
    begin_book,
    chapter,
    foreshadow,
    init_document,
    refusal,
    snapshot,
    state_of,
    tree,
)

OVERDUE = "overdue-foreshadow:F001"
TWICE = "title-twice:1:2"


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    """Two chapters of one title, an overdue foreshadow, and a slip in the name of 汪小满."""
    cast = {"汪小满": snapshot(), "Jory Tench": snapshot()}
    ledger = begin_book(tmp_path / "书", init_document(character_snapshots=cast))
    (Path(ledger.root) / "正文").mkdir()
    due = [foreshadow("F001", 1, 2)]
    _tell(ledger, changes=["汪小满"], foreshadow_changes=due, chapter_title="渡口")
    _tell(ledger, changes=["汪小满"], chapter_title="渡口")
    write(ledger, 1, "汪小满站起来。", "“走吧。”汪小满说。")
    write(ledger, 2, "汪小满站起来。", "", "“走吧。”汪小蛮说。")
    return ledger


def write(ledger: Ledger, number: int, *lines: str) -> None:
    path = Path(ledger.root, "正文", f"第{number:03d}章_渡口.md")
    path.write_text("\n".join([f"# 第{number}章 渡口", "", *lines, ""]), encoding="utf-8")


def _tell(ledger: Ledger, **fields: Any) -> None:
    commit(ledger, chapter(state_of(ledger), **fields), [])


def host_for(ledger: Ledger) -> Host:
    return Host(cwd=ledger.root, clock=ledger.clock, lock_timeout=2.0)


def run(ledger: Ledger, host: Host | None = None, **fields: Any) -> Linted:
    operation = find("novel", "lint")
    assert operation is not None
    answer = operation.run(host or host_for(ledger), LintRequest(**fields))
    assert operation.exit_of(answer) == 0
    assert isinstance(answer, Linted)
    return answer


def keys(answer: Linted) -> list[str]:
    return [finding.key for finding in answer.findings]


# ---- reading -------------------------------------------------------------------------------------


def test_findings_come_in_the_order_of_the_rules_with_everything_an_agent_needs(
    book: Ledger,
) -> None:
    answer = msgspec.to_builtins(run(book))
    assert [f["rule"] for f in answer["findings"]] == [
        "name-near-miss", "overdue-foreshadow", "title-twice",
    ]  # fmt: skip
    slip = answer["findings"][0]
    assert slip["key"] == "name-near-miss:汪小蛮:2"
    assert (slip["characters"], slip["chapters"]) == (["汪小满"], [2])
    assert slip["place"] == {
        "path": "正文/第002章_渡口.md", "line": 5, "column": 6, "excerpt": "“走吧。”汪小蛮说。",
    }  # fmt: skip
    assert {*slip["message"], *slip["reason"], *slip["next"]} == {"zh", "en"}
    assert answer["counts"] == {
        "findings": 3, "silenced": 0,
        "by_rule": {"name-near-miss": 1, "overdue-foreshadow": 1, "title-twice": 1},
    }  # fmt: skip
    assert answer["checked"] == {"chapters": 2, "bodies": 2}
    assert (answer["status"], answer["silenced"], answer["marked"]) == ("ok", [], None)
    assert json.loads(msgspec.json.encode(run(book))) == answer


def test_rules_are_chosen_by_name(book: Ledger) -> None:
    assert keys(run(book, rule="title-twice")) == [TWICE]
    assert keys(run(book, rule="title-twice, overdue-foreshadow")) == [OVERDUE, TWICE]


def test_a_chapter_shows_what_concerns_it(book: Ledger) -> None:
    assert keys(run(book, chapter=2)) == ["name-near-miss:汪小蛮:2", OVERDUE, TWICE]
    assert keys(run(book, chapter=1)) == [OVERDUE, TWICE]


def test_a_chapter_reads_no_other_body_that_shares_nothing_with_it(book: Ledger) -> None:
    for number in range(3, 60):
        _tell(book, changes=["汪小满"], chapter_title=f"夜{number}")
        write(book, number, "汪小满站起来。", "“走吧。”汪小满说。")
    answer = lint(book, [], chapter=30, rules=["retired-on-stage", "body-newer"])
    assert answer.checked.bodies == 0
    answer = lint(book, [], chapter=30, rules=["on-stage-not-in-transaction", "name-near-miss"])
    assert answer.checked.bodies == 1


def test_a_chapter_hears_of_a_name_that_keeps_appearing_where_he_acts_in_it(book: Ledger) -> None:
    for number in range(3, 7):
        _tell(book, changes=["汪小满"], chapter_title=f"夜{number}")
        write(book, number, "沈怀安推门进来。", "“走。”沈怀安说。", "汪小满看着沈怀安。")
    whole = lint(book, [], rules=["unregistered-name"]).findings
    assert [finding.key for finding in whole] == ["unregistered-name:沈怀安"]
    for number in range(3, 7):
        (one,) = lint(book, [], chapter=number, rules=["unregistered-name"]).findings
        assert (one.key, one.message) == (whole[0].key, whole[0].message)
    assert not lint(book, [], chapter=1, rules=["unregistered-name"]).findings


@pytest.mark.parametrize("number", [0, 3, 99])
def test_a_chapter_that_is_not_there_is_refused(book: Ledger, number: int) -> None:
    error = refusal(book.root, lambda: run(book, chapter=number))
    assert [(f.code, f.facts["allowed"]) for f in error.faults] == [("no_such_chapter", ["1..2"])]


def test_a_chapter_that_is_written_and_not_committed_is_looked_at(book: Ledger) -> None:
    write(book, 3, "“走吧。”汪小蛮说。")
    assert keys(run(book, chapter=3)) == ["name-near-miss:汪小蛮:3"]


def test_rules_of_the_ledger_read_no_body(book: Ledger) -> None:
    ledger_rules = ",".join(rule.id for rule in RULES if rule.reads == "ledger")
    answer = run(book, rule=ledger_rules)
    assert answer.checked.bodies == 0
    assert keys(answer) == [OVERDUE, TWICE]


def test_a_rule_that_is_not_there_is_refused_with_its_neighbours(book: Ledger) -> None:
    error = refusal(book.root, lambda: run(book, rule="overdue-foreshadows"))
    assert error.code == "unknown_rule"
    assert "overdue-foreshadow" in error.faults[0].facts["allowed"]


def test_looking_changes_nothing(book: Ledger) -> None:
    before = tree(book.root)
    run(book)
    run(book, all=True)
    assert tree(book.root) == before


def test_a_book_without_a_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / "正文").mkdir()
    with pytest.raises(Missing) as caught:
        run(Ledger(tmp_path))
    assert caught.value.code == "ledger_missing"


def test_a_broken_history_is_refused(book: Ledger) -> None:
    path = Path(book.root, HISTORY)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], *lines[2:]]))
    with pytest.raises(Corrupt) as caught:
        run(book)
    assert caught.value.code == "history_broken"


def test_a_ledger_without_history_is_looked_at_as_far_as_it_tells(book: Ledger) -> None:
    Path(book.root, HISTORY).unlink()
    answer = run(book)
    assert keys(answer) == ["name-near-miss:汪小蛮:2", OVERDUE]
    assert answer.checked == type(answer.checked)(0, 2)


def test_a_body_that_cannot_be_read_costs_a_note(book: Ledger, tmp_path: Path) -> None:
    outside = tmp_path / "别处.md"
    outside.write_text("汪小蛮站起来。", encoding="utf-8")
    path = Path(book.root, "正文", "第001章_渡口.md")
    path.unlink()
    path.symlink_to(outside)
    host = host_for(book)
    answer = run(book, host)
    assert [note.code for note in host.notes] == ["unsafe_path"]
    assert "name-near-miss:汪小蛮:2" in keys(answer)
    assert answer.checked.bodies == 1


# ---- aliases -------------------------------------------------------------------------------------


def alias_file(ledger: Ledger, text: str) -> None:
    path = Path(ledger.root, "设定", "别名.toml")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_aliases_count(book: Ledger) -> None:
    alias_file(book, '["别名"]\n"汪小满" = ["汪小蛮"]\n')
    assert keys(run(book)) == [OVERDUE, TWICE]


def test_a_broken_file_of_aliases_costs_a_note(book: Ledger) -> None:
    alias_file(book, "[别名\n")
    host = host_for(book)
    assert len(keys(run(book, host))) == 3
    assert [note.code for note in host.notes] == ["aliases_unreadable"]


def test_aliases_of_nobody_and_of_two_people_are_told(book: Ledger) -> None:
    alias_file(book, '"汪小曼" = ["小满"]\n"汪小满" = ["东家"]\n"Jory Tench" = ["东家"]\n')
    host = host_for(book)
    run(book, host)
    told = [(note.code, note.facts["found"]) for note in host.notes]
    assert told == [("aliases_unknown_name", ["汪小曼"]), ("aliases_shared", "东家")]
    assert host.notes[0].facts["allowed"] == ["汪小满"]


# ---- silencing -----------------------------------------------------------------------------------


def test_a_silenced_finding_is_gone_and_can_be_shown_with_its_reason(book: Ledger) -> None:
    state = Path(book.root, STATE).read_bytes()
    answer = run(book, silence=OVERDUE, reason="  读者已经\n不关心了 ")
    assert answer.marked is not None
    assert (answer.marked.key, answer.marked.reason) == (OVERDUE, "读者已经 不关心了")
    assert (answer.marked.lifted, answer.marked.state_revision) == (False, 2)
    assert keys(answer) == keys(run(book)) == ["name-near-miss:汪小蛮:2", TWICE]
    assert answer.counts.silenced == 1
    shown = run(book, all=True)
    assert [(s.key, s.reason) for s in shown.silenced] == [(OVERDUE, "读者已经 不关心了")]
    assert shown.silenced[0].finding is not None
    assert shown.silenced[0].finding.ids == ["F001"]
    assert Path(book.root, STATE).read_bytes() == state
    check(book, [])
    last = entries(book).entries[-1]
    assert (last.kind, last.finding, last.reason) == ("silence", OVERDUE, "读者已经 不关心了")


def test_silencing_again_writes_only_another_reason(book: Ledger) -> None:
    run(book, silence=OVERDUE, reason="甲")
    before = tree(book.root)
    assert run(book, silence=OVERDUE, reason="甲").marked is not None
    assert tree(book.root) == before
    run(book, silence=OVERDUE, reason="乙")
    assert [s.reason for s in run(book, all=True).silenced] == ["乙"]


def test_a_silence_is_taken_back(book: Ledger) -> None:
    run(book, silence=OVERDUE, reason="甲")
    answer = run(book, unsilence=OVERDUE)
    assert answer.marked is not None
    assert (answer.marked.lifted, answer.marked.reason) == (True, "甲")
    assert OVERDUE in keys(answer)
    assert run(book, all=True).silenced == []
    check(book, [])


def test_a_silence_outlives_its_finding_and_can_still_be_taken_back(book: Ledger) -> None:
    run(book, silence=OVERDUE, reason="甲")
    _tell(book, foreshadow_changes=[foreshadow("F001", 1, 2, status="已回收")])
    (left,) = run(book, all=True).silenced
    assert (left.key, left.finding) == (OVERDUE, None)
    refused = refusal(book.root, lambda: run(book, silence=OVERDUE, reason="乙"))
    assert refused.code == "no_such_finding"
    run(book, unsilence=OVERDUE)
    assert run(book, all=True).silenced == []


def test_the_same_slip_in_another_chapter_is_heard(book: Ledger) -> None:
    run(book, silence="name-near-miss:汪小蛮:2", reason="他自己改的名")
    write(book, 1, "汪小满站起来。", "“走吧。”汪小蛮说。")
    assert "name-near-miss:汪小蛮:1" in keys(run(book))


@pytest.mark.parametrize("reason", [None, "", " \n\t "])
def test_a_silence_needs_a_reason(book: Ledger, reason: str | None) -> None:
    error = refusal(book.root, lambda: run(book, silence=OVERDUE, reason=reason))
    assert error.code == "silence_without_reason"


@pytest.mark.parametrize(
    ("reason", "code"), [("理" * 129, "text_too_long"), ("\ud800", "bad_text")]
)
def test_a_reason_is_text_of_a_line(book: Ledger, reason: str, code: str) -> None:
    error = refusal(book.root, lambda: run(book, silence=OVERDUE, reason=reason))
    assert error.code == code


def test_a_key_with_a_slip_is_refused_with_the_nearest(book: Ledger) -> None:
    wrong = "overdue-foreshadow:F002"
    error = refusal(book.root, lambda: run(book, silence=wrong, reason="甲"))
    assert error.code == "no_such_finding"
    assert error.faults[0].facts["allowed"][0] == OVERDUE
    error = refusal(book.root, lambda: run(book, unsilence=OVERDUE))
    assert error.code == "not_silenced"


@pytest.mark.parametrize(
    "fields",
    [
        {"silence": OVERDUE, "unsilence": OVERDUE, "reason": "甲"},
        {"silence": OVERDUE, "reason": "甲", "chapter": 1},
        {"unsilence": OVERDUE, "rule": "title-twice"},
        {"reason": "甲"},
        {"unsilence": OVERDUE, "reason": "甲"},
    ],
)
def test_options_that_do_not_go_together_are_refused(book: Ledger, fields: dict[str, Any]) -> None:
    with pytest.raises(Usage):
        run(book, **fields)


def test_silencing_on_a_ledger_of_another_tool_adopts_it(book: Ledger) -> None:
    Path(book.root, HISTORY).unlink()
    host = host_for(book)
    run(book, host, silence=OVERDUE, reason="甲")
    assert [entry.kind for entry in entries(book).entries] == ["adopt", "silence"]
    assert run(book).counts.silenced == 1


# ---- on a terminal -------------------------------------------------------------------------------


def shown(answer: Linted, lang: str) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(RENDERINGS["novel.lint"](answer, lang))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_terminal_shows_findings_by_rule_with_place_and_the_way_to_silence(book: Ledger) -> None:
    zh, en = shown(run(book), "zh"), shown(run(book), "en")
    assert "名字差一个字  name-near-miss  1" in zh
    assert "a name one slip away from another  name-near-miss  1" in en
    for text in (zh, en):
        assert "正文/第002章_渡口.md:5:6" in text
        assert 'clew novel lint --silence name-near-miss:汪小蛮:2 --reason "…"' in text
    assert "3 处发现" in zh
    assert "3 findings, 0 more silenced" in en


def test_a_terminal_shows_what_is_silenced_and_what_was_done(book: Ledger) -> None:
    text = shown(run(book, silence=OVERDUE, reason="读者不关心"), "zh")
    assert f"已沉默：{OVERDUE}" in text
    text = shown(run(book, all=True), "en")
    after = text.split(f"  {OVERDUE}\n")[1]
    assert after.lstrip().startswith("foreshadow F001 ")
    assert "why: 读者不关心" in after
    assert "heard again" in shown(run(book, unsilence=OVERDUE), "en")


def test_texts_of_a_book_are_no_markup(book: Ledger) -> None:
    _tell(book, foreshadow_changes=[foreshadow("F002", 3, 3, summary="[bold]旧账[/]")])
    assert "「[bold]旧账[/]」" in shown(run(book), "zh")


def test_a_key_with_spaces_is_quoted_for_the_shell(book: Ledger) -> None:
    _tell(book, changes=["Jory Tench"])
    write(book, 3, "汪小满站起来。")
    assert "--silence 'in-transaction-not-on-stage:Jory Tench:3'" in shown(run(book), "en")


def test_a_foreshadow_that_is_planned_anew_and_late_again_is_told_again(book: Ledger) -> None:
    silence(book, [], OVERDUE, "有意不收")
    assert OVERDUE not in [finding.key for finding in lint(book, []).findings]
    assert stats(book, []).overdue_silenced == ["F001"]
    _tell(book, foreshadow_changes=[foreshadow("F001", 1, 2, summary="换个说法")])
    assert OVERDUE not in [finding.key for finding in lint(book, []).findings]
    _tell(book, foreshadow_changes=[foreshadow("F001", 1, 5)])
    _tell(book)
    assert OVERDUE in [finding.key for finding in lint(book, []).findings]
    assert stats(book, []).overdue_silenced == []
    silence(book, [], OVERDUE, "还是不收")
    assert OVERDUE not in [finding.key for finding in lint(book, []).findings]
    check(book, [])
