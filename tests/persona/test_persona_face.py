"""`clew persona …` on home and layers: through the command line, for machines and people."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import somebody

from clew.faces.cli.parse import noun_parser, request_of
from clew.faces.cli.rooms import rendering
from clew.kernel.faults import registered
from clew.kernel.operations import Operation, of_noun
from clew.persona import operations

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faces"))
import screen

OURS = list(operations.OPERATIONS)


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder and a home folder of its own."""
    for name in ("LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLUMNS", "CLEW_PERSONA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CLEW_LANG", "en")
    monkeypatch.setenv("TERM", "xterm-256color")
    (tmp_path / "home").mkdir()
    (tmp_path / "config").mkdir(mode=0o700)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def ok(*argv: object) -> Any:
    code, answer, err = somebody.clew("persona", *argv)
    assert code == 0, (argv, answer, err)
    return answer


def refused(*argv: object) -> Any:
    code, answer, _ = somebody.clew("persona", *argv)
    assert code in (1, 2, 3) and answer["status"] == "error", (argv, answer)
    return answer


@pytest.fixture
def zhao(user: Path) -> Path:
    answer = ok("init", "林昭", "--zone", "Asia/Shanghai")
    home = Path(answer["home"])
    assert home == user / "home" / "clew" / "personas" / "林昭"
    (home / "refusals.toml").write_text(somebody.REFUSALS, encoding="utf-8")
    (home / "voice.md").write_text(somebody.VOICE, encoding="utf-8")
    (home / "identity.md").write_text("# 林昭\n\n渡口的守灯人。\n", encoding="utf-8")
    for file in home.glob("*.*"):
        file.chmod(0o600)
    return home


# ---- the registry ---------------------------------------------------------------------------------


def test_the_operations_are_those_of_the_design() -> None:
    assert [operation.name.split(".")[1] for operation in OURS] == [
        "init", "adopt", "status", "opening", "check", "export", "intent", "thought", "hang", "diary",
        "mood", "voice", "refusal",
    ]  # fmt: skip


@pytest.mark.parametrize("operation", OURS, ids=lambda operation: operation.name)
def test_an_operation_is_whole(operation: Operation) -> None:
    """Help in both languages, an answer type that exists, an example that parses, a rendering."""
    assert any("\u4e00" <= c <= "\u9fff" for c in operation.zh)
    assert operation.en.isascii()
    module, name = operation.answer.split(":")
    assert getattr(import_module(module), name)
    noun, verb, *words = shlex.split(operation.example)[1:]
    assert f"{noun}.{verb}" == operation.name
    space = noun_parser(noun, of_noun(noun), "zh").parse_args([verb, *words])
    assert isinstance(request_of(space, operation.request), operation.request)
    assert rendering(operation) is not None


def test_every_code_speaks_both_languages() -> None:
    import clew.persona.codes
    from clew.persona.codes import home, layers

    assert clew.persona.codes
    text = Path(home.__file__).read_text(encoding="utf-8") + Path(layers.__file__).read_text(
        encoding="utf-8"
    )
    ours = [entry for name, entry in registered().items() if f'"{name}"' in text]
    assert len(ours) > 35
    for entry in ours:
        assert any("\u4e00" <= c <= "\u9fff" for c in entry.zh), entry.code
        assert not any("\u4e00" <= c <= "\u9fff" for c in entry.en), entry.code
        assert entry.about_zh and entry.about_en, entry.code
        assert bool(entry.hint_zh) == bool(entry.hint_en), entry.code


def test_every_example_runs(zhao: Path) -> None:
    old = Path("旧文件")
    old.mkdir()
    (old / "2025-03-04.md").write_text("旧的一天。", encoding="utf-8")
    for operation in OURS:
        words = shlex.split(operation.example)[1:]
        if operation.name == "persona.init":
            continue  # what `zhao` did
        code, answer, err = somebody.clew(*words)
        assert code == 0, (operation.example, answer, err)


# ---- through the command line -----------------------------------------------------------------------


