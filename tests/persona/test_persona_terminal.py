"""What a persona's answers look like on a terminal: by its own clock, and within the terminal's width."""

from __future__ import annotations

import io
import itertools
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from heart import means
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from scribe import SESSION, Scribe, text, thinking
from somebody import Clock, begin

from clew.faces.cli import channels, persona, persona_parts, pulse
from clew.faces.cli.persona_parts import Column, Facts, Flow, Rows, Wall, breaks, many
from clew.kernel.operations import Host, of_noun
from clew.persona.home import Home
from clew.persona.pulse.coming import coming

WIDTHS = (40, 60, 80, 120)
RENDERINGS = {**persona.RENDERINGS, **channels.RENDERINGS, **pulse.RENDERINGS}
LONG = (
    "收到了回信，信里说渡口的灯修好了，可以回去看看；the lamp at the ferry has been mended at last"
)
COPIED = re.compile(r"\s*(clew |--after |\$ )")
"""Lines that are there to be copied stay whole, however narrow the terminal."""


def drawn(shown: Any, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(shown, crop=False)
    return [line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")]


# ---- folding --------------------------------------------------------------------------------------

WORDS = st.text(st.sampled_from("ab，。、（）《》灯渡口 /-：…\u0301ｆ"), max_size=60)


@given(WORDS, st.integers(2, 30), st.integers(2, 30))
def test_every_piece_fits_and_nothing_is_lost(line: str, width: int, first: int) -> None:
    cuts = breaks(line, width, first)
    places = [0, *cuts, len(line)]
    assert places == sorted(set(places)) or not line
    for number, (start, end) in enumerate(itertools.pairwise(places)):
        room = first if number == 0 else width
        assert cell_len(line[start:end].rstrip(" ")) <= room or end - start == 1


@pytest.mark.parametrize(
    ("line", "width", "pieces"),
    [
        ("没有人说话已经很久了。", 20, ["没有人说话已经很久", "了。"]),
        ("看《灯》和《渡口》", 12, ["看《灯》和", "《渡口》"]),
        ("one two three", 9, ["one two ", "three"]),
        ("/very/long/path/name", 11, ["/very/long/", "path/name"]),
        ("in Asia/Shanghai", 12, ["in ", "Asia/", "Shanghai"]),
        ("in Asia/Shanghai", 14, ["in ", "Asia/Shanghai"]),
        ("0123456789", 4, ["0123", "4567", "89"]),
    ],
)
def test_lines_are_cut_where_a_reader_would_cut_them(
    line: str, width: int, pieces: list[str]
) -> None:
    cuts = breaks(line, width)
    assert [line[a:b] for a, b in zip([0, *cuts], [*cuts, len(line)], strict=True)] == pieces


def test_a_text_goes_on_below_its_own_beginning() -> None:
    assert drawn(Flow("灯我留着，你慢慢走。灯我留着。", "★ "), 24) == [
        "★ 灯我留着，你慢慢走。灯", "  我留着。"
    ]  # fmt: skip
    assert drawn(Flow("没看见。", "2026-03-01 20:00  persona"), 28) == [
        "2026-03-01 20:00  persona", "      没看见。"
    ]  # fmt: skip
    assert drawn(Flow("one two three", "1 ", 4), 30) == ["1 one two three"]
    assert drawn(Flow("一\n二", "· "), 20) == ["· 一", "  二"]


def test_a_table_becomes_blocks_where_there_is_no_room_for_one() -> None:
    columns = [Column("name", bare=True), Column("kept"), Column("what for", flex=True)]
    rows = Rows(columns, [["board", "12", "a passing word, or a task that is handed over"]])
    assert drawn(rows, 60) == [
        "name   kept  what for",
        "board  12    a passing word, or a task that is handed over",
    ]
    assert drawn(rows, 34) == [
        "board  kept 12",
        "  what for a passing word, or a",
        "           task that is handed",
        "           over",
    ]


def test_names_stand_above_their_values_where_there_is_no_room_beside_them() -> None:
    facts = Facts([("a long name of a row", "value")])
    assert drawn(facts, 60) == ["a long name of a row  value"]
    assert drawn(facts, 30) == ["a long name of a row", "  value"]


def test_no_text_is_markup() -> None:
    assert drawn(Flow("[red]x[/red]"), 40) == ["[red]x[/red]"]
    assert drawn(Rows([Column("[b]")], [["[red]x"]]), 40) == ["[b]", "[red]x"]


def test_one_is_one() -> None:
    assert [many(n, "line") for n in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]


# ---- time -----------------------------------------------------------------------------------------


def test_a_moment_is_read_in_the_zone_of_the_persona() -> None:
    wall = Wall("Asia/Shanghai")
    assert wall.minute("2026-03-01T16:30:00.000Z") == "2026-03-02 00:30"
    assert wall.short("2026-03-01T16:30:00.000Z", "2026-03-02") == "00:30"
    assert wall.short("2026-03-01T16:30:00.000Z", "2026-03-01") == "03-02 00:30"
    assert wall.minute("2026-03-01") == "2026-03-01"
    assert wall.minute("when the lamp went out") == "when the lamp went out"
    assert wall.within("taken, 2026-03-01T16:30:00.123Z") == "taken, 2026-03-02 00:30"


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)),
    st.sampled_from(["Asia/Shanghai", "UTC"]),
)
def test_every_stamp_in_a_sentence_is_told_by_the_wall(moment: datetime, zone: str) -> None:
    said = Wall(zone).within(f"a {moment.isoformat(timespec='milliseconds')}Z b")
    assert re.fullmatch(r"a \d{4}-\d\d-\d\d \d\d:\d\d b", said)


