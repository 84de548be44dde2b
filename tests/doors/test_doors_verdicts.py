"""Every door that compares two systems says the same about them: text, JSON, pages, boards, gates.

What is right is worked out here from p and the number of segments alone.
"""

import json
import random
import re
from collections import Counter
from html import unescape

import commands
from conftest import scaled
from generated_texts import sentence, varied
from scores_json import systems_of

import celab
from celab.statistics.difference import DISAGREE
from celab.systems.baseline import not_worse

FEW = "fewer than 20 segments, no verdict"
NOTES = (DISAGREE, "lower is better")
METRICS = ("chrf", "cer")  # higher and lower is better
TITLES = {"chrf": "chrF2", "cer": "CER"}


def drawn_files(draw):
    """Write a reference and two outputs of 5 to 60 segments, of which one may be much better."""
    n = draw.choice([draw.randint(5, 19), 19, 20, draw.randint(20, 60)])
    shares = draw.choice([(0.3, 0.3), (0.25, 0.35), (0.35, 0.25), (0.3, 0.32), (0.1, 0.6)])
    ref = [sentence(draw, 12) for _ in range(n)]
    sides = {"ref": ref}
    for name, share in zip("AB", shares, strict=True):
        sides[name] = [varied(text, draw, share) for text in ref]
    for k in draw.sample(range(n), draw.randint(0, n // 3)):
        sides["B"][k] = sides["A"][k]
    for name, texts in sides.items():
        with open(f"{name}.zh", "w", encoding="utf-8") as file:
            file.write("".join(f"{text}\n" for text in texts))
    return sides


def printed(command, *words, code=0):
    done = commands.run(command, *words, "-q", encoding="utf-8")
    assert done.returncode == code, done.stderr
    return done.stdout


def verdict_of(p, n_segments, a, b, higher_is_better):
    """Return "few", "none", or the system that is significantly better, from the definition."""
    if n_segments < 20:
        return "few"
    if p >= 0.05 or a == b:
        return "none"
    return "A" if (a > b) == higher_is_better else "B"


def of_sentence(text, metric):
    """Return what the sentence of `celab compare` about a metric says."""
    found = re.findall(rf"^{TITLES[metric]}: (.*?)(?: \(p .*\))?$", text, re.M)
    (said,) = (sentence for sentence in found if sentence not in NOTES)
    if said in (FEW, "no significant difference"):
        return "few" if said == FEW else "none"
    first, way, second = re.fullmatch(
        r"(\w) scores significantly (higher|lower) than (\w)", said
    ).groups()
    assert {first, second} == {"A", "B"} and way == ("lower" if metric == "cer" else "higher")
    return first


def compare_text(metric):
    return of_sentence(printed("compare", "ref.zh", "A.zh", "B.zh", "-m", metric), metric)


def compare_markdown(metric):
    text = printed("compare", "ref.zh", "A.zh", "B.zh", "-m", metric, "--markdown")
    return of_sentence(text.replace("\\", ""), metric)


def compare_star(metric):
    """What the table of `celab compare` marks, for differences that are no verdict in words."""
    text = printed("compare", "ref.zh", "A.zh", "B.zh", "-m", metric)
    (row,) = re.findall(rf"^{TITLES[metric]} .*", text, re.M)
    return "*" in row


def score_groups(metric):
    """Return the verdict by the clusters of `celab score --json`."""
    stored = json.loads(
        printed("score", "-r", "ref.zh", "-s", "A.zh", "B.zh", "-m", metric, "--json")
    )
    group = {s["name"]: s["metrics"][metric]["group"] for s in systems_of(stored)}
    (note,) = (row["note"] for row in stored["test"])
    if note is not None:
        assert (note, group) == (FEW, {"A": 1, "B": 1})
        return "few"
    return "none" if group["A"] == group["B"] else min(group, key=group.get)


def score_text(metric):
    """Return the verdict by the clusters of the table of `celab score`, and its note."""
    text = printed("score", "-r", "ref.zh", "-s", "A.zh", "B.zh", "-m", metric)
    if FEW in text:
        assert not re.search(r"\(\d\)$", text, re.M)
        return "few"
    group = dict(re.findall(r"^([AB]) .*\((\d)\)$", text, re.M))
    return "none" if len({*group.values()}) < 2 else min(group, key=group.get)


def library_compare(metric, sides):
    compared = celab.compare(sides["A"], sides["B"], [sides["ref"]], metric, names=("A", "B"))
    return of_sentence(str(compared), metric)


def library_score(metric, sides):
    campaign = celab.Campaign.from_lists({name: sides[name] for name in "AB"}, [sides["ref"]])
    comparison = campaign.score(metric).test().comparisons[metric]
    difference = comparison.difference(*map(comparison.systems.index, "AB"))
    if difference.too_few:
        assert difference.remark == FEW
        return "few"
    return {"a": "A", "b": "B"}[difference.better] if difference.significant else "none"


def page(metric, command, *files):
    """Return the verdict of the page's first sentence, and check that of its data."""
    printed(command, *files, "-m", metric, "--html", "page.html", "--overwrite")
    with open("page.html", encoding="utf-8") as file:
        text = file.read()
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    (shown,) = json.loads(data)["metrics"]
    (pair,) = shown["pairs"]
    body = re.sub("<(script|style).*?</\\1>", "", text, flags=re.S)
    body = " ".join(unescape(re.sub("<.*?>", "", body, flags=re.S)).split())
    if f"{FEW[0].upper()}{FEW[1:]}." in body:
        assert shown["too_few"] and not pair["significant"]
        return "few"
    assert not shown["too_few"] and FEW not in body
    if not pair["significant"]:
        assert "No clear winner: " in body
        return "none"
    (leader,) = set(re.findall("([AB]) is closest to the reference", body))
    return leader


def score_page(metric):
    return page(metric, "score", "-r", "ref.zh", "-s", "A.zh", "B.zh")


def compare_page(metric):
    return page(metric, "compare", "ref.zh", "A.zh", "B.zh")


def board(metric, *flags, code=0):
    """Return the board of A as a version and of B as the next one."""
    for name in "AB":
        with (
            open(f"{name}.zh", encoding="utf-8") as file,
            open("system.zh", "w", encoding="utf-8") as out,
        ):
            out.write(file.read())
        words = ["--label", f"version={name}", "--segments", "--json", "--output", f"{name}.json"]
        printed("score", "ref.zh", "system.zh", "-m", metric, *words, "--overwrite")
    return printed("board", "A.json", "B.json", *flags, code=code)


def board_json(metric):
    last = json.loads(board(metric, "--json"))["cell"][-1]
    if last["untested"] is not None:
        assert last["untested"] == FEW and last["mark"] is None
        return "few"
    return {"better": "B", "worse": "A", None: "none"}[last["mark"]]


def board_text(metric):
    text = board(metric)
    if FEW in text:
        assert "significant" not in text
        return "few"
    marks = re.findall(r"^B .*([▲▼])\)$", text, re.M)
    return {"▲": "B", "▼": "A"}[marks[0]] if marks else "none"


def gate_command(metric, expected):
    """Return whether the gate against a worse B fails; None if it cannot tell."""
    code = {"few": 2, "A": 1}.get(expected, 0)
    done = commands.run(
        "compare", "ref.zh", "A.zh", "B.zh", "-m", metric, "--fail-if-worse", "-q", encoding="utf-8"
    )
    assert done.returncode == code, done.stderr
    if code == 2:
        assert FEW in done.stderr
    return {0: False, 1: True, 2: None}[done.returncode]


def gate_library(metric, sides):
    compared = celab.compare(sides["A"], sides["B"], [sides["ref"]], metric, names=("A", "B"))
    try:
        return not_worse(compared).failed
    except celab.InputError as error:
        assert FEW in str(error)
        return None


DOORS = {
    "text of compare": compare_text,
    "Markdown of compare": compare_markdown,
    "JSON of score": score_groups,
    "text of score": score_text,
    "page of score": score_page,
    "page of compare": compare_page,
    "JSON of board": board_json,
    "text of board": board_text,
}
IN_PYTHON = {"celab.compare": library_compare, "Campaign.score": library_score}


def test_all_doors_say_the_same_of_two_systems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(7)
    seen = Counter()
    for k in range(scaled(50)):
        sides, metric = drawn_files(draw), METRICS[k % 2]
        text = printed("compare", "ref.zh", "A.zh", "B.zh", "-m", metric, "--json")
        (figures,) = json.loads(text)["metric"]
        expected = verdict_of(
            figures["p"], len(sides["ref"]), figures["a"], figures["b"], metric != "cer"
        )
        said = {name: door(metric) for name, door in DOORS.items()}
        said |= {name: door(metric, sides) for name, door in IN_PYTHON.items()}
        assert said == dict.fromkeys(said, expected), figures
        assert compare_star(metric) == (expected in "AB")
        fails = {"few": None, "A": True}.get(expected, False)
        assert gate_command(metric, expected) == gate_library(metric, sides) == fails
        seen[expected] += 1
    assert set(seen) == {"few", "none", "A", "B"}
