"""Tokens kernel: from code points to token ids, and to the lexicon words among them.

Everything here is done once a sentence. So is, for references, the index from tokens and lexicon
groups to where they stand.

`char` cuts text into grapheme-like tokens: one character with its marks, an emoji sequence, or a
run of Latin letters and digits with inner `. , ' : -`. `cluster` does the same, and joins vowels
and stacked consonants of Thai, Lao, Khmer and Burmese to the letter before them. `letter` has the
clusters without the runs, and one token, U+0020, for the white space between two tokens. `space`
cuts at white space alone. Width folding happens on the way, so that a text is copied once.
"""
from libcpp.vector cimport vector

from celab._native.types cimport i8_t, i32_t, i64_t, u32_t, u64_t
from celab._native.watch cimport STRIDE, Watch, charge, watch_for

import numpy as np

cdef extern from "character_ranges.h":
    cdef struct character_range:
        u32_t first
        u32_t last
        int kind
    const character_range character_ranges[]
    const int N_CHARACTER_RANGES
    cdef enum:
        OTHER "CHARACTER_OTHER"
        SPACE "CHARACTER_SPACE"
        WORD "CHARACTER_WORD"
        JOINER "CHARACTER_JOINER"
        EXTEND "CHARACTER_EXTEND"
        ZWJ "CHARACTER_ZWJ"
        REGIONAL "CHARACTER_REGIONAL"
        PICTOGRAPH "CHARACTER_PICTOGRAPH"

include "vocabulary.pxi"
include "lexicon.pxi"

cdef enum:
    N_CODE_POINTS = 0x110000
    AHEAD = 6  # tokens between asking for memory of the lexicon and its use

cdef enum:  # how text is cut; `celab.base.text.tokens` has the names
    BY_SPACE
    BY_CHARACTER
    BY_CLUSTER
    BY_LETTER

# One byte a code point, filled once on import.
cdef vector[i8_t] CLASS


cdef void fill_classes() noexcept nogil:
    cdef int i
    cdef u32_t c
    CLASS.assign(N_CODE_POINTS, OTHER)
    for i in range(N_CHARACTER_RANGES):
        for c in range(character_ranges[i].first, character_ranges[i].last + 1):
            CLASS[c] = <i8_t> character_ranges[i].kind


fill_classes()


def character_class(u32_t code_point):
    """The class of a code point, a number of `character_ranges.h`; for tests."""
    if code_point >= N_CODE_POINTS:
        raise ValueError("not a code point")
    return CLASS[code_point]


cdef inline u32_t folded(u32_t c) noexcept nogil:
    # Full-width forms of ASCII stand in ASCII's order; the ideographic space stands apart.
    if 0xFF01 <= c <= 0xFF5E:
        return c - 0xFEE0
    return 0x20 if c == 0x3000 else c


cdef inline bint joins_cluster(u32_t before, u32_t c) noexcept nogil:
    # Whether c, of class OTHER, belongs to the letter before it: the vowel am of Thai and Lao, or
    # what the sign between two stacked letters of Khmer or Burmese joins.
    return c == 0x0E33 or c == 0x0EB3 or before == 0x17D2 or before == 0x1039


cdef Py_ssize_t token_end(const u32_t* text, Py_ssize_t i, Py_ssize_t n, int how) noexcept nogil:
    # Where the token that starts at text[i], which is no space, ends. `in_run` as long as the last
    # character that is no mark is a letter or a digit.
    cdef i8_t before = CLASS[text[i]], cls
    cdef bint in_run = before == WORD and how != BY_LETTER
    if how == BY_SPACE:
        while i < n and CLASS[text[i]] != SPACE:
            i += 1
        return i
    i += 1
    if before == REGIONAL and i < n and CLASS[text[i]] == REGIONAL:
        i += 1
    while i < n:
        cls = CLASS[text[i]]
        if cls == OTHER or cls == SPACE:  # first, because most tokens end here
            if how < BY_CLUSTER or cls == SPACE or not joins_cluster(text[i - 1], text[i]):
                break
            in_run = False
        elif cls == PICTOGRAPH and before == ZWJ:
            in_run = False
        elif not (
            cls == EXTEND or cls == ZWJ or (in_run and (
                cls == WORD or (cls == JOINER and i + 1 < n and CLASS[text[i + 1]] == WORD)))
        ):
            break
        before = cls
        i += 1
    return i


