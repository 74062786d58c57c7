"""Two machines that share the folder of one persona: one pulse, handed on when its holder is gone.

Each is a process of its own with a name, a boot and a clock of its own; the clocks are up to two minutes
apart. Time runs sixty times as fast.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pulse_process import FAST
from test_pulse_kill import SCRIPT, begin, keeps_its_word, settle

from clew.persona.home import Home
from clew.persona.pulse.lease import EXPIRY
from clew.persona.pulse.story import tell


class Machine:
    """A machine that looks at the home all the time."""

    def __init__(self, home: Home, t0: float, name: str, skew: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), "host", home.root, str(t0), name, str(skew)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.told: dict[str, Any] = json.loads(self.process.stdout.readline())

    def die(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        _, err = self.process.communicate(timeout=60)
        assert not err, err.decode()


@pytest.fixture
def begun() -> Iterator[list[Machine]]:
    machines: list[Machine] = []
    yield machines
    for one in machines:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate(timeout=60)


def holders(home: Home) -> list[tuple[str, str]]:
    """Who had the pulse, one after the other, and how each came to it."""
    lines = [one.facts for one in tell(home, last=100_000).lines if one.kind == "host"]
    return [(str(one["change"]), str(one["holder"]).split(",")[0]) for one in lines]


@pytest.mark.parametrize("skew", [120, -120])
def test_the_pulse_is_one_machines_and_passes_on_when_that_is_gone(
    tmp_path: Path, begun: list[Machine], skew: int
) -> None:
    home = begin(tmp_path)
    with Path(home.root, "persona.toml").open("a") as file:
        file.write(
            "timeout_seconds = 30\n"
        )  # after which nobody waits for a run of another machine
    t0 = time.time()
    begun.append(first := Machine(home, t0, "attic", 0))
    begun.append(second := Machine(home, t0, "cellar", skew))
    assert first.told["holds"]
    assert not second.told["holds"] and second.told["holder"].startswith("attic, pid ")
    time.sleep(4)  # longer than a lease lasts: it is renewed, and nobody steals it
    assert holders(home) == [("taken", "attic")]
    ran = len(tell(home, last=100_000).runs)
    assert ran
    first.die()
    killed = time.time()
    time.sleep(max(0.0, (EXPIRY.total_seconds() - 60 - max(0, skew)) / FAST))
    assert holders(home) == [("taken", "attic")]
    while len(holders(home)) < 2 and time.time() < killed + 20:
        time.sleep(0.1)
    assert holders(home) == [("taken", "attic"), ("expired", "cellar")]
    begun.append(again := Machine(home, t0, "attic", 0))
    assert not again.told["holds"] and again.told["holder"].startswith("cellar, pid ")
    while len(tell(home, last=100_000).runs) <= ran + 1 and time.time() < killed + 30:
        time.sleep(0.2)
    again.die()
    second.die()
    assert len(tell(home, last=100_000).runs) > ran + 1, "the second machine wakes nothing"
    while time.time() < killed + (EXPIRY.total_seconds() + 240) / FAST:
        time.sleep(0.2)
    keeps_its_word(settle(home, t0), tmp_path / "witness")
