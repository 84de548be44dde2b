"""Kinds: the links of long text, between kinds of n-grams instead of n-grams.

Whether two n-grams are linked depends on their texts alone (see `links`), so of a text in which a
character stands a thousand times, a million links say the same. Let n-grams of one side be of one
kind only if they are linked with the same n-grams of the other side. Which n-grams can be matched
together then depends, by Hall's theorem, on how many there are of each kind, and on nothing else
about them. So a kind needs one node, with the number of its n-grams as capacity, and links with
kinds of the other side. There are about as many of these as the text has n-grams.

1. Texts. The units of the links are n-grams P and Q with equal text, or with words that share a
   lexicon group. Here all n-grams with equal text are units, not only the shortest pairs. That adds
   no link, because such n-grams fall into shortest pairs.

2. Senses. A group matters if it has two different words of the pair, and words on both sides. If
   groups of a word matter, they are its sense; otherwise its sense is its text, if both sides have
   it. Units with the same sense match the same units: if the sense is a set of groups, it is not
   empty, and they match whatever has one of these groups, which includes units of equal text.

       P and Q are a unit  ⟺  sense(P) ~ sense(Q), i.e. they are equal or have a group in common

3. Kinds. X of the reference and Y of the hypothesis are linked if both are empty, or if

       X = P X',  Y = Q Y',  sense(P) ~ sense(Q),  and X' and Y' are linked

   so what X is linked with follows from the set

       parts(X) = { (sense(P), kind(X')) : X = P X', P has a sense, X' is empty or has links }

   N-grams with the same parts are of one kind, of whatever order. By induction over the order, they
   have the same links: the formula uses no other property of X. The same holds for Y.

4. Links of kinds. For (s, x') ∈ parts(x), s ~ t and y' linked with x', all kinds y of the
   hypothesis with (t, y') ∈ parts(y) are linked with x. The kinds y of each y' are sorted by t, so
   that they are searched, not tried.
"""

cdef enum:
    REF = 1
    HYP = 2
    BOTH = 3
    SEVERAL = 4  # flag of a group: it has two different texts
    MATTERS = 7

cdef u64_t WORD_KEY = (<u64_t> 1) << 62  # tags of keys, so that no two kinds of keys are equal
cdef u64_t LIST_KEY = (<u64_t> 1) << 63


cdef int start_numbering(Numbering* self, i32_t expected) except -1 nogil:
    cdef size_t size = 64
    while size < 2 * <size_t> expected:
        size *= 2
    self.key.resize(size)
    self.number.assign(size, 0)
    self.n = 0
    return 0


cdef inline size_t slot_of(const Numbering* self, u64_t key) noexcept nogil:
    cdef size_t mask = self.key.size() - 1
    cdef size_t at = <size_t> (key * <u64_t> 0x9E3779B97F4A7C15 >> 32)
    at = (at ^ at >> 15) & mask
    while self.number[at] and self.key[at] != key:
        at = (at + 1) & mask
    return at


cdef int widen(Numbering* self) except -1 nogil:
    cdef vector[u64_t] key
    cdef vector[i32_t] number
    cdef size_t k, at
    key.swap(self.key)
    number.swap(self.number)
    self.key.resize(2 * key.size())
    self.number.assign(2 * key.size(), 0)
    for k in range(key.size()):
        if number[k]:
            at = slot_of(self, key[k])
            self.key[at] = key[k]
            self.number[at] = number[k]
    return 0


cdef inline i32_t number_of(Numbering* self, u64_t key) except -1 nogil:
    cdef size_t at = slot_of(self, key)
    if self.number[at] == 0:
        if 2 * <size_t> self.n >= self.key.size():
            widen(self)
            at = slot_of(self, key)
        self.n += 1
        self.key[at] = key
        self.number[at] = self.n
    return self.number[at]


cdef inline u64_t pair_key(i32_t a, i32_t b) noexcept nogil:
    return (<u64_t> a) << 31 | <u64_t> b


# ---- 1. text ----

