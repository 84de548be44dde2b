# Counts of phrase pairs, and the networks of sentences by a pivot table.
cimport cython
from libcpp.vector cimport vector

from celab._native.tokens cimport Lexicon
from celab._native.types cimport i8_t, i32_t, i64_t, u64_t
from celab._native.watch cimport Watch

cdef enum:
    MAX_HISTORY = 5  # words before a phrase that an n-gram which ends in it may have


# Sequences of ids, numbered as they first come.
cdef cppclass Phrases:
    vector[i32_t] word
    vector[i64_t] begin
    vector[i32_t] slot


# Some last words of a part of a network, and their probability.
cdef cppclass State:
    i32_t[MAX_HISTORY] word
    i64_t mass


# The segmentation and the network of one sentence.
cdef cppclass Desk:
    vector[i64_t] cost
    vector[i32_t] n_phrases
    vector[i32_t] length
    vector[i32_t] phrase
    vector[vector[State]] before
    vector[vector[State]] after


@cython.final
cdef class Counts:
    cdef Phrases target
    cdef Phrases pivot
    cdef vector[u64_t] key  # target << 32 | pivot, of each slot
    cdef vector[i64_t] count  # 0 for a free slot
    cdef i64_t n_pairs

    cdef int tell(self, const i32_t* x, i64_t n_x, const i32_t* y, i64_t n_y,
                  i64_t count) except -1 nogil
    cdef int pairs(self, vector[i8_t]* table, const i32_t* x, i64_t n_x, const i32_t* y, i64_t n_y,
                   int longest, int bit, i64_t count) except -1 nogil


@cython.final
cdef class Networks:
    cdef Lexicon trie
    cdef const i32_t[::1] p
    cdef const i64_t[::1] cost
    cdef const i64_t[::1] start
    cdef const i32_t[::1] word
    cdef i64_t unknown
    cdef i32_t n_words

    cdef int cut(self, Desk* desk, const i32_t* token, i64_t n) except -1 nogil
    cdef int walk(self, Desk* desk, const i32_t* token, i64_t n, int max_order,
                  vector[vector[i32_t]]& gram, vector[vector[i64_t]]& mass,
                  Watch* watch) except -1 nogil
