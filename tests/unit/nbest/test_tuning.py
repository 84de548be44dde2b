"""`celab tune` and `celab.tune`: what is read, what is found, what is refused."""

import gzip
import json
from importlib.util import find_spec

import numpy as np
import pytest

import celab
from celab.base.errors import InputError, SolverError
from celab.cli import tune
from celab.metrics.factory import make_metric
from celab.nbest import nbest, tuning
from celab.nbest.nbest import Candidate, NBestList, Sentence, features_of

COMMAND = tune
REFS = ["他买了一把雨伞", "我们明天去北京"]
LISTS = """\
0 ||| 他卖伞 ||| LM0= -1 TM0= -5 1 ||| -1
0 ||| 他买了一把雨伞 ||| LM0= -3 TM0= -4 2 ||| -2
0 ||| 他买了一把雨伞啊啊啊 ||| LM0= -9 TM0= -4 3 ||| -3
1 ||| 我去 ||| LM0= -1 TM0= -3 1 ||| -1
1 ||| 我们明天去北京 ||| LM0= -2 TM0= -1 2 ||| -2
"""
NONE = ["--lexicon", "none"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbest.txt").write_text(LISTS, "utf-8")
    (tmp_path / "ref.zh").write_text("".join(f"{ref}\n" for ref in REFS), "utf-8")
    return tmp_path


def test_the_best_weights_are_found_and_written(run, folder):
    out = run("nbest.txt", "-r", "ref.zh", "-o", "weights.json", *NONE).out
    report = json.loads((folder / "weights.json").read_text("utf-8"))
    weights = {row["feature"]: row["weight"] for row in report["weight"]}
    assert list(weights) == ["LM0", "TM0.1", "TM0.2"]
    assert sum(map(abs, weights.values())) == pytest.approx(1)
    first = celab.TeslaCelab(lexicon=None).corpus_score(["他卖伞", "我去"], [REFS]).score
    assert report["choice"] == [
        {"choice": "first candidates", "score": first, "length": 2.5},
        {"choice": "chosen by the weights", "score": 1.0, "length": 7.0},
    ]
    assert report["reference_length"] == 7
    rounds = [row["round"] for row in report["round"] if row["start"] == report["best"]]
    assert report["iterations"] == rounds[-1]
    assert report["round"][-1]["start"] == 10  # the default is 10 restarts
    assert out.splitlines()[-2:] == [
        f"TESLA-CELAB  {first:.4f} → 1.0000",
        "tokens       2.50 → 7.00 (references 7.00)",
    ]


def test_files_are_joined_by_id_and_jsonl_is_read(run, folder):
    lines = LISTS.splitlines(keepends=True)
    (folder / "a.txt").write_text("".join(lines[:2] + lines[3:]), "utf-8")
    (folder / "b.txt").write_text(lines[2], "utf-8")
    records = [
        {"id": sentence.id, "text": one.text, "features": features_of(sentence, one)}
        for sentence in NBestList("nbest.txt")
        for one in sentence.candidates
    ]
    for name, key in (("c.jsonl", int), ("d.jsonl", "s{}".format)):
        some = [json.dumps({**one, "id": key(one["id"])}) + "\n" for one in records]
        (folder / name).write_text("".join(some), "utf-8")
    found = []
    for files in (["nbest.txt"], ["a.txt", "b.txt"], ["c.jsonl"], ["d.jsonl"]):
        run(*files, "-r", "ref.zh", "-o", "out.json", *NONE)
        found.append((folder / "out.json").read_text("utf-8"))
    assert len(set(found)) == 1
    out = run("d.jsonl", "--apply", "out.json", "--nbest").out
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["s0"] * 3 + ["s1"] * 2


@pytest.mark.parametrize("name", ["celab", "tesla-m", "bleu", "chrf", "ter"])
def test_scores_are_those_of_the_chosen_translations(name):
    random = np.random.default_rng(5)
    refs = ["".join(random.choice([*"买卖雨伞天气"], 9)) for _ in range(12)]
    lists = [
        [
            ("".join(c for c in ref if random.random() < 0.8), {"a": x, "b": y, "c": z})
            for x, y, z in random.normal(size=(6, 3)).tolist()
        ]
        for ref in refs
    ]
    metric = {
        "celab": celab.TeslaCelab(lexicon=None),
        "tesla-m": celab.TeslaM(analysis="surface"),
    }.get(name) or make_metric(name)
    tuned = celab.tune(lists, refs, metric, restarts=3)
    chosen = tuned.choose(lists)
    assert tuned.after.score == pytest.approx(metric.corpus_score(chosen, [refs]).score)
    first = metric.corpus_score([some[0][0] for some in lists], [refs])
    assert tuned.before.score == pytest.approx(first.score)
    if metric.higher_is_better:
        assert tuned.after.score > tuned.before.score
    else:
        assert tuned.after.score < tuned.before.score
    assert tuned.metric.lower().startswith(name.replace("celab", "tesla-celab"))


def test_long_translations_are_noticed(run, folder):
    (folder / "long.txt").write_text("0 ||| 买雨伞买雨伞 ||| 1\n0 ||| 伞 ||| 2\n", "utf-8")
    (folder / "one.zh").write_text("买雨伞\n", "utf-8")
    told = "2.00 times as long as the references; --f 1 makes precision count as much as recall"
    assert run("long.txt", "-r", "one.zh", *NONE).err.startswith(
        f"celab tune: warning: the chosen translations are {told}\n"
    )
    assert "--f 1" not in run("long.txt", "-r", "one.zh", *NONE, "--f", "1").err


@pytest.mark.skipif(not find_spec("matplotlib"), reason="matplotlib is not installed")
def test_convergence_is_drawn(run, folder):
    run("nbest.txt", "-r", "ref.zh", "--plot", "p.svg", *NONE)
    drawn = (folder / "p.svg").read_text("utf-8")
    assert "TESLA-CELAB" in drawn and "best start" in drawn
    run("nbest.txt", "-r", "ref.zh", "--plot", "p.png", *NONE)
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LM0= -9.5 TM0= -1 -2", {"LM0": -9.5, "TM0.1": -1, "TM0.2": -2}),
        ("lm_0=-9.5 tm=1e-3", {"lm_0": -9.5, "tm": 0.001}),
        ("d: 0 lm: -20", {"d": 0, "lm": -20}),
        ("-9.5 1", {"1": -9.5, "2": 1}),
    ],
)
def test_features_of_decoders(text, expected):
    candidate = Candidate("x", 1, None, (text,))
    assert features_of(Sentence("f", 0, (candidate,)), candidate) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 200_000, "has no weights; it must be a JSON file"),
        (
            b'{"weight": [{"feature": "LM0", "weight": 1%s}]}' % (b"0" * 400),
            ": weight LM0 is 1000000000000000000000",
        ),
        (
            b'{"weight": [{"feature": "LM0", "weight": NaN}]}',
            "has no weights; it must be a JSON file",
        ),
        (b'{"weight": [1]}', "has no weights; it must be a JSON file"),
        (gzip.compress(bytes(1 << 25)), "has more than 16 MiB, which is the limit"),
    ],
    ids=["deep", "large", "nan", "list", "bomb"],
)
def test_weights_that_cannot_be_applied(content, message, run, folder):
    (folder / "w").write_bytes(content)
    assert message in run("nbest.txt", "--apply", "w", code=2).err


