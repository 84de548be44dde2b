"""Pivot kernel: counts of phrase pairs, the segmentation of sentences, and n-grams of networks.

Phrase pairs of a sentence pair with alignment A (Koehn, Och and Marcu 2003): spans of both sides,
each of at most `longest` words, with at least one link between them and none that leaves them.
Two alignments make one by grow-diag-final-and (Koehn and others 2005): their intersection; then
links of their union next to one in it, if one of their words is free; then links of
either alignment, the first one's first, whose words are both free.

A segmentation is the cheapest sequence of phrases, cost(p) = log Σ N - log N(p) in whole numbers;
of equally cheap ones that with fewer phrases, then that whose first phrase is longer.

A network is the series of a sentence's segments; the translations of a segment are parallel, with
probabilities that sum to 1. The weight of an n-gram is the sum of its probabilities over all places
where it ends. Probabilities are whole numbers, in units of 10⁻⁹, and products are rounded down.
"""
from libcpp.vector cimport vector

from celab._native.arrays cimport int32_array, int64_array
from celab._native.tokens cimport Lexicon
from celab._native.types cimport i8_t, i32_t, i64_t, u64_t
from celab._native.watch cimport Watch, charge, watch_for

import numpy as np

UNIT = 10 ** 9

cdef enum:
    ONE = 1000000000

cdef inline u64_t mixed(u64_t h, u64_t x) noexcept nogil:
    h = (h ^ x) * <u64_t> 0x9E3779B97F4A7C15
    return h ^ (h >> 29)


cdef int start_numbering(Phrases* known) except -1:
    known.begin.push_back(0)
    known.slot.assign(1024, -1)
    return 0


cdef i32_t number_of(Phrases* known, const i32_t* word, i64_t n) except -1 nogil:
    cdef u64_t h = n
    cdef i64_t k, at
    cdef i32_t found
    cdef size_t mask
    if 2 * known.begin.size() > known.slot.size():
        rehash(known)
    mask = known.slot.size() - 1
    for k in range(n):
        h = mixed(h, word[k])
    at = <i64_t> ((h >> 20) & mask)
    while True:
        found = known.slot[at]
        if found < 0:
            break
        if known.begin[found + 1] - known.begin[found] == n:
            for k in range(n):
                if known.word[known.begin[found] + k] != word[k]:
                    break
            else:
                return found
        at = <i64_t> ((at + 1) & mask)
    if known.begin.size() > 1 << 30:
        with gil:
            raise OverflowError("there are more than 2**30 different phrases")
    found = <i32_t> (known.begin.size() - 1)
    known.slot[at] = found
    for k in range(n):
        known.word.push_back(word[k])
    known.begin.push_back(<i64_t> known.word.size())
    return found


cdef int rehash(Phrases* known) except -1 nogil:
    cdef size_t size = 2 * known.slot.size(), at
    cdef i64_t k
    cdef i32_t one
    cdef u64_t h
    known.slot.assign(size, -1)
    for one in range(<i32_t> (known.begin.size() - 1)):
        h = known.begin[one + 1] - known.begin[one]
        for k in range(known.begin[one], known.begin[one + 1]):
            h = mixed(h, known.word[k])
        at = (h >> 20) & (size - 1)
        while known.slot[at] >= 0:
            at = (at + 1) & (size - 1)
        known.slot[at] = one
    return 0


