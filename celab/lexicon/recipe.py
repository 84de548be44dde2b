"""Recipes: all that the compiled form of a lexicon depends on.

A lexicon is compiled from its recipe and the bytes of its sources, and cached under the key of the
recipe, which is made of all its fields: what is not in a recipe cannot change a compiled lexicon.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict
from itertools import chain

from celab.base.frozen import dataclass
from celab.base.text.normalize import Normalization
from celab.base.version import __version__
from celab.lexicon.catalog import Source
from celab.lexicon.compiled import MAGIC
from celab.lexicon.grades import WHOLE

# The format of the file, and the version that decides how words are cut and numbered.
COMPILER = f"{MAGIC.decode()} {sys.byteorder} {__version__}"


@dataclass(frozen=True)
class GradeRecipe:
    """The groups of a grade: a part of some sources, or all of their groups."""

    part: str
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class LexiconRecipe:
    """How to compile a lexicon: its grades, from the finest to the coarsest, and their words."""

    grades: tuple[GradeRecipe, ...]
    cilin_lines: str
    normalization: Normalization
    tokenize: str  # what the lengths of words count
    compiler: str = COMPILER

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources of all grades, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(grade.sources for grade in self.grades)))

    @property
    def has_levels(self) -> bool:
        """Whether a grade is a level of Cilin, which groups of one word belong to as well."""
        return any("level" in grade.part for grade in self.grades if grade.part != WHOLE)

    @property
    def key(self) -> str:
        """Digest of all fields."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()
