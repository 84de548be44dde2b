"""Columns of data frames and data sets: campaigns of them, and scores beside them."""

from importlib import import_module
from importlib.util import find_spec

import pytest

import celab
from celab.base.text.sequences import items_of
from celab.integrations import score_columns

TABLE = {
    "doc": ["d", "d", "e"],
    "src": ["An umbrella", "Go", "Rain"],
    "ref": ["买雨伞", "去北京", "下雨了"],
    "A": ["买伞", "去", "雨"],
    "B": ["卖", "去北京", "下雨"],
}


class Dataset:
    """What `datasets.Dataset` does for us: columns by name, which are added to a copy."""

    def __init__(self, columns):
        self.columns_by_name = columns

    @property
    def column_names(self):
        return list(self.columns_by_name)

    def __len__(self):
        return len(next(iter(self.columns_by_name.values())))

    def __getitem__(self, name):
        return iter(self.columns_by_name[name])

    def add_column(self, name, column):
        return Dataset(self.columns_by_name | {name: column})


def make(library):
    if library == "stand-in":
        return Dataset
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")
    module = import_module(library)
    if library == "pyarrow":
        return module.table
    return module.Dataset.from_dict if library == "datasets" else module.DataFrame


every_library = pytest.mark.parametrize(
    "library", ["pandas", "polars", "pyarrow", "datasets", "stand-in"]
)


@every_library
def test_a_campaign_of_columns(library):
    frame = make(library)(TABLE)
    campaign = celab.Campaign.from_dataframe(frame, ["A", "B"], "ref", source="src", document="doc")
    lists = celab.Campaign.from_lists({"A": TABLE["A"], "B": TABLE["B"]}, TABLE["ref"])
    assert campaign.corpus.systems == lists.corpus.systems
    assert campaign.corpus.refs == lists.corpus.refs
    assert campaign.corpus.source == TABLE["src"]
    assert [segment[:2] for segment in campaign.corpus.segments] == [
        ("d", "1"),
        ("d", "2"),
        ("e", "1"),
    ]
    assert campaign.score("celab").scores == lists.score("celab").scores


@every_library
def test_references_in_lists_and_in_objects(library):
    rows = {
        "hypothesis": ["买伞", "去"],
        "translation": [{"en": "Buy", "zh": "买雨伞"}, {"en": "Go", "zh": "去北京"}],
        "references": [["买雨伞"], ["去北京", "到北京去"]],
    }
    frame = make(library)(rows)
    campaign = celab.Campaign.from_dataframe(frame, references="references")
    assert campaign.corpus.refs == [["买雨伞", "去北京"], ["", "到北京去"]]
    nested = score_columns(frame, references="translation.zh")
    plain = celab.TeslaCelab().corpus_score(rows["hypothesis"], [["买雨伞", "去北京"]])
    assert items_of(nested["score"], "score") == plain.segments.scores.tolist()
    several = score_columns(frame, references="references")
    expected = celab.TeslaCelab().corpus_score(rows["hypothesis"], campaign.corpus.refs)
    assert items_of(several["score"], "score") == expected.segments.scores.tolist()


@every_library
def test_figures_that_a_metric_lacks_are_absent(library):
    scored = score_columns(make(library)(TABLE), "A", "ref", "ter")
    assert items_of(scored["precision"], "precision") in (
        [None] * 3,
        pytest.approx([float("nan")] * 3, nan_ok=True),
    )


@every_library
def test_scored_columns_have_the_kinds_of_outputs(library):
    texts = ["", "Buy an umbrella today", "I cannot translate this."]
    rows = {"mt": texts, "ref": ["买雨伞"] * 3, "en": ["Buy it", texts[1], "Rain"]}
    frame = make(library)(rows)
    scored = score_columns(frame, "mt", "ref", "chrf")
    assert items_of(scored["kind"], "kind") == ["empty", "other-language", "refusal"]
    scored = score_columns(frame, "mt", "ref", "chrf", source="en")
    assert items_of(scored["kind"], "kind") == ["empty", "copied", "refusal"]
    with pytest.raises(celab.InputError, match="already has a column 'kind'"):
        score_columns(make(library)(rows | {"kind": [""] * 3}), "mt", "ref")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": ["买"]}, "a"), r"the data frame has no column 'reference'; it has a$"),
        (({"a": ["买"]}, "b.c"), r"the data frame has no column 'b\.c'; it has a$"),
        (({"a": [None], "r": ["买"]}, "a", "r"), r"column 'a', row 1: the translation is absent"),
        (({"a": ["买"], "r": [[1]]}, "a", "r"), r"column 'r', row 1: int is not text; it must be"),
    ],
)
def test_what_columns_cannot_be(arguments, message):
    columns, *names = arguments
    for take in (celab.Campaign.from_dataframe, score_columns):
        with pytest.raises(celab.InputError, match=message):
            take(Dataset(columns), *names)


def test_what_is_no_frame():
    splits = type("DatasetDict", (dict,), {})(test=Dataset(TABLE))
    with pytest.raises(celab.InputError):
        celab.Campaign.from_dataframe(splits)
    with pytest.raises(celab.InputError):
        celab.Campaign.from_dataframe([["买"]])
    with pytest.raises(celab.InputError, match=r"column 'doc', row 1: the document is absent"):
        celab.Campaign.from_dataframe(
            Dataset({"doc": [None], "a": ["买"], "r": ["买"]}), "a", "r", document="doc"
        )