cdef class Counts:
    """How often each phrase was paired with each pivot phrase."""

    def __cinit__(self):
        self.key.assign(1024, 0)
        self.count.assign(1024, 0)
        self.n_pairs = 0
        start_numbering(&self.target)
        start_numbering(&self.pivot)

    def __len__(self):
        return self.n_pairs

    cdef int tell(self, const i32_t* x, i64_t n_x, const i32_t* y, i64_t n_y,
                  i64_t count) except -1 nogil:
        cdef u64_t key = ((<u64_t> number_of(&self.target, x, n_x)) << 32
                          | <u64_t> number_of(&self.pivot, y, n_y))
        cdef size_t mask, at, i
        cdef vector[u64_t] old_key
        cdef vector[i64_t] old_count
        if 2 * <size_t> (self.n_pairs + 1) > self.key.size():
            old_key.swap(self.key)
            old_count.swap(self.count)
            self.key.assign(2 * old_key.size(), 0)
            self.count.assign(2 * old_key.size(), 0)
            mask = self.key.size() - 1
            for i in range(old_key.size()):
                if old_count[i]:
                    at = (mixed(1, old_key[i]) >> 20) & mask
                    while self.count[at]:
                        at = (at + 1) & mask
                    self.key[at] = old_key[i]
                    self.count[at] = old_count[i]
        mask = self.key.size() - 1
        at = (mixed(1, key) >> 20) & mask
        while self.count[at] and self.key[at] != key:
            at = (at + 1) & mask
        if self.count[at] == 0:
            self.key[at] = key
            self.n_pairs += 1
        self.count[at] += count
        return 0

    def add(self, const i32_t[::1] target, const i64_t[::1] target_start,
            const i32_t[::1] pivot, const i64_t[::1] pivot_start, const i64_t[::1] count):
        """Adds the counts of pairs; none may be less than 1, and no phrase may be empty."""
        check_starts(target, target_start)
        check_starts(pivot, pivot_start)
        cdef Py_ssize_t n = count.shape[0], k
        if target_start.shape[0] != n + 1 or pivot_start.shape[0] != n + 1:
            raise ValueError("phrases and counts do not fit together")
        for k in range(n):
            if (count[k] < 1 or target_start[k] == target_start[k + 1]
                    or pivot_start[k] == pivot_start[k + 1]):
                raise ValueError("a phrase is empty, or a count is less than 1")
        with nogil:
            for k in range(n):
                self.tell(&target[target_start[k]], target_start[k + 1] - target_start[k],
                          &pivot[pivot_start[k]], pivot_start[k + 1] - pivot_start[k], count[k])

    def extract(self, const i32_t[::1] target, const i64_t[::1] target_start,
                const i32_t[::1] pivot, const i64_t[::1] pivot_start,
                const i32_t[::1] link, const i64_t[::1] link_start,
                const i32_t[::1] other=None, const i64_t[::1] other_start=None, int longest=4,
                i64_t count=1):
        """Adds the phrase pairs of sentence pairs; links are pairs of positions, one after another.

        `other` is the alignment in the other direction, with links the same way round. Each pair
        that is found adds `count`.
        """
        check_starts(target, target_start)
        check_starts(pivot, pivot_start)
        check_starts(link, link_start)
        cdef Py_ssize_t n = target_start.shape[0] - 1, s
        cdef bint symmetric = other is None
        cdef Watch watch = watch_for(0)
        cdef vector[i8_t] table
        cdef i64_t n_x, n_y
        if pivot_start.shape[0] != n + 1 or link_start.shape[0] != n + 1:
            raise ValueError("sentences and alignments do not fit together")
        if not symmetric:
            check_starts(other, other_start)
            if other_start.shape[0] != n + 1:
                raise ValueError("sentences and alignments do not fit together")
        for s in range(n):
            n_x = target_start[s + 1] - target_start[s]
            n_y = pivot_start[s + 1] - pivot_start[s]
            with nogil:
                charge(&watch, n_x * n_y)
                table.assign(n_x * n_y, 0)
                mark(&table, link, link_start[s], link_start[s + 1], n_x, n_y, 1)
                if symmetric:
                    self.pairs(&table, &target[target_start[s]] if n_x else NULL, n_x,
                               &pivot[pivot_start[s]] if n_y else NULL, n_y, longest, 1, count)
                else:
                    mark(&table, other, other_start[s], other_start[s + 1], n_x, n_y, 2)
                    grow(&table, n_x, n_y)
                    self.pairs(&table, &target[target_start[s]] if n_x else NULL, n_x,
                               &pivot[pivot_start[s]] if n_y else NULL, n_y, longest, 4, count)

    cdef int pairs(self, vector[i8_t]* table, const i32_t* x, i64_t n_x, const i32_t* y, i64_t n_y,
                   int longest, int bit, i64_t count) except -1 nogil:
        cdef vector[i64_t] low, high, first, last  # range of each word's links
        cdef i64_t i, j, begin, end, j1, j2, left, right
        cdef bint sound
        low.assign(n_x, n_y)
        high.assign(n_x, -1)
        first.assign(n_y, n_x)
        last.assign(n_y, -1)
        for i in range(n_x):
            for j in range(n_y):
                if table[0][i * n_y + j] & bit:
                    low[i] = min(low[i], j)
                    high[i] = max(high[i], j)
                    first[j] = min(first[j], i)
                    last[j] = max(last[j], i)
        for begin in range(n_x):
            j1 = n_y
            j2 = -1
            for end in range(begin, min(n_x, begin + longest)):
                j1 = min(j1, low[end])
                j2 = max(j2, high[end])
                if j2 < 0:
                    continue
                if j2 - j1 >= longest:
                    break
                sound = True
                for j in range(j1, j2 + 1):
                    if last[j] >= 0 and (first[j] < begin or last[j] > end):
                        sound = False
                        break
                if not sound:
                    continue
                left = j1
                while True:
                    right = j2
                    while right - left < longest:
                        self.tell(x + begin, end - begin + 1, y + left, right - left + 1,
                                  count)
                        right += 1
                        if right == n_y or last[right] >= 0:
                            break
                    left -= 1
                    if left < 0 or last[left] >= 0 or j2 - left >= longest:
                        break
        return 0

    def arrays(self):
        """Words and starts of phrases and of pivot phrases; phrase, pivot phrase, count of pairs.

        Pairs are sorted by phrase, then by pivot phrase.
        """
        cdef size_t i, n = 0
        keys, counts = np.empty(self.n_pairs, np.uint64), np.empty(self.n_pairs, np.int64)
        cdef u64_t[::1] key = keys
        cdef i64_t[::1] count = counts
        for i in range(self.key.size()):
            if self.count[i]:
                key[n] = self.key[i]
                count[n] = self.count[i]
                n += 1
        order = np.argsort(keys)
        keys = keys[order]
        return (int32_array(self.target.word), int64_array(self.target.begin),
                int32_array(self.pivot.word), int64_array(self.pivot.begin),
                (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32), counts[order])


