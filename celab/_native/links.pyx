"""Links kernel: which n-grams of the two sentences match, by the paper's three rules.

N-grams are compared as text: their tokens joined without a separator. Cut wherever a token ends on
both sides, two n-grams with equal text fall into shortest equal pairs: equal tokens, or pairs such
as `Rachel` `Reeves` and `RachelReeves`, which need a token of several letters. These pairs, of
which at most one starts at two given places, and pairs of words that share a lexicon group are the
units. With U(i, j) the units that start at reference place i and hypothesis place j, as a set of
orders (u, v), the linked pairs that start there are

    L(i, j) = U(i, j)  ∪  { (u + a, v + b) : (u, v) ∈ U(i, j), (a, b) ∈ L(i + u, j + v) }

cut off at the longest order: both n-grams fall into aligned units. A set of orders is a bit mask,
so adding (u, v) to all of a set is one shift. The authors' program never starts with a lexicon
unit of two or more tokens on both sides; its links are the same formula with such units left out of
the first U(i, j), but not out of the L(i + u, j + v) after it.

The hypothesis is walked, row by row from its end, and each token and group looked up in the
reference's index. Equal words need not be found by their groups: their text is equal.
"""
from libc.string cimport memset
from libcpp.vector cimport vector

from celab._native.lexicon cimport Groups
from celab._native.tokens cimport (
    MOST_TOKENS, Found, Match, Sentences, first_slot, slot_with, two_letter_key,
)
from celab._native.types cimport i8_t, i32_t, i64_t, u16_t, u32_t, u64_t
from celab._native.vocabulary cimport FIRST_LONG_ID, spelled
from celab._native.watch cimport STRIDE, Watch, spend, watch_for

import numpy as np

cdef enum:
    # More starts than this per token, and windows are worth merging.
    CROWDED = 8
    # More than this need too much memory, here and in what follows.
    MOST_STARTS = 1 << 23
    WIDE = 512  # rows of more places are cleared start by start


cdef int keep_apart(Places* places, i32_t n) except -1 nogil:
    # Each position its own place. Arrays that say so already are left as they are.
    cdef i32_t i, known = <i32_t> places.place.size()
    if known >= n and not places.merged:
        return 0
    n = max(n, known)
    if places.merged:
        known = 0
    places.place.resize(n)
    places.multiplicity.resize(n)
    places.following.resize(n)
    for i in range(known, n):
        places.place[i] = i
        places.multiplicity[i] = 1
        places.following[i] = -1
    places.merged = False
    return 0


cdef int merge_windows(Links* links, Places* places, const Sentence* side) except -1 nogil:
    # Positions with equal windows get one place: the last of them, because rows are made from the
    # end. A window cut short by the sentence's end equals none that is not.
    cdef i32_t i, k, n = side.n_tokens, other
    cdef u32_t size = 16, mask, at
    cdef u64_t h
    while size < 2 * <u32_t> n:
        size *= 2
    mask = size - 1
    links.window_slot.assign(size, -1)
    places.merged = True
    for i in range(n - 1, -1, -1):
        if i & 1023 == 0:
            spend(links.watch, 1024)
        h = 0xCBF29CE484222325
        for k in range(i, min(n, i + links.max_order)):
            h = (h ^ <u64_t> side.token[k]) * <u64_t> 0x9E3779B97F4A7C15
        at = <u32_t> (h >> 32) & mask
        while True:
            other = links.window_slot[at]
            if other < 0:
                links.window_slot[at] = i
                break
            if same_window(side, i, other, links.max_order):
                places.place[i] = other
                places.multiplicity[i] = 0
                places.multiplicity[other] += 1
                places.following[i] = places.following[other]
                places.following[other] = i
                break
            at = (at + 1) & mask
    return 0


cdef inline bint same_window(const Sentence* side, i32_t i, i32_t j, i32_t order) noexcept nogil:
    # i < j
    cdef i32_t k
    if j + order > side.n_tokens:
        return False
    for k in range(order):
        if side.token[i + k] != side.token[j + k]:
            return False
    return True


