"""Timers of the operating system: shown first, reversible, never a foreign line."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from somebody import begin, clew

from clew.kernel.errors import Missing, Refused, StorageFailed
from clew.persona.home import Home
from clew.persona.pulse import timers
from clew.persona.pulse.timer_texts import (
    Job,
    cron_line,
    cron_with,
    cron_without,
    is_ours,
    plist,
    units,
)

FOREIGN = "MAILTO=me@example.org\n# my jobs\n15 4 * * 1 /usr/bin/backup --all # weekly\n"
CRONTAB = """#!/bin/sh
# Speaks the protocol of crontab(1): -l, -r, and a new table on standard input.
table="$FAKE_SPOOL/tab"
case "$1" in
  -l) [ -f "$table" ] || { echo "no crontab for $(id -un)" >&2; exit 1; }; cat "$table" ;;
  -r) [ -f "$table" ] || { echo "no crontab for $(id -un)" >&2; exit 1; }; rm "$table" ;;
  -) cat > "$table.new"
     grep -q refuse-me "$table.new" && { echo "errors in crontab file" >&2; exit 1; }
     mv "$table.new" "$table" ;;
  *) echo "usage: crontab [-l | -r | -]" >&2; exit 2 ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
# A user manager that answers `systemctl --user`: reload, enable, disable, is-active.
[ "$1" = --user ] || { echo "Failed to connect to bus" >&2; exit 1; }
shift
echo "$*" >> "$FAKE_SPOOL/calls"
units="${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"
case "$1" in
  daemon-reload) exit 0 ;;
  enable) [ -f "$units/$3" ] || { echo "Unit $3 not found" >&2; exit 1; }
          [ -f "$FAKE_SPOOL/broken" ] && { echo "refused for a test" >&2; exit 1; }
          touch "$FAKE_SPOOL/$3" ;;
  disable) rm -f "$FAKE_SPOOL/$3" ;;
  is-active) if [ -f "$FAKE_SPOOL/$2" ]; then echo active; else echo inactive; exit 3; fi ;;
  *) exit 1 ;;
esac
"""
LAUNCHCTL = """#!/bin/sh
# Answers bootstrap, bootout and print as launchctl(1) does for one agent.
case "$1" in
  bootstrap) [ -f "$3" ] || exit 5; touch "$FAKE_SPOOL/loaded" ;;
  bootout) [ -f "$FAKE_SPOOL/loaded" ] || exit 3; rm "$FAKE_SPOOL/loaded" ;;
  print) [ -f "$FAKE_SPOOL/loaded" ] || exit 113; echo state = waiting ;;
  *) exit 64 ;;
