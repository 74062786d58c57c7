"""Libraries and folders of cards for tests."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import cardfiles

from clew.books.bulk import import_cards
from clew.books.checking import check
from clew.books.library import Library, create_library
from clew.books.listing import Wanted, list_assets
from clew.books.records import Asset
from clew.books.reporting import Imported


class Clock:
    """A clock that goes on a second at each look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 8, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def library(tmp_path: Path, name: str = "library") -> Library:
    """A new library."""
    return create_library(tmp_path / name, clock=Clock())


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def png(name: str = "沈砚", *, pixels: int = 0, **more: Any) -> bytes:
    """A V2 card in a small picture; another `pixels`, another picture."""
    return cardfiles.card_png(cardfiles.v2(name, **more), width=3 + pixels)


def take(shelf: Library, *paths: Path | str, **how: Any) -> Imported:
    """Import, as a face would."""
    return import_cards(shelf, [str(path) for path in paths], **how)


def one(shelf: Library, tmp_path: Path, name: str = "沈砚", **more: Any) -> Asset:
    """A card on the shelf."""
    path = put(tmp_path / "in", f"{abs(hash((name, str(more))))}.png", png(name, **more))
    ident = take(shelf, path).items[0].id
    return asset(shelf, ident)


def asset(shelf: Library, ident: str) -> Asset:
    found = shelf.look(lambda reader: shelf.asset(reader, ident))
    assert found is not None
    return found


def titles(shelf: Library, **wanted: Any) -> list[str]:
    """Titles in a list, sorted."""
    return sorted(row.title for row in list_assets(shelf, Wanted(**wanted), limit=10_000).rows)


def clean(shelf: Library) -> bool:
    """Whether a deep check finds nothing."""
    found = check(shelf, deep=True)
    assert found.findings == [], found.findings
    return found.status == "ok"


def codes(lines: list[dict[str, Any]]) -> list[str]:
    return [line["code"] for line in lines]


def tree(folder: Path) -> dict[str, bytes]:
    """Every file, but for what is private or derived."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".clew" not in path.parts and not path.name.startswith("index.sqlite")
    }


def clew(*argv: object) -> tuple[int, Any, str]:
    """Run `clew …` in this process: exit code, the JSON of stdout, stderr."""
    from clew.faces.cli.main import main

    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
        for _ in range(2)
    )
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*map(str, argv)])
    text = out.buffer.getvalue()  # type: ignore[attr-defined]
    return code, json.loads(text) if text else None, err.buffer.getvalue().decode()  # type: ignore[attr-defined]
