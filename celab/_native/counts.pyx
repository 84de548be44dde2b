"""Counts kernel: texts → what rules about many texts read instead of the texts themselves.

`CodePoints` reads texts once. What is counted in them are *traits* of characters, such as being a
letter of a script. A trait is a bit; characters with the same traits are of one class, so one look
into a table and one addition a character are enough, and each text adds up its classes at its end.

*Phrases* are found by the automaton of Aho and Corasick (1975), with a table of what follows each
state: one step a character, however many phrases there are.

A piece of n characters comes k times in a row where (k - 1) n characters in a row are equal to
those n places after them. Such a run has one of the places 0, (k - 1) n, 2 (k - 1) n, … in it, so
only these are looked at, and what is around those that are equal.

*Folded* texts have letters and digits alone, each in one form. Their grams are pairs of characters,
or in scripts with letters runs of four, each hashed to one of N_BUCKETS numbers. An edit of one
character changes few of them, so texts whose grams differ in many places are not close. Distances
are Levenshtein's, within the band that their greatest value leaves.
"""
from libc.string cimport memcpy
from libcpp.algorithm cimport sort, unique
from libcpp.vector cimport vector

from celab._native.tokens cimport read_text, read_texts, text_of

import numpy as np

cdef enum:
    N_CODE_POINTS = 0x110000
    N_CLASSES = 256
    MAX_TRAITS = 32
    N_BUCKETS = 128
    MAX_GRAM_COUNT = 255
    MAX_STATES = 0x7FFF
    WIDE = 0x2E80  # the first code point of the scripts whose characters are syllables or words
    END = 1  # stands for the characters after the end of a text

cdef enum:  # bits of an entry for folding; the others are the folded character, or 0
    FOLDED = (1 << 29) - 1
    TRADITIONAL = 1 << 29
    SIMPLIFIED = 1 << 30
# Code points that are not in the table have 0.


cdef class CodePoints:
    """The code points of texts."""

    def __cinit__(self, list texts not None):
        self.n_texts = len(texts)
        read_texts(texts, self.letter, self.begin)

    def __len__(self):
        return self.n_texts

    def lengths(self):
        """Return the number of characters of each text."""
        return differences(self.begin)

    def unknown(self, const u8_t[::1] classes):
        """Return the code points of class 0, in order."""
        cdef vector[u32_t] codes
        cdef size_t i
        check_table(classes.shape[0])
        for i in range(self.letter.size()):
            if classes[self.letter[i]] == 0:
                codes.push_back(self.letter[i])
        return distinct(codes)

    def count(self, const u8_t[::1] classes, const u32_t[::1] traits, int n_traits):
        """Return the number of characters of each text that have each trait, by texts.

        With it come the traits of the first and of the last character that has the first trait, or
        0, and the number of characters that have none of the classes. `traits` are those of each
        class; class 0 is none.
        """
        cdef Py_ssize_t s
        cdef i64_t n_unknown = 0
        cdef int n_classes = <int> min(traits.shape[0], <Py_ssize_t> N_CLASSES)
        cdef u32_t[N_CLASSES] of_class
        check_table(classes.shape[0])
        if not 0 < n_traits <= MAX_TRAITS:
            raise ValueError("there are 1 to 32 traits")
        for s in range(N_CLASSES):
            of_class[s] = traits[s] if 0 < s < n_classes else 0
        counts = np.zeros((self.n_texts, n_traits), np.int32)
        first, last = np.zeros(self.n_texts, np.uint32), np.zeros(self.n_texts, np.uint32)
        cdef i32_t[:, ::1] row = counts
        cdef u32_t[::1] begins = first
        cdef u32_t[::1] ends = last
        with nogil:
            for s in range(self.n_texts):
                n_unknown += count_text(
                    self.letter.data() + self.begin[s], self.begin[s + 1] - self.begin[s],
                    &classes[0], of_class, n_classes, n_traits, &row[s, 0], &begins[s], &ends[s])
        return counts, first, last, n_unknown

    def repeats(self, int shortest, int longest, int times, double least_filled=0.0):
        """Return which texts have a piece of these sizes so many times in a row.

        With all its repetitions in a row it fills at least a share of the text.
        """
        cdef Py_ssize_t s
        if shortest < 1 or times < 2:
            raise ValueError("a piece has characters, and is repeated twice at least")
        marks = np.zeros(self.n_texts, np.bool_)
        cdef u8_t[::1] mark = marks.view(np.uint8)
        with nogil:
            for s in range(self.n_texts):
                mark[s] = is_repeating(self.letter.data() + self.begin[s],
                                       self.begin[s + 1] - self.begin[s], shortest, longest, times,
                                       least_filled)
        return marks


cdef int check_table(Py_ssize_t size) except -1:
    if size != N_CODE_POINTS:
        raise ValueError("a table has one entry per code point")
    return 0


