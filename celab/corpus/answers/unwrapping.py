"""Answers → the translations inside: `celab.unwrap`, `Corpus.unwrap` and `--unwrap`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from celab.base.arguments import checked
from celab.base.errors import InputError
from celab.base.text.sequences import Refs, sides_of, texts_of
from celab.corpus.answers.forms import FORMS, Context, Inside, text_inside

VERSION = 2  # of the rules, in signatures


def count_forms(texts: Iterable[str], insides: Iterable[Inside]) -> dict[str, int]:
    """Return how many answers of each form were unwrapped.

    >>> count_forms(["```买伞```", "去"], [Inside("买伞", "fence"), Inside("去", "")])
    {'fence': 1}
    """
    pairs = zip(texts, insides, strict=True)
    counts = Counter(inside.form for text, inside in pairs if inside.text != text)
    return {form: counts[form] for form in FORMS if counts[form]}


@checked("texts", "sources", "refs")
def unwrap(
    texts: Sequence[str],
    sources: Sequence[str] | None = None,
    refs: Refs | Sequence[str | None] | None = None,
) -> list[str]:
    """Return the translations inside the answers of a language model.

    Thinking, prefaces, notes, code blocks, markup, quotation marks, JSON, further versions and the
    source are removed where the rules are sure; all other texts are returned as they are. Rules are
    less sure without sources and references: quotation marks stay without a source, markup and
    further versions without either.

    Parameters:
        texts: answers.
        sources: the source of each segment.
        refs: a list of segments for each reference, or the list itself if there is one reference.
            A segment that is empty or None is absent.

    >>> import celab
    >>> celab.unwrap(["Here is the translation:\\n买雨伞", "<think>去…</think>去北京", "买伞"])
    ['买雨伞', '去北京', '买伞']
    """
    answers = texts_of(texts, "text", "texts")
    refs = [] if refs is None else sides_of(refs)
    sides = [texts_of(ref, "reference", absent=True) for ref in refs]
    known = [""] * len(answers) if sources is None else texts_of(sources, "source", "sources")
    for name, side in [("sources", known), *(("refs", ref) for ref in sides)]:
        if len(side) != len(answers):
            raise InputError(
                f"{name} has {len(side)} segments, texts has {len(answers)}; they must be of the"
                " same test set"
            )
    references = zip(*sides, strict=True) if sides else [()] * len(answers)
    contexts = (Context(*others) for others in zip(known, references, strict=True))
    return [text_inside(*pair).text for pair in zip(answers, contexts, strict=True)]
