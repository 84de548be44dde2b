# The header exports nothing; the kernel is called from Python only.
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t


# The program of two texts within a band of diagonals.
cdef struct Band:
    const i32_t* hyp
    const i32_t* ref
    Py_ssize_t n_hyp
    Py_ssize_t n_ref
    Py_ssize_t below
    Py_ssize_t above
    vector[i64_t] cost
