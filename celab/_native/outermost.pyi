# Nothing for Python: only other kernels call it.