cdef bint same_letters(const Sentence* a, i32_t i, i32_t i_stop, const Sentence* b, i32_t j,
                       i32_t j_stop) noexcept nogil:
    cdef i32_t a_left = 0, b_left = 0, n, k
    cdef const u32_t* a_letter = NULL
    cdef const u32_t* b_letter = NULL
    while True:
        if a_left == 0 and i < i_stop:
            a_letter = spelled(a.known, a.token + i, &a_left)
            i += 1
        if b_left == 0 and j < j_stop:
            b_letter = spelled(b.known, b.token + j, &b_left)
            j += 1
        if a_left == 0 or b_left == 0:
            return a_left == b_left
        n = min(a_left, b_left)
        for k in range(n):
            if a_letter[k] != b_letter[k]:
                return False
        a_letter += n
        b_letter += n
        a_left -= n
        b_left -= n


cdef bint same_tokens(const Sentence* a, i32_t i, i32_t a_order, const Sentence* b, i32_t j,
                      i32_t b_order) noexcept nogil:
    cdef i32_t k
    if a_order != b_order:
        return False
    for k in range(a_order):
        if a.token[i + k] != b.token[j + k]:
            return False
    return True


cdef i32_t new_text(Kinds* self, u64_t hash, i32_t side, i32_t start,
                    i32_t order) except -1 nogil:
    cdef Text text
    text.hash = hash
    text.side = side
    text.start = start
    text.order = order
    text.word = -1
    text.sides = 0
    text.recut = False
    self.text.push_back(text)
    return <i32_t> self.text.size() - 1


cdef i32_t text_with(Kinds* self, const Sentence** sentence, u64_t hash, i32_t side, i32_t start,
                     i32_t order, bint add) except -2 nogil:
    # The number of an n-gram's text in `text`, of those that have been added, or -1.
    cdef size_t mask = self.text_slot.size() - 1
    cdef size_t at = <size_t> (hash >> 20) & mask
    cdef i32_t t
    cdef Text* text
    while self.text_slot[at] >= 0:
        t = self.text_slot[at]
        text = &self.text[t]
        if text.hash == hash and same_letters(
                sentence[text.side], text.start, text.start + text.order, sentence[side], start,
                start + order):
            if not text.recut:
                text.recut = not same_tokens(sentence[text.side], text.start, text.order,
                                             sentence[side], start, order)
            return t
        at = (at + 1) & mask
    if not add:
        return -1
    self.text_slot[at] = new_text(self, hash, side, start, order)
    return self.text_slot[at]


cdef inline u64_t add_letters(const Sentence* sentence, i32_t i, u64_t hash) noexcept nogil:
    cdef i32_t n, k
    cdef const u32_t* letter = spelled(sentence.known, sentence.token + i, &n)
    for k in range(n):
        hash = (hash ^ <u64_t> letter[k]) * <u64_t> 0x9E3779B97F4A7C15
        hash ^= hash >> 29
    return hash


cdef int find_long_texts(Kinds* self, const Sentence** sentence, i32_t max_order) except -1 nogil:
    # Numbers the texts of n-grams with a token of several letters, then of those that are spelled
    # like one of them. `sense` of a member becomes the number of its text + 1.
    cdef i32_t i, order, side, t, n_long = 0
    cdef u64_t hash
    cdef bint add, is_long
    cdef KindSide* own
    cdef size_t size = 64
    cdef u64_t[256] passes  # a bit for each hash, most others being 0
    for side in range(2):
        for i in range(sentence[side].n_tokens):
            n_long += sentence[side].token[i] >= FIRST_LONG_ID
    if n_long == 0:
        return 0
    while size < 4 * <size_t> max_order * n_long:
        size *= 2
    self.text_slot.assign(size, -1)
    for i in range(256):
        passes[i] = 0
    for add in (True, False):
        for side in range(2):
            own = &self.hyp if side else &self.ref
            for i in range(own.length):
                if i & 1023 == 0:
                    charge(self.watch, 1024 * max_order)
                hash = 0
                is_long = False
                for order in range(1, min(max_order, own.length - i) + 1):
                    hash = add_letters(sentence[side], i + order - 1, hash)
                    is_long |= sentence[side].token[i + order - 1] >= FIRST_LONG_ID
                    if is_long != add:
                        continue
                    if add:
                        passes[hash >> 56] |= (<u64_t> 1) << (hash >> 50 & 63)
                    elif order == 1 or not passes[hash >> 56] >> (hash >> 50 & 63) & 1:
                        continue
                    t = text_with(self, sentence, hash, side, i, order, add)
                    own.sense[i << 3 | (order - 1)] = t + 1
    return 0


