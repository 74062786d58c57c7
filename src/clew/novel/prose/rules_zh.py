"""Every prose rule for Chinese, in the order of the tables.

Pure data. What blocks stands in `rules_zh_leaks` and `rules_zh_assistant` (words that no reader of a
book may see), and in `rules_zh_flip`, `rules_zh_contrast` and `rules_zh_ending` (turns that are sure
to be a manner); the rest advises.
"""

from __future__ import annotations

from typing import Final

from clew.novel.prose.rules_zh_assistant import RULES as ASSISTANT
from clew.novel.prose.rules_zh_contrast import RULES as CONTRAST
from clew.novel.prose.rules_zh_ending import RULES as ENDING
from clew.novel.prose.rules_zh_flip import RULES as FLIP
from clew.novel.prose.rules_zh_habits import RULES as HABITS
from clew.novel.prose.rules_zh_leaks import RULES as LEAKS
from clew.novel.prose.rules_zh_punctuation import RULES as PUNCTUATION
from clew.novel.prose.rules_zh_rhythm import RULES as RHYTHM
from clew.novel.prose.rules_zh_shapes import RULES as SHAPES
from clew.novel.prose.rules_zh_slips import RULES as SLIPS

RULES: Final = (
    *LEAKS, *ASSISTANT, *FLIP, *CONTRAST, *ENDING, *HABITS, *RHYTHM, *SHAPES, *SLIPS, *PUNCTUATION,
)  # fmt: skip
