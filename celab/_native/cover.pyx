"""Cover kernel: the greatest coverage of each side, by an exact reduction of the paper's program.

The program's optimum is the sum of two independent maxima, one a side: the weights that one side's
n-grams can have form a polymatroid, and by the theorem of Mendelsohn and Dulmage what each side
can reach alone both can reach together. So each side is solved by itself:

1. to 3. `reduction` settles the choices that are forced.
4. to 6. `clusters` solves the rest, with proof (`prices`), or writes it out as a small linear
   program.
"""
cimport cython
from libcpp.algorithm cimport nth_element, pop_heap, push_heap, sort
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from celab._native.arrays cimport float64_array, int32_array
from celab._native.coverage cimport BITS, covers, gain_of, settle
from celab._native.kinds cimport KindSide
from celab._native.links cimport (
    CROWDED, EQUAL_ORDERS, ONE_A_ROW, Links, Matches, Start, begin_links, check_grade,
    check_numbers, check_sides, columns_of, highest_bit, link, lowest_bit, rows_of, sentence_of,
    transpose,
)
from celab._native.matches cimport COARSEST, Sentence
from celab._native.matching cimport Graph, augment, empty, prepare, reach, saturate
from celab._native.memory cimport prefetch
from celab._native.tokens cimport Sentences, Unit, Weights
from celab._native.types cimport i8_t, i32_t, i64_t, u16_t, u32_t, u64_t
from celab._native.watch cimport Watch, charge, watch_for

import numpy as np

# The parts of this kernel, each of which uses those before it.
include "program.pxi"
include "leaves.pxi"
include "outermost.pxi"
include "components.pxi"
include "reduction.pxi"
include "prices.pxi"
include "clusters.pxi"

cdef enum:
    CACHE_LINE = 64
    MAX_FETCHED_BYTES = 8192  # bytes of each array


# The greatest coverage of each side of a pair, proved; what cannot be goes into a program.
cdef cppclass Cover:
    i64_t[2] covered  # results: n-grams of the reference and of the hypothesis, or their weight
    i8_t[2] step
    Components components
    Reduction reduction
    Clusters clusters


cdef i64_t settled(const Reduction* reduction, const Side* side) noexcept nogil:
    # Returns how many n-grams the reduction covers, or their weight.
    cdef i64_t total = 0
    cdef i32_t position, bits
    if side.weight == NULL:
        for position in range(side.length):
            total += BITS[reduction.covered[position]]
        return total
    for position in range(side.length):
        bits = reduction.covered[position]
        while bits:
            total += side.weight[position << 3 | lowest_bit(bits)]
            bits &= bits - 1
    return total


cdef int cover(Cover* self, const Links* links, i32_t n_ref, i32_t n_hyp, const i32_t* ref_weight,
               const i32_t* hyp_weight, Arrays* arrays, i32_t owner) except -1 nogil:
    # Covers both sides of the pair whose links are given. Clusters without proof go to `arrays`
    # as blocks with owner `owner` (reference) or `owner + 1` (hypothesis). The weights are NULL if
    # all n-grams weigh 1.
    cdef i32_t which
    cdef Side side
    for which in range(2):
        side = side_of(links, n_ref, n_hyp, which, hyp_weight if which else ref_weight)
        reduce(&self.reduction, &self.components, links, &side)
        self.covered[which] = settled(&self.reduction, &side)
        solve_clusters(&self.clusters, &self.components, &self.reduction, &side, arrays,
                       owner + which)
        self.covered[which] += self.clusters.value
        self.step[which] = self.clusters.step
    return 0


cdef inline void prefetch_range(const void* begin, size_t size) noexcept nogil:
    # Asks for memory that the next pair needs.
    cdef const char* place = <const char*> begin
    cdef const char* end = place + min(size, <size_t> MAX_FETCHED_BYTES)
    while place < end:
        prefetch(place)
        place += CACHE_LINE


cdef void prefetch_index(Sentences ref, Py_ssize_t s) noexcept nogil:
    cdef size_t n = ref.unit_start[s + 1] - ref.unit_start[s]
    prefetch_range(ref.slot.data() + ref.slot_start[s],
                   (ref.slot_start[s + 1] - ref.slot_start[s]) * sizeof(i32_t))
    prefetch_range(ref.unit.data() + ref.unit_start[s], n * sizeof(Unit))
    prefetch_range(ref.synonyms.data() + ref.synonym_start[s],
                   (ref.synonym_start[s + 1] - ref.synonym_start[s]) * sizeof(i32_t))


cdef void prefetch_groups(const Sentence* hyp) noexcept nogil:
    cdef i32_t f
    for f in range(hyp.n_occurrences):
        prefetch(hyp.group + hyp.group_start[<i64_t> hyp.occurrence[f].word * hyp.stride])


# A batch of pairs: hypothesis hyp_number[p] and reference ref_number[p] for each p below n, with
# the settings that are the same for all, and where the results go, two entries a pair.
cdef struct Batch:
    const i32_t* hyp_number
    const i32_t* ref_number
    Py_ssize_t n
    i32_t max_order
    bint release
    i32_t grade
    i32_t crowd
    double time_limit
    const i32_t* ref_weight  # NULL if all n-grams weigh 1
    const i32_t* hyp_weight
    i64_t* covered
    i8_t* step


