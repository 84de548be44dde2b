"""Bags kernel: the bags of word n-grams of two sentences, matched (TESLA-M, section 3).

An item of a bag is an n-gram of words, a word being a lemma and a tag; equal items are one, with
the sum of their weights. An n-gram with k function words weighs discount**k; with discount = p / q
all weights of order n are whole multiples of 1 / q**n, and all similarities of 1 / 2n, so that
every sum is exact. Three similarities of words, 0 to 2 halves:

    lem   2 if the lemmas are equal
    pos   2 if the tags are equal
    ms    2 if the lemmas are equal, else 1 for a shared synonym group and 1 for equal tags

Of n-grams: 0 if any word's is 0, else their mean. `lem` and `pos` are transitive and either whole
or nothing, so the best match is, for each lemma or tag sequence, the lesser of its weights on
either side. `ms` is a transport problem.
"""
from celab._native.transport cimport Transport, carry
from celab._native.types cimport i8_t, i32_t, i64_t, u32_t, u64_t
from celab._native.watch cimport Watch, spend, watch_for

cdef enum:
    # What takes too much memory: pairs of different words, and pairs of n-grams that are alike.
    MOST_PAIRS = 1 << 28
    MOST_ALIKE = 1 << 25

import numpy as np


cdef inline u64_t mix(u64_t h, i32_t value) noexcept nogil:
    return (h ^ <u64_t> <u32_t> value) * <u64_t> 0x9E3779B97F4A7C15


cdef int number_words(Words* self, Desk* desk, const i32_t* lemma, const i32_t* tag,
                      const i8_t* is_function, i32_t n) except -1 nogil:
    cdef u32_t size = 16, at
    cdef i32_t i, w
    while size < 2 * <u32_t> n:
        size *= 2
    desk.slot.assign(size, -1)
    self.at.resize(n)
    self.lemma.clear()
    self.tag.clear()
    self.is_function.clear()
    for i in range(n):
        at = <u32_t> (mix(mix(mix(1, lemma[i]), tag[i]), is_function[i]) >> 32) & (size - 1)
        while True:
            w = desk.slot[at]
            if w < 0:
                desk.slot[at] = <i32_t> self.lemma.size()
                self.at[i] = desk.slot[at]
                self.lemma.push_back(lemma[i])
                self.tag.push_back(tag[i])
                self.is_function.push_back(is_function[i])
                break
            if (self.lemma[w] == lemma[i] and self.tag[w] == tag[i]
                    and self.is_function[w] == is_function[i]):
                self.at[i] = w
                break
            at = (at + 1) & (size - 1)
    return 0


cdef int number_side(Words* self, Desk* desk, const i32_t[::1] lemma, const i32_t[::1] tag,
                     const i8_t[::1] is_function, i64_t start, i32_t n) except -1 nogil:
    if n == 0:
        return number_words(self, desk, NULL, NULL, NULL, 0)
    return number_words(self, desk, &lemma[start], &tag[start], &is_function[start], n)


cdef bint same_run(const i32_t* a, const i32_t* b, i32_t n) noexcept nogil:
    cdef i32_t k
    for k in range(n):
        if a[k] != b[k]:
            return False
    return True


cdef int fill_bag(Bag* self, Desk* desk, const Words* words, i32_t order, i64_t p,
                  i64_t q) except -1 nogil:
    cdef i32_t n = <i32_t> words.at.size(), i, k, item
    cdef u32_t size = 16, at
    cdef u64_t h
    cdef i64_t weight
    self.word.clear()
    self.weight.clear()
    self.total = 0
    while size < 2 * <u32_t> n:
        size *= 2
    desk.slot.assign(size, -1)
    for i in range(n - order + 1):
        h = 1
        weight = 1
        for k in range(order):
            h = mix(h, words.at[i + k])
            weight *= p if words.is_function[words.at[i + k]] else q
        self.total += weight
        at = <u32_t> (h >> 32) & (size - 1)
        while True:
            item = desk.slot[at]
            if item < 0:
                desk.slot[at] = <i32_t> self.weight.size()
                for k in range(order):
                    self.word.push_back(words.at[i + k])
                self.weight.push_back(weight)
                break
            if same_run(&self.word[item * order], &words.at[i], order):
                self.weight[item] += weight
                break
            at = (at + 1) & (size - 1)
    return 0


cdef bint share_group(const i32_t* group_start, const i32_t* group, i32_t a,
                      i32_t b) noexcept nogil:
    # The groups of a lemma are sorted.
    cdef i32_t i = group_start[a], j = group_start[b]
    while i < group_start[a + 1] and j < group_start[b + 1]:
        if group[i] == group[j]:
            return True
        if group[i] < group[j]:
            i += 1
        else:
            j += 1
    return False


