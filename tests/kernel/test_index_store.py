"""The index's file: whatever is wrong with it, the answer is right and the truth is untouched."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from index_room import SCHEMA, folder_source, line, room, say

from clew.kernel import index_store
from clew.kernel.errors import Locked, StorageFailed
from clew.kernel.files import Files
from clew.kernel.index import Index
from clew.kernel.index_schema import APPLICATION

PRIVATE = ".clew/index.sqlite"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library whose index was made and closed."""
    root = tmp_path / "library"
    say(root, "a", *(line(str(n), f"第{n}句江晨", n) for n in range(300)))
    with room(root) as index:
        index.refresh()
    return root


def truth(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.glob("a/*"))}


def assert_right(root: Path) -> list[str]:
    """A process that starts now has the right answers; what it has to say about the file."""
    before = truth(root)
    with room(root) as index:
        index.refresh()
        assert len(index.search("messages", "江晨", limit=500)) == 300
        assert index.search("messages", "第299句")[0].key == "299"
        assert index.query("SELECT count(*) FROM messages") == [(300,)]
        assert index.check()
        assert truth(root) == before
        return codes(index)


def codes(index: Index) -> list[str]:
    return [fault.code for fault in index.notes]


# ---- damage ------------------------------------------------------------------------------------


def overwrite(offset: int, data: bytes) -> Callable[[Path], None]:
    def damage(file: Path) -> None:
        with file.open("r+b") as handle:
            handle.seek(offset)
            handle.write(data)

    return damage


def cut(size: int) -> Callable[[Path], None]:
    return lambda file: os.truncate(file, size)


def other_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA user_version = 7")


