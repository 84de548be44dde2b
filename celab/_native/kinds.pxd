# The link graph of one pair of sentences, between kinds of n-grams instead of places.
#
# A member is an n-gram, as position << 3 | (order - 1). Kinds of either side are numbered from 1;
# kind 0 is that of the empty n-gram, which is linked with itself alone.
from libcpp.vector cimport vector

from celab._native.matches cimport Sentence
from celab._native.types cimport i8_t, i32_t, i64_t, u64_t
from celab._native.watch cimport Watch


# Numbers 64-bit keys from 1, in the order in which they come.
cdef cppclass Numbering:
    vector[u64_t] key
    vector[i32_t] number  # 0 if the slot is free
    i32_t n


# The text of a token, of a word, or of n-grams with a token of several letters.
cdef struct Text:
    u64_t hash
    i32_t side  # side of one n-gram with this text: 0 reference, 1 hypothesis
    i32_t start
    i32_t order
    i32_t word  # word number in the lexicon, or -1
    i32_t sides  # sides that have the text: bit 0 reference, bit 1 hypothesis
    bint recut  # two of its n-grams have different tokens


# A way to begin an n-gram: with a unit of this sense, before an n-gram of this kind.
cdef struct Part:
    i32_t sense
    i32_t rest


# A hypothesis n-gram that begins with a unit of this sense.
cdef struct Longer:
    i32_t sense
    i32_t kind


# The n-grams of one side.
cdef cppclass KindSide:
    i32_t length
    i32_t n_kinds  # number of kinds, kind 0 included
    vector[i32_t] sense  # sense of each member as a unit, or 0
    vector[i32_t] kind  # kind of each member, or -1 if it has no links
    vector[i32_t] following  # the next member of the same kind, or -1
    vector[i32_t] first_member  # first member of each kind, or -1
    vector[i32_t] count  # the members of each kind
    vector[i32_t] part_first  # the parts of kind x: part[part_first[x]:part_first[x + 1]]
    vector[Part] part
    vector[i32_t] link_first  # the kinds of the other side that it is linked with, in the same way
    vector[i32_t] link


cdef cppclass Kinds:
    Watch* watch
    KindSide ref
    KindSide hyp

    # Working memory, kept from pair to pair.
    Numbering numbering
    vector[i32_t] numbered  # text or sense of each number of `numbering`, or 0
    vector[Text] text
    vector[i32_t] text_slot
    vector[i32_t] text_sense
    vector[i32_t] sense_text  # one of its texts
    vector[i32_t] sense_sides
    vector[i32_t] group_text  # one text of each group + 1, or 0
    vector[i8_t] group_flags
    vector[i32_t] group_entry  # the last sense of the hypothesis that has the group
    vector[i32_t] entry_sense
    vector[i32_t] entry_before
    vector[i32_t] group_used
    vector[i32_t] related_first  # the senses of the hypothesis that a sense matches
    vector[i32_t] related
    vector[i32_t] longer_first  # the hypothesis n-grams that end with kind y, by sense
    vector[Longer] longer
    vector[Longer] by_sense
    vector[i32_t] by_sense_rest
    vector[i32_t] mark
    vector[i32_t] seen
    vector[i32_t] offset
