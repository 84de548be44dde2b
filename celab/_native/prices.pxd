# One cluster with its greedy choice, and upper bounds of what it can cover.
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from celab._native.leaves cimport Side
from celab._native.matching cimport Graph, augment
from celab._native.reduction cimport Reduction
from celab._native.types cimport i8_t, i32_t, i64_t
from celab._native.watch cimport Watch


cdef enum:
    MOST_GAIN = 21  # the number of n-grams inside one of order 6


# The members of a cluster, numbered piece by piece, and the cells, i.e. the n-grams that they can
# cover.
cdef cppclass Cluster:
    vector[i32_t] piece
    vector[i32_t] member
    vector[i32_t] member_piece
    vector[i32_t] member_left  # left node in `graph`, or -1 if the piece is plain
    vector[i32_t] general_member  # the members of general pieces
    Graph graph  # the links of general members
    vector[i32_t] chosen  # 1 if the greedy choice has the member

    # Set by `list_reach`.
    i32_t n_cells
    vector[i32_t] cell  # position << 3 | (order - 1) of each
    vector[i32_t] cell_number  # the other way round, or -1
    vector[i32_t] reach_first  # the cells of member k: reach[reach_first[k]] and on
    vector[i32_t] reach
    vector[i32_t] coverer_first  # the members that cover cell c: coverer[coverer_first[c]] and on
    vector[i32_t] coverer
    vector[i64_t] weight  # of each cell


# The gap between the bound and the greedy choice in one piece, if all n-grams weigh 1.
cdef struct Gap:
    i32_t begin  # the range of its members in the cluster
    i32_t end
    i32_t rank
    i32_t above
    i32_t[MOST_GAIN + 1] at_least  # the number of members worth this much or more


# The prices of the cells, and what the members are worth at these prices.
cdef cppclass Prices:
    vector[i64_t] price
    vector[i64_t] worth
    vector[i32_t] tried  # how often the price of each cell was lowered
    vector[Gap] gap
    vector[i32_t] member_gap  # the gap of each member's piece
    bint exact  # whether the links of general pieces bound them, and not their ranks alone
    vector[i32_t] matched  # 1 if the bound counts this member of a general piece
    vector[pair[i64_t, i32_t]] candidate  # general members by worth
    vector[i64_t] amount  # working memory
    vector[i8_t] hidden


cdef inline bint add_member(Cluster* cluster, i32_t number) except -1 nogil:
    # Adds a member of a general piece to the matched ones, if possible.
    cdef i32_t left = cluster.member_left[number]
    cluster.graph.left_capacity[left] += 1
    if augment(&cluster.graph, left):
        return True
    cluster.graph.left_capacity[left] -= 1
    return False


# Numbers the cells of a cluster, and lists which member covers which cell, in both directions.
cdef int list_reach(Cluster* cluster, const Reduction* rest, const Side* side) except -1 nogil
# The bound with the greatest prices: the sum of the greatest gains of each piece, as many as it has
# rank.
cdef i64_t greatest_gains(Prices* self, const Cluster* cluster, const Reduction* rest,
                          const Side* side) except -1 nogil
# The lowest bound with prices that are greatest from some order on, and 0 below it. Uses what
# `list_reach` has listed.
cdef i64_t bound_by_order(Prices* self, const Cluster* cluster, const Reduction* rest,
                          const Side* side) except -1 nogil
# Whether prices were found whose bound equals the greedy choice. Calls `list_reach`.
cdef bint fit_prices(Prices* self, Cluster* cluster, const Reduction* rest, const Side* side,
                     Watch* watch) except -1 nogil
