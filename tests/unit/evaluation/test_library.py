"""The library: two systems compared, campaigns, what results become, adapters, public names."""

import inspect
import json
import math
import re
import sys
import warnings
from dataclasses import fields, replace
from html.parser import HTMLParser
from importlib.util import find_spec
from typing import get_args

import numpy as np
import pytest
from conftest import ROOT

import celab
import celab.report.html
from celab.base.cells import shown
from celab.base.result import Result
from celab.base.run import Run
from celab.corpus import Corpus, Segment
from celab.evaluation.comparison import LENGTHS, TIE
from celab.metrics.factory import make_metrics
from celab.metrics.options import TeslaCelabOptions, TeslaMOptions, TeslaSOptions
from celab.metrics.registry import METRICS
from celab.report import frames, plots, views
from celab.report.renderers import RENDERERS
from celab.report.tables import Output, View, line

EXAMPLES = ROOT / "examples"
A, B, REF1, REF2 = (
    (EXAMPLES / name).read_text("utf-8").splitlines()
    for name in ("hyp1.zh", "hyp2.zh", "ref1.zh", "ref2.zh")
)
needs_sacrebleu = pytest.mark.skipif(
    not find_spec("sacrebleu"), reason="sacreBLEU is not here: chrF, BLEU and TER are its metrics"
)


@pytest.fixture(scope="module")
def metric():
    return celab.TeslaCelab(lexicon="zh-core")


@pytest.fixture(scope="module")
def compared(metric):
    documents = ["news"] * 8 + ["talk"] * 12
    return celab.compare(A, B, [REF1, REF2], metric, names=("a<b>", "乙"), documents=documents)


@pytest.fixture(scope="module")
def campaign(metric):
    corpus = Corpus(
        [Segment("", str(n + 1)) for n in range(20)],
        {"one": A, "other": B},
        [REF1, REF2],
        ["x", "y"],
    )
    return celab.Campaign(corpus).score(metric).test()


# Two systems.


def test_a_comparison_has_the_scores_of_both(compared, metric):
    found = compared["celab"]
    a, b = (metric.corpus_score(side, [REF1, REF2]) for side in (A, B))
    assert (found.a, found.b) == (a.score, b.score)  # to the last bit
    assert found.difference == found.a - found.b
    assert found.interval[0] <= found.difference <= found.interval[1]
    gaps = a.segments.scores - b.segments.scores
    assert found.wins == (gaps > TIE).sum() and found.losses == (gaps < -TIE).sum()
    assert found.wins + found.ties + found.losses == found.n_segments == 20
    assert [one.difference for one in found.a_better] == sorted(gaps, reverse=True)[:5]
    worst = found.a_better[0]
    assert worst.texts == (A[worst.segment - 1], B[worst.segment - 1])
    assert worst.references == (REF1[worst.segment - 1], REF2[worst.segment - 1])
    assert compared.metrics.keys() == {"celab"} and compared.names == ("a<b>", "乙")


def test_buckets_hold_every_segment_once(compared, metric):
    found = compared["celab"]
    assert [(one.label, one.n_segments) for one in found.by_document] == [("news", 8), ("talk", 12)]
    a = metric.corpus_score(A[:8], [REF1[:8], REF2[:8]]).score
    assert found.by_document[0].a == pytest.approx(a, abs=1e-15)
    lengths = [(len(x) + len(y)) / 2 for x, y in zip(REF1, REF2, strict=True)]
    expected = {}
    for length in lengths:
        k = sum(length > edge for edge in LENGTHS)
        label = f"{([0, *LENGTHS])[k] + 1}-{LENGTHS[k]}"
        expected[label] = expected.get(label, 0) + 1
    assert {one.label: one.n_segments for one in found.by_length} == expected
    without = celab.compare(A, B, REF1, metric)["celab"]
    assert without.by_document == () and sum(x.n_segments for x in without.by_length) == 20


