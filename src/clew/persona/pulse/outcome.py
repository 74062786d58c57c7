"""What came of a run, whichever runner it was; and what a runner asks while it waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from clew.kernel.faults import Code, Fault, register

POLL: Final = 0.2
"""Seconds between two looks at whether to stop."""
ANSWER_BYTES: Final = 4_000_000
"""Longest answer of a program or an endpoint that is read."""


class Outcome(NamedTuple):
    """The end of a run."""

    text: str = ""
    """What was said."""
    tokens: int = 0
    fault: Fault | None = None
    """Why there is no answer."""

    @property
    def ok(self) -> bool:
        return self.fault is None

    def word(self, runner: str) -> Literal["done", "left", "failed"]:
        """What the ledger calls it: what only lies in the outbox was not done by anybody."""
        if not self.ok:
            return "failed"
        return "left" if runner == "outbox" else "done"


class Meanwhile(NamedTuple):
    """What goes on while a runner waits."""

    beat: Callable[[], None] = lambda: None
    """Called every now and then: heartbeats, periodic tools."""
    stopped: Callable[[], bool] = lambda: False
    """Whether to end the run now: paused, or asked to leave."""


def estimated(*texts: str) -> int:
    """Tokens, where nobody counted them: a Chinese character is one, three letters are one."""
    return sum(-(-len(text.encode("utf-8", "replace")) // 3) for text in texts)


register(
    Code(
        "runner_missing", 3,
        "找不到程序 {found}",
        "the program {found} was not found",
        "写绝对路径，或把它放进 PATH（定时器的 PATH 往往更短）。",
        "Write its absolute path, or put it on the PATH (that of a timer is often shorter).",
        about_zh="persona.toml 的 [runner] command 第一项是要运行的程序。",
        about_en="The first item of [runner] command in persona.toml is the program that is run.",
    ),
    Code(
        "runner_failed", 1,
        "{found} 以退出码 {limit} 结束：{reason}",
        "{found} ended with exit code {limit}: {reason}",
        "在家的文件夹里手工运行同一条命令看看。",
        "Run the same command by hand in the home's folder.",
        about_zh="程序自己报告了失败；这次醒来记为失败，不算进每日次数。",
        about_en="The program said that it failed; the wake is recorded as failed and does not use "
        "up one of the day's.",
    ),
    Code(
        "runner_timeout", 1,
        "{found} 超过 {limit} 秒，已连同它的子进程一起结束",
        "{found} took longer than {limit} s; it was ended with its children",
        "调大 [runner] timeout_seconds，或让任务更小。",
        "Raise [runner] timeout_seconds, or make the task smaller.",
        about_zh="没有时限的醒来会一直占着脉搏。",
        about_en="Without a limit of time one wake could hold the pulse for ever.",
    ),
    Code(
        "runner_stopped", 1,
        "{found} 被中途结束：已暂停或退出",
        "{found} was ended on the way: paused, or asked to leave",
        "clew persona resume 继续；下一个时刻会再来。",
        "`clew persona resume` goes on; it comes again at its next moment.",
        about_zh="clew persona pause 立即停止一切，包括正在运行的程序。",
        about_en="`clew persona pause` stops everything at once, a running program too.",
    ),
    Code(
        "runner_silent", 1,
        "{found} 没有给出任何正文",
        "{found} gave no answer",
        "在家的文件夹里手工运行同一条命令看看。",
        "Run the same command by hand in the home's folder.",
        about_zh="运行结束了，但没有一个字的正文；不当作说过话。",
        about_en="The run ended without a word; it does not count as having spoken.",
    ),
    Code(
        "runner_answer", 1,
        "读不懂 {found} 的回答：{reason}",
        "the answer of {found} cannot be read: {reason}",
        "核对 [runner] answer 与程序的输出格式是否一致。",
        "Make [runner] answer agree with the program's output format.",
        about_zh="claude 要配 --output-format json，codex 要配 --json。",
        about_en="`claude` goes with --output-format json, `codex` with --json.",
    ),
    Code(
        "prompt_too_long", 1,
        "提示有 {found} 字节，作为一个参数最多 {limit}",
        "the prompt has {found} bytes; as one argument it may have {limit}",
        '把 [runner] prompt 改为 "stdin" 或 "file"。',
        'Set [runner] prompt to "stdin" or "file".',
        about_zh="操作系统限制单个命令行参数的长度。",
        about_en="The operating system limits the length of one argument.",
    ),
    Code(
        "endpoint_failed", 1,
        "端点 {file} 没有给出回答：{reason}",
        "the endpoint {file} gave no answer: {reason}",
        "核对 [endpoint] 的 url、model 和密钥的环境变量，确认服务在运行。",
        "Check the url and model of [endpoint] and the variable of its key, and that the service runs.",
        about_zh="网络不通、被拒绝、超时，或回答不是约定的格式。",
        about_en="No connection, a refusal, no time left, or an answer of another shape.",
    ),
    Code(
        "endpoint_key", 3,
        "环境变量 {found} 没有设置，端点的密钥取不到",
        "the environment variable {found}, which holds the endpoint's key, is not set",
        "在运行脉搏的环境里设置它；密钥从不写进文件。",
        "Set it where the pulse runs; a key is never written into a file.",
        about_zh="persona.toml 只写环境变量的名字。",
        about_en="persona.toml names the variable only.",
    ),
)  # fmt: skip
