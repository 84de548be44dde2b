"""Values of a wrong type: for options and texts whatever they are, else those passed by mistake.

The error is one of ours, of one line.
"""

import inspect
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import celab
from celab.base.errors import CelabError
from celab.metrics.baselines import Bleu, Chrf, ChrfPlusPlus, Ter
from celab.metrics.factory import make_metric, make_metrics

WRONG = [None, True, 3, 2.5, float("nan"), float("inf"), 10**400, -(10**400), object(), str]
WRONG += ["", "x", "\0", "\udc80", b"x", lambda: 3]
WRONG += [[], [[]], [["x", ["y"]]], [None], [3], [b"x"], {}, {"x": 1}, {1: "x"}, {"x"}]
WRONG += [Path("absent"), [float("nan")], ["x", None], [["x"], None], np.array("x")]
WRONG += [np.zeros((2, 2)), np.array(["x", None], dtype=object), bytearray(b"x"), range(3)]
if find_spec("pandas"):
    import pandas

    WRONG += [pandas.DataFrame({"a": ["x"], "b": ["y"]}), pandas.DataFrame({"a": ["x"]})]
    WRONG += [pandas.DataFrame(), pandas.Series(["x", None]), pandas.Series([1.5])]
TAGGED = {"analysis": "surface", "lexicon": None}
CLASSES = {
    celab.TeslaCelab: {"lexicon": None},
    celab.TeslaM: TAGGED,
    celab.TeslaS: {"unit": "char"},
    celab.TeslaB: TAGGED,
    celab.TeslaF: {},
    celab.Mean: {"metrics": [celab.TeslaCelab(lexicon=None)]},
    Bleu: {},
    Chrf: {},
    ChrfPlusPlus: {},
    Ter: {},
}
METRICS = {
    "celab": lambda: celab.TeslaCelab(lexicon=None),
    "weighted": lambda: celab.TeslaCelab(lexicon=None, weights="references"),
    "parts": lambda: celab.TeslaCelab(lang="en", tokenize="space", lexicon=None),
    "tesla-m": lambda: celab.TeslaM(**TAGGED),
    "tesla-s": lambda: celab.TeslaS(lang="zh"),
    "mean": lambda: celab.Mean([celab.TeslaCelab(lexicon=None)]),
    "bleu": Bleu,
    "chrf": Chrf,
    "ter": Ter,
    "cer": celab.Cer,
    "rougeL": celab.RougeL,
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of its own, because "x" is a valid name of a file to write."""
    monkeypatch.chdir(tmp_path)


def attempt(call, *arguments, **named):
    """The exception that is not one of ours, if there is any."""
    try:
        call(*arguments, **named)
    except CelabError as error:
        return "two lines" if "\n" in str(error) else None
    except AssertionError:  # what `celab.testing` is for
        return None
    except Exception as error:
        return error
    return None


def faults(call, usual, slots):
    """For each wrong value in place of each argument, what happened that should not."""
    seen = []
    for slot in slots:
        for value in (*WRONG, iter(())):
            error = attempt(call, **usual | {slot: value})
            if error is not None:
                seen.append((slot, value, error))
    return seen


def parameters(call):
    """The names of its parameters, with the settings that every metric shares."""
    named = inspect.signature(call).parameters.values()
    names = [one.name for one in named if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]
    if any(one.kind is one.VAR_KEYWORD for one in named):
        names += ["jobs", "solver", "time_limit", "on_error"]
    return [name for name in dict.fromkeys(names) if name != "self"]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_options(kind):
    assert faults(kind, CLASSES[kind], parameters(kind)) == []


@pytest.mark.parametrize("name", METRICS)
def test_texts(name):
    metric = METRICS[name]()
    sound = {
        metric.sentence_score: {"hyp": "买伞", "refs": ["买雨伞"]},
        metric.corpus_score: {"hyps": ["买伞"], "refs": [["买雨伞"]]},
        metric.corpus_scores: {"systems": {"A": ["买伞"]}, "refs": [["买雨伞"]]},
        metric.pairwise: {"hyps": ["买伞"], "refs": ["买雨伞"]},
        metric.explain: {"hyp": "买伞", "ref": "买雨伞"},
    }
    for call, usual in sound.items():
        assert faults(call, usual, usual) == [], call
    assert faults(metric.scorer, {"refs": [["买雨伞"]]}, ["refs"]) == []
    scorer = metric.scorer([["买雨伞"]])
    assert faults(scorer, {"hyps": ["买伞"], "refs": [["买雨伞"]]}, ["hyps", "refs"]) == []
    assert faults(scorer.explain, {"hyp": "买伞", "refs": ["买雨伞"]}, ["hyp", "refs"]) == []


def test_systems_that_are_wrong_inside():
    metric = celab.TeslaCelab(lexicon=None)
    for value in WRONG:
        assert attempt(metric.corpus_scores, {"A": value}, [["买"]]) is None
        assert attempt(metric.corpus_scores, [value], [["买"]]) is None
        assert attempt(metric.corpus_score, ["买"], [value]) is None
        assert attempt(metric.sentence_score, "买", [value]) is None


REFS = ["买雨伞"] * 3
SYSTEMS = {"A": ["买伞"] * 3, "B": ["买"] * 3}
COMPARED = {"a": SYSTEMS["A"], "b": SYSTEMS["B"], "refs": [REFS], "metrics": "chrf"}
TESTED = {"new": ["买伞"], "old": ["买"], "refs": ["买雨伞"], "metric": "chrf", "margin": 1}
ONE = "one.tsv"
# What callers pass by mistake: a str for a list, none or a number for a path, a text or a negative
# number for a number. For each argument, the others, and the wrong values; messages name it.
TEXT, PATHS, NUMBERS = ["v1", "x"], [None, 3, b"x"], [-1, "3", 2.5j, None]
FUNCTIONS = [
    ("board", {"paths": "result.json"}, {"paths": [*PATHS, [None]], "order": TEXT}),
    ("board", {"paths": "result.json"}, {"seed": NUMBERS, "against": ["absent"]}),
    ("compare", COMPARED, {"documents": TEXT, "names": TEXT, "most_different": NUMBERS}),
    ("compare", COMPARED, {"n_resamples": NUMBERS, "seed": NUMBERS}),
    ("mbr", {"candidates": ["买伞", "买"]}, {"model_scores": [*TEXT, ["a", "b"]], "scale": ["3"]}),
    ("tune", {"nbest": [[("买", {"lm": 1.0})]], "refs": ["买"]}, {"restarts": NUMBERS}),
    ("lexicon.open", {}, {"lexicon": PATHS}),
    ("lexicon.lookup", {"word": "雨伞"}, {"lexicon": PATHS}),
    ("lexicon.merge", {"lexicons": [ONE, ONE]}, {"lexicons": [ONE], "min_sources": NUMBERS}),
    ("lexicon.merge", {"lexicons": [ONE, ONE]}, {"max_group": NUMBERS[:-1]}),
    ("lexicon.build", {"sources": ONE, "output": "one.lex"}, {"output": PATHS}),
    ("pivot.open", {}, {"path": PATHS}),
    ("pivot.build", {"sources": ONE, "output": "x", "lang": "zh"}, {"sources": PATHS}),
    ("pivot.build", {"sources": ONE, "output": "x", "lang": "zh"}, {"output": PATHS}),
    ("pivot.build", {"sources": ONE, "output": "x", "lang": "zh"}, {"alignment": PATHS}),
    ("pivot.build", {"sources": ONE, "output": "x", "lang": "zh"}, {"min_count": ["3", None]}),
    ("meta.evaluate", {"folder": "."}, {"folder": PATHS, "levels": TEXT, "refs": TEXT}),
    ("meta.evaluate", {"folder": "."}, {"lower_is_better": TEXT}),
    ("testing.assert_not_worse", TESTED, {"margin": NUMBERS[:-1]}),
    ("Pem", {}, {"model": PATHS[1:], "pivot": PATHS[1:]}),
    ("Campaign.read", {"refs": ONE, "systems": ONE}, {"refs": PATHS, "systems": PATHS}),
    ("scored.test", {}, {"n_resamples": NUMBERS, "seed": NUMBERS}),
    ("scored.bootstrap", {}, {"n_resamples": NUMBERS, "seed": NUMBERS}),
    ("scored.error_profile", {}, {"n_resamples": NUMBERS, "seed": NUMBERS}),
    ("scored.explain", {}, {"segments": ["1", 1]}),
    ("scored.with_spans", {"path": ONE}, {"path": PATHS, "segments": ["1", 1]}),
    ("scored.with_scores", {"scores": {"x": {"A": 1}}}, {"lower_is_better": ["v1"]}),
    ("scored.with_scores", {}, {"scores": ["comet.tsv", None]}),
    ("scored.html", {}, {"path": PATHS[1:], "jobs": NUMBERS, "explained": NUMBERS[:1]}),
    ("scored.outputs.html", {}, {"path": PATHS[1:]}),
    ("scored.outputs.gate", {}, {"kinds": ["empty"]}),
]
MISTAKES = {
    f"{name} {slot}": (name, usual, slot, values)
    for name, usual, slots in FUNCTIONS
    for slot, values in slots.items()
}


@pytest.fixture
def scored():
    campaign = celab.Campaign.from_lists(SYSTEMS, REFS).score("celab", lexicon=None)
    Path("one.tsv").write_text("雨伞\t伞\n", encoding="utf-8")
    Path("result.json").write_text(campaign.to_json(), encoding="utf-8")
    return campaign


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case, scored):
    name, usual, slot, values = MISTAKES[case]
    first, _, rest = name.partition(".")
    call = attrgetter(rest)(scored) if first == "scored" else attrgetter(name)(celab)
    for value in values:
        with pytest.raises(CelabError) as caught:
            call(**usual | {slot: value})
        (line,) = str(caught.value).splitlines()
        assert slot.replace("_", " ").rstrip("s") in line.replace("_", " "), line


def test_makers_of_metrics():
    assert faults(make_metric, {"name": "chrf"}, ["name", "lang"]) == []
    assert [attempt(make_metrics, value) for value in WRONG if attempt(make_metrics, value)] == []


def test_a_missing_segment_of_the_reference_is_absent():
    aligned = celab.align("他买了伞。去北京。", ["他买了雨伞。", None, "去北京。"])
    assert aligned == celab.align("他买了伞。去北京。", ["他买了雨伞。", "", "去北京。"])
    assert aligned.lines == ["他买了伞。", "", "去北京。"]


def test_pem():
    pem = celab.Pem(lexicon=None)
    usual = {"sources": ["买伞"], "candidates": ["买雨伞"]}
    assert faults(pem.scores, usual, usual) == []
    fitted = {name: texts * 20 for name, texts in usual.items()}
    fitted |= {"scores": [1.0] * 20, "output": "/absent/folder/m.json"}
    assert faults(pem.fit, fitted, fitted) == []
