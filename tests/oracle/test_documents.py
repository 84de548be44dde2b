"""`celab.corpus.align` against its slow twin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab.corpus.align.alignment import align_document
from celab.corpus.align.characters import Characters
from celab.corpus.align.cutting import best_cuts, candidates, edit_cuts
from celab.corpus.align.objective import (
    CUT_FEATURES,
    CUT_WEIGHTS,
    SEGMENT_FEATURES,
    SEGMENT_WEIGHTS,
    WRITINGS,
    Objective,
    weights_of,
)
from oracle import documents as oracle

ALPHABET = '甲乙丙甲乙の ア」“”（。，！,. aB1"😀的'
TEXTS = st.text(ALPHABET, max_size=12)
REFS = st.lists(st.text(ALPHABET, min_size=1, max_size=7).filter(str.strip), min_size=1, max_size=4)


def of(text, refs):
    sides = [Characters.of(ref) for ref in refs]
    text = Characters.of(text)
    ends = np.cumsum([len(side) for side in sides])[:-1].tolist()
    first = edit_cuts("".join(side.folded for side in sides), ends, text.folded)
    return text, sides, first


@given(TEXTS, REFS)
def test_features_equal_the_twins(text, refs):
    text, sides, first = of(text, refs)
    objective, twin = Objective(text, sides, first), oracle.Twin(text, sides, first.tolist())
    places = np.arange(len(text) + 1)
    for number in range(len(refs)):
        features = objective.segment(number, places, places)
        for start in places.tolist():
            for end in range(start, len(text) + 1):
                expected = twin.segment(number, start, end)
                assert list(expected) == list(SEGMENT_FEATURES)
                assert features[:, start, end].tolist() == list(map(float, expected.values()))
        if number + 1 < len(refs):
            features = objective.cut(number, places)
            for place in places.tolist():
                expected = twin.cut(number, place)
                values = [float(expected.get(name, 0)) for name in CUT_FEATURES]
                assert features[:, place].tolist() == values


@given(TEXTS, REFS, st.sampled_from(WRITINGS))
def test_no_cuts_have_a_greater_value(text, refs, writing):
    text, sides, first = of(text, refs)
    columns = candidates(text, first)
    assert [column.tolist() for column in columns] == oracle.candidates(text, first.tolist())
    cuts = best_cuts(Objective(text, sides, first), columns, weights_of(writing))
    weights = dict(zip(SEGMENT_FEATURES + CUT_FEATURES, weights_of(writing), strict=True))
    twin = oracle.Twin(text, sides, first.tolist())
    value, best = twin.value(cuts, weights), -math.inf
    columns = [column.tolist() for column in columns]
    if math.prod(map(len, columns)) <= 300:
        best = max(twin.value(other, weights) for other in oracle.all_cuts(columns))
        assert value == best
    assert cuts in [cuts] and all(cut in column for cut, column in zip(cuts, columns, strict=True))


@given(TEXTS, REFS)
def test_candidates_far_from_the_first_cut(text, refs):
    text, _, first = of(text, refs)
    from celab.corpus.align import cutting as program

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "NEAR_CHARACTERS", 1)
        patch.setattr(program, "N_AFTER_MARKS", 1)
        patch.setattr(program, "FAR_CHARACTERS", 3)
        columns = [column.tolist() for column in candidates(text, first)]
    assert columns == oracle.candidates(text, first.tolist(), near=1, marked=1, far=3)


def test_weights_are_dyadic():
    for pair in (SEGMENT_WEIGHTS | CUT_WEIGHTS).values():
        assert all((64 * weight).is_integer() for weight in pair)


def test_the_whole_document_is_cut_by_the_optimum():
    refs = ["他买了雨伞。", "“好！”", "我们明天去北京。"]
    text = "他买了一把伞。“好的！”明天我们去北京。"
    assert align_document(text, [refs]).lines == ("他买了一把伞。", "“好的！”", "明天我们去北京。")
