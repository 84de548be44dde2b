"""A reward for training language models to translate, in the shape that TRL calls.

    trainer = GRPOTrainer(model=…, reward_funcs=celab.integrations.reward(), train_dataset=…)

TRL passes completions and the columns of the data set, and expects a list of floats; it leaves out
those that are None, which a completion without a reference gets. Training finds what a metric
overlooks, so outputs that are not translations are guarded:

    empty, filler, refusal, copied, repeated, other-language  0
    wrapped  the lower of the scores of the output as it is and of the text inside, which is 0 if
             the text inside is one of these

`celab.evaluation.checks` defines these kinds. Outputs that are too long or too short have their
scores: the recommended settings have a limit of length, so that two translations, or words of
several, do not pay, and recall sees to what is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from celab.base.errors import InputError, OptionError
from celab.base.text.sequences import items_of, reference_columns, texts_of
from celab.corpus.answers.forms import text_inside
from celab.evaluation.checks.screening import Expectations, find
from celab.lexicon.catalog import LexiconSpec
from celab.metrics.base import Metric
from celab.metrics.factory import make_only_metric

WORTHLESS = frozenset({"empty", "filler", "refusal", "copied", "repeated", "other-language"})
Reward = Callable[..., list[float | None]]


def reward(
    metric: str | Metric = "celab-recommended",
    *,
    reference: str = "reference",
    source: str | None = None,
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    guard: bool = True,
    **settings: Any,
) -> Reward:
    """Return a reward function in TRL's shape: completions and columns in, a list of floats out.

    It scores a batch at once and may be called from several threads.

    Parameters:
        metric: a name, or a metric whose higher scores are better (default: TESLA-CELAB with the
            recommended settings of the language, which limit the length).
        reference: name of the column with the reference of each completion, or a list of them.
        source: name of the column with the sources (default: source, if the data set has it).
        lang, lexicon: for a metric that is given by name.
        guard: whether outputs that are not translations get 0 (`celab.integrations.rewards`).
        settings: other arguments of a metric that is given by name; jobs is the number of threads.

    A completion is a text, or a list of messages, the last of which counts. The reward is None,
    which TRL leaves out, if the reference is blank or None, or if the score is not proved
    (`on_error="skip"`).

    >>> import celab
    >>> rewarded = celab.integrations.reward()
    >>> completions = ["买伞", "译文：买伞", "I cannot translate this."]
    >>> [round(value, 4) for value in rewarded(completions, reference=["买雨伞"] * 3)]
    [1.0, 0.8673, 0.0]
    """
    scorer = make_only_metric(metric, lang=lang, lexicon=lexicon, **settings)
    if not scorer.higher_is_better:
        raise OptionError(f"lower scores of {scorer.name} are better; a reward must be higher")
    language = lang or scorer.language or "zh"

    def rewarded(
        completions: Sequence[Any], prompts: object = None, **columns: Any
    ) -> list[float | None]:
        hyps = [_text(completion) for completion in items_of(completions, "completions")]
        rows = ["" if row is None else row for row in _column(columns, reference, len(hyps))]
        sources = None
        if source is not None or "source" in columns:
            sources = _column(columns, source or "source", len(hyps))
        if not hyps:
            return []
        refs = [texts_of(side, "reference", absent=True) for side in reference_columns(rows)]
        places = [k for k in range(len(hyps)) if any(scorer.is_reference(side[k]) for side in refs)]
        hyps, *refs = ([side[k] for k in places] for side in (hyps, *refs))
        if guard and hyps:
            if sources is not None:
                sources = texts_of([sources[k] for k in places], "source", absent=True)
            scores = _guarded(scorer, hyps, refs, Expectations(refs, sources, language))
        else:
            scores = _scores(scorer, hyps, refs, range(len(hyps)))
        proved = {k: score for k, score in zip(places, scores, strict=True) if score == score}
        return [proved.get(k) for k in range(len(rows))]

    rewarded.__name__ = f"{scorer.name}_reward".replace("-", "_")
    return rewarded


def _scores(
    scorer: Metric, hyps: Sequence[str], refs: Sequence[Sequence[str]], places: Sequence[int]
) -> list[float]:
    """Return the scores of texts, which are those of segments at these places."""
    if not hyps:
        return []
    sides = [[side[place] for place in places] for side in refs]
    segments = scorer.corpus_score(hyps, [side for side in sides if any(side)]).segments
    return [float(score) for score in segments.scores]


def _guarded(
    scorer: Metric,
    hyps: Sequence[str],
    refs: Sequence[Sequence[str]],
    expected: Expectations,
) -> list[float]:
    """Return the rewards; what is worth nothing is not scored."""
    kinds = {finding.segment: finding.kind for finding in find(hyps, expected, whole=False)}
    places = [place for place in range(len(hyps)) if kinds.get(place) not in WORTHLESS]
    rewards = [0.0] * len(hyps)
    for place, score in zip(
        places, _scores(scorer, [hyps[i] for i in places], refs, places), strict=True
    ):
        rewards[place] = score
    wrapped = (place for place in places if kinds.get(place) == "wrapped")
    insides = {place: text_inside(hyps[place], expected[place].context).text for place in wrapped}
    insides = {place: inside for place, inside in insides.items() if inside != hyps[place]}
    if insides:
        inner_refs = [[side[i] for i in insides] for side in refs]
        inner = _guarded(scorer, [*insides.values()], inner_refs, expected.keep([*insides]))
        for place, score in zip(insides, inner, strict=True):
            if math.isnan(score) or score < rewards[place]:  # one that is not proved stays so
                rewards[place] = score
    return rewards


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


def _text(completion: object) -> str:
    """Return a completion, or the content of its last message."""
    if isinstance(completion, list) and completion:
        last = completion[-1]
        completion = last.get("content") if isinstance(last, dict) else last
    if not isinstance(completion, str):
        kind = type(completion).__name__
        raise InputError(f"a completion is of type {kind}; it must be a text or messages")
    return completion
