"""Plans what goes into a project or comes out of it, and carries a plan out.

A plan is made from one look and changes nothing; it is what the user is shown. Carrying it out looks
again, under a lock, and gives up when anything that it concerns is not what the plan saw. Each file is
replaced in one step, and the order (record, skill, settings; backwards when taking away) leaves at
every instant something that the next run completes.

A file that is not what was put there is its owner's: it is kept, and told.
"""

from __future__ import annotations

import difflib
from contextlib import suppress
from typing import Final, Literal, NamedTuple

import msgspec

from clew.faces.agents import jsontext, record, settings
from clew.faces.agents.hosts import Host
from clew.faces.agents.jsontext import Edit
from clew.faces.agents.record import Edited, Record
from clew.kernel.clock import system_clock
from clew.kernel.document import INPUT_BYTES
from clew.kernel.errors import ChangedOutside, StorageFailed, storage_failed
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.kernel.lock import exclusive

_LOCK: Final = "clew-agent.lock"
Kind = Literal["add", "update", "remove", "keep"]
PartState = Literal["installed", "edited", "outdated", "missing"]


class Change(msgspec.Struct, frozen=True):
    """One file of a plan. `keep`: it was edited, and stays as it is."""

    path: str
    change: Kind


class Part(msgspec.Struct, frozen=True):
    """How one file stands."""

    path: str
    state: PartState


class Plan(NamedTuple):
    """What would change. Empty `changes` but `keep`: there is nothing to do."""

    changes: list[Change]
    diff: str
    seen: dict[str, bytes | None]
    """Every file that the plan went by, as it was."""
    steps: list[tuple[str, bytes | None]]
    """What to write (or, with None, to remove), in order."""
    folders: list[str]
    """Folders to remove when they are empty, innermost first."""


