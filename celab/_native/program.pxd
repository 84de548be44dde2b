# Linear programs in the order HiGHS wants them: maximize cost·x, rows at most row_upper, columns
# from 0 to column_upper. All numbers are whole and no bound is negative, so that x = 0 is feasible.
# Several programs stand behind one another as blocks of one.
cimport cython
from libcpp.vector cimport vector

from celab._native.types cimport i32_t


cdef cppclass Arrays:
    vector[double] cost
    vector[double] column_upper
    vector[double] row_upper
    vector[i32_t] row_start
    vector[i32_t] index
    vector[double] value
    vector[i32_t] block_column  # where each block's columns begin
    vector[i32_t] block_row  # and its rows
    vector[i32_t] block_owner  # whatever number the maker gave the block


@cython.final
cdef class Program:
    cdef Arrays arrays


# Takes back the last blocks, whole or not, but for the first n_blocks.
cdef int cut_back(Arrays* arrays, size_t n_blocks) except -1
cdef int start_block(Arrays* arrays, i32_t owner) except -1 nogil
cdef i32_t add_column(Arrays* arrays, double cost, double upper) except -1 nogil
# A row's entries follow it, by add_entry.
cdef int start_row(Arrays* arrays, double upper) except -1 nogil
cdef int add_entry(Arrays* arrays, i32_t column, double value) except -1 nogil