cdef int link(Links* links, const Sentence* ref, const Sentence* hyp, i32_t max_order,
              bint release) except -1 nogil:
    cdef i32_t m = ref.n_tokens, n = hyp.n_tokens
    links.max_order = max_order
    links.n_starts = 0
    if <i64_t> m + n > MOST_TOKENS:
        with gil:
            raise OverflowError(f"sentences of {m:,} and {n:,} tokens are too long; together they"
                                f" may have {MOST_TOKENS:,}")
    spend(links.watch, m + n)
    # Rows are read up to max_order behind the last place, where nothing is linked.
    keep_apart(&links.ref, m + max_order)
    keep_apart(&links.hyp, n)
    find_tokens(links, ref, hyp)
    if not hyp.matched:
        match_words(links, ref, hyp)
    # Merged rows are copied from `start`, which holds fewer links than may follow a piece if
    # `release` is on: there every position keeps its own place.
    if not release:
        if fill_rows(links, ref, hyp, release, min(CROWDED * <size_t> (m + n), MOST_STARTS)):
            return 0
        merge_windows(links, &links.ref, ref)
        merge_windows(links, &links.hyp, hyp)
    if not fill_rows(links, ref, hyp, release, MOST_STARTS):
        with gil:
            raise OverflowError(f"sentences of {m:,} and {n:,} tokens have links between more than"
                                f" {MOST_STARTS:,} places; they must be shorter")
    return 0


cdef inline i32_t first_with(const Sentence* ref, i32_t key) noexcept nogil:
    # The first reference unit with this key, or 0.
    return ref.slot[slot_with(ref.unit, ref.slot, ref.slot_mask, key)]


cdef inline i32_t add_units(const Sentence* ref, i32_t key, i32_t word, u64_t bit, u64_t* unit,
                            i32_t* touched, i32_t n_touched) noexcept nogil:
    # Sets `bit` in the row of each reference unit with this key, at its position; not if all are of
    # this very word.
    cdef i32_t k = first_with(ref, key)
    if k == 0 or ref.unit[k].word == word:
        return n_touched
    return add_all(ref, k, bit, unit, touched, n_touched)


cdef inline i32_t add_all(const Sentence* ref, i32_t k, u64_t bit, u64_t* unit, i32_t* touched,
                          i32_t n_touched) noexcept nogil:
    # The same for unit k and those after it with the same key.
    cdef i32_t i
    while k:
        i = ref.unit[k].ngram >> 6
        touched[n_touched] = i
        n_touched += unit[i] == 0
        unit[i] |= bit << (ref.unit[k].ngram & 63)
        k = ref.same_key[k]
    return n_touched


cdef i32_t equal_text(const Sentence* ref, i32_t i, const Sentence* hyp, i32_t j,
                      i32_t max_order) noexcept nogil:
    # The shortest n-grams with the same text that start at the positions, as the number of a mask's
    # bit, or -1 if there are none. Of the last tokens, `ref_left` and `hyp_left` letters are not
    # compared yet.
    cdef i32_t r = i, h = j, ref_left = 0, hyp_left = 0, n, k
    cdef const u32_t* ref_letter = NULL
    cdef const u32_t* hyp_letter = NULL
    while r == i or ref_left != hyp_left:
        if ref_left == 0:
            if r == ref.n_tokens or r == i + max_order:
                return -1
            ref_letter = spelled(ref.known, ref.token + r, &ref_left)
            r += 1
        if hyp_left == 0:
            if h == hyp.n_tokens or h == j + max_order:
                return -1
            hyp_letter = spelled(hyp.known, hyp.token + h, &hyp_left)
            h += 1
        n = min(ref_left, hyp_left)
        for k in range(n):
            if ref_letter[k] != hyp_letter[k]:
                return -1
        ref_letter += n
        hyp_letter += n
        ref_left -= n
        hyp_left -= n
    return (r - i - 1) << 3 | (h - j - 1)