class Place:
    """One host's folder in a project (or in the user's home), and the skill that belongs there."""

    def __init__(
        self,
        root: str,
        host: Host,
        skill: str,
        shipped: dict[str, bytes],
        *,
        files: Files | None = None,
    ) -> None:
        self.vault = FolderVault(root, files=files)
        self.host = host
        self.skill = skill
        self.shipped = {f"{host.skills}/{skill}/{path}": data for path, data in shipped.items()}
        self._seen: dict[str, bytes | None] = {}

    # ---- looking -------------------------------------------------------------------------------

    def path(self, name: str) -> str:
        """A path below the root, from one below the host's folder."""
        return f"{self.host.folder}/{name}"

    def _read(self, name: str) -> bytes | None:
        real = self.vault.real(self.path(name))
        try:
            there = self.vault.files.stat(real)
            data = None if there is None else self.vault.files.read(real, 0, INPUT_BYTES + 1)
        except OSError as error:
            raise storage_failed(error, self.path(name)) from error
        self._seen[name] = data
        return data

    def _record(self) -> Record | None:
        data = self._read(self.host.record)
        return None if data is None else record.load(data, self.path(self.host.record))

    def _known(self, known: Record | None) -> dict[str, str]:
        """The recorded files that lie in the skill's folder; a record names nothing else."""
        inside = f"{self.host.skills}/{self.skill}/"
        return {
            name: sha
            for name, sha in (known.files if known else {}).items()
            if name.startswith(inside) and ".." not in name.split("/")
        }

    def interpreters(self) -> list[str]:
        """The interpreters that the handlers in the settings name."""
        data = self._read(self.host.settings)
        if data is None:
            return []
        _, value = settings.judge(data, self.path(self.host.settings))
        return [found.interpreter for found in settings.find(value, self.host)]

    def parts(self, interpreter: str) -> list[Part]:
        """How every file stands, the settings first."""
        known = self._known(self._record())
        data = self._read(self.host.settings)
        state: PartState = "missing"
        if data is not None:
            _, value = settings.judge(data, self.path(self.host.settings))
            state = settings.state(value, self.host, interpreter)
        out = [Part(self.path(self.host.settings), state)]
        for name in sorted({*self.shipped, *known}):
            found = self._read(name)
            if found is None and name not in self.shipped:
                continue
            out.append(Part(self.path(name), self._state(name, found, known)))
        return out

    def _state(self, name: str, found: bytes | None, known: dict[str, str]) -> PartState:
        if found is None:
            return "missing"
        if found == self.shipped.get(name):
            return "installed"
        return "outdated" if record.sha(found) == known.get(name) else "edited"

    # ---- planning ------------------------------------------------------------------------------

    def plan_install(self, interpreter: str) -> Plan:
        """What to write so that skill and hooks are there. Raises `Refused` for settings that are
        no JSON or have no room, `Corrupt` for a record that cannot be read."""
        self._seen = {}
        known = self._record()
        changes, steps = self._skill_in(self._known(known))
        before = self._read(self.host.settings)
        after, edited = self._settings_in(before, known, interpreter)
        if after != before:
            changes.append(
                Change(self.path(self.host.settings), "add" if before is None else "update")
            )
            steps.append((self.host.settings, after))
        kept = {change.path for change in changes if change.change == "keep"}
        files = {
            name: record.sha(data)
            for name, data in self.shipped.items()
            if self.path(name) not in kept
        }
        files |= {n: sha for n, sha in self._known(known).items() if self.path(n) in kept}
        new = Record(
            "clew-agent", 1, self.host.name, self.skill, files, self._folders(known), edited
        )
        if known != new:
            changes.append(Change(self.path(self.host.record), "update" if known else "add"))
            steps.insert(0, (self.host.record, record.dump(new)))
        return self._plan(changes, steps, [])

    def _skill_in(
        self, known: dict[str, str]
    ) -> tuple[list[Change], list[tuple[str, bytes | None]]]:
        changes, steps = [], []
        for name in sorted({*self.shipped, *known}):
            found, wanted = self._read(name), self.shipped.get(name)
            if found == wanted:
                continue
            if found is not None and record.sha(found) != known.get(name):
                changes.append(Change(self.path(name), "keep"))
                continue
            kind: Kind = "add" if found is None else "remove" if wanted is None else "update"
            changes.append(Change(self.path(name), kind))
            steps.append((name, wanted))
        return changes, steps

    def _settings_in(
        self, data: bytes | None, known: Record | None, interpreter: str
    ) -> tuple[bytes, Edited]:
        host, created = self.host, data is None
        raw = settings.EMPTY.encode() if data is None else data
        earlier = known.settings if known else None
        text, value = settings.judge(raw, self.path(host.settings))
        base = _undone(data, earlier, host)
        if base is not None and earlier is not None:
            # The very bytes that we left: begin again from what was there before them.
            raw, created = base, earlier.created
            text, value = settings.judge(raw, self.path(host.settings))
        made = settings.made(value, host)
        clean = not list(settings.find(value, host))
        done = settings.install(text, value, host, interpreter)
        after = done.text.encode()
        if earlier is not None and not clean:
            # Edited since, or of an older version: what was made then is still ours to take away.
            made = [*earlier.made, *(one for one in made if one not in earlier.made)]
            created = earlier.created
            if after == data:
                return after, earlier
        edits = tuple((e.at, e.old, e.new) for e in done.edits) if clean else None
        return after, Edited(created, tuple(made), record.sha(raw), record.sha(after), edits)

    def _all_folders(self) -> list[str]:
        """The host's folder and those below it that hold the skill, outermost first."""
        out = [""]
        for name in self.shipped:
            parts = name.split("/")[:-1]
            out += ["/".join(parts[: n + 1]) for n in range(len(parts))]
        return sorted(set(out))

    def _real(self, folder: str) -> str:
        return self.vault.real(self.path(folder).rstrip("/"))

    def _folders(self, known: Record | None) -> tuple[str, ...]:
        """The folders that are not there yet, with those that were not when it was installed."""
        stat = self.vault.files.stat
        missing = [folder for folder in self._all_folders() if stat(self._real(folder)) is None]
        if self._bare():
            missing.append("")
        return tuple(sorted({*missing, *(known.folders if known else ())}))

    def _bare(self) -> bool:
        """Whether the host's folder is there and holds nothing but what a run of ours that was killed
        at its beginning leaves."""
        real = self._real("")
        if self.vault.files.stat(real) is None:
            return False
        names = self.vault.files.names(real)
        return all(name == _LOCK or name.startswith(f"{self.host.record}.clew-") for name in names)

    def plan_uninstall(self) -> Plan:
        """What to take away: exactly what was put there and is unchanged. Raises as `plan_install`."""
        self._seen = {}
        known = self._record()
        hashes = self._known(known)
        changes: list[Change] = []
        steps: list[tuple[str, bytes | None]] = []
        before = self._read(self.host.settings)
        if before is not None and (after := self._settings_out(before, known)) != before:
            kind: Kind = "remove" if after is None else "update"
            changes.append(Change(self.path(self.host.settings), kind))
            steps.append((self.host.settings, after))
        for name in sorted({*self.shipped, *hashes}):
            found = self._read(name)
            if found is None:
                continue
            ours = record.sha(found) == hashes.get(name) or found == self.shipped.get(name)
            changes.append(Change(self.path(name), "remove" if ours else "keep"))
            if ours:
                steps.append((name, None))
        if known is not None:
            changes.append(Change(self.path(self.host.record), "remove"))
            steps.append((self.host.record, None))
        made = set(known.folders if known else ()) & set(self._all_folders())
        if self._bare():
            made.add("")
        return self._plan(changes, steps, sorted(made, reverse=True))

    def _settings_out(self, data: bytes, known: Record | None) -> bytes | None:
        text, _ = settings.judge(data, self.path(self.host.settings))
        edited = known.settings if known else None
        base = _undone(data, edited, self.host)
        if base is None:
            made = list(edited.made) if edited else settings.made({}, self.host)
            base = settings.uninstall(text, self.host, made).encode()
        # Only the empty object that we began with goes with our entries, whoever says what we made.
        ours = (
            edited is not None
            and edited.created
            and base.strip() == settings.EMPTY.strip().encode()
        )
        return None if ours else base

    def _plan(
        self, changes: list[Change], steps: list[tuple[str, bytes | None]], folders: list[str]
    ) -> Plan:
        shown = [step for step in steps if step[0] != self.host.record]
        shown.sort(key=lambda step: step[0] != self.host.settings)  # what runs comes first
        diff = "".join(_diff(self.path(name), self._seen[name], data) for name, data in shown)
        return Plan(changes, diff, dict(self._seen), steps, folders)

    # ---- carrying out --------------------------------------------------------------------------

    def carry_out(self, plan: Plan, *, timeout: float = 10.0) -> None:
        """Do what a plan says. Raises `ChangedOutside` when something is not as it saw it, `Locked`
        when another run is at work for longer than `timeout` seconds."""
        if not plan.steps and not plan.folders:
            return
        files = self.vault.files
        folder = self.vault.real(self.host.folder)
        there = files.stat(folder) is not None
        done: list[str] = []
        try:
            with exclusive(
                f"{folder}/{_LOCK}", files=files, clock=system_clock, timeout=timeout,
                prepare=lambda: files.make_dir(folder),
            ):  # fmt: skip
                for name, data in plan.seen.items():
                    if self._read(name) != data:
                        raise ChangedOutside(Fault("agent_file_changed", file=self.path(name)))
                self._clear(self.host.record)
                for name, data in plan.steps:
                    self._step(name, data)
                    done.append(self.path(name))
            for name in plan.folders:
                self._remove_empty(name)
        except (OSError, StorageFailed) as error:
            failed = (
                error
                if isinstance(error, StorageFailed)
                else storage_failed(error, self.host.folder)
            )
            if not done:
                raise failed from error
            said = failed.faults[0]
            reason = Both(said.message("zh"), said.message("en"))
            fault = Fault("agent_half_done", found=len(done), limit=len(plan.steps), reason=reason)
            raise StorageFailed(fault) from error
        finally:
            if not there and not done:
                with suppress(OSError):  # not empty: another run is at work in it
                    files.remove_dir(folder)

    def _clear(self, name: str) -> None:
        """Remove what a run that was killed left beside a file; nobody else writes here while we hold
        the lock."""
        folder, _, base = self.vault.real(self.path(name)).rpartition("/")
        for other in self.vault.files.names(folder):
            if other.startswith(f"{base}.clew-") and other.endswith(".tmp"):
                self.vault.files.remove(f"{folder}/{other}")

    def _step(self, name: str, data: bytes | None) -> None:
        self._clear(name)
        if data is None:
            self.vault.files.remove(self.vault.real(self.path(name)))
        else:
            self.vault.write_loose(self.path(name), data)

    def _remove_empty(self, name: str) -> None:
        real = self._real(name)
        if self.vault.files.stat(real) is not None and not self.vault.files.names(real):
            self.vault.files.remove_dir(real)


