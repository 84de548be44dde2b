"""The twins judge the kernels; the paper's values and sums by hand judge both.

A twin that errs disagrees with its kernel, which `tests/library/test_paper.py` holds to the paper.
What stands here is what kernels are not compared in: the proof that the twins rely on, and the
theorem by which a kernel may solve each side alone.
"""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from oracle.links import phrase_links, release_2012_links
from oracle.program import covered
from oracle.rational import Program, proves, simplex

sentences = st.lists(st.sampled_from("ab"), min_size=1, max_size=4)
words = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
lexicons = st.lists(st.lists(words, min_size=2, max_size=3), max_size=3)
rules = st.sampled_from([phrase_links, release_2012_links])


def test_proof_refuses_what_is_not_optimal():
    program = Program([1, 1], [[1, 0], [0, 1], [1, 1]], [2, 2, 3])
    assert proves(program, [2, 1], [0, 0, 1])
    assert not proves(program, [1, 1], [0, 0, 1])  # feasible, but not the best
    assert not proves(program, [2, 2], [1, 1, 0])  # objectives agree, third row broken
    assert not proves(program, [2, 1], [Fraction(3, 2), 0, 0])  # second column underpaid


def test_known_fractional_optimum():
    """Of each two of three at most one in all: the half of each is best, a corner is not."""
    program = Program([1, 1, 1], [[1, 1, 0], [1, 0, 1], [0, 1, 1]], [1, 1, 1])
    assert simplex(program)[0] == Fraction(3, 2)


@given(sentences, sentences, lexicons, st.integers(1, 6), rules, st.fractions(0, 1))
def test_joint_optimum_is_the_sum_of_the_halves(hyp, ref, groups, max_order, rule, f):
    """The supply-demand theorem: neither side has to give way to the other."""
    links = rule(hyp, ref, groups, max_order)
    best = covered(links, len(hyp), len(ref), max_order, f)
    assert best.objective == best.ref + f * best.hyp
