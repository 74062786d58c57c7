"""Writes docs/prose-rules.md from the prose rules and the labelled corpora.

    python scripts/prose_rules.py            writes the page
    python scripts/prose_rules.py --check    exit 1 when the page is stale

Everything on the page comes from the rules themselves and from tests/novel/prose/corpus: what a rule
looks for, how well it does on the passages about it, and its two examples.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any, Final

from pages import DOCS, ROOT, cell, settle, wants_check

from clew.novel.prose.explain import LANGUAGES, RuleText, catalogue, explain
from clew.novel.prose.model import Rule
from clew.novel.prose.text import Language

PAGE: Final = DOCS / "prose-rules.md"
_CORPUS: Final = ROOT / "tests" / "novel" / "prose" / "corpus.py"
_SHOWN: Final = 500
_NAMES: Final = {"zh": ("Chinese", "中文"), "en": ("English", "英文")}
_SEVERITY: Final = {
    "blocking": "blocks · 阻止提交",
    "advisory": "advises · 建议",
}
_REVIEW: Final = {"mechanical": "sure · 可照改", "semantic": "to be read · 要读过"}
_MEANT: Final = "sure, or meant · 确凿，或有意"
_HEAD: Final = """\
# Prose rules · 正文规则

What `clew chapter check` looks for in a chapter, and how well it does. This page is written by
`scripts/prose_rules.py` from the rules and from the labelled passages in `tests/novel/prose/corpus/`;
change those, not the page.

`clew chapter check` 在一章里查什么，查得有多准。本页由规则和带标注的语料生成，不要手改。

## What blocks · 什么会阻止提交

- **In both languages, what no reader of a book may see**: the words and control marks of a writing
  assistant, placeholders and fields that were never filled in, labels of the outline, a torn end,
  verbatim repeats, lost characters.
