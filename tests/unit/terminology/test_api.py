"""Figures of terms, by hand and by the tests that scores have; misses and what stands there."""

import json
import math
from dataclasses import fields

import numpy as np
import pytest

import celab
from celab.base.options import info_of
from celab.base.text.normalize import Normalization
from celab.corpus import Corpus, Segment
from celab.metrics.options import TeslaCelabOptions
from celab.statistics import resampling
from celab.statistics.significance import paired_test
from celab.systems.campaign import Campaign
from celab.terminology.accuracy import TermScore
from celab.terminology.api import check_terms
from celab.terminology.glossary import Term

GLOSSARY = [
    Term("server", ("服务器", "主机"), ("伺服器",)),
    Term("region", ("地域",)),
    Term("firewall", ("防火墙",)),
]
SOURCE = ["A server.", "Two regions, one server.", "Nothing.", "The server of the server region"]
SYSTEMS = {
    "A": ["服务器。", "两个地域，一台主机。", "没有。", "服务器的地域"],
    "B": ["伺服器。", "两个区域，一台服务器。", "没有。", ""],
}
REF = ["一台服务器。", "两个地域，一台服务器。", "没有。", ""]
DOCUMENTS = ["x", "x", "y", "y"]


def corpus(source=SOURCE, systems=SYSTEMS, refs=(REF,), documents=DOCUMENTS):
    segments = [Segment(document, str(k)) for k, document in enumerate(documents, 1)]
    names = [f"ref{k}" for k in range(1, len(refs) + 1)]
    return Corpus(
        segments=segments,
        systems=systems,
        refs=[list(ref) for ref in refs],
        ref_names=names,
        source=source,
    )


@pytest.fixture(scope="module")
def result():
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    return celab.terms(GLOSSARY, corpus(), source_lang="en")


def test_counts_by_hand(result):
    a, b = result.systems
    assert (a.name, a.right, a.occurrences, a.accuracy) == ("A", 5, 6, 5 / 6)
    assert (b.name, b.right, b.occurrences, b.forbidden) == ("B", 1, 6, 1)
    assert a.p is None and b.p is not None
    assert result["B"] is b and result.rule == "source" and result.inflected
    assert (result.n_terms, len(result.terms), result.n_segments) == (3, 2, 3)


def test_references_count_on_the_segments_that_they_have(result):
    (ref,) = result.references
    assert (ref.name, ref.right, ref.occurrences) == ("ref1", 3, 3)


def test_consistency_by_hand(result):
    # Of A, only `server` in x is rendered twice, in two ways; of B, by a forbidden term and a
    # target.
    for figures in result.systems:
        assert (figures.consistency, figures.repeated, figures.varied) == (0.5, 1, 1)


def test_terms_are_worst_first(result):
    assert [(row.source, row.occurrences) for row in result.terms] == [("server", 4), ("region", 2)]
    assert result.terms[0].systems["A"].right == 3
    assert result.terms[0].systems["B"].renderings == {"伺服器": 1, "服务器": 1}


def test_intervals_and_p_are_those_of_the_tests_of_scores():
    # 24 segments with a term, of which 8 are right in B, and others that say nothing.
    hyps = {"A": ["服务器"] * 24 + ["没有"] * 9, "B": ["服务器", "主人", "主人"] * 8 + ["没有"] * 9}
    source = ["The server."] * 24 + ["Nothing."] * 9
    texts = corpus(source, hyps, [["服务器"] * 24 + ["没有"] * 9], [""] * 33)
    found = celab.terms({"server": "服务器"}, texts, source_lang="fr")
    right = np.array([[1.0] * 24, [1.0, 0.0, 0.0] * 8])
    statistics = np.stack([right, np.ones_like(right)], axis=2)
    tested = paired_test(statistics, resampling.ratio)
    assert found["B"].p == tested.p_values[0, 1] < 0.05
    assert found["B"].interval == pytest.approx(
        tuple(np.quantile(tested.resampled.scores[:, 1], [0.025, 0.975]))
    )
    assert found.test == "bootstrap" and found.n_segments == 24
    other = celab.terms({"server": "服务器"}, texts, test="randomization", seed=3)
    assert other.test == "randomization"


