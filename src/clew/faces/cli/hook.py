"""`clew hook EVENT`: answers a host of agents. One JSON object on stdin, at most one on stdout.

Never stops the host's turn: whatever goes wrong in here is told on stderr, the exit code is 0, and
nothing is blocked. Parsed by hand and bounded in size and time, because it runs at every tool call.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    _start_clock()
    try:
        from clew.faces.hooks import contract
        from clew.faces.hooks.answer import answer

        data = sys.stdin.buffer.read(contract.INPUT_BYTES + 1)
        event = contract.parse(data, next((word for word in argv if word[:1] != "-"), ""))
        found = answer(event, asked, cwd=os.getcwd(), home=home(), locale=lang)
    finally:
        _stop_clock()
    if found.out:
        sys.stdout.flush()
        sys.stdout.buffer.write(found.out)
        sys.stdout.buffer.flush()
    for note in found.notes:
        _note(note)


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
任何内部错误都只写到标准错误，退出码为 0，什么都不挡。安装：clew agent install claude --novel
"""
_HELP_EN = """\
usage: clew hook EVENT [--lang zh|en]

Called by the host of a writing agent, not by hand: reads one JSON object from stdin and answers as
the host asks.
  PreToolUse    Claude Code, Codex: stops a body that skips a chapter or has no outline, and edits
                of 追踪/ by hand
  BeforeTool    Gemini CLI: the same
  SessionStart  tells the agent where the book stands and where the card is
Whatever goes wrong in it goes to stderr; the exit code is 0 and nothing is stopped.
To install it: clew agent install claude --novel
"""
