"""Two systems compared: buckets, intervals, ties, and what is left out."""

import inspect
import math
import re
from dataclasses import replace

import pytest
from campaigns import REF1, REF2, A, B

import celab
from celab.corpus import Corpus, Segment
from celab.statistics.significance import TIE_TOLERANCE
from celab.systems.pair import LENGTHS
from celab.systems.pair.results import brief_parts
from celab.tables.formats import render


def test_a_comparison_has_the_scores_of_both(compared, metric):
    found = compared["celab"]
    a, b = (metric.corpus_score(side, [REF1, REF2]) for side in (A, B))
    tested = found.difference
    assert (tested.a, tested.b) == (a.score, b.score)  # to the last bit
    assert tested.value == tested.a - tested.b
    assert tested.interval[0] <= tested.value <= tested.interval[1]
    gaps = a.segments.scores - b.segments.scores
    assert (
        found.wins == (gaps > TIE_TOLERANCE).sum() and found.losses == (gaps < -TIE_TOLERANCE).sum()
    )
    assert found.wins + found.ties + found.losses == tested.n_segments == 20
    assert [one.difference for one in found.a_better] == sorted(gaps, reverse=True)[:3]
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


@pytest.mark.parametrize(("n_documents", "n_left_out"), [(10, 0), (11, 1), (13, 3)])
def test_of_many_documents_the_extremes_are_shown(metric, n_documents, n_left_out):
    documents = [f"d{min(n, n_documents - 1)}" for n in range(20)]
    compared = celab.compare(A, B, REF1, metric, documents=documents)
    shown = render(brief_parts(compared))
    found = re.findall(r"(\d+) documents in between are left out", shown)
    assert found == ([str(n_left_out)] if n_left_out else [])
    rows = [line.split()[0] for line in shown.splitlines() if re.match(r"d\d+ ", line)]
    ranked = sorted(compared["celab"].by_document, key=lambda bucket: -bucket.difference)
    labels = [bucket.label for bucket in ranked]
    assert rows == labels[:5] + labels[-5:]


def test_documents_of_few_segments_are_not_among_the_extremes(metric):
    # Twelve documents of five segments, and twenty of one.
    documents = [f"long{n // 5}" for n in range(60)] + [f"short{n}" for n in range(20)]
    texts = [[*side * 4] for side in (A, B, REF1)]
    compared = celab.compare(*texts, metric, documents=documents)
    shown = render(brief_parts(compared))
    assert "22 documents in between or with fewer than 5 segments are left out" in shown
    rows = [line.split()[0] for line in shown.splitlines() if re.match(r"(long|short)\d+ ", line)]
    assert len(rows) == 10 and all(row.startswith("long") for row in rows)


def test_a_pair_of_outputs_stands_above_its_reference(metric):
    shown = render(brief_parts(celab.compare(A, B, REF1, metric)))
    lines = [line.split(maxsplit=1) for line in shown.splitlines()]
    refs = [line[1] for line in lines if line and line[0] == "ref"]
    assert refs and all(ref.rstrip("…") in "".join(REF1) for ref in refs)


def test_one_reference_may_be_a_plain_list(metric):
    one = celab.compare(A, B, REF1, metric)["celab"]
    other = celab.compare(A, B, [REF1], metric)["celab"]
    assert one == other
    absent = [None, *REF2[1:]]
    assert celab.compare(A, B, [REF1, absent], metric)["celab"].difference.n_segments == 20


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_interval_p_ranks_and_groups_agree(seed, metric):
    """One system gets worse on more and more segments: from no difference to a clear one."""
    other = [b if i < seed else a for i, (a, b) in enumerate(zip(A, B, strict=True))]
    mixed = [*other[:14], *REF1[14:]] if seed % 4 else other
    corpus = Corpus(
        segments=[Segment("", str(n)) for n in range(20)],
        systems={"A": A, "B": mixed},
        refs=[REF1],
        ref_names=["x"],
    )
    tested = celab.Campaign(corpus).score(metric).test(seed=seed)
    found = tested.compare("A", "B", seed=seed)["celab"].difference
    low, high = found.interval
    assert (found.significant == (low > 0 or high < 0)) == (found.remark == "")
    of_all = tested.comparisons["celab"]
    assert found.test == of_all.tests[0, 1] == "exact" and found.n_different < 20
    assert of_all.p_values[0, 1] == found.p
    apart = of_all.groups.tolist() == [1, 2]
    assert apart == found.significant == (of_all.ranks.tolist() == [[1, 1], [2, 2]])


def test_a_disagreement_of_two_tests_is_told(compared):
    odd = replace(compared["celab"].difference, p=0.2, test="randomization")
    assert "disagree" in odd.remark
    shown = replace(compared, metrics={"celab": replace(compared["celab"], difference=odd)})
    assert odd.remark in str(shown) and odd.remark in shown._repr_html_()
    assert "no significant difference" in str(shown)


