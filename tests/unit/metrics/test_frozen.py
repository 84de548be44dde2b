"""Metrics do not change, are equal by signature, and travel by pickle, the lexicon by digest."""

import copy
import os
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

import celab
from celab.base.errors import LexiconError, OptionError
from celab.base.run import Run
from celab.metrics.factory import make_metric


@pytest.fixture
def lexicon(make_lexicon):
    return make_lexicon(["雨伞 伞", "GPT OpenAI"])


@pytest.fixture
def metrics(lexicon):
    return {
        "celab": celab.TeslaCelab(lexicon=lexicon, f=0.5, script="keep"),
        "celab, none": celab.TeslaCelab(lexicon=None, tokenize="space", jobs=2),
        "tesla-m": celab.TeslaM(analysis="surface", lexicon=lexicon, similarities="lem"),
        "tesla-s": celab.TeslaS(analysis="tagged", separator="/", function_tags=["DT"]),
        "chrf": make_metric("chrf", lang="de"),
        "mean": celab.Mean([celab.TeslaCelab(lexicon=lexicon), celab.TeslaCelab(lexicon=None)]),
    }


def test_copies_are_equal(metrics):
    for metric in metrics.values():
        for other in (copy.copy(metric), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
            assert other == metric and hash(other) == hash(metric) and other.run == metric.run


def test_nothing_can_be_set(metrics):
    for metric in metrics.values():
        for attribute in ("jobs", "run", "options", "engine", "new"):
            with pytest.raises(FrozenInstanceError):
                setattr(metric, attribute, None)
        with pytest.raises(FrozenInstanceError):
            del metric.jobs


def test_metrics_are_equal_by_signature(lexicon):
    metric = celab.TeslaCelab(lexicon=lexicon)
    assert metric == celab.TeslaCelab(lexicon=str(lexicon), jobs=3)  # run settings move no score
    assert metric != celab.TeslaCelab(lexicon=lexicon, f=0.3)
    assert metric != celab.TeslaCelab(lexicon=None)
    assert metric != celab.TeslaM(analysis="surface")
    assert len({metric, celab.TeslaCelab(lexicon=lexicon), celab.TeslaCelab(lexicon=None)}) == 2


def test_run_settings_are_their_own(lexicon):
    metric = celab.TeslaCelab(lexicon=lexicon, jobs=2, on_error="skip")
    assert metric.run == Run(jobs=2, on_error="skip")
    alone = metric.with_run(jobs=1, solver="check")
    assert alone.run == Run(on_error="skip", solver="check") and metric.run.jobs == 2
    assert alone == metric
    with pytest.raises(OptionError, match="jobs is -1; it must be a whole number from 0 to 1024"):
        metric.with_run(jobs=-1)


def test_a_variant_for_another_language_has_its_defaults():
    chinese = celab.TeslaCelab(lexicon=None)
    assert replace(chinese, lang="en") == celab.TeslaCelab(lexicon=None, lang="en")
    german = replace(chinese, lang="de", tokenize="space")
    assert german == celab.TeslaCelab(lexicon=None, lang="de", tokenize="space")
    assert replace(german, tokenize=None) == celab.TeslaCelab(lexicon=None, lang="de")
    assert replace(chinese, weights="references").options.decay == 0.5


def test_fields_are_the_options_as_they_were_given(metrics):
    del metrics["mean"]  # its fields are parts
    for metric in metrics.values():
        options = {spec.name: getattr(metric, spec.name) for spec in fields(metric)}
        assert type(metric)(**options) == metric
        assert all(f"\n        {option}: " in type(metric).__doc__ for option in options)


def test_what_is_loaded_is_left_out_of_pickles(lexicon):
    metric = celab.TeslaCelab(lexicon=lexicon)
    metric.corpus_score(["买伞" * 500] * 20, [["买雨伞" * 500] * 20])
    assert {"engine", "options", "signature"} <= vars(metric).keys()
    assert len(pickle.dumps(metric)) < 2000


def test_a_relative_path_survives_a_change_of_folder(lexicon, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    metric = celab.TeslaCelab(lexicon=os.path.basename(lexicon))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(pickle.dumps(metric)) == replace(metric) == metric


@pytest.mark.parametrize("kind", ["celab", "tesla-m"])
def test_a_lexicon_that_changed_or_is_gone_is_an_error(lexicon, metrics, kind):
    sent = pickle.dumps(metrics[kind])
    lexicon.write_text("雨伞\t伞\n", "utf-8")
    with pytest.raises(LexiconError, match=r"made with lexicon synonyms\.tsv@\w+, but here it is"):
        pickle.loads(sent)
    lexicon.unlink()
    with pytest.raises(LexiconError, match="does not exist"):
        pickle.loads(sent)


def test_what_stood_in_for_a_lexicon_is_what_travels(monkeypatch):
    from celab.lexicon import catalogue

    monkeypatch.setattr(catalogue, "installed_path", lambda name: None)
    with pytest.warns(UserWarning, match="is used instead"):
        metric = celab.TeslaCelab(lexicon="cilin")
    assert "|lex:zh-core@" in metric.signature
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_a_lexicon_that_is_missing_on_the_other_side_has_no_stand_in(monkeypatch):
    from celab.lexicon import catalogue

    if catalogue.installed_path("cilin") is None:
        pytest.skip("Cilin is not installed")
    sent = pickle.dumps(celab.TeslaCelab())
    monkeypatch.setattr(catalogue, "installed_path", lambda name: None)
    with pytest.raises(LexiconError, match="'cilin' is not installed"):
        pickle.loads(sent)


# ---- streams -----------------------------------------------------------------------------------

TRADITIONAL, SIMPLIFIED = ["買雨傘", "下週開會"], ["买雨伞", "下周开会"]


def test_scores_of_other_metrics_cannot_be_joined():
    one, other = (
        celab.TeslaCelab(lexicon=None, f=f).corpus_score(["甲"], [["甲"]]) for f in (0.25, 1.0)
    )
    with pytest.raises(celab.InputError, match="cannot be joined"):
        celab.Score.joined([one, other])


# ---- what is absent and what is not proved ------------------------------------------------------


# The smallest pair known that the reduction leaves to HiGHS.
HARD = "雨雨伞雨伞雨伞", "伞雨伞"


def test_absent_and_unproved_are_told_apart():
    metric = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9, on_error="skip")
    found = metric.corpus_score([HARD[0], "甲"], [[HARD[1], ""], ["", "甲"]])
    assert found.segments.present.tolist() == [[True, False], [False, True]]
    assert found.segments.scored.tolist() == [False, True]
    assert found.score == 1.0 and found.signature.endswith("|skipped:1")
    matrix = metric.pairwise([HARD[0], "雨"], [HARD[1], "", "伞"])
    assert np.isnan(matrix).tolist() == [[True, True, False], [False, True, False]]
    with pytest.raises(celab.SolverError, match="hypothesis 1, reference 1: no optimum"):
        metric.with_run(on_error="raise").pairwise([HARD[0]], [HARD[1]])
