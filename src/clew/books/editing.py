"""Edits as people give them: paths and values, another file, an older version, another picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import msgspec

from clew.books import cards
from clew.books.assets import Edit, Edited, edit
from clew.books.cards.edit import parse_path
from clew.books.cards.fields import CARD_FIELDS
from clew.books.cards.report import Limits
from clew.books.cards.values import integer, real
from clew.books.library import Library
from clew.books.listing import named
from clew.books.model import Card, seen
from clew.books.showing import VersionRow, row_of
from clew.books.versions import Content, version_of
from clew.kernel.errors import Missing, Refused, Usage, storage_failed
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files

_TEXT = ("text", "moment")


class Changes(NamedTuple):
    """What an edit is to do."""

    set: Sequence[str] = ()
    """`PATH=TEXT`: the text itself, as it stands."""
    set_json: Sequence[str] = ()
    """`PATH=JSON`."""
    remove: Sequence[str] = ()
    source: str = ""
    """A file whose card takes the place of the present one."""
    picture: str = ""
    back_to: int | None = None
    """An older version, whose content becomes the newest."""
    note: str = ""
    expect: int | None = None
    encoding: str = ""
    """What the text of `source` is written in where it is not UTF-8; empty: it is found out."""


class EditedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A card after an edit."""

    status: str = "ok"
    id: str
    title: str
    before: int
    version: VersionRow
    changed: bool


def apply(library: Library, name: str, changes: Changes) -> EditedAnswer:
    """Make the next version of a card. Raises as `clew.books.assets.edit` and
    `clew.books.cards.set` do; `Usage` when nothing was asked for."""
    asset, number = named(library, name)
    if number is not None and changes.expect is None:
        changes = changes._replace(expect=number)
    if not any(changes[:6]) and changes.back_to is None:
        reason = Both(
            "给出 --set、--set-json、--remove、--from、--picture 或 --back-to 其一",
            "give one of --set, --set-json, --remove, --from, --picture, --back-to",
        )
        raise Usage(Fault("usage", reason=reason))
    done = edit(library, asset.id, _edit(library, changes))
    version = version_of(done.asset, None)
    if done.changed and done.asset.kind == "card" and not seen(version.name):
        library.notes.append(Fault("name_missing", "$.data.name", after=done.asset.title))
    return answer(done)


def answer(done: Edited) -> EditedAnswer:
    """What is told of an edit."""
    asset = done.asset
    return EditedAnswer(
        id=asset.id, title=asset.title, before=done.before,
        version=row_of(asset, version_of(asset, None)), changed=done.changed,
    )  # fmt: skip


def _edit(library: Library, changes: Changes) -> Edit:
    source: tuple[bytes, str, str] | None = None
    fresh: Content | None = None
    if changes.source:
        data = _read(changes.source)
        name = changes.source.replace("\\", "/").rpartition("/")[2]
        read = cards.read(data, name=name, encoding=changes.encoding)
        if not read.ok:
            raise Refused(*(fault for word, fault in read.report if word == "refused"))
        fresh = Content(read.card, read.lorebook, {})
        source = (data, read.kind, read.report.file)
        library.notes += read.report.repaired

    def make(old: Content) -> Content:
        new = old if fresh is None else fresh._replace(tags=old.tags)
        if (new.card is None) != (old.card is None):
            kind = Both("卡片", "a card") if old.card is not None else Both("世界书", "a lorebook")
            raise Refused(Fault("another_kind", expected=kind))
        return _changed(new, changes, library.notes)

    # With a change on top it is no older version any more, though it began as one.
    back = changes.back_to is not None and not any(changes[:5])
    return Edit(
        make, made="restored" if back else "edited",
        picture=_read(changes.picture) if changes.picture else None, source=source,
        note=changes.note, base=changes.back_to, expect=changes.expect,
    )  # fmt: skip


def _unknown(card: Card, path: str) -> list[Fault]:
    """A note where a new field is made that no version of the format has: a name mistyped, mostly."""
    try:
        steps = parse_path(path)
    except Refused:
        return []  # told when the step is done
    if steps[0] != "data" or len(steps) != 2 or steps[1] in CARD_FIELDS or steps[1] in card.data:
        return []
    near = get_close_matches(str(steps[1]), CARD_FIELDS, n=1)
    return [Fault("field_unknown", found=steps[1], near=near[0] if near else "extensions")]


def _changed(content: Content, changes: Changes, notes: list[Fault]) -> Content:
    """The content with every change, all faults at once."""
    card = content.card
    if card is None:
        if changes.set or changes.set_json or changes.remove:
            raise Refused(Fault("not_a_card_asset"))
        return content
    faults: list[Fault] = []
    steps: list[tuple[str, Any]] = []
    for text in changes.set:
        path, value = _split(text)
        steps.append((path, value))
    for text in changes.set_json:
        path, value = _split(text)
        try:
            steps.append((path, json.loads(value, parse_int=integer, parse_float=real)))
        except (ValueError, RecursionError):
            reason = Both("等号后面不是 JSON", "what follows the = is no JSON")
            faults.append(Fault("bad_value", path, found=value, reason=reason))
    for path, value in steps:
        notes += _unknown(card, path)
        card = _step(card, path, value, faults)
    for path in changes.remove:
        try:
            card = cards.remove(card, path)
        except Refused as refused:
            faults += refused.faults
    if faults:
        raise Refused(*faults)
    return content._replace(card=card)


def _step(card: Card, path: str, value: Any, faults: list[Fault]) -> Card:
    try:
        steps = parse_path(path)
        field = (
            CARD_FIELDS.get(str(steps[1])) if steps[:1] == ("data",) and len(steps) == 2 else None
        )
        if isinstance(value, str) and field is not None and field.kind not in _TEXT:
            # `--set tags=a` would be refused as the wrong kind: say what to use instead.
            reason = Both(
                "这个字段不是文字，用 --set-json", "this field is no text, use --set-json"
            )
            faults.append(Fault("bad_value", path, found=value, reason=reason))
            return card
        return cards.set(card, path, value)
    except Refused as refused:
        faults.extend(refused.faults)
        return card


def _split(text: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        reason = Both(f"要写成 路径=值：{text[:60]}", f"write PATH=VALUE: {text[:60]}")
        raise Usage(Fault("usage", reason=reason))
    return path.strip(), value


def _read(path: str) -> bytes:
    files, limit = Files(), Limits().file_bytes
    try:
        found = files.stat(files.resolve(path))
        if found is None:
            raise Missing(Fault("no_such_file", file=path))
        if found.size > limit:
            raise Refused(Fault("too_large", file=path, found=found.size, limit=limit))
        return files.read(path)
    except OSError as error:
        raise storage_failed(error, path) from error