cdef int compare_words(Desk* desk, const i32_t* group_start, const i32_t* group) except -1 nogil:
    cdef i32_t n_hyp = <i32_t> desk.hyp.lemma.size(), n_ref = <i32_t> desk.ref.lemma.size(), x, y
    cdef i8_t halves
    if <i64_t> n_hyp * n_ref > MOST_PAIRS:
        with gil:
            raise OverflowError(f"sentences of {n_hyp:,} and {n_ref:,} different words are too"
                                f" long; they may make {MOST_PAIRS:,} pairs")
    desk.alike.resize(<size_t> n_hyp * n_ref)
    for x in range(n_hyp):
        spend(desk.transport.watch, 8 * n_ref)
        for y in range(n_ref):
            if desk.hyp.lemma[x] == desk.ref.lemma[y]:
                halves = 2
            else:
                halves = desk.hyp.tag[x] == desk.ref.tag[y]
                halves += share_group(group_start, group, desk.hyp.lemma[x], desk.ref.lemma[y])
            desk.alike[<size_t> x * n_ref + y] = halves
    return 0


cdef i64_t transport_bags(Desk* desk, i32_t order) except -1 nogil:
    # Profit in halves of a word's similarity times weight.
    cdef Transport* problem = &desk.transport
    cdef i32_t n_ref = <i32_t> desk.ref.lemma.size(), x, y, k, total, halves
    problem.n_left = <i32_t> desk.hyp_bag.weight.size()
    problem.n_right = <i32_t> desk.ref_bag.weight.size()
    problem.first.clear()
    problem.target.clear()
    problem.profit.clear()
    problem.supply.assign(desk.hyp_bag.weight.begin(), desk.hyp_bag.weight.end())
    problem.demand.assign(desk.ref_bag.weight.begin(), desk.ref_bag.weight.end())
    problem.first.push_back(0)
    for x in range(problem.n_left):
        spend(problem.watch, 2 * problem.n_right)
        if problem.target.size() > MOST_ALIKE:
            with gil:
                raise OverflowError(f"sentences of {problem.n_left:,} and {problem.n_right:,}"
                                    f" different n-grams have more than {MOST_ALIKE:,} pairs of"
                                    " them that are alike; they must be shorter")
        for y in range(problem.n_right):
            total = 0
            for k in range(order):
                halves = desk.alike[<size_t> desk.hyp_bag.word[x * order + k] * n_ref
                                    + desk.ref_bag.word[y * order + k]]
                if halves == 0:
                    total = 0
                    break
                total += halves
            if total:
                problem.target.push_back(y)
                problem.profit.push_back(total)
        problem.first.push_back(<i32_t> problem.target.size())
    return carry(problem)


cdef i64_t match_equal(Desk* desk, i32_t order, bint by_tag) except -1 nogil:
    # For each sequence of lemmas, or of tags, the lesser weight of the two sides.
    cdef u32_t size = 16, at
    cdef i32_t side, item, n_items, k, n_keys = 0, found
    cdef u64_t h
    cdef i64_t total = 0
    cdef const Bag* bag
    cdef const Words* words
    cdef const i32_t* label
    while size < 2 * (desk.hyp_bag.weight.size() + desk.ref_bag.weight.size()):
        size *= 2
    desk.slot.assign(size, -1)
    desk.key.clear()
    desk.key_weight.clear()
    for side in range(2):
        bag = &desk.hyp_bag
        words = &desk.hyp
        if side == 1:
            bag = &desk.ref_bag
            words = &desk.ref
        label = words.lemma.data()
        if by_tag:
            label = words.tag.data()
        n_items = <i32_t> bag.weight.size()
        for item in range(n_items):
            h = 1
            for k in range(order):
                desk.key.push_back(label[bag.word[item * order + k]])
                h = mix(h, desk.key.back())
            at = <u32_t> (h >> 32) & (size - 1)
            while True:
                found = desk.slot[at]
                if found < 0:
                    desk.slot[at] = n_keys
                    found = n_keys
                    n_keys += 1
                    desk.key_weight.push_back(0)
                    desk.key_weight.push_back(0)
                    break
                if same_run(&desk.key[found * order], &desk.key[desk.key.size() - order], order):
                    desk.key.resize(desk.key.size() - order)
                    break
                at = (at + 1) & (size - 1)
            desk.key_weight[2 * found + side] += bag.weight[item]
    for k in range(n_keys):
        total += min(desk.key_weight[2 * k], desk.key_weight[2 * k + 1])
    return total


