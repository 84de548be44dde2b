"""Bags kernel: bags of n-grams, listed and matched in whole numbers.

An item of a bag is a row of unit ids with a weight; equal rows are one item, with the sum of their
weights. An n-gram with k function words weighs discount**k; with discount = p / q all weights of
order n are whole multiples of 1 / q**n. If the similarity of two items is 1 for equal rows and 0
for others, the greatest total similarity is, summed over all rows, the lesser of the row's weights
on either side: `match_equal`.

`match_bags` is TESLA-M's (section 3): a word is a lemma and a tag, and there are three similarities
of words, 0 to 2 halves:

    lem   2 if the lemmas are equal
    pos   2 if the tags are equal
    ms    2 if the lemmas are equal, else 1 for a shared synonym group and 1 for equal tags

Of n-grams: 0 if any word's is 0, else their mean, a whole multiple of 1 / 2n, so that every sum is
exact. `lem` and `pos` match equal rows of lemmas or tags. `ms` is a transport problem.
"""
from libcpp.vector cimport vector

from celab._native.matching cimport Transport, carry
from celab._native.types cimport i8_t, i32_t, i64_t, u32_t, u64_t
from celab._native.watch cimport Watch, charge, watch_for

import numpy as np

cdef enum:
    # Limits of memory: pairs of different words, and pairs of n-grams that are alike.
    MAX_WORD_PAIRS = 1 << 28
    MAX_ALIKE_PAIRS = 1 << 25

cdef i64_t MAX_WEIGHT = <i64_t> 1 << 62


# The items of one order: words[k * order] and on are the words of item k.
cdef cppclass Bag:
    vector[i32_t] word
    vector[i64_t] weight
    i64_t total


# One sentence's words, numbered as they first occur.
cdef cppclass Words:
    vector[i32_t] at  # number of the word at each position
    vector[i32_t] lemma  # lemma of each word number; tag and is_function likewise
    vector[i32_t] tag
    vector[i32_t] is_function


cdef cppclass Desk:
    Words hyp
    Words ref
    Bag hyp_bag
    Bag ref_bag
    vector[i8_t] alike  # similarity of each pair of words, in halves
    vector[i32_t] slot
    Transport transport
    vector[i32_t] hyp_row  # the words' lemmas, or their tags
    vector[i32_t] ref_row
    vector[i64_t] left


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


cdef int clear_slots(Desk* desk, size_t n) except -1 nogil:
    cdef size_t size = 16
    while size < 2 * n:
        size *= 2
    desk.slot.assign(size, -1)
    return 0


cdef size_t slot_of(const Desk* desk, i32_t order, const i32_t* rows,
                    const i32_t* row) noexcept nogil:
    # The slot that holds the number, in `rows`, of an equal row; or the free one where it belongs.
    cdef size_t mask = desk.slot.size() - 1, at
    cdef const i32_t* other
    cdef u64_t h = 1
    cdef i32_t k
    for k in range(order):
        h = mix(h, row[k])
    at = (h >> 32) & mask
    while desk.slot[at] >= 0:
        other = rows + <i64_t> desk.slot[at] * order
        k = 0
        while k < order and other[k] == row[k]:
            k += 1
        if k == order:
            break
        at = (at + 1) & mask
    return at


cdef int fill_bag(Bag* self, Desk* desk, const Words* words, i32_t order, i64_t p,
                  i64_t q) except -1 nogil:
    cdef i32_t n = <i32_t> words.at.size(), i, k
    cdef size_t at
    cdef i64_t weight
    self.word.clear()
    self.weight.clear()
    self.total = 0
    clear_slots(desk, n)
    for i in range(n - order + 1):
        weight = 1
        for k in range(order):
            weight *= p if words.is_function[words.at[i + k]] else q
        self.total += weight
        at = slot_of(desk, order, self.word.data(), &words.at[i])
        if desk.slot[at] < 0:
            desk.slot[at] = <i32_t> self.weight.size()
            self.word.insert(self.word.end(), words.at.begin() + i, words.at.begin() + i + order)
            self.weight.push_back(weight)
        else:
            self.weight[desk.slot[at]] += weight
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
    if <i64_t> n_hyp * n_ref > MAX_WORD_PAIRS:
        with gil:
            raise OverflowError(f"sentences of {n_hyp:,} and {n_ref:,} different words are too"
                                f" long; they may make {MAX_WORD_PAIRS:,} pairs")
    desk.alike.resize(<size_t> n_hyp * n_ref)
    for x in range(n_hyp):
        charge(desk.transport.watch, 8 * n_ref)
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
        charge(problem.watch, 2 * problem.n_right)
        if problem.target.size() > MAX_ALIKE_PAIRS:
            with gil:
                raise OverflowError(f"sentences of {problem.n_left:,} and {problem.n_right:,}"
                                    f" different n-grams have more than {MAX_ALIKE_PAIRS:,} pairs"
                                    " of them that are alike; they must be shorter")
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


