# Markov models with a beam, and the segments of words.
cimport cython
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from celab._native.types cimport i32_t


# Arcs by the state they leave: those of state s are first[s] to first[s + 1].
cdef struct Arcs:
    vector[i32_t] first
    vector[i32_t] target
    vector[i32_t] label  # label of the target
    vector[double] weight


# A state that paths reach after some items, the best value of them, and where that came from: entry
# `before` of row `start`.
cdef struct Entry:
    i32_t state
    i32_t start
    i32_t before
    double value


cdef struct Lattice:
    # One row after each item, with states in the order in which they were found, and one more for
    # final states.
    vector[vector[Entry]] row
    vector[i32_t] place  # place of each state in each open row; -1 if the row lacks it
    i32_t n_open


# The value of a segment under a label.
cdef struct Labeled:
    i32_t label
    double value


@cython.final
cdef class Chain:
    cdef Arcs arcs
    cdef Arcs finals
    cdef vector[i32_t] label  # label of each state, which the arcs that lead to it have
    cdef readonly i32_t n_labels
    cdef i32_t width


@cython.final
cdef class Morphemes:
    cdef Chain chain
    cdef unordered_map[string, vector[Labeled]] known
    # New morphemes: value o of a length or of an ending is that under label open_label[o].
    cdef vector[i32_t] open_label
    cdef vector[double] by_length
    cdef unordered_map[string, i32_t] ending
    cdef vector[double] ending_value
