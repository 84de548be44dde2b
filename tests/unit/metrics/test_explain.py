"""An explanation adds up to the score it explains."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle.ngrams import spans
from pairs import LINKS, ORDERS, group_lists, metric_for, sides_of

import celab
from celab._native.witness import whole_solution
from celab.base.run import Run
from celab.exact.engine import Pairs
from celab.metrics.explaining import explain
from celab.metrics.explaining.drawing import ngram_rows
from celab.tables.palette import MARKS

TEXT = st.text("甲乙丙", min_size=1, max_size=8)
LONGER = st.text("甲乙丙", min_size=1, max_size=14)


def contains(outer, inner):
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@examples(60)
@given(TEXT, TEXT, group_lists("甲乙丙"), ORDERS, LINKS)
def test_the_links_make_the_score(hyp, ref, groups, order, links):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, links=links, script="keep")
        told = metric.explain(hyp, ref)
        score = metric.sentence_score(hyp, [ref])
    assert (told.score, told.precision, told.recall) == (score.score, score.precision, score.recall)
    for side, text, rate in (("hyp", hyp, score.precision), ("ref", ref, score.recall)):
        ngrams = getattr(told, f"{side}_ngrams")
        assert [x.span for x in ngrams] == spans(len(text), order)
        assert sum(x.cover for x in ngrams) / len(ngrams) == pytest.approx(rate, abs=1e-7)
        for x in ngrams:
            over = [k for k in told.links if contains(getattr(k, side), x.span)]
            own = [k.kind for k in over if getattr(k, side) == x.span]
            assert x.cover <= sum(k.weight for k in over) + 1e-7
            assert sum(k.weight for k in over if getattr(k, side) == x.span) <= 1 + 1e-7
            if own:
                assert x.state == ("equal" if "equal" in own else "synonym")
            else:
                assert x.state == ("covered" if over else "unmatched")


@examples(80)
@given(LONGER, LONGER, group_lists("甲乙丙"), ORDERS, LINKS, st.booleans(), st.booleans())
def test_the_kernel_s_solution_is_one(hyp, ref, groups, order, links, weighted, graded):
    with tempfile.TemporaryDirectory() as folder:
        options = {"max_order": order, "links": links, "script": "keep"}
        if weighted:
            table = Path(folder) / "weights.tsv"
            table.write_text("甲\t0.5\n乙\t0\n丙\t0.33\n", "utf-8")
            options |= {"weights": table}
        if graded and groups:
            fine, coarse = Path(folder) / "fine.tsv", Path(folder) / "coarse.tsv"
            fine.write_text("\t".join(groups[0]) + "\n", "utf-8")
            coarse.write_text("".join("\t".join(group) + "\n" for group in groups), "utf-8")
            options |= {"grades": {str(fine): 1, str(coarse): 0.5}}
            metric = celab.TeslaCelab(**options)
        else:
            metric = metric_for(Path(folder), groups, **options)
        assume(metric.is_reference(ref))
        engine, (hyps, refs) = metric.engine, sides_of(metric, [hyp], [ref])
        told = metric.explain(hyp, ref)
    proved = engine.cover_by_grade(Pairs.in_order(hyps, refs, str), Run(solver="highs"))
    weights = [x.weights.ngrams(x, 0).tolist() if weighted else None for x in (hyps, refs)]
    places = [spans(len(hyp), order), spans(len(ref), order)]
    amounts = np.zeros(2)
    for (grade, _), share, exact in zip(engine.steps, shares(engine.steps), proved, strict=True):
        rows = engine.links(hyps, 0, refs, 0, grade=grade)
        chosen, equal, *covers, c_hyp, c_ref = whole_solution(hyps, 0, refs, 0, rows)
        assert equal.tolist() == [hyp[h : h + b] == ref[r : r + a] for h, b, r, a in rows.tolist()]
        found = [((h, h + b), (r, r + a)) for h, b, r, a in rows[chosen].tolist()]
        for side, cover, value in zip((0, 1), covers, (c_hyp, c_ref), strict=True):
            ends = [link[side] for link in found]
            assert len(set(ends)) == len(ends)
            assert cover.tolist() == covered_by(places[side], ends)
            assert value == amount(places[side], weights[side], ends)
        for k in range(len(found)):  # no link adds nothing
            less = [[link[side] for link in (*found[:k], *found[k + 1 :])] for side in (0, 1)]
            left = [amount(places[side], weights[side], less[side]) for side in (0, 1)]
            assert left != [c_hyp, c_ref]
        unit = int(engine.scales(Pairs.in_order(hyps, refs, str))[0])
        assert (np.array([c_ref, c_hyp]) / unit <= exact.amounts[0]).all()
        amounts += share * exact.amounts[0][::-1]
    total = [sum(weights[side] or [1] * len(places[side])) / unit for side in (0, 1)]
    for side, ngrams in enumerate((told.hyp_ngrams, told.ref_ngrams)):
        if total[side]:
            c = sum(x.cover * x.weight for x in ngrams) / sum(x.weight for x in ngrams)
            assert c == pytest.approx(amounts[side] / total[side], abs=1e-7)


def shares(steps):
    credits = [credit for _, credit in steps]
    return [a - b for a, b in zip(credits, [*credits[1:], 0.0], strict=True)]


def covered_by(places, ends):
    return [float(any(contains(end, place) for end in ends)) for place in places]


def amount(places, weights, ends):
    """What n-grams cover, in the kernels' whole numbers."""
    covered = covered_by(places, ends)
    return sum(c * m for c, m in zip(covered, weights or [1] * len(places), strict=True))


