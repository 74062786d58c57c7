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
from clew.faces.agents import hosts, skills
from clew.faces.agents.install import Change, Part, Place, Plan
from clew.faces.cli import answer as answers
from clew.faces.cli.parse import Parser, after, common
from clew.kernel.errors import ClewError, Missing, Refused, Usage
from clew.kernel.faults import Both, Code, Fault, register

_YES: Final = ("y", "yes", "是", "好")
State = Literal["installed", "edited", "outdated", "missing", "broken"]
Status = Literal["ok", "needs_confirmation", "declined"]


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, or would be; no `changes` but `keep`: there was nothing to do."""

    status: Status = "ok"
    action: str
    agent: str
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
    folder: str
    state: State
    """The worst of its parts. `broken`: the interpreter that the hooks name is gone."""
    command: str
    """The command line of the guard, as `install` would write it now."""
    clew: str | None
    """The `clew` that an agent's shell finds."""
    parts: list[Part]


def main(argv: list[str]) -> int:
    """Run `clew agent …`."""
    lang = config.language(after(argv, "--lang"))
    machine = "--json" in argv or not config.fancy(sys.stdout)
    notes: list[Fault] = []
    try:
        space = _parser(lang).parse_args(argv)
        place, folder = _place(space)
        if space.verb == "status":
            standing = _standing(space, place, folder, notes)
            answers.show(standing, notes, lang, machine=machine, rendering=_standing_table)
            return 1 if standing.state in ("outdated", "broken") else 0
        done = _serve(space, place, folder, notes, lang, machine=machine)
    except (ClewError, OSError) as caught:
        return answers.refuse(answers.family(caught), notes, lang, machine=machine, writes=True)
    answers.show(done, notes, lang, machine=machine, rendering=_served_table)
    return 0 if done.status == "ok" else 1


def _parser(lang: str) -> Parser:
    zh = lang == "zh"
    parser = Parser(prog="clew agent", allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=Parser)
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
            help="宿主：claude；人格还有 codex、gemini" if zh
            else "the host: claude; for a persona also codex, gemini",
        )  # fmt: skip
        if verb == "install":
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


def _place(space: Any) -> tuple[Place, str]:
    if space.persona is not None:
        return _of_persona(space)
    host = hosts.HOSTS.get(space.agent)
    if host is None:
        code = "agent_by_hand" if space.agent in hosts.BY_HAND else "agent_unknown"
        raise Refused(Fault(code, name=space.agent, allowed=list(hosts.HOSTS)))
    if space.verb == "install" and not space.novel:
        raise Usage(
            Fault(
                "usage",
                reason=Both(
                    "要装什么？加上 --novel 或 --persona 名字",
                    "say what to install: --novel, or --persona NAME",
                ),
            )
        )
    root = _root(space)
    return Place(root, host, skills.NOVEL, skills.shipped()), root


def _of_persona(space: Any) -> tuple[Place, str]:
    from clew.faces.agents import persona
    from clew.persona.finding import ENVIRONMENT, find_home
    from clew.persona.home import open_home

    if space.agent not in persona.HOSTS:
        raise Refused(Fault("agent_unknown", name=space.agent, allowed=list(persona.HOSTS)))
    if space.verb == "install" and space.novel:
        reason = Both(
            "--novel 与 --persona 分两次装", "install --novel and --persona one after the other"
        )
        raise Usage(Fault("usage", reason=reason))
    home = ""
    if space.verb != "uninstall" or space.persona:
        home = open_home(
            find_home(
                space.persona, environ={ENVIRONMENT: config.persona()}, cwd=os.getcwd(),
                library=config.library(),
            )
        ).root  # fmt: skip
    root = _root(space)
    shipped = skills.shipped(persona.SKILL)
    return Place(root, persona.host_of(space.agent, home), persona.SKILL, shipped), root


def _root(space: Any) -> str:
    """The folder that is served: the user's home, or a project."""
    if space.user and space.project:
        reason = Both("--user 与 --project 只能给一个", "give --user or --project, not both")
        raise Usage(Fault("usage", reason=reason))
    given = space.project or (os.getcwd() if space.persona is not None else None)
    root = config.home() if space.user else _project(given)
    if not os.path.isdir(root):
        raise Missing(Fault("missing_file", file=root))
    same = os.path.realpath(root) == os.path.realpath(config.home())
    if same and not space.user:
        raise Refused(Fault("home_needs_user", file=root))
    return root


