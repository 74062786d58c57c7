"""A week of the example persona's life, on a clock that is turned by hand.

The persona is the example (fictional, our own). A person talks to it in the evenings, hands it on
from window to window, and for a night and a morning nobody looks at all. Nothing is run and nothing
is asked of a model: each wake leaves its prompt in the outbox.
"""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from clew.faces.demo.telling import Teller, examples
from clew.persona import diary, intents, keeping, refusals
from clew.persona.channels import writing
from clew.persona.home import Home, open_home
from clew.persona.pulse import tick as pulse
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.view import Means
from clew.persona.registering import saw

NAME = "许望潮"
ZONE = ZoneInfo("Asia/Shanghai")
START = datetime(2026, 3, 9, 0, 0, tzinfo=ZONE)
STEP = timedelta(minutes=15)
ASLEEP = (datetime(2026, 3, 12, 1, 0, tzinfo=ZONE), datetime(2026, 3, 12, 9, 30, tzinfo=ZONE))
"""Between these two nobody looks: the machine is asleep."""

SHOWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mood", {"hours": 168}), ("wake", {}), ("channels", {}), ("stream", {"action": "read"}),
    ("board", {"action": "read"}), ("next", {}), ("opening", {}),
)  # fmt: skip
"""The commands whose answers end the week."""

# Day, hour and minute; what happens; its words.
WEEK: tuple[tuple[int, int, int, str, tuple[str, ...]], ...] = (
    (0, 20, 10, "person", ("w3",)),
    (0, 20, 40, "mood", ("raise", "0.15", "她问起了那圈白", "person:w3")),
    (0, 21, 30, "baton", ("w3", "把一月的潮位抄完了", "抄二月", "别再问她为什么搬走")),
    (0, 23, 20, "diary", ("今天她来了。抄到一月末，手没有抖。",)),
    (1, 12, 0, "think", ("w3", "雨停了，标尺上的水线比昨天低一指")),
    (1, 20, 0, "person", ("w3",)),
    (1, 21, 0, "hang", ("她说的那个渡口，回头要问是哪一个",)),
    (2, 19, 50, "person", ("w4",)),
    (2, 20, 30, "board", ("灯塔的备用钥匙在老周那里", "许望潮")),
    (2, 21, 10, "baton", ("w4", "二月抄到十七日", "从十八日接着抄", "十二月那三格不要猜")),
    (3, 14, 0, "mood", ("lower", "0.2", "仪器又停了两个小时", "self")),
    (3, 20, 30, "person", ("w4",)),
    (4, 11, 0, "done", ("问到了：那三格是换表，没有人抄",)),
    (4, 20, 0, "person", ("w4",)),
    (4, 23, 30, "diary", ("十二月缺的三格问到了。没有人抄，就写没有人抄。",)),
    (5, 16, 0, "done", ("桩上那圈白是盐，退潮两天就结一层",)),
    (6, 20, 15, "person", ("w5",)),
    (6, 21, 0, "mood", ("raise", "0.1", "有人把旧账还回来了", "person:w5")),
)  # fmt: skip


class Week:
    """The home, and the clock that its week is lived by."""

    def __init__(self, folder: Path, lang: str) -> None:
        self.now = START
        self.home: Home = open_home(str(folder), clock=lambda: self.now)
        self.means = Means(owner=Owner.here("tick"), trusted=lambda folder, files: False, lang=lang)
        self.waiting = [
            (START + timedelta(days=day, hours=hour, minutes=minute), what, words)
            for day, hour, minute, what, words in WEEK
        ]
        self.looks = 0

    def live(self, days: int = 7) -> None:
        """Let the days pass."""
        while self.now < START + timedelta(days=days):
            self.now += STEP
            while self.waiting and self.waiting[0][0] <= self.now:
                _, what, words = self.waiting.pop(0)
                getattr(self, f"_{what}")(*words)
            if ASLEEP[0] <= self.now < ASLEEP[1]:
                continue
            pulse.tick(self.home, self.means, tools=self.now.minute == 0)
            self.looks += 1
            if self.now.hour == self.now.minute == 0:
                refusals.show_today(self.home)

    def _person(self, window: str) -> None:
        with self.home.change() as change:
            saw(change, window, host="claude")
            keeping.heard(change, window=window, words=24)

    def _mood(self, how: str, by: str, cause: str, source: str) -> None:
        keeping.change_mood(self.home, how, float(by), cause=cause, source=source)

    def _baton(self, window: str, done: str, next_: str, avoid: str) -> None:
        writing.hand_over(self.home, done, next_=next_, avoid=avoid, window=window)

    def _think(self, window: str, text: str) -> None:
        writing.think(self.home, text, window=window)

    def _board(self, text: str, to: str) -> None:
        writing.note(self.home, text, by="老周", to=to)

    def _diary(self, text: str) -> None:
        diary.write(self.home, text)

    def _hang(self, text: str) -> None:
        intents.add_hanging(self.home, text)

    def _done(self, outcome: str) -> None:
        first = self.home.read_lists().open_intents()[0]
        intents.close_intent(self.home, first.id, outcome=outcome)


def tell_persona(teller: Teller) -> Path:
    """Copy the example, let a week pass, and show mood, wakes, channels and what comes next."""
    folder = teller.out / NAME
    shutil.copytree(examples() / "persona" / NAME, folder)
    teller.part("人格", "a persona")
    teller.say(
        f"  {NAME}的一个星期（3 月 9 日到 15 日），时钟由演示来拨：",
        f"  A week of {NAME} (9 to 15 March), on a clock that the demo turns:",
    )
    week = Week(folder, teller.lang)
    week.live()
    teller.say(
        f"  看了 {week.looks} 次；12 日凌晨到上午没有人看，醒来只补一次决定。",
        f"  {week.looks} looks; none in the night of the 12th, and one decision after it.",
    )
    for verb, fields in SHOWN:
        _show(teller, week, verb, **fields)
    return folder


def _show(teller: Teller, week: Week, verb: str, **fields: Any) -> None:
    """The answer of a command as a terminal shows it, on the clock of the week."""
    from clew.faces.cli import answer
    from clew.faces.cli.rooms import rendering
    from clew.kernel.operations import Host, find

    operation = find("persona", verb)
    assert operation is not None
    host = Host(cwd=str(teller.out), lang=teller.lang, clock=lambda: week.now)
    found = operation.run(host, operation.request(home=week.home.root, **fields))
    words = " ".join(str(word) for word in (verb, fields.get("action", "")) if word)
    teller.line(f"\n$ clew persona {words}")
    teller.line(answer.drawn(found, teller.lang, rendering(operation)))
