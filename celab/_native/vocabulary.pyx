"""Vocabulary kernel: numbers for tokens of several code points, and text as code points.

Two sentences can be compared by their token ids if one vocabulary gave them. A vocabulary looks
into its parent first, so many can share one that is never written to: the compiled lexicon's,
which lies in the lexicon's own file.
"""
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t, u32_t, u64_t

import numpy as np

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GetLength(object text) except -1
    object PyUnicode_DecodeUTF32(const char* letters, Py_ssize_t size, const char* errors,
                                 int* byte_order)
    u32_t* PyUnicode_AsUCS4(object text, u32_t* buffer, Py_ssize_t size, int copy_null) except NULL


cdef inline bint same_letters(const u32_t* a, const u32_t* b, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if a[i] != b[i]:
            return False
    return True


cdef inline u32_t hash_letters(const u32_t* letter, Py_ssize_t n) noexcept nogil:
    cdef u64_t h = 0xCBF29CE484222325
    cdef Py_ssize_t i
    for i in range(n):
        h = (h ^ letter[i]) * <u64_t> 0x100000001B3
    return <u32_t> (h >> 32) ^ <u32_t> h


cdef class Vocabulary:
    """The ids of tokens of several code points; what `parent` knows is not repeated."""

    def __cinit__(self, Vocabulary parent=None):
        self.parent = parent
        self.own.first = FIRST_LONG_ID
        if parent is not None:
            self.own.first = parent.own.first + parent.own.n_entries
        self.begin.push_back(0)
        self.slot.assign(64, 0)
        self.look_at_vectors()

    @staticmethod
    def mapped(const u32_t[::1] letter, const i64_t[::1] begin, const i32_t[::1] slot):
        """The vocabulary whose `arrays` these are; it uses them where they lie, and cannot grow."""
        cdef Vocabulary made = Vocabulary()
        cdef Py_ssize_t n_slots = slot.shape[0]
        if n_slots < 1 or n_slots & (n_slots - 1) or begin.shape[0] < 1 or n_slots < begin.shape[0]:
            raise ValueError("the vocabulary's tables have impossible sizes")
        if begin[begin.shape[0] - 1] != letter.shape[0]:
            raise ValueError("letters and tokens do not fit together")
        made.buffer = letter, begin, slot
        made.own.letter = &letter[0] if letter.shape[0] else NULL
        made.own.begin = &begin[0]
        made.own.slot = &slot[0]
        made.own.slot_mask = <u32_t> (n_slots - 1)
        made.own.n_entries = <i32_t> (begin.shape[0] - 1)
        return made

    def arrays(self):
        """Letters, where each token's begin, and the hash table, as `mapped` takes them."""
        cdef Py_ssize_t i, n_letters = self.own.begin[self.own.n_entries]
        letter = np.empty(n_letters, np.uint32)
        begin = np.empty(self.own.n_entries + 1, np.int64)
        slot = np.empty(self.own.slot_mask + 1, np.int32)
        cdef u32_t[::1] letter_view = letter
        cdef i64_t[::1] begin_view = begin
        cdef i32_t[::1] slot_view = slot
        for i in range(n_letters):
            letter_view[i] = self.own.letter[i]
        for i in range(begin_view.shape[0]):
            begin_view[i] = self.own.begin[i]
        for i in range(slot_view.shape[0]):
            slot_view[i] = self.own.slot[i]
        return letter, begin, slot

    def __len__(self):
        return self.own.n_entries

    cdef void look_at_vectors(self) noexcept nogil:
        # After any change, because a vector that grows moves.
        self.own.letter = self.letter.data()
        self.own.begin = self.begin.data()
        self.own.slot = self.slot.data()
        self.own.slot_mask = <u32_t> (self.slot.size() - 1)
        self.own.n_entries = <i32_t> (self.begin.size() - 1)

    cdef i32_t find(self, const u32_t* letter, Py_ssize_t n) noexcept nogil:
        cdef u32_t at = hash_letters(letter, n) & self.own.slot_mask
        cdef i32_t entry, known
        cdef i64_t begin
        if self.parent is not None:
            known = self.parent.find(letter, n)
            if known >= 0:
                return known
        while self.own.slot[at]:
            entry = self.own.slot[at] - 1
            begin = self.own.begin[entry]
            if (self.own.begin[entry + 1] - begin == n
                    and same_letters(&self.own.letter[begin], letter, n)):
                return self.own.first + entry
            at = (at + 1) & self.own.slot_mask
        return -1

    cdef i32_t intern(self, const u32_t* letter, Py_ssize_t n) except -1 nogil:
        cdef i32_t known = self.find(letter, n)
        cdef Py_ssize_t k
        if known >= 0:
            return known
        if self.buffer is not None:
            with gil:
                raise ValueError("a mapped vocabulary cannot grow")
        if 2 * self.begin.size() > self.slot.size():
            self.widen()
        for k in range(n):
            self.letter.push_back(letter[k])
        self.begin.push_back(<i64_t> self.letter.size())
        self.place(<i32_t> (self.begin.size() - 2))
        self.look_at_vectors()
        return self.own.first + self.own.n_entries - 1

    cdef int widen(self) except -1 nogil:
        cdef i32_t entry
        self.slot.assign(2 * self.slot.size(), 0)
        for entry in range(<i32_t> (self.begin.size() - 1)):
            self.place(entry)
        return 0

    cdef void place(self, i32_t entry) noexcept nogil:
        cdef u32_t mask = <u32_t> (self.slot.size() - 1)
        cdef i64_t begin = self.begin[entry]
        cdef u32_t at = hash_letters(&self.letter[begin], self.begin[entry + 1] - begin) & mask
        while self.slot[at]:
            at = (at + 1) & mask
        self.slot[at] = entry + 1

    def add(self, str token):
        """Interns one token of two or more code points and returns its id."""
        cdef vector[u32_t] letters
        cdef i32_t token_id
        read_text(token, letters)
        if letters.size() < 2:
            raise ValueError("a token of one code point needs no entry")
        with nogil:
            token_id = self.intern(&letters[0], letters.size())
        return token_id


cdef str text_of(const u32_t* letter, Py_ssize_t n):
    cdef int native_order = 0
    if n == 0:
        return ""
    cdef u32_t probe = 1
    native_order = -1 if (<char*> &probe)[0] == 1 else 1  # without it a leading BOM would vanish
    return PyUnicode_DecodeUTF32(<char*> letter, 4 * n, "surrogatepass", &native_order)


cdef int read_text(str text, vector[u32_t]& buffer) except -1:
    # Appends the code points of `text`.
    cdef Py_ssize_t n = PyUnicode_GetLength(text)
    cdef size_t before = buffer.size()
    if n:
        buffer.resize(before + n)
        PyUnicode_AsUCS4(text, &buffer[before], n, 0)
    return 0