def half_made(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TABLE clew_run")


def other_columns(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("ALTER TABLE messages ADD COLUMN more")


def a_trigger(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TRIGGER t AFTER INSERT ON messages BEGIN DELETE FROM messages; END"
        )


def write_ahead(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def write_ahead_left_open(file: Path) -> None:
    code = (
        "import os, sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.execute('PRAGMA journal_mode = WAL')\n"
        "c.execute('DELETE FROM messages')\nc.commit()\nos._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)
    assert file.with_name("index.sqlite-wal").stat().st_size > 0


def log_of_another_database(file: Path) -> None:
    write_ahead_left_open(file)
    wal = file.with_name("index.sqlite-wal").read_bytes()
    file.unlink()
    file.with_name("index.sqlite-wal").write_bytes(wal)


def garbage_beside(ending: str) -> Callable[[Path], None]:
    return lambda file: (
        file.with_name(f"index.sqlite{ending}").write_bytes(os.urandom(9_000)) and None
    )


DAMAGE: dict[str, Callable[[Path], None]] = {
    "missing": lambda file: file.unlink(),
    "zero bytes": cut(0),
    "one byte": cut(1),
    "half a header": cut(50),
    "a header and no more": cut(100),
    "one page": cut(4096),
    "cut in the middle of a page": cut(10_000),
    "the last page is missing": lambda file: os.truncate(file, file.stat().st_size - 4096),
    "all zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)) and None,
    "zeros over the first page": overwrite(0, bytes(4096)),
    "zeros over the second page": overwrite(4096, bytes(4096)),
    "no magic": overwrite(0, b"x"),
    "another page size": overwrite(16, b"\x02\x00"),
    "a future file format": overwrite(18, b"\x09\x09"),
    "another encoding": overwrite(56, b"\x00\x00\x00\x02"),
    "noise over a page": overwrite(3 * 4096, random.Random(1).randbytes(4096)),
    "another version": other_version,
    "a table is missing": half_made,
    "a column too many": other_columns,
    "a trigger": a_trigger,
    "a write-ahead log": write_ahead,
    "a write-ahead log with content": write_ahead_left_open,
    "a write-ahead log of another database": log_of_another_database,
    "a journal of noise": garbage_beside("-journal"),
    "a log of noise": garbage_beside("-wal"),
    "a shared memory of noise": garbage_beside("-shm"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_b15_a_damaged_index_is_made_anew_and_nothing_else_is_touched(
    library: Path, damage: Callable[[Path], None]
) -> None:
    damage(library / PRIVATE)
    assert_right(library)
    assert assert_right(library) == []  # mended for good


@pytest.mark.parametrize("page", range(1, 40))
def test_every_page_may_be_torn(library: Path, page: int) -> None:
    file = library / PRIVATE
    if page * 4096 >= file.stat().st_size:
        pytest.skip("no such page")
    overwrite(page * 4096, b"\x5a" * 4096)(file)
    with room(library) as index:
        index.refresh()
        sound = index.check()
        # What only a look through the whole file shows may have been missed until then.
        assert sound or "index_rebuilt" in codes(index)
        assert len(index.search("messages", "江晨", limit=500)) == 300
    assert_right(library)


def test_damage_that_shows_while_it_is_open_is_mended_in_the_same_call(library: Path) -> None:
    with room(library) as index:
        index.refresh()
        file = library / PRIVATE
        overwrite(4096, b"\x5a" * (file.stat().st_size - 4096))(file)
        index.close()
        assert len(index.search("messages", "江晨", limit=500)) == 300
        assert "index_rebuilt" in codes(index)


def test_an_index_is_asked_before_it_was_ever_refreshed(library: Path) -> None:
    with room(library) as index:
        assert len(index.search("messages", "江晨", limit=500)) == 300
    (library / PRIVATE).unlink()
    with room(library) as index:
        assert index.query("SELECT count(*) FROM messages") == [(300,)]


def test_it_can_be_thrown_away(library: Path) -> None:
    with room(library) as index:
        index.discard()
        assert not (library / PRIVATE).exists()
        assert len(index.search("messages", "江晨", limit=500)) == 300


# ---- what is not ours --------------------------------------------------------------------------


def foreign(file: Path) -> bytes:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE precious (x)")
        connection.execute("INSERT INTO precious VALUES ('not to be lost')")
    return file.read_bytes()


def text(file: Path) -> bytes:
    file.write_bytes(b"a list of things to do\n")
    return file.read_bytes()


@pytest.mark.parametrize("make", [foreign, text])
def test_a_file_of_someone_else_is_moved_aside_whole(
    library: Path, make: Callable[[Path], bytes]
) -> None:
    file = library / PRIVATE
    content = make(file)
    assert assert_right(library) == ["index_set_aside"]
    assert file.with_name("index.sqlite.aside-1").read_bytes() == content
    make(file)
    assert_right(library)
    assert file.with_name("index.sqlite.aside-2").read_bytes()[:16] == content[:16]


def test_a_link_is_not_followed(library: Path, tmp_path: Path) -> None:
    file = library / PRIVATE
    target = tmp_path / "elsewhere.sqlite"
    file.rename(target)
    before = target.read_bytes()
    file.symlink_to(target)
    assert assert_right(library) == ["index_set_aside"]
    assert target.read_bytes() == before
    assert not file.is_symlink()


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_a_link_beside_it_is_not_followed_either(
    library: Path, tmp_path: Path, ending: str
) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("", encoding="utf-8")
    (library / f"{PRIVATE}{ending}").symlink_to(target)
    assert_right(library)
    assert target.read_bytes() == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_folder_or_a_pipe_in_its_place_is_moved_aside(library: Path) -> None:
    file = library / PRIVATE
    file.unlink()
    os.mkfifo(file)
    assert_right(library)
    file.unlink()
    file.mkdir()
    (file / "inside").write_text("x", encoding="utf-8")
    assert_right(library)
    assert (file.with_name("index.sqlite.aside-2") / "inside").exists()


# ---- a disk that refuses -----------------------------------------------------------------------


class ReadOnly(Files):
    """A disk that takes no new files."""

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        raise OSError(30, "Read-only file system", path)

    def lock_create(self, path: str) -> int | None:
        raise OSError(30, "Read-only file system", path)

    def remove(self, path: str) -> None:
        raise OSError(30, "Read-only file system", path)

    def replace(self, source: str, target: str) -> None:
        raise OSError(30, "Read-only file system", target)


def assert_answers_without_a_file(index: Index) -> None:
    with index:
        assert index.refresh().waiting == 0
        assert len(index.search("messages", "江晨", limit=500)) == 300
        assert index.check()
        assert not index.lasting
        assert codes(index).count("index_not_kept") == 1


def test_where_no_file_can_be_made_a_temporary_index_serves(library: Path) -> None:
    (library / PRIVATE).unlink()
    assert_answers_without_a_file(room(library, files=ReadOnly()))
    assert not (library / PRIVATE).exists()


def test_where_a_damaged_file_cannot_be_removed_a_temporary_index_serves(library: Path) -> None:
    overwrite(0, b"\x5a" * 5000)(library / PRIVATE)
    assert_answers_without_a_file(room(library, files=ReadOnly()))


def test_where_the_folder_is_no_folder_a_temporary_index_serves(library: Path) -> None:
    path = f"{library.as_posix()}/a/messages.jsonl/.clew/index.sqlite"
    assert_answers_without_a_file(Index(path, SCHEMA, folder_source(library)))


def test_a_missing_vault_is_not_made(tmp_path: Path) -> None:
    path = f"{tmp_path.as_posix()}/gone/.clew/index.sqlite"
    with Index(path, SCHEMA, folder_source(tmp_path)) as index:
        index.refresh()
        assert not index.lasting
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leads_to_a_temporary_index(library: Path) -> None:
    with room(library) as index:
        index.refresh()
        say(library, "a", *(line(f"new{n}", "江晨" * 50, 1000 + n) for n in range(3000)))
        connection = index._store.connection()
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        index.refresh()
        assert codes(index) == ["index_not_kept"]
        assert len(index.search("messages", "江晨", limit=9000)) == 3300
    assert_sound_later(library)


def assert_sound_later(root: Path) -> None:
    with room(root) as index:
        index.refresh()
        assert index.query("SELECT count(*) FROM messages") == [(3300,)]
        assert index.check()


def test_when_not_even_a_temporary_file_can_be_written_it_is_told() -> None:
    store = index_store.Store(None, ["CREATE TABLE t (x)"], 1, files=Files())
    connection = store.connection()
    connection.execute("PRAGMA max_page_count = 3")
    with pytest.raises(StorageFailed) as failed, store.write() as writing:
        try:
            for _ in range(100):
                writing.execute("INSERT INTO t VALUES (randomblob(4000))")
        except sqlite3.Error as error:
            store.recover(error)
    assert failed.value.code == "disk_full"
    store.close()


def test_permission_bits_are_those_asked_for(tmp_path: Path) -> None:
    say(tmp_path, "a", line("1", "江"))
    with room(tmp_path, mode=0o600) as index:
        index.refresh()
    assert (tmp_path / PRIVATE).stat().st_mode & 0o777 == 0o600


# ---- several at once ---------------------------------------------------------------------------


def test_a_file_removed_under_an_open_index_is_made_anew(library: Path) -> None:
    with room(library) as one, room(library) as two:
        one.refresh()
        two.refresh()
        for path in library.glob(".clew/*"):
            path.unlink()
        say(library, "a", line("new", "新江晨", 999))
        assert len(two.search("messages", "江晨", limit=500)) == 301
        one.refresh()
        assert one.search("messages", "江晨")[0].key == "new"
        two.refresh()
        assert one.check() and two.check()


def test_a_file_replaced_under_an_open_index_is_seen(library: Path) -> None:
    with room(library) as one:
        one.refresh()
        with room(library) as two:
            two.discard()
            two.refresh()
        assert len(one.search("messages", "江晨", limit=500)) == 300
        assert codes(one) == []


def test_a_removal_never_takes_what_another_process_made_meanwhile(library: Path) -> None:
    with room(library) as one, room(library) as two:
        one.refresh()
        two.refresh()
        two.discard()
        two.refresh()
        made = (library / PRIVATE).stat().st_ino
        one._store.discard("it was damaged when I looked")
        assert (library / PRIVATE).stat().st_ino == made


def test_b34_a_locked_database_is_waited_for(library: Path) -> None:
    other = sqlite3.connect(library / PRIVATE, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.5, lambda: other.execute("COMMIT")).start()
    say(library, "a", line("new", "江晨", 999))
    with room(library) as index:
        index.refresh()
        assert len(index.search("messages", "江晨", limit=500)) == 301
    other.close()


def test_b34_a_lock_that_is_never_given_back_is_told_after_the_timeout(library: Path) -> None:
    other = sqlite3.connect(library / PRIVATE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    say(library, "a", line("new", "江晨", 999))
    with room(library, timeout=0.3) as index:
        start = time.monotonic()
        with pytest.raises(Locked) as locked:
            index.refresh()
        assert 0.2 < time.monotonic() - start < 5
        assert locked.value.code == "locked"
        assert (
            len(index.search("messages", "江晨", limit=500)) == 300
        )  # reading is not kept waiting
    other.execute("ROLLBACK")
    other.close()


def test_the_file_says_whose_it_is(library: Path) -> None:
    connection = sqlite3.connect(library / PRIVATE)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    assert sorted(p.name for p in (library / ".clew").iterdir()) == ["index.sqlite"]
