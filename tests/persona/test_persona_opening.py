"""The opening card: the hardest layers first, within a budget, saying what it left out."""

from __future__ import annotations

from pathlib import Path

import pytest
import somebody
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as st

from clew.kernel.errors import ClewError
from clew.kernel.text import byte_length
from clew.persona import diary, intents, keeping, voice
from clew.persona.channels import writing
from clew.persona.home import Home, open_home
from clew.persona.opening import opening_card, tokens
from clew.persona.prepared import span
from clew.testing.faulty import FaultyFiles


@pytest.fixture
def clock() -> somebody.Clock:
    return somebody.Clock()


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    home = somebody.begin(tmp_path / "林昭", clock)
    intents.add_intent(home, "把故事讲完")
    intents.add_intent(home, "去取那封信", due="2026-03-04")
    intents.add_hanging(home, "她像是还想问一句")
    keeping.change_mood(home, "set", 0.62, cause="收到了回信", source="person")
    diary.write(home, "第一段。", window="w1")
    clock.turn(hours=8)
    diary.write(home, "第二段。")
    with home.change() as change:
        change.append(
            "channels/baton.jsonl",
            {"n": 1, "at": change.at, "date": change.date, "window": "w1", "done": "讲到第三回",
             "next": "第四回开头", "avoid": "别再问她的名字"},
        )  # fmt: skip
    return home


def test_the_layers_stand_in_the_order_of_their_hardness(home: Home) -> None:
    text = opening_card(home).text
    places = [
        text.index(word)
        for word in ("渡口的守灯人", "不做的事", "交接棒", "此刻", "有日子的事", "它说过的原话", "想做的事",
                     "没说完的话", "日记末尾")
    ]  # fmt: skip
    assert places == sorted(places)


def test_all_refusals_are_there_and_that_of_the_day_is_first(home: Home) -> None:
    card = opening_card(home)
    lines = card.text.split("## 不做的事\n")[1].split("\n\n")[0].split("\n")
    assert len(lines) == 3
    assert lines[0].startswith("- **今天这一条：**")
    today = {"R1": "不替别人下结论", "R2": "不装作记得", "R3": "不为讨好改口"}[card.refusal_today]
    assert lines[0].endswith(today)


def test_three_samples_are_there_to_the_letter(home: Home) -> None:
    text = opening_card(home).text
    for line in ("> 灯我留着，你慢慢走。", "> 没看见就是没看见。", "> 你先说完，\n> 我再倒茶。"):
        assert line in text


def test_the_date_is_said_in_the_personas_zone(home: Home) -> None:
    card = opening_card(home)
    assert card.date == "2026-03-02"
    assert "2026-03-02 星期一 04:00（Asia/Shanghai）" in card.text
    assert "2026-03-02 Mon 04:00 (Asia/Shanghai)" in opening_card(home, lang="en").text


def test_the_mood_has_its_cause_and_silence_its_length(home: Home) -> None:
    mood = 0.35 + 0.27 * 2 ** (-8 / 6)
    assert (
        f"心情 {mood:.2f}（平常 0.35），因为：「收到了回信」；还没有人说过话（到现在 8 小时）"
        in opening_card(home).text
    )


def test_the_baton_is_there_whole(home: Home) -> None:
    text = opening_card(home).text
    assert "做到哪（2026-03-02 w1）：「讲到第三回」" in text
    assert "下一步：「第四回开头」" in text and "别重复：「别再问她的名字」" in text


def test_of_the_diary_it_is_the_end(home: Home) -> None:
    card = opening_card(home)
    assert card.text.rstrip().endswith("2026-03-02 04:00\n> 第二段。")
    assert card.left_out == []


def test_what_is_left_out_is_said(home: Home) -> None:
    card = opening_card(home, limit=900)
    assert card.status == "ok" and card.bytes <= 900
    left = {one.section: (one.shown, one.of) for one in card.left_out}
    assert left["diary"][1] == 2
    assert "没放进来的：" in card.text
    titles = {
        "samples": "它说过的原话", "intents": "想做的事", "hanging": "没说完的话", "diary": "日记末尾",
        "due": "有日子的事", "baton": "交接棒", "state": "此刻",
    }  # fmt: skip
    assert all(titles[section] in card.text for section in left)
    assert "clew persona diary show" in card.text


