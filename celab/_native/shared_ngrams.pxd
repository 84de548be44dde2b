# The header exports nothing; the kernel is called from Python only.
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, u64_t


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
