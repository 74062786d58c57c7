"""Loads msgspec without what it does not need: nearly a tenth of a command.

msgspec asks `typing_extensions` for two names that Python 3.11 has itself, wherever some other package
brought it. Importing it costs 7 to 9 ms, more than a commit of a short book (docs/performance.md).
"""

from __future__ import annotations

import sys

_HIDDEN = "typing_extensions"


def load_msgspec() -> None:
    """Import msgspec; whoever asks for `typing_extensions` afterwards gets it."""
    if "msgspec" in sys.modules or _HIDDEN in sys.modules:
        return
    sys.modules[_HIDDEN] = None  # type: ignore[assignment] # "there is none", says the import system
    try:
        import msgspec  # noqa: F401 - loaded for those who come after
    finally:
        del sys.modules[_HIDDEN]
