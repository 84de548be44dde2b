# Sentences as the kernels see them, and the lexicon words of a hypothesis that match the reference.
from libcpp.vector cimport vector

from celab._native.tokens cimport LongTokens, Occurrence, Unit, slot_with
from celab._native.types cimport i32_t, i64_t, u32_t, u64_t


cdef enum:
    COARSEST = -1  # the grade that has all groups of a lexicon


# A lexicon word of a hypothesis that has a synonym in the reference.
cdef struct Match:
    i32_t start
    i32_t order
    i32_t word
    i32_t group
    i32_t unit  # the first reference unit with this group


# A view of one sentence. The groups of word w are group[group_start[w * stride]] to
# group[group_stop[w * stride] - 1].
cdef struct Sentence:
    const i32_t* token
    i32_t n_tokens
    const LongTokens* known  # the vocabulary of its tokens
    const Occurrence* occurrence
    i32_t n_occurrences
    const i32_t* group_start
    const i32_t* group_stop
    i32_t stride
    const i32_t* group
    i32_t first_group  # the range of groups that belong to the grade
    i32_t last_group
    bint matched  # whether `match` holds the matches with the reference, for all grades
    const Match* match
    i64_t n_matches
    const Unit* unit  # the index, or NULL
    const i32_t* slot
    u32_t slot_mask
    u64_t long_initials
    const i32_t* synonyms


# Tokens and words of a hypothesis, looked up in the reference. Reused from pair to pair.
cdef cppclass Lookup:
    # The first reference unit of each hypothesis token of one letter; 0 for other tokens, and if
    # there is none.
    vector[i32_t] token_unit
    vector[Match] match  # sorted by hypothesis position; only the first n_matches are valid
    size_t n_matches


cdef inline i32_t first_with(const Sentence* ref, i32_t key) noexcept nogil:
    # The first reference unit with this key, or 0.
    return ref.slot[slot_with(ref.unit, ref.slot, ref.slot_mask, key)]


cdef inline i32_t add_units(const Sentence* ref, i32_t k, u64_t bit, u64_t* unit, i32_t* touched,
                            i32_t n_touched) noexcept nogil:
    # Sets `bit`, shifted to the row of its order, at the position of reference unit k and of each
    # later one with the same key. `touched` lists the positions with a bit; returns their number.
    cdef i32_t i
    while k:
        i = ref.unit[k].ngram >> 6
        touched[n_touched] = i
        n_touched += unit[i] == 0
        unit[i] |= bit << (ref.unit[k].ngram & 63)
        k = ref.unit[k].same_key
    return n_touched
