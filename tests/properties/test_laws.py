"""Every law on every metric, in short; `run.py` tries them for as long as you like."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import warnings
import zlib
from dataclasses import dataclass, fields

import pytest
from conftest import scaled
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import celab
from celab import metrics
from celab.base.options import Limits, Options, info_of, option
from celab.base.run import RunOptions
from celab.metrics.base import Metric
from celab.metrics.character_metrics import ErrorRate, RougeN
from celab.metrics.external import Adapted
from celab.metrics.registry import METRICS as REGISTERED
from celab.metrics.registry import metric_class
from properties import draw, laws, run
from properties.draw import METRICS, OPTIONS, Scene, parameters, strategy_for
from properties.laws import LAWS, SIZES, Law

# Cases of a law whose `cost` is 1, at CELAB_EXAMPLES=50. TESLA-CELAB has the most options, and
# TESLA-B, TESLA-F and means take the most time.
EXAMPLES = {
    "celab": 22,
    "celab-recommended": 5,
    "tesla-m": 8,
    "tesla-s": 8,
    "mean": 6,
    "bleu": 4,
    "chrf": 3,
    "chrf++": 2,
    "ter": 3,
    "cer": 4,
    "mer": 3,
    "rouge1": 2,
    "rouge2": 3,
    "rougeL": 2,
    "tesla-b": 5,
    "tesla-f": 5,
}
EXAMPLES_OF_OTHERS = 8
SCENE = Scene("zh", "chars", ("甲", "乙"))
PAIRS = [(law, kind) for law in LAWS.values() for kind in law.kinds]


def examples_of(law: Law, kind: str) -> int:
    return scaled(EXAMPLES.get(kind, EXAMPLES_OF_OTHERS) / law.cost)


@pytest.mark.parametrize(
    ("law", "kind"), [pytest.param(law, kind, id=f"{kind}: {law.name}") for law, kind in PAIRS]
)
def test_law(law, kind):
    if law.name == "on Dask":
        pytest.importorskip("dask.dataframe", reason="Dask is not installed")

    @settings(max_examples=examples_of(law, kind), suppress_health_check=list(HealthCheck))
    @given(draw.cases(kind, independent=law.independent, longest=law.longest, varied=law.varied))
    def check(case):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            law(case)

    if settings.default.derandomize:  # else all laws would see the same cases
        check = seed(zlib.crc32(f"{kind}: {law.name}".encode()))(check)
    check()


def test_laws_with_analyzers_and_lexicons_that_take_long_to_load():
    # In one test, so that one process loads them.
    for package in ("jieba", "rjieba", "HanTa", "simplemma", "wordfreq"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    names = ["alone", "references in another order", "explained", "after pickling"]

    @st.composite
    def trials(draw_value):
        law = LAWS[draw_value(st.sampled_from(names))]
        kind = draw_value(st.sampled_from(["celab", "tesla-m", "tesla-s", "mean"]))
        chosen = draw.cases(kind, slow=True, independent=law.independent, most_segments=2)
        return law, draw_value(chosen)

    @settings(max_examples=scaled(12), suppress_health_check=list(HealthCheck))
    @given(trials())
    def check(trial):
        law, case = trial
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            law(case)

    check()


# ---- nothing is left out ----


def subclasses(kind):
    """All classes of celab below a class, by name: one with slots is there twice."""
    below = {}
    for child in kind.__subclasses__():
        if child.__module__.startswith("celab."):
            below[child.__qualname__] = child
            below |= subclasses(child)
    return below


def test_every_metric_is_drawn():
    for module in pkgutil.iter_modules(metrics.__path__, "celab.metrics."):
        importlib.import_module(module.name)
    concrete = {kind for kind in subclasses(Metric).values() if not inspect.isabstract(kind)}
    concrete.remove(Adapted)  # whatever somebody's own metric does, so that no law holds for it
    concrete -= {ErrorRate, RougeN}  # which metrics share
    concrete -= {metric_class(name) for name in draw.DISCOURSE}
    drawn = {kind for kind in METRICS.values() if inspect.isclass(kind)}
    assert concrete == drawn
    assert set(METRICS) == set(OPTIONS) >= set(EXAMPLES)


def test_every_option_of_every_options_class_is_drawn():
    used = {options.__qualname__ for classes in OPTIONS.values() for options in classes}
    others = {Limits.__qualname__}  # for Dask's files
    for name in draw.DISCOURSE:
        others |= {
            options.__qualname__ for options in (REGISTERED[name].data, *REGISTERED[name].options)
        }
    declared = {
        name for name, options in subclasses(Options).items() if not issubclass(options, Metric)
    }
    assert declared == used | others | {RunOptions.__qualname__}
    for kind, classes in OPTIONS.items():
        declared = {field.name for options in classes for field in fields(options)}
        assert declared <= set(parameters(kind)), kind


@pytest.mark.parametrize("kind", METRICS)
def test_every_parameter_has_a_strategy(kind):
    for name in parameters(kind):
        strategy_for(kind, name, SCENE)


@pytest.mark.parametrize("kind", sorted(METRICS.keys() - {"tesla-b"}))  # drawn as TESLA-M is
def test_every_parameter_takes_all_its_values(kind):
    @st.composite
    def recipes(draw_value):
        slow = draw_value(st.booleans())
        return draw.recipe_for(draw_value, kind, draw.scene_for(draw_value, kind, slow))

    drawn = {name: set() for name in parameters(kind)}

    def missing():
        for name, values in drawn.items():
            field = draw.option_field(kind, name)
            choices = info_of(field).choices if field else None
            choices = {repr(choice) for choice in choices or () if choice not in draw.UNAVAILABLE}
            if choices - values or len(values) < 2:
                yield name, values

    for number in range(40):  # in short runs, because hypothesis repeats itself in a long one

        @seed(number)
        @settings(max_examples=30, database=None, suppress_health_check=list(HealthCheck))
        @given(recipes())
        def collect(recipe):
            for name, values in drawn.items():
                values.add(repr(recipe.arguments.get(name)))

        collect()
        if not list(missing()):
            return
    pytest.fail(f"{kind} is never drawn with all values of {dict(missing())}")


def test_a_new_option_is_drawn_as_it_declares_or_asks_for_a_strategy(monkeypatch):
    @dataclass(frozen=True, kw_only=True)
    class NewOptions:
        flavor: str = option("sweet", "a choice", choices=("sweet", "sour"))
        share: float = option(0.5, "a share", between=(0.0, 1.0))
        secret: str = option("", "text without choices")

    def new_metric(flavor="sweet", share=0.5, secret=""):
        return flavor, share, secret

    monkeypatch.setitem(METRICS, "new", new_metric)
    monkeypatch.setitem(OPTIONS, "new", (NewOptions,))
    assert parameters("new") == ["flavor", "share", "secret"]

    @settings(max_examples=50, derandomize=True, database=None)
    @given(strategy_for("new", "flavor", SCENE), strategy_for("new", "share", SCENE))
    def check(flavor, share):
        flavors.add(flavor)
        assert 0 <= share <= 1

    flavors: set[str] = set()
    check()
    assert flavors == {"sweet", "sour"}
    with pytest.raises(LookupError, match=r"'secret', for which .* no strategy"):
        strategy_for("new", "secret", SCENE)


def test_every_size_of_a_batch_is_varied():
    modules = [m.name for m in pkgutil.iter_modules(metrics.__path__, "celab.metrics.")]
    sizes = {
        f"{module}.{name}"
        for module in modules
        for name, value in vars(importlib.import_module(module)).items()
        if isinstance(value, int) and re.fullmatch("_[A-Z_]*BATCH[A-Z_]*", name)
    }
    assert sizes == {size for size in SIZES if size.startswith("celab.metrics.")}


# ---- the laws can fail, and the runner says so ----


def test_a_law_that_is_broken_stops_the_run_with_its_smallest_case(monkeypatch, capsys):
    def check(case):
        assert len(case.refs) < 2, "two references"

    broken = Law("broken", check, ("chrf",), False, 3, 1.0)
    monkeypatch.setitem(LAWS, "broken", broken)
    monkeypatch.setattr(sys, "argv", ["run.py", "--law=broken", "--seed=3", "--examples=30"])
    assert run.main() == 1
    out = capsys.readouterr().out
    assert "BROKEN by chrf: broken" in out and "two references" in out
    assert "--metric chrf --law 'broken' --seed 3 --rounds 1 --examples 30" in out
    assert re.search(r"systems=\(\('',\),\)", out), "the case is as small as can be"


def test_a_round_of_laws_is_counted(monkeypatch, capsys):
    given = ["--law=alone", "--metric=chrf", "--rounds=2", "--examples=4"]
    monkeypatch.setattr(sys, "argv", ["run.py", *given])
    before = laws.TRIED["alone"]
    assert run.main() == 0
    assert laws.TRIED["alone"] - before == 8
    assert " laws tried, " in capsys.readouterr().out


def test_laws_notice_a_score_that_is_off_by_one_bit(monkeypatch):
    case = draw.Case(draw.Recipe("celab", {"lexicon": None}), (("甲乙",),), (("甲丙乙",),), "庚", 0)
    LAWS["alone"](case)
    once = celab.TeslaCelab.sentence_score

    def moved(self, hyp, refs):
        segment = once(self, hyp, refs)
        return type(segment)(
            segment.score * (1 + 2**-52), segment.precision, segment.recall, segment.references
        )

    monkeypatch.setattr(celab.TeslaCelab, "sentence_score", moved)
    with pytest.raises(AssertionError, match="segment 1 alone"):
        LAWS["alone"](case)
