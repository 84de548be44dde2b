"""Whether systems render terms as a glossary says, and consistently.

Accuracy is right / occurrences: the share of the occurrences of terms that have a rendering of
their own that the glossary allows (`celab.terminology.occurrences`). Its interval and the paired
test against the system with the highest accuracy resample the segments that have a term. References
are measured in the same way, on the segments where they have text.

Consistency looks at the occurrences whose rendering is known, because it is a target or a
forbidden term. For each term and document with two known renderings or more, it is the share of the
most frequent one; the consistency of a system is this share over all of them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from celab.base.errors import InputError, OptionError
from celab.base.languages import language_code
from celab.base.run import paused_collector
from celab.corpus import Corpus
from celab.metrics.base import Metric
from celab.metrics.factory import make_only_metric
from celab.metrics.options import TeslaCelabOptions
from celab.statistics import resampling
from celab.statistics.significance import Test, check_test
from celab.terminology.accuracy import TermCheck
from celab.terminology.glossary import GlossarySpec, load_glossary
from celab.terminology.results import TermResult


class HasCorpus(Protocol):
    """A campaign."""

    @property
    def corpus(self) -> Corpus:
        """The texts."""


def terms(
    glossary: GlossarySpec,
    corpus: Corpus | HasCorpus,
    *,
    lang: str | None = None,
    source_lang: str | None = None,
    metric: str | Metric = "celab",
    test: Test = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    **settings: object,
) -> TermResult:
    """Check whether systems render the terms of a glossary as it says, and consistently.

    Parameters:
        glossary: path of a TSV, CSV, JSON or JSON Lines file, a dict of target terms by source
            term, or a list of `celab.terminology.glossary.Term`.
        corpus: a corpus, or a campaign, with systems, and a source or references. Without a source,
            terms are looked for in the first reference of each segment, by their targets.
        lang: target language (default: Chinese).
        source_lang: source language (default: detected among zh, ja, ko, de and en). Inflected
            forms are found in German and English.
        metric: the metric that normalizes width, case and script.
        test: significance test: "bootstrap" or "randomization"; exact with fewer than 20 segments
            with a term.
        n_resamples: number of resamples, 40 or more.
        seed: random seed.
        settings: other arguments of a metric that is given by name.

    >>> import celab
    >>> from celab.corpus import Corpus, Segment
    >>> source = ["A GPU is fast.", "It has two GPUs."]
    >>> systems = {"A": ["显卡很快。", "它有两块显卡。"], "B": ["显卡很快。", "它有两个处理器。"]}
    >>> segments = [Segment("", "1"), Segment("", "2")]
    >>> corpus = Corpus(
    ...     segments=segments,
    ...     systems=systems,
    ...     refs=[["显卡很快。", "它有两块显卡。"]],
    ...     ref_names=["ref"],
    ...     source=source,
    ... )
    >>> result = celab.terms({"GPU": "显卡"}, corpus)
    >>> [(figures.name, figures.right, figures.occurrences) for figures in result.systems]
    [('A', 2, 2), ('B', 1, 2)]
    """
    check_test(test)
    texts = corpus if isinstance(corpus, Corpus) else getattr(corpus, "corpus", None)
    if not isinstance(texts, Corpus):
        raise InputError(
            f"corpus is of type {type(corpus).__name__}; it must be a corpus or a campaign"
        )
    lang = language_code(lang) or "zh"
    loaded = load_glossary(glossary, lang)
    is_default = metric == "celab" and not settings
    metrics = [] if is_default else [make_only_metric(metric, lang=lang, **settings)]
    for made in metrics:
        if not isinstance(getattr(made, "options", None), TeslaCelabOptions):
            raise OptionError(
                f"{made.signature.name} does not say how terms are normalized; use celab or"
                " celab-recommended"
            )
    with paused_collector():
        check = check_terms(loaded, texts, lang=lang, source_lang=source_lang, metrics=metrics)
        figures, test_used = check.figures(test, n_resamples, seed)
        order = [figure.name for figure in figures]
        return TermResult(
            systems=tuple(figures),
            references=check.references(order[0], test, n_resamples, seed),
            terms=check.rows(order),
            misses=tuple(check.misses()),
            rule=check.rule,
            lang=lang,
            source_lang=check.finder.source_reading.lang,
            inflected=check.inflected,
            glossary=loaded.name,
            n_terms=len(loaded.terms),
            n_segments=int(check.counted.sum()),
            test=test_used,
            n_resamples=n_resamples,
            seed=seed,
            signature=check.signature,
            places=check.places,
            corpus=texts,
            table=check.uses().table,
        )


def check_terms(
    glossary: GlossarySpec,
    corpus: Corpus,
    *,
    lang: str | None = None,
    source_lang: str | None = None,
    metrics: Sequence[Metric] = (),
) -> TermCheck:
    """Return the occurrences of terms and their uses; parameters as in `terms`.

    Texts are normalized as by the first of the metrics that is TESLA-CELAB.
    """
    lang, source_lang = language_code(lang) or "zh", language_code(source_lang)
    return TermCheck(load_glossary(glossary, lang), corpus, lang, source_lang, metrics)
