# The header exports nothing; the kernel is called from Python only.
from libc.stdint cimport uint8_t as u8_t
from libcpp.vector cimport vector

from celab._native.types cimport i32_t


# Equal units in a row: where it begins in both texts, and how many units it has.
cdef struct Run:
    i32_t x
    i32_t y
    i32_t n


# Which units of either text no run has yet; the end of a text is never free.
cdef struct Free:
    vector[u8_t] x
    vector[u8_t] y
