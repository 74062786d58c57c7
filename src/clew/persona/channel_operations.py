"""What `clew persona` offers on channels, windows, archive and memory.

Each operation opens the home, calls one function of the room and returns its answer. Modules are
imported where they are used: a command pays for what it does, not for what the room can do.
"""

from __future__ import annotations

import posixpath
from typing import Any

from clew.kernel.errors import Missing, Usage, refuse
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host, Operation
from clew.persona.addressing import home_and_window
from clew.persona.channel_answers import (
    Batons,
    ChannelList,
    ChannelRow,
    Judged,
    Lives,
    Notes,
    Page,
    Receipts,
    Streams,
    Verified,
    WindowList,
)
from clew.persona.channel_requests import (
    OnArchive,
    OnBaton,
    OnBoard,
    OnChannels,
    OnContext,
    OnDigest,
    OnGuard,
    OnIndex,
    OnLive,
    OnReceipts,
    OnSearch,
    OnStream,
    OnWindows,
)
from clew.persona.memory_operations import MOST, asked, index, search
from clew.persona.opening_home import home_of, only


def _path(host: Host, given: str) -> str:
    """A path as it was typed, whole and without what goes up and down again."""
    return posixpath.normpath(posixpath.join(host.cwd, given))


def _channels(host: Host, request: OnChannels) -> Any:
    from clew.persona.channels.declared import DECLARED

    home = home_of(host, request)
    side = 0 if host.lang == "zh" else 1
    return ChannelList(
        channels=[
            ChannelRow(
                name=c.name, file=c.file, form=c.form, writer=c.writer[side], reader=c.reader[side],
                delay_seconds=c.delay_seconds, purpose=c.purpose[side], wakes=c.wakes,
                bytes=len(home.read(c.file) or b""),
            )
            for c in DECLARED
        ]
    )  # fmt: skip


def _board(host: Host, request: OnBoard) -> Any:
    from clew.persona import addressing
    from clew.persona.channels import reading, writing
    from clew.persona.channels.lines import Note

    if request.action == "write":
        only(request, "text", "by", "to", "window", "task", "re")
        home = home_and_window(host, request)
        refuse(addressing.faults(home, to=request.to, re=request.re))
        note = writing.note(
            home, request.text or "", by=request.by, to=request.to, window=request.window,
            task=request.task, re=request.re,
        )  # fmt: skip
        return Notes(notes=[note], zone=home.settings.zone)
    only(request, *(("reader", "limit") if request.reader else ("window", "limit", "since")))
    most, home = asked(request.limit), home_and_window(host, request)
    zone = home.settings.zone
    if not request.reader:
        found = reading.last(home, "board", Note, most, window=request.window, since=request.since)
        return Notes(notes=found, zone=zone)
    unread = reading.unread(home, request.reader)
    shown = unread[:most]  # the oldest first: none is passed over
    if shown:
        with home.change() as change:
            reading.mark(change, request.reader, shown[-1].n)
    return Notes(notes=shown, unread=len(unread) - len(shown), zone=zone)


def _baton(host: Host, request: OnBaton) -> Any:
    from clew.persona.channels import reading, writing
    from clew.persona.channels.lines import Baton

    if request.action == "write":
        only(request, "text", "next", "avoid", "window")
        home = home_and_window(host, request)
        written = writing.hand_over(
            home, request.text or "", next_=request.next, avoid=request.avoid, window=request.window
        )
        return Batons(batons=[written], zone=home.settings.zone)
    only(request, "window", "limit")
    most, home = asked(request.limit), home_and_window(host, request)
    found = reading.last(home, "baton", Baton, most, window=request.window)
    return Batons(batons=found, zone=home.settings.zone)


def _stream(host: Host, request: OnStream) -> Any:
    from clew.persona.channels import reading, writing
    from clew.persona.channels.lines import Thinking

    if request.action == "write":
        only(request, "text", "window")
        home = home_and_window(host, request)
        line = writing.think(home, request.text or "", window=request.window)
        return Streams(lines=[line], zone=home.settings.zone)
    only(request, "window", "limit", "since")
    most, home = asked(request.limit), home_and_window(host, request)
    found = reading.last(home, "stream", Thinking, most, window=request.window, since=request.since)
    return Streams(lines=found, zone=home.settings.zone)