def test_without_a_source_the_first_reference_that_is_there_has_the_occurrences():
    refs = [["服务器", "", "没有", "地域"], ["主机", "地域", "没有", ""]]
    systems = {"A": ["服务器", "地域", "没有", "地"]}
    found = celab.terms(GLOSSARY, corpus(None, systems, refs))
    assert found.rule == "reference" and found.source_lang is None and not found.inflected
    assert (found["A"].right, found["A"].occurrences) == (2, 3)
    first, second = found.references
    assert (first.right, first.occurrences) == (2, 2)
    assert (second.right, second.occurrences) == (2, 2)
    assert [miss.found for miss in found.misses] == ["地域"]


def test_a_reference_without_the_segments_of_terms_has_no_accuracy():
    texts = corpus(["A server.", "No."], {"A": ["服务器", "不"]}, [["", "不"], ["主机", ""]], "xx")
    first, second = celab.terms({"server": "服务器|主机"}, texts, source_lang="fr").references
    assert math.isnan(first.accuracy) and first.occurrences == 0 and first.p is None
    assert second.accuracy == 1


def test_without_references():
    found = celab.terms(GLOSSARY, corpus(refs=()), source_lang="fr")
    assert found.references == ()
    assert {miss.instead for miss in found.misses if miss.forbidden is None} == {None}


# ---- what stands there instead ----


def instead(hyp, ref, target="云平台", source="The Cloud runs.", term="Cloud", forbidden=()):
    texts = corpus([source], {"A": [hyp]}, [[ref]], [""])
    found = celab.terms([Term(term, (target,), forbidden)], texts, source_lang="fr")
    return [(miss.found, miss.instead) for miss in found.misses]


def test_a_forbidden_term_and_the_source_term_itself():
    assert instead("在云端上", "在云平台上", forbidden=("云端",)) == [("Cloud", "云端")]
    assert instead("Cloud在运行", "云平台在运行") == [("Cloud", "Cloud")]
    assert instead("Cloud在运行", "在运行") == [("Cloud", "Cloud")]


def test_nothing_is_known_of_other_text():
    assert instead("在云端平台上运行", "在云平台上运行") == [("Cloud", None)]


# ---- forms ----


def test_json(result):
    data = json.loads(result.to_json())
    names = {"system", "accuracy", "right", "occurrences"}
    assert names <= data["system"][0].keys()
    assert next(row["right"] for row in data["term"] if row["system"] == "A") == 3
    assert data["miss"][0]["system"] == "B" and data["miss"][0]["instead"] == "伺服器"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(result, library):
    pytest.importorskip(library, reason=f"{library} is not installed")
    sizes = {"system": 3, "term": 4, "miss": 6}
    for level, size in sizes.items():
        assert len(result.to_dataframe(library, level=level)) == size
    frame = result.to_dataframe(library)
    assert frame["accuracy"][0] == 5 / 6 and list(frame["kind"])[-1] == "reference"


def test_all_views(result, tmp_path):
    assert "region" in str(result) and "<table" in result._repr_html_()
    page = result.html()
    assert page.startswith("<!doctype html>") and "伺服器" in page
    path = tmp_path / "terms.html"
    assert result.html(path) == str(path) and path.read_text("utf-8") == page
    assert repr(result) == "<TermResult: 2 of 3 terms occur, 2 systems, 6 misses>"


def test_a_single_term_occurs():
    result = celab.terms({"server": "服务器"}, corpus(systems={"A": REF}))
    assert "glossary: 1 of 1 term occurs, 4 times in 3 segments" in str(result)
    assert repr(result) == "<TermResult: 1 of 1 term occurs, 1 system, 2 misses>"


def test_what_stands_instead_belongs_to_the_miss():
    source, ref = ["A server and a server"], ["服务器和服务器"]
    texts = corpus(source, {"A": ["服务器和 server"]}, [ref], ["x"])
    uses = celab.terms({"server": "服务器"}, texts).uses
    said = [(row.kind, row.note) for row in uses.occurrences(["A"])]
    assert said == [("right", "服务器"), ("untranslated", "server")]


def test_texts_of_others_are_escaped_in_pages():
    texts = corpus(["<b> runs"], {"<i>": ["运行"]}, [["运行"]], ["<u>"])
    page = celab.terms({"b": "乙<s>"}, texts, source_lang="fr").html()
    assert "&lt;i&gt;" in page and "<i>" not in page and "<s>" not in page


# ---- beside scores ----


