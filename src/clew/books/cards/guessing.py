"""Which of the old encodings bytes are written in: decode with each, and weigh what comes out.

Every encoding reads most bytes as something; what tells them apart is what people write. Each
character scores by how common it is in its language (a short list), else by the part of its code table
that it stands in: the standards put everyday characters first (GB 2312 level 1, Big5 level 1, JIS level
1, the Hangul of KS X 1001). What cannot be decoded counts heavily against. Scores are per byte, so that
encodings of one and of two bytes a letter compare.

Pure. Why no library: docs/decisions/0029-old-encodings-are-weighed.md.
"""

from __future__ import annotations

import codecs
from collections import Counter
from typing import Final, NamedTuple

NAMES: Final = (
    "utf-8", "utf-16", "utf-32", "gb18030", "gbk", "hz", "big5", "big5hkscs", "shift_jis", "cp932",
    "euc_jp", "iso2022_jp", "euc_kr", "cp949", "johab", "cp1250", "cp1251", "cp1252", "cp1253",
    "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "cp437", "cp850", "cp866", "koi8-r",
    "koi8-u", "iso8859-1", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9", "iso8859-15", "mac-roman",
)  # fmt: skip
"""What a person can say that a file is written in."""
_CODECS: Final = {
    "gb18030": "gb18030", "big5": "cp950", "shift_jis": "cp932", "euc_kr": "cp949",
    "euc_jp": "euc_jp", "windows-1252": "cp1252", "windows-1251": "cp1251",
}  # fmt: skip
"""Guesses in the order in which they win a tie, each with the codec that reads the most of it."""
_PRIOR: Final = {"gb18030": 0.1, "big5": 0.05, "euc_jp": -0.1}
"""How often each is met: what decides between two readings of a name of two characters."""
_SAMPLE: Final = 1 << 16
_CLOSE: Final = 0.25
"""Scores nearer than this leave a doubt that is told."""
_SHORT: Final = 6.0
"""The doubt is wider the less there is: by this many points, shared by the bytes."""
_WORD: Final = 6
_LOST: Final = -8.0
"""A byte that the encoding does not have."""
_COMMON: Final = 2.0
_USUAL: Final = 0.6
_RARE: Final = -0.8
_STRANGE: Final = -2.0

