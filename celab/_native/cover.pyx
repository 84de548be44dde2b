"""Cover kernel: the greatest coverage of each side, by an exact reduction of the paper's program.

The program's optimum is the sum of two independent maxima, one a side: the weights that one side's
n-grams can have form a polymatroid, and by the theorem of Mendelsohn and Dulmage what each side
can reach alone both can reach together. So each side is solved by itself:

1. and 2. `reduction` settles the choices that are forced.
3. to 5. `clusters` solves the rest, with proof (`prices`), or writes it out as a small linear
   program.
"""
from celab._native.clusters cimport solve_clusters
from celab._native.coverage cimport BITS
from celab._native.leaves cimport Side, side_of
from celab._native.links cimport CROWDED, Links, link, lowest_bit
from celab._native.matches cimport (
    COARSEST, Matches, Sentence, check_grade, check_sides, sentence_of,
)
from celab._native.memory cimport prefetch
from celab._native.program cimport Arrays, Program, cut_back
from celab._native.reduction cimport Reduction, reduce
from celab._native.tokens cimport Sentences, Unit
from celab._native.types cimport i8_t, i32_t, i64_t
from celab._native.watch cimport Watch, watch_for
from celab._native.weights cimport Weights

import numpy as np

cdef enum:
    CACHE_LINE = 64
    MOST_FETCHED = 8192  # bytes of each array

cdef i64_t settled(const Reduction* reduction, const Side* side) noexcept nogil:
    # What the reduction covers.
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


cdef inline void fetch(const void* begin, size_t size) noexcept nogil:
    # Asks for memory that the next pair needs.
    cdef const char* place = <const char*> begin
    cdef const char* end = place + min(size, <size_t> MOST_FETCHED)
    while place < end:
        prefetch(place)
        place += CACHE_LINE


cdef void fetch_index(Sentences ref, Py_ssize_t s) noexcept nogil:
    cdef size_t n = ref.unit_start[s + 1] - ref.unit_start[s]
    fetch(ref.slot.data() + ref.slot_start[s],
          (ref.slot_start[s + 1] - ref.slot_start[s]) * sizeof(i32_t))
    fetch(ref.unit.data() + ref.unit_start[s], n * sizeof(Unit))
    fetch(ref.kin.data() + ref.kin_start[s],
          (ref.kin_start[s + 1] - ref.kin_start[s]) * sizeof(i32_t))
    fetch(ref.same_key.data() + ref.unit_start[s], n * sizeof(i32_t))


cdef void fetch_groups(const Sentence* hyp) noexcept nogil:
    cdef i32_t f
    for f in range(hyp.n_occurrences):
        prefetch(hyp.group + hyp.group_start[<i64_t> hyp.occurrence[f].word * hyp.stride])


cdef int check_numbers(const i32_t[::1] number, Py_ssize_t n_sentences) except -1:
    cdef Py_ssize_t k
    for k in range(number.shape[0]):
        if not 0 <= number[k] < n_sentences:
            raise IndexError("no such sentence")
    return 0