def test_real_sentences_need_no_solver(monkeypatch):
    def used(*arguments):
        raise AssertionError("solved by HiGHS")

    monkeypatch.setattr(explain, "solve", used)
    told = celab.TeslaCelab(lexicon="zh-core").explain(
        "他在北京买了一把伞，她在上海买了一把雨伞。", "他到北京买雨伞，她到上海买伞。"
    )
    assert {link.weight for link in told.links} == {1.0}


def test_a_solution_may_need_fractions(tmp_path):
    metric = metric_for(tmp_path, [["乙乙", "甲", "甲乙"]], script="keep")
    told = metric.explain("甲甲乙", "甲甲乙乙甲甲甲乙乙乙")
    assert sum(x.cover for x in told.ref_ngrams) == pytest.approx(22.5, abs=1e-9)
    assert told.recall == 22.5 / 34
    assert any(0 < link.weight < 1 for link in told.links)


SPACED = st.text("ab甲 ", min_size=1, max_size=9).filter(str.strip)


@examples(80)
@given(TEXT | SPACED, TEXT | SPACED, group_lists("甲乙丙") | group_lists("ab甲"), ORDERS, LINKS)
def test_every_link_has_a_reason(hyp, ref, groups, order, links):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, links=links, script="keep")
        told = metric.explain(hyp, ref)
    for link in told.links:
        for side in ("hyp", "ref"):
            pieces = [getattr(piece, side) for piece in link.pieces]
            assert pieces[0][0] == getattr(link, side)[0]
            assert pieces[-1][1] == getattr(link, side)[1]
            assert all(a[1] == b[0] for a, b in pairwise(pieces))
            assert getattr(link, f"covers_{side}")[-1] == getattr(link, side)
        for piece in link.pieces:
            words = [
                "".join(told.hyp_tokens[slice(*piece.hyp)]),
                "".join(told.ref_tokens[slice(*piece.ref)]),
            ]
            if piece.kind == "equal":
                assert words[0] == words[1]
                assert piece.groups == ()
            else:
                assert piece.groups
                for label in piece.groups:  # "groups.tsv line 3"
                    assert set(words) <= set(groups[int(label.split()[-1]) - 1])


def test_the_running_example():
    told = celab.TeslaCelab().explain("买伞", "买雨伞")
    (link,) = told.links  # it covers everything, so nothing else is needed
    assert (link.hyp, link.ref, link.weight, link.kind) == ((0, 2), (0, 3), 1.0, "synonym")
    equal, synonym = link.pieces
    assert (equal.kind, equal.hyp, equal.ref) == ("equal", (0, 1), (0, 1))
    assert (synonym.kind, synonym.hyp, synonym.ref) == ("synonym", (1, 2), (1, 3))
    assert all(label.startswith("cilin B") for label in synonym.groups)
    assert {x.state for x in told.ref_ngrams} == {"covered", "synonym"}


def test_n_grams_are_counted_by_their_order():
    drawn = celab.TeslaCelab().explain("买伞去", "买雨伞吧").drawing()
    rows = [["1", "3", "4", "2", "3"], ["2", "2", "3", "1", "2"], ["3", "1", "2", "0", "1"]]
    assert drawn.coverage().all_rows() == [*rows, ["4", "0", "1", "0", "0"]]  # of both sides
    marks = [ngram.mark for side in drawn.sentences for x in ngram_rows(side) for ngram in x.ngrams]
    assert set(marks) == {None}  # each is covered, or not


def test_an_empty_hypothesis_explains_itself():
    told = celab.TeslaCelab(lexicon=None).explain("", "买雨伞")
    assert told.links == told.hyp_ngrams == told.hyp_tokens == ()
    assert {x.state for x in told.ref_ngrams} == {"unmatched"}


@examples(60)
@given(TEXT, TEXT)
def test_the_summary_is_about_the_tokens_of_the_reference(hyp, ref):
    told = celab.TeslaCelab(lexicon=None).explain(hyp, ref).drawing()
    if "unmatched" in told.sentences[0].states:
        assert told.summary.startswith("Missing: ")
    elif "unmatched" in told.sentences[1].states:  # of the output
        assert "Every token is matched" not in told.summary


def test_a_token_of_the_output_may_be_unmatched_where_none_of_the_reference_is():
    told = celab.TeslaCelab(lexicon=None).explain("买了雨伞", "买雨伞").drawing()
    assert told.sentences[1].states[1] == "unmatched"
    assert told.summary.startswith("Every token of the reference is matched, but not every n-gram.")


def marks_of(hyp, ref):
    sentences = celab.TeslaCelab(lexicon=None).explain(hyp, ref).sentences
    return ["".join(MARKS[state] for state in sentence.states) for sentence in sentences]


@pytest.mark.parametrize(
    ("hyp", "ref", "of_ref", "of_hyp"),
    [
        # The metric counts the one 了 of the output for both of the reference.
        ("好的，白天挂上了我", "好了，我白天挂上了", "=:=:=====", "=.======:"),
        # A single character is not moved, two are.
        ("买伞我", "我买伞", ":==", "==:"),
        ("买雨伞我们", "我们买雨伞", "mm===", "===mm"),
        # Of two equal runs, one is moved to one.
        ("我们吃饭我们睡觉", "吃饭睡觉我们", "====mm", ":"),
    ],
)
def test_runs_of_two_characters_are_moved_one_to_one(hyp, ref, of_ref, of_hyp):
    marks = marks_of(hyp, ref)
    assert marks[0] == of_ref
    if len(of_hyp) > 1:
        assert marks[1] == of_hyp
    else:  # which of both runs is moved is as good
        assert sorted(marks[1]) == sorted("====mm::")