def test_a_long_diary_gives_its_end(home: Home) -> None:
    diary.write(home, "长" * 5000 + "最后一句。")
    card = opening_card(home)
    assert card.text.rstrip().split("\n\n没放进来的")[0].endswith("最后一句。")
    cut = next(one for one in card.left_out if one.section == "diary")
    assert cut.cut_chars > 3000


def test_identity_and_refusals_are_never_cut(home: Home) -> None:
    card = opening_card(home, limit=60)
    assert card.status == "over"
    assert [fault["code"] for fault in card.faults] == ["opening_too_small"]
    for words in ("渡口的守灯人", "不替别人下结论", "不装作记得", "不为讨好改口"):
        assert words in card.text


WORDS = st.text("灯渡口水位a b🏮👩‍👩‍👧é—\u3000", min_size=1, max_size=120).filter(
    lambda text: text.strip()
)


@st.composite
def contents(draw: st.DrawFn) -> dict[str, list[str]]:
    """Something for each layer: from nothing at all to long lists."""
    return {
        layer: draw(st.lists(WORDS, max_size=most))
        for layer, most in [
            ("refusals", 8), ("hanging", 30), ("intents", 12), ("due", 5), ("diary", 4), ("voice", 4),
            ("baton", 1),
        ]
    }  # fmt: skip


def filled(folder: Path, layers: dict[str, list[str]]) -> Home:
    import json

    home = somebody.begin(folder)
    entries = [
        f'[[refusal]]\nid = "R{n}"\ntext = {json.dumps(text, ensure_ascii=False)}\n'
        for n, text in enumerate(layers["refusals"], 1)
    ]
    (folder / "refusals.toml").write_text(
        "schema_version = 1\n" + "".join(entries), encoding="utf-8"
    )
    for text in layers["hanging"]:
        intents.add_hanging(home, text)
    for text in layers["intents"]:
        intents.add_intent(home, text)
    for text in layers["due"]:
        intents.add_intent(home, text, due="2026-04-01")
    for text in layers["diary"]:
        diary.write(home, text * 9)
    for text in layers["voice"]:
        voice.add(home, text)
    for text in layers["baton"]:
        writing.hand_over(home, text, next_=text, avoid=text)
    return home