- **In Chinese, six turns of manner**, each kept to the shape that is a manner wherever it stands:
  a feeling denied so that another may be asserted ([`not-is-comparison`](#not-is-comparison),
  [`reverse-not-is`](#reverse-not-is)), the low voice with its stock effect
  ([`voice-contrast`](#voice-contrast)), rows of denied feelings
  ([`negation-parade`](#negation-parade)), endings that announce or seal
  ([`trailer-ending`](#trailer-ending), [`trailer-summary`](#trailer-summary)). Corrections of
  fact (致死的不是刀伤，而是氰化物) are left alone; the same shapes said of things, and looser ones, only
  advise.
- **In a book with `strict = true`**, every —— and …….
- A blocking finding that may be meant says in its own advice how it is kept, and that the author
  decides: the line for `literals`, the threshold, or `<!-- clew:prose-skip -->` (also
  `<!-- 去味:跳过 -->`) in the first six lines of the chapter, which makes its manner advice.

- **两种语言都拦读者不该看见的东西**：写作助手的话和控制符、没填的占位与字段、大纲用语、断尾、逐字重复、乱码。
- **中文还拦六种腔调**，只拦到哪里都算腔调的形式：否定一种情绪来肯定另一种、「声音不大，却……」配套话式的效果、
  连排地否定情绪、预告或封口的结尾。更正实事的句子不在其内；同样的句形说的是实物，或者说得松一些，只作建议。
- **写了 `strict = true` 的书**还拦每一处 —— 和 ……。
- 可能是有意为之的，改法里就写着怎样放行，由作者决定：`literals` 的那一行、阈值，或者章首六行内的
  `<!-- clew:prose-skip -->`（也认 `<!-- 去味:跳过 -->`），整章的腔调都降为建议。

## How to read the tables · 怎样读表

- **blocks**: a chapter with such a finding is not committed. **advises**: shown, and never in the way.
- *sure* may be mended as it stands, *to be read* needs the context, *sure, or meant* is sure in its
  shape and may still be what the author wants.
- **precision**: how many of the passages where the rule spoke are ones where it should.
  **recall**: how many of the passages where it should speak it found. A passage that a rule cannot
  reach stays in, so recall below 1 is honest. `–`: no passage, or nothing found.

- **阻止提交**：有这样的问题就不能提交。**建议**：只提示，不拦人。
- *可照改*：照着改就行；*要读过*：看过上下文再定；*确凿，或有意*：形式确凿，但作者可能就要这样写。
- **precision**：规则开口的段落里有多少开得对；**recall**：该开口的段落里找到了多少。够不着的也留在语料里。

One rule on the command line, by its id or by its name · 在命令行里看一条规则，写编号或名称都行：

```console
$ clew chapter check --explain trailer-ending
$ clew chapter check --explain 预告式结尾
$ clew chapter check --chapter 10 --fix-punctuation
```

What a book may change, in `正文/.clew-prose.toml` or `.story/prose.toml` · 一本书可以这样改：

```toml
strict = true                      # —— and …… block too · 破折号和省略号也阻止提交
off = ["held-breath"]              # rules not to run · 不跑的规则
literals = ["TODO 酒馆"]           # texts that are meant; also one a line in .deslop-whitelist
                                   # above every [section] · 写在各 [段] 之前
curly_quotes = true                # --fix-punctuation also sets straight quotation marks

[thresholds]
repeat_line_chars = 12
"trailer-ending.chars" = 400
"not-is-comparison.hits" = 3       # two in a chapter pass · 一章里两处以内不算

[thresholds.em-dash-density]       # the same in a table of the rule's own
hits = 12
```
"""


def corpus() -> ModuleType:
    """The corpora and their measure, which the tests use too."""
    spec = importlib.util.spec_from_file_location("corpus", _CORPUS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def table(language: Language, found: ModuleType) -> list[str]:
    """How the rules of a language do on its corpus."""
    passages = found.load(language)
    matching = sum(passage.match for passage in passages)
    english, chinese = _NAMES[language]
    lines = [
        f"## {english} · {chinese}",
        "",
        f"{len(passages)} passages, {matching} where a rule should speak and "
        f"{len(passages) - matching} look-alikes. "
        f"语料 {len(passages)} 段：{matching} 段该查到，{len(passages) - matching} 段形似而不该查到。",
        "",
        "| rule | 名称 | severity | review | positives | look-alikes | precision | recall |",
        "|---|---|---|---|---:|---:|---:|---:|",
    ]
    names = {entry.rule.id: entry.rule for entry in catalogue() if language in entry.languages}
    for row in found.measure(language):
        rule = names[row.rule]
        heard = row.hits + row.false_alarms
        lines.append(
            f"| [`{rule.id}`](#{rule.id}) | {cell(rule.name.zh)} | {_severity(rule)} "
            f"| {_review(rule)} | {row.positives} | {row.negatives} "
            f"| {_share(row.precision, heard)} | {_share(row.recall, row.positives)} |"
        )
    lines += (
        [
            "",
            "Beside these, [`outline-copy`](#outline-copy) compares the chapter with its outline. "
            "此外还有与细纲比对的 `outline-copy`。",
            "",
        ]
        if language == "zh"
        else [""]
    )
    return lines


def _severity(rule: Rule) -> str:
    own = _SEVERITY[rule.severity]
    return f"{own} (strict: blocks)" if rule.strict_severity == "blocking" else own


def _review(rule: Rule) -> str:
    blocks = rule.severity == "blocking" and rule.review == "semantic"
    return _MEANT if blocks else _REVIEW[rule.review]


def _share(value: float, of: int) -> str:
    return f"{value:.2f}" if of else "–"


def section(rule_id: str) -> list[str]:
    """One rule with its examples, for each language that has it."""
    lines = [f"### {rule_id}", ""]
    texts = explain(rule_id).texts
    for text in texts:
        if len(texts) > 1:
            names = [_NAMES[language] for language in text.languages]
            lines += [
                f"#### {' and '.join(en for en, _ in names)} · {'、'.join(zh for _, zh in names)}",
                "",
            ]
        lines += _entry(text)
    return lines


def _entry(text: RuleText) -> list[str]:
    spoken = " and ".join(_NAMES[language][0] for language in text.languages)
    lines = [
        f"**{cell(text.name.en)} · {cell(text.name.zh)}** ({spoken}; {_SEVERITY[text.severity]})",
        "",
    ]
    for message in (text.finds, text.why, text.advice):
        if message:
            lines += [f"- {_inline(message.en)}", f"- {_inline(message.zh)}"]
    if text.limits:
        shown = ", ".join(f"`{key}` = {value:g}" for key, value in text.limits.items())
        lines.append(f"- thresholds · 阈值: {shown}")
    lines.append("")
    if text.outline:
        lines += ["With this outline · 细纲：", "", *_block(str(text.outline)), ""]
    lines += ["Found · 会查到：", "", *_block(text.bad), ""]
    lines += ["Left alone · 不会查到：", "", *_block(text.good), ""]
    return lines


def _inline(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")


def _block(text: str) -> list[str]:
    """A fenced block that nothing in the text can end."""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    fence = "```"
    while fence in shown:
        fence += "`"
    return [f"{fence}text", *shown.rstrip("\n").split("\n"), fence]


def build() -> str:
    """The page."""
    found = corpus()
    lines = [_HEAD]
    for language in LANGUAGES:
        lines += table(language, found)
    lines += ["## Rule by rule · 逐条", ""]
    seen: dict[str, Any] = dict.fromkeys(entry.rule.id for entry in catalogue())
    for rule_id in seen:
        lines += section(rule_id)
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    check = wants_check(__doc__ or "")
    return settle({PAGE: build()}, [], check=check)


if __name__ == "__main__":
    sys.exit(main())
