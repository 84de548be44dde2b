"""Checks of the texts that the methods of metrics take: their types, and that they fit."""

from __future__ import annotations

from collections.abc import Sequence

from celab.base.errors import InputError
from celab.base.text.sequences import Refs, items_of, plain_text, text_of, texts_of

__all__ = ["Refs", "check_corpus", "check_lists", "check_sentence"]


def check_corpus(hyps: Sequence[str], refs: Refs) -> tuple[list[str], list[list[str]]]:
    """Return hypotheses, and references with "" if absent; `InputError` if they do not fit."""
    sides = [refs] if isinstance(refs, str) else items_of(refs, "refs")
    if isinstance(hyps, str) or any(isinstance(side, str) for side in sides):
        flat = not isinstance(hyps, str) and not isinstance(refs, str)
        flat = flat and len(sides) == len(items_of(hyps, "hyps"))
        flat = flat and all(isinstance(ref, str | None) for ref in sides)
        raise InputError(
            "a corpus is a sequence of hypotheses and one sequence of sentences per reference;"
            f" a str was given in place of a sequence{'; for one reference, pass [refs]' * flat}"
        )
    hyp_side, ref_sides = (
        texts_of(hyps, "hypothesis", "hyps"),
        [
            texts_of(side, "reference", f"reference {r}", absent=True)
            for r, side in enumerate(sides, 1)
        ],
    )
    if not ref_sides:
        raise InputError("no references given; at least one sequence is needed")
    for r, side in enumerate(ref_sides, 1):
        if len(side) != (n := len(hyp_side)):
            raise InputError(
                f"the hypothesis has {n} segment{'s' * (n != 1)} but reference {r} has {len(side)}"
                f"{_transpose_advice(len(hyp_side), ref_sides)}"
            )
    return hyp_side, ref_sides


def _transpose_advice(n_segments: int, refs: list[list[str]]) -> str:
    # Advice for a list per segment, where there should be one per reference. Only for wrong
    # lengths: with as many references as segments, the shape says nothing.
    if len(refs) != n_segments:
        return ""
    is_rectangular = len(set(map(len, refs))) == 1
    transposed = "list(zip(*refs))" if is_rectangular else "list(itertools.zip_longest(*refs))"
    return (
        "; refs must be one list per reference, and these look like one list per segment: pass"
        f" {transposed}"
    )


def check_sentence(hyp: object, refs: object) -> list[str | None]:
    """Return the references of a sentence; a str is the only one."""
    if not isinstance(hyp, str):
        raise InputError(
            f"hyp is of type {type(hyp).__name__}; it must be a str; corpus_score takes several"
        )
    if isinstance(refs, str):
        refs = [refs]
    sides = items_of(refs, "refs")
    lengths = [
        len(side) if isinstance(side, Sequence) and not isinstance(side, str) else None
        for side in sides
    ]
    if set(lengths) <= {None}:
        return [
            plain_text(ref) if isinstance(ref, str | None) else text_of(ref, f"reference {r}", refs)
            for r, ref in enumerate(sides, 1)
        ]
    advice = "pass one str per reference"
    if None not in lengths and len(sides) == 1:
        advice = "pass refs[0]"
    elif set(lengths) == {1}:
        advice = "pass [ref[0] for ref in refs]"
    raise InputError(f"refs has a list in place of a reference; for one sentence, {advice}")


def check_lists(hyps: Sequence[str], refs: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Return hypotheses and references of any lengths, with "" for absent references."""
    return texts_of(hyps, "hypothesis", "hyps"), texts_of(refs, "reference", "refs", absent=True)
