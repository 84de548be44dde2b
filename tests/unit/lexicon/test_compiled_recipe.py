"""Recipes: every field is in the key, and nothing else decides what is compiled."""

from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path

import pytest

import celab
from celab.base.text.normalize import Composition, Normalization, Normalizer
from celab.lexicon.catalog import LocatedLexicon
from celab.lexicon.compiled import GradeRecipe, LexiconRecipe
from celab.lexicon.grades import PARTS
from celab.metrics.options import TeslaCelabOptions

SOURCE = LocatedLexicon(name="a", digest="0" * 64, format="tsv", language="zh", path=Path("a.tsv"))
RECIPE = LexiconRecipe(
    (GradeRecipe("=", (SOURCE,)), GradeRecipe("#", (SOURCE,))),
    "all",
    Normalization.of(TeslaCelabOptions(), Composition()),
    "char",
)


def compared(kind):
    """Names of the fields of a dataclass or a named tuple that are compared; () of other types."""
    if is_dataclass(kind):
        return [spec.name for spec in fields(kind) if spec.compare]
    return getattr(kind, "_fields", ())


def changed(value):
    """Each value that differs from this one in one leaf, by the place of the leaf."""
    if names := compared(type(value)):
        changed_copy = partial(replace if is_dataclass(value) else type(value)._replace, value)
        for name in names:
            for place, other in changed(getattr(value, name)):
                yield f"{name}.{place}", changed_copy(**{name: other})
    elif isinstance(value, tuple):
        yield "length", value[1:]
        for k, item in enumerate(value):
            for place, other in changed(item):
                yield f"{k}.{place}", (*value[:k], other, *value[k + 1 :])
    elif isinstance(value, bool):
        yield "", not value
    else:
        assert isinstance(value, str)
        yield "", value + "x"


CHANGED = dict(changed(RECIPE))


def test_every_field_is_changed():
    names = {name for place in CHANGED for name in place.split(".")}
    for kind in (LexiconRecipe, GradeRecipe, LocatedLexicon, Normalization):
        assert names >= {*compared(kind)}


@pytest.mark.parametrize("place", CHANGED)
def test_another_value_is_another_key(place):
    assert CHANGED[place].key != RECIPE.key


def test_an_equal_recipe_has_the_same_key():
    assert RECIPE._replace().key == RECIPE.key
    elsewhere = replace(SOURCE, path=Path("b/a.tsv"))
    assert RECIPE._replace(grades=(GradeRecipe("=", (elsewhere,)), RECIPE.grades[1])) == RECIPE


def test_a_normalizer_has_the_respelling_that_its_normalization_names():
    with pytest.raises(AssertionError):
        Normalizer(RECIPE.normalization)


def test_options_of_scoring_and_paths_are_not_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    metrics = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        path = tmp_path / place / "a.tsv"
        path.write_text("雨伞\t伞\n", "utf-8")
        metrics.append(celab.TeslaCelab(lexicon=path))
        for name, value in {
            "f": 0.5,
            "max_order": 2,
            "links": "release-2012",
            "weights": "information",
            "decay": 0.5,
            "grades": 0.5,
            "solver": "highs",
        }.items():
            celab.TeslaCelab(lexicon=path, **{name: value})
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert metrics[0] == metrics[1]


@pytest.mark.parametrize("part", PARTS)
def test_only_levels_have_groups_of_one_word(part):
    assert RECIPE._replace(grades=(GradeRecipe(part, (SOURCE,)),)).has_levels == ("level" in part)
