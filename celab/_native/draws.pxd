# A generator of random numbers; the kernel is called from Python only.
cimport cython

from celab._native.types cimport u32_t, u64_t

cdef struct State:
    u64_t high, low  # 128 bits
    u64_t increment_high, increment_low
    u32_t kept  # the half of the last number that is not read yet
    bint has_kept


@cython.final
cdef class Draws:
    cdef State state
