# One side of a pair after all forced choices: what is covered, and what is left to choose from.
from libcpp.vector cimport vector

from celab._native.components cimport Components, Side
from celab._native.matching cimport Graph
from celab._native.types cimport i32_t


# Members from which at most `rank` can be chosen; `general` if not every such choice is allowed
# and the links decide. Finished if begin == end.
cdef struct Piece:
    i32_t begin
    i32_t end
    i32_t rank
    bint general


cdef cppclass Reduction:
    vector[i32_t] covered  # of each position, which orders are: bit order - 1
    vector[i32_t] member  # n-grams of the pieces: position << 3 | (order - 1)
    vector[Piece] piece

    Graph graph
    vector[i32_t] left_node
    vector[i32_t] right_node
    vector[i32_t] label
    vector[i32_t] label_lefts
    vector[i32_t] label_rights
    vector[i32_t] label_links
    vector[i32_t] label_rank


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


cdef inline bint covers(const i32_t* covered, i32_t member) noexcept nogil:
    # Whether the member is covered; then everything inside it is, and it can gain nothing.
    return covered[member >> 3] >> (member & 7) & 1


cdef inline void settle(i32_t* covered, i32_t member) noexcept nogil:
    # Covers every n-gram inside the member.
    cdef i32_t bits = (2 << (member & 7)) - 1
    if covers(covered, member):
        return
    covered += member >> 3
    while bits:
        covered[0] |= bits
        covered += 1
        bits >>= 1


cdef inline i32_t gain(const i32_t* covered, i32_t member) noexcept nogil:
    # How many n-grams the member would newly cover.
    cdef i32_t bits = (2 << (member & 7)) - 1, total = 0
    covered += member >> 3
    while bits:
        total += BITS[bits & ~covered[0]]
        covered += 1
        bits >>= 1
    return total


cdef int reduce(Reduction* self, Components* components, const Side* side) except -1 nogil
