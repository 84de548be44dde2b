"""Sequences kernel: what two or more texts, as numbers, have in common, and where they differ.

Three programs that share nothing but their input: n-grams that texts share, whatever their order;
the fewest edits between two texts; and the heaviest runs of equal units, in their order and moved.
"""
from libc.stdint cimport uint8_t as u8_t
from libcpp.algorithm cimport reverse
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from celab._native.types cimport i8_t, i32_t, i64_t, u32_t, u64_t

import numpy as np

include "shared_ngrams.pxi"
include "edits.pxi"
include "runs.pxi"