cdef int check_starts(const i32_t[::1] items, const i64_t[::1] start) except -1:
    cdef Py_ssize_t k, last = start.shape[0] - 1
    if last < 0 or start[0] != 0 or start[last] != items.shape[0]:
        raise ValueError("items and their starts do not fit together")
    for k in range(last):
        if start[k] > start[k + 1]:
            raise ValueError("starts must not fall")
    return 0


cdef int mark(vector[i8_t]* table, const i32_t[::1] link, i64_t begin, i64_t end, i64_t n_x,
              i64_t n_y, int bit) except -1 nogil:
    cdef i64_t k
    for k in range(begin, end - 1, 2):
        if not (0 <= link[k] < n_x and 0 <= link[k + 1] < n_y):
            with gil:
                raise ValueError("a link leaves its sentences")
        table[0][link[k] * n_y + link[k + 1]] |= bit
    return 0


cdef void grow(vector[i8_t]* table, i64_t n_x, i64_t n_y) noexcept nogil:
    # Sets bit 4 of the links that grow-diag-final-and keeps, from bits 1 and 2.
    cdef vector[i8_t] free_x, free_y
    cdef i64_t i, j, a, b
    cdef int k, direction
    cdef bint added = True
    cdef i8_t* cell = table.data()
    cdef int[8] across = [-1, 0, 1, 0, -1, -1, 1, 1]
    cdef int[8] along = [0, -1, 0, 1, -1, 1, -1, 1]
    free_x.assign(n_x, 1)
    free_y.assign(n_y, 1)
    for i in range(n_x):
        for j in range(n_y):
            if cell[i * n_y + j] == 3:
                cell[i * n_y + j] |= 4
                free_x[i] = 0
                free_y[j] = 0
    while added:
        added = False
        for i in range(n_x):
            for j in range(n_y):
                if not cell[i * n_y + j] & 4:
                    continue
                for k in range(8):
                    a = i + across[k]
                    b = j + along[k]
                    if (0 <= a < n_x and 0 <= b < n_y and (free_x[a] or free_y[b])
                            and cell[a * n_y + b] and not cell[a * n_y + b] & 4):
                        cell[a * n_y + b] |= 4
                        free_x[a] = 0
                        free_y[b] = 0
                        added = True
    for direction in range(1, 3):
        for i in range(n_x):
            for j in range(n_y):
                if cell[i * n_y + j] & direction and free_x[i] and free_y[j]:
                    cell[i * n_y + j] |= 4
                    free_x[i] = 0
                    free_y[j] = 0


def symmetrized(const i32_t[::1] link, const i32_t[::1] other, i64_t n_x, i64_t n_y):
    """The links that grow-diag-final-and keeps of one sentence pair, sorted."""
    cdef vector[i8_t] table
    cdef i64_t i
    table.assign(n_x * n_y, 0)
    mark(&table, link, 0, link.shape[0], n_x, n_y, 1)
    mark(&table, other, 0, other.shape[0], n_x, n_y, 2)
    grow(&table, n_x, n_y)
    return [divmod(i, n_y) for i in range(n_x * n_y) if table[i] & 4]