class Name(str):
    """A name that counts how often it is compared."""

    n_comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.n_comparisons += 1
        return str.__eq__(self, other)


def test_features_are_checked_in_linear_time(monkeypatch):
    monkeypatch.setattr(Name, "n_comparisons", 0)
    n = 1000
    values = {Name(f"f{k}"): float(k) for k in range(n)}
    names = [Name(f"f{k}") for k in reversed(range(n))]
    assert nbest.ordered_values(values, names, "here", "why") == list(
        map(float, reversed(range(n)))
    )
    assert Name.n_comparisons <= 20 * n
    with pytest.raises(InputError):
        nbest.ordered_values({k: v for k, v in values.items() if k != "f3"}, names, "here", "why")
    with pytest.raises(InputError):
        nbest.ordered_values(values, names[:-1], "here", "why")


def test_too_many_features_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(tuning, "search", lambda *_: pytest.fail("the search was started"))
    most = tuning.MAX_FEATURES
    lists = [[("买", dict.fromkeys(map(str, range(most + 1)), 1.0))]]
    expected = f"sentence 0, candidate 1: {most + 1} features; .* takes {most} at most, leave out"
    with pytest.raises(InputError, match=expected):
        celab.tune(lists, ["买"], lexicon=None)


def test_progress_counts_different_candidates():
    calls, lists = [], [[("买", {"a": 1}), ("卖", {"a": 2}), ("买", {"a": 3})]]
    celab.tune(lists, ["买"], lexicon=None, progress=lambda *numbers: calls.append(numbers))
    assert calls == [(2, 2)]


def test_refusals_in_python():
    lists = [[("买", {"a": 1}), ("卖", {"a": 2})]]
    with pytest.raises(InputError, match="sentence 0, candidate 2"):
        celab.tune([[("买", {"a": 1}), ("卖", {"b": 2})]], ["买"])
    with pytest.raises(InputError):
        celab.tune(lists, ["买"], initial={"a": 0})
    with pytest.raises(InputError):
        celab.tune(lists, [["买"], ["买", "卖"]])
    hurried = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9)
    with pytest.raises(SolverError, match="sentence 0, candidate 2: the score is not proved"):
        celab.tune([[("买", {"a": 1}), ("雨雨伞雨伞雨伞", {"a": 2})]], ["伞雨伞"], hurried)
