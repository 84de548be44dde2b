# The components of the links that one side of a pair has left, and parts of them as graphs for
# matching.
from libcpp.vector cimport vector

from celab._native.leaves cimport Leaves, Side
from celab._native.matching cimport Graph
from celab._native.types cimport i32_t, i64_t
from celab._native.watch cimport Watch


# A node, and what is known of its component if it is the root. Of two numbers, the first is the own
# side's.
cdef struct Tally:
    i32_t half  # the search for components that met it
    i32_t parent
    i32_t edge  # the last of an own node's edges, each of which leads to the one before
    i32_t links
    i32_t[2] nodes
    i32_t[2] total  # n-grams that can still gain on the own side, all on the other
    i32_t piece  # whatever number the reduction gives the component


cdef struct Edge:
    i32_t other  # node of the other side
    i32_t before  # the own node's edge before, or -1


cdef cppclass Components:
    Watch* watch
    vector[Edge] edge
    vector[i32_t] node  # of the own side, in components found last
    vector[Tally] tally
    i32_t half
    vector[i32_t] local  # a node's number in the graph made last, or -1


cdef inline i32_t root_of(Tally* tally, i32_t x) noexcept nogil:
    while tally[x].parent != x:
        tally[x].parent = tally[tally[x].parent].parent
        x = tally[x].parent
    return x


cdef inline bint complete(const Tally* root) noexcept nogil:
    # Every own node of the component is linked with every node of the other side.
    return root.links == <i64_t> root.nodes[0] * root.nodes[1]


# The components of the live links of one side. `node` lists the nodes of this side.
cdef int find_components(Components* self, const Side* side, const Leaves* leaves) except -1 nogil
# The links of these members' nodes, as a graph whose left nodes hold as many as there are members;
# until `forget`, `local` gives the left node of a member's node.
cdef int build_graph(Components* self, Graph* graph, const Side* side, const i32_t* member,
                     i32_t n, vector[i32_t]& left_node, vector[i32_t]& right_node) except -1 nogil
cdef void forget(Components* self, const vector[i32_t]& left_node,
                 const vector[i32_t]& right_node) noexcept nogil
