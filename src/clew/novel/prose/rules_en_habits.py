"""Prose rules for English: habits, which are nothing once and a manner when they are many.

Pure data. All of it is advisory. Rates are for each 1000 visible characters of narrative, about 220
English words.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.density import Density
from clew.novel.prose.model import Message, Rule
from clew.novel.prose.text import MASK

_I: Final = re.I
_PRONOUN: Final = r"(?:his|her|their|my|your|our|its)"

_MICRO: Final = re.compile(
    r"\b(?:(?:nodded|shrugged|sighed|smiled|frowned|blinked|winced|grinned|smirked|swallowed|hesitated|shivered"
    r"|chuckled|exhaled|glanced|stiffened)\b(?! (?:the|a|an|his|her|its|their|over)\b)|(?:he|she|they|i|we) paused"
    rf"|(?:crossed|folded|uncrossed) {_PRONOUN} arms|(?:pursed|pressed) {_PRONOUN} lips|gave (?:him |her |them "
    r"|me )?an? (?:\w+ )?(?:nod|shrug|smile|sigh|grin)"
    rf"|(?:rubbed|pinched|scratched) (?:{_PRONOUN}|the bridge of {_PRONOUN}) (?:neck|temples?|nose|chin|eyes|jaw)"
    rf"|(?:shook|tilted|bowed|lifted|cocked|inclined) {_PRONOUN} head|(?:raised|arched|lifted) (?:an eyebrow|{_PRONOUN}"
    rf" eyebrows?)|(?:bit|chewed|licked) {_PRONOUN} (?:lower |bottom )?lips?|(?:narrowed|rolled|closed|lowered|averted)"
    rf" {_PRONOUN} eyes|(?:clenched|unclenched|set) {_PRONOUN} (?:jaw|fists?|teeth)"
    rf"|(?:took|drew|let out) a (?:long |deep |slow |shaky |sharp )?breath"
    rf"|ran a hand through {_PRONOUN} hair|cleared {_PRONOUN} throat)\b",
    _I,
)

_REACTION: Final = re.compile(
    r"\b(?:(?:a|the) (?:shiver|chill|shudder|jolt) (?:ran|went|shot|crept) (?:down|up|through)"
    r"|sent (?:a )?(?:shivers?|chills?) (?:down|up|through)"
    rf"|{_PRONOUN} (?:heart|pulse) (?:hammered|pounded|raced|skipped a beat|thundered|leapt|sank|clenched"
    r"|lurched|fluttered|was (?:hammering|pounding|racing))"
    rf"|{_PRONOUN} blood (?:ran|went|turned) (?:cold|to ice)|{_PRONOUN} stomach (?:dropped|twisted|churned"
    rf"|lurched|turned|knotted)|{_PRONOUN} breath (?:caught|hitched)|{_PRONOUN} eyes (?:went wide|widened"
    rf"|narrowed)|{_PRONOUN} jaw (?:clenched|tightened|dropped)|{_PRONOUN} knuckles (?:went |turned |were )?white"
    rf"|(?:tugged|played|pulled) at the corners? of {_PRONOUN} (?:mouth|lips)"
    rf"|{_PRONOUN} mouth went dry|a lump (?:rose|formed) in {_PRONOUN} throat|time seemed to (?:stop|slow"
    r"|stand still)|swallowed hard|let out a (?:shaky|ragged|long) breath"
    rf"|{_PRONOUN} knees (?:went weak|buckled)|{_PRONOUN} voice (?:barely|just) above a whisper"
    r"|(?:barely|scarcely) above a whisper|goosebumps (?:rose|prickled))\b",
    _I,
)

_CLICHE: Final = re.compile(
    r"\b(?:in the blink of an eye|deafening silence|the silence was deafening|calm before the storm"
    r"|(?:the |in the )?dead of night|bated breath|needle in a haystack|white as a (?:sheet|ghost)"
    r"|cold as ice|quiet as a mouse|like a moth to (?:a|the) flame|against all odds"
    r"|hung (?:heavy|thick) in the air|(?:tension|silence) (?:hung|thick) (?:in the air|enough to cut)"
    r"|cut the tension with a knife|a testament to|a (?:rich )?tapestry of|a symphony of|a dance of"
    r"|whispered? secrets|ghosts? of (?:a smile|the past)|etched (?:in|into|on) (?:his|her|their|my) "
    r"|(?:the )?weight of the world|stood the test of time|last but not least|easier said than done"
    r"|at the end of the day|when all was said and done|only time would tell|light at the end of the tunnel"
    r"|like a ton of bricks|(?:a )?bolt from the blue|(?:the )?tip of the iceberg|few and far between"
    r"|(?:crystal|painfully) clear|(?:a )?double-edged sword|between a rock and a hard place"
    r"|(?:the )?elephant in the room|writing on the wall|palpable (?:tension|silence|fear|relief)"
    r"|steely (?:gaze|resolve|determination)|a sea of faces|unspoken (?:words|promise|understanding)"
    r"|sharp as a (?:knife|razor|tack)|(?:like|as) a (?:deer|rabbit) (?:caught )?in (?:the )?headlights"
    r"|every fib(?:er|re) of (?:his|her|their|my) being|with every passing (?:moment|second|day)"
    "|piercing (?:blue |green |grey |gray |dark )?(?:eyes|gaze)|time (?:seemed to (?:stand|stop|slow)"
    r"|stood) ?(?:still)?|thick enough to (?:cut|slice)|(?:you )?could cut (?:it|the \w+) with a knife"
    "|butterflies (?:danced|fluttered|swarmed|erupted) in|chisell?ed (?:jaw|features|face)"
    "|electricity (?:crackled|sparked|surged|hummed)|the world (?:fell away|melted away|stopped|faded away|narrowed)"
    "|a single tear|drop-dead gorgeous|smou?ldering (?:eyes|gaze|look|stare)|rock-hard abs|sparks flew"
    "|pounded like a drum|melted into (?:his|her|their) (?:arms|embrace)|fireworks exploded"
    "|sparkled like (?:diamonds|stars)|hear a pin drop|love at first sight|written in the stars"
    "|heart (?:skipped a beat|in (?:his|her|my) (?:throat|mouth))|blood ran cold|shivers? (?:ran )?down (?:his"
    "|her|my|their) spine|weak at the knees|knees went weak|bored into (?:his|her|my|their)"
    "|like a (?:punch to the gut|knife to the heart|house of cards|caged animal)|the air (?:crackled|thickened"
    "|grew thick)|took (?:his|her|my) breath away|breath (?:he|she|i) (?:did not|didn['’]t) know"
    r"|the rest (?:was|is) history|little by little|slowly but surely)\b",
    _I,
)

_SIMILE: Final = re.compile(
    r"(?<!\bfelt )(?<!\blooked )\blike (?:an?|the|some|so many|something) |\bas (?:if|though) "
    r"|\bas [a-z]{3,12} as (?:an?|the) "
    r"|\blike (?:(?<=was like )|(?<=were like )|(?<=fell like )|(?<=rose like )|(?<=came like )"
    "|(?<=moved like )|(?<=spread like )"
    r"|(?<=hung like )|(?<=rolled like )|(?<=settled like )|(?<=lay like )|(?<=stood like ))(?!this\b|that\b"
    r"|it\b|him\b|her\b|them\b|you\b|me\b|his\b|home\b|rain\b[.,])[a-z]+",
    _I,
)

_HEDGE: Final = re.compile(
    r"\b(?:seem(?:ed|s)? to|seemingly|somehow|almost|perhaps|a kind of|a sort of|something like"
    "|as (?:if|though) to|not quite|sort of|kind of|appeared to|seemed (?:that|as)|somewhat|possibly|maybe"
    r"|more or less|in a way|a little (?:like|bit))\b",
    _I,
)

_SUMMARY: Final = re.compile(
    r"\b(?:in that moment|(?:he|she|they|i) (?:finally |suddenly )?(?:realized|realised|understood|knew) (?:then "
    r")?(?:that )?(?:nothing|everything|this|it was|some things|sometimes)"
    r"|something (?:had )?(?:shifted|changed) (?:between|in|inside|within)"
    r"|for the first time in (?:a long time|years|months|weeks|ages|forever)"
    "|(?:it|this) was (?:more than|no longer (?:just )?about)|(?:and|somehow),? (?:somehow,? )?(?:that|it"
    "|this) was enough|what it (?:meant|means|was) to be (?:human|alive|free|loved|brave|home)|(?:love|grief"
    "|hope|courage|freedom|memory) was (?:a kind of|never|always|not)"
    "|(?:it|that) (?:meant|changed) everything|(?:that|this|it) was the price of|in the end,? we (?:all|are)"
    r"|in that instant|(?:home|family|love|time|courage|freedom|grief) was not an? \w+ but|all (?:anyone|she"
    r"|he) could ask for|some [a-z]{3,12}s,? (?:once \w+, )?(?:can(?:not)? |could |would |will |were "
    "|are )?(?:never|only|don['’]t|not meant)"
    r"|(?:whatever|no matter what) came next|(?:he|she|they|i) (?:was|were) no longer the (?:man|woman|girl|boy"
    r"|person|people))\b",
    _I,
)

_SPEAKER: Final = (
    r"(?:he|she|they|I|we|it|(?:[Tt]he|[Hh]er|[Hh]is|[Mm]y|[Tt]heir|[Aa]) [a-z]{2,20}"
    r"|[A-Z][\w’'.-]{1,20}(?: [A-Z][\w’'.-]{1,20})?)"
)
_SAID: Final = (
    r"(?:said|asked|replied|whispered|murmured|muttered|shouted|answered|called|cried|snapped|hissed"
    r"|breathed|told (?:him|her|them)|agreed|added|admitted|began|continued)"
)
_NOT_ADVERBS: Final = (
    r"(?!(?:only|early|family|reply|apply|supply|July|Italy|rely|fly|ally|Emily|Sally)\b)"
)
_TAG_ADVERB: Final = re.compile(
    rf"(?<={MASK} )(?:{_SPEAKER} {_SAID}|{_SAID} {_SPEAKER})(?: (?:to|at) (?:him|her|them|me|us))?,?"
    rf" {_NOT_ADVERBS}[a-z]{{2,20}}ly\b"
    rf"|(?<={MASK} ){_SPEAKER} {_NOT_ADVERBS}[a-z]{{2,20}}ly {_SAID}\b"
)

_DASH: Final = re.compile(r"—|(?<=[\w,.!?]) ?-- ?(?=[\w“\"])")


def _habit(
    rule_id: str,
    pattern: re.Pattern[str],
    *,
    hits: int,
    per_1000: float,
    name: Message,
    message: Message,
    advice: Message,
    bad: str,
    good: str,
) -> Rule:
    """A rule that counts matches: advisory, and to be read before anything is changed."""
    return Rule(
        id=rule_id, name=name, family="style", severity="advisory", review="semantic",
        message=message, advice=advice, bad=bad, good=good,
        search=Density(rule_id, pattern, hits, per_1000),
    )  # fmt: skip


RULES: Final[tuple[Rule, ...]] = (
    _habit(
        "micro-action-tic", _MICRO, hits=10, per_1000=4.5,
        name=Message("小动作连篇", "small gestures"),
        message=Message(
            "小动作太密：{times} 处，每千字 {per_1000} 处（{words}）",
            "small gestures crowd the page: {times}, {per_1000} per 1000 characters ({words})",
        ),
        advice=Message(
            "留下能看出心思的两三个，其余删掉，或换成手里正在做的事。",
            "Keep the two or three that tell something; cut the rest or give the hands real work.",
        ),
        bad=(
            "She nodded. He shrugged and took a deep breath. She bit her lip. He cleared his throat, "
            "and she smiled. He frowned. She shook her head. He raised an eyebrow, and she rolled "
            "her eyes. He sighed. The lamp burned on the table between them, and the tide went out."
        ),
        good=(
            "She nodded. He shrugged, laid the ledger on the stove lid, and went to see to the boat. "
            "The tide was making. By the time he was back she had sorted the tables by year, and the "
            "leaves that did not match lay apart under the ruler, face down."
        ),
    ),
    _habit(
        "stock-reaction-tic", _REACTION, hits=4, per_1000=0.8,
        name=Message("套路反应", "stock reactions"),
        message=Message(
            "身体反应是现成的：{times} 处（{words}）",
            "the body reacts by the book: {times} times ({words})",
        ),
        advice=Message(
            "换成这个人此时此地才会有的反应，或者让他直接做事。",
            "Give this person a reaction of their own, or let them act.",
        ),
        bad=(
            "A shiver ran down her spine. Her heart hammered as the door opened, and her breath "
            "caught. He saw her, and his eyes widened."
        ),
        good=(
            "Her heart hammered as the door opened. It was the boy with the milk. He looked at the "
            "lamp in her fist, set the can down on the step, and asked whether it was a bad time."
        ),
    ),
    _habit(
        "cliche-density-tic", _CLICHE, hits=4, per_1000=0.6,
        name=Message("陈词滥调", "cliches"),
        message=Message(
            "现成的说法太多：{times} 处（{words}）",
            "ready-made phrases pile up: {times} ({words})",
        ),
        advice=Message(
            "照当时看得见、听得到的写；说不出新的，就用平实的话。",
            "Write what could be seen and heard there; where nothing new comes, say it plainly.",
        ),
        bad=(
            "In the dead of night they waited with bated breath. The silence was deafening. It was "
            "the calm before the storm, and her face was a testament to fear."
        ),
        good=(
            "They waited until two by the church clock, with the lamp turned down and their boots "
            "off. It was the calm before the storm, the keeper said; his knee had told him so."
        ),
    ),
    _habit(
        "metaphor-density-tic", _SIMILE, hits=7, per_1000=2.5,
        name=Message("比喻太密", "similes"),
        message=Message(
            "比喻太密：{times} 处，每千字 {per_1000} 处",
            "similes crowd each other: {times}, {per_1000} per 1000 characters",
        ),
        advice=Message(
            "每一处场景留一个最准的，别的直说。",
            "Keep the one that is exact in each scene, and say the rest outright.",
        ),
        bad=(
            "The moon hung like a coin. The sea lay like a sheet of lead, as still as a pond, as if "
            "it slept. Gulls dropped like a handful of rags. The mole ran out like an arm, and the "
            "lamp at its end burned like the eye of a fish, as though it watched her."
        ),
        good=(
            "The moon was up. The sea lay like a sheet of lead between the moles, and the gulls were "
            "asleep on it with their heads turned back. She counted the steps to the lamp: ninety, "
            "and then the nine that were under water at this hour. Nobody was on the wall."
        ),
    ),
    _habit(
        "hedge-density", _HEDGE, hits=9, per_1000=5,
        name=Message("含糊其辞", "hedges"),
        message=Message(
            "“似乎、几乎”一类的词太密：{times} 处（{words}）",
            "hedges blur the page: {times} ({words})",
        ),
        advice=Message(
            "看得见的就直说；真不确定的，写出谁为什么不确定。",
            "Say outright what can be seen; where it is unsure, show who is unsure and why.",
        ),
        bad=(
            "The house seemed to lean. It was almost dark, and somehow the lamp made a kind of "
            "fog. He seemed to wait. Perhaps he was not quite awake. She almost spoke; something like "
            "shame held her, and the clock appeared to have stopped."
        ),
        good=(
            "The house leaned; you could lay a plumb line to it. It was almost dark. He seemed to "
            "wait for her to speak, and she would not, so they stood on either side of the lamp until "
            "the clock struck, and then he took his hat."
        ),
    ),
    _habit(
        "abstract-summary-tic", _SUMMARY, hits=3, per_1000=0.4,
        name=Message("抽象总结", "summing up"),
        message=Message(
            "用感悟代替情节：{times} 处（{words}）",
            "the narrative sums up instead of showing: {times} times ({words})",
        ),
        advice=Message(
            "删掉感悟，让上一个动作自己说话。",
            "Cut the insight, and trust the act that stands before it.",
        ),
        bad=(
            "In that moment, she realized that nothing had been lost. Something shifted between them. "
            "For the first time in years she laughed, and that was enough."
        ),
        good=(
            "For the first time in years she laughed. He did not ask at what. He brought the other "
            "chair to the stove, and they ate the herring out of the pan, with one fork."
        ),
    ),
    _habit(
        "dialogue-adverb", _TAG_ADVERB, hits=4, per_1000=1,
        name=Message("对话标签带副词", "adverbs on the tag"),
        message=Message(
            "对话后面总跟着副词：{times} 处（{words}）",
            "the tags of dialogue carry adverbs: {times} ({words})",
        ),
        advice=Message(
            "让说出来的话本身带出语气；说不出来就改话，不是加副词。",
            "Let the words carry the tone; if they do not, change the words.",
        ),
        bad=(
            "“Go,” she said softly.\n\n“I can't,” he said sadly.\n\n“You must,” she replied "
            "firmly.\n\n“Then come,” he whispered desperately."
        ),
        good=(
            "“Go,” she said softly.\n\n“I can't,” he said.\n\n“You must,” she said early the next "
            "day, only to be contradicted.\n\n“Then come,” said Emily."
        ),
    ),
    _habit(
        "em-dash-density", _DASH, hits=8, per_1000=2,
        name=Message("破折号太密", "too many dashes"),
        message=Message(
            "叙述里的破折号太密：{times} 处，每千字 {per_1000} 处",
            "the narrative is full of dashes: {times}, {per_1000} per 1000 characters",
        ),
        advice=Message(
            "多数换成句号、逗号或冒号；只留真正打断话头的。",
            "Make most of them full stops, commas or colons; keep those that break off for a reason.",
        ),
        bad=(
            "The gate—the old one—hung open. She stopped—listened—and went in. A lamp—no, two—burned "
            "in the yard—low ones—and a dog—asleep—lay between them."
        ),
        good=(
            "The gate—the old one—hung open. She stopped, listened, and went in. Two lamps burned in "
            "the yard, and a dog lay asleep between them. “You—” said someone, and—nothing."
        ),
    ),
    _habit(
        "exclamation-density", re.compile(r"!+"), hits=6, per_1000=1.2,
        name=Message("叹号太密", "exclamation marks"),
        message=Message(
            "叙述里的叹号太多：{times} 处",
            "the narrative shouts: {times} exclamation marks",
        ),
        advice=Message(
            "叙述里的换成句号；叹号留给人物的话。",
            "Make them full stops, and leave the shouting to the characters.",
        ),
        bad="The gate was open! She ran! The lamp was out! The dog was gone! It was over! At last!",
        good="The gate was open! She ran. “Stop! Stop! Come back! Nell! Nell! Nell!” he shouted.",
    ),
)  # fmt: skip
