"""The only reader of the environment and the home folder."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` costs a third of the start-up of `clew --version`
    from typing import Any


def language_asked(given: str | None = None) -> str | None:
    """The language that somebody asked for: the --lang option, else CLEW_LANG; None for neither."""
    return language(given) if given or os.environ.get("CLEW_LANG") else None


def language(given: str | None = None) -> str:
    """`zh` or `en`: the --lang option, else CLEW_LANG, else the locale."""
    for value in (
        given,
        os.environ.get("CLEW_LANG"),
        os.environ.get("LC_ALL"),
        os.environ.get("LC_MESSAGES"),
        os.environ.get("LANG"),
    ):
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def config_folder() -> str:
    """Where what clew remembers of this user lies (trusted folders)."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    return os.path.join(base or os.path.join(home(), ".config"), "clew")


def home() -> str:
    """The user's home folder."""
    return os.path.expanduser("~")


def library() -> str:
    """The library of this user, where none is named and none is near."""
    return os.path.join(home(), "clew")


def wake() -> str:
    """The entry of a persona's pulse that started this process; empty for any other start."""
    return os.environ.get("CLEW_WAKE", "")


def persona() -> str:
    """The persona that this process is for, where its starter has said so."""
    return os.environ.get("CLEW_PERSONA", "")


def fancy(stream: Any) -> bool:
    """Whether a person looks at this stream."""
    return stream is not None and bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def colour(stream: Any) -> bool:
    """Whether to use colour there (https://no-color.org)."""
    return fancy(stream) and not os.environ.get("NO_COLOR")


def interpreter() -> str:
    """The Python that runs clew."""
    return sys.executable
