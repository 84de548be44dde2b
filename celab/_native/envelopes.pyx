"""Envelope kernel: rows of lines → where the highest line of each row changes.

Line j of a row is height[j] + t · slope[j]. For t → -∞ the line with the least slope is highest, of
several the one with the greatest height. The next line is the steeper one that crosses it first,
at t = (height[i] - height[j]) / (slope[j] - slope[i]), of several the steepest. Of equal lines the
first counts.

Not in NumPy, although that can do one step of all rows at a time: `celab tune` would take 1.7 times
as long.
"""
from libcpp.vector cimport vector

from celab._native.arrays cimport float64_array, int64_array
from celab._native.types cimport i64_t

import numpy as np


def envelopes(const double[:, ::1] height not None, const double[:, ::1] slope not None):
    """Return the first line of each row, and all changes: row, t, the lines before and after.

    Changes are sorted by row, then by t.
    """
    cdef Py_ssize_t n_rows = height.shape[0], n_lines = height.shape[1], row, j, i, after
    cdef double t, soonest
    cdef vector[i64_t] rows, before, taken
    cdef vector[double] times
    if slope.shape[0] != n_rows or slope.shape[1] != n_lines or n_lines == 0:
        raise ValueError("heights and slopes must have the same shape, with lines in each row")
    first = np.empty(n_rows, np.int64)
    cdef i64_t[::1] start = first
    with nogil:
        for row in range(n_rows):
            i = 0
            for j in range(1, n_lines):
                if slope[row, j] < slope[row, i] or (
                    slope[row, j] == slope[row, i] and height[row, j] > height[row, i]
                ):
                    i = j
            start[row] = i
            while True:
                after = -1
                soonest = 0
                for j in range(n_lines):
                    if slope[row, j] > slope[row, i]:
                        t = (height[row, i] - height[row, j]) / (slope[row, j] - slope[row, i])
                        if after < 0 or t < soonest or (
                            t == soonest and slope[row, j] > slope[row, after]
                        ):
                            after = j
                            soonest = t
                if after < 0:
                    break
                rows.push_back(row)
                times.push_back(soonest)
                before.push_back(i)
                taken.push_back(after)
                i = after
    return (first, int64_array(rows), float64_array(times), int64_array(before),
            int64_array(taken))
