"""Every result has tables, which every format writes, and becomes data and HTML."""

import inspect
import json
import math
import pickle
import re
import sys
from html.parser import HTMLParser

import pytest
from campaigns import EXAMPLES, REF1, A

import celab
from celab.cli.output_files import FILES
from celab.metrics.scores import MAX_ROWS_SHOWN
from celab.systems.board import BoardCell
from celab.systems.results import Scored
from celab.tables.formats import FORMATS, render
from celab.tables.result import PrintedResult, Result
from celab.tables.table import Table
from celab.tables.templating import notebook_html
from celab.tables.view import line


def results(campaign, compared):
    score = campaign.scores["celab"]["one"]
    words = celab.TeslaM(analysis="surface", lexicon=None)
    why = celab.explain(A[4], [REF1[4], None, "<script>alert(1)</script> & $x$"])
    return [
        campaign,
        campaign.comparisons["celab"],
        score,
        score.segments,
        score.segments[0],
        compared,
        compared["celab"],
        why,
        *why.against,
        words.explain("<b>a b", "a </b> c"),
        words.explain("", "a"),
        celab.significance.paired_bootstrap([1.0, 2.0], [1.0, 1.0]),
        celab.meta.evaluate(EXAMPLES / "judged", ["celab"], lexicon=None),
    ]


class Checker(HTMLParser):
    """Notes elements that are not closed, and everything that would load or run something."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag in ("script", "style", "link", "img", "iframe", "object"):
            self.wrong.append(tag)
        self.wrong += [name for name, value in attributes if name != "style" or "url" in value]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")


def test_every_result_becomes_data_html_and_a_short_repr(campaign, compared):
    for result in results(campaign, compared):
        assert json.loads(result.to_json()) == result.to_dict()
        checker = Checker()
        fragment = result._repr_html_()
        checker.feed(fragment)
        assert not checker.wrong and not checker.open, type(result)
        assert fragment != notebook_html([[line(repr(result))]]), type(result)
        assert len(repr(result)) < 1000 and "object at 0x" not in repr(result)
        assert type(result).__name__.lower() in repr(result).lower() or repr(result)[0] == "<"


def test_every_result_can_be_pickled(campaign, compared):
    for result in results(campaign, compared):
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and again.to_dict() == result.to_dict()


@pytest.mark.parametrize("name", [*FORMATS, "notebook"])
def test_every_renderer_writes_every_result(campaign, compared, name):
    for result in results(campaign, compared):
        parts = [*result.tables("full")]
        text = notebook_html(parts) if name == "notebook" else render(parts, name, all_rows=True)
        tables = [part for part in parts if isinstance(part, Table)]
        shown = [x for x in tables if x.is_shown and not x.on_request and not x.text]
        figures = [x for table in shown for row in table.all_rows() for x in table.texts(row)]
        if figures and name != "tsv":  # which has every digit
            numbers = {figure for figure in figures if re.fullmatch(r"[\d.]+", figure)}
            assert all(number in text for number in numbers), type(result)


PARTS = (BoardCell, Scored)  # the result that has them, or that is a kind of them, shows them


def test_every_kind_of_result_has_tables():
    def kinds(base):
        return {base}.union(*map(kinds, base.__subclasses__()))

    for kind in kinds(Result) - {Result, PrintedResult}:
        # A class with slots is made twice; tests have results of their own.
        is_ours = getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind
        if is_ours and kind.__module__.startswith("celab.") and not inspect.isabstract(kind):
            assert kind.tables is not Result.tables or kind in PARTS, kind


def test_texts_are_escaped(campaign, compared):
    why = celab.explain("<script>", "<script> & <b>", lexicon=None)
    for fragment in (why._repr_html_(), why.against[0]._repr_html_()):
        assert "&lt;" in fragment and "&amp;" in fragment
        assert "<script" not in fragment and "<b></" not in fragment
    assert "a&lt;b&gt;" in compared._repr_html_() and "a<b>" not in compared._repr_html_()


def test_what_is_nan_is_null():
    hurried = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9, on_error="skip")
    score = hurried.corpus_score(["雨雨伞雨伞雨伞"], [["伞雨伞"]])
    assert math.isnan(score.score)
    found = json.loads(score.to_json())
    assert found["score"] is None and found["segment"] == [
        {"segment": 1, "score": None, "precision": None, "recall": None}
    ]
    assert "–" in score._repr_html_() and "1 skipped" in repr(score.segments)


def test_long_lists_are_cut():
    score = celab.TeslaCelab(lexicon=None).corpus_score(["买"] * 50, [["买"] * 50])
    fragment = score.segments._repr_html_()
    assert fragment.count("<tr") == 1 + MAX_ROWS_SHOWN and "50 segments" in fragment
    assert len(score.segments.to_dict()["segment"]) == 50


def test_every_format_says_what_marks_its_files():
    assert {*FORMATS, "html", "json"} <= {*FILES}
    for format in FILES.values():  # what people have
        for text in ("买雨伞\n天气好\n", "\t\n", "system\tsegment\tscore\nA\t0\t1\n", "{}", "[1]"):
            assert not format.mark(text)