cdef int check_side(const i32_t[::1] lemma, const i32_t[::1] tag, const i8_t[::1] is_function,
                    const i64_t[::1] start, i32_t n_lemmas) except -1:
    cdef Py_ssize_t i, n = lemma.shape[0], last = start.shape[0] - 1
    if tag.shape[0] != n or is_function.shape[0] != n or start[last] != n or start[0] != 0:
        raise ValueError("the words of a side do not fit together")
    for i in range(last):
        if start[i] > start[i + 1]:
            raise ValueError("sentences overlap")
    for i in range(n):
        if not 0 <= lemma[i] < n_lemmas:
            raise ValueError("a lemma has no row of groups")
    return 0


def match_bags(const i32_t[::1] hyp_lemma, const i32_t[::1] hyp_tag, const i8_t[::1] hyp_function,
               const i64_t[::1] hyp_start, const i32_t[::1] ref_lemma, const i32_t[::1] ref_tag,
               const i8_t[::1] ref_function, const i64_t[::1] ref_start,
               const i32_t[::1] group_start, const i32_t[::1] group, int max_order, i64_t p,
               i64_t q, i64_t most_words=1 << 24, double time_limit=0, bint skip=True,
               dict failed=None):
    """Matches the bags of each hypothesis with those of the reference with the same number.

    The words of sentence s are those from start[s] to start[s + 1]. Returns an array of shape
    (pairs, orders, 5): the total similarity by ms, lem and pos, and the total weight of hypothesis
    and reference.

    A pair that is not proved raises ArithmeticError, one with a sentence of more than `most_words`,
    or that takes too much memory, OverflowError, and one that takes longer than `time_limit`
    seconds, if that is not 0, TimeoutError. If `failed` is given, it holds the error of each such
    pair, whose values are undefined; without `skip`, nothing after it is matched.
    """
    cdef Py_ssize_t n = hyp_start.shape[0] - 1, s
    cdef i32_t order
    cdef i64_t m_hyp, m_ref
    cdef i64_t unit
    cdef Desk desk
    if ref_start.shape[0] != n + 1:
        raise ValueError("as many hypotheses as references are needed")
    check_side(hyp_lemma, hyp_tag, hyp_function, hyp_start, <i32_t> (group_start.shape[0] - 1))
    check_side(ref_lemma, ref_tag, ref_function, ref_start, <i32_t> (group_start.shape[0] - 1))
    if not 1 <= max_order <= 6 or not 0 <= p <= q:
        raise ValueError("orders are 1 to 6, and p / q is at most 1")
    values = np.zeros((n, max_order, 5))
    cdef double[:, :, ::1] view = values
    cdef const i32_t* groups = &group[0] if group.shape[0] else NULL
    cdef Watch watch = watch_for(time_limit)
    desk.transport.watch = &watch
    s = 0
    while s < n:
        try:
            with nogil:
                while s < n:
                    watch.began = 0
                    m_hyp = hyp_start[s + 1] - hyp_start[s]
                    m_ref = ref_start[s + 1] - ref_start[s]
                    if m_hyp > most_words or m_ref > most_words:
                        with gil:
                            raise OverflowError(f"sentences of {m_hyp:,} and {m_ref:,} words are"
                                                f" too long; each may have {most_words:,}")
                    number_side(&desk.hyp, &desk, hyp_lemma, hyp_tag, hyp_function, hyp_start[s],
                                <i32_t> m_hyp)
                    number_side(&desk.ref, &desk, ref_lemma, ref_tag, ref_function, ref_start[s],
                                <i32_t> m_ref)
                    compare_words(&desk, &group_start[0], groups)
                    unit = 1
                    for order in range(1, max_order + 1):
                        unit *= q
                        fill_bag(&desk.hyp_bag, &desk, &desk.hyp, order, p, q)
                        fill_bag(&desk.ref_bag, &desk, &desk.ref, order, p, q)
                        spend(&watch, 16 * (m_hyp + m_ref))
                        view[s, order - 1, 0] = (<double> transport_bags(&desk, order)
                                                 / (2 * order * unit))
                        view[s, order - 1, 1] = <double> match_equal(&desk, order, False) / unit
                        view[s, order - 1, 2] = <double> match_equal(&desk, order, True) / unit
                        view[s, order - 1, 3] = <double> desk.hyp_bag.total / unit
                        view[s, order - 1, 4] = <double> desk.ref_bag.total / unit
                    s += 1
        except (ArithmeticError, TimeoutError) as error:
            if failed is None:
                raise
            failed[s] = error
            if not skip:
                break
            s += 1
    return values