def _live(host: Host, request: OnLive) -> Any:
    from clew.persona.channels import live, reading
    from clew.persona.channels.lines import Said

    if request.action == "write":
        only(request)
        return live.sync(home_and_window(host, request))
    most, home = asked(request.limit), home_and_window(host, request)
    found = reading.last(
        home, "live", Said, most, window=request.of, apart=request.window, since=request.since
    )
    return Lives(lines=found, zone=home.settings.zone)


def _digest(host: Host, request: OnDigest) -> Any:
    from clew.persona.channels import digest
    from clew.persona.channels.declared import OF

    home = home_of(host, request)
    if request.action == "write":
        return Page(text=digest.write(home), file=OF["digest"].file)
    text = home.read_text(OF["digest"].file)
    return Page(text=text or digest.write(home), file=OF["digest"].file)


def _receipts(host: Host, request: OnReceipts) -> Any:
    from clew.persona import taking
    from clew.persona.channels import reading
    from clew.persona.channels.lines import Receipt

    wanted = asked(request.limit)
    home = home_and_window(host, request)
    taking.take_up(home, host.lang)
    found = reading.last(
        home, "receipts", Receipt, MOST if request.how else wanted,
        window=request.window, since=request.since,
    )  # fmt: skip
    kept = [one for one in found if request.how in (None, one.how)]
    return Receipts(lines=kept[-wanted:], zone=home.settings.zone)


def _windows(host: Host, request: OnWindows) -> Any:
    from clew.persona import registering, taking
    from clew.persona.windows import FILE, Windows

    home = home_of(host, request)
    if request.action == "list":
        only(request, "all")
        taking.take_up(home, host.lang)
    else:
        if not request.id:
            raise Usage(
                Fault(
                    "usage",
                    reason=Both(
                        f"要写哪个窗口：clew persona windows {request.action} 标识（windows 列出它们）",
                        f"say which window: clew persona windows {request.action} ID (windows lists them)",
                    ),
                )
            )
        if request.action != "add":
            only(request, "id", "all")
        transcript = _path(host, request.transcript) if request.transcript else ""
        registering.act(
            home, request.action, request.id, transcript=transcript, host=request.host,
            origin=request.origin,
        )  # fmt: skip
    known = home.load(FILE, Windows) or Windows()
    shown = [w for w in known.windows if request.all or w.state != "retired" or w.id == request.id]
    return WindowList(
        windows=sorted(shown, key=lambda w: w.seen, reverse=True), zone=home.settings.zone
    )


def _archive(host: Host, request: OnArchive) -> Any:
    from clew.persona import archived, archiving

    home = home_of(host, request)
    if request.action != "run":
        only(request)
    if request.action == "status":
        return archiving.standing(home)
    if request.action == "verify":
        faults = archived.verify(home)
        return Verified(
            status="damaged" if faults else "ok", files=archiving.standing(home).files,
            findings=[fault.to_dict(host.lang) for fault in faults],
        )  # fmt: skip
    more = []
    if request.folder:
        folder = _path(host, request.folder)
        if not home.vault.files.names(folder):
            raise Missing(Fault("missing_file", file=folder))
        more = archiving.search(home, folder, request.host)
    return archiving.run(home, more)


def _guard(host: Host, request: OnGuard) -> Any:
    from clew.persona import answer_guard, watching

    home = home_of(host, request)
    if request.file is None:
        return watching.guard(home)
    path = _path(host, request.file)
    turn = watching.last_turn(home, path)
    if turn is None:
        raise Missing(Fault("missing_file", file=path))
    verdict = answer_guard.judge(turn)
    return Judged(
        status="lost" if verdict.lost else "ok", file=path, kind=verdict.kind, ident=verdict.ident,
        at=verdict.at, words=verdict.words,
    )  # fmt: skip


