"""An English message says what the format's Chinese values mean; machine fields hold them alone."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from clew.kernel.faults import Fault
from clew.novel import model
from clew.novel.meanings import MEANINGS, choice
from clew.novel.rules import judge_chapter
from clew.testing.novel import begin_book, chapter, foreshadow, state_of


def test_every_value_of_the_format_has_a_meaning() -> None:
    kinds = (model.ForeshadowStatus, model.Importance, model.RevealStatus)
    assert set(MEANINGS) == {value for kind in kinds for value in get_args(kind)}


@pytest.mark.parametrize(
    ("field", "allowed", "meaning"),
    [
        ("importance", ["高", "中", "低"], "(高 high, 中 medium, 低 low)"),
        ("status", ["已埋", "已回收", "已过期", "放弃"], "已回收 resolved"),
    ],
)
def test_a_wrong_value_is_answered_with_what_the_right_ones_mean(
    tmp_path: Path, field: str, allowed: list[str], meaning: str
) -> None:
    state = state_of(begin_book(tmp_path / "书"))
    row = foreshadow("F001", 1, **{field: "grave"})
    (fault,) = judge_chapter(chapter(state, foreshadow_changes=[row]), state).faults
    assert meaning in fault.message("en")
    assert "high" not in fault.message("zh")
    assert fault.to_dict("en")["allowed"] == fault.to_dict("zh")["allowed"] == allowed


def test_a_missing_value_is_answered_with_what_it_may_be(tmp_path: Path) -> None:
    state = state_of(begin_book(tmp_path / "书"))
    row = foreshadow("F001", 1)
    del row["importance"]
    (fault,) = judge_chapter(chapter(state, foreshadow_changes=[row]), state).faults
    assert "高 high | 中 medium | 低 low" in fault.hint("en")
    assert "高 | 中 | 低" in fault.hint("zh")


def test_other_faults_stay_as_they_are() -> None:
    for fault in (Fault("wrong_type", "$.x", found=1, expected="string"),
                  Fault("not_allowed", "$.mode", found="x", allowed=["append", "revision"])):  # fmt: skip
        assert choice(fault) is fault
