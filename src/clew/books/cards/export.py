"""`write` and `losses`: a card into V1, V2 or V3, as JSON, PNG or CHARX.

Both walk the same plan, so that what is written is what was told. A PNG gets other text chunks and
nothing else; a CHARX keeps every member that it had. `source` is the file that the card came from:
its picture and its other content go along where the target can hold them.

Pure. Rules: Character Card V1, V2, V3; docs/cards.md.
"""

from __future__ import annotations

import binascii
from typing import Any, Final

from clew.books.cards import archive, png
from clew.books.cards.carrier import Carried, carried
from clew.books.cards.charx import asset_path
from clew.books.cards.documents import document, field_losses, lore_data
from clew.books.cards.report import Limits
from clew.books.cards.values import child, encode
from clew.books.cards.worldinfo import to_world_info, world_info_losses
from clew.books.lore import Lorebook, decorated, text
from clew.books.model import SPECS, V2, V3, Card
from clew.kernel.errors import Refused
from clew.kernel.faults import Fault

CONTAINERS: Final = ("json", "png", "charx")
LORE_SPECS: Final = ("lorebook_v3", "character_book", "worldinfo")
_INDENT: Final = 2
_ICON: Final = "assets/icon/images/main"
_FOLDERS: Final = {
    **dict.fromkeys(("png", "jpg", "jpeg", "webp", "avif", "gif", "apng", "svg"), "images"),
    **dict.fromkeys(("mp3", "ogg", "wav", "flac", "m4a", "opus"), "audio"),
    **dict.fromkeys(("mp4", "webm", "mkv", "mov"), "video"),
    **dict.fromkeys(("mmd", "pmx", "obj", "glb", "gltf", "vrm"), "3d"),
    **dict.fromkeys(("safetensors", "ckpt", "onnx"), "ai"),
    **dict.fromkeys(("otf", "ttf", "woff", "woff2"), "fonts"),
    **dict.fromkeys(("lua", "js", "py"), "code"),
}
"""Where the specification of CHARX puts a file, by its extension."""
_ASKED: Final = frozenset(["icon", "background", "emotion", "user_icon"])


def write(
    card: Card,
    spec: str = V3,
    container: str = "json",
    *,
    source: bytes | None = None,
    picture: bytes | None = None,
    limits: Limits = Limits(),  # noqa: B008 - immutable
) -> bytes:
    """The bytes of a file that holds the card.

    `picture` (a PNG, JPEG or WEBP) outranks the picture of `source`; where there is none, one is
    drawn. Raises `Refused` (`not_allowed`, `charx_is_v3`, `picture_unreadable`, or what is wrong
    with `source`) and `Missing` (`card_library_missing`).
    """
    _judge(spec, container)
    if container == "json":
        return _text(document(card, spec))
    has = carried(card, source, picture, limits)
    return _png(card, spec, has) if container == "png" else _charx(card, has)


def losses(
    card: Card,
    spec: str = V3,
    container: str = "json",
    *,
    source: bytes | None = None,
    picture: bytes | None = None,
    limits: Limits = Limits(),  # noqa: B008 - immutable
) -> list[Fault]:
    """Everything that the file would not hold, or not where other programs look, and everything
    that would be added. Reads `source`, writes nothing. Raises as `write` does."""
    _judge(spec, container)
    out = field_losses(card, spec)
    has = carried(card, source, picture, limits)
    names = sorted(asset.path for asset in has.assets)
    if container == "json":
        if has.picture is not None:
            out.append(Fault("picture_left_out"))
        if names:
            out.append(Fault("assets_left_out", "$.data.assets", found=names))
        if has.others or has.chunks:
            out.append(Fault("members_left_out", found=[*has.others, *has.chunks]))
        return out
    if container == "png":
        if has.placeholder:
            out.append(Fault("placeholder_drawn"))
        elif has.kind != "png":
            out.append(Fault("picture_converted", found=has.kind.upper()))
        if names and not (has.scan is not None and has.in_place) and spec != V3:
            out.append(Fault("assets_left_out", "$.data.assets", found=names))
        if has.others:
            out.append(Fault("members_left_out", found=has.others))
    copied = has.chunks if container == "png" else [*has.others, *has.chunks]
    if copied:
        out.append(Fault("copied_unchanged", found=copied))
    if has.trailing:
        out.append(Fault("trailing_bytes", found=has.trailing))
    if has.refused and container == "charx":
        out.append(Fault("members_left_out", found=list(has.refused)))
    return out + _row_lines(card, spec, container, has)


