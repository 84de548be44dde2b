"""Suggestions: pairs of words that would raise scores most if the lexicon had them.

Candidates are the unmatched words of explanations with their nearest words on the other side
(`celab.metrics.explaining.unmatched`). Words that only happen to be in the same sentences, such as
的 and 了, are left out: a pair must be a candidate in a fifth of the outputs that it could change.
The gain of a pair is exact: all these outputs are scored again with a lexicon that has the pair,
and the gain is the mean rise of the systems' scores. Outputs that are skipped, because no optimum
was proved, do not count.

Segments have equal weight in a score, so a pair in one segment of two words gains more than a pair
in many long segments, although it hardly helps with other text. So a pair must be a candidate in
`min_segments` segments, 2 by default; numbers, and words in a handle (@name), an e-mail address or
a URL, are no candidates, because they have no synonyms. With `min_segments` of 1, all pairs are
tried.

A person has to look at the pairs before using them: that a pair would raise scores does not make
its words synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64, I64
from celab.base.errors import OptionError, SolverError
from celab.base.run import Progress, TooLong
from celab.base.signature import Signature
from celab.base.text.tokens import has_letters
from celab.corpus import Corpus
from celab.lexicon.lexicon import LocalLexicon
from celab.metrics.base import Metric
from celab.metrics.celab import TeslaCelab
from celab.metrics.explaining.explanation import Explanation
from celab.metrics.scores import Score
from celab.tables.cells import quantity
from celab.tables.result import Result
from celab.tables.table import COUNT, NAME, SCORE, Column, Part, Table
from celab.tables.view import Detail, Line

DEFAULT_LIMIT = 50  # suggestions
DEFAULT_MIN_SEGMENTS = 2  # segments in which a pair must occur
MAX_CANDIDATES_TRIED = 5_000  # candidates with most unmatched tokens come first
# A pair must be a candidate in this share of the outputs that it could change.
MIN_SHARE_SEEN = 0.2
# Chinese text may follow without a space, so that only ASCII belongs to them.
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[!-~]+|[a-z0-9._+-]*@[a-z0-9._-]+"
    # No e-mail address begins later in a run of its characters if none begins with the first.
    r"|(?P<other>[a-z0-9._+-]+?(?=https?://|www\.|[^a-z0-9._+-]|\Z))",
    re.IGNORECASE,
)

_Pair = tuple[str, str]  # words of the reference and of the hypothesis


@dataclass(slots=True)
class _Seen:
    segment: int  # first segment with the pair
    system: str
    n_outputs: int = 0  # outputs with the pair
    n_tokens: int = 0  # tokens of both words in these outputs
    segments: set[int] = field(default_factory=set)  # segments that count towards the minimum


class Suggestion(NamedTuple):
    """Two words that are not synonyms in the lexicon."""

    ref: str
    hyp: str
    gain: float  # mean rise of the systems' scores
    n_outputs: int  # outputs that score higher
    segment: int  # first segment with the pair, from 1
    system: str

    @property
    def line(self) -> str:
        """The pair as a line of a lexicon, with its gain in a comment."""
        outputs = quantity(self.n_outputs, "output")
        seen = f"first in segment {self.segment} of {self.system}"
        return f"{self.ref}\t{self.hyp}\t# gain {self.gain:.6f}, {outputs}, {seen}"


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Suggestions(Result):
    """Suggested pairs of words, the largest gain first.

    Attributes:
        pairs: a `Suggestion` for each.
        scores: score of each system without the pairs.
        n_candidates, n_tried: number of candidates, and of those whose gain was computed.
        n_left_out: number of pairs that occur in too few segments, or are handles, URLs or numbers.
        min_segments: number of segments that a pair must be seen in; with 1, no pair is left out.
        signature: signature of the metric.
    """

    pairs: tuple[Suggestion, ...]
    scores: dict[str, float]
    n_candidates: int
    n_tried: int
    n_left_out: int
    min_segments: int
    signature: Signature

    def facts(self) -> JsonObject:
        """Return the scores without the pairs, how many pairs were tried, and the signature."""
        names = ("scores", "n_candidates", "n_tried", "n_left_out", "min_segments", "signature")
        return {name: getattr(self, name) for name in names}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield a row per pair, how many were tried, and the signature."""
        yield Table(name="pair", columns=_PAIRS, rows=self.pairs)
        tried = f"{self.n_tried:,} of {self.n_candidates:,} candidates tried"
        yield [Line((tried,)), Line((self.signature,), "signature")]

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in (*self._head(), *(pair.line for pair in self.pairs)))

    def _head(self) -> list[str]:
        n = len(self.scores)
        tried = f"{self.n_tried:,} of {self.n_candidates:,} candidates tried"
        left_out = (
            f"# {self.n_left_out:,} left out: seen in fewer than {self.min_segments} segments, or a"
            " handle, a URL or a number"
        )
        return [
            f"# suggested for {self.signature}",
            f"# {tried} on {quantity(n, 'system')}",
            *([left_out] if self.n_left_out else []),
            "# gain: mean rise of the systems' scores if the two words were synonyms",
            "# keep the lines whose words mean the same, then give this file as one more lexicon",
        ]

    def __repr__(self) -> str:
        return f"<Suggestions: {len(self.pairs)} of {self.n_candidates:,} pairs>"


