"""Program: the linear programs, as arrays in the solver's order.

The joint program of a pair (section 3 of the paper), with E the links:

    maximize    4 · Σ m(X) c_ref(X)  +  Σ m(Y) c_hyp(Y)
    subject to  Σ_y w(x, y) <= 1                            each linked reference n-gram x
                Σ_x w(x, y) <= 1                            each linked hypothesis n-gram y
                c_ref(X) <= Σ { w(x, y) : x contains X }    each reference n-gram X
                c_hyp(Y) <= Σ { w(x, y) : y contains Y }    each hypothesis n-gram Y
                0 <= w, c <= 1

    columns: w of each link, in the order of `link_pairs`; c_ref, then c_hyp, by order and position
    rows:    reference capacities, hypothesis capacities, c_ref, c_hyp, each in that order

This is the paper's objective with f = 1/4, in whole numbers; m is 1 without weights. The greatest
Σ c_ref and Σ c_hyp are reached together (see `cover`), so they are the same for every f > 0.
"""

# Linear programs in the order HiGHS wants them: maximize cost·x, rows at most row_upper, columns
# from 0 to column_upper. All numbers are whole and no bound is negative, so that x = 0 is feasible.
# Several programs stand behind one another as blocks of one.
cdef cppclass Arrays:
    vector[double] cost
    vector[double] column_upper
    vector[double] row_upper
    vector[i32_t] row_start
    vector[i32_t] index
    vector[double] value
    vector[i32_t] block_column  # where each block's columns begin
    vector[i32_t] block_row  # where each block's rows begin
    vector[i32_t] block_owner  # number that the caller gave the block


cdef int cut_back(Arrays* arrays, size_t n_blocks) except -1:
    # Takes back the last blocks, whole or not, but for the first n_blocks.
    if n_blocks == arrays.block_owner.size():
        return 0
    cdef size_t n_columns = arrays.block_column[n_blocks], n_rows = arrays.block_row[n_blocks]
    cdef size_t n_entries = arrays.index.size()
    if n_rows < arrays.row_start.size():
        n_entries = arrays.row_start[n_rows]
    arrays.block_column.resize(n_blocks)
    arrays.block_row.resize(n_blocks)
    arrays.block_owner.resize(n_blocks)
    arrays.cost.resize(n_columns)
    arrays.column_upper.resize(n_columns)
    arrays.row_upper.resize(n_rows)
    arrays.row_start.resize(n_rows)
    arrays.index.resize(n_entries)
    arrays.value.resize(n_entries)
    return 0


cdef int start_block(Arrays* arrays, i32_t owner) except -1 nogil:
    arrays.block_column.push_back(<i32_t> arrays.cost.size())
    arrays.block_row.push_back(<i32_t> arrays.row_upper.size())
    arrays.block_owner.push_back(owner)
    return 0


cdef i32_t add_column(Arrays* arrays, double cost, double upper) except -1 nogil:
    arrays.cost.push_back(cost)
    arrays.column_upper.push_back(upper)
    return <i32_t> (arrays.cost.size() - 1)


cdef int start_row(Arrays* arrays, double upper) except -1 nogil:
    # A row's entries follow it, by add_entry.
    arrays.row_upper.push_back(upper)
    arrays.row_start.push_back(<i32_t> arrays.index.size())
    return 0


cdef int add_entry(Arrays* arrays, i32_t column, double value) except -1 nogil:
    arrays.index.push_back(column)
    arrays.value.push_back(value)
    return 0


@cython.final
cdef class Program:
    """A linear program, or several as blocks of one; see `Arrays`."""

    cdef Arrays arrays

    def __len__(self):
        """The number of blocks."""
        return <Py_ssize_t> self.arrays.block_column.size()

    def take(self):
        """Everything as NumPy arrays, by name."""
        return {
            "cost": float64_array(self.arrays.cost),
            "column_upper": float64_array(self.arrays.column_upper),
            "row_upper": float64_array(self.arrays.row_upper),
            "row_start": int32_array(self.arrays.row_start),
            "index": int32_array(self.arrays.index),
            "value": float64_array(self.arrays.value),
            "block_column": int32_array(self.arrays.block_column),
            "block_row": int32_array(self.arrays.block_row),
            "block_owner": int32_array(self.arrays.block_owner),
        }


