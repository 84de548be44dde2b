"""Ranks by a metric and by people, with all outputs and without some; where judges disagree."""

from itertools import combinations

import numpy as np
import pytest
from generated_texts import campaign as generated

from celab import Campaign
from celab.people.disagreement import (
    RankWithoutCopies,
    compare_ranks,
    comparison_to_show,
    disagreements,
    rank_without_copies,
    translation_ranks,
)
from celab.systems.external_scores import rank_lines as remarks
from celab.systems.external_scores import rankings

REFS = ["他买了一把雨伞", "我们明天去北京", "天气很好"] * 10
BAD = ["他买了一把伞子", "我们后天去北京", "天气不错"] * 10
WORST = ["她卖了雨衣", "明天去上海", "下雪了"] * 10


def campaign(people, **more):
    systems = {"A": REFS, "B": BAD, "C": WORST} | more
    return Campaign.from_lists(systems, REFS).score("chrf").with_scores({"human": people}).test()


def test_the_first_system_of_the_metric_has_its_rank_by_people():
    scored = campaign({"A": [50 + i for i in range(30)], "B": [90] * 30, "C": [80] * 30})
    (ranks,) = rankings(scored, "chrf")
    assert (ranks.first, ranks.judge_first, ranks.rank) == ("A", "B", 3)
    assert (ranks.n_apart, ranks.n_pairs) == (2, 3)
    assert ranks.difference.significant and ranks.difference.better == "a"
    (line,) = remarks(scored)
    assert line == (
        "Human scores rank B first and A at 3 (p < 0.001); chrF2 ranks A first (2 of 3 pairs"
        " reversed)."
    )


def test_nothing_is_said_in_a_terminal_where_the_first_system_is_the_same():
    scored = campaign({"A": [90] * 30, "B": [50] * 30, "C": [60] * 30})
    assert list(remarks(scored)) == []
    (ranks,) = rankings(scored, "chrf")
    assert ranks.agrees and (ranks.n_apart, ranks.n_pairs) == (1, 3)


def test_a_judge_for_whom_lower_is_better():
    ranks = compare_ranks(
        ("chrF2", "MetricX"),
        {"A": 2.0, "B": 1.0},
        {"A": 1.0, "B": 2.0},
        higher_is_better=(True, False),
    )
    assert ranks.agrees and not ranks.n_apart


def test_equal_scores_share_a_rank_and_no_order():
    ranks = compare_ranks(("m", "human"), {"A": 2, "B": 1, "C": 0}, {"A": 5, "B": 5, "C": 5})
    assert (ranks.rank, ranks.n_apart, ranks.judge_first) == (1, 0, "A")


@pytest.mark.parametrize("judge", [{}, {"A": 1.0}])
def test_one_system_has_no_rank(judge):
    assert compare_ranks(("m", "human"), {"A": 2.0, "B": 1.0}, judge) is None


def test_people_are_shown_first_and_else_a_judge_that_disagrees():
    own = {"A": 2.0, "B": 1.0}
    same, other = {"A": 2.0, "B": 1.0}, {"A": 1.0, "B": 2.0}
    people = compare_ranks(("m", "human"), own, same)
    agreeing, apart = (compare_ranks(("m", "X"), own, judge) for judge in (same, other))
    assert comparison_to_show([people, apart]) is people
    assert comparison_to_show([agreeing, apart]) is apart
    assert comparison_to_show([agreeing]) is agreeing
    assert comparison_to_show([]) is None


def test_a_pair_is_ordered_the_other_way_by_people():
    scored = campaign({"A": [50] * 30, "B": [90] * 30, "C": [80] * 30})
    text = str(scored.compare("A", "B"))
    assert "Human scores rank B first and A second (p < 0.001); chrF2 ranks A first." in text
    assert "other way" not in str(scored.compare("B", "C"))


