"""Where a note on the board may go: to somebody who reads there, and in answer to a note that is there.

A name with a slip of the pen in it would never be read, and nobody would know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clew.kernel.faults import Code, Fault, register
from clew.persona.channels import reading
from clew.persona.channels.lines import Note
from clew.persona.opening_home import home_of
from clew.persona.windows import FILE, Windows

if TYPE_CHECKING:
    from clew.kernel.operations import Host
    from clew.persona.home import Home

_LOOKED: Final = 10_000
_LISTED: Final = 20


def faults(home: Home, *, to: str, re: int) -> list[Fault]:
    """What is wrong with where a note goes: nobody of that name reads here, or it answers no note."""
    found = []
    if to and to != reading.PERSONA:
        windows = home.load(FILE, Windows) or Windows()
        marks = home.load(reading.MARKS, reading.Marks) or reading.Marks()
        known = [*marks.board, *(n.by for n in reading.last(home, "board", Note, _LOOKED))]
        known += [window.id for window in reversed(windows.windows)]
        allowed = list(dict.fromkeys([reading.PERSONA, *(name for name in known if name)]))
        if to not in allowed:
            found.append(Fault("no_such_reader", "$.to", found=to, allowed=allowed[:_LISTED]))
    if re:
        last = reading.last(home, "board", Note, 1)
        most = last[0].n if last else 0
        if re > most:
            found.append(Fault("no_such_note", "$.re", found=re, limit=most))
    return found


def home_and_window(host: Host, request: Any) -> Home:
    """The home of a request; a window that it names and that nobody ever registered is noted. What is
    written there is kept: its hooks may not have been heard yet. Raises as `home_of` does."""
    from clew.persona import taking

    home = home_of(host, request)
    for window in filter(None, (request.window, getattr(request, "of", ""))):
        known = (home.load(FILE, Windows) or Windows()).find(window) is not None
        if not known and all(mark.session != window for mark in taking.waiting(home)):
            host.notes.append(Fault("window_unknown", "$.window", name=window))
    return home


register(
    Code(
        "window_unknown", 1,
        "没有登记过窗口 {name}",
        "no window {name} was ever registered",
        "看看标识有没有写错：clew persona windows list --all；没有钩子的窗口用 windows add 登记。",
        "See whether its id is a slip: `clew persona windows list --all`; `windows add` registers one without "
        "hooks.",
        about_zh="写下的话照样留着；按真正的标识去找时找不到它。",
        about_en="What was written is kept all the same; who looks under the true id does not find it.",
    ),
    Code(
        "no_such_reader", 2,
        "没有谁以 {found} 的名义读留言板（有：{allowed}）",
        "nobody reads the board as {found} (there are: {allowed})",
        "写对名字；不写 --to 就是给任何人。头一回来的人先读一次：clew persona board read --reader 名字。",
        "Write the name as it is there; without --to it is for anybody. Who comes for the first time reads "
        "once: `clew persona board read --reader NAME`.",
        about_zh="留言可以给人格（persona）、登记过的窗口、在板上留过话或读过的人。",
        about_en="A note goes to the persona, a registered window, or somebody who wrote or read there.",
    ),
    Code(
        "no_such_note", 2,
        "没有第 {found} 条留言，最后一条是 {limit}",
        "there is no note {found}; the last one is {limit}",
        "clew persona board read 看编号。",
        "`clew persona board read` shows the numbers.",
        about_zh="--re 写的是所答那条留言的编号。",
        about_en="--re is the number of the note that is answered.",
    ),
)  # fmt: skip
