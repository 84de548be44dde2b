# One side of a pair, and its links after the choices that a single link forces.
from libcpp.vector cimport vector

from celab._native.kinds cimport KindSide
from celab._native.links cimport Links
from celab._native.types cimport i8_t, i32_t, u16_t, u64_t


# One side of the pair; `other` is what belongs to the other one. A node of the side is an n-gram,
# as position << 3 | (order - 1), or a kind; of the other side the same + other_base.
cdef struct Side:
    i32_t side  # 0 reference, 1 hypothesis
    i32_t length
    i32_t other_length
    i32_t other_base
    const KindSide* kinds  # NULL if nodes are n-grams
    const KindSide* other_kinds
    const u64_t* own_union  # see `Links`
    const i32_t* weight  # by position << 3 | (order - 1); NULL if all n-grams weigh 1


# What is left of the links between two positions. Bit (a - 1) << 3 | (b - 1) of `mask` links the
# own n-gram of order a with the other side's of order b.
cdef struct Live:
    i32_t own
    i32_t other
    u64_t mask


cdef cppclass Leaves:
    vector[Live] live
    size_t n_live  # the first of them count
    vector[u16_t] degree  # of each other position, as `add_degrees` counts
    vector[u64_t] forced  # of each own position, links that force a choice; all 0 between rounds

    # By kind.
    vector[i32_t] open  # the n-grams of each own kind that could cover something; 0 without links
    vector[i32_t] sole  # those of the other side that it is linked with and no other open kind is
    vector[i32_t] linked  # the open kinds that each kind of the other side is linked with
    vector[i32_t] sum  # their exclusive or, so the kind itself if there is one
    vector[i32_t] forced_kind  # kinds all of whose n-grams must be settled


cdef inline i32_t node_of(const Side* side, i32_t member) noexcept nogil:
    return member if side.kinds == NULL else side.kinds.kind[member]


cdef inline i32_t capacity(const Side* side, i32_t node) noexcept nogil:
    # The number of n-grams of a node of the other side.
    return 1 if side.kinds == NULL else side.other_kinds.count[node - side.other_base]


cdef Side side_of(const Links* links, i32_t n_ref, i32_t n_hyp, i32_t which,
                  const i32_t* weight) noexcept nogil
# Settles what `live` forces; it is then the links of n-grams that could still cover something. By
# kind, all links count, and `open` are the kinds that could.
cdef int strip(Leaves* self, const Links* links, const Side* side, i8_t* covered) except -1 nogil
