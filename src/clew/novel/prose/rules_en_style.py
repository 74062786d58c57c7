"""Prose rules for English: sentences that have become a manner.

Pure data, and the searches that need to see more than one line. All of it is advisory: every one of
these sentences is lawful English, and only the author knows whether it is meant here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clew.novel.prose.model import Hit, Message, ProseConfig, Rule
from clew.novel.prose.rules_en_denials import RULES as DENIALS
from clew.novel.prose.text import WRITTEN, Body, Line, LineKind, visible

_TAIL_CHARS: Final = 900
_SPACED: Final = 1.25
"""Characters of English for each visible one."""
_LONG: Final = 1200

_HE: Final = "(?:he|she|they|i|we)"
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
    # None of them knew it would be the last time. Tomorrow, everything would change.
    r"|\b(?:none of (?:them|us)|neither of (?:them|us)|no one|nobody|(?:he|she|they) (?:did not"
    "|didn['’]t)) (?:yet )?(?:knew|know|realized|realised|realize|realise|suspected|suspect"
    r"|could have known) (?:then |yet )?(?:that )?(?:it|this|that) would be the last\b"
    r"|\b(?:tomorrow|by (?:morning|dawn|nightfall)|soon|before long|after (?:tonight|today"
    rf"|this)),? (?:and )?(?:{_LIFE}|the world|all of it) would (?:change|end|begin|be (?:different|over|gone))\b"
    # He had no way of knowing it would be the last time. And just like that, everything changed.
    r"|\b(?:had|with) no way of knowing\b(?: \w+){0,4} (?:would|was|were)\b[^.!?\n\x00]{0,30}\b(?:last|never|first)\b"
    rf"|\b(?:and )?just like that,? {_LIFE} (?:changed|was (?:over|gone|different)|ended|began)\b"
    r"|\bthe end of (?:everything|all|something|the world|an era)\b[^.!?\n\x00]{0,40}\b(?:the )?beginning of\b"
    r"|\b(?:in the dark(?:ness)?|in the shadows|out there|below|beyond the \w+"
    r"|outside),? (?:\w+ ){0,4}?something was (?:coming|waiting|watching|moving|stirring|listening)(?=[.!?…—]|$)"
    # It was, he would later think, …; The hunt was on.; They had no idea how wrong they were.
    r"|\b(?:he|she|they|i) would (?:later|one day|come to|afterwards?|in time) (?:think|remember|realize"
    r"|realise|understand|wonder|regret)\b"
    r"|\bthe (?:hunt|game|race|chase|war|countdown) was on(?=[.!?…—]|$)|\bno idea how (?:wrong|right|soon"
    r"|close)\b|\bthe night was (?:still )?young(?=[.!?…—]|$)"
    r"|\bthat was a (?:problem|worry|question|fight|battle|matter) for (?:tomorrow|another (?:day|time|night))\b"
    r"|\b(?:in|behind|beneath|beyond|under|inside|outside|above|below) (?:the|his|her|their|them"
    r"|him) ?\w{0,14}, something (?:breathed|smiled|laughed|woke|answered|waited|watched|listened"
    "|stirred)(?=[.!?…—]|$)"
    r"|\b(?:it|that|this) would be the last (?:time|night|thing|words?|morning)\b|\b(?:the|a) (?:storm|war"
    r"|reckoning|darkness|end) was coming[.!…]\W*$|\bunaware (?:that|of)\b[^.!?\n\x00]{0,30}\b(?:watching"
    r"|waiting|following)\b"
    # And with that, the world ended. By morning, one of them would be dead. He was wrong.
    rf"|\band with that,? (?:{_LIFE}|the world|it|it all) (?:\w+ )?(?:ended|began|changed|over)\b"
    r"|\bby (?:morning|dawn|nightfall|midnight|sunrise|sunset),? [^.!?\n\x00]{0,30}\bwould be (?:dead|gone|over"
    "|too late|ash(?:es)?)(?=[.!?…—]|$)"
    r"|\b(?:thought|believed) (?:that )?(?:it|they|he|she|the worst)\b[^.!?\n\x00]{0,24}[.] (?:but )?(?:he|she"
    "|they|i) (?:was|were) wrong(?=[.!?…—]|$)"
    r"|\bdid(?:n['’]t| not) (?:see|notice) the (?:figure|shadow|shape|eyes|man"
    r"|woman)\b[^.!?\n\x00]{0,50}(?:behind|watching|waiting|in the (?:dark|shadows?|doorway))"
    # Something ancient opened its eyes.
    r"|\bsomething (?:ancient|old|vast|hungry|dark|terrible|nameless|cold|patient"
    r"|immense) (?:\w+ )?(?:opened its eyes?|stirred|woke|awoke|smiled|waited|watched|listened"
    r"|began to (?:move|stir|wake))\b"
    r"|\b(?:life|story|journey|war|nightmare|hunt|battle|game|reckoning|new one|adventure) (?:had|has"
    "|was) (?:only |just |only just )(?:begun|beginning|started|starting)(?=[.!?…—]|$)"
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
    r"\bbreath\b[^.!?\n\x00]{0,24}?\b(?:(?:hadn['’]t|didn['’]t|did not|had not) (?:even |quite |yet )?"
    r"(?:know|known|realized?|realised?|noticed?|been aware)|(?:was |been )?unaware)"
    r"(?: of| that)? ?(?:(?:he|she|they|i|we|you)(?:['’]d| was| were| had)?(?: been)? )?(?:holding|held)\b",
    re.I,
)

_META: Final = re.compile(
    r"\b(?:in|from) (?:the |this )?(?:previous|preceding|last|next|following|this) chapters?\b"
    r"(?! (?:of|in|from) )"
    r"|\bthis chapter (?:ends|begins|opens|closes|will|has|introduces)\b|\bas (?:mentioned|described"
    r"|established|noted|explained) (?:earlier|above|before|previously)\b"
    r"|\bforeshadow(?:s|ed|ing)?\b"
    r"|\bthe readers? (?:will (?:recall|remember|know)|already knows?|may (?:recall|remember))\b"
    r"|\b(?:story|character|plot|narrative) arcs?\b|\bplot (?:twist|device|hole)s?\b"
    r"|\b(?:the|our) (?:protagonist|antagonist|love interest|inciting incident)\b(?! of (?:the|a|his|her) )",
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

_STYLE: Final[tuple[Rule, ...]] = (
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

RULES: Final[tuple[Rule, ...]] = DENIALS + _STYLE
