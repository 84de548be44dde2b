"""Refusals: answers that begin by saying that the text is not going to be translated."""

from __future__ import annotations

from collections.abc import Sequence

from celab.corpus.answers.wordings import REFUSAL_CUES, REFUSALS, fold, has_cue

WITHIN = 240  # characters from the beginning, in which a phrase ends


def refuses(output: str, others: Sequence[str]) -> bool:
    """Return whether an output begins with a phrase of refusals that the other texts don't excuse.

    `others` are the source and the references.

    >>> refuses("I’m sorry, but I cannot translate this.", ["滚开"])
    True
    >>> refuses("I’m sorry, but I cannot help you.", ["对不起，我帮不了你。"])
    False
    """
    start = output.lstrip()[:WITHIN]
    if not has_cue(start, REFUSAL_CUES):
        return False
    start = fold(start)
    return any(
        family.opening.match(start) and not any(family.hint.search(fold(text)) for text in others)
        for family in REFUSALS
    )
