# The ids of tokens, and text as code points.
cimport cython
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t, u32_t


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