def _row_lines(card: Card, spec: str, container: str, has: Carried) -> list[Fault]:
    """Lines about rows of `assets` that the file gets, or that name a file at another place."""
    before = card.data.get("assets")
    before = before if isinstance(before, list) else []
    moves = has.archive is None if container == "charx" else spec == V3 and not has.in_place
    moved = {asset.path for asset in has.assets} if moves else set()
    places = [i for i, row in enumerate(before) if _path(row) in moved]
    out: list[Fault] = []
    if container == "charx" and has.picture is not None and (has.archive is None or has.replaced):
        icon = _icon_name(has)
        value = _with_icon({"data": {"assets": before}}, icon, instead=has.replaced)
        after = value["data"]["assets"]
        if len(after) > len(before):
            out.append(Fault("icon_added", "$.data.assets", found=icon))
        else:
            places += [i for i, row in enumerate(after) if row is not before[i]]
    if places:
        row = "*" if len(set(places)) > 1 else places[0]
        path = f"$.data.assets[{row}].uri"
        out.append(Fault("field_translated", path, found=container.upper()))
    return out


def _path(row: Any) -> str | None:
    """The embedded file that a row of `assets` names, or None."""
    return asset_path(text(row.get("uri"))) if isinstance(row, dict) else None


def _judge(spec: str, container: str) -> None:
    faults = []
    if spec not in SPECS:
        faults.append(Fault("not_allowed", "spec", found=spec, allowed=SPECS))
    if container not in CONTAINERS:
        faults.append(Fault("not_allowed", "container", found=container, allowed=CONTAINERS))
    if not faults and container == "charx" and spec != V3:
        faults.append(Fault("charx_is_v3", found=spec.upper()))
    if faults:
        raise Refused(*faults)


def _text(value: Any) -> bytes:
    return encode(value, indent=_INDENT).encode("utf-8") + b"\n"


def _coded(value: Any) -> bytes:
    return binascii.b2a_base64(encode(value).encode("utf-8"), newline=False)


# ---- PNG


def _png(card: Card, spec: str, has: Carried) -> bytes:
    fresh = []
    if spec == V3:
        newest = document(card, V3)
        if has.assets and not has.in_place:
            newest, chunks = _assets_in_chunks(newest, has)
            fresh += chunks
        fresh.append(png.text_chunk("chara", _coded(document(card, V2))))
        fresh.append(png.text_chunk("ccv3", _coded(newest)))
    else:
        fresh.append(png.text_chunk("chara", _coded(document(card, spec))))
    data = has.png()
    found = has.scan or png.scan(data)
    return png.exchange(data, found, has.old_cards(found), fresh)


def _assets_in_chunks(value: dict[str, Any], has: Carried) -> tuple[dict[str, Any], list[bytes]]:
    """Files of an archive as chunks, and the document that names them there."""
    places: dict[str, str] = {}
    chunks = []
    for index, asset in enumerate(has.assets):
        places[asset.path] = f"__asset:{index}"
        coded = binascii.b2a_base64(asset.load(), newline=False)
        chunks.append(png.text_chunk(f"chara-ext-asset_:{index}", coded))
    return _moved(value, places), chunks


def _moved(value: dict[str, Any], places: dict[str, str]) -> dict[str, Any]:
    """The document with assets at their new places."""
    rows = []
    for row in value["data"].get("assets") or ():
        path = _path(row)
        rows.append({**row, "uri": places[path]} if path in places else row)
    return {**value, "data": {**value["data"], "assets": rows}}


# ---- CHARX


