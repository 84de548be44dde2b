"""Links kernel: which n-grams of the two sentences match, by the paper's three rules.

Units are pairs of equal tokens and pairs of words that share a lexicon group. With U(i, j) the
units that start at reference place i and hypothesis place j, as a set of orders (u, v), the linked
pairs that start there are

    L(i, j) = U(i, j)  ∪  { (u + a, v + b) : (u, v) ∈ U(i, j), (a, b) ∈ L(i + u, j + v) }

cut off at the longest order: both n-grams fall into aligned units. A set of orders is a bit mask,
so adding (u, v) to all of a set is one shift. The authors' program never starts with a unit of two
or more tokens on both sides; its links are the same formula with such units left out of the first
U(i, j), but not out of the L(i + u, j + v) this_row it.
"""
from libcpp.vector cimport vector

from celab._native.lexicon cimport Groups, Lexicon
from celab._native.tokens cimport Found, Sentences
from celab._native.types cimport i32_t, i64_t, u32_t, u64_t

import numpy as np

cdef enum:
    # More starts than this per token, and windows are worth merging.
    CROWDED = 8


cdef inline u32_t token_slot(i32_t token, u32_t mask) noexcept nogil:
    return ((<u32_t> token * <u32_t> 2654435769) >> 15) & mask


cdef int index_tokens(Links* links, const Sentence* hyp) except -1 nogil:
    # Hash table from a token to its hypothesis positions, as ascending linked lists.
    cdef u32_t size = 16, mask, at
    cdef i32_t j
    while size < 2 * <u32_t> hyp.n_tokens:
        size *= 2
    mask = size - 1
    links.token_head.assign(size, -1)
    links.token_key.resize(size)
    links.token_next.resize(hyp.n_tokens)
    for j in range(hyp.n_tokens - 1, -1, -1):
        if links.hyp_place[j] != j:
            continue
        at = token_slot(hyp.token[j], mask)
        while links.token_head[at] >= 0 and links.token_key[at] != hyp.token[j]:
            at = (at + 1) & mask
        links.token_key[at] = hyp.token[j]
        links.token_next[j] = links.token_head[at]
        links.token_head[at] = j
    return 0


cdef inline i32_t first_position(const Links* links, i32_t token) noexcept nogil:
    cdef u32_t mask = <u32_t> (links.token_head.size() - 1)
    cdef u32_t at = token_slot(token, mask)
    while links.token_head[at] >= 0:
        if links.token_key[at] == token:
            return links.token_head[at]
        at = (at + 1) & mask
    return -1


cdef int index_groups(Links* links, const Sentence* hyp, const Groups* groups) except -1 nogil:
    # From a group to the hypothesis words in it.
    cdef i32_t k, g, n = 0
    cdef GroupHead* head
    cdef GroupEntry* entry
    cdef const Found* found
    if <i32_t> links.group_head.size() < groups.n_groups or links.epoch == 0x7FFFFFFF:
        links.group_head.assign(groups.n_groups, GroupHead(epoch=0, entry=0))
        links.epoch = 0
    links.epoch += 1
    for k in range(hyp.n_found):
        n += groups.start[hyp.found[k].word + 1] - groups.start[hyp.found[k].word]
    if <i32_t> links.group_entry.size() < n:
        links.group_entry.resize(2 * n)
    entry = links.group_entry.data()
    n = 0
    for k in range(hyp.n_found):
        found = hyp.found + k
        if links.hyp_place[found.start] != found.start:
            continue
        for g in range(groups.start[found.word], groups.start[found.word + 1]):
            head = &links.group_head[groups.group[g]]
            entry[n].following = -1
            if head.epoch == links.epoch:
                entry[n].following = head.entry
            entry[n].start = found.start
            entry[n].order = found.order
            head.epoch = links.epoch
            head.entry = n
            n += 1
    return 0


cdef int each_its_own(vector[i32_t]& place, vector[i32_t]& multiplicity, vector[i32_t]& following,
                      i32_t n) except -1 nogil:
    cdef i32_t i
    place.resize(n)
    multiplicity.assign(n, 1)
    following.assign(n, -1)
    for i in range(n):
        place[i] = i
    return 0


cdef int merge_windows(Links* links, vector[i32_t]& place, vector[i32_t]& multiplicity,
                       vector[i32_t]& following, const Sentence* side) except -1 nogil:
    # Positions with equal windows get one place: the last of them, because rows are made from the
    # end. A window cut short by the sentence's end equals none that is not.
    cdef i32_t i, k, n = side.n_tokens, other
    cdef u32_t size = 16, mask, at
    cdef u64_t h
    while size < 2 * <u32_t> n:
        size *= 2
    mask = size - 1
    links.window_slot.assign(size, -1)
    for i in range(n - 1, -1, -1):
        h = 0xCBF29CE484222325
        for k in range(i, min(n, i + links.max_order)):
            h = (h ^ <u64_t> side.token[k]) * <u64_t> 0x9E3779B97F4A7C15
        at = <u32_t> (h >> 32) & mask
        while True:
            other = links.window_slot[at]
            if other < 0:
                links.window_slot[at] = i
                place[i] = i
                multiplicity[i] = 1
                break
            if same_window(side, i, other, links.max_order):
                place[i] = other
                multiplicity[i] = 0
                multiplicity[other] += 1
                following[i] = following[other]
                following[other] = i
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


