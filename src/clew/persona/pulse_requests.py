"""The requests on the pulse of a persona: names, types and help, the same on every face."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from clew.kernel.operations import field
from clew.persona.requests import OnPersona

Strings = list[str]
EntryName = Annotated[
    Literal["autonomous", "monologue", "resident", "opener", "explore"] | None,
    field("只看或只做这一个入口", "only this entry"),
]
TakeOver = Annotated[
    bool,
    field("确知另一处已不在：直接接管脉搏",
          "take the pulse over: where you know that the other one is gone"),
]  # fmt: skip


class PersonaTick(OnPersona, kw_only=True):
    entry: EntryName = None
    no_tools: Annotated[
        bool, field("不跑周期工具，只判断醒来", "leave the periodic tools out, only decide wakes")
    ] = False
    tool: Annotated[
        Strings,
        field("只跑这些周期工具（可多次），不判断醒来",
              "only run these periodic tools (repeatable), decide nothing", metavar="NAME"),
    ] = msgspec.field(default_factory=list)  # fmt: skip
    take_over: TakeOver = False


class PersonaRun(OnPersona, kw_only=True):
    wait: Annotated[
        bool,
        field("脉搏在别处时守候，到期接过来",
              "where the pulse is elsewhere: stand by, and take it when it is given up"),
    ] = False  # fmt: skip
    seconds: Annotated[
        int | None, field("只驻留这么多秒", "stay so many seconds only", metavar="N")
    ] = None
    take_over: TakeOver = False


class PersonaNext(OnPersona, kw_only=True):
    pass


class PersonaWake(OnPersona, kw_only=True):
    entry: EntryName = None
    date: Annotated[
        str | None,
        field("只看这一天（人格的日历日）", "only this civil date", metavar="YYYY-MM-DD"),
    ] = None
    last: Annotated[int, field("最近几条", "how many of the last", metavar="N")] = 20


class PersonaPause(OnPersona, kw_only=True):
    note: Annotated[str, field("为什么停", "why", metavar="TEXT")] = ""
    by: Annotated[str, field("谁停的", "who", metavar="NAME")] = ""


class PersonaResume(OnPersona, kw_only=True):
    by: Annotated[str, field("谁让它继续的", "who", metavar="NAME")] = ""


class PersonaOutbox(OnPersona, kw_only=True):
    action: Annotated[Literal["list", "take"], field("做什么", "what to do", positional=True)] = (
        "list"
    )
    id: Annotated[
        Strings,
        field("取走哪几条（不写就全部）", "which to take (default: all)", positional=True,
              metavar="ID"),
    ] = msgspec.field(default_factory=list)  # fmt: skip
    by: Annotated[str, field("谁取的：窗口或名字", "who takes it", metavar="NAME")] = ""


class PersonaTimers(OnPersona, kw_only=True):
    action: Annotated[
        Literal["install", "remove", "status"], field("做什么", "what to do", positional=True)
    ] = "status"
    kind: Annotated[
        Literal["systemd", "launchd", "cron"] | None,
        field("哪一种（默认用这台机器有的）", "which kind (default: what this machine has)"),
    ] = None
    every: Annotated[
        Literal["1", "2", "5", "10", "15", "30", "60"],
        field("每几分钟看一次", "a look every so many minutes"),
    ] = "1"
    resident: Annotated[
        bool, field("装成一个常驻进程", "install one process that stays instead")
    ] = False
    yes: Annotated[
        bool, field("真的改（不写就只显示）", "do it (without it, only show the change)")
    ] = False
