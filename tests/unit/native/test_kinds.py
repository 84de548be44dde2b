"""Links and cover by kinds of n-grams: against the twins, and against every n-gram by itself.

`crowd` says how many places per token where links start are too many: with 0 all pairs with links
are covered by kind, with a negative number none is.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import examples
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import links as twin_links
from oracle import program as twin
from oracle import tokens as twin_tokens
from pairs import ORDERS, group_lists, metric_for, random_groups, sides_of

import celab
from celab._native.cover import cover_pairs
from celab._native.links import link_pairs
from celab.exact.proof import proved_values
from celab.exact.solve import Program

BY_KIND, APART = 0, -1
ONE = np.zeros(1, np.int32)  # the number of the only sentence
pytestmark = pytest.mark.filterwarnings("ignore:.*longer than max_order")


def linked(metric, hyp, ref, crowd, grade=-1):
    hyp_side, ref_side = sides_of(metric, [hyp], [ref])
    order = metric.engine.max_order
    return link_pairs(hyp_side, 0, ref_side, 0, order, False, grade=grade, crowd=crowd)


def covered(metric, hyp, ref, crowd, grade=-1):
    """The proved amounts of reference and hypothesis, in the kernel's whole numbers."""
    table = metric.engine.table
    vocabulary, (ref_side,) = metric.engine.references([[ref]], table=table)
    hyp_side = metric.engine.hypotheses([hyp], vocabulary, table)
    counted, _, rest = cover_pairs(
        hyp_side, ref_side, metric.engine.max_order, False, ONE, ONE, grade=grade, crowd=crowd
    )
    amounts = [Fraction(amount) for amount in counted[0].tolist()]
    if len(rest):
        program = Program.of(rest)
        values = proved_values(program, str, 60.0)
        for owner, value in zip(program.block_owner.tolist(), values, strict=True):
            amounts[owner] += value
    return amounts


# ---- against the twins ----

# Tokens of one letter and of several, of which one can be the text of others.
TEXT = st.text("aab甲乙丙\u0301  ", min_size=1, max_size=9).filter(str.strip)
CUTS = {"char": twin_tokens.tokens, "space": str.split}


@examples(300)
@given(TEXT, TEXT, group_lists("ab甲乙丙"), ORDERS, st.sampled_from(["char", "space"]))
@example("ab a b", "a b ab", [], 4, "space")
@example("aab b", "a ab b", [["aabb", "甲"]], 4, "space")
@example("ab a b", "ab ab a b", [["ab", "甲"]], 4, "space")  # a text with groups, cut in two ways
@example("甲乙丙", "丙乙甲", [["甲", "乙"], ["乙", "丙"]], 2, "char")  # ~ is not transitive
@example("甲乙", "乙甲", [["甲", "乙乙"], ["甲甲", "乙"]], 3, "char")
@example("甲乙丙", "丙丙丙", [["甲乙", "丙"], ["乙丙", "丙"]], 3, "char")
def test_links_by_kind_are_those_of_the_twin(hyp, ref, groups, order, tokenize):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, tokenize=tokenize, script="keep")
        rows = linked(metric, hyp, ref, BY_KIND).tolist()
    cut = CUTS[tokenize]
    spelled = [[cut(word) for word in group] for group in groups]
    found = [((h, h + b), (r, r + a)) for h, b, r, a in rows]
    assert found == sorted(set(found))
    assert set(found) == twin_links.phrase_links(cut(hyp), cut(ref), spelled, order)


