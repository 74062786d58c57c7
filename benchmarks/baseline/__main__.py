"""`python -m benchmarks.baseline commit|check --project DIR [--input FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.baseline.tool import check, commit


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=("commit", "check"))
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--input", type=Path)
    given = parser.parse_args(argv)
    if given.verb == "check":
        answer = check(given.project)
    else:
        with given.input.open(encoding="utf-8") as handle:
            document = json.load(handle)
        answer = commit(given.project, document)
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
