"""Taking over years of existing files: first shown, then copied. Nothing is ever moved or changed there.

A plan says of every file what it was taken for and where its copy goes; carrying it out again does
nothing. Texts are copied in one change each few hundred, transcripts go to the archive byte for byte.
What is in the home already is never written over. Rules: docs/persona.md.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files
from clew.kernel.text import byte_length, nfc
from clew.persona import archive, archiving, refusals, voice
from clew.persona.adopting_files import begins, file_name, host_of, walk
from clew.persona.adopting_roles import (
    ROLES,
    Role,
    date_of,
    decode,
    entries_in,
    given_role,
    is_blank,
    mapping,
    refusal_entries,
    refusals_in,
    role_of,
    samples_in,
)
from clew.persona.archive import Copy, Manifest
from clew.persona.archived import checksum
from clew.persona.archiving import Told
from clew.persona.decoding import text_of
from clew.persona.home import Change, Home
from clew.persona.model import DIARY, EVENTS, IDENTITY, REFUSALS, SETTINGS, VITALS, VOICE
from clew.persona.windows import is_id

TEXT_BYTES: Final = 4_000_000
_BATCH: Final = 400
Act = Literal["copy", "convert", "add", "archive", "same", "differs", "skip"]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of one file."""

    source: str
    """Below the folder that is taken over."""
    role: str
    act: Act
    """`copy`: byte for byte. `convert`: to UTF-8. `add`: its entries are added to a file of the home.
    `archive`: byte for byte into the archive. `same`: it is there already. `differs`: something else
    is there already. `skip`: not taken over."""
    target: str = ""
    bytes: int = 0
    entries: int = 0
    """How many entries are added."""
    texts: list[str] = []
    """Of refusals, which are the hardest layer: what is added, to the letter."""
    why: str = ""
    """For `skip` and `differs`, and where not everything of a file is taken over."""


