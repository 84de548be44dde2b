import numpy as np
from numpy.typing import NDArray

def add_digests(digests: NDArray[np.uint64], texts: list[str]) -> None: ...
