"""What commands that score have in common: their metrics, texts and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from celab.base.dicts import Arguments
from celab.base.errors import OptionError
from celab.cli import inputs
from celab.cli.requests import Request

if TYPE_CHECKING:
    from celab.cli.groups import Candidates
    from celab.corpus import Corpus
    from celab.evaluation.systems.campaign import Campaign
    from celab.evaluation.terms.glossary import Glossary
    from celab.family.reranking.nbest import NBestList
    from celab.metrics.base import Metric


class Loaded(NamedTuple):
    """The metrics of a command, and its texts."""

    metrics: dict[str, Metric]
    texts: Corpus


def load(
    request: Request,
    files: inputs.Files,
    check: Callable[[Mapping[str, Metric]], None] | None = None,
    *,
    needs_refs: bool = True,
    needs_documents: bool = False,
) -> Loaded:
    """Return metrics and texts, and warn about them.

    `check` raises if the command has no use for the metrics, before any text is read. With
    `needs_refs` false there may be no reference, with `needs_documents` there must be documents.
    """
    metrics_by_name = request.metrics.make(request.warnings)
    if check is not None:
        check(metrics_by_name)
    texts = inputs.read(request, files, needs_refs=needs_refs, needs_documents=needs_documents)
    inputs.warn_of_texts(request, files, metrics_by_name, texts)
    return Loaded(metrics_by_name, texts)


def check_single(metrics: Mapping[str, Metric]) -> None:
    """Raise unless there is one metric."""
    if len(metrics) > 1:
        raise OptionError(f"{len(metrics)} metrics are given; give one")


def prepare(campaign: Campaign, request: Request) -> tuple[Campaign, Glossary | None]:
    """Return the campaign with other judges, ready to be scored, and the glossary."""
    path, metrics_by_name = request.terms.terms, campaign.metrics
    glossary = None if path is None else inputs.read_glossary(request, path)
    if not request.report.no_check:
        target = request.metrics.target_of(metrics_by_name)
        request.warnings.add(inputs.shift_warnings(campaign.corpus, target))
    inputs.check_time(request, metrics_by_name, campaign.corpus)
    return inputs.with_judges(campaign, request), glossary


def add_terms(campaign: Campaign, glossary: Glossary | None, request: Request) -> Campaign:
    """Return the scored campaign with the accuracy of terms, if there is a glossary."""
    if glossary is None:
        return campaign
    source_lang = request.terms.source_lang
    return campaign.add_terms(glossary, lang=request.metrics.lang, source_lang=source_lang)


def read_candidates(request: Request, candidates: Candidates) -> list[NBestList]:
    """Return the n-best lists in all files."""
    from celab.family.reranking.nbest import NBestList

    settings: Arguments = {"format": candidates.format, "encoding": candidates.encoding}
    with request.warnings.reading():
        return [
            NBestList(path, **settings, limits=request.limits) for path in candidates.nbest_lists
        ]
