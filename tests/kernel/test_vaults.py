"""Both stores pass the contract suite, and answer alike to any sequence of changes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.folder import FolderVault
from clew.kernel.memory import MemoryVault
from clew.kernel.vault import Vault
from clew.testing.vault_contract import SCOPE, GivenUpError, VaultContract, tree


class TestMemoryVault(VaultContract):
    def make_vault(self) -> MemoryVault:
        return MemoryVault()

    def raw(self, vault: Vault, path: str) -> bytes | None:
        assert isinstance(vault, MemoryVault)
        return vault.files.get(path)


class TestFolderVault(VaultContract):
    @pytest.fixture(autouse=True)
    def _base(self, tmp_path: Path) -> None:
        self.base = tmp_path
        self.made = 0

    def make_vault(self) -> FolderVault:
        self.made += 1
        root = self.base / f"vault {self.made}"
        root.mkdir()
        return FolderVault(root)

    def raw(self, vault: Vault, path: str) -> bytes | None:
        assert isinstance(vault, FolderVault)
        found = Path(vault.root, path)
        return found.read_bytes() if found.exists() else None


# ---- both alike --------------------------------------------------------------------------------

DOCUMENTS = ("book/ledger/a.json", "book/ledger/角色/沈砚.md", "book/ledger/x/y/z.md")
LOGS = ("book/ledger/1.jsonl", "book/ledger/log/2.jsonl")
DATA = st.sampled_from([b"", b"1", b"2", "文字\n".encode()])
STEP = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(DOCUMENTS), DATA, st.booleans()),
    st.tuples(st.just("remove"), st.sampled_from(DOCUMENTS), st.booleans()),
    st.tuples(st.just("append"), st.sampled_from(LOGS), st.sampled_from([2, 30_000, 70_000])),
    st.tuples(st.just("tear"), st.sampled_from(LOGS), st.binary(max_size=3)),
    st.tuples(st.just("set_aside"), st.sampled_from(DOCUMENTS)),
    st.tuples(st.just("give_up")),
)


def one_step_a_log(steps: list[Any]) -> list[Any]:
    """What several lines for one log do in one change is a test of the contract."""
    logs: set[str] = set()
    return [
        s for s in steps if s[0] not in ("append", "tear") or not (s[1] in logs or logs.add(s[1]))
    ]


CHANGE = st.lists(STEP, max_size=5).map(one_step_a_log)


def run(vault: Vault, steps: list[Any]) -> tuple[set[str], set[str]] | None:
    """One change; what its report says without copies set aside, None when it was given up."""
    try:
        with vault.transaction(SCOPE) as tx:
            for kind, *rest in steps:
                if kind == "write":
                    tx.write(rest[0], rest[1], truth=rest[2])
                elif kind == "remove":
                    tx.remove(rest[0], truth=rest[1])
                elif kind == "append":
                    tx.append(rest[0], b"x" * rest[1])
                elif kind == "tear":
                    tx.write(rest[0], (tx.read(rest[0]) or b"") + rest[1], truth=True)
                elif kind == "set_aside" and tx.read(rest[0]) is not None:
                    tx.set_aside(rest[0])
                elif kind == "give_up":
                    raise GivenUpError
    except GivenUpError:
        return None
    report = tx.report
    shown = [set(filter(lambda p: "/.clew/" not in p, paths)) for paths in report[:2]]
    return shown[0], shown[1]


def visible(vault: Vault) -> dict[str, bytes]:
    found = tree(vault.reader(SCOPE))
    return {p: d for p, d in found.items() if "/.clew/" not in p and not p.endswith("/")}


@given(st.lists(CHANGE, max_size=6))
def test_memory_and_folder_answer_alike_to_any_changes(changes: list[list[Any]]) -> None:
    memory = MemoryVault()
    with tempfile.TemporaryDirectory() as root:
        for steps in changes:
            # A new vault each time: nothing may live only in the object.
            folder = FolderVault(root)
            assert run(folder, steps) == run(memory, steps)
            assert visible(folder) == visible(memory)
            for path in LOGS:
                assert folder.reader(SCOPE).tail(path) == memory.reader(SCOPE).tail(path)
            assert not folder.pending(SCOPE)
