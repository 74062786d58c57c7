"""What a line of `clew agent` is about: which folder, and there the guard of a novel or a persona.

Where nobody says which of the two is meant, what is installed there decides; never a guess between
several, and never one that writes.
"""

from __future__ import annotations

import os
from typing import Any, Literal, NamedTuple

from clew.faces import config
from clew.faces.agents import hosts, persona, skills
from clew.faces.agents.install import Place
from clew.kernel.errors import ClewError, Missing, Refused, Usage
from clew.kernel.faults import Both, Code, Fault, register

What = Literal["novel", "persona"]


class Target(NamedTuple):
    """One thing that is served in a folder."""

    what: What
    place: Place
    folder: str
    home: str = ""
    """Of a persona: its home; empty where that does not matter."""
    gone: bool = False
    """The home that the hooks name is no home any more."""
    before: str = ""
    """The home that they name before an install."""


def targets(space: Any) -> list[Target]:
    """What is meant, for `install` and `uninstall` one thing; for `status` of nothing that was named
    everything that is there. Raises `Usage`, `Refused`, `Missing`."""
    _settle(space)
    if space.persona is not None:
        return [_of_persona(space)]
    if space.novel or space.verb == "install":
        return [_of_novel(space)]
    if space.agent not in hosts.HOSTS:
        return [_of_novel(space)]  # which says so
    known = _both(space)
    there = [target for target in known if _installed(target)]
    if len(there) > 1 and space.verb == "uninstall":
        raise Refused(Fault("agent_both", name=space.agent))
    return there or known


def _settle(space: Any) -> None:
    """`--home DIR` is a persona; a novel and a persona are two lines."""
    if space.home and space.persona:
        reason = Both("--home 与 --persona 只写一个", "give --home or --persona, not both")
        raise Usage(Fault("usage", reason=reason))
    if space.home:
        space.persona = os.path.abspath(os.path.expanduser(space.home))
    if space.persona is not None and space.novel:
        reason = Both("--novel 与 --persona 分两次写", "--novel and --persona one after the other")
        raise Usage(Fault("usage", reason=reason))


def _both(space: Any) -> list[Target]:
    """What may be installed for a host, the guard of a novel first."""
    root = _root(space, here=True)
    place = _place(space, root, "")
    home = persona.home_in(_settings(place))
    gone = bool(home) and not os.path.isfile(os.path.join(home, "persona.toml"))
    return [_of_novel(space), Target("persona", _place(space, root, home), root, home, gone)]


def _installed(target: Target) -> bool:
    return any(part.state != "missing" for part in target.place.parts(config.interpreter()))


def _of_novel(space: Any) -> Target:
    host = hosts.HOSTS.get(space.agent)
    if host is None:
        raise Refused(Fault("agent_unknown", name=space.agent, allowed=list(hosts.HOSTS)))
    if space.verb == "install" and not space.novel:
        reason = Both(
            "要装什么？加上 --novel 或 --persona 名字",
            "say what to install: --novel, or --persona NAME",
        )
        raise Usage(Fault("usage", reason=reason))
    root = _root(space, here=False)
    return Target("novel", Place(root, host, skills.NOVEL, skills.shipped()), root)


def _of_persona(space: Any) -> Target:
    if space.agent not in persona.HOSTS:
        raise Refused(Fault("agent_unknown", name=space.agent, allowed=list(persona.HOSTS)))
    if not space.persona and space.verb != "install":
        return _both(space)[-1]  # whichever is installed here
    home = ""
    if space.verb != "uninstall":
        home = _home(space)
    root = _root(space, here=True)
    place = _place(space, root, home)
    before = persona.home_in(_settings(place)) if space.verb == "install" else ""
    return Target("persona", place, root, home, before=before)


def _home(space: Any) -> str:
    from clew.faces.cli.novel_parts import word
    from clew.persona.finding import ENVIRONMENT, find_home
    from clew.persona.home import open_home

    try:
        folder = find_home(
            space.persona, environ={ENVIRONMENT: config.persona()}, cwd=os.getcwd(),
            library=config.library(),
        )  # fmt: skip
    except ClewError as error:
        if error.code != "several_personas":
            raise
        names = error.faults[0].facts["allowed"]
        lines = [f"clew agent {space.verb} {space.agent} --persona {word(name)}" for name in names]
        raise Refused(
            Fault("agent_which_persona", allowed=names, name=" · ".join(lines))
        ) from error
    return open_home(folder).root


def _place(space: Any, root: str, home: str) -> Place:
    host = persona.host_of(space.agent, home)
    return Place(root, host, persona.SKILL, skills.shipped(persona.SKILL))


def _settings(place: Place) -> bytes:
    """The host's settings as they are; empty where there are none."""
    real = place.vault.real(place.path(place.host.settings))
    files = place.vault.files
    return b"" if files.stat(real) is None else files.read(real)


def _root(space: Any, *, here: bool) -> str:
    """The folder that is served: the user's home, or a project. `here`: where none is named the current
    folder, and not the nearest book."""
    if space.user and space.project:
        reason = Both("--user 与 --project 只能给一个", "give --user or --project, not both")
        raise Usage(Fault("usage", reason=reason))
    given = space.project or (os.getcwd() if here else None)
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
        "home_needs_user", 2,
        "{file} 是你的主目录：装在这里会对所有项目生效",
        "{file} is your home folder: what is put there holds for every project",
        "就是要这样就加 --user；否则用 --project 指定书目录。",
        "If that is what you want, say --user; otherwise name the book with --project.",
        about_zh="不加 --user 绝不写主目录。",
        about_en="Nothing is written into the home folder without --user.",
    ),
    Code(
        "agent_other_persona", 0,
        "这里的钩子原来接着另一个人格：{found}；装上之后接着 {file}",
        "the hooks here belong to another persona, {found}; once installed they belong to {file}",
        "要换回来：clew agent install {name} --persona {found}",
        "To go back: `clew agent install {name} --persona {found}`",
        about_zh="一个文件夹里，一个宿主只接一个人格。",
        about_en="In one folder a host serves one persona.",
    ),
    Code(
        "agent_both", 2,
        "这里既有小说的守卫，也有人格的钩子",
        "both the guard of a novel and the hooks of a persona are installed here",
        "卸一个：clew agent uninstall {name} --novel，或 clew agent uninstall {name} --persona",
        "Take one away: `clew agent uninstall {name} --novel`, or `clew agent uninstall {name} --persona`",
        about_zh="没说卸哪个时，只有唯一的一个才会被卸下，从不猜。",
        about_en="Where neither is named, only the one and only is taken away; clew never guesses.",
    ),
    Code(
        "agent_which_persona", 2,
        "书库里不止一个人格：{allowed}",
        "there are several personas in the library: {allowed}",
        "照抄其中一行：{name}",
        "One of these lines: {name}",
        about_zh="只写 --persona 而不写名字时，唯一的一个才会被选中，从不猜。",
        about_en="With a bare --persona only the one and only is taken; clew never guesses.",
    ),
)  # fmt: skip
