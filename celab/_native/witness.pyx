"""Witness kernel: one solution of the paper's program in whole numbers, link by link.

1. For each side, n-grams are chosen that can be matched together: those that every maximum matching
   uses, then, of what could still cover something, always the one that covers most; of several, the
   one with the best link. What lies inside another chosen n-gram is not needed.
2. One matching has all chosen n-grams of both sides (Mendelsohn and Dulmage 1958). The one with the
   least cost is a transport problem: a link costs 1, a synonym 0.1 more, and up to 0.1 more the
   farther apart its ends are.
3. A chosen n-gram is exchanged for an unmatched one that covers as much, if the link then costs
   less. A link that adds nothing is dropped.

Nothing says that step 1 chose best. It did if what the solution covers is the proved optimum,
which is for the caller to compare; there may be no such solution in whole numbers.
"""
from libcpp.algorithm cimport pop_heap, push_heap
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from celab._native.coverage cimport gain_of, settle
from celab._native.links cimport check_grade, sentence_of
from celab._native.matches cimport COARSEST, Sentence
from celab._native.matching cimport (
    Graph, Transport, augment, carry, prepare, reach, saturate,
)
from celab._native.tokens cimport Sentences, Weights, spelled
from celab._native.types cimport i8_t, i32_t, i64_t, u32_t
from celab._native.watch cimport Watch, charge, watch_for

import numpy as np

cdef enum:
    DROPPED = 0  # state of an n-gram that has nothing to cover, or cannot be matched
    OPEN = 1
    CHOSEN = 2
    LINK = 2000  # cost of a link; a synonym adds a tenth, the greatest distance another
    PROFIT = 1 << 29  # profit of matching a chosen n-gram: more than all links can cost


# One side. Its linked n-grams are numbered; a member is an n-gram as position << 3 | (order - 1).
cdef cppclass Half:
    i32_t length
    const i32_t* weight  # weight of each member; NULL if all n-grams weigh 1
    vector[i32_t] end  # number of each link's n-gram
    vector[i32_t] member  # member with each number
    vector[i32_t] number  # number of each member, or -1
    vector[i32_t] first  # the links of n-gram i are link[first[i]:first[i + 1]]
    vector[i32_t] link
    vector[i8_t] state
    vector[i32_t] mate  # the link by which each n-gram is matched, or -1
    vector[i8_t] covered
    vector[i32_t] count  # number of matched n-grams that cover each member's cell
    Graph graph


# An aligned piece of a link: from a token to the one after its end, on either side, and the two
# words of the lexicon, or -1 if the text is the same.
cdef struct Piece:
    i32_t hyp
    i32_t hyp_end
    i32_t ref
    i32_t ref_end
    i32_t hyp_word
    i32_t ref_word


cdef cppclass Cutter:
    const Sentence* hyp
    const Sentence* ref
    bint release
    vector[i32_t] hyp_word  # lexicon word of each member, or -1
    vector[i32_t] ref_word
    vector[Piece] piece


cdef int number_members(Half* half, const i32_t[:, ::1] links, int column) except -1 nogil:
    cdef i32_t k, i, member, n = <i32_t> links.shape[0]
    half.number.assign(half.length << 3, -1)
    half.end.resize(n)
    for k in range(n):
        member = links[k, column] << 3 | (links[k, column + 1] - 1)
        if half.number[member] < 0:
            half.number[member] = <i32_t> half.member.size()
            half.member.push_back(member)
        half.end[k] = half.number[member]
    half.first.assign(half.member.size() + 2, 0)
    half.link.resize(n)
    for k in range(n):
        half.first[half.end[k] + 2] += 1
    for i in range(<i32_t> half.member.size()):
        half.first[i + 2] += half.first[i + 1]
    for k in range(n):
        half.link[half.first[half.end[k] + 1]] = k
        half.first[half.end[k] + 1] += 1
    half.first.pop_back()
    return 0


