"""Metrics by name: everything that asks for one asks the registry."""

import inspect
import subprocess
import sys
from dataclasses import fields

import pytest

import celab
from celab.base.errors import OptionError
from celab.base.run import Run
from celab.cli.metrics import options_of
from celab.metrics.base import Metric
from celab.metrics.factory import make_metric, make_metrics
from celab.metrics.registry import (
    METRICS,
    arguments_of,
    canonical_name,
    digits_of,
    metric_class,
    title_of,
)


@pytest.mark.parametrize("name", [name for name in METRICS if not METRICS[name].preset])
def test_a_class_has_all_that_others_ask_for(name):
    kind = metric_class(name)
    assert issubclass(kind, Metric) and kind.name == name
    assert getattr(celab, METRICS[name].class_name) is kind
    taken = inspect.signature(kind).parameters
    assert set(arguments_of(name)) <= set(taken)
    # An option is written once, where the registry finds it without loading the class.
    declared = {spec.name for spec in (*fields(METRICS[name].data), *fields(Run))}
    declared |= {spec.name for options in METRICS[name].options for spec in fields(options)}
    assert {spec.name for spec in fields(kind)} == declared == set(taken)
    assert "lang" in options_of(name) and len(set(arguments_of(name))) == len(arguments_of(name))


@pytest.mark.parametrize("name", [name for name in METRICS if METRICS[name].preset])
def test_a_preset_makes_metrics_of_its_class_and_takes_the_same_options(name):
    entry, kind = METRICS[name], metric_class(name)
    own = {field: getattr(METRICS[kind.name], field) for field in ("aliases", "profiles")}
    assert entry._replace(preset="", presets={}, **own) == METRICS[kind.name]
    assert arguments_of(name) == arguments_of(kind.name)
    made = make_metric(name, lang="zh", f=0.5, on_error="skip")
    assert made == kind.recommended("zh", f=0.5)
    assert (made.options.f, made.run.on_error) == (0.5, "skip")
    assert list(make_metrics([kind.name, name.upper()])) == [kind.name, name]


def test_aliases_and_case():
    names = ("TESLA-CELAB", "chrF2", "CHRF2++", "Ter")
    assert [canonical_name(name) for name in names] == ["celab", "chrf", "chrf++", "ter"]
    assert make_metric("chrF2").signature == make_metric("chrf").signature


def test_unregistered_names_are_their_own_titles():
    assert title_of("mean") == "mean" and digits_of("comet") == 4


def test_a_metric_gets_only_what_it_takes():
    assert make_metric("bleu", lang="de", lexicon="default").signature.part("tok") == "13a"


def test_metrics_of_one_name_must_be_equal():
    plain, other = celab.TeslaCelab(lexicon=None), celab.TeslaCelab(lexicon=None, f=1.0)
    assert list(make_metrics([plain, plain])) == ["celab"]
    with pytest.raises(OptionError):
        make_metrics([plain, other])
    assert list(make_metrics({"a": plain, "b": other})) == ["a", "b"]
    with pytest.raises(OptionError):
        make_metrics([])


def test_names_are_known_without_loading_any_metric():
    code = (
        "import sys, celab.metrics.registry as r; r.canonical_name('BLEU');"
        "print([m for m in ('numpy', 'sacrebleu', 'celab.metrics.celab') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