_HANZI: Final = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作"
    "里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从"
    "想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头"
    "文体政美相见被利什二等产或新己制身果加西月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立"
    "及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做"
    "接必场件计管期市直德资命山金指许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且"
    "权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
    "笑夜风雨花雪月星云梦红黑青玉石林火船港账城街店茶酒剑刀龙凤狐猫狗鬼魔仙妖王公主骑士师姐妹哥弟父母爱"
    "恨怒哭泪轻声低沉默静冷温柔微转身伸抬眸唇发脸颊肩怀抱牵吻请谢对不起早晚安欢迎角色性格描述背景场景开"
    "李刘陈杨赵黄周吴徐孙胡朱郭罗梁宋郑韩唐冯董萧曹袁邓傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶余潘杜戴夏钟汪田姜范"
    "這個們來為國說時會對於發後裡種經學現當沒動還進樣開從實軍無與長機關點業將兩間問應戰頭體見產話給門兒"
    "東聲員論處義認條係氣題爾變總電數報結務場計達強難權設類據該規萬術領確傳觀讓識帶導爭運張書馬資統區隊"
    "紅雲夢賬劍龍鳳貓師愛淚輕靜溫轉臉懷牽請謝歡劉陳楊趙黃吳孫羅鄭韓馮蕭鄧許呂蘇盧蔣賈葉錢鐘風歲麼妳您嗎"
    "吧呢啊哦嗯喔吗呀哪谁誰怎麽样樣很想跟著给幫帮嘴脚腳床桌椅窗房屋樓楼巷村鎮镇县縣省京州河湖江桥橋岸渡碼码"
    "記憶忆誓言秘密真相旅途冒險险世界魔法學院学院偵探侦探醫醫生医護士护士老闆板店員員工作者版本標簽標籤标签"
)
_KANJI: Final = frozenset(
    "日本語人私彼女何言思見出気持話聞今君僕俺様達待笑顔声目手心名前部屋学校先生時間世界少年夜森町桜田中山川"
    "村島藤佐鈴高橋渡辺伊加吉松井木清斎林浅葵凛美咲優奈結衣一二三十百千万大小上下左右行来年月火水金土分事者自"
    "方場合国家的会社員長同問題意味知理由感情力体身口耳足頭髪色白黒赤青銀闇光影空海風雨雪花春夏秋冬朝昼晩食飲"
    "酒茶店街駅車道門城王姫騎士剣魔法使竜神鬼狐猫犬妹姉兄弟父母親友恋愛好嫌嬉悲怒泣静優冷強弱早遅古新変不思議"
    "物語設定性格対応本当少女主人公説明登場最初最後全部今日明日昨日毎日一緒大丈夫元気勉強仕事戦争平和秘密約束"
)
_HANGUL: Final = frozenset(
    "이다는을를가에의고지한하나사아도기로어서리자인시그들은해대라게수정만일과부전으면니었있보주안장성상우여구적"
    "오마너무것거유동비원조내말소신제모든공국실선미물생경관연영방진계간화회후학위문당양재발명분본세용중체치현요습"
    "했겠김박최강윤임권황송류홍손배백허남심노곽민준호빈혜희철저네왜누뭐않없같때날밤눈손길집문앞뒤속말음"
    "달별꽃빛불바람비눈하늘숲길검마법왕공주기사용녀년남여자친구선배후배언니오빠형누나엄마아빠안녕세요습니다까"
    "데려왔갔봤죠군요랑처럼부터까지에게서하고와그녀는웃으며말했다조용히천천히다시아직이미항상매우정말너를나를"
)
_VOWELS: Final = "аеёиоуыэюя"
_MARKS: Final = frozenset("，。！？：；“”‘’（）《》、…—·「」『』～【】　・ー〜〈〉")
_LATIN: Final = frozenset(
    "àâäáãåæçèéêëìíîïñòóôöõøœùúûüýÿßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜÝ‘’“”–—…«»¿¡°€•"
)


class Guess(NamedTuple):
    """What bytes spell, most likely."""

    name: str
    text: str
    damaged: int
    """Places that the encoding cannot read, each U+FFFD in the text."""
    others: tuple[str, ...]
    """Encodings that are nearly as likely."""


def known(name: str) -> str | None:
    """Python's name for the encoding that a person means, or None for one that is not offered."""
    word = name.strip()
    for spelt in (word, word.replace("-", ""), word.replace(" ", "")):
        try:
            found = codecs.lookup(spelt).name
        except (LookupError, ValueError, UnicodeError):
            continue
        if found in {codecs.lookup(one).name for one in NAMES}:
            return found
    return None


def guess(data: bytes) -> Guess:
    """The likeliest of the old encodings. Never fails: Windows-1252 reads nearly everything."""
    sample = _sample(data)
    scores = {
        name: _score(sample, name, codec) + _PRIOR.get(name, 0.0) for name, codec in _CODECS.items()
    }
    best = max(scores, key=scores.__getitem__)
    close = _CLOSE + _SHORT / max(1, sum(byte > 0x7F for byte in sample))
    near = tuple(
        name
        for name in sorted(scores, key=scores.__getitem__, reverse=True)
        if name != best and scores[best] - scores[name] < close and scores[name] > -0.5
    )
    if scores["windows-1252"] >= scores[best]:
        best = "windows-1252"
    text = data.decode(_CODECS[best], "replace")
    damaged = text.count("\ufffd")
    if damaged and best == "big5":  # Hong Kong wrote more characters than Taiwan's table has
        wider = data.decode("big5hkscs", "replace")
        if wider.count("\ufffd") < damaged:
            return Guess("big5hkscs", wider, wider.count("\ufffd"), near)
    if damaged and best == "windows-1252":
        # The five bytes that Windows leaves open stand for themselves in Latin-1.
        return Guess("latin-1", data.decode("latin-1"), 0, near)
    return Guess(best, text, damaged, near)


