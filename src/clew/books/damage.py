"""What is damaged among the chats of a SillyTavern data folder. Reads only, line by line.

Told are: chats that cannot be read or are empty, lines that are no JSON, chats with fewer messages than
a backup of them, backups whose chat is gone, checkpoints and parents that lead to a file which is not
there, lorebooks of chats that are missing, groups whose chats or members are, and chats that belong to
no character and no group. A backup belongs to the
chat that has its integrity id, or its first messages: its name does not tell (all names without Latin
letters share one).

Rules: SillyTavern's chat files (a header line, then a message a line) and backup names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from clew.books.cards.report import MEBI
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files

_LINE: Final = 64 * MEBI
_BLOCK: Final = MEBI
_TOLD: Final = 1_000
_NUMBERS: Final = 5
_BACKUP: Final = "chat_"


class Damage(msgspec.Struct, kw_only=True):
    """What was looked at, and what is wrong."""

    chats: int = 0
    messages: int = 0
    backups: int = 0
    groups: int = 0
    findings: list[dict[str, Any]] = []
    more: int = 0
    """Findings beyond those that are listed."""

    def tell(self, faults: list[Fault], lang: str) -> None:
        """Add findings; a thousand are listed, the others counted."""
        room = max(0, _TOLD - len(self.findings))
        self.findings += [fault.to_dict(lang) for fault in faults[:room]]
        self.more += len(faults[room:])


class _Line(msgspec.Struct):
    """What counts of a line."""

    mes: Any = None
    name: Any = None
    send_date: Any = None
    extra: Any = None
    chat_metadata: Any = None
    user_name: Any = None


class Chat(NamedTuple):
    """A chat file, read."""

    path: str
    """Below the data folder."""
    messages: int
    broken: list[int]
    """Numbers of the lines that are no JSON."""
    keys: tuple[str, ...]
    """By which a backup of it is known, the surest first."""
    parent: str
    links: list[tuple[int, str]]
    """Checkpoints and branches: the line, and the name that it leads to."""
    world: str
    """The lorebook that it names as its own."""
    unread: Both | None = None
    """Why nothing of it can be read, where no line is JSON."""


_ZEROS: Final = Both("里面全是零字节", "it holds nothing but zero bytes")
_NO_LINE: Final = Both("没有一行是 JSON", "no line of it is JSON")
Progress = Callable[[int, int, str], None]
_DECODE: Final = msgspec.json.Decoder(_Line)


def damage(
    folder: str,
    worlds: Collection[str] = (),
    *,
    lang: str = "en",
    progress: Progress = lambda d, o, n: None,
) -> Damage:
    """Look through the chats, groups and backups of a data folder. `worlds` are the names of the
    lorebooks that are there."""
    look = _Look(folder, worlds, progress)
    look.found.tell([*look.chats(), *look.groups(), *look.backups()], lang)
    return look.found


class _Look:
    def __init__(self, folder: str, worlds: Collection[str], progress: Progress) -> None:
        self.found = Damage()
        self._worlds = worlds
        self._folder = folder
        self._files = Files()
        self._progress = progress
        self._known: dict[str, Chat] = {}

    def _names(self, folder: str) -> list[str]:
        try:
            return self._files.names(f"{self._folder}/{folder}")
        except OSError:
            return []

    def _chat_files(self, folder: str) -> list[str]:
        return [name for name in self._names(folder) if name.endswith(".jsonl")]

    # ---- chats ---------------------------------------------------------------------------------

    def chats(self) -> Iterator[Fault]:
        """Every chat of every character."""
        places = [f"chats/{name}" for name in self._names("chats")]
        files = {place: self._chat_files(place) for place in places}
        total, done = sum(map(len, files.values())), 0
        stems = {stem_of(name) for name in self._names("characters")}
        for place, names in files.items():
            if names and place.removeprefix("chats/") not in stems:
                yield Fault("chats_alone", file=place, found=len(names))
            there = {name.removesuffix(".jsonl") for name in names}
            for name in names:
                self._progress(done, total, name)
                done += 1
                yield from self._chat(f"{place}/{name}", there)

    def _chat(self, path: str, there: set[str]) -> Iterator[Fault]:
        self.found.chats += 1
        try:
            chat = self._read(path)
        except OSError as error:
            yield Fault("chat_unreadable", file=path, reason=unread(error))
            return
        self.found.messages += chat.messages
        for key in chat.keys:
            self._known.setdefault(key, chat)
        if not chat.messages and not chat.broken:
            yield Fault("chat_empty", file=path)
        if chat.unread is not None:
            yield Fault("chat_unreadable", file=path, reason=chat.unread)
        elif chat.broken:
            lines = ", ".join(map(str, chat.broken[:_NUMBERS]))
            lines += " …" if len(chat.broken) > _NUMBERS else ""
            yield Fault("chat_broken_lines", file=path, found=len(chat.broken), line=lines)
        if chat.parent and chat.parent not in there:
            yield Fault("parent_dead", file=path, name=chat.parent)
        if chat.world and chat.world not in self._worlds:
            yield Fault("world_missing", file=path, name=chat.world)
        for line, name in chat.links:
            if name not in there:
                yield Fault("checkpoint_dead", file=path, line=line, name=name)

    def _read(self, path: str) -> Chat:
        messages = 0
        broken: list[int] = []
        links: list[tuple[int, str]] = []
        parent = integrity = world = ""
        first: list[str] = []
        whole, zeros = 0, True
        for number, raw in enumerate(self._lines(path), 1):
            if not raw.strip():
                continue
            line = _decoded(raw)
            if line is None:
                broken.append(number)
                zeros = zeros and not raw.strip(b"\0")
                continue
            whole += 1
            if isinstance(line.chat_metadata, dict) or (line.mes is None and line.user_name):
                meta = line.chat_metadata if isinstance(line.chat_metadata, dict) else {}
                parent = parent or _file(meta.get("main_chat"))
                integrity = integrity or _file(meta.get("integrity"))
                world = world or _text(meta.get("world_info"))
                continue
            messages += 1
            if len(first) < 2:
                first.append(f"{line.name}\0{line.send_date}\0{str(line.mes)[:500]}")
            if isinstance(line.extra, dict):
                links += [(number, name) for name in _links(line.extra)]
        keys = [f"integrity {integrity}"] if integrity else []
        if first:
            keys.append("messages " + "\0".join(first))
        why = None
        if broken and not whole:
            why = _ZEROS if zeros else _NO_LINE
        return Chat(path, messages, broken, tuple(keys), parent, links, world, why)

    def _lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file. One that is too long comes cut, and is no JSON any more."""
        real = f"{self._folder}/{path}"
        offset, held = 0, b""
        while block := self._files.read(real, offset, _BLOCK):
            offset += len(block)
            *whole, held = (held + block).split(b"\n")
            yield from whole
            if len(held) > _LINE:
                yield held[:64] + b"\xff"
                held = b""
        if held:
            yield held

    # ---- groups --------------------------------------------------------------------------------

    def groups(self) -> Iterator[Fault]:
        """Every group: its members, its chats; and the group chats themselves."""
        chats = {name.removesuffix(".jsonl") for name in self._chat_files("group chats")}
        members = set(self._names("characters"))
        named: set[str] = set()
        broken = False
        for name in self._names("groups"):
            if not name.endswith(".json"):
                continue
            self.found.groups += 1
            path = f"groups/{name}"
            try:
                group = json.loads(self._files.read(f"{self._folder}/{path}"))
            except (OSError, ValueError, RecursionError) as error:
                yield Fault("group_broken", file=path, reason=unread(error))
                broken = True
                continue
            if not isinstance(group, dict):
                yield Fault(
                    "group_broken", file=path, reason=Both("不是 JSON 对象", "no JSON object")
                )
                broken = True
                continue
            named |= {*_texts(group.get("chats")), _text(group.get("chat_id"))}
            for chat in _texts(group.get("chats")):
                if chat not in chats:
                    yield Fault("group_chat_gone", file=path, name=chat)
            for member in _texts(group.get("members")):
                if member not in members:
                    yield Fault("group_member_gone", file=path, name=member)
        for name in sorted(chats):
            if name not in named and not broken:  # a group that cannot be read may be its own
                yield Fault("group_chat_alone", file=f"group chats/{name}.jsonl")
            yield from self._chat(f"group chats/{name}.jsonl", chats)

    # ---- backups -------------------------------------------------------------------------------

    def backups(self) -> Iterator[Fault]:
        """Chats that are shorter than a backup of them, or gone."""
        longest: dict[str, Chat] = {}
        gone: dict[str, Chat] = {}
        for name in self._chat_files("backups"):
            if not name.startswith(_BACKUP):
                continue
            self.found.backups += 1
            try:
                kept = self._read(f"backups/{name}")
            except OSError:
                continue  # a backup that cannot be read says nothing of a chat
            if not kept.messages:
                continue
            chat = next((self._known[key] for key in kept.keys if key in self._known), None)
            if chat is None:
                key = kept.keys[-1]
                if key not in gone or gone[key].messages <= kept.messages:
                    gone[key] = kept
            elif kept.messages > chat.messages:
                before = longest.get(chat.path)
                if before is None or before.messages <= kept.messages:
                    longest[chat.path] = kept
        for path, kept in longest.items():
            chat = next(chat for chat in self._known.values() if chat.path == path)
            yield Fault("chat_shrunken", file=path, found=chat.messages, limit=kept.messages,
                        name=kept.path)  # fmt: skip
        for kept in gone.values():
            yield Fault("chat_gone", file=kept.path, found=kept.messages)


