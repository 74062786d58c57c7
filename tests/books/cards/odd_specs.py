"""Versions, specifications and the cards of other programs (shape 14)."""

from __future__ import annotations

import json

from cardfiles import (
    AGNAI,
    card_png,
    spelt,
    text,
    v1,
    v2,
    v2_data,
    v3,
    webp,
)  # fmt: skip
from oddfile import NAME, Table, changed

FILES = Table()
add, refuse = FILES.add, FILES.refuse

# ---- 14: versions and shapes
add("spec_version_number", "14", text({**v2(), "spec_version": 2}), "spec_version_odd")
add("spec_version_float", "14", text({**v3(), "spec_version": 3.0}), "spec_version_odd")
add("spec_version_name", "14", text({**v3(), "spec_version": "chara_card_v3"}), "spec_version_odd")
add("spec_version_missing", "14", text({k: v for k, v in v3().items() if k != "spec_version"}))
add("newer_version", "14", text({**v3(), "spec_version": "3.7"}), "newer_spec")
add(
    "newer_spec", "14", text({**v3(), "spec": "chara_card_v4", "spec_version": "4.0"}), "newer_spec"
)
add(
    "spec_missing_v2",
    "14",
    text({"data": v2_data()}),
    "spec_assumed",
    check=lambda r: r.spec == "v2",
)
add(
    "spec_missing_v3",
    "14",
    text({"data": v3()["data"]}),
    "spec_assumed",
    check=lambda r: r.spec == "v3",
)
add("spec_null", "14", text({**v2(), "spec": None}), "spec_assumed")
add(
    "copies_that_differ",
    "14",
    text(v2(root=v1("旧名", personality="旧"))),
    "root_copies_differ",
    check=lambda r: r.card.personality == "少言，记仇",
)
add("copies_that_agree", "14", text(v2(root=v1())), check=lambda r: not r.report.kept)
add("name_only_at_root", "14", text(changed(v2(root=v1()), "name", "")), "field_from_root")
add(
    "field_only_at_root",
    "14",
    text(
        {
            "spec": "chara_card_v2",
            "data": {k: v for k, v in v2_data().items() if k != "first_mes"},
            **v1(),
        }
    ),
    "field_from_root",
    check=lambda r: "船少了" in r.card.first_mes,
)
add(
    "v2_without_data",
    "14",
    text({"spec": "chara_card_v2", "spec_version": "2.0", **v2_data()}),
    "data_missing",
    check=lambda r: r.card.tags == ("码头", "OC"),
)
add(
    "data_is_text",
    "14",
    text({"spec": "chara_card_v2", "data": json.dumps(v2_data())}),
    "data_was_text",
)
add("data_is_null", "14", text({"spec": "chara_card_v2", "data": None, **v1()}), "data_missing")
TAVERN_AI = v1(
    spec="tavern_ai",
    spec_version="1.0",
    public_id="x",
    public_id_short="x",
    create_date_local=1680000000000,
    nsfw=False,
    online=True,
    categories=["a"],
    chat=1680000000000,
    user_name="u",
    short_description="s",
)
add(
    "tavern_ai",
    "14",
    text(TAVERN_AI),
    check=lambda r: r.spec == "tavernai" and r.card.root["online"] is True,
)
add(
    "tavern_ai_webp",
    "14",
    webp(spelt(text(TAVERN_AI))),
    file="x.webp",
    check=lambda r: r.spec == "tavernai",
)
add(
    "old_sillytavern_v1",
    "14",
    text(v1(avatar="none", chat="沈砚 - 2023", create_date="2023-5-1", talkativeness="0.5")),
)
add(
    "pygmalion",
    "14",
    text(
        {
            "char_name": NAME,
            "char_persona": "p",
            "char_greeting": "g",
            "world_scenario": "w",
            "example_dialogue": "e",
        }
    ),
    check=lambda r: (r.spec, r.card.first_mes, r.card.description) == ("pygmalion", "g", "p"),
)
add("pygmalion_png", "14", card_png({"char_name": NAME, "char_greeting": "g"}))
add(
    "textgen_json",
    "14",
    text({"name": NAME, "context": "c", "greeting": "g"}),
    check=lambda r: r.spec == "textgen",
)
YAML = f"name: {NAME}\ngreeting: |-\n  你好\n  呀\ncontext: >\n  账房\nyour_name: 我\nturn_template: x\n"
add(
    "textgen_yaml",
    "14",
    YAML.encode(),
    "unknown_keys",
    file="x.yaml",
    check=lambda r: r.card.first_mes == "你好\n呀",
)
add("textgen_bot", "14", f'"<|bot|>": "{NAME}"\ncontext: c\ngreeting: g\n'.encode(), file="x.yml")
add("yaml_called_json", "14", YAML.encode(), "name_misleads", file="x.json")
refuse("yaml_alias", "14", b"name: &a x\ncontext: *a\ngreeting: g\n", "bad_yaml", file="x.yaml")
refuse("yaml_broken", "14", b"name: x\ncontext: [a\ngreeting: 'b", "bad_yaml", file="x.yaml")
add(
    "agnai",
    "14",
    text(AGNAI),
    "unknown_keys",
    check=lambda r: (
        r.card.extensions["agnai"]["persona"] == AGNAI["persona"]
        and r.card.book.entries[0].order == 7
        and 'mind("calm" + "sly")' in r.card.description
    ),
)

add(
    "v2_fields_without_nesting", "14", text(v2_data()), "spec_assumed", "data_missing",
    check=lambda r: r.spec == "v2" and r.card.alternate_greetings == ("你来晚了。",),
)  # fmt: skip
