"""Takes a shell command line apart into simple commands: words, redirections, here-documents.

Pure, linear in the text, never raises for what is in it. A shell cannot be fully parsed without
running it, so a word knows whether it is *sure*: what stands in it was written out. A word with a
substitution, a glob or a variable that nobody set is not. A quote that is not closed ends it all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

COMMAND_CHARS: Final = 1_000_000
_BLANK: Final = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_COMMENT: Final = re.compile(r"#[^\n]*")
_REDIRECT: Final = re.compile(r"(?:\d+|&)?(?:>>|>\||>&|<>|<<<|<<-?|<&|>|<)")
_CONTROL: Final = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|()\n]")
_PLAIN: Final = re.compile(r"[^\s'\"\\$`;&|()<>]+")
_SINGLE: Final = re.compile(r"'([^']*)'")
_ANSI: Final = re.compile(r"\$'((?:[^'\\]++|\\.)*+)'", re.DOTALL)
_DOUBLE: Final = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_NAME: Final = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_GLOB: Final = re.compile(r"[*?\[{]")
_ESCAPED: Final = re.compile(r'\\([\\"$`\n])')
_BRACKETS: Final = re.compile(r"\\.|'[^']*'|[(){}`]", re.DOTALL)
_CLOSING: Final = {"(": ")", "{": "}", "`": "`"}


class Word(NamedTuple):
    """One word as the shell would hand it on, as far as that is known."""

    text: str
    sure: bool


class Simple:
    """One simple command."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[tuple[str, Word]] = []
        """Operators without their number, and what follows them."""
        self.documents: list[str] = []
        """The texts of its here-documents."""


class Place:
    """Where the shell stands and what its variables are; None where that is not known."""

    def __init__(self, cwd: str | None, names: dict[str, str | None]) -> None:
        self.cwd = cwd
        self.names = names

    def copy(self) -> Place:
        return Place(self.cwd, dict(self.names))


class Lexer:
    """Reads one command line from left to right.

    `simples` hands over each simple command before it reads on, so that what the caller learns from
    it (`cd`, an assignment) goes into `place` and holds for the words that follow.
    """

    def __init__(self, text: str, place: Place) -> None:
        self.place = place
        self._text = text[:COMMAND_CHARS]
        self._at = 0
        self._outer: list[Place] = []
        self._open: list[tuple[str, bool, Simple]] = []
        """Here-documents that follow after this line: delimiter, whether `<<-`, command."""

    def simples(self) -> Iterator[Simple]:
        """The simple commands in their order."""
        simple = Simple()
        waiting: list[Simple] = []
        while self._at < len(self._text):
            if self._take(_BLANK) or (self._fresh() and self._take(_COMMENT)):
                continue
            if found := self._take(_REDIRECT):
                if not self._redirect(simple, found.lstrip("0123456789&")):
                    return
            elif found := self._take(_CONTROL):
                waiting.append(simple)
                simple = Simple()
                if found == "\n":
                    self._documents()
                if not self._open:
                    yield from waiting
                    waiting = []
                if found == "(":
                    self._outer.append(self.place.copy())
                elif found == ")" and self._outer:
                    self.place = self._outer.pop()
            else:
                word = self._word()
                if word is None:
                    return
                simple.words.append(word)
        self._documents()
        yield from (*waiting, simple)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]

    def _fresh(self) -> bool:
        """Whether a `#` here starts a comment: not inside a word."""
        return self._at == 0 or self._text[self._at - 1] in " \t\r\n;&|()"

    def _word(self) -> Word | None:
        """The next word, or None when a quote in it is not closed."""
        start, parts, sure = self._at, [], True
        while self._at < len(self._text):
            here = self._text[self._at]
            if here == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                parts.append("" if escaped == "\n" else escaped)
                self._at += 2
                continue
            if found := _ANSI.match(self._text, self._at):
                text, known = found[1], "\\" not in found[1]
            elif found := _NAME.match(self._text, self._at):
                text, known = self._expanded(found[0])
            elif here in "$`":
                if not self._skip_substitution():
                    return None
                sure = False
                continue
            elif here == "'":
                found = _SINGLE.match(self._text, self._at)
                if found is None:
                    return None
                text, known = found[1], True
            elif here == '"':
                found = _DOUBLE.match(self._text, self._at)
                if found is None:
                    return None
                text, known = self._expanded(found[1])
                text = _ESCAPED.sub(lambda m: "" if m[1] == "\n" else m[1], text)
            elif found := _PLAIN.match(self._text, self._at):
                text, known = self._plain(found[0], first=self._at == start)
            else:
                break
            parts.append(text)
            sure = sure and known
            self._at = found.end()
        if self._at == start:
            self._at += 1  # a character that no rule takes, such as a form feed
        return Word("".join(parts), sure)

    def _plain(self, text: str, *, first: bool) -> tuple[str, bool]:
        known = not _GLOB.search(text)
        if not first or not text.startswith("~"):
            return text, known
        home = self.place.names.get("HOME")
        if home is None or text[1:2] not in ("", "/"):
            return text, False
        return home + text[1:], known

    def _expanded(self, text: str) -> tuple[str, bool]:
        """Text with its known variables filled in; False when something in it is not known."""
        known = True

        def value(found: re.Match[str]) -> str:
            nonlocal known
            given = self.place.names.get(found[1] or found[2])
            known = known and given is not None
            return given or ""

        rest = _NAME.sub("", text)
        return _NAME.sub(value, text), known and "$" not in rest and "`" not in rest

    def _skip_substitution(self) -> bool:
        """Pass over `$(…)`, `${…}` or backticks; False when it is not closed."""
        at = self._at + (self._text[self._at] == "$")
        opening = self._text[at : at + 1]
        closing = _CLOSING.get(opening)
        if closing is None:
            self._at += 1  # a lone dollar
            return True
        depth = 0
        for found in _BRACKETS.finditer(self._text, at):
            if found[0] == closing and depth:
                depth -= 1
                if depth == 0:
                    self._at = found.end()
                    return True
            elif found[0] == opening:
                depth += 1
        return False

    def _redirect(self, simple: Simple, operator: str) -> bool:
        self._take(_BLANK)
        start = self._at
        word = self._word()
        if word is None:
            return False
        if operator in ("<<", "<<-"):
            delimiter = re.sub(r"['\"\\]", "", self._text[start : self._at])
            self._open.append((delimiter, operator == "<<-", simple))
        elif not (simple.words and simple.words[0].text == "[["):  # there it compares
            simple.redirects.append((operator, word))
        return True

    def _documents(self) -> None:
        """Take the here-documents that were opened on the line that ends here."""
        for delimiter, indented, simple in self._open:
            lines = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line = self._text[self._at : end]
                self._at = min(end + 1, len(self._text))
                if (line.lstrip("\t") if indented else line).rstrip("\r") == delimiter:
                    break
                lines.append(line)
            simple.documents.append("\n".join(lines))
        self._open = []