cdef list distinct(vector[u32_t]& codes):
    sort(codes.begin(), codes.end())
    codes.erase(unique(codes.begin(), codes.end()), codes.end())
    return codes


cdef object differences(const vector[i64_t]& begin):
    cdef Py_ssize_t s, n = begin.size() - 1
    lengths = np.empty(n, np.int64)
    cdef i64_t[::1] length = lengths
    for s in range(n):
        length[s] = begin[s + 1] - begin[s]
    return lengths


cdef i64_t count_text(const u32_t* letter, Py_ssize_t n, const u8_t* classes, const u32_t* traits,
                      int n_classes, int n_traits, i32_t* counts, u32_t* first,
                      u32_t* last) noexcept nogil:
    # Returns the number of characters without a class; another thread may be adding one. Neighbors
    # are often of one class, so they are counted in two places.
    cdef i32_t[N_CLASSES] even
    cdef i32_t[N_CLASSES] odd
    cdef Py_ssize_t i
    cdef i64_t n_unknown = n
    cdef int c, trait
    cdef u32_t left
    for c in range(n_classes):
        even[c] = 0
        odd[c] = 0
    for i in range(0, n - 1, 2):
        even[classes[letter[i]]] += 1
        odd[classes[letter[i + 1]]] += 1
    if n & 1:
        even[classes[letter[n - 1]]] += 1
    for c in range(1, n_classes):
        even[c] += odd[c]
        n_unknown -= even[c]
        left = traits[c] if even[c] else 0
        trait = 0
        while left and trait < n_traits:
            if left & 1:
                counts[trait] += even[c]
            left >>= 1
            trait += 1
    if not counts[0]:
        return n_unknown
    i = 0
    while not traits[classes[letter[i]]] & 1:
        i += 1
    first[0] = traits[classes[letter[i]]]
    i = n - 1
    while not traits[classes[letter[i]]] & 1:
        i -= 1
    last[0] = traits[classes[letter[i]]]
    return n_unknown


