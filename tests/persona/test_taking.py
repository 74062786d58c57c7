"""What lies ready for a turn: for how long it holds, and what it costs to read it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from somebody import Clock, begin

from clew.kernel.clock import system_clock
from clew.persona import marks, taking
from clew.persona.home import Home

ZONES = ["Asia/Shanghai", "America/New_York", "Europe/London", "Australia/Lord_Howe", "Asia/Kathmandu",
         "Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo", "UTC"]  # fmt: skip
MOMENTS = st.datetimes(
    datetime(2010, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)
)  # fmt: skip
CHANGES = st.sampled_from(
    [datetime(2026, 3, 8, 7, 0, tzinfo=UTC), datetime(2026, 11, 1, 6, 0, tzinfo=UTC),
     datetime(2026, 3, 29, 1, 0, tzinfo=UTC), datetime(2011, 12, 30, 10, 0, tzinfo=UTC)]
)  # fmt: skip


class _Stands:
    """As much of a home as the span of a day needs."""

    def __init__(self, zone: str) -> None:
        self.zone = ZoneInfo(zone)

    def civil(self, moment: datetime) -> str:
        return moment.astimezone(self.zone).date().isoformat()


@given(
    st.sampled_from(ZONES),
    MOMENTS | st.builds(lambda at, s: at + timedelta(seconds=s), CHANGES, st.integers(-90_000, 90_000)),
)  # fmt: skip
def test_a_text_holds_while_date_and_offset_are_what_they_were(zone: str, moment: datetime) -> None:
    home = _Stands(zone)
    since, until, offset = taking._span(home, moment)  # type: ignore[arg-type]
    now = moment.timestamp()
    assert now - 90_001 < since <= now <= until < now + 90_001

    def told(seconds: float) -> tuple[str, float]:
        at = datetime.fromtimestamp(seconds, UTC).astimezone(home.zone)
        shift = at.utcoffset()
        assert shift is not None
        return at.date().isoformat(), shift.total_seconds()

    assert told(since) == told(now) == told(until) == (home.civil(moment), offset)
    assert told(until + 1.1) != told(now) and told(since - 1.1) != told(now)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return begin(tmp_path / "林昭", system_clock)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [{"lang": "fr"}, {"until": 0}, {"since": 1e18}, {"stamps": {}}, {"text": 7}, {"offset": "x"},
     {"zone": None, "text": None}],
)  # fmt: skip
def test_a_text_that_does_not_hold_is_not_read(home: Home, change: dict[str, object]) -> None:
    made = taking.turn_of(home, "zh", "zh")
    assert marks.ready(home.root, "zh") == (made, "")
    path = Path(home.root) / marks.TURN
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert marks.ready(home.root, "zh") is None


@pytest.mark.parametrize("name", marks.INPUTS)
def test_a_text_holds_no_longer_than_what_it_was_made_from(home: Home, name: str) -> None:
    taking.turn_of(home, "zh", "zh")
    path = Path(home.root) / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes((path.read_bytes() if path.exists() else b"") + b"\n")
    assert marks.ready(home.root, "zh") is None


def test_a_word_to_a_window_is_told_once(home: Home) -> None:
    marks.tell(home.root, "w1", "定时 c1 不在了")
    marks.tell(home.root, "w1", "还有一句")
    assert marks.told(home.root, "w2") == ""
    assert marks.told(home.root, "w1") == "定时 c1 不在了\n还有一句"
    assert marks.told(home.root, "w1") == ""


@pytest.mark.parametrize(
    "event", ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"]
)
def test_what_a_host_waits_for_at_a_turn_loads_the_standard_library_only(
    home: Home, event: str
) -> None:
    taking.turn_of(home, "zh", "zh")
    taking.card_of(home, "zh", "zh")
    work = (
        "import sys, json\n"
        "from clew.faces.hooks.session import Call, answer\n"
        "call = Call([sys.argv[1]], sys.argv[2], asked='zh')\n"
        "data = {'session_id': 's1', 'prompt': '在吗', 'last_assistant_message': '好'}\n"
        "answer(call, json.dumps(data).encode())\n"
        "print([n for n in sys.modules if n.split('.')[0] in ('msgspec', 'sqlite3', 'subprocess',\n"
        "      'argparse', 'pathlib', 'zoneinfo', 'tomllib') or n.startswith('clew.kernel')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", work, event, home.root], capture_output=True, check=True
    )
    assert done.stdout.strip() == b"[]"
    assert [mark.kind for mark in taking.waiting(home)] != []


def test_a_clock_that_tests_turn_moves_the_refusal_of_the_day(tmp_path: Path) -> None:
    clock = Clock()
    home = begin(tmp_path / "林昭", clock)
    seen = set()
    for _ in range(3):
        first = taking.turn_of(home, "zh", "zh").splitlines()[1]
        seen.add(first)
        clock.turn(days=1)
    assert len(seen) == 3 and all(line.startswith("- 今天这一条：") for line in seen)