class Adopted(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, or what was done."""

    status: str
    """`planned`, or `ok` once it is carried out."""
    home: str
    folder: str
    rows: list[Row]
    counts: dict[str, int]
    """Files by what becomes of them."""


def adopt(
    home: Home | None,
    folder: str,
    given: Sequence[str] = (),
    *,
    apply: bool = False,
    lang: str = "en",
) -> Adopted:
    """Plan, or carry out, taking over a folder. Without a home there is only a plan.

    Raises `Missing` (`missing_file`), `Refused` (`adopt_folder`, `adopt_role`, `adopt_nothing`, `persona_inside`).
    """
    files = Files()
    folder = files.resolve(folder)
    there = files.stat(folder)
    if there is None:
        raise Missing(Fault("missing_file", file=folder))
    if there.kind != "dir":
        raise Refused(Fault("adopt_folder", file=folder))
    if home is not None and (home.root == folder or home.root.startswith(f"{folder}/")):
        raise Refused(Fault("persona_inside", file=folder))
    if {EVENTS, VITALS} <= set(files.names(folder)) and files.stat(f"{folder}/{SETTINGS}") is None:
        raise Refused(Fault("persona_toml_lost", file=folder, found=[EVENTS, VITALS]))
    roles, wrong = mapping(given)
    if wrong:
        raise Refused(*(Fault("adopt_role", found=one, allowed=list(ROLES)) for one in wrong))
    for path, _ in roles:
        if files.stat(posixpath.join(folder, path)) is None:
            raise Missing(Fault("missing_file", file=posixpath.join(folder, path)))
    plan = _Plan(files, folder, home, lang)
    unread: dict[str, OSError] = {}
    for path in walk(files, folder, unread):
        plan.take(path, given_role(path, roles))
    for path, error in sorted(unread.items()):
        reason = error.strerror or str(error)
        plan.skip(path, "", Both(reason, reason))
    if not any(row.act != "skip" for row in plan.rows):
        raise Refused(Fault("adopt_nothing", file=folder))
    if apply and home is not None:
        _carry_out(home, plan)
    counts: dict[str, int] = {}
    for row in plan.rows:
        counts[row.act] = counts.get(row.act, 0) + 1
    return Adopted(
        status="ok" if apply and home is not None else "planned",
        home=home.root if home is not None else "", folder=folder, rows=plan.rows, counts=counts,
    )  # fmt: skip


class _Plan:
    """Collects what becomes of each file, as the home would stand after those before it."""

    def __init__(self, files: Files, folder: str, home: Home | None, lang: str) -> None:
        self.files = files
        self.folder = folder
        self.lang = lang
        self.rows: list[Row] = []
        self.writes: dict[str, bytes] = {}
        self.transcripts: list[Told] = []
        self._home = home
        self._manifest = _manifest_of(home)
        self._since = home.today() if home is not None else "2000-01-01"
        self._there = self._texts()
        self.seen = dict(self._there)
        """What the home had when this was planned."""

    def _texts(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        if self._home is None:
            return found
        for path in (IDENTITY, VOICE, REFUSALS):
            data = self._home.read(path)
            if data is not None:
                found[path] = data
        return found

    def take(self, path: str, given: Role | None) -> None:
        """Decide about one file."""
        role = given or role_of(path)
        if role is None:
            return self.skip(path, "", Both("没有认出来", "not recognised"))
        if role == "skip":
            return self.skip(path, role, Both("按要求", "as asked"))
        if role == "transcripts":
            return self._transcript(path)
        try:
            size = self._size(path)
            data = self.files.read(posixpath.join(self.folder, path), 0, TEXT_BYTES + 1)
        except OSError as error:
            reason = error.strerror or str(error)
            return self.skip(path, role, Both(reason, reason))
        if size > TEXT_BYTES:
            return self.skip(path, role, Both(f"{size} 字节，太大", f"{size} bytes: too large"))
        text, encoding = decode(data)
        if text is None:
            return self.skip(path, role, Both("不是文字", "no text"))
        if role == "diary":
            return self._diary(path, data, text, encoding)
        if role == "identity":
            return self._identity(path, data, text, encoding)
        if role == "voice":
            return self._voice(path, text)
        return self._refusals(path, data, text)

    def _size(self, path: str) -> int:
        found = self.files.stat(posixpath.join(self.folder, path))
        return found.size if found is not None else 0

    def _row(self, path: str, role: str, act: Act, **more: object) -> None:
        self.rows.append(msgspec.convert({"source": path, "role": role, "act": act, **more}, Row))

    def skip(self, path: str, role: str, why: Both, act: Act = "skip", target: str = "") -> None:
        """Leave one out, and say why."""
        said = why.zh if self.lang == "zh" else why.en
        self._row(path, role, act, why=said, target=target)

    def _diary(self, path: str, data: bytes, text: str, encoding: str) -> None:
        day = date_of(path)
        if day is None:
            return self.skip(path, "diary", Both("路径里没有日期", "no date in its path"))
        converted = encoding == "gb18030"
        content = text.encode() if converted else data
        for number in range(1, 1000):
            target = f"{DIARY}/{day}.md" if number == 1 else f"{DIARY}/{day}-{number}.md"
            before = self.writes.get(target) or self._read(target)
            if before is None:
                self.writes[target] = content
                act: Act = "convert" if converted else "copy"
                return self._row(path, "diary", act, target=target, bytes=len(content))
            if begins(before, content):  # what was written below it since is the persona's own
                return self._row(path, "diary", "same", target=target, bytes=len(content))
        return self.skip(path, "diary", Both("这一天的文件太多", "too many files of that day"))

    def _read(self, path: str) -> bytes | None:
        return self._home.read(path) if self._home is not None else None

    def _identity(self, path: str, data: bytes, text: str, encoding: str) -> None:
        before = self._there.get(IDENTITY, b"")
        content = text.encode() if encoding == "gb18030" else data
        if before == content:
            return self._row(path, "identity", "same", target=IDENTITY, bytes=len(content))
        if before and not is_blank(text_of(before, IDENTITY)):
            why = Both("家里已有身份卡", "the home has an identity card")
            return self.skip(path, "identity", why, "differs", IDENTITY)
        self._there[IDENTITY] = self.writes[IDENTITY] = content
        act: Act = "convert" if encoding == "gb18030" else "copy"
        return self._row(path, "identity", act, target=IDENTITY, bytes=len(content))

    def _voice(self, path: str, text: str) -> None:
        before = self._there.get(VOICE, b"")
        known = {one.text for one in voice.parse(text_of(before, VOICE))} if before else set()
        found = [s for s in samples_in(text, path) if byte_length(s.text) <= voice.SAMPLE_BYTES]
        fresh = [one for one in found if one.text not in known]
        if not found:
            return self.skip(path, "voice", Both("里面没有样本", "no samples in it"))
        if not fresh:
            return self._row(path, "voice", "same", target=VOICE)
        start = before if not before or before.endswith(b"\n") else before + b"\n"
        added = "".join(f"\n{voice.render(one)}" for one in fresh).encode()
        self._there[VOICE] = self.writes[VOICE] = start + added
        return self._row(path, "voice", "add", target=VOICE, bytes=len(added), entries=len(fresh))

    def _refusals(self, path: str, data: bytes, text: str) -> None:
        before = self._there.get(REFUSALS, b"schema_version = 1\n")
        known, faults = refusals.parse(before)
        if faults:
            why = Both(
                "家里的 refusals.toml 要先改好", "refusals.toml of the home is to be mended first"
            )
            return self.skip(path, "refusals", why, "differs", REFUSALS)
        if path.casefold().endswith(".toml"):
            theirs, wrong = refusals.parse(data)
            if wrong:
                said = wrong[0].message(self.lang)
                return self.skip(path, "refusals", Both(said, said))
            if not known and theirs:
                self._there[REFUSALS] = self.writes[REFUSALS] = data
                return self._row(
                    path,
                    "refusals",
                    "copy",
                    target=REFUSALS,
                    bytes=len(data),
                    entries=len(theirs),
                    texts=[one.text for one in theirs],
                )
            texts = [one.text for one in theirs]
        else:
            texts = refusals_in(text, path)
        long = [one for one in texts if byte_length(one) > 1200]
        outside = 0 if path.casefold().endswith((".toml", ".json")) else entries_in(text)[1]
        texts = [one for one in texts if byte_length(one) <= 1200]
        if not texts:
            return self.skip(path, "refusals", Both("里面没有条目", "no entries in it"))
        added = refusal_entries(texts, known, self._since)
        if not added:
            return self._row(path, "refusals", "same", target=REFUSALS)
        start = before if before.endswith(b"\n") else before + b"\n"
        self._there[REFUSALS] = self.writes[REFUSALS] = start + added.encode()
        old = {one.text for one in known}
        fresh = [one for one in dict.fromkeys(texts) if one not in old]
        return self._row(
            path,
            "refusals",
            "add",
            target=REFUSALS,
            bytes=byte_length(added),
            entries=len(fresh),
            texts=fresh,
            why=self._untaken(long, outside),
        )

    def _untaken(self, long: list[str], outside: int) -> str:
        """What of a file of refusals is not taken over."""
        said = []
        zh = self.lang == "zh"
        if long:
            said.append(
                f"{len(long)} 条超过 1200 字节，没有接管"
                if zh
                else f"{len(long)} entries over 1200 bytes are not taken over"
            )
        if outside:
            said.append(
                f"{outside} 行不在任何条目里，没有接管"
                if zh
                else f"{outside} lines belong to no entry and are not taken over"
            )
        return ("；" if zh else "; ").join(said)  # fmt: skip

    def _transcript(self, path: str) -> None:
        real, size = posixpath.join(self.folder, path), self._size(path)
        try:
            kept = self._archived(real, size)
            host = host_of(self.files, real)
        except OSError as error:
            reason = error.strerror or str(error)
            return self.skip(path, "transcripts", Both(reason, reason))
        if kept is not None:
            return self._row(path, "transcripts", "same", target=kept.file, bytes=size)
        known = self._manifest.of(real)  # a copy that goes on from where it ends
        stem = nfc(posixpath.basename(path)).rpartition(".")[0]
        window = stem if is_id(stem) else re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")
        told = Told(real, host, window if is_id(window) else "adopted", name=file_name(path))
        target = known.file if known is not None else self._place_of(told)
        self.transcripts.append(told)
        said = ""
        if host == "other" and not self._readable(real):
            said = (
                "不是认得的会话格式：逐字节存下，按行能搜到，谁说的照行首的名字" if self.lang == "zh"
                else "no format of a host: kept byte for byte and searched by its lines, each by the "
                "name that it begins with"
            )  # fmt: skip
        return self._row(path, "transcripts", "archive", target=target, bytes=size, why=said)

    def _readable(self, real: str) -> bool:
        from clew.persona.transcripts import place, reading

        return reading.detect(place.reader(self.files, real)) is not None

    def _archived(self, real: str, size: int) -> Copy | None:
        """The copy that is equal to a file: the file's own, or one of the same content."""
        crc = None
        for copy in self._manifest.copies:
            if copy.superseded or not copy.crc or copy.size != size:
                continue
            crc = checksum(self.files, real, size) if crc is None else crc
            if copy.crc == crc:
                return copy
        return None

    def _place_of(self, told: Told) -> str:
        home = self._home

        def free(file: str) -> bool:
            return home is None or self.files.stat(home.vault.real(file)) is None

        ending = archiving.ending_of(told)
        name = told.name or told.window
        file = archive.place_of(told.host, name, ending, self._manifest, free=free)
        self._manifest = self._manifest.having(Copy(source=told.path, file=file))
        return file


def _manifest_of(home: Home | None) -> Manifest:
    found = home.load(archive.MANIFEST, Manifest) if home is not None else None
    return found or Manifest()


def _carry_out(home: Home, plan: _Plan) -> None:
    paths = list(plan.writes)
    for start in range(0, len(paths), _BATCH):
        with home.change() as change:
            for path in paths[start : start + _BATCH]:
                _put(change, path, plan)
            change.event("adopted", files=len(paths[start : start + _BATCH]))
    if plan.transcripts:
        archiving.run(home, plan.transcripts)


def _put(change: Change, path: str, plan: _Plan) -> None:
    """Write one file, unless it changed since it was planned: nothing of somebody's is lost."""
    now = change.read(path)
    if now != plan.seen.get(path) and now != plan.writes[path]:
        change.home.notes.append(Fault("adopt_differs", file=path))
        return
    change.write(path, plan.writes[path])
