"""Trust: kept outside the folder, bound to its path and to the content of its naming files."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.kernel.document import INPUT_BYTES, digest
from clew.kernel.errors import (
    ClewError,
    Corrupt,
    Locked,
    Missing,
    NewerSchema,
    Refused,
    StorageFailed,
)
from clew.kernel.faults import registered
from clew.kernel.files import Files
from clew.kernel.lock import exclusive
from clew.kernel.trust import TrustStore

NAMING = ("正文/.clew-prose.toml", ".story/prose.toml")


def clock() -> datetime:
    return datetime(2026, 8, 14, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "config/clew/trust.json", clock=clock, timeout=5)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    root = tmp_path / "雨夜来信"
    (root / "正文").mkdir(parents=True)
    (root / NAMING[0]).write_text('detector = "./check.sh"\n')
    return root


def reason(store: TrustStore, folder: Path, naming: tuple[str, ...] = NAMING) -> str:
    judged = store.judge(folder, naming)
    assert judged.trusted == store.is_trusted(folder, naming) == (judged.fault is None)
    if judged.fault is None:
        return "trusted"
    assert judged.contents == {}
    assert judged.fault.message("zh") and judged.fault.message("en")
    return judged.fault.code


# ---- what trust is bound to --------------------------------------------------------------------


def test_a_folder_is_inert_until_its_user_trusts_it(store: TrustStore, book: Path) -> None:
    assert reason(store, book) == "not_trusted"
    record = store.trust(book, NAMING)
    assert reason(store, book) == "trusted"
    assert record.folder == str(book.resolve())
    assert record.files == {NAMING[0]: digest((book / NAMING[0]).read_bytes())}
    assert record.trusted_at == "2026-08-14T00:00:00.000Z"
    assert store.list() == (record,)


def test_asking_leaves_no_trace(store: TrustStore, book: Path, tmp_path: Path) -> None:
    assert not store.is_trusted(book, NAMING)
    assert store.revoke(book) is False and store.list() == ()
    assert not (tmp_path / "config").exists()


def test_any_change_of_a_naming_file_ends_trust_until_it_is_given_again(
    store: TrustStore, book: Path
) -> None:
    store.trust(book, NAMING)
    text = (book / NAMING[0]).read_text()
    (book / NAMING[0]).write_text(text + " ")
    assert reason(store, book) == "trust_changed"
    store.trust(book, NAMING)
    assert reason(store, book) == "trusted"
    (book / NAMING[0]).write_text(text)
    assert reason(store, book) == "trust_changed"


def test_a_naming_file_that_appears_or_goes_ends_trust(store: TrustStore, book: Path) -> None:
    store.trust(book, NAMING)
    (book / ".story").mkdir()
    (book / NAMING[1]).touch()
    judged = store.judge(book, NAMING)
    assert judged.fault is not None and judged.fault.facts["found"] == [NAMING[1]]
    (book / NAMING[1]).unlink()
    assert reason(store, book) == "trusted"
    (book / NAMING[0]).unlink()
    assert reason(store, book) == "trust_changed"


def test_a_file_that_was_trusted_counts_even_when_nobody_asks_about_it_any_more(
    store: TrustStore, book: Path
) -> None:
    store.trust(book, NAMING)
    (book / NAMING[0]).write_text("changed")
    assert reason(store, book, NAMING[1:]) == "trust_changed"


def test_a_naming_file_that_the_trusting_version_did_not_know_is_not_trusted(
    store: TrustStore, book: Path
) -> None:
    store.trust(book, NAMING[1:])
    assert reason(store, book) == "trust_changed"


def test_a_folder_without_naming_files_can_be_trusted_and_loses_it_with_the_first(
    store: TrustStore, book: Path
) -> None:
    (book / NAMING[0]).unlink()
    assert store.trust(book, NAMING).files == {}
    assert reason(store, book) == "trusted"
    (book / NAMING[0]).touch()
    assert reason(store, book) == "trust_changed"


def test_trust_does_not_move_with_the_folder_nor_come_with_a_copy(
    store: TrustStore, book: Path, tmp_path: Path
) -> None:
    store.trust(book, NAMING)
    book.rename(tmp_path / "moved")
    assert reason(store, tmp_path / "moved") == "not_trusted"
    book.symlink_to(tmp_path / "moved")
    assert reason(store, book) == "not_trusted"


def test_a_link_to_a_trusted_folder_is_the_folder(
    store: TrustStore, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "way").symlink_to(book)
    store.trust(tmp_path / "way", NAMING)
    assert reason(store, book) == "trusted"
    monkeypatch.chdir(book)
    assert reason(store, Path()) == "trusted"


def test_the_bytes_that_were_judged_are_handed_over(store: TrustStore, book: Path) -> None:
    store.trust(book, NAMING)
    judged = store.judge(book, NAMING)
    (book / NAMING[0]).write_text("changed after the look")
    assert judged.contents == {NAMING[0]: b'detector = "./check.sh"\n'}


def test_revoking_ends_trust_also_for_a_folder_that_is_gone(
    store: TrustStore, book: Path, tmp_path: Path
) -> None:
    store.trust(book, NAMING)
    assert store.revoke(book) is True and store.revoke(book) is False
    assert reason(store, book) == "not_trusted"
    listed = store.trust(book, NAMING).folder
    book.rename(tmp_path / "moved")
    book.symlink_to(tmp_path / "moved")
    assert store.revoke(listed) is True
    assert store.list() == ()


# ---- naming files that are not what they seem --------------------------------------------------


@pytest.mark.parametrize("kind", ["outside", "folder", "pipe", "large", "climbing"])
def test_a_naming_file_that_cannot_be_vouched_for_is_refused_and_never_trusted(
    store: TrustStore, book: Path, tmp_path: Path, kind: str
) -> None:
    store.trust(book, NAMING)
    naming = NAMING
    path = book / NAMING[0]
    path.unlink()
    if kind == "outside":
        (tmp_path / "theirs.toml").write_text('detector = "./check.sh"\n')
        path.symlink_to(tmp_path / "theirs.toml")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "large":
        path.write_bytes(bytes(INPUT_BYTES + 1))
    else:
        naming = ("../theirs.toml",)
    with pytest.raises(Refused) as caught:
        store.trust(book, naming)
    expected = "too_large" if kind == "large" else "unsafe_path"
    assert caught.value.code == reason(store, book, naming) == expected


def test_a_naming_file_in_another_unicode_form_is_found(store: TrustStore, tmp_path: Path) -> None:
    root = tmp_path / "book"
    root.mkdir()
    (root / "cafe\u0301.toml").write_text("a")
    assert store.trust(root, ["caf\u00e9.toml"]).files == {"caf\u00e9.toml": digest(b"a")}


def test_a_folder_that_does_not_exist_cannot_be_trusted(
    store: TrustStore, book: Path, tmp_path: Path
) -> None:
    for path in (tmp_path / "无此书", book / NAMING[0]):
        with pytest.raises(Missing):
            store.trust(path, NAMING)
    for path in ("a\0b", "a\udce4"):
        with pytest.raises(Refused):
            store.trust(path, NAMING)
        assert not store.is_trusted(path, NAMING)


def test_a_folder_cannot_bring_its_own_trust(tmp_path: Path) -> None:
    inner = TrustStore(tmp_path / "book/.config/trust.json")
    outer = TrustStore(tmp_path / "trust.json")
    (tmp_path / "book/.config").mkdir(parents=True, mode=0o700)
    tmp_path.chmod(0o700)
    outer.trust(tmp_path / "book")
    (tmp_path / "book/.config/trust.json").write_bytes((tmp_path / "trust.json").read_bytes())
    assert len(inner.list()) == 1
    assert reason(inner, tmp_path / "book") == "trust_store_inside"
    with pytest.raises(Refused, match="lies inside"):
        inner.trust(tmp_path / "book")


# ---- the store ---------------------------------------------------------------------------------


def test_the_store_is_private(store: TrustStore, book: Path, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        store.trust(book, NAMING)
    finally:
        os.umask(old)
    place = tmp_path / "config/clew"
    assert stat.S_IMODE((place / "trust.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert [p.name for p in place.iterdir()] == ["trust.json"]


UNREADABLE = [
    b"", b"{", b"[]", b"{}", b"\xff", b"null", b"[" * 10_000,
    b'{"format":"clew-trust","schema_version":1}',
    b'{"format":"clew-trust","schema_version":1,"folders":[{"folder":"/a"}]}',
    b'{"format":"clew-trust","schema_version":1,"folders":[],"more":1}',
    b'{"format":"other","schema_version":1,"folders":[]}',
    b'{"format":"clew-trust","schema_version":1,"folders":[],"folders":[]}',
]  # fmt: skip


@pytest.mark.parametrize("data", UNREADABLE, ids=str)
def test_a_store_that_makes_no_sense_trusts_nobody_and_is_left_as_it_is(
    store: TrustStore, book: Path, tmp_path: Path, data: bytes
) -> None:
    store.trust(book, NAMING)
    place = tmp_path / "config/clew/trust.json"
    place.write_bytes(data)
    assert reason(store, book) == "trust_store_unreadable"
    for act in (lambda: store.trust(book, NAMING), lambda: store.revoke(book), store.list):
        with pytest.raises(Corrupt) as caught:
            act()
        assert caught.value.code == "trust_store_unreadable"
    assert place.read_bytes() == data
    assert [p.name for p in place.parent.iterdir()] == ["trust.json"]


def test_a_store_of_a_newer_version_is_left_alone(
    store: TrustStore, book: Path, tmp_path: Path
) -> None:
    store.trust(book, NAMING)
    place = tmp_path / "config/clew/trust.json"
    newer = json.loads(place.read_bytes()) | {"schema_version": 2}
    place.write_text(json.dumps(newer))
    assert reason(store, book) == "newer_schema"
    with pytest.raises(NewerSchema):
        store.trust(book, NAMING)
    assert json.loads(place.read_bytes()) == newer


@pytest.mark.parametrize("which", ["trust.json", "."])
def test_a_store_that_others_can_write_does_not_count(
    store: TrustStore, book: Path, tmp_path: Path, which: str
) -> None:
    store.trust(book, NAMING)
    open_one = tmp_path / "config/clew" / which
    open_one.chmod(0o777)
    assert reason(store, book) == "trust_store_exposed"
    with pytest.raises(StorageFailed):
        store.trust(book, NAMING)
    open_one.chmod(0o700)
    assert reason(store, book) == "trusted"


class Broken(Files):
    """A disk that fails at one call."""

    def __init__(self, call: str) -> None:
        self._call = call

    def _fail(self, call: str) -> None:
        if call == self._call:
            raise OSError(5, "Input/output error")

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        self._fail("read")
        return super().read(path, offset, limit)

    def sync(self, path: str) -> None:
        self._fail("sync")
        super().sync(path)

    def replace(self, source: str, target: str) -> None:
        self._fail("replace")
        super().replace(source, target)


@pytest.mark.parametrize("call", ["read", "sync", "replace"])
def test_a_disk_that_fails_loses_nothing_that_was_trusted(
    store: TrustStore, book: Path, tmp_path: Path, call: str
) -> None:
    store.trust(book, NAMING)
    place = tmp_path / "config/clew/trust.json"
    before = place.read_bytes()
    other = tmp_path / "另一本"
    other.mkdir()
    failing = TrustStore(place, files=Broken(call))
    with pytest.raises(StorageFailed):
        failing.trust(other)
    assert place.read_bytes() == before
    if call == "read":
        assert reason(failing, book) == "io_failed"
    store.trust(other)
    assert [r.folder for r in store.list()] == sorted(str(p.resolve()) for p in (book, other))


def test_a_lock_that_is_not_had_is_said(book: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    store = TrustStore(tmp_path / "trust.json", timeout=0.05)
    with exclusive(f"{tmp_path}/trust.json.lock", files=Files(), clock=clock):
        with pytest.raises(Locked):
            store.trust(book, NAMING)
        assert reason(store, book) == "not_trusted"


def _trust_many(store: str, base: str, first: int) -> None:
    for number in range(first, first + 10):
        TrustStore(store, timeout=60).trust(Path(base, str(number)), ["a.toml"])


def test_writers_in_parallel_lose_nothing(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "a.toml").write_text(str(number))
    place = tmp_path / "config/trust.json"
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_trust_many, args=(str(place), str(tmp_path), first))
        for first in range(0, 40, 10)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    store = TrustStore(place)
    assert len(store.list()) == 40
    assert all(store.is_trusted(tmp_path / str(n), ["a.toml"]) for n in range(40))


def test_a_writer_that_was_killed_blocks_nobody(
    store: TrustStore, book: Path, tmp_path: Path
) -> None:
    store.trust(book, NAMING)
    place = tmp_path / "config/clew"
    (place / "trust.json.new").write_bytes(b"half")
    (place / "trust.json.lock").write_text("pid=1\nhost=x\nstarted=y\ntool=clew\n")
    os.utime(place / "trust.json.lock", (0, 0))
    store.trust(book, NAMING)
    assert reason(store, book) == "trusted"
    assert [p.name for p in place.iterdir()] == ["trust.json"]


def test_every_fault_of_trust_speaks_both_languages_and_has_a_way_out() -> None:
    mine = [c for c in registered().values() if c.code.startswith(("trust_", "not_trusted"))]
    assert len(mine) == 5
    for code in mine:
        assert all((code.zh, code.en, code.hint_zh, code.hint_en, code.about_zh, code.about_en))
    assert issubclass(Corrupt, ClewError)