cdef int find_texts(Kinds* self, const Sentence** sentence, i32_t max_order) except -1 nogil:
    # `sense` of each member that could be a unit becomes the number of its text + 1.
    cdef i32_t i, side, member, k, number
    cdef u64_t key
    cdef KindSide* own
    cdef const Sentence* words
    self.text.clear()
    for side in range(2):
        own = &self.hyp if side else &self.ref
        own.length = sentence[side].n_tokens
        own.sense.assign(<size_t> own.length << 3, 0)
    find_long_texts(self, sentence, max_order)
    start_numbering(&self.numbering, self.ref.length // 2 + self.hyp.length // 2)
    self.numbered.assign(1, 0)
    for side in range(2):
        own = &self.hyp if side else &self.ref
        for i in range(own.length):
            if sentence[side].token[i] < FIRST_LONG_ID:
                number = number_of(&self.numbering, sentence[side].token[i])
                if number == <i32_t> self.numbered.size():
                    self.numbered.push_back(new_text(self, 0, side, i, 1))
                own.sense[i << 3] = self.numbered[number] + 1
        charge(self.watch, own.length)
    if sentence[1].n_occurrences == 0:
        return 0
    for side in range(2):
        own = &self.hyp if side else &self.ref
        words = sentence[side]
        for k in range(words.n_occurrences):
            member = words.occurrence[k].start << 3 | (words.occurrence[k].order - 1)
            if own.sense[member] == 0:
                key = WORD_KEY | <u64_t> words.occurrence[k].word
                number = number_of(&self.numbering, key)
                if number == <i32_t> self.numbered.size():
                    self.numbered.push_back(new_text(
                        self, 0, side, words.occurrence[k].start, words.occurrence[k].order))
                own.sense[member] = self.numbered[number] + 1
            self.text[own.sense[member] - 1].word = words.occurrence[k].word
        charge(self.watch, words.n_occurrences)
    return 0


# ---- 2. senses ----

cdef int find_groups(Kinds* self, const Sentence* hyp) except -1 nogil:
    # The groups of all words, and which of them matter.
    cdef size_t t
    cdef i32_t k, g
    cdef i64_t w
    if <i32_t> self.group_text.size() < hyp.last_group - hyp.first_group:
        self.group_text.resize(hyp.last_group - hyp.first_group, 0)
        self.group_flags.resize(self.group_text.size(), 0)
        self.group_entry.resize(self.group_text.size(), -1)
    self.group_used.clear()
    for t in range(self.text.size()):
        if self.text[t].word < 0:
            continue
        w = <i64_t> self.text[t].word * hyp.stride
        for k in range(hyp.group_start[w], hyp.group_stop[w]):
            g = hyp.group[k] - hyp.first_group
            if self.group_text[g] == 0:
                self.group_text[g] = <i32_t> t + 1
                self.group_used.push_back(g)
            elif self.group_text[g] != <i32_t> t + 1:
                self.group_flags[g] |= SEVERAL
            self.group_flags[g] |= <i8_t> self.text[t].sides
    return 0


cdef void forget_groups(Kinds* self) noexcept nogil:
    cdef size_t k
    for k in range(self.group_used.size()):
        self.group_text[self.group_used[k]] = 0
        self.group_flags[self.group_used[k]] = 0
        self.group_entry[self.group_used[k]] = -1


cdef int find_senses(Kinds* self, const Sentence* hyp) except -1 nogil:
    # `text_sense`, and the senses, numbered from 1.
    cdef size_t t
    cdef i32_t k, g, number
    cdef i64_t w
    cdef const Text* text
    self.text_sense.assign(self.text.size(), 0)
    self.sense_text.assign(1, -1)
    self.sense_sides.assign(1, 0)
    start_numbering(&self.numbering, 1024)
    self.numbered.assign(1, 0)
    for t in range(self.text.size()):
        text = &self.text[t]
        number = 0
        if text.word >= 0:
            w = <i64_t> text.word * hyp.stride
            for k in range(hyp.group_start[w], hyp.group_stop[w]):
                g = hyp.group[k] - hyp.first_group
                if self.group_flags[g] == MATTERS:
                    number = number_of(&self.numbering, pair_key(number, g))
        if number:
            if <i32_t> self.numbered.size() <= number:
                self.numbered.resize(number + 1, 0)
            if self.numbered[number] == 0:
                self.numbered[number] = <i32_t> self.sense_text.size()
                self.sense_text.push_back(<i32_t> t)
                self.sense_sides.push_back(0)
            self.text_sense[t] = self.numbered[number]
            self.sense_sides[self.numbered[number]] |= text.sides
        elif text.sides == BOTH and (text.order == 1 or text.recut):
            # If it is longer, and nowhere cut in another way, its tokens are units.
            self.text_sense[t] = <i32_t> self.sense_text.size()
            self.sense_text.push_back(<i32_t> t)
            self.sense_sides.push_back(BOTH)
    return 0


cdef int relate_senses(Kinds* self, const Sentence* hyp) except -1 nogil:
    # Lists the senses of the hypothesis that match each sense of the reference, in order.
    cdef i32_t s, n = <i32_t> self.sense_text.size(), k, g, e, other
    cdef i64_t w
    cdef const Text* text
    self.entry_sense.clear()
    self.entry_before.clear()
    for s in range(1, n):
        text = &self.text[self.sense_text[s]]
        if text.word < 0 or not self.sense_sides[s] & HYP:
            continue
        w = <i64_t> text.word * hyp.stride
        for k in range(hyp.group_start[w], hyp.group_stop[w]):
            g = hyp.group[k] - hyp.first_group
            if self.group_flags[g] == MATTERS:
                self.entry_sense.push_back(s)
                self.entry_before.push_back(self.group_entry[g])
                self.group_entry[g] = <i32_t> self.entry_sense.size() - 1
    self.related.clear()
    self.related_first.assign(1, 0)
    self.mark.assign(n, 0)
    for s in range(n):
        if s and self.sense_sides[s] & REF:
            if self.sense_sides[s] & HYP:
                self.mark[s] = s
                self.related.push_back(s)
            text = &self.text[self.sense_text[s]]
            if text.word >= 0:
                w = <i64_t> text.word * hyp.stride
                for k in range(hyp.group_start[w], hyp.group_stop[w]):
                    e = self.group_entry[hyp.group[k] - hyp.first_group]
                    while e >= 0:
                        other = self.entry_sense[e]
                        if self.mark[other] != s:
                            self.mark[other] = s
                            self.related.push_back(other)
                        e = self.entry_before[e]
            charge(self.watch, 1 + <i64_t> self.related.size() - self.related_first[s])
            sort(self.related.begin() + self.related_first[s], self.related.end())
        self.related_first.push_back(<i32_t> self.related.size())
    return 0


cdef void replace_texts_by_senses(Kinds* self, KindSide* own) noexcept nogil:
    cdef size_t member
    for member in range(own.sense.size()):
        if own.sense[member]:
            own.sense[member] = self.text_sense[own.sense[member] - 1]


cdef void note_side(Kinds* self, const KindSide* own, i32_t side) noexcept nogil:
    # Notes the side of each text that it has.
    cdef size_t member
    for member in range(own.sense.size()):
        if own.sense[member]:
            self.text[own.sense[member] - 1].sides |= side


# ---- 3. kinds ----

cdef int start_kinds(Kinds* self, KindSide* own) except -1 nogil:
    start_numbering(&self.numbering, 4 * own.length)
    self.numbered.assign(1, 0)
    own.kind.assign(<size_t> own.length << 3, -1)
    own.following.resize(<size_t> own.length << 3)
    own.first_member.assign(1, -1)
    own.count.assign(1, 0)
    own.part.clear()
    own.part_first.assign(2, 0)
    own.n_kinds = 1
    return 0


cdef inline i32_t part_of(const KindSide* own, i32_t start, i32_t unit, i32_t order,
                          i32_t* sense) noexcept nogil:
    # Returns the kind of the rest of an n-gram after a unit, and sets the sense of the unit; -1 if
    # they are no part.
    sense[0] = own.sense[start << 3 | (unit - 1)]
    if sense[0] == 0:
        return -1
    if unit == order:
        return 0
    return own.kind[(start + unit) << 3 | (order - unit - 1)]


cdef int number_kinds(Kinds* self, KindSide* own, i32_t order) except -1 nogil:
    # The kinds of n-grams of this order; those of shorter ones are known.
    cdef i32_t start, unit, sense, rest, number, this_number, kind, member
    cdef Part part
    for start in range(own.length - order, -1, -1):
        if start & 1023 == 0:
            charge(self.watch, 1024)
        number = 0
        for unit in range(1, order + 1):
            rest = part_of(own, start, unit, order, &sense)
            if rest < 0:
                continue
            this_number = number_of(&self.numbering, pair_key(sense, rest))
            if number:
                number = number_of(&self.numbering, LIST_KEY | pair_key(number, this_number))
            else:
                number = this_number
        if number == 0:
            continue
        if <i32_t> self.numbered.size() <= number:
            self.numbered.resize(number + 1, 0)
        kind = self.numbered[number]
        if kind == 0:
            kind = own.n_kinds
            own.n_kinds += 1
            self.numbered[number] = kind
            own.first_member.push_back(-1)
            own.count.push_back(0)
            for unit in range(1, order + 1):
                part.rest = part_of(own, start, unit, order, &part.sense)
                if part.rest >= 0:
                    own.part.push_back(part)
            own.part_first.push_back(<i32_t> own.part.size())
        elif kind < <i32_t> own.link_first.size() - 1 and (
                own.link_first[kind] == own.link_first[kind + 1]):
            continue  # known to have no links
        member = start << 3 | (order - 1)
        own.kind[member] = kind
        own.following[member] = own.first_member[kind]
        own.first_member[kind] = member
        own.count[kind] += 1
    return 0


# ---- 4. links of kinds ----

cdef int list_longer(Kinds* self) except -1 nogil:
    # Sorts the parts of the hypothesis' kinds by what is left after the unit, then by sense.
    cdef const KindSide* hyp = &self.hyp
    cdef size_t n = hyp.part.size(), k
    cdef i32_t y
    cdef i32_t n_senses = <i32_t> self.sense_text.size()
    self.by_sense.resize(n)
    self.by_sense_rest.resize(n)
    self.longer.resize(n)
    self.offset.assign(n_senses + 1, 0)
    for k in range(n):
        self.offset[hyp.part[k].sense + 1] += 1
    for k in range(n_senses):
        self.offset[k + 1] += self.offset[k]
    self.longer_first.assign(hyp.n_kinds + 2, 0)
    for y in range(1, hyp.n_kinds):
        for k in range(hyp.part_first[y], hyp.part_first[y + 1]):
            self.by_sense[self.offset[hyp.part[k].sense]].sense = hyp.part[k].sense
            self.by_sense[self.offset[hyp.part[k].sense]].kind = y
            self.by_sense_rest[self.offset[hyp.part[k].sense]] = hyp.part[k].rest
            self.offset[hyp.part[k].sense] += 1
            self.longer_first[hyp.part[k].rest + 2] += 1
    for y in range(hyp.n_kinds):
        self.longer_first[y + 2] += self.longer_first[y + 1]
    for k in range(n):
        y = self.by_sense_rest[k]
        self.longer[self.longer_first[y + 1]] = self.by_sense[k]
        self.longer_first[y + 1] += 1
    charge(self.watch, 4 * <i64_t> n)
    return 0


cdef inline i32_t first_of_sense(const Longer* longer, i32_t begin, i32_t end,
                                 i32_t sense) noexcept nogil:
    cdef i32_t middle
    while begin < end:
        middle = begin + (end - begin) // 2
        if longer[middle].sense < sense:
            begin = middle + 1
        else:
            end = middle
    return begin


cdef inline int add_kind_link(Kinds* self, i32_t x, i32_t y) except -1 nogil:
    if self.seen[y] != x:
        self.seen[y] = x
        self.ref.link.push_back(y)
    return 0


cdef int list_links_after(Kinds* self, i32_t x, i32_t sense, i32_t rest) except -1 nogil:
    # Adds links of kind x: to the hypothesis kinds that begin with a unit that matches this sense
    # and go on with an n-gram of kind `rest`.
    cdef i32_t begin = self.longer_first[rest], end = self.longer_first[rest + 1], k, s
    cdef i32_t first = self.related_first[sense], stop = self.related_first[sense + 1]
    cdef const Longer* longer = self.longer.data()
    if end - begin <= 4 * (stop - first) and stop - first > 1:
        for k in range(begin, end):
            if self.mark[longer[k].sense] == sense:
                add_kind_link(self, x, longer[k].kind)
        return 0
    for s in range(first, stop):
        begin = first_of_sense(longer, begin, end, self.related[s])
        while begin < end and longer[begin].sense == self.related[s]:
            add_kind_link(self, x, longer[begin].kind)
            begin += 1
    return 0


cdef bint list_links(Kinds* self, i64_t most) except -1 nogil:
    # The links of the reference's kinds that are new. A kind without links is taken back.
    cdef KindSide* ref = &self.ref
    cdef i32_t x, sense, s, rest, member, before
    cdef size_t k, m
    for x in range(<i32_t> ref.link_first.size() - 1, ref.n_kinds):
        for k in range(ref.part_first[x], ref.part_first[x + 1]):
            sense = ref.part[k].sense
            rest = ref.part[k].rest
            for s in range(self.related_first[sense], self.related_first[sense + 1]):
                self.mark[self.related[s]] = sense
            if rest == 0:
                list_links_after(self, x, sense, 0)
            else:
                for m in range(ref.link_first[rest], ref.link_first[rest + 1]):
                    list_links_after(self, x, sense, ref.link[m])
                charge(self.watch, 8 * (ref.link_first[rest + 1] - ref.link_first[rest]))
        before = ref.link_first.back()
        ref.link_first.push_back(<i32_t> ref.link.size())
        charge(self.watch, 4 * (<i64_t> ref.link.size() - before + 1))
        if <i64_t> ref.link.size() > most:
            return False
        if before == <i32_t> ref.link.size():
            member = ref.first_member[x]
            while member >= 0:
                ref.kind[member] = -1
                member = ref.following[member]
            ref.first_member[x] = -1
            ref.count[x] = 0
    return True


cdef int turn_links_round(Kinds* self) except -1 nogil:
    cdef KindSide* ref = &self.ref
    cdef KindSide* hyp = &self.hyp
    cdef i32_t x, y
    cdef size_t k
    hyp.link.resize(ref.link.size())
    hyp.link_first.assign(hyp.n_kinds + 2, 0)
    for k in range(ref.link.size()):
        hyp.link_first[ref.link[k] + 2] += 1
    for y in range(hyp.n_kinds):
        hyp.link_first[y + 2] += hyp.link_first[y + 1]
    for x in range(1, ref.n_kinds):
        for k in range(ref.link_first[x], ref.link_first[x + 1]):
            y = ref.link[k]
            hyp.link[hyp.link_first[y + 1]] = x
            hyp.link_first[y + 1] += 1
    hyp.link_first.pop_back()
    charge(self.watch, 4 * <i64_t> ref.link.size())
    return 0


cdef bint link_kinds(Kinds* self, const Sentence* ref, const Sentence* hyp, i32_t max_order,
                     i64_t most) except -1 nogil:
    # Finds the kinds of both sides and their links, by the paper's rules. Returns False if there
    # are more than `most`.
    cdef (const Sentence*)[2] sentence
    cdef i32_t order
    sentence[0] = ref
    sentence[1] = hyp
    find_texts(self, sentence, max_order)
    note_side(self, &self.ref, REF)
    note_side(self, &self.hyp, HYP)
    self.group_used.clear()
    if hyp.n_occurrences:
        find_groups(self, hyp)
    find_senses(self, hyp)
    relate_senses(self, hyp)
    forget_groups(self)
    replace_texts_by_senses(self, &self.ref)
    replace_texts_by_senses(self, &self.hyp)

    start_kinds(self, &self.hyp)
    self.hyp.link_first.clear()
    for order in range(1, max_order + 1):
        number_kinds(self, &self.hyp, order)
    list_longer(self)
    self.mark.assign(self.sense_text.size(), 0)
    self.seen.assign(self.hyp.n_kinds, 0)
    start_kinds(self, &self.ref)
    self.ref.link.clear()
    self.ref.link_first.assign(2, 0)  # kind 0 needs no list
    for order in range(1, max_order + 1):
        number_kinds(self, &self.ref, order)
        if not list_links(self, most):
            return False
    turn_links_round(self)
    return True
