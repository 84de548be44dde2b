"""Matches: which lexicon words of a hypothesis have synonyms in the reference.

Two words are synonyms if a lexicon group has both. The reference has an index: a hash table from
letters and groups to its units (see `tokens.pxd`). Each group g of each word w of the hypothesis is
looked up in it, and

    (w, g) is a match  ⟺  the reference has a word w' ≠ w with g ∈ groups(w) ∩ groups(w')

Equal words need no group, because their text is equal (see `links`). A letter of the hypothesis
that the reference has too needs no look-up of its groups: the index lists its synonyms.

The grades of a lexicon are nested: synonyms at one grade are synonyms at every coarser one. Each
grade is a range of one list of groups, so the groups of all grades are looked up at once, and each
grade uses the matches within its range. The links of two grades can differ only if two words are
synonyms at the coarser grade alone.
"""

cdef inline void take_all_groups(Sentence* view, const Groups* groups) noexcept nogil:
    view.group_start = groups.start
    view.group_stop = groups.start + 1
    view.stride = 1
    view.group = groups.group
    view.first_group = 0
    view.last_group = groups.n_groups


cdef i32_t check_grade(Sentences sentences, i32_t grade) except -1:
    cdef i32_t n_grades = 0 if sentences.lexicon is None else sentences.lexicon.groups.n_grades
    if grade == COARSEST:
        return n_grades
    if not 0 <= grade <= n_grades:
        raise ValueError("the lexicon has no such grade")
    return grade


cdef Sentence sentence_of(Sentences sentences, Py_ssize_t s, i32_t grade) noexcept nogil:
    cdef Sentence view
    view.token = sentences.token.data() + sentences.start[s]
    view.n_tokens = <i32_t> (sentences.start[s + 1] - sentences.start[s])
    view.known = &sentences.vocabulary.own
    view.occurrence = sentences.occurrence.data() + sentences.occurrence_start[s]
    view.n_occurrences = <i32_t> (sentences.occurrence_start[s + 1]
                                  - sentences.occurrence_start[s])
    view.group_start = NULL
    view.group_stop = NULL
    view.stride = 1
    view.group = NULL
    view.first_group = 0
    view.last_group = 0
    view.matched = False
    view.match = NULL
    view.n_matches = 0
    if grade == COARSEST:
        grade = 0 if sentences.lexicon is None else sentences.lexicon.groups.n_grades
    if grade == 0:
        view.n_occurrences = 0
    elif sentences.lexicon.groups.bound == NULL:
        take_all_groups(&view, &sentences.lexicon.groups)
    else:
        view.group_start = sentences.lexicon.groups.bound + 2 * (grade - 1)
        view.group_stop = view.group_start + 1
        view.stride = 2 * sentences.lexicon.groups.n_grades
        view.group = sentences.lexicon.groups.group
        view.first_group = sentences.lexicon.groups.range[2 * grade - 2]
        view.last_group = sentences.lexicon.groups.range[2 * grade - 1]
    view.unit = NULL
    view.slot = NULL
    view.slot_mask = 0
    view.long_initials = 0
    view.synonyms = NULL
    if sentences.indexed:
        view.unit = sentences.unit.data() + sentences.unit_start[s]
        view.slot = sentences.slot.data() + sentences.slot_start[s]
        view.slot_mask = <u32_t> (sentences.slot_start[s + 1] - sentences.slot_start[s] - 1)
        view.long_initials = sentences.long_initials[s]
        view.synonyms = sentences.synonyms.data() + sentences.synonym_start[s]
    return view


cdef int find_tokens(Lookup* lookup, const Sentence* ref, const Sentence* hyp,
                     i32_t n) except -1 nogil:
    cdef i32_t j
    if <i32_t> lookup.token_unit.size() < n:
        lookup.token_unit.resize(n)
    for j in range(n):
        lookup.token_unit[j] = 0
        if hyp.token[j] < FIRST_LONG_ID:
            lookup.token_unit[j] = first_with(ref, hyp.token[j])
    return 0


