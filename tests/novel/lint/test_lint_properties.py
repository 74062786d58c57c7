"""Whatever lawful history and whatever bodies: lint answers, the same twice, and changes nothing."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.novel.commit import commit
from clew.novel.history import Silence
from clew.novel.linting import lint
from clew.novel.marks import put
from clew.novel.timetravel import undo
from clew.testing.novel import Story, begin_book, histories, tree

FEW = settings(max_examples=max(15, settings().max_examples // 3))
PIECES = (
    "江晨", "周薄森", "O'Brien", "Zoë", "阿·达", "李 四", "ß先生", "𠮷野", "江辰", "江", "晨江", "说", "“", "”",
    "站起来", "。", "，", "\n", "\n\n", "# 第1章\n", "***\n", "想起", "said ", "nodded", "\r\n", "\x00", "\ufeff",
    "```\n", "那年", " ", "<!--", "-->", "—", "我",
)  # fmt: skip
BODIES = st.dictionaries(
    st.integers(1, 6), st.lists(st.sampled_from(PIECES), max_size=40).map("".join), max_size=4
)
ALIASES = st.sampled_from([
    "", '"江晨" = ["小江", "O\'Brien"]\n', '"谁" = "江晨"\n', "江晨 = 1", '"Zoë" = ["Zo", "江"]\n', "[",
])  # fmt: skip


@FEW
@given(story=histories(), bodies=BODIES, aliases=ALIASES, taken_back=st.booleans())
def test_lint_never_raises_says_the_same_twice_and_changes_nothing(
    story: Story, bodies: dict[int, str], aliases: str, taken_back: bool
) -> None:
    with TemporaryDirectory() as folder:
        ledger = begin_book(Path(folder) / "书", story.init)
        for document in story.transactions:
            commit(ledger, document, [])
        if taken_back:
            undo(ledger, [])
        root = Path(ledger.root)
        for name in ("正文", "设定"):
            (root / name).mkdir()
        for number, text in bodies.items():
            path = root / "正文" / f"第{number:03d}章.md"
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        if aliases:
            (root / "设定" / "别名.toml").write_text(aliases, encoding="utf-8")
        before = tree(root)
        first, second = lint(ledger, [], everything=True), lint(ledger, [], everything=True)
        assert first == second
        assert tree(root) == before
        keys = [finding.key for finding in first.findings]
        assert len(keys) == len(set(keys))
        for finding in first.findings:
            assert finding.message.zh
            assert finding.message.en
            assert all(chapter > 0 for chapter in finding.chapters)
        put(ledger, [], *(Silence(key, "有意") for key in keys))
        assert lint(ledger, []).findings == []
