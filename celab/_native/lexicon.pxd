# A compiled lexicon: a trie from letters (code points) to words, and from words to synonym groups.
#
# All arrays belong to `buffer`, which the object keeps alive.
cimport cython
from libcpp.vector cimport vector

from celab._native.memory cimport prefetch
from celab._native.types cimport i32_t, u32_t, u64_t


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
    const i32_t* start  # of word w: group[start[w]] to group[start[w + 1] - 1]
    const i32_t* group
    i32_t n_groups
    # Of a chain of nested lexicons: word w has at grade g, from 1 to n_grades, the groups
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
