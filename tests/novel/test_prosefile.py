"""A book's prose settings, and detectors that run only where the author trusts them."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.faces.cli.trust import naming_files, store
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host
from clew.novel.ledger import Ledger
from clew.novel.prosefile import FILES, WHITELIST, Detector, Judged, judge, settings
from clew.testing.novel import begin_book

BODY = "# 第1章\n\n渡口起了雾。\n"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    root = tmp_path / "书"
    (root / "正文").mkdir(parents=True)
    (root / "正文/第001章.md").write_text(BODY, encoding="utf-8")
    return begin_book(root)


def write(ledger: Ledger, text: str, path: str = FILES[0]) -> Path:
    place = Path(ledger.root, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def reasons(ledger: Ledger) -> list[str]:
    """What a broken prose file is refused with; every fault is of that one kind."""
    with pytest.raises(Refused) as refused:
        settings(ledger)
    assert {f.code for f in refused.value.faults} == {"bad_prose_file"}
    found = [f.facts["reason"] for f in refused.value.faults]
    return [reason.en if isinstance(reason, Both) else reason for reason in found]


# ---- settings ------------------------------------------------------------------------------------


def test_without_a_file_the_defaults_hold(ledger: Ledger) -> None:
    found = settings(ledger)
    assert (found.config.strict, found.config.off, found.detectors, found.sources) == (
        False, frozenset(), (), (),
    )  # fmt: skip


def test_every_setting_is_read(ledger: Ledger) -> None:
    write(
        ledger,
        """
