"""Cover kernel: the greatest coverage of each side, by an exact reduction of the paper's program.

The program's optimum is the sum of two independent maxima, one a side: the weights that one side's
n-grams can have form a polymatroid, and by the theorem of Mendelsohn and Dulmage what each side
can reach alone both can reach together. So each side is solved by itself:

1. and 2. `reduction` settles the choices that are forced.
3. to 5. `clusters` makes the rest, with proof, or writes it out as a small linear program.
"""
from celab._native.clusters cimport solve_clusters
from celab._native.components cimport Side, list_edges, side_of
from celab._native.lexicon cimport Groups, Lexicon
from celab._native.links cimport Links, Sentence, check_pair, groups_of, link, sentence_of
from celab._native.program cimport Arrays, Program
from celab._native.reduction cimport BITS, reduce
from celab._native.tokens cimport Sentences
from celab._native.types cimport i8_t, i32_t, i64_t

import numpy as np


cdef int cover(Cover* self, const Links* links, i32_t n_ref, i32_t n_hyp, Arrays* arrays,
               i32_t owner) except -1 nogil:
    cdef i32_t which, position
    cdef Side side
    list_edges(&self.components, links, n_ref, n_hyp)
    for which in range(2):
        side = side_of(&self.components, links, n_ref, n_hyp, which)
        reduce(&self.reduction, &self.components, &side)
        self.covered[which] = 0
        for position in range(side.length):
            self.covered[which] += BITS[self.reduction.covered[position]]
        solve_clusters(&self.clusters, &self.components, &self.reduction, &side, arrays,
                       owner + which)
        self.covered[which] += self.clusters.value
        self.step[which] = self.clusters.step
    return 0


def cover_pairs(Sentences hyp not None, Sentences ref not None, Lexicon lexicon, int max_order,
                bint release):
    """Covers each hypothesis and the reference with the same number, where both have tokens.

    Returns an array of shape (pairs, 2) with the proved numbers of covered n-grams of reference
    and hypothesis, one of the same shape with the step that proved each (0 settled, 1 apart, 2
    bounded, 3 priced, 4 left to the program), and the program: the value of its block with owner
    2 * s + side is to be added to entry (s, side).
    """
    if hyp.n_sentences != ref.n_sentences:
        raise ValueError("as many hypotheses as references are needed")
    cdef Py_ssize_t n = hyp.n_sentences, s
    if n:
        check_pair(hyp, 0, ref, 0, max_order)
    if n > 0x3FFFFFFF:
        raise ValueError("too many sentences in one batch")
    covered = np.zeros((n, 2), np.int64)
    step = np.zeros((n, 2), np.int8)
    cdef i64_t[:, ::1] covered_view = covered
    cdef i8_t[:, ::1] step_view = step
    cdef Program program = Program()
    cdef Arrays* arrays = &program.arrays
    cdef Groups groups = groups_of(lexicon)
    cdef Links links
    cdef Cover work
    cdef Sentence r, h
    links.epoch = 0
    work.components.half = 0
    with nogil:
        for s in range(n):
            r = sentence_of(ref, s)
            h = sentence_of(hyp, s)
            if r.n_tokens == 0 or h.n_tokens == 0:
                continue
            link(&links, &r, &h, &groups, max_order, release)
            cover(&work, &links, r.n_tokens, h.n_tokens, arrays, <i32_t> (2 * s))
            covered_view[s, 0] = work.covered[0]
            covered_view[s, 1] = work.covered[1]
            step_view[s, 0] = work.step[0]
            step_view[s, 1] = work.step[1]
    return covered, step, program
