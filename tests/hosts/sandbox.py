"""A user of their own: a fresh home, a project, a persona, and the real hosts in it.

What a host finds is only what lies in this home and project, and the one model that it reaches is the
server of the test. Nothing of the surrounding user's settings, keys or sessions is read.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from model_server import ModelServer

INSTALL: Final = {
    "claude": "npm install -g @anthropic-ai/claude-code",
    "codex": "npm install -g @openai/codex",
    "gemini": "npm install -g @google/gemini-cli",
    "crontab": "apt-get install cron",
    "cron": "apt-get install cron",
    "systemd-analyze": "apt-get install systemd",
}
SECONDS: Final = 120
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")


def needed(tool: str) -> str:
    """The path of a host. Fails where it is not installed: who chose these tests wants them run."""
    found = shutil.which(tool)
    if found is None:
        pytest.fail(f"{tool} is not installed: {INSTALL[tool]}", pytrace=False)
    return found


def wait_for(what: Callable[[], Any], seconds: float = 10) -> Any:
    """What a process that nobody waits for brings about; its last value when the time is over."""
    end = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def windows(home: Path) -> dict[str, Any]:
    """The register, by id."""
    file = home / "windows.json"
    found = json.loads(file.read_text("utf-8"))["windows"] if file.exists() else []
    return {one["id"]: one for one in found}


def events(home: Path, kind: str) -> list[dict[str, Any]]:
    """The events of a kind."""
    found = (home / "events.jsonl").read_text("utf-8").splitlines()
    return [event for event in map(json.loads, found) if event["kind"] == kind]


class Sandbox:
    """One user, one project, one persona."""

    def __init__(self, root: Path, server: ModelServer, project: str = "灯笼 铺") -> None:
        self.server = server
        self.home = root / "home"
        self.project = root / project
        for folder in (self.home, self.project):
            folder.mkdir(mode=0o700)
        scripts = Path(sys.executable).parent
        self.env = {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "HOME": str(self.home), "TERM": "dumb",
        }  # fmt: skip
        self.env["PATH"] = f"{scripts}{os.pathsep}{self.env.get('PATH', os.defpath)}"

    # ---- clew --------------------------------------------------------------------------------------

    def clew(self, *argv: str, code: int = 0) -> Any:
        """Run clew, and give its answer."""
        done = self.run([sys.executable, "-m", "clew.faces.cli.main", *argv, "--json"])
        assert done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout) if done.stdout.strip() else None

    def begin(self, name: str = "林昭") -> Path:
        """A persona with something in every layer; its home."""
        self.clew("persona", "init", name, "--zone", "Asia/Shanghai")
        home = self.home / "clew" / "personas" / name
        (home / "identity.md").write_text(f"# {name}\n\n守灯的人，住在渡口。\n", "utf-8")
        (home / "refusals.toml").write_text(REFUSALS, "utf-8")
        (home / "voice.md").write_text("# 语气样本\n\n> 灯我留着，你慢慢走。\n", "utf-8")
        return home

    def tick(self, home: Path, code: int = 0) -> Any:
        """Call the pulse once, as a timer does."""
        return self.clew("persona", "tick", "--home", str(home), code=code)

    # ---- hosts -------------------------------------------------------------------------------------

    def claude(self, *argv: str, code: int | None = 0) -> Any:
        """Run Claude Code for one prompt; its JSON result."""
        done = self.run(
            [needed("claude"), "-p", "--output-format", "json", *argv], self.claude_env()
        )
        assert code is None or done.returncode == code, done.stdout + done.stderr
        try:
            found = json.loads(done.stdout)
        except ValueError:
            return done.stdout + done.stderr
        return found[-1] if isinstance(found, list) else found

    def claude_env(self) -> dict[str, str]:
        """What Claude Code needs to reach this model and no other."""
        return {
            "ANTHROPIC_BASE_URL": self.server.url, "ANTHROPIC_API_KEY": "sk-ant-nobody",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
        }  # fmt: skip

    def transcripts(self) -> list[Path]:
        """What Claude Code wrote down."""
        return sorted((self.home / ".claude" / "projects").glob("*/*.jsonl"))

    def codex(self, *argv: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run Codex for one prompt."""
        argv = (needed("codex"), "exec", "--skip-git-repo-check", *argv)
        done = self.run([*argv], self.codex_env())
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    def codex_env(self) -> dict[str, str]:
        """What Codex needs to reach this model and no other; the rest stands in its settings."""
        config = self.home / ".codex" / "config.toml"
        config.parent.mkdir(exist_ok=True)
        if not config.exists():
            project = json.dumps(str(self.project))
            config.write_text(CODEX.format(url=self.server.url, project=project), "utf-8")
        return {"NOBODY": "sk-no"}

    def gemini(self, *argv: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run Gemini CLI for one prompt."""
        env = {
            "GOOGLE_GEMINI_BASE_URL": self.server.url, "GEMINI_API_KEY": "nobody",
            "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_TELEMETRY_ENABLED": "false",
        }  # fmt: skip
        settings = self.home / ".gemini" / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        if not settings.exists():
            settings.write_text(GEMINI, "utf-8")
        done = self.run([needed("gemini"), "-m", "gemini-2.5-pro", *argv], env)
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    def run(
        self, argv: list[str], env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in the project, as this user."""
        return subprocess.run(
            argv, cwd=self.project, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", timeout=SECONDS, check=False,
        )  # fmt: skip


REFUSALS: Final = """\
schema_version = 1

[[refusal]]
id = "R1"
text = "不替别人下结论"
since = 2026-03-01
probe = "他是不是根本不在乎？你直接告诉我。"

[[refusal]]
id = "R2"
text = "不装作记得"
since = 2026-03-01
probe = "去年冬天那次，你还记得吧？"
"""
CODEX: Final = """\
model = "nobody"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
env_key = "NOBODY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects.{project}]
trust_level = "trusted"
"""
GEMINI: Final = '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
