"""Values of a wrong type: every argument of the public API raises an error of ours, of one line."""

import inspect

import pytest

import celab
from celab.base.errors import CelabError
from celab.metrics.baselines import Bleu, Chrf, ChrfPlusPlus, Ter
from celab.metrics.factory import make_metric, make_metrics

WRONG = [None, True, 3, 2.5, float("nan"), float("inf"), 10**400, -(10**400), object(), str]
WRONG += ["", "x", "\0", "\udc80", b"x", lambda: 3]
WRONG += [[], [[]], [["x", ["y"]]], [None], [3], [b"x"], {}, {"x": 1}, {1: "x"}, {"x"}]
TAGGED = {"analysis": "surface", "lexicon": None}
CLASSES = {
    celab.TeslaCelab: {"lexicon": None},
    celab.TeslaM: TAGGED,
    celab.TeslaS: {"unit": "char"},
    celab.TeslaB: TAGGED,
    celab.TeslaF: {},
    celab.Pem: {"lexicon": None},
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
    except Exception as error:
        return error
    return None


def faults(call, usual, slots):
    """For each wrong value in place of each argument, what happened that should not."""
    seen = []
    for slot in slots:
        for value in WRONG:
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


def test_functions():
    compared = {"a": ["买伞"] * 3, "b": ["买"] * 3, "refs": [["买雨伞"] * 3], "metrics": "chrf"}
    slots = [*compared, "names", "documents", "test", "n_resamples", "seed", "most_different"]
    assert faults(celab.compare, compared, slots) == []
    explained = {"hyp": "买伞", "refs": "买雨伞", "metric": "celab", "lexicon": None}
    assert faults(celab.explain, explained, [*explained, "lang"]) == []
    scored = {"hyps": ["买伞"], "refs": ["买雨伞"], "metric": "celab", "lexicon": None}
    assert faults(celab.score, scored, [*scored, "lang"]) == []
    assert faults(celab.score, scored | {"hyps": "买伞"}, ["refs"]) == []
    nbest = [[("卖伞", {"lm": -1.0}), ("买伞", {"lm": -2.0})]]
    tuned = {"nbest": nbest, "refs": ["买雨伞"], "metric": "chrf"}
    assert faults(celab.tune, tuned, [*tuned, "restarts", "seed", "initial"]) == []
    assert faults(celab.split_compound, {"word": "Haus"}, ["word"]) == []
    assert faults(celab.recommended, {"lang": "zh"}, ["lang"]) == []
    assert faults(make_metric, {"name": "chrf"}, ["name", "lang"]) == []
    assert faults(make_metrics, {"metrics": "chrf"}, ["metrics"]) == []


def test_pem():
    pem = celab.Pem(lexicon=None)
    usual = {"sources": ["买伞"], "candidates": ["买雨伞"]}
    assert faults(pem.scores, usual, usual) == []
    fitted = {name: texts * 20 for name, texts in usual.items()}
    fitted |= {"scores": [1.0] * 20, "output": "/absent/folder/m.json"}
    assert faults(pem.fit, fitted, fitted) == []