def test_one_reference_may_be_a_plain_list(metric):
    one = celab.compare(A, B, REF1, metric)["celab"]
    other = celab.compare(A, B, [REF1], metric)["celab"]
    assert one == other
    absent = [None, *REF2[1:]]
    assert celab.compare(A, B, [REF1, absent], metric)["celab"].n_segments == 20


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_interval_p_ranks_and_groups_agree(seed, metric):
    """One system gets worse on more and more segments: from no difference to a clear one."""
    other = [b if i < seed else a for i, (a, b) in enumerate(zip(A, B, strict=True))]
    mixed = [*other[:14], *REF1[14:]] if seed % 4 else other
    corpus = Corpus([Segment("", str(n)) for n in range(20)], {"A": A, "B": mixed}, [REF1], ["x"])
    tested = celab.Campaign(corpus).score(metric).test(seed=seed)
    found = tested.compare("A", "B", seed=seed)["celab"]
    low, high = found.interval
    assert found.significant == (low > 0 or high < 0) and found.remark == ""
    of_all = tested.comparisons["celab"]
    assert of_all.p_values[0, 1] == found.p
    apart = of_all.groups.tolist() == [1, 2]
    assert apart == found.significant == (of_all.ranks.tolist() == [[1, 1], [2, 2]])


def test_a_disagreement_of_two_tests_is_told(compared):
    odd = replace(compared["celab"], p=0.2, test="randomization")
    assert "disagree" in odd.remark
    shown = replace(compared, metrics={"celab": odd})
    assert odd.remark in str(shown) and odd.remark in shown._repr_html_()
    assert "no significant difference" in str(shown)


@needs_sacrebleu
def test_lower_is_better_for_ter():
    found = celab.compare(A, B, REF1, ["TER", "chrF", "BLEU"])
    assert list(found.metrics) == ["ter", "chrf", "bleu"]
    ter = found["ter"]
    assert ter.a < ter.b and ter.difference < 0 and ter.wins > ter.losses and ter.better == 0
    assert ter.a_better[0].difference == min(x.difference for x in ter.a_better)
    assert "TER: lower is better" in str(found)
    assert all(one.wins > one.losses and one.better == 0 for one in found.metrics.values())


def test_unproved_segments_are_left_out_for_both():
    hard, easy = ("雨雨伞雨伞雨伞", "伞雨伞"), ("买伞", "买雨伞")
    hurried = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9, on_error="skip")
    refs = [hard[1], easy[1], easy[1]]
    found = celab.compare([hard[0], easy[0], "买"], [easy[0]] * 3, refs, hurried)
    assert found["celab"].n_segments == 2 and found["celab"].n_skipped == 1
    assert "1 of 3 segments left out" in str(found)
    assert found["celab"].a < found["celab"].b
    with pytest.raises(celab.SolverError, match="no segment has a proved score by celab"):
        celab.compare([hard[0]], [hard[0]], [hard[1]], hurried)


def test_the_text_fits_a_terminal(compared):
    from rich.cells import cell_len

    text = str(compared)
    signature = compared["celab"].signature
    assert max(cell_len(line) for line in text.splitlines() if line != signature) <= 80
    assert signature in text and "乙" in text and "TESLA-CELAB by document" in text
    empty = celab.compare(["", "买"], ["买", ""], ["买", "买"], celab.TeslaCelab(lexicon=None))
    assert "(empty)" in str(empty)


def test_differences_of_any_scores(compared, metric):
    found = celab.significance.paired_bootstrap(
        *(metric.corpus_score(side, [REF1, REF2]) for side in (A, B))
    )
    assert (found.p, found.interval) == (compared["celab"].p, compared["celab"].interval)
    assert found.difference == pytest.approx(compared["celab"].difference, abs=1e-15)
    lists = celab.significance.paired_bootstrap([0.1, 0.5, math.nan], [0.2, 0.1, 0.3])
    assert lists.n_segments == 2
    exact = celab.significance.paired_randomization([1.0] * 9, [0.0] * 9, n_resamples=2000)
    assert exact.p == pytest.approx(2 / 2**9, abs=0.005)


# Campaigns.


