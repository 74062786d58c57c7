"""What a shell command line writes, as far as it is written out."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.faces.hooks.commands import patched, written

FOLDERS = ("/b/正文", "/b/追踪", "/b", "/home/me")
B = "/b/正文/第5章.md"


def writes(command: str) -> list[str]:
    """What is written (`path`) and removed (`-path`) by a command in /b."""
    found = written(command, "/b", "/home/me", FOLDERS.__contains__)
    return [f"{'-' * touch.removes}{touch.path}" for touch in found]


SEEN = [
    ("echo hi > 正文/第5章.md", [B]),
    ("echo hi >正文/第5章.md", [B]),
    ("echo hi >> '正文/第5章.md'", [B]),
    ("> 正文/第5章.md", [B]),
    ("echo x >| 正文/第5章.md 2>&1", [B]),
    ("cmd &> 正文/第5章.md", [B]),
    ("cmd 2> 正文/第5章.md", [B]),
    ("cmd <> 正文/第5章.md", [B]),
    ('echo "a > b" > "正文/第5章.md"', [B]),
    ("echo a\\>b", []),
    ("echo 'x > 正文/第5章.md'", []),
    ("# echo > 正文/第5章.md", []),
    ("echo a#b > 正文/第5章.md # > c", [B]),
    ("echo $'x' > 正文/第5章.md", [B]),
    ("cat <<'EOF' > 正文/第5章.md\n他说：“don't > 走”\nEOF\n", [B]),
    (
        "cat > 正文/第5章.md <<EOF\n> 引用\n`x`\nEOF\necho y > 正文/第6章.md",
        [B, "/b/正文/第6章.md"],
    ),
    ("cat <<-END >a\n\tx\n\tEND\necho > b", ["/b/a", "/b/b"]),
    ("cat <<A <<B > c\n1\nA\n2\nB\necho > d", ["/b/c", "/b/d"]),
    ("cat <<EOF | tee 正文/第5章.md\nx > y\nEOF", [B]),
    ("cat <<EOF > a", ["/b/a"]),
    ("cat <<< 'x > y' > a", ["/b/a"]),
    ("echo x | tee -a 正文/第5章.md 追踪/a", [B, "/b/追踪/a"]),
    ("echo x | sudo -u me tee 正文/第5章.md", [B]),
    ("touch 正文/第5章.md", [B]),
    ("touch -d '1 day ago' 正文/第5章.md", [B]),
    ("touch -- -a", ["/b/-a"]),
    ("truncate -s 0 正文/第5章.md", [B]),
    ("cp /tmp/第5章.md 正文/", [B]),
    ("cp /tmp/第5章.md 正文", [B]),
    ("cp /tmp/x.md 正文/第5章.md", [B]),
    ("cp -t 正文 /tmp/第5章.md", [B]),
    ("cp --target-directory=正文 /tmp/第5章.md", [B]),
    ("cp -r /tmp/x/. 追踪/", ["/b/追踪/."]),
    ("cp only", []),
    ("mv 草稿.md 正文/第5章.md", ["-/b/草稿.md", B]),
    ("mv 追踪/a.md 追踪/b.md /b", ["-/b/追踪/a.md", "-/b/追踪/b.md", "/b/a.md", "/b/b.md"]),
    ("install -m 644 /tmp/x 正文/第5章.md", [B]),
    ("install -d 正文/卷一", []),
    ("ln -s /tmp/x 正文/第5章.md", [B]),
    ("dd if=/dev/zero of=正文/第5章.md", [B]),
    ("sed -i 's/a/b/' 追踪/上下文.md", ["/b/追踪/上下文.md"]),
    ("sed -i.bak -e 's/a/b/' 追踪/a 追踪/b", ["/b/追踪/a", "/b/追踪/b"]),
    ("sed 's/a/b/' 追踪/a", []),
    ("perl -pi -e 's/a/b/' 追踪/a", ["/b/追踪/a"]),
    ("rm -rf 追踪 正文/第5章.md", ["-/b/追踪", f"-{B}"]),
    ("rm -rf 追踪/*", ["-/b/追踪"]),
    ('rm -rf "追踪"/* /tmp/x', ["-/b/追踪", "-/tmp/x"]),
    ("rm *", ["-/b/."]),
    ("rm 追踪/*.md", []),
    ("rm -rf 追踪/$x*", []),
    ("rm -rf $x/*", []),
    ("rm -rf */*", []),
    ("mv 追踪/* /tmp/old", ["-/b/追踪", "/tmp/old"]),
    ("find 追踪 -delete", ["-/b/追踪"]),
    ("find 追踪 正文 -type f -delete", ["-/b/追踪", "-/b/正文"]),
    ("find 追踪 -name '*.bak' -delete", []),
    ("find 追踪 -name '*.md'", []),
    ("cd 正文 && echo x > 第5章.md", [B]),
    ("cd 正文; (cd /tmp; echo > a); echo > 第5章.md", ["/tmp/a", B]),
    ("cd; echo > a", ["/home/me/a"]),
    ("cd $SOMEWHERE && echo > 第5章.md", []),
    ("cd - && echo > 第5章.md", []),
    ("echo x > ~/a", ["/home/me/a"]),
    ("echo x > $HOME/a", ["/home/me/a"]),
    ("echo x > ${PWD}/正文/第5章.md", [B]),
    ("f=正文/第5章.md; echo x > $f", [B]),
    ('f="正文/第5章.md"; echo x > "$f"', [B]),
    ("export F=正文/第5章.md; touch $F", [B]),
    ("f=$(ls); echo > $f", []),
    ("for f in a b; do echo > $f; done", []),
    ("echo > 正文/第*章.md", []),
    ("touch 正文/第{5,6}章.md", []),
    ('echo > "正文/第*章.md"', ["/b/正文/第*章.md"]),
    ("echo > $(date).md", []),
    ("echo > `date`.md", []),
    ("if true; then touch 正文/第5章.md; fi", [B]),
    ("{ touch 正文/第5章.md; }", [B]),
    ("[ -f a ] && touch 正文/第5章.md", [B]),
    ("[[ a > 追踪/a ]]", []),
    ("LANG=C touch 正文/第5章.md", [B]),
    ("env LANG=C touch 正文/第5章.md", [B]),
    ("bash -c 'echo x > 正文/第5章.md'", [B]),
    ('bash -lc "cd 正文 && touch 第5章.md"', [B]),
    ("bash <<'E'\ntouch 正文/第5章.md\nE", [B]),
    ("eval 'touch 正文/第5章.md'", [B]),
    ("bash -c \"bash -c 'touch 正文/第5章.md'\"", [B]),
    ("python3 -c \"open('正文/第5章.md', 'w').write('x')\"", [B]),
    ("python3 - <<'E'\nfrom pathlib import Path\nPath('正文/第5章.md').write_text('x')\nE", [B]),
    ("python <<E\nwith open('追踪/a', mode='a') as f: pass\nE", ["/b/追踪/a"]),
    ("python -c \"open('追踪/a').read()\"", []),
    ("python -c \"open(f'{x}', 'w')\"", []),
    ("python script.py < 正文/第5章.md", []),
    ("cat 正文/第5章.md", []),
    ("grep -n x 追踪/上下文.md | head", []),
    ("clew chapter commit --chapter 5 --input .story/work/第005章/tracking.json", []),
    ("diff <(cat a) <(cat b)", []),
    ("echo 'unclosed > 正文/第5章.md", []),
    ("echo ok > a; echo 'unclosed > b", ["/b/a"]),
    ("apply_patch <<'E'\n*** Begin Patch\n*** Add File: 正文/第5章.md\n+x\n*** End Patch\nE", [B]),
    ("echo a \\\n > 正文/第5章.md", [B]),
    ("echo x > 正文/第5章.md\r\n", [B]),
    ("", []),
    ("&& || ; | > < >> (((", []),
    ("\f > a", ["/b/a"]),
]


@pytest.mark.parametrize(("command", "expected"), SEEN, ids=[line for line, _ in SEEN])
def test_what_is_written_out_is_seen_and_nothing_else(command: str, expected: list[str]) -> None:
    assert writes(command) == expected


UNSEEN = [
    # quotes and brackets inside a substitution inside double quotes
    ("git commit -m \"$(cat <<'EOF'\n他说：\"走\" > 正文/第5章.md\nit's done)\nEOF\n)\"", []),
    ('git commit -m "$(printf "%s" "a > 正文/第5章.md")"', []),
    ('echo "$(echo ")" > 正文/第5章.md)" > a', ["-"]),
    ('echo "$(grep -c "x" a) > 正文/第5章.md"', []),
    ('echo "${x:-"a > 正文/第5章.md"}"', []),
    ('echo "`echo \\"x > 正文/第5章.md\\"`"', []),
    ("git commit -F - <<'EOF'\nsay \"x\" > 正文/第5章.md\nEOF", []),
    ("git commit -m \"$(cat <<EOF\n# it's (a\nEOF\n)\" && echo > 正文/第5章.md", [B]),
    ("echo \"$(echo hi # don't )\n)\" > 正文/第5章.md", ["-"]),
    ('echo "$(case x in a) echo;; esac)" > 正文/第5章.md', []),
    ('echo "a $((1 << 2)) b"\necho > 正文/第5章.md', [B]),
    ("x=$(cat <<< 'a)'); echo > 正文/第5章.md", [B]),
    # options that only look like others
    ("perl -Mstrict -ne 'print' 追踪/a", []),
    ("perl -MList::Util=first -e 'print' 追踪/a", []),
    ("perl -I lib -ne 'print' 追踪/a", []),
    ("perl -i.orig -pe 's/a/b/' 追踪/a", ["/b/追踪/a"]),
    ("sed -E -n 's/i/b/p' 追踪/a", []),
    ("sed -E -i 's/a/b/' 追踪/a", ["/b/追踪/a"]),
    ("sed -nie 's/a/b/' 追踪/a", ["/b/追踪/a"]),
    # where the shell stands
    ("cd 正文; popd; echo > 第5章.md", []),
    ("pushd 正文 && echo > a && popd && echo > b", ["/b/正文/a", "/b/b"]),
    ("pushd /tmp; pushd /usr; popd; echo > a; popd; echo > b", ["/tmp/a", "/b/b"]),
    ("pushd; echo > 第5章.md", []),
    ("pushd +1; echo > 第5章.md", []),
    ("{ cd 正文; ls; } > f", ["/b/f"]),
    ("{ cd 正文; } > f; echo > 第5章.md", ["/b/f", B]),
    ("( cd 正文; ls ) > f; echo > g", ["/b/f", "/b/g"]),
    ("for d in a b; do cd 正文; done > f", ["/b/f"]),
    ("for d in a b; do cd 正文; done; echo > 第5章.md", []),
    ("if true; then cd 正文; fi > f; echo > 第5章.md", ["/b/f"]),
    ("while read l; do echo > a; done < b > c", ["/b/a", "/b/c"]),
    ("case $x in a) cd 正文;; b|c) ls > d;; esac > e; echo > 第5章.md", ["/b/d", "/b/e"]),
    ("(case $x in (a) ls > d;; esac); echo > 正文/第5章.md", ["/b/d", B]),
    ("cd 正文 | true; echo > 第5章.md", ["/b/第5章.md"]),
    ("true | cd 正文; echo > 第5章.md", ["/b/第5章.md"]),
    ("cd 正文 & echo > 第5章.md", ["/b/第5章.md"]),
    ("cd 正文 && make & echo > 第5章.md", ["/b/第5章.md"]),
    ("{ cd 正文; } | cat; echo > 第5章.md", ["/b/第5章.md"]),
    ("{ cd 正文; } & echo > 第5章.md", ["/b/第5章.md"]),
    ("ls | while read f; do cd 正文; done; echo > a", ["/b/a"]),
    ("if cd 正文 | true; then echo > a; fi", ["/b/a"]),
    ("f() { cd 正文; echo > 第5章.md; }; echo > a", ["/b/a"]),
    ("f() { cd 正文; }; f; echo > 第5章.md", []),
    ("f ()\n{\n  cd 正文\n}\necho > a", ["/b/a"]),
    ("function f { rm -rf 追踪; }; echo > a", ["/b/a"]),
    ("function f() { rm -rf 追踪; }; echo > a", ["/b/a"]),
    ("f() ( rm -rf 追踪 ); echo > a", ["/b/a"]),
    ("f() { if true; then rm 追踪/a; fi; }; echo > a", ["/b/a"]),
    # what compares and counts
    ("((a > b)) && echo > c", ["/b/c"]),
    ("(( x = (a > b) ? 1 : 2 )); echo > c", ["/b/c"]),
    ("for ((i=0; i<9; i++)); do echo > c; done", ["/b/c"]),
    ("if (( a > b )); then echo > c; fi", ["/b/c"]),
    ("((cd 正文); echo > a)", ["/b/a"]),
    ("if [[ a > 追踪/a ]]; then echo > c; fi", ["/b/c"]),
    ("while [[ a > 追踪/a ]]; do echo > c; done", ["/b/c"]),
    ("! [[ a > 追踪/a ]]", []),
    ("[[ a < b && c > 追踪/a ]] || echo > c", ["/b/c"]),
    ("[[ ( a > 追踪/a ) ||\n b > 追踪/b ]]", []),
    ("echo [[ > a", ["/b/a"]),
    # lists of values, processes as files
    ("a=(rm 追踪/x); echo > b", ["/b/b"]),
    ("a+=(x > y); echo > b", ["/b/b"]),
    ("cat x > >(tee 追踪/a); diff <(cat a) <(cat b) > c", ["/b/c"]),
    # a value that only one branch gave
    ("f=正文/第5章.md; if x; then f=a; fi; echo > $f", []),
    ("(f=正文/第5章.md); echo > $f", []),
    ("f=a | true; echo > $f", []),
    # not understood: nothing more is judged
    ("echo > a; fi; echo > b", ["/b/a"]),
    ("{ echo > a; fi; echo > b", ["/b/a"]),
    ("echo $(echo > b", []),
    ("echo > a\n[[ x\necho > b", ["/b/a"]),
]  # fmt: skip


@pytest.mark.parametrize(("command", "expected"), UNSEEN, ids=[line for line, _ in UNSEEN])
def test_what_does_not_happen_there_is_not_seen(command: str, expected: list[str]) -> None:
    if expected == ["-"]:  # what the word before a redirection is makes no difference to it
        expected = ["/b/a"] if command.endswith("> a") else [B]
    assert writes(command) == expected


def test_a_patch_names_its_files() -> None:
    patch = """*** Begin Patch