cdef i64_t lesser_weights(Desk* desk, i32_t order, const i32_t* x, const i64_t* x_weight, i32_t n_x,
                          const i32_t* y, const i64_t* y_weight, i32_t n_y) except -1 nogil:
    # Matches equal rows: each counts the smaller of its weights in x and y. Returns the sum. `left`
    # has the weight of each row of x that is not matched yet.
    cdef size_t at
    cdef i32_t item
    cdef i64_t amount, total = 0
    clear_slots(desk, n_x)
    desk.left.assign(n_x, 0)
    for item in range(n_x):
        at = slot_of(desk, order, x, x + <i64_t> item * order)
        if desk.slot[at] < 0:
            desk.slot[at] = item
        desk.left[desk.slot[at]] += x_weight[item]
    for item in range(n_y):
        at = slot_of(desk, order, x, y + <i64_t> item * order)
        if desk.slot[at] >= 0:
            amount = min(desk.left[desk.slot[at]], y_weight[item])
            desk.left[desk.slot[at]] -= amount
            total += amount
    return total


cdef i64_t match_labels(Desk* desk, i32_t order, bint by_tag) except -1 nogil:
    # Returns the similarity of two bags by equal rows of lemmas, or of tags.
    cdef const vector[i32_t]* hyp = &desk.hyp.tag if by_tag else &desk.hyp.lemma
    cdef const vector[i32_t]* ref = &desk.ref.tag if by_tag else &desk.ref.lemma
    cdef size_t i
    desk.hyp_row.resize(desk.hyp_bag.word.size())
    desk.ref_row.resize(desk.ref_bag.word.size())
    for i in range(desk.hyp_row.size()):
        desk.hyp_row[i] = hyp[0][desk.hyp_bag.word[i]]
    for i in range(desk.ref_row.size()):
        desk.ref_row[i] = ref[0][desk.ref_bag.word[i]]
    return lesser_weights(desk, order, desk.hyp_row.data(), desk.hyp_bag.weight.data(),
                          <i32_t> desk.hyp_bag.weight.size(), desk.ref_row.data(),
                          desk.ref_bag.weight.data(), <i32_t> desk.ref_bag.weight.size())


cdef int check_start(const i64_t[::1] start, Py_ssize_t n) except -1:
    cdef Py_ssize_t i, last = start.shape[0] - 1
    if last < 0 or start[last] != n or start[0] != 0:
        raise ValueError("the items of a side do not fit together")
    for i in range(last):
        if start[i] > start[i + 1]:
            raise ValueError("texts overlap")
    return 0


cdef int check_bags(const i32_t[:, ::1] gram, const i64_t[::1] weight,
                    const i64_t[::1] start) except -1:
    cdef Py_ssize_t s, i
    cdef i64_t total
    check_start(start, gram.shape[0])
    if weight.shape[0] != gram.shape[0]:
        raise ValueError("each item needs a weight")
    for s in range(start.shape[0] - 1):
        if start[s + 1] - start[s] >= 1 << 30:
            raise OverflowError(f"a bag has {start[s + 1] - start[s]:,} items, too many")
        total = 0
        for i in range(start[s], start[s + 1]):
            if weight[i] < 0:
                raise ValueError(f"an item weighs {weight[i]}; weights are not negative")
            if weight[i] >= MAX_WEIGHT - total:
                raise OverflowError("the weights of a bag add up to 2**62 or more")
            total += weight[i]
    return 0


