"""Watch kernel: how long loops end early.

Kernels count their work. After about a tenth of a millisecond of it they look at the clock, at the
time limit of the pair, and at whether their thread must stop; every 50 ms they take the
interpreter's lock and let Python handle the signals that have arrived. A short pair is over
before its first look, so it costs nothing and no limit can end it.
"""
cimport cython

import threading

cdef extern from *:
    """
    #include <atomic>
    #include <chrono>
    typedef std::atomic<int> celab_flag;
    static thread_local const celab_flag* celab_followed = nullptr;
    static inline double celab_now() {
        return std::chrono::duration<double>(
            std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    static inline bool celab_is_stopped() {
        return celab_followed != nullptr && celab_followed->load(std::memory_order_relaxed);
    }
    static inline void celab_follow(const celab_flag* flag) { celab_followed = flag; }
    """
    cdef cppclass celab_flag:
        void store(int value) noexcept nogil
    double celab_now() noexcept nogil
    bint celab_is_stopped() noexcept nogil
    void celab_follow(const celab_flag* flag) noexcept nogil

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

cdef enum:
    SIGNALS_A_SECOND = 20

_followed = threading.local()  # keeps alive what the thread looks at


cdef int look_up(Watch* watch) except -1 nogil:
    cdef double now = celab_now()
    watch.left = STRIDE
    if celab_is_stopped():
        with gil:
            raise KeyboardInterrupt
    if watch.began == 0:
        watch.began = now
    elif 0 < watch.limit < now - watch.began:
        with gil:
            raise TimeoutError
    if watch.asked == 0:
        watch.asked = now
    elif (now - watch.asked) * SIGNALS_A_SECOND > 1:
        watch.asked = now
        with gil:
            PyErr_CheckSignals()
    return 0


@cython.final
cdef class Stop:
    """Ends the kernels of the threads that follow it, by KeyboardInterrupt."""

    cdef celab_flag flag

    def __cinit__(self):
        self.flag.store(0)

    def follow(self):
        """Make the calling thread end when `set` is called."""
        _followed.stop = self
        celab_follow(&self.flag)

    def set(self):
        """End the kernels of the threads that follow."""
        self.flag.store(1)


def check():
    """Raises KeyboardInterrupt if this thread must stop, or what a signal handler raises."""
    if celab_is_stopped():
        raise KeyboardInterrupt
    PyErr_CheckSignals()


@cython.final
cdef class Poll:
    """A callback of HiGHS that interrupts it as `check` would. Compiled, because the interpreter
    may raise anywhere in a Python function, and no exception may pass through HiGHS.
    """

    cdef readonly object error  # exception that was raised, or None

    def __call__(self, kind, message, told, answer, data):
        """Interrupt HiGHS if the thread must stop; the signature is that of its callbacks."""
        try:
            check()
        except BaseException as error:
            self.error = error
            answer.user_interrupt = True
