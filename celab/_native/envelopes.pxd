# The header exports nothing; the kernel is called from Python only.
from celab._native.types cimport i64_t
