"""What `clew card` offers to every face. See `clew.books.operations`."""

from __future__ import annotations

import posixpath
from typing import Any, Final

import msgspec

from clew.books.opening import open_shelf
from clew.books.requests import (
    CardDiff,
    CardEdit,
    CardExport,
    CardImport,
    CardList,
    CardMark,
    CardNew,
    CardPurge,
    CardRename,
    CardShow,
    OnCard,
    OnCards,
)
from clew.kernel.operations import Host, Operation


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """An asset after a change that made no version."""

    status: str = "ok"
    id: str
    kind: str
    title: str
    state: str
    version: int
    favourite: bool
    labels: list[str]
    changed: bool


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """Assets that went to another state, all in one change."""

    status: str = "ok"
    cards: list[Kept]


def _import(host: Host, request: CardImport) -> Any:
    from clew.books import bulk, listing
    from clew.books.reporting import keep_report
    from clew.books.targets import allow_report

    library = open_shelf(host, request.library)
    report = posixpath.join(host.cwd, request.report) if request.report else ""
    if report:
        allow_report(report)
    paths = [posixpath.join(host.cwd, path) for path in request.paths]
    done = bulk.import_cards(
        library, paths, lang=host.lang, progress=host.progress,
        encoding=encoding_of(request.encoding), dry_run=request.dry_run,
    )  # fmt: skip
    if report:
        keep_report(library, report, done, host.lang)
    if not request.dry_run:
        listing.catalog(library).refresh_texts(lambda at, of: host.progress(at, of, ""))
    return done


def _new(host: Host, request: CardNew) -> Any:
    from clew.books import assets

    return _kept(assets.new_card(open_shelf(host, request.library), request.title))


def _list(host: Host, request: CardList) -> Any:
    from clew.books import bookshelf, listing
    from clew.kernel.errors import Refused
    from clew.kernel.faults import Fault

    library = open_shelf(host, request.library)
    used = request.used_in or ""
    if used not in ("", "*"):
        used = bookshelf.book_named(library, used).id
    if request.spec and request.spec.lower() not in known_specs(request.kind):
        allowed = known_specs(request.kind)
        raise Refused(Fault("not_allowed", "spec", found=request.spec, allowed=allowed))
    states = listing.STATES if request.state == "all" else (request.state,)
    wanted = listing.Wanted(
        kind=request.kind, states=states, tags=tuple(request.tag), creator=request.creator or "",
        spec=request.spec or "", favourite=request.favourite, used_in=used, unused=request.unused,
        title=request.title or "",
    )  # fmt: skip
    return listing.list_assets(
        library, wanted, limit=request.limit, offset=request.offset, sort=request.sort
    )


def encoding_of(given: str) -> str:
    """Python's name of an encoding that was asked for. Raises `Refused` (`not_allowed`)."""
    if not given:
        return ""
    from clew.books.cards.guessing import NAMES, known
    from clew.kernel.errors import Refused
    from clew.kernel.faults import Fault

    found = known(given)
    if found is None:
        raise Refused(Fault("not_allowed", "encoding", found=given, allowed=NAMES))
    return found


def known_specs(kind: str) -> tuple[str, ...]:
    """The formats that a card or a lorebook can have come from."""
    from clew.books.lore import BOOK_SPECS
    from clew.books.model import OTHER_SPECS, SPECS

    return BOOK_SPECS if kind == "world" else (*SPECS, *OTHER_SPECS)


def _show(host: Host, request: CardShow) -> Any:
    from clew.books import showing

    library = open_shelf(host, request.library)
    return showing.show(library, request.card, lang=host.lang, whole=request.all)


def _versions(host: Host, request: OnCard) -> Any:
    from clew.books import showing

    return showing.list_versions(open_shelf(host, request.library), request.card)


def _diff(host: Host, request: CardDiff) -> Any:
    from clew.books import showing

    return showing.diff(open_shelf(host, request.library), request.card, request.a, request.b)


def _where_used(host: Host, request: OnCard) -> Any:
    from clew.books import showing

    return showing.where_used(open_shelf(host, request.library), request.card)


def _edit(host: Host, request: CardEdit) -> Any:
    from clew.books import editing

    def path(given: str | None) -> str:
        return posixpath.join(host.cwd, given) if given else ""

    changes = editing.Changes(
        set=request.set, set_json=request.set_json, remove=request.remove,
        source=path(request.source), picture=path(request.picture), back_to=request.back_to,
        note=request.note, expect=request.expect, encoding=encoding_of(request.encoding),
    )  # fmt: skip
    return editing.apply(open_shelf(host, request.library), request.card, changes)


def _rename(host: Host, request: CardRename) -> Any:
    from clew.books import assets, listing

    library = open_shelf(host, request.library)
    asset = listing.named(library, request.card).asset
    after = assets.rename(library, asset.id, request.title)
    return _kept(after, changed=after.revision != asset.revision)


def _mark(host: Host, request: CardMark) -> Any:
    from clew.books import assets, listing

    library = open_shelf(host, request.library)
    asset = listing.named(library, request.card).asset
    favourite = None if request.favourite is None else request.favourite == "yes"
    after = assets.mark(
        library, asset.id, favourite=favourite, add=request.tag, remove=request.untag
    )
    return _kept(after, changed=after.revision != asset.revision)


