"""Laws of the look at references: what rows do not depend on, and that nothing hides a line."""

from __future__ import annotations

import random

from generated_texts import campaign, sentence
from hypothesis import given, settings
from hypothesis import strategies as st

from celab import Campaign
from celab.corpus import Corpus, Segment
from celab.findings.references import check_references, reference_lines

SYSTEMS = "ABCDEF"


def corpus_of(ref, systems, ids=None):
    ids = ids or range(1, len(ref) + 1)
    return Corpus(
        segments=[Segment("", str(number)) for number in ids],
        systems=systems,
        refs=[ref],
        ref_names=["ref"],
    )


@st.composite
def cases(draw, most=60):
    """A reference some of whose segments are copies of systems, which may share outputs."""
    seed = draw(st.integers(0, 10_000))
    n_segments = draw(st.integers(6, most))
    n_systems = draw(st.integers(1, len(SYSTEMS)))
    ref, systems = campaign(n_segments, SYSTEMS[:n_systems], seed)
    chance = random.Random(seed)
    share = draw(st.sampled_from([0, 0.1, 0.2, 0.5]))
    for i in range(n_segments):
        if chance.random() < share:  # two systems have one output
            a, b = chance.choice([*systems]), chance.choice([*systems])
            systems[a][i] = systems[b][i]
    for name in systems:
        for i in chance.sample(range(n_segments), draw(st.integers(0, min(9, n_segments)))):
            text = systems[name][i]
            ref[i] = text if chance.random() < 0.5 else f"{text[1:]}。"
    return ref, systems


def rows(corpus):
    """The rows by reference and system, with all but the order of segments."""
    return {
        (row.name, row.system): (row.copies, row.near, set(row.segments), row.others, row.p)
        for row in check_references(corpus).copies
    }


@given(cases(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_systems_and_segments_does_not_matter(case, shuffled):
    ref, systems = case
    order = list(range(len(ref)))
    shuffled.shuffle(order)
    names = [*systems]
    shuffled.shuffle(names)
    other = corpus_of(
        [ref[i] for i in order],
        {name: [systems[name][i] for i in order] for name in names},
        [i + 1 for i in order],
    )
    assert rows(other) == rows(corpus_of(ref, systems))


@given(cases(), st.sampled_from(SYSTEMS), st.integers(0, 10_000))
@settings(deadline=None)
def test_one_more_copy_never_makes_a_line_disappear(case, copied, seed):
    ref, systems = case
    copied = copied if copied in systems else "A"
    before = check_references(corpus_of(ref, systems))
    draw = random.Random(seed)
    longer = {name: [*texts, sentence(draw)] for name, texts in systems.items()}
    after = check_references(corpus_of([*ref, longer[copied][-1]], longer))
    assert bool([*reference_lines(after, len(ref) + 1)]) >= bool(before.copies)
    p_before, p_after = (
        {row.system: row.p for row in reference_problems.copies}
        for reference_problems in (before, after)
    )
    assert copied not in p_before or copied in p_after
    # Not of other systems, for which a segment without a copy is evidence of chance.
    assert p_after.get(copied, 0) <= p_before.get(copied, 1)


@given(cases(most=12))
@settings(deadline=None, max_examples=20)
def test_no_score_moves(case):
    ref, systems = case
    corpus = corpus_of(ref, systems)
    looked, unlooked = (Campaign(corpus).score("chrf", check=check) for check in (True, False))
    for system, score in looked.scores["chrf"].items():
        other = unlooked.scores["chrf"][system]
        assert (score.score, score.signature) == (other.score, other.signature)
        assert (score.segments.scores == other.segments.scores).all()


def test_lines_are_drawn():
    # Else the laws would say nothing.
    found = []

    @given(cases())
    @settings(deadline=None, database=None, max_examples=60)
    def look_at(case):
        found.append(len(check_references(corpus_of(*case)).copies))

    look_at()
    assert {0, 1} <= {*found}