cdef class Networks:
    """Segments and n-grams by the arrays of a checked table.

    The words of the trie are phrases, its groups pivot phrases. Pivot words have ids from 0; a word
    that no phrase has passes as itself, with the id `n_words` plus its own.
    """

    def __cinit__(self, Lexicon trie, const i32_t[::1] p, const i64_t[::1] cost,
                  const i64_t[::1] start, const i32_t[::1] word, i64_t unknown, i32_t n_words):
        if trie.n_words != cost.shape[0] or trie.groups.n_groups != start.shape[0] - 1:
            raise ValueError("phrases, costs and pivot phrases do not fit together")
        if p.shape[0] != trie.groups.start[trie.n_words] or start[start.shape[0] - 1] != len(word):
            raise ValueError("probabilities and pivot words do not fit together")
        self.trie, self.p, self.cost, self.start, self.word = trie, p, cost, start, word
        self.unknown, self.n_words = unknown, n_words

    cdef int cut(self, Desk* desk, const i32_t* token, i64_t n) except -1 nogil:
        # From the end: the cheapest way on from each token.
        cdef i64_t i, j, cost
        cdef i32_t state, phrase, n_phrases
        desk.cost.assign(n + 1, 0)
        desk.n_phrases.assign(n + 1, 0)
        desk.length.assign(n + 1, 0)
        desk.phrase.assign(n + 1, -1)
        for i in range(n - 1, -1, -1):
            desk.cost[i] = desk.cost[i + 1] + self.unknown
            desk.n_phrases[i] = desk.n_phrases[i + 1] + 1
            desk.length[i] = 1
            state = 0
            phrase = -1
            for j in range(i, n):
                state = self.trie.step(state, token[j], &phrase)
                if state == 0:
                    break
                if phrase < 0:
                    continue
                cost = self.cost[phrase] + desk.cost[j + 1]
                n_phrases = 1 + desk.n_phrases[j + 1]
                if (desk.phrase[i] < 0 and j == i) or cost < desk.cost[i] or (
                        cost == desk.cost[i] and n_phrases <= desk.n_phrases[i]):
                    desk.cost[i] = cost
                    desk.n_phrases[i] = n_phrases
                    desk.length[i] = <i32_t> (j + 1 - i)
                    desk.phrase[i] = phrase
        return 0

    def segments(self, const i32_t[::1] token, const i64_t[::1] start):
        """Return lengths and phrases (-1: unknown) of all segments, and where sentences begin."""
        check_starts(token, start)
        cdef Desk desk
        cdef Py_ssize_t s
        cdef i64_t at
        cdef vector[i32_t] length, phrase
        cdef Watch watch = watch_for(0)
        cdef vector[i64_t] first
        first.push_back(0)
        for s in range(start.shape[0] - 1):
            charge(&watch, 16 * (start[s + 1] - start[s]))
            self.cut(&desk, &token[start[s]] if token.shape[0] else NULL, start[s + 1] - start[s])
            at = 0
            while at < start[s + 1] - start[s]:
                length.push_back(desk.length[at])
                phrase.push_back(desk.phrase[at])
                at += desk.length[at]
            first.push_back(<i64_t> length.size())
        return int32_array(length), int32_array(phrase), int64_array(first)

    def grams(self, const i32_t[::1] token, const i64_t[::1] start, int max_order):
        """For each order: pivot words (items, order), weights, and where each sentence begins."""
        check_starts(token, start)
        if not 1 <= max_order <= MAX_HISTORY + 1:
            raise ValueError("orders are 1 to 6")
        cdef Desk desk
        cdef Py_ssize_t s, n = start.shape[0] - 1
        cdef int k
        cdef vector[vector[i32_t]] gram
        cdef vector[vector[i64_t]] mass
        cdef Watch watch = watch_for(0)
        gram.resize(max_order)
        mass.resize(max_order)
        first = np.zeros((max_order, n + 1), np.int64)
        cdef i64_t[:, ::1] begin = first
        with nogil:
            for s in range(n):
                charge(&watch, 64 * (start[s + 1] - start[s]))
                self.cut(&desk, &token[start[s]] if token.shape[0] else NULL,
                         start[s + 1] - start[s])
                self.walk(&desk, &token[start[s]] if token.shape[0] else NULL,
                          start[s + 1] - start[s], max_order, gram, mass, &watch)
                for k in range(max_order):
                    begin[k, s + 1] = <i64_t> mass[k].size()
        return [
            (int32_array(gram[k]).reshape(-1, k + 1), int64_array(mass[k]), first[k])
            for k in range(max_order)
        ]

    cdef int walk(self, Desk* desk, const i32_t* token, i64_t n, int max_order,
                  vector[vector[i32_t]]& gram, vector[vector[i64_t]]& mass,
                  Watch* watch) except -1 nogil:
        # before[t] has what the last t words may be, with their probabilities.
        cdef i64_t at = 0, e, first, last, p, joint
        cdef i32_t phrase, m, k, i, t, itself
        cdef const i32_t* words
        cdef const State* state
        cdef State whole
        cdef size_t h
        desk.before.resize(max_order)
        desk.after.resize(max_order)
        for t in range(max_order):
            desk.before[t].clear()
        whole.mass = ONE
        desk.before[0].push_back(whole)
        while at < n:
            phrase = desk.phrase[at]
            first, last = 0, 1
            if phrase >= 0:
                first = self.trie.groups.start[phrase]
                last = self.trie.groups.start[phrase + 1]
            for t in range(max_order):
                desk.after[t].clear()
            desk.after[0].push_back(whole)
            for e in range(first, last):
                if phrase < 0:
                    itself = self.n_words + token[at]
                    words = &itself
                    m = 1
                    p = ONE
                else:
                    i = self.trie.groups.group[e]
                    words = &self.word[self.start[i]]
                    m = <i32_t> (self.start[i + 1] - self.start[i])
                    p = self.p[e]
                for i in range(1, m + 1):  # n-grams that end at the i-th word
                    for k in range(1, min(i, max_order) + 1):  # and begin in the phrase
                        gram[k - 1].insert(gram[k - 1].end(), words + i - k, words + i)
                        mass[k - 1].push_back(p)
                    for k in range(i + 1, max_order + 1):  # and begin before it
                        t = k - i
                        for h in range(desk.before[t].size()):
                            state = &desk.before[t][h]
                            joint = state.mass * p // ONE
                            if joint:
                                gram[k - 1].insert(gram[k - 1].end(), state.word, state.word + t)
                                gram[k - 1].insert(gram[k - 1].end(), words, words + i)
                                mass[k - 1].push_back(joint)
                for t in range(1, max_order):
                    if m >= t:
                        extend(desk.after[t], NULL, words + m - t, 0, t, p)
                        continue
                    charge(watch, <i64_t> desk.before[t - m].size() * 16)
                    for h in range(desk.before[t - m].size()):
                        state = &desk.before[t - m][h]
                        joint = state.mass * p // ONE
                        if joint:
                            extend(desk.after[t], state.word, words, t - m, m, joint)
            desk.before.swap(desk.after)
            at += desk.length[at]
        return 0


