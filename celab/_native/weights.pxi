"""Weights: the weight of each n-gram, from those of its tokens (section 5.3 of the paper).

With i(t) the weight of token t and γ = a / b the decay,

    m(X) = γ^(n - 1) · (mean of i(t) over the n tokens of X)

All of them times b^(N - 1) · lcm(1 … N) are whole numbers if the i(t) are, N being the longest
order: factor[n - 1] times the sum of the i(t), where factor[n - 1] = lcm / n · a^(n-1) · b^(N-n).
"""

cdef inline i32_t common(i32_t a, i32_t b) noexcept nogil:
    # The greatest common divisor; that of 0 and b is b.
    while b:
        a, b = b, a % b
    return a


cdef class Weights:
    """The weights of all n-grams of some sentences.

    `letters` has the whole-number weight of each code point as a token; `weigh` is called with each
    longer token, once.
    """

    def __init__(self, Sentences sentences not None, const unsigned char[::1] letters not None,
                 weigh, const i32_t[::1] factor not None):
        cdef size_t n_tokens = sentences.token.size(), k
        cdef i32_t n_letters, token
        cdef const u32_t* letter
        cdef vector[i32_t] weight, of_long
        cdef size_t n_long = sentences.vocabulary.own.first + sentences.vocabulary.own.n_entries
        if letters.shape[0] != FIRST_LONG_ID:
            raise ValueError("one weight per code point is needed")
        if factor.shape[0] != sentences.max_order:
            raise ValueError("one factor per order is needed")
        self.max_order = sentences.max_order
        of_long.assign(n_long - FIRST_LONG_ID, -1)
        weight.resize(n_tokens)
        for k in range(n_tokens):
            token = sentences.token[k]
            if token < FIRST_LONG_ID:
                weight[k] = letters[token]
                continue
            token -= FIRST_LONG_ID
            if of_long[token] < 0:
                letter = spelled(&sentences.vocabulary.own, &sentences.token[k], &n_letters)
                of_long[token] = weigh(text_of(letter, n_letters))
            weight[k] = of_long[token]
        with nogil:
            self.add_up(weight, sentences.start, &factor[0])

    cdef int add_up(self, const vector[i32_t]& weight, const vector[i64_t]& start,
                    const i32_t* factor) except -1 nogil:
        cdef size_t s
        cdef i64_t i, end, total
        cdef i32_t order, divisor, most, sum_
        self.cell.assign(weight.size() << 3, 0)
        for s in range(start.size() - 1):
            total = 0
            divisor = 0
            end = start[s + 1]
            for i in range(start[s], end):
                divisor = common(divisor, weight[i])
                sum_ = 0
                most = <i32_t> min(<i64_t> self.max_order, end - i)
                for order in range(most):
                    sum_ += weight[i + order]
                    self.cell[i << 3 | order] = factor[order] * sum_
                    total += factor[order] * sum_
            self.total.push_back(total)
            self.divisor.push_back(divisor)
        return 0

    def totals(self):
        """The sum over all n-grams of each sentence."""
        return np.array(self.total, np.int64)

    def divisors(self):
        """The greatest common divisor of the tokens' weights, of each sentence."""
        return np.array(self.divisor, np.int64)

    def ngrams(self, Sentences sentences not None, Py_ssize_t sentence):
        """The weights of one of these sentences' n-grams, by order, then position."""
        if not 0 <= sentence < sentences.n_sentences:
            raise IndexError("no such sentence")
        cdef i64_t begin = sentences.start[sentence], end = sentences.start[sentence + 1], i
        cdef i32_t order
        return np.array([self.cell[i << 3 | order] for order in range(self.max_order)
                         for i in range(begin, end - order)], np.int64)