# ---- every answer -----------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return begin(tmp_path / "林昭", Clock())


def lived(home: Home, tmp_path: Path, lang: str) -> list[tuple[str, Any]]:
    """Answers of every operation that shows something of a life."""
    talk = (
        Scribe().person(LONG).persona(text(LONG)).write(tmp_path / "a-long-folder/of-transcripts")
    )
    lost = Scribe("l").person("后来呢").persona(thinking(LONG)).write(tmp_path / "talks")
    clock: Any = home.clock
    host = Host(cwd=str(tmp_path), lang=lang, clock=clock)
    lines: list[tuple[str, dict[str, Any]]] = [
        ("intent", {"action": "add", "what": LONG, "due": "2026-02-01"}),
        ("intent", {"action": "add", "what": LONG}), ("hang", {"action": "add", "what": LONG}),
        ("thought", {"action": "add", "what": LONG}),
        ("mood", {"action": "raise", "value": "0.4", "cause": LONG, "source": "person"}),
        ("voice", {"action": "add", "what": LONG, "source": LONG}),
        ("diary", {"action": "write", "what": LONG}),
        ("board", {"action": "write", "text": LONG, "by": "阿灯", "to": "persona", "task": True}),
        ("board", {"action": "write", "text": LONG, "re": 1}),
        ("baton", {"action": "write", "text": LONG, "next": LONG, "avoid": LONG}),
        ("stream", {"action": "write", "text": LONG}),
        ("windows", {"action": "add", "id": SESSION, "transcript": str(talk), "host": "claude"}),
        ("windows", {"action": "add", "id": "l", "transcript": str(lost), "host": "claude"}),
        ("live", {"action": "write"}), ("archive", {"action": "run"}), ("guard", {}), ("tick", {}),
        ("tick", {"tool": ["digest", "state"]}),
        ("refusal", {"action": "answer", "refusal": "R1", "text": LONG, "held": "held"}),
        ("status", {}), ("opening", {}), ("check", {}), ("mood", {}), ("next", {}), ("wake", {}),
        ("outbox", {}), ("intent", {"action": "list"}), ("hang", {"action": "list"}),
        ("thought", {"action": "list"}), ("diary", {"action": "show"}), ("voice", {"action": "list"}),
        ("refusal", {"action": "list"}), ("refusal", {"action": "today"}), ("refusal", {"action": "curve"}),
        ("channels", {}), ("board", {"action": "read"}), ("baton", {"action": "read"}),
        ("stream", {"action": "read"}), ("live", {"action": "read"}), ("receipts", {"action": "read"}),
        ("digest", {"action": "read"}), ("windows", {}), ("archive", {"action": "status"}),
        ("archive", {"action": "verify"}), ("index", {}), ("search", {"text": "灯"}),
        ("search", {"text": "灯", "limit": 1}), ("watch-context", {}), ("timers", {}),
        ("pause", {"note": LONG}), ("status", {}), ("next", {}), ("resume", {}),
    ]  # fmt: skip
    operations = {one.name: one for one in of_noun("persona")}
    out = []
    for verb, fields in lines:
        clock.turn(minutes=7)
        operation = operations[f"persona.{verb}"]
        answer = operation.run(host, operation.request(home=home.root, **fields))
        out.append((operation.name, answer))
    return out


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_nothing_is_wider_than_the_terminal_and_no_column_is_a_word_wide(
    home: Home, tmp_path: Path, lang: str
) -> None:
    for name, answer in lived(home, tmp_path, lang):
        for width in WIDTHS:
            lines = drawn(RENDERINGS[name](answer, lang), width)
            wide = [line for line in lines if cell_len(line) > width and not COPIED.match(line)]
            assert not wide, (name, width, wide)
            # Folded into a column of a word each, an answer would be many times as long.
            assert len(lines) < 40 + 12 * len(drawn(RENDERINGS[name](answer, lang), 200)), (
                name,
                width,
            )


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_moment_in_utc_is_shown_to_a_person(home: Home, tmp_path: Path, lang: str) -> None:
    for name, answer in lived(home, tmp_path, lang):
        shown = "\n".join(drawn(RENDERINGS[name](answer, lang), 120))
        assert not re.search(r"\d\d:\d\d(:\d\d(\.\d+)?)?Z", shown), (name, shown)
        if lang == "en":  # the words of the program; what files hold is Chinese in here
            own = re.sub(r"[「『《].*?[」』》]", "", shown.replace(LONG, ""))
            assert "；" not in own.replace("看看；the", ""), (name, own)


