"""Values of a wrong type: every argument of the public API raises an error of ours, of one line."""

import inspect
import os
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from types import FunctionType, ModuleType

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
SCORED = {"hyps": ["买伞"], "refs": ["买雨伞"], "metric": "celab", "lexicon": None}
NBEST = [[("卖伞", {"lm": -1.0}), ("买伞", {"lm": -2.0})]]
NUMBERS = {"a": [1.0, 0.5], "b": [0.5, 0.25]}
JUDGED = os.path.abspath("examples/judged")
# Every public function, with arguments that are right; in turn, each is replaced by wrong ones.
FUNCTIONS = {
    "align": [
        {"text": "买伞", "refs": ["买雨伞"]},
        {"text": {"d": "买伞"}, "refs": ["买雨伞"], "documents": ["d"]},
    ],
    "board": [{"paths": "result.json"}],
    "check": [{"systems": ["买伞"], "refs": ["买雨伞"], "source": ["an umbrella"]}],
    "compare": [COMPARED],
    "explain": [{"hyp": "买伞", "refs": "买雨伞", "metric": "celab", "lexicon": None}],
    "mbr": [{"candidates": ["买伞", "买雨伞"], "metric": "chrf", "model_scores": [-1.0, -2.0]}],
    "recommended": [{"lang": "zh"}],
    "score": [SCORED, SCORED | {"hyps": "买伞"}],
    "split_compound": [{"word": "Haus"}],
    "terms": [{"glossary": {"umbrella": "雨伞"}, "corpus": "campaign", "explain": False}],
    "tune": [{"nbest": NBEST, "refs": ["买雨伞"], "metric": "chrf"}],
    "unwrap": [{"texts": ["译文：买伞"], "sources": ["an umbrella"], "refs": ["买雨伞"]}],
    "integrations.evaluate_module": [{}],
    "integrations.reference_columns": [{"rows": [["买雨伞"]]}],
    "integrations.reward": [{"metric": "chrf"}],
    "integrations.score_columns": [{"frame": "frame", "metric": "chrf"}],
    "lexicon.build": [{"sources": "one.tsv", "output": "one.lex"}],
    "lexicon.lookup": [{"word": "雨伞", "lexicon": "one.tsv"}],
    "lexicon.merge": [{"lexicons": ["one.tsv", "one.tsv"]}],
    "lexicon.open": [{"lexicon": "one.tsv"}],
    "meta.evaluate": [{"folder": JUDGED, "metrics": "chrf", "levels": ["system"]}],
    "pivot.build": [{"sources": "phrases.tsv", "output": "one.pivot", "lang": "zh"}],
    "pivot.open": [{"path": "one.pivot"}],
    "significance.paired_bootstrap": [NUMBERS],
    "significance.paired_randomization": [NUMBERS],
    "testing.assert_not_worse": [
        {"new": ["买伞"], "old": ["买"], "refs": ["买雨伞"], "metric": "chrf", "margin": 1}
    ],
}
# Methods of a campaign that is scored, and functions that make one.
METHODS = {
    "from_lists": [
        {"systems": SYSTEMS, "refs": REFS, "source": REFS, "unwrap": True},
        {"systems": SYSTEMS, "refs": REFS, "align": True},
    ],
    "from_dataframe": [{"frame": "frame"}],
    "read": [{"refs": "one.tsv", "systems": "one.tsv"}],
    "score": [{"metrics": "chrf"}],
    "test": [{}],
    "bootstrap": [{}],
    "interval": [{"metric": "celab", "system": "A"}],
    "compare": [{"a": "A", "b": "B"}],
    "error_profile": [{}],
    "findings": [{}],
    "explain": [{"segments": [1]}],
    "with_scores": [{"scores": {"COMET": {"A": [0.5] * 3, "B": [0.4] * 3}}}],
    "with_spans": [{"path": "spans.tsv"}],
    "without_copies": [{}],
    "add_terms": [{"glossary": {"umbrella": "雨伞"}}],
    "by_document": [{}],
    "view": [{}],
    "html": [{}],
    "plot": [{}],
    "to_dataframe": [{}],
    "to_dict": [{}],
    "to_json": [{}],
}
# Objects that no caller makes by mistake, and a number of spaces.
NOT_TRIED = {"progress", "limits", "aggregate", "ax", "indent", "options"}


def public_functions():
    modules = {
        f"{name}.": value
        for name in celab.__all__
        if isinstance(value := getattr(celab, name), ModuleType)
    }
    for prefix, module in {"": celab, **modules}.items():
        for name in getattr(module, "__all__", ()):
            if isinstance(getattr(module, name), FunctionType):
                yield prefix + name


def test_every_public_function_is_tried():
    assert sorted(FUNCTIONS) == sorted(public_functions())
    public = inspect.getmembers(celab.Campaign, inspect.isroutine)
    assert sorted(METHODS) == sorted(name for name, _ in public if not name.startswith("_"))


@pytest.fixture
def objects():
    """What cannot be made before the test, by name."""
    Path("one.tsv").write_text("雨伞\t伞\n", encoding="utf-8")
    scored = celab.Campaign.from_lists(SYSTEMS, REFS).score("celab", lexicon=None)
    Path("result.json").write_text(scored.to_json(), encoding="utf-8")
    return {
        "campaign": celab.Campaign.from_lists(SYSTEMS, REFS),
        "frame": pytest.importorskip("pandas").DataFrame(
            {"hypothesis": ["买伞"], "reference": ["买雨伞"]}
        ),
    }


def all_faults(call, usual, objects):
    usual = {
        name: objects.get(value, value) if isinstance(value, str) else value
        for name, value in usual.items()
    }
    slots = {*inspect.signature(call).parameters} - {"settings", "options", *NOT_TRIED}
    return faults(call, usual, sorted(slots))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_functions(name, objects):
    for usual in FUNCTIONS[name]:
        assert all_faults(attrgetter(name)(celab), usual, objects) == []


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore")
def test_methods_of_campaigns(name, objects):
    scored = objects["campaign"].score("celab", lexicon=None)
    for usual in METHODS[name]:
        assert all_faults(getattr(scored, name), usual, objects) == []


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