esac
"""


def job(**how: object) -> Job:
    plain: dict[str, object] = {
        "persona": "林昭", "root": "/home/me/clew/personas/林昭",
        "argv": ["/usr/bin/python3", "-m", "clew", "--home", "/home/me/50% off/$x \"y\" 'z'\\"],
        "every": 1, "resident": False, "path": "/usr/bin:/bin",
    }  # fmt: skip
    return Job(**(plain | how))  # type: ignore[arg-type]


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, and stand-ins for the tools that cannot work in a container."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("crontab", CRONTAB), ("systemctl", SYSTEMCTL), ("launchctl", LAUNCHCTL)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE_SPOOL", str(spool))
    return spool


# ---- texts -----------------------------------------------------------------------------------------


def test_two_homes_of_one_name_have_two_jobs() -> None:
    assert job().name != job(root="/elsewhere").name
    assert job(persona="Lin Zhao!").name.startswith("clew-persona-lin-zhao-")
    assert job().name.isascii()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
@pytest.mark.parametrize("resident", [False, True])
@pytest.mark.parametrize("every", [1, 15, 60])
def test_systemd_itself_finds_nothing_wrong_with_the_units(
    tmp_path: Path, resident: bool, every: int
) -> None:
    asked = job(argv=["/bin/true", "50%", '"y" $z', "第"], resident=resident, every=every)
    for name, text in units(asked).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    main = f"{asked.name}.{'service' if resident else 'timer'}"
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(tmp_path / main)],
        capture_output=True, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.strip()) == (0, "")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
@pytest.mark.parametrize(
    ("every", "apart"), [(1, 60), (2, 120), (5, 300), (10, 600), (15, 900), (30, 1800), (60, 3600)]
)
def test_systemd_itself_reads_the_calendar_as_it_is_meant(every: int, apart: int) -> None:
    from datetime import datetime

    text = units(job(every=every))[f"{job().name}.timer"]
    calendar = next(x for x in text.splitlines() if x.startswith("OnCalendar=")).split("=", 1)[1]
    done = subprocess.run(
        ["systemd-analyze", "calendar", "--iterations=4", calendar],
        capture_output=True, text=True, env={**os.environ, "TZ": "UTC", "LC_ALL": "C"}, check=True,
    )  # fmt: skip
    stamps = [
        datetime.strptime(" ".join(line.split()[-3:-1]), "%Y-%m-%d %H:%M:%S")
        for line in done.stdout.splitlines()
        if line.strip().startswith(("Next elapse:", "Iter"))
    ]
    assert len(stamps) == 4
    assert {int((b - a).total_seconds()) for a, b in pairwise(stamps)} == {apart}


def test_a_plist_says_what_is_called() -> None:
    value = plistlib.loads(plist(job(every=5)))
    assert value["ProgramArguments"] == list(job().argv)
    assert value["StartInterval"] == 300
    assert "StartInterval" not in plistlib.loads(plist(job(resident=True)))


@pytest.mark.parametrize(
    ("every", "fields"),
    [(1, "* * * * *"), (2, "*/2 * * * *"), (30, "*/30 * * * *"), (60, "0 * * * *")],
)
def test_the_fields_of_a_cron_line(every: int, fields: str) -> None:
    assert cron_line(job(every=every)).startswith(f"{fields} PATH=")


def test_a_cron_line_gives_every_word_to_the_shell_as_it_is(tmp_path: Path) -> None:
    words = ["/usr/bin/printf", "%s\\n", "a b", "50%", "$HOME", "'q'", '"w"', "第 一", "x;y"]
    line = cron_line(job(argv=words))
    command = line.split(" ", 5)[5].removesuffix(f" # {job().name}")
    # What cron does with it: `\\%` becomes `%`, and the rest goes to sh.
    command = command.replace("\\%", "%").replace(">/dev/null 2>&1", "")
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == words[2:]


@given(st.text(alphabet="ab #*\n\té第%", max_size=60))
def test_any_other_line_of_a_crontab_stays_to_the_byte(before: str) -> None:
    after = cron_with(before, job())
    assert after.startswith(before)
    assert sum(is_ours(line, job()) for line in after.splitlines()) == 1
    assert cron_with(after, job()) == after
    back = cron_without(after, job())
    assert back in (before, before + "\n")
    assert cron_without(before, job()) == before


def test_an_older_line_is_replaced_where_it_stands() -> None:
    old = cron_with(FOREIGN, job(every=30)) + "@daily /bin/true\n"
    new = cron_with(old, job(every=1))
    assert new == old.replace("*/30 * * * *", "* * * * *")
    assert cron_without(new, job()) == FOREIGN + "@daily /bin/true\n"


def test_the_line_of_another_home_is_foreign() -> None:
    other = job(root="/elsewhere")
    both = cron_with(cron_with(FOREIGN, other), job())
    assert cron_without(both, job()) == cron_with(FOREIGN, other)


# ---- cron ------------------------------------------------------------------------------------------


def test_cron_is_shown_first_then_installed_then_taken_away_to_the_byte(spool: Path) -> None:
    table = spool / "tab"
    table.write_text(FOREIGN)
    shown = timers.install(job(), "cron", apply=False)
    assert (shown.applied, shown.changed) == (False, True)
    assert "+* * * * *" in shown.steps[0].diff
    assert table.read_text() == FOREIGN
    assert timers.install(job(), "cron", apply=True).applied
    assert table.read_text() == cron_with(FOREIGN, job())
    assert not timers.install(job(), "cron", apply=True).changed
    assert [(one.installed, one.current) for one in timers.status(job()).timers][2] == (True, True)
    assert not timers.status(job(every=5)).timers[2].current
    timers.remove(job(), "cron", apply=False)
    assert table.read_text() == cron_with(FOREIGN, job())
    assert timers.remove(job(), "cron", apply=True).applied
    assert table.read_text() == FOREIGN
    assert not timers.remove(job(), "cron", apply=True).changed


def test_a_crontab_that_was_not_there_is_not_there_afterwards(spool: Path) -> None:
    assert timers.install(job(), "cron", apply=True).applied
    assert timers.remove(job(), "cron", apply=True).applied
    assert not (spool / "tab").exists()


def test_a_crontab_with_bytes_that_are_no_text_stays_as_it_is(spool: Path) -> None:
    before = b"# caf\xe9\n0 0 * * * /bin/true\n"
    (spool / "tab").write_bytes(before)
    timers.install(job(), "cron", apply=True)
    assert (spool / "tab").read_bytes().startswith(before)
    timers.remove(job(), "cron", apply=True)
    assert (spool / "tab").read_bytes() == before


def test_a_crontab_that_is_refused_is_told_and_kept(spool: Path) -> None:
    (spool / "tab").write_text(FOREIGN)
    with pytest.raises(StorageFailed) as error:
        timers.install(job(path="/bin:/refuse-me"), "cron", apply=True)
    assert error.value.code == "timer_refused"
    assert (spool / "tab").read_text() == FOREIGN


def test_cron_keeps_no_resident_process(spool: Path) -> None:
    with pytest.raises(Refused) as error:
        timers.install(job(resident=True), "cron", apply=True)
    assert error.value.code == "timer_resident"


# ---- systemd ---------------------------------------------------------------------------------------


def folder_of_units(tmp_path: Path) -> Path:
    return tmp_path / "me" / ".config" / "systemd" / "user"


def test_systemd_is_shown_first_then_installed_then_taken_away(spool: Path, tmp_path: Path) -> None:
    folder = folder_of_units(tmp_path)
    shown = timers.install(job(), "systemd", apply=False)
    assert not folder.exists()
    assert [step.command[:3] for step in shown.steps if step.command] == [
        ["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable"],
    ]  # fmt: skip
    assert timers.install(job(), "systemd", apply=True).applied
    assert sorted(path.suffix for path in folder.iterdir()) == [".service", ".timer"]
    assert not timers.install(job(), "systemd", apply=True).changed
    state = timers.status(job()).timers[0]
    assert (state.installed, state.current, state.active) == (True, True, "active")
    assert timers.remove(job(), "systemd", apply=True).applied
    assert list(folder.iterdir()) == []
    assert not (spool / f"{job().name}.timer").exists()
    assert not timers.remove(job(), "systemd", apply=True).changed


def test_a_timer_becomes_a_resident_process_and_leaves_no_unit_behind(
    spool: Path, tmp_path: Path
) -> None:
    timers.install(job(), "systemd", apply=True)
    assert timers.install(job(resident=True), "systemd", apply=True).applied
    assert [path.suffix for path in folder_of_units(tmp_path).iterdir()] == [".service"]


def test_an_installation_that_the_system_refuses_is_taken_back(spool: Path, tmp_path: Path) -> None:
    (spool / "broken").touch()
    with pytest.raises(StorageFailed) as error:
        timers.install(job(), "systemd", apply=True)
    assert error.value.code == "timer_refused"
    assert "refused for a test" in error.value.faults[0].message()
    assert list(folder_of_units(tmp_path).iterdir()) == []


def test_a_unit_of_that_name_that_is_not_ours_is_left_alone(spool: Path, tmp_path: Path) -> None:
    folder = folder_of_units(tmp_path)
    folder.mkdir(parents=True)
    foreign = folder / f"{job().name}.service"
    foreign.write_text("[Service]\nExecStart=/bin/mine\n")
    for change in (timers.install, timers.remove):
        with pytest.raises(Refused) as error:
            change(job(), "systemd", apply=True)
        assert error.value.code == "timer_foreign"
    assert foreign.read_text() == "[Service]\nExecStart=/bin/mine\n"


@pytest.mark.skipif(not shutil.which("systemctl"), reason="needs systemctl")
def test_the_real_systemctl_without_a_session_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    for name in ("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(StorageFailed) as error:
        timers.install(job(), "systemd", apply=True)
    assert error.value.code == "timer_refused"
    assert list(folder_of_units(tmp_path).iterdir()) == []
    assert not timers.status(job()).timers[0].installed


# ---- launchd, and what is not there ------------------------------------------------------------------


def test_launchd_is_installed_and_taken_away(spool: Path, tmp_path: Path) -> None:
    assert timers.install(job(), "launchd", apply=True).applied
    agents = tmp_path / "me" / "Library" / "LaunchAgents"
    assert [path.name for path in agents.iterdir()] == [f"local.{job().name}.plist"]
    assert timers.status(job()).timers[1].active == "loaded"
    assert timers.install(job(every=5), "launchd", apply=True).applied  # loaded anew
    assert timers.remove(job(), "launchd", apply=True).applied
    assert list(agents.iterdir()) == []
    assert not (spool / "loaded").exists()


def test_a_tool_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for kind in timers.KINDS:
        with pytest.raises(Missing) as error:
            timers.install(job(), kind, apply=True)
        assert error.value.code == "timer_tool_missing"
    with pytest.raises(Missing):
        timers.default_kind()
    assert not any(one.available or one.installed for one in timers.status(job()).timers)


def test_the_command_shows_and_then_does_it(spool: Path, tmp_path: Path) -> None:
    home: Home = begin(tmp_path / "home")
    at = ("--home", home.root, "--lang", "en")
    code, told, _ = clew("persona", "timers", "install", "--kind", "cron", *at)
    assert (code, told["applied"]) == (0, False)
    assert home.root in told["steps"][0]["diff"]
    code, told, _ = clew("persona", "timers", "install", "--kind", "cron", "--yes", *at)
    assert (code, told["applied"]) == (0, True)
    line = (spool / "tab").read_text()
    assert "persona tick --home" in line
    code, told, _ = clew("persona", "timers", "status", *at)
    assert [one["installed"] for one in told["timers"]] == [False, False, True]
    code, told, _ = clew("persona", "timers", "remove", "--kind", "cron", "--yes", *at)
    assert not (spool / "tab").exists()


def test_what_cron_is_told_is_a_command_that_works(spool: Path, tmp_path: Path) -> None:
    home: Home = begin(tmp_path / "home 50%")
    at = ("--home", home.root, "--lang", "en")
    clew("persona", "timers", "install", "--kind", "cron", "--yes", *at)
    command = (spool / "tab").read_text().split(" ", 5)[5].replace("\\%", "%")
    command = command.replace(">/dev/null 2>&1", "")
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert '"holds":true' in done.stdout, done.stderr
