# The integer types of the kernels. Ids and indices are 32 bits wide, as HiGHS's are; offsets into
# a whole batch are 64 bits wide.
from libc.stdint cimport int8_t as i8_t
from libc.stdint cimport int32_t as i32_t
from libc.stdint cimport int64_t as i64_t
from libc.stdint cimport uint16_t as u16_t
from libc.stdint cimport uint32_t as u32_t
from libc.stdint cimport uint64_t as u64_t
