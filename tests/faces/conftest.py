"""Fixtures of the faces: a book, and a user without settings of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from booklet import Booklet


@pytest.fixture(autouse=True)
def user(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's configuration that no other test sees, and no language but the one a test names."""
    home = tmp_path_factory.mktemp("config")
    home.chmod(0o700)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(home))
    for name in ("LC_ALL", "LC_MESSAGES", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLEW_LANG", "en")
    monkeypatch.setenv("TERM", "xterm-256color")
    return home


@pytest.fixture
def book(tmp_path: Path) -> Booklet:
    """A book without a chapter; its path holds a space and Chinese."""
    return Booklet(tmp_path / "渡口 旧账").begin()


@pytest.fixture(params=["zh", "en"])
def lang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each of the two languages, as the user's own."""
    monkeypatch.setenv("CLEW_LANG", request.param)
    return str(request.param)