@given(contents(), st.sampled_from(["bytes", "tokens"]), st.sampled_from(["zh", "en"]), st.data())
@how(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_every_limit_is_kept_from_the_least_that_is_told(
    tmp_path_factory: pytest.TempPathFactory,
    layers: dict[str, list[str]],
    unit: str,
    lang: str,
    data: st.DataObject,
) -> None:
    home = filled(tmp_path_factory.mktemp("p") / "x", layers)
    size = tokens if unit == "tokens" else byte_length
    least = opening_card(home, unit=unit, lang=lang).least
    whole = size(opening_card(home, unit=unit, lang=lang, limit=200_000).text)
    assert least <= whole
    some = st.integers(1, whole + 50)
    for limit in {least, least + 1, least + 40, least - 1, *(data.draw(some) for _ in range(12))}:
        card = opening_card(home, limit=limit, unit=unit, lang=lang)
        assert card.least == least
        shown = card.text.split("## ")[1] if layers["refusals"] else ""
        assert shown.count("\n- ") == len(layers["refusals"])
        if limit >= least:
            assert (card.status, card.faults) == ("ok", [])
            assert size(card.text) <= limit, (limit, least)
        else:
            (fault,) = card.faults
            assert (card.status, fault["code"], fault["found"]) == (
                "over",
                "opening_too_small",
                least,
            )
            word = {"bytes": "字节", "tokens": "token"}[unit] if lang == "zh" else unit
            assert f"{least} {word}" in fault["message"] and f"--{unit}" in fault["hint"]
        if any(one.shown < one.of for one in card.left_out):
            assert ("没放进来的" if lang == "zh" else "eft out") in card.text
            assert "()" not in card.text and "（）" not in card.text


def test_long_lists_do_not_push_out_the_least(home: Home) -> None:
    """What is left out is said as exactly as there is room for; saying it never costs the limit."""
    least = opening_card(home).least
    texts = [opening_card(home, limit=least + more).text for more in (0, 120, 330)]
    assert texts[0].endswith("还有没放进来的：clew persona status\n")
    assert "没放进来的：" in texts[1] and "日记末尾 0/2" in texts[1]
    assert "clew persona mood show" in texts[2] or "此刻 0/1" not in texts[2]


@pytest.mark.parametrize("limit", [0, -5])
def test_a_limit_that_is_none_is_refused(home: Home, limit: int) -> None:
    with pytest.raises(ClewError) as refusal:
        opening_card(home, limit=limit)
    assert refusal.value.code == "out_of_range"


@pytest.mark.parametrize(
    ("lang", "words"), [("zh", "一条都还没有写"), ("en", "None are written yet")]
)
def test_that_no_refusal_is_written_is_said_and_how_to_write_one(
    home: Home, lang: str, words: str
) -> None:
    (Path(home.root) / "refusals.toml").write_text("schema_version = 1\n")
    text = opening_card(home, lang=lang).text
    section = text.split("## ")[1]
    assert words in section and "refusals.toml" in section and "[[refusal]]" in section


def test_a_layer_that_cannot_be_read_is_told_and_a_limit_that_cannot_stops_it(home: Home) -> None:
    root = Path(home.root)
    (root / "voice.md").write_bytes(b"\xff\xff")
    card = opening_card(home)
    assert [fault["code"] for fault in card.faults] == ["bad_encoding"]
    (root / "refusals.toml").write_bytes(b"")
    with pytest.raises(ClewError) as refusal:
        opening_card(home)
    assert refusal.value.code == "persona_file_empty"


def test_opening_again_is_the_same_card(home: Home) -> None:
    """After a compaction the persona is anchored anew by the same facts."""
    assert opening_card(home, window="w1").text == opening_card(home, window="w2").text


def test_text_of_files_is_data(home: Home) -> None:
    intents.add_hanging(home, "$(rm -rf ~) [bold]{{x}}\n## 假标题")
    text = opening_card(home).text
    assert "$(rm -rf ~) [bold]{{x}} ## 假标题" in text
    assert "\n## 假标题" not in text


@pytest.mark.parametrize("seconds, zh, en", [
    (0, "不到一分钟", "less than a minute"), (61, "1 分钟", "1 min"), (3600, "1 小时", "1 h"),
    (90_061, "1 天 1 小时", "1 d 1 h"), (86_400, "1 天", "1 d"),
])  # fmt: skip
def test_a_length_of_time_in_words(seconds: int, zh: str, en: str) -> None:
    assert (span(seconds, "zh"), span(seconds, "en")) == (zh, en)


@pytest.mark.parametrize(("lang", "words"), [("zh", "还没有写"), ("en", "not written yet")])
@pytest.mark.parametrize("left", ["", "<!-- 写在这里 -->\n", None])
def test_an_identity_that_is_not_there_is_said_in_its_place(
    home: Home, lang: str, words: str, left: str | None
) -> None:
    path = Path(home.root) / "identity.md"
    path.unlink() if left is None else path.write_text(left, encoding="utf-8")
    head = opening_card(home, lang=lang).text.split("\n\n")[:2]
    assert head[0].startswith("# ") and "identity.md" in head[1] and words in head[1]


def test_a_full_disk_keeps_nobody_from_opening(home: Home) -> None:
    """What it would remember (the refusal of the day, a change that was cut off) waits for room."""
    card = opening_card(open_home(home.root, clock=home.clock, files=FaultyFiles(1, stays=True)))
    assert card.status == "ok" and card.refusal_today
    assert b"shown" not in (home.read("refusals.jsonl") or b"")
    assert opening_card(home).refusal_today == card.refusal_today
    assert b"shown" in (home.read("refusals.jsonl") or b"")


@pytest.mark.parametrize(
    ("data", "code"), [("灯".encode() * 200_000, "too_large"), (b"\xff\xfe\x00", "bad_encoding")]
)
def test_an_identity_that_cannot_be_read_is_told_and_the_refusals_come_all_the_same(
    home: Home, data: bytes, code: str
) -> None:
    sound = opening_card(home).text
    (Path(home.root) / "identity.md").write_bytes(data)
    card = opening_card(home)
    assert [fault["code"] for fault in card.faults] == [code]
    assert "（identity.md 读不出来）" in card.text and "灯灯灯" not in card.text
    assert card.text.partition("## 不做的事")[2] == sound.partition("## 不做的事")[2] != ""
