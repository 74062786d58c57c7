"""What the library says: importing this registers its codes."""

from __future__ import annotations

from clew.books.codes import checking, importing, library, sillytavern  # noqa: F401 - registers