@examples(150)
@given(
    st.text("甲乙ab ", min_size=1, max_size=6).filter(str.strip),
    st.text("甲乙ab ", min_size=1, max_size=6).filter(str.strip),
    group_lists("甲乙ab"),
    ORDERS,
    st.sampled_from(["char", "space"]),
)
def test_the_cover_by_kind_is_the_optimum_of_the_twin(hyp, ref, groups, order, tokenize):
    with tempfile.TemporaryDirectory() as folder:
        metric = metric_for(Path(folder), groups, max_order=order, tokenize=tokenize, script="keep")
        found = covered(metric, hyp, ref, BY_KIND)
    cut = CUTS[tokenize]
    spelled = [[cut(word) for word in group] for group in groups]
    links = twin_links.phrase_links(cut(hyp), cut(ref), spelled, order)
    best = twin.covered(links, len(cut(hyp)), len(cut(ref)), order, Fraction(1, 4))
    assert found == [best.ref, best.hyp]


# ---- against every n-gram by itself ----

LETTERS = "甲乙丙丁戊"


def shapes(rng, letters, length):
    """Pairs of long texts that repeat themselves, each in another way."""

    def text(k=length):
        return rng.choices(letters, k=k)

    once = text()
    period = text(rng.randint(2, 7))
    frequent = [*letters, *letters[:2] * 8]
    changed = list(once)
    for at in rng.sample(range(length), length // 6):
        changed[at] = rng.choice(letters)
    return {
        "few distinct": (text(), text()),
        "periodic": (period * (length // len(period)), text(len(period)) * (length // 7)),
        "one period, shifted": (period * 9, (period * 11)[1:]),
        "all equal": (letters[:1] * length, letters[:1] * (length // 3)),
        "the same": (once, once),
        "shuffled": (once, rng.sample(once, len(once))),
        "changed": (once, changed),
        "some frequent": (rng.choices(frequent, k=length), rng.choices(frequent, k=length)),
        "one short": (text(5), text()),
    }


def equal_by_kind(metric, hyp, ref, grade=-1):
    for crowd in (BY_KIND, APART):
        assert (
            covered(metric, hyp, ref, crowd, grade) == covered(metric, ref, hyp, crowd, grade)[::-1]
        )
    assert covered(metric, hyp, ref, BY_KIND, grade) == covered(metric, hyp, ref, APART, grade)
    by_kind, apart = (linked(metric, hyp, ref, crowd, grade) for crowd in (BY_KIND, APART))
    assert np.array_equal(by_kind, apart)


LEXICONS = {
    "no synonyms": lambda rng: [],
    "random groups": lambda rng: random_groups(rng, LETTERS),
    "one group of all": lambda rng: [list(LETTERS)],
    "a chain of pairs": lambda rng: [["甲", "乙"], ["乙", "丙"], ["丙", "丁"]],
    "longer words": lambda rng: [["甲乙", "丙"], ["乙丙", "丁", "甲"], ["丙丁戊", "甲甲"]],
    "twins": lambda rng: [["甲", "乙", "丙丁"], ["丙", "丁", "甲甲"], ["甲", "乙"]],
}


@pytest.mark.parametrize("order", [1, 2, 4, 6])
@pytest.mark.parametrize("lexicon", LEXICONS)
def test_kinds_cover_as_much(lexicon, order, tmp_path):
    rng = random.Random(f"{lexicon} {order}")
    metric = metric_for(tmp_path, LEXICONS[lexicon](rng), max_order=order, script="keep")
    for length in (12, 40):
        for letters in (LETTERS[:2], LETTERS):
            for hyp, ref in shapes(rng, letters, length).values():
                equal_by_kind(metric, "".join(hyp), "".join(ref))


@pytest.mark.parametrize("order", [2, 4])
def test_kinds_of_tokens_that_others_spell_cover_as_much(order, tmp_path):
    rng = random.Random(f"spaces {order}")
    tokens = ["a", "b", "ab", "aba", "bab"]
    for groups in ([], [["ab", "甲"]], [["a b a", "bb"], ["ab", "ba"]]):
        metric = metric_for(tmp_path, groups, max_order=order, tokenize="space", script="keep")
        for hyp, ref in shapes(rng, tokens, 30).values():
            equal_by_kind(metric, " ".join(hyp), " ".join(ref))


@pytest.mark.parametrize("order", [1, 3, 4])
def test_kinds_cover_as_much_at_every_grade(order, tmp_path):
    rng = random.Random(f"grades {order}")
    fine = [["甲", "乙"], ["丙丁", "戊"]]
    middle = [["甲", "乙", "丙"], ["丙丁", "戊", "乙"]]
    coarse = [["甲", "乙", "丙"], ["丙丁", "戊", "乙"], list(LETTERS)]
    grades = {}
    for name, groups, credit in (("f", fine, 1.0), ("m", middle, 0.6), ("c", coarse, 0.2)):
        path = tmp_path / f"{name}.tsv"
        path.write_text("".join("\t".join(group) + "\n" for group in groups), "utf-8")
        grades[str(path)] = credit
    metric = celab.TeslaCelab(grades=grades, max_order=order, script="keep")
    for hyp, ref in shapes(rng, LETTERS, 40).values():
        for grade in range(4):
            equal_by_kind(metric, "".join(hyp), "".join(ref), grade)


@pytest.mark.parametrize("lexicon", LEXICONS)
@pytest.mark.parametrize("decay", [1.0, 0.3])
def test_kinds_cover_as_much_with_weights(lexicon, decay, tmp_path):
    rng = random.Random(f"weights {lexicon} {decay}")
    table = tmp_path / "weights.tsv"
    table.write_text("甲\t0.13\n乙\t1\n丙\t0\n丁\t0.5\n戊\t0.07\n", "utf-8")
    metric = metric_for(
        tmp_path, LEXICONS[lexicon](rng), weights=table, decay=decay, max_order=3, script="keep"
    )
    for hyp, ref in shapes(rng, LETTERS, 30).values():
        equal_by_kind(metric, "".join(hyp), "".join(ref))


# ---- long ----


def zipfian(rng, n, n_letters=900):
    weights = [1 / (k + 3) for k in range(n_letters)]
    return "".join(rng.choices([chr(0x4E00 + k) for k in range(n_letters)], weights, k=n))


def test_a_long_text_scores_the_same_by_kind(tmp_path):
    rng = random.Random(5)
    ref = zipfian(rng, 1500)
    hyp = "".join(c if rng.random() < 0.8 else zipfian(rng, 1) for c in ref)
    groups = [[chr(0x4E00 + rng.randrange(200)) for _ in range(3)] for _ in range(60)]
    metric = metric_for(tmp_path, [sorted({*group}) for group in groups], script="keep")
    equal_by_kind(metric, hyp, ref)


@pytest.mark.parametrize("n", [30_000, 100_000])
def test_long_texts_are_not_refused(n, tmp_path):
    rng = random.Random(n)
    letters = [chr(0x4E00 + k) for k in range(60)]
    metric = metric_for(tmp_path, [letters], script="keep")
    text = "".join(rng.choices(letters, k=n))
    assert metric.sentence_score(text[::-1], [text]).score == 1.0  # all are synonyms
    half = metric.sentence_score(text[: n // 2], [text])
    assert half.precision == 1.0
    assert half.recall == (3 * n - 3 + n // 2 - 3) / (4 * n - 6)


def test_unrelated_long_texts_are_not_refused(tmp_path):
    rng = random.Random(8)
    metric = metric_for(tmp_path, [])
    hyp, ref = zipfian(rng, 30_000), zipfian(rng, 30_000)
    there, back = metric.sentence_score(hyp, [ref]), metric.sentence_score(ref, [hyp])
    assert (there.precision, there.recall) == (back.recall, back.precision)
    # N-grams of the same text cover at least themselves, and the longest are covered by none else.
    n_equal = [
        (Counter(texts(ref, order)) & Counter(texts(hyp, order))).total() for order in range(1, 5)
    ]
    covered_ref = round(there.recall * (4 * len(ref) - 6))
    assert sum(n_equal) <= covered_ref <= 3 * len(ref) - 3 + n_equal[3]


def texts(text, order):
    return (text[k : k + order] for k in range(len(text) - order + 1))
