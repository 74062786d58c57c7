"""Compiles the shipped profiles: src/clew/sidecar/profiles/*.toml → *.json beside them.

    python scripts/compile_profiles.py            writes them
    python scripts/compile_profiles.py --check    exit 1 when one is stale, missing or orphaned

Each profile is checked, and its own test cases are run; faults are told, and nothing is written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from pages import ROOT, settle, wants_check

from clew.kernel.errors import Refused
from clew.kernel.faults import Fault
from clew.sidecar.cases import failures
from clew.sidecar.profile import compiled

PROFILES: Final = ROOT / "src" / "clew" / "sidecar" / "profiles"


def encode(profile: object) -> str:
    """The compiled form as it is shipped: one entry a line, so that changes can be read."""
    return json.dumps(profile, ensure_ascii=False, indent=1) + "\n"


def build() -> tuple[dict[Path, str], list[Fault]]:
    """What each compiled profile must be, and every fault."""
    made: dict[Path, str] = {}
    faults: list[Fault] = []
    for source in sorted(PROFILES.glob("*.toml")):
        try:
            found = compiled(source.read_text(encoding="utf-8"), source.name)
        except Refused as refused:
            faults.extend(refused.faults)
            continue
        faults.extend(failures(found))
        made[source.with_suffix(".json")] = encode(found.profile)
    return made, faults


def main() -> int:
    check = wants_check(__doc__ or "")
    made, faults = build()
    for fault in faults:
        sys.stderr.write(f"{fault.message()}\n")
    if faults:
        return 1
    orphans = [path for path in PROFILES.glob("*.json") if path not in made]
    return settle(made, orphans, check=check)


if __name__ == "__main__":
    sys.exit(main())
