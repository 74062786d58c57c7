"""The one family of exceptions. Each carries faults (values) and an exit code.

    ClewError                 what a command answers with, never a traceback
    ├── Refused               the input breaks a rule; `faults` lists every one          exit 1 or 2
    ├── Stale                 built on an older revision than the one on disk            exit 2
    ├── Locked                someone else holds the lock; says who                      exit 2
    ├── ChangedOutside        a file was edited by another tool or by hand               exit 2
    ├── Corrupt               a file of ours cannot be read back as what it must be      exit 2
    ├── NewerSchema           written by a newer version; left alone                     exit 2
    ├── Missing               a file, folder, tool or document that is needed            exit 3
    ├── StorageFailed         the disk said no: full, permission, I/O                    exit 2
    └── Usage                 the command was called wrongly                             exit 2

Standard library only: the sidecar bundle carries this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clew.kernel.faults import Code, Fault, register, spec, worst_exit


class ClewError(Exception):
    """Base of the family. `faults` is never empty; the first fault gives `code`, `path`, `hint`."""

    def __init__(self, *faults: Fault) -> None:
        if not faults:
            raise ValueError("a ClewError carries at least one fault")
        self.faults: tuple[Fault, ...] = faults
        super().__init__(faults[0].code)

    @classmethod
    def of(cls, code: str, path: str = "", **facts: Any) -> ClewError:
        """An error with one fault of that code."""
        return cls(Fault(code, path, **facts))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.faults  # whole on its way to another process

    @property
    def code(self) -> str:
        return self.faults[0].code

    @property
    def path(self) -> str:
        return self.faults[0].path

    @property
    def hint(self) -> str:
        return self.faults[0].hint()

    @property
    def exit_code(self) -> int:
        # What is a note elsewhere is the reason of a refusal here (an export that may lose nothing).
        return worst_exit(self.faults) or 1

    def __str__(self) -> str:
        return "; ".join(f.message() for f in self.faults)

    def to_dict(self, lang: str = "en") -> dict[str, Any]:
        """The refusal of every face: status, error_code, message, faults."""
        first = self.faults[0]
        message = first.message(lang)
        if len(self.faults) > 1:
            more = len(self.faults)
            message = (
                f"共 {more} 处问题：{message}" if lang == "zh" else f"{more} faults: {message}"
            )
        return {
            "status": "error",
            "error_code": first.code,
            "message": message,
            "faults": [f.to_dict(lang) for f in self.faults],
        }


class Refused(ClewError):
    """The input breaks one or more rules; nothing was written."""


class Stale(ClewError):
    """The change was built on an older revision than the one on disk."""


class Locked(ClewError):
    """Another process holds the lock and the waiting time is over."""


class ChangedOutside(ClewError):
    """A file was changed by something other than clew."""


class Corrupt(ClewError):
    """A file of ours is damaged; it is left as it is."""


class NewerSchema(ClewError):
    """The document was written by a newer version."""


class Missing(ClewError):
    """Something that is needed is not there."""


class StorageFailed(ClewError):
    """The operating system refused: disk full, permission, I/O."""


class Usage(ClewError):
    """The command was called wrongly."""


def refuse(faults: Iterable[Fault]) -> None:
    """Raise `Refused` with all `faults`, or return when there are none."""
    found = tuple(faults)
    if found:
        raise Refused(*found)


def storage_failed(error: OSError, path: str) -> StorageFailed:
    """Turn an `OSError` into the family, naming the file and what the system said."""
    import errno

    code = {
        errno.ENOSPC: "disk_full",
        errno.EDQUOT: "disk_full",
        errno.EACCES: "permission_denied",
        errno.EPERM: "permission_denied",
        errno.EROFS: "read_only_disk",
    }.get(error.errno or 0, "io_failed")
    where = path or str(error.filename or "")
    return StorageFailed(Fault(code, "", file=where, reason=error.strerror or str(error)))


__all__ = [
    "ChangedOutside", "ClewError", "Corrupt", "Locked", "Missing", "NewerSchema", "Refused",
    "Stale", "StorageFailed", "Usage", "refuse", "spec", "storage_failed",
]  # fmt: skip

register(
    Code(
        "disk_full",
        2,
        "磁盘已满，写不下 {file}；原有内容未动",
        "the disk is full, {file} could not be written; what was there is untouched",
        "腾出空间后重跑同一条命令。",
        "Free some space and run the same command again.",
        about_zh="写入前的内容完整保留；命令可原样重跑。",
        about_en="Everything that was there is kept whole; the command can be run again as it stands.",
    ),
    Code(
        "permission_denied",
        2,
        "没有权限访问 {file}（{reason}）；原有内容未动",
        "no permission for {file} ({reason}); what was there is untouched",
        "修正文件或文件夹的权限后重跑。",
        "Mend the permissions of the file or its folder and run again.",
        about_zh="操作系统拒绝了读或写。",
        about_en="The operating system refused the read or the write.",
    ),
    Code(
        "read_only_disk",
        2,
        "{file} 所在磁盘只读，无法写入",
        "{file} lies on a read-only disk and cannot be written",
        about_zh="只读磁盘上仍可运行只读命令。",
        about_en="Commands that only read still work on a read-only disk.",
    ),
    Code(
        "io_failed",
        2,
        "读写 {file} 失败：{reason}",
        "reading or writing {file} failed: {reason}",
        "看看那里放的是什么：该是文件的地方是不是文件夹，盘还在不在。",
        "Look at what lies there: a folder where a file should be, or a disk that is gone.",
        about_zh="操作系统报告了读写错误。",
        about_en="The operating system reported an input/output error.",
    ),
    Code(
        "unsafe_path",
        2,
        "路径 {file} 被拒绝：{reason}",
        "the path {file} was refused: {reason}",
        "换成这个文件夹里面的相对路径；链接指向外面的，把文件本身放进来。",
        "Give a relative path inside the folder; put the file itself where a link leads outside.",
        about_zh="绝对路径、含 .. 的路径、指向书外的符号链接一律拒绝。",
        about_en="Absolute paths, paths with '..' and symbolic links that lead outside are refused.",
    ),
    Code(
        "missing_file",
        3,
        "找不到 {file}",
        "{file} does not exist",
        "核对路径。",
        "Check the path.",
        about_zh="命令需要的文件不存在。章节提交成功后，.story/work/ 下该章的草稿会自动删除。",
        about_en="A file that the command needs does not exist. After a chapter is committed its draft below "
        ".story/work/ is removed.",
    ),
    Code(
        "usage",
        2,
        "{reason}",
        "{reason}",
        "运行带 --help 的同一命令查看用法。",
        "Run the same command with --help.",
        about_zh="命令的参数不对。",
        about_en="The command was called with arguments that do not fit.",
    ),
)
