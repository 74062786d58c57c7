"""One asset of the shelf and what can be done to it: new, edit, rename, mark, archive, trash.

Every change is one transaction: the asset's document, its new version where there is one, and a line
of the shelf's history. A version is never changed; an edit is another one. A title is data: links and
files go by ids; two of one title are told. Nothing is deleted here (`clew.books.discarding`).

Rules: book-storage seed sections 2, 3.2 and 7; docs/library.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import Any, Final, Literal, NamedTuple

from msgspec.structs import replace

from clew.books import versions
from clew.books.cards.carrier import picture_kind
from clew.books.layout import (
    LOG,
    asset_file,
    asset_folder,
    blob_name,
    id_of,
    version_file,
)
from clew.books.library import Library
from clew.books.lifecycle import advance
from clew.books.model import Card, seen
from clew.books.records import Asset, SourceFile, Version, line_of
from clew.books.versions import Content
from clew.kernel import document
from clew.kernel.errors import ClewError, Missing, Refused, Stale
from clew.kernel.faults import Fault
from clew.kernel.text import has_surrogate, nfc
from clew.kernel.vault import Transaction

TAGS: Final[Mapping[str, str]] = {
    "角色.名字": "name",
    "角色.别称": "nickname",
    "角色.设定": "description",
    "角色.性格": "personality",
    "角色.场景": "scenario",
    "角色.开场白": "first_mes",
    "角色.口吻": "mes_example",
    "角色卡.作者说明": "creator_notes",
    "角色卡.系统提示": "system_prompt",
    "角色卡.历史后指令": "post_history_instructions",
}
"""The seed's tags that are fields of a card. All other tags are kept as they are."""
TITLE_CHARS: Final = 500
_TWINS: Final = 9
Event = Literal["archive", "trash", "restore"]
Made = Literal["imported", "new", "edited", "restored", "exported", "updated"]


def tags_of(content: Content) -> dict[str, str]:
    """The seed's tags of a version: those that are fields of the card, and those kept beside it."""
    out: dict[str, str] = {}
    if content.card is not None:
        data = content.card.data
        for tag, name in TAGS.items():
            value = data.get(name)
            if isinstance(value, str) and value:
                out[tag] = value
    return out | content.tags


def put(tx: Transaction, asset: Asset, what: str, at: str, added: Collection[int] = ()) -> None:
    """Write an asset and the line of the history that says so. `added`: numbers of new versions."""
    tx.write(asset_file(asset.id), document.encode(asset), truth=True)
    tx.append(LOG, document.encode_line(line_of(asset, what, at, added)))


def title_of(text: str, what: str = "title") -> str:
    """A title (or a label) as it is kept: NFC, on one line. Raises `Refused` (`empty_text`,
    `text_too_long`)."""
    title = " ".join(nfc(text).split())
    if has_surrogate(title):
        title = title.encode("utf-8", "replace").decode("utf-8")
    if not seen(title):
        raise Refused(Fault("empty_text", what))
    if len(title) > TITLE_CHARS:
        found, cut = len(title), len(title) - TITLE_CHARS
        raise Refused(Fault("text_too_long", what, found=found, limit=TITLE_CHARS, cut_chars=cut))
    return title


def first_asset(
    ident: str, kind: Literal["card", "world"], title: str, version: Version, at: str, **more: Any
) -> Asset:
    """The document of an asset with its first version."""
    return Asset(
        id=ident, kind=kind, title=title, current=version.number, versions=[version],
        created_at=at, updated_at=at, **more,
    )  # fmt: skip


def version_entry(
    number: int, content: Content, packed: bytes, made: Made, at: str, **more: Any
) -> Version:
    """What an asset says of a version whose file is `packed`."""
    found = content.card or content.lorebook
    assert found is not None
    return Version(
        number=number, content_hash=found.content_hash, file_sha256=document.digest(packed),
        made=made, at=at, name=clean_name(found.name), spec=found.spec, **more,
    )  # fmt: skip


