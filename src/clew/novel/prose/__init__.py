"""Prose checks: rules as data, run over one chapter's text.

Pure. `check` is the way in; a rule is one entry of `rules_shared`, `rules_zh` or `rules_en`, with
an example it must find and one it must leave alone (both are tests). What blocks a commit follows
the tracking protocol («运行工具»: `chapter check`, blocking quality).
"""

from __future__ import annotations

from clew.novel.prose.check import check, rules_for
from clew.novel.prose.model import Finding, Message, ProseConfig, Rule
from clew.novel.prose.text import language_of

__all__ = ["Finding", "Message", "ProseConfig", "Rule", "check", "language_of", "rules_for"]
