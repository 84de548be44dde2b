"""What a target is, and how a case of it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from celab.base.errors import CelabError, SolverError


@dataclass(frozen=True, slots=True)
class Target:
    """A name's two halves."""

    make: Callable[[Random], Any]
    check: Callable[[Any, Path], bool]


def run_case(target: Target, case: Any, folder: Path) -> bool:
    """Whether the case was taken.

    An error of ours is a refusal, any other exception is raised; so is `SolverError`, because the
    two ways to solve must agree, unless it is one of time.
    """
    try:
        return target.check(case, folder)
    except CelabError as error:
        if isinstance(error, SolverError) and "no optimum was proved in" not in str(error):
            raise
        assert "\n" not in str(error), error
        return False
