"""Matching kernel: maximum flow in a bipartite graph, and the nodes that it must saturate.

Flow is pushed along shortest paths, many at a time (Hopcroft and Karp 1973, Dinic 1970).

The left nodes that no alternating path from an unsaturated left node reaches are those that every
maximum flow saturates (Dulmage and Mendelsohn 1958). The right nodes that such paths reach are
saturated, and by reached left nodes alone; so what was reached is a problem of its own.
"""
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t
from celab._native.watch cimport Watch, charge, watch_for

import numpy as np


cdef int prepare(Graph* graph) except -1 nogil:
    cdef i32_t n_links = <i32_t> graph.target.size()
    graph.left_flow.assign(graph.n_left, 0)
    graph.right_flow.assign(graph.n_right, 0)
    graph.flow.assign(n_links, 0)
    graph.left_seen.assign(graph.n_left, 0)
    graph.right_seen.assign(graph.n_right, 0)
    graph.left_by.resize(graph.n_left)
    graph.right_by.resize(graph.n_right)
    graph.search = 0
    turn_round(graph.first, graph.target, graph.n_right, graph.source, graph.right_first,
               graph.right_link)
    charge(graph.watch, graph.n_left + graph.n_right + n_links)
    return 0


cdef int empty(Graph* graph) except -1 nogil:
    graph.left_capacity.assign(graph.n_left, 0)
    graph.left_flow.assign(graph.n_left, 0)
    graph.right_flow.assign(graph.n_right, 0)
    graph.flow.assign(graph.target.size(), 0)
    return 0


cdef int turn_round(const vector[i32_t]& first, const vector[i32_t]& target, i32_t n_right,
                    vector[i32_t]& source, vector[i32_t]& right_first,
                    vector[i32_t]& right_link) except -1 nogil:
    cdef i32_t n_links = <i32_t> target.size(), x, y, k
    source.resize(n_links)
    right_first.assign(n_right + 2, 0)
    right_link.resize(n_links)
    for x in range(<i32_t> first.size() - 1):
        for k in range(first[x], first[x + 1]):
            source[k] = x
            right_first[target[k] + 2] += 1
    for y in range(n_right):
        right_first[y + 2] += right_first[y + 1]
    for k in range(n_links):
        y = target[k]
        right_link[right_first[y + 1]] = k
        right_first[y + 1] += 1
    return 0


cdef i32_t augment(Graph* graph, i32_t x) except -1 nogil:
    cdef i32_t at = 0, k, j, y, left, other, end = -1, amount
    cdef i64_t work = 1
    graph.search += 1
    graph.queue.clear()
    graph.queue.push_back(x)
    graph.left_seen[x] = graph.search
    graph.left_by[x] = -1
    while at < <i32_t> graph.queue.size() and end < 0:
        left = graph.queue[at]
        at += 1
        work += graph.first[left + 1] - graph.first[left]
        for k in range(graph.first[left], graph.first[left + 1]):
            y = graph.target[k]
            if graph.right_seen[y] == graph.search:
                continue
            graph.right_seen[y] = graph.search
            graph.right_by[y] = k
            if graph.right_flow[y] < graph.right_capacity[y]:
                end = y
                break
            work += graph.right_first[y + 1] - graph.right_first[y]
            for j in range(graph.right_first[y], graph.right_first[y + 1]):
                if graph.flow[graph.right_link[j]] == 0:
                    continue
                other = graph.source[graph.right_link[j]]
                if graph.left_seen[other] != graph.search:
                    graph.left_seen[other] = graph.search
                    graph.left_by[other] = graph.right_link[j]
                    graph.queue.push_back(other)
    charge(graph.watch, work)
    if end < 0:
        return 0
    # The most that every step of the path can carry.
    amount = min(graph.left_capacity[x] - graph.left_flow[x],
                 graph.right_capacity[end] - graph.right_flow[end])
    other = graph.source[graph.right_by[end]]
    while graph.left_by[other] >= 0:
        amount = min(amount, graph.flow[graph.left_by[other]])
        other = graph.source[graph.right_by[graph.target[graph.left_by[other]]]]
    graph.left_flow[x] += amount
    graph.right_flow[end] += amount
    graph.flow[graph.right_by[end]] += amount
    other = graph.source[graph.right_by[end]]
    while graph.left_by[other] >= 0:
        k = graph.left_by[other]
        graph.flow[k] -= amount
        k = graph.right_by[graph.target[k]]
        graph.flow[k] += amount
        other = graph.source[k]
    return amount


