"""Lattice kernel: the likeliest labels of a sequence by a Markov model of states, with a beam.

An arc leads from one state to another, which has a label, and has a weight. A path cuts a sequence
into segments; each step takes one arc and one segment. With w the logarithms of probabilities, the
value of a path is

    Σ (w(arc) + w(segment | label)) + w(final arc)

Row i has the best value of each state that can be reached by the first i items. Of a row with more
than `width` states only those go on that are at most 1 below the (width + 1)th best. Of equal
values the one that was found first stays: from the earliest start, the first state, the first arc.

The segments of a sentence are its words, whose values are given. Those of a word are morphemes. If
a model does not know one under a label, it may be a new one, which is valued by its length and its
last letters:

    w(new | label) + w(length | label) + w(ending | label)

with the longest ending, of at most four letters and shorter than the segment, that the label has.
"""
from cython.operator cimport dereference
from libc.math cimport INFINITY, NAN, isnan
from libcpp.algorithm cimport nth_element
from libcpp.string cimport string
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, u32_t
from celab._native.tokens cimport read_text

cdef enum:
    N_LENGTHS = 25  # lengths 0 to 24; a longer segment has the value of 24
    N_ENDINGS = 5  # endings have 0 to 4 letters
    # A new morpheme has at least MIN_NEW_LETTERS, unless its word has at most MAX_SHORT_WORD.
    MIN_NEW_LETTERS = 3
    MAX_SHORT_WORD = 3

cdef double MIN_VALUE = -1e6  # a path with a lower value does not count
cdef double MARGIN = 1.0
cdef double WHOLE_WORD_COST = 4.6  # subtracted from a new morpheme that is the whole word


cdef class Chain:
    """States with their labels, and arcs with their weights; state 0 is the start.

    `arcs` and `finals` have, for each state, the states that its arcs lead to and the weights.
    """

    def __init__(self, list labels not None, list arcs not None, list finals not None,
                 i32_t width):
        cdef i32_t label
        if not len(labels) == len(arcs) == len(finals) > 0 < width:
            raise ValueError("a chain needs states, arcs for each, and a width")
        for label in labels:
            if label < 0:
                raise ValueError("labels are numbers from 0")
            self.label.push_back(label)
            self.n_labels = max(self.n_labels, label + 1)
        self.width = width
        read_arcs(self, self.arcs, arcs)
        read_arcs(self, self.finals, finals)

    def path(self, list values not None):
        """The labels of items on the best path; none if there is no path.

        `values` has, for each item, pairs of a label and its value; if it is empty, every label has
        the value 0.
        """
        cdef i32_t n = <i32_t> len(values), i, label
        cdef double worth
        cdef Lattice lattice
        cdef vector[double] value
        begin(self, lattice, n, 2)
        for i in range(n):
            value.assign(self.n_labels, -INFINITY if values[i] else 0.0)
            for label, worth in values[i]:
                if not 0 <= label < self.n_labels:
                    raise ValueError(f"there is no label {label}")
                value[label] = worth
            close(self, lattice, i)
            extend(self, lattice, self.arcs, i, i + 1, bound(self, lattice.row[i]), value)
        close(self, lattice, n)
        value.assign(self.n_labels, 0.0)
        extend(self, lattice, self.finals, n, n + 1, MIN_VALUE, value)
        return [label for label, at in path_in(self, lattice) if at <= n]


cdef int begin(Chain self, Lattice& lattice, i32_t n_items, i32_t n_open) except -1:
    cdef Entry entry
    entry.state, entry.start, entry.before, entry.value = 0, -1, -1, 0.0
    lattice.row.resize(n_items + 2)
    lattice.row[0].push_back(entry)
    lattice.n_open = n_open
    lattice.place.assign(n_open * self.label.size(), -1)
    return 0


cdef int close(Chain self, Lattice& lattice, i32_t i) except -1:
    # Frees the places of row i for a later row; no state may be added to row i afterwards.
    cdef size_t k, base = (i % lattice.n_open) * self.label.size()
    for k in range(lattice.row[i].size()):
        lattice.place[base + lattice.row[i][k].state] = -1
    return 0


