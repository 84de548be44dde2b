# The greatest coverage of each side of a pair, proved; what cannot be goes into a program.
from celab._native.clusters cimport Clusters
from celab._native.components cimport Components
from celab._native.links cimport Links
from celab._native.program cimport Arrays
from celab._native.reduction cimport Reduction
from celab._native.types cimport i8_t, i32_t, i64_t


cdef cppclass Cover:
    i64_t[2] covered  # results: n-grams of the reference and of the hypothesis, or their weight
    i8_t[2] step
    Components components
    Reduction reduction
    Clusters clusters


# Covers both sides of the pair whose links are given. What is not proved is added to `arrays` as
# blocks with owner `owner` (reference) or `owner + 1` (hypothesis). The weights are NULL if all
# n-grams weigh 1.
cdef int cover(Cover* self, const Links* links, i32_t n_ref, i32_t n_hyp, const i32_t* ref_weight,
               const i32_t* hyp_weight, Arrays* arrays, i32_t owner) except -1 nogil