cdef inline void extend(vector[State]& states, const i32_t* before, const i32_t* words,
                        i32_t n_before, i32_t n, i64_t mass) noexcept nogil:
    cdef State state
    cdef i32_t k
    for k in range(n_before):
        state.word[k] = before[k]
    for k in range(n):
        state.word[n_before + k] = words[k]
    state.mass = mass
    states.push_back(state)


def labeled(const i32_t[:, ::1] gram, const i64_t[::1] mass, const i32_t[::1] lemma,
            const i32_t[::1] tag, const i8_t[::1] function, const i64_t[::1] factor):
    """Return n-grams of lemmas, of tags, and their weights.

    The weight is the mass times factor[k] for k function words.
    """
    cdef Py_ssize_t n = gram.shape[0], order = gram.shape[1], i, k, n_words = lemma.shape[0]
    cdef i32_t word, n_function
    if (mass.shape[0] != n or tag.shape[0] != n_words or function.shape[0] != n_words
            or factor.shape[0] != order + 1):
        raise ValueError("n-grams, words and factors do not fit together")
    by_lemma, by_tag = np.empty((n, order), np.int32), np.empty((n, order), np.int32)
    weights = np.empty(n, np.int64)
    cdef i32_t[:, ::1] lemmas = by_lemma, tags = by_tag
    cdef i64_t[::1] weight = weights
    cdef bint sound = True
    with nogil:
        for i in range(n):
            n_function = 0
            for k in range(order):
                word = gram[i, k]
                if not 0 <= word < n_words:
                    sound = False
                    break
                lemmas[i, k] = lemma[word]
                tags[i, k] = tag[word]
                n_function += function[word] != 0
            if not sound:
                break
            weight[i] = mass[i] * factor[n_function]
    if not sound:
        raise ValueError("an n-gram has a word without a lemma")
    return by_lemma, by_tag, weights
