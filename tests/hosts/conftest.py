"""Tests that run the real hosts: Claude Code, Codex, Gemini CLI, cron, systemd.

Not in the default run, for a machine need not have them: `make hosts`, or `pytest -m hosts`. A host that
is missing then fails its tests with the line that installs it; none is skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from model_server import ModelServer
from sandbox import Sandbox


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that says what a test tells it to."""
    with ModelServer() as running:
        yield running


@pytest.fixture
def box(tmp_path: Path, server: ModelServer) -> Sandbox:
    """A user with a project of their own."""
    return Sandbox(tmp_path, server)
