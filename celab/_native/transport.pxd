# A transport problem in whole numbers: supplies, demands, and the profit of each link.
#
#     maximize Σ profit · flow
#     subject to Σ_y flow(x, y) <= supply(x),  Σ_x flow(x, y) <= demand(y)
#
# Links of left node x are first[x] to first[x + 1] - 1; link k goes to right node target[k] and has
# a profit above 0. Fill in watch, sizes, links, supply and demand, then call `carry`.
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t
from celab._native.watch cimport Watch


cdef cppclass Transport:
    Watch* watch
    i32_t n_left
    i32_t n_right
    vector[i32_t] first
    vector[i32_t] target
    vector[i32_t] profit
    vector[i64_t] supply
    vector[i64_t] demand

    vector[i64_t] flow  # of each link: the answer
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
