# One side of a pair after all forced choices: what is covered, and what is left to choose from.
from libcpp.vector cimport vector

from celab._native.components cimport Components
from celab._native.leaves cimport Leaves, Side
from celab._native.links cimport Links
from celab._native.matching cimport Graph
from celab._native.outermost cimport Outermost
from celab._native.types cimport i8_t, i32_t


# Members from which at most `rank` can be chosen; `general` if not every such choice is allowed
# and the links decide. Finished if begin == end.
cdef struct Piece:
    i32_t begin
    i32_t end
    i32_t rank
    bint general


cdef cppclass Reduction:
    vector[i8_t] covered
    vector[i32_t] member  # n-grams of the pieces: position << 3 | (order - 1)
    vector[Piece] piece

    Outermost outermost
    Leaves leaves
    Graph graph
    vector[i32_t] left_node
    vector[i32_t] right_node
    vector[i32_t] label
    vector[i32_t] label_lefts
    vector[i32_t] label_rights
    vector[i32_t] label_links
    vector[i32_t] label_rank
    vector[i32_t] label_members


cdef int reduce(Reduction* self, Components* components, const Links* links,
                const Side* side) except -1 nogil