cdef i32_t add_equal(const Sentence* ref, i32_t key, const Sentence* hyp, i32_t j,
                     i32_t max_order, i32_t n_letters, u64_t* unit, i32_t* touched,
                     i32_t n_touched, Watch* watch) noexcept nogil:
    # Adds the unit of equal text, if there is one, that starts at hypothesis position j, where the
    # first token has n_letters, and at each reference unit with this key.
    cdef i32_t k = first_with(ref, key), i, cell
    while k:
        watch.left -= n_letters
        i = ref.unit[k].ngram >> 6
        k = ref.same_key[k]
        cell = 0 if ref.token[i] == hyp.token[j] else equal_text(ref, i, hyp, j, max_order)
        if cell >= 0:
            touched[n_touched] = i
            n_touched += unit[i] == 0
            unit[i] |= (<u64_t> 1) << cell
    return n_touched


cdef i32_t gather_equal(const Sentence* ref, const Sentence* hyp, i32_t j, i32_t max_order,
                        u64_t* unit, i32_t* touched, i32_t n_touched,
                        Watch* watch) noexcept nogil:
    # The units of equal text that start at hypothesis position j, if one of their first tokens is
    # long: the text has two letters at least.
    cdef i32_t n, _n
    cdef const u32_t* letter = spelled(hyp.known, hyp.token + j, &n)
    cdef u32_t second
    if n > 1:
        second = letter[1]
        n_touched = add_equal(ref, <i32_t> letter[0], hyp, j, max_order, n, unit, touched,
                              n_touched, watch)
    elif j + 1 < hyp.n_tokens:
        second = spelled(hyp.known, hyp.token + j + 1, &_n)[0]
    else:
        return n_touched
    return add_equal(ref, two_letter_key(letter[0], second), hyp, j, max_order, n, unit, touched,
                     n_touched, watch)


cdef int find_tokens(Links* links, const Sentence* ref, const Sentence* hyp) except -1 nogil:
    # The first reference unit of each hypothesis token of one letter, or 0.
    cdef i32_t j
    if <i32_t> links.token_unit.size() < hyp.n_tokens:
        links.token_unit.resize(hyp.n_tokens)
    for j in range(hyp.n_tokens):
        links.token_unit[j] = 0
        if hyp.token[j] < FIRST_LONG_ID:
            links.token_unit[j] = first_with(ref, hyp.token[j])
    return 0


cdef int match_words(Links* links, const Sentence* ref, const Sentence* hyp) except -1 nogil:
    # The words of the hypothesis that have synonyms in the reference, after `find_tokens`. At first
    # all whose slot is in use, without a branch, because the processor cannot foresee it.
    cdef const Found* found
    cdef const Found* stop = hyp.found + hyp.n_found
    cdef const i32_t* group
    cdef const i32_t* last
    cdef Match* match = links.match.data()
    cdef const i32_t* kin
    cdef i32_t k
    cdef size_t n = 0, kept = 0, m, n_new
    found = hyp.found
    while found != stop:
        group = hyp.group + hyp.group_start[<i64_t> found.word * hyp.stride]
        last = hyp.group + hyp.group_stop[<i64_t> found.word * hyp.stride]
        kin = NULL
        n_new = last - group
        if found.order == 1 and ref.unit[links.token_unit[found.start]].word >= 0:
            # A letter of the reference, whose synonyms there are known.
            kin = ref.kin + ref.unit[links.token_unit[found.start]].word
            n_new = kin[0]
            group = last
        if links.match.size() < n + n_new + 1:
            links.match.resize(2 * (n + n_new) + 64)
            match = links.match.data()
        if kin != NULL:
            for k in range(1, <i32_t> n_new + 1):
                match[n].start = found.start
                match[n].order = 1
                match[n].word = found.word
                match[n].group = ~ref.unit[kin[k]].key
                match[n].unit = kin[k]
                n += 1
        while group != last:
            match[n].start = found.start
            match[n].order = found.order
            match[n].word = found.word
            match[n].group = group[0]
            match[n].unit = ref.slot[first_slot(ref.slot_mask, ~group[0])]
            n += match[n].unit != 0
            group += 1
        found += 1
    for m in range(n):
        k = match[m].unit
        if ref.unit[k].key != ~match[m].group:
            k = first_with(ref, ~match[m].group)
        match[kept] = match[m]
        match[kept].unit = k
        kept += (k != 0) & (ref.unit[k].word != match[m].word)
    links.n_matches = kept
    return 0