def match_equal(const i32_t[:, ::1] x_gram, const i64_t[::1] x_weight, const i64_t[::1] x_start,
                const i32_t[:, ::1] y_gram, const i64_t[::1] y_weight, const i64_t[::1] y_start):
    """Matches each bag of x with the bag of y that has the same number, by equal rows.

    Returns an array of shape (bags, 3): the sum of the lesser weights, and the weights of x and y.
    """
    cdef Py_ssize_t n = x_start.shape[0] - 1, s, i
    cdef i32_t order = <i32_t> x_gram.shape[1]
    cdef Desk desk
    check_bags(x_gram, x_weight, x_start)
    check_bags(y_gram, y_weight, y_start)
    if y_start.shape[0] != n + 1 or y_gram.shape[1] != order:
        raise ValueError("both sides need as many bags, of items of one order")
    found = np.zeros((n, 3), np.int64)
    cdef i64_t[:, ::1] view = found
    cdef const i32_t* x = &x_gram[0, 0] if x_gram.shape[0] else NULL
    cdef const i32_t* y = &y_gram[0, 0] if y_gram.shape[0] else NULL
    cdef const i64_t* xw = &x_weight[0] if x_weight.shape[0] else NULL
    cdef const i64_t* yw = &y_weight[0] if y_weight.shape[0] else NULL
    with nogil:
        for s in range(n):
            view[s, 0] = lesser_weights(
                &desk, order, x + x_start[s] * order, xw + x_start[s],
                <i32_t> (x_start[s + 1] - x_start[s]), y + y_start[s] * order, yw + y_start[s],
                <i32_t> (y_start[s + 1] - y_start[s]))
            for i in range(x_start[s], x_start[s + 1]):
                view[s, 1] += xw[i]
            for i in range(y_start[s], y_start[s + 1]):
                view[s, 2] += yw[i]
    return found


def list_grams(const i32_t[::1] unit, const i8_t[::1] is_function, const i32_t[::1] part,
               const i64_t[::1] start, int order, int skip, i64_t p, i64_t q):
    """Lists the n-grams of each text that lie within a part; with `skip`, skip bigrams.

    The units of text s are those from start[s] to start[s + 1]; units with equal `part` side by
    side make a part, such as a sentence. Returns the rows of units, their weights, where each text
    begins among them, and the positions of the units of each row.
    """
    cdef Py_ssize_t n = start.shape[0] - 1, s, i, j, k, end
    cdef vector[i32_t] place
    cdef i64_t weight
    cdef i32_t at
    check_start(start, unit.shape[0])
    if is_function.shape[0] != unit.shape[0] or part.shape[0] != unit.shape[0]:
        raise ValueError("each unit needs a weight and a part")
    if not 1 <= order <= 6 or (skip and order != 2) or skip < 0 or not 0 <= p <= q:
        raise ValueError("orders are 1 to 6, only bigrams skip, and p / q is at most 1")
    starts = np.zeros(n + 1, np.int64)
    cdef i64_t[::1] first = starts
    with nogil:
        for s in range(n):
            end = start[s + 1]
            for i in range(start[s], end - order + 1):
                if order == 2:
                    for j in range(i + 1, min(end, i + 2 + skip)):
                        if part[j] != part[i]:
                            break
                        place.push_back(<i32_t> i)
                        place.push_back(<i32_t> j)
                else:
                    for j in range(i + 1, i + order):
                        if part[j] != part[i]:
                            break
                    else:
                        for j in range(i, i + order):
                            place.push_back(<i32_t> j)
            first[s + 1] = <i64_t> place.size() // order
    cdef Py_ssize_t n_items = place.size() // order
    gram = np.empty((n_items, order), np.int32)
    weights = np.empty(n_items, np.int64)
    places = np.empty((n_items, order), np.int32)
    cdef i32_t[:, ::1] gram_view = gram
    cdef i32_t[:, ::1] place_view = places
    cdef i64_t[::1] weight_view = weights
    with nogil:
        for i in range(n_items):
            weight = 1
            for k in range(order):
                at = place[i * order + k]
                gram_view[i, k] = unit[at]
                place_view[i, k] = at
                weight *= p if is_function[at] else q
            weight_view[i] = weight
    return gram, weights, starts, places


cdef int check_side(const i32_t[::1] lemma, const i32_t[::1] tag, const i8_t[::1] is_function,
                    const i64_t[::1] start, i32_t n_lemmas) except -1:
    cdef Py_ssize_t i, n = lemma.shape[0]
    if tag.shape[0] != n or is_function.shape[0] != n:
        raise ValueError("the words of a side do not fit together")
    check_start(start, n)
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
                        charge(&watch, 16 * (m_hyp + m_ref))
                        view[s, order - 1, 0] = (<double> transport_bags(&desk, order)
                                                 / (2 * order * unit))
                        view[s, order - 1, 1] = <double> match_labels(&desk, order, False) / unit
                        view[s, order - 1, 2] = <double> match_labels(&desk, order, True) / unit
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
