"""`init --from-manuscript`: what is read from a book without a ledger, and the draft made of it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from ferry_book import codes, start

import clew.novel
from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Fault
from clew.novel.drafting import ManuscriptDraft, from_manuscript
from clew.novel.start import init
from clew.novel.survey import Span

LINES = "林晚说：“账不对。”\n\n林晚翻过一页，船主没有抬头。\n\n“哪里不对？”船主问。林晚把灯挪近。\n"
ENGLISH = "At dusk Nell came in. The ledger lay open, and Nell read it. “Well?” said Nell.\n"


def manuscript(root: Path, *chapters: int, text: str = LINES) -> Path:
    for folder in ("大纲", "正文"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for number in chapters:
        body = f"# 第{number}章 第{number}夜\n\n{text}"
        (root / "正文" / f"第{number:03d}章_第{number}夜.md").write_text(body, encoding="utf-8")
    return root


def run(root: Path, notes: list[Fault] | None = None, **more: object) -> ManuscriptDraft:
    return from_manuscript(clew.novel.open(root), [] if notes is None else notes, **more)  # type: ignore[arg-type]


def test_a_new_book_with_bodies_in_it_is_told_that_they_are_there(tmp_path: Path) -> None:
    root = manuscript(tmp_path / "渡口", 1, 2, 4)
    found = run(root, notes := [], title="渡口旧账", new_book=True)
    assert found.last_chapter == 2
    note = next(note for note in notes if note.code == "bodies_there")
    assert (note.facts["found"], note.facts["limit"]) == (3, 2)
    assert "--from-manuscript" in note.hint("zh")
    run(root, notes := [], title="渡口旧账", force=True)
    assert "bodies_there" not in {note.code for note in notes}
    run(tmp_path, notes := [], title="新书", new_book=True)
    assert notes == []


def test_a_manuscript_becomes_a_draft_that_init_takes_once_it_is_filled_in(tmp_path: Path) -> None:
    root = manuscript(tmp_path / "渡口", *range(1, 6))
    (root / "大纲/大纲.md").write_text("# 《渡口旧账》大纲\n", encoding="utf-8")
    (root / "大纲/卷纲_第一卷_认账.md").write_text("第1-20章\n", encoding="utf-8")
    (root / "大纲/细纲_第005章_x.md").write_text("# 第5章：对账\n", encoding="utf-8")
    (root / "大纲/细纲_第006章_y.md").write_text("# 第6章：上船\n", encoding="utf-8")
    (root / "设定").mkdir()
    (root / "设定/别名.toml").write_text('["别名"]\n"林晚" = ["阿晚"]\n', encoding="utf-8")
    notes: list[Fault] = []
    found = run(root, notes)
    assert notes == []
    assert (found.book_title, found.last_chapter, found.volume) == ("渡口旧账", 5, "第一卷·认账")
    assert [row.title for row in found.chapters] == ["第1夜", "第2夜", "第3夜", "第4夜", "对账"]
    assert found.chapters[0].visible_chars == len("".join(LINES.split()))
    assert found.visible_chars == 5 * found.chapters[0].visible_chars
    assert (found.gaps, found.duplicates, found.outlines_without_body) == ([], {}, [Span(6, 6)])
    assert {row.text: row.count for row in found.names} == {"林晚": 15, "船主": 10}
    assert found.aliases == {"林晚": ["阿晚"]}
    assert not (root / "追踪").exists()

    document = json.loads(Path(found.draft).read_text(encoding="utf-8"))
    with pytest.raises(Refused) as refused:
        init(clew.novel.open(root), document, [])
    assert {f.code for f in refused.value.faults} == {"empty_text"}
    assert len(refused.value.faults) == 5
    document["context"]["position"] |= {"story_time": "立秋", "scene": "账房"}
    for row in document["context"]["recent_chapters"]:
        row["summary"] = "对账"
    assert init(clew.novel.open(root), document, []).last_committed_chapter == 5


def test_chapters_after_a_gap_are_listed_and_not_imported(tmp_path: Path) -> None:
    root = manuscript(tmp_path, 1, 2, 5)
    (root / "正文/第002章_又一夜.md").write_text(LINES, encoding="utf-8")
    (root / "正文/第001章_原稿_旧.md").write_text(LINES, encoding="utf-8")
    notes: list[Fault] = []
    found = run(root, notes)
    assert found.last_chapter == 2
    assert found.gaps == [Span(3, 4)]
    assert found.duplicates == {"2": ["正文/第002章_又一夜.md", "正文/第002章_第2夜.md"]}
    assert notes == [Fault("manuscript_gap", found=3, limit=2)]


@pytest.mark.parametrize("encoding", ["gbk", "utf-16"])
def test_files_in_another_encoding_are_named_and_still_counted(
    tmp_path: Path, encoding: str
) -> None:
    root = manuscript(tmp_path, 1, 2)
    path = root / "正文/第002章_第2夜.md"
    data = path.read_text(encoding="utf-8").encode(encoding)
    path.write_bytes(data)
    (root / "大纲/大纲.md").write_bytes("# 渡口旧账，在那里的人\n".encode(encoding))
    notes: list[Fault] = []
    found = run(root, notes)
    assert codes(notes) == ["odd_encoding", "odd_encoding"]
    assert notes[0].facts["file"] == "正文/第002章_第2夜.md"
    assert found.chapters[0].visible_chars == found.chapters[1].visible_chars
    assert found.book_title == "渡口旧账，在那里的人"
    assert path.read_bytes() == data


def test_an_english_manuscript_is_read_as_one(tmp_path: Path) -> None:
    root = manuscript(tmp_path / "Salt", 1, 2, text=ENGLISH)
    (root / "大纲/大纲.md").write_text("# Outline\n", encoding="utf-8")
    found = run(root)
    assert (found.book_title, found.volume) == ("Salt", "Volume 1")
    assert [(row.text, row.count) for row in found.names] == [("Nell", 6)]
    assert found.chapters[0].words == 16


def test_outlines_without_any_body_start_a_new_book(tmp_path: Path) -> None:
    root = manuscript(tmp_path)
    (root / "大纲/细纲_第001章_x.md").write_text("# 第1章：对账\n", encoding="utf-8")
    found = run(root)
    assert (found.last_chapter, found.chapters, found.names) == (0, [], [])
    assert found.outlines_without_body == [Span(1, 1)]


def test_an_empty_folder_is_no_manuscript(tmp_path: Path) -> None:
    with pytest.raises(Missing) as missing:
        run(tmp_path)
    assert missing.value.code == "no_manuscript"
    assert list(tmp_path.iterdir()) == []


def test_a_book_with_a_ledger_is_refused(tmp_path: Path) -> None:
    start(tmp_path)
    with pytest.raises(Refused) as refused:
        run(tmp_path)
    assert refused.value.code == "ledger_exists"
    (tmp_path / "追踪/_tracking-state.json").unlink()
    with pytest.raises(Refused) as refused:
        run(tmp_path)
    assert refused.value.code == "history_without_state"


def test_a_draft_that_is_there_is_kept_and_forced_only_with_a_copy(tmp_path: Path) -> None:
    root = manuscript(tmp_path, 1)
    path = Path(run(root).draft)
    path.write_text('{"last_chapter": 1, "mine": true}', encoding="utf-8")
    notes: list[Fault] = []
    assert run(root, notes).existing == "kept"
    assert codes(notes) == ["init_draft_kept"]
    assert "mine" in path.read_text(encoding="utf-8")
    forced = run(root, force=True)
    assert forced.kept_beside is not None
    assert "mine" in (root / forced.kept_beside).read_text(encoding="utf-8")
    assert "mine" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["", "[1]", '{"chapter": 3}', "{"])
def test_a_file_that_is_no_init_draft_is_not_overwritten(tmp_path: Path, text: str) -> None:
    root = manuscript(tmp_path / "书", 1)
    target = tmp_path / "init.json"
    target.write_text(text, encoding="utf-8")
    with pytest.raises(Refused) as refused:
        run(root, out=str(target))
    assert refused.value.code == "draft_unreadable"
    assert target.read_text(encoding="utf-8") == text


def test_a_broken_list_of_aliases_is_a_note(tmp_path: Path) -> None:
    root = manuscript(tmp_path, 1)
    (root / "设定").mkdir()
    (root / "设定/别名.toml").write_text('"林晚" = [', encoding="utf-8")
    notes: list[Fault] = []
    assert run(root, notes).aliases == {}
    assert codes(notes) == ["aliases_unreadable"]


def test_the_answer_is_plain_data(tmp_path: Path) -> None:
    answer = msgspec.to_builtins(run(manuscript(tmp_path, 1)))
    assert answer["status"] == "ok"
    assert json.loads(json.dumps(answer, ensure_ascii=False)) == answer