def _charx(card: Card, has: Carried) -> bytes:
    value = document(card, V3)
    icon = _icon_name(has)
    items: list[archive.Item] = []
    prefix = b""
    if has.archive is not None:
        left = {has.card_name, "card.json", *([icon] if has.replaced else [])}
        members = has.archive.members.items()
        items += [archive.copied(has.source, one) for name, one in members if name not in left]
        prefix = has.source[: has.archive.start]
    else:
        places: dict[str, str] = {}
        taken: set[str] = set()
        for asset in has.assets:
            name = _member_name(card, asset.path, taken)
            places[asset.path] = f"embeded://{name}"
            items.append(archive.item(name, asset.load()))
        if places:
            value = _moved(value, places)
    if has.picture is not None and (has.archive is None or has.replaced):
        items.append(archive.item(icon, has.bare_picture()))
        value = _with_icon(value, icon, instead=has.replaced)
    return archive.archive([archive.item("card.json", _text(value)), *items], prefix)


def _icon_name(has: Carried) -> str:
    return f"{_ICON}.{'jpg' if has.kind == 'jpeg' else has.kind}"


def _member_name(card: Card, path: str, taken: set[str]) -> str:
    """Where CHARX puts a file, by what the card uses it for."""
    row = next((row for row in card.assets if row.uri == f"__asset:{path}"), None)
    kind = row.type if row is not None and row.type in _ASKED else "other"
    ext = row.ext if row is not None and row.ext.isalnum() and row.ext.isascii() else "bin"
    stem = (
        "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in path)[:60]
        or "asset"
    )
    name, again = f"assets/{kind}/{_FOLDERS.get(ext, 'other')}/{stem}.{ext}", 1
    while name in taken:
        again += 1
        name = f"assets/{kind}/{_FOLDERS.get(ext, 'other')}/{stem}_{again}.{ext}"
    taken.add(name)
    return name


def _with_icon(value: dict[str, Any], name: str, *, instead: bool) -> dict[str, Any]:
    """The document whose main icon is the picture; where it names another, only with `instead`."""
    rows = value["data"].get("assets")
    rows = list(rows) if isinstance(rows, list) else []
    icon = {
        "type": "icon",
        "uri": f"embeded://{name}",
        "name": "main",
        "ext": name.rpartition(".")[2],
    }
    for index, row in enumerate(rows):
        if isinstance(row, dict) and row.get("type") == "icon" and row.get("name") == "main":
            if instead or row.get("uri") in ("ccdefault:", "", None):
                rows[index] = {**row, **icon}
            break
    else:
        rows.insert(0, icon)
    return {**value, "data": {**value["data"], "assets": rows}}


# ---- lorebooks


def write_lorebook(book: Lorebook, spec: str = "lorebook_v3") -> bytes:
    """A lorebook as a JSON file: `lorebook_v3`, `character_book` (V2) or `worldinfo`."""
    if spec not in LORE_SPECS:
        raise Refused(Fault("not_allowed", "spec", found=spec, allowed=LORE_SPECS))
    if spec == "worldinfo":
        return _text(to_world_info(book))
    if spec == "character_book":
        return _text(lore_data(book.data, V2, bare=book.spec != "character_book"))
    root = book.root if book.spec == "lorebook_v3" else {}
    return _text({"spec": "lorebook_v3", "data": lore_data(book.data, V3), **root})


def lorebook_losses(book: Lorebook, spec: str = "lorebook_v3") -> list[Fault]:
    """What `write_lorebook` would leave out, fill in, or say in other words."""
    if spec not in LORE_SPECS:
        raise Refused(Fault("not_allowed", "spec", found=spec, allowed=LORE_SPECS))
    out = []
    if book.root and spec not in (book.spec, "worldinfo"):
        out += [Fault("field_left_out", child("$", key), found=spec) for key in book.root]
    if spec == "worldinfo":
        out += world_info_losses(book)
    if spec == "character_book" and book.spec != spec:
        marked = sum(bool(decorated(text(row.get("content")))[0]) for row in book.rows)
        if marked:
            out.append(Fault("decorators_left_out", "$.data.entries[*].content", found=marked))
    return out
