"""Prose rules for English: sentences that have become a manner.

Pure data, and the searches that need to see more than one line. All of it is advisory: every one of
these sentences is lawful English, and only the author knows whether it is meant here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.text import WRITTEN, Body, Line, LineKind, visible

_TAIL_CHARS: Final = 900
_SPACED: Final = 1.25
"""Characters of English for each visible one."""
_LONG: Final = 1200

# It wasn't X. It was Y.: the same subject, a short X, and a Y of the same make that replaces it. What
# goes on to describe the thing, or tells the time, the weather or a number, is left alone.
_W: Final = r"[^\s.,;:!?—\x00]{1,20}"
_DET: Final = r"(?:an?|the|my|your|his|her|our|their|someone['’]s|somebody['’]s)"
_TURN: Final = r"(?:[.;!,:] ?| ?— ?| -- )\1(?: was| is| were| are|['’]s|['’]re) "
_NO_TURN: Final = (
    r"(?!not\b|n['’]t|nearly\b|almost\b|past\b|after\b|before\b|late\b|early\b|still\b|only\b|too\b|already\b"
    r"|raining\b|snowing\b|[0-9]|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half)\b)"
)
_HE: Final = "(?:he|she|they|i|we)"
_FEELING: Final = (
    r"(?:anger|rage|fury|fear|dread|terror|panic|grief|sorrow|sadness|pity|love|hate|hatred|longing|hunger|hope|despair|joy|relief"
    r"|shame|guilt|pride|envy|jealousy|loneliness|courage|mercy|cruelty|kindness|revenge|vengeance|justice|forgiveness|freedom|peace|power|duty|loyalty|betrayal"
    r"|defiance|surrender|defeat|victory|resignation|exhaustion|weariness|contempt|curiosity|desire|regret|remorse|doubt|trust|faith|silence|hesitation|warmth|malice)"
)
_FLIP: Final = re.compile(
    r"\b(it|this|that|these|those) (?:was|is|were|are)(?:n['’]t| not) (?:"
    rf"(?:just|merely|simply|quite|exactly|really) {_W}(?: {_W}){{0,5}}{_TURN}{_NO_TURN}"
    rf"|(?:just|merely|simply|only) about {_W}(?: {_W}){{0,5}}(?:[.;!,:] ?| ?— ?| -- )"
    r"(?:it|this|that) (?:was|is) about "
    # Two definite things were taken for each other: It was not the ferry. It was the coal boat.
    rf"|(?!the\b[^.;!,:—]{{1,80}}[.;!,:—]+ ?[a-z’']+ ?(?:was|is|were|are)? the\b)"
    rf"{_DET} {_W}(?: {_W}){{0,4}}{_TURN}{_DET} "
    rf"|{_FEELING} (?:that|which) [^.;!?\n\x00]{{1,60}}?{_TURN}{_NO_TURN}"
    rf"|{_FEELING} but {_FEELING}\b"
    rf"|(?!only\b|until\b|unless\b|possible\b|clear\b|long\b|far\b|yet\b|{_DET} ){_W}(?: {_W})?"
    rf"{_TURN}{_NO_TURN}(?:{_DET} )?{_W}(?: {_W}){{0,3}}[.;!,—]"
    r")"
    r"|\bnot because [^.;!?\n\x00]{1,60}?,? but because\b"
    # Not a threat. A promise.
    rf"|(?:(?<=[.!?] )|^[ \t]*)not (?:an?|the) {_W}(?: {_W})?[.!] (?:an?|the) {_W}(?: {_W}){{0,2}}[.!]"
    # She wasn't running away. She was running toward something.
    rf"|\b{_HE} (?:was|were)(?:n['’]t| not) ([a-z]{{2,16}}ing)\b[^.;!?\n\x00]{{0,40}}[.;—] ?{_HE} (?:was|were) \2\b"
    # He didn't want revenge. He wanted justice.
    rf"|\b{_HE} did(?:n['’]t| not) (?:want|need|feel|seek|fear) (?:\w+ )?{_FEELING}[.;] {_HE} "
    rf"(?:wanted|needed|felt|sought|feared) (?:\w+ )?{_FEELING}\b",
    re.I,
)

_FRAGMENT: Final = (
    r"no (?!one\b|doubt\b|matter\b)[^\s.,;:!?—\x00]{1,16}(?: [^\s.,;:!?—\x00]{1,16}){0,3}"
)
_PARADE: Final = re.compile(
    rf"(?:(?<=[.!?] )|^[ \t]*){_FRAGMENT}[.!] {_FRAGMENT}[.!] (?:{_FRAGMENT}\b|(?:just|only|nothing but)\b)"
    rf"|\bno {_FEELING}, no {_FEELING},? (?:and )?(?:no {_FEELING}|(?:just|only|nothing but)\b)",
    re.I,
)

_WHO: Final = r"(?:he|she|they|i|we|you|it|[A-Z][\w’'-]{1,20}(?: [A-Z][\w’'-]{1,20})?)"
_LIFE: Final = r"(?:(?:his|her|their|my|our) (?:\w+ )?(?:life|lives|world)|everything|nothing)"
_TRAILER: Final = re.compile(
    rf"\blittle (?:did|could|had) {_WHO}\b(?: \w+)? (?:know|realize|realise|suspect|guess|imagine"
    r"|known|realized|realised|suspected|guessed|imagined)\b"
    r"|\b(?:this|that|it) (?:was|is) (?:only|just) (?:the )?(?:very )?(?:beginning|start|opening move"
    r"|getting started)(?=[.!?…—]|$)"
    r"|\b(?:had|has|was|were) only just (?:begun|beginning|started|starting|getting started)(?=[.!?…—]|$)"
    r"|\bthe real (?:\w+ )?(?:battle|war|fight|game|test|trouble|nightmare|danger|story|work|hunt)"
    r"(?: \w+)? (?:had|was|has|is|would|lay) (?:only |just |yet |about |still )?"
    r"(?:begun|beginning|begin|starting|started|to begin|to start|to come|ahead)\b"
    rf"|\b{_LIFE} (?:was|were) (?:all )?about to change\b"
    rf"|\b{_LIFE} would (?:n?ever) (?:again )?be (?:quite )?the same\b"
    rf"|\b{_WHO} would never be the same\b"
    r"|\bhad no idea (?:what|how|who|that|just)\b[^.!?\n\x00]{0,40}\b(?:about to|was coming|lay ahead"
    r"|lay in store|in store for|awaited|waiting for)\b"
    rf"|\bwhat (?:{_WHO}|none of them|no one|nobody) (?:didn['’]t|did not|couldn['’]t|could not) (?:yet )?"
    r"(?:know|see|realize|realise|have known) (?:yet )?was\b"
    r"|\bfate (?:had|has) other plans\b"
    r"|\b(?:events|things|wheels|forces|something|plans?|it all) (?:had been|was|were) (?:already )?"
    r"set in motion\b"
    rf"|\bif only {_WHO} had known\b"
    r"|\bthe worst was (?:still|yet) to come\b|\bthe worst (?:was|lay) still ahead\b"
    # Whatever came next, they would face it together.
    r"|\b(?:whatever|no matter what) (?:came|happened|lay ahead|awaited|waited)(?: next| ahead| now)?, "
    rf"{_WHO} (?:would|will|could) (?:face|meet|survive|endure|be ready)\b"
    # And so it began.
    r"|(?:(?<=[.!?] )|^[ \t]*)(?:and )?(?:so|thus) (?:it|the \w+) (?:began|begins|had begun|ended|ends)(?=[.!?…—])"
    # Somewhere in the dark, something smiled.
    r"|\bsomewhere (?:in|out in|beyond|deep in|far|beneath)[^.!?\n\x00]{0,40}, something (?:\w+ )?"
    r"(?:smiled|stirred|moved|watched|waited|woke|breathed|listened|laughed|opened its eyes"
    r"|was (?:watching|waiting|listening))\b"
    # The game had changed, and so had she.
    rf"|\bthe (?:game|rules|world|tide|balance) (?:had|has) (?:just )?changed(?:, and so had {_WHO})?(?=[.!?…—])"
    # This time, she would not run.
    rf"|(?:(?<=[.!?] )|^[ \t]*)(?:and )?this time,? {_HE} (?:would not|wouldn['’]t|would never"
    r"|(?:was|were)(?: not|n['’]t) going to) (?:run|hide|back down|look away|fail|lose|let go)\b",
    re.I,
)


def _trailers(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Announcements in the last part of a chapter, measured in visible characters of narrative."""
    left = config.limit("trailer-ending", "chars", _TAIL_CHARS)
    tail: list[tuple[Line, int]] = []
    for line in reversed(body.lines):
        if left <= 0:
            break
        if line.kind is LineKind.NARRATIVE:
            # A paragraph that is longer than what is left belongs to the tail with its end only.
            start = max(0, len(line.narrative) - int(left * _SPACED))
            tail.append((line, start))
            left -= visible(line.narrative)
    for line, start in reversed(tail):
        for found in _TRAILER.finditer(line.narrative, start):
            yield Hit(line, found.start(), found.end())