def _sample(data: bytes) -> bytes:
    """Enough of the text to judge by, cut where no character can be cut in two."""
    if len(data) <= _SAMPLE:
        return data
    end = data.rfind(b"\n", 0, _SAMPLE)
    if end < _SAMPLE // 2:
        end = max(data.rfind(mark, 0, _SAMPLE) for mark in (b'"', b" ", b","))
    return data[: end if end > 0 else _SAMPLE]


def _score(data: bytes, name: str, codec: str) -> float:
    """How likely a text is, per byte of what is not ASCII."""
    text = data.decode(codec, "replace")
    single = name.startswith("windows")
    if single:
        return _letters(text, cyrillic=name.endswith("1251"))
    total, size = 0.0, 0
    for letter, times in Counter(one for one in text if one > "\x7f").items():
        if letter == "\ufffd":
            total += _LOST * times
            size += times
            continue
        raw = letter.encode(codec, "replace")
        total += _weight(letter, raw, name) * len(raw) * times
        size += len(raw) * times
    return total / size if size else 0.0


def _weight(letter: str, raw: bytes, name: str) -> float:
    """What one character of an East Asian encoding speaks for, per byte."""
    if letter in _MARKS:
        return 1.5
    lead = raw[0]
    kana = "\u3041" <= letter <= "\u30fe"
    if name in ("shift_jis", "euc_jp"):
        if kana:
            return 1.7
        if letter in _KANJI:
            return _COMMON
        if "\uff61" <= letter <= "\uff9f":
            return -1.2
        first = 0x88 <= lead <= 0x97 if name == "shift_jis" else 0xB0 <= lead <= 0xCF
        return _USUAL if first else _RARE if len(raw) == 2 and _is_han(letter) else _STRANGE
    if name == "euc_kr":
        if letter in _HANGUL:
            return _COMMON
        if "가" <= letter <= "힣":
            return 0.8 if 0xB0 <= lead <= 0xC8 and raw[1] >= 0xA1 else -1.2
        return -1.0
    if letter in _HANZI:
        return _COMMON
    if kana:
        return -0.5
    if name == "gb18030":
        if len(raw) == 4:
            return _STRANGE
        if raw[1] < 0xA1 or lead < 0xA1:
            return -1.0
        return _USUAL if 0xB0 <= lead <= 0xD7 else _RARE
    if 0xA4 <= lead <= 0xC6:
        return _USUAL
    return _RARE if 0xC9 <= lead <= 0xF9 and _is_han(letter) else _STRANGE


def _is_han(letter: str) -> bool:
    return "\u4e00" <= letter <= "\u9fff"


def _letters(text: str, *, cyrillic: bool) -> float:
    """What the letters of a one-byte encoding speak for: they stand in words of their own script."""
    total, count = 0.0, 0
    before = " "
    for at, letter in enumerate(text):
        if letter > "\x7f":
            count += 1
            after = text[at + 1] if at + 1 < len(text) else " "
            total += (_russian if cyrillic else _western)(letter, before, after)
        before = letter
    # A few letters could be a word in any script.
    return total / max(count, _WORD if cyrillic else 1) if count else 0.0


def _western(letter: str, before: str, after: str) -> float:
    if letter == "\ufffd":
        return _LOST
    if letter not in _LATIN:
        return -1.5
    if not letter.isalpha():
        return 0.8
    beside = (before.isascii() and before.isalpha()) + (after.isascii() and after.isalpha())
    if before > "\x7f" and before.isalpha() and after > "\x7f" and after.isalpha():
        return 0.0
    if letter.isupper() and before.islower():
        return -1.5
    return 1.8 if beside == 2 else 1.4 if beside else 0.2


def _russian(letter: str, before: str, after: str) -> float:
    if letter == "\ufffd":
        return _LOST
    if not ("\u0410" <= letter <= "\u044f" or letter in "Ёё"):
        return 0.5 if letter in "«»—–…“”„№" else -1.5
    if (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha()):
        return -1.5
    if letter.isupper():
        return -1.0 if before.islower() else 0.6 if after.islower() or not after.isalpha() else 0.2
    if letter in "ьъ" and before.lower() in f"{_VOWELS} ":
        return -2.0  # no word has them there
    return 1.1 if letter in _VOWELS or not (before.islower() and after.islower()) else 0.8
