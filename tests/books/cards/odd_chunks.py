"""Where a card lies in a PNG, what it is called there, and how it is encoded (shapes 1 to 8)."""

from __future__ import annotations

import base64
import json

from cardfiles import (
    b64,
    card_png,
    chunk,
    itext_chunk,
    png,
    text,
    text_chunk,
    v1,
    v2,
    v3,
    ztext_chunk,
)  # fmt: skip
from oddfile import CARD, Table

FILES = Table()
add, refuse = FILES.add, FILES.refuse

# ---- 1 to 3: where the chunk stands and what it is called
add("after_pixels", "1", png(after=[CARD]))
add("before_pixels", "1", png(CARD))
add(
    "after_other_text",
    "1",
    png(text_chunk("Software", b"Photo"), text_chunk("Comment", b"x"), after=[CARD]),
    "chunks_kept",
)
add("between_pixels", "1", png(after=[CARD, chunk(b"IDAT", b"")]))
add("capital_chara", "2", card_png(v1(), "Chara"), "chunk_unusual")
add("upper_chara", "2", card_png(v2(), "CHARA"), "chunk_unusual")
add("capital_ccv3", "2", card_png(v3(), "CCv3"), "chunk_unusual")
add("itxt_plain", "3", png(itext_chunk("chara", b64(v2()))), "chunk_unusual")
add("itxt_packed", "3", png(itext_chunk("chara", b64(v2()), packed=True)), "chunk_unusual")
add("itxt_raw_json", "3", png(itext_chunk("chara", text(v2()))), "base64_mended")
add("ztxt", "3", png(ztext_chunk("chara", b64(v2()))), "chunk_unusual")
add("ztxt_ccv3_after", "3", png(after=[ztext_chunk("ccv3", b64(v3()))]))

# ---- 4: several chunks that disagree
NEW = v2(tags=["新"], creator_notes="新的")
OLD = v2("旧名", tags=["旧"], creator_notes="")
add(
    "two_chara_first_is_newest",
    "4",
    png(text_chunk("chara", b64(NEW)), text_chunk("chara", b64(OLD))),
    "cards_disagree",
    check=lambda r: r.card.tags == ("新",),
)
add(
    "two_chara_dates_decide",
    "4",
    png(
        text_chunk("chara", b64(v2("旧名", modification_date=1_700_000_000))),
        text_chunk("chara", b64(v2(modification_date=1_800_000_000))),
    ),
    "cards_disagree",
)
add(
    "two_chara_same",
    "4",
    png(CARD, CARD),
    check=lambda r: not any(f.code == "cards_disagree" for f in r.report.kept),
)
add("two_chara_one_broken", "4", png(text_chunk("chara", b"%%%%"), CARD), "candidate_unreadable")
add(
    "ccv3_and_other_chara",
    "4",
    png(text_chunk("chara", b64(OLD)), text_chunk("ccv3", b64(v3()))),
    "cards_disagree",
)
add(
    "two_ccv3",
    "4",
    png(text_chunk("ccv3", b64(v3())), text_chunk("ccv3", b64(v3("旧名")))),
    "cards_disagree",
)
add(
    "ccv3_and_its_copy",
    "4",
    png(text_chunk("chara", b64(v2())), text_chunk("ccv3", b64(v3()))),
    check=lambda r: not any(f.code == "cards_disagree" for f in r.report.kept),
)
add("twenty_chara", "4", png(*[CARD] * 20))

# ---- 5 to 7: versions in the wrong chunk
add("v3_in_chara", "5", card_png(v3()), check=lambda r: r.spec == "v3")
add("v2_in_ccv3", "6", card_png(v2(), "ccv3"), check=lambda r: r.spec == "v2")
add("v1_in_ccv3", "6", card_png(v1(), "ccv3"), check=lambda r: r.spec == "v1")
add("corrupt_ccv3_good_chara", "7", png(text_chunk("ccv3", b"AAAA"), CARD), "candidate_unreadable")
add("empty_ccv3_good_chara", "7", png(text_chunk("ccv3", b""), CARD), "candidate_unreadable")
add(
    "cut_ccv3_good_chara",
    "7",
    png(text_chunk("ccv3", b64(v3())[:200]), CARD),
    "candidate_unreadable",
)
add(
    "damaged_zlib_ccv3", "7", png(chunk(b"zTXt", b"ccv3\0\0not zlib"), CARD), "candidate_unreadable"
)

# ---- 8: what base64 becomes
UNPADDED = next(b64(text(v2()) + b" " * n) for n in range(3) if (len(text(v2())) + n) % 3)
RAW = text(v2(description="??>>~~ÿÿ" * 30))
add("raw_json", "8", png(text_chunk("chara", text(v2()))), "base64_mended")
add("url_safe", "8", png(text_chunk("chara", base64.urlsafe_b64encode(RAW))), "base64_mended")
add("no_padding", "8", png(text_chunk("chara", UNPADDED.rstrip(b"="))), "base64_mended")
add(
    "url_safe_no_padding",
    "8",
    png(text_chunk("chara", base64.urlsafe_b64encode(RAW + b" ").rstrip(b"="))),
    "base64_mended",
)
add("wrapped", "8", png(text_chunk("chara", base64.encodebytes(RAW))), "base64_mended")
add(
    "wrapped_crlf",
    "8",
    png(text_chunk("chara", base64.encodebytes(RAW).replace(b"\n", b"\r\n"))),
    "base64_mended",
)
add("leading_space", "8", png(text_chunk("chara", b"  \n" + b64(v2()) + b"\n")))
add("trailing_nul", "8", png(text_chunk("chara", b64(v2()) + b"\0\0")))
add(
    "data_url",
    "8",
    png(text_chunk("chara", b"data:application/json;base64," + b64(v2()))),
    "base64_mended",
)
add("twice_base64", "8", png(text_chunk("chara", b64(b64(v2())))))
add(
    "json_in_a_string",
    "8",
    png(text_chunk("chara", b64(json.dumps(json.dumps(v2())).encode()))),
    "json_mended",
)
add("quoted_base64_file", "8", b64(v2()), file="card.txt")
