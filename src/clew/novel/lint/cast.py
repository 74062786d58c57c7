"""Who is in the book, and by which forms of a name a text means whom.

Pure. A *form* is one way to write a person: the ledger's name, an alias of `设定/别名.toml`, or what
follows from the name itself (the given name of 汪小满, the single words of `Nell Harker`). Forms that
two people share mean neither. Rules that accuse somebody of something look at these forms only;
rules that ask whether somebody is there at all are satisfied with less (`names_in`: 老罗, 罗师傅,
`Mrs. Pell`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from clew.kernel.text import clean, nfc, portable_key
from clew.novel.lint.stagewords import OWN, ROLES
from clew.novel.namewords import COMPOUND_SURNAMES, ENGLISH_TITLES, SURNAMES

_LETTER: Final = r"0-9A-Za-z\u00c0-\u024f"
_LATIN: Final = re.compile(rf"[{_LETTER}]")
_HAN: Final = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]+")
_ASIDE: Final = re.compile(r"[（(\[【].*?[)）\]】]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOTS: Final = "·•‧・"
_PARTS: Final = re.compile(f"[{_DOTS}]")
_FAMILIAR: Final = ("老", "小", "阿", "大")
_AFTER_SURNAME: Final = _words(
    "先生 太太 师傅 老师 医生 大夫 老板 掌柜 东家 总 局 处 队 哥 姐 叔 伯 爷 婶 嫂 姨 妈 婆 公 家 氏 某 "
    "小姐 姑娘 公子 少爷 夫人 大人 将军 队长 局长 班长 连长 团长 主任 经理 警官 教授 博士 老爷 师兄 师姐 "
    "师弟 师妹 前辈 道长 长老 掌门 家主 二 三 四 五 六 七"
)
_AFTER_GIVEN: Final = ("哥", "姐", "弟", "妹", "儿", "子", "叔", "伯", "姨", "爷", "总", "老师")


def is_han(text: str) -> bool:
    """Whether a text is made of Chinese characters only."""
    return _HAN.fullmatch(text) is not None


def surname_of(name: str) -> str:
    """The surname that a Chinese name starts with; empty where it starts with none."""
    if name[:2] in COMPOUND_SURNAMES and len(name) > 2:
        return name[:2]
    return name[0] if len(name) > 1 and name[0] in SURNAMES else ""


def given_of(name: str) -> str:
    """The given name of a Chinese name, when it has two characters or more."""
    surname = surname_of(name)
    given = name[len(surname) :] if surname else ""
    return given if len(given) > 1 and is_han(given) else ""


def words_of(name: str) -> list[str]:
    """The words of a Latin name that can stand for it, titles left out."""
    words = re.findall(rf"[{_LETTER}][{_LETTER}'’-]*", name)
    return [w for w in words if len(w) > 2 and w[0].isupper() and w.lower() not in ENGLISH_TITLES]


class Cast:
    """The people of a book.

    `names` are those that the ledger ever registered (by a snapshot or a change), `core` those who
    ever had a snapshot. `aliases` come from the author's file: a name there that nobody bears is no
    person, yet its forms are known. `others` are further people that events name.
    """

    def __init__(
        self,
        names: Iterable[str],
        aliases: Mapping[str, Sequence[str]] | None = None,
        *,
        core: Iterable[str] = (),
        others: Iterable[str] = (),
    ) -> None:
        self.names: tuple[str, ...] = tuple(dict.fromkeys(nfc(name) for name in names))
        self.core = frozenset(nfc(name) for name in core)
        by_key = {portable_key(name): name for name in self.names}
        self.unknown: list[str] = []
        """Names of the author's file that nobody in the ledger bears."""
        self.aliases: dict[str, tuple[str, ...]] = {}
        stray: list[str] = []
        for name, written in (aliases or {}).items():
            owner = by_key.get(portable_key(name))
            if owner is None:
                self.unknown.append(name)
                stray += [name, *written]
            else:
                self.aliases[owner] = (*self.aliases.get(owner, ()), *written)
        claims: dict[str, set[str]] = {}
        for name in self.names:
            for form in (name, *self.aliases.get(name, ())):
                claims.setdefault(form, set()).add(name)
        self.shared: dict[str, list[str]] = {
            form: sorted(owners)
            for form, owners in claims.items()
            if len(owners) > 1 and form not in self.names
        }
        """Aliases that are claimed for several people."""
        derived: dict[str, set[str]] = {}
        for name in self.names:
            for form in shortened(name, self.aliases.get(name, ())):
                derived.setdefault(form, set()).add(name)
        self.forms: dict[str, str] = {name: name for name in self.names}
        """Whom a form means, without doubt."""
        for source in (claims, derived):
            for form, owners in source.items():
                if len(owners) == 1 and form not in self.forms and form not in self.shared:
                    self.forms[form] = next(iter(owners))
        self.known = frozenset({*claims, *derived, *stray, *map(_plain, others)} - {""})
        """Every form that is somebody, whoever it be."""
        self._by_key = {portable_key(form): name for form, name in self.forms.items()} | by_key
        self._loose: dict[str, re.Pattern[str]] = {}

    def resolve(self, text: str) -> str | None:
        """The registered person that a text names as a whole, remarks in brackets left out."""
        for candidate in (nfc(clean(text)), _plain(text)):
            found = self._by_key.get(portable_key(candidate))
            if found is not None:
                return found
        return None

    def telling(self, name: str) -> list[str]:
        """The forms that mean a person and are more than an office: a new emperor is 陛下 too."""
        return self._telling.get(name, [])

    @cached_property
    def _telling(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for form, owner in self.forms.items():
            if form == owner or form.lower() not in ROLES:
                found.setdefault(owner, []).append(form)
        return found

    @cached_property
    def telling_pattern(self) -> re.Pattern[str]:
        """Matches every form of `telling` of everybody."""
        return alternation(form for forms in self._telling.values() for form in forms)

    @cached_property
    def office_pattern(self) -> re.Pattern[str]:
        """Matches what somebody is to others (师傅, father) and by the author's file one man's alone,
        where nobody else is called by it with a name before it either (佘师傅)."""
        own = {form for forms in self.aliases.values() for form in forms}
        return alternation(
            form
            for form, owner in self.forms.items()
            if form in own
            and form.lower() in OWN
            and not any(
                other != form and other.endswith(form) and self.forms.get(other) != owner
                for other in self.known
            )
        )

    def may_mean(self, text: str) -> bool:
        """Whether a text is a usual way to address one of the cast: 罗师傅, 老佘."""
        if text in self.known:
            return True
        head, rest = text[:1], text[1:]
        if head in _FAMILIAR and len(rest) == 1:
            return rest in self._surnames or rest in self._lasts
        for size in (1, 2):
            if text[:size] in self._surnames and text[size:] in _AFTER_SURNAME:
                return True
        return (head in self._lasts and rest in _AFTER_GIVEN) or (
            len(text) == 2 and head == rest and head in self._lasts
        )

    def is_title(self, form: str) -> bool:
        """Whether a form is a surname with what somebody is: 葛先生."""
        return form[len(surname_of(form)) :] in _AFTER_SURNAME

    @cached_property
    def _surnames(self) -> frozenset[str]:
        return frozenset(surname_of(form) for form in self.known if is_han(form)) - {""}

    @cached_property
    def _lasts(self) -> frozenset[str]:
        return frozenset(form[-1] for form in self.known if is_han(form))

    def names_in(self, name: str, text: str) -> bool:
        """Whether a text names a person at all, by any form that could be meant."""
        if name in text:
            return True
        pattern = self._loose.get(name)
        if pattern is None:
            pattern = alternation(_loose_forms(name, self.aliases.get(name, ())))
            self._loose[name] = pattern
        return pattern.search(text) is not None


def _plain(text: str) -> str:
    return nfc(clean(_ASIDE.sub("", text)))


def alternation(forms: Iterable[str]) -> re.Pattern[str]:
    """One pattern for many forms, the longest first, grouped by their first character: a book of
    thousands of people must not be tried name by name at every character."""
    groups: dict[str, set[str]] = {}
    for form in forms:
        if form:
            groups.setdefault(form[0], set()).add(form)
    parts = []
    for first, group in sorted(groups.items()):
        left = rf"(?<![{_LETTER}])" if _LATIN.match(first) else ""
        longest = sorted(group, key=lambda form: (-len(form), form))
        rests = [
            re.escape(form[1:]) + (rf"(?![{_LETTER}])" if _LATIN.match(form[-1]) else "")
            for form in longest
        ]
        parts.append(f"{left}{re.escape(first)}(?:{'|'.join(rests)})")
    return re.compile("|".join(parts) or r"(?!)")


def shortened(name: str, aliases: Sequence[str]) -> set[str]:
    """What a name or alias itself can be shortened to."""
    found: set[str] = set()
    for form in (name, *aliases):
        if is_han(form):
            found.add(given_of(form))
        elif any(dot in form for dot in _DOTS):
            found |= {part for part in _PARTS.split(form) if len(part) > 1}
        elif _LATIN.match(form):
            found |= set(words_of(form))
    return found - {"", name, *aliases}


def _loose_forms(name: str, aliases: Sequence[str]) -> set[str]:
    found = {name, *aliases, *shortened(name, aliases)}
    for form in (name, *aliases):
        if not is_han(form):
            continue
        surname = surname_of(form)
        last = form[-1]
        found |= {familiar + last for familiar in _FAMILIAR}
        found |= {last + last, *(last + after for after in _AFTER_GIVEN)}
        if surname:
            found |= {familiar + surname for familiar in _FAMILIAR}
            found |= {surname + after for after in _AFTER_SURNAME}
    return found
