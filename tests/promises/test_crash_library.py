"""Crash states of the library, enumerated: an import, and changes of one asset, at every call.

Every disk that a kill or a power cut may leave is opened by the next process. It finds the assets of
before or of after, whole; a check finds nothing; the same import again completes what was cut and adds
nothing twice. The model is that of `clew.testing.crash`. Run with `-s` to see how many disks there were.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial

import pytest
from small_book import CUT, KILL
from test_crash_kernel import Case, judge, slot_write

from clew.books import assets, discarding, editing, versions
from clew.books.assets import Edit
from clew.books.bulk import Import
from clew.books.checking import check, repair
from clew.books.gathering import Candidate
from clew.books.layout import LOG, SCOPE
from clew.books.library import Library, start_library
from clew.kernel.errors import StorageFailed
from clew.kernel.folder import FolderVault
from clew.testing.crash import Recording
from clew.testing.disk import Disk
from clew.testing.faulty import Failure

ROOT = "/no-such-place/library"


def card(name: str) -> bytes:
    """A card in a picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    value = {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {"name": name, "description": "d" * 40},
    }
    text = b"chara\0" + base64.b64encode(json.dumps(value).encode())
    return b"\x89PNG\r\n\x1a\n" + b"".join((
        chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), chunk(b"tEXt", text),
        chunk(b"IDAT", zlib.compress(b"\0\0")), chunk(b"IEND", b""),
    ))  # fmt: skip


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Candidate]:
    """Three files on the real disk, from which the libraries in memory import."""
    folder = tmp_path_factory.mktemp("cards")
    out = []
    for name in ("one", "two", "three"):
        path = folder / f"{name}.png"
        path.write_bytes(card(name))
        out.append(Candidate(str(path), path.name, path.stat().st_size))
    return out


def library(disk: Disk, boot: str = KILL) -> Library:
    """The library of a disk, opened by a process of that boot."""
    vault = FolderVault(ROOT, files=disk, boot=lambda: boot)
    return Library(ROOT, vault=vault, lock_timeout=5.0)


def empty() -> Disk:
    disk = Disk.from_tree({f"{ROOT}/mine.txt": b"mine"})
    start_library(library(disk, "boot-0"), "")
    library(disk, "boot-0").vault.settle(SCOPE)
    return disk.copy()


def take(disk: Disk, boot: str, candidates: list[Candidate], batch: int = 100) -> Import:
    run = Import(library(disk, boot), batch=batch)
    run.take(candidates)
    return run


