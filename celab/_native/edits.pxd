# The header exports nothing; the kernel is called from Python only.
from libcpp.vector cimport vector

from celab._native.types cimport i8_t, i32_t, i64_t


# The program of two texts within a band of diagonals. `step` has the last step to each place of the
# band, if the alignment is wanted.
cdef struct Band:
    const i32_t* hyp
    const i32_t* ref
    Py_ssize_t n_hyp
    Py_ssize_t n_ref
    Py_ssize_t below
    Py_ssize_t above
    vector[i64_t] cost
    vector[i8_t] step
