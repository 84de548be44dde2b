# The weights of the n-grams of a batch of sentences, in whole numbers.
cimport cython
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t


# The weight of the n-gram at position i of a sentence whose tokens begin at `start` is
# cell[(start + i) << 3 | (order - 1)], and 0 if there is no such n-gram. `divisor` is the greatest
# common divisor of the weights of the sentence's tokens, 0 if they are all 0.
@cython.final
cdef class Weights:
    cdef vector[i32_t] cell
    cdef vector[i64_t] total
    cdef vector[i32_t] divisor
    cdef readonly int max_order

    cdef int add_up(self, const vector[i32_t]& weight, const vector[i64_t]& start,
                    const i32_t* factor) except -1 nogil
