# The link graph of one pair of sentences.
#
# An n-gram is a node (place, order). Positions with the same window, the next max_order tokens,
# have the same links, so they may share one place; `multiplicity` counts them, and `next` chains
# them, from the place on. Only repetitive text is merged in this way: elsewhere a place is a
# position.
#
# Wherever a number stands for a place or position and an order, it is start << 3 | (order - 1).
from libcpp.vector cimport vector

from celab._native.lexicon cimport Groups, Lexicon
from celab._native.tokens cimport Found, Sentences
from celab._native.types cimport i32_t, i64_t, u64_t


cdef struct Sentence:
    const i32_t* token
    i32_t n_tokens
    const Found* found
    i32_t n_found


# All links between the n-grams that start at one place of either side. Bit (a - 1) << 3 | (b - 1)
# of `mask` links the reference n-gram of order a with the hypothesis n-gram of order b.
cdef struct Start:
    i32_t ref
    i32_t hyp
    u64_t mask


# The hypothesis words of a lexicon group, as a list.
cdef struct GroupHead:
    i32_t epoch  # the pair that this head is of
    i32_t entry


cdef struct GroupEntry:
    i32_t following  # -1 at the end
    i32_t start
    i32_t order


cdef cppclass Links:
    i32_t max_order
    vector[Start] start
    vector[i64_t] row_start  # of each reference place, where its starts begin in `start`
    vector[i64_t] row_stop
    vector[i32_t] hyp_starts  # how many starts each hypothesis place has
    vector[i32_t] ref_place  # of each position, the position that stands for it
    vector[i32_t] hyp_place
    vector[i32_t] ref_multiplicity  # of each place, 0 where another position stands for it
    vector[i32_t] hyp_multiplicity
    vector[i32_t] ref_next  # of each position, another one with its place, or -1
    vector[i32_t] hyp_next

    # Working memory, kept from pair to pair.
    vector[i32_t] token_head
    vector[i32_t] token_key
    vector[i32_t] token_next
    vector[GroupHead] group_head
    vector[GroupEntry] group_entry
    i32_t epoch  # of this pair
    vector[u64_t] unit  # of the row being made
    vector[i32_t] touched
    vector[u64_t] row  # the masks of the last max_order + 1 rows, as a ring
    vector[i32_t] window_slot


cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __forceinline int __builtin_ctzll(unsigned long long mask) {
        unsigned long place; _BitScanForward64(&place, mask); return (int) place;
    }
    #endif
    """
    int __builtin_ctzll(unsigned long long mask) noexcept nogil


cdef inline i32_t lowest_bit(u64_t mask) noexcept nogil:
    return __builtin_ctzll(mask)


# A link between two n-grams at their positions.
cdef struct Link:
    i32_t ref_start
    i32_t ref_order
    i32_t hyp_start
    i32_t hyp_order


cdef Sentence sentence_of(Sentences sentences, Py_ssize_t s) noexcept nogil
cdef Groups groups_of(Lexicon lexicon) noexcept nogil
cdef int check_pair(Sentences hyp, Py_ssize_t hyp_sentence, Sentences ref, Py_ssize_t ref_sentence,
                    int max_order) except -1
# All links between positions, in no order; returns how many.
cdef i64_t expand(const Links* links, i32_t m, i32_t n, vector[Link]& link) except -1 nogil
# Fills `links`. `release` asks for the links of the authors' program.
cdef int link(Links* links, const Sentence* ref, const Sentence* hyp, const Groups* groups,
              i32_t max_order, bint release) except -1 nogil