def _undone(data: bytes | None, edited: Edited | None, host: Host) -> bytes | None:
    """The settings, which were judged, as they were before our edits; None when they are not what
    these left, or when the edits take back anything else than our entries: a record may come from
    anyone."""
    if data is None or edited is None or edited.edits is None or edited.after != record.sha(data):
        return None
    text = jsontext.undo(data.decode(), [Edit(*edit) for edit in edited.edits])
    if text is None or record.sha(text.encode()) != edited.before:
        return None
    without = settings.uninstall(data.decode(), host, list(edited.made))
    return text.encode() if settings.same(text, without) else None


def _diff(path: str, before: bytes | None, after: bytes | None) -> str:
    """A unified diff of one file; of a file that goes only the head: it is what was put there, byte
    for byte, and hundreds of struck lines would hide what else changes."""
    if after is None:
        return f"--- a/{path}\n+++ /dev/null\n@@ -1,{len((before or b'').splitlines())} +0,0 @@\n"
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (before, after))
    a, b = ("/dev/null" if d is None else f"{s}/{path}" for s, d in (("a", before), ("b", after)))
    return "".join(f"{line}\n" for line in difflib.unified_diff(old, new, a, b, lineterm=""))


register(
    Code(
        "agent_half_done", 2,
        "只做完了一部分（{found}/{limit}）：{reason}",
        "only part of it is done ({found} of {limit}): {reason}",
        "排除原因后重跑同一条命令，它会接着做完。",
        "When the cause is gone, run the same command again: it completes the rest.",
        about_zh="每个文件都是整个换上的；次序保证随时中断都能由下一次补完。",
        about_en="Each file is replaced whole, in an order that the next run can complete from anywhere.",
    ),
    Code(
        "agent_file_changed", 2,
        "{file} 在你确认之前被别的程序改动，什么都没写",
        "{file} was changed by another program before this was confirmed; nothing was written",
        "重跑同一条命令，看新的差异。",
        "Run the same command again and look at the new difference.",
        about_zh="先展示差异，写之前再核对一次：不覆盖期间的改动。",
        about_en="The change is shown first, and the files are compared again before they are written.",
    ),
    Code(
        "agent_file_kept", 0,
        "{file} 不是 clew 放的那份（被改过），保持原样",
        "{file} is not what clew put there (it was edited) and stays as it is",
        "想用 clew 的那份，就先移走它，再运行 clew agent install claude --novel。",
        "For clew's own, move it away and run `clew agent install claude --novel`.",
        about_zh="改过的技能文件归你：安装不覆盖，卸载不删除。",
        about_en="An edited skill file is yours: install does not overwrite it, uninstall does not delete it.",
    ),
)  # fmt: skip