cdef i32_t saturate(Graph* graph) except -1 nogil:
    cdef i32_t x, y, k, amount, total = 0
    for x in range(graph.n_left):  # most flow needs no search
        for k in range(graph.first[x], graph.first[x + 1]):
            y = graph.target[k]
            amount = min(graph.left_capacity[x] - graph.left_flow[x],
                         graph.right_capacity[y] - graph.right_flow[y])
            if amount > 0:
                graph.flow[k] += amount
                graph.left_flow[x] += amount
                graph.right_flow[y] += amount
    while find_levels(graph):
        charge(graph.watch, graph.n_left + graph.n_right + 4 * <i64_t> graph.target.size())
        for x in range(graph.n_left):
            while graph.left_flow[x] < graph.left_capacity[x] and push_along_levels(graph, x):
                charge(graph.watch, <i64_t> graph.queue.size())
    for x in range(graph.n_left):
        total += graph.left_flow[x]
    return total


cdef bint find_levels(Graph* graph) except -1 nogil:
    # Levels of all nodes by their distance from unsaturated left nodes, as far as the nearest right
    # node with free capacity. Returns whether there is one.
    cdef i32_t at = 0, x, y, k, j, other, last = -1
    graph.left_level.assign(graph.n_left, -1)
    graph.right_level.assign(graph.n_right, -1)
    graph.left_arc.assign(graph.first.begin(), graph.first.end())
    graph.right_arc.assign(graph.right_first.begin(), graph.right_first.end())
    graph.queue.clear()
    for x in range(graph.n_left):
        if graph.left_flow[x] < graph.left_capacity[x]:
            graph.left_level[x] = 0
            graph.queue.push_back(x)
    while at < <i32_t> graph.queue.size():
        x = graph.queue[at]
        at += 1
        if last >= 0 and graph.left_level[x] >= last:
            break
        for k in range(graph.first[x], graph.first[x + 1]):
            y = graph.target[k]
            if graph.right_level[y] >= 0:
                continue
            graph.right_level[y] = graph.left_level[x] + 1
            if graph.right_flow[y] < graph.right_capacity[y]:
                last = graph.right_level[y]
            for j in range(graph.right_first[y], graph.right_first[y + 1]):
                other = graph.source[graph.right_link[j]]
                if graph.flow[graph.right_link[j]] and graph.left_level[other] < 0:
                    graph.left_level[other] = graph.right_level[y] + 1
                    graph.queue.push_back(other)
    return last >= 0


cdef i32_t push_along_levels(Graph* graph, i32_t start) except -1 nogil:
    # Flow from `start` along one path that climbs the levels; 0 if there is none left. A link found
    # useless is not looked at again at these levels: the arcs only move on.
    cdef i32_t x, y, k, j
    cdef bint climbed
    graph.queue.clear()  # the left nodes of the path; left_by holds the link back to each
    graph.queue.push_back(start)
    while graph.queue.size():
        x = graph.queue.back()
        climbed = False
        while graph.left_arc[x] < graph.first[x + 1]:
            y = graph.target[graph.left_arc[x]]
            if graph.right_level[y] == graph.left_level[x] + 1:
                if graph.right_flow[y] < graph.right_capacity[y]:
                    return push_path(graph, y)
                while graph.right_arc[y] < graph.right_first[y + 1]:
                    k = graph.right_link[graph.right_arc[y]]
                    j = graph.source[k]
                    if graph.flow[k] and graph.left_level[j] == graph.right_level[y] + 1:
                        graph.left_by[j] = k
                        graph.queue.push_back(j)
                        climbed = True
                        break
                    graph.right_arc[y] += 1
                if climbed:
                    break
            graph.left_arc[x] += 1
        if not climbed:
            graph.queue.pop_back()
            if graph.queue.size():  # nothing behind the link by which the path came here
                graph.right_arc[graph.target[graph.left_by[x]]] += 1
    return 0