def cut(str text, int how, bint fold):
    """The tokens of a text, spelled out: what `Sentences` sees as ids."""
    cdef bint after_space = False
    cdef vector[u32_t] letters
    read_text(text, letters)
    cdef Py_ssize_t n = letters.size(), i = 0, end
    cdef list tokens = []
    if fold:
        for i in range(n):
            letters[i] = folded(letters[i])
    i = 0
    while i < n:
        if CLASS[letters[i]] == SPACE:
            after_space = True
            i += 1
            continue
        end = token_end(&letters[0], i, n, how)
        if after_space and how == BY_LETTER and tokens:
            tokens.append(" ")
        after_space = False
        tokens.append(text_of(&letters[i], end - i))
        i = end
    return tokens


cdef class Sentences:
    """A batch of sentences, cut, numbered and looked up in a lexicon.

    `vocabulary` takes in the long tokens, so two batches can be compared if they share one, or if
    one's is the parent of the other's and took in nothing since. Only an indexed batch can be the
    reference side of a comparison.
    """

    def __init__(self, list texts not None, Vocabulary vocabulary not None, Lexicon lexicon,
                 int how, bint fold, int max_order, bint indexed=False):
        cdef vector[u32_t] letters
        cdef vector[i64_t] begin
        if not 1 <= max_order <= 6:
            raise ValueError("max_order must be 1 to 6")
        self.texts = tuple(texts)
        read_texts(texts, letters, begin)
        self.n_sentences = len(texts)
        self.vocabulary = vocabulary
        self.lexicon = lexicon
        self.indexed = indexed
        self.max_order = max_order
        with nogil:
            self.number(letters, begin, how, fold)

    cdef int number(self, vector[u32_t]& letters, const vector[i64_t]& begin, int how,
                    bint fold) except -1 nogil:
        cdef Py_ssize_t s, i, n, end
        cdef u32_t* text
        cdef Watch watch = watch_for(0)
        cdef bint is_long, after_space
        self.start.push_back(0)
        self.occurrence_start.push_back(0)
        self.unit_start.push_back(0)
        self.slot_start.push_back(0)
        self.synonym_start.push_back(0)
        self.token.reserve(letters.size())
        n = min(<Py_ssize_t> letters.size(), MAX_TOKENS)
        if self.lexicon is not None:
            self.occurrence.reserve(n)
        if self.indexed and self.lexicon is not None:
            # Room for as many units as common text has.
            self.unit.reserve(6 * n)
            self.slot.reserve(12 * n)
        for s in range(self.n_sentences):
            n = begin[s + 1] - begin[s]
            text = letters.data() + begin[s]
            if fold:
                for i in range(n):
                    text[i] = folded(text[i])
            i = 0
            after_space = False
            while i < n:
                if CLASS[text[i]] == SPACE:
                    after_space = True
                    i += 1
                    continue
                end = token_end(text, i, n, how)
                if how == BY_LETTER:
                    if after_space and <i64_t> self.token.size() > self.start[s]:
                        self.token.push_back(0x20)
                    after_space = False
                if end - i == 1:
                    self.token.push_back(<i32_t> text[i])
                else:
                    self.token.push_back(self.vocabulary.intern(text + i, end - i))
                if self.token.size() & 1023 == 0:
                    charge(&watch, STRIDE)
                i = end
            is_long = <i64_t> self.token.size() - self.start[s] > MAX_TOKENS
            if self.lexicon is not None and not is_long:
                self.look_up(self.start[s])
            if self.indexed:
                self.list_units(self.token.size() if is_long else self.start[s],
                                self.occurrence_start[s])
                self.index_units(self.unit_start[s])
            self.start.push_back(<i64_t> self.token.size())
            self.occurrence_start.push_back(<i64_t> self.occurrence.size())
            self.unit_start.push_back(<i64_t> self.unit.size())
            self.slot_start.push_back(<i64_t> self.slot.size())
            self.synonym_start.push_back(<i64_t> self.synonyms.size())
        return 0

    cdef int look_up(self, i64_t begin) except -1 nogil:
        # Finds the words of the sentence whose tokens come last. A word is found where its letters
        # are those of whole tokens.
        cdef i32_t n = <i32_t> (<i64_t> self.token.size() - begin), i, k, state, word
        cdef const i32_t* token = self.token.data() + begin
        cdef const Root* root = self.lexicon.root
        cdef const Slot* slot = self.lexicon.slot
        cdef const u64_t* filter = self.lexicon.filter.data()
        cdef u32_t mask = self.lexicon.slot_mask, at
        cdef u64_t possible  # letters that can follow, as bits of their last six bits
        cdef Occurrence occurrence
        for i in range(n):
            if i + AHEAD + 1 < n:
                prefetch_slot(slot, mask, root, token[i + AHEAD], token[i + AHEAD + 1])
            possible = ~<u64_t> 0
            if token[i] < ROOT_LETTERS:
                state = root[token[i]].next
                word = root[token[i]].word
                possible = root[token[i]].second
            else:
                word = -1
                if token[i] < FIRST_LONG_ID:
                    state = self.lexicon.step(0, token[i], &word)
                else:
                    state = self.step_long(0, token + i, &word)
            k = i + 1
            while state:
                if word >= 0:
                    occurrence.start = i
                    occurrence.order = k - i
                    occurrence.word = word
                    self.occurrence.push_back(occurrence)
                if k == n or k - i == self.max_order:
                    break
                if token[k] >= FIRST_LONG_ID:
                    state = self.step_long(state, token + k, &word)
                elif possible >> (token[k] & 63) & 1 and passes(filter, mask, state, token[k]):
                    at = slot_of(slot, mask, state, token[k])
                    state = slot[at].next
                    word = slot[at].word
                else:
                    break
                possible = ~<u64_t> 0
                k += 1
        return 0

    cdef i32_t step_long(self, i32_t state, const i32_t* token, i32_t* word) noexcept nogil:
        # The lexicon's state after all letters of a long token, 0 if there is none.
        cdef i32_t k, n
        cdef const u32_t* letter = spelled(&self.vocabulary.own, token, &n)
        for k in range(n):
            state = self.lexicon.step(state, <i32_t> letter[k], word)
            if state == 0:
                break
        return state

    cdef int list_units(self, i64_t begin, i64_t first_occurrence) except -1 nogil:
        # Lists the units of the sentence whose tokens and words come last.
        cdef i32_t n = <i32_t> (<i64_t> self.token.size() - begin), i, g, ngram, n_letters
        cdef size_t k, n_occurrences = self.occurrence.size(), n_units = n + 1
        cdef const u32_t* letter
        cdef u64_t long_initials = 0
        cdef const i32_t* token = self.token.data() + begin
        cdef const i32_t* group_start = NULL
        cdef const i32_t* group = NULL
        cdef const Occurrence* occurrence = self.occurrence.data()
        cdef Unit* unit
        cdef Unit* first  # first unit of a token
        if self.lexicon is not None:
            group_start = self.lexicon.groups.start
            group = self.lexicon.groups.group
        for k in range(first_occurrence, n_occurrences):
            n_units += group_start[occurrence[k].word + 1] - group_start[occurrence[k].word]
        self.unit.resize(self.unit.size() + n_units)
        unit = self.unit.data() + self.unit.size() - n_units
        unit.word = -1  # number 0 is none
        unit += 1
        first = unit
        for i in range(n):
            unit.key = token[i]
            if token[i] >= FIRST_LONG_ID:
                letter = spelled(&self.vocabulary.own, token + i, &n_letters)
                long_initials |= (<u64_t> 1) << (letter[0] & 63)
                unit.key = two_letter_key(letter[0], letter[1])
            unit.ngram = i << 6
            unit.word = -1
            unit += 1
        for k in range(first_occurrence, n_occurrences):
            ngram = occurrence[k].start << 6 | (occurrence[k].order - 1) << 3
            if occurrence[k].order == 1 and token[occurrence[k].start] < FIRST_LONG_ID:
                first[occurrence[k].start].word = occurrence[k].word
            for g in range(group_start[occurrence[k].word], group_start[occurrence[k].word + 1]):
                unit.key = ~group[g]
                unit.ngram = ngram
                unit.word = occurrence[k].word
                unit += 1
        self.long_initials.push_back(long_initials)
        return 0

    cdef int index_units(self, i64_t begin) except -1 nogil:
        # Fills the hash table of the sentence whose units come last, from its end, so that units
        # with equal keys are chained by position.
        cdef i32_t n = <i32_t> (<i64_t> self.unit.size() - begin), k
        cdef Unit* unit = self.unit.data() + begin
        cdef u32_t size = 16, mask, at
        cdef i32_t* slot
        while size < 2 * <u32_t> n:
            size *= 2
        mask = size - 1
        self.slot.resize(self.slot.size() + size, 0)
        slot = self.slot.data() + self.slot.size() - size
        for k in range(n - 1, 0, -1):
            at = slot_with(unit, slot, mask, unit[k].key)
            if slot[at] and unit[slot[at]].word != unit[k].word:
                unit[k].word = -1
            unit[k].same_key = slot[at]
            slot[at] = k
        self.list_synonyms(unit, n, slot, mask)
        return 0

    cdef int list_synonyms(self, Unit* unit, i32_t n, const i32_t* slot,
                           u32_t mask) except -1 nogil:
        # Lists the synonyms of the letters that are words.
        cdef i32_t k, g, word, other
        cdef size_t begin
        for k in range(1, n):
            word = unit[k].word
            if unit[k].key < 0 or word < 0:
                continue
            unit[k].word = -1
            if slot[slot_with(unit, slot, mask, unit[k].key)] != k:
                continue  # not the first
            begin = self.synonyms.size()
            unit[k].word = <i32_t> (<i64_t> begin - self.synonym_start.back())
            self.synonyms.push_back(0)
            for g in range(self.lexicon.groups.start[word], self.lexicon.groups.start[word + 1]):
                other = slot[slot_with(unit, slot, mask, ~self.lexicon.groups.group[g])]
                if unit[other].word != word:
                    self.synonyms.push_back(other)
            self.synonyms[begin] = <i32_t> (self.synonyms.size() - begin - 1)
        return 0

    def __len__(self):
        return self.n_sentences

    def lengths(self):
        """The number of tokens of each sentence."""
        cdef Py_ssize_t s
        counts = np.empty(self.n_sentences, np.int64)
        cdef i64_t[::1] view = counts
        for s in range(self.n_sentences):
            view[s] = self.start[s + 1] - self.start[s]
        return counts

    def tokens(self, Py_ssize_t sentence):
        """The token ids of one sentence."""
        if not 0 <= sentence < self.n_sentences:
            raise IndexError("no such sentence")
        cdef i64_t begin = self.start[sentence], i
        cdef Py_ssize_t n = self.start[sentence + 1] - begin
        ids = np.empty(n, np.int32)
        cdef i32_t[::1] view = ids
        for i in range(n):
            view[i] = self.token[begin + i]
        return ids

    def words(self, Py_ssize_t sentence):
        """The lexicon words of one sentence, as (start, order, word id)."""
        if not 0 <= sentence < self.n_sentences:
            raise IndexError("no such sentence")
        cdef i64_t k
        return [
            (self.occurrence[k].start, self.occurrence[k].order, self.occurrence[k].word)
            for k in range(self.occurrence_start[sentence], self.occurrence_start[sentence + 1])
        ]


def is_blank(str text not None):
    """Whether a text has no tokens: nothing but white space and control characters."""
    cdef vector[u32_t] letters
    cdef size_t i
    read_text(text, letters)
    for i in range(letters.size()):
        if CLASS[letters[i]] != SPACE:
            return False
    return True


def find_marked(list texts not None, const i8_t[::1] mark):
    """Return the numbers of the texts with a marked character; `mark` has one per code point."""
    cdef vector[u32_t] letters
    cdef vector[i64_t] begin
    cdef vector[Py_ssize_t] marked
    cdef Py_ssize_t s, n = len(texts)
    cdef i64_t i
    cdef bint is_marked
    if mark.shape[0] != N_CODE_POINTS:
        raise ValueError("one mark per code point is needed")
    read_texts(texts, letters, begin)
    with nogil:
        for s in range(n):
            is_marked = False
            for i in range(begin[s], begin[s + 1]):
                is_marked |= mark[letters[i]] != 0
            if is_marked:
                marked.push_back(s)
    return marked


include "weights.pxi"
