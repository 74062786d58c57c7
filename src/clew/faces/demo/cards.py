"""The example cards, imported into a library, changed and looked at with the real commands."""

from __future__ import annotations

from pathlib import Path

from clew.faces.demo.telling import Teller, clew, examples


def tell_cards(teller: Teller) -> Path:
    """Import the example cards into a library, change one, and show what can be seen."""
    library = teller.out / "library"
    teller.part("角色卡", "cards")
    here = ("--library", str(library))
    clew(teller, "library", "init", str(library))
    done = clew(teller, "card", "import", str(examples() / "cards"), *here)
    teller.say(
        f"  导入 {done['taken']} 个文件，{done['repaired']} 个有修复：",
        f"  {done['taken']} files imported, {done['repaired']} of them with repairs:",
    )
    for item in done["items"]:
        teller.line(f"    {item['file']:<28} {item['kind']:<6} {item['title']}")
        for line in item["lines"]:
            if line["what"] == "repaired":
                teller.line(f"      · {line['message']}")
    clew(teller, "card", "mark", "沈砚", "--favourite", "yes", "--tag", "主角", *here)
    clew(teller, "card", "edit", "沈砚", "--set", "personality=少言，记仇，但肯听完。", *here)
    _look(teller, here)
    clew(teller, "library", "check", "--deep", *here)
    teller.say("  书库核对无误。", "  The library agrees with itself.")
    return library


def _look(teller: Teller, here: tuple[str, str]) -> None:
    teller.say("  带「渡口」标签的：", "  tagged 渡口:")
    for row in clew(teller, "card", "list", "--tag", "渡口", *here)["rows"]:
        star = "★" if row["favourite"] else " "
        teller.line(f"    {star} {row['title']}  v{row['version']}  {' · '.join(row['tags'])}")
    hits = clew(teller, "library", "search", "船", *here)["hits"]
    teller.say(f"  搜一个字「船」：{len(hits)} 处", f"  one character, 船: {len(hits)} hits")
    for hit in hits:
        teller.line(f"    {hit['asset']['title']}: {hit['excerpt'][:48]}")
    changes = clew(teller, "card", "diff", "沈砚", *here)["changes"]
    teller.say(
        f"  沈砚的第 2 版改了 {len(changes)} 处；第 1 版还在，导出与游玩都可以钉住它。",
        f"  version 2 of 沈砚 has {len(changes)} change; version 1 is still there.",
    )
