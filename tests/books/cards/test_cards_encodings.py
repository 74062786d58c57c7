"""Old encodings: what a file is written in is found out, said, and can be told by a person."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cardfiles import b64, png, text_chunk

from clew.books import cards
from clew.books.cards.guessing import NAMES, guess, known

CODECS = {
    "gb18030": "gbk", "big5": "big5", "shift_jis": "shift_jis", "euc_jp": "euc_jp", "euc_kr": "euc_kr",
    "windows-1252": "cp1252", "windows-1251": "cp1251",
}  # fmt: skip
GREETINGS = {
    "gb18030": (
        "你来了。", "“坐吧。”他把灯拨亮了些，“今晚有雨，渡船不开。”", "师尊，弟子知错了。",
        "晨曦穿过窗棂，落在案几的宣纸上。", "哼，笨蛋！才不是特意等你呢！", "*他抬起头，眼神冰冷* 你迟到了。",
        "警告：反应堆温度异常，请立即撤离舱室。", "（低头绞着衣角）那个……能借我抄一下作业吗？",
    ),
    "big5": (
        "你來了。", "「坐吧。」他把燈撥亮了些，「今晚有雨，渡船不開。」", "師尊，弟子知錯了。",
        "晨曦穿過窗櫺，落在案几的宣紙上。", "哼，笨蛋！才不是特意等你呢！", "功夫許多，蓋不住煙。",
        "警告：反應爐溫度異常，請立即撤離艙室。", "（低頭絞著衣角）那個……能借我抄一下作業嗎？",
    ),
    "shift_jis": (
        "こんにちは。", "「座って。」彼は灯りを少し明るくした。", "お帰りなさい、ご主人様！", "表示ソ能",
        "朝日が障子越しに差し込む。", "べ、別にあんたのために待ってたわけじゃないんだからね！",
        "警告：炉心温度が異常です。直ちに退避してください。", "*冷たい目で見上げる* 遅かったね。",
    ),
    "euc_kr": (
        "안녕하세요.", '"앉아요." 그는 등불을 조금 밝혔다.', "다녀오셨어요, 주인님!",
        "아침 햇살이 창문 너머로 스며든다.", "흥, 바보! 널 기다린 거 아니거든!",
        "경고: 원자로 온도가 비정상입니다. 즉시 대피하십시오.",
    ),
    "windows-1252": (
        "Bonjour, ça va ? Je t’attendais près de la forêt.", "¿Quién eres? Soy el dueño, señor.",
        "Die Straße ist naß, und über den Dächern hängt Nebel.", "It’s a café – she smiles…",
    ),
    "windows-1251": (
        "Привет! Как дела?", "Она смотрит на тебя и улыбается. «Кто ты такой?»",
        "Ты опоздал. Садись, чай ещё тёплый.", "ВНИМАНИЕ! Реактор перегрет.",
    ),
}  # fmt: skip
GREETINGS["euc_jp"] = tuple(one for one in GREETINGS["shift_jis"] if one != "表示ソ能")
NAMES_OF = {
    "gb18030": ("沈砚", "周薄森", "李小龙", "林黛玉", "苏轻雪", "夜神月", "慕容紫英", "萧炎", "江澄", "张三"),
    "big5": ("沈硯", "李小龍", "林黛玉", "蘇輕雪", "陸沉", "艾莉絲", "慕容紫英", "顧言之", "江澄", "納蘭容若"),
    "shift_jis": ("さくら", "桜井凛", "アリス", "初音ミク", "ルルーシュ", "綾波レイ", "葵", "黒猫", "遠坂凛"),
    "euc_kr": ("김민수", "이서연", "박지훈", "최유나", "강태풍", "한별", "세라핀", "루나", "은하", "도윤"),
    "windows-1252": ("José", "Zoë", "François", "Jürgen", "Renée", "Søren", "Mañana", "Éloïse", "Noël"),
    "windows-1251": ("Екатерина", "Мария", "Дмитрий", "Настя", "Снегурочка", "Алиса", "Сергей"),
}  # fmt: skip
LONG = [(name, line) for name, lines in GREETINGS.items() for line in lines]
SHORT = [(name, line) for name, lines in NAMES_OF.items() for line in lines]


def coded(encoding: str, **fields: str) -> bytes:
    whole = {"name": "A", "description": "x", "first_mes": "hi", **fields}
    return json.dumps(whole, ensure_ascii=False).encode(CODECS[encoding])


def line_of(read: Any, code: str) -> Any:
    return next(fault for fault in read.report.repaired if fault.code == code)


@pytest.mark.parametrize(("name", "line"), LONG)
def test_a_greeting_tells_what_it_is_written_in(name: str, line: str) -> None:
    read = cards.read(coded(name, first_mes=line), name="a.json")
    assert read.card is not None and read.card.first_mes == line
    told = line_of(read, "read_as_encoding")
    assert told.facts["found"] == name
    for lang in ("zh", "en"):
        assert name in told.message(lang) and "--encoding" in told.hint(lang)


@pytest.mark.parametrize(("name", "line"), SHORT)
def test_a_name_alone_is_read_right_or_the_doubt_is_told(name: str, line: str) -> None:
    found = guess(coded(name, name=line))
    assert found.name == name or name in found.others


def test_of_names_alone_nearly_all_are_read_right() -> None:
    right = sum(guess(coded(name, name=line)).name == name for name, line in SHORT)
    assert right >= len(SHORT) - 3, f"{right} of {len(SHORT)}"


@pytest.mark.parametrize("name", sorted(GREETINGS))
def test_a_long_card_leaves_no_doubt_and_one_broken_byte_is_only_that(name: str) -> None:
    line = " ".join(GREETINGS[name]) * 20
    found = guess(coded(name, first_mes=line))
    assert (found.name, found.others, found.damaged) == (name, (), 0)
    data = bytearray(coded(name, first_mes=line))
    at = data.index(b'"hi"') if b'"hi"' in data else len(data) - 3
    broken = bytes(data[:at]) + (b"\x80\xff" if name != "windows-1252" else b"") + bytes(data[at:])
    again = guess(broken)
    assert again.name == name or name.startswith("windows")


@pytest.mark.parametrize(
    ("name", "line"), [("big5", "艾莉絲"), ("gb18030", "甄嬛"), ("euc_kr", "쥰")]
)
def test_a_person_outranks_the_guess(name: str, line: str) -> None:
    data = coded(name, name=line)
    read = cards.read(data, name="a.json", encoding=CODECS[name])
    assert read.card is not None and read.card.name == line
    assert line_of(read, "read_as_asked").facts["found"] == CODECS[name]
    inside = cards.read(png(text_chunk("chara", b64(data))), encoding=CODECS[name])
    assert inside.card is not None and inside.card.name == line, "also inside a picture"


def test_what_is_utf8_stays_so_whatever_a_person_says_of_the_others() -> None:
    data = json.dumps({"name": "沈砚", "first_mes": "坐。", "personality": ""}, ensure_ascii=False)
    for given in (data.encode(), data.encode("utf-8-sig"), data.encode("utf-16")):
        read = cards.read(given, encoding="big5")
        assert read.card is not None and read.card.name == "沈砚"
        assert "read_as_asked" not in {fault.code for fault in read.report.repaired}


def test_a_wrong_word_of_a_person_is_carried_out_and_its_damage_told() -> None:
    read = cards.read(coded("gb18030", name="沈砚"), encoding="shift_jis")
    assert {"read_as_asked"} <= {f.code for f in read.report.repaired}
    assert read.card is None or read.card.name != "沈砚"
    again = cards.read(coded("windows-1252", name="Zoë!"), encoding="shift_jis")
    assert "damaged_characters" in {f.code for f in again.report.repaired}


@pytest.mark.parametrize(
    "word", ["Big5", "BIG-5", "GBK", "gb2312", "Shift-JIS", "sjis", "EUC-KR", "latin1", "UTF8"]
)
def test_encodings_have_many_names(word: str) -> None:
    assert known(word) is not None or word == "gb2312"


@pytest.mark.parametrize(
    "word", ["klingon", "base64", "rot13", "idna", "unicode_escape", "", "\0", "x" * 999]
)
def test_what_is_no_encoding_of_texts_is_none(word: str) -> None:
    assert known(word) is None


def test_every_encoding_that_is_offered_is_there() -> None:
    for name in NAMES:
        assert known(name) is not None, name