cdef bint fill_rows(Links* links, const Sentence* ref, const Sentence* hyp, bint release,
                    size_t crowd) except -1 nogil:
    # Row by row from the end. Gives up, with False, when there are more than `crowd` starts.
    cdef i32_t N = links.max_order, m = ref.n_tokens, n = hyp.n_tokens, width = m + N
    cdef i32_t i, j, k, t, u, v, cell, token, n_touched, head = 0
    cdef u64_t units, mask, kept, more
    cdef u64_t[8] keep  # keep[v]: the bits whose hypothesis order may grow by v
    cdef u64_t low = ((<u64_t> 1) << (8 * N - 1) << 1) - 1  # the reference orders up to N
    cdef u32_t added, row_degree
    cdef (u64_t*)[16] ring  # the rows, twice over
    cdef u64_t** row  # row[v][i] is L(i, j + v); moves along the ring as j goes down
    cdef u64_t* this_row
    cdef u64_t* unit
    cdef i32_t* touched
    cdef u16_t* ref_degree
    cdef const i32_t* ref_place = links.ref.place.data()
    cdef const i32_t* hyp_place = links.hyp.place.data()
    cdef const i32_t* ref_multiplicity = links.ref.multiplicity.data()
    cdef const Match* first_match = links.match.data()
    cdef const Match* match = first_match + links.n_matches
    cdef const Match* match_stop
    cdef const Match* at
    cdef bint merged = links.ref.merged
    cdef Start* start
    cdef size_t n_starts = 0
    cdef i64_t e, work = 0
    cdef Sentence index = ref[0]  # a copy, which no other pointer can lead to
    cdef i32_t first_group = hyp.first_group, last_group = hyp.last_group
    if hyp.matched:
        first_match = hyp.match
        match = first_match + hyp.n_matches
    keep[N] = 0
    for v in range(N):
        keep[v] = (((<u64_t> 1) << (N - v)) - 1) * <u64_t> 0x010101010101

    links.row.assign(<size_t> (N + 1) * width, 0)
    for v in range(N + 1):
        ring[v] = links.row.data() + <size_t> v * width
        ring[v + N + 1] = ring[v]
    if <i32_t> links.unit.size() < m:
        links.unit.resize(m, 0)
        links.touched.resize(m + 1)
    unit = links.unit.data()
    touched = links.touched.data()
    if <i32_t> links.row_start.size() < n:
        links.row_start.resize(n)
        links.row_stop.resize(n)
        links.hyp_single.resize(n)
    links.ref_single.assign(m, 0)
    ref_degree = links.ref_single.data()
    for j in range(n - 1, -1, -1):
        if work > STRIDE or links.watch.left < 0:
            spend(links.watch, work)
            work = 0
        head = head - 1 if head else N
        row = ring + head
        this_row = row[0]
        if links.start.size() < n_starts + m:
            links.start.resize(2 * (n_starts + m))
        start = links.start.data()
        if j + N + 1 < n:  # forget the row that stood here
            if width <= WIDE:
                memset(this_row, 0, width * sizeof(u64_t))
            else:
                t = hyp_place[j + N + 1]
                for e in range(links.row_start[t], links.row_stop[t]):
                    this_row[start[e].ref] = 0
        match_stop = match
        while match != first_match and (match - 1).start == j:
            match -= 1
        if merged and hyp_place[j] != j:
            t = hyp_place[j]
            for e in range(links.row_start[t], links.row_stop[t]):
                this_row[start[e].ref] = start[e].mask
            work += 4 + links.row_stop[t] - links.row_start[t]
            continue

        token = hyp.token[j]
        n_touched = add_all(&index, links.token_unit[j], 1, unit, touched, 0)
        if token >= FIRST_LONG_ID or index.long_initials >> (token & 63) & 1:
            n_touched = gather_equal(ref, hyp, j, N, unit, touched, n_touched, links.watch)
        at = match
        while at != match_stop:
            if first_group <= at.group < last_group:
                n_touched = add_all(&index, at.unit, (<u64_t> 1) << (at.order - 1), unit, touched,
                                    n_touched)
            at += 1
        work += 4 + 4 * n_touched
        links.row_start[j] = <i64_t> n_starts
        row_degree = 0
        for k in range(n_touched):
            i = touched[k]
            units = unit[i]
            unit[i] = 0
            if merged and ref_place[i] != i:
                continue
            if units == 1:  # equal tokens and nothing else: the most common case
                mask = 1 | ((row[1][ref_place[i + 1]] & keep[1]) << 9 & low)
                kept = mask
            else:
                mask = 0
                kept = 0
                while units:
                    cell = lowest_bit(units)
                    units &= units - 1
                    u = (cell >> 3) + 1
                    v = (cell & 7) + 1
                    more = (row[v][ref_place[i + u]] & keep[v]) << (8 * u + v) & low
                    more |= (<u64_t> 1) << cell
                    mask |= more
                    if u == 1 or v == 1 or (release and equal_text(ref, i, hyp, j, N) == cell):
                        kept |= more
            this_row[i] = mask
            if release:
                mask = kept
            start[n_starts].ref = i
            start[n_starts].hyp = j
            start[n_starts].mask = mask
            n_starts += 1
            added = add_rows(mask)
            if merged and ref_multiplicity[i] > 1:
                row_degree |= added << 8
            row_degree = add_degrees(row_degree, added)
            if mask & ~(<u64_t> EQUAL_ORDERS):
                added = add_rows(turned(mask))
            if merged and links.hyp.multiplicity[j] > 1:
                added |= added << 8
            ref_degree[i] = <u16_t> add_degrees(ref_degree[i], added)
        links.hyp_single[j] = <u16_t> (row_degree & ~(row_degree >> 8) & 0xFF)
        links.row_stop[j] = <i64_t> n_starts
        if n_starts > crowd:
            return False
    spend(links.watch, work)
    only_single(ref_degree, m)
    links.n_starts = n_starts
    return True


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
    view.found = sentences.found.data() + sentences.found_start[s]
    view.n_found = <i32_t> (sentences.found_start[s + 1] - sentences.found_start[s])
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
        view.n_found = 0
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
    view.same_key = NULL
    view.slot = NULL
    view.slot_mask = 0
    view.long_initials = 0
    view.kin = NULL
    if sentences.indexed:
        view.unit = sentences.unit.data() + sentences.unit_start[s]
        view.same_key = sentences.same_key.data() + sentences.unit_start[s]
        view.slot = sentences.slot.data() + sentences.slot_start[s]
        view.slot_mask = <u32_t> (sentences.slot_start[s + 1] - sentences.slot_start[s] - 1)
        view.long_initials = sentences.long_initials[s]
        view.kin = sentences.kin.data() + sentences.kin_start[s]
    return view