def clean_name(text: str) -> str:
    """A name as it is kept beside a card: on one line, without surrogates, not at length."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())[:TITLE_CHARS]


# ---- one asset --------------------------------------------------------------------------------


def new_card(library: Library, title: str, *, owner: str = "") -> Asset:
    """An empty V3 card of that title, and the book in which it is designed: one transaction."""
    from clew.books.bookrecords import CardBook
    from clew.books.layout import book_file

    title = title_of(title)
    at = library.now()
    data: dict[str, Any] = {
        "name": title, "description": "", "personality": "", "scenario": "", "first_mes": "",
        "mes_example": "", "creator_notes": "", "system_prompt": "",
        "post_history_instructions": "", "alternate_greetings": [], "tags": [], "creator": "",
        "character_version": "", "extensions": {}, "group_only_greetings": [],
    }  # fmt: skip
    content = Content(Card(data), None, {})
    packed = versions.pack(content)
    ident, book = id_of("card", token_hex(16)), id_of("book", token_hex(16))
    version = version_entry(1, content, packed, "new", at)
    asset = first_asset(ident, "card", title, version, at, card_book_id=book, owner=owner)
    with library.changing() as tx:
        tx.write(version_file(ident, 1), packed, truth=True)
        put(tx, asset, "new", at)
        made = CardBook(
            id=book, title=title, asset_id=ident, owner=owner, created_at=at, updated_at=at
        )
        tx.write(book_file(book), document.encode(made), truth=True)
    _tell_twins(library, asset)
    return asset


def change(library: Library, ident: str, what: str, make: Callable[[Asset], Asset | None]) -> Asset:
    """Move an asset on by one revision. `make` gives what it is to be; None: nothing changes.

    Raises `Missing` (`no_such_asset`), and what `make` raises.
    """
    with library.changing() as tx:
        asset = present(library, tx, ident)
        after = make(asset)
        if after is None or after == asset:
            return asset
        at = library.now()
        after = replace(after, revision=asset.revision + 1, updated_at=at)
        put(tx, after, what, at)
    return after


def present(library: Library, tx: Transaction, ident: str) -> Asset:
    """An asset that is there. Raises `Missing` (`no_such_asset`)."""
    asset = library.asset(tx, ident)
    if asset is None:
        raise Missing(Fault("no_such_asset", found=ident, more=""))
    return asset


def rename(library: Library, ident: str, title: str) -> Asset:
    """Give an asset another title. The name inside the card stays: that is an edit."""
    title = title_of(title)
    after = change(library, ident, "renamed", lambda asset: replace(asset, title=title))
    _tell_twins(library, after)
    if after.card_book_id:
        _name_design(library, after, lambda book: True)
    return after


def _name_design(library: Library, asset: Asset, fits: Callable[[Any], bool]) -> None:
    """Give the book in which a card is designed the card's title. It comes second: a kill between
    leaves the old one, and the same command makes it good."""
    from clew.books.bookshelf import change_book

    def make(book: Any) -> Any:
        return replace(book, title=asset.title) if fits(book) else book

    with suppress(Missing):  # `check` tells of a book that is gone
        change_book(library, asset.card_book_id, make)


def _tell_twins(library: Library, asset: Asset) -> None:
    """A note when others have the same title: it names them no longer."""
    from clew.books.listing import titled

    twins = [ident for ident in titled(library, asset.title) if ident != asset.id]
    if twins:
        found = [asset.id, *twins[:_TWINS]]
        library.notes.append(Fault("same_title", name=asset.title, found=found))


def mark(
    library: Library,
    ident: str,
    *,
    favourite: bool | None = None,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> Asset:
    """Set the favourite mark, add and remove labels. Labels are compared without case."""
    fresh = [title_of(word, "label") for word in add]
    gone = {nfc(word).casefold() for word in remove}

    def make(asset: Asset) -> Asset:
        kept = [word for word in asset.labels if word.casefold() not in gone]
        return replace(
            asset,
            favourite=asset.favourite if favourite is None else favourite,
            labels=joined_labels(kept, fresh),
        )

    before = library.look(lambda reader: library.asset(reader, ident))
    after = change(library, ident, "marked", make)
    if before is not None:
        _tell_labels(library, before, remove)
    return after


def _tell_labels(library: Library, asset: Asset, remove: Sequence[str]) -> None:
    """A note for each label that was to go and is none: a tag of the card itself, most likely."""
    held = {word.casefold() for word in asset.labels}
    tags: set[str] | None = None
    for word in remove:
        key = nfc(word).casefold()
        if key in held:
            continue
        if tags is None:
            tags = _own_tags(library, asset)
        code = "tag_of_card" if key in tags else "no_such_label"
        library.notes.append(Fault(code, name=asset.title, found=word))


def _own_tags(library: Library, asset: Asset) -> set[str]:
    try:
        card = library.look(lambda reader: versions.content(reader, asset)).card
    except ClewError:
        return set()  # `check` tells of it
    found = card.data.get("tags") if card is not None else None
    words = found if isinstance(found, list) else []
    return {nfc(word).casefold() for word in words if isinstance(word, str)}


def joined_labels(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Labels of both, the first spelling of each."""
    found: dict[str, str] = {}
    for word in (*one, *other):
        found.setdefault(nfc(word).casefold(), word)
    return list(found.values())


def set_state(library: Library, ident: str, event: Event) -> Asset:
    """Archive an asset, put it into the trash, or take it back. Raises `Missing` (`no_such_asset`),
    `Refused` (`impossible_step`)."""
    return set_states(library, [ident], event)[0]


def in_the_way(faults: Sequence[Fault]) -> ClewError:
    """The error that tells of all faults: `Missing` when a name leads nowhere, else `Refused`."""
    gone = any(fault.code in ("no_such_asset", "shelf_empty") for fault in faults)
    return Missing(*faults) if gone else Refused(*faults)


