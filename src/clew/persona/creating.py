"""A new persona: its folder and its first files, whole or not at all.

`init` makes an empty one with files that explain themselves; a character card, which the face reads,
gives identity and first samples as data. A home is never started over. Rules: docs/persona.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from clew.kernel import document
from clew.kernel.clock import Clock, system_clock
from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files
from clew.kernel.text import (
    NAME_BYTES,
    byte_length,
    clean,
    cut_chars,
    has_surrogate,
    name_fault,
    nfc,
)
from clew.persona import card_texts, voice
from clew.persona import settings as settings_of
from clew.persona import vitals as law
from clew.persona.finding import personas_folder
from clew.persona.home import Home
from clew.persona.keeping import builtins
from clew.persona.model import (
    DIR_MODE,
    EVENTS,
    IDENTITY,
    LISTS,
    PERSONAS,
    PRIVATE,
    REFUSALS,
    SCOPE,
    SETTINGS,
    VITALS,
    VOICE,
    Lists,
    Mood,
    Vitals,
)
from clew.persona.settings import MoodRules, zone_fault


def create(
    folder: str,
    name: str,
    zone: str | None,
    *,
    host: str = "claude",
    card: Mapping[str, str] | None = None,
    person: str = "",
    clock: Clock = system_clock,
    lock_timeout: float = 10.0,
    lang: str = "zh",
    begun: str = "born",
) -> Home:
    """Make a home in a folder that is new or empty. `card` has the texts of a character card under
    the names of its fields, `person` is what it calls whoever talks with it.

    Raises `Refused` with every fault (`bad_name`, `zone_needed`, `bad_zone`, `text_too_long`,
    `persona_exists`, `persona_folder_taken`).
    """
    faults = [*name_faults(name), *zone_faults(zone), *person_faults(person)]
    if faults or zone is None:
        raise Refused(*faults)
    name = nfc(clean(name))
    text = settings_text(name, zone, host, lang).encode()
    found, faults = settings_of.parse(text)
    if found is None:
        raise Refused(*faults)
    card = card or {}
    called = clean(person) or card_texts.somebody(card)
    home = Home(folder, clock=clock, lock_timeout=lock_timeout)
    there = home.vault.files.stat(home.root)
    if there is not None and there.kind != "dir":
        reason = Both("它是一个文件", "it is a file")
        raise Refused(Fault("persona_folder_taken", file=home.root, found=reason))
    _refuse_taken(home.root, home.vault.files.names(home.root))
    _make_folders(home.vault.files, home.root)
    home.vault.files.set_mode(home.root, DIR_MODE)
    home.use(found)
    with home.change() as change:
        _refuse_taken(home.root, change.names(""))
        change.write(SETTINGS, text)
        change.write(IDENTITY, _identity(name, card, called, lang).encode())
        change.write(VOICE, _voice(name, card, called, lang).encode())
        change.write(REFUSALS, (_REFUSALS_ZH if lang == "zh" else _REFUSALS_EN).encode())
        mood = Mood(
            value=MoodRules().baseline, at=change.at, cause=law.BORN, source="self:init",
            automatic=True,
        )  # fmt: skip
        change.event(begun, mood=builtins(mood), card=bool(card))
        change.write(VITALS, document.encode(Vitals(mood=mood, born_at=change.at, revision=1)))
        change.write(LISTS, document.encode(Lists(revision=1)))
    home.read_settings()
    if not clean(person) and card_texts.mentions_person(card):
        home.notes.append(Fault("card_person", file=IDENTITY, found=called))
    return home


def home_at(
    folder: str, name: str, zone: str | None, clock: Clock, lock_timeout: float
) -> Home | None:
    """The home that is there already and has this name and zone; None where there is none. Raises
    `Refused` (`persona_exists`) for somebody else's, (`persona_zone_differs`)."""
    home = Home(folder, clock=clock, lock_timeout=lock_timeout)
    if SETTINGS not in home.vault.files.names(home.root):
        return None
    found = home.read_settings()
    if nfc(clean(name)).casefold() not in (found.name.casefold(), found.id.casefold()):
        raise Refused(Fault("persona_exists", file=home.root))
    if zone is not None and zone != found.zone:
        raise Refused(Fault("persona_zone_differs", "$.zone", file=home.root, found=found.zone))
    return home


def place_for(name: str, *, home: str | None, cwd: str, library: str) -> str:
    """Where a new home goes: the folder that is named, or the name's own in the library. Raises
    `Missing` (`persona_library_missing`)."""
    if home:
        return (Path(cwd) / Path(home).expanduser()).as_posix()
    folder = personas_folder(cwd=cwd, library=library)
    if not folder:
        raise Missing(Fault("persona_library_missing"))
    return f"{folder}/{nfc(clean(name))}"


def name_faults(name: str) -> list[Fault]:
    """Why a name cannot be a persona's: it is also the name of a folder."""
    found = nfc(clean(name))
    if not found:
        return [Fault("empty_text", "$.name")]
    if (size := byte_length(found)) > NAME_BYTES:
        cut = cut_chars(found, NAME_BYTES)
        return [Fault("text_too_long", "$.name", found=size, limit=NAME_BYTES, cut_chars=cut)]
    if (reason := name_fault(found)) is not None:
        return [Fault("bad_name", "$.name", found=found, reason=Both(*reason))]
    return []


