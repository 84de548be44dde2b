# The link graph of one pair of sentences.
#
# Its nodes are n-grams, as position << 3 | (order - 1), and the links are listed by where they
# start. If there are too many, its nodes are kinds of n-grams (see `kinds`).
cimport cython
from libcpp.vector cimport vector

from celab._native.kinds cimport Kinds
from celab._native.matches cimport Lookup, Match, Sentence
from celab._native.tokens cimport Sentences
from celab._native.types cimport i32_t, i64_t, u32_t, u64_t
from celab._native.watch cimport Watch


# The matches of pairs of sentences, for all grades. Those of pair p are first[begin[p]] to
# first[end[p] - 1]. A selection of pairs shares the memory of its `owner`.
@cython.final
cdef class Matches:
    cdef Sentences hyp
    cdef Sentences ref
    cdef vector[i32_t] hyp_at
    cdef vector[i32_t] ref_at
    cdef vector[i64_t] begin
    cdef vector[i64_t] end
    cdef vector[Match] match
    cdef const Match* first
    cdef Matches owner

    # Raises ValueError unless pair p is hyp_at[p] and ref_at[p] for each p.
    cdef int check_pairs(self, Sentences hyp, Sentences ref, const i32_t* hyp_at,
                         const i32_t* ref_at, Py_ssize_t n) except -1
    # Gives the hypothesis of pair p its matches.
    cdef void attach(self, Sentence* hyp, Py_ssize_t p) noexcept nogil


# A view of sentence s. Its lexicon words have the groups of one grade; grade 0 has no words.
cdef Sentence sentence_of(Sentences sentences, Py_ssize_t s, i32_t grade) noexcept nogil
# The number of a grade, with `COARSEST` resolved. Raises ValueError if there is no such grade.
cdef i32_t check_grade(Sentences sentences, i32_t grade) except -1
# Raises ValueError unless sentences of the two sides can be linked.
cdef int check_sides(Sentences hyp, Sentences ref, int max_order) except -1
# Raises ValueError or IndexError unless the numbers are those of pairs of sentences.
cdef int check_numbers(Sentences hyp, Sentences ref, const i32_t[::1] hyp_at,
                       const i32_t[::1] ref_at) except -1
# Fills `token_unit` for the first n tokens.
cdef int find_tokens(Lookup* lookup, const Sentence* ref, const Sentence* hyp,
                     i32_t n) except -1 nogil
# Fills `match` with the words that start there; `find_tokens` must have been called for the same
# pair.
cdef int match_words(Lookup* lookup, const Sentence* ref, const Sentence* hyp,
                     i32_t n) except -1 nogil


# All links between the n-grams that start at one position of either side. Bit
# (a - 1) << 3 | (b - 1) of `mask` links the reference n-gram of order a with the hypothesis n-gram
# of order b.
cdef struct Start:
    i32_t ref
    i32_t hyp
    u64_t mask


cdef cppclass Links:
    Watch* watch
    i32_t max_order
    vector[Start] start  # only the first n_starts are valid
    size_t n_starts
    vector[i64_t] row_start  # the range of `start` that each hypothesis position has
    vector[i64_t] row_stop
    vector[u64_t] ref_union  # all masks of each position together
    vector[u64_t] hyp_union
    bint by_kind  # whether the links are those of `kinds`, and nothing above is valid
    Kinds kinds

    # The pair before: its tokens, and how many the hypothesis has. `last_ref` is NULL if its rows
    # cannot be used again.
    const i32_t* last_ref
    const i32_t* last_hyp
    i32_t last_length

    # Working memory, kept from pair to pair.
    Lookup lookup
    vector[u64_t] unit  # the units of the row being filled
    vector[i32_t] touched
    vector[u64_t] row  # the masks of the last max_order + 1 rows, as a ring


cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __forceinline int __builtin_ctzll(unsigned long long mask) {
        unsigned long place; _BitScanForward64(&place, mask); return (int) place;
    }
    static __forceinline int __builtin_clzll(unsigned long long mask) {
        unsigned long place; _BitScanReverse64(&place, mask); return 63 - (int) place;
    }
    #endif
    """
    int __builtin_ctzll(unsigned long long mask) noexcept nogil
    int __builtin_clzll(unsigned long long mask) noexcept nogil


cdef inline i32_t lowest_bit(u64_t mask) noexcept nogil:
    return __builtin_ctzll(mask)


cdef inline i32_t highest_bit(u64_t mask) noexcept nogil:
    return 63 - __builtin_clzll(mask)


cdef enum:
    CROWDED = 6  # starts per token from which on kinds pay off


cdef enum:
    EQUAL_ORDERS = 0x0000201008040201  # the bits of a mask that link n-grams of the same order
    ONE_A_ROW = 0x0101010101010101


cdef inline u64_t transpose(u64_t mask) noexcept nogil:
    # Exchanges rows and columns, by swapping the off-diagonal quarters of squares of 2, 4 and 8
    # bits.
    cdef u64_t t
    t = (mask ^ mask >> 7) & <u64_t> 0x00AA00AA00AA00AA
    mask ^= t ^ t << 7
    t = (mask ^ mask >> 14) & <u64_t> 0x0000CCCC0000CCCC
    mask ^= t ^ t << 14
    t = (mask ^ mask >> 28) & <u64_t> 0x00000000F0F0F0F0
    return mask ^ t ^ t << 28


cdef inline u64_t rows_of(i32_t orders) noexcept nogil:
    # The whole row of each order; bit k goes to 8 k, the other products to where no k does.
    return (<u64_t> orders * <u64_t> 0x0002040810204081 & <u64_t> ONE_A_ROW) * 0xFF


cdef inline u64_t columns_of(u32_t orders) noexcept nogil:
    return orders * <u64_t> ONE_A_ROW


# A link between two n-grams, by position.
cdef struct Link:
    i32_t ref_start
    i32_t ref_order
    i32_t hyp_start
    i32_t hyp_order


# Lists all links between positions, in no particular order, and returns how many there are. Raises
# OverflowError if there are more than `most`.
cdef i64_t expand(const Links* links, vector[Link]& link, i64_t most) except -1 nogil
# Prepares `links` for its first pair.
cdef inline void begin_links(Links* links, Watch* watch) noexcept nogil:
    links.last_ref = NULL
    links.watch = watch


# Fills `links`. Rows of the pair before are kept if it has the same reference and a hypothesis that
# ends in the same way; both must have the same grade. Kinds are used in long text, and if there are
# more than `crowd` starts per token, but never if it is negative. `release` finds the links of the
# authors' program, never by kind. Raises OverflowError if the links would need too much memory.
cdef int link(Links* links, const Sentence* ref, const Sentence* hyp, i32_t max_order,
              bint release, i32_t crowd) except -1 nogil