cdef i32_t push_path(Graph* graph, i32_t end) noexcept nogil:
    # The path in `queue`, each left node leaving by its arc, with `end` as its last node.
    cdef size_t i
    cdef i32_t start = graph.queue[0], amount
    amount = min(graph.left_capacity[start] - graph.left_flow[start],
                 graph.right_capacity[end] - graph.right_flow[end])
    for i in range(1, graph.queue.size()):
        amount = min(amount, graph.flow[graph.left_by[graph.queue[i]]])
    for i in range(graph.queue.size()):
        graph.flow[graph.left_arc[graph.queue[i]]] += amount
        if i:
            graph.flow[graph.left_by[graph.queue[i]]] -= amount
    graph.left_flow[start] += amount
    graph.right_flow[end] += amount
    return amount


cdef int reach(Graph* graph) except -1 nogil:
    cdef i32_t at = 0, x, y, k, j, other
    graph.search += 1
    graph.queue.clear()
    for x in range(graph.n_left):
        if graph.left_flow[x] < graph.left_capacity[x]:
            graph.left_seen[x] = graph.search
            graph.queue.push_back(x)
    while at < <i32_t> graph.queue.size():
        x = graph.queue[at]
        at += 1
        for k in range(graph.first[x], graph.first[x + 1]):
            y = graph.target[k]
            if graph.right_seen[y] == graph.search:
                continue
            graph.right_seen[y] = graph.search
            for j in range(graph.right_first[y], graph.right_first[y + 1]):
                other = graph.source[graph.right_link[j]]
                if graph.flow[graph.right_link[j]] and graph.left_seen[other] != graph.search:
                    graph.left_seen[other] = graph.search
                    graph.queue.push_back(other)
    charge(graph.watch, at)
    return 0


def maximum_flow(const i32_t[::1] first, const i32_t[::1] target, const i32_t[::1] left_capacity,
                 const i32_t[::1] right_capacity):
    """The value of a maximum flow, and for each left node whether every maximum flow saturates it.

    The links of left node x go to the right nodes target[first[x]:first[x + 1]].
    """
    cdef Graph graph
    cdef Watch watch = watch_for(0)
    cdef Py_ssize_t i
    cdef i32_t value
    graph.n_left = <i32_t> left_capacity.shape[0]
    graph.n_right = <i32_t> right_capacity.shape[0]
    if first.shape[0] != graph.n_left + 1 or first[graph.n_left] != target.shape[0]:
        raise ValueError("first and target do not fit together")
    for i in range(first.shape[0]):
        graph.first.push_back(first[i])
    for i in range(target.shape[0]):
        if not 0 <= target[i] < graph.n_right:
            raise ValueError("a link leads to no node")
        graph.target.push_back(target[i])
    for i in range(graph.n_left):
        graph.left_capacity.push_back(left_capacity[i])
    for i in range(graph.n_right):
        graph.right_capacity.push_back(right_capacity[i])
    graph.watch = &watch
    with nogil:
        prepare(&graph)
        value = saturate(&graph)
        reach(&graph)
    always = np.empty(graph.n_left, np.bool_)
    for i in range(graph.n_left):
        always[i] = graph.left_seen[i] != graph.search
    return value, always


include "transport.pxi"