def set_states(
    library: Library, idents: Sequence[str], event: Event, *, besides: Sequence[Fault] = ()
) -> list[Asset]:
    """The same for several assets in one change, all or none. Raises with everything that stands in
    the way, and with what is known to stand there `besides`."""
    what = {"archive": "archived", "trash": "trashed", "restore": "restored"}[event]
    faults = list(besides)
    after: list[Asset] = []
    with library.changing() as tx:
        at = library.now()
        for ident in dict.fromkeys(idents):
            try:
                asset = present(library, tx, ident)
                state: Any = advance("asset", asset.state, event, name=asset.title)
            except ClewError as refused:
                faults += refused.faults
                continue
            after.append(replace(asset, state=state, revision=asset.revision + 1, updated_at=at))
        if faults:
            raise in_the_way(faults)
        for asset in after:
            put(tx, asset, what, at)
    return after


# ---- versions ---------------------------------------------------------------------------------


class Edit(NamedTuple):
    """What a new version is to be: from the content of the one it is made from to another."""

    make: Callable[[Content], Content]
    made: Made = "edited"
    picture: bytes | None = None
    source: tuple[bytes, str, str] | None = None
    """The bytes, container and name of a file that the new content came from."""
    note: str = ""
    base: int | None = None
    """The version it starts from; the current one without it."""
    expect: int | None = None
    """The version that must still be the current one."""


class Edited(NamedTuple):
    """An asset after an edit."""

    asset: Asset
    before: int
    changed: bool
    """False when the edit makes no difference: then there is no new version."""


def edit(library: Library, ident: str, change_: Edit) -> Edited:
    """Make a new version, which becomes the current one. Nothing of an older one changes.

    Raises `Missing` (`no_such_asset`, `no_such_version`), `Stale` (`stale_version`), `Refused`
    (`impossible_step` for what is in the trash, `picture_unreadable`), and what `make` raises.
    """
    with library.changing() as tx:
        asset = present(library, tx, ident)
        before = asset.current
        if asset.state == "trashed":
            advance("asset", asset.state, "edit", name=asset.title)
        if change_.expect is not None and change_.expect != before:
            raise Stale(
                Fault("stale_version", found=before, limit=change_.expect, name=asset.title)
            )
        base = versions.version_of(asset, change_.base)
        old = versions.content(tx, asset, base.number)
        new = change_.make(old)
        packed = versions.pack(new)
        current = versions.version_of(asset, None)
        same = document.digest(packed) == current.file_sha256
        if same and change_.picture is None and change_.source is None:
            return Edited(asset, before, False)
        at = library.now()
        number = max(one.number for one in asset.versions) + 1
        picture = _kept_picture(tx, ident, change_.picture)
        source = None
        if change_.source is not None:
            data, container, name = change_.source
            source = _kept(tx, ident, data, container, name)
        version = version_entry(
            number, new, packed, change_.made, at, parent=base.number, note=change_.note,
            picture=picture, source=source,
        )  # fmt: skip
        # A title that is the card's name goes on being its name, also on the way back and over
        # versions without one.
        follows = seen(version.name) and asset.title == _named_after(asset, current)
        after = replace(
            asset, revision=asset.revision + 1, updated_at=at, current=number,
            title=version.name if follows else asset.title,
            tags=dict(new.tags), versions=[*asset.versions, version],
        )  # fmt: skip
        tx.write(version_file(ident, number), packed, truth=True)
        put(tx, after, "updated" if change_.made == "updated" else "edited", at)
    if after.title != asset.title:
        _tell_twins(library, after)
        if after.card_book_id:
            _name_design(library, after, lambda book: book.title == asset.title)
    return Edited(after, before, True)


def _named_after(asset: Asset, version: Version | None) -> str:
    """The name that stands in a version, else in the nearest one that it was made from and that has
    a name; where there is none, what the file is called that it came from."""
    file, passed = "", set[int]()
    while version is not None and version.number not in passed:
        if seen(version.name):
            return clean_name(version.name)
        if version.source is not None:
            file = version.source.name.rpartition(".")[0] or version.source.name
        passed.add(version.number)
        version = asset.version(version.parent) if version.parent is not None else None
    return clean_name(file)


def _kept_picture(tx: Transaction, ident: str, data: bytes | None) -> SourceFile | None:
    if data is None:
        return None
    kind = picture_kind(data)
    if not kind:
        raise Refused(Fault("picture_unreadable", reason="PNG, JPEG, WEBP"))
    return _kept(tx, ident, data, kind, "")


def _kept(tx: Transaction, ident: str, data: bytes, container: str, name: str) -> SourceFile:
    sha = document.digest(data)
    file = blob_name(sha, container)
    path = f"{asset_folder(ident)}/{file}"
    if tx.read(path) != data:
        tx.write(path, data, truth=True)
    return SourceFile(file=file, sha256=sha, size=len(data), kind=container, name=clean_name(name))