strict = true
off = ["meta-leak", "truncated"]
literals = ["TODO 酒馆"]
[thresholds]
repeat_sentence_times = 4
repeat_line_chars = 20
[detectors.house-style]
command = ["python3", "style.py"]
timeout = 2.5
[detectors.other]
command = ["x"]
""",
    )
    found = settings(ledger)
    assert found.config.strict is True
    assert found.config.off == {"meta-leak", "truncated"}
    assert found.config.literals == {"TODO 酒馆"}
    assert (found.config.repeat_sentence_times, found.config.repeat_line_chars) == (4, 20)
    assert found.detectors == (
        Detector("house-style", ("python3", "style.py"), 2.5),
        Detector("other", ("x",), 20.0),
    )
    assert found.sources == (FILES[0],)


def test_the_second_file_overrides_the_first(ledger: Ledger) -> None:
    write(ledger, 'strict = true\noff = ["truncated"]\n')
    write(ledger, "strict = false\n", FILES[1])
    found = settings(ledger)
    assert (found.config.strict, found.config.off) == (False, {"truncated"})
    assert found.sources == FILES


def test_a_byte_order_mark_and_windows_line_ends_are_fine(ledger: Ledger) -> None:
    place = write(ledger, "")
    place.write_bytes(b"\xef\xbb\xbfstrict = true\r\noff = []\r\n")
    assert settings(ledger).config.strict is True


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("strikt = true", "strikt"), ("strict = 1", "strict"), ("off = 'x'", "off"),
        ("off = [1]", "off"), ("literals = 3", "literals"),
        ("[thresholds]\nrepeat = 3", "thresholds.repeat"),
        ("[thresholds]\nrepeat_line_chars = 0", "thresholds.repeat_line_chars"),
        ("[thresholds]\nrepeat_line_chars = true", "thresholds.repeat_line_chars"),
        ("[thresholds]\nrepeat_line_chars = 1.5", "thresholds.repeat_line_chars"),
        ("[thresholds]\nstrict = 3", "thresholds.strict"),
        ("thresholds = 5", "thresholds"), ("detectors = ['x']", "detectors"),
        ("detectors = 5", "detectors"),
        ("[detectors]\nx = 5", "detectors.x"), ("[detectors.x]\ntimeout = 3", "detectors.x.command"),
        ("[detectors.x]\ncommand = 'ls'", "detectors.x.command"),
        ("[detectors.x]\ncommand = []", "detectors.x.command"),
        ("[detectors.x]\ncommand = ['ls', 1]", "detectors.x.command"),
        ("[detectors.x]\ncommand = ['ls']\ntimeout = 0", "detectors.x.timeout"),
        ("[detectors.x]\ncommand = ['ls']\ntimeout = nan", "detectors.x.timeout"),
        ("[detectors.x]\ncommand = ['ls']\ntimeout = 601", "detectors.x.timeout"),
        ("[detectors.x]\ncommand = ['ls']\ntimeout = 'soon'", "detectors.x.timeout"),
        ("[detectors.x]\ncommand = ['ls']\ntimeuot = 3", "detectors.x.timeuot"),
    ],
)  # fmt: skip
def test_a_wrong_key_or_value_is_refused_by_its_name(ledger: Ledger, text: str, key: str) -> None:
    write(ledger, text)
    (reason,) = reasons(ledger)
    assert reason.startswith(f"{key}")


def test_all_of_them_are_told_at_once(ledger: Ledger) -> None:
    write(
        ledger,
        "strikt = 1\nstrict = 1\noff = 1\n[thresholds]\na = 1\nb = 2\n[detectors.x]\ncommand = 3",
    )
    assert len(reasons(ledger)) == 6


@pytest.mark.parametrize(
    "data",
    [
        b"strict = ", b"\xff\xfe", b"strict = true\nstrict = true", "严 = 1".encode(),
        b"x = " + b"[" * 20_000, b"strict = " + b"9" * 6_000, b"a" * 3_000_000,
    ],
    ids=["torn", "encoding", "twice", "bare-key", "deep", "long-number", "long-key"],
)  # fmt: skip
def test_a_file_that_is_no_toml_is_refused_in_words(ledger: Ledger, data: bytes) -> None:
    Path(ledger.root, FILES[0]).write_bytes(data)
    assert len(reasons(ledger)) == 1


def test_a_prose_file_that_leads_out_of_the_book_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.toml").write_text("strict = true", encoding="utf-8")
    Path(ledger.root, FILES[0]).symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(Refused) as refused:
        settings(ledger)
    assert refused.value.code == "unsafe_path"


def test_one_line_is_a_whole_prose_file(ledger: Ledger) -> None:
    write(ledger, "strict = true")
    assert settings(ledger).config.strict is True


def test_thresholds_of_a_rule_stand_in_a_table_of_its_own_or_under_its_id(ledger: Ledger) -> None:
    write(
        ledger,
        '[thresholds]\nrepeat_sentence_times = 4\n"outline-copy.run_chars" = 20\n'
        "[thresholds.trailer-ending]\nchars = 300\n",
    )
    found = settings(ledger).config
    assert found.repeat_sentence_times == 4
    assert found.limits == {"outline-copy.run_chars": 20, "trailer-ending.chars": 300}


def test_a_fault_names_the_file_that_holds_the_key(ledger: Ledger) -> None:
    write(ledger, "off = ['trunkated']\nstrict = true\n")
    write(ledger, "strict = 1\n", FILES[1])
    with pytest.raises(Refused) as refused:
        settings(ledger)
    assert {f.facts["file"] for f in refused.value.faults} == set(FILES)
    assert "truncated" in refused.value.faults[0].message("zh")


def test_the_whitelist_beside_the_bodies_holds_texts_that_are_meant(ledger: Ledger) -> None:
    place = Path(ledger.root, WHITELIST)
    place.write_bytes("\ufeff# 口癖\r\nTODO 酒馆\r\n\r\n　占位符之书　\r\n".encode())
    write(ledger, 'literals = ["未完待续"]')
    assert settings(ledger).config.literals == {"TODO 酒馆", "占位符之书", "未完待续"}
    body = "# 第1章\n\n他走进 TODO 酒馆，读《占位符之书》。\n"
    assert judge(ledger, "正文/第001章.md", body.encode(), [], lambda f, s: False).findings == ()


def test_a_whitelist_in_another_encoding_is_refused_by_name(ledger: Ledger) -> None:
    Path(ledger.root, WHITELIST).write_bytes("酒馆".encode("gbk"))
    with pytest.raises(Refused) as refused:
        settings(ledger)
    assert [f.facts["file"] for f in refused.value.faults] == [WHITELIST]


def test_a_whitelist_without_end_is_refused_by_name(ledger: Ledger) -> None:
    Path(ledger.root, WHITELIST).write_text("\n".join(map(str, range(3000))), encoding="utf-8")
    with pytest.raises(Refused) as refused:
        settings(ledger)
    assert [f.facts["file"] for f in refused.value.faults] == [WHITELIST]


def test_the_body_is_held_against_the_outline(ledger: Ledger) -> None:
    plan = "沈砚在账房里找到被水泡过的旧账本，最后三页不见了。"
    body = f"# 第1章\n\n门开着。{plan}\n".encode()
    found = judge(
        ledger, "正文/第001章.md", body, [], lambda f, s: False, outline=f"- {plan}".encode()
    )
    assert [(f.rule, f.severity, f.line) for f in found.findings] == [
        ("outline-copy", "advisory", 3)
    ]
    gbk = judge(ledger, "正文/第001章.md", body, [], lambda f, s: False, outline=plan.encode("gbk"))
    assert gbk.findings == ()


def test_settings_reach_the_rules(ledger: Ledger) -> None:
    def kinds(text: str) -> set[str]:
        write(ledger, text)
        body = "# 第1章\n\n门开了——没有人。\n\n他慢慢地"
        found = judge(ledger, "正文/第001章.md", body.encode(), [], lambda f, s: False)
        return {finding.rule for finding in found.findings if finding.severity == "blocking"}

    assert kinds("") == {"truncated"}
    assert kinds("strict = true") == {"truncated", "punctuation-dash"}
    assert kinds("strict = true\noff = ['truncated']") == {"punctuation-dash"}
    assert kinds("literals = ['他慢慢地']") == set()


# ---- detectors -----------------------------------------------------------------------------------


def detector(ledger: Ledger, source: str, *, timeout: float = 20.0, name: str = "style") -> None:
    """A detector in the book that runs this Python."""
    Path(ledger.root, "detect.py").write_text(textwrap.dedent(source), encoding="utf-8")
    command = json.dumps([sys.executable, "-I", "detect.py"])
    write(ledger, f"[detectors.{name}]\ncommand = {command}\ntimeout = {timeout}\n")


def judged(ledger: Ledger, *, trusted: bool = True, notes: list[Fault] | None = None) -> Judged:
    notes = [] if notes is None else notes
    return judge(ledger, "正文/第001章.md", BODY.encode(), notes, lambda f, s: trusted)


GOOD = """
    import json, pathlib, sys
    body = pathlib.Path(sys.argv[-1])
    pathlib.Path("ran").write_text(str(pathlib.Path.cwd()))
    row = {"type": "fog", "severity": "blocking", "review": "mechanical", "line": 3, "column": 3,
           "message": f"雾 {body.name} {len(body.read_bytes())}", "excerpt": "起了雾"}
    print(json.dumps({"findings": [row, {"message": "soft"}]}))
    sys.exit(1)
