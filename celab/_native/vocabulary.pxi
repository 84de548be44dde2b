"""Vocabulary: numbers for tokens of several code points, text as code points, digests.

Two sentences can be compared by their token ids if one vocabulary gave them. A vocabulary looks
into its parent too, so many can share one that is not written to any more: that of the references.
"""

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


cdef inline u32_t token_slot(const LongTokens* tokens, const u32_t* letter, Py_ssize_t n,
                             u32_t hashed) noexcept nogil:
    # Where the token is, or the free place for it.
    cdef u32_t at = hashed & tokens.slot_mask
    cdef const i64_t* begin
    while tokens.slot[at]:
        begin = tokens.begin + tokens.slot[at] - 1
        if begin[1] - begin[0] == n and same_letters(tokens.letter + begin[0], letter, n):
            break
        at = (at + 1) & tokens.slot_mask
    return at


cdef class Vocabulary:
    """The ids of tokens of several code points; those in `parent` are not repeated."""

    def __cinit__(self, Vocabulary parent=None):
        self.parent = parent
        self.own.first = FIRST_LONG_ID
        self.own.parent = NULL
        if parent is not None:
            self.own.first = parent.own.first + parent.own.n_entries
            self.own.parent = &parent.own
            parent.is_parent = True
        self.begin.push_back(0)
        self.slot.assign(16, 0)
        self.look_at_vectors()

    def __len__(self):
        return self.own.n_entries

    cdef void look_at_vectors(self) noexcept nogil:
        # Called after any change, because a vector that grows moves.
        self.own.letter = self.letter.data()
        self.own.begin = self.begin.data()
        self.own.slot = self.slot.data()
        self.own.slot_mask = <u32_t> (self.slot.size() - 1)
        self.own.n_entries = <i32_t> (self.begin.size() - 1)

    cdef i32_t intern(self, const u32_t* letter, Py_ssize_t n) except -1 nogil:
        cdef u32_t hashed = hash_letters(letter, n)
        cdef i32_t entry
        cdef Py_ssize_t k
        cdef const LongTokens* tokens = &self.own
        while tokens != NULL:
            entry = tokens.slot[token_slot(tokens, letter, n, hashed)] - 1
            if entry >= 0:
                return tokens.first + entry
            tokens = tokens.parent
        if self.is_parent:
            with gil:
                raise ValueError("the vocabulary is the parent of another and cannot grow")
        for k in range(n):
            self.letter.push_back(letter[k])
        self.begin.push_back(<i64_t> self.letter.size())
        self.look_at_vectors()
        if 2 * self.begin.size() > self.slot.size():
            self.widen()
        else:
            self.slot[token_slot(&self.own, letter, n, hashed)] = self.own.n_entries
        return self.own.first + self.own.n_entries - 1

    cdef int widen(self) except -1 nogil:
        cdef i32_t entry
        cdef const u32_t* letter
        cdef i64_t n
        self.slot.assign(2 * self.slot.size(), 0)
        self.look_at_vectors()
        for entry in range(self.own.n_entries):
            letter = &self.letter[self.begin[entry]]
            n = self.begin[entry + 1] - self.begin[entry]
            self.slot[token_slot(&self.own, letter, n, hash_letters(letter, n))] = entry + 1
        return 0

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
    # The order of bytes is given, because without it a leading BOM would vanish.
    native_order = -1 if (<char*> &probe)[0] == 1 else 1
    return PyUnicode_DecodeUTF32(<char*> letter, 4 * n, "surrogatepass", &native_order)


cdef int read_text(str text, vector[u32_t]& buffer) except -1:
    # Appends the code points of `text`.
    cdef Py_ssize_t n = PyUnicode_GetLength(text)
    cdef size_t before = buffer.size()
    if n:
        buffer.resize(before + n)
        PyUnicode_AsUCS4(text, &buffer[before], n, 0)
    return 0


cdef int read_texts(list texts, vector[u32_t]& letters, vector[i64_t]& begin) except -1:
    # The code points of all texts in one buffer, and where each begins. They are joined first:
    # one copy of all takes half the time of many, and the interpreter's lock is held meanwhile.
    cdef i64_t n = 0
    begin.reserve(len(texts) + 1)
    begin.push_back(0)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a sentence must be a str, not {type(text).__name__}")
        n += PyUnicode_GetLength(text)
        begin.push_back(n)
    return read_text("".join(texts), letters)


def add_digests(u64_t[::1] digests, list texts not None):
    """Adds the digest of each text, 0 for an empty one, to the number at its place.

    A digest depends on the code points alone, so it is the same in every process and on every
    machine. It tells texts apart that differ by accident, not by design.
    """
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