_PAIRS = [
    Column("reference", NAME, attrgetter("ref"), "ref"),
    Column("hypothesis", NAME, attrgetter("hyp"), "hyp"),
    Column("gain", SCORE, attrgetter("gain"), "gain", digits=6),
    Column("outputs", COUNT, attrgetter("n_outputs"), "n_outputs"),
    Column("first segment", COUNT, attrgetter("segment"), "segment"),
    Column("of", NAME, attrgetter("system"), "system"),
]


def suggest(
    metric: Metric,
    corpus: Corpus,
    *,
    most: int = DEFAULT_LIMIT,
    min_segments: int = DEFAULT_MIN_SEGMENTS,
    progress: Progress | None = None,
) -> Suggestions:
    """Return the pairs of words that would raise the scores of systems most as synonyms.

    Parameters:
        metric: a `TeslaCelab` with other tokens than letters.
        corpus: outputs of one or more systems, and references.
        most: number of pairs.
        min_segments: number of segments that a pair must be seen in. With 2 or more, handles, URLs
            and numbers are left out; with 1, all pairs are tried.
        progress: callback, called with (done, total), which count outputs.
    """
    if not isinstance(metric, TeslaCelab) or metric.options.tokenize == "letter":
        raise OptionError(
            f"{metric.signature.metric} with these settings has no words to suggest",
            hint="use TESLA-CELAB with one setting and without letters as tokens",
        )
    if not isinstance(min_segments, int) or min_segments < 1:
        raise OptionError("min_segments", min_segments, "it must be a whole number from 1")
    refs = [[ref or "" for ref in side] for side in corpus.refs]
    scores = metric.corpus_scores(corpus.systems, refs)
    seen_pairs = _candidates(metric, corpus, refs, min_segments > 1, progress)
    candidates = {
        pair: seen for pair, seen in seen_pairs.items() if len(seen.segments) >= min_segments
    }
    search = _Search(metric, corpus.systems, refs, candidates)
    n_scored = np.array([np.count_nonzero(score.segments.scored) for score in scores.values()])
    pairs, n_tried = [], 0
    for pair, seen in sorted(candidates.items(), key=lambda item: -item[1].n_tokens):
        outputs = search.outputs(*pair)
        if seen.n_outputs < MIN_SHARE_SEEN * len(outputs):
            continue
        if n_tried == MAX_CANDIDATES_TRIED:
            break
        n_tried += 1
        gains = search.gains(pair, outputs, scores)
        if (gain := _mean_gain(gains, outputs, n_scored)) > 0:
            n_raised = int(np.count_nonzero(gains > 0))
            pairs.append(Suggestion(*pair, gain, n_raised, seen.segment + 1, seen.system))
    pairs.sort(key=lambda pair: -pair.gain)
    means = {name: score.score for name, score in scores.items()}
    signature = next(iter(scores.values())).signature
    return Suggestions(
        pairs=tuple(pairs[:most]),
        scores=means,
        n_candidates=len(seen_pairs),
        n_tried=n_tried,
        n_left_out=len(seen_pairs) - len(candidates),
        min_segments=min_segments,
        signature=signature,
    )


def _mean_gain(gains: F64, outputs: Sequence[tuple[int, int]], n_scored: I64) -> float:
    # The mean rise of the scores, over the systems that have a score.
    systems = [system for system, _ in outputs]
    sums = np.bincount(systems, np.nan_to_num(gains), len(n_scored))
    has_score = n_scored > 0
    return float(np.mean(sums[has_score] / n_scored[has_score])) if has_score.any() else 0.0