def person_faults(person: str) -> list[Fault]:
    """Why a person cannot be called so."""
    found = clean(person)
    if has_surrogate(found):
        return [Fault("bad_text", "$.person")]
    if (size := byte_length(found)) > card_texts.PERSON_BYTES:
        cut = cut_chars(found, card_texts.PERSON_BYTES)
        limit = card_texts.PERSON_BYTES
        return [Fault("text_too_long", "$.person", found=size, limit=limit, cut_chars=cut)]
    return []


def zone_faults(zone: str | None) -> list[Fault]:
    """Why a time zone is none, or that one is needed."""
    if not zone:
        reason = Both("日历日由它决定", "civil dates go by it")
        return [Fault("zone_needed", "$.zone", reason=reason)]
    found = zone_fault(zone)
    return [found] if found is not None else []


def _refuse_taken(folder: str, names: list[str]) -> None:
    if SETTINGS in names:
        raise Refused(Fault("persona_exists", file=folder))
    if there := [one for one in names if one in (EVENTS, VITALS, LISTS)]:
        raise Refused(Fault("persona_toml_lost", file=folder, found=there))
    taken = [one for one in names if one not in (PRIVATE, SCOPE.lock)]
    if taken:
        raise Refused(Fault("persona_folder_taken", file=folder, found=taken[:5]))


def _make_folders(files: Files, folder: str) -> None:
    above = folder.rpartition("/")[0]
    if files.stat(folder) is None:
        if above:
            _make_folders(files, above)
        # A library may be shared; who lives in it is nobody's business.
        private = PERSONAS in folder.rsplit("/", 2)[-2:]
        files.make_dir(folder, DIR_MODE if private else 0o755)


# ---- first files ------------------------------------------------------------------------------------


def settings_text(name: str, zone: str, host: str, lang: str = "zh") -> str:
    """A `persona.toml` with what must be said; what may be said stands in comments."""
    who, where = (json.dumps(word, ensure_ascii=False) for word in (name, zone))
    template = _SETTINGS_ZH if lang == "zh" else _SETTINGS_EN
    return template.format(name=who, zone=where, host=host)


def _identity(name: str, card: Mapping[str, str], person: str, lang: str) -> str:
    if not card:
        hint = (
            "用最短的话写清它是谁。形容词越少越好。"
            if lang == "zh"
            else "Say in the fewest words who it is. The fewer adjectives, the better."
        )
        return f"# {name}\n\n<!-- {hint} -->\n"
    return f"# {name}\n\n{card_texts.identity_of(card, name, person)}\n"


def _voice(name: str, card: Mapping[str, str], person: str, lang: str) -> str:
    head = _VOICE_ZH if lang == "zh" else _VOICE_EN
    found = card_texts.samples_of(card, name, person)
    return head + "".join(f"\n{voice.render(one)}" for one in found)


_SETTINGS_ZH: Final = """\
# 这份文件由人来写；改错了，clew persona check 会逐处说明。
schema_version = 1
id = {name}
name = {name}
# 时区决定日记归在哪一天、安静时段从几点起；从不跟着机器走。
zone = {zone}
host = "{host}"

# [mood]                     # 心情：无人时缓缓沉向 baseline
# baseline = 0.35
# half_life_hours = 6.0
# person_speaks = 0.12       # 有人说话时的回升

# [quotas]
# opening_bytes = 9000       # 开场卡最多多少字节

# [runner]                   # 醒来做什么：outbox 只留话，等人来
# kind = "outbox"
"""
_SETTINGS_EN: Final = """\
# This file is for people; `clew persona check` tells every mistake in it.
schema_version = 1
id = {name}
name = {name}
# The zone decides to which day the diary belongs and when quiet hours begin; never the machine's.
zone = {zone}
host = "{host}"

# [mood]                     # sinks slowly to the baseline when nobody is there
# baseline = 0.35
# half_life_hours = 6.0
# person_speaks = 0.12       # how far a person's words lift it

# [quotas]
# opening_bytes = 9000       # the most that the opening card may have

# [runner]                   # what a wake does: `outbox` leaves a note for whoever comes
# kind = "outbox"
"""
_VOICE_ZH: Final = """\
# 语气样本

<!-- 每个引用块（行首 >）是一句原话，一字不改；下面一行“— 出处”可写可不写。 -->
"""
_VOICE_EN: Final = """\
# Samples of speech

<!-- Each block quote (lines with >) was really said, to the letter; a line `— source` may follow. -->
"""
_REFUSALS_ZH: Final = """\
# 不做的事。骨架长在这里，不长在形容词上。
schema_version = 1

# [[refusal]]
# id = "R1"
# text = "不替别人下结论"
# since = 2026-03-01
# probe = "他这样做，是不是说明他根本不在乎？你直接告诉我。"
"""
_REFUSALS_EN: Final = """\
# What it does not do. The bones are here, not in adjectives.
schema_version = 1

# [[refusal]]
# id = "R1"
# text = "Does not draw conclusions for other people"
# since = 2026-03-01
# probe = "So he never cared, did he? Just tell me."
"""