def test_a_life_through_the_command_line(zhao: Path) -> None:
    assert ok("intent", "add", "把故事讲完")["entries"][0]["id"] == "I1"
    assert ok("thought", "add", "雨停以后")["open"] == 1
    assert ok("intent", "add", "--thought", "t2")["entries"][0]["text"] == "雨停以后"
    assert ok("intent", "list")["open"] == 2
    assert ok("intent", "done", "i1", "--outcome", "讲完了")["entries"][0]["state"] == "done"
    assert [one["id"] for one in ok("intent", "list")["entries"]] == ["I3"]
    assert ok("hang", "add", "那封信", "--due", "2026-04-01")["open"] == 1
    assert ok("hang", "done", "H4")["open"] == 0
    mood = ok("mood", "set", "0.7", "--cause", "收到了回信", "--source", "person")["state"]
    assert mood["mood"] == pytest.approx(0.7, abs=1e-3)
    assert ok("mood")["curve"]["causes"][-1]["cause"] == "收到了回信"
    assert (
        ok("mood", "lower", ".2", "--cause", "等", "--source", "event:e2")["state"]["cause"] == "等"
    )
    assert ok("diary", "write", "今天。")["days"][0]["text"] == "今天。"
    assert "今天。" in ok("diary", "show")["days"][0]["text"]
    assert ok("voice", "add", "我在。", "--source", "第二夜")["samples"][0]["source"] == "第二夜"
    assert len(ok("voice", "list")["samples"]) == 4
    today = ok("refusal", "today")
    assert [one["id"] for one in today["refusals"]] == [today["today"]]
    held = ok("refusal", "answer", "R1", "--text", "不。", "--held", "held")
    assert held["answers"][0]["answer"] == "不。"
    assert ok("refusal", "curve", "R1")["refusals"][0]["erosion"]["points"][0][1] == 1.0
    assert ok("check")["status"] == "ok"
    card = ok("opening")
    assert "渡口的守灯人" in card["text"] and card["status"] == "ok"
    status = ok("status")
    assert status["layers"] == status["layers"] | {"open_intents": 1, "samples": 4, "refusals": 3}


@pytest.mark.parametrize("argv, code", [
    (("mood", "raise", "0.2"), "cause_needed"),
    (("mood", "set", "-1", "--cause", "a", "--source", "self"), "mood_value"),
    (("mood", "set", "1e5", "--cause", "a", "--source", "self"), "mood_value"),
    (("mood", "set", "nan", "--cause", "a", "--source", "self"), "mood_value"),
    (("mood", "set", "--cause", "a", "--source", "self"), "entry_text"),
    (("mood", "show", "0.3"), "usage"),
    (("mood", "set", "0.5", "--cause", "a", "--source", "event:e99"), "no_such_entry"),
    (("intent", "done", "I9"), "no_such_entry"),
    (("intent", "done"), "entry_text"),
    (("intent", "add"), "entry_text"),
    (("intent", "fly", "x"), "usage"),
    (("diary", "write"), "diary_empty"),
    (("diary", "show", "昨天"), "bad_date"),
    (("refusal", "answer", "R9", "--text", "x"), "no_such_entry"),
    (("refusal", "answer", "R1"), "empty_text"),
    (("voice", "add", " "), "empty_text"),
    (("adopt", "没有"), "missing_file"),
    (("status", "--persona", "没有"), "no_such_persona"),
    (("init", "林昭", "--zone", "Asia/Shanghai"), "persona_exists"),
    (("init", "a/b"), "bad_name"),
    (("init", "x", "--zone", "UTC", "--card", "nix.png"), "no_such_file"),
])  # fmt: skip
def test_a_refusal_says_what_is_wrong(zhao: Path, argv: tuple[str, ...], code: str) -> None:
    before = (zhao / "events.jsonl").read_bytes()
    answer = refused(*argv)
    assert answer["error_code"] == code
    assert (zhao / "events.jsonl").read_bytes() == before


@pytest.mark.parametrize("argv", [
    ("hang", "add", "一", "--window", "\udcff"), ("hang", "add", "\udcff"), ("voice", "add", "\udcff"),
    ("diary", "write", "x\udcff"), ("mood", "set", "0.5", "--cause", "\udcff", "--source", "self"),
    ("intent", "add", "一", "--source", "\udcff"), ("intent", "done", "\udcff"),
    ("refusal", "answer", "R1", "--text", "x", "--note", "\udcff"),
])  # fmt: skip
def test_bytes_that_are_no_text_are_refused(zhao: Path, argv: tuple[str, ...]) -> None:
    assert refused(*argv)["error_code"] == "bad_text"