cdef i64_t expand(const Links* links, i32_t m, i32_t n, vector[Link]& link,
                  i64_t most) except -1 nogil:
    # The links between positions, from those between places.
    cdef i32_t i, j, cell
    cdef i64_t e, total = 0, multiplicity
    cdef size_t s
    cdef u64_t mask
    cdef Link one
    cdef vector[vector[i32_t]] stands_for
    for s in range(links.n_starts):
        multiplicity = links.ref.multiplicity[links.start[s].ref]
        multiplicity *= links.hyp.multiplicity[links.start[s].hyp]
        mask = links.start[s].mask
        while mask:
            total += multiplicity
            mask &= mask - 1
    if total > most:
        with gil:
            raise OverflowError(f"{total:,} links are too many for the whole program, which may"
                                f" have {most:,}")
    stands_for.resize(m)
    for i in range(m):
        stands_for[links.ref.place[i]].push_back(i)
    link.clear()
    for j in range(n):
        for e in range(links.row_start[links.hyp.place[j]], links.row_stop[links.hyp.place[j]]):
            mask = links.start[e].mask
            while mask:
                cell = lowest_bit(mask)
                mask &= mask - 1
                for i in stands_for[links.start[e].ref]:
                    one.ref_start = i
                    one.ref_order = (cell >> 3) + 1
                    one.hyp_start = j
                    one.hyp_order = (cell & 7) + 1
                    link.push_back(one)
    return <i64_t> link.size()


