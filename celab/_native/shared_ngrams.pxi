"""N-grams: texts as numbers of items → how many n-grams of each order they share.

An n-gram that x has k times and the references up to l times, each, is shared min(k, l) times.

Order by order, n-grams have numbers: that of an n-gram follows from the number of its first n - 1
items and from its last item. Where these n - 1 items are not shared, no longer n-gram is; so places
drop out, of x and of the references, and few are left for the highest orders.
"""

# A text, the places where an n-gram begins that may be shared, in order, and the number of each.
cdef struct Places:
    vector[i32_t] item
    vector[i32_t] start
    vector[i32_t] ngram


# Numbers of the n-grams of one order, by open addressing: `number` is -1 where `key` is free.
cdef struct Numbers:
    vector[u64_t] key
    vector[i32_t] number
    u64_t mask
    i32_t n_numbers


def count_shared(const i32_t[::1] x not None, list refs not None, int n_orders):
    """Return how many n-grams of x the references share, for each order from 1 on."""
    cdef vector[Places] sides
    cdef const i32_t[::1] ref
    cdef vector[Py_ssize_t] shared
    cdef int order
    cdef size_t side
    if n_orders < 0:
        raise ValueError("the number of orders must not be negative")
    sides.resize(1 + len(refs))
    begin(&sides[0], x)
    for side in range(1, sides.size()):
        ref = refs[side - 1]
        begin(&sides[side], ref)
    with nogil:
        for order in range(1, n_orders + 1):
            shared.push_back(extend(sides, order))
    return [shared[order] for order in range(n_orders)]


cdef int begin(Places* places, const i32_t[::1] items) except -1:
    # The n-gram of no items begins everywhere.
    cdef Py_ssize_t i, n = items.shape[0]
    places.item.resize(n)
    places.start.resize(n)
    places.ngram.assign(n, 0)
    for i in range(n):
        places.item[i], places.start[i] = items[i], <i32_t> i
    return 0


cdef Py_ssize_t extend(vector[Places]& sides, int order) except -1 nogil:
    # Makes n-grams of `order` out of those that are one item shorter, drops those that are not
    # shared, and returns how many are.
    cdef Numbers numbers
    # Counts of each n-gram: the greatest of any reference, and that of the text at hand.
    cdef vector[i32_t] most, copies
    cdef Py_ssize_t total = 0
    cdef size_t n_places = 0, side, k
    for side in range(1, sides.size()):
        n_places += sides[side].start.size()
    if n_places == 0 or sides[0].start.empty():
        return 0
    clear(&numbers, n_places)
    for side in range(1, sides.size()):
        renumber(&sides[side], order, &numbers, True)
        most.resize(numbers.n_numbers, 0)
        copies.assign(numbers.n_numbers, 0)
        for k in range(sides[side].ngram.size()):
            copies[sides[side].ngram[k]] += 1
            most[sides[side].ngram[k]] = max(most[sides[side].ngram[k]],
                                             copies[sides[side].ngram[k]])
    renumber(&sides[0], order, &numbers, False)
    copies.assign(numbers.n_numbers, 0)
    for k in range(sides[0].ngram.size()):
        copies[sides[0].ngram[k]] += 1
    for k in range(copies.size()):
        total += min(copies[k], most[k])
    for side in range(1, sides.size()):
        keep_shared(&sides[side], copies)
    return total


cdef int renumber(Places* places, int order, Numbers* numbers, bint is_new) except -1 nogil:
    # Numbers for n-grams that are one item longer; those without one drop out.
    cdef size_t k, n_kept = 0
    cdef i32_t start, number, n_items = <i32_t> places.item.size()
    for k in range(places.start.size()):
        start = places.start[k]
        if start + order > n_items:
            continue
        number = number_of(numbers, places.ngram[k], places.item[start + order - 1], is_new)
        if number >= 0:
            places.start[n_kept], places.ngram[n_kept] = start, number
            n_kept += 1
    places.start.resize(n_kept)
    places.ngram.resize(n_kept)
    return 0


cdef int keep_shared(Places* places, const vector[i32_t]& copies) except -1 nogil:
    cdef size_t k, n_kept = 0
    for k in range(places.start.size()):
        if copies[places.ngram[k]]:
            places.start[n_kept], places.ngram[n_kept] = places.start[k], places.ngram[k]
            n_kept += 1
    places.start.resize(n_kept)
    places.ngram.resize(n_kept)
    return 0


cdef int clear(Numbers* numbers, size_t most) except -1 nogil:
    cdef size_t size = 16
    while size < 2 * most:
        size *= 2
    numbers.key.resize(size)
    numbers.number.assign(size, -1)
    numbers.mask = size - 1
    numbers.n_numbers = 0
    return 0


cdef i32_t number_of(Numbers* numbers, i32_t ngram, i32_t item, bint is_new) noexcept nogil:
    # The number of an n-gram and the item after it; if there is none, a new one or -1.
    cdef u64_t key = (<u64_t> <u32_t> ngram) << 32 | <u64_t> <u32_t> item
    cdef u64_t at = key * <u64_t> 0x9E3779B97F4A7C15
    at = (at ^ (at >> 32)) & numbers.mask
    while numbers.number[at] >= 0:
        if numbers.key[at] == key:
            return numbers.number[at]
        at = (at + 1) & numbers.mask
    if not is_new:
        return -1
    numbers.key[at], numbers.number[at] = key, numbers.n_numbers
    numbers.n_numbers += 1
    return numbers.n_numbers - 1
