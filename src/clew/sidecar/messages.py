"""What the store and its commands say: one sentence in each language for every code. Pure.

Standard library only, Python 3.9. The words have the shape of the engine's: `code`, the facts, `zh`
and `en`. `codes` hands the same table to the registry of every other face.
"""

from __future__ import annotations

from clew.sidecar.engine_words import plain, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Word = dict[str, Any]


class Code:
    """One kind of note or error. Names in braces are facts; `exit` is 0 for a note."""

    __slots__ = ("code", "en", "exit", "hint_en", "hint_zh", "zh")

    def __init__(
        self, code: str, exit: int, zh: str, en: str, hint_zh: str = "", hint_en: str = ""
    ) -> None:
        self.code = code
        self.exit = exit
        self.zh = zh
        self.en = en
        self.hint_zh = hint_zh
        self.hint_en = hint_en


_CODES = (
    # what reading found
    Code(
        "sidecar_broken", 0,
        "{file} 已损坏（{reason_zh}），原样留为 {kept}",
        "{file} is broken ({reason_en}) and is kept as {kept}",
    ),
    Code(
        "sidecar_broken_in_place", 0,
        "{file} 已损坏（{reason_zh}），现在挪不开，留在原处",
        "{file} is broken ({reason_en}); it could not be moved aside and stays where it is",
        "检查文件夹的权限和空间。", "Look at the permissions and the space of its folder.",
    ),
    Code(
        "sidecar_recovered", 0,
        "已改用最近一次完好的副本（{file}）",
        "the last good copy is used ({file})",
    ),
    Code(
        "sidecar_salvaged", 0,
        "没有完好的副本；用了 {file} 开头仍完整的部分",
        "there is no good copy; the whole object at the beginning of {file} is used",
    ),
    Code(
        "sidecar_stays_off", 0,
        "说不清用户是否关停过，按已关停处理",
        "whether the user had opted out cannot be told, so it stays off",
        "用户再次同意后运行 clew sidecar resume。",
        "Run `clew sidecar resume` once the user agrees again.",
    ),
    Code(
        "sidecar_anew", 0,
        "没有可用的副本，按新会话开始",
        "there is no copy to go on from; a new session begins",
    ),
    Code(
        "sidecar_unreadable", 2,
        "{file} 在，但读不了（{reason_zh}）；本次用默认值，且不会覆盖它",
        "{file} is there but cannot be read ({reason_en}); defaults are used and it is not written over",
        "修好它的权限，或用 --file 换一个文件。",
        "Mend its permissions, or choose another file with --file.",
    ),
    Code(
        "sidecar_values_kept", 0,
        "有的值不合规定，已改用默认值；原文件留为 {kept}",
        "some values did not fit and were replaced; the file as it was is kept as {kept}",
    ),
    # what writing met
    Code(
        "sidecar_not_saved", 1,
        "{file} 写不了（{reason_zh}）；{found} 项改动暂存在 {kept}，下次写入时补上",
        "{file} could not be written ({reason_en}); changes that wait in {kept}: {found}. "
        "They are applied at the next change",
        "检查磁盘空间和文件夹权限。", "Look at the disk's space and the folder's permissions.",
    ),
    Code(
        "sidecar_in_memory", 1,
        "{file} 写不了（{reason_zh}）；{found} 项改动留在内存里，下次写入时补上",
        "{file} could not be written ({reason_en}); changes that wait in memory: {found}. "
        "They are applied at the next change",
        "检查磁盘空间和文件夹权限。", "Look at the disk's space and the folder's permissions.",
    ),
    Code(
        "sidecar_lost", 1,
        "{file} 写不了（{reason_zh}），也无处暂存；这些改动丢失了：{names}",
        "{file} could not be written ({reason_en}), and nothing could be kept anywhere. Lost: {names}",
        "腾出空间或修好权限，再重做这些改动。",
        "Make room or mend the permissions, and make the changes again.",
    ),
    Code(
        "sidecar_no_copy", 0,
        "状态已保存，但最近完好副本写不了（{reason_zh}）",
        "the state is saved, but its last good copy could not be written ({reason_en})",
    ),
    Code(
        "sidecar_late", 0,
        "补上了 {found} 项先前没写成的改动",
        "changes that had waited are applied: {found}",
    ),
    Code(
        "sidecar_late_refused", 0,
        "先前没写成的改动 {name} 现在不能执行，已略过：{reason_zh}",
        "{name}, which had waited, is refused now and left out: {reason_en}",
    ),
    Code(
        "sidecar_late_off", 1,
        "它等待期间用户又停用了，或说不清是否停用过",
        "the user has opted out since, or that cannot be told",
        "用户再次同意后运行 clew sidecar resume。",
        "Run `clew sidecar resume` once the user agrees again.",
    ),
    Code(
        "sidecar_late_stuck", 0,
        "补上的改动已经生效，但暂存文件 {kept} 删不掉（{reason_zh}）；不会再补一次",
        "what had waited is in force, but {kept} cannot be removed ({reason_en}); it is not applied again",
        "检查那里的权限和空间。", "Look at the permissions and the space there.",
    ),
    Code(
        "sidecar_late_orphan", 0,
        "原来的状态文件不在了，为它而等的 {found} 项改动不再补",
        "the state is gone; changes that waited for it are not applied to a new one: {found}",
    ),
    Code(
        "sidecar_late_damaged", 0,
        "暂存的改动有用不上或读不懂的，留为 {kept}",
        "changes that waited and cannot be used or read are kept as {kept}",
    ),
    Code(
        "sidecar_off_kept", 0,
        "整份写入基于关停之前的状态，仍保持关停",
        "the state that was written is older than the opt-out, so it stays off",
    ),
    # how a command was called
    Code(
        "sidecar_usage", 2,
        "{reason_zh}",
        "{reason_en}",
        "clew sidecar --help", "clew sidecar --help",
    ),
    Code(
        "sidecar_no_profile", 3,
        "找不到档案 {name}；可用：{allowed}",
        "there is no profile {name}; known: {allowed}",
        "clew sidecar profiles 列出全部；自己的档案先 clew sidecar init 文件.toml。",
        "`clew sidecar profiles` lists them; a profile of your own: `clew sidecar init FILE.toml`.",
    ),
    Code(
        "sidecar_which_profile", 2,
        "用 --profile 指定档案；可用：{allowed}",
        "name the profile with --profile; known: {allowed}",
        "或设环境变量 CLEW_SIDECAR。", "Or set CLEW_SIDECAR in the environment.",
    ),
    Code(
        "sidecar_profile_unreadable", 2,
        "档案 {file} 读不了，或由别的版本编译",
        "the profile {file} cannot be read, or was compiled by another version",
        "重新运行 clew sidecar init 文件.toml。",
        "Take it in again: `clew sidecar init FILE.toml`.",
    ),
    Code(
        "sidecar_without_profile", 0,
        "没有档案 {name} 可用，本次按默认值、停用运行，什么都没写",
        "without its profile {name} the skill runs on defaults, switched off; nothing is written",
    ),
    Code(
        "sidecar_not_taken_in", 1,
        "档案 {name} 还没有收进来，接上的钩子找不到它",
        "the profile {name} was not taken in, so the hooks would not find it",
        "先运行 clew sidecar init 文件.toml。", "First: `clew sidecar init FILE.toml`.",
    ),
    Code(
        "sidecar_shadows", 0,
        "自己的档案 {name} 从现在起代替包里同名的那个",
        "from now on your own profile {name} is used in place of the shipped one of that name",
    ),
    Code(
        "sidecar_seed_kept", 0,
        "状态 {file} 已经有了，种子不变",
        "the state {file} is there already and keeps its seed",
        "要换种子：clew sidecar reset，再 clew sidecar init --seed。",
        "For another one: `clew sidecar reset`, then `clew sidecar init --seed`.",
    ),
    Code(
        "sidecar_no_field", 1,
        "没有 {path} 这个字段，或它不对外显示",
        "there is no field {path}, or it is private",
        "加 --all 可读不对外显示的字段。", "Private fields are read with --all.",
    ),
    Code(
        "sidecar_no_file", 3,
        "{file} 读不了：{reason_zh}",
        "{file} cannot be read: {reason_en}",
    ),
    Code(
        "sidecar_no_state", 3,
        "{file} 还不存在，没有可迁移的",
        "{file} does not exist yet; there is nothing to migrate",
        "clew sidecar init", "clew sidecar init",
    ),
    Code(
        "sidecar_failed", 2,
        "{file} 没写成：{reason_zh}；原有内容未动",
        "{file} was not written: {reason_en}; what was there is untouched",
        "检查磁盘空间和文件夹权限，再运行一次。",
        "Look at the disk's space and the folder's permissions, and run it again.",
    ),
    Code(
        "sidecar_bad_input", 2,
        "{file} 不能当作 JSON 对象：{reason_zh}",
        "{file} cannot be taken as a JSON object: {reason_en}",
    ),
)  # fmt: skip
WORDS = {code.code: code for code in _CODES}

