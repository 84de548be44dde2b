"""Refusals: answers that begin by saying that the text is not going to be translated."""

from __future__ import annotations

from collections.abc import Iterable

from celab.corpus.answers.phrases import REFUSALS

WITHIN = 240  # characters from the beginning, in which a phrase ends
_FAMILIES = [(family.opening(), family.hint()) for family in REFUSALS]


def refuses(output: str, others: Iterable[str]) -> bool:
    """Return whether an output begins with a phrase of refusals that the other texts don't excuse.

    `others` are the source and the references.

    >>> refuses("I’m sorry, but I cannot translate this.", ["滚开"])
    True
    >>> refuses("I’m sorry, but I cannot help you.", ["对不起，我帮不了你。"])
    False
    """
    start = output.lstrip()[:WITHIN].replace("’", "'")
    for opening, hint in _FAMILIES:
        if opening.match(start) and not any(hint.search(text) for text in others):
            return True
    return False
