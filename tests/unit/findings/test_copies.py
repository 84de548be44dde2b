import random

import numpy as np
import pytest
from generated_texts import campaign, varied

from celab.base.text.counts import count_texts
from celab.corpus import Corpus, Segment
from celab.findings.references import check_references
from celab.findings.references.copies import (
    MIN_COPIES,
    NO_AGREEMENT,
    CountedTexts,
    agreement,
    edit_limits,
    find_relatives,
    p_values,
    poisson_tail,
)


def agree(ref, hyp):
    side = CountedTexts([ref], count_texts([ref]))
    found = agreement(side, CountedTexts([hyp], count_texts([hyp])), edit_limits(side.counts))
    return ("equal" if found.equal[0] else "near") if found.either[0] else ""


LINE = "他买了一把雨伞然后坐火车去了北京和上海看朋友"


@pytest.mark.parametrize(
    ("ref", "hyp", "expected"),
    [
        (LINE, LINE, "equal"),
        (LINE, f" {LINE[:5]} {LINE[5:]}\t", "equal"),
        (LINE, f"{LINE}。", "near"),
        ("他買了一把雨傘然後坐火車去了北京", "他买了一把雨伞然后坐火车去了北京", "near"),
        (f"{LINE}ABC", f"{LINE}ａｂｃ", "near"),
        (LINE, LINE[:-3], "near"),
        (LINE, LINE[:-4], ""),
        (LINE * 2, (LINE * 2)[:-3], "near"),
        (LINE * 2, (LINE * 2)[:-4], ""),  # more than three, however long the text is
        (LINE, f"我{LINE[1:10]}他{LINE[11:]}们", "near"),
        (LINE[:12], LINE[:12], "equal"),
        (LINE[:11], LINE[:11], ""),  # too short
        (LINE[:12], LINE[:11], "near"),
        (LINE[:12], LINE[:10], ""),  # two of twelve are more than 15%
        ("a" * 39, "a" * 39, ""),
        ("a" * 40, "a" * 40, "equal"),
        (LINE, "", ""),
    ],
)
def test_what_agrees(ref, hyp, expected):
    assert agree(ref, hyp) == expected


def test_every_edit_within_three_is_found():
    draw = random.Random(5)
    ref, _ = campaign(60)
    for text in ref:
        edited = [*text]
        for place in draw.sample(range(len(text)), draw.randint(1, 3)):
            edited[place] = draw.choice(["一", "", "x"])
        assert agree(text, "".join(edited)) == ("near" if edited != [*text] else "equal")


def test_other_translations_do_not_agree():
    draw = random.Random(5)
    ref, _ = campaign(60)
    assert {agree(text, varied(text, draw)) for text in ref} == {""}


def test_the_tail_of_the_distribution():
    # By summing 1 - exp(-m) (1 + m + ... ) by hand.
    assert poisson_tail(1, 0.5) == pytest.approx(1 - np.exp(-0.5))
    assert poisson_tail(3, 2.0) == pytest.approx(1 - np.exp(-2) * (1 + 2 + 2))
    assert poisson_tail(500, 20.0) < 1e-300


def edits_of(*systems):
    return np.array(
        [[0 if letter == "x" else NO_AGREEMENT for letter in row] for row in systems], np.int8
    )


def test_a_system_without_others_is_alone():
    edits, relatives = edits_of("x" * 12, "x" * 12, "." * 12), ~np.eye(3, dtype=np.bool_)
    assert p_values(edits, 100, relatives)[0] == pytest.approx(poisson_tail(12, 0.05 * 88))


def test_agreement_that_others_share_is_no_excess():
    alone = p_values(edits_of("x" * 9, "." * 9, "." * 9), 100)
    shared = p_values(edits_of("x" * 9, "x" * 9, "x" * 9), 100)
    assert alone[0] < 1e-3 and alone[1:] == [1, 1] and shared == [1, 1, 1]


def test_the_closest_system_counts():
    edits = np.array([[0] * 9, [2] * 9, [NO_AGREEMENT] * 9], np.int8)
    assert p_values(edits, 100)[0] < 1e-3 and p_values(edits, 100)[1] == 1


def test_with_one_system_the_rate_speaks():
    def p(n_agreeing, n_long):
        return p_values(edits_of("x" * n_agreeing), n_long)[0]

    assert p(26, 100) < 1e-3 < p(8, 100)
    assert p(MIN_COPIES - 1, MIN_COPIES - 1) == 1


@pytest.mark.parametrize("systems", ["AB", "ABC", "ABCDEFGH"])
@pytest.mark.parametrize("share", [0.4, 0.7, 0.9])
def test_a_family_of_systems_hides_no_copies(systems, share):
    """B and C, which are nearly A, are not A's others; of AB and ABC nobody else is left."""
    draw = random.Random(3)
    ref, outputs = campaign(200, systems)
    for name in sorted({*systems} & {*"BC"}):
        rows = zip(outputs["A"], outputs[name], strict=True)
        outputs[name] = [a if draw.random() < share else other for a, other in rows]
    segments = [Segment("", str(number)) for number in range(1, 201)]
    assert not check_references(
        Corpus(segments=segments, systems=outputs, refs=[ref], ref_names=["ref"])
    ).copies
    planted = [*outputs["A"][:30], *ref[30:]]
    found = check_references(
        Corpus(segments=segments, systems=outputs, refs=[planted], ref_names=["ref"])
    ).copies
    assert found and found[0].system == "A"


def test_relatives_are_told_pair_by_pair():
    """A is equal to B, and B to C, in a half each; A and C in no segment."""
    texts = {"A": ["x"] * 8, "B": ["x"] * 4 + ["y"] * 4, "C": ["z"] * 4 + ["y"] * 4, "D": [""] * 8}
    texts["E"] = [""] * 8  # outputs without text are not equal
    found = find_relatives(texts, [[name] for name in texts], np.ones(8, np.bool_))
    assert np.argwhere(found).tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]


def test_easy_sets_need_more():
    few = p_values(edits_of("x" * 6 + "." * 30, "." * 36, "." * 36, "." * 36), 100)[0]
    easy = p_values(edits_of("x" * 6 + "." * 30, *["." * 6 + "x" * 30] * 3), 100)[0]
    assert few < easy
    assert easy == pytest.approx(poisson_tail(6, 30 / 3 + 0.05 * 94 / 4))


@pytest.mark.parametrize(("n_systems", "is_excess"), [(10, False), (11, True)])
def test_of_ten_others_one_may_be_as_close(n_systems, is_excess):
    edits = edits_of("x" * 9, "x" * 9, *["." * 9] * (n_systems - 2))
    assert (p_values(edits, 100)[0] < 1e-3) == is_excess
