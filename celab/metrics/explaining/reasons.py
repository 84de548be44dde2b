"""Why not matched? The unmatched words of an explanation → a table, and sentences for reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from celab.base.signature import Signature
from celab.base.text.escapes import visible

if TYPE_CHECKING:
    from celab.metrics.explaining.explanation import Explanation, LexiconGroup, Reason, Unmatched

HEADINGS = ("reference", "hypothesis", "score as synonyms", "why not matched", "lexicon groups")
NONE = "–"  # no word on this side


class Missing(NamedTuple):
    """Two words that are not matched, or one without a counterpart."""

    ref: str
    hyp: str
    reason: Reason
    n_tokens: tuple[int, int]
    score: float | None  # if they were synonyms
    groups: Sequence[tuple[str, LexiconGroup]]  # each with its word


def missing(explanation: Explanation) -> list[Missing]:
    """Return unmatched words with their counterparts, those whose link would gain most first."""
    pairs: dict[tuple[str, str], Missing] = {}
    groups = {word.word: word.groups for word in explanation.unmatched}
    for word in explanation.unmatched:
        (ref, n_ref), (hyp, n_hyp) = _words(word)
        of_words = [(text, group) for text in (ref, hyp) for group in groups.get(text, ())]
        pair = Missing(ref, hyp, word.reason, (n_ref, n_hyp), word.score, of_words)
        pairs.setdefault((ref, hyp), pair)
    return sorted(pairs.values(), key=lambda pair: -(pair.score or 0.0))


def _words(word: Unmatched) -> list[tuple[str, int]]:
    # Of reference and hypothesis, with their numbers of tokens.
    texts, spans = (word.word, word.nearest_word), (word.span, word.nearest or (0, 0))
    words = [(text, stop - start) for text, (start, stop) in zip(texts, spans, strict=True)]
    return words if word.side == "ref" else words[::-1]


def reason_text(pair: Missing, signature: Signature) -> str:
    """Return why two words are not matched."""
    names = visible(_lexicons(signature))
    if pair.reason == "alone":
        return f"no unmatched word of the {'hypothesis' if pair.ref else 'reference'} is near"
    if pair.reason == "no lexicon":
        return "there is no lexicon"
    if pair.reason == "no gain":
        return f"synonyms in {names}, but linking them gains nothing"
    if pair.reason == "too long":
        max_order = int(signature.part("n") or 0)
        long = [
            f"{visible(text)} has {n} {'characters' if n == len(text) else 'tokens'}"
            for text, n in zip((pair.ref, pair.hyp), pair.n_tokens, strict=True)
            if n > max_order
        ]
        return f"{' and '.join(long)}; --max-order is {max_order}"
    if pair.reason == "apart":
        return f"no common group in {names}"
    known = {text for text, _ in pair.groups}
    absent = [visible(text) for text in (pair.ref, pair.hyp) if text not in known]
    return f"{' and '.join(absent)} not in {names}"


def _lexicons(signature: Signature) -> str:
    # Their names, without digests.
    cited = (signature.part("lex") or "").split("+")
    return " and ".join(dict.fromkeys(name.partition("@")[0] for name in cited))


def group_text(pair: Missing, signature: Signature) -> str:
    """Return the labels of the lexicon groups of both words, without the name of a sole lexicon."""
    labels: dict[str, list[str]] = {}
    name = f"{_lexicons(signature)} "
    for text, group in pair.groups:
        labels.setdefault(text, []).append(visible(group.label.removeprefix(name)))
    return "; ".join(f"{visible(text)}: {' '.join(of)}" for text, of in labels.items())
