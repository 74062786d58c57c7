"""Hands the words of the store to the registry of codes: they get pages in docs/errors/ and travel as
faults. What the engine refuses travels as `sidecar_refused`, with the engine's own code.

Not loaded by the verbs of a turn, and not carried by bundles.
"""

from __future__ import annotations

from typing import Any, Final

from clew.kernel.faults import Both, Code, Fault, register
from clew.sidecar.messages import WORDS

_ABOUT: Final = {
    "sidecar_broken": (
        "读状态时发现文件不是完整的 JSON 对象（空、断、NUL、过大、类型不对）。它被改名留存，从不删除。",
        "The state was no whole JSON object (empty, torn, NULs, too large, of another type). It is "
        "renamed and kept, never deleted.",
    ),
    "sidecar_broken_in_place": (
        "文件坏了，但文件夹此刻不能写，所以留在原处；回答来自完好的副本。",
        "The file is broken, and its folder cannot be written now, so it stays; the answer comes from "
        "the good copy.",
    ),
    "sidecar_recovered": (
        "每次保存都另写一份完好的副本（.bak）；主文件坏了就用它。",
        "Every save also writes a good copy (.bak), which is used when the file is broken.",
    ),
    "sidecar_salvaged": (
        "文件开头是一个完整的对象，后面跟着多余的字节。后面不全是空白时，一律按停用处理。",
        "The file begins with a whole object and goes on with other bytes. Unless those are blank, the "
        "state counts as switched off.",
    ),
    "sidecar_stays_off": (
        "损坏从不会把“停用”变成“启用”：凡说不清的，按停用处理。",
        "No damage turns an opt-out into an opt-in: where it cannot be told, the state is off.",
    ),
    "sidecar_anew": (
        "文件坏了，又没有副本：按新会话处理，停用，坏文件留着。",
        "The file is broken and there is no copy: a new session, switched off; the file is kept.",
    ),
    "sidecar_unreadable": (
        "文件存在却打不开（权限、读写错误、不是普通文件、链接不可信），这不等于空会话，所以绝不覆盖。",
        "The file exists and cannot be opened (permission, input/output, no regular file, a link that "
        "is not trusted). That is no empty session, so it is never written over.",
    ),
    "sidecar_values_kept": (
        "文件是好的 JSON，但有的值不合档案；改用默认值之前，先把原文件留一份。",
        "The file is good JSON with values that the profile does not allow. Before they are replaced, "
        "the file is kept once as it was.",
    ),
    "sidecar_not_saved": (
        "写失败不打断对话：标准输出照常，退出码 0（--strict 时为 1），改动带编号暂存，下次恰好补一次。",
        "A failed write does not break the conversation: stdout is as usual and the exit code 0 (1 with "
        "--strict). The change waits with an id and is applied exactly once.",
    ),
    "sidecar_in_memory": (
        "Python 接口把没写成的改动留在内存里，下次调用或关闭时再写。",
        "The Python API keeps what could not be written in memory, and tries again at the next call "
        "and when it is closed.",
    ),
    "sidecar_lost": (
        "主文件、旁边的暂存文件、会话的运行时目录都写不了，改动没有留下。",
        "Neither the state, nor the file of waiting changes beside it, nor the session's runtime folder "
        "could be written: the change is gone.",
    ),
    "sidecar_no_copy": (
        "状态本身已安全写下；只是 .bak 没能更新。",
        "The state itself is safe; only its .bak could not be renewed.",
    ),
    "sidecar_late": (
        "先前没写成的改动在这次写入时补上了。",
        "Changes that could not be saved earlier were applied by this one.",
    ),
    "sidecar_late_refused": (
        "等到现在再判断，这项改动已不符合规则（比如钱不够了）。",
        "Judged now, the change no longer fits the rules (there is too little money, say).",
    ),
    "sidecar_late_off": (
        "等着补写的改动会把状态打开，而状态在它之后被保存或手工停用过：按停用处理。",
        "A change that had waited would switch on, and the state was saved, or switched off by hand, "
        "after it was sent: it stays off.",
    ),
    "sidecar_late_stuck": (
        "改动已写进状态，暂存的行却删不掉（只读、权限）。它们的编号记在状态里，直到文件消失。",
        "The changes are in the state, and their lines cannot be removed (read-only, permission). The "
        "state remembers their ids until the file is gone.",
    ),
    "sidecar_late_orphan": (
        "用户删了状态文件或重置过；为旧状态而等的改动不会写进新会话。",
        "The user deleted or reset the state; what waited for the old one does not begin a new one.",
    ),
    "sidecar_late_damaged": (
        "暂存文件里有断行或不能用的行，整份留存，供人查看。",
        "The file of waiting changes has torn or useless lines; all of it is kept for people to see.",
    ),
    "sidecar_off_kept": (
        "整份写入时，最后写的赢；但在关停之前读的那一份不能把它重新打开。",
        "The last writer of a whole state wins, but one that was read before an opt-out does not undo it.",
    ),
    "sidecar_usage": (
        "命令写错了。", "The command was written wrongly.",
    ),
    "sidecar_no_profile": (
        "没有这个名字的档案：既不在包里，也没有用 init 收进来。",
        "No profile has this name: it is not shipped, and was not taken in with init.",
    ),
    "sidecar_which_profile": (
        "没有说是哪个档案，而可能的不止一个。",
        "No profile was named, and more than one is possible.",
    ),
    "sidecar_profile_unreadable": (
        "收进来的档案读不了，或是别的版本的 clew 编译的。状态没有动。",
        "A profile that was taken in cannot be read, or another version of clew compiled it. The state "
        "is untouched.",
    ),
    "sidecar_without_profile": (
        "档案读不了时，read 与 turn 不打断对话：按停用回答。pause 仍会写下停用。",
        "Where the profile cannot be read, read and turn do not break the conversation: they answer as "
        "switched off. pause is still written.",
    ),
    "sidecar_not_taken_in": (
        "wire 给的是一个文件，而钩子按名字找档案。",
        "wire was given a file, and hooks find profiles by name.",
    ),
    "sidecar_shadows": (
        "收进来的档案与包里的同名；自己的优先。",
        "A profile that was taken in has the name of a shipped one; your own comes first.",
    ),
    "sidecar_seed_kept": (
        "种子只在开一份状态时定下。",
        "A seed is set when a state begins, and not later.",
    ),
    "sidecar_no_field": (
        "路径不存在，或字段标为不对外显示。",
        "The path does not exist, or the field is marked private.",
    ),
    "sidecar_no_file": (
        "给出的档案文件读不了。", "The profile file that was named cannot be read.",
    ),
    "sidecar_no_state": (
        "还没有状态文件。", "There is no state file yet.",
    ),
    "sidecar_failed": (
        "文件没写成；原来的内容原样在。", "The file was not written; what was there is as it was.",
    ),
    "sidecar_bad_input": (
        "给的补丁不是 JSON 对象。", "The patch that was given is no JSON object.",
    ),
}  # fmt: skip


