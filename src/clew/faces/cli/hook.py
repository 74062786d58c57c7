"""`clew hook EVENT`: answers a host of agents. One JSON object on stdin, at most one on stdout.

Never stops the host's turn: whatever goes wrong in here is told on stderr, the exit code is 0, and
nothing is blocked. Parsed by hand and bounded in size and time, because it runs at every tool call.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_SECONDS = 3.0


class _OutOfTimeError(BaseException):
    """Not an `Exception`, so that nothing on the way takes it for a fault of a file."""


def main(argv: list[str]) -> int:
    """Run `clew hook …`. Always 0."""
    try:
        _run(argv)
    except _OutOfTimeError:
        _note(f"no answer within {_SECONDS:g} s / {_SECONDS:g} 秒内没有答完")
    except BaseException as error:  # noqa: BLE001 - the host's turn matters more than any of them
        _note(f"{type(error).__name__}: {error}")
    return 0


def _run(argv: list[str]) -> None:
    from clew.faces.config import home, language, language_asked

    asked = language_asked(_after(argv, "--lang"))
    lang = asked or language()
    if "--help" in argv or "-h" in argv or sys.stdin.isatty():
        sys.stdout.write(_HELP_ZH if lang == "zh" else _HELP_EN)
        return
    later: Callable[[], None] | None = None
    persona = _after(argv, "--persona")
    _start_clock()
    try:
        if persona:
            out, notes, later = _session(argv, persona, asked, lang)
        else:
            from clew.faces.hooks import contract
            from clew.faces.hooks.answer import answer

            data = sys.stdin.buffer.read(contract.INPUT_BYTES + 1)
            event = contract.parse(data, next((word for word in argv if word[:1] != "-"), ""))
            out, notes = answer(event, asked, cwd=os.getcwd(), home=home(), locale=lang)
    finally:
        _stop_clock()
    if out:
        sys.stdout.flush()
        sys.stdout.buffer.write(out)
        sys.stdout.buffer.flush()
    for note in notes:
        _note(note)
    if later is not None:
        later()


def _session(
    argv: list[str], persona: str, asked: str | None, lang: str
) -> tuple[bytes, list[str], Callable[[], None] | None]:
    """An event of a session that is a persona's; and what is to be done after the answer."""
    from clew.faces import config
    from clew.faces.hooks.session import INPUT_BYTES, Call, answer

    call = Call(
        argv, persona, asked=asked, locale=lang, cwd=os.getcwd(), library=config.library(),
        wake=config.wake(),
    )  # fmt: skip
    out = answer(call, sys.stdin.buffer.read(INPUT_BYTES + 1))
    return out, call.notes, call.later


def _start_clock() -> None:
    """Bound the time where the system can: elsewhere the host's own limit ends it."""
    import signal

    def out_of_time(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    try:
        signal.signal(signal.SIGALRM, out_of_time)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    except (AttributeError, ValueError):  # Windows; not the main thread
        return


def _stop_clock() -> None:
    import signal

    try:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    except (AttributeError, ValueError):
        return


def _after(argv: list[str], flag: str) -> str | None:
    for at, word in enumerate(argv):
        if word == flag and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{flag}="):
            return word[len(flag) + 1 :]
    return None


def _note(text: str) -> None:
    if sys.stderr is not None:
        shown = text.encode("utf-8", "backslashreplace").decode("utf-8")
        sys.stderr.write(f"clew hook: {shown[:500]}\n")


_HELP_ZH = """\
用法：clew hook <事件> [--lang zh|en]

由写作 Agent 的宿主调用，不用手动运行：从标准输入读一个 JSON 对象，按宿主的约定作答。
  PreToolUse    Claude Code、Codex：挡住跳章、没有细纲的正文，和对 追踪/ 的手改
  BeforeTool    Gemini CLI：同上
  SessionStart  告诉 Agent 这本书写到哪里、状态卡在哪里
加 --persona 人格 时答人格的会话（--host claude|codex|gemini）：
  SessionStart                    开场卡
  UserPromptSubmit、BeforeAgent   不做的事；收件记录；记下有人说了话（不记内容）
  Stop、AfterAgent                这一轮有没有丢掉回答；定时还在不在
  PreCompact、PreCompress         压缩前归档会话原文
  SessionEnd                      只留一个记号
任何内部错误都只写到标准错误，退出码为 0，什么都不挡。安装：clew agent install claude --novel
（人格：clew agent install claude --persona 人格）
"""
_HELP_EN = """\
usage: clew hook EVENT [--lang zh|en]

Called by the host of a writing agent, not by hand: reads one JSON object from stdin and answers as
the host asks.
  PreToolUse    Claude Code, Codex: stops a body that skips a chapter or has no outline, and edits
                of 追踪/ by hand
  BeforeTool    Gemini CLI: the same
  SessionStart  tells the agent where the book stands and where the card is
With --persona NAME it answers the session of a persona (--host claude|codex|gemini):
  SessionStart                    the opening card
  UserPromptSubmit, BeforeAgent   what it does not do; a receipt; that a person spoke (not what)
  Stop, AfterAgent                whether the answer was lost; whether the timers are there
  PreCompact, PreCompress         the transcript is archived first
  SessionEnd                      a mark, nothing else
Whatever goes wrong in it goes to stderr; the exit code is 0 and nothing is stopped.
To install it: clew agent install claude --novel (or --persona NAME)
"""