cdef inline i32_t count(i32_t length, i32_t max_order) noexcept nogil:
    # The number of n-grams up to max_order.
    cdef i32_t order, total = 0
    for order in range(1, max_order + 1):
        total += max(0, length - order + 1)
    return total


cdef inline i32_t place_of(i32_t length, i32_t start, i32_t order) noexcept nogil:
    # Where an n-gram stands when they go by order, then position.
    return count(length, order - 1) + start


def count_ngrams(i32_t length, i32_t max_order):
    """The number of n-grams of order 1 to `max_order` in a sentence of `length` tokens."""
    return count(length, max_order)


def pair_program(const i32_t[:, ::1] links, i32_t hyp_length, i32_t ref_length, i32_t max_order,
                 const i64_t[::1] hyp_weight=None, const i64_t[::1] ref_weight=None):
    """The joint program of one pair; `links` are rows of `link_pairs`.

    The weights are those of all n-grams, by order, then position; without them each is 1.
    """
    cdef Program program = Program()
    cdef Arrays* arrays = &program.arrays
    cdef i32_t n_links = <i32_t> links.shape[0]
    cdef i32_t n_ref = count(ref_length, max_order), n_hyp = count(hyp_length, max_order), k
    cdef vector[vector[i32_t]] ref_links, hyp_links  # links of each n-gram
    if hyp_weight is not None and hyp_weight.shape[0] != n_hyp:
        raise ValueError("one weight per n-gram of the hypothesis is needed")
    if ref_weight is not None and ref_weight.shape[0] != n_ref:
        raise ValueError("one weight per n-gram of the reference is needed")
    with nogil:
        start_block(arrays, 0)
        ref_links.resize(n_ref)
        hyp_links.resize(n_hyp)
        for k in range(n_links):
            hyp_links[place_of(hyp_length, links[k, 0], links[k, 1])].push_back(k)
            ref_links[place_of(ref_length, links[k, 2], links[k, 3])].push_back(k)
            add_column(arrays, 0.0, 1.0)
        for k in range(n_ref):
            add_column(arrays, 4.0 * (1 if ref_weight is None else ref_weight[k]), 1.0)
        for k in range(n_hyp):
            add_column(arrays, 1 if hyp_weight is None else hyp_weight[k], 1.0)
        add_capacities(arrays, ref_links)
        add_capacities(arrays, hyp_links)
        add_coverage(arrays, ref_links, ref_length, max_order, n_links)
        add_coverage(arrays, hyp_links, hyp_length, max_order, n_links + n_ref)
    return program


cdef int add_capacities(Arrays* arrays, vector[vector[i32_t]]& node_links) except -1 nogil:
    cdef size_t x
    cdef i32_t k
    for x in range(node_links.size()):
        if node_links[x].size():
            start_row(arrays, 1.0)
            for k in node_links[x]:
                add_entry(arrays, k, 1.0)
    return 0


cdef int add_coverage(Arrays* arrays, vector[vector[i32_t]]& node_links, i32_t length,
                      i32_t max_order, i32_t first_column) except -1 nogil:
    cdef i32_t order, start, longer, begin, k, x
    for order in range(1, max_order + 1):
        for start in range(length - order + 1):
            start_row(arrays, 0.0)
            add_entry(arrays, first_column + place_of(length, start, order), 1.0)
            for longer in range(order, min(max_order, length) + 1):
                for begin in range(max(0, start + order - longer), min(start, length - longer) + 1):
                    x = place_of(length, begin, longer)
                    for k in node_links[x]:
                        add_entry(arrays, k, -1.0)
    return 0