cdef inline i64_t member_gain(const Half* half, i32_t i) noexcept nogil:
    return gain_of(half.covered.data(), half.weight, half.member[i])


cdef inline bint is_inside(const Half* half, i32_t member) noexcept nogil:
    # Whether a longer n-gram that contains it is covered.
    cdef i32_t position = member >> 3, longer = (member & 7) + 1
    if half.covered[position] >> longer & 1:
        return True
    return position > 0 and half.covered[position - 1] >> longer & 1


cdef bint drop(Half* half) noexcept nogil:
    # Drops open n-grams that have nothing left to cover, and chosen ones inside another that is
    # covered. Returns whether there were any.
    cdef bint dropped = False
    cdef size_t i
    for i in range(half.member.size()):
        if half.state[i] == OPEN and member_gain(half, i) == 0 or (
                half.state[i] == CHOSEN and is_inside(half, half.member[i])):
            half.state[i] = DROPPED
            dropped = True
    return dropped


cdef int choose(Half* half, const Half* other, const vector[i32_t]& cost,
                Watch* watch) except -1 nogil:
    # Chooses n-grams (step 1).
    cdef Graph* graph = &half.graph
    cdef i32_t n = <i32_t> half.member.size(), i, k, best
    cdef i64_t most
    cdef bint changed = True
    cdef vector[pair[i64_t, i64_t]] heap  # gain, then least cost and number, negative
    graph.watch = watch
    graph.n_left = n
    graph.n_right = <i32_t> other.member.size()
    graph.first = half.first
    graph.target.resize(half.link.size())
    for k in range(<i32_t> half.link.size()):
        graph.target[k] = other.end[half.link[k]]
    graph.left_capacity.assign(n, 0)
    graph.right_capacity.assign(graph.n_right, 1)
    half.covered.assign(half.length, 0)
    half.state.assign(n, OPEN)
    drop(half)
    while changed:
        changed = False
        for i in range(n):
            graph.left_capacity[i] = half.state[i] != DROPPED
        prepare(graph)
        saturate(graph)
        reach(graph)
        for i in range(n):
            if half.state[i] == OPEN and graph.left_seen[i] != graph.search:
                half.state[i] = CHOSEN
                settle(half.covered.data(), half.member[i])
                changed = True
        changed = changed and drop(half)

    prepare(graph)
    for i in range(n):
        graph.left_capacity[i] = half.state[i] == CHOSEN
        if half.state[i] == CHOSEN:
            augment(graph, i)
        elif half.state[i] == OPEN:
            best = 2 * LINK
            for k in range(half.first[i], half.first[i + 1]):
                best = min(best, cost[half.link[k]])
            heap.push_back(pair[i64_t, i64_t](member_gain(half, i),
                                              -(<i64_t> best << 32 | i)))
            push_heap(heap.begin(), heap.end())
    while heap.size():
        pop_heap(heap.begin(), heap.end())
        i = <i32_t> (-heap.back().second % (<i64_t> 1 << 32))
        most = member_gain(half, i)
        if most < heap.back().first:
            heap.back().first = most
            if most:
                push_heap(heap.begin(), heap.end())
                continue
        heap.pop_back()
        if most:
            graph.left_capacity[i] = 1
            if augment(graph, i):
                half.state[i] = CHOSEN
                settle(half.covered.data(), half.member[i])
            else:
                graph.left_capacity[i] = 0
    for i in range(n):
        if half.state[i] == OPEN:
            half.state[i] = DROPPED
    drop(half)
    return 0