cdef int link(Links* links, const Sentence* ref, const Sentence* hyp, const Groups* groups,
              i32_t max_order, bint release) except -1 nogil:
    cdef i32_t m = ref.n_tokens, n = hyp.n_tokens
    cdef size_t crowd = CROWDED * <size_t> (m + n)
    links.max_order = max_order
    links.start.clear()
    each_its_own(links.ref_place, links.ref_multiplicity, links.ref_next, m)
    each_its_own(links.hyp_place, links.hyp_multiplicity, links.hyp_next, n)
    links.row_start.assign(m, 0)
    links.row_stop.assign(m, 0)
    if m == 0 or n == 0:
        return 0
    index_tokens(links, hyp)
    if groups.n_groups:
        index_groups(links, hyp, groups)
    # Merged rows are copied from `start`, which holds fewer links than may follow a piece if
    # `release` is on: there every position keeps its own place.
    if release:
        fill_rows(links, ref, hyp, groups, release, <size_t> -1)
    elif not fill_rows(links, ref, hyp, groups, release, crowd):
        merge_windows(links, links.ref_place, links.ref_multiplicity, links.ref_next, ref)
        merge_windows(links, links.hyp_place, links.hyp_multiplicity, links.hyp_next, hyp)
        index_tokens(links, hyp)
        if groups.n_groups:
            index_groups(links, hyp, groups)
        fill_rows(links, ref, hyp, groups, release, <size_t> -1)
    return 0


cdef bint fill_rows(Links* links, const Sentence* ref, const Sentence* hyp, const Groups* groups,
                    bint release, size_t crowd) except -1 nogil:
    # Row by row from the end. Gives up, with False, when there are more than `crowd` starts.
    cdef i32_t N = links.max_order, m = ref.n_tokens, n = hyp.n_tokens
    cdef i32_t i, j, k, g, t, u, v, cell, next_found = ref.n_found, found_stop
    cdef u64_t units, mask, kept, more
    cdef u64_t[8] keep  # keep[v]: the bits whose hypothesis order may grow by v
    cdef u64_t low = ((<u64_t> 1) << (8 * N - 1) << 1) - 1  # the reference orders up to N
    cdef (u64_t*)[8] row  # row[u][j] is L(i + u, j); the rows change places as i goes down
    cdef u64_t* this_row
    cdef u64_t* unit
    cdef i32_t* touched
    cdef i32_t n_touched
    cdef const i32_t* token_next = links.token_next.data()
    cdef const GroupHead* group_head = links.group_head.data()
    cdef const GroupEntry* group_entry = links.group_entry.data()
    cdef const i32_t* hyp_place = links.hyp_place.data()
    cdef const Found* own
    cdef const GroupEntry* other
    cdef Start start
    cdef i64_t e
    for v in range(N + 1):
        keep[v] = 0
        for u in range(N):
            keep[v] |= (((<u64_t> 1) << (N - v)) - 1) << (8 * u)

    links.row.assign(<size_t> (N + 1) * n, 0)
    for u in range(N + 1):
        row[u] = links.row.data() + <size_t> u * n
    links.unit.assign(n, 0)
    unit = links.unit.data()
    links.touched.resize(n)
    touched = links.touched.data()
    links.start.clear()
    links.hyp_starts.assign(n, 0)
    for i in range(m - 1, -1, -1):
        this_row = row[N]
        for u in range(N, 0, -1):
            row[u] = row[u - 1]
        row[0] = this_row
        if i + N + 1 < m:  # forget the row that stood here
            t = links.ref_place[i + N + 1]
            for e in range(links.row_start[t], links.row_stop[t]):
                this_row[links.start[e].hyp] = 0
        found_stop = next_found
        while next_found > 0 and ref.found[next_found - 1].start == i:
            next_found -= 1
        if links.ref_place[i] != i:
            t = links.ref_place[i]
            for e in range(links.row_start[t], links.row_stop[t]):
                this_row[links.start[e].hyp] = links.start[e].mask
            continue

        n_touched = 0
        j = first_position(links, ref.token[i])
        while j >= 0:
            unit[j] = 1
            touched[n_touched] = j
            n_touched += 1
            j = token_next[j]
        for k in range(next_found, found_stop):
            own = ref.found + k
            for g in range(groups.start[own.word], groups.start[own.word + 1]):
                if group_head[groups.group[g]].epoch != links.epoch:
                    continue
                t = group_head[groups.group[g]].entry
                while t >= 0:
                    other = group_entry + t
                    t = other.following
                    j = other.start
                    if unit[j] == 0:
                        touched[n_touched] = j
                        n_touched += 1
                    unit[j] |= (<u64_t> 1) << (8 * (own.order - 1) + other.order - 1)

        links.row_start[i] = <i64_t> links.start.size()
        for k in range(n_touched):
            j = touched[k]
            units = unit[j]
            unit[j] = 0
            if units == 1:  # equal tokens and nothing else: the most common case
                mask = 1
                if i + 1 < m and j + 1 < n:
                    mask |= (row[1][hyp_place[j + 1]] & keep[1]) << 9 & low
                kept = mask
                units = 0
            else:
                mask = 0
                kept = 0
            while units:
                cell = lowest_bit(units)
                units &= units - 1
                u = (cell >> 3) + 1
                v = (cell & 7) + 1
                more = (<u64_t> 1) << cell
                if i + u < m and j + v < n and u < N and v < N:
                    more |= (row[u][hyp_place[j + v]] & keep[v]) << (8 * u + v) & low
                mask |= more
                if u == 1 or v == 1:
                    kept |= more
            this_row[j] = mask
            start.ref = i
            start.hyp = j
            start.mask = kept if release else mask
            links.start.push_back(start)
            links.hyp_starts[j] += 1
        links.row_stop[i] = <i64_t> links.start.size()
        if links.start.size() > crowd:
            return False
    return True


