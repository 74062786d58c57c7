"""Finds the files that a shell command line writes or removes. Best effort, and said to be.

What counts is what is written out: redirections, `tee`, `cp`, `mv`, `touch` and their kin,
`sed -i`, `rm`, Python's `open(…, "w")`, inside `bash -c` too, after a literal `cd`. What a program
does by itself, what stands in a script file, and every word that is not sure are not seen.

Pure but for the question whether a path is a folder, which the caller answers.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import Final, NamedTuple

from clew.faces.hooks.flow import Flow, Step
from clew.faces.hooks.shell import VALUE_CHARS, Lexer, Place, Simple, Word
from clew.novel.guard import Touch

TOUCHES: Final = 1_000
_NESTED: Final = 3
_ASSIGN: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL | re.ASCII)
_WRITES: Final = (">", ">>", ">|", "<>", ">&")
_PREFIXES: Final = ("sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice")
_DECLARES: Final = ("export", "local", "declare", "readonly", "typeset")
_SHELLS: Final = ("sh", "bash", "zsh", "dash", "ksh")
_VALUED: Final = {
    "cp": "tS", "mv": "tS", "install": "tSmgo", "ln": "tS", "touch": "tdr", "truncate": "sr",
    "sed": "efl", "perl": "eEMmIFCDx", "sudo": "ughpC", "env": "uS", "nice": "n",
}  # fmt: skip
"""The one-letter options of a command that take the next word."""
_PYTHON: Final = re.compile(r"python[0-9.]*|py|pypy3?")
_OPEN: Final = re.compile(
    r"""\bopen\(\s*[rRuU]?(["'])([^"'\\\n]+)\1\s*,\s*(?:mode\s*=\s*)?["'][^"'\n]{0,4}[wax+]"""
)
_PATH: Final = re.compile(
    r"""\bPath\(\s*[rRuU]?(["'])([^"'\\\n]+)\1\s*\)\s*\.\s*"""
    r"""(?:write_text|write_bytes|touch|open\(\s*(?:mode\s*=\s*)?["'][wax])"""
)
_PATCH_HEADS: Final = {
    "*** Add File:": False,
    "*** Update File:": False,
    "*** Move to:": False,
    "*** Delete File:": True,
}
IsFolder = Callable[[str], bool]


def written(command: str, cwd: str, home: str, is_folder: IsFolder) -> list[Touch]:
    """The files that a command line surely writes or removes, in their order, `TOUCHES` at most."""
    place = Place(cwd, {"PWD": cwd, "HOME": home})
    found = _of_text(command, place, is_folder, 0)
    return list(dict.fromkeys(islice(found, TOUCHES)))


def _of_text(text: str, place: Place, is_folder: IsFolder, depth: int) -> Iterator[Touch]:
    flow = Flow(place)
    for simple in Lexer(text, place).simples():
        step = flow.step(simple)
        if step is None:
            return
        if step.runs:
            yield from _Command(simple, step, place, is_folder, depth).touches()
        if not flow.after(simple):
            return


def patched(patch: str, cwd: str) -> list[Touch]:
    """The files of a Codex patch (`*** Add File: …` and its kin). Content lines never begin so."""
    found = []
    for line in patch.splitlines():
        for head, removes in _PATCH_HEADS.items():
            if line.startswith(head) and (path := line.removeprefix(head).strip()):
                found.append(Touch(posixpath.join(cwd, path), removes))
    return found[:TOUCHES]


class _Command:
    """What one simple command does to files, where the shell stands now."""

    def __init__(
        self, simple: Simple, step: Step, place: Place, is_folder: IsFolder, depth: int
    ) -> None:
        self.simple = simple
        self.step = step
        self.place = place
        self.is_folder = is_folder
        self.depth = depth

    def touches(self) -> Iterator[Touch]:
        for operator, word in self.simple.redirects:
            duplicate = operator == ">&" and (word.text.isdigit() or word.text == "-")
            if operator in _WRITES and not duplicate and word.sure:
                path = _joined(self.step.base, word.text)
                yield from [Touch(path)] if path is not None else []
        words = self._stripped(self.step.words)
        if not words or not words[0].sure:
            return
        name, rest = posixpath.basename(words[0].text), words[1:]
        if name in ("cd", "pushd", "popd"):
            self._move(name, rest)
        elif name in _DECLARES:
            self._stripped([word for word in rest if _ASSIGN.fullmatch(word.text)])
        elif name in _SHELLS or name == "eval":
            yield from self._nested(name, rest)
        elif _PYTHON.fullmatch(name):
            yield from self._python(rest)
        elif name == "find":
            yield from self._found(rest)
        elif name == "apply_patch" and self.place.cwd is not None:
            for document in self.simple.documents:
                yield from patched(document, self.place.cwd)
        else:
            attached = "i" if name in ("sed", "perl") else ""
            yield from self._known(name, _options(rest, _VALUED.get(name, ""), attached))

    def _stripped(self, words: list[Word]) -> list[Word]:
        """The command without prefixes and assignments, which are noted."""
        at = 0
        while at < len(words):
            first = words[at]
            if assigned := _ASSIGN.fullmatch(first.text):
                self.place.assign(assigned[1], assigned[2] if first.sure else None)
            elif first.text in _PREFIXES:
                at = _after_options(words, at, _VALUED.get(first.text, ""))
            else:
                break
            at += 1
        return words[at:]

    def _move(self, name: str, rest: list[Word]) -> None:
        place = self.place
        if name == "popd":
            place.cwd = place.left.pop() if place.left and not rest else None
        else:
            home = Word(place.names.get("HOME") or "", True)
            target = (_options(rest, "").operands or [home])[0]
            known = target.sure and target.text[:1] not in ("-", "+")
            if name == "pushd":
                place.left.append(place.cwd)
                known = known and bool(rest)
            place.cwd = self._absolute(target.text) if known else None
        if place.cwd is not None and len(place.cwd) > VALUE_CHARS:
            place.cwd = None
        place.assign("PWD", place.cwd)

    def _found(self, rest: list[Word]) -> Iterator[Touch]:
        """`find FOLDER -delete`, where no test says which of the files."""
        tests = {word.text for word in rest if word.text.startswith("-")}
        if "-delete" in tests and tests <= {"-delete", "-type", "-depth", "-mindepth"}:
            folders = takewhile(lambda word: not word.text.startswith("-"), rest)
            yield from self._files([*folders], removes=True)

    def _known(self, name: str, given: _Given) -> Iterator[Touch]:
        files = given.operands
        if name in ("tee", "touch", "truncate"):
            yield from self._files(files)
        elif name in ("rm", "unlink", "rmdir"):
            yield from self._files(files, removes=True)
        elif name == "dd":
            outputs = [Word(w.text[3:], w.sure) for w in files if w.text.startswith("of=")]
            yield from self._files(outputs)
        elif name in ("sed", "perl") and given.has("i", "in-place"):
            own = ("e", "f", "expression", "file") if name == "sed" else ("e", "E")
            script = 0 if given.has(*own) else 1
            yield from self._files(files[script:])
        elif name in ("cp", "mv", "ln", "rsync") or (name == "install" and not given.has("d")):
            yield from self._copied(name, given)

    def _copied(self, name: str, given: _Given) -> Iterator[Touch]:
        sources, target = given.operands[:-1], given.operands[-1:]
        folder = given.value("t", "target-directory")
        if folder is not None:
            sources, target = given.operands, [folder]
        elif name == "ln" and not sources:
            sources, target = target, [Word("./", True)]
        if not sources or not target:
            return
        if name == "mv":
            yield from self._files(sources, removes=True)
        path = self._absolute(target[0].text) if target[0].sure else None
        if path is None:
            return
        if folder is None and not path.endswith("/") and not self.is_folder(path):
            yield Touch(path)
            return
        for source in sources:
            if source.sure and (base := posixpath.basename(source.text.rstrip("/"))):
                yield Touch(posixpath.join(path, base))

    def _files(self, words: list[Word], *, removes: bool = False) -> Iterator[Touch]:
        for word in words:
            text = word.text if word.sure else ""
            if removes and word.pattern:
                text = _emptied(word.text)
            path = self._absolute(text)
            if path is not None:
                yield Touch(path, removes)

    def _absolute(self, path: str) -> str | None:
        return _joined(self.place.cwd, path)

    def _nested(self, name: str, rest: list[Word]) -> Iterator[Touch]:
        """`bash -c '…'`, `eval …`, a here-document given to a shell."""
        given = _options(rest, "")
        if name == "eval":
            texts = [" ".join(w.text for w in rest)] if all(w.sure for w in rest) else []
        elif given.has("c"):
            texts = [word.text for word in given.operands[:1] if word.sure]
        else:
            texts = [] if given.operands else self.simple.documents
        for text in texts if self.depth < _NESTED else ():
            place = self.place if name == "eval" else self.place.copy()
            yield from _of_text(text, place, self.is_folder, self.depth + 1)

    def _python(self, rest: list[Word]) -> Iterator[Touch]:
        codes = self.simple.documents if not rest or rest[-1].text == "-" else []
        codes += [rest[at + 1].text for at, word in enumerate(rest[:-1]) if word.text == "-c"]
        for code in codes:
            for pattern in (_OPEN, _PATH):
                for found in pattern.finditer(code):
                    yield from self._files([Word(found[2], True)])


def _emptied(pattern: str) -> str:
    """The folder that `rm FOLDER/*` empties; empty for a pattern that says less."""
    folder, _, name = pattern.rpartition("/")
    if name != "*" or any(char in "*?[]{}" for char in folder):
        return ""
    return folder or ("/" if pattern.startswith("/") else ".")


def _joined(cwd: str | None, path: str) -> str | None:
    if not path or (cwd is None and not path.startswith("/")):
        return None
    return posixpath.join(cwd or "/", path)


class _Given(NamedTuple):
    """A command's words: operands, and options with their values."""

    operands: list[Word]
    options: list[tuple[str, Word | None]]

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)

    def value(self, *names: str) -> Word | None:
        return next((value for name, value in self.options if name in names), None)


def _options(words: list[Word], valued: str, attached: str = "") -> _Given:
    """Tell options from operands; `valued` are the one-letter options that take a value, `attached`
    those whose value can only stand right behind them."""
    operands: list[Word] = []
    options: list[tuple[str, Word | None]] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.text == "--":
            operands += words[at:]
            break
        if word.text.startswith("--"):
            name, equals, value = word.text[2:].partition("=")
            options.append((name, Word(value, word.sure) if equals else None))
        elif word.text.startswith("-") and len(word.text) > 1:
            for number, letter in enumerate(word.text[1:], 2):
                if letter in attached:
                    options.append((letter, None))
                    break
                if letter not in valued:
                    options.append((letter, None))
                    continue
                own = Word(word.text[number:], word.sure)
                following = words[at] if at < len(words) else None
                options.append((letter, own if own.text else following))
                at += not own.text
                break
        else:
            operands.append(word)
    return _Given(operands, options)


def _after_options(words: list[Word], at: int, valued: str) -> int:
    """The place of the last option of a prefix such as `sudo -u me` that stands at `at`."""
    while at + 1 < len(words) and words[at + 1].text.startswith("-"):
        option = words[at + 1].text
        at += 1 + (len(option) == 2 and option[1] in valued)
    return at
