"""Texts in lists, arrays, columns and frames are one thing at every door of Python."""

import warnings
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import celab
from celab.base.text.sequences import items_of
from celab.testing import assert_not_worse

HYPS = ["买伞", "我们去北京", "下雨"]
REFS = ["买雨伞", "我们明天去北京", "下雨了"]


def library(name):
    if not find_spec(name):
        pytest.skip(f"{name} is not installed")
    return import_module(name)


def categories(texts):
    return library("pandas").Series(texts).astype("category")


def pandas_frame(texts):
    return library("pandas").DataFrame({"B": texts})


def levels(texts):
    pandas = library("pandas")
    columns = pandas.MultiIndex.from_tuples([("system", "B")])
    return pandas.DataFrame([[text] for text in texts], columns=columns)


def chunked(texts):
    return library("pyarrow").chunked_array([texts[:1], texts[1:]])


KINDS = {
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "values of a dict": lambda texts: dict(enumerate(texts)).values(),
    "NumPy": np.array,
    "NumPy objects": lambda texts: np.array(texts, dtype=object),
    "masked array": np.ma.array,
    "pandas": lambda texts: library("pandas").Series(texts, index=range(9, 9 + len(texts))),
    "pandas objects": lambda texts: library("pandas").Series(texts, dtype=object),
    "pandas strings": lambda texts: library("pandas").Series(texts, dtype="string[python]"),
    "pandas of pyarrow": lambda texts: (
        library("pyarrow") and library("pandas").Series(texts, dtype="string[pyarrow]")
    ),
    "pandas categories": categories,
    "pandas index": lambda texts: library("pandas").Index(texts),
    "pandas frame": pandas_frame,
    "pandas frame with levels": levels,
    "dask": lambda texts: library("dask.dataframe").from_pandas(pandas_frame(texts))["B"],
    "dask frame": lambda texts: library("dask.dataframe").from_pandas(pandas_frame(texts)),
    "polars": lambda texts: library("polars").Series(texts),
    "polars categories": lambda texts: library("polars").Series(
        texts, dtype=library("polars").Categorical
    ),
    "polars frame": lambda texts: library("polars").DataFrame({"B": texts}),
    "pyarrow": lambda texts: library("pyarrow").array(texts),
    "pyarrow chunks": chunked,
    "pyarrow table": lambda texts: library("pyarrow").table({"B": texts}),
    "pyarrow batch": lambda texts: library("pyarrow").RecordBatch.from_arrays(
        [library("pyarrow").array(texts)], ["B"]
    ),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@every_kind
def test_every_kind_of_texts_is_a_list_of_plain_str(kind):
    items = items_of(kind(HYPS), "hyps")
    assert items == HYPS
    assert {str} == {type(item) for item in celab.align(kind(HYPS), kind(REFS)).lines}


@every_kind
def test_every_door_takes_every_kind(kind):
    metric = celab.TeslaCelab(lexicon=None, weights="references")
    expected = metric.corpus_score(HYPS, [REFS])
    assert metric.corpus_score(kind(HYPS), [kind(REFS)]) == expected
    assert metric.scorer([kind(REFS)])(kind(HYPS), [kind(REFS)]) == expected
    assert metric.corpus_scores({"A": kind(HYPS)}, [kind(REFS)]) == {"A": expected}
    assert metric.corpus_scores([kind(HYPS)], iter([kind(REFS)])) == [expected]
    assert celab.score(kind(HYPS), kind(REFS), metric) == expected
    assert celab.score(kind(HYPS), [kind(REFS)], metric) == expected
    two = celab.score(HYPS, [REFS, HYPS], metric)
    assert celab.score(kind(HYPS), [kind(REFS), kind(HYPS)], metric) == two
    assert np.array_equal(metric.pairwise(kind(HYPS), kind(REFS)), metric.pairwise(HYPS, REFS))
    for score in (metric.sentence_score, celab.score):
        assert score("买伞", kind(REFS)).score == score("买伞", REFS).score
    assert (
        celab.explain("买伞", kind(REFS), metric).score == metric.sentence_score("买伞", REFS).score
    )

    plain = celab.compare(HYPS, REFS, REFS, metric, documents=["d", "d", "e"])
    documents = kind(["d", "d", "e"]) if "categories" not in str(kind) else ["d", "d", "e"]
    assert celab.compare(kind(HYPS), kind(REFS), kind(REFS), metric, documents=documents) == plain
    outputs = celab.check(kind(HYPS), kind(REFS), kind(["umbrella", "go", "rain"]))
    assert outputs == celab.check(HYPS, REFS, ["umbrella", "go", "rain"])
    assert celab.align(kind(["我们去", "北京"]), kind(REFS)) == celab.align("我们去\n北京", REFS)
    campaign = celab.Campaign.from_lists({"A": kind(HYPS), "B": HYPS}, [kind(REFS)])
    assert campaign == celab.Campaign.from_lists({"A": HYPS, "B": HYPS}, REFS)
    cut = celab.Campaign.from_lists({"A": HYPS, "B": kind(HYPS)}, [kind(REFS)], align=True)
    assert cut == celab.Campaign.from_lists({"A": HYPS, "B": HYPS}, REFS, align=True)
    assert_not_worse(kind(REFS), kind(HYPS), kind(REFS), metric, margin=0)
    pem = celab.Pem(lexicon=None)
    assert np.array_equal(
        pem.scores(kind(HYPS), kind(REFS)).meaning, pem.scores(HYPS, REFS).meaning
    )
    lists = [[("卖伞", {"lm": -1.0}), ("买伞", {"lm": -2.0})]]
    assert (
        celab.tune(lists, kind(REFS[:1]), metric).weights
        == celab.tune(lists, REFS[:1], metric).weights
    )


def frame(name, columns):
    module = library(name)
    return module.table(columns) if name == "pyarrow" else module.DataFrame(columns)


TABLE = {"ref": REFS, "A": HYPS, "B": HYPS}
several_columns = pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])