def cover_pairs(Sentences hyp not None, Sentences ref not None, int max_order, bint release,
                const i32_t[::1] hyp_at=None, const i32_t[::1] ref_at=None, double time_limit=0,
                dict failed=None, bint skip=True, i32_t grade=COARSEST, Matches matches=None,
                i32_t crowd=CROWDED):
    """Covers hypothesis hyp_at[p] and reference ref_at[p] for each p, where both have tokens.

    Without these numbers, p itself is both. Returns an array of shape (pairs, 2) with the proved
    numbers of covered n-grams of reference and hypothesis, one of the same shape with the step that
    proved each (0 settled, 1 apart, 2 bounded, 3 priced, 4 left to the program), and the program:
    the value of its block with owner 2 * p + side is to be added to entry (p, side). If the
    sentences have weights, the weight of the covered n-grams takes the place of their number.

    `grade` is a grade of the lexicon: 0 for none of its words, by default the coarsest. `matches`
    are those of the pairs as `match_pairs` gives them; without them, words are looked up here.

    A pair that takes longer than `time_limit` seconds, if that is not 0, raises TimeoutError, and
    one that takes too much memory OverflowError. If `failed` is given, it holds the error of each
    such pair, whose entries are 0; without `skip`, nothing after it is covered.

    Long text, and a pair with more than `crowd` places per token where links start, is covered by
    kind, unless it is negative. What is proved is the same, but the steps may differ.
    """
    check_sides(hyp, ref, max_order)
    cdef Py_ssize_t n = hyp.n_sentences if hyp_at is None else hyp_at.shape[0]
    cdef Py_ssize_t n_ref = ref.n_sentences if ref_at is None else ref_at.shape[0]
    cdef Py_ssize_t p
    cdef size_t n_blocks
    if n != n_ref:
        raise ValueError("as many hypotheses as references are needed")
    if n > 0x3FFFFFFF:
        raise ValueError("too many pairs in one batch")
    if hyp_at is not None:
        check_numbers(hyp_at, hyp.n_sentences)
    if ref_at is not None:
        check_numbers(ref_at, ref.n_sentences)
    if (hyp.weights is None) != (ref.weights is None):
        raise ValueError("both sides must have weights, or neither")
    covered = np.zeros((n, 2), np.int64)
    step = np.zeros((n, 2), np.int8)
    cdef i64_t[:, ::1] covered_view = covered
    cdef i8_t[:, ::1] step_view = step
    cdef Program program = Program()
    cdef Weights ref_weights = ref.weights, hyp_weights = hyp.weights
    cdef const i32_t* ref_weight = NULL
    cdef const i32_t* hyp_weight = NULL
    if ref_weights is not None:
        ref_weight = ref_weights.cell.data()
        hyp_weight = hyp_weights.cell.data()
    cdef const i32_t* hyp_number = NULL
    cdef const i32_t* ref_number = NULL
    if n and hyp_at is not None:
        hyp_number = &hyp_at[0]
    if n and ref_at is not None:
        ref_number = &ref_at[0]
    grade = check_grade(hyp, grade)
    if matches is not None:
        matches.check_pairs(hyp, ref, hyp_number, ref_number, n)
    if grade == 0:
        matches = None  # no words, so nothing to match
    p = 0
    while p < n:
        try:
            with nogil:
                cover_on(hyp, ref, max_order, release, grade, matches, hyp_number, ref_number,
                         ref_weight, hyp_weight, time_limit, &p, n, covered_view, step_view,
                         &program.arrays, crowd)
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


cdef int cover_on(Sentences hyp, Sentences ref, i32_t max_order, bint release, i32_t grade,
                  Matches matches, const i32_t* hyp_number, const i32_t* ref_number,
                  const i32_t* ref_weight, const i32_t* hyp_weight, double time_limit,
                  Py_ssize_t* p, Py_ssize_t n, i64_t[:, ::1] covered, i8_t[:, ::1] step,
                  Arrays* arrays, i32_t crowd) except -1 nogil:
    # The pairs from p[0] on. If one fails, p[0] is its number, and the working memory is given back
    # in whatever state it is.
    cdef Links links
    cdef Cover work
    cdef Sentence r, h, next_h
    cdef Py_ssize_t r_number, h_number, next_number
    cdef const i32_t* of_ref = NULL
    cdef const i32_t* of_hyp = NULL
    cdef Watch watch = watch_for(time_limit)
    links.last_ref = NULL
    links.watch = &watch
    work.components.half = 0
    work.components.watch = &watch
    h_number = hyp_number[p[0]] if hyp_number != NULL else p[0]
    next_h = sentence_of(hyp, h_number, grade)
    while p[0] < n:
        r_number = ref_number[p[0]] if ref_number != NULL else p[0]
        h_number = hyp_number[p[0]] if hyp_number != NULL else p[0]
        r = sentence_of(ref, r_number, COARSEST)
        h = next_h
        if matches is not None:
            matches.attach(&h, p[0])
        if ref_weight != NULL:
            of_ref = ref_weight + (ref.start[r_number] << 3)
            of_hyp = hyp_weight + (hyp.start[h_number] << 3)
        if p[0] + 1 < n:
            next_number = hyp_number[p[0] + 1] if hyp_number != NULL else p[0] + 1
            next_h = sentence_of(hyp, next_number, grade)
            fetch_groups(&next_h)
            next_number = ref_number[p[0] + 1] if ref_number != NULL else p[0] + 1
            if next_number != r_number:
                fetch_index(ref, next_number)
        if r.n_tokens and h.n_tokens:
            watch.began = 0
            link(&links, &r, &h, max_order, release, crowd)
            cover(&work, &links, r.n_tokens, h.n_tokens, of_ref, of_hyp, arrays,
                  <i32_t> (2 * p[0]))
            covered[p[0], 0] = work.covered[0]
            covered[p[0], 1] = work.covered[1]
            step[p[0], 0] = work.step[0]
            step[p[0], 1] = work.step[1]
        p[0] += 1
    return 0
