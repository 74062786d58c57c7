"""How the pulse looks on a terminal, and what its page says."""

from __future__ import annotations

import io
import re
import tomllib
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from heart import ALWAYS, means, program, tick
from rich.console import Console
from somebody import Clock, begin, settings

from clew.faces.cli.pulse import RENDERINGS
from clew.kernel.document import encode_line
from clew.persona import settings as settings_of
from clew.persona.home import Home
from clew.persona.pulse import ledgerfile, outbox, pausing, periodic, running, timers
from clew.persona.pulse.coming import coming
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.story import tell
from clew.persona.pulse.timer_texts import Job
from clew.persona.pulse_operations import OPERATIONS
from clew.persona.wake.ledger import Ledger, ReasonChange, Reserved
from clew.persona.wake.reasons import sentence

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, clock: Clock) -> Home:
    made = begin(tmp_path / "home", clock)
    settings(made, **ALWAYS)
    clock.turn(minutes=61)
    return made


def shown(name: str, answer: Any, lang: str) -> str:
    out = io.StringIO()
    Console(file=out, width=100, highlight=False).print(RENDERINGS[name](answer, lang))
    return out.getvalue()


def test_every_operation_of_the_pulse_has_a_rendering() -> None:
    assert set(RENDERINGS) == {operation.name for operation in OPERATIONS}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_tick_shows_what_ran_and_why_the_others_did_not(home: Home, lang: str) -> None:
    text = shown("persona.tick", tick(home, lang=lang), lang)
    assert sentence("no_intent", {}, lang) in text
    assert ("自写一句" if lang == "zh" else "monologue") in text
    assert "monologue/2026-03-01/21" in text


def test_a_tick_elsewhere_shows_who_has_the_pulse(home: Home) -> None:
    tick(home, "explore", owner=Owner("far", "elsewhere#1", "b", 4242, "run"))
    text = shown("persona.tick", tick(home, "monologue", "opener"), "en")
    assert text.count("elsewhere (resident") == 1 and "4242" not in text
    assert text.count("another host has the pulse") == 3 and "T13:" not in text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_prompt_that_was_only_laid_down_is_not_told_as_done(home: Home, lang: str) -> None:
    """A week of the default runner told `done 91` where nobody had done anything."""
    tick(home, "monologue", "explore", lang=lang)
    left, done = ("留了提示", "做完") if lang == "zh" else ("left", "done")
    assert left in shown("persona.tick", tick(home, "opener", lang=lang), lang)
    text = shown("persona.wake", tell(home, lang=lang), lang)
    assert text.count(left) == 4 and done not in text  # three runs, and their count
    assert "Asia/Shanghai" in text and "UTC+" not in text
    outbox.take(home, [run.wake for run in tell(home).runs if run.entry == "explore"])
    assert [bool(run.taken_at) for run in tell(home).runs] == [False, True, False]
    assert ("已取走" if lang == "zh" else "taken") in shown("persona.wake", tell(home), lang)


