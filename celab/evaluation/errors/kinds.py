"""Differences → edits of eight kinds. They are facts about the texts, not claims about meaning.

    omitted      text of the reference that the output lacks
    replaced     text of the reference that the output has otherwise
    latin        words in Latin letters that the reference lacks, in a text of another script
    number       digits that are not those of the reference
    added        text of the output that the reference lacks
    punctuation  signs alone
    moved        text that both have, in different places
    term         a term of the glossary that the output misses

The order is that of what people punish (docs/report-and-playground.md). A place where output and
reference differ is one edit, besides moved text, and has one kind: the first that applies of
number, latin, punctuation, omitted, added, replaced. It is omitted, not replaced, if its text in
the reference has at least three times the content of that in the output, and `MUCH` more units;
added, the other way round.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from celab.base.text.scripts import SCRIPT_OF
from celab.evaluation.errors.diff import Difference, Step

KINDS = (
    *("omitted", "replaced", "latin", "number"),
    *("added", "punctuation", "moved", "term"),
)
TIMES, MUCH = 3, 4
_DIGITS = re.compile("[0-9]+(?:[.,:][0-9]+)*")


class Edit(NamedTuple):
    """An edit: its kind, and its ranges of units in reference and output."""

    kind: str
    ref: tuple[int, int]
    hyp: tuple[int, int]


def edits(difference: Difference, lang: str) -> Iterator[Edit]:
    """Yield the edits of an output, in its order; `lang` is the target language.

    >>> from celab.evaluation.errors.diff import differences
    >>> ((difference,),) = differences(["他买了3把雨伞。"], [["他卖了5把umbrella！"]])
    >>> [edit.kind for edit in edits(difference, "zh")]
    ['replaced', 'number', 'latin']
    """
    has_latin = SCRIPT_OF.get(lang) not in (None, "Latin")
    moved = difference.moved
    ref_scripts = _without(difference.ref.scripts, [step.ref for step in moved])
    hyp_scripts = _without(difference.hyp.scripts, [step.hyp for step in moved])
    found = [Edit("moved", *step) for step in moved]
    for step in difference.steps:
        (ref_start, ref_stop), (hyp_start, hyp_stop) = step
        ref, hyp = ref_scripts[ref_start:ref_stop], hyp_scripts[hyp_start:hyp_stop]
        kind = _kind(ref, hyp, has_latin)
        if kind is None:
            continue
        if ("0" in ref or "0" in hyp) and _differ_in_numbers(difference, step, (ref, hyp)):
            kind = "number"
        found.append(Edit(kind, *step))
    yield from sorted(found, key=lambda edit: (edit.hyp, edit.ref)) if moved else found


def _without(scripts: str, moved: list[tuple[int, int]]) -> str:
    """Return the scripts of units, with white space in place of what is moved."""
    for start, stop in moved:
        scripts = scripts[:start] + " " * (stop - start) + scripts[stop:]
    return scripts


# Most places are one of few: a character or two in place of as many.
@lru_cache(maxsize=1 << 12)
def _kind(ref: str, hyp: str, has_latin: bool) -> str | None:
    """Return the kind of a place by the scripts of its units, None if there is nothing in it."""
    n_ref, n_hyp = (len(x) - x.count(" ") - x.count(".") for x in (ref, hyp))
    if not n_ref and not n_hyp:
        return "punctuation" if "." in ref + hyp else None
    if has_latin and "a" in hyp and "a" not in ref:
        return "latin"
    if n_ref >= TIMES * n_hyp and n_ref - n_hyp >= (MUCH if n_hyp else 1):
        return "omitted"
    if n_hyp >= TIMES * n_ref and n_hyp - n_ref >= (MUCH if n_ref else 1):
        return "added"
    return "replaced"


def _differ_in_numbers(difference: Difference, step: Step, scripts: tuple[str, str]) -> bool:
    """Return whether the numbers of a place, whose units have these scripts, are not the same."""
    numbers = []
    for units, of_place, (start, stop) in zip(difference[:2], scripts, step, strict=True):
        places = zip(units.texts[start:stop], of_place, strict=True)
        texts = [text for text, script in places if script == "0"]
        folded = unicodedata.normalize("NFKC", " ".join(texts))
        numbers.append(sorted(x.replace(",", "") for x in _DIGITS.findall(folded)))
    return numbers[0] != numbers[1]