def _long_paragraphs(body: Body, config: ProseConfig) -> Iterator[Hit]:
    """Paragraphs of narrative that fill a screen and more."""
    most = config.limit("long-paragraph", "chars", _LONG)
    for line in body.lines:
        if line.kind is LineKind.NARRATIVE and len(line.narrative) > most:
            chars = visible(line.narrative)
            if chars > most:
                start = len(line.text) - len(line.text.lstrip())
                yield Hit(line, start, min(len(line.text), start + 60), {"chars": chars})


_BREATH: Final = re.compile(
    r"\bbreath\b[^.!?\n\x00]{0,24}?\b(?:(?:hadn['’]t|didn['’]t|did not|had not) (?:even |quite )?"
    r"(?:know|known|realized?|realised?|noticed?|been aware)|(?:was |been )?unaware)"
    r"(?: of| that)? ?(?:(?:he|she|they|i|we|you)(?:['’]d| was| were| had)?(?: been)? )?holding\b",
    re.I,
)

_META: Final = re.compile(
    r"\b(?:in|from) (?:the |this )?(?:previous|preceding|last|next|following|this) chapters?\b"
    r"(?! (?:of|in|from) )"
    r"|\bas (?:mentioned|described|established|noted|explained) (?:earlier|above|before|previously)\b"
    r"|\bforeshadow(?:s|ed|ing)?\b"
    r"|\bthe readers? (?:will (?:recall|remember|know)|already knows?|may (?:recall|remember))\b"
    r"|\b(?:story|character|plot|narrative) arcs?\b|\bplot (?:twist|device|hole)s?\b"
    r"|\bthe (?:protagonist|antagonist|love interest|inciting incident)\b(?! of (?:the|a|his|her) )",
    re.I,
)

