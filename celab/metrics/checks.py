"""Checks of the texts that the methods of metrics take: their types, and that they fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from celab.base.errors import InputError
from celab.base.options import is_list

Refs = Sequence[Sequence[str | None]]  # one sequence of sentences per reference


def check_corpus(hyps: Sequence[str], refs: Refs) -> tuple[list[str], list[list[str]]]:
    """Return hypotheses, and references with "" if absent; `InputError` if they do not fit."""
    for name, side in (("hyps", hyps), ("refs", refs)):
        if not is_list(side) and not isinstance(side, str):
            raise _no_list(name, side)
    if not isinstance(refs, Sequence):
        refs = list(refs)
    if any(isinstance(side, str) for side in (hyps, refs, *refs)):
        flat = not isinstance(hyps, str) and not isinstance(refs, str) and len(refs) == len(hyps)
        flat = flat and all(isinstance(ref, str | None) for ref in refs)
        raise InputError(
            "a corpus is a sequence of hypotheses and one sequence of sentences per reference;"
            f" a str was given in place of a sequence{'; for one reference, pass [refs]' * flat}"
        )
    hyp_side, ref_sides = (
        _check_side("hypothesis", hyps),
        [_check_side("reference", r) for r in refs],
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


T = TypeVar("T")


def _no_list(name: str, value: object) -> InputError:
    return InputError(f"{name} is of type {type(value).__name__}; it must be a sequence")


def check_sentence(hyp: object, refs: object) -> list[str | None]:
    """Return the references of a sentence; a str is the only one."""
    if not isinstance(hyp, str):
        raise InputError(
            f"hyp is of type {type(hyp).__name__}; it must be a str; corpus_score takes several"
        )
    if isinstance(refs, str):
        refs = [refs]
    if not is_list(refs):
        raise _no_list("refs", refs)
    sides = list(cast(Iterable[object], refs))
    lengths = [
        len(side) if isinstance(side, Sequence) and not isinstance(side, str) else None
        for side in sides
    ]
    if set(lengths) <= {None}:
        for r, ref in enumerate(sides, 1):
            if not isinstance(ref, str | None):
                raise InputError(f"reference {r} is of type {type(ref).__name__}; it must be a str")
        return [plain_text(ref) for ref in cast(list[str | None], sides)]
    advice = "pass one str per reference"
    if None not in lengths and len(sides) == 1:
        advice = "pass refs[0]"
    elif set(lengths) == {1}:
        advice = "pass [ref[0] for ref in refs]"
    raise InputError(f"refs has a list in place of a reference; for one sentence, {advice}")


def check_sides(refs: Refs) -> Refs:
    """Return references as they are; `InputError` unless they are a sequence of sequences."""
    if not is_list(refs):
        raise _no_list("refs", refs)
    return refs


def sides_of(refs: str | Refs | Sequence[str | None]) -> Refs:
    """Return one sequence of sentences per reference; the references may be a single one.

    >>> sides_of(["买雨伞", None]), sides_of([["买雨伞"], ["买伞"]])
    ([['买雨伞', None]], [['买雨伞'], ['买伞']])
    """
    refs = refs if isinstance(refs, str) else check_sides(cast(Refs, refs))
    is_single = all(isinstance(ref, str | None) for ref in refs)
    return cast(Refs, [refs] if is_single else refs)


def check_lists(hyps: Sequence[str], refs: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Return hypotheses and references of any lengths, with "" for absent references."""
    return _check_side("hypothesis", hyps), _check_side("reference", refs)


def _check_side(name: str, texts: Sequence[str | None]) -> list[str]:
    if isinstance(texts, str):
        raise InputError("a str was given in place of a sequence of sentences")
    if not is_list(texts):
        raise InputError(
            f"a value of type {type(texts).__name__} was given in place of a sequence of sentences"
        )
    side = list(texts)
    if set(map(type, side)) == {str}:  # nothing to look for
        return cast(list[str], side)
    side = ["" if text is None and name == "reference" else text for text in side]
    if not side:
        raise InputError(f"no {name} given; at least one is needed")
    for s, text in enumerate(side, 1):
        if not isinstance(text, str):
            raise InputError(f"{name} {s} is of type {type(text).__name__}; it must be a str")
    return [plain_text(text) for text in cast(list[str], side)]


def plain_text(text: T) -> T:
    """Return a str as such: NumPy's arrays have a kind of their own, which the kernels refuse."""
    return cast(T, str.__str__(text)) if isinstance(text, str) else text