def test_a_failure_and_a_loss_are_seen(home: Home, tmp_path: Path) -> None:
    body = "sys.stderr.write('[red]no quota[/red]'); sys.exit(1)"
    settings(home, runner=f'kind = "command"\ncommand = {program(tmp_path, body)}')
    text = shown("persona.tick", tick(home, "explore"), "zh")
    assert "失败" in text
    found = shown("persona.wake", tell(home, lang="zh"), "zh")
    assert "[red]no quota" in found  # text of a program, never markup


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_next_shows_all_entries_and_tools_by_the_wall_clock(
    home: Home, clock: Clock, lang: str
) -> None:
    tick(home)
    text = shown("persona.next", coming(home, means(home, lang=lang)), lang)
    assert "Asia/Shanghai" in text
    assert "03-01 23:00:00" in text  # the monologue
    assert all(tool.name in text for tool in periodic.TOOLS)
    pausing.pause(home)
    again = shown("persona.next", coming(home, means(home, lang=lang)), lang)
    assert ("已暂停" if lang == "zh" else "paused") in again


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_other_answers_are_shown(home: Home, clock: Clock, lang: str) -> None:
    assert shown("persona.wake", tell(home), lang).strip()
    tick(home)
    assert "2026-03-01 21:01" in shown("persona.outbox", waiting(home), lang)
    assert shown("persona.outbox", outbox.take(home, all_of_it=True), lang).count("21") >= 1
    assert shown("persona.pause", pausing.pause(home, note="[b]x"), lang).count("[b]x") == 1
    assert shown("persona.resume", pausing.resume(home), lang) != shown(
        "persona.resume", pausing.resume(home), lang
    )
    ran = running.Resident(home, means(home, owner=Owner.here("run")), seconds=0).run()
    assert "林昭" in shown("persona.run", ran, lang)
    job = Job("林昭", home.root, ["/bin/true"], 1, False, "/bin")
    assert "cron" in shown("persona.timers", timers.status(job), lang)


def waiting(home: Home) -> outbox.Outbox:
    return outbox.Outbox(waiting=outbox.waiting(home))


# ---- the ledger when it is long ----------------------------------------------------------------------


def test_a_long_ledger_is_read_from_its_end(clock: Clock) -> None:
    lines = [
        ReasonChange(at=f"2025-0{1 + n % 9}-01T00:00:00.000Z", entry="opener", reason="dice")
        for n in range(20_000)
    ]
    last = Reserved(
        at="2026-03-01T11:00:00.000Z", entry="explore", date="2026-03-01", ordinal=38,
        due="2026-03-01T11:00:00.000Z", runner="outbox", deadline="2026-03-01T11:01:00.000Z",
    )  # fmt: skip
    data = b"\n".join(encode_line(line) for line in [*lines, last]) + b"\n"
    found = ledgerfile.recent_lines(data, clock())
    assert found[-1] == last
    assert len(found) < 5_000
    assert Ledger(found).used("explore", "2026-03-01", UTC) == 1


def test_what_a_wrong_clock_wrote_does_not_hide_todays_runs(clock: Clock) -> None:
    today = Reserved(
        at="2026-03-01T08:00:00.000Z", entry="explore", date="2026-03-01", ordinal=32,
        due="2026-03-01T08:00:00.000Z", runner="outbox", deadline="2026-03-01T08:01:00.000Z",
    )  # fmt: skip
    wrong = [
        ReasonChange(at="1970-01-01T00:00:00.000Z", entry="opener", reason="dice")
        for _ in range(300)
    ]
    data = b"\n".join(encode_line(line) for line in [today, *wrong]) + b"\n"
    assert today in ledgerfile.recent_lines(data, clock())


# ---- the page --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["pulse.md", "pulse.zh-CN.md"])
def test_the_settings_on_the_page_are_settings(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5
    for block in blocks:
        assert tomllib.loads(block)
        sheet = f'schema_version = 1\nid = "a"\nname = "a"\nzone = "Asia/Shanghai"\n{block}'
        _, faults = settings_of.parse(sheet.encode())
        assert [fault.message() for fault in faults] == []


@pytest.mark.parametrize("page", ["pulse.md", "pulse.zh-CN.md"])
def test_the_page_names_every_entry_and_every_tool_with_its_cadence(page: str) -> None:
    from clew.persona.wake.rules import ENTRIES

    text = (DOCS / page).read_text(encoding="utf-8")
    assert all(f"| `{entry}`" in text for entry in ENTRIES)
    for tool in periodic.TOOLS:
        hours = tool.minutes % 60 == 0
        number = tool.minutes // 60 if hours else tool.minutes
        unit = ("小时" if hours else "分钟") if "zh" in page else ("h" if hours else "min")
        assert f"| `{tool.name}` | {number} {unit} |" in text
