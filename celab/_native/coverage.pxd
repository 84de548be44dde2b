# `covered` has for each position of a side the orders of covered n-grams, as bits order - 1. A
# member is an n-gram, as position << 3 | (order - 1).
from celab._native.links cimport lowest_bit
from celab._native.types cimport i8_t, i32_t, i64_t


cdef extern from *:
    """
    static const unsigned char celab_bits[64] = {
        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5,
        1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5,
        2, 3, 3, 4, 3, 4, 4, 5, 3, 4, 4, 5, 4, 5, 5, 6,
    };
    """
    # The number of bits of each number below 64: as many orders as there can be.
    const unsigned char[64] BITS "celab_bits"


cdef inline bint covers(const i8_t* covered, i32_t member) noexcept nogil:
    # Whether the member is covered; then everything inside it is, and it can gain nothing.
    return covered[member >> 3] >> (member & 7) & 1


cdef inline void settle(i8_t* covered, i32_t member) noexcept nogil:
    # Covers every n-gram inside the member.
    cdef i32_t bits = (2 << (member & 7)) - 1
    if covers(covered, member):
        return
    covered += member >> 3
    while bits:
        covered[0] |= <i8_t> bits
        covered += 1
        bits >>= 1


cdef inline i32_t gain(const i8_t* covered, i32_t member) noexcept nogil:
    # How many n-grams the member would newly cover.
    cdef i32_t bits = (2 << (member & 7)) - 1, total = 0
    covered += member >> 3
    while bits:
        total += BITS[bits & ~covered[0]]
        covered += 1
        bits >>= 1
    return total


cdef inline i64_t weighted_gain(const i8_t* covered, const i32_t* weight,
                                i32_t member) noexcept nogil:
    # The weight of the n-grams that the member would newly cover.
    cdef i32_t bits = (2 << (member & 7)) - 1, free
    cdef i64_t total = 0
    covered += member >> 3
    weight += member & ~7
    while bits:
        free = bits & ~covered[0]
        while free:
            total += weight[lowest_bit(free)]
            free &= free - 1
        covered += 1
        weight += 8
        bits >>= 1
    return total


cdef inline i64_t gain_of(const i8_t* covered, const i32_t* weight, i32_t member) noexcept nogil:
    # The number of n-grams that the member would newly cover, or their weight if `weight` is given.
    if weight == NULL:
        return gain(covered, member)
    return weighted_gain(covered, weight, member)
