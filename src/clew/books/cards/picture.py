"""Pictures that must be decoded: a thumbnail, and a JPEG or WEBP that becomes a PNG.

The only module that uses Pillow (the extra `cards`); reading and writing cards never needs it, save
where a card in a JPEG or WEBP is exported as PNG. Decompression bombs are refused by Pillow's own
limit on pixels, made an error here.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Final

from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Fault

if TYPE_CHECKING:
    from PIL.Image import Image

PIXELS: Final = 64_000_000
"""A larger picture is not decoded."""


def _opened(data: bytes) -> Image:
    try:
        from PIL import Image
    except ImportError as error:
        raise Missing(
            Fault("card_library_missing", file="", found="Pillow", allowed="pip install pillow")
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            image = Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP", "GIF", "BMP"))
            if image.width * image.height > PIXELS:
                raise Refused(Fault("picture_unreadable", reason=f"{image.width} × {image.height}"))
            image.load()
    except Refused:
        raise
    except Exception as error:  # noqa: BLE001 - Pillow's decoders raise anything on hostile bytes
        raise Refused(Fault("picture_unreadable", reason=type(error).__name__)) from None
    return image


def to_png(data: bytes) -> bytes:
    """A picture as PNG, without its metadata. Raises `Missing` (`card_library_missing`), `Refused`
    (`picture_unreadable`)."""
    return _saved(_opened(data), "PNG")


def thumbnail(data: bytes, width: int = 240, height: int = 360) -> bytes:
    """A small WEBP of a picture, at most `width` by `height`. Raises as `to_png` does."""
    image = _opened(data)
    image.thumbnail((width, height))
    return _saved(image, "WEBP")


def _saved(image: Image, kind: str) -> bytes:
    if image.mode not in ("RGB", "RGBA", "L", "LA"):
        image = image.convert(
            "RGBA" if "A" in image.mode or "transparency" in image.info else "RGB"
        )
    out = io.BytesIO()
    image.info.clear()
    image.save(out, kind)
    return out.getvalue()
