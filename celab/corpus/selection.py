"""Selections: segments that an option leaves out of a corpus, for all systems.

A selection is all that such an option makes. The corpus without its segments, the part of the
signatures that says so, the error if none is left and what is said on standard error follow:

>>> from celab.corpus.model import Segment
>>> segments = [Segment("", "a"), Segment("", "b"), Segment("", "c")]
>>> texts = {"systems": {"A": ["买伞", "去", ""]}, "refs": [], "ref_names": []}
>>> corpus = Corpus(segments=segments, **texts)
>>> short = Selection(name="short", indices=frozenset([1, 2]), findings=("2 texts are short",))
>>> left = short.apply(corpus)
>>> left.names, left.dropped
(['a'], {'short': '2-dropped@6c516cfc306e'})
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import NamedTuple

from celab.base.errors import InputError, Text
from celab.corpus.model import Corpus


class Selection(NamedTuple):
    """Segments that are left out of a corpus.

    Attributes:
        name: key of the part that signatures get, with number and digest of the segments.
        indices: indices of the segments that are left out.
        findings: sentences about them, which commands say, also if there are none.
        all_dropped: error if no segment is left.
        hint: advice in this error.
    """

    name: str
    indices: frozenset[int]
    findings: tuple[Text, ...] = ()
    all_dropped: str = "no segment is left"
    hint: Text = ""

    def apply(self, corpus: Corpus) -> Corpus:
        """Return the corpus without the segments; the others keep their names."""
        if not self.indices:
            return corpus
        kept = [i for i in range(len(corpus.segments)) if i not in self.indices]
        if not kept:
            raise InputError(self.all_dropped, hint=self.hint)
        names = "\n".join(str(name) for i, name in enumerate(corpus.names) if i in self.indices)
        digest = hashlib.sha256(names.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        part = f"{len(self.indices)}-dropped@{digest}"
        return replace(corpus.keep(kept), dropped={**corpus.dropped, self.name: part})
