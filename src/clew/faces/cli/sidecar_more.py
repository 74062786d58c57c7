"""`clew sidecar …`: the verbs that no turn waits for, from `init` to `bundle`, and the help."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from clew.faces.cli.sidecar import host_of, show, tell, write
from clew.sidecar import calling, helping, shelf
from clew.sidecar.calling import Call, CallError
from clew.sidecar.engine_values import BOOK
from clew.sidecar.engine_words import plain
from clew.sidecar.messages import reason_of, word
from clew.sidecar.place import absolute
from clew.sidecar.saying import Reply, printed, said
from clew.sidecar.shelf import DamagedProfileError, ShelfError
from clew.sidecar.verbs import Host, open_store, refused

Profile = dict[str, Any]

MORE: Final[dict[str, tuple[dict[str, bool], tuple[str, ...]]]] = {
    "init": ({"seed": True}, ("PROFILE?",)),
    "migrate": ({}, ()),
    "doctor": ({}, ()),
    "profiles": ({}, ()),
    "check-profile": ({}, ("FILE",)),
    "simulate": ({"turns": True, "seed": True}, ("PROFILE?",)),
    "schema": ({"language": False}, ("PROFILE?",)),
    "bundle": ({"out": True}, ("PROFILE?",)),
    "wire": ({"yes": False, "remove": False, "user": False}, ("PROFILE?",)),
}
SUMMARIES: Final = {
    "init": ("开一份状态（停用，待用户同意）；档案可以是 .toml 文件",
             "begin a state (off, until the user agrees); PROFILE may be a .toml file"),
    "migrate": ("把旧版本的状态改写成现在的", "rewrite an older state in the present version"),
    "doctor": ("体检：每一项说查到什么、怎么修", "what is wrong, and how to mend it"),
    "profiles": ("列出档案", "list the profiles"),
    "check-profile": ("查一个档案文件，跑它自带的用例", "check a profile file and run its cases"),
    "simulate": ("模拟若干轮：护栏何时开、账怎么走", "play some turns: when guards open, how money moves"),
    "schema": ("状态的 JSON Schema；--language 是档案语言的", "the state's JSON Schema; --language: of profiles"),
    "bundle": ("生成一个只用标准库的单文件，放在 SKILL.md 旁", "one standard-library file to lie beside a SKILL.md"),
    "wire": ("在 .claude/settings.json 里接上钩子（先给看；--remove 原样取下）",
             "put the hooks into .claude/settings.json (shown first; --remove takes them out)"),
}  # fmt: skip
_ALL: Final = {**calling.VERBS, **MORE}
_TURNS: Final = 100
_MOST_TURNS: Final = 100_000


def main(argv: list[str], lang: str, *, machine: bool) -> int:
    """Run one of these verbs, or show the help."""
    if not argv or "--help" in argv or "-h" in argv:
        summaries = {**helping.SUMMARIES, **SUMMARIES}
        heard = write(helping.usage("clew sidecar", lang, argv, _ALL, summaries), lang)
        return (0 if argv else 2) if heard else 1
    drawing = None
    try:
        call = calling.parse(argv, _ALL)
        drawing = None if machine else _DRAWINGS.get(call.verb)
        reply = _VERBS[call.verb](call, host_of(lang, call))
    except CallError as error:
        reply = refused([error.word])
    except ShelfError as error:
        reply = refused(error.words, exit=error.exit)
    except OSError as error:
        reply = refused(
            [word("sidecar_failed", file=str(error.filename or ""), **reason_of(error))]
        )
    if drawing is None or reply.answer is None or reply.answer["status"] == "error":
        return show(reply, lang, machine=machine)
    tell(printed(Reply(told=reply.told), lang, machine=False)[1])
    return reply.exit if write(drawing(reply.answer), lang) else max(reply.exit, 1)


def _profile(call: Call, host: Host) -> Profile:
    given = (call.words[0] if call.words else "") or call.text("profile")
    given = given or shelf.the_one(host.environ, host.cwd)
    return shelf.find(given, host.environ, host.cwd)


# ---- states --------------------------------------------------------------------------------------


def _init(call: Call, host: Host) -> Reply:
    profile = _profile(call, host)
    given = (call.words[0] if call.words else "") or call.text("profile")
    answer: dict[str, Any] = {"status": "ok", "profile": profile["name"]}
    told = []
    if given.endswith(".toml"):
        wrong = shelf.broken_promises(
            absolute(given, host.environ, host.cwd), host.environ, host.cwd
        )
        if wrong:
            return refused(wrong, exit=2)
        answer["taken_in"] = shelf.take_in(profile, host.environ, host.cwd)
        if shelf.is_shipped(profile["name"]):
            told.append(word("sidecar_shadows", name=profile["name"]))
    store = open_store(call, profile, host, seed=call.text("seed"))
    changed = store.begin()
    if call.text("seed") and changed.state[BOOK]["seed"] != call.text("seed"):
        told.append(word("sidecar_seed_kept", file=store.path))
    answer |= {
        "file": store.path,
        "created": changed.status == "fresh",
        "active": changed.state[profile["active"]],
    }
    return Reply(answer, told=[*changed.notes, *told])


def _migrate(call: Call, host: Host) -> Reply:
    profile = _profile(call, host)
    store = open_store(call, profile, host)
    if store.read_only().status == "fresh":
        return refused([word("sidecar_no_state", file=store.path)])
    changed = store.begin()
    notes = [said(note, host.lang) for note in changed.notes]
    answer = {"status": "ok", "profile": profile["name"], "file": store.path, "notes": notes}
    return Reply(answer, told=changed.notes)


def _doctor(call: Call, host: Host) -> Reply:
    from clew.sidecar import doctor

    try:
        profile = _profile(call, host)
    except DamagedProfileError as error:
        checks = [doctor.of_profile(error.words[0])]
        answer = {"status": "findings", "profile": error.name,
                  "checks": doctor.told(checks, host.lang)}  # fmt: skip
        return Reply(answer, exit=1)
    checks = doctor.examine(open_store(call, profile, host))
    worst = any(check.verdict == "bad" for check in checks)
    answer = {
        "status": "findings" if worst else "ok",
        "profile": profile["name"],
        "checks": doctor.told(checks, host.lang),
    }
    return Reply(answer, exit=1 if worst else 0)


# ---- profiles ------------------------------------------------------------------------------------


def _profiles(call: Call, host: Host) -> Reply:
    found: list[dict[str, Any]] = []
    told = []
    for name in shelf.names(host.environ, host.cwd):
        try:
            profile = shelf.find(name, host.environ, host.cwd)
        except DamagedProfileError as error:
            told += error.words
            continue
        title = profile.get("title") or {}
        found.append({
            "name": name,
            "version": profile["version"],
            "title": title.get(host.lang, ""),
            "events": list(profile["events"]),
            "guards": list(profile["guards"]),
        })  # fmt: skip
    return Reply({"status": "ok", "profiles": found}, told=told)


def _check_profile(call: Call, host: Host) -> Reply:
    from clew.sidecar.cases import failures
    from clew.sidecar.place import absolute

    found = shelf.checked_file(absolute(call.words[0], host.environ, host.cwd))
    wrong = failures(found)
    if wrong:
        return refused([shelf.word_of(fault) for fault in wrong], exit=1)
    profile = found.profile
    counted = {"fields": len(profile["fields"]), "events": len(profile["events"]),
               "guards": len(profile["guards"]), "cases": len(found.cases)}  # fmt: skip
    answer = {"status": "ok", "profile": profile["name"], "version": profile["version"], **counted}
    return Reply(answer)


def _simulate(call: Call, host: Host) -> Reply:
    from clew.sidecar.simulate import simulate

    profile = _profile(call, host)
    turns = call.number("turns") or _TURNS
    if turns > _MOST_TURNS:
        raise CallError(f"--turns 最多 {_MOST_TURNS}", f"--turns: at most {_MOST_TURNS}")
    seed = call.text("seed") or profile["name"]
    rows = simulate(profile, turns, seed)
    guards = {
        name: {
            "opened": [row["turn"] for row in rows if name in row["opened"]],
            "used": [row["turn"] for row in rows if name in row["used"]],
        }
        for name in profile["guards"]
    }
    answer = {"status": "ok", "profile": profile["name"], "turns": turns, "seed": seed,
              "guards": guards, "rows": rows}  # fmt: skip
    return Reply(answer)


def _schema(call: Call, host: Host) -> Reply:
    from clew.sidecar import schema

    of_language = call.flag("language")
    found = schema.of_language() if of_language else schema.of_state(_profile(call, host))
    return Reply(text=json.dumps(found, ensure_ascii=False, indent=2) + "\n")


def _bundle(call: Call, host: Host) -> Reply:
    from clew.sidecar.bundle import bundled_text
    from clew.sidecar.place import absolute

    profile = _profile(call, host)
    out = call.text("out")
    text = bundled_text(profile, os.path.basename(out))
    if not out:
        return Reply(text=text)
    path = absolute(out, host.environ, host.cwd)
    temporary = f"{path}.tmp-{os.getpid()}"
    try:
        with open(temporary, "x", encoding="utf-8", newline="\n") as handle:
            handle.write(text)
        os.chmod(temporary, 0o755)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    size = len(text.encode())
    return Reply({"status": "ok", "profile": profile["name"], "file": path, "bytes": size})


def _wire(call: Call, host: Host) -> Reply:
    from clew.faces.cli.sidecar_wire import wire

    profile = _profile(call, host)
    name = profile["name"]
    if not call.flag("remove"):
        try:
            shelf.find(name, host.environ, host.cwd)
        except ShelfError:
            raise ShelfError(word("sidecar_not_taken_in", name=name)) from None
    return wire(call, profile, host)


# ---- for people ----------------------------------------------------------------------------------


def _draw_doctor(answer: dict[str, Any]) -> str:
    marks = {"ok": "✓", "note": "·", "bad": "✗"}
    lines = []
    for check in answer["checks"]:
        lines.append(
            f"{marks[check['verdict']]} {check['check']:<8} {plain(check['message'], 600)}"
        )
        if check["verdict"] != "ok" and "mend" in check:
            lines.append(f"  {'':<8} → {plain(check['mend'], 600)}")
    return "\n".join(lines) + "\n"


def _draw_profiles(answer: dict[str, Any]) -> str:
    lines = []
    for found in answer["profiles"]:
        lines.append(f"{found['name']}  v{found['version']}  {plain(found['title'])}")
        lines.append(f"  {', '.join(found['events'])}")
    return "\n".join(lines) + "\n"


def _draw_simulation(answer: dict[str, Any]) -> str:
    lines = [f"{answer['profile']}  turns={answer['turns']}  seed={plain(str(answer['seed']))}", ""]
    for name, seen in answer["guards"].items():
        used = seen["used"]
        gaps = [later - earlier for earlier, later in pairwise(used)]
        lines.append(f"{name}: opened {' '.join(map(str, seen['opened'])) or '-'}")
        lines.append(f"  used {' '.join(map(str, used)) or '-'}")
        if gaps:
            lines.append(f"  gaps {min(gaps)}–{max(gaps)}: {' '.join(map(str, gaps))}")
    rows = answer["rows"]
    step = max(1, len(rows) // 20)
    for ledger in rows[-1]["ledgers"] if rows else ():
        names = list(rows[-1]["ledgers"][ledger])
        lines += ["", ledger, "  turn  " + "  ".join(f"{name:>8}" for name in names)]
        for row in rows[step - 1 :: step]:
            values = "  ".join(f"{row['ledgers'][ledger][name]:>8}" for name in names)
            lines.append(f"  {row['turn']:>4}  {values}")
    return "\n".join(lines) + "\n"


def _draw_wire(answer: dict[str, Any]) -> str:
    lines = [f"{answer['status']}: {plain(answer['settings'], 600)}"]
    lines += [plain(line, 400) for line in answer.get("diff", "").splitlines()]
    if answer["status"] == "needs_confirmation":
        lines.append("--yes")
    if "allowed_tools" in answer:
        lines += ["", "SKILL.md:", answer["allowed_tools"]]
    return "\n".join(lines) + "\n"


_VERBS: Final[dict[str, Callable[[Call, Host], Reply]]] = {
    "init": _init,
    "migrate": _migrate,
    "doctor": _doctor,
    "profiles": _profiles,
    "check-profile": _check_profile,
    "simulate": _simulate,
    "schema": _schema,
    "bundle": _bundle,
    "wire": _wire,
}
_DRAWINGS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "doctor": _draw_doctor,
    "profiles": _draw_profiles,
    "simulate": _draw_simulation,
    "wire": _draw_wire,
}