cdef int join(Half* ref, Half* hyp, const vector[i32_t]& cost, Watch* watch) except -1 nogil:
    # Matches all chosen n-grams at the least cost (step 2). Links that stand alone need no search.
    cdef Transport problem
    cdef vector[i32_t] ref_degree, hyp_degree, hyp_number, link
    cdef i32_t k, x, y, j, n_chosen
    ref_degree.assign(ref.member.size(), 0)
    hyp_degree.assign(hyp.member.size(), 0)
    hyp_number.assign(hyp.member.size(), -1)
    ref.mate.assign(ref.member.size(), -1)
    hyp.mate.assign(hyp.member.size(), -1)
    for k in range(<i32_t> cost.size()):
        if ref.state[ref.end[k]] == CHOSEN or hyp.state[hyp.end[k]] == CHOSEN:
            ref_degree[ref.end[k]] += 1
            hyp_degree[hyp.end[k]] += 1
    problem.watch = watch
    problem.n_left = 0
    problem.n_right = 0
    for x in range(<i32_t> ref.member.size()):
        if ref_degree[x] == 0:
            continue
        problem.first.push_back(<i32_t> link.size())
        for j in range(ref.first[x], ref.first[x + 1]):
            k = ref.link[j]
            y = hyp.end[k]
            n_chosen = (ref.state[x] == CHOSEN) + (hyp.state[y] == CHOSEN)
            if n_chosen == 0:
                continue
            if ref_degree[x] == 1 and hyp_degree[y] == 1:
                ref.mate[x] = k
                hyp.mate[y] = k
                continue
            if hyp_number[y] < 0:
                hyp_number[y] = problem.n_right
                problem.n_right += 1
            link.push_back(k)
            problem.target.push_back(hyp_number[y])
            problem.profit.push_back(n_chosen * PROFIT - cost[k])
        if ref.mate[x] < 0:
            problem.n_left += 1
        else:
            problem.first.pop_back()
    problem.first.push_back(<i32_t> link.size())
    problem.supply.assign(problem.n_left, 1)
    problem.demand.assign(problem.n_right, 1)
    carry(&problem)
    for j in range(<i32_t> link.size()):
        if problem.flow[j]:
            ref.mate[ref.end[link[j]]] = link[j]
            hyp.mate[hyp.end[link[j]]] = link[j]
    return 0


cdef i64_t lay(Half* half, i32_t i, i32_t by) noexcept nogil:
    # Adds a matched n-gram, or takes it away, by 1 or -1; returns the weight of what is newly
    # covered, or uncovered.
    cdef i32_t last = half.member[i] & 7, start, order, cell, bare = 0 if by < 0 else 1
    cdef i64_t total = 0
    for start in range(last + 1):
        for order in range(last - start + 1):
            cell = ((half.member[i] >> 3) + start) << 3 | order
            half.count[cell] += by
            if half.count[cell] == bare:
                total += 1 if half.weight == NULL else half.weight[cell]
    return total


cdef bint exchange(Half* half, Half* other, const vector[i32_t]& cost) noexcept nogil:
    # Exchanges n-grams of `half` (step 3). Returns whether anything changed.
    cdef bint changed = False
    cdef i32_t p, j, k, better, old, new
    cdef i64_t lost
    for p in range(<i32_t> other.member.size()):
        k = other.mate[p]
        if k < 0:
            continue
        for j in range(other.first[p], other.first[p + 1]):
            better = other.link[j]
            old = half.end[k]
            new = half.end[better]
            if cost[better] >= cost[k] or half.mate[new] >= 0:
                continue
            lost = lay(half, old, -1)
            if lay(half, new, 1) != lost:
                lay(half, new, -1)
                lay(half, old, 1)
                continue
            half.mate[old] = -1
            half.mate[new] = better
            other.mate[p] = better
            k = better
            changed = True
    return changed


