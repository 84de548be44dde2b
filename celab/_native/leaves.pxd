# One side of a pair, and its links after the choices that a single link forces.
from libcpp.vector cimport vector

from celab._native.links cimport Links
from celab._native.types cimport i8_t, i32_t, u16_t, u64_t


# One side of the pair; `other` is what belongs to the other one. A node of the side is
# place << 3 | (order - 1), of the other side the same + other_base.
cdef struct Side:
    i32_t side  # 0 reference, 1 hypothesis
    i32_t length
    i32_t other_length
    i32_t other_base
    bint merged
    const i32_t* place
    const i32_t* multiplicity
    const i32_t* following
    const i32_t* other_multiplicity
    const u16_t* other_single
    const i32_t* weight  # by position << 3 | (order - 1); NULL if all n-grams weigh 1


# What is left of the links between two places. Bit (a - 1) << 3 | (b - 1) of `mask` links the own
# n-gram of order a with the other side's of order b.
cdef struct Live:
    i32_t own
    i32_t other
    u64_t mask


cdef cppclass Leaves:
    vector[Live] live
    size_t n_live  # the first of them count
    vector[u16_t] degree  # of each other place, as `add_degrees` counts
    vector[u64_t] forced  # of each own place, links that force a choice; all 0 between rounds


cdef Side side_of(const Links* links, i32_t n_ref, i32_t n_hyp, i32_t which,
                  const i32_t* weight) noexcept nogil
# Settles what is forced; `live` are then the links of n-grams that could still cover something.
cdef int strip(Leaves* self, const Links* links, const Side* side, i8_t* covered) except -1 nogil