cdef double bound(Chain self, const vector[Entry]& row) except? -1:
    # Returns the least value of a state from which paths go on.
    cdef i32_t rest = <i32_t> row.size() - self.width - 1
    cdef size_t k
    cdef vector[double] value
    if rest < 0:
        return MIN_VALUE
    for k in range(row.size()):
        value.push_back(row[k].value)
    nth_element(value.begin(), value.begin() + rest, value.end())
    return value[rest] - MARGIN


cdef int extend(Chain self, Lattice& lattice, const Arcs& arcs, i32_t i, i32_t j, double least,
                const vector[double]& value) except -1:
    # Extends the paths of row i to row j, over a segment with these values by label.
    cdef i32_t* place = &lattice.place[(j % lattice.n_open) * self.label.size()]
    cdef const vector[Entry]* here = &lattice.row[i]
    cdef vector[Entry]* there = &lattice.row[j]
    cdef Entry entry
    cdef const Entry* source
    cdef size_t k
    cdef i32_t a
    entry.start = i
    for k in range(here.size()):
        source = &here[0][k]
        if source.value < least:
            continue
        entry.before = <i32_t> k
        for a in range(arcs.first[source.state], arcs.first[source.state + 1]):
            if value[arcs.label[a]] == -INFINITY:
                continue
            entry.value = source.value + arcs.weight[a] + value[arcs.label[a]]
            entry.state = arcs.target[a]
            if not entry.value > MIN_VALUE:
                continue
            if place[entry.state] < 0:
                place[entry.state] = <i32_t> there.size()
                there.push_back(entry)
            elif entry.value > there[0][place[entry.state]].value:
                there[0][place[entry.state]] = entry
    return 0


cdef list path_in(Chain self, const Lattice& lattice):
    # (label, end of its segment) of each step to the best final state.
    cdef i32_t at = <i32_t> lattice.row.size() - 1, k
    cdef Entry entry
    cdef list path = []
    if lattice.row[at].empty():
        return path
    entry = lattice.row[at][0]
    for k in range(1, <i32_t> lattice.row[at].size()):
        if lattice.row[at][k].value > entry.value:
            entry = lattice.row[at][k]
    while at > 0:
        path.append((self.label[entry.state], at))
        at = entry.start
        entry = lattice.row[at][entry.before]
    path.reverse()
    return path


cdef int read_arcs(Chain self, Arcs& arcs, list by_state) except -1:
    cdef i32_t target
    cdef double weight
    for targets, weights in by_state:
        arcs.first.push_back(<i32_t> arcs.target.size())
        for target, weight in zip(targets, weights, strict=True):
            if not 0 <= target < <i32_t> self.label.size():
                raise ValueError("an arc leads to no state")
            arcs.target.push_back(target)
            arcs.label.push_back(self.label[target])
            arcs.weight.push_back(weight)
    arcs.first.push_back(<i32_t> arcs.target.size())
    return 0


cdef inline string segment(const vector[u32_t]& word, i32_t i, i32_t j):
    return string(<const char*> (word.data() + i), (j - i) * sizeof(u32_t))


cdef string key_of(str text):
    cdef vector[u32_t] letters
    read_text(text, letters)
    return segment(letters, 0, <i32_t> letters.size())


