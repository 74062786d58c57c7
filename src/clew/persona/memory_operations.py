"""What `clew persona index` and `search` do, beside `channel_operations`, which registers them."""

from __future__ import annotations

from typing import Any, Final

from clew.kernel.errors import Refused, refuse
from clew.kernel.faults import Fault
from clew.kernel.operations import Host
from clew.persona.channel_answers import MemoryStanding
from clew.persona.channel_requests import KINDS, OnIndex, OnSearch
from clew.persona.opening_home import home_of

MOST: Final = 10_000


def asked(limit: int) -> int:
    """How many are asked for. Raises `Refused` (`out_of_range`) where that is none, or no end."""
    if not 1 <= limit <= MOST:
        raise Refused(Fault("out_of_range", "$.limit", found=limit, allowed=f"1..{MOST}"))
    return limit


def index(host: Host, request: OnIndex) -> Any:
    from clew.persona.memory.words import Memory

    home = home_of(host, request)
    with Memory(home) as memory:
        if request.action == "rebuild":
            memory.index.discard()
        made = 0
        if request.action != "status":
            memory.refresh(progress=lambda done, of: host.progress(done, of, ""))
            made = 0 if request.words else _vectors(host, home, memory)
        waiting = memory.index.refresh(text=False).waiting if request.action == "status" else 0
        counts = memory.counts()
    return _standing(host, home, counts, waiting, made)


def _vectors(host: Host, home: Any, memory: Any) -> int:
    from clew.persona.memory import embedders, vectors

    embedder, _ = embedders.choose(home.settings, trusted=_trusted(host, home))
    if embedder is None:
        return 0
    with vectors.Vectors(home) as kept:
        made, _ = kept.build(
            memory, embedder, progress=lambda done, of: host.progress(done, of, "")
        )
        return made


def _trusted(host: Host, home: Any) -> bool:
    from clew.persona.model import SETTINGS

    return home.settings.embedding is not None and host.trusted(home.root, (SETTINGS,))


def _standing(host: Host, home: Any, counts: dict[str, int], waiting: int, made: int) -> Any:
    from clew.persona.memory import vectors

    count, why = vectors.standing(home, trusted=_trusted(host, home))
    return MemoryStanding(
        rows=sum(counts.values()), kinds=counts, waiting=waiting, vectors=count, made=made,
        meaning="words_alone" if count is None else "vectors",
        why=why[0 if host.lang == "zh" else 1],
    )  # fmt: skip


def search(host: Host, request: OnSearch) -> Any:
    from clew.kernel.errors import StorageFailed
    from clew.persona.found import Found
    from clew.persona.memory import embedders, vectors
    from clew.persona.memory.words import Memory

    refuse(
        Fault("not_allowed", "$.kind", found=kind, allowed=list(KINDS))
        for kind in request.kind
        if kind not in KINDS
    )
    most, home = asked(request.limit), home_of(host, request)
    with Memory(home) as memory:
        waiting = memory.refresh(progress=lambda done, of: host.progress(done, of, ""))
        hits, after = memory.search(
            request.text, kinds=request.kind, window=request.window,
            limit=most, after=request.after,
        )  # fmt: skip
        near = []
        embedder, _ = embedders.choose(home.settings, trusted=_trusted(host, home))
        if embedder is not None and not request.words and not request.after:
            try:
                with vectors.Vectors(home) as kept:
                    near = kept.nearest(memory, embedder, request.text, most)
            except StorageFailed as error:  # what was found by words is there all the same
                host.notes += error.faults
    return Found(hits=hits, near=near, next=after, waiting=waiting, zone=home.settings.zone)
