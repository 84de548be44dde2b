"""What a target is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """A name's two halves."""

    make: Callable[[Random], Any]
    check: Callable[[Any, Path], bool]
