"""`celab meta` where scores are not proved: as if the set did not have these segments."""

import json
from pathlib import Path

import pytest

from celab.cli import meta

# By itself, the reduction leaves one pair to HiGHS: segment 1 of b. As the only solver HiGHS gets
# whatever is not empty: segments 1 and 4 of the others.
HARD = {
    "ref-A": ["一二三四", "伞雨伞", "甲乙丙丁", "上下左右", "买雨伞"],
    "a": ["一二三", "好", "甲", "", "买伞"],
    "b": ["", "雨雨伞雨伞雨伞", "丙丁", "左右", "卖雨伞"],
    "c": ["二", "天", "乙丙", "上下左", "卖"],
}
CHARACTERS = {
    "ref-A": ["一", "伞雨伞", "二", "三", "买雨伞"],
    "a": ["", "好", "", "", "买伞"],
    "b": ["", "雨伞", "", "", "卖雨伞"],
    "c": ["", "天", "", "", "卖"],
}
WORDS = {
    "ref-A": ["a|a|N", "a|a|N c|c|V", "b|b|N", "c|c|N", "d|d|N e|e|V"],
    "a": ["", "a|a|N d|d|V", "", "", "d|d|N f|f|V"],
    "b": ["", "a|a|N b|b|V", "", "", "g|g|N e|e|V"],
    "c": ["", "y|y|N", "", "", "g|g|V"],
}
JUDGED = {"a": [90, 50, 20, 80, 70], "b": [70, 90, 40, 30, 75], "c": [20, 30, 60, 60, 10]}
COMMAND = meta
LIMIT = ["--time-limit", "1e-9"]
CASES = {
    "celab, auto": ("celab", "auto", HARD, [1]),
    "celab, highs": ("celab", "highs", CHARACTERS, [1, 4]),
    "tesla-m, highs": ("tesla-m", "highs", WORDS, [1, 4]),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lines(rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def write(place, texts, without=(), fixed=False):
    """A set and the scores of other metrics, without some of its segments."""
    kept = [s for s in range(5) if s not in without]
    for name, side in texts.items():
        path = Path(place) / (f"{name}.txt" if name.startswith("ref") else f"hyp/{name}.txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(lines([side[s]] for s in kept), "utf-8")
    rows = [("system", "segment", "judge", "score")] + [
        (name, i, judge, scores[s] + (s % 2 and judge == "q"))
        for name, scores in JUDGED.items()
        for i, s in enumerate(kept)
        for judge in "pq"
    ]
    (Path(place) / "human-seg.tsv").write_text(lines(rows))
    if fixed:
        (Path(place) / "human-sys.tsv").write_text(lines([("a", 3), ("b", 1), ("c", 2)]))
    rows = [("system", "segment", "score")]
    rows += [(n, i, JUDGED[n][s] % 7) for n in JUDGED for i, s in enumerate(kept)]
    Path(f"{place}.comet").write_text(lines(rows))
    Path(f"{place}.alone").write_text(lines([("a", 1), ("b", 2), ("c", 3)]))


def flags(place, metric, solver):
    texts = ["--lexicon", "none", *(["--analysis", "tagged"] if metric == "tesla-m" else [])]
    given = [f"--scores=comet={place}.comet", f"--scores=alone={place}.alone"]
    return [place, "-m", metric, "chrf", *given, "--solver", solver, *texts]


@pytest.mark.parametrize("fixed", [False, True])
def test_it_is_as_if_the_set_did_not_have_them(case, fixed, run):
    metric, solver, texts, skipped = case
    write("whole", texts, fixed=fixed)
    write("rest", texts, skipped, fixed=fixed)
    arguments = [*flags("whole", metric, solver), *LIMIT, "--on-error", "skip"]
    told = run(*arguments, "--json", code=3)
    left = json.loads(told.out)
    rest = json.loads(run(*flags("rest", metric, solver), "--json", code=0).out)
    n = len(skipped)
    what = f"{n} segment{'s' * (n > 1)} skipped, because no optimum was proved"
    assert told.err.startswith(f"celab meta: finding: {what}\n")
    assert (left.pop("skipped"), rest.pop("skipped")) == (n, 0)
    assert (left.pop("dataset"), rest.pop("dataset")) == ("whole", "rest")
    signatures = [signatures_taken_from(one) for one in (left, rest)]
    assert signatures[0][metric] == f"{signatures[1][metric]}|skipped:{n}"
    assert signatures[0]["chrf"] == signatures[1]["chrf"]
    assert left == approximately(rest)
    (row,) = (
        row
        for row in left["figure"]
        if (row["metric"], row["level"], row["figure"]) == ("comet", "segment", "flat_pearson")
    )
    assert row["error"] > 0
    assert left["translations"] == 3 * (5 - n) == 3 * left["segments"]
    assert run(*arguments, "--quiet", code=3).err == f"celab meta: finding: {what}\n"
    table = run(*arguments, code=3).out
    plural = "s" * (n > 1)
    assert f"\n{n} segment{plural} left out, because no optimum was proved\n" in table


def signatures_taken_from(result):
    """The signature of each metric, which all rows about it have; the rows lose theirs."""
    signatures = {row["metric"]: row.pop("signature") for row in result["metric"]}
    for row in result["figure"]:
        assert row.pop("signature") == signatures[row["metric"]]
    return signatures


def approximately(value):
    """The same nested value, its numbers within rounding."""
    if isinstance(value, dict):
        return {key: approximately(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [approximately(inner) for inner in value]
    return pytest.approx(value, abs=1e-12) if isinstance(value, float) else value


def test_otherwise_it_is_an_error_that_names_the_file(case, run):
    metric, solver, texts, _ = case
    write("whole", texts)
    told = run(*flags("whole", metric, solver), *LIMIT, "--on-error", "raise", code=2)
    assert told.out == ""
    file = "b" if solver == "auto" else "a"
    where = (
        f"celab meta: error: whole/hyp/{file}.txt: segment 2, reference 1: no optimum was proved"
    )
    assert told.err.startswith(where)


@pytest.mark.parametrize(("metric", "texts"), [("celab", CHARACTERS), ("tesla-m", WORDS)])
def test_a_system_without_a_proved_segment_is_an_error(metric, texts, run):
    write("whole", {name: [side[4]] * 5 for name, side in texts.items()})
    told = run(*flags("whole", metric, "highs"), *LIMIT, "--on-error=skip", code=2)
    assert told.out == ""
    assert "hyp/a.txt: no segment has a proved score" in told.err


def test_no_segment_that_all_have_is_an_error(run):
    hard = HARD["b"][1]
    texts = {
        "ref-A": ["伞雨伞"] * 5,
        "a": [hard, hard, "雨", "雨", "雨"],
        "b": ["雨", "雨", hard, hard, hard],
        "c": ["雨"] * 5,
    }
    write("whole", texts)
    told = run(*flags("whole", "celab", "auto"), *LIMIT, "--on-error=skip", code=2)
    assert told.out == ""
    assert "every segment was skipped by some metric for some system" in told.err
