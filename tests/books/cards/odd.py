"""One file for each odd shape that cards and lorebooks are found in, with what must come of it.

`FILES` is the table: a name, the bytes, and either the name that must be recovered or the code of
the refusal; beside it codes that the report must hold. Files that are large or meant to hurt are
made by `test_cards_hostile`. To have them on disk: `python tests/books/cards/odd.py FOLDER`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import odd_again
import odd_archives
import odd_chunks
import odd_further
import odd_lore
import odd_pictures
import odd_specs
import odd_text
import odd_values
from oddfile import Odd

FILES: list[Odd] = [
    *odd_chunks.FILES,
    *odd_text.FILES,
    *odd_pictures.FILES,
    *odd_specs.FILES,
    *odd_values.FILES,
    *odd_archives.FILES,
    *odd_lore.FILES,
    *odd_further.FILES,
    *odd_again.FILES,
]


def write(folder: Path) -> None:
    """Every file into a folder, each under its own name and its (sometimes misleading) extension."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in FILES:
        suffix = Path(one.file).suffix
        (folder / f"{one.ident}{suffix}").write_bytes(one.data)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
