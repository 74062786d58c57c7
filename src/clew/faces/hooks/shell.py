"""Takes a shell command line apart into simple commands: words, redirections, here-documents.

Pure, linear in the text, never raises for what is in it. A shell cannot be fully parsed without
running it, so a word knows whether it is *sure*: what stands in it was written out. A word with a
substitution, a glob or a variable that nobody set is not. A quote or bracket that is not closed ends
it all. In which order commands run, and where, is `flow`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

COMMAND_CHARS: Final = 1_000_000
VALUE_CHARS: Final = 4_096
"""A longer value of a variable is no path, and is not known."""
_NAMES: Final = 1_000
_DEPTH: Final = 100
KEYWORDS: Final = (
    "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "for", "select", "case", "esac",
    "function", "!", "{", "}", "time",
)  # fmt: skip
_BLANK: Final = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_COMMENT: Final = re.compile(r"#[^\n]*")
_REDIRECT: Final = re.compile(r"(?:\d+|&)?(?:>>|>\||>&|<>|<<<|<<-?|<&|>|<)")
_CONTROL: Final = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|()\n]")
_PLAIN: Final = re.compile(r"[^\s'\"\\$`;&|()<>]+")
_SINGLE: Final = re.compile(r"'([^']*)'")
_ANSI: Final = re.compile(r"\$'((?:[^'\\]++|\\.)*+)'", re.DOTALL)
_IN_DOUBLE: Final = re.compile(r'[^"\\$`]+')
_NAME: Final = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
_GLOB: Final = re.compile(r"[*?\[{]")
_ARRAY: Final = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=", re.ASCII)
_TEST: Final = re.compile(r"&&|\|\||[()<>!\n]")
_SPECIAL: Final = re.compile(r"\$[0-9*@#?!$-]")
_CODE: Final = re.compile(
    r"""\\.|'[^']*'|"|`(?:[^`\\]++|\\.)*+`|\$?\(|\)|\$\{|\}|<<<|\n|\#[^\n]*|\bcase\s"""
    r"""|<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([^\s'"\\;&|()<>`]+))""",
    re.DOTALL,
)
"""What matters in a substitution; groups 1 to 4 are those of a here-document."""
_QUOTED: Final = re.compile(r'\\.|"|\$\(|\$\{|`(?:[^`\\]++|\\.)*+`', re.DOTALL)


class Word(NamedTuple):
    """One word as the shell would hand it on, as far as that is known."""

    text: str
    sure: bool
    pattern: bool = False
    """Not sure, and yet all of it is written out: a glob that the shell would fill in."""


