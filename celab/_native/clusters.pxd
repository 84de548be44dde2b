# What the reduction leaves: clusters of choices that touch each other, each solved with proof.
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from celab._native.components cimport Components
from celab._native.leaves cimport Side
from celab._native.prices cimport Cluster, Prices
from celab._native.program cimport Arrays
from celab._native.reduction cimport Reduction
from celab._native.types cimport i8_t, i32_t, i64_t


# How a half was proved.
cdef enum:
    SETTLED = 0  # every choice was forced
    APART = 1  # choices that do not touch each other: the greedy choice is optimal
    BOUNDED = 2  # the greedy choice meets an upper bound with prices 0 or 1, by order at most
    PRICED = 3  # the greedy choice meets a bound with fitted prices
    PROGRAM = 4  # left to the solver


cdef cppclass Clusters:
    i64_t value  # results: what the proved clusters cover, and the last step that was needed
    i8_t step

    vector[i32_t] alive  # pieces with a choice left
    vector[i32_t] piece_parent
    vector[i32_t] cell_piece  # the first piece that can cover the n-gram
    vector[i64_t] cell_count  # the n-grams that a piece is the first for, or their weight
    vector[i32_t] overlaps
    vector[i32_t] first_piece  # of the cluster with this leader
    vector[i32_t] next_piece  # of the same cluster, or -1

    Cluster cluster  # the one being solved
    Prices prices
    vector[i8_t] trial  # what the greedy choice covers
    vector[i32_t] rank_left
    vector[vector[i32_t]] bucket  # candidates by gain, if all n-grams weigh 1
    vector[pair[i64_t, i32_t]] heap  # gains and candidates, with weights
    vector[i32_t] left_node
    vector[i32_t] right_node


# Solves what the reduction leaves. Adds clusters that are not proved to `arrays`, as blocks of this
# owner.
cdef int solve_clusters(Clusters* self, Components* components, Reduction* rest, const Side* side,
                        Arrays* arrays, i32_t owner) except -1 nogil