"""


def test_an_untrusted_book_runs_nothing_and_says_so(ledger: Ledger) -> None:
    detector(ledger, GOOD)
    notes: list[Fault] = []
    found = judged(ledger, trusted=False, notes=notes)
    assert (found.findings, found.tool_errors) == ((), ())
    assert not Path(ledger.root, "ran").exists()
    (note,) = notes
    assert note.code == "detectors_untrusted"
    assert "style" in note.message("zh") and "clew trust" in note.hint("en")


def test_a_trusted_detector_gets_the_chapters_path_and_gives_findings(ledger: Ledger) -> None:
    detector(ledger, GOOD)
    notes: list[Fault] = []
    found = judged(ledger, notes=notes)
    assert (notes, found.tool_errors) == ([], ())
    hard, soft = found.findings
    assert (hard.rule, hard.severity, hard.review) == ("style/fog", "blocking", "mechanical")
    assert (hard.line, hard.column, hard.excerpt) == (3, 3, "起了雾")
    assert hard.message.zh == hard.message.en == f"雾 第001章.md {len(BODY.encode())}"
    assert (soft.rule, soft.severity, soft.review) == ("style/finding", "advisory", "semantic")
    assert (soft.line, soft.column) == (1, 1)
    assert Path(ledger.root, "ran").read_text(encoding="utf-8") == ledger.root


def test_a_finding_of_a_detector_can_be_left_out_by_its_id(ledger: Ledger) -> None:
    detector(ledger, GOOD)
    text = Path(ledger.root, FILES[0]).read_text(encoding="utf-8")
    write(ledger, f'off = ["style/fog"]\n{text}')
    assert [f.rule for f in judged(ledger).findings] == ["style/finding"]


def test_a_prose_file_that_changes_while_trust_is_asked_runs_nothing(ledger: Ledger) -> None:
    detector(ledger, GOOD)

    def asked(folder: str, files: tuple[str, ...]) -> bool:
        place = Path(ledger.root, FILES[0])
        place.write_text(place.read_text(encoding="utf-8") + "# other\n", encoding="utf-8")
        return True

    notes: list[Fault] = []
    found = judge(ledger, "正文/第001章.md", BODY.encode(), notes, asked)
    assert [note.code for note in notes] == ["detectors_untrusted"]
    assert found.findings == () and not Path(ledger.root, "ran").exists()


def _prints(text: str, code: int = 0) -> str:
    return f"import sys\nsys.stdout.buffer.write({text.encode()!r})\nsys.exit({code})\n"


@pytest.mark.parametrize(
    "source",
    [
        _prints(""), _prints("no findings"), _prints("[]"), _prints("{}"), _prints("null"),
        _prints('{"findings": null}'), _prints('{"findings": {"a": 1}}'),
        _prints('{"findings": [1]}'), _prints('{"findings": [{}]}'),
        _prints('{"findings": [{"message": "x", "line": "third"}]}'),
        _prints('{"findings": [{"message": "x", "line": null}]}'),
        _prints('{"findings": [{"message": "x", "line": Infinity}]}'),
        _prints('{"findings": [{"message": "x", "line": 1e999}]}'),
        _prints("[" * 200_000), _prints('{"findings": []}', 2), _prints('{"findings": []}', 5),
        "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\xff')\n",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
        "import sys\nsys.stdout.write('x' * 5_000_000)\n",
        "raise SystemExit('broken')\n",
    ],
    ids=[
        "empty", "words", "list", "no-key", "null", "findings-null", "findings-object", "row-number",
        "row-without-message", "line-word", "line-null", "line-infinity", "line-huge", "deep",
        "exit-2", "exit-5", "not-utf-8", "killed", "floods", "no-output",
    ],
)  # fmt: skip
def test_a_detector_that_gives_no_findings_is_never_taken_for_having_found_none(
    ledger: Ledger, source: str
) -> None:
    detector(ledger, source)
    found = judged(ledger)
    assert found.findings == ()
    (error,) = found.tool_errors
    assert error.startswith("style: ")


def test_a_detector_that_is_too_slow_is_stopped(ledger: Ledger) -> None:
    detector(ledger, "import time\ntime.sleep(60)\n", timeout=0.3)
    (error,) = judged(ledger).tool_errors
    assert error.startswith("style: ") and "Timeout" in error


@pytest.mark.parametrize(
    "command",
    ['["/nowhere/detect"]', '["no-such-program-here"]', '["./正文"]', '[""]', '["a\\u0000b"]'],
)
def test_a_detector_that_cannot_be_started_is_named(ledger: Ledger, command: str) -> None:
    write(ledger, f"[detectors.style]\ncommand = {command}\n")
    (error,) = judged(ledger).tool_errors
    assert error.startswith("style: ")


def test_odd_texts_of_a_detector_still_make_an_answer(ledger: Ledger) -> None:
    rows = [{"message": "\ud800" + "长" * 900, "excerpt": "\udfff\x1b[31m" * 99, "type": "\ud801"}]
    detector(ledger, _prints(json.dumps({"findings": rows})))
    import msgspec

    found = judged(ledger)
    assert found.tool_errors == () or found.tool_errors[0].startswith("style: ")
    for finding in found.findings:
        assert len(finding.excerpt) <= 60
        msgspec.json.encode(finding)  # an answer is UTF-8


def test_a_broken_detector_does_not_hide_the_findings_of_the_others(ledger: Ledger) -> None:
    detector(ledger, GOOD, name="good")
    text = Path(ledger.root, FILES[0]).read_text(encoding="utf-8")
    write(ledger, text + '[detectors.gone]\ncommand = ["/nowhere/x"]\n')
    found = judged(ledger)
    assert [f.rule for f in found.findings] == ["good/fog", "good/finding"]
    assert [e.split(":")[0] for e in found.tool_errors] == ["gone"]


# ---- trust, through the commands -----------------------------------------------------------------


@pytest.fixture
def run(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, dict[str, object], list[str]]]:
    """`chapter check` through the registry, as the command line runs it."""
    from clew.faces.cli.rooms import host_of
    from clew.kernel.operations import of_noun

    config = tmp_path / "config"
    config.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    outline = Path(ledger.root, "大纲/细纲_第001章.md")
    outline.parent.mkdir()
    outline.write_text("# 第1章：渡口\n字数目标：6\n字数口径：visible_chars_v1\n", encoding="utf-8")
    operation = next(op for op in of_noun("chapter") if op.name == "chapter.check")

    def go() -> tuple[int, dict[str, object], list[str]]:
        import msgspec

        host: Host = host_of("zh")
        answer = operation.run(host, operation.request(project=ledger.root, chapter=1))
        plain = msgspec.to_builtins(answer)
        return operation.exit_of(answer), plain, [note.code for note in host.notes]

    return go


def trust(ledger: Ledger) -> None:
    store().trust(ledger.root, naming_files(ledger.root))


def test_trust_is_given_by_the_author_and_ends_with_a_change_of_the_file(
    ledger: Ledger, run: Callable[..., tuple[int, dict[str, object], list[str]]]
) -> None:
    detector(ledger, GOOD)
    code, answer, notes = run()
    assert (code, answer["status"], notes) == (0, "ready", ["detectors_untrusted"])
    trust(ledger)
    code, answer, notes = run()
    assert (code, answer["status"], notes) == (1, "blocked", [])
    assert answer["quality"]["semantic_advisories"] == 1  # type: ignore[index]
    place = Path(ledger.root, FILES[0])
    original = place.read_bytes()
    place.write_bytes(original + b"# touched\n")
    code, answer, notes = run()
    assert (code, notes) == (0, ["detectors_untrusted"])
    place.write_bytes(original)
    assert run()[0] == 1
    write(ledger, "strict = true", FILES[1])  # a second naming file that was not there then
    assert run()[2] == ["detectors_untrusted"]
    Path(ledger.root, FILES[1]).unlink()
    store().revoke(ledger.root)
    assert run()[2] == ["detectors_untrusted"]


def test_a_book_that_moved_is_not_trusted_where_it_is_now(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    detector(ledger, GOOD)
    trust(ledger)
    moved = tmp_path / "别处"
    Path(ledger.root).rename(moved)
    notes: list[Fault] = []
    judge(Ledger(moved), "正文/第001章.md", BODY.encode(), notes, store().is_trusted)
    assert [note.code for note in notes] == ["detectors_untrusted"]


def test_a_missing_detector_is_tool_unavailable_with_its_name_and_exit_3(
    ledger: Ledger, run: Callable[..., tuple[int, dict[str, object], list[str]]]
) -> None:
    write(ledger, '[detectors.house-style]\ncommand = ["/nowhere/style"]\n')
    trust(ledger)
    code, answer, _ = run()
    assert (code, answer["status"]) == (3, "tool_unavailable")
    assert answer["available_actions"] == []
    quality = answer["quality"]
    assert quality["status"] == "unavailable"  # type: ignore[index]
    assert quality["tool_errors"][0].startswith("house-style: ")  # type: ignore[index]


@pytest.mark.parametrize("verb", ["commit", "accept-current-length"])
def test_a_missing_detector_stops_a_commit_with_exit_3(
    ledger: Ledger, run: object, capfdbinary: pytest.CaptureFixture[bytes], verb: str
) -> None:
    from clew.faces.cli import storyctl
    from clew.testing.novel import chapter, state_of, tree

    write(ledger, '[detectors.house-style]\ncommand = ["/nowhere/style"]\n')
    trust(ledger)
    path = Path(ledger.root, "tx.json")
    path.write_text(json.dumps(chapter(state_of(ledger))), encoding="utf-8")
    before = tree(ledger.root)
    line = ["chapter", verb, "--project", ledger.root, "--chapter", "1", "--input", str(path)]
    more = ["--force"] if verb != "commit" else []
    assert storyctl.main([*line, *more]) == 3
    assert tree(ledger.root) == before
    answer = json.loads(capfdbinary.readouterr().out)
    assert answer["error_code"] == "TOOL_UNAVAILABLE"
    assert answer["quality"]["tool_errors"][0].startswith("house-style: ")


def test_a_broken_prose_file_is_an_error_of_the_check_and_not_a_pass(
    ledger: Ledger, run: Callable[..., object]
) -> None:
    write(ledger, "strikt = true")
    with pytest.raises(Refused) as refused:
        run()
    assert refused.value.code == "bad_prose_file"


@pytest.mark.skipif(os.name == "nt", reason="permission bits of POSIX")
def test_settings_others_can_write_are_no_trust(
    ledger: Ledger, run: Callable[..., tuple[int, dict[str, object], list[str]]]
) -> None:
    detector(ledger, GOOD)
    trust(ledger)
    path = Path(os.environ["XDG_CONFIG_HOME"], "clew", "trusted.json")
    path.chmod(0o666)
    assert run()[2] == ["detectors_untrusted"]
