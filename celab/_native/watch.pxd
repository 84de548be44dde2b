# Lets a long loop of a kernel be stopped by a signal, by another thread, or by a time limit.
from celab._native.types cimport i64_t

cdef enum:
    STRIDE = 1 << 14  # work between two looks at the clock: well below a millisecond


cdef struct Watch:
    i64_t left  # work until the next look at the clock
    double limit  # seconds for one pair; 0 for no limit
    double began  # when the clock was first looked at for the pair; 0 if it was not
    double asked  # when signals were last asked for


cdef inline Watch watch_for(double limit) noexcept nogil:
    cdef Watch watch
    watch.left = STRIDE
    watch.limit = limit
    watch.began = 0
    watch.asked = 0
    return watch


cdef inline int charge(Watch* watch, i64_t work) except -1 nogil:
    # Counts work in units of a few nanoseconds. Raises KeyboardInterrupt, whatever a signal handler
    # raises, or TimeoutError. Callers count in bulk: a row of links, a cluster.
    watch.left -= work
    if watch.left < 0:
        look_up(watch)
    return 0


cdef int look_up(Watch* watch) except -1 nogil
