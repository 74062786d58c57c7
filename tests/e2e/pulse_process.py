"""One process of a persona's pulse, on a clock that runs sixty times as fast: a minute is a second.

python pulse_process.py run|wait|tick|notes HOME T0
python pulse_process.py host HOME T0 NAME SKEW      as a machine of that name, its clock SKEW seconds off
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from secrets import token_hex

from clew.kernel.errors import ClewError
from clew.persona.channels import writing
from clew.persona.home import Home, open_home
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.running import Resident, leaves_when_asked, meanwhile
from clew.persona.pulse.tick import tick
from clew.persona.pulse.view import Means

FAST = 60
BASE = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)  # 10:00 in Shanghai
NOTES = 40


def fast(t0: float) -> datetime:
    return BASE + timedelta(seconds=(time.time() - t0) * FAST)


def means(home: Home, kind: str) -> Means:
    owner = Owner.here(kind)  # type: ignore[arg-type]
    found = Means(owner, lambda folder, files: True, "en")
    return found._replace(meanwhile=meanwhile(home, found))


def host(folder: str, t0: float, name: str, skew: float) -> None:
    """What a resident does, with the name and boot of another machine; its first word is who has the
    pulse."""
    home = open_home(folder, clock=lambda: fast(t0) + timedelta(seconds=skew), lock_timeout=30.0)
    owner = Owner(token_hex(8), f"{name}#1", f"boot-of-{name}", os.getpid(), "run")
    mine = Means(owner, lambda folder, files: True, "en")
    said = False
    while True:
        found = tick(home, mine, tools=False)
        if not said:
            print(json.dumps({"holds": found.holds, "holder": found.holder}), flush=True)
            said = True
        time.sleep(0.05)


def main(mode: str, folder: str, t0: float) -> None:
    home = open_home(folder, clock=lambda: fast(t0), lock_timeout=30.0)
    if mode in ("run", "wait"):
        resident = Resident(home, means(home, "run"), standby=mode == "wait")
        with leaves_when_asked(resident):
            resident.run()
    elif mode == "notes":
        for number in range(NOTES):
            writing.note(home, f"note {number}", by="person")
            time.sleep(0.1)
    else:
        held = means(home, "tick")
        while True:
            try:
                tick(home, held)
            except ClewError as error:
                print(error, file=sys.stderr)
            time.sleep(0.05)


if __name__ == "__main__" and sys.argv[1] == "host":
    host(sys.argv[2], float(sys.argv[3]), sys.argv[4], float(sys.argv[5]))
elif __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