class Simple:
    """One simple command."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[tuple[str, Word]] = []
        """Operators without their number, and what follows them."""
        self.documents: list[str] = []
        """The texts of its here-documents."""
        self.after = ""
        """The operator that ends it: `;`, a newline, `&&`, `|`, `&`, a bracket …; empty at the end."""


class Place:
    """Where the shell stands and what its variables are; None where that is not known."""

    def __init__(self, cwd: str | None, names: dict[str, str | None]) -> None:
        self.cwd = cwd
        self.names = names
        self.assigned: list[str] = []
        """Names in the order in which they got a value."""
        self.left: list[str | None] = []
        """Folders that `pushd` left, for `popd`."""

    def copy(self) -> Place:
        return Place(self.cwd, dict(self.names))

    def assign(self, name: str, value: str | None) -> None:
        """Give a variable a value; one that no path can have is not known."""
        if name in self.names or len(self.names) < _NAMES:
            known = value is not None and len(value) <= VALUE_CHARS
            self.names[name] = value if known else None
            self.assigned.append(name)

    def forget(self, mark: int) -> None:
        """Values that were given since `assigned` had that length are not known."""
        for name in self.assigned[mark:]:
            self.names[name] = None
        del self.assigned[mark:]


class Lexer:
    """Reads one command line from left to right.

    `simples` hands over each simple command before it reads on, so that what the caller learns from
    it (`cd`, an assignment) goes into `place` and holds for the words that follow.
    """

    def __init__(self, text: str, place: Place) -> None:
        self.place = place
        self._text = text[:COMMAND_CHARS]
        self._at = 0
        self._room = 2 * COMMAND_CHARS
        """Characters that variables may still fill in, and brackets may be looked at twice."""
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
            elif self._text.startswith("((", self._at) and self._arithmetic(simple):
                continue
            elif found := self._take(_CONTROL):
                simple.after = found
                waiting.append(simple)
                simple = Simple()
                if found == "\n":
                    self._documents()
                if not self._open:
                    yield from waiting
                    waiting = []
            else:
                word = self._word()
                if word is None or (word.text == "[[" and _begins(simple) and not self._test()):
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

    def _arithmetic(self, simple: Simple) -> bool:
        """Pass over `((…))`; False where it is two brackets of their own."""
        end = self._closing(self._at + 1, arithmetic=True)
        self._room -= (end if end > 0 else len(self._text)) - self._at
        if self._room < 0:
            self._at = len(self._text)  # brackets without end: nothing more is read
            return True
        if end < 0 or not self._text.startswith(")", end):
            return False
        self._at = end + 1
        simple.words.append(Word("", False))
        return True

    def _test(self) -> bool:
        """Pass over what stands in `[[ … ]]`, where < and > compare; False when it is not closed."""
        while self._at < len(self._text):
            if self._take(_BLANK) or self._take(_TEST):
                continue
            word = self._word()
            if word is None:
                return False
            if word.text == "]]":
                return True
        return False

    def _word(self) -> Word | None:
        """The next word, or None when a quote or bracket in it is not closed."""
        start, parts, sure, pattern = self._at, [], True, False
        while self._at < len(self._text):
            here = self._text[self._at]
            if here == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                parts.append("" if escaped == "\n" else escaped)
                self._at += 2
            elif found := _ANSI.match(self._text, self._at):
                parts.append(found[1])
                sure = sure and "\\" not in found[1]
                self._at = found.end()
            elif here in "$`":
                known = self._dollar(parts)
                if known is None:
                    return None
                sure = sure and known
            elif here == "'":
                found = _SINGLE.match(self._text, self._at)
                if found is None:
                    return None
                parts.append(found[1])
                self._at = found.end()
            elif here == '"':
                known = self._double(parts)
                if known is None:
                    return None
                sure = sure and known
            elif found := _PLAIN.match(self._text, self._at):
                text, known = self._plain(found[0], first=self._at == start)
                parts.append(text)
                pattern = pattern or not known
                self._at = found.end()
            elif here == "(" and _ARRAY.fullmatch(self._text, start, self._at):
                end = self._closing(self._at)
                if end < 0:
                    return None
                self._at, sure = end, False
            else:
                break
        if self._at == start:
            self._at += 1  # a character that no rule takes, such as a form feed
        return Word("".join(parts), sure and not pattern, pattern=sure and pattern)

    def _double(self, parts: list[str]) -> bool | None:
        """Take a text in double quotes: whether all of it is known; None when it is not closed."""
        self._at += 1
        sure = True
        while self._at < len(self._text):
            here = self._text[self._at]
            if here == '"':
                self._at += 1
                return sure
            if here == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                keeps = escaped not in ("\\", '"', "$", "`", "\n")
                parts.append(f"\\{escaped}" if keeps else "" if escaped == "\n" else escaped)
                self._at += 2
            elif here in "$`":
                known = self._dollar(parts)
                if known is None:
                    return None
                sure = sure and known
            else:
                parts.append(self._take(_IN_DOUBLE))
        return None

    def _dollar(self, parts: list[str]) -> bool | None:
        """Take a variable or a substitution: whether it is known; None when it is not closed."""
        if found := _NAME.match(self._text, self._at):
            self._at = found.end()
            value = self.place.names.get(found[1] or found[2])
            self._room -= len(value or "")
            if value is None or self._room < 0:
                return False
            parts.append(value)
            return True
        if found := _SPECIAL.match(self._text, self._at):
            self._at = found.end()
            return False
        at = self._at + (self._text[self._at] == "$")
        if self._text[at : at + 1] not in ("(", "{", "`"):
            self._at += 1  # a lone dollar
            return False
        end = self._closing(at, arithmetic=self._text.startswith("((", at))
        self._at = end
        return None if end < 0 else False

    def _plain(self, text: str, *, first: bool) -> tuple[str, bool]:
        known = not _GLOB.search(text)
        if not first or not text.startswith("~"):
            return text, known
        home = self.place.names.get("HOME")
        if home is None or text[1:2] not in ("", "/"):
            return text, False
        return home + text[1:], known

    def _closing(self, at: int, *, arithmetic: bool = False) -> int:
        """The place behind the bracket or backtick that closes the one at `at`, quotes and
        here-documents passed over; -1 when there is none, or when a `case` makes brackets uneven."""
        text, stack = self._text, [self._text[at]]
        open_documents: list[tuple[str, bool]] = []
        at += 1
        if stack == ["`"]:
            found = re.compile(r"(?:[^`\\]++|\\.)*+`", re.DOTALL).match(text, at)
            return -1 if found is None else found.end()
        while found := (_QUOTED if stack[-1] == '"' else _CODE).search(text, at):
            token, at = found[0], found.end()
            if token == '"':
                if stack[-1] == '"':
                    stack.pop()
                else:
                    stack.append('"')
            elif token in ("(", "$(", "${"):
                stack.append(token[-1])
            elif token == {"(": ")", "{": "}"}.get(stack[-1]):
                stack.pop()
                if not stack:
                    return at
            elif arithmetic or stack[-1] != "(":
                continue
            elif token == "\n" and open_documents:
                at = self._behind(at, open_documents)
            elif token.startswith("<<") and token != "<<<":
                delimiter = found[2] or found[3] or found[4]
                open_documents.append((delimiter, found[1] == "-"))
            elif token.startswith("case"):
                return -1
            elif token.startswith("#") and text[found.start() - 1] not in " \t\n;(&|":
                at = found.start() + 1  # inside a word it begins no comment
            if len(stack) > _DEPTH:
                return -1
        return -1

    def _behind(self, at: int, documents: list[tuple[str, bool]]) -> int:
        """The place behind the here-documents that begin at `at`."""
        for delimiter, indented in documents:
            while at < len(self._text):
                line, at = self._line(at)
                if (line.lstrip("\t") if indented else line) == delimiter:
                    break
        documents.clear()
        return at

    def _line(self, at: int) -> tuple[str, int]:
        end = self._text.find("\n", at)
        end = len(self._text) if end < 0 else end
        return self._text[at:end].rstrip("\r"), min(end + 1, len(self._text))

    def _redirect(self, simple: Simple, operator: str) -> bool:
        start = self._at
        self._take(_BLANK)
        behind = self._text[self._at : self._at + 2]
        if behind in ("<(", ">(") or (start == self._at and behind[:1] == "("):
            # A process by the name of a file: where the operator itself is its first character, a word.
            if start == self._at and behind[:1] == "(":
                simple.words.append(Word("", False))
            self._at = self._closing(self._at + (behind[:1] != "("))
            return self._at > 0
        start = self._at
        word = self._word()
        if word is None:
            return False
        if operator in ("<<", "<<-"):
            delimiter = re.sub(r"['\"\\]", "", self._text[start : self._at])
            self._open.append((delimiter, operator == "<<-", simple))
        else:
            simple.redirects.append((operator, word))
        return True

    def _documents(self) -> None:
        """Take the here-documents that were opened on the line that ends here."""
        for delimiter, indented, simple in self._open:
            lines = []
            while self._at < len(self._text):
                line, self._at = self._line(self._at)
                if (line.lstrip("\t") if indented else line) == delimiter:
                    break
                lines.append(line)
            simple.documents.append("\n".join(lines))
        self._open = []


def _begins(simple: Simple) -> bool:
    """Whether the next word is a command: nothing but keywords stands before it."""
    return all(word.text in KEYWORDS for word in simple.words)