cdef int match_words(Lookup* lookup, const Sentence* ref, const Sentence* hyp,
                     i32_t n_starts) except -1 nogil:
    # First keeps all groups whose slot is in use, without a branch, which the processor could not
    # predict; then only those that the slot is really for.
    cdef const Occurrence* occurrence = hyp.occurrence
    cdef const Occurrence* stop = hyp.occurrence + hyp.n_occurrences
    cdef const i32_t* group
    cdef const i32_t* last
    cdef Match* match = lookup.match.data()
    cdef const i32_t* synonyms
    cdef i32_t k
    cdef size_t n = 0, kept = 0, m, n_new
    while occurrence != stop and occurrence.start < n_starts:
        group = hyp.group + hyp.group_start[<i64_t> occurrence.word * hyp.stride]
        last = hyp.group + hyp.group_stop[<i64_t> occurrence.word * hyp.stride]
        synonyms = NULL
        n_new = last - group
        if occurrence.order == 1 and ref.unit[lookup.token_unit[occurrence.start]].word >= 0:
            # A letter that the reference has, too: the index lists its synonyms.
            synonyms = ref.synonyms + ref.unit[lookup.token_unit[occurrence.start]].word
            n_new = synonyms[0]
            group = last
        if lookup.match.size() < n + n_new + 1:
            lookup.match.resize(2 * (n + n_new) + 64)
            match = lookup.match.data()
        if synonyms != NULL:
            for k in range(1, <i32_t> n_new + 1):
                match[n].start = occurrence.start
                match[n].order = 1
                match[n].word = occurrence.word
                match[n].group = ~ref.unit[synonyms[k]].key
                match[n].unit = synonyms[k]
                n += 1
        while group != last:
            match[n].start = occurrence.start
            match[n].order = occurrence.order
            match[n].word = occurrence.word
            match[n].group = group[0]
            match[n].unit = ref.slot[first_slot(ref.slot_mask, ~group[0])]
            n += match[n].unit != 0
            group += 1
        occurrence += 1
    for m in range(n):
        k = match[m].unit
        if ref.unit[k].key != ~match[m].group:
            k = first_with(ref, ~match[m].group)
        match[kept] = match[m]
        match[kept].unit = k
        kept += (k != 0) & (ref.unit[k].word != match[m].word)
    lookup.n_matches = kept
    return 0


cdef class Matches:
    """The lexicon words of hypotheses that match their references, for all grades.

    Immutable. Pairs of sentences are numbered from 0.
    """

    cdef int check_pairs(self, Sentences hyp, Sentences ref, const i32_t* hyp_at,
                         const i32_t* ref_at, Py_ssize_t n) except -1:
        cdef Py_ssize_t p
        if self.hyp is not hyp or self.ref is not ref or <Py_ssize_t> self.begin.size() != n:
            raise ValueError("the matches are of other pairs")
        for p in range(n):
            if (self.hyp_at[p] != (hyp_at[p] if hyp_at != NULL else p)
                    or self.ref_at[p] != (ref_at[p] if ref_at != NULL else p)):
                raise ValueError("the matches are of other pairs")
        return 0

    cdef void attach(self, Sentence* hyp, Py_ssize_t p) noexcept nogil:
        hyp.matched = True
        hyp.match = self.first + self.begin[p]
        hyp.n_matches = self.end[p] - self.begin[p]

    def __len__(self):
        return self.begin.size()

    def select(self, const i64_t[::1] pairs not None):
        """Return the matches of the pairs with these numbers."""
        cdef Matches selection = Matches.__new__(Matches)
        cdef Py_ssize_t k
        selection.hyp, selection.ref = self.hyp, self.ref
        selection.owner = self if self.owner is None else self.owner
        selection.first = self.first
        for k in range(pairs.shape[0]):
            if not 0 <= pairs[k] < <i64_t> self.begin.size():
                raise IndexError("no such pair")
            selection.hyp_at.push_back(self.hyp_at[pairs[k]])
            selection.ref_at.push_back(self.ref_at[pairs[k]])
            selection.begin.push_back(self.begin[pairs[k]])
            selection.end.push_back(self.end[pairs[k]])
        return selection


def match_pairs(Sentences hyp not None, Sentences ref not None, int max_order,
                const i32_t[::1] hyp_at, const i32_t[::1] ref_at):
    """Match the words of hypothesis hyp_at[p] with reference ref_at[p], for each p and all grades.

    Returns None if the lexicon has no grades: `cover_pairs` then looks the words up itself.
    """
    check_sides(hyp, ref, max_order)
    check_numbers(hyp, ref, hyp_at, ref_at)
    cdef Py_ssize_t n = hyp_at.shape[0], p
    if hyp.lexicon is None or hyp.lexicon.groups.bound == NULL:
        return None
    cdef Matches matches = Matches.__new__(Matches)
    cdef Lookup lookup
    cdef Sentence r, words
    matches.hyp, matches.ref = hyp, ref
    with nogil:
        for p in range(n):
            r = sentence_of(ref, ref_at[p], COARSEST)
            words = sentence_of(hyp, hyp_at[p], COARSEST)
            take_all_groups(&words, &hyp.lexicon.groups)
            find_tokens(&lookup, &r, &words, words.n_tokens)
            match_words(&lookup, &r, &words, words.n_tokens)
            matches.hyp_at.push_back(hyp_at[p])
            matches.ref_at.push_back(ref_at[p])
            matches.begin.push_back(<i64_t> matches.match.size())
            matches.match.insert(matches.match.end(), lookup.match.begin(),
                                 lookup.match.begin() + lookup.n_matches)
            matches.end.push_back(<i64_t> matches.match.size())
        matches.first = matches.match.data()
    return matches


