"""Taking over the same folder again: what is there is told as there, what is new is copied, nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from somebody import clew

from clew.kernel.clock import system_clock
from clew.kernel.files import Files
from clew.persona import adopting, adopting_files, diary
from clew.persona.home import Home, open_home


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "旧文件"
    files = {
        "日记/2025-03-04.md": "三月四日。\n", "语气样本.md": "- “在。”\n- “走吧。”\n",
        "不做的事.md": "- 不骗人\n- 不替别人下结论\n", "身份.md": "# 林昭\n\n守灯人。\n",
        "会话/0b1c.jsonl": '{"type":"user","sessionId":"0b1c","message":{"role":"user","content":"hi"}}\n',
    }  # fmt: skip
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def adopt(old: Path, home: Path, *more: str) -> tuple[int, Any]:
    code, answer, _ = clew(
        "persona", "adopt", old, "--name", "林昭", "--zone", "Asia/Shanghai", "--home", home,
        "--lang", "en", *more,
    )  # fmt: skip
    return code, answer


def truth(home: Path) -> dict[str, bytes]:
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and ".clew" not in path.parts
    }


def acts(answer: dict[str, Any]) -> dict[str, str]:
    return {row["source"]: row["act"] for row in answer["rows"]}


def test_a_plan_tells_where_everything_goes(old: Path, tmp_path: Path) -> None:
    home = tmp_path / "林昭"
    code, plan = adopt(old, home)
    assert (code, plan["status"], plan["home"]) == (0, "planned", home.as_posix())
    targets = {row["source"]: row["target"] for row in plan["rows"]}
    assert targets["会话/0b1c.jsonl"] == "archive/claude/0b1c.jsonl" and all(targets.values())
    assert not home.exists()
    _, done = adopt(old, home, "--apply")
    assert {row["source"]: row["target"] for row in done["rows"]} == targets
    assert set(targets.values()) <= set(truth(home))


def test_again_by_name_everything_is_there_and_nothing_changes(old: Path, tmp_path: Path) -> None:
    home = tmp_path / "林昭"
    adopt(old, home, "--apply")
    before = truth(home)
    for more in ([], ["--apply"], ["--apply"]):
        code, again = adopt(old, home, *more)
        assert code == 0 and set(acts(again).values()) == {"same"}, again
    assert truth(home) == before


def test_only_what_is_new_is_copied_and_nothing_is_written_over(old: Path, tmp_path: Path) -> None:
    home = tmp_path / "林昭"
    adopt(old, home, "--apply")
    (home / "identity.md").write_text("# 林昭\n\n自己改过。\n", encoding="utf-8")
    before = truth(home)
    (old / "日记/2025-03-05.md").write_text("三月五日。\n", encoding="utf-8")
    (old / "日记/2025-03-04.md").write_text("换了一篇。\n", encoding="utf-8")
    (old / "语气样本.md").write_text("- “在。”\n- “灯亮着。”\n", encoding="utf-8")
    code, again = adopt(old, home, "--apply")
    assert code == 0
    assert acts(again) == {
        "不做的事.md": "same", "会话/0b1c.jsonl": "same", "日记/2025-03-04.md": "copy",
        "日记/2025-03-05.md": "copy", "语气样本.md": "add", "身份.md": "differs",
    }  # fmt: skip
    after = truth(home)
    assert after["diary/2025-03-04-2.md"].decode() == "换了一篇。\n"
    for path, data in before.items():
        assert after[path].startswith(data) or path in ("archive/manifest.json", "logs.json"), path


def test_a_day_that_the_persona_wrote_on_is_there_already(old: Path, tmp_path: Path) -> None:
    home = tmp_path / "林昭"
    adopt(old, home, "--apply")
    today = open_home(home).today()
    page = home / f"diary/{today}.md"
    (old / f"日记/{today}.md").write_text("早上。", encoding="utf-8")
    adopt(old, home, "--apply")
    diary.write(Home(home, clock=system_clock), "晚上。")
    assert page.read_text(encoding="utf-8").startswith("早上。\n")
    _, again = adopt(old, home, "--apply")
    assert acts(again)[f"日记/{today}.md"] == "same"
    # A page that only happens to begin alike is another page.
    (old / f"日记/{today}.md").write_text("早", encoding="utf-8")
    _, again = adopt(old, home)
    assert acts(again)[f"日记/{today}.md"] == "copy"


def test_a_folder_that_was_moved_is_known_by_what_is_in_it(old: Path, tmp_path: Path) -> None:
    home = tmp_path / "林昭"
    adopt(old, home, "--apply")
    before = truth(home)
    moved = old.rename(tmp_path / "搬过")
    done = adopting.adopt(open_home(home), str(moved), apply=True)
    assert {row.act for row in done.rows} == {"same"}
    assert truth(home) == before


def test_a_home_that_was_begun_and_not_filled_is_filled(old: Path, tmp_path: Path) -> None:
    """The first run was killed between making the home and copying into it."""
    home = tmp_path / "林昭"
    clew("persona", "init", "林昭", "--zone", "Asia/Shanghai", "--home", home)
    code, done = adopt(old, home, "--apply")
    assert code == 0 and done["counts"] == {"add": 2, "copy": 2, "archive": 1}


def test_somebody_elses_home_and_another_zone_are_refused(old: Path, tmp_path: Path) -> None:
    home = tmp_path / "林昭"
    clew("persona", "init", "望潮", "--zone", "Asia/Shanghai", "--home", home)
    code, refused = adopt(old, home, "--apply")
    assert (code, refused["error_code"]) == (2, "persona_exists")
    code, refused, _ = clew(
        "persona", "adopt", old, "--name", "望潮", "--zone", "UTC", "--home", home, "--apply"
    )
    assert (code, refused["error_code"]) == (2, "persona_zone_differs")


def test_a_folder_that_cannot_be_looked_into_keeps_nothing_else_out(
    old: Path, tmp_path: Path
) -> None:
    class Closed(Files):
        def names(self, folder: str) -> list[str]:
            if folder.endswith("/锁着"):
                raise PermissionError(13, "Permission denied", folder)
            return super().names(folder)

    (old / "锁着").mkdir()
    unread: dict[str, OSError] = {}
    found = adopting_files.walk(Closed(), str(old), unread)
    assert len(found) == 5 and list(unread) == ["锁着"]


def test_a_file_is_no_folder_to_take_over_and_no_place_for_a_home(
    old: Path, tmp_path: Path
) -> None:
    file = old / "身份.md"
    code, answer = adopt(file, tmp_path / "林昭")
    assert (code, answer["error_code"]) == (2, "adopt_folder")
    code, answer, _ = clew("persona", "init", "林昭", "--zone", "UTC", "--home", file)
    assert (code, answer["error_code"]) == (2, "persona_folder_taken")
    assert file.read_text(encoding="utf-8") == "# 林昭\n\n守灯人。\n"
