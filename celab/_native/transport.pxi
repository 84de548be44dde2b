"""Transport: the greatest profit, by a primal-dual method.

Prices u(x) and v(y) with u(x) + v(y) >= profit(x, y) bound every solution from above by
Σ supply·u + Σ demand·v. Flow goes only over links where the two are equal, and nodes with
supply or demand left have price 0: then the bound is met (Ford and Fulkerson 1957). All numbers are
whole, so the proof is exact.

A left node with supply to spare and a price above 0 looks for a path to spare demand, or to a left
node whose price is 0 and whose flow can be taken back. If there is none, the prices of all reached
nodes fall on the left and rise on the right, until a new link can be used or a price is 0.
"""

cdef int start(Transport* self) except -1 nogil:
    cdef i32_t n_links = <i32_t> self.target.size(), x, k
    self.flow.assign(n_links, 0)
    self.supply_left.assign(self.supply.begin(), self.supply.end())
    self.demand_left.assign(self.demand.begin(), self.demand.end())
    self.left_price.assign(self.n_left, 0)
    self.right_price.assign(self.n_right, 0)
    turn_round(self.first, self.target, self.n_right, self.source, self.right_first,
               self.right_link)
    for x in range(self.n_left):
        for k in range(self.first[x], self.first[x + 1]):
            self.left_price[x] = max(self.left_price[x], <i64_t> self.profit[k])
    return 0


cdef inline bint tight(const Transport* self, i32_t x, i32_t k) noexcept nogil:
    return self.left_price[x] + self.right_price[self.target[k]] == self.profit[k]


cdef i32_t search(Transport* self, bint* ends_left) except -2 nogil:
    # The end of a path from some left node with supply to spare, or -1; what was reached is marked.
    cdef i32_t at = 0, x, y, k, j, other
    charge(self.watch, self.n_left + self.n_right)
    self.left_by.assign(self.n_left, -1)
    self.right_by.assign(self.n_right, -1)
    self.queue.clear()
    for x in range(self.n_left):
        if self.supply_left[x] and self.left_price[x]:
            self.left_by[x] = -2
            self.queue.push_back(x)
    while at < <i32_t> self.queue.size():
        x = self.queue[at]
        at += 1
        charge(self.watch, self.first[x + 1] - self.first[x])
        for k in range(self.first[x], self.first[x + 1]):
            y = self.target[k]
            if self.right_by[y] >= 0 or not tight(self, x, k):
                continue
            self.right_by[y] = k
            if self.demand_left[y]:
                ends_left[0] = False
                return y
            charge(self.watch, self.right_first[y + 1] - self.right_first[y])
            for j in range(self.right_first[y], self.right_first[y + 1]):
                other = self.source[self.right_link[j]]
                if self.flow[self.right_link[j]] and self.left_by[other] == -1:
                    self.left_by[other] = self.right_link[j]
                    if self.left_price[other] == 0:
                        ends_left[0] = True
                        return other
                    self.queue.push_back(other)
    return -1


cdef void push(Transport* self, i32_t end, bint ends_left) noexcept nogil:
    # Pushes as much flow as the path carries, from its start to `end`.
    cdef i32_t x, k
    cdef i64_t amount
    if ends_left:
        amount = self.flow[self.left_by[end]]
        x = self.source[self.right_by[self.target[self.left_by[end]]]]
    else:
        amount = self.demand_left[end]
        x = self.source[self.right_by[end]]
    while self.left_by[x] >= 0:
        amount = min(amount, self.flow[self.left_by[x]])
        x = self.source[self.right_by[self.target[self.left_by[x]]]]
    amount = min(amount, self.supply_left[x])
    self.supply_left[x] -= amount
    if ends_left:
        self.supply_left[end] += amount
        self.flow[self.left_by[end]] -= amount
        k = self.right_by[self.target[self.left_by[end]]]
    else:
        self.demand_left[end] -= amount
        k = self.right_by[end]
    while True:
        self.flow[k] += amount
        x = self.source[k]
        if self.left_by[x] < 0:
            return
        self.flow[self.left_by[x]] -= amount
        k = self.right_by[self.target[self.left_by[x]]]


cdef int change_prices(Transport* self) noexcept nogil:
    # Changes the prices by the least amount that opens a link or frees a node.
    cdef i32_t x, y, k
    cdef i64_t least = -1, slack
    for x in range(self.n_left):
        if self.left_by[x] == -1:
            continue
        if least < 0 or self.left_price[x] < least:
            least = self.left_price[x]
        for k in range(self.first[x], self.first[x + 1]):
            if self.right_by[self.target[k]] < 0:
                slack = (self.left_price[x] + self.right_price[self.target[k]]) - self.profit[k]
                least = min(least, slack)
    for x in range(self.n_left):
        if self.left_by[x] != -1:
            self.left_price[x] -= least
    for y in range(self.n_right):
        if self.right_by[y] >= 0:
            self.right_price[y] += least
    return 0


cdef i64_t carry(Transport* self) except -1 nogil:
    cdef i32_t x, y, k, end
    cdef i64_t amount, total = 0, bound = 0
    cdef bint ends_left = False, wanting = True
    start(self)
    charge(self.watch, 8 * <i64_t> self.target.size())
    for x in range(self.n_left):  # most flow needs no search
        for k in range(self.first[x], self.first[x + 1]):
            if tight(self, x, k):
                amount = min(self.supply_left[x], self.demand_left[self.target[k]])
                self.flow[k] += amount
                self.supply_left[x] -= amount
                self.demand_left[self.target[k]] -= amount
    while wanting:
        end = search(self, &ends_left)
        if end >= 0:
            push(self, end, ends_left)
        elif self.queue.size():
            change_prices(self)
            charge(self.watch, <i64_t> self.target.size())
        else:
            wanting = False
    for k in range(<i32_t> self.target.size()):
        total += self.flow[k] * self.profit[k]
    for x in range(self.n_left):
        bound += self.supply[x] * self.left_price[x]
    for y in range(self.n_right):
        bound += self.demand[y] * self.right_price[y]
    if total != bound:
        with gil:
            raise ArithmeticError(f"the flow's profit {total} does not meet the bound {bound}")
    return total


def greatest_profit(const i32_t[::1] first, const i32_t[::1] target, const i32_t[::1] profit,
                    const i64_t[::1] supply, const i64_t[::1] demand):
    """The greatest total profit, and the flow of each link that gives it."""
    cdef Transport problem
    cdef Watch watch = watch_for(0)
    cdef Py_ssize_t i
    cdef i64_t total
    problem.n_left = <i32_t> supply.shape[0]
    problem.n_right = <i32_t> demand.shape[0]
    if first.shape[0] != problem.n_left + 1 or first[problem.n_left] != target.shape[0]:
        raise ValueError("first and target do not fit together")
    if profit.shape[0] != target.shape[0]:
        raise ValueError("each link needs a profit")
    for i in range(first.shape[0]):
        problem.first.push_back(first[i])
    for i in range(target.shape[0]):
        if not 0 <= target[i] < problem.n_right or profit[i] <= 0:
            raise ValueError("a link leads to no node, or has no profit")
        problem.target.push_back(target[i])
        problem.profit.push_back(profit[i])
    for i in range(problem.n_left):
        problem.supply.push_back(supply[i])
    for i in range(problem.n_right):
        problem.demand.push_back(demand[i])
    problem.watch = &watch
    with nogil:
        total = carry(&problem)
    flow = np.empty(target.shape[0], np.int64)
    cdef i64_t[::1] view = flow
    for i in range(target.shape[0]):
        view[i] = problem.flow[i]
    return total, flow