cdef bint is_repeating(const u32_t* letter, Py_ssize_t n, int shortest, int longest, int times,
                       double least_filled) noexcept nogil:
    cdef Py_ssize_t size, least, place, left, right, stop
    for size in range(shortest, min(<Py_ssize_t> longest, n // times) + 1):
        least = (times - 1) * size
        stop = n - size
        place = 0
        while place < stop:
            if letter[place] == letter[place + size]:
                left = place
                while left > 0 and letter[left - 1] == letter[left - 1 + size]:
                    left -= 1
                right = place + 1
                while right < stop and letter[right] == letter[right + size]:
                    right += 1
                if right - left >= least and (
                        (right - left) // size + 1) * size >= least_filled * n:
                    return True
                place += (right - place) // least * least  # the run is known
            place += least
    return False


cdef class Phrases:
    """Sets of phrases that are looked for in texts, at most eight.

    `symbols` has the number of each code point, from 1, and 0 for those that no phrase has; letters
    of both cases may have one number. Their numbers are below `n_symbols`.
    """

    def __cinit__(self, list sets not None, const u8_t[::1] symbols not None, int n_symbols):
        cdef int k
        check_table(symbols.shape[0])
        if len(sets) > 8 or not 0 < n_symbols <= 256:
            raise ValueError("there are at most eight sets, of at most 256 symbols")
        self.symbols, self.n_symbols = symbols, n_symbols
        self.following.assign(n_symbols, 0)
        self.ends.assign(1, 0)
        for k, phrases in enumerate(sets):
            for phrase in phrases:
                self.add(phrase, <u8_t> (1 << k))
        self.link()

    cdef int add(self, str phrase, u8_t mark) except -1:
        cdef vector[u32_t] letters
        cdef size_t i, at
        cdef Py_ssize_t state = 0
        cdef u8_t symbol
        read_text(phrase, letters)
        for i in range(letters.size()):
            symbol = self.symbols[letters[i]]
            if symbol == 0 or symbol >= self.n_symbols:
                raise ValueError(f"a letter of {phrase!r} has no number")
            at = state * self.n_symbols + symbol
            if self.following[at] == 0:
                if self.ends.size() >= MAX_STATES:
                    raise ValueError("the phrases are too many")
                self.following[at] = <i16_t> self.ends.size()
                self.ends.push_back(0)
                self.following.resize(self.following.size() + self.n_symbols, 0)
            state = self.following[at]
        self.ends[state] |= mark
        return 0

    cdef int link(self) except -1:
        # Completes the tree, level by level: where a phrase cannot go on, its longest end that
        # begins a phrase does.
        cdef vector[i16_t] queue, rest
        cdef size_t k = 0, state, back
        cdef Py_ssize_t symbol
        cdef i16_t child
        rest.assign(self.ends.size(), 0)
        queue.push_back(0)
        while k < queue.size():
            state = queue[k]
            back = rest[state]
            k += 1
            for symbol in range(self.n_symbols):
                child = self.following[state * self.n_symbols + symbol]
                if child == 0:
                    self.following[state * self.n_symbols + symbol] = self.following[
                        back * self.n_symbols + symbol]
                    continue
                if state:
                    rest[child] = self.following[back * self.n_symbols + symbol]
                self.ends[child] |= self.ends[rest[child]]
                queue.push_back(child)
        return 0

    cdef u8_t search(self, const u32_t* letter, Py_ssize_t n) noexcept nogil:
        cdef const u8_t* symbol = &self.symbols[0]
        cdef const i16_t* following = self.following.data()
        cdef const u8_t* ends = self.ends.data()
        cdef Py_ssize_t i, state = 0
        cdef u8_t sets = 0, number
        for i in range(n):
            number = symbol[letter[i]]
            if number == 0:  # most characters, which end every phrase
                state = 0
                continue
            state = following[state * self.n_symbols + number]
            sets |= ends[state]
        return sets

    def find(self, CodePoints texts not None):
        """Return the sets of which each text has a phrase: bit k for set k."""
        cdef Py_ssize_t s
        sets = np.zeros(texts.n_texts, np.uint8)
        cdef u8_t[::1] of_text = sets
        with nogil:
            for s in range(texts.n_texts):
                of_text[s] = self.search(texts.letter.data() + texts.begin[s],
                                         texts.begin[s + 1] - texts.begin[s])
        return sets

    def sets_in(self, str text not None):
        """Return the sets of which a text has a phrase: bit k for set k."""
        cdef vector[u32_t] letters
        read_text(text, letters)
        return self.search(letters.data(), letters.size())


cdef class FoldedTexts:
    """Texts, folded by a table, with their grams.

    An entry of the table has the folded character, or 0 if it is neither a letter nor a digit, a
    bit for characters that only Traditional or only Simplified text has, and the highest bit; it is
    0 if the code point is not known.
    """

    def __cinit__(self, CodePoints texts not None, const u32_t[::1] table not None):
        check_table(table.shape[0])
        self.n_texts = texts.n_texts
        with nogil:
            self.fold(texts, &table[0])

    @property
    def unknown(self):
        """Code points that the table does not have, in order; nothing else is known with them."""
        return distinct(self.unknown_codes)

    def __len__(self):
        return self.n_texts

    cdef int fold(self, CodePoints texts, const u32_t* table) except -1 nogil:
        cdef Py_ssize_t s
        cdef i64_t i, n = 0, n_traditional = 0, n_simplified = 0
        cdef u32_t entry
        cdef const u32_t* letter = texts.letter.data()
        cdef u32_t* folded
        self.letter.resize(texts.letter.size())
        folded = self.letter.data()
        self.begin.reserve(self.n_texts + 1)
        self.begin.push_back(0)
        for s in range(self.n_texts):
            for i in range(texts.begin[s], texts.begin[s + 1]):
                entry = table[letter[i]]
                if entry == 0:
                    self.unknown_codes.push_back(letter[i])
                n_traditional += (entry & TRADITIONAL) != 0
                n_simplified += (entry & SIMPLIFIED) != 0
                folded[n] = entry & FOLDED
                n += (entry & FOLDED) != 0
            self.begin.push_back(n)
        self.n_traditional, self.n_simplified = n_traditional, n_simplified
        if self.unknown_codes.size():
            return 0
        self.letter.resize(n)
        self.letter.shrink_to_fit()
        self.gram.assign(self.n_texts * N_BUCKETS, 0)
        for s in range(self.n_texts):
            count_grams(self.letter.data() + self.begin[s], self.begin[s + 1] - self.begin[s],
                        self.gram.data() + s * N_BUCKETS)
        return 0

    def lengths(self):
        """Return the number of folded characters of each text."""
        return differences(self.begin)

    def n_wide(self):
        """Return how many characters of each text are syllables or words, as Han characters are."""
        cdef Py_ssize_t s
        cdef i64_t i
        numbers = np.zeros(self.n_texts, np.int64)
        cdef i64_t[::1] number = numbers
        for s in range(self.n_texts):
            for i in range(self.begin[s], self.begin[s + 1]):
                number[s] += self.letter[i] >= WIDE
        return numbers

    def grams(self):
        """Return the number of grams of each text in each bucket, at most 255."""
        numbers = np.empty((self.n_texts, N_BUCKETS), np.uint8)
        cdef u8_t[:, ::1] number = numbers
        if self.n_texts:
            memcpy(&number[0, 0], self.gram.data(), self.gram.size())
        return numbers

    def text(self, Py_ssize_t index):
        """Return the folded characters of a text."""
        if not 0 <= index < self.n_texts:
            raise IndexError("no such text")
        return text_of(self.letter.data() + self.begin[index],
                       self.begin[index + 1] - self.begin[index])

    def shared_grams(self, FoldedTexts other not None, Py_ssize_t offset):
        """Return how many grams each text has in common with that of the other so much later.

        Texts without such a neighbor have 0.
        """
        cdef Py_ssize_t s
        numbers = np.zeros(self.n_texts, np.int64)
        cdef i64_t[::1] number = numbers
        with nogil:
            for s in range(max(0, -offset), min(self.n_texts, other.n_texts - offset)):
                number[s] = common_grams(self.gram.data() + s * N_BUCKETS,
                                         other.gram.data() + (s + offset) * N_BUCKETS)
        return numbers

    def edits(self, FoldedTexts other not None, const i64_t[::1] most_edits not None,
              const i64_t[::1] most_grams not None):
        """Return the distance of each text from the same one of the other; -1 if it is too great.

        It is too great above `most_edits`, and if more grams differ than `most_grams`.
        """
        cdef Py_ssize_t s
        cdef i64_t n, m, apart
        if not self.n_texts == other.n_texts == most_edits.shape[0] == most_grams.shape[0]:
            raise ValueError("there must be as many texts on both sides")
        distances = np.full(self.n_texts, -1, np.int64)
        cdef i64_t[::1] distance = distances
        with nogil:
            for s in range(self.n_texts):
                n, m = self.begin[s + 1] - self.begin[s], other.begin[s + 1] - other.begin[s]
                apart = n - m if n > m else m - n
                if apart > most_edits[s] or different_grams(
                        self.gram.data() + s * N_BUCKETS,
                        other.gram.data() + s * N_BUCKETS) > most_grams[s]:
                    continue
                distance[s] = bounded_distance(
                    self.letter.data() + self.begin[s], n,
                    other.letter.data() + other.begin[s], m, most_edits[s])
        return distances


cdef void count_grams(const u32_t* letter, Py_ssize_t n, u8_t* counts) noexcept nogil:
    cdef Py_ssize_t i, place
    cdef u32_t gram, following
    cdef bint is_whole
    for i in range(n):
        following = letter[i + 1] if i + 1 < n else END
        gram = letter[i] * <u32_t> 0x9E3779B1 + following
        is_whole = letter[i] >= WIDE
        for place in range(2, 4):  # further letters, unless the text has ended
            following = letter[i + place] if i + place < n and not is_whole else END
            gram = (gram ^ (gram >> 15)) * (
                <u32_t> 0x85EBCA77 if place == 2 else <u32_t> 0xC2B2AE3D) + following
        gram = (gram ^ (gram >> 13)) * <u32_t> 0x85EBCA77
        if counts[gram >> 25] < MAX_GRAM_COUNT:
            counts[gram >> 25] += 1


cdef i64_t common_grams(const u8_t* a, const u8_t* b) noexcept nogil:
    cdef i32_t total = 0
    cdef int k
    for k in range(N_BUCKETS):
        total += a[k] if a[k] < b[k] else b[k]
    return total


cdef i64_t different_grams(const u8_t* a, const u8_t* b) noexcept nogil:
    cdef i32_t total = 0
    cdef int k
    for k in range(N_BUCKETS):
        total += a[k] - b[k] if a[k] > b[k] else b[k] - a[k]
    return total


cdef i64_t bounded_distance(const u32_t* a, Py_ssize_t n, const u32_t* b, Py_ssize_t m,
                            i64_t most) except -2 nogil:
    # Levenshtein's distance, or -1 if it is greater than `most`. Cell j of row i has the distance
    # of the first i characters of a from the first j of b; far from the diagonal it is too great.
    cdef vector[i64_t] row
    cdef Py_ssize_t i, j, first, last
    cdef i64_t diagonal, above, least
    while n and m and a[0] == b[0]:
        a, b, n, m = a + 1, b + 1, n - 1, m - 1
    while n and m and a[n - 1] == b[m - 1]:
        n, m = n - 1, m - 1
    if n + m <= 1 or most == 0:
        return n + m if n + m <= most else -1
    row.resize(m + 1)
    for j in range(m + 1):
        row[j] = j
    for i in range(1, n + 1):
        first, last = max(<i64_t> 1, i - most), min(<i64_t> m, i + most)
        diagonal = row[first - 1]
        row[first - 1] = i if first == 1 else most + 1
        least = row[first - 1]
        for j in range(first, last + 1):
            above = row[j] if j < i + most else most + 1
            diagonal = min(diagonal + (a[i - 1] != b[j - 1]), min(above, row[j - 1]) + 1)
            diagonal, row[j] = row[j], diagonal
            least = min(least, row[j])
        if least > most:
            return -1
    return row[m] if row[m] <= most else -1
