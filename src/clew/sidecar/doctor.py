"""What is wrong with a state and its surroundings: one check for each row of the seed's table of
troubles, and for what lies around the file. Each says what it found and how to mend it.

Looks only: nothing is mended, moved or locked for longer than a look (one small file is written
and removed, to see whether writing works). Rules: the seed's troubleshooting table.
"""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

from clew.kernel.files import Files
from clew.sidecar import engine
from clew.sidecar.changes import revision_of
from clew.sidecar.engine_values import discreet
from clew.sidecar.engine_words import LENIENT
from clew.sidecar.keeping import Look
from clew.sidecar.messages import REASONS, reason_of
from clew.sidecar.section import BusyError
from clew.sidecar.store import Store, new_id

_LEAST_SPACE: Final = 4 * 1024 * 1024
_LISTED: Final = 6


class Check(NamedTuple):
    """One question and its answer. `verdict`: `ok`, `note` (worth knowing) or `bad` (mend it)."""

    check: str
    verdict: str
    zh: str
    en: str
    mend_zh: str = ""
    mend_en: str = ""


def examine(store: Store, files: Files | None = None) -> list[Check]:
    """Every check of one state, in the order in which they matter."""
    return _Examination(store, files or Files()).checks()


class _Examination:
    def __init__(self, store: Store, files: Files) -> None:
        self.store = store
        self.files = files
        self.profile = store.profile
        self.look: Look | None = None
        self.error: OSError | None = None
        try:
            self.look = store.keeping.look()
        except OSError as error:
            self.error = error
        self.path = store.path
        self.folder = store.keeping.folder
        self.copy = store.keeping.copy()

    def checks(self) -> list[Check]:
        every = (
            self.session, self.outside, self.lawful, self.writing, self.waiting, self.active,
            self.lock, self.modes, self.version, self.kept,
        )  # fmt: skip
        out = []
        for check in every:
            try:
                out.append(check())
            except OSError as error:
                out.append(_unseen(check.__name__, error))
        return out

    # ---- the rows of the table -----------------------------------------------------------------

    def session(self) -> Check:
        """Row 1: a new session although there was an old one."""
        name, path = "session", self.path
        if self.error is not None:
            why = reason_of(self.error)
            return Check(
                name, "bad",
                f"{path} 在，但读不了：{why['reason_zh']}；技能按默认值运行，写入被拒绝",
                f"{path} is there but cannot be read: {why['reason_en']}; the skill runs on "
                "defaults, and nothing is written",
                "修好文件的权限，或用 --file 另指一个文件。",
                "Mend the permissions of the file, or choose another with --file.",
            )  # fmt: skip
        assert self.look is not None
        if self.look.kind == "broken":
            zh, en = REASONS[self.look.why]
            copy = "有" if self.copy is not None else "没有"
            return Check(
                name, "bad",
                f"{path} 已损坏：{zh}；{copy}完好的副本",
                f"{path} is broken: {en}; there is {'a' if self.copy else 'no'} good copy",
                "运行 clew sidecar read：损坏的文件会留存，改用副本继续。",
                "Run `clew sidecar read`: the broken file is kept and the copy is used.",
            )  # fmt: skip
        if self.look.kind == "missing":
            left = self._left()
            if left:
                return Check(
                    name, "note",
                    f"{path} 不存在，所以是新会话；旁边还有从前的：{', '.join(left)}",
                    f"{path} does not exist, so this is a new session; from before there are: "
                    + ", ".join(left),
                    f"要接着从前的，把它复制成 {path}。",
                    f"To go on from one of them, copy it to {path}.",
                )  # fmt: skip
            return Check(
                name, "note",
                f"{path} 不存在，所以是新会话", f"{path} does not exist, so this is a new session",
                "用户同意后：clew sidecar resume。", "Once the user agrees: `clew sidecar resume`.",
            )  # fmt: skip
        return Check(name, "ok", f"{path} 读得出", f"{path} can be read")

    def outside(self) -> Check:
        """Row 2: a field (an archetype, say) that was changed without anybody meaning it."""
        name = "outside"
        raw = self.look.raw if self.look is not None else None
        if raw is None or self.copy is None:
            return Check(name, "ok", "没有可比的两份", "there are no two files to compare")
        if revision_of(raw) != revision_of(self.copy):
            return Check(
                name, "ok", "副本是前一次保存的（上次保存在写副本之前中断），无从比较",
                "the copy is of the save before (the last one was interrupted before it was copied): "
                "there is nothing to compare",
            )  # fmt: skip
        names = [n for n in self.profile["fields"] if raw.get(n) != self.copy.get(n)]
        if not names:
            return Check(
                name, "ok", "上次保存之后没有别的程序改过字段",
                "no other program has changed a field since the last save",
            )  # fmt: skip
        told = [self._change(n, self.copy.get(n), raw.get(n)) for n in names[:_LISTED]]
        return Check(
            name, "note",
            "上次保存之后被别的程序（或手）改过：" + "；".join(told),
            "changed by another program, or by hand, since the last save: " + "; ".join(told),
            f"若非本意：clew sidecar set 字段 值，或用 {self.path}.bak 盖回。",
            f"If nobody meant it: `clew sidecar set FIELD VALUE`, or copy {self.path}.bak back.",
        )  # fmt: skip

    def _change(self, name: str, old: Any, new: Any) -> str:
        """A changed field; of one that holds anything private only its name and kinds."""
        before, after = (discreet(self.profile, name, value) for value in (old, new))
        return f"{name}: {before!r} → {after!r}"[:160]

    def lawful(self) -> Check:
        """Row 2, too: values that the profile does not allow."""
        raw = self.look.raw if self.look is not None else None
        notes = engine.tidy(self.profile, raw)[1] if raw is not None else []
        wrong = [n for n in notes if n["code"] not in LENIENT and n["code"] != "renamed"]
        if not wrong:
            return Check("lawful", "ok", "每个字段都合档案", "every field fits the profile")
        return Check(
            "lawful", "bad",
            "不合档案，读时改用了别的值：" + "；".join(n["zh"] for n in wrong[:_LISTED]),
            "does not fit the profile and is read as something else: "
            + "; ".join(n["en"] for n in wrong[:_LISTED]),
            "clew sidecar migrate 把改过的写回（原文件会留存）。",
            "`clew sidecar migrate` writes the mended state (the file as it is is kept).",
        )  # fmt: skip

    def writing(self) -> Check:
        """Row 3: numbers that do not rise, because writing fails and nobody is told."""
        name = "writing"
        folder = self.folder
        if not self.store.keeping.is_trusted:
            return Check(
                name, "bad",
                f"{self.path} 那里不该写状态（链接或设备），写入被拒绝",
                f"no state is written at {self.path} (a link or a device)",
                "删掉那个链接，或用 --file 另指一个文件。",
                "Remove the link, or choose another file with --file.",
            )  # fmt: skip
        while self.files.stat(folder) is None:
            folder = folder.rpartition("/")[0] or "/"
        probe = f"{folder}/.clew-probe-{new_id()}"
        try:
            self.files.create(probe, b"probe" * 800, 0o600)
            self.files.sync(probe)
        except OSError as error:
            why = reason_of(error)
            return Check(
                name, "bad",
                f"{folder} 里写不了文件：{why['reason_zh']}",
                f"no file can be written in {folder}: {why['reason_en']}",
                "腾出空间、修好权限，或用 CLEW_STATE_DIR 换一个文件夹。",
                "Make room, mend the permissions, or choose another folder with CLEW_STATE_DIR.",
            )  # fmt: skip
        finally:
            self._remove(probe)
        free = _free_bytes(folder)
        if free is not None and free < _LEAST_SPACE:
            return Check(
                name, "bad",
                f"{folder} 所在磁盘只剩 {free // 1024} KB", f"{free // 1024} KB are left in {folder}",
                "腾出空间。", "Make room.",
            )  # fmt: skip
        return Check(name, "ok", f"{folder} 里写得了", f"files can be written in {folder}")

    def active(self) -> Check:
        """Row 4: the user opted out, and it goes on."""
        name, field = "active", self.profile["active"]
        loaded = self.store.read_only()
        on = loaded.state[field] is True
        if not on:
            return Check(
                name, "ok", f"{field} 是 false：已停用，要用户再同意才启用",
                f"{field} is false: it is off until the user agrees again",
            )  # fmt: skip
        return Check(
            name, "ok",
            f"{field} 是 true：启用中。用户说过停而它还在动，就是这里没写成 false",
            f"{field} is true: it is on. If the user has opted out, this was never written",
            "clew sidecar pause", "clew sidecar pause",
        )  # fmt: skip

    # ---- the surroundings ----------------------------------------------------------------------

    def waiting(self) -> Check:
        """Changes that could not be saved."""
        entries = self.store.pending.waiting()
        if not entries:
            return Check("waiting", "ok", "没有等着补写的改动", "no changes wait")
        since = min(entry["at"] for entry in entries)
        return Check(
            "waiting", "note",
            f"{len(entries)} 项改动没写成，最早的在 {since}；下次写得了时补上",
            f"changes that could not be saved: {len(entries)}, the first at {since}; the next change "
            "that can be saved takes them in",
            "clew sidecar turn（或任一事件）会补上；仍不成时看 writing 一项。",
            "`clew sidecar turn` (or any event) takes them in; if not, see `writing`.",
        )  # fmt: skip

    def lock(self) -> Check:
        """A process that hangs while it holds the lock."""
        if self.files.stat(self.path + ".lock") is None:
            return Check("lock", "ok", "没有人占用", "nobody holds the state")
        try:
            with self.store.keeping.section(0.3):
                return Check("lock", "ok", "没有人占用", "nobody holds the state")
        except BusyError as error:
            owner = " ".join(error.owner.split()) or "?"
            return Check(
                "lock", "bad",
                f"状态被占用：{owner}；写入会等，等不到就先存着",
                f"the state is held: {owner}; changes wait for it, and are put off",
                "若那个进程卡住了，结束它；锁随进程消失，不用删文件。",
                "If that process hangs, end it: the lock goes with it, no file has to be removed.",
            )  # fmt: skip
        except OSError as error:
            why = reason_of(error)
            return Check("lock", "bad", f"锁打不开：{why['reason_zh']}",
                         f"the lock cannot be opened: {why['reason_en']}",
                         f"删掉 {self.path}.lock。", f"Remove {self.path}.lock.")  # fmt: skip

    def modes(self) -> Check:
        """Whether others on this machine can read the state."""
        if os.name == "nt":
            return Check("modes", "ok", "由文件夹权限管", "the folder's permissions govern it")
        wide = []
        for path in (self.path, self.path + ".bak"):
            mode = self.files.mode(path)
            if mode is not None and mode & 0o077:
                wide.append(path)
        if not wide:
            return Check("modes", "ok", "只有你能读", "nobody but you can read it")
        return Check(
            "modes", "note",
            f"别的用户也能读：{', '.join(wide)}", f"other users can read: {', '.join(wide)}",
            "下次保存会改成只有你能读；现在就改：chmod 600。",
            "The next save makes it yours alone; to do it now: chmod 600.",
        )  # fmt: skip

    def version(self) -> Check:
        """A state that another version of the profile wrote."""
        raw = self.look.raw if self.look is not None else None
        codes = {n["code"]: n for n in (engine.tidy(self.profile, raw)[1] if raw else [])}
        for code in ("newer_version", "taken_over", "renamed"):
            if code in codes:
                return Check(
                    "version", "note", codes[code]["zh"], codes[code]["en"],
                    "clew sidecar migrate", "clew sidecar migrate",
                )  # fmt: skip
        return Check("version", "ok", "版本与档案一致", "it has the version of the profile")

    def kept(self) -> Check:
        """Files that were set aside."""
        left = [name for name in self._left() if not name.endswith(".bak")]
        if not left:
            return Check("kept", "ok", "没有留存的旧文件", "nothing is set aside")
        shown = ", ".join(left[:_LISTED]) + (" …" if len(left) > _LISTED else "")
        return Check(
            "kept", "note",
            f"留存着 {len(left)} 个旧的或损坏的文件：{shown}", f"set aside are {len(left)}: {shown}",
            "确认用不着后可删。", "Remove them once you are sure that you do not need them.",
        )  # fmt: skip

    def _left(self) -> list[str]:
        base = self.path.rpartition("/")[2]
        kinds = (".bak", ".broken-", ".old-", ".pending.broken-", ".pending.old-")
        starts = tuple(base + kind for kind in kinds)
        try:
            return [name for name in self.files.names(self.folder) if name.startswith(starts)]
        except OSError:
            return []

    def _remove(self, path: str) -> None:
        try:
            self.files.remove(path)
        except OSError:
            return  # it holds nothing, and its name says what it was


def of_profile(word: dict[str, Any]) -> Check:
    """That the profile itself cannot be used: nothing else can be judged then."""
    return Check("profile", "bad", word["zh"], word["en"], word["hint_zh"], word["hint_en"])


def _unseen(name: str, error: OSError) -> Check:
    why = reason_of(error)
    return Check(
        name, "bad",
        f"看不了：{why['reason_zh']}", f"this cannot be looked at: {why['reason_en']}",
        "修好文件夹的权限，去掉绕圈的链接。", "Mend the folder's permissions, and links that go in circles.",
    )  # fmt: skip


def _free_bytes(folder: str) -> int | None:
    try:
        found = os.statvfs(folder)
    except (OSError, AttributeError):
        return None
    return found.f_bavail * found.f_frsize


def told(checks: list[Check], lang: str) -> list[dict[str, Any]]:
    """The checks in one language."""
    out = []
    for check in checks:
        zh = lang == "zh"
        item = {
            "check": check.check,
            "verdict": check.verdict,
            "message": check.zh if zh else check.en,
        }
        if check.mend_zh:
            item["mend"] = check.mend_zh if zh else check.mend_en
        out.append(item)
    return out
