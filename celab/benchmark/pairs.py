"""Pairs: hypotheses and references, drawn from files or generated, and the metric to read them.

Longer pairs than a corpus has are consecutive ones put together, shorter ones their beginnings.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle

from celab.errors import InputError
from celab.lexicon.catalogue import LexiconSpec
from celab.lexicon.compiled import compile_groups
from celab.lexicon.lexicon import Lexicon
from celab.lexicon.model import Group
from celab.metrics.celab import TeslaCelab
from celab.tokens import is_blank


@dataclass(frozen=True, slots=True)
class Pairs:
    """As many hypotheses as references, none of them blank."""

    origin: str
    hyps: list[str]
    refs: list[str]

    def __post_init__(self) -> None:
        if len(self.hyps) != len(self.refs):
            raise InputError(
                f"there are {len(self.hyps)} hypotheses and {len(self.refs)} references; there must"
                " be as many of either"
            )

    def __len__(self) -> int:
        return len(self.hyps)


def sample(
    origin: str, systems: Sequence[Sequence[str]], refs: Sequence[str], n: int, seed: int
) -> Pairs:
    """Some pairs of all systems, in their order; all of them if there are no more than `n`."""
    there = [
        (hyp, ref)
        for hyps in systems
        for hyp, ref in zip(hyps, refs, strict=True)
        if not is_blank(hyp) and not is_blank(ref)
    ]
    if not there:
        raise InputError(f"{origin}: all pairs have a blank side; one at least must have text")
    if n < len(there):
        chosen = sorted(random.Random(seed).sample(range(len(there)), n))
        there = [there[i] for i in chosen]
    return Pairs(origin, [hyp for hyp, _ in there], [ref for _, ref in there])


def of_length(pairs: Pairs, length: int, n: int) -> Pairs:
    """`n` pairs of so many characters on either side."""
    hyps: list[str] = []
    refs: list[str] = []
    source = cycle(zip(pairs.hyps, pairs.refs, strict=True))
    while len(hyps) < n:
        hyp = ref = ""
        while min(len(hyp), len(ref)) < length:
            more_hyp, more_ref = next(source)
            hyp, ref = hyp + more_hyp.strip(), ref + more_ref.strip()
        hyps.append(hyp[:length])
        refs.append(ref[:length])
    return replace(pairs, hyps=hyps, refs=refs)


def metric_of_files(lexicon: LexiconSpec = "default", lang: str | None = None) -> TeslaCelab:
    """What reads pairs of people's making."""
    return TeslaCelab(lexicon=lexicon, lang=lang)


def metric_of_groups(groups: Sequence[Sequence[str]], name: str) -> TeslaCelab:
    """What reads generated pairs; their lexicon is compiled here and kept nowhere."""
    metric = TeslaCelab(lexicon=None, script="keep")
    if groups:
        numbered = [Group(f"group {k + 1}", tuple(words)) for k, words in enumerate(groups)]
        compiled = compile_groups(numbered, tokenize="char", normalizer=metric.normalizer)
        metric.lexicon = Lexicon(name, compiled)
    return metric