cdef int settle_links(Half* ref, Half* hyp, const vector[i32_t]& cost,
                      Watch* watch) except -1 nogil:
    cdef i32_t x, k, y
    cdef i64_t lost
    cdef bint changed = True
    ref.count.assign(ref.length << 3, 0)
    hyp.count.assign(hyp.length << 3, 0)
    for x in range(<i32_t> ref.member.size()):
        if ref.mate[x] >= 0:
            lay(ref, x, 1)
            lay(hyp, hyp.end[ref.mate[x]], 1)
    while changed:  # each time at less cost
        changed = exchange(ref, hyp, cost)
        changed |= exchange(hyp, ref, cost)
        charge(watch, 4 * <i64_t> cost.size())
    for x in range(<i32_t> ref.member.size()):
        k = ref.mate[x]
        if k < 0:
            continue
        y = hyp.end[k]
        lost = lay(ref, x, -1)
        lost += lay(hyp, y, -1)
        if lost:
            lay(ref, x, 1)
            lay(hyp, y, 1)
        else:
            ref.mate[x] = -1
            hyp.mate[y] = -1
    return 0


cdef bint same_text(const Sentence* hyp, i32_t h, i32_t h_end, const Sentence* ref, i32_t r,
                    i32_t r_end) noexcept nogil:
    # Whether two n-grams, written without spaces, are equal.
    cdef i32_t n_hyp = 0, n_ref = 0, i = 0, j = 0
    cdef const u32_t* hyp_letter = NULL
    cdef const u32_t* ref_letter = NULL
    while True:
        while i == n_hyp and h < h_end:
            hyp_letter = spelled(hyp.known, hyp.token + h, &n_hyp)
            h += 1
            i = 0
        while j == n_ref and r < r_end:
            ref_letter = spelled(ref.known, ref.token + r, &n_ref)
            r += 1
            j = 0
        if i == n_hyp or j == n_ref:
            return i == n_hyp and j == n_ref
        if hyp_letter[i] != ref_letter[j]:
            return False
        i += 1
        j += 1


cdef object cover_of(const Half* half, i32_t max_order, i64_t* value):
    # Returns 1 for each covered n-gram and 0 for the others, by order, then position; `value` gets
    # the weight of the covered ones.
    cdef i32_t order, start, at = 0, total = 0
    for order in range(min(max_order, half.length)):
        total += half.length - order
    cover = np.empty(total, np.float64)
    cdef double[::1] view = cover
    value[0] = 0
    for order in range(min(max_order, half.length)):
        for start in range(half.length - order):
            view[at] = half.count[start << 3 | order] > 0
            if half.count[start << 3 | order]:
                value[0] += 1 if half.weight == NULL else half.weight[start << 3 | order]
            at += 1
    return cover


cdef int check_links(Sentences hyp, Py_ssize_t hyp_sentence, Sentences ref, Py_ssize_t ref_sentence,
                     const i32_t[:, ::1] links) except -1:
    cdef Py_ssize_t k
    if not (0 <= hyp_sentence < hyp.n_sentences and 0 <= ref_sentence < ref.n_sentences):
        raise IndexError("no such sentence")
    cdef i64_t n_hyp = hyp.start[hyp_sentence + 1] - hyp.start[hyp_sentence]
    cdef i64_t n_ref = ref.start[ref_sentence + 1] - ref.start[ref_sentence]
    for k in range(links.shape[0]):
        if not (0 <= links[k, 0] <= n_hyp - links[k, 1] and 1 <= links[k, 1] <= hyp.max_order
                and 0 <= links[k, 2] <= n_ref - links[k, 3] and 1 <= links[k, 3] <= hyp.max_order):
            raise IndexError("a link without its n-grams")
    return 0


