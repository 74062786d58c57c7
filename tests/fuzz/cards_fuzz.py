"""Coverage-guided fuzzing of every card reader, where atheris is installed. No part of the test suite.

    pip install atheris
    python tests/fuzz/cards_fuzz.py [FOLDER] [options of libFuzzer, such as -max_total_time=600]

An input is a file, or a document that is put into one of the containers first: a base64 text or the
checksum of an archive is a wall that few random changes get over. What must hold of every input is in
`holds`, which needs no atheris: `test_fuzz_findings` runs it on every odd file, and on each finding.
The first FOLDER collects inputs that reach new code; without one they are kept in memory. Input that
breaks a promise is written to `crash-…` in the present folder: mend it, and give it a named test.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "src"), str(HERE.parent / "books" / "cards")]

LONGEST: Final = 1 << 16
TARGETS: Final = (("v1", "json"), ("v2", "png"), ("v3", "json"), ("v3", "png"), ("v3", "charx"))
SECONDS: Final = 60
MEMORY: Final = 1_024


def containers() -> list[Callable[[bytes], bytes]]:
    """Ways to put a document into a file. The first one is the document itself."""
    import binascii

    import cardfiles as make

    def coded(data: bytes) -> bytes:
        return binascii.b2a_base64(data, newline=False)

    return [
        lambda data: data,
        lambda data: make.png(make.text_chunk("chara", coded(data))),
        lambda data: make.png(make.text_chunk("ccv3", coded(data))),
        lambda data: make.png(make.ztext_chunk("chara", coded(data))),
        lambda data: make.png(make.itext_chunk("ccv3", coded(data), packed=True)),
        lambda data: make.pack([("card.json", data), ("assets/a.png", b"x")]),
        lambda data: make.jpeg(data),
        lambda data: make.webp(data),
        lambda data: make.jpeg(tail=make.pack([("card.json", data)])),
    ]


def file_of(data: bytes) -> bytes:
    """The file that an input stands for: its first byte says how the others are packed."""
    ways = containers()
    return ways[data[0] % len(ways)](data[1:]) if data else b""


def holds(data: bytes, *, one_target: bool = False) -> None:
    """Raises `AssertionError`, or whatever a reader or writer should not have raised."""
    from clew.books import cards
    from clew.kernel.errors import Missing, Refused

    read = cards.read(data, name="x.png")
    assert read.ok or read.report.refused, "neither read nor refused"
    assert read.card is None or read.lorebook is None
    for _, fault in read.report:
        for lang in ("zh", "en"):
            said = fault.to_dict(lang)
            assert said["message"]
            "".join(map(str, said.values())).encode("utf-8")
    if read.lorebook is not None:
        for spec in ("worldinfo", "lorebook_v3", "character_book"):
            cards.lorebook_losses(read.lorebook, spec)
            assert cards.read(cards.write_lorebook(read.lorebook, spec)).ok
    if read.card is None:
        return
    cards.validate(read.card)
    wanted = read.card.content_hash
    # One target for each input, or most of the time goes into writing.
    for spec, container in TARGETS[sum(data) % len(TARGETS) :][:1] if one_target else TARGETS:
        try:
            told = cards.losses(read.card, spec, container, source=data)
            again = cards.read(cards.write(read.card, spec, container, source=data))
        except (Missing, Refused) as refused:
            # A picture that cannot be taken along (or not without Pillow) is told; the card goes without.
            assert refused.faults
            told = cards.losses(read.card, spec, container)
            again = cards.read(cards.write(read.card, spec, container))
        assert again.card is not None, (
            spec,
            container,
            [f.message() for f in again.report.refused],
        )
        if spec == "v3" and not told:
            assert again.card.content_hash == wanted, (spec, container)


def seeds(folder: Path) -> None:
    """Every odd file, as an input."""
    import odd

    for one in odd.FILES:
        if len(one.data) <= LONGEST:
            (folder / one.ident).write_bytes(b"\0" + one.data)
            if one.data.lstrip()[:1] == b"{":
                for way in range(1, len(containers())):
                    (folder / f"{one.ident}-{way}").write_bytes(bytes([way]) + one.data)


def main() -> None:
    try:
        import atheris
    except ImportError:
        sys.exit("atheris is not installed: pip install atheris")
    # Drawing a picture for a card that has none is plain arithmetic, and slow when it is counted.
    left_out = ["clew.books.cards.placeholder"]
    with atheris.instrument_imports(include=["clew.books"], exclude=left_out):
        import clew.books.cards
        import clew.books.cards.export
        import clew.books.cards.reading  # noqa: F401 - what is instrumented
    with tempfile.TemporaryDirectory() as folder:
        seeds(Path(folder))
        options = [f"-max_len={LONGEST}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEMORY}"]
        atheris.Setup(
            [sys.argv[0], *options, *sys.argv[1:], folder],
            lambda data: holds(file_of(data), one_target=True),
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
