"""Arrays, named by what they hold."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[Any]
F64: TypeAlias = NDArray[np.float64]
I64: TypeAlias = NDArray[np.int64]
I32: TypeAlias = NDArray[np.int32]
I8: TypeAlias = NDArray[np.int8]
U8: TypeAlias = NDArray[np.uint8]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
Bools: TypeAlias = NDArray[np.bool_]
Strings: TypeAlias = NDArray[np.str_]
