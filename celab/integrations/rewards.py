"""A reward for training language models to translate, in the shape that TRL calls.

    trainer = GRPOTrainer(model=…, reward_funcs=celab.integrations.reward(), train_dataset=…)

TRL passes completions and the columns of the data set, and expects a list of floats; it leaves out
those that are None, which a completion without a reference gets.

The translation in a completion is scored: all that is not thinking, or what stands in the form
that the prompt asked for (`celab.corpus.answers.asked`). A completion without it gets 0.

Training finds what a metric overlooks, so translations are guarded:

    empty, filler, refusal, copied, repeated, other-language  0
    wrapped  the lowest score of the answer and of each text inside; 0 if any has a kind above

`celab.findings.translations` defines these kinds. Here an answer is wrapped also where it is
uncertain, unless a reference has the same form (`celab.corpus.answers.forms.Suspicion`). Outputs
that are too long or too short have their scores: the recommended settings have a limit of length,
so that two translations, or words of several, do not pay, and recall sees to what is missing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from celab.base.errors import InputError, OptionError, suggest
from celab.base.options import is_list
from celab.base.text.sequences import is_missing, items_of, reference_columns, texts_of
from celab.corpus.answers.asked import check_answer, find_answer
from celab.corpus.answers.forms import Context, Suspicion, all_insides
from celab.findings.translations.screening import Expectations, find
from celab.lexicon.catalog import LexiconSpec
from celab.metrics.base import Metric
from celab.metrics.factory import make_only_metric
from celab.metrics.registry import METRICS, arguments_of, canonical_name

WORTHLESS = frozenset({"empty", "filler", "refusal", "copied", "repeated", "other-language"})
# Keys under which servers and templates put the thinking of a message.
_THINKING_KEYS = ("reasoning_content", "reasoning", "thinking")


def reward(
    metric: str | Metric = "celab-recommended",
    *,
    reference: str = "reference",
    source: str | None = None,
    answer: str | None = None,
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    guard: bool = True,
    unit: bool = False,
    **settings: Any,
) -> Reward:
    """Return a reward function in TRL's shape: completions and columns in, a list of floats out.

    It scores a batch at once, may be called from several threads, and can be pickled.

    Parameters:
        metric: a name, or a metric (default: TESLA-CELAB with the recommended settings of the
            language, which limit the length). Higher scores must be better, or `unit` be given.
        reference: name of the column with the reference of each completion, or a list of them.
        source: name of the column with the sources (default: source, if the data set has it).
        answer: the form of the translation that the prompt asked for: think, what follows the last
            `</think>`; answer, what is in `<answer>…</answer>`; tag:NAME, in other tags; boxed, in
            `\\boxed{…}`; fence, in a code block; final, in the final channel or box; json:KEY, a
            value of a JSON object (default: all that is not thinking). Without it the reward is 0.
        lang, lexicon: for a metric that is given by name.
        guard: whether outputs that may not be translations get 0, and wrapped ones no more than the
            text inside (`celab.integrations.rewards`).
        unit: whether rewards are from 0 to 1, whatever the scale of the metric; of an error rate,
            1 less the rate, at least 0.
        settings: other arguments of a metric that is given by name; jobs is the number of threads.

    A completion is a text, or a list of messages, the last of which counts. The reward is None,
    which TRL leaves out, if the reference is blank, None or NaN, or if the score is not proved
    (`on_error="skip"`).

    >>> import celab
    >>> rewarded = celab.integrations.reward()
    >>> completions = ["<think>Rain…</think>买伞", "译文：买伞", "I cannot translate this."]
    >>> [round(value, 4) for value in rewarded(completions, reference=["买雨伞"] * 3)]
    [1.0, 0.8673, 0.0]
    """
    check_answer(answer)
    if isinstance(metric, str) and (name := canonical_name(metric)) in METRICS:
        _check_scale(name)
        _check_settings(name, settings)
    scorer = make_only_metric(metric, lang=lang, lexicon=lexicon, **settings)
    _check_scale(scorer.name)
    if not scorer.higher_is_better and not unit:
        raise OptionError(
            f"lower is better by {scorer.name}, but a reward must be higher: add unit=True"
        )
    return Reward(
        metric=scorer,
        reference=reference,
        source=source,
        answer=answer,
        lang=lang or scorer.language or "zh",
        guard=guard,
        unit=unit,
    )


def _check_scale(metric: str) -> None:
    if metric in METRICS and METRICS[metric].reads_documents:
        raise OptionError(f"{metric} cannot be a reward: its scores have no scale from 0 to 1")


def _check_settings(metric: str, settings: Mapping[str, object]) -> None:
    known = ("reference", "source", "answer", "guard", "unit", *arguments_of(metric), "profile")
    for name in settings:
        if name not in known:
            raise OptionError(f"{metric} has no setting {name!r}", hint=suggest(name, known))


@dataclass(frozen=True, eq=False, kw_only=True)
class Reward:
    """A reward function, which `reward` makes from the arguments of these names."""

    metric: Metric
    reference: str
    source: str | None
    answer: str | None
    lang: str
    guard: bool
    unit: bool

    @property
    def __name__(self) -> str:
        """The name under which trainers log the reward."""
        return f"{self.metric.name}_reward".replace("-", "_")

    def __call__(
        self, completions: Sequence[Any], prompts: object = None, **columns: Any
    ) -> list[float | None]:
        """Return the reward of each completion, None for one that cannot be scored."""
        texts = [_text(completion) for completion in items_of(completions, "completions")]
        rows = [*map(_present, _column(columns, self.reference, len(texts)))]
        sources = None
        if self.source is not None or "source" in columns:
            sources = _column(columns, self.source or "source", len(texts))
        if not texts:
            return []
        refs = [texts_of(side, "reference", absent=True) for side in reference_columns(rows)]
        is_reference = self.metric.is_reference
        places = [k for k in range(len(texts)) if any(is_reference(side[k]) for side in refs)]
        if sources is not None:
            sources = (
                texts_of([sources[k] for k in places], "source", absent=True) if places else []
            )
        refs = [[side[k] for k in places] for side in refs]
        scores = self._rewards([texts[k] for k in places], refs, sources)
        # The score is NaN if its optimum was not proved in time.
        proved = {
            k: score for k, score in zip(places, scores, strict=True) if not math.isnan(score)
        }
        return [proved.get(k) for k in range(len(rows))]

    def _rewards(
        self, completions: Sequence[str], refs: list[list[str]], sources: list[str] | None
    ) -> list[float]:
        """Return the rewards of completions that have a reference; NaN if one is not proved."""
        expected = Expectations(refs, sources, self.lang)
        known = [
            (None if sources is None else sources[place], [side[place] for side in refs])
            for place in range(len(completions))
        ]
        # The translations to score, and the indices of their completions.
        texts: list[str] = []
        places: list[int] = []
        for place, completion in enumerate(completions):
            if translation := find_answer(completion, self.answer, Context(*known[place])):
                texts.append(translation)
                places.append(place)
        worthless = self._worthless(texts, places, expected)
        if self.guard:
            # A worthless translation gets 0 whatever is inside, and a degenerate one may have so
            # many texts inside that scoring them would take long.
            n_translations = len(texts)
            for k in range(n_translations):
                if k not in worthless:
                    inside = all_insides(texts[k], Suspicion(*known[places[k]]))
                    texts += inside
                    places += [places[k]] * len(inside)
            others = self._worthless(texts[n_translations:], places[n_translations:], expected)
            worthless |= {n_translations + k for k in others}
        scored = [k for k in range(len(texts)) if k not in worthless]
        scores = dict(zip(scored, self._scores(texts, refs, scored, places), strict=True))
        rewards: dict[int, float] = {}
        for k, place in enumerate(places):
            rewards[place] = _lower(rewards.get(place, math.inf), scores.get(k, 0.0))
        return [rewards.get(place, 0.0) for place in range(len(completions))]

    def _worthless(
        self, texts: Sequence[str], places: Sequence[int], expected: Expectations
    ) -> set[int]:
        """Return the indices of the texts that get 0, because of their kind; none without a guard.

        `places` has the index of the completion of each text.
        """
        if not self.guard or not texts:
            return set()
        findings = find(texts, expected.keep(places), whole=False)
        return {x.segment for x in findings if x.kind in WORTHLESS and x.segment is not None}

    def _scores(
        self,
        texts: Sequence[str],
        refs: Sequence[Sequence[str]],
        scored: Sequence[int],
        places: Sequence[int],
    ) -> list[float]:
        """Return the rewards of the texts at the indices `scored`, by their scores alone.

        `places` has the index of the completion of each text.
        """
        if not scored:
            return []
        sides = [[side[places[k]] for k in scored] for side in refs]
        hyps = [texts[k] for k in scored]
        segments = self.metric.corpus_score(hyps, [side for side in sides if any(side)]).segments
        scores = [float(score) for score in segments.scores]
        if not self.unit:
            return scores
        shares = [score / self.metric.scale for score in scores]
        if not self.metric.higher_is_better:
            shares = [1 - share for share in shares]
        return [share if math.isnan(share) else min(max(share, 0.0), 1.0) for share in shares]


def _lower(a: float, b: float) -> float:
    """Return the lower of two scores: 0 whatever the other is, else NaN if one is not proved."""
    if 0.0 in (a, b):
        return 0.0
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


def _present(row: Any) -> Any:
    """Return the references of a completion without those that are None or NaN."""
    if is_missing(row):
        return ""
    return [ref for ref in row if not is_missing(ref)] if is_list(row) else row


def _column(columns: Mapping[str, Any], name: str, n_completions: int) -> list[Any]:
    """Return the rows of a column, one for each completion."""
    if name not in columns:
        raise InputError(f"there is no column {name!r}; there are: {', '.join(columns) or 'none'}")
    rows = items_of(columns[name], f"column {name!r}")
    if len(rows) != n_completions:
        raise InputError(
            f"column {name!r} has {len(rows)} rows, but there are {n_completions} completions"
        )
    return rows


def _content(message: Mapping[str, object]) -> object:
    """Return the text of a message, "" without any; parts of text are joined."""
    content = message.get("content")
    if not isinstance(content, list):
        return "" if content is None else content
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _text(completion: object) -> str:
    """Return a completion, or the content of its last message after its thinking."""
    thinking = None
    if isinstance(completion, list) and completion:
        last = completion[-1]
        if isinstance(last, dict):
            thinking = next(filter(None, map(last.get, _THINKING_KEYS)), None)
        completion = _content(last) if isinstance(last, dict) else last
    if not isinstance(completion, str):
        kind = type(completion).__name__
        raise InputError(f"a completion is of type {kind}; it must be a text or messages")
    return completion if thinking is None else f"<think></think>{completion}"
