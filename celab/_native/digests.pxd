# The header exports nothing; the kernel is called from Python only.
from celab._native.types cimport u32_t, u64_t