def test_times_of_channels_are_those_of_the_diary(home: Home, tmp_path: Path) -> None:
    found = dict(lived(home, tmp_path, "zh"))
    board = "\n".join(drawn(RENDERINGS["persona.board"](found["persona.board"], "zh"), 80))
    assert board.count("Asia/Shanghai") == 1 and "2026-03-01 20:56" in board  # 12:56 in UTC


def test_a_cursor_is_quoted_for_the_shell(home: Home, tmp_path: Path) -> None:
    import shlex

    (answer,) = [
        one for name, one in lived(home, tmp_path, "en") if name == "persona.search" and one.next
    ]
    shown = drawn(RENDERINGS["persona.search"](answer, "en"), 80)[-1]
    assert shlex.split(shown) == ["--after", answer.next]


def test_status_tells_at_a_glance_what_a_person_wants_to_know(home: Home, tmp_path: Path) -> None:
    lived(home, tmp_path, "en")
    host = Host(cwd=str(tmp_path), lang="en", clock=home.clock)
    (operation,) = [one for one in of_noun("persona") if one.name == "persona.status"]
    answer = operation.run(host, operation.request(home=home.root))
    shown = "\n".join(drawn(RENDERINGS["persona.status"](answer, "en"), 600))
    for part in (
        f"because       {LONG}  · person, since", "usually 0.35", "nobody has spoken yet",
        "I1 " + LONG + " (by 2026-02-01, overdue)", "I2 " + LONG, "H3 " + LONG,
        "1 阿灯: " + LONG, f"{LONG} → {LONG}", "on its mind", "wakes", "pulse", "last look",
    ):  # fmt: skip
        assert part in shown, (part, shown)
    assert "1 task" not in shown  # it was answered


def test_a_task_that_nobody_answered_is_told(home: Home) -> None:
    from clew.persona.channels import writing
    from clew.persona.glance import glance

    writing.note(home, "核账", to="persona", task=True, by="阿灯")
    writing.note(home, "也核", to="persona", task=True, by="阿灯")
    writing.note(home, "好", by="persona", re=1)
    found: list[Any] = []
    seen = glance(home, home.read_lists(), means(home), found)
    assert (seen.unread, seen.unanswered, [note.n for note in seen.notes], found) == (
        2,
        1,
        [1, 2],
        [],
    )


def test_a_glance_tells_what_it_cannot_read_and_shows_the_rest(home: Home) -> None:
    from clew.persona.glance import glance

    Path(home.root, "windows.json").write_bytes(b"{")
    found: list[Any] = []
    seen = glance(home, home.read_lists(), means(home), found)
    assert found and seen.pulse is not None


def test_a_pulse_that_nothing_calls_is_told_with_the_line_that_mends_it(home: Home) -> None:
    answer = coming(home, means(home))
    shown = persona_parts.Wall(answer.zone)
    assert "clew persona timers install" in pulse.looked(answer, shown, "en").plain
    assert pulse.holder("", shown, "zh").plain == "无人"
    said = pulse.holder("vm, pid 7, tick, 2026-03-01T16:30:00.000Z", shown, "en").plain
    assert said == "vm (by ticks, since 2026-03-02 00:30)"


def test_a_light_of_a_window_is_told_in_the_users_language() -> None:
    assert channels._light("red", "zh") == Text("太长", style="red")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_steps_after_a_beginning_can_be_typed_as_they_stand(tmp_path: Path, lang: str) -> None:
    import shlex

    from clew.faces.cli.parse import noun_parser, request_of
    from clew.persona.answers import Begun

    begun = Begun(id="Mara Quill", home=str(tmp_path), zone="UTC", from_card=False, samples=0)
    lines = drawn(RENDERINGS["persona.init"](begun, lang), 60)
    typed = [shlex.split(line) for line in lines if line.strip().startswith("clew persona")]
    assert len(typed) == 3
    for _, noun, *words in typed:
        space = noun_parser(noun, of_noun(noun), lang).parse_args(words)
        request = request_of(space, space.operation.request)
        assert request.persona == "Mara Quill"  # type: ignore[attr-defined]