*** Add File: 正文/第5章.md
+*** Add File: 正文/第6章.md
*** Update File: a.md
*** Move to: b.md
@@
-x
*** Delete File: 追踪/c.md
*** End Patch"""
    assert [(t.path, t.removes) for t in patched(patch, "/b")] == [
        (B, False), ("/b/a.md", False), ("/b/b.md", False), ("/b/追踪/c.md", True),
    ]  # fmt: skip


PIECES = st.lists(
    st.sampled_from(
        ["'", '"', "`", "$", "$(", "${", ")", "}", "(", "\\", "\n", " ", ">", ">>", "<<E", "\nE\n",
         "<", "|", "&", ";", "cd", "tee", "cp -t", "mv", "sed -i", "python -c", "bash -c", "x", "正文/a",
         "~", "*", "f=", "$f", "-", "--", "\0", "\ud800"]
    ),
    max_size=40,
)  # fmt: skip


@given(PIECES.map("".join) | st.text(max_size=60))
def test_any_command_line_is_read_without_an_error(command: str) -> None:
    for path in writes(command):
        assert path.lstrip("-").startswith(("/", "."))


@pytest.mark.parametrize(
    "piece",
    ["'", '"', "`", "$(", "${", "\\", "(", "<<E ", "<<E\n", "a ", "> a ", "$a", "''", '"$a"', "-" * 9,
     "a=b ", ";", "\n", "#", "x#", "bash -c ' ", "sed -i e f ", "env ", "sudo -u a ", "if ", "((",
     "((a);", "[[ ", "f() {", "{ ", "if x; then ", "case x in a) ", "a=(", "pushd /a;", '"$(', '"`', "$((",
     "a=$a$a;", 'a="$a$a$a$a";', '"$a$a$a"; a=' + "x" * 200 + ";", "<(", "cd a;", "a & ", "a | ", "}", ")"],
)  # fmt: skip
def test_a_long_command_line_costs_what_its_length_costs(piece: str) -> None:
    def seconds(times: int) -> float:
        command = piece * times
        start = time.process_time()
        writes(command)
        return time.process_time() - start

    small, large = 3_000, 24_000
    base = max(min(seconds(small) for _ in range(2)), 0.002)
    assert seconds(large) < base * (large / small) * 6


def test_a_value_that_doubles_does_not_grow_without_end() -> None:
    tracemalloc.start()
    try:
        assert writes("a=正文/第5章.md;" + "a=$a$a;" * 60 + "echo > $a; echo > b") == ["/b/b"]
        long = "a=" + "x" * 4_000 + ";" + 'echo "' + "$a" * 100_000 + '" > $a;' + "b=$a$a;" * 5_000
        writes(long)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


def test_nesting_is_bounded() -> None:
    command = "touch a"
    for _ in range(6):
        command = "eval " + "'" + command.replace("'", "'\\''") + "'"
    assert writes(command) == []
