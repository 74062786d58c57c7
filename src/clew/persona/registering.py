"""The register of windows, kept: what hooks and people tell of them, within the change of a home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.kernel.clock import stamp
from clew.kernel.errors import Refused
from clew.kernel.faults import Code, Fault, register
from clew.persona import windows as register_of
from clew.persona.transcripts import place
from clew.persona.transcripts.naming import belongs
from clew.persona.windows import FILE, HostName, Windows, is_id

if TYPE_CHECKING:
    from clew.persona.home import Change, Home


def saw(
    change: Change,
    ident: str,
    *,
    host: HostName = "other",
    transcript: str = "",
    cwd: str = "",
    origin: str = "",
    at: str = "",
) -> Windows:
    """A window was seen (`at`, or now): it is in the register from now on. Returns the register."""
    known = change.load(FILE, Windows) or Windows()
    after = register_of.saw(
        known, ident, min(at or change.at, change.at), host=host, transcript=transcript, cwd=cwd,
        origin=origin if origin != ident else "",
    )  # fmt: skip
    after, left = register_of.trimmed(after)
    for one in left:
        change.append(register_of.LOG, one)
    if after != known:
        change.save(FILE, after)
    return after


def act(
    home: Home,
    action: str,
    ident: str,
    *,
    transcript: str = "",
    host: HostName = "other",
    origin: str = "",
) -> None:
    """`add`, `retire` or `revive` a window. Raises `Missing` (`no_window`), `Refused` (`window_id`,
    `not_a_transcript`)."""
    if not is_id(ident):
        raise Refused(Fault("window_id", "$.id", found=ident))
    found = place.find(home.vault.files, transcript) if transcript else None
    if transcript and (found is None or not belongs(transcript, ident)):
        raise Refused(Fault("not_a_transcript", "$.transcript", file=transcript))
    with home.change() as change:
        known = change.load(FILE, Windows) or Windows()
        if action == "retire":
            after = register_of.retire(known, ident)
        elif action == "revive":
            after = register_of.revive(known, ident)
        else:
            after = register_of.saw(
                known, ident, stamp(change.moment), host=host, transcript=transcript, origin=origin
            )
        if after != known:
            change.save(FILE, after)
            change.event(f"window_{action}", window=ident)


register(
    Code(
        "window_id", 2,
        "不能作为窗口标识：{found}",
        "this cannot be the id of a window: {found}",
        "宿主的会话标识：字母、数字和 . _ : -，不超过 200 个字符。",
        "A host's session id: letters, digits and `. _ : -`, at most 200 characters.",
        about_zh="标识会成为档案里的文件名，所以只允许这些字符。",
        about_en="The id becomes the name of a file in the archive, so only these characters may be in it.",
    ),
    Code(
        "not_a_transcript", 2,
        "{file} 不是这个会话的会话文件",
        "{file} is no transcript of this session",
        "要一个普通文件（不是链接、文件夹或设备），名字里有会话标识，以 .jsonl 或 .json 结尾。",
        "A regular file is needed (no link, folder or device) whose name holds the session's id and ends in "
        ".jsonl or .json.",
        about_zh="会话文件是宿主写下的对话，一般是 .jsonl。",
        about_en="A transcript is the conversation as its host wrote it down, mostly a .jsonl file.",
    ),
)  # fmt: skip
