"""The cards of `make demo`, and the part of the demo that imports and looks at them.

    python scripts/demo_cards.py --make      writes examples/cards/ anew
    python scripts/demo_cards.py             imports them into demo/ and shows list and search

The cards are our own, made here, each in another format; one has slips that a program in the wild
would make, so that the report has something to tell.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from demo import ROOT, ZH, clew, free_folder, say

from clew.books import cards
from clew.books.model import Card

CARDS = ROOT / "examples" / "cards"


def _card(name: str, **fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(
        ("description", "personality", "scenario", "first_mes", "mes_example", "creator_notes",
         "system_prompt", "post_history_instructions", "character_version"), "",
    )  # fmt: skip
    lists: dict[str, Any] = {"alternate_greetings": [], "tags": [], "group_only_greetings": []}
    return {"name": name, **empty, **lists, "creator": "clew", "extensions": {}} | fields


SHEN = _card(
    "沈砚",
    description="旧码头的账房。{{char}} 记得每一条船的吃水，也记得谁在哪一天说了谎。左手小指少一截，从不解释。",
    personality="少言，记仇，守信到不近人情。",
    scenario="洪水前夜，渡口只剩最后一条船。",
    first_mes="*她没有抬头，笔尖停在第七行。* 船少了一条。你是来还账的，还是来问的？",
    mes_example="<START>\n{{user}}: 是谁凿的船？\n{{char}}: 凿船的人不会来问我。",
    alternate_greetings=["*灯油快尽了。* 坐。账要对完才能走。"],
    tags=["古风", "悬疑", "渡口"],
    character_version="1.0",
    character_book={
        "name": "洪字号", "extensions": {}, "entries": [
            {"id": 1, "keys": ["第七桩", "七桩"], "content": "旧码头原有七根桩，第七根在洪水那年不见了。",
             "extensions": {}, "enabled": True, "insertion_order": 10, "use_regex": False},
            {"id": 2, "keys": ["账本"], "content": "账本缺了中间四页，撕口是新的。", "extensions": {},
             "enabled": True, "insertion_order": 20, "use_regex": False},
        ],
    },
)  # fmt: skip
ZHOU = _card(
    "周薄森",
    description="摆渡人的儿子，会修船，也会拆船。{{char}} 说话总是绕到最后一句才落地。",
    personality="和气，会算计，怕黑。",
    first_mes="*他把灯往高处举了举。* 姐，账上那条船，能不能当没有过？",
    tags=["古风", "渡口"],
    nickname="薄森",
)
MARA = {
    "name": "Mara Quill",
    "description": "Ferry clerk on pier three. She counts boats in her sleep and wakes when one is missing.",
    "personality": "dry, exact, kind to dogs",
    "scenario": "The night before the flood.",
    "first_mes": "One boat too few. Sit down, and start with what you did not see.",
    "mes_example": "<START>\n{{user}}: Who took it?\n{{char}}: Somebody who can row.",
}
EDDA = {
    "spec": "chara_card_v2",
    "data": {
        "name": "Edda", "description": "The boatman's widow. She sells rope, and knows what it was for.",
        "first_mes": "How long do you need it?", "tags": "harbour, slow burn", "personality": None,
        "character_book": None, "extensions": {"depth_prompt": {"prompt": "", "depth": "", "role": "system"}},
    },
}  # fmt: skip
WORLD = {
    "entries": {
        "0": {"uid": 0, "key": ["渡口", "ferry"], "keysecondary": [], "comment": "渡口",
              "content": "渡口在两县之间，谁也不肯管，所以谁都能管。", "constant": False, "selective": True,
              "order": 100, "position": 0, "disable": False},
        "1": {"uid": 1, "key": ["洪水", "flood"], "keysecondary": [], "comment": "洪水",
              "content": "洪水每三十年来一次，账本上写着二十九年。", "constant": True, "selective": False,
              "order": 90, "position": 0, "disable": False},
    },
}  # fmt: skip


def files() -> dict[str, bytes]:
    """The example files by their names: the same bytes each time."""

    def text(value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"

    return {
        "沈砚.png": cards.write(Card(SHEN), "v2", "png"),
        "周薄森.charx": cards.write(Card(ZHOU), "v3", "charx"),
        "mara.json": text(MARA),
        "edda (from elsewhere).json": text(EDDA),
        "渡口.json": text(WORLD),
    }


def make() -> None:
    """Write examples/cards/."""
    CARDS.mkdir(parents=True, exist_ok=True)
    for name, data in files().items():
        (CARDS / name).write_bytes(data)


def tell_cards(out: Path) -> Path:
    """Import the example cards into a library in `out`, change one, and show what can be seen."""
    library = out / "library"
    print("\n── " + ("角色卡" if ZH else "cards") + " " + "─" * 40, flush=True)
    here = ("--library", str(library))
    clew("library", "init", str(library))
    done = clew("card", "import", str(CARDS), *here)
    say(f"  导入 {done['taken']} 个文件，{done['repaired']} 个有修复：",
        f"  {done['taken']} files imported, {done['repaired']} of them with repairs:")  # fmt: skip
    for item in done["items"]:
        print(f"    {item['file']:<28} {item['kind']:<6} {item['title']}")
        for line in item["lines"]:
            if line["what"] == "repaired":
                print(f"      · {line['message']}")
    clew("card", "mark", "沈砚", "--favourite", "yes", "--tag", "主角", *here)
    clew("card", "edit", "沈砚", "--set", "personality=少言，记仇，但肯听完。", *here)
    listed = clew("card", "list", "--tag", "渡口", *here)
    say("  带「渡口」标签的：", "  tagged 渡口:")
    for row in listed["rows"]:
        star = "★" if row["favourite"] else " "
        print(f"    {star} {row['title']}  v{row['version']}  {' · '.join(row['tags'])}")
    found = clew("library", "search", "船", *here)
    say(
        f"  搜一个字「船」：{len(found['hits'])} 处",
        f"  one character, 船: {len(found['hits'])} hits",
    )
    for hit in found["hits"]:
        print(f"    {hit['asset']['title']}: {hit['excerpt'][:48]}")
    changes = clew("card", "diff", "沈砚", *here)["changes"]
    say(f"  沈砚的第 2 版改了 {len(changes)} 处；第 1 版还在，导出与游玩都可以钉住它。",
        f"  version 2 of 沈砚 has {len(changes)} change; version 1 is still there.")  # fmt: skip
    clew("library", "check", "--deep", *here)
    say("  书库核对无误。", "  The library agrees with itself.")
    return library


def main(argv: list[str]) -> int:
    if argv == ["--make"]:
        make()
        return 0
    out = free_folder()
    out.mkdir()
    library = tell_cards(out)
    say(f"看看：clew card show 沈砚 --library {library.relative_to(ROOT)}",
        f"Look: clew card show 沈砚 --library {library.relative_to(ROOT)}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