def whole_solution(Sentences hyp not None, Py_ssize_t hyp_sentence, Sentences ref not None,
                   Py_ssize_t ref_sentence, const i32_t[:, ::1] links not None,
                   double time_limit=0):
    """A solution whose weights are 0 or 1, for the links of a pair as `link_pairs` gives them.

    Returns which links have weight 1; which links join n-grams with the same text; the coverage of
    each n-gram of the hypothesis, then of the reference, by order and position; and the sums of
    both, in the kernels' whole numbers. Raises TimeoutError as `cover_pairs` does.
    """
    check_links(hyp, hyp_sentence, ref, ref_sentence, links)
    if (hyp.weights is None) != (ref.weights is None):
        raise ValueError("both sides must have weights, or neither")
    cdef Sentence h = sentence_of(hyp, hyp_sentence, COARSEST)
    cdef Sentence r = sentence_of(ref, ref_sentence, COARSEST)
    cdef Py_ssize_t n = links.shape[0], k
    cdef Half[2] halves  # reference, hypothesis
    cdef Half* of_ref = &halves[0]
    cdef Half* of_hyp = &halves[1]
    cdef Weights hyp_weights = hyp.weights, ref_weights = ref.weights
    cdef Watch watch = watch_for(time_limit)
    cdef vector[i32_t] cost
    cdef i64_t apart, hyp_value, ref_value
    of_ref.length = r.n_tokens
    of_hyp.length = h.n_tokens
    of_ref.weight = NULL
    of_hyp.weight = NULL
    if ref_weights is not None:
        of_ref.weight = ref_weights.cell.data() + (ref.start[ref_sentence] << 3)
        of_hyp.weight = hyp_weights.cell.data() + (hyp.start[hyp_sentence] << 3)
    chosen, equal = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    cdef i8_t[::1] chosen_view = chosen.view(np.int8), equal_view = equal.view(np.int8)
    with nogil:
        cost.resize(n)
        for k in range(n):
            equal_view[k] = same_text(&h, links[k, 0], links[k, 0] + links[k, 1],
                                      &r, links[k, 2], links[k, 2] + links[k, 3])
            apart = <i64_t> links[k, 0] * r.n_tokens - <i64_t> links[k, 2] * h.n_tokens
            apart = max(apart, -apart)
            cost[k] = <i32_t> (LINK + (0 if equal_view[k] else LINK // 10)
                               + LINK // 10 * apart // (<i64_t> h.n_tokens * r.n_tokens))
        number_members(of_ref, links, 2)
        number_members(of_hyp, links, 0)
        choose(of_ref, of_hyp, cost, &watch)
        choose(of_hyp, of_ref, cost, &watch)
        join(of_ref, of_hyp, cost, &watch)
        settle_links(of_ref, of_hyp, cost, &watch)
        for k in range(n):
            chosen_view[k] = of_ref.mate[of_ref.end[k]] == k
    hyp_cover = cover_of(of_hyp, hyp.max_order, &hyp_value)
    ref_cover = cover_of(of_ref, hyp.max_order, &ref_value)
    return chosen, equal, hyp_cover, ref_cover, hyp_value, ref_value


# ---- why two n-grams are linked ----

cdef int list_words(const Sentence* sentence, i32_t max_order, vector[i32_t]& word) except -1 nogil:
    cdef i32_t f
    word.assign(sentence.n_tokens << 3, -1)
    for f in range(sentence.n_occurrences):
        if sentence.occurrence[f].order <= max_order:
            word[sentence.occurrence[f].start << 3 | (sentence.occurrence[f].order - 1)] = (
                sentence.occurrence[f].word)
    return 0


cdef bint share_a_group(const Sentence* hyp, i32_t a, i32_t b) noexcept nogil:
    # Whether two words share a group, in the grade that the hypothesis was read with.
    cdef i32_t i, j
    for i in range(hyp.group_start[<i64_t> a * hyp.stride], hyp.group_stop[<i64_t> a * hyp.stride]):
        for j in range(hyp.group_start[<i64_t> b * hyp.stride],
                       hyp.group_stop[<i64_t> b * hyp.stride]):
            if hyp.group[i] == hyp.group[j]:
                return True
    return False


cdef bint start_equal(const Cutter* self, i32_t h_end, i32_t r_end, Piece* piece) noexcept nogil:
    # The shortest pieces with the same text at the start of two n-grams; whether there are any.
    cdef i32_t n_hyp = 0, n_ref = 0, n
    while n_hyp != n_ref or n_hyp == 0:
        if n_hyp <= n_ref:
            if piece.hyp_end == h_end:
                return False
            spelled(self.hyp.known, self.hyp.token + piece.hyp_end, &n)
            n_hyp += n
            piece.hyp_end += 1
        else:
            if piece.ref_end == r_end:
                return False
            spelled(self.ref.known, self.ref.token + piece.ref_end, &n)
            n_ref += n
            piece.ref_end += 1
    return same_text(self.hyp, piece.hyp, piece.hyp_end, self.ref, piece.ref, piece.ref_end)


cdef bint cut(Cutter* self, i32_t h, i32_t h_end, i32_t r, i32_t r_end,
              bint first) except -1 nogil:
    # Appends the pieces of two n-grams, equal ones where possible; whether there are any.
    cdef Piece piece
    cdef i32_t a, b
    piece.hyp = h
    piece.hyp_end = h
    piece.ref = r
    piece.ref_end = r
    piece.hyp_word = -1
    piece.ref_word = -1
    if start_equal(self, h_end, r_end, &piece) and cut_after(self, &piece, h_end, r_end):
        return True
    for a in range(1, h_end - h + 1):
        piece.hyp_word = self.hyp_word[h << 3 | (a - 1)]
        if piece.hyp_word < 0:
            continue
        for b in range(1, r_end - r + 1):
            piece.ref_word = self.ref_word[r << 3 | (b - 1)]
            # The authors' program does not start with synonyms of two tokens or more each.
            if piece.ref_word < 0 or (self.release and first and a > 1 and b > 1):
                continue
            piece.hyp_end = h + a
            piece.ref_end = r + b
            if share_a_group(self.hyp, piece.hyp_word, piece.ref_word) and cut_after(
                    self, &piece, h_end, r_end):
                return True
    return False


cdef bint cut_after(Cutter* self, const Piece* piece, i32_t h_end, i32_t r_end) except -1 nogil:
    # Appends the piece and those of what follows it, if these exist.
    if (piece.hyp_end == h_end) != (piece.ref_end == r_end):
        return False
    self.piece.push_back(piece[0])
    if piece.hyp_end == h_end or cut(self, piece.hyp_end, h_end, piece.ref_end, r_end, False):
        return True
    self.piece.pop_back()
    return False


def cut_links(Sentences hyp not None, Py_ssize_t hyp_sentence, Sentences ref not None,
              Py_ssize_t ref_sentence, const i32_t[:, ::1] links not None, bint release,
              i32_t grade=COARSEST):
    """The aligned pieces of each link, by a grade of the lexicon; none if it is not a link there.

    A piece is (hyp start, hyp stop, ref start, ref stop, hyp word, ref word); the words are the
    lexicon's, or -1 if the text is the same.
    """
    check_links(hyp, hyp_sentence, ref, ref_sentence, links)
    cdef Sentence h = sentence_of(hyp, hyp_sentence, check_grade(hyp, grade))
    cdef Sentence r = sentence_of(ref, ref_sentence, COARSEST)
    cdef Cutter cutter
    cdef Piece piece
    cdef Py_ssize_t k
    cdef size_t i
    cutter.hyp = &h
    cutter.ref = &r
    cutter.release = release
    list_words(&h, hyp.max_order, cutter.hyp_word)
    list_words(&r, hyp.max_order, cutter.ref_word)
    found = []
    for k in range(links.shape[0]):
        cutter.piece.clear()
        cut(&cutter, links[k, 0], links[k, 0] + links[k, 1], links[k, 2],
            links[k, 2] + links[k, 3], True)
        pieces = []
        for i in range(cutter.piece.size()):
            piece = cutter.piece[i]
            pieces.append((piece.hyp, piece.hyp_end, piece.ref, piece.ref_end, piece.hyp_word,
                           piece.ref_word))
        found.append(pieces)
    return found
