# The link graph of one pair of sentences.
#
# An n-gram is a node (place, order). Positions with the same window, the next max_order tokens,
# have the same links, so they may share one place; `multiplicity` counts them, and `next` chains
# them, from the place on. Only repetitive text is merged in this way: elsewhere a place is a
# position.
#
# Wherever a number stands for a place or position and an order, it is start << 3 | (order - 1).
from libcpp.vector cimport vector

from celab._native.tokens cimport Found, Match, Sentences, Unit
from celab._native.types cimport i32_t, i64_t, u16_t, u32_t, u64_t
from celab._native.vocabulary cimport LongTokens
from celab._native.watch cimport Watch


cdef struct Sentence:
    const i32_t* token
    i32_t n_tokens
    const LongTokens* known  # the vocabulary of its tokens
    const Found* found
    i32_t n_found
    const i32_t* group_start  # of the lexicon's words: of word w in group_start[w * stride]
    const i32_t* group_stop
    i32_t stride
    const i32_t* group
    i32_t first_group  # those of the grade
    i32_t last_group
    bint matched  # whether `match` has its matches with the reference, of all grades
    const Match* match
    i64_t n_matches
    const Unit* unit  # the index, if there is one
    const i32_t* same_key
    const i32_t* slot
    u32_t slot_mask
    u64_t long_initials
    const i32_t* kin


# All links between the n-grams that start at one place of either side. Bit (a - 1) << 3 | (b - 1)
# of `mask` links the reference n-gram of order a with the hypothesis n-gram of order b.
cdef struct Start:
    i32_t ref
    i32_t hyp
    u64_t mask


# The places of a side.
cdef cppclass Places:
    bint merged  # if not, the arrays are those of a side with no repetition, and longer than it
    vector[i32_t] place  # of each position, the position that stands for it
    vector[i32_t] multiplicity  # of each place, 0 where another position stands for it
    vector[i32_t] following  # of each position, another one with its place, or -1


cdef cppclass Links:
    Watch* watch
    i32_t max_order
    vector[Start] start
    size_t n_starts  # the first of them count
    vector[i64_t] row_start  # of each hypothesis place, where its starts begin in `start`
    vector[i64_t] row_stop
    # The orders of each place, by bit order - 1, that have one link with one position.
    vector[u16_t] ref_single
    vector[u16_t] hyp_single
    Places ref
    Places hyp

    # Working memory, kept from pair to pair.
    vector[i32_t] token_unit  # of each hypothesis token of one letter: its first reference unit
    vector[Match] match  # by position of the hypothesis
    size_t n_matches  # the first of them count
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


cdef enum:
    EQUAL_ORDERS = 0x0000201008040201  # the bits of a mask that link n-grams of the same order
    ONE_A_ROW = 0x0101010101010101


cdef inline u64_t turned(u64_t mask) noexcept nogil:
    # Rows as columns: squares of 2, 4 and 8 bits have two of their quarters exchanged.
    cdef u64_t t
    t = (mask ^ mask >> 7) & <u64_t> 0x00AA00AA00AA00AA
    mask ^= t ^ t << 7
    t = (mask ^ mask >> 14) & <u64_t> 0x0000CCCC0000CCCC
    mask ^= t ^ t << 14
    t = (mask ^ mask >> 28) & <u64_t> 0x00000000F0F0F0F0
    return mask ^ t ^ t << 28


cdef inline u32_t add_rows(u64_t mask) noexcept nogil:
    # Which columns have a bit, and << 8 which have several.
    cdef u64_t low, high, one, several
    if mask & ~(<u64_t> EQUAL_ORDERS) == 0:  # at most one a column: the rows' sum, as highest byte
        return <u32_t> (mask * <u64_t> ONE_A_ROW >> 56)
    # Pairs of rows, and pairs of pairs.
    low = mask & <u64_t> 0x00FF00FF00FF00FF
    high = mask >> 8 & <u64_t> 0x00FF00FF00FF00FF
    one = low | high
    several = low & high
    several |= several >> 32 | (one & one >> 32)
    one |= one >> 32
    several |= several >> 16 | (one & one >> 16)
    one |= one >> 16
    return <u32_t> ((one & 0xFF) | (several & 0xFF) << 8)


cdef inline u32_t add_degrees(u32_t degree, u32_t added) noexcept nogil:
    # Of numbers as `add_rows` gives them: bit order - 1 for a link, bit order + 7 for several.
    return degree | added | (degree & added & 0xFF) << 8


cdef inline void only_single(u16_t* degree, i32_t n) noexcept nogil:
    # Leaves the orders with one link.
    cdef i32_t i
    for i in range(n):
        degree[i] = <u16_t> (degree[i] & ~(degree[i] >> 8) & 0xFF)


# A link between two n-grams at their positions.
cdef struct Link:
    i32_t ref_start
    i32_t ref_order
    i32_t hyp_start
    i32_t hyp_order


# The matches of pairs of sentences, looked up once for all grades. Those of pair p are
# first[begin[p]] to first[end[p] - 1]; a selection of pairs has them from its `owner`.
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

    # Raises ValueError unless these are the matches of hyp_at[p] and ref_at[p] for each p.
    cdef int check_pairs(self, Sentences hyp, Sentences ref, const i32_t* hyp_at,
                         const i32_t* ref_at, Py_ssize_t n) except -1
    # Lets a sentence, the hypothesis of pair p, have its matches.
    cdef void attach(self, Sentence* hyp, Py_ssize_t p) noexcept nogil


cdef enum:
    COARSEST = -1  # the grade that has all groups of a lexicon


# A sentence, whose lexicon words have the groups of one grade; grade 0 has no words.
cdef Sentence sentence_of(Sentences sentences, Py_ssize_t s, i32_t grade) noexcept nogil
# The number of a grade, `COARSEST` resolved. Raises ValueError if the lexicon has none such.
cdef i32_t check_grade(Sentences sentences, i32_t grade) except -1
# Raises ValueError unless sentences of the two sides can be linked.
cdef int check_sides(Sentences hyp, Sentences ref, int max_order) except -1
# All links between positions, in no order; returns how many. Raises OverflowError if there are
# more than `most`.
cdef i64_t expand(const Links* links, i32_t m, i32_t n, vector[Link]& link,
                  i64_t most) except -1 nogil
# Fills `links`, whose `watch` is set. `release`: the links of the authors' program. Raises
# OverflowError if they need too much memory.
cdef int link(Links* links, const Sentence* ref, const Sentence* hyp, i32_t max_order,
              bint release) except -1 nogil