def _project(given: str | None) -> str:
    if given is not None:
        return os.path.abspath(given)
    from clew.novel.book import find_book

    try:
        return find_book(os.getcwd())
    except Missing:
        return os.getcwd()


# ---- install, uninstall --------------------------------------------------------------------------


def _serve(
    space: Any, place: Place, folder: str, notes: list[Fault], lang: str, *, machine: bool
) -> Served:
    if space.verb == "install":
        plan = place.plan_install(config.interpreter())
        notes += _warnings()
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
        status=status, action=space.verb, agent=space.agent, folder=folder,
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


def _standing(space: Any, place: Place, folder: str, notes: list[Fault]) -> Standing:
    from shutil import which

    interpreter = config.interpreter()
    parts = place.parts(interpreter)
    named = dict.fromkeys(place.interpreters())
    gone = [one for one in named if one and which(one) is None]
    notes += [Fault("hook_python_gone", file=parts[0].path, found=one) for one in gone]
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
        agent=space.agent, folder=folder, state=state, parts=parts, clew=which("clew"),
        command=hosts.command(interpreter, place.host.hooks[0].event, place.host.words),
    )  # fmt: skip


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
    "broken": ("失效：命令里的 Python 不在了", "broken: the Python of its command is gone"),
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
    return Group(say(lang, *words, "bold green"), table)


def _standing_table(standing: Standing, lang: str) -> Any:
    from rich.console import Group

    from clew.faces.cli.novel_parts import pairs, say

    side = 0 if lang == "zh" else 1
    good = standing.state in ("installed", "edited")
    head = say(lang, *_STATES[standing.state], "bold green" if good else "bold yellow")
    rows = [
        ("项目" if side == 0 else "project", standing.folder),
        ("守卫命令" if side == 0 else "guard", standing.command),
        ("clew", standing.clew or "—"),
        *((_STATES[part.state][side], part.path) for part in standing.parts),
    ]
    return Group(head, pairs(rows))


register(
    Code(
        "agent_unknown", 2,
        "不认识的宿主 {name}（可用：{allowed}）",
        "no such host: {name} (known: {allowed})",
        "例：clew agent install claude --novel",
        "For example: clew agent install claude --novel",
        about_zh="宿主是运行写作 Agent 的程序。",
        about_en="A host is the program that runs a writing agent.",
    ),
    Code(
        "agent_by_hand", 2,
        "{name} 还没有安装命令（可用：{allowed}）；它的钩子 clew hook 会答",
        "there is no installer for {name} yet (there is for {allowed}); its hooks are answered by `clew hook`",
        "手工加入的写法见 docs/agents.zh-CN.md。",
        "What to write into its settings by hand: docs/agents.md.",
        about_zh="只提供试过的安装；其余宿主按文档手工接上。",
        about_en="Only installers that were tried are offered; other hosts are set up by hand.",
    ),
    Code(
        "home_needs_user", 2,
        "{file} 是你的主目录：装在这里会对所有项目生效",
        "{file} is your home folder: what is put there holds for every project",
        "就是要这样就加 --user；否则用 --project 指定书目录。",
        "If that is what you want, say --user; otherwise name the book with --project.",
        about_zh="不加 --user 绝不写主目录。",
        about_en="Nothing is written into the home folder without --user.",
    ),
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
        "hook_python_gone", 0,
        "{file} 里的守卫用的 Python 不在了：{found}；守卫现在不起作用",
        "the Python that the guard in {file} runs is gone: {found}; the guard does not work now",
        "运行 clew agent install claude --novel，把命令换成现在的 Python。",
        "Run `clew agent install claude --novel` to put the present Python in its place.",
        about_zh="虚拟环境被移动、重建，或项目在另一台机器上。钩子失败时宿主照常继续，不会挡住任何事。",
        about_en="The virtual environment was moved or made anew, or the project is on another machine. "
        "A hook that fails stops nothing.",
    ),
)  # fmt: skip