@several_columns
def test_a_frame_of_several_columns_is_an_error_that_names_what_takes_it(name):
    table = frame(name, TABLE)
    metric = celab.TeslaCelab(lexicon=None)
    for call in (
        lambda: celab.score(table, table),
        lambda: celab.score(HYPS, table),
        lambda: celab.score("买伞", table),
        lambda: celab.compare(table, HYPS, REFS),
        lambda: celab.check(table, REFS),
        lambda: celab.check(HYPS, REFS, table),
        lambda: celab.explain("买伞", table),
        lambda: celab.align("买伞", table),
        lambda: celab.align(table, REFS),
        lambda: celab.tune([], table),
        lambda: celab.Campaign.from_lists({"A": HYPS}, table),
        lambda: assert_not_worse(table, HYPS, REFS),
        lambda: metric.corpus_score(table, [REFS]),
        lambda: metric.corpus_score(HYPS, table),
        lambda: metric.corpus_score(HYPS, [table]),
        lambda: metric.sentence_score("买伞", table),
        lambda: metric.pairwise(HYPS, table),
    ):
        with pytest.raises(celab.InputError, match=r"is a data frame with 3 columns \(ref, A, B\)"):
            call()
        with pytest.raises(celab.InputError, match="score_columns"):
            call()
    for call in (metric.corpus_scores, celab.Campaign.from_lists):
        with pytest.raises(celab.InputError):
            call(table, REFS)


def test_a_lazy_frame_is_collected_first():
    lazy = library("polars").DataFrame(TABLE).lazy()
    with pytest.raises(celab.InputError):
        celab.score(lazy, REFS)
    with pytest.raises(celab.InputError):
        celab.integrations.score_columns(lazy, "A", "ref")


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (lambda: ["买", None], r'hypothesis 2 is None, .* "" if there is no text$'),
        (lambda: ["买", float("nan")], r'hypothesis 2 is NaN, a missing value; .*fillna\(""\)$'),
        (lambda: np.array(["买", None], dtype=object), r'hypothesis 2 is None, .*fillna\(""\)$'),
        (lambda: library("pandas").Series(["买", None]), r'hypothesis 2 is .*fillna\(""\)$'),
        (
            lambda: library("pandas").Series(["买", None], dtype="string[python]"),
            r'hypothesis 2 is <NA>, a missing value; .*fillna\(""\)$',
        ),
        (lambda: pandas_frame(["买", None]), r'hypothesis 2 is .*fillna\(""\)$'),
        (lambda: library("polars").Series(["买", None]), r'is None, .*: fill_null\(""\)$'),
        (lambda: library("pyarrow").array(["买", None]), r'is None, .*: fill_null\(""\)$'),
    ],
)
def test_a_missing_translation_is_answered_with_what_fills_it(missing, message):
    with pytest.raises(celab.InputError, match=message):
        celab.score(missing(), ["买", "去"])