def shelf(disk: Disk, boot: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Titles on the shelf, with their revision and what each of their versions holds."""
    found = library(disk, boot)
    out = {}

    def look(reader: object) -> None:
        for ident in found.asset_ids(reader):  # type: ignore[arg-type]
            asset = found.asset(reader, ident)  # type: ignore[arg-type]
            assert asset is not None
            texts = []
            for version in asset.versions:
                held = versions.content(reader, asset, version.number)  # type: ignore[arg-type]
                assert held.card is not None
                texts.append(held.card.description)
                for source in (version.source, version.picture):
                    if source is not None:
                        assert versions.source_bytes(found, asset, source)
            out[asset.title] = (asset.revision, tuple(texts))

    found.look(look)
    return out


def sound(disk: Disk, boot: str) -> None:
    """A check finds nothing; the files of others are as they were."""
    found = check(library(disk, boot), deep=True)
    assert found.findings == [], found.findings
    assert disk.tree()[f"{ROOT}/mine.txt"] == b"mine"


# ---- an import ------------------------------------------------------------------------------------


def holds(
    candidates: list[Candidate], disk: Disk, boot: str, worlds: list[dict[str, object]]
) -> None:
    """One crash disk: one of these worlds, whole; then the same import, once and again."""
    there = disk.copy()
    assert shelf(there, boot) in worlds
    sound(there, boot)
    again = take(there, boot, candidates)
    assert again.report.taken + again.report.skipped == len(candidates)
    assert again.report.refused == 0
    whole = shelf(there, boot)
    assert sorted(whole) == sorted(c.name.removesuffix(".png") for c in candidates)
    sound(there, boot)
    assert take(there, boot, candidates).report.taken == 0
    assert shelf(there, boot) == whole
    assert len(there.tree()[f"{ROOT}/{LOG}"].splitlines()) == len(candidates)
    # The other way: a repair first.
    other = disk.copy()
    assert repair(library(other, boot)).status == "ok"
    sound(other, boot)
    take(other, boot, candidates)
    assert sorted(shelf(other, boot)) == sorted(whole)
    sound(other, boot)


class Run:
    """A recorded import, cut into stretches by what may be seen after a crash in them."""

    def __init__(self, candidates: list[Candidate], batch: int) -> None:
        self.candidates = candidates
        self.recording = Recording(empty())
        take(self.recording.disk, KILL, candidates, batch)
        self.commits: list[int] = []
        # Before it the first look after a new boot marks the slot: that is no commit.
        start = next(i for i, c in enumerate(self.recording.calls) if "/incoming" in c.path)
        for _ in range(0, len(candidates), batch):
            self.commits.append(slot_write(self.recording, start))
            start = self.commits[-1] + 1
        whole = shelf(self.recording.disk.copy(), KILL)
        assert len(whole) == len(candidates)
        order = [c.name.removesuffix(".png") for c in candidates]
        self.worlds = [
            {title: whole[title] for title in order[: number * batch]}
            for number in range(len(self.commits) + 1)
        ]

    def stretches(self) -> Iterator[tuple[int, int, list[dict[str, object]]]]:
        start = 0
        for number, write in enumerate(self.commits):
            yield start, write, [self.worlds[number]]
            yield write, write + 1, [self.worlds[number], self.worlds[number + 1]]
            start = write + 2
        yield start, len(self.recording), [self.worlds[-1]]

    def kills(self) -> Iterator[Case]:
        for start, stop, worlds in self.stretches():
            for label, disk in self.recording.kills(start, stop):
                yield label, partial(holds, self.candidates, disk, KILL, worlds)

    def cuts(self, deviations: int, every: int) -> Iterator[Case]:
        for start, stop, worlds in self.stretches():
            for label, disk in self.recording.power_cuts(deviations, start, stop, every=every):
                yield label, partial(holds, self.candidates, disk, CUT, worlds)


@pytest.mark.parametrize("batch", [100, 1])
def test_a_kill_at_any_call_of_an_import_leaves_whole_cards(
    sources: list[Candidate], batch: int
) -> None:
    judge(f"kills in an import, batches of {batch}", Run(sources[:2], batch).kills(), 40)


@pytest.mark.parametrize("batch", [100, 1])
def test_a_power_cut_at_any_call_of_an_import_leaves_whole_cards(
    sources: list[Candidate], batch: int
) -> None:
    cuts = Run(sources[:2], batch).cuts(1, every=29)
    judge(f"power cuts in an import, batches of {batch} (a sample)", cuts, 30)


# ---- one asset --------------------------------------------------------------------------------------

Change = Callable[[Library, str], object]


def _edit(shelf_: Library, ident: str) -> object:
    changes = editing.Changes(set=["description=two"])
    return assets.edit(shelf_, ident, editing._edit(shelf_, changes))


def _picture(shelf_: Library, ident: str) -> object:
    return assets.edit(shelf_, ident, Edit(lambda old: old, picture=card("face")))


def _rename(shelf_: Library, ident: str) -> object:
    return assets.rename(shelf_, ident, "another")


def _purge(shelf_: Library, ident: str) -> object:
    return discarding.purge(shelf_, ident, really=True)


def _new(shelf_: Library, ident: str) -> object:
    return assets.new_card(shelf_, "brand new")


CHANGES: dict[str, Change] = {
    "edit": _edit, "picture": _picture, "rename": _rename, "purge": _purge, "new": _new,
}  # fmt: skip


@cache
def with_cards(paths: tuple[Candidate, ...], name: str) -> tuple[Disk, str]:
    """A library with two cards; the first is in the trash where it is to be purged."""
    disk = empty()
    run = take(disk, "boot-0", list(paths))
    ident = run.placed[paths[0].path]
    if name == "purge":
        assets.set_state(library(disk, "boot-0"), ident, "trash")
    library(disk, "boot-0").vault.settle(SCOPE)
    return disk.copy(), ident


class One:
    """A recorded change of one asset."""

    def __init__(self, name: str, sources_: list[Candidate]) -> None:
        base, self.ident = with_cards(tuple(sources_[:2]), name)
        self.change = CHANGES[name]
        self.name = name
        self.recording = Recording(base.copy())
        self.old = shelf(base.copy(), KILL)
        self.change(library(self.recording.disk, KILL), self.ident)
        self.write = slot_write(self.recording)
        self.new = shelf(self.recording.disk.copy(), KILL)
        assert self.old != self.new

    def cases(self, *, cuts: bool, every: int = 1) -> Iterator[Case]:
        boot = CUT if cuts else KILL
        for start, stop, allowed in (
            (0, self.write, [self.old]), (self.write, self.write + 1, [self.old, self.new]),
            (self.write + 2, len(self.recording), [self.new]),
        ):  # fmt: skip
            disks = (
                self.recording.power_cuts(1, start, stop, every=every)
                if cuts
                else self.recording.kills(start, stop)
            )
            for label, disk in disks:
                yield label, partial(self.holds, disk, boot, allowed)

    def holds(self, disk: Disk, boot: str, allowed: list[dict[str, object]]) -> None:
        seen = shelf(disk, boot)
        assert seen in allowed
        sound(disk, boot)
        if self.name != "new" and seen == self.old:
            self.change(library(disk, boot), self.ident)
            assert shelf(disk, boot) == self.new
        assets.rename(library(disk, boot), next(iter(library_ids(disk, boot))), "goes on")
        sound(disk, boot)


def library_ids(disk: Disk, boot: str) -> list[str]:
    found = library(disk, boot)
    return found.look(lambda reader: found.asset_ids(reader))


@pytest.mark.parametrize("name", CHANGES)
def test_a_kill_at_any_call_leaves_the_old_or_the_new_asset(
    sources: list[Candidate], name: str
) -> None:
    judge(f"kills in {name}", One(name, sources).cases(cuts=False), 20)


@pytest.mark.parametrize("name", CHANGES)
def test_a_power_cut_at_any_call_leaves_the_old_or_the_new_asset(
    sources: list[Candidate], name: str
) -> None:
    judge(f"power cuts in {name} (a sample)", One(name, sources).cases(cuts=True, every=17), 15)


# ---- a disk that refuses -------------------------------------------------------------------------------


@pytest.mark.parametrize("stays", [False, True])
@pytest.mark.parametrize("partial_", [False, True])
def test_a_full_disk_at_any_call_of_an_import_loses_nothing(
    sources: list[Candidate], partial_: bool, stays: bool
) -> None:
    calls, base = 0, empty()
    for call in range(1, 400):
        calls = call
        disk = Disk.of(base.nodes.copy())
        disk.failure = Failure(call, None, partial=partial_, stays=stays)
        try:
            take(disk, KILL, sources[:2], batch=1)
            failed = False
        except StorageFailed:
            failed = True
        hit = bool(disk.failure.hits)
        again = Disk.of(disk.nodes.copy())
        found = shelf(again, KILL)
        assert set(found) <= {"one", "two"}
        sound(again, KILL)
        take(again, KILL, sources[:2])
        assert sorted(shelf(again, KILL)) == ["one", "two"]
        sound(again, KILL)
        if not hit:
            assert not failed
            break
    assert calls > 20


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_all_power_cuts_of_an_import(sources: list[Candidate]) -> None:
    judge("power cuts in an import", Run(sources[:2], 1).cuts(1, every=1), 400)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", CHANGES)
def test_all_power_cuts_of_a_change(sources: list[Candidate], name: str) -> None:
    judge(f"power cuts in {name}", One(name, sources).cases(cuts=True), 100)
