# One solution of a pair's program in whole numbers, and the pieces of its links.
from libcpp.vector cimport vector

from celab._native.matches cimport Sentence
from celab._native.matching cimport Graph
from celab._native.types cimport i8_t, i32_t


# One side. Its linked n-grams are numbered; members are position << 3 | (order - 1).
cdef cppclass Half:
    i32_t length
    const i32_t* weight  # by member; NULL if all n-grams weigh 1
    vector[i32_t] end  # of each link, the number of its n-gram
    vector[i32_t] member  # of each number
    vector[i32_t] number  # of each member, or -1
    vector[i32_t] first  # links of number i are link[first[i]:first[i + 1]]
    vector[i32_t] link
    vector[i8_t] state
    vector[i32_t] mate  # the link that matches the number, or -1
    vector[i8_t] covered
    vector[i32_t] count  # of each member's cell, how many matched n-grams cover it
    Graph graph


# An aligned piece of a link: from a token to the one after its end, on either side, and the two
# words of the lexicon, or -1 if the text is the same.
cdef struct Piece:
    i32_t hyp
    i32_t hyp_end
    i32_t ref
    i32_t ref_end
    i32_t hyp_word
    i32_t ref_word


cdef cppclass Cutter:
    const Sentence* hyp
    const Sentence* ref
    bint release
    vector[i32_t] hyp_word  # by member, or -1
    vector[i32_t] ref_word
    vector[Piece] piece
