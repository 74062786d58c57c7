"""The pulse under the real cron and a real user manager of systemd: it beats, and it goes without a trace."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sandbox import Sandbox, needed, wait_for

pytestmark = pytest.mark.hosts
BEAT = 130
"""Seconds in which a timer of a minute must have called."""
FOREIGN = '# 每天备份\nMAILTO=""\n\n17 4 * * * /usr/bin/true # 100\\%\n\t5 5 * * 0 echo a  b\n#0 0 * * * old\n'


def crontab(*argv: str, given: bytes | None = None) -> bytes:
    """Call the real crontab of this user."""
    done = subprocess.run([needed("crontab"), *argv], input=given, capture_output=True, check=False)
    assert done.returncode == 0 or b"no crontab" in done.stderr, done.stderr
    return done.stdout


@pytest.fixture
def table() -> Iterator[None]:
    """This user's own crontab, as it was, whatever a test does to it."""
    before = crontab("-l")
    yield
    if before:
        crontab("-", given=before)
    else:
        crontab("-r")


@contextmanager
def running_cron() -> Iterator[None]:
    """The daemon, where the machine does not run it already."""
    daemon = subprocess.Popen(
        [needed("cron"), "-f"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        time.sleep(0.5)
        if daemon.poll() is not None:
            said = daemon.stderr.read().decode() if daemon.stderr else ""
            if "lock" not in said:  # one that runs already holds its lock
                pytest.fail(f"cron does not start (it needs root): {said}", pytrace=False)
        yield
    finally:
        daemon.terminate()
        daemon.communicate(timeout=10)


def beats(home: Path) -> bool:
    """Whether a tick has come: the first one makes the digest."""
    return (home / "channels" / "digest.md").exists()


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("before", [FOREIGN, ""], ids=["a table", "none"])
def test_cron_calls_the_pulse_and_the_table_gets_its_bytes_back(box: Sandbox, before: str) -> None:
    home = box.begin()
    if before:
        crontab("-", given=before.encode())
    else:
        crontab("-r")
    timers = ["persona", "timers", "--home", str(home), "--kind", "cron"]
    shown = box.clew(*timers[:2], "install", *timers[2:], "--every", "1")
    assert shown["changed"] and not shown["applied"]
    assert crontab("-l") == before.encode()
    box.clew(*timers[:2], "install", *timers[2:], "--every", "1", "--yes")
    assert crontab("-l").startswith(before.encode())
    assert box.clew("persona", "timers", "status", "--home", str(home))["timers"][2]["current"]
    if before:
        with running_cron():
            assert wait_for(lambda: beats(home), BEAT), "no tick came"
    box.clew(*timers[:2], "remove", *timers[2:], "--yes")
    assert crontab("-l") == before.encode()


@contextmanager
def user_manager(box: Sandbox, run: Path) -> Iterator[None]:
    """A user manager of systemd that belongs to this user alone. It refuses to start where the machine
    was not booted with systemd, so it gets a `/run/systemd` of its own."""
    if os.getuid() or shutil.which("unshare") is None:
        pytest.fail("a user manager of its own needs root and unshare", pytrace=False)
    run.mkdir(mode=0o700)
    box.env["XDG_RUNTIME_DIR"] = str(run)
    box.env.pop("DBUS_SESSION_BUS_ADDRESS", None)
    script = (
        "mkdir -p /run/systemd && mount -t tmpfs tmpfs /run/systemd && mkdir /run/systemd/system && "
        "exec /lib/systemd/systemd --user"
    )
    manager = subprocess.Popen(
        ["unshare", "-m", "sh", "-c", script], env=box.env, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        if not wait_for(lambda: (run / "systemd" / "private").exists()):
            pytest.fail("systemd --user does not start here", pytrace=False)
        yield
    finally:
        manager.terminate()
        manager.wait(30)


def test_systemd_calls_the_pulse_and_nothing_is_left(box: Sandbox, tmp_path: Path) -> None:
    needed("systemd-analyze")
    home = box.begin()
    timers = ["--home", str(home), "--kind", "systemd"]
    with user_manager(box, tmp_path / "run"):
        box.clew("persona", "timers", "install", *timers, "--every", "1", "--yes")
        state = box.clew("persona", "timers", "status", "--home", str(home))["timers"][0]
        assert (state["current"], state["active"]) == (True, "active")
        assert wait_for(lambda: beats(home), BEAT), "no tick came"
        box.clew("persona", "timers", "remove", *timers, "--yes")
        left = box.run(["systemctl", "--user", "list-timers", "--all", "--no-legend"])
        assert left.stdout.strip() == ""
    assert [path for path in (box.home / ".config").rglob("*") if not path.is_dir()] == []


@pytest.mark.parametrize("resident", [[], ["--resident"]], ids=["timer", "resident"])
def test_systemd_finds_nothing_wrong_in_the_units(
    box: Sandbox, tmp_path: Path, resident: list[str]
) -> None:
    home = box.begin("林 昭 $HOME %h")
    with user_manager(box, tmp_path / "run"):
        box.clew(
            "persona",
            "timers",
            "install",
            "--home",
            str(home),
            "--kind",
            "systemd",
            "--yes",
            *resident,
        )
        units = [str(path) for path in (box.home / ".config/systemd/user").glob("clew-*")]
        judged = box.run([needed("systemd-analyze"), "verify", "--user", *units])
        assert (judged.returncode, judged.stderr.strip()) == (0, "")
        if resident:
            active = box.clew("persona", "timers", "status", "--home", str(home))["timers"][0][
                "active"
            ]
            assert active == "active"
            assert wait_for(lambda: beats(home), 60), "the resident pulse does not beat"
        box.clew("persona", "timers", "remove", "--home", str(home), "--kind", "systemd", "--yes")