def _phrases(template: str) -> str:
    """The registry knows a phrase in two languages as one fact."""
    return template.replace("{reason_zh}", "{reason}").replace("{reason_en}", "{reason}")


register(
    *(
        Code(
            word.code,
            word.exit,
            _phrases(word.zh),
            _phrases(word.en),
            word.hint_zh,
            word.hint_en,
            *_ABOUT[word.code],
        )
        for word in WORDS.values()
    ),
    Code(
        "sidecar_refused", 1,
        "{reason}", "{reason}",
        about_zh="引擎按档案的规则拒绝了这次改动，状态没有变。",
        about_en="The engine refused a change by the rules of the profile; the state is as it was.",
    ),
)  # fmt: skip


def fault_of(word: dict[str, Any]) -> Fault:
    """A word of the store or the engine, as a fault."""
    code = word["code"]
    path = str(word.get("path", ""))
    facts = {key: fact for key, fact in word.items() if key in ("file", "found", "allowed")}
    reason = Both(word["zh"], word["en"])
    if code in WORDS:
        facts |= {key: word[key] for key in ("kept", "name", "names") if key in word}
        if "reason_zh" in word:
            facts["reason"] = Both(word["reason_zh"], word["reason_en"])
        return Fault(code, path, **facts)
    return Fault("sidecar_refused", path, reason=reason, rule=code, **facts)
