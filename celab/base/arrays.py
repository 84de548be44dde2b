"""Arrays, named by what they hold.

They are what `numpy.typing.NDArray` makes of these types, without a module that takes 9 ms to load.
"""

from typing import Any, TypeAlias

import numpy as np

Numbers: TypeAlias = np.ndarray[Any, np.dtype[Any]]
F64: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
I64: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
I32: TypeAlias = np.ndarray[Any, np.dtype[np.int32]]
I8: TypeAlias = np.ndarray[Any, np.dtype[np.int8]]
U8: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]
U32: TypeAlias = np.ndarray[Any, np.dtype[np.uint32]]
U64: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
Bools: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
Strings: TypeAlias = np.ndarray[Any, np.dtype[np.str_]]
