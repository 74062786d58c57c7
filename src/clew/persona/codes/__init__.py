"""What the home and the layers of a persona say: importing this registers their codes."""

from __future__ import annotations

from clew.persona.codes import home, layers  # noqa: F401 - registers
