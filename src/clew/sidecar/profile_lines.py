"""Where things stand in a TOML text: the line of every key, table and list item. Pure.

The standard parser tells no lines. This scanner reads a text that the parser has accepted already,
so it only has to find its way, not to judge.
"""

from __future__ import annotations

import tomllib
from typing import Final

Path = tuple[str | int, ...]
"""Keys and positions from the root: `("events", "buy", "change", 2, "when")`."""

_BARE: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Lines:
    """The lines of a text that the standard parser accepts."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._line = 1
        self._found: dict[Path, int] = {}
        self._items: dict[Path, int] = {}
        """How many tables each list of tables has so far."""
        table: Path = ()
        while self._at < len(self._text):
            self._space(newlines=True)
            if self._at >= len(self._text):
                break
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def of(self, path: Path) -> tuple[int, bool]:
        """The line of the nearest thing that is there, and whether it is the path itself."""
        known = path
        while known and known not in self._found:
            known = known[:-1]
        return self._found.get(known, 1), known == path

    def _note(self, path: Path) -> None:
        self._found.setdefault(path, self._line)

    def _step(self, count: int = 1) -> None:
        self._line += self._text.count("\n", self._at, self._at + count)
        self._at += count

    def _ahead(self, what: str) -> bool:
        return self._text.startswith(what, self._at)

    def _space(self, *, newlines: bool) -> None:
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif char in " \t" or (newlines and char == "\n"):
                self._step()
            else:
                return

    def _header(self) -> Path:
        many = self._ahead("[[")
        self._step(2 if many else 1)
        keys = self._keys()
        self._step(2 if many else 1)
        path: Path = ()
        for key in keys[:-1]:
            path = self._inside((*path, key))
        path = (*path, keys[-1])
        self._note(path)
        if many:
            number = self._items.get(path, -1) + 1
            self._items[path] = number
            path = (*path, number)
            self._note(path)
            return path
        return self._inside(path)

    def _inside(self, path: Path) -> Path:
        """A name in a header that belongs to a list of tables means its last table."""
        self._note(path)
        return (*path, self._items[path]) if path in self._items else path

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._space(newlines=False)
            start = self._at
            if self._text[self._at] in "\"'":
                self._string()
                keys.append(tomllib.loads(f"k = {self._text[start : self._at]}")["k"])
            else:
                while self._at < len(self._text) and self._text[self._at] in _BARE:
                    self._at += 1
                if self._at == start:
                    raise ValueError(f"no key at {start}")
                keys.append(self._text[start : self._at])
            self._space(newlines=False)
            if not self._ahead("."):
                return keys
            self._step()

    def _pair(self, table: Path) -> None:
        path = table
        for key in self._keys():
            path = (*path, key)
            self._note(path)
        self._step()  # =
        self._space(newlines=False)
        self._value(path)

    def _value(self, path: Path) -> None:
        char = self._text[self._at]
        if char in "\"'":
            self._string()
        elif char == "[":
            self._list(path)
        elif char == "{":
            self._step()
            self._space(newlines=True)
            while not self._ahead("}"):
                self._pair(path)
                self._comma()
            self._step()
        else:
            while self._at < len(self._text) and self._text[self._at] not in ",]}#\n":
                self._at += 1

    def _list(self, path: Path) -> None:
        self._step()
        self._space(newlines=True)
        number = 0
        while not self._ahead("]"):
            self._note((*path, number))
            self._value((*path, number))
            number += 1
            self._comma()
        self._step()

    def _comma(self) -> None:
        self._space(newlines=True)
        if self._ahead(","):
            self._step()
            self._space(newlines=True)

    def _string(self) -> None:
        quote = self._text[self._at]
        long = quote * 3
        mark = long if self._ahead(long) else quote
        self._step(len(mark))
        while not self._ahead(mark):
            self._step(2 if quote == '"' and self._ahead("\\") else 1)
        self._step(len(mark))
        while mark == long and self._ahead(quote):  # up to two quotes may stand before the end
            self._step()
