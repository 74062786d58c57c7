"""Makes the environment that `make demo` and `make test` run in.

    python3 scripts/bootstrap.py .venv [--dev] [--lowest]

`--lowest` installs the lowest versions that pyproject.toml allows, for the job that proves them.
Needs nothing but Python 3.11 with venv; says so where venv is missing.
"""

from __future__ import annotations

import compileall
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    folder = Path(next((a for a in arguments if not a.startswith("-")), ".venv"))
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        try:
            import ensurepip  # noqa: F401 - without it `venv` makes an environment without pip
            import venv
        except ImportError:
            sys.stderr.write(
                "This Python has no venv module: install it (Debian: apt install python3-venv) and "
                "run again.\n这个 Python 缺少 venv 模块：装上（Debian：apt install python3-venv）后重跑。\n"
            )
            return 3
        venv.create(folder, with_pip=True)
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = list(data["project"]["dependencies"])
    if "--dev" in arguments:
        wanted += data["dependency-groups"]["dev"]
    if "--lowest" in arguments:
        wanted = [re.sub(r">=", "==", name) for name in wanted]
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for what in (
        [*wanted, "hatchling>=1.25", "editables>=0.5"],
        ["--no-deps", "--no-build-isolation", "-e", str(ROOT)],
    ):
        done = subprocess.run([*pip, *what], check=False)
        if done.returncode:
            sys.stderr.write("pip could not install what clew needs / pip 没能装好依赖\n")
            return done.returncode
    # A start-up that compiles first would not be clew's.
    compileall.compile_dir(ROOT / "src", quiet=2)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