def test_a_system_passes_another_without_outputs_that_are_no_translations():
    # Most outputs of D are empty; the others are those of A.
    scored = campaign({"A": [1] * 30}, D=[*REFS[:6], *[""] * 24])
    ranks = translation_ranks(scored.scores["chrf"], scored.outputs)
    assert ranks.n_outputs == 24
    assert ranks.scores == {"D": 100.0}
    assert ranks.moved == {"A": 0, "B": -1, "C": 0, "D": 1}
    assert ranks.passes == (("D", "B"),)
    assert ranks.sentence == "Without 24 outputs that look broken, D passes B."


def test_all_outputs_are_translations():
    scored = campaign({"A": [1] * 30})
    assert translation_ranks(scored.scores["chrf"], scored.outputs) is None


def copied(n_copies, system="A"):
    ref, systems = generated(100)
    ref[:n_copies] = systems[system][:n_copies]
    return Campaign.from_lists(systems, ref).score("chrf")


def test_the_rank_of_a_copied_system_is_that_of_other_segments():
    independent = copied(0).scores["chrf"]
    worst = min(independent, key=lambda name: independent[name].score)
    made = copied(40, worst)
    found = rank_without_copies(
        made.scores["chrf"], made.outputs.reference_problems, made.outputs.n_segments
    )
    rest = np.arange(40, 100)
    left = {name: score.of_segments(rest) for name, score in made.scores["chrf"].items()}
    order = sorted(left, key=left.__getitem__, reverse=True)
    assert found == RankWithoutCopies(worst, 40, 100, 1, order.index(worst) + 1)
    assert found.rank_without > 1
    assert found.sentence == (
        f"40 of 100 references are copies or close edits of outputs of {worst}; without them it has"
        f" rank {found.rank_without} instead of 1."
    )


def test_there_is_nothing_to_say_of_independent_references():
    made = copied(0)
    assert (
        rank_without_copies(
            made.scores["chrf"], made.outputs.reference_problems, made.outputs.n_segments
        )
        is None
    )


def test_a_rank_that_stays_and_no_segment_that_is_left():
    same = RankWithoutCopies("A", 5, 9, 2, 2)
    assert str(same.sentence).endswith("outputs of A; without them it keeps rank 2.")
    assert str(RankWithoutCopies("A", 9, 9, 1, None).sentence).endswith("outputs of A.")


def slow(first, second):
    """Return the size of each segment's disagreement, by the definition."""

    def places(scores):
        flat = [x for row in scores for x in row]
        return [
            [
                np.mean([k for k, y in enumerate(sorted(flat)) if y == x]) / (len(flat) - 1)
                for x in row
            ]
            for row in scores
        ]

    p, q = places(first), places(second)
    sizes = []
    for s in range(len(first[0])):
        pairs = [
            ((p[i][s] - p[j][s]), (q[i][s] - q[j][s]))
            for i, j in combinations(range(len(first)), 2)
        ]
        sizes.append(np.mean([abs(d) + abs(e) if d * e < 0 else 0 for d, e in pairs]))
    return sizes


def test_sizes():
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 6, (2, 3, 8)).tolist()
    texts = ["伞"] * 8
    campaign = Campaign.from_lists(dict.fromkeys("ABC", texts), texts)
    campaign = campaign.with_scores(
        {"x": dict(zip("ABC", first, strict=True)), "y": dict(zip("ABC", second, strict=False))}
    )
    scores = campaign.scores
    rows = disagreements(scores["x"], scores["y"], campaign.segments, most=8)
    sizes = slow(first, second)
    assert [row.size for row in rows] == sorted((x for x in sizes if x > 0), reverse=True)
    for row in rows:
        assert row.size == pytest.approx(sizes[row.segment - 1])
        assert row.first[0] > row.first[1]
        assert row.second[0] < row.second[1]


def test_judges_that_agree_and_lower_is_better():
    texts = ["伞"] * 3
    campaign = Campaign.from_lists({"A": texts, "B": texts}, texts)
    values = {"A": [1, 2, 3], "B": [3, 1, 2]}
    negated = {name: [-x for x in scores] for name, scores in values.items()}
    campaign = campaign.with_scores({"x": values, "y": negated}, lower_is_better=["y"])
    assert disagreements(campaign.scores["x"], campaign.scores["y"], campaign.segments) == ()