# Why bytes are no state, why a file cannot be read or written.
REASONS = {
    "empty": ("是空的", "it is empty"),
    "nul": ("全是 NUL 字节", "it is all NUL bytes"),
    "not_utf8": ("不是 UTF-8", "it is not UTF-8"),
    "not_json": ("不是完整的 JSON", "it is not whole JSON"),
    "not_an_object": ("不是 JSON 对象", "it is no JSON object"),
    "too_large": ("超过 16 MiB", "it is larger than 16 MiB"),
    "too_deep": ("嵌套太深", "it is nested too deep"),
    "foreign": ("是别的 JSON 文件", "it is some other JSON file"),
    "link_no_state": ("链接指向的不是状态文件", "the link leads to a file that is no state"),
    "link_owner": ("链接指向别人的文件", "the link leads to a file of another owner"),
    "link_outside": ("链接指到项目之外", "a link leads outside the project"),
    "not_a_file": ("不是普通文件", "it is no regular file"),
    "missing": ("不存在", "it is not there"),
    "busy": ("被另一进程占用：{owner}", "another process holds it: {owner}"),
    "full": ("磁盘已满", "the disk is full"),
    "permission": ("没有权限", "permission denied"),
    "read_only": ("磁盘只读", "the disk is read-only"),
    "io": ("读写出错：{text}", "input/output failed: {text}"),
    "big_number": ("含有不能写成 JSON 的数", "it holds a number that JSON cannot hold"),
}