def test_a_campaign_step_by_step(tmp_path, metric):
    paths = {
        "refs": [EXAMPLES / "ref1.zh"],
        "systems": [EXAMPLES / "hyp1.zh", EXAMPLES / "hyp2.zh"],
    }
    read = celab.Campaign.read(**paths)
    assert "not scored" in repr(read) and read.scores == {}
    scored = read.score(metric)
    tested = scored.test("randomization", n_resamples=100, seed=3)
    assert scored.comparisons == {} and tested.comparisons["celab"].test == "randomization"
    assert tested.scores == scored.scores
    assert tested.compare("hyp1", str(EXAMPLES / "hyp2.zh"))["celab"].wins == 20
    written = tested.html(tmp_path / "report.html", explained=2)
    assert written == str(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page == tested.html(explained=2) and "two-sided" in page
    assert tested.to_dict()["tests"]["celab"]["sides"] == "two-sided"
    assert json.loads(tested.to_json()) == tested.to_dict()


# Data frames.

LIBRARIES = [
    pytest.param(name, marks=pytest.mark.skipif(not find_spec(name), reason=f"{name} is not here"))
    for name in frames.LIBRARIES
]


@pytest.mark.parametrize("library", LIBRARIES)
def test_data_frames(library, campaign):
    columns = ["system", "segment", "score", "precision", "recall"]
    score = campaign.scores["celab"]["one"]
    frame = score.to_dataframe("mine", library)
    assert type(frame).__module__.startswith(library) and list(frame.columns) == columns
    assert frame["system"].to_list() == ["mine"] * 20
    assert frame["segment"].to_list() == list(range(1, 21))
    assert frame["score"].to_list() == score.segments.scores.tolist()
    assert frame["recall"].to_list() == score.segments.figures[:, 2].tolist()
    whole = campaign.to_dataframe(library)
    assert list(whole.columns) == columns and len(whole) == 40
    assert whole["system"].to_list() == ["one"] * 20 + ["other"] * 20


@pytest.mark.parametrize("library", LIBRARIES)
def test_data_frames_of_systems(library, campaign):
    score = campaign.scores["celab"]["one"]
    frame = score.to_dataframe("mine", library, level="system")
    assert list(frame.columns) == ["system", "score", "precision", "recall"]
    assert frame["score"].to_list() == [score.score]
    whole = campaign.to_dataframe(library, level="system")
    assert whole["system"].to_list() == ["one", "other"]
    comparison = campaign.test().comparisons["celab"]
    tested = comparison.to_dataframe(library)
    assert tested["system"].to_list() == list(comparison.systems)
    assert tested["high"].to_list() == comparison.intervals[:, 1].tolist()
    assert tested["worst_rank"].to_list() == comparison.ranks[:, 1].tolist()
    pair = campaign.compare("one", "other")
    by_metric, by_segment = (pair.to_dataframe(library, level=x) for x in ("system", "segment"))
    assert by_metric["p"].to_list() == [pair["celab"].p]
    assert by_metric["one"].to_list() == [pair["celab"].a]
    assert by_segment["other"].to_list() == pair["celab"].segments[:, 1].tolist()
    assert by_segment["segment"].to_list() == list(range(1, 21))
    for result in (score, campaign, comparison, pair):
        with pytest.raises(celab.OptionError, match="level is 'word'; choose from system, segment"):
            result.to_dataframe(level="word")
    with pytest.raises(celab.OptionError, match="has no segments; use 'system'"):
        comparison.to_dataframe(level="segment")


def test_data_frames_of_agreement():
    pytest.importorskip("pandas", reason="pandas is not installed")
    found = celab.meta.evaluate(ROOT / "examples" / "judged", ["celab"])
    for level, figure in (("system", "pearson"), ("segment", "consistency")):
        frame = found.to_dataframe(level=level).set_index("figure")
        assert frame.loc[figure, "value"] == found.metrics["celab"].figures[figure].value


def test_campaigns_are_made_from_lists(campaign, metric):
    both = celab.Campaign.from_lists({"one": A, "other": B}, [REF1, REF2])
    assert both.score(metric).scores["celab"]["one"].score == campaign.scores["celab"]["one"].score
    made = celab.Campaign.from_lists({"one": A, "other": B}, [REF1])
    assert made == celab.Campaign.from_lists({"one": A, "other": B}, REF1)
    for arguments, why in (
        (({"one": A}, []), "no reference given"),
        (({}, [REF1]), "no system is given"),
        (([A], [REF1]), "systems is of type list; it must be a dict"),
        (({"one": A[:2]}, [REF1]), "system one: the hypothesis has 2 segments but"),
        (({"one": 3}, [REF1]), "system one: "),
    ):
        with pytest.raises(celab.InputError, match=why):
            celab.Campaign.from_lists(*arguments)
    with pytest.raises(celab.InputError, match=r"dict; make a campaign by Campaign\.from_lists"):
        celab.Campaign({"one": A}, [REF1])


def test_a_campaign_is_printed_with_its_scores(campaign):
    lines = str(campaign).splitlines()
    assert lines[0].split() == ["system", "TESLA-CELAB"]
    assert {line.split()[0] for line in lines[1:3]} == {"one", "other"}
    bare = celab.Campaign(campaign.corpus)
    assert str(bare) == repr(bare)


def test_arrays_are_taken_as_lists_are(metric):
    hyps, ref = np.array(A), np.array(REF1)
    expected = metric.corpus_score(A, [REF1])
    assert metric.corpus_score(hyps, ref[None]) == expected
    assert metric.corpus_score(hyps, [ref.astype(object)]) == expected
    assert metric.corpus_scores({"one": hyps}, [ref])["one"] == expected
    assert metric.sentence_score(hyps[0], ref[:1]) == metric.sentence_score(A[0], REF1[:1])
    assert metric.explain(hyps[0], ref[0]) == metric.explain(A[0], REF1[0])
    assert np.array_equal(metric.pairwise(hyps[:2], ref[:2]), metric.pairwise(A[:2], REF1[:2]))
    assert metric.scorer([ref])(hyps, [ref]) == expected
    assert celab.explain(hyps[0], ref[:2], metric) == celab.explain(A[0], REF1[:2], metric)
    names = np.array(["x", "y"])
    pair = celab.compare(hyps, np.array(B), ref, metric, names=names)
    assert pair == celab.compare(A, B, REF1, metric, names=("x", "y"))


@needs_sacrebleu
@pytest.mark.parametrize("library", LIBRARIES)
def test_figures_that_a_metric_has_not_are_absent(library, campaign):
    frame = celab.Campaign(campaign.corpus).score(["chrf", "bleu"]).to_dataframe(library)
    assert list(frame.columns)[-1] == "metric" and len(frame) == 80
    precision = frame["precision"]
    absent = precision.is_null() if library == "polars" else precision.isna()
    assert absent.all()


def test_data_frames_need_a_library(campaign, monkeypatch):
    with pytest.raises(celab.OptionError, match="library is 'arrow'; choose from pandas"):
        campaign.to_dataframe("arrow")
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(celab.OptionError, match="neither is installed: pip install pandas"):
        campaign.to_dataframe()
    with pytest.raises(celab.OptionError, match="not installed: pip install polars"):
        campaign.to_dataframe("polars")


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_are_scored(library, metric):
    made = __import__(library).DataFrame
    texts = {"mt": ["买伞", "去北京"], "r1": ["买雨伞", None], "r2": [None, "去北京了"]}
    frame = made(texts)
    found = celab.integrations.score_columns(frame, "mt", ["r1", "r2"], metric)
    assert list(found.columns) == ["mt", "r1", "r2", "score", "precision", "recall"]
    expected = metric.corpus_score(texts["mt"], [texts["r1"], texts["r2"]]).segments
    assert found["score"].to_list() == expected.scores.tolist()
    assert list(frame.columns) == list(texts)  # as it was
    for arguments, message in (
        ((frame, "hyp", "r1"), "no column 'hyp'; it has mt, r1, r2"),
        ((found, "mt", "r2"), "already has a column 'score'; rename or drop it"),
        ((frame, "r1", "mt"), "column 'r1', row 2: the translation is absent"),
        ((made({"a": [1], "b": ["x"]}), "a", "b"), "column 'a', row 1: int is not text"),
    ):
        with pytest.raises(celab.InputError, match=message):
            celab.integrations.score_columns(*arguments)


# What results become.


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
        assert fragment != RENDERERS["notebook"](View([[line(repr(result))]])), type(result)
        assert len(repr(result)) < 1000 and "object at 0x" not in repr(result)
        assert type(result).__name__.lower() in repr(result).lower() or repr(result)[0] == "<"


@pytest.mark.parametrize("name", RENDERERS)
def test_every_renderer_writes_every_result(campaign, compared, name):
    for result in results(campaign, compared):
        view = views.view(result, Output(detail="full"))
        text = RENDERERS[name](view)
        figures = [shown(cell) for table in view.tables for row in table.rows for cell in row]
        if figures and name not in ("tsv", "html"):  # TSV has every digit, a page a minus sign
            numbers = {figure for figure in figures if re.fullmatch(r"[\d.]+", figure)}
            assert all(number in text for number in numbers), type(result)


def test_every_kind_of_result_has_a_view():
    def kinds(base):
        return {base}.union(*map(kinds, base.__subclasses__()))

    for kind in kinds(Result) - {Result}:
        # A class with slots is made twice; tests have results of their own.
        is_ours = getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind
        if is_ours and kind.__module__.startswith("celab.") and not inspect.isabstract(kind):
            assert views.view.dispatch(kind) is not views.view.dispatch(object), kind


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
    assert found["score"] is None and found["segments"] == [
        {"score": None, "precision": None, "recall": None, "references": []}
    ]
    assert "–" in score._repr_html_() and "1 skipped" in repr(score.segments)


def test_long_lists_are_cut():
    score = celab.TeslaCelab(lexicon=None).corpus_score(["买"] * 50, [["买"] * 50])
    fragment = score.segments._repr_html_()
    assert fragment.count("<tr") == 1 + views.MOST_ROWS + 1 and "50 segments" in fragment
    assert len(score.segments.to_dict()["segments"]) == 50


def test_an_evaluation_is_that_of_the_command(capsys):
    from celab.cli import meta

    found = celab.meta.evaluate(EXAMPLES / "judged", ["celab"], lexicon=None, n_resamples=50)
    told = ["--quiet", "--json", "--resamples=50", "-m", "celab", "--lexicon=none"]
    assert meta.main([*told, str(EXAMPLES / "judged")]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(found.to_json())


# Pictures.


@pytest.fixture
def pyplot(monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not here: nothing can be drawn").use(
        "Agg"
    )
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_pictures(pyplot, campaign, compared, metric, tmp_path):
    drawn = campaign.plot()
    assert [label.get_text() for label in drawn.get_yticklabels()] == ["other", "one"]
    assert drawn.get_xlabel() == "TESLA-CELAB, 95% intervals"
    untested = celab.Campaign(campaign.corpus).score(metric).plot()
    assert [label.get_text() for label in untested.get_yticklabels()] == ["other", "one"]
    drawn = compared.plot("CELAB")
    assert "two-sided" in drawn.get_title() and drawn.get_ylabel().endswith("a<b>")
    assert sum(len(line.get_xdata()) for line in drawn.lines[:-1]) == 20
    axes = pyplot.subplots()[1]
    why = celab.explain("买了$5和$6的伞", "买雨伞")
    assert why.plot(axes) is axes
    texts = [text.get_text() for text in axes.texts]
    assert texts[:3] == ["买", "雨", "伞"] and r"\$" in texts
    words = celab.TeslaM(analysis="surface", lexicon=None)
    assert [t.get_text() for t in words.explain("a b", "a c").plot().texts][:2] == ["a", "c"]
    words.explain("", "a").plot()
    pyplot.savefig(tmp_path / "x.png")


def test_a_missing_font_is_told_once(pyplot, no_font):
    with pytest.warns(UserWarning) as seen:
        drawn = celab.explain("买", "买", lexicon=None).plot()
        plots.saved(drawn.figure, "png")
        plots.saved(celab.explain("伞", "伞", lexicon=None).plot().figure, "svg")
    (warning,) = seen
    assert "install one, such as Noto Sans CJK" in str(warning.message)
    # Other filters, as in another test or after the user has changed them.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = celab.explain("买", "买", lexicon=None).plot()
        plots.saved(drawn.figure, "png")


def test_other_missing_characters_are_still_told(pyplot, no_font):
    with pytest.warns(UserWarning) as seen:
        axes = celab.explain("买", "买", lexicon=None).plot()
        axes.set_title("\u1200")  # Ethiopic, by the user
        plots.saved(axes.figure, "png")
    messages = {str(warning.message).partition("(")[0].strip() for warning in seen}
    assert len(messages) == 2 and "Glyph 4608" in messages


def test_without_matplotlib_there_is_one_line(campaign, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    with pytest.raises(celab.OptionError, match=r"not installed: pip install celab\[plot\]"):
        campaign.plot()


# Lexicons.


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


# Public names.


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
    assert set(dir(celab)) == {*celab.__all__, *metrics}
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
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
            if spec.metadata["choices"]:
                found = {
                    word
                    for part in (typed[spec.name], *get_args(typed[spec.name]))
                    for word in get_args(part)
                    if isinstance(word, str)
                }
                assert found == set(spec.metadata["choices"]), spec.name


@needs_sacrebleu
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
    for name in ("a", "b", "difference", "p", "wins", "ties", "losses", "n_segments"):
        assert type(getattr(found, name)) in (int, float), name
    assert isinstance(found.segments, np.ndarray) and "segments" not in found.to_dict()