def test_as_a_score_it_has_the_same_figures(result):
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    check = check_terms(GLOSSARY, corpus(), source_lang="en")
    scores = {name: check.score(uses) for name, uses in check.systems.items()}
    for name, score in scores.items():
        assert isinstance(score, TermScore)
        assert score.score == result[name].accuracy
        assert score.interval() == result[name].interval
        assert score.signature == result.signature
        assert score.n_skipped == 0 and score.segments.scored.tolist() == [True, True, False, True]


def test_a_campaign_compares_terms_like_scores():
    texts = corpus(refs=[["甲", "乙", "丙", "丁"]])
    campaign = celab.Campaign(texts).score("celab").add_terms(GLOSSARY, source_lang="fr")
    tested = campaign.test()
    found = celab.terms(GLOSSARY, texts, source_lang="fr")
    comparison = tested.comparisons["terms"]
    assert comparison.systems == ("A", "B") == tuple(f.name for f in found.systems)
    assert comparison.p_values[0, 1] == found["B"].p
    assert comparison.intervals.tolist() == [list(f.interval) for f in found.systems]
    assert campaign.n_skipped == 0
    pair = campaign.compare("A", "B")["terms"]
    assert pair.difference.p == found["B"].p and pair.unscored == "no term was found"
    assert "terms" not in celab.Campaign(texts).score("celab").scores
    page = tested.html(explained=0)
    assert page.startswith("<!doctype html>")


def test_texts_are_normalized_as_the_campaign_scores_them():
    texts = corpus(["GPU"], {"A": ["gpu"]}, [["gpu"]], [""])
    for case, right in (("keep", 0.0), ("lower", 1.0)):
        scored = celab.Campaign(texts).score(["chrf", celab.TeslaCelab(case=case)])
        assert scored.add_terms({"GPU": "GPU"}).scores["terms"]["A"].score == right


# For each option of normalization a target and an output that are the same by one of its values.
READ = {
    "width": ("AI", "ＡＩ"),
    "case": ("GPU", "gpu"),
    "umlauts": ("Groesse", "Größe"),
    "script": ("显卡", "顯卡"),
    "opencc": ("软件", "軟體"),
}


@pytest.mark.parametrize("name", Normalization.option_names())
def test_two_accuracies_have_two_signatures(name):
    target, hyp = READ[name]
    texts = corpus(["x"], {"A": [hyp]}, [[target]], [""])
    (choices,) = (info_of(x).choices for x in fields(TeslaCelabOptions) if x.name == name)
    accuracies = {}
    for value in choices:
        settings = {"lexicon": None, name: value}
        result = celab.terms({"x": target}, texts, **settings)
        assert accuracies.setdefault(result.signature, result["A"].accuracy) == result["A"].accuracy
        scored = celab.Campaign(texts).score(celab.TeslaCelab(**settings))
        score = scored.add_terms({"x": target}).scores["terms"]["A"]
        assert score.score == result["A"].accuracy
        assert score.signature == result.signature
    assert set(accuracies.values()) == {0.0, 1.0}
    assert len(accuracies) == len(choices)


def test_letters_that_a_language_folds_are_in_the_signature():
    texts = corpus(["x"], {"A": ["ｻｰﾊﾞ"]}, [["サーバ"]], [""])
    results = [
        celab.terms({"x": "サーバ"}, texts, lang="ja", width=width) for width in ("keep", "fold")
    ]
    assert [result["A"].accuracy for result in results] == [0.0, 1.0]
    assert results[0].signature != results[1].signature


def test_a_campaign_with_terms_knows_where_they_occur():
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    segments = [Segment("", "1"), Segment("", "2")]
    systems = {"A": ["渡轮来了", "渡船走了"], "B": ["船来了", "渡轮走了"]}
    source = ["The ferry comes", "The ferry leaves, the ferries leave"]
    texts = Corpus(
        segments=segments,
        systems=systems,
        refs=[["渡轮来了", "渡轮走了"]],
        ref_names=["ref"],
        source=source,
    )
    glossary = [Term("ferry", ("渡轮",), ("渡船",))]
    campaign = Campaign(texts).score("celab").add_terms(glossary, source_lang="en")
    assert [
        (place.segment, place.found, place.renderings, place.right)
        for place in campaign.term_places
    ] == [
        (1, "ferry", ("渡轮", None), (True, False)),
        (2, "ferry", ("渡船", "渡轮"), (False, True)),
        (2, "ferries", (None, None), (False, False)),
    ]
