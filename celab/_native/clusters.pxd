# What the reduction leaves: clusters of choices that touch each other, each solved with proof.
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from celab._native.components cimport Components
from celab._native.leaves cimport Side
from celab._native.matching cimport Graph
from celab._native.program cimport Arrays
from celab._native.reduction cimport Reduction
from celab._native.types cimport i8_t, i32_t, i64_t


# How a half was proved.
cdef enum:
    SETTLED = 0  # every choice was forced
    APART = 1  # choices that do not touch each other: the greedy choice is optimal
    BOUNDED = 2  # the greedy choice meets an upper bound
    PRICED = 3  # the greedy choice meets a bound with prices
    PROGRAM = 4  # left to the solver


cdef enum:
    MOST_GAIN = 21  # n-grams in one of order 6


# What the bound with prices has above the greedy choice in one piece, all n-grams weighing 1.
cdef struct Gap:
    i32_t begin  # of its members in the cluster
    i32_t end
    i32_t rank
    i32_t above
    i32_t[MOST_GAIN + 1] at_least  # how many members are worth this much or more


cdef cppclass Clusters:
    i64_t value  # results: what the proved clusters cover, and the step that was needed
    i8_t step

    vector[i32_t] alive  # pieces with a choice left
    vector[i32_t] piece_parent
    vector[i32_t] cell_piece  # the first piece that could cover the n-gram
    vector[i64_t] cell_count  # of each piece, the n-grams it is the first for, or their weight
    vector[i32_t] overlaps
    vector[i32_t] first_piece  # of the cluster with this leader
    vector[i32_t] next_piece  # of the same cluster, or -1
    vector[i32_t] cluster  # pieces
    vector[i32_t] rank_left
    vector[i8_t] trial  # what the greedy choice covers

    # The members of the cluster, numbered, and the n-grams in reach, numbered too.
    vector[i32_t] member
    vector[i32_t] member_piece
    vector[i32_t] member_left  # node of the graph, or -1 if the piece is plain
    vector[i32_t] chosen
    vector[i32_t] matched  # of general pieces: whether the bound counts the member
    bint exact  # whether it does so by their links, and not by their ranks alone
    vector[i64_t] worth
    vector[vector[i32_t]] bucket  # members by gain
    vector[pair[i64_t, i32_t]] heap  # gains and members, with weights
    vector[i64_t] amount  # working memory
    i32_t n_cells
    vector[i32_t] cell_number
    vector[i32_t] reach_first  # cells of each member
    vector[i32_t] reach
    vector[i32_t] coverer_first  # members of each cell
    vector[i32_t] coverer
    vector[i64_t] weight  # of each cell
    vector[i64_t] price
    vector[i32_t] tried
    vector[Gap] gap
    vector[i32_t] member_gap

    Graph graph
    vector[i32_t] left_node
    vector[i32_t] right_node
    vector[i32_t] general_member


# Adds what is not proved to `arrays`, as blocks of this owner.
cdef int solve_clusters(Clusters* self, Components* components, Reduction* rest, const Side* side,
                        Arrays* arrays, i32_t owner) except -1 nogil
