"""`clew agent install|status|uninstall HOST`: skill and hooks for a writing agent, shown first.

Nothing is written before the change was shown and confirmed: by `--yes`, or by a person at a
terminal. A program that gives no `--yes` gets the difference and `needs_confirmation`.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Final, Literal

import msgspec

from clew.faces import config
from clew.faces.agents import hosts
from clew.faces.agents.install import Change, Part, Plan
from clew.faces.cli import answer as answers
from clew.faces.cli.agent_place import Target, What, targets
from clew.faces.cli.parse import after, common
from clew.faces.cli.usage import Parser
from clew.kernel.errors import ClewError
from clew.kernel.faults import Code, Fault, register

_YES: Final = ("y", "yes", "是", "好")
State = Literal["installed", "edited", "outdated", "missing", "broken"]
Status = Literal["ok", "needs_confirmation", "declined"]


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, or would be; no `changes` but `keep`: there was nothing to do."""

    status: Status = "ok"
    action: str
    agent: str
    what: What
    folder: str
    dry_run: bool = False
    changes: list[Change]
    diff: str
    """What would change, while it is not done."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is served."""

    status: str = "ok"
    action: str = "status"
    agent: str
    what: What
    """The guard of a novel, or the hooks of a persona."""
    folder: str
    state: State
    """The worst of its parts. `broken`: the interpreter or the home that the hooks name is gone."""
    home: str = ""
    """The persona's home that the hooks name, or that was asked for."""
    command: str
    """The command line of the first hook, as `install` would write it now."""
    clew: str | None
    """The `clew` that an agent's shell finds."""
    parts: list[Part]
    others: list[Standing] = []
    """Where nobody said what is meant: what else is there."""


def main(argv: list[str]) -> int:
    """Run `clew agent …`."""
    lang = config.language(after(argv, "--lang"))
    machine = "--json" in argv or not config.fancy(sys.stdout)
    notes: list[Fault] = []
    try:
        space = _parser(lang).parse_args(argv)
        found = targets(space)
        if space.verb == "status":
            first, *rest = [_standing(space, target, notes) for target in found]
            standing = msgspec.structs.replace(first, others=rest)
            answers.show(standing, notes, lang, machine=machine, rendering=_standing_table)
            return int(any(one.state in ("outdated", "broken") for one in (first, *rest)))
        done = _serve(space, found[0], notes, lang, machine=machine)
    except (ClewError, OSError) as caught:
        writes = argv[:1] != ["status"]
        return answers.refuse(answers.family(caught), notes, lang, machine=machine, writes=writes)
    answers.show(done, notes, lang, machine=machine, rendering=_served_table)
    return 0 if done.status == "ok" else 1