def differing(Sentences hyp not None, Sentences ref not None, int max_order,
              const i32_t[::1] hyp_at, const i32_t[::1] ref_at, i32_t fine, i32_t coarse):
    """Return for each pair whether its links can differ between two grades of the lexicon.

    Where this is False, both grades have the same links. `fine` is the grade with fewer synonyms.
    """
    check_sides(hyp, ref, max_order)
    check_numbers(hyp, ref, hyp_at, ref_at)
    cdef Py_ssize_t n = hyp_at.shape[0], p
    if not 0 <= fine < coarse <= (0 if hyp.lexicon is None else hyp.lexicon.groups.n_grades):
        raise ValueError("the lexicon has no such grades")
    differs = np.zeros(n, np.bool_)
    cdef i8_t[::1] view = differs.view(np.int8)
    cdef vector[u64_t] unit
    cdef vector[i32_t] touched
    cdef Sentence r
    with nogil:
        for p in range(n):
            r = sentence_of(ref, ref_at[p], COARSEST)
            view[p] = <i8_t> differ(&r, sentence_of(hyp, hyp_at[p], fine),
                                    sentence_of(hyp, hyp_at[p], coarse), unit, touched)
    return differs


cdef bint differ(const Sentence* ref, Sentence fine, Sentence coarse, vector[u64_t]& units,
                 vector[i32_t]& touched) except -1 nogil:
    # Whether unequal words are synonyms at the coarse grade only. `units` and `touched` are working
    # memory: each has a part for either grade, and `units` is all 0 between calls.
    cdef Sentence index = ref[0]
    cdef i32_t m = ref.n_tokens, f, k, n_touched, n_fine, j, order, i, u, first
    cdef i64_t at
    cdef u64_t extra, bit
    cdef u64_t* unit
    cdef u64_t* fine_unit
    cdef bint differs = False
    if <i32_t> units.size() < 2 * m:
        units.resize(2 * m, 0)
        touched.resize(2 * m + 2)
    unit = units.data()
    fine_unit = unit + m
    for f in range(coarse.n_occurrences):
        j = coarse.occurrence[f].start
        order = coarse.occurrence[f].order
        bit = (<u64_t> 1) << (order - 1)
        at = <i64_t> coarse.occurrence[f].word * coarse.stride
        first = coarse.group_start[at]
        # Groups that both grades have come first.
        if fine.n_occurrences and fine.group_start[at] == first:
            first = fine.group_stop[at]
        n_touched = add_groups(&index, &coarse, f, first, bit, unit, touched.data())
        if n_touched == 0:
            continue
        n_fine = 0
        if fine.n_occurrences:
            n_fine = add_groups(&index, &fine, f, fine.group_start[at], bit, fine_unit,
                                touched.data() + m + 1)
        for k in range(n_touched):
            i = touched[k]
            extra = unit[i] & ~fine_unit[i]
            unit[i] = 0
            if extra and not differs:
                u = 0
                if extra == bit << 8 * (order - 1):  # the same length: maybe the same tokens
                    while u < order and ref.token[i + u] == coarse.token[j + u]:
                        u += 1
                differs = u < order
        for k in range(n_fine):
            fine_unit[touched[m + 1 + k]] = 0
        if differs:
            return True
    return False


cdef inline i32_t add_groups(const Sentence* ref, const Sentence* hyp, i32_t f, i32_t first,
                             u64_t bit, u64_t* unit, i32_t* touched) noexcept nogil:
    # Adds the units of other words that share a group, from group number `first` on, with the word
    # of occurrence f.
    cdef i32_t word = hyp.occurrence[f].word, n_touched = 0, g, k
    for g in range(first, hyp.group_stop[<i64_t> word * hyp.stride]):
        k = first_with(ref, ~hyp.group[g])
        if k and ref.unit[k].word != word:
            n_touched = add_units(ref, k, bit, unit, touched, n_touched)
    return n_touched


cdef int check_numbers(Sentences hyp, Sentences ref, const i32_t[::1] hyp_at,
                       const i32_t[::1] ref_at) except -1:
    cdef Py_ssize_t p
    if ref_at.shape[0] != hyp_at.shape[0]:
        raise ValueError("as many hypotheses as references are needed")
    for p in range(hyp_at.shape[0]):
        if not (0 <= hyp_at[p] < hyp.n_sentences and 0 <= ref_at[p] < ref.n_sentences):
            raise IndexError("no such sentence")
    return 0


cdef int check_sides(Sentences hyp, Sentences ref, int max_order) except -1:
    if not ref.indexed:
        raise ValueError("the sentences of the reference side need an index")
    if hyp.lexicon is not ref.lexicon:
        raise ValueError("both sides must be read with one lexicon")
    if hyp.max_order != max_order or ref.max_order != max_order:
        raise ValueError("both sides must be read with the max_order of their links")
    return 0