def test_lower_is_better_for_ter():
    found = celab.compare(A, B, REF1, ["TER", "chrF", "BLEU"])
    assert list(found.metrics) == ["ter", "chrf", "bleu"]
    ter = found["ter"]
    assert ter.difference.a < ter.difference.b and ter.difference.better == "a"
    assert ter.difference.value < 0 and ter.wins > ter.losses
    assert ter.a_better[0].difference == min(x.difference for x in ter.a_better)
    assert "TER: lower is better" in str(found)
    assert all(
        one.wins > one.losses and one.difference.better == "a" for one in found.metrics.values()
    )


def test_unproved_segments_are_left_out_for_both():
    hard, easy = ("雨雨伞雨伞雨伞", "伞雨伞"), ("买伞", "买雨伞")
    hurried = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9, on_error="skip")
    refs = [hard[1], easy[1], easy[1]]
    found = celab.compare([hard[0], easy[0], "买"], [easy[0]] * 3, refs, hurried)
    assert found["celab"].difference.n_segments == 2 and found["celab"].n_skipped == 1
    assert "1 of 3 segments left out" in str(found)
    assert found["celab"].difference.better == "b"
    with pytest.raises(celab.SolverError):
        celab.compare([hard[0]], [hard[0]], [hard[1]], hurried)


def test_the_text_fits_a_terminal(compared):
    from rich.cells import cell_len

    text = compared.render(detail="full")
    signature = compared["celab"].signature
    assert max(cell_len(line) for line in text.splitlines() if line != signature) <= 80
    assert signature in text and "乙" in text and "TESLA-CELAB by document" in text
    empty = celab.compare(["", "买"], ["买", ""], ["买", "买"], celab.TeslaCelab(lexicon=None))
    assert "(empty)" in str(empty)


def test_a_comparison_is_read_as_a_dict_of_metrics_and_printed_on_a_page():
    found = celab.compare(A, B, REF1, lexicon=None)
    assert [*found] == ["celab", "chrf", "bleu"] and len(found) == 3
    assert "celab" in found and "ter" not in found
    assert {name: found[name] for name in found} == found.metrics
    lines = str(found).splitlines()
    assert len(lines) < 40 and lines[0].startswith("metric")
    assert {metric.signature for metric in found.metrics.values()} <= set(lines)
    assert any("scores higher than" in line for line in lines)


def test_python_and_the_command_compare_by_the_same_metrics():
    from celab.cli.compare import METRICS

    default = inspect.signature(celab.compare).parameters["metrics"].default
    assert ",".join(default) == METRICS
    evaluated = inspect.signature(celab.meta.evaluate).parameters["metrics"].default
    from celab.cli.meta import DEFAULT_METRICS

    assert ",".join(evaluated) == DEFAULT_METRICS


def test_differences_of_any_scores(compared, metric):
    found = celab.significance.paired_bootstrap(
        *(metric.corpus_score(side, [REF1, REF2]) for side in (A, B))
    )
    expected = compared["celab"].difference
    assert (found.p, found.interval) == (expected.p, expected.interval)
    assert found.value == pytest.approx(expected.value, abs=1e-15)
    lists = celab.significance.paired_bootstrap([0.1, 0.5, math.nan], [0.2, 0.1, 0.3])
    assert lists.n_segments == 2
    exact = celab.significance.paired_randomization([1.0] * 9, [0.0] * 9, n_resamples=2000)
    assert exact.p == pytest.approx(2 / 2**9, abs=0.005)


def shown_by(compared, detail):
    """Return the text of `celab compare`, or of what Python shows."""
    return render(brief_parts(compared)) if detail == "brief" else compared.render(detail=detail)


@pytest.mark.parametrize("detail", ["brief", "summary", "full"])
def test_long_names_of_segments_leave_room_for_texts(detail):
    segments = [Segment("", f"{n:070}") for n in range(3)]
    systems = {"A": ["他买了一把雨伞"] * 3, "B": ["", "他买了一把伞", ""]}
    corpus = Corpus(
        segments=segments, systems=systems, refs=[["他买了一把雨伞然后走了"] * 3], ref_names=["ref"]
    )
    found = celab.Campaign(corpus).score("chrf").compare("A", "B")
    text = shown_by(found, detail)
    assert f"{0:070}" in text and "他买了一把雨伞" in text and "(empty)" in text


@pytest.mark.parametrize(
    ("n_segments", "note"), [(23, "fewer than 20 segments, no verdict"), (24, None)]
)
def test_too_few_segments_without_outputs_are_no_verdict(metric, n_segments, note):
    # 4 outputs of A are empty, and B is worse everywhere else.
    refs = [f"第{n}天，他们带着雨伞去了火车站。" for n in range(n_segments)]
    first, second = [*[""] * 4, *refs[4:]], [f"第{n}天，他们走了。" for n in range(n_segments)]
    compared = celab.compare(first, second, refs, metric)
    assert compared.outputs.difference.n_segments == n_segments - 4
    assert compared.to_dict()["without_outputs"][0]["note"] == note
    for detail in ("brief", "summary", "full"):
        shown = shown_by(compared, detail)
        said = re.findall(r"without them:? (.*)$", shown, re.MULTILINE)
        assert len(said) == 1 + bool(note)
        assert said[1:] == [note] if note else said[0].endswith("(p < 0.001)")
