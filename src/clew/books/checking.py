"""`library check` and `library repair`: told what is wrong, and mended from what is kept twice.

A document is rebuilt from the shelf's history and the history from the documents, both from the asset's
own files where neither is left; a version from the source file that it was read from, when that gives
the same bytes again. What is replaced is kept aside
first. What is not clew's is named and left alone. Nothing is guessed.
"""

from __future__ import annotations

from typing import Any

import msgspec

from clew.books import cards, versions
from clew.books.assets import put
from clew.books.bulk import Import
from clew.books.gathering import Candidate
from clew.books.layout import LOG, MARK, SCOPE, asset_file, is_blob, is_id, version_file
from clew.books.library import Library, start_library
from clew.books.listing import catalog
from clew.books.records import DECODE_LINE, Asset, line_of
from clew.books.remaking import remake
from clew.books.staging import clear_abandoned
from clew.books.survey import BrokenVersion, Survey, survey
from clew.books.versions import Content
from clew.kernel import document
from clew.kernel.document import digest
from clew.kernel.errors import ClewError, NewerSchema
from clew.kernel.faults import Both, Fault
from clew.kernel.vault import Transaction


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found."""

    status: str
    """`ok`, or `findings`."""
    cards: int
    worlds: int
    books: int
    versions: int
    sources: int
    findings: list[dict[str, Any]]


class Repaired(msgspec.Struct, frozen=True, kw_only=True):
    """What a repair did, and what is left."""

    status: str
    done: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    """What is still wrong."""


def check(library: Library, *, deep: bool = False, lang: str = "en") -> Checked:
    """Hold everything in a library against everything else. `deep` reads every source file."""
    found = survey(library, deep=deep)
    library.notes += found.notes
    return _checked(found, lang)


def _checked(found: Survey, lang: str) -> Checked:
    kinds = [asset.kind for asset in found.assets.values()]
    return Checked(
        status="findings" if found.faults else "ok", cards=kinds.count("card"),
        worlds=kinds.count("world"), books=len(found.books), versions=found.versions,
        sources=found.sources, findings=[fault.to_dict(lang) for fault in found.faults],
    )  # fmt: skip


def repair(library: Library, *, lang: str = "en") -> Repaired:
    """Mend what can be mended. Raises `NewerSchema` when a newer version wrote something here."""
    found = survey(library)
    if found.newer:
        raise NewerSchema(*(f for f in found.faults if f.code == "newer_schema"))
    done: list[Fault] = []
    if not found.marked:
        _new_mark(library, done)
    if any((found.lost, found.unreadable, found.untold, found.unlisted, found.differing, found.broken_lines,
            found.torn, found.broken)):  # fmt: skip
        with library.changing() as tx:
            _mend(library, tx, found, done)
    _clear(library, found.leftovers, done)
    catalog(library).renew()
    catalog(library).refresh()
    left = survey(library)
    library.notes += left.notes
    return Repaired(
        status="findings" if left.faults else "ok",
        done=[fault.to_dict(lang) for fault in done],
        findings=[fault.to_dict(lang) for fault in left.faults],
    )


def _new_mark(library: Library, done: list[Fault]) -> None:
    with library.changing() as tx:
        if tx.read(MARK) is not None:
            done.append(_done("kept_aside", MARK, tx.set_aside(MARK)))
            tx.remove(MARK, truth=True)
    start_library(library, "")
    done.append(_done("written_anew", MARK))


def _done(what: str, file: str, more: str = "") -> Fault:
    words = {
        "from_history": ("按书架历史恢复", "restored from the shelf's history"),
        "taken_over": ("以文档现状写入书架历史", "taken into the shelf's history as it is"),
        "from_source": ("从源文件重新读出", "read again from its source file"),
        "kept_aside": (f"原样留档在 {more}", f"kept aside as it was, at {more}"),
        "completed": ("补完了中断的导入", "an import that was killed was completed"),
        "laid_aside": (f"没有文档引用，移到 {more}", f"no document names it; moved to {more}"),
        "written_anew": ("重新写出", "written anew"),
        "remade": (
            f"文档和历史都没了，按它的源文件和版本文件重新建起（{more}；标题、标签和状态按新卡）",
            f"document and history were both gone; made again from its source and version files ({more}; "
            "title, labels and state are those of a new card)",
        ),
        "line_dropped": ("坏行留档后移出历史", "kept aside and taken out of the history"),
    }[what]
    return Fault("library_mended", file=file, reason=Both(*words))


def _mend(library: Library, tx: Transaction, found: Survey, done: list[Fault]) -> None:
    at = library.now()
    for ident in found.untold:
        remade = remake(library, tx, ident, found.books)
        if remade is None:
            continue  # no file of it can be read: `check` goes on naming it
        done += [_done("kept_aside", path, aside) for path, aside in remade.aside]
        done.append(_done("remade", asset_file(ident), remade.asset.title))
        found.assets[ident] = remade.asset
        found.unlisted.append(ident)
    if found.broken_lines or found.torn:
        _mend_history(tx, found, done)
    for ident in (*found.lost, *found.unreadable):
        asset = found.history.get(ident)
        path = asset_file(ident)
        if asset is None:
            continue  # made again from its files, if it could be
        if tx.read(path) is not None:
            done.append(_done("kept_aside", path, tx.set_aside(path)))
        tx.write(path, document.encode(asset), truth=True)
        done.append(_done("from_history", path))
        found.assets[ident] = asset
    for ident in (*found.unlisted, *found.differing):
        asset = found.assets[ident]
        put(tx, asset, "taken_over", at, [one.number for one in asset.versions])
        done.append(_done("taken_over", asset_file(ident)))
    known = {broken.asset.id for broken in found.broken}
    lost = [
        BrokenVersion(asset, version, True)
        for ident, asset in found.assets.items()
        if ident in (*found.lost, *found.unreadable) and ident not in known
        for version in asset.versions
    ]
    for broken in (*found.broken, *lost):
        _mend_version(library, tx, broken, done)


def _mend_history(tx: Transaction, found: Survey, done: list[Fault]) -> None:
    """The history without its broken lines, which are kept aside with all the others. A document
    that only they told of is taken over as it is."""
    done.append(_done("kept_aside", LOG, tx.set_aside(LOG)))
    good = []
    for raw in (tx.read(LOG) or b"").split(b"\n"):
        try:
            DECODE_LINE.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        good.append(raw)
    if found.broken_lines:
        done.append(_done("line_dropped", LOG))
    fresh = {*found.unlisted, *found.differing}
    lines = [
        document.encode_line(line_of(found.assets[ident], "taken_over", found.assets[ident].updated_at,
                                     [v.number for v in found.assets[ident].versions]))
        for ident in sorted(fresh)
    ]  # fmt: skip
    tx.write(LOG, b"".join(line + b"\n" for line in (*good, *lines)), truth=True)
    done += [_done("taken_over", asset_file(ident)) for ident in sorted(fresh)]
    found.unlisted, found.differing = [], []


def _mend_version(
    library: Library, tx: Transaction, broken: BrokenVersion, done: list[Fault]
) -> None:
    asset, version, _ = broken
    path = version_file(asset.id, version.number)
    present = tx.read(path)
    if present is not None and digest(present) == version.file_sha256:
        return
    if version.source is None:
        return
    try:
        data = versions.source_bytes(library, asset, version.source)
    except ClewError:
        return  # the source is gone as well: `check` goes on naming both
    read = cards.read(data, name=version.source.name)
    packed = versions.pack(Content(read.card, read.lorebook, {}))
    if digest(packed) != version.file_sha256:
        return
    if present is not None:
        done.append(_done("kept_aside", path, tx.set_aside(path)))
    tx.write(path, packed, truth=True)
    done.append(_done("from_source", path))


def _clear(library: Library, leftovers: list[str], done: list[Fault]) -> None:
    """What killed imports left: an import is completed from its copy; whatever no document names
    after that is moved aside. Only copies that never reached the shelf are removed."""
    clear_abandoned(library)
    on_shelf = [path for path in leftovers if path.startswith("assets/")]
    _complete(library, on_shelf, done)
    with library.changing() as tx:
        for path in on_shelf:
            folder, _, name = path.rpartition("/")
            real = library.vault.real(path)
            found = library.vault.files.stat(real)
            if found is None or _named(library, tx, path):
                continue
            if found.kind == "dir" and not library.vault.files.names(real):
                library.vault.files.remove_dir(real)
                continue
            aside = library.vault.lay_aside(SCOPE, folder, name)
            done.append(_done("laid_aside", path, aside))


def _complete(library: Library, folders: list[str], done: list[Fault]) -> None:
    run = Import(library)
    candidates = []
    for folder in folders:
        real = library.vault.real(folder)
        for name in library.vault.files.names(real):
            stat = library.vault.files.stat(f"{real}/{name}")
            if is_blob(name) and stat is not None:
                candidates.append(Candidate(f"{real}/{name}", name, stat.size))
    run.take(candidates)
    taken = [item.id for item in run.report.items if item.outcome == "taken"]
    done += [_done("completed", asset_file(ident)) for ident in taken]


def _named(library: Library, tx: Transaction, path: str) -> bool:
    """Whether an asset's document names this file, or this folder, now."""
    folder, _, name = path.rpartition("/")
    if is_id(name):
        return tx.read(asset_file(name)) is not None
    asset: Asset | None = library.asset(tx, folder.rpartition("/")[2])
    if asset is None:
        return True
    return any(
        name in (f"v{one.number}.json", *(s.file for s in (one.source, one.picture) if s))
        for one in asset.versions
    )