def _context(host: Host, request: OnContext) -> Any:
    from clew.persona import watching

    home = home_of(host, request)
    if request.file is None:
        if request.window:
            watching.known(home, request.window)
        return watching.context(home, watching.limits_of(home), window=request.window)
    if request.window:
        reason = Both(
            "量一个文件时用不上 --window", "a file that is measured has no use for --window"
        )
        raise Usage(Fault("usage", reason=reason))
    path = _path(host, request.file)
    return watching.measure(home, path, watching.limits_of(home))


def _light(answer: Any) -> int:
    return 1 if answer.light == "red" else 0


def _found(answer: Any) -> int:
    return 1 if getattr(answer, "lost", None) or answer.status == "lost" else 0


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "persona.channels", OnChannels, "clew.persona.channel_answers:ChannelList", _channels, "read",
        "七个通道：谁写、谁读、多久、为什么；都不唤醒",
        "the seven channels: who writes, who reads, how late, what for; none wakes",
        "clew persona channels",
    ),
    Operation(
        "persona.board", OnBoard, "clew.persona.channel_answers:Notes", _board, "write",
        "留言板：留话、转交任务、看留言", "the board: leave a note, hand over a task, read",
        "clew persona board write 灯笼铺的账还没核 --to persona --task",
    ),
    Operation(
        "persona.baton", OnBaton, "clew.persona.channel_answers:Batons", _baton, "write",
        "交接棒：做到哪、下一步、别重复", "the baton: where it got to, what is next, what not to repeat",
        "clew persona baton write 核完三月的账 --next 核四月 --avoid 重数三月",
    ),
    Operation(
        "persona.stream", OnStream, "clew.persona.channel_answers:Streams", _stream, "write",
        "意识流水：此刻在想什么，一句", "the stream: what is on its mind now, a line",
        "clew persona stream write 雨停了",
    ),
    Operation(
        "persona.live", OnLive, "clew.persona.channel_answers:Lives", _live, "write",
        "双向直播：别的窗口刚说了什么", "live: what was just said in the other windows",
        "clew persona live read --limit 5",
    ),
    Operation(
        "persona.digest", OnDigest, "clew.persona.channel_answers:Page", _digest, "write",
        "摘要投影：给外面看的一页", "the digest: a page for whoever looks from outside",
        "clew persona digest read",
    ),
    Operation(
        "persona.receipts", OnReceipts, "clew.persona.channel_answers:Receipts", _receipts, "write",
        "收件记录：有人键入的，还是被塞进来的", "receipts: typed by a person, or put in by a program",
        "clew persona receipts read --how injected",
    ),
    Operation(
        "persona.windows", OnWindows, "clew.persona.channel_answers:WindowList", _windows, "write",
        "窗口登记：列出、登记、退下、恢复", "the register of windows: list, add, retire, revive",
        "clew persona windows list",
    ),
    Operation(
        "persona.archive", OnArchive, "clew.persona.archiving:Archived", _archive, "write",
        "逐字节归档会话文件，赶在宿主删除之前",
        "copy transcripts byte for byte, before their host deletes them",
        "clew persona archive status",
        exit_of=lambda answer: int(answer.status == "damaged"),
    ),
    Operation(
        "persona.index", OnIndex, "clew.persona.channel_answers:MemoryStanding", index, "write",
        "记忆的索引：更新、重建、看状态", "the index of memory: bring up to date, make anew, look",
        "clew persona index status",
    ),
    Operation(
        "persona.search", OnSearch, "clew.persona.found:Found", search, "read",
        "在日记、会话原文和通道里找", "search diary, transcripts and channels",
        "clew persona search 灯",
    ),
    Operation(
        "persona.guard", OnGuard, "clew.persona.watching:Guarded", _guard, "write",
        "兜底：答案丢在思考里没有，能捞就捞回来",
        "the answer guard: was an answer left in the thinking, and can it be brought back",
        "clew persona guard", exit_of=_found,
    ),
    Operation(
        "persona.watch-context", OnContext, "clew.persona.watching:Watched", _context, "read",
        "上下文看守：量轮数和体积", "the context guard: turns and bytes of each window",
        "clew persona watch-context", exit_of=_light,
    ),
)  # fmt: skip
