"""What a check tells a writer to do: in every status of the seed, in both languages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.novel import chapters
from clew.novel.ledger import Ledger
from clew.novel.prose.model import Message
from clew.testing.novel import begin_book, chapter, state_of

BODY = "正文/第001章_渡口.md"
OUTLINE = "大纲/细纲_第001章_渡口.md"
PLAN = "沈砚在账房里找到被水泡过的旧账本，最后三页不见了。"


def trusted(folder: str, files: tuple[str, ...]) -> bool:
    return True


def write(ledger: Ledger, path: str, text: str | bytes) -> None:
    place = Path(ledger.root, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode() if isinstance(text, str) else text)


def outline(*extra: str, target: str = "100") -> str:
    return "\n".join(
        ["# 第1章：渡口", f"字数目标：{target}", "字数口径：visible_chars_v1", *extra, ""]
    )


def body(count: int, end: str = "。") -> str:
    return f"# 第1章 渡口\n\n{'渡' * (count - 1)}{end}\n"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = begin_book(tmp_path / "book")
    write(ledger, BODY, body(100))
    write(ledger, OUTLINE, outline())
    return ledger


def check(ledger: Ledger, **how: Any) -> chapters.ChapterCheck:
    return chapters.check_chapter(ledger, 1, [], trusted=trusted, **how)


def advice(found: chapters.ChapterCheck) -> list[Message]:
    """The advice of an answer, each line complete in both languages."""
    lines = found.advice or []
    for line in lines:
        assert line.zh and line.en and "<" not in line.zh + line.en
    return list(lines)


def test_a_chapter_that_is_ready_needs_no_advice(ledger: Ledger) -> None:
    found = check(ledger)
    assert (found.status, found.available_actions, advice(found)) == ("ready", ["commit"], [])
    assert "advice" not in msgspec.to_builtins(found)


def test_a_short_chapter_is_told_how_much_is_missing_and_nothing_pads_it(ledger: Ledger) -> None:
    write(ledger, BODY, body(60))
    found = check(ledger)
    (line,) = advice(found)
    assert found.status == "needs_decision"
    assert "还差至少 25 字" in line.zh and "at least 25 characters are missing" in line.en
    assert "85..115" in line.zh and "accept-current-length" in line.en


def test_a_long_chapter_is_told_how_much_to_cut(ledger: Ledger) -> None:
    write(ledger, BODY, body(150))
    found = check(ledger)
    (line,) = advice(found)
    assert found.compression is not None
    assert "至少删 35 字" in line.zh and "cut at least 35 characters" in line.en


def test_a_blocked_chapter_is_told_each_place_with_its_remedy(ledger: Ledger) -> None:
    write(ledger, BODY, f"# 第1章 渡口\n\n他看了看细纲。TODO：雪\n\n{'渡' * 80}")
    found = check(ledger)
    assert (found.status, found.available_actions) == ("blocked", [])
    places = [(f.rule, f.line, f.column) for f in found.quality.blocking_findings]
    assert places == [("meta-leak", 3, 5), ("placeholder-marker", 3, 8), ("truncated", 5, 41)]
    for finding in found.quality.blocking_findings:
        assert finding.advice is not None and finding.advice.zh and finding.advice.en
        assert finding.excerpt
    (line,) = advice(found)
    assert "3 处" in line.zh and "3 places" in line.en
    assert "由作者决定" in line.zh and "the author decides" in line.en
    assert "blocking_findings" not in line.zh + line.en


def test_a_leak_that_nobody_means_is_not_offered_a_way_to_stay(ledger: Ledger) -> None:
    write(ledger, BODY, f"# 第1章 渡口\n\n{'渡' * 80}。\n\n很抱歉，我无法继续生成这段内容。\n")
    found = check(ledger)
    assert [f.rule for f in found.quality.blocking_findings] == ["placeholder-refusal"]
    assert "作者" not in advice(found)[0].zh


def test_a_refused_commit_says_how_a_meant_sentence_is_kept(ledger: Ledger) -> None:
    write(ledger, BODY, f"# 第1章 渡口\n\n{'渡' * 80}。那不是恐惧，而是愤怒。\n")
    with pytest.raises(chapters.ChapterRefused) as refused:
        chapters.commit_chapter(ledger, 1, chapter(state_of(ledger)), [], trusted=trusted)
    fault = refused.value.faults[0]
    for lang in ("zh", "en"):
        hint = fault.hint(lang)
        assert "literals = [" in hint and "正文/.clew-prose.toml" in hint
        assert "[thresholds]" in hint and "<!-- clew:prose-skip -->" in hint
    assert "由作者决定" in fault.hint("zh") and "the author" in fault.hint("en")
    (finding,) = refused.value.checked.quality.blocking_findings
    assert finding.advice is not None
    line = finding.advice.zh[finding.advice.zh.index("literals = [") :]
    write(ledger, "正文/.clew-prose.toml", line[: line.index("]") + 1])
    assert check(ledger).status == "ready"


def test_a_blocked_chapter_that_is_too_long_as_well_is_told_both(ledger: Ledger) -> None:
    write(ledger, BODY, body(200, end="，"))
    found = check(ledger)
    assert (found.status, found.compression) == ("blocked", None)
    first, second = advice(found)
    assert "1 处" in first.zh and "至少删 85 字" in second.zh


@pytest.mark.parametrize("verb", ["commit_chapter", "accept_chapter"])
def test_a_refused_commit_names_the_rules_and_their_places(ledger: Ledger, verb: str) -> None:
    write(ledger, BODY, body(100, end="，"))
    document = chapter(state_of(ledger))
    with pytest.raises(chapters.ChapterRefused) as refused:
        getattr(chapters, verb)(ledger, 1, document, [], trusted=trusted)
    message = refused.value.faults[0].message("zh")
    assert "[truncated]" in message and "3:61" in message
    assert refused.value.checked.quality.blocking_findings[0].advice is not None


def test_an_empty_body_and_one_in_another_encoding_are_told_apart(ledger: Ledger) -> None:
    write(ledger, BODY, "# 第1章 渡口\n\n")
    empty = check(ledger)
    write(ledger, BODY, body(100).encode("gbk"))
    gbk = check(ledger)
    for found in (empty, gbk):
        assert (found.status, found.available_actions) == ("invalid", [])
        assert isinstance(found.faults, list) and found.faults[0]["code"] == "empty_body"
        assert found.quality.blocking_findings == found.quality.advisories == []
    assert advice(empty) == []
    assert "UTF-8" in advice(gbk)[0].zh


@pytest.mark.parametrize("target", ["四百", "", "400\n字数目标：500"])
def test_an_outline_without_a_usable_target_is_told_by_its_line(
    ledger: Ledger, target: str
) -> None:
    write(ledger, OUTLINE, outline(target=target))
    found = check(ledger)
    assert (found.status, found.available_actions) == ("invalid", [])
    assert isinstance(found.faults, list)
    assert found.faults[0]["code"] == "bad_outline" and found.faults[0]["hint"]


def test_a_missing_detector_is_no_fault_of_the_text(ledger: Ledger) -> None:
    write(ledger, "正文/.clew-prose.toml", '[detectors.style]\ncommand = ["/nowhere/style"]\n')
    found = check(ledger)
    assert (found.status, found.quality.status) == ("tool_unavailable", "unavailable")
    assert (found.available_actions, found.quality.blocking_findings) == ([], [])
    (line,) = advice(found)
    assert "style" in line.zh and "不是正文的问题" in line.zh and "no fault of the text" in line.en


def test_a_missing_detector_hides_no_finding_of_the_built_in_rules(ledger: Ledger) -> None:
    write(ledger, "正文/.clew-prose.toml", '[detectors.style]\ncommand = ["/nowhere/style"]\n')
    write(ledger, BODY, body(100, end="，"))
    found = check(ledger)
    assert found.status == "tool_unavailable"
    assert [f.rule for f in found.quality.blocking_findings] == ["truncated"]
    assert len(advice(found)) == 2


def test_advisories_are_counted_and_need_not_be_followed(ledger: Ledger) -> None:
    write(ledger, OUTLINE, outline(f"- {PLAN}"))
    write(ledger, BODY, f"# 第1章 渡口\n\n“细纲呢？”他问。\n\n{PLAN}\n\n{'渡' * 65}。\n")
    found = check(ledger)
    assert (found.status, found.available_actions) == ("ready", ["commit"])
    rules = [f.rule for f in found.quality.advisories]
    assert rules == ["meta-leak-quoted", "outline-copy"]
    assert found.quality.semantic_advisories == 1
    (line,) = advice(found)
    assert "2 条建议，其中 1 条" in line.zh
    assert "quality" not in line.zh + line.en


def test_marks_of_the_wrong_shape_point_to_the_repair(ledger: Ledger) -> None:
    write(ledger, BODY, f"# 第1章 渡口\n\n门开了。。。没有人。\n\n{'渡' * 90}。\n")
    found = check(ledger)
    assert found.status == "ready"
    assert any("--fix-punctuation" in line.zh and "--write" in line.en for line in advice(found))
    write(ledger, BODY, f"# 第1章 渡口\n\n门开了——没有人。\n\n{'渡' * 90}。\n")
    assert not any("--fix-punctuation" in line.zh for line in advice(check(ledger)))
    write(ledger, BODY, f"# 第1章 渡口\n\n门开了。。没有人。\n\n{'渡' * 90}。\n")
    doubled = check(ledger)
    assert [f.rule for f in doubled.quality.advisories] == ["punctuation-doubled"]
    assert not any("--fix-punctuation" in line.zh for line in advice(doubled))
    write(ledger, BODY, f"# 第1章 渡口\n\n门开了——没有人。\n\n{'渡' * 90}。\n")
    write(ledger, "正文/.clew-prose.toml", "strict = true")
    strict = check(ledger)
    assert strict.status == "blocked"
    assert any("--fix-punctuation" in line.zh for line in advice(strict))
    write(ledger, BODY, f"# 第1章 渡口\n\n……\n\n{'渡' * 90}。\n")
    empty = check(ledger)
    assert empty.status == "blocked"
    assert not any("--fix-punctuation" in line.zh for line in advice(empty))


@pytest.mark.parametrize("kind", ["commit_chapter", "accept_chapter"])
def test_a_committed_chapter_keeps_its_advisories_and_no_advice(ledger: Ledger, kind: str) -> None:
    write(ledger, OUTLINE, outline(f"- {PLAN}"))
    rest = 75 if kind == "commit_chapter" else 40
    write(ledger, BODY, f"# 第1章 渡口\n\n{PLAN}\n\n{'渡' * rest}。\n")
    done = getattr(chapters, kind)(ledger, 1, chapter(state_of(ledger)), [], trusted=trusted)
    assert [f.rule for f in done.quality.advisories] == ["outline-copy"]
    assert "advice" not in msgspec.to_builtins(done)


def test_a_detector_of_the_book_counts_like_a_rule(ledger: Ledger) -> None:
    source = (
        "import json; print(json.dumps({'findings': [{'message': 'fog', 'severity': 'blocking'}]}))"
    )
    Path(ledger.root, "d.py").write_text(source, encoding="utf-8")
    command = f'["{sys.executable}", "-I", "d.py"]'
    write(ledger, "正文/.clew-prose.toml", f"[detectors.style]\ncommand = {command}\n")
    found = check(ledger)
    assert found.status == "blocked"
    assert [f.rule for f in found.quality.blocking_findings] == ["style/finding"]
    assert found.quality.blocking_findings[0].advice is None