cdef Sentence sentence_of(Sentences sentences, Py_ssize_t s) noexcept nogil:
    cdef Sentence view
    view.token = sentences.token.data() + sentences.start[s]
    view.n_tokens = <i32_t> (sentences.start[s + 1] - sentences.start[s])
    view.found = sentences.found.data() + sentences.found_start[s]
    view.n_found = <i32_t> (sentences.found_start[s + 1] - sentences.found_start[s])
    return view


cdef Groups groups_of(Lexicon lexicon) noexcept nogil:
    cdef Groups none
    if lexicon is None:
        none.start = NULL
        none.group = NULL
        none.n_groups = 0
        return none
    return lexicon.groups


cdef i64_t expand(const Links* links, i32_t m, i32_t n, vector[Link]& link) except -1 nogil:
    # The links between positions, from those between places.
    cdef i32_t i, j, cell
    cdef i64_t e
    cdef u64_t mask
    cdef Link one
    cdef vector[vector[i32_t]] stands_for
    stands_for.resize(n)
    for j in range(n):
        stands_for[links.hyp_place[j]].push_back(j)
    link.clear()
    for i in range(m):
        for e in range(links.row_start[links.ref_place[i]], links.row_stop[links.ref_place[i]]):
            mask = links.start[e].mask
            while mask:
                cell = lowest_bit(mask)
                mask &= mask - 1
                for j in stands_for[links.start[e].hyp]:
                    one.ref_start = i
                    one.ref_order = (cell >> 3) + 1
                    one.hyp_start = j
                    one.hyp_order = (cell & 7) + 1
                    link.push_back(one)
    return <i64_t> link.size()


def link_pairs(Sentences hyp not None, Py_ssize_t hyp_sentence, Sentences ref not None,
               Py_ssize_t ref_sentence, Lexicon lexicon, int max_order, bint release):
    """The links of one pair: rows (hyp start, hyp order, ref start, ref order), sorted."""
    check_pair(hyp, hyp_sentence, ref, ref_sentence, max_order)
    cdef Links links
    cdef vector[Link] found
    cdef Sentence r = sentence_of(ref, ref_sentence), h = sentence_of(hyp, hyp_sentence)
    cdef Groups groups = groups_of(lexicon)
    cdef Py_ssize_t k, n
    links.epoch = 0
    with nogil:
        link(&links, &r, &h, &groups, max_order, release)
        n = expand(&links, r.n_tokens, h.n_tokens, found)
    rows = np.empty((n, 4), np.int32)
    cdef i32_t[:, ::1] view = rows
    for k in range(n):
        view[k, 0] = found[k].hyp_start
        view[k, 1] = found[k].hyp_order
        view[k, 2] = found[k].ref_start
        view[k, 3] = found[k].ref_order
    return rows[np.lexsort(rows.T[::-1])]


cdef int check_pair(Sentences hyp, Py_ssize_t hyp_sentence, Sentences ref, Py_ssize_t ref_sentence,
                    int max_order) except -1:
    if not (0 <= hyp_sentence < hyp.n_sentences and 0 <= ref_sentence < ref.n_sentences):
        raise IndexError("no such sentence")
    if not 1 <= max_order <= 6:
        raise ValueError("max_order must be 1 to 6")
    return 0