_PATHS = ("file", "kept")


def word(code: str, **facts: Any) -> Word:
    """One note or error. Facts whose names end in `_zh` or `_en` are phrases of the sentences."""
    out: Word = {"code": code}
    shown = {}
    for name, fact in facts.items():
        out[name] = fact
        # A path that is cut leads nowhere.
        long = (name[-3:] in ("_zh", "_en") or name in _PATHS) and isinstance(fact, str)
        shown[name] = plain(fact, 1_000) if long else told(fact)
    known = WORDS[code]
    out["zh"] = known.zh.format_map(shown)
    out["en"] = known.en.format_map(shown)
    if known.hint_zh:
        out["hint_zh"], out["hint_en"] = known.hint_zh, known.hint_en
    return out


def exit_of(code: str) -> int:
    """The exit code of an error."""
    return WORDS[code].exit if code in WORDS else 1


def reason(key: str, **facts: str) -> dict[str, str]:
    """A reason as the facts `reason_zh` and `reason_en` of a word."""
    zh, en = REASONS[key]
    shown = {name: told(fact) for name, fact in facts.items()}
    return {"reason": key, "reason_zh": zh.format_map(shown), "reason_en": en.format_map(shown)}


def reason_of(error: OSError) -> dict[str, str]:
    """What the system said, as the facts of a word."""
    import errno

    known = getattr(error, "reason", "")
    if known in REASONS:
        return reason(known)
    if hasattr(error, "owner"):
        return reason("busy", owner=" ".join(error.owner.split()) or "?")
    key = {
        errno.ENOSPC: "full",
        errno.EDQUOT: "full",
        errno.EFBIG: "full",
        errno.EACCES: "permission",
        errno.EPERM: "permission",
        errno.EROFS: "read_only",
        errno.EINVAL: "not_a_file",
        errno.EISDIR: "not_a_file",
        errno.ENOENT: "missing",
        errno.ENOTDIR: "missing",
    }.get(error.errno or 0)
    return reason(key) if key else reason("io", text=error.strerror or str(error))
