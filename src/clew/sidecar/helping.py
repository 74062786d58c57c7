"""What `--help` says: the list of commands, or one command with what its options mean.

Pure. Standard library only, Python 3.9: bundles carry it.
"""

from __future__ import annotations

from clew.sidecar.calling import COMMON, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Verbs = Mapping[str, tuple[dict[str, bool], tuple[str, ...]]]
    Words = Mapping[str, tuple[str, str]]

SUMMARIES = {
    "read": ("读状态；status 说明是 ok、fresh、recovered 还是 unreadable",
             "the state; `status` is ok, fresh, recovered or unreadable"),
    "event": ("记一个事件：event 名 --arg 键=值", "one event: event NAME --arg key=value"),
    "turn": ("一轮结束：记一轮，答哪些事现在能做", "the end of a turn: which guarded actions are open"),
    "set": ("改一个字段", "set one field"),
    "patch": ("按 JSON merge patch 改（- 读标准输入）", "a JSON merge patch (- reads stdin)"),
    "show": ("给人看：状态、护栏、文件在哪", "for people: state, guards, where the file is"),
    "reset": ("重新开始；旧文件留存", "start anew; the old file is kept"),
    "pause": ("停用（用户说停）", "switch off (the user opts out)"),
    "resume": ("启用（用户同意后）", "switch on (once the user agrees)"),
}  # fmt: skip
"""What each verb does, for `--help`."""
OPTIONS = {
    "profile": ("哪个档案：名字，或 .toml 文件", "which profile: a name, or a .toml file"),
    "file": ("状态文件在别处", "the state lies in this file"),
    "scope": ("user（默认）、project 或 session", "user (default), project or session"),
    "session": ("会话编号；钩子自己知道，也可用 CLEW_SESSION",
                "the session's id; hooks know it, and CLEW_SESSION can give it"),
    "state_dir": ("代替 CLEW_STATE_DIR", "in the place of CLEW_STATE_DIR"),
    "lang": ("zh 或 en", "zh or en"),
    "strict": ("没存下就退出 1", "exit 1 when the change was not saved"),
    "json": ("终端上也答一行 JSON", "one line of JSON, on a terminal too"),
    "help": ("这一页", "this page"),
    "field": ("只看一个字段，如 current_pack.brand", "one field only, as current_pack.brand"),
    "all": ("连同只给程序看的字段", "with the fields that are private"),
    "hook": ("由宿主的钩子调用：从标准输入读会话", "called by a host's hook: the session comes on stdin"),
    "arg": ("事件的参数，键=值；可以给几次", "an argument of the event, key=value; may be repeated"),
    "id": ("同一编号只记一次（最近 64 个之内）", "the same id counts once (among the last 64)"),
    "chars": ("这一轮说了多少字", "how many characters this turn said"),
    "tools": ("这一轮用了几次工具", "how many tools this turn used"),
    "force": ("越过护栏；界限与类型仍然管用", "past the guards; bounds and types still hold"),
    "seed": ("抽签的种子；新状态才用", "the seed of the draws; for a new state only"),
    "turns": ("模拟几轮（100）", "how many turns to play (100)"),
    "language": ("档案语言的 Schema", "the schema of the profile language"),
    "out": ("写到哪个文件", "the file to write"),
    "yes": ("写下去；不给就只看", "write it; without it the change is only shown"),
    "remove": ("取下来", "take it out again"),
    "user": ("主目录的，不是项目的", "of the home folder, not of the project"),
}  # fmt: skip
"""What each option means."""
_WIDTH = 22


def usage(
    program: str,
    lang: str,
    words: list[str],
    verbs: Verbs = VERBS,
    summaries: Words = SUMMARIES,
) -> str:
    """The help for a command line: of the verb that it begins with, else of all."""
    if words and words[0] in verbs:
        return _of_verb(program, lang, words[0], verbs, summaries)
    zh = lang == "zh"
    lines = [f"{'用法' if zh else 'usage'}: {program} {'命令' if zh else 'VERB'} …", ""]
    lines += [
        f"  {shape(verb, verbs):<{_WIDTH}} {summaries[verb][0 if zh else 1]}" for verb in verbs
    ]
    more = f"{program} {'命令' if zh else 'VERB'} --help"
    lines += ["", f"{more} {'看选项' if zh else 'shows its options'}", ""]
    return "\n".join(lines)


def _of_verb(program: str, lang: str, verb: str, verbs: Verbs, summaries: Words) -> str:
    zh = lang == "zh"
    at = 0 if zh else 1
    own = verbs[verb][0]
    lines = [
        f"{'用法' if zh else 'usage'}: {program} {shape(verb, verbs)} …",
        "",
        f"  {summaries[verb][at]}",
        "",
    ]
    lines += [_option(name, value, at) for name, value in own.items()]
    lines += ["", "通用选项：" if zh else "common options:"]
    lines += [_option(name, value, at) for name, value in COMMON.items() if name not in own]
    return "\n".join([*lines, ""])


def _option(name: str, takes: bool, at: int) -> str:
    flag = f"--{name.replace('_', '-')}" + (f" {name.upper()}" if takes else "")
    return f"  {flag:<{_WIDTH}} {OPTIONS[name][at]}"


def shape(verb: str, verbs: Verbs = VERBS) -> str:
    """A verb with the names of its arguments."""
    names = verbs[verb][1]
    return " ".join([verb, *(f"[{n[:-1]}]" if n[-1] == "?" else n for n in names)])
