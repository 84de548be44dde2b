# A bipartite graph whose nodes have whole-number capacities, and flow through it.
#
# Links of left node x are first[x] to first[x + 1] - 1; link k goes to right node target[k]. Fill
# in watch, n_left, n_right, first, target and the capacities, then call `prepare` first.
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t
from celab._native.watch cimport Watch


cdef cppclass Graph:
    Watch* watch
    i32_t n_left
    i32_t n_right
    vector[i32_t] first
    vector[i32_t] target
    vector[i32_t] left_capacity
    vector[i32_t] right_capacity

    vector[i32_t] left_flow
    vector[i32_t] right_flow
    vector[i32_t] flow  # flow through each link
    vector[i32_t] source  # the left node of each link
    vector[i32_t] right_first  # the links of right node y are right_link[right_first[y]] and on
    vector[i32_t] right_link
    vector[i32_t] left_seen  # number of the last search that reached each left node
    vector[i32_t] right_seen
    vector[i32_t] left_by  # the link by which a search came to each left node
    vector[i32_t] right_by
    vector[i32_t] left_level
    vector[i32_t] right_level
    vector[i32_t] left_arc  # the next link to try
    vector[i32_t] right_arc
    vector[i32_t] queue
    i32_t search


# Lists the left node of each link, and the links of each right node. `first` has an entry for each
# left node and one more.
cdef int turn_round(const vector[i32_t]& first, const vector[i32_t]& target, i32_t n_right,
                    vector[i32_t]& source, vector[i32_t]& right_first,
                    vector[i32_t]& right_link) except -1 nogil
# Turns the links round and sets all flow to zero.
cdef int prepare(Graph* graph) except -1 nogil
# Sets all flow, and what left nodes can hold, to zero.
cdef int empty(Graph* graph) except -1 nogil
# Pushes flow from left node x as far as it goes with one path; returns how much, 0 if none.
cdef i32_t augment(Graph* graph, i32_t x) except -1 nogil
# A maximum flow, from the flow there is; returns its value.
cdef i32_t saturate(Graph* graph) except -1 nogil
# Marks, by left_seen == search, the left nodes that an alternating path from an unsaturated left
# node reaches. The flow must be maximum. The others are saturated by every maximum flow.
cdef int reach(Graph* graph) except -1 nogil


# A transport problem in whole numbers: supplies, demands, and the profit of each link.
#
#     maximize Σ profit · flow
#     subject to Σ_y flow(x, y) <= supply(x),  Σ_x flow(x, y) <= demand(y)
#
# Links of left node x are first[x] to first[x + 1] - 1; link k goes to right node target[k] and has
# a profit above 0. Fill in watch, sizes, links, supply and demand, then call `carry`.
cdef cppclass Transport:
    Watch* watch
    i32_t n_left
    i32_t n_right
    vector[i32_t] first
    vector[i32_t] target
    vector[i32_t] profit
    vector[i64_t] supply
    vector[i64_t] demand

    vector[i64_t] flow  # result: flow through each link
    vector[i64_t] supply_left
    vector[i64_t] demand_left
    vector[i64_t] left_price
    vector[i64_t] right_price
    vector[i32_t] source
    vector[i32_t] right_first
    vector[i32_t] right_link
    vector[i32_t] left_by  # the link by which the search came; -2 at its start, -1 if not reached
    vector[i32_t] right_by
    vector[i32_t] queue


# The greatest total profit, proved: the prices of an optimal dual solution give the same value.
# Raises ArithmeticError if they do not.
cdef i64_t carry(Transport* self) except -1 nogil