def test_a_missing_reference():
    two = celab.score(["买", "去"], [["买", "去"], ["买", ""]])
    pandas, nan = library("pandas"), float("nan")
    assert celab.score(["买", "去"], [["买", "去"], np.array(["买", None])]) == two
    for refs in ([["买", "去"], ["买", nan]], ["买", nan], pandas.Series(["买", nan])):
        with pytest.raises(celab.InputError):
            celab.score(["买", "去"], refs)
    filled = pandas.Series(["买", nan]).fillna("")  # as the message says
    assert celab.score(["买", "去"], [["买", "去"], filled]) == two
    table = pandas.DataFrame({"hypothesis": ["买", None], "reference": ["买", "去"]})
    with pytest.raises(celab.InputError, match=r"row 2: the translation is absent; .*fillna"):
        celab.integrations.score_columns(table)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("hyp.txt", "ref", "译文.txt", "my hyp.txt", "my hyp.z"):
        Path(name).write_text("买雨伞\n", encoding="utf-8")
    Path("folder").mkdir()


@pytest.mark.parametrize("name", ["hyp.txt", "ref", "译文.txt", "my hyp.txt", "my hyp.z"])
def test_the_name_of_a_file_in_place_of_its_text_is_warned_about(files, name):
    metric = celab.Chrf()
    for call in (
        lambda: celab.score(name, "买雨伞", metric),
        lambda: celab.score("买雨伞", name, metric),
        lambda: celab.score([name], ["买雨伞"], metric),
        lambda: celab.compare([name], ["买雨伞"], ["买雨伞"], metric),
        lambda: celab.compare(["买伞"], ["买雨伞"], [name], metric),
        lambda: celab.check([name], ["买雨伞"]),
        lambda: celab.explain(name, ["买雨伞"], lexicon=None),
        lambda: celab.align(name, ["买雨伞"]),
        lambda: metric.sentence_score(name, ["买雨伞"]),
        lambda: metric.sentence_score("买伞", [name]),
        lambda: metric.corpus_score([name], [["买雨伞"]]),
        lambda: celab.TeslaCelab(lexicon=None).explain(name, "买雨伞"),
    ):
        with pytest.warns(celab.InputWarning, match=rf"is '{name}', which is the name of a file"):
            call()


@pytest.mark.parametrize(
    "text", ["买雨伞", "folder", "absent.txt", "a\0b", "x" * 300, "", "/\ud800"]
)
def test_other_texts_are_no_files(files, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        celab.Chrf().sentence_score(text, ["买雨伞"])


def test_paths_and_bytes_are_answered_with_what_reads_them():
    for call, (given, reader) in product(
        (celab.score, celab.check), ((Path("hyp.txt"), r"Campaign\.read"), (b"hyp", "decode"))
    ):
        for texts in (given, [given]):
            with pytest.raises(celab.InputError, match=reader):
                call(texts, ["买"])


def test_rows_of_references():
    columns = [["买雨伞", "去北京"], [None, "到北京去"]]
    rows = ["买雨伞", ("去北京", "到北京去")]
    assert celab.integrations.reference_columns(rows) == columns
    assert celab.integrations.reference_columns(iter(rows)) == columns
    assert celab.integrations.reference_columns([]) == []


def test_the_server_does_not_tell_which_files_there_are(files):
    from celab.serve import answers

    for name in ("hyp.txt", "ref"):
        for answer in (answers.score, answers.explain):
            assert "warnings" not in answer(name, [name], {"lexicon": None})
