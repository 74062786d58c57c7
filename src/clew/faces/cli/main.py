"""`clew`: finds the noun, loads its room, runs one operation, shows the answer.

Start-up is a feature: `--version` and a wrong noun load nothing, and a command loads its own room
only. Exit codes: 0 done, 1 a finding or refusal, 2 bad input or broken state, 3 something missing,
130 interrupted. Never a traceback: a bug writes a report file and names it.
"""

from __future__ import annotations

import sys

from clew.faces.cli.guard import leave

_NOUNS = {
    "novel": (
        "小说账本：开账、提交、核对、回看、撤销",
        "the novel ledger: start, commit, check, look back, undo",
    ),
    "chapter": ("一章的收口：检查、提交、按现长接受", "closing a chapter: check, commit, accept"),
    "wordcount": ("数字数", "counting characters"),
    "library": (
        "书库：建库、核对、修复、搜索、从别的程序导入",
        "the library: make one, check, repair, search, import from other programs",
    ),
    "card": (
        "角色卡：导入、查看、修改、版本、导出",
        "character cards: import, look, edit, versions, export",
    ),
    "persona": (
        "人格：家、心情、醒来、通道、记忆",
        "a persona: its home, mood, waking, channels, memory",
    ),
    "sidecar": (
        "技能的旁存状态：读、记事件、收一轮、体检、打包",
        "the state of a skill: read, events, turns, doctor, bundle",
    ),
    "backup": ("备份：创建、验证、恢复", "backups: create, verify, restore"),
    "trust": ("信任一个文件夹里写明的命令", "trust the commands that a folder names"),
    "agent": (
        "写作 Agent：装上技能与守卫、查看、卸下",
        "writing agents: install skill and guard, status, uninstall",
    ),
    "demo": (
        "做一个小世界来看看：两本书、几张卡、一个人格的一星期",
        "a small world to look at: novels, cards, a persona",
    ),
    "hook": ("由 Agent 的宿主调用", "called by an agent's host"),
}


def run() -> None:
    """The console script."""
    leave(main)


def main(argv: list[str]) -> int:
    """Run one command line and return its exit code."""
    if argv[:1] in (["--version"], ["-V"]):
        from clew import __version__

        sys.stdout.write(f"clew {__version__}\n")
        return 0
    moved = _language_last(argv)
    noun = next((a for a in moved[:1] if not a.startswith("-")), "")
    if noun not in _NOUNS:
        return _overview(argv, noun)
    return _noun(noun, moved[1:])


def _language_last(argv: list[str]) -> list[str]:
    """`clew --lang zh chapter …` as `clew chapter … --lang zh`; any other line as it is."""
    size = 2 if argv[:1] == ["--lang"] else 1 if argv and argv[0].startswith("--lang=") else 0
    given, rest = argv[:size], argv[size:]
    if not size or not rest or rest[0].startswith("-"):
        return argv
    if _given(rest) is not None:
        return rest  # said again, nearer to the verb
    end = rest.index("--") if "--" in rest else len(rest)
    return [*rest[:end], *given, *rest[end:]]


def _noun(noun: str, argv: list[str]) -> int:
    if noun == "sidecar":
        from clew.faces.cli.sidecar import main as sidecar

        return sidecar(argv)
    if noun == "backup":
        from clew.faces.cli.backup import main as backup

        return backup(argv)
    if noun == "demo":
        from clew.faces.cli.demo import main as demo

        return demo(argv)
    if noun == "trust":
        from clew.faces.cli.trust import main as trust

        return trust(argv)
    if noun == "hook":
        from clew.faces.cli.hook import main as hook

        return hook(argv)
    if noun == "agent":
        from clew.faces.cli.agent import main as agent

        return agent(argv)
    from clew.faces.cli.quick import load_msgspec

    load_msgspec()
    from clew.faces.cli.rooms import main as room

    return room(noun, argv)


def _overview(argv: list[str], noun: str) -> int:
    from clew.faces.config import language

    zh = language(_given(argv)) == "zh"
    asked = all(word in ("-h", "--help", "--lang", "zh", "en") for word in argv)
    wrong = bool(noun) or not asked
    out = sys.stderr if wrong else sys.stdout
    if wrong:
        what = (noun or " ".join(argv)).encode("utf-8", "backslashreplace").decode("utf-8")
        out.write(
            f"没有这个命令（名词要写在最前面）：{what}{_meant(noun, zh=zh)}\n\n"
            if zh
            else f"no such command (the noun comes first): {what}{_meant(noun, zh=zh)}\n\n"
        )
    out.write("用法：clew <名词> <动词> …\n\n" if zh else "usage: clew <noun> <verb> …\n\n")
    for name, (chinese, english) in _NOUNS.items():
        out.write(f"  {name:<10} {chinese if zh else english}\n")
    more = (
        "\nclew <名词> --help 看它的命令；--json 机器可读；--lang zh|en；--version\n"
        if zh
        else "\nclew <noun> --help shows its commands; --json for machines; --lang zh|en; --version\n"
    )
    out.write(more)
    if wrong and ("--json" in argv or not sys.stdout.isatty()):
        from clew.faces.cli.answer import emit
        from clew.kernel.errors import Usage
        from clew.kernel.faults import Fault

        reason = f"没有这个命令：{what}" if zh else f"no such command: {what}"
        fault = Fault("usage", reason=reason + _meant(noun, zh=zh), allowed=list(_NOUNS))
        emit(Usage(fault).to_dict("zh" if zh else "en"))
    return 2 if wrong else 0


def _meant(noun: str, *, zh: bool) -> str:
    from difflib import get_close_matches

    near = get_close_matches(noun[:40], _NOUNS, n=1)
    if not near:
        return ""
    return f"。是不是 clew {near[0]}？" if zh else f". Did you mean `clew {near[0]}`?"


def _given(argv: list[str]) -> str | None:
    for at, word in enumerate(argv):
        if word == "--lang" and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith("--lang="):
            return word[7:]
    return None


if __name__ == "__main__":
    run()