# went went, looked looked: verbs that nothing doubles, beside the small words. had had, that that
# and very very are English.
_VERBS: Final = (
    "went|came|said|took|gave|made|saw|knew|thought|told|got|found|felt|left|kept|began|brought|held|stood|heard|let|ran|sat|spoke|fell|grew|wrote|lost|paid|met|sent"
    "|built|caught|drew|threw|rose|shook|been|were|could|would|should|because|when|where|which|whose|then"
)
_DOUBLED: Final = re.compile(
    r"\b(?:(?i:the)[ \t]+the|(?i:a)[ \t]+a|(?i:an)[ \t]+an|(?i:of)[ \t]+of|(?i:and)[ \t]+and|(?i:to)[ \t]+to the"
    r"|(?i:his)[ \t]+his|(?i:my)[ \t]+my|(?i:your)[ \t]+your|(?i:their)[ \t]+their|(?i:our)[ \t]+our"
    r"|(?i:from)[ \t]+from|(?i:into)[ \t]+into|(?i:with)[ \t]+with the"
    rf"|(?i:({_VERBS}|[a-z]{{2,12}}[a-z](?<![aeiou]{{2}})ed)[ \t]+\1))\b(?!['’-])"
)

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="negation-flip",
        name=Message("先否定再翻转", "it was not this, it was that"),
        family="style",
        severity="advisory",
        review="semantic",
        message=Message(
            "先否定再肯定：“不是甲，而是乙”的翻转",
            "a thing is denied only to be replaced: it wasn't this, it was that",
        ),
        advice=Message(
            "直接写后半句；只有读者真会想到前半句时才留着它。",
            "Say the second half alone, unless a reader would really have thought the first.",
        ),
        why=Message(
            "翻转替读者立一个没人有过的想法再推倒，一章里多几次就成了腔调。",
            "The flip knocks down a thought that nobody had; a few of them make a mannerism.",
        ),
        bad="She stood at the rail. It wasn't fear. It was hunger.",
        good="It wasn't raining. It was nearly seven, and she was not afraid but merely late.",
        pattern=_FLIP,
    ),
    Rule(
        id="negation-parade",
        name=Message("否定排队", "a parade of negations"),
        family="style",
        severity="advisory",
        review="semantic",
        message=Message(
            "连着几个“没有……”的断句再给出剩下的那个",
            "one fragment after another says what is not there",
        ),
        advice=Message(
            "只写在场的东西；要写缺失，挑一样具体的。",
            "Say what is there; if something is missing, let it be one thing that can be seen.",
        ),
        bad="The hall was empty. No voices. No footsteps. Just the clock.",
        good="No one answered. No, he would not go in. No moon, no stars, only the lamp.",
        pattern=_PARADE,
    ),
    Rule(
        id="trailer-ending",
        name=Message("预告式结尾", "an ending like a trailer"),
        family="style",
        severity="advisory",
        review="semantic",
        message=Message(
            "结尾在预告下文，而不是停在情节上",
            "the ending announces what is to come instead of stopping on what happened",
        ),
        advice=Message(
            "删掉预告，停在最后一个动作、一句话或一样东西上。",
            "Cut the announcement; end on the last act, the last words or a thing that is seen.",
        ),
        why=Message(
            "读者翻页是因为事情没完，不是因为被告知还有后文。",
            "A reader turns the page because something is unfinished, not because the book says so.",
        ),
        bad="She locked the office and went home. Little did she know that it was too late.",
        good=(
            "She had only just begun to mend the net when the bell went. She knew little of nets, "
            "and nothing at all of bells. She locked the loft and went down to see."
        ),
        search=_trailers,
        limits={"chars": _TAIL_CHARS},
    ),
    Rule(
        id="held-breath",
        name=Message("不知道自己屏住的呼吸", "the breath nobody knew of"),
        family="style",
        severity="advisory",
        review="semantic",
        message=Message(
            "“呼出一口自己都没察觉屏住的气”是用滥了的反应",
            "the breath that a character did not know of is a stock reaction",
        ),
        advice=Message(
            "换成这个人此刻才会有的反应。",
            "Find what this person, here, would do instead.",
        ),
        bad="Nell let out a breath she hadn't known she was holding.",
        good="Nell held her breath until the pen stopped. She knew what she was holding: a lease.",
        pattern=_BREATH,
    ),
    Rule(
        id="meta-words",
        name=Message("谈论小说本身的词", "words about the book"),
        family="degeneration",
        severity="advisory",
        review="semantic",
        message=Message(
            "叙述里有谈论小说本身的词，请确认是故意的",
            "the narrative speaks of itself as a book; make sure that it is meant",
        ),
        advice=Message(
            "换成故事里的说法：哪一天、谁说过、发生了什么。",
            "Say it from inside the story: the day, who said it, what happened.",
        ),
        bad="As mentioned earlier, the pilot had lost his licence.",
        good="It was the next chapter of her life. He read aloud from the last chapter of Job.",
        pattern=_META,
    ),
    Rule(
        id="doubled-word",
        name=Message("重复的小词", "a word twice"),
        family="degeneration",
        severity="advisory",
        review="mechanical",
        message=Message("同一个小词连写了两遍", "the same small word stands twice in a row"),
        advice=Message("删掉一个。", "Delete one of them."),
        bad="She ran the the length of the mole.",
        good="He had had enough, and knew that that was all. “The, the other one,” he said.",
        pattern=_DOUBLED,
    ),
    Rule(
        id="fullwidth-punctuation",
        name=Message("英文里的全角标点", "fullwidth marks"),
        family="punctuation",
        severity="advisory",
        review="mechanical",
        message=Message(
            "英文里用了全角标点",
            "a fullwidth mark of Chinese typesetting stands in English text",
        ),
        advice=Message(
            "换成半角标点加空格；`--fix-punctuation` 可以代劳。",
            "Write the ASCII mark and a space; `--fix-punctuation` does it.",
        ),
        bad="She ran，and the gate closed.",
        good="The sign said 渡口，本店 and she ran, and the gate closed.",
        pattern=re.compile(r"(?<=[A-Za-z0-9])[，。！？；：、](?=[ \t”’\"A-Za-z0-9]|$)"),
        kinds=WRITTEN,
        part="whole",
    ),
    Rule(
        id="long-paragraph",
        name=Message("过长的段落", "a long paragraph"),
        family="style",
        severity="advisory",
        review="mechanical",
        message=Message(
            "这一段有 {chars} 个可见字符，在手机上看不到头",
            "this paragraph has {chars} visible characters, more than a screen of a phone",
        ),
        advice=Message(
            "在视线、时间或说话人换了的地方分段。",
            "Break it where the view, the time or the speaker changes.",
        ),
        bad="The tide came in over the flats and went out again, and nobody watched it go. " * 20,
        good="The tide came in over the flats and went out again, and nobody watched it go.",
        search=_long_paragraphs,
        limits={"chars": _LONG},
    ),
)
