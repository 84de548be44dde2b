"""Lexicon: builds the trie of a lexicon's words and searches it.

The trie is a hash table of transitions, with a direct table for the first letter. Both are plain
arrays without pointers, so a compiled lexicon is used as it is in its file.
"""


cdef class Lexicon:
    """The compiled arrays of one lexicon, ready to be searched. `None` lexicons have no words."""

    def __cinit__(self, object name, const i32_t[::1] slots, const i32_t[::1] root,
                  const i32_t[::1] word_start, const i32_t[::1] word_group, i32_t n_groups,
                  const i32_t[::1] bounds=None, const i32_t[::1] ranges=None):
        if slots.shape[0] < 4 or slots.shape[0] % 4 or root.shape[0] != 4 * ROOT_LETTERS:
            raise ValueError("the trie's tables have impossible sizes")
        cdef Py_ssize_t n_slots = slots.shape[0] // 4
        if n_slots & (n_slots - 1):
            raise ValueError("the number of slots is not a power of two")
        if word_start.shape[0] < 1 or word_start[word_start.shape[0] - 1] != word_group.shape[0]:
            raise ValueError("words and groups do not fit together")
        self.name = name
        self.buffer = slots, root, word_start, word_group, bounds, ranges
        self.slot = <const Slot*> &slots[0]
        self.slot_mask = <u32_t> (n_slots - 1)
        self.root = <const Root*> &root[0]
        self.fill_filter(n_slots)
        self.groups.start = &word_start[0]
        self.groups.group = &word_group[0] if word_group.shape[0] else NULL
        self.groups.n_groups = n_groups
        self.n_words = <i32_t> (word_start.shape[0] - 1)
        self.groups.n_grades = 1
        self.groups.bound = NULL
        self.groups.range = NULL
        if bounds is not None and ranges is not None:
            self.groups.n_grades = <i32_t> (ranges.shape[0] // 2)
            if bounds.shape[0] != self.n_words * ranges.shape[0] or self.groups.n_grades < 1:
                raise ValueError("the grades have impossible sizes")
            self.groups.bound = &bounds[0] if self.n_words else NULL
            self.groups.range = &ranges[0]

    cdef int fill_filter(self, Py_ssize_t n_slots) except -1:
        cdef Py_ssize_t i
        cdef u32_t bit
        self.filter.assign(n_slots // 16 + 1, 0)
        for i in range(n_slots):
            if self.slot[i].next:
                bit = filter_bit(self.slot_mask, self.slot[i].state, self.slot[i].letter)
                self.filter[bit >> 6] |= (<u64_t> 1) << (bit & 63)
        return 0

    cdef i32_t step(self, i32_t state, i32_t letter, i32_t* word) noexcept nogil:
        cdef const Root* first
        cdef const Slot* found
        if state == 0 and 0 <= letter < ROOT_LETTERS:
            first = &self.root[letter]
            word[0] = first.word
            return first.next
        found = &self.slot[slot_of(self.slot, self.slot_mask, state, letter)]
        if found.next:
            word[0] = found.word
        return found.next

    def find(self, const i32_t[::1] letters):
        """The id of the word with these letters, or -1."""
        cdef i32_t state = 0, word = -1
        cdef Py_ssize_t i
        for i in range(letters.shape[0]):
            state = self.step(state, letters[i], &word)
            if state == 0:
                return -1
        return word


def build_trie(const i32_t[::1] letters, const i64_t[::1] start):
    """The trie of words given as letters[start[w]:start[w + 1]], as the arrays (slots, root).

    No word may be empty or occur twice; a word's id is its place in the list.
    """
    cdef Py_ssize_t n_words = start.shape[0] - 1, n_letters = letters.shape[0]
    cdef vector[Slot] wide
    cdef i32_t n_states = 0
    cdef u32_t wide_mask = 1, mask = 1
    if n_letters >= 1 << 28:
        raise ValueError("the lexicon is too large: its words have 2**28 letters or more")
    while wide_mask < 2 * n_letters + 2:
        wide_mask *= 2
    wide.resize(wide_mask)
    wide_mask -= 1
    if n_words:
        with nogil:
            n_states = insert_words(wide, wide_mask, &letters[0] if n_letters else NULL,
                                    &start[0], n_words)
    while mask < 2 * <u32_t> n_states + 2:
        mask *= 2
    slots = np.zeros(4 * mask, np.int32)
    root = np.zeros(4 * ROOT_LETTERS, np.int32)
    cdef i32_t[::1] slots_view = slots, root_view = root
    with nogil:
        settle(wide, <Slot*> &slots_view[0], mask - 1, <Root*> &root_view[0])
    return slots, root


cdef i32_t insert_words(vector[Slot]& wide, u32_t mask, const i32_t* letter, const i64_t* start,
                        Py_ssize_t n_words) except -1 nogil:
    # Returns the number of states beyond the root.
    cdef Watch watch = watch_for(0)
    cdef i32_t n_states = 0, state
    cdef Py_ssize_t w
    cdef i64_t k
    cdef u32_t at
    for w in range(n_words):
        charge(&watch, 8 * (start[w + 1] - start[w]))
        state = 0
        for k in range(start[w], start[w + 1]):
            at = slot_of(wide.data(), mask, state, letter[k])
            if wide[at].next == 0:
                n_states += 1
                wide[at].state = state
                wide[at].letter = letter[k]
                wide[at].next = n_states
                wide[at].word = -1
            if k == start[w + 1] - 1:
                wide[at].word = <i32_t> w
            state = wide[at].next
    return n_states


cdef void settle(vector[Slot]& wide, Slot* slot, u32_t mask, Root* root) noexcept nogil:
    # Moves the transitions to their last places: the smaller table, and the root's direct one.
    cdef size_t i
    cdef vector[i32_t] first_letter  # letter on which the root leads to each state
    first_letter.assign(wide.size() + 1, -1)
    for i in range(ROOT_LETTERS):
        root[i].word = -1
    for i in range(wide.size()):
        if wide[i].next == 0:
            continue
        if wide[i].state == 0 and 0 <= wide[i].letter < ROOT_LETTERS:
            root[wide[i].letter].next = wide[i].next
            root[wide[i].letter].word = wide[i].word
            first_letter[wide[i].next] = wide[i].letter
        else:
            slot[slot_of(slot, mask, wide[i].state, wide[i].letter)] = wide[i]
    for i in range(wide.size()):
        if wide[i].next and wide[i].state and first_letter[wide[i].state] >= 0:
            root[first_letter[wide[i].state]].second |= (<u64_t> 1) << (wide[i].letter & 63)
