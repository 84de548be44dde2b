# Text as numbers: what is done once per sentence, whatever it is compared with later.
cimport cython
from libcpp.vector cimport vector

from celab._native.lexicon cimport Lexicon
from celab._native.types cimport i32_t, i64_t, u32_t
from celab._native.vocabulary cimport Vocabulary


# A lexicon word found in a sentence.
cdef struct Found:
    i32_t start
    i32_t order
    i32_t word


# Sentences as tokens and found words; those of sentence s are token[start[s]:start[s + 1]] and
# found[found_start[s]:found_start[s + 1]], the latter by position.
@cython.final
cdef class Sentences:
    cdef vector[i32_t] token
    cdef vector[i64_t] start
    cdef vector[Found] found
    cdef vector[i64_t] found_start
    cdef readonly Vocabulary vocabulary
    cdef readonly Py_ssize_t n_sentences

    cdef int number(self, vector[u32_t]& letters, const vector[i64_t]& begin, Lexicon lexicon,
                    bint by_character, bint fold, int max_order) except -1 nogil
    cdef int look_up_tokens(self, Lexicon lexicon, i64_t begin, int max_order) except -1 nogil
    cdef int look_up_letters(self, Lexicon lexicon, const u32_t* text, const vector[i64_t]& edge,
                             int max_order) except -1 nogil