cdef class Morphemes:
    """Morphemes under labels of a chain, and what new ones are worth.

    `known` has, for each label, the values of its morphemes; `new`, for each label that new ones
    may have, 25 values by length and those of endings, that of the empty one included.
    """

    def __init__(self, Chain chain not None, dict known not None, dict new not None):
        cdef i32_t label
        cdef size_t o
        cdef Labeled entry
        self.chain = chain
        for label, values in known.items():
            if not 0 <= label < chain.n_labels:
                raise ValueError(f"there is no label {label}")
            entry.label = label
            for text, entry.value in values.items():
                self.known[key_of(text)].push_back(entry)
        for label, (by_length, endings) in new.items():
            if not 0 <= label < chain.n_labels or len(by_length) != N_LENGTHS or "" not in endings:
                raise ValueError(f"label {label} is not complete")
            for entry.value in by_length:
                self.by_length.push_back(entry.value)
            for text in endings:
                self.ending.insert((key_of(text), <i32_t> self.ending.size()))
            self.open_label.push_back(label)
        self.ending_value.assign(self.ending.size() * len(new), NAN)
        for o, (_, endings) in enumerate(new.values()):
            for text, entry.value in endings.items():
                self.ending_value[self.ending[key_of(text)] * len(new) + o] = entry.value

    def ends(self, str word not None):
        """(label, value) of each final state that is reached, in the order found."""
        cdef Lattice lattice
        cdef size_t k
        cdef const vector[Entry]* last
        fill(self, lattice, word, False, b"\1" * self.chain.n_labels)
        last = &lattice.row[lattice.row.size() - 1]
        return [(self.chain.label[last[0][k].state], last[0][k].value) for k in range(last.size())]

    def path(self, str word not None, bint strict, const unsigned char[::1] allowed not None):
        """(label, end) of each morpheme, and of the final arc; empty if there is no path.

        `allowed` has 1 for each label that may be used. Strict: there are no new morphemes.
        """
        cdef Lattice lattice
        if allowed.shape[0] != self.chain.n_labels:
            raise ValueError("allowed must have a value for each label")
        fill(self, lattice, word, strict, allowed)
        return path_in(self.chain, lattice)


cdef int fill(Morphemes self, Lattice& lattice, str word, bint strict,
              const unsigned char[::1] allowed) except -1:
    cdef vector[u32_t] letters
    cdef vector[i32_t] ending, valued
    cdef vector[double] value
    cdef i32_t n, i, j, label
    cdef double least
    read_text(word, letters)
    n = <i32_t> letters.size()
    if not strict:
        find_endings(self, letters, ending)
    begin(self.chain, lattice, n, n + 2)
    value.assign(self.chain.n_labels, -INFINITY)
    for i in range(n):
        least = bound(self.chain, lattice.row[i])
        for j in range(i + 1, n + 1 if lattice.row[i].size() else i):
            values_of(self, letters, i, j, ending, value, valued)
            for label in valued:
                if not allowed[label]:
                    value[label] = -INFINITY
            extend(self.chain, lattice, self.chain.arcs, i, j, least, value)
            for label in valued:
                value[label] = -INFINITY
    for label in range(self.chain.n_labels):
        value[label] = 0.0 if allowed[label] else -INFINITY
    return extend(self.chain, lattice, self.chain.finals, n, n + 1, MIN_VALUE, value)


cdef int find_endings(Morphemes self, const vector[u32_t]& word, vector[i32_t]& ending) except -1:
    # At j * N_ENDINGS + k the number of the ending of k letters before j, or -1; k <= j counts.
    cdef i32_t j, k
    for j in range(<i32_t> word.size() + 1):
        for k in range(N_ENDINGS):
            found = self.ending.find(segment(word, max(0, j - k), j))
            ending.push_back(-1 if found == self.ending.end() else dereference(found).second)
    return 0


cdef int values_of(Morphemes self, const vector[u32_t]& word, i32_t i, i32_t j,
                   const vector[i32_t]& ending, vector[double]& value,
                   vector[i32_t]& valued) except -1:
    # The values of a segment, and the labels that have one; without endings, none are new.
    cdef i32_t n = j - i, n_letters = <i32_t> word.size(), k, row
    cdef size_t o, n_open = self.open_label.size()
    cdef double worth
    cdef Labeled entry
    valued.clear()
    if ending.size() and (n >= MIN_NEW_LETTERS or n_letters <= MAX_SHORT_WORD):
        valued.assign(self.open_label.begin(), self.open_label.end())
        for k in range(min(n, <i32_t> N_ENDINGS)):  # longer ones overwrite shorter ones
            row = ending[j * N_ENDINGS + k]
            for o in range(n_open if row >= 0 else 0):
                worth = self.by_length[o * N_LENGTHS + min(n, <i32_t> N_LENGTHS - 1)]
                worth += self.ending_value[row * n_open + o]
                if not isnan(worth):
                    value[self.open_label[o]] = worth - WHOLE_WORD_COST if n == n_letters else worth
    found = self.known.find(segment(word, i, j))
    if found != self.known.end():
        for entry in dereference(found).second:
            value[entry.label] = entry.value
            valued.push_back(entry.label)
    return 0
