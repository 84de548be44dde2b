"""Random numbers of resamples: PCG64 (O'Neill 2014), seeded and read as NumPy's `Generator` does.

NumPy may change the numbers that its generator draws (NEP 19), and every interval and p-value would
move with them. These stay, and a draw is counted at once. Seeds are mixed by `SeedSequence`'s
hashes; numbers below an end are drawn without bias, by a product of 32 bits (Lemire 2019).
"""
from celab._native.types cimport u32_t, u64_t

cdef enum:
    N_POOL = 4  # words that a seed is mixed into
    N_PARTS = 4  # numbers of 64 bits in a state and an increment
    SHIFT = 16
    INIT_A = 0x43B0D7E5
    MULTIPLIER_A = 0x931E8875
    INIT_B = 0x8B51F9DD
    MULTIPLIER_B = 0x58F38DED
    MULTIPLIER_LEFT = 0xCA01F9DD
    MULTIPLIER_RIGHT = 0x4973F715

cdef extern from *:
    """
    #define MULTIPLIER_HIGH UINT64_C(0x2360ED051FC65DA4)
    #define MULTIPLIER_LOW UINT64_C(0x4385DF649FCCF645)
    """
    const u64_t MULTIPLIER_HIGH
    const u64_t MULTIPLIER_LOW


cdef class Draws:
    """A generator; its seed is a whole number from 0 on, of any size."""

    def __cinit__(self, seed not None):
        cdef u64_t[N_PARTS] part
        write_parts(seed, part)
        self.state = State(0, 0, part[2] << 1 | part[3] >> 63, part[3] << 1 | 1, 0, False)
        step(&self.state)
        self.state.low += part[1]
        self.state.high += part[0] + (self.state.low < part[1])
        step(&self.state)

    def count(self, double[:, ::1] counts not None):
        """Draw as many columns as there are in each row, and write how often each was drawn."""
        cdef Py_ssize_t n_columns = counts.shape[1], row, k, _
        cdef double* count
        cdef State state = self.state  # a copy, which the compiler keeps in registers
        if not 0 < n_columns < 0xFFFFFFFF:
            raise ValueError("there must be columns to draw from, and fewer than 2^32")
        with nogil:
            for row in range(counts.shape[0]):
                count = &counts[row, 0]
                for k in range(n_columns):
                    count[k] = 0
                for _ in range(n_columns):
                    count[below(&state, <u32_t>n_columns)] += 1
        self.state = state

    def fill(self, u32_t[:, ::1] words not None):
        """Write numbers of 32 bits."""
        cdef Py_ssize_t row, k
        with nogil:
            for row in range(words.shape[0]):
                for k in range(words.shape[1]):
                    words[row, k] = next_word(&self.state)


cdef inline void step(State* state) noexcept nogil:
    """Multiply the state and add the increment, modulo 2^128."""
    cdef u64_t high = (
        product_high(state.low, MULTIPLIER_LOW)
        + state.high * MULTIPLIER_LOW
        + state.low * MULTIPLIER_HIGH
    )
    state.low = state.low * MULTIPLIER_LOW + state.increment_low
    state.high = high + state.increment_high + (state.low < state.increment_low)


cdef inline u32_t next_word(State* state) noexcept nogil:
    """Return the lower half of a new number of 64 bits, and then its upper half."""
    cdef u64_t mixed
    cdef int turn
    if state.has_kept:
        state.has_kept = False
        return state.kept
    step(state)
    mixed, turn = state.high ^ state.low, <int>(state.high >> 58)
    mixed = mixed >> turn | mixed << (-turn & 63)
    state.kept, state.has_kept = <u32_t>(mixed >> 32), True
    return <u32_t>mixed


cdef inline u32_t below(State* state, u32_t end) noexcept nogil:
    """Return a number below `end`, each as likely as the others."""
    cdef u64_t product
    cdef u32_t least
    if end == 1:
        return 0
    product = <u64_t>next_word(state) * end
    if <u32_t>product < end:
        least = (0 - end) % end
        while <u32_t>product < least:
            product = <u64_t>next_word(state) * end
    return <u32_t>(product >> 32)


cdef inline u64_t product_high(u64_t a, u64_t b) noexcept nogil:
    """Return the upper half of a product of 128 bits, which some compilers do not have."""
    cdef u64_t a_low = <u32_t>a, a_high = a >> 32, b_low = <u32_t>b, b_high = b >> 32
    cdef u64_t middle = a_high * b_low + (a_low * b_low >> 32)
    cdef u64_t other = a_low * b_high + <u32_t>middle
    return a_high * b_high + (middle >> 32) + (other >> 32)


cdef int write_parts(seed, u64_t* part) except -1:
    """Write the state and the increment that a seed stands for."""
    cdef list words = [seed >> shift & 0xFFFFFFFF for shift in range(0, seed.bit_length(), 32)]
    cdef u32_t[N_POOL] pool
    cdef u32_t constant = INIT_A
    cdef Py_ssize_t source, k
    for k in range(N_POOL):
        pool[k] = hashed(words[k] if k < len(words) else 0, &constant, MULTIPLIER_A)
    for source in range(max(<Py_ssize_t>N_POOL, len(words))):
        for k in range(N_POOL):
            if source != k:
                pool[k] = mixed(pool[k], hashed(
                    pool[source] if source < N_POOL else words[source], &constant, MULTIPLIER_A
                ))
    constant = INIT_B
    for k in range(N_PARTS):
        part[k] = hashed(pool[2 * k % N_POOL], &constant, MULTIPLIER_B)
        part[k] |= <u64_t>hashed(pool[(2 * k + 1) % N_POOL], &constant, MULTIPLIER_B) << 32
    return 0


cdef u32_t hashed(u32_t value, u32_t* constant, u32_t multiplier) noexcept:
    value ^= constant[0]
    constant[0] *= multiplier
    value *= constant[0]
    return value ^ value >> SHIFT


cdef u32_t mixed(u32_t left, u32_t right) noexcept:
    cdef u32_t value = <u32_t>MULTIPLIER_LEFT * left - <u32_t>MULTIPLIER_RIGHT * right
    return value ^ value >> SHIFT
