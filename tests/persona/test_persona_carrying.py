"""Beginning, taking over, carrying out, checking and mending a home."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
import somebody

from clew.kernel.errors import Missing, Refused
from clew.persona import (
    adopting,
    checking,
    creating,
    exporting,
    intents,
    keeping,
    mending,
    refusals,
    voice,
)
from clew.persona.adopting_roles import date_of, mapping, refusals_in, role_of, samples_in
from clew.persona.channels import writing
from clew.persona.home import Home, open_home
from clew.persona.model import LISTS, VITALS
from clew.persona.registering import saw

SECRET = "绝密的一句话"


@pytest.fixture
def clock() -> somebody.Clock:
    return somebody.Clock()


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    return somebody.begin(tmp_path / "林昭", clock)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


# ---- beginning ----------------------------------------------------------------------------------------


def test_a_new_home_has_every_file_of_its_layout(home: Home) -> None:
    assert set(home.names("")) >= {
        "persona.toml", "identity.md", "voice.md", "refusals.toml", "intents.json", "vitals.json",
        "events.jsonl",
    }  # fmt: skip
    assert home.read_events()[0].kind == "born"
    assert home.read_vitals().born_at == "2026-03-01T12:00:00.000Z"


@pytest.mark.parametrize("name, zone, codes", [
    ("", "UTC", ["empty_text"]),
    ("a/b", "UTC", ["bad_name"]),
    ("..", "UTC", ["bad_name"]),
    ("NUL", None, ["bad_name", "zone_needed"]),
    ("林昭", None, ["zone_needed"]),
    ("林昭", "Moon/Base", ["bad_zone"]),
    ("长" * 61, "UTC", ["text_too_long"]),
])  # fmt: skip
def test_what_is_wrong_with_a_beginning_is_told_and_nothing_is_made(
    tmp_path: Path, name: str, zone: str | None, codes: list[str]
) -> None:
    with pytest.raises(Refused) as refusal:
        creating.create(str(tmp_path / "x"), name, zone)
    assert [fault.code for fault in refusal.value.faults] == codes
    assert not (tmp_path / "x").exists()


def test_a_home_is_never_started_over(home: Home) -> None:
    before = tree(Path(home.root))
    with pytest.raises(Refused) as refusal:
        creating.create(home.root, "别人", "UTC")
    assert refusal.value.code == "persona_exists"
    assert tree(Path(home.root)) == before


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir(mode=0o755)
    (tmp_path / "x" / "a.txt").write_text("我的")
    with pytest.raises(Refused) as refusal:
        creating.create(str(tmp_path / "x"), "林昭", "UTC")
    assert refusal.value.code == "persona_folder_taken"
    assert tree(tmp_path / "x") == {"a.txt": "我的".encode()}
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o755


CARD = {
    "name": "阿九", "nickname": "", "scenario": "",
    "description": "{{char}}是渡口的船工。\n$(rm -rf ~) [[runner]]",
    "personality": "话少",
    "first_mes": "上船吧，{{user}}。",
    "mes_example": "<START>\n{{user}}: 还有船吗\n{{char}}: 有。\n等一等，\n潮没到。\n{{user}}: 好\n"
    "<START>\n{{Char}}：不收钱。",
}  # fmt: skip


def test_a_persona_is_born_from_a_card_as_data(tmp_path: Path) -> None:
    home = creating.create(str(tmp_path / "x"), "阿九", "UTC", card=CARD)
    identity = home.read_text("identity.md")
    assert "阿九是渡口的船工。" in identity and "$(rm -rf ~) [[runner]]" in identity
    assert [one.text for one in voice.read(home)] == [
        "有。\n等一等，\n潮没到。", "不收钱。", "上船吧，对方。",
    ]  # fmt: skip
    assert home.settings.runner.kind == "outbox"


SPEAKING = CARD | {
    "description": "{{Char}}记得<user>，<BOT>也记得{{ USER }}；{{random:a,b}} 不动。",
    "mes_example": "<START>\n<USER>: 有船吗\n<BOT>: 有，{{user}}。\n阿九：上来。",
}


@pytest.mark.parametrize(
    ("person", "called"), [("", "对方"), ("阿月", "阿月"), ("{{char}}", "{{char}}")]
)
def test_both_people_of_a_card_are_named(tmp_path: Path, person: str, called: str) -> None:
    home = creating.create(str(tmp_path / "x"), "阿九", "UTC", card=SPEAKING, person=person)
    identity = home.read_text("identity.md")
    assert f"阿九记得{called}，阿九也记得{called}；{{{{random:a,b}}}} 不动。" in identity
    said = [one.text for one in voice.read(home)]
    assert said == [f"有，{called}。", "上来。", f"上船吧，{called}。"]
    assert [note.code for note in home.notes] == ([] if person else ["card_person"])


def test_a_card_that_speaks_of_nobody_needs_no_word_for_them(tmp_path: Path) -> None:
    card = {"name": "Mira", "description": "{{char}} waits."}
    home = creating.create(str(tmp_path / "x"), "Mira", "UTC", card=card)
    assert home.notes == [] and "Mira waits." in home.read_text("identity.md")


def test_a_person_is_called_by_a_name_of_some_length(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refusal:
        creating.create(str(tmp_path / "x"), "Mira", "UTC", card=CARD, person="月" * 70)
    assert refusal.value.code == "text_too_long" and not (tmp_path / "x").exists()


@pytest.mark.parametrize("given", ["caard.json", "cards/caard", "caard"])
def test_a_card_that_is_not_there_is_no_such_file(
    tmp_path: Path, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    code, told, _ = somebody.clew(
        "persona", "init", "--card", given, "--zone", "UTC", "--home", tmp_path / "x"
    )
    assert (code, told["error_code"]) == (3, "no_such_file")


# ---- taking over --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, role", [
    ("日记/2025-03-04.md", "diary"), ("2025/03/04.md", "diary"), ("20250304.txt", "diary"),
    ("2025年3月4日.md", "diary"), ("diary-2025_3_4.md", "diary"), ("语气样本.md", "voice"),
    ("voice.json", "voice"), ("不做的事.txt", "refusals"), ("boundaries.md", "refusals"),
    ("refusals.toml", "refusals"), ("身份卡.md", "identity"), ("SOUL.md", "identity"),
    ("sessions/abc.jsonl", "transcripts"), ("photo.png", None), ("notes.md", None),
    ("1234567890.md", None), ("persona.toml", None), ("2025-13-40.md", None),
])  # fmt: skip
def test_files_are_known_by_name_and_date(path: str, role: str | None) -> None:
    assert role_of(path) == role


def test_a_date_is_read_from_a_name_or_the_folders() -> None:
    assert date_of("a/2025-03-04 夜.md") == "2025-03-04"
    assert date_of("2025/3/4.md") == "2025-03-04"
    assert date_of("a/b.md") is None


def test_what_a_list_says_is_read_in_many_forms() -> None:
    text = "# 不做\n\n- 不骗人\n* [ ] 不催\n1、不念别人的信\n（2）不装懂\n随便一句\n"
    assert refusals_in(text, "a.md") == ["不骗人", "不催", "不念别人的信", "不装懂"]
    assert refusals_in("不骗人\n不催\n", "a.txt") == ["不骗人", "不催"]
    assert refusals_in('[{"text": "不骗人"}, "不催"]', "a.json") == ["不骗人", "不催"]
    assert refusals_in("{", "a.json") == []
    assert [one.text for one in samples_in("- “在。”\n- 「走吧」\n", "a.md")] == ["在。", "走吧"]
    assert [one.text for one in samples_in("> 一\n> 二\n\n> 三\n", "a.md")] == ["一\n二", "三"]


def test_a_mapping_that_makes_no_sense_is_told() -> None:
    given, wrong = mapping(["diary=旧/本子", "voice=../x", "皮肤=a", "diary=", "skip=./私"])
    assert given == [("旧/本子", "diary"), ("私", "skip")]
    assert wrong == ["voice=../x", "皮肤=a", "diary="]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "旧文件"
    files: dict[str, bytes] = {
        "日记/2025-03-04.md": "三月四日。\r\n".encode(),
        "日记/2025-03-04 夜.txt": "夜里又写。".encode(),
        "日记/2025-03-05.md": "三月五日，老编码。".encode("gb18030"),
        "语气样本.md": "- “在。”\n- “走吧。”\n".encode(),
        "不做的事.md": "- 不骗人\n- 不替别人下结论\n".encode(),
        "身份.md": "# 林昭\n\n旧的身份卡。\n".encode(),
        "会话/0b1c.jsonl": b'{"type":"user","sessionId":"0b1c","message":{"role":"user","content":"hi"}}\n',
        "照片.png": b"\x89PNG\r\n\x1a\n\0\0",
        "杂记.md": "不认得".encode(),
        ".git/config": b"[core]",
    }
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "日记" / "2025-01-01.md").symlink_to("/etc/passwd")
    return folder


def acts(answer: adopting.Adopted) -> dict[str, tuple[str, str]]:
    return {row.source: (row.act, row.target) for row in answer.rows}


def test_a_plan_is_shown_and_nothing_is_copied(home: Home, old: Path) -> None:
    before = tree(Path(home.root)), tree(old)
    plan = adopting.adopt(home, str(old))
    assert plan.status == "planned"
    assert acts(plan) == {
        "不做的事.md": ("add", "refusals.toml"),
        "会话/0b1c.jsonl": ("archive", "archive/claude/0b1c.jsonl"),
        "日记/2025-03-04 夜.txt": ("copy", "diary/2025-03-04.md"),
        "日记/2025-03-04.md": ("copy", "diary/2025-03-04-2.md"),
        "日记/2025-03-05.md": ("convert", "diary/2025-03-05.md"),
        "照片.png": ("skip", ""),
        "杂记.md": ("skip", ""),
        "语气样本.md": ("add", "voice.md"),
        "身份.md": ("differs", "identity.md"),
    }
    assert (tree(Path(home.root)), tree(old)) == before


def test_what_is_taken_over_is_copied_and_the_old_stays(home: Home, old: Path) -> None:
    before = tree(old)
    done = adopting.adopt(home, str(old), apply=True)
    assert done.status == "ok"
    assert home.read("diary/2025-03-04-2.md") == "三月四日。\r\n".encode()
    assert home.read("diary/2025-03-05.md") == "三月五日，老编码。".encode()
    assert [one.text for one in voice.read(home)][-2:] == ["在。", "走吧。"]
    known = {one.id: one.text for one in refusals.read(home)}
    assert known == {
        "R1": "不替别人下结论",
        "R2": "不装作记得",
        "R3": "不为讨好改口",
        "R4": "不骗人",
    }
    assert home.read_text("identity.md") == "# 林昭\n\n渡口的守灯人。\n"
    copies = list((Path(home.root) / "archive").rglob("*.jsonl"))
    assert [p.read_bytes() for p in copies] == [before["会话/0b1c.jsonl"]]
    assert tree(old) == before
    checked = checking.check(home)
    assert [f["code"] for f in checked.faults if "mode" not in f["code"]] == []
    assert [note["code"] for note in checked.notes] == ["no_probe"]


def test_what_changed_since_the_plan_is_not_written_over(home: Home, old: Path) -> None:
    plan = adopting._Plan(home.vault.files, str(old), home, "en")
    plan.take("语气样本.md", None)
    voice.add(home, "刚说的。")
    adopting._carry_out(home, plan)
    assert [one.text for one in voice.read(home)][-1] == "刚说的。"
    assert [note.code for note in home.notes] == ["adopt_differs"]


def test_taking_over_again_does_nothing(home: Home, old: Path) -> None:
    adopting.adopt(home, str(old), apply=True)
    before = {k: v for k, v in tree(Path(home.root)).items() if not k.startswith(".clew")}
    again = adopting.adopt(home, str(old), apply=True)
    assert {act for act, _ in acts(again).values()} == {"same", "skip", "differs"}
    after = {k: v for k, v in tree(Path(home.root)).items() if not k.startswith(".clew")}
    assert after == before


def test_a_blank_identity_takes_the_old_one(tmp_path: Path, old: Path) -> None:
    home = creating.create(str(tmp_path / "新"), "林昭", "Asia/Shanghai")
    adopting.adopt(home, str(old), apply=True)
    assert home.read("identity.md") == (old / "身份.md").read_bytes()


def test_somebody_says_what_is_what(home: Home, old: Path) -> None:
    plan = adopting.adopt(home, str(old), ["voice=杂记.md", "skip=日记"])
    assert acts(plan)["杂记.md"] == ("add", "voice.md")
    assert acts(plan)["日记/2025-03-05.md"] == ("skip", "")


@pytest.mark.parametrize(
    "given, code", [(["x=y"], "adopt_role"), (["skip=日记", "skip=会话"], None)]
)
def test_a_wrong_role_is_refused(home: Home, old: Path, given: list[str], code: str | None) -> None:
    if code is None:
        assert adopting.adopt(home, str(old), given).counts["skip"] >= 4
        return
    with pytest.raises(Refused) as refusal:
        adopting.adopt(home, str(old), given)
    assert refusal.value.code == code


def test_a_folder_in_which_nothing_is_known_is_told(home: Home, tmp_path: Path) -> None:
    (tmp_path / "空").mkdir()
    with pytest.raises(Refused) as refusal:
        adopting.adopt(home, str(tmp_path / "空"))
    assert refusal.value.code == "adopt_nothing"
    with pytest.raises(Missing):
        adopting.adopt(home, str(tmp_path / "没有"))
    with pytest.raises(Refused) as inside:
        adopting.adopt(home, str(tmp_path))
    assert inside.value.code == "persona_inside"


# ---- carrying out -------------------------------------------------------------------------------------


def full(home: Home) -> None:
    intent = intents.add_intent(home, SECRET, source=f"message:{SECRET}")
    intents.close_intent(home, intent.id, outcome=SECRET)
    intents.add_hanging(home, SECRET, window=f"窗-{SECRET}")
    keeping.change_mood(
        home, "raise", 0.1, cause=SECRET, source="person:zhangsan", window="secretwin"
    )
    voice.add(home, SECRET, source=SECRET)
    refusals.answer(home, "R1", SECRET, note=SECRET)
    from clew.persona import diary

    diary.write(home, SECRET, window="secretwin")
    with home.change() as change:
        change.append(
            "channels/board.jsonl", {"n": 1, "at": change.at, "text": SECRET, "by": "zhangsan"}
        )
        change.write("channels/read.json", b'{"schema_version": 1, "board": {"zhangsan": 1}}')
        change.write("channels/digest.md", SECRET.encode())
        change.write("archive/other/secretwin.jsonl", SECRET.encode())
        change.write("unknown.json", b"{" + f'"{SECRET}": "zhangsan"'.encode() + b"}")


def test_an_export_holds_every_byte_but_what_is_private(home: Home, tmp_path: Path) -> None:
    full(home)
    done = exporting.export(home, str(tmp_path / "a.zip"))
    with zipfile.ZipFile(tmp_path / "a.zip") as pack:
        names = set(pack.namelist())
        assert all(pack.read(name) == home.read(name) for name in names)
    assert {"persona.toml", "diary/2026-03-01.md", "archive/other/secretwin.jsonl"} <= names
    assert not any(name.startswith(".clew") for name in names)
    assert done.left_out == [".clew"]
    assert (tmp_path / "a.zip").stat().st_mode & 0o777 == 0o600


def test_a_redacted_export_tells_nothing_that_was_said(home: Home, tmp_path: Path) -> None:
    full(home)
    exporting.export(home, str(tmp_path / "a.zip"), redact=True)
    with zipfile.ZipFile(tmp_path / "a.zip") as pack:
        found = {name: pack.read(name).decode() for name in pack.namelist()}
    whole = "".join(found) + "".join(found.values())
    for word in (SECRET, "zhangsan", "secretwin", "林昭", "守灯人", "渡口", "不替别人"):
        assert word not in whole, word
    events = [json.loads(line) for line in found["events.jsonl"].splitlines()]
    assert [event["kind"] for event in events][:3] == ["born", "intent", "intent"]
    assert events[1]["facts"]["intent"]["text"] == f"<{len(SECRET)}>"
    assert json.loads(found["vitals.json"])["mood"]["value"] == home.read_vitals().mood.value
    windows = {event["window"] for event in events if "window" in event}
    assert windows and all(window.startswith("w") for window in windows)


def test_a_word_that_clew_uses_too_is_covered_where_somebody_said_it(
    home: Home, tmp_path: Path
) -> None:
    for word in ("done", "persona", "typed", "claude", "wake", "answer"):
        writing.note(home, word)
    writing.hand_over(home, "done", next_="answer", avoid="held")
    exporting.export(home, str(tmp_path / "a.zip"), redact=True)
    with zipfile.ZipFile(tmp_path / "a.zip") as pack:
        notes = [json.loads(line) for line in pack.read("channels/board.jsonl").splitlines()]
        baton = json.loads(pack.read("channels/baton.jsonl"))
    assert [note["text"] for note in notes] == ["<4>", "<7>", "<5>", "<6>", "<4>", "<6>"]
    assert (baton["done"], baton["next"], baton["avoid"]) == ("<4>", "<6>", "<4>")


def test_the_register_of_windows_keeps_its_structure(home: Home, tmp_path: Path) -> None:
    with home.change() as change:
        saw(change, "secretwin", host="claude")
    exporting.export(home, str(tmp_path / "a.zip"), redact=True)
    with zipfile.ZipFile(tmp_path / "a.zip") as pack:
        told = pack.read("windows.json").decode()
    assert "secretwin" not in told
    assert '"state"' in told and '"current"' in told and '"claude"' in told


def test_a_window_has_one_stand_in(home: Home, tmp_path: Path) -> None:
    full(home)
    exporting.export(home, str(tmp_path / "a.zip"), redact=True)
    with zipfile.ZipFile(tmp_path / "a.zip") as pack:
        events = [json.loads(line) for line in pack.read("events.jsonl").splitlines()]
    same = {e["window"] for e in events if e["kind"] in ("mood", "diary")}
    assert len(same) == 1


def test_an_export_never_writes_over_a_file(home: Home, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("我的")
    with pytest.raises(Refused) as refusal:
        exporting.export(home, str(tmp_path / "a.zip"))
    assert refusal.value.code == "persona_export_exists"
    assert (tmp_path / "a.zip").read_text() == "我的"


# ---- checking and mending -----------------------------------------------------------------------------


def private(home: Home) -> None:
    for path in Path(home.root).rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def test_a_sound_home_is_sound(home: Home) -> None:
    full_home = home
    intents.add_intent(full_home, "一")
    private(home)
    checked = checking.check(home)
    assert (checked.status, checked.faults) == ("ok", [])


def test_every_fault_of_a_home_is_told_at_once(home: Home) -> None:
    root = Path(home.root)
    (root / "persona.toml").write_text(
        (root / "persona.toml").read_text() + "\n[mood]\nbaseline = 7\n"
    )
    (root / "identity.md").write_text("# 林昭\n\n<!-- 待写 -->\n")
    (root / "voice.md").write_text("# 语气\n")
    (root / "refusals.toml").write_text('[[refusal]]\nid = "R1"\ntext = "不"\n')
    (root / LISTS).write_bytes(b'{"intents": [')
    (root / VITALS).unlink()
    with (root / "events.jsonl").open("ab") as log:
        log.write(b"noise\n")
    private(home)
    (root / "identity.md").chmod(0o644)
    codes = [fault["code"] for fault in checking.check(home).faults]
    assert codes == [
        "out_of_range", "persona_text_missing", "persona_file_missing", "persona_file_broken",
        "persona_line_broken", "persona_mode_open",
    ]  # fmt: skip


_SLEPT = b'{"kind":"slept","at":"2026-03-01T12:00:00.000Z","since":"2026-03-01T11:00:00.000Z"}\n'


@pytest.mark.parametrize("path", ["channels/board.jsonl", "channels/baton.jsonl", "wake.jsonl"])
def test_a_broken_line_of_any_log_is_told_with_its_place(home: Home, path: str) -> None:
    writing.note(home, "一")
    writing.hand_over(home, "一")
    log = Path(home.root) / path
    whole = log.read_bytes() if log.exists() else _SLEPT
    log.write_bytes(whole + b'{"n": 2, "te\n' + whole)
    found = [
        (fault["file"], fault["line"])
        for fault in checking.check(home).faults
        if fault["code"] == "persona_line_broken"
    ]
    assert found == [(path, whole.count(b"\n") + 1)]


def test_what_was_lost_is_made_again_from_the_events(home: Home, clock: somebody.Clock) -> None:
    thought = intents.add_thought(home, "雨停以后")
    intents.add_intent(home, "", thought=thought.id)
    intents.close_intent(home, intents.add_intent(home, "二").id, outcome="好了")
    intents.add_hanging(home, "那封信", due="2026-04-01")
    clock.turn(hours=1)
    with home.change() as change:
        keeping.heard(change, window="w1", words=5)
    keeping.change_mood(home, "raise", 0.2, cause="收到了回信", source="self")
    vitals, lists = home.read_vitals(), home.read_lists()
    for path in (VITALS, LISTS):
        (Path(home.root) / path).write_bytes(b"\0" * 300)
    private(home)
    mended = mending.mend(home)
    assert mended.status == "ok"
    assert sorted(mended.mended) == [LISTS, VITALS]
    after = home.read_vitals()
    assert (after.mood, after.last_word_at, after.born_at) == (
        vitals.mood, vitals.last_word_at, vitals.born_at,
    )  # fmt: skip
    assert home.read_lists().intents == lists.intents
    assert home.read_lists().thoughts == lists.thoughts
    assert home.read_lists().hanging == lists.hanging
    assert intents.add_thought(home, "三").id == f"T{lists.made + 1}"
    kept = list((Path(home.root) / ".clew" / "aside").rglob("*.json"))
    assert [path.read_bytes() for path in kept] == [b"\0" * 300] * 2


def test_mending_sets_modes_right_and_leaves_texts_alone(home: Home) -> None:
    root = Path(home.root)
    before = (root / "refusals.toml").read_bytes()
    (root / "refusals.toml").chmod(0o666)
    root.chmod(0o755)
    mending.mend(home)
    assert oct(root.stat().st_mode & 0o777) == "0o700"
    assert oct((root / "refusals.toml").stat().st_mode & 0o777) == "0o600"
    assert (root / "refusals.toml").read_bytes() == before


def test_settings_that_cannot_be_read_are_mended_by_nobody(home: Home) -> None:
    (Path(home.root) / "persona.toml").write_bytes(b"")
    with pytest.raises(Refused):
        mending.mend(Home(home.root))
    assert (Path(home.root) / "persona.toml").read_bytes() == b""


def test_what_is_not_trusted_is_noted(home: Home) -> None:
    somebody.settings(home, runner='kind = "command"\ncommand = ["x"]')
    private(home)
    checked = checking.check(home)
    assert (checked.status, [note["code"] for note in checked.notes]) == (
        "ok",
        ["persona_untrusted"],
    )


# ---- the example ----------------------------------------------------------------------------------------

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "persona" / "许望潮"


def test_the_example_is_a_sound_home(tmp_path: Path) -> None:
    import shutil

    shutil.copytree(EXAMPLE, tmp_path / "许望潮")
    home = open_home(tmp_path / "许望潮", clock=somebody.Clock())
    private(home)
    os.chmod(home.root, 0o700)  # noqa: PTH101 - the root itself
    checked: Any = checking.check(home)
    assert (checked.status, checked.faults) == ("ok", [])
    assert {one.text for one in home.read_lists().open_intents()} == {
        "把去年十二月缺的那三格水位问清楚，问到谁就写谁", "弄明白桩上那圈白的是什么",
    }  # fmt: skip
    from clew.persona.folding import lists_of, vitals_of

    events = home.read_events()
    assert lists_of(events).intents == home.read_lists().intents
    assert vitals_of(events).mood == home.read_vitals().mood  # type: ignore[union-attr]


def test_the_example_opens_within_its_budget(tmp_path: Path) -> None:
    import shutil

    from clew.persona.opening import opening_card

    shutil.copytree(EXAMPLE, tmp_path / "许望潮")
    card = opening_card(open_home(tmp_path / "许望潮"))
    assert card.status == "ok" and card.bytes <= 6000
    assert card.text.startswith("# 许望潮")


def test_a_redacted_ledger_keeps_its_kinds_and_joins_up(home: Home, tmp_path: Path) -> None:
    """`"outcome":"<4>"`, `"reason":"<9>"`, `"source":"<7>"`: nobody could tell what had happened; and a
    window had another name in each file."""
    from clew.persona.wake.ledger import Effect, ReasonChange

    with home.change() as change:
        saw(change, "secretwin", host="claude")
        saw(change, "otherwin", host="codex")
        change.event("opened", window="secretwin", source="startup", host="claude")
        change.append(
            "wake.jsonl", Effect(at=change.at, key="explore/2026-03-01/3", outcome="left")
        )
        change.append("wake.jsonl", ReasonChange(at=change.at, entry="opener", reason="quiet"))
        change.write(
            "channels/read.json",
            b'{"schema_version": 1, "board": {"secretwin": 1, "persona": 2, "zhangsan": 1}}',
        )
    writing.note(home, "给你", to="secretwin", by="zhangsan", window="otherwin")
    intents.close_intent(home, intents.add_intent(home, "a").id, outcome="secretword")
    exporting.export(home, str(tmp_path / "a.zip"), redact=True)
    with zipfile.ZipFile(tmp_path / "a.zip") as pack:
        found = {name: pack.read(name).decode() for name in pack.namelist()}
    effect, reason = map(json.loads, found["wake.jsonl"].splitlines())
    assert (effect["key"], effect["outcome"]) == ("explore/2026-03-01/3", "left")
    assert reason["reason"] == "quiet"
    (opened,) = (
        e for e in map(json.loads, found["events.jsonl"].splitlines()) if e["kind"] == "opened"
    )
    assert opened["facts"]["source"] == "startup"
    register = [one["id"] for one in json.loads(found["windows.json"])["windows"]]
    note = json.loads(found["channels/board.jsonl"].splitlines()[-1])
    assert register == ["w1", "w2"] and opened["window"] == "w1"
    assert (note["to"], note["window"], note["by"]) == ("w1", "w2", "n1")
    assert json.loads(found["channels/read.json"])["board"] == {"w1": 1, "persona": 2, "n1": 1}
    whole = "".join(found.values())
    for word in ("secretwin", "otherwin", "zhangsan", "secretword", "给你"):
        assert word not in whole
