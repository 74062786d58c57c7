"""A full disk, a forbidden folder, a read-only book: a clear refusal, and nothing half done."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from console import CLEW, book, here, ledger_files, revision, start, submit

from clew.kernel.errors import StorageFailed
from clew.kernel.folder import FolderVault
from clew.novel.commit import commit
from clew.novel.ledger import Ledger
from clew.testing.faulty import FaultyFiles
from clew.testing.novel import chapter, init_document, state_of, tree

posix = pytest.mark.skipif(os.name == "nt", reason="limits and users of POSIX")

# ---- a disk that fills up ------------------------------------------------------------------------


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("partial", [False, True])
def test_a_failure_at_any_call_of_a_commit_leaves_the_old_or_the_new_revision(
    tmp_path: Path, code: int, partial: bool
) -> None:
    template = book(tmp_path / "template")
    document = chapter(state_of(Ledger(template)), changes=["江晨"])
    old = ledger_files(template)
    new: dict[str, bytes] | None = None
    refused = 0
    for call in range(1, 500):
        root = tmp_path / "book"
        shutil.copytree(template, root)
        error = OSError(code, os.strerror(code))
        files = FaultyFiles(call, error, partial=partial, stays=code == errno.ENOSPC)
        notes: list[object] = []
        try:
            commit(Ledger(root, vault=FolderVault(root, files=files)), document, notes)  # type: ignore[arg-type]
        except StorageFailed as failed:
            refused += 1
            assert failed.faults[0].message("zh") and failed.faults[0].message("en")
        again = Ledger(root, lock_timeout=2.0)
        state = state_of(again)
        assert state.state_revision in (3, 4)
        done = commit(again, document, [])
        assert done.state_revision == 4
        after = ledger_files(root)
        new = after if new is None else new
        assert after == new
        assert here("novel", "check", "--project", root)[0] == 0
        shutil.rmtree(root)
        if not files.failure.hits:
            break
    assert refused > 3
    assert new != old


@posix
@pytest.mark.parametrize("limit", [0, 100, 1_000, 3_000, 5_000, 8_000, 1_000_000])
@pytest.mark.parametrize("verb", ["init", "commit", "undo", "render"])
def test_a_file_that_may_not_grow_stops_a_real_process_in_words(
    tmp_path: Path, limit: int, verb: str
) -> None:
    import resource

    root = tmp_path / "book"
    if verb == "init":
        root.mkdir()
        line = ["init", "--input", submit(root, init_document())]
    else:
        book(root)
        document = chapter(state_of(Ledger(root)), changes=["江晨"])
        line = {"commit": ["commit", "--input", submit(root, document)]}.get(verb, [verb])
        if verb == "render":
            (root / "追踪/伏笔.md").write_text("手改", encoding="utf-8")
    before = ledger_files(root)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    child = start(CLEW, "novel", *line, "--project", root, preexec_fn=limited)
    out, err = child.communicate(timeout=60)
    assert b"Traceback" not in err and b"bug of its own" not in err
    answer = json.loads(out)
    if child.returncode != 0:
        assert child.returncode == 2
        assert answer["error_code"] in ("io_failed", "disk_full")
        assert answer["message"] and "File too large" in answer["message"]
        assert ledger_files(root) == before
    else:
        assert limit > 100
    code, answer, err_text = here("novel", *line, "--project", root)
    if verb == "init" and child.returncode == 0:
        assert answer["error_code"] == "ledger_exists"
    else:
        assert code == 0, (answer, err_text)
    assert here("novel", "check", "--project", root)[0] == 0


# ---- a folder that is not ours -------------------------------------------------------------------

_NOBODY = """
import importlib, os, pkgutil, sys
import clew
for module in pkgutil.walk_packages(clew.__path__, "clew."):
    if not module.name.startswith("clew.testing"):
        importlib.import_module(module.name)
import codecs, json, rich.console, traceback, tempfile, platform
for name in ("ascii", "latin-1", "utf-8-sig", "idna"):
    codecs.lookup(name)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
if not os.path.isdir(sys.argv[1]):
    sys.exit(77)
sys.exit(clew.faces.cli.main.main(sys.argv[2:]))
"""
"""The command line as a user who owns nothing: its modules are loaded before the rights go."""


@pytest.fixture
def foreign() -> Iterator[Path]:
    """A book that everybody may read and only its owner (or nobody) may change."""
    home = Path(tempfile.mkdtemp(prefix="clew-test-"))
    try:
        home.chmod(0o755)
        yield book(home / "book")
    finally:
        for path in [home, *home.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(home)


def as_nobody(root: Path, *argv: object) -> tuple[int, dict[str, object], str]:
    if os.getuid() != 0:
        for path in [root, *root.rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)
    done = subprocess.run(
        [sys.executable, "-c", _NOBODY, str(root), *map(str, argv)], capture_output=True,
        timeout=60, check=False, env={**os.environ, "CLEW_LANG": "en", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    if done.returncode == 77:
        pytest.skip("the temporary folder is closed to other users here")
    assert b"Traceback" not in done.stderr and b"bug of its own" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr.decode()


@posix
@pytest.mark.parametrize("verb", ["commit", "undo", "render", "adopt", "init"])
def test_what_may_not_be_written_is_refused_and_left_as_it_is(foreign: Path, verb: str) -> None:
    document = chapter(state_of(Ledger(foreign)))
    line: list[object] = [verb]
    if verb == "commit":
        line += ["--input", submit(foreign, document)]
    if verb == "init":
        (foreign / "new").mkdir()
        line += ["--input", submit(foreign, init_document())]
    (foreign / "追踪/伏笔.md").write_text("手改", encoding="utf-8")
    root = foreign / "new" if verb == "init" else foreign
    before = tree(foreign)
    code, answer, _ = as_nobody(foreign, "novel", *line, "--project", root)
    assert (code, answer["error_code"]) == (2, "permission_denied")
    assert "no permission" in str(answer["message"])
    assert tree(foreign) == before


@posix
@pytest.mark.parametrize("line", [["check"], ["at", 1], ["history"], ["stats"], ["diff", 1, 2]])
def test_what_may_not_be_written_can_still_be_read(foreign: Path, line: list[object]) -> None:
    before = tree(foreign)
    code, answer, err = as_nobody(foreign, "novel", *line, "--project", foreign)
    assert (code, answer["status"]) == (0, "ok"), (answer, err)
    assert tree(foreign) == before


@posix
def test_an_input_that_may_not_be_read_is_refused_by_name(foreign: Path) -> None:
    path = submit(foreign, chapter(state_of(Ledger(foreign))))
    path.chmod(0)
    code, answer, _ = as_nobody(foreign, "novel", "commit", "--project", foreign, "--input", path)
    assert (code, answer["error_code"]) == (2, "permission_denied")
    assert "tx.json" in str(answer["message"])


@posix
def test_a_state_that_may_not_be_read_is_no_missing_ledger(foreign: Path) -> None:
    (foreign / "追踪/_tracking-state.json").chmod(0)
    code, answer, _ = as_nobody(foreign, "novel", "check", "--project", foreign)
    assert (code, answer["error_code"]) == (2, "permission_denied")
    assert revision(foreign) == 3 or os.getuid() != 0