def _candidates(
    metric: TeslaCelab,
    corpus: Corpus,
    refs: list[list[str]],
    only_words: bool,
    progress: Progress | None,
) -> dict[_Pair, _Seen]:
    # With `only_words`, segments in which a pair is a number or part of an address do not count.
    scorer = metric.scorer(refs)
    unexplained = SolverError if metric.run.skips else TooLong
    candidates: dict[_Pair, _Seen] = {}
    n_done, n_outputs = 0, len(corpus.segments) * len(corpus.systems)
    for segment in range(len(corpus.segments)):
        of_segment = [side[segment] for side in refs]
        for system, hyps in corpus.systems.items():
            pairs: dict[_Pair, int] = {}
            with suppress(unexplained):
                explained = scorer.explain(hyps[segment], of_segment, unmatched=True, n_what_if=0)
                for against in explained.against:
                    if isinstance(against, Explanation):
                        pairs |= _pairs(against)
            addresses = _addresses(hyps[segment], *of_segment) if only_words else ""
            for pair, n_tokens in pairs.items():
                known = pair[::-1] if pair[::-1] in candidates else pair
                seen = candidates.setdefault(known, _Seen(segment, system))
                seen.n_outputs += 1
                seen.n_tokens += n_tokens
                if not (only_words and any(_is_name(word, addresses) for word in pair)):
                    seen.segments.add(segment)
            n_done += 1
            if progress is not None:
                progress(n_done, n_outputs)
    return candidates


def _addresses(*texts: str) -> str:
    # The handles, e-mail addresses and URLs of texts.
    matches = (match for text in texts for match in _ADDRESS.finditer(text))
    return " ".join(match[0] for match in matches if match.lastgroup != "other").casefold()


def _is_name(word: str, addresses: str) -> bool:
    # A number, or part of an address.
    return not any(map(str.isalpha, word)) or (word.isascii() and word.casefold() in addresses)


def _pairs(explanation: Explanation) -> dict[_Pair, int]:
    # Each with the number of its tokens.
    pairs: dict[_Pair, int] = {}
    for word in explanation.unmatched:
        if word.nearest is None or word.reason in ("no gain", "too long"):
            continue
        words = word.word, word.nearest_word
        if not all(has_letters(text) and "#" not in text for text in words):  # `#` begins a comment
            continue
        n_tokens = word.span[1] - word.span[0] + word.nearest[1] - word.nearest[0]
        pairs[words if word.side == "ref" else words[::-1]] = n_tokens
    return pairs


class _Search:
    """Index of the words of references and outputs, by which gains are computed."""

    def __init__(
        self,
        metric: TeslaCelab,
        systems: Mapping[str, list[str]],
        refs: list[list[str]],
        pairs: Mapping[_Pair, object],
    ) -> None:
        engine = metric.engine
        self.systems, self.refs = systems, refs
        # An output that is not proved has no gain.
        self._scorer = metric.with_run(on_error="skip").scorer(refs, cache_references=False)
        vocabulary, _ = engine.references([[]], cache=False)
        words: dict[str, int | None] = dict.fromkeys(word for pair in pairs for word in pair)
        letters: list[list[str]] = []
        for side in (*systems.values(), *refs):
            prepared = engine.prepare(side)
            sentences = engine.hypotheses(prepared, vocabulary)
            tokens = [engine.tokens(text) for text in prepared]
            for s, of_text in enumerate(tokens):
                for start, n, word in sentences.words(s):
                    words["".join(of_text[start : start + n])] = word
            letters.append(["".join(of_text) for of_text in tokens])
        self._hyps, self._refs = letters[: len(systems)], letters[len(systems) :]
        self._lexicon = LocalLexicon(engine.lexicon, words)
        self._segments: dict[str, tuple[set[int], list[set[int]]]] = {}

    def _find(self, word: str) -> tuple[set[int], list[set[int]]]:
        # The segments in which a reference has the letters of a word, and likewise each system.
        if word not in self._segments:
            in_hyps = [{s for s, text in enumerate(side) if word in text} for side in self._hyps]
            in_refs = {s for side in self._refs for s, text in enumerate(side) if word in text}
            self._segments[word] = in_refs, in_hyps
        return self._segments[word]

    def outputs(self, a: str, b: str) -> list[tuple[int, int]]:
        """Return the outputs, as system and segment, whose score two synonyms could change."""
        (a_refs, a_hyps), (b_refs, b_hyps) = self._find(a), self._find(b)
        return [
            (system, segment)
            for system in range(len(self.systems))
            for segment in sorted(a_refs & b_hyps[system] | b_refs & a_hyps[system])
        ]

    def gains(
        self, pair: _Pair, outputs: Sequence[tuple[int, int]], scores: Mapping[str, Score]
    ) -> F64:
        """Return the gain of each output if two words are synonyms; NaN if it is not proved."""
        hyps = [*self.systems.values()]
        before = [score.segments.scores for score in scores.values()]
        scorer = self._scorer.with_lexicon(self._lexicon.with_synonyms(*pair))
        after = scorer(
            [hyps[system][segment] for system, segment in outputs],
            [[side[segment] for _, segment in outputs] for side in self.refs],
        ).segments.scores
        gains: F64 = after - np.array([before[system][segment] for system, segment in outputs])
        return gains
