# Texts as code points, and what was counted in them; the kernel is called from Python only.
cimport cython
from libc.stdint cimport int16_t as i16_t
from libc.stdint cimport uint8_t as u8_t
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t, u32_t


@cython.final
cdef class CodePoints:
    cdef vector[u32_t] letter
    cdef vector[i64_t] begin  # text s is letter[begin[s]:begin[s + 1]]
    cdef readonly Py_ssize_t n_texts


@cython.final
cdef class Phrases:
    cdef const u8_t[::1] symbols  # symbol of each code point; 0 if no phrase has it
    cdef Py_ssize_t n_symbols
    cdef vector[i16_t] following  # next state, at state * n_symbols + symbol
    cdef vector[u8_t] ends  # sets with a phrase that ends in this state, as bits

    cdef int add(self, str phrase, u8_t mark) except -1
    cdef int link(self) except -1
    cdef u8_t search(self, const u32_t* letter, Py_ssize_t n) noexcept nogil


@cython.final
cdef class FoldedTexts:
    cdef vector[u32_t] letter
    cdef vector[i64_t] begin
    cdef vector[u8_t] gram  # N_BUCKETS for each text
    cdef readonly Py_ssize_t n_texts
    cdef readonly i64_t n_simplified
    cdef readonly i64_t n_traditional
    cdef vector[u32_t] unknown_codes

    cdef int fold(self, CodePoints texts, const u32_t* table) except -1 nogil
