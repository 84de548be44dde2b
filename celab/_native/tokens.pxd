# Text as numbers: what is done once per sentence, whatever it is compared with later.
cimport cython
from libcpp.vector cimport vector

from celab._native.lexicon cimport Lexicon
from celab._native.types cimport i32_t, i64_t, u32_t, u64_t
from celab._native.vocabulary cimport Vocabulary


cdef enum:
    # A pair of sentences with more tokens takes too much memory; a sentence with more by itself is
    # not looked up in the lexicon.
    MOST_TOKENS = 1 << 21


# An occurrence of a lexicon word in a sentence.
cdef struct Occurrence:
    i32_t start
    i32_t order
    i32_t word


# What an n-gram can share with one of another sentence, as the index of a sentence holds it.
cdef struct Unit:
    i32_t key  # the letter or, of a long token, the `two_letter_key`; ~g for lexicon group g
    i32_t ngram  # start << 6 | (order - 1) << 3, the last six bits being the shift to a mask's row
    # Of the first unit with a group as its key: the word that all of them are of. Of the first with
    # a letter that is a word: where its `synonyms` begin. Else -1.
    i32_t word
    i32_t same_key  # the number of the next unit with this key, 0 if there is none


# Sentences as tokens and lexicon words; those of sentence s are token[start[s]:start[s + 1]] and
# occurrence[occurrence_start[s]:occurrence_start[s + 1]], the latter by position.
#
# With an index, its units are unit[unit_start[s]:unit_start[s + 1]]: none, then those of tokens,
# then those of words, each by position. slot[slot_start[s]:slot_start[s + 1]] is a hash table, a
# power of two long, that gives for a key the number within the sentence of the first unit that has
# it, 0 if none has; `same_key` of a unit gives the next one in the same way. Bit (c & 63)
# of long_initials[s] is set if a long token, one of several letters, begins with c. From
# synonym_start[s] on, `synonyms` has, for each letter that is a word, how many of its groups
# another word of the sentence shares, and their first units.
@cython.final
cdef class Sentences:
    cdef vector[i32_t] token
    cdef vector[i64_t] start
    cdef vector[Occurrence] occurrence
    cdef vector[i64_t] occurrence_start
    cdef vector[Unit] unit
    cdef vector[i64_t] unit_start
    cdef vector[i32_t] slot
    cdef vector[i64_t] slot_start
    cdef vector[u64_t] long_initials
    cdef vector[i32_t] synonyms
    cdef vector[i64_t] synonym_start
    cdef readonly tuple texts
    cdef readonly Vocabulary vocabulary
    cdef readonly Lexicon lexicon
    cdef readonly Py_ssize_t n_sentences
    cdef readonly bint indexed
    cdef readonly int max_order
    cdef public object weights  # `Weights` of these sentences; None if all n-grams weigh the same

    cdef int number(self, vector[u32_t]& letters, const vector[i64_t]& begin, int how,
                    bint fold) except -1 nogil
    cdef int look_up(self, i64_t begin) except -1 nogil
    cdef i32_t step_long(self, i32_t state, const i32_t* token, i32_t* word) noexcept nogil
    cdef int list_units(self, i64_t begin, i64_t first_occurrence) except -1 nogil
    cdef int index_units(self, i64_t begin) except -1 nogil
    cdef int list_synonyms(self, Unit* unit, i32_t n, const i32_t* slot, u32_t mask) except -1 nogil


cdef inline i32_t two_letter_key(u32_t first, u32_t second) noexcept nogil:
    # Of text that begins with these letters, and of little else. There are fewer than 2**30 groups.
    return ~<i32_t> (1 << 30 | (first << 9 ^ second))


cdef inline u32_t first_slot(u32_t mask, i32_t key) noexcept nogil:
    # Where the search for a key begins.
    return ((<u32_t> key * <u32_t> 2654435769) >> 15) & mask


cdef inline u32_t slot_with(const Unit* unit, const i32_t* slot, u32_t mask,
                            i32_t key) noexcept nogil:
    # Where the hash table of a sentence has a unit with this key, or the free place for it.
    cdef u32_t at = first_slot(mask, key)
    while slot[at] and unit[slot[at]].key != key:
        at = (at + 1) & mask
    return at


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