def test_what_is_trusted_is_listed_without_a_box_around_it() -> None:
    from clew.faces.cli.trust import Trusted, _table
    from clew.kernel.trust import TrustRecord

    assert drawn(_table(Trusted(action="list", folders=[]), "zh"), 40) == ["还没有信任任何文件夹"]
    record = TrustRecord(
        folder="/home/lin/clew/personas/林昭",
        files={"persona.toml": "0"},
        trusted_at="2026-03-01T16:30:00.000Z",
    )
    for width in WIDTHS:
        shown = drawn(_table(Trusted(action="list", folders=[record]), "en"), width)
        assert max(cell_len(line) for line in shown) <= width
        assert "persona.toml" in "".join(shown) and not re.search("[─-╿]", "".join(shown))


def asked(home: Home, verb: str, lang: str = "zh", **what: Any) -> str:
    """What a command shows on a wide terminal."""
    host = Host(cwd=home.root, lang=lang, clock=home.clock)
    (operation,) = [one for one in of_noun("persona") if one.name == f"persona.{verb}"]
    answer = operation.run(host, operation.request(home=home.root, **what))
    return "\n".join(drawn(RENDERINGS[f"persona.{verb}"](answer, lang), 200))


def test_a_line_of_a_window_says_which_one_spoke(home: Home) -> None:
    asked(home, "stream", action="write", text="雨停了", window="11112222-aaaa-bbbb")
    assert "11112222-aaa  雨停了" in asked(home, "stream")


def test_pages_that_were_taken_over_are_told_apart_by_their_dates(home: Home) -> None:
    folder = Path(home.root, "diary")
    folder.mkdir(exist_ok=True)
    for day, body in (("2026-02-27", "无风"), ("2026-02-28", "# 2026-02-28\n\n有雨")):
        (folder / f"{day}.md").write_text(body + "\n", encoding="utf-8")
    shown = asked(home, "diary", action="show", days=7)
    assert shown.count("2026-02-27") == 1 and shown.count("2026-02-28") == 1


def test_what_was_dropped_is_not_shown_as_done(home: Home) -> None:
    for ident in ("I1", "I2"):
        asked(home, "intent", action="add", what=ident)
    asked(home, "intent", action="done", what="I1")
    asked(home, "intent", action="drop", what="I2")
    asked(home, "thought", action="add", what="雨")
    asked(home, "thought", action="drop", what="T3")
    shown = asked(home, "intent", action="list", all=True)
    assert "✓ I1" in shown and "✗ I2" in shown
    assert "✗ T3" in asked(home, "thought", action="list", all=True)


def test_why_an_answer_was_judged_so_is_shown(home: Home) -> None:
    asked(home, "refusal", action="answer", refusal="R1", text="不知道", held="held", note="没有猜")
    assert "因为：没有猜" in asked(home, "refusal", action="curve")


def test_who_has_the_pulse_instead_is_told_once(home: Home) -> None:
    from heart import tick

    from clew.persona.pulse.lease import Owner

    tick(home, "explore", owner=Owner("far", "elsewhere#1", "b", 4242, "run"))
    shown = asked(home, "status")
    assert shown.count("elsewhere") == 1 and shown.count("脉搏在另一处") == 1
    assert "4242" not in shown


def test_a_note_that_waits_for_a_window_is_seen_at_a_glance(home: Home) -> None:
    asked(home, "windows", action="add", id="11112222-aaaa-bbbb")
    asked(home, "board", action="write", text="专给二窗", to="11112222-aaaa-bbbb", task=True)
    assert "给窗口 11112222-aaa 的 1 条没读，转交 1 件" in asked(home, "status")
    assert "留给窗口的 1" in asked(home, "digest", action="write")
    asked(home, "board", reader="11112222-aaaa-bbbb")
    assert "没有等着的" in asked(home, "status")


@pytest.mark.parametrize(
    ("words", "writes"),
    [("intent list", False), ("intent add x", True), ("opening", False), ("check", False),
     ("check --mend", True), ("status", False), ("stream read", False)],
)  # fmt: skip
def test_that_nothing_was_written_is_said_where_somebody_wanted_to_write(
    words: str, writes: bool
) -> None:
    from clew.faces.cli.parse import noun_parser
    from clew.faces.cli.rooms import _writes

    space = noun_parser("persona", of_noun("persona"), "en").parse_args(words.split())
    assert _writes(space.operation, space) is writes