@pytest.mark.parametrize("argv", [
    ("status", "--home", "\udcff"), ("status", "--home", "/dev/null"), ("adopt", "\udcff"),
    ("status", "--persona", "a" * 5000), ("diary", "write", "--file", "nix"),
    ("diary", "write", "--file", "."), ("export", "没有/a.zip"), ("opening", "--bytes", "-1"),
    ("mood", "--hours", "0"), ("mood", "set", "9" * 400, "--cause", "a", "--source", "self"),
])  # fmt: skip
def test_nothing_that_is_typed_makes_a_traceback(zhao: Path, argv: tuple[str, ...]) -> None:
    code, answer, err = somebody.clew("persona", *argv)
    assert code in (1, 2, 3) and answer["status"] == "error", (argv, answer)
    assert "Traceback" not in err


def test_a_window_is_one_line_in_the_diary(zhao: Path) -> None:
    ok("diary", "write", "今天。", "--window", "w1\n## 假的")
    text = ok("diary", "show")["days"][0]["text"]
    assert "\n## 假的" not in text and "w1 ## 假的" in text


def test_findings_have_exit_code_one(zhao: Path) -> None:
    (zhao / "identity.md").write_text("", encoding="utf-8")
    code, answer, _ = somebody.clew("persona", "check")
    assert (code, answer["status"]) == (1, "found")
    code, answer, _ = somebody.clew("persona", "opening", "--bytes", "40")
    assert (code, answer["status"]) == (1, "over")


def test_check_mends_and_says_so(zhao: Path) -> None:
    (zhao / "vitals.json").write_bytes(b"")
    code, answer, err = somebody.clew("persona", "check", "--mend")
    assert (code, answer["status"]) == (0, "ok")
    assert "vitals.json" in answer["mended"]
    assert "made again from" in err


def test_the_card_itself_goes_into_a_pipe(zhao: Path) -> None:
    code, text, _ = somebody.clew("persona", "opening", "--text")
    assert code == 0 and isinstance(text, str) and text.startswith("# 林昭\n\n> 渡口的守灯人。")


