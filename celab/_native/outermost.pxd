# The n-grams with links that are inside no other such n-gram, and what competes with them.
from libcpp.vector cimport vector

from celab._native.leaves cimport Leaves, Side
from celab._native.links cimport Links
from celab._native.types cimport i8_t, i32_t, u64_t


cdef cppclass Outermost:
    vector[u64_t] linked  # with weights, all links of each own position that can cover something

    # By own position, at each of which at most one n-gram is outermost.
    vector[i32_t] order  # its order; 0 if there is none
    vector[i32_t] shift  # from a mask to the links of its order
    vector[u64_t] line  # the bits of a mask that are its links, until it is matched
    vector[i8_t] inside  # the orders that are inside an outermost n-gram

    vector[u64_t] used  # of each other position, the orders that are matched, one bit each
    vector[u64_t] taken  # of each start, the link that matches two n-grams, as a bit of `used`

    # The set R: what competes with n-grams that are not matched.
    vector[i32_t] opened  # the longest order of each own position that is in R
    vector[i8_t] queued  # whether the outermost n-gram of an own position is in R
    vector[i32_t] queue
    vector[i32_t] owner  # the own position that each n-gram of the other side is matched with
    vector[i32_t] first  # the starts of each own position, as a chain
    vector[i32_t] following


# Settles the outermost n-grams outside R, and lists the links of R as the live ones.
cdef int settle_outermost(Outermost* self, Leaves* leaves, const Links* links, const Side* side,
                          i8_t* covered) except -1 nogil