def link_pairs(Sentences hyp not None, Py_ssize_t hyp_sentence, Sentences ref not None,
               Py_ssize_t ref_sentence, int max_order, bint release, double time_limit=0,
               i64_t most=1 << 27, i32_t grade=COARSEST):
    """The links of one pair: rows (hyp start, hyp order, ref start, ref order), sorted.

    `grade` is a grade of the lexicon: 0 for none of its words, by default the coarsest. Raises TimeoutError after `time_limit` seconds, if that is not 0, and OverflowError if there are
    more than `most` or they need too much memory.
    """
    check_sides(hyp, ref, max_order)
    if not (0 <= hyp_sentence < hyp.n_sentences and 0 <= ref_sentence < ref.n_sentences):
        raise IndexError("no such sentence")
    cdef Links links
    cdef Watch watch = watch_for(time_limit)
    cdef vector[Link] found
    cdef Sentence r = sentence_of(ref, ref_sentence, COARSEST)
    cdef Sentence h = sentence_of(hyp, hyp_sentence, check_grade(hyp, grade))
    cdef Py_ssize_t k, n
    links.ref.merged = False
    links.hyp.merged = False
    links.watch = &watch
    with nogil:
        link(&links, &r, &h, max_order, release)
        n = expand(&links, r.n_tokens, h.n_tokens, found, most)
    rows = np.empty((n, 4), np.int32)
    cdef i32_t[:, ::1] view = rows
    for k in range(n):
        view[k, 0] = found[k].hyp_start
        view[k, 1] = found[k].hyp_order
        view[k, 2] = found[k].ref_start
        view[k, 3] = found[k].ref_order
    return rows[np.lexsort(rows.T[::-1])]