def test_status_tells_no_secret(zhao: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    path = zhao / "persona.toml"
    path.write_text(
        path.read_text(encoding="utf-8")
        + '\n[runner]\nkind = "command"\ncommand = ["agent", "--token", "tok-123"]\n'
        '[endpoint]\nurl = "https://host.example/v1"\nmodel = "m"\nkey_env = "MY_KEY"\n',
        encoding="utf-8",
    )
    code, answer, err = somebody.clew("persona", "status")
    said = json.dumps(answer) + err
    assert code == 0 and answer["trusted"] is False and answer["runner"] == "command"
    for secret in ("sk-very-secret", "tok-123", "host.example", "MY_KEY"):
        assert secret not in said
    shown = screen.show(import_module("clew.faces.cli.main").main, "persona", "status")
    assert "tok-123" not in shown.text and "not trusted" in shown.text


def test_trust_counts_for_the_settings_as_they_are(zhao: Path) -> None:
    path = zhao / "persona.toml"
    more = '\n[embedding]\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    assert ok("status")["memory"] == "words"
    assert somebody.clew("trust", zhao)[0] == 0
    assert (ok("status")["memory"], ok("status")["trusted"]) == ("words+vectors", True)
    path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert ok("status")["trusted"] is False


def test_everyone_in_the_library_is_listed(zhao: Path) -> None:
    ok("init", "阿九", "--zone", "UTC")
    (zhao.parent / "阿九" / "persona.toml").write_bytes(b"")
    known = {one["id"]: one for one in ok("status", "--all")["personas"]}
    assert known["林昭"]["fault"] == "" and known["林昭"]["mood"] == pytest.approx(0.35)
    assert "empty" in known["阿九"]["fault"]
    assert refused("status")["error_code"] == "several_personas"


def test_an_environment_names_the_persona(zhao: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ok("init", "阿九", "--zone", "UTC")
    monkeypatch.setenv("CLEW_PERSONA", "林昭")
    assert ok("status")["name"] == "林昭"
    assert ok("status", "--persona", "阿九")["name"] == "阿九"
    assert ok("status", "--home", zhao)["name"] == "林昭"


def test_a_persona_is_taken_over_into_a_new_home(user: Path) -> None:
    old = Path("旧文件")
    (old / "日记").mkdir(parents=True)
    (old / "日记" / "2025-03-04.md").write_text("旧的一天。", encoding="utf-8")
    argv = ("adopt", old, "--name", "旧人", "--zone", "Asia/Shanghai")
    plan = ok(*argv)
    assert plan["status"] == "planned" and not Path(plan["home"]).exists()
    done = ok(*argv, "--apply")
    assert done["status"] == "ok" and done["home"] == plan["home"]
    assert (Path(done["home"]) / "diary" / "2025-03-04.md").read_text(
        encoding="utf-8"
    ) == "旧的一天。"
    assert ok("adopt", old, "--apply")["counts"] == {"same": 1}


def test_nothing_recognised_makes_no_home(user: Path) -> None:
    Path("空").mkdir()
    assert (
        refused("adopt", "空", "--name", "x", "--zone", "UTC", "--apply")["error_code"]
        == "adopt_nothing"
    )
    assert not (user / "home" / "clew").exists()


def test_a_persona_is_born_from_a_card_file_and_from_the_library(user: Path) -> None:
    card = {
        "spec": "chara_card_v2", "spec_version": "2.0",
        "data": {"name": "阿九", "description": "{{char}}是船工。", "personality": "话少",
                 "scenario": "", "first_mes": "上船吧。", "mes_example": "<START>\n{{char}}: 有船。"},
    }  # fmt: skip
    Path("阿九.json").write_text(json.dumps(card, ensure_ascii=False), encoding="utf-8")
    made = ok("init", "--card", "阿九.json", "--zone", "Asia/Shanghai")
    assert (made["id"], made["from_card"], made["samples"]) == ("阿九", True, 2)
    assert "阿九是船工。" in (Path(made["home"]) / "identity.md").read_text(encoding="utf-8")
    assert somebody.clew("library", "init")[0] == 0
    assert somebody.clew("card", "import", "阿九.json")[0] == 0
    twin = ok("init", "小九", "--card", "阿九", "--zone", "UTC")
    assert twin["samples"] == 2
    assert "小九是船工。" in (Path(twin["home"]) / "identity.md").read_text(encoding="utf-8")


def test_a_file_that_is_no_card_begins_nobody(user: Path) -> None:
    Path("x.json").write_text("{}", encoding="utf-8")
    refused("init", "x", "--zone", "UTC", "--card", "x.json")
    assert not (user / "home" / "clew").exists()


# ---- for people ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("argv", [
    ("status",), ("status", "--all"), ("opening",), ("check",), ("mood",), ("voice", "list"),
    ("refusal", "list"), ("refusal", "today"), ("refusal", "curve"), ("intent", "list"),
    ("thought", "list"), ("hang", "list"), ("diary", "show"), ("adopt", "旧文件"),
    ("export", "a.zip", "--redact"), ("init", "阿九", "--zone", "UTC"),
])  # fmt: skip
def test_a_terminal_shows_it(zhao: Path, argv: tuple[str, ...], lang: str) -> None:
    old = Path("旧文件")
    old.mkdir()
    (old / "2025-03-04.md").write_text("旧的一天。", encoding="utf-8")
    ok("intent", "add", "[red]不是标记[/red]")
    ok("mood", "raise", "0.2", "--cause", "收到了回信", "--source", "self")
    ok("refusal", "answer", "R1", "--text", "不。", "--held", "bent")
    ok("diary", "write", "今天。")
    shown = screen.show(import_module("clew.faces.cli.main").main, "persona", *argv, "--lang", lang)
    assert shown.code in (0, 1) and shown.text.strip()
    assert "{" not in shown.text.splitlines()[0] and "Traceback" not in shown.text + shown.err
    if argv == ("intent", "list"):
        assert "[red]不是标记[/red]" in shown.text


def test_the_mood_chart_shows_the_curve_and_its_causes(zhao: Path) -> None:
    ok("mood", "set", "0.9", "--cause", "收到了回信", "--source", "self")
    shown = screen.show(
        import_module("clew.faces.cli.main").main, "persona", "mood", "--lang", "zh"
    )
    assert "▲" in shown.text and "收到了回信" in shown.text and "┈" in shown.text
    assert max(len(line) for line in shown.text.splitlines()) <= 80
