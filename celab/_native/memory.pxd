# Asks the processor for memory before it is needed; changes nothing but time.
cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define __builtin_prefetch(place) ((void) 0)
    #endif
    """
    void prefetch "__builtin_prefetch" (const void* place) noexcept nogil