def _parser(lang: str) -> Parser:
    zh = lang == "zh"
    parser = Parser(prog="clew agent", lang=lang, allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    texts = {
        "install": (
            "装上技能与守卫（先看差异）",
            "put skill and guard into a project (shown first)",
        ),
        "status": ("看装得怎样", "how it stands"),
        "uninstall": ("原样卸下", "take exactly that away again"),
    }
    for verb, (chinese, english) in texts.items():
        about = chinese if zh else english
        sub = verbs.add_parser(verb, help=about, description=about, allow_abbrev=False)
        sub.add_argument(
            "agent",
            help="宿主：claude、codex、gemini" if zh else "the host: claude, codex, gemini",
        )
        sub.add_argument(
            "--novel", action="store_true",
            help="写小说用的技能与守卫" if zh else "the skill and the guard for a novel",
        )  # fmt: skip
        sub.add_argument(
            "--persona", metavar="NAME", nargs="?", const="",
            help="人格的技能与钩子（名字或家的文件夹）" if zh
            else "the skill and the hooks of a persona (its name, or its home's folder)",
        )  # fmt: skip
        sub.add_argument(
            "--home", metavar="DIR",
            help="人格的家的文件夹（等于 --persona DIR）" if zh
            else "the folder of a persona's home (the same as --persona DIR)",
        )  # fmt: skip
        sub.add_argument(
            "--project", metavar="DIR",
            help="项目目录；默认最近的书目录，没有就是当前目录" if zh
            else "the project; by default the nearest book, else the current folder",
        )  # fmt: skip
        sub.add_argument(
            "--user", action="store_true",
            help="装进主目录，对所有项目生效" if zh else "in your home, for every project",
        )  # fmt: skip
        if verb != "status":
            sub.add_argument(
                "--dry-run", action="store_true",
                help="只看差异" if zh else "only show the difference",
            )  # fmt: skip
            sub.add_argument(
                "--yes", action="store_true",
                help="不再询问，直接写入" if zh else "write without asking",
            )  # fmt: skip
        common(sub, lang)
    return parser


# ---- install, uninstall --------------------------------------------------------------------------


def _serve(space: Any, target: Target, notes: list[Fault], lang: str, *, machine: bool) -> Served:
    place = target.place
    if space.verb == "install":
        plan = place.plan_install(config.interpreter())
        notes += _warnings()
        if target.before and target.before != target.home:
            notes.append(
                Fault(
                    "agent_other_persona", found=target.before, file=target.home, name=space.agent
                )
            )
        if space.agent == "codex" and plan.steps:
            notes.append(Fault("hook_review_needed", file=place.path(place.host.settings)))
    else:
        plan = place.plan_uninstall()
    notes += [
        Fault("agent_file_kept", file=change.path)
        for change in plan.changes
        if change.change == "keep"
    ]
    status: Status = "ok"
    if plan.steps and not space.dry_run and not space.yes:
        asked = not machine and sys.stdin is not None and sys.stdin.isatty()
        status = _asked(plan, lang) if asked else "needs_confirmation"
    if status == "ok" and not space.dry_run:
        place.carry_out(plan, timeout=space.lock_timeout)
    return Served(
        status=status, action=space.verb, agent=space.agent, what=target.what, folder=target.folder,
        dry_run=space.dry_run, changes=plan.changes,
        diff=plan.diff if space.dry_run or status == "needs_confirmation" else "",
    )  # fmt: skip


def _asked(plan: Plan, lang: str) -> Status:
    """Show the difference to a person and ask."""
    answers.told(_coloured(plan.diff))
    sys.stderr.write("写入这些改动？[y/N] " if lang == "zh" else "Write these changes? [y/N] ")
    sys.stderr.flush()
    return "ok" if sys.stdin.readline().strip().lower() in _YES else "declined"


def _warnings() -> list[Fault]:
    """What an agent will miss although everything is in place."""
    from shutil import which

    if which("clew") is not None:
        return []
    beside = os.path.join(os.path.dirname(config.interpreter()), "clew")
    return [Fault("clew_not_on_path", found=beside if os.path.exists(beside) else "clew")]


# ---- status --------------------------------------------------------------------------------------


def _standing(space: Any, target: Target, notes: list[Fault]) -> Standing:
    from shutil import which

    place = target.place
    interpreter = config.interpreter()
    parts = place.parts(interpreter)
    named = dict.fromkeys(place.interpreters())
    gone = [one for one in named if one and which(one) is None]
    again = f"clew agent install {space.agent} {_option(target)}"
    notes += [Fault("hook_python_gone", file=parts[0].path, found=one, name=again) for one in gone]
    if target.gone:
        gone.append(target.home)
        notes.append(
            Fault("hook_home_gone", file=parts[0].path, found=target.home, name=space.agent)
        )
    states = {part.state for part in parts}
    state: State = "installed"
    if gone:
        state = "broken"
    elif states == {"missing"}:
        state = "missing"
    elif states & {"missing", "outdated"}:
        state = "outdated"  # install brings it on
    elif "edited" in states:
        state = "edited"
    if state != "missing":
        notes += _warnings()
    return Standing(
        agent=space.agent, what=target.what, folder=target.folder, state=state, home=target.home,
        parts=parts, clew=which("clew"),
        command=hosts.command(interpreter, place.host.hooks[0].event, place.host.words),
    )  # fmt: skip


def _option(target: Target) -> str:
    """How a line of `clew agent` says what is meant."""
    if target.what == "novel":
        return "--novel"
    return f"--persona {hosts.quoted(target.home)}" if target.home else "--persona"


# ---- rendering -----------------------------------------------------------------------------------


def _coloured(diff: str) -> Any:
    from rich.text import Text

    text = Text()
    for line in diff.splitlines():
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        text.append(f"{line}\n", style=style)
    return text


_CHANGES: Final = {
    "add": ("新增", "add"), "update": ("更新", "update"), "remove": ("移除", "remove"),
    "keep": ("保留（被改过）", "kept (edited)"),
}  # fmt: skip
_STATES: Final = {
    "installed": ("已装好", "installed"), "edited": ("装后被改过", "edited since"),
    "outdated": ("需要更新", "to be updated"), "missing": ("没有", "not there"),
    "broken": ("失效：命令里写的东西不在了", "broken: something that its command names is gone"),
}  # fmt: skip


def _served_table(done: Served, lang: str) -> Any:
    from rich.console import Group

    from clew.faces.cli.novel_parts import pairs, say

    side = 0 if lang == "zh" else 1
    rows = [(_CHANGES[change.change][side], change.path) for change in done.changes]
    table = pairs([("项目" if side == 0 else "project", done.folder), *rows])
    if not any(change.change != "keep" for change in done.changes):
        return Group(say(lang, "没有要做的", "nothing to do", "bold green"), table)
    if done.dry_run or done.status == "needs_confirmation":
        more = ("", "") if done.dry_run else ("：确认请加 --yes", ": confirm with --yes")
        zh, en = f"什么都还没写{more[0]}", f"nothing was written yet{more[1]}"
        return Group(_coloured(done.diff), say(lang, zh, en, "yellow"), table)
    if done.status == "declined":
        return Group(say(lang, "没有写入", "nothing was written", "yellow"), table)
    words = ("已装好", "installed") if done.action == "install" else ("已卸下", "taken away")
    if done.action == "install" and done.what == "persona":
        then = (
            "接着：在这里开一个新会话，它先读到开场卡",
            "next: a new session here begins with the opening card",
        )
        return Group(say(lang, *words, "bold green"), table, say(lang, *then, "cyan"))
    return Group(say(lang, *words, "bold green"), table)


_WHATS: Final = {
    "novel": ("小说的守卫", "guard of a novel"),
    "persona": ("人格的钩子", "hooks of a persona"),
}


def _standing_table(standing: Standing, lang: str) -> Any:
    from rich.console import Group

    from clew.faces.cli.novel_parts import pairs, say

    side = 0 if lang == "zh" else 1
    good = standing.state in ("installed", "edited")
    what, state = _WHATS[standing.what], _STATES[standing.state]
    head = say(lang, f"{what[0]}：{state[0]}", f"{what[1]}: {state[1]}",
               "bold green" if good else "bold yellow")  # fmt: skip
    if standing.state == "missing":
        option = (
            "--novel"
            if standing.what == "novel"
            else ("--persona 名字" if side == 0 else "--persona NAME")
        )
        line = f"clew agent install {standing.agent} {option}"
        then = say(lang, f"  → {line}", f"  → {line}", "cyan")
        return Group(head, then, *(_standing_table(one, lang) for one in standing.others))
    rows = [
        ("项目" if side == 0 else "project", standing.folder),
        *([("家" if side == 0 else "home", standing.home)] if standing.home else []),
        ("命令" if side == 0 else "command", standing.command),
        ("clew", standing.clew or "—"),
        *((_STATES[part.state][side], part.path) for part in standing.parts),
    ]
    return Group(head, pairs(rows), *(_standing_table(one, lang) for one in standing.others))


register(
    Code(
        "clew_not_on_path", 0,
        "PATH 里找不到 clew：守卫照常工作，但 Agent 运行 clew 命令会失败（在这里：{found}）",
        "clew is not on PATH: the guard works, but the agent's own clew commands will fail (it is here: "
        "{found})",
        "用 uv tool install 或 pipx 安装 clew，或把它所在的目录加进 PATH。",
        "Install clew with uv tool or pipx, or put its folder on PATH.",
        about_zh="技能教 Agent 运行 clew …，所以它的 shell 要找得到 clew。",
        about_en="The skill has the agent run `clew …`, so its shell must find it.",
    ),
    Code(
        "hook_review_needed", 0,
        "Codex 只运行你看过的钩子：{file} 在你看过之前一声不响地不起作用",
        "Codex runs a hook only after you have looked at it: until then {file} does nothing, and says nothing",
        "在项目里启动 codex，信任这个项目，用 /hooks 看过并信任；codex exec 不会问。改过命令要再看一次。",
        "Start codex in the project, trust the project, and look at /hooks; `codex exec` does not ask. A "
        "changed command has to be looked at again.",
        about_zh="Codex 为每个钩子记下你信任的内容；没有信任的不运行，也不报错。",
        about_en="Codex records which hooks you have trusted; others are not run, and no error is told.",
    ),
    Code(
        "hook_python_gone", 0,
        "{file} 里的守卫用的 Python 不在了：{found}；守卫现在不起作用",
        "the Python that the guard in {file} runs is gone: {found}; the guard does not work now",
        "运行 {name}，把命令换成现在的 Python。",
        "Run `{name}` to put the present Python in its place.",
        about_zh="虚拟环境被移动、重建，或项目在另一台机器上。钩子失败时宿主照常继续，不会挡住任何事。",
        about_en="The virtual environment was moved or made anew, or the project is on another machine. "
        "A hook that fails stops nothing.",
    ),
    Code(
        "hook_home_gone", 0,
        "{file} 里的钩子指向的家不在了：{found}；这里的会话没有人格",
        "the home that the hooks in {file} name is gone: {found}; sessions here have no persona",
        "搬走了就再装一次：clew agent install {name} --persona 名字；不要了就 clew agent uninstall {name}。",
        "Where it was moved, install again: `clew agent install {name} --persona NAME`; where it is no "
        "longer wanted: `clew agent uninstall {name}`.",
        about_zh="钩子按家的绝对路径写成，家搬了就要重装。",
        about_en="Hooks name the home by its absolute path; where the home moves they are installed again.",
    ),
)  # fmt: skip
