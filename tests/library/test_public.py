"""Public names: documentation, types of options, numbers of Python, lexicons and evaluations."""

import inspect
import json
import re
from dataclasses import fields
from typing import get_args

import numpy as np
import pytest
from campaigns import EXAMPLES, REF1, A, B

import celab
import celab.report.html
from celab.base.options import info_of
from celab.base.run import Run
from celab.metrics.factory import make_metrics
from celab.metrics.options import TeslaCelabOptions, TeslaMOptions, TeslaSOptions
from celab.metrics.registry import METRICS


def test_an_evaluation_is_that_of_the_command(capsys):
    from celab.cli import meta

    found = celab.meta.evaluate(EXAMPLES / "judged", ["celab"], lexicon=None, n_resamples=50)
    told = ["--quiet", "--json", "--resamples=50", "-m", "celab", "--lexicon=none"]
    assert meta.main([*told, str(EXAMPLES / "judged")]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(found.to_json())


def test_lexicons_from_python(tmp_path, make_lexicon):
    path = make_lexicon(["雨伞 伞", "伞 洋伞", "买 购"])
    opened = celab.lexicon.open(path)
    assert repr(opened) == "<Thesaurus synonyms.tsv: 3 groups>"
    assert [g.words for g in celab.lexicon.lookup("伞", opened)] == [("雨伞", "伞"), ("伞", "洋伞")]
    assert celab.lexicon.lookup("伞", [path]) == celab.lexicon.lookup("伞", path)
    joined = celab.lexicon.merge([path], "mine", mode="transitive")
    assert joined.name == "mine" and len(joined.groups) == 2
    built = celab.lexicon.build(path, tmp_path / "mine.lex", mode="transitive")
    assert celab.lexicon.open(tmp_path / "mine.lex").groups == built.groups


def public():
    modules = (
        celab,
        celab.significance,
        celab.meta,
        celab.lexicon,
        celab.integrations,
        celab.report.html,
    )
    for module in modules:
        for name in module.__all__:
            yield f"{module.__name__}.{name}", getattr(module, name)


def test_public_names_are_documented_with_an_example():
    names = dict(public())
    assert len(names) > 25
    for name, thing in names.items():
        if not (inspect.isroutine(thing) or inspect.isclass(thing)):
            continue
        assert thing.__doc__ and (">>>" in thing.__doc__ or name.endswith(".Against")), name
        if inspect.isroutine(thing) or name in ("celab.TeslaCelab", "celab.TeslaM", "celab.TeslaS"):
            told = "Parameters:" in thing.__doc__ or "parameters as in" in thing.__doc__
            for parameter in inspect.signature(thing).parameters:
                told = told and (
                    re.search(rf"\b{parameter}\b", thing.__doc__) or "as in" in thing.__doc__
                )
            assert told or not inspect.signature(thing).parameters, name


def test_dir_has_all_public_names():
    metrics = {entry.class_name for entry in METRICS.values()}
    assert dir(celab) == celab.__all__ and metrics <= {*dir(celab)}
    with pytest.raises(AttributeError):
        _ = celab.scores


def test_words_that_options_take_are_typed():
    kinds = {
        celab.TeslaCelab: TeslaCelabOptions,
        celab.TeslaM: TeslaMOptions,
        celab.TeslaS: TeslaSOptions,
    }
    for kind, settings in kinds.items():
        typed = inspect.get_annotations(kind.__init__, eval_str=True)
        for spec in (*fields(settings), *fields(Run)):
            if info_of(spec).choices:
                found = {
                    word
                    for part in (typed[spec.name], *get_args(typed[spec.name]))
                    for word in get_args(part)
                    if isinstance(word, str)
                }
                assert found == set(info_of(spec).choices), spec.name


def test_signatures_are_asked_for_as_in_sacrebleu():
    from sacrebleu.metrics import CHRF

    theirs = CHRF()
    theirs.corpus_score(["a"], [["a"]])
    (ours,) = make_metrics("chrF2").values()
    assert ours.get_signature() == ours.signature
    assert ours.get_signature().partition("|")[2] == str(theirs.get_signature()).partition("|")[2]
    assert celab.TeslaCelab(lexicon=None).get_signature().format().startswith("celab|n:4")


def test_results_are_numbers_of_python():
    """So that they print and pickle as such, whatever NumPy is installed."""
    found = celab.compare(A, B, REF1, celab.TeslaCelab(lexicon=None))["celab"]
    figures = ("a", "b", "p", "n_segments", "n_different")
    counts = ("wins", "ties", "losses", "n_skipped")
    for holder, names in ((found.difference, figures), (found, counts)):
        for name in names:
            assert type(getattr(holder, name)) in (int, float), name
    assert isinstance(found.segments, np.ndarray) and "segments" not in found.to_dict()
