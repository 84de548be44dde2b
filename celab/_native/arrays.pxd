# Vectors as NumPy arrays. The arrays own their memory.
from libc.string cimport memcpy
from libcpp.vector cimport vector

from celab._native.types cimport i32_t, i64_t


cdef inline object int32_array(const vector[i32_t]& values):
    import numpy as np  # a header has no imports of its own at run time
    array = np.empty(values.size(), np.int32)
    cdef i32_t[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(i32_t))
    return array


cdef inline object int64_array(const vector[i64_t]& values):
    import numpy as np
    array = np.empty(values.size(), np.int64)
    cdef i64_t[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(i64_t))
    return array


cdef inline object float64_array(const vector[double]& values):
    import numpy as np
    array = np.empty(values.size(), np.float64)
    cdef double[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(double))
    return array
