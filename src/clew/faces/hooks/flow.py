"""Which commands of a line run in the shell itself, and where it stands when they do.

Pure. Follows what is sure: a subshell, a part of a pipe and what runs in the background change
nothing outside of themselves; after an `if` or a loop that went elsewhere nobody knows where the shell
stands; what a function does is not known until it is called, and not then. A line whose brackets and
keywords do not pair is not understood, and nothing more of it is judged.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from clew.faces.hooks.shell import Place, Simple, Word

_OPENS: Final = {
    "{": "{", "if": "if", "while": "loop", "until": "loop", "for": "loop", "select": "loop",
    "case": "case",
}  # fmt: skip
_CLOSES: Final = {"}": "{", "fi": "if", "done": "loop", "esac": "case"}
_BETWEEN: Final = ("then", "elif", "else", "do", "!", "time")
_PIPES: Final = ("|", "|&")
_ENDS: Final = (";", "\n", ";;", ";&", ";;&", "&", "(", ")")
"""Operators behind which a new list of commands begins."""
_MOST: Final = 1_000


class _Mark(NamedTuple):
    """Where the shell stood, and how many values had been given."""

    cwd: str | None
    values: int


class _Frame(NamedTuple):
    """A compound command that is open."""

    kind: str
    start: _Mark
    apart: bool
    """It runs in a process of its own."""
    function: bool
    name: str
    """Of an opening bracket: the word before it, which may be a function's name."""
    outer: _Mark
    """Where the list of commands began that it is a part of."""
    moved: bool = False
    """One of its branches went elsewhere."""


class Step(NamedTuple):
    """A simple command as it runs."""

    words: list[Word]
    """Without the keywords before it."""
    base: str | None
    """Where its redirections are: those of a whole group are where the group began."""
    runs: bool
    """False for what only a function may run, and for what is no command."""


class Flow:
    """Walks through the simple commands of one line."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._frames: list[_Frame] = []
        self._functions: set[str] = set()
        self._inside = 0
        """Functions that are being written down here."""
        self._before = ""
        self._list = self._own = self._here()
        self._defining = False
        self._keyword = ""
        """The name behind the word `function`, while brackets may still follow."""
        self._named = ""
        self._apart = False

    def step(self, simple: Simple) -> Step | None:
        """The next command; None where the line is not understood."""
        place, words, base = self._place, simple.words, self._place.cwd
        piped = self._before in _PIPES
        self._apart = piped or simple.after in _PIPES
        if simple.after == ")" and self._frames and self._frames[-1].kind == "case":
            return Step([], base, False)  # a pattern
        at = 0
        while at < len(words):
            text = words[at].text
            if text in _OPENS:
                if not self._push(_OPENS[text], apart=piped):
                    return None
                if text in ("for", "select", "case"):
                    if at + 1 < len(words) and text != "case":
                        place.assign(words[at + 1].text, None)
                    at = len(words)
                    break
            elif text in _CLOSES:
                if not self._frames or self._frames[-1].kind != _CLOSES[text]:
                    return None
                base = self._frames[-1].start.cwd
                self._leave(apart=simple.after in (*_PIPES, "&"))
            elif text == "function" and at + 1 < len(words):
                at += 1
                self._keyword = words[at].text
                self._functions.add(self._keyword)
                self._defining = True
            elif text not in _BETWEEN:
                break
            elif text in ("else", "elif"):
                self._branch("if")
            at += 1
        rest = words[at:]
        self._own = self._here()
        self._named = self._keyword
        if not self._named:
            self._named = rest[0].text if len(rest) == 1 and not simple.redirects else ""
        if rest and rest[0].text in self._functions:
            place.cwd = None
        defines = simple.after == "(" and self._named
        return Step([] if defines else rest, base, not self._inside and not defines)

    def after(self, simple: Simple) -> bool:
        """Note what the command that ran leaves behind; False where the line is not understood."""
        if self._apart:
            self._back(self._own)
        if simple.after == "&":
            self._back(self._list)
        elif simple.after in (";;", ";&", ";;&"):
            self._branch("case")
        if simple.after == "(":
            if self._keyword:
                self._keyword, self._defining = "", False
            if not self._push("(", apart=True, name=self._named):
                return False
        elif simple.after == ")" and self._frames and self._frames[-1].kind != "case":
            frame = self._frames[-1]
            if frame.kind != "(":
                return False
            self._leave(apart=True)
            if frame.name and not simple.words and not simple.redirects:
                self._functions.add(frame.name)
                self._defining = True
        if simple.after in _ENDS:
            self._list = self._here()
        self._before = simple.after
        return True

    def _push(self, kind: str, *, apart: bool, name: str = "") -> bool:
        function, self._defining, self._keyword = self._defining, False, ""
        self._inside += function
        here = self._here()
        self._frames.append(_Frame(kind, here, apart, function, name, self._list))
        self._list = here
        return len(self._frames) <= _MOST

    def _leave(self, *, apart: bool) -> None:
        frame = self._frames.pop()
        self._inside -= frame.function
        self._list = frame.outer
        if apart or frame.apart or frame.function:
            self._back(frame.start)
        elif frame.kind != "{":
            moved = frame.moved or self._place.cwd != frame.start.cwd
            self._back(frame.start._replace(cwd=None) if moved else frame.start)

    def _branch(self, kind: str) -> None:
        """Another branch begins: it stands where the first one began."""
        if self._frames and self._frames[-1].kind == kind:
            frame = self._frames[-1]
            if self._place.cwd != frame.start.cwd:
                self._frames[-1] = frame._replace(moved=True)
            self._back(frame.start)

    def _here(self) -> _Mark:
        return _Mark(self._place.cwd, len(self._place.assigned))

    def _back(self, mark: _Mark) -> None:
        self._place.cwd = mark.cwd
        self._place.forget(mark.values)