def unread(error: Exception) -> Both | str:
    """Why a file could not be read, in both languages."""
    if isinstance(error, json.JSONDecodeError):
        return Both(f"第 {error.lineno} 行起不是 JSON", f"no JSON from line {error.lineno} on")
    if isinstance(error, UnicodeDecodeError):
        return Both("不是 UTF-8 文字", "no UTF-8 text")
    if isinstance(error, RecursionError):
        return Both("嵌套太深", "nested too deeply")
    if isinstance(error, PermissionError):
        return Both("没有读取的权限", "no permission to read it")
    if isinstance(error, IsADirectoryError):
        return Both("是文件夹", "it is a folder")
    reason = error.strerror if isinstance(error, OSError) else None
    return (reason or str(error))[:120]


def stem_of(path: str) -> str:
    """The name of a file without its extension."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _decoded(raw: bytes) -> _Line | None:
    try:
        return _DECODE.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass  # a lone surrogate, NaN, or no JSON at all
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return _Line(**{name: value.get(name) for name in _Line.__struct_fields__})


def _links(extra: dict[str, Any]) -> list[str]:
    """Names of the chats that a message leads to."""
    found = [_file(extra.get("bookmark_link")), *map(_file, _texts(extra.get("branches")))]
    return [name for name in found if name]


def _file(value: Any) -> str:
    """The name of a chat as links give it: without its extension."""
    return _text(value).removesuffix(".jsonl")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
