"""Digest kernel: texts → a number for each, by which to tell whether two test sets are the same.

A digest depends on the code points alone, so it is the same in every process and on every machine.
It tells texts apart that differ by accident, not by design.
"""
from libcpp.vector cimport vector

from celab._native.vocabulary cimport read_text


def add_digests(u64_t[::1] digests, list texts not None):
    """Adds the digest of each text, 0 for an empty one, to the number at its place."""
    cdef vector[u32_t] letters
    cdef u64_t digest
    cdef size_t i, n
    cdef Py_ssize_t place, n_texts = len(texts)
    if digests.shape[0] != n_texts:
        raise ValueError("one number per text is needed")
    for place in range(n_texts):
        text = texts[place]
        if not isinstance(text, str):
            raise TypeError(f"a sentence must be a str, not {type(text).__name__}")
        letters.clear()
        read_text(text, letters)
        n = letters.size()
        digest = n
        for i in range(n):
            digest = (digest ^ letters[i]) * <u64_t> 0x9E3779B97F4A7C15
            digest ^= digest >> 32
        digests[place] += digest
