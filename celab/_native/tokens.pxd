# Text as numbers: what is done once per sentence, whatever it is compared with later.
cimport cython
from libcpp.vector cimport vector

from celab._native.memory cimport prefetch
from celab._native.types cimport i32_t, i64_t, u32_t, u64_t


# The ids of tokens, and text as code points.
# The id of a token of one code point is that code point; longer ones are interned from here on.
cdef enum:
    FIRST_LONG_ID = 0x110000


# Tokens of several code points, by open addressing. Entry k spells letter[begin[k]:begin[k + 1]]
# and has the id first + k; smaller ids are the parent's. The arrays are a vocabulary's vectors.
cdef struct LongTokens:
    const u32_t* letter
    const i64_t* begin
    const i32_t* slot  # entry + 1, or 0
    u32_t slot_mask
    i32_t n_entries
    i32_t first
    const LongTokens* parent


@cython.final
cdef class Vocabulary:
    cdef LongTokens own
    cdef vector[u32_t] letter
    cdef vector[i64_t] begin
    cdef vector[i32_t] slot
    # Not written to any more, so several threads may share it.
    cdef readonly Vocabulary parent
    cdef bint is_parent

    cdef i32_t intern(self, const u32_t* letter, Py_ssize_t n) except -1 nogil
    cdef int widen(self) except -1 nogil
    cdef void look_at_vectors(self) noexcept nogil


# The letters of a token with an id of this vocabulary, and how many they are.
cdef inline const u32_t* spelled(const LongTokens* known, const i32_t* token,
                                 i32_t* n) noexcept nogil:
    cdef const i64_t* begin
    if token[0] < FIRST_LONG_ID:
        n[0] = 1
        return <const u32_t*> token
    while token[0] < known.first:
        known = known.parent
    begin = known.begin + (token[0] - known.first)
    n[0] = <i32_t> (begin[1] - begin[0])
    return known.letter + begin[0]


cdef str text_of(const u32_t* letter, Py_ssize_t n)
# Appends the code points of `text`.
cdef int read_text(str text, vector[u32_t]& buffer) except -1
cdef int read_texts(list texts, vector[u32_t]& letters, vector[i64_t]& begin) except -1


# A compiled lexicon: a trie from letters (code points) to words, and from words to synonym groups.
#
# All arrays belong to `buffer`, which the object keeps alive.
cdef enum:
    ROOT_LETTERS = 0x10000


# A transition, found by hashing (state, letter). An empty slot has next == 0: no transition leads
# to the root.
cdef struct Slot:
    i32_t state
    i32_t letter
    i32_t next
    i32_t word  # the word that ends here, or -1


# The root's transition on one code point of the Basic Multilingual Plane. Bit (letter & 63) of
# `second` is set if some word goes on with such a letter; most searches end at this test.
cdef struct Root:
    u64_t second
    i32_t next
    i32_t word


cdef struct Groups:
    const i32_t* start  # word w has group[start[w]] to group[start[w + 1] - 1]
    const i32_t* group
    i32_t n_groups
    # In a chain of nested lexicons, word w has at grade g, from 1 to n_grades, the groups
    # group[bound[k]] to group[bound[k + 1] - 1], where k is 2 * (w * n_grades + g - 1).
    i32_t n_grades
    const i32_t* bound  # NULL if there is one grade, which has all groups
    const i32_t* range  # the groups of grade g are those from range[2 * g - 2] to range[2 * g - 1]


@cython.final
cdef class Lexicon:
    cdef readonly object buffer
    cdef readonly object name
    cdef const Slot* slot
    cdef u32_t slot_mask
    cdef const Root* root
    cdef vector[u64_t] filter  # a bit for each transition, most others being 0
    cdef Groups groups
    cdef readonly i32_t n_words

    cdef int fill_filter(self, Py_ssize_t n_slots) except -1
    # The next state, 0 if there is none; `word` is set when there is.
    cdef i32_t step(self, i32_t state, i32_t letter, i32_t* word) noexcept nogil


cdef inline u32_t mixed(u32_t mask, i32_t state, i32_t letter) noexcept nogil:
    # Where the search for a transition begins.
    cdef u64_t both = ((<u64_t> <u32_t> state) << 32) ^ <u64_t> <u32_t> letter
    return <u32_t> (both * <u64_t> 0x9E3779B97F4A7C15 >> 32) & mask


cdef inline u32_t filter_bit(u32_t mask, i32_t state, i32_t letter) noexcept nogil:
    # There are four bits for each slot.
    return mixed(4 * mask + 3, state, letter)


cdef inline bint passes(const u64_t* filter, u32_t mask, i32_t state, i32_t letter) noexcept nogil:
    # Whether there may be such a transition; if not, there is none.
    cdef u32_t bit = filter_bit(mask, state, letter)
    return filter[bit >> 6] >> (bit & 63) & 1


cdef inline u32_t slot_of(const Slot* slot, u32_t mask, i32_t state, i32_t letter) noexcept nogil:
    # Where the transition is, or the free place for it.
    cdef u32_t at = mixed(mask, state, letter)
    while slot[at].next and (slot[at].state != state or slot[at].letter != letter):
        at = (at + 1) & mask
    return at


cdef inline void prefetch_slot(const Slot* slot, u32_t mask, const Root* root, i32_t first,
                               i32_t second) noexcept nogil:
    # Asks for the transition of a word's second letter.
    if first < ROOT_LETTERS and root[first].second >> (second & 63) & 1:
        prefetch(slot + mixed(mask, root[first].next, second))


cdef enum:
    # A pair of sentences with more tokens takes too much memory; a sentence with more by itself is
    # not looked up in the lexicon.
    MAX_TOKENS = 1 << 21


# An occurrence of a lexicon word in a sentence.
cdef struct Occurrence:
    i32_t start
    i32_t order
    i32_t word


# An entry of a sentence's index: a property that an n-gram can share with one of another sentence.
cdef struct Unit:
    i32_t key  # the letter or, of a long token, the `two_letter_key`; ~g for lexicon group g
    i32_t ngram  # start << 6 | (order - 1) << 3, the last six bits being the shift to a mask's row
    # In the first unit with a group as its key, the word if all units with the group have the same
    # one. In the first with a letter that is a word, where its `synonyms` begin. Else -1.
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
    # The key of text that begins with these letters; few other texts have it. Lexicons have fewer
    # than 2**30 groups, so that no group's key is equal.
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