def cover_pairs(Sentences hyp not None, Sentences ref not None, int max_order, bint release,
                const i32_t[::1] hyp_at not None, const i32_t[::1] ref_at not None,
                double time_limit=0, dict failed=None, bint skip=True, i32_t grade=COARSEST,
                Matches matches=None, i32_t crowd=CROWDED):
    """Covers hypothesis hyp_at[p] and reference ref_at[p] for each p, where both have tokens.

    Returns an array of shape (pairs, 2) with the proved numbers of covered n-grams of reference and
    hypothesis, one of the same shape with the step that proved each (0 settled, 1 apart, 2 bounded,
    3 priced, 4 left to the program), and the program: the value of its block with owner
    2 * p + side is to be added to entry (p, side). If the sentences have weights, the weight of the
    covered n-grams takes the place of their number.

    `grade` is a grade of the lexicon: 0 for none of its words, by default the coarsest. `matches`
    are those of the pairs as `match_pairs` gives them; without them, words are looked up here.

    A pair that takes longer than `time_limit` seconds, if that is not 0, raises TimeoutError, and
    one that takes too much memory OverflowError. If `failed` is given, it holds the error of each
    such pair, whose entries are 0; without `skip`, nothing after it is covered.

    Long text, and a pair with more than `crowd` places per token where links start, is covered by
    kind, unless it is negative. What is proved is the same, but the steps may differ.
    """
    check_sides(hyp, ref, max_order)
    check_numbers(hyp, ref, hyp_at, ref_at)
    if hyp_at.shape[0] > 0x3FFFFFFF:
        raise ValueError("too many pairs in one batch")
    if (hyp.weights is None) != (ref.weights is None):
        raise ValueError("both sides must have weights, or neither")
    cdef Py_ssize_t p = 0, n = hyp_at.shape[0]
    cdef size_t n_blocks
    grade = check_grade(hyp, grade)
    covered = np.zeros((n, 2), np.int64)
    step = np.zeros((n, 2), np.int8)
    cdef Program program = Program()
    if n == 0:
        return covered, step, program
    cdef i64_t[:, ::1] covered_view = covered
    cdef i8_t[:, ::1] step_view = step
    cdef Weights ref_weights = ref.weights, hyp_weights = hyp.weights
    cdef Batch batch
    batch.hyp_number, batch.ref_number, batch.n = &hyp_at[0], &ref_at[0], n
    batch.max_order, batch.release, batch.grade, batch.crowd = max_order, release, grade, crowd
    batch.time_limit = time_limit
    batch.ref_weight = batch.hyp_weight = NULL
    if ref_weights is not None:
        batch.ref_weight = ref_weights.cell.data()
        batch.hyp_weight = hyp_weights.cell.data()
    batch.covered, batch.step = &covered_view[0, 0], &step_view[0, 0]
    if matches is not None:
        matches.check_pairs(hyp, ref, batch.hyp_number, batch.ref_number, n)
    if grade == 0:
        matches = None  # no words, so nothing to match
    while p < n:
        try:
            with nogil:
                cover_batch(hyp, ref, matches, &batch, &p, &program.arrays)
        except (TimeoutError, OverflowError) as error:
            if failed is None:
                raise
            failed[p] = error
            if not skip:
                break
            n_blocks = program.arrays.block_owner.size()
            while n_blocks and program.arrays.block_owner[n_blocks - 1] // 2 == p:
                n_blocks -= 1
            cut_back(&program.arrays, n_blocks)
            p += 1
    return covered, step, program


cdef int cover_batch(Sentences hyp, Sentences ref, Matches matches, const Batch* batch,
                     Py_ssize_t* p, Arrays* arrays) except -1 nogil:
    # Covers the pairs from p[0] on. If one fails, p[0] is its number, and the working memory is
    # given back in an undefined state.
    cdef Links links
    cdef Cover work
    cdef Sentence r, h, next_h
    cdef Py_ssize_t r_number, h_number
    cdef const i32_t* ref_weight = NULL
    cdef const i32_t* hyp_weight = NULL
    cdef Watch watch = watch_for(batch.time_limit)
    begin_links(&links, &watch)
    work.components.half = 0
    work.components.watch = &watch
    next_h = sentence_of(hyp, batch.hyp_number[p[0]], batch.grade)
    while p[0] < batch.n:
        r_number = batch.ref_number[p[0]]
        h_number = batch.hyp_number[p[0]]
        r = sentence_of(ref, r_number, COARSEST)
        h = next_h
        if matches is not None:
            matches.attach(&h, p[0])
        if batch.ref_weight != NULL:
            ref_weight = batch.ref_weight + (ref.start[r_number] << 3)
            hyp_weight = batch.hyp_weight + (hyp.start[h_number] << 3)
        if p[0] + 1 < batch.n:
            next_h = sentence_of(hyp, batch.hyp_number[p[0] + 1], batch.grade)
            prefetch_groups(&next_h)
            if batch.ref_number[p[0] + 1] != r_number:
                prefetch_index(ref, batch.ref_number[p[0] + 1])
        if r.n_tokens and h.n_tokens:
            watch.began = 0
            link(&links, &r, &h, batch.max_order, batch.release, batch.crowd)
            cover(&work, &links, r.n_tokens, h.n_tokens, ref_weight, hyp_weight, arrays,
                  <i32_t> (2 * p[0]))
            batch.covered[2 * p[0]] = work.covered[0]
            batch.covered[2 * p[0] + 1] = work.covered[1]
            batch.step[2 * p[0]] = work.step[0]
            batch.step[2 * p[0] + 1] = work.step[1]
        p[0] += 1
    return 0