cdef class Matches:
    """The lexicon words of hypotheses looked up in their references, once for all grades.

    Immutable. Pairs of sentences are known by number; `select` gives some of them.
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
        """The matches of some of the pairs, by number."""
        cdef Matches chosen = Matches.__new__(Matches)
        cdef Py_ssize_t k
        chosen.hyp, chosen.ref = self.hyp, self.ref
        chosen.owner = self if self.owner is None else self.owner
        chosen.first = self.first
        for k in range(pairs.shape[0]):
            if not 0 <= pairs[k] < <i64_t> self.begin.size():
                raise IndexError("no such pair")
            chosen.hyp_at.push_back(self.hyp_at[pairs[k]])
            chosen.ref_at.push_back(self.ref_at[pairs[k]])
            chosen.begin.push_back(self.begin[pairs[k]])
            chosen.end.push_back(self.end[pairs[k]])
        return chosen


def match_pairs(Sentences hyp not None, Sentences ref not None, int max_order,
                const i32_t[::1] hyp_at, const i32_t[::1] ref_at):
    """Look the words of hypotheses up in their references once, for the links of all grades.

    None if the lexicon has no grades: words are then looked up as a pair is linked.
    """
    check_sides(hyp, ref, max_order)
    check_numbers(hyp, ref, hyp_at, ref_at)
    cdef Py_ssize_t n = hyp_at.shape[0], p
    if hyp.lexicon is None or hyp.lexicon.groups.bound == NULL:
        return None
    cdef Matches matches = Matches.__new__(Matches)
    cdef Links links
    cdef Sentence r, words
    matches.hyp, matches.ref = hyp, ref
    with nogil:
        for p in range(n):
            r = sentence_of(ref, ref_at[p], COARSEST)
            words = sentence_of(hyp, hyp_at[p], COARSEST)
            take_all_groups(&words, &hyp.lexicon.groups)
            find_tokens(&links, &r, &words)
            match_words(&links, &r, &words)
            matches.hyp_at.push_back(hyp_at[p])
            matches.ref_at.push_back(ref_at[p])
            matches.begin.push_back(<i64_t> matches.match.size())
            matches.match.insert(matches.match.end(), links.match.begin(),
                                 links.match.begin() + links.n_matches)
            matches.end.push_back(<i64_t> matches.match.size())
        matches.first = matches.match.data()
    return matches


def differing(Sentences hyp not None, Sentences ref not None, int max_order,
              const i32_t[::1] hyp_at, const i32_t[::1] ref_at, i32_t fine, i32_t coarse):
    """Of each pair, whether its links can differ between two grades of the lexicon.

    Where this is 0, both grades have the same links. `fine` is the grade with fewer.
    """
    check_sides(hyp, ref, max_order)
    check_numbers(hyp, ref, hyp_at, ref_at)
    cdef Py_ssize_t n = hyp_at.shape[0], p
    if not 0 <= fine < coarse <= (0 if hyp.lexicon is None else hyp.lexicon.groups.n_grades):
        raise ValueError("the lexicon has no such grades")
    differs = np.zeros(n, np.bool_)
    cdef i8_t[::1] view = differs.view(np.int8)
    cdef Links links
    cdef Sentence r
    with nogil:
        for p in range(n):
            r = sentence_of(ref, ref_at[p], COARSEST)
            view[p] = <i8_t> differ(&links, &r, sentence_of(hyp, hyp_at[p], fine),
                                    sentence_of(hyp, hyp_at[p], coarse))
    return differs


cdef bint differ(Links* links, const Sentence* ref, Sentence fine,
                 Sentence coarse) except -1 nogil:
    # Whether words are synonyms in the coarse grade only, equal ones aside.
    cdef Sentence index = ref[0]
    cdef i32_t m = ref.n_tokens, f, k, n_touched, n_fine, j, order, i, u, first
    cdef i64_t at
    cdef u64_t extra, bit
    cdef u64_t* unit
    cdef u64_t* fine_unit
    cdef bint found = False
    if <i32_t> links.unit.size() < 2 * m:
        links.unit.resize(2 * m, 0)
        links.touched.resize(2 * m + 2)
    unit = links.unit.data()
    fine_unit = unit + m
    for f in range(coarse.n_found):
        j = coarse.found[f].start
        order = coarse.found[f].order
        bit = (<u64_t> 1) << (order - 1)
        at = <i64_t> coarse.found[f].word * coarse.stride
        first = coarse.group_start[at]
        if fine.n_found and fine.group_start[at] == first:  # the groups that both have are first
            first = fine.group_stop[at]
        n_touched = add_groups(&index, &coarse, f, first, bit, unit, links.touched.data())
        if n_touched == 0:
            continue
        n_fine = 0
        if fine.n_found:
            n_fine = add_groups(&index, &fine, f, fine.group_start[at], bit, fine_unit,
                                links.touched.data() + m + 1)
        for k in range(n_touched):
            i = links.touched[k]
            extra = unit[i] & ~fine_unit[i]
            unit[i] = 0
            if extra and not found:
                u = 0
                if extra == bit << 8 * (order - 1):  # as many tokens: perhaps the same ones
                    while u < order and ref.token[i + u] == coarse.token[j + u]:
                        u += 1
                found = u < order
        for k in range(n_fine):
            fine_unit[links.touched[m + 1 + k]] = 0
        if found:
            return True
    return False


cdef inline i32_t add_groups(const Sentence* ref, const Sentence* hyp, i32_t f, i32_t first,
                             u64_t bit, u64_t* unit, i32_t* touched) noexcept nogil:
    # The units of found word f by its groups from `first` on.
    cdef i32_t word = hyp.found[f].word, n_touched = 0, g
    for g in range(first, hyp.group_stop[<i64_t> word * hyp.stride]):
        n_touched = add_units(ref, ~hyp.group[g], word, bit, unit, touched, n_touched)
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
