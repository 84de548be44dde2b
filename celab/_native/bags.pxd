# Bags of word n-grams, and the desk on which two of them are matched.
from libcpp.vector cimport vector

from celab._native.transport cimport Transport
from celab._native.types cimport i8_t, i32_t, i64_t


# The items of one order: words[k * order] and on are the words of item k.
cdef cppclass Bag:
    vector[i32_t] word
    vector[i64_t] weight
    i64_t total


# One sentence's words, numbered as they first occur.
cdef cppclass Words:
    vector[i32_t] at  # of each position, its word
    vector[i32_t] lemma  # of each word
    vector[i32_t] tag
    vector[i32_t] is_function


cdef cppclass Desk:
    Words hyp
    Words ref
    Bag hyp_bag
    Bag ref_bag
    vector[i8_t] alike  # of each pair of words, in halves
    vector[i32_t] slot
    Transport transport
    vector[i32_t] hyp_row  # of lemmas or tags
    vector[i32_t] ref_row
    vector[i64_t] left
