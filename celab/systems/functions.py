"""Functions on lists and strings: `celab.check`, `compare`, `explain` and `score`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from celab.base.errors import OptionError
from celab.base.options import is_list
from celab.base.text.scripts import warn_if_japanese
from celab.base.text.sequences import Refs, check_sentence, plain_text, sides_of, warn_if_file
from celab.findings.translations.outputs import Outputs
from celab.lexicon.catalog import LexiconSpec
from celab.metrics.base import Metric
from celab.metrics.explaining.explanation import SegmentExplanation
from celab.metrics.factory import MetricSpec, make_only_metric
from celab.metrics.scores import Score
from celab.statistics import resampling
from celab.statistics.documents import ResampleBy
from celab.statistics.significance import Test, check_test
from celab.systems.campaign import Campaign
from celab.systems.pair import MAX_EXAMPLES, PairComparison


def check(
    systems: Mapping[str, Sequence[str]] | Sequence[str],
    refs: Refs | Sequence[str | None],
    source: Sequence[str] | None = None,
    *,
    lang: str | None = None,
    unwrap: bool = False,
) -> Outputs:
    """Find outputs that may not be translations, such as refusals or answers in another language.

    Parameters:
        systems: a list of translations for each system, by name, or the list of a single system.
        refs: a list of segments for each reference, or the list itself if there is one reference.
        source: the source of each segment, which the kind `copied` needs.
        lang: target language (default: Chinese).
        unwrap: check the translations inside the outputs (`celab.unwrap`).

    Returns an `Outputs`, which `print` shows as a table of systems by kinds; `kinds` has the places
    of outputs in the list, from 0. `celab.findings.translations` defines the kinds. With a source,
    its `findings` are the placeholders and tags that were lost or added (`celab.findings.markup`).

    >>> import celab
    >>> refs = ["他买了一把雨伞", "我们明天去北京"]
    >>> celab.check(["他买了一把伞", "I cannot translate that."], refs).kinds("system")
    {'refusal': [1]}
    """
    by_name = systems if isinstance(systems, Mapping) else {"system": systems}
    corpus = Campaign.from_lists(by_name, refs, source=source, unwrap=unwrap).corpus
    return Outputs.of_corpus(corpus, lang, filters=True, findings=True)


def compare(
    a: Sequence[str],
    b: Sequence[str],
    refs: Refs | Sequence[str],
    metrics: MetricSpec = ("celab", "chrf", "bleu"),
    *,
    names: tuple[str, str] = ("A", "B"),
    documents: Sequence[str] | None = None,
    test: Test = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    resample_by: ResampleBy = "segment",
    most_different: int = MAX_EXAMPLES,
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    **settings: Any,
) -> PairComparison:
    """Compare two systems: their scores, the significance of the difference, and where it is.

    Parameters:
        a, b: segments of the two systems.
        refs: a list of segments for each reference, or the list itself if there is one reference.
            A segment that is empty or None is absent.
        metrics: names (celab, tesla-m, tesla-s, bleu, chrf, chrf++, ter; case-insensitive),
            metrics, or a dict.
        names: names of the systems.
        documents: the document, or domain, of each segment.
        test: significance test: "bootstrap" (paired bootstrap) or "randomization" (approximate
            randomization). Both are two-sided. With fewer than 20 segments p is exact instead, and
            no difference is called significant.
        n_resamples: number of resamples, 40 or more.
        seed: random seed.
        resample_by: unit that intervals and tests draw: "segment", or "document" for talks and
            stories, whose segments depend on each other; it needs `documents`.
        most_different: number of segments to show in which A scores higher, and in which B does.
        lang, lexicon: arguments of metrics that are given by name.
        settings: other arguments of metrics that are given by name: jobs, solver, time_limit,
            on_error; and check: look for outputs that may not be translations (default: true).

    Returns a `PairComparison`, which `print` shows as a table; `celab.systems.pair`
    defines its figures. With the bootstrap and 20 segments or more, p < 0.05 if and only if the 95%
    interval of the difference does not hold 0. Segments whose score is not proved are left out for
    both systems and counted.

    >>> import celab
    >>> refs = ["他买了一把雨伞", "我们明天去北京"]
    >>> a, b = ["他买了一把伞", "我们明天去北京"], ["他卖伞", "我去"]
    >>> comparison = celab.compare(a, b, refs, ["celab"])
    >>> comparison["celab"].wins, comparison["celab"].losses
    (2, 0)
    >>> difference = comparison["celab"].difference
    >>> round(difference.a, 4), round(difference.b, 4)
    (0.9764, 0.1507)
    """
    check_test(test)
    names = cast("tuple[str, str]", tuple(map(plain_text, names)) if is_list(names) else names)
    is_pair = isinstance(names, tuple) and len(names) == 2
    if not is_pair or not all(isinstance(name, str) for name in names) or names[0] == names[1]:
        raise OptionError("names", names, "it must be two different names")
    scored = Campaign.from_lists({names[0]: a, names[1]: b}, refs).score(
        metrics, lang=lang, lexicon=lexicon, **settings
    )
    return scored.compare(
        *names,
        documents=documents,
        test=test,
        n_resamples=n_resamples,
        seed=seed,
        resample_by=resample_by,
        most_different=most_different,
    )


def explain(
    hyp: str,
    refs: str | Sequence[str | None],
    metric: str | Metric = "celab",
    *,
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    **settings: object,
) -> SegmentExplanation:
    """Explain a segment's score: which n-grams are linked, why, and what is left unmatched.

    Parameters:
        hyp: the translation.
        refs: its references, or the only one; None or an empty one is absent.
        metric: "celab", "tesla-m", "tesla-s", "cer", "mer", or a metric that can explain.
        lang, lexicon: arguments of a metric that is given by name.
        settings: other arguments of a metric that is given by name, such as max_order.

    Returns a `SegmentExplanation` (`celab.metrics.explaining.explanation`); `.against` has an
    explanation for each reference. A notebook shows it as HTML, `print` as text.

    >>> import celab
    >>> explanation = celab.explain("买伞", "买雨伞")
    >>> explanation
    <SegmentExplanation 1.0000 against 1 reference>
    >>> [(link.kind, link.pieces[-1].groups) for link in explanation.against[0].links]
    [('synonym', ('cilin Bp34A01=',))]
    """
    explainer = make_only_metric(metric, lang=lang, lexicon=lexicon, **settings)
    references = check_sentence(hyp, refs)
    warn_if_file("the hypothesis", [hyp])
    if explainer.treats_text_as_chinese:
        warn_if_japanese([hyp, *filter(None, references)])
    return explainer.scorer([[ref] for ref in references]).explain(hyp, references, unmatched=True)


def score(
    hyps: str | Sequence[str],
    refs: str | Refs | Sequence[str | None],
    metric: str | Metric = "celab",
    *,
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    **settings: Any,
) -> Score:
    """Score a system, or a single translation, by one metric.

    Parameters:
        hyps: the segments of the system, or the only one.
        refs: a list of segments for each reference, or the list itself if there is one reference;
            for a single translation, its references, or the only one. A segment that is empty or
            None is absent.
        metric: a name (celab, tesla-m, tesla-s, bleu, chrf, chrf++, ter; case-insensitive), or a
            metric.
        lang, lexicon: arguments of a metric that is given by name.
        settings: other arguments of a metric that is given by name, such as max_order.

    Returns a `Score`, which `print` shows with its signature; `.score` is the number, and
    `.segments` has the scores of the segments.

    >>> import celab
    >>> celab.score("买伞", "买雨伞").score
    1.0
    >>> round(celab.score(["买伞", "去北京"], ["买雨伞", "到北京去"], "chrF").score, 2)
    32.52
    """
    scorer = make_only_metric(metric, lang=lang, lexicon=lexicon, **settings)
    if isinstance(hyps, str):
        return scorer.corpus_score([hyps], [[ref] for ref in check_sentence(hyps, refs)])
    return scorer.corpus_score(hyps, sides_of(refs))