def _state(event: Any) -> Any:
    def run(host: Host, request: OnCards) -> Any:
        from clew.books import assets, listing

        library = open_shelf(host, request.library)
        found, wrong = listing.named_all(library, request.cards)
        idents = [asset.id for asset in found]
        after = assets.set_states(library, idents, event, besides=wrong)
        return Moved(cards=[_kept(one) for one in after])

    return run


def _purge(host: Host, request: CardPurge) -> Any:
    from clew.books import discarding, listing

    library = open_shelf(host, request.library)
    found, wrong = listing.named_all(library, request.cards)
    idents = [asset.id for asset in found]
    return discarding.purge(library, *idents, really=request.yes, besides=wrong)


def _export(host: Host, request: CardExport) -> Any:
    from clew.books import exporting

    return exporting.export(
        open_shelf(host, request.library), request.card, request.to, request.spec,
        out=posixpath.normpath(posixpath.join(host.cwd, request.out)), dry_run=request.dry_run,
        force=request.force, strict=request.strict, lang=host.lang,
    )  # fmt: skip


def _kept(asset: Any, *, changed: bool = True) -> Kept:
    return Kept(
        id=asset.id, kind=asset.kind, title=asset.title, state=asset.state, version=asset.current,
        favourite=asset.favourite, labels=asset.labels, changed=changed,
    )  # fmt: skip


_B: Final = "clew.books"
_KEPT: Final = f"{_B}.card_operations:Kept"
_MOVED: Final = f"{_B}.card_operations:Moved"
OPERATIONS: Final = (
    Operation(
        "card.import", CardImport, f"{_B}.reporting:Imported", _import, "write",
        "导入卡片与世界书：文件或整个文件夹", "import cards and lorebooks: files or whole folders",
        "clew card import 下载/角色卡 --report 报告.html",
        lambda answer: 1 if answer.refused else 0,
    ),
    Operation(
        "card.new", CardNew, _KEPT, _new, "write",
        "新建一张空的 V3 卡和它的设计书", "begin an empty V3 card, and the book it is designed in",
        "clew card new 沈砚",
    ),
    Operation(
        "card.list", CardList, f"{_B}.listing:Listing", _list, "read",
        "列出卡片：按标签、作者、收藏、用处筛选", "list cards: by tag, creator, favourite, use",
        "clew card list --tag 古风 --favourite",
    ),
    Operation(
        "card.show", CardShow, f"{_B}.showing:Shown", _show, "read",
        "看一张卡（沈砚@2 看第 2 版）", "show a card (NAME@2 shows version 2)", "clew card show 沈砚",
    ),
    Operation(
        "card.versions", OnCard, f"{_B}.showing:Versions", _versions, "read",
        "列出全部版本", "list its versions", "clew card versions 沈砚",
    ),
    Operation(
        "card.diff", CardDiff, f"{_B}.showing:Difference", _diff, "read",
        "两版之间改了什么", "what changed between two versions", "clew card diff 沈砚 1 2",
    ),
    Operation(
        "card.edit", CardEdit, f"{_B}.editing:EditedAnswer", _edit, "write",
        "修改，成为新版本；旧版本从不改动", "edit, which makes a new version; old ones never change",
        "clew card edit 沈砚 --set description=管着旧码头的账 --note 改口气",
    ),
    Operation(
        "card.rename", CardRename, _KEPT, _rename, "write",
        "改标题；链接与文件名都用编号，不受影响", "give it another title; links and files go by ids",
        "clew card rename 沈砚 沈砚（旧码头）",
    ),
    Operation(
        "card.mark", CardMark, _KEPT, _mark, "write",
        "收藏、加减标签", "mark as favourite, add and remove labels",
        "clew card mark 沈砚 --favourite yes --tag 主角",
    ),
    Operation(
        "card.archive", OnCards, _MOVED, _state("archive"), "write",
        "归档：列表里不再出现，照常可用", "archive: out of the lists, of use as before",
        "clew card archive 沈砚",
    ),
    Operation(
        "card.trash", OnCards, _MOVED, _state("trash"), "write",
        "放进回收站，可一次几张", "put into the trash, several at a time if wanted", "clew card trash 沈砚",
    ),
    Operation(
        "card.restore", OnCards, _MOVED, _state("restore"), "write",
        "从回收站或归档取回", "take back from the trash or the archive", "clew card restore 沈砚",
    ),
    Operation(
        "card.purge", CardPurge, f"{_B}.discarding:Purged", _purge, "write",
        "永久删除回收站里的卡；先说会删什么", "delete for good what is in the trash; tells first what that is",
        "clew card purge 沈砚",
        lambda answer: 0 if answer.status == "ok" else 1,
    ),
    Operation(
        "card.where-used", OnCard, f"{_B}.showing:Uses", _where_used, "read",
        "哪些书在用它，用的是哪一版", "which books use it, and which version", "clew card where-used 沈砚",
    ),
    Operation(
        "card.export", CardExport, f"{_B}.exporting:Exported", _export, "write",
        "导出为 PNG、JSON 或 CHARX；先列出会丢什么", "export as PNG, JSON or CHARX; tells what would be lost",
        "clew card export 沈砚 --to png --spec v2",
    ),
)  # fmt: skip
