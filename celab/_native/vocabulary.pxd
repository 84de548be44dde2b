# The ids of tokens, and text as code points.
cimport cython
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t, u32_t


# The id of a token of one code point is that code point; longer ones are interned from here on.
cdef enum:
    FIRST_LONG_ID = 0x110000


# Tokens of several code points, by open addressing. Entry k spells letter[begin[k]:begin[k + 1]]
# and has the id first + k. The arrays are vectors of a vocabulary that grows, or lie in the file of
# a compiled lexicon.
cdef struct LongTokens:
    const u32_t* letter
    const i64_t* begin
    const i32_t* slot  # entry + 1, or 0
    u32_t slot_mask
    i32_t n_entries
    i32_t first


@cython.final
cdef class Vocabulary:
    cdef LongTokens own
    cdef vector[u32_t] letter
    cdef vector[i64_t] begin
    cdef vector[i32_t] slot
    cdef object buffer  # what the arrays belong to, if not to the vectors
    # Looked into first and never written to, so several threads may share it.
    cdef readonly Vocabulary parent

    cdef i32_t find(self, const u32_t* letter, Py_ssize_t n) noexcept nogil
    cdef i32_t intern(self, const u32_t* letter, Py_ssize_t n) except -1 nogil
    cdef int widen(self) except -1 nogil
    cdef void place(self, i32_t entry) noexcept nogil
    cdef void look_at_vectors(self) noexcept nogil


cdef str text_of(const u32_t* letter, Py_ssize_t n)
# Appends the code points of `text`.
cdef int read_text(str text, vector[u32_t]& buffer) except -1
