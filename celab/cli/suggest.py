"""`celab lexicon suggest`: systems → the pairs of words that their lexicon misses most."""

from __future__ import annotations

from dataclasses import dataclass

from celab.base.messages import note
from celab.base.options import Limits, option, option_group
from celab.cli import loading, output_files, progress
from celab.cli.command import command
from celab.cli.loading import check_single, load
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import OutputOptions, texts_group
from celab.cli.requests import Request
from celab.cli.terminal import Outcome
from celab.corpus.options import Inputs
from celab.findings.suggestions import DEFAULT_LIMIT, DEFAULT_MIN_SEGMENTS, suggest


@dataclass(frozen=True, kw_only=True)
class SuggestRequest(Request):
    """Request of `celab lexicon suggest`."""

    usages = "{0} REF... HYP, or {0} -r REF... -s SYSTEM..."
    heading = "Output"
    output_format = ""  # a list to edit, which is not replaced without --overwrite

    texts: Inputs = texts_group(
        without=["unwrap", "lang", "text"],
        files="references and the hypothesis",
        source="source text; no suggestion depends on it",
    )
    most: int = option(DEFAULT_LIMIT, "number of pairs", metavar="N", between=(1, 100_000))
    min_segments: int = option(
        DEFAULT_MIN_SEGMENTS,
        "only pairs seen in N segments or more, without handles, URLs and numbers; with 1, all",
        metavar="N",
        between=(1, 1_000_000),
    )
    output: OutputOptions = option_group(
        OutputOptions, only=["json", "output", "overwrite", "quiet"], json="print JSON"
    )
    limits: Limits = option_group(Limits)
    metrics: Metrics = metrics_group()


@command(
    SuggestRequest,
    "lexicon suggest",
    usage="[options] REF... HYP\n[options] -r REF... -s SYSTEM...",
    common="-r -s --most --min-segments --lang --profile --lexicon --json -o",
    example="{0} -r ref.zh -s A.zh B.zh -o mine.tsv",
    description="Lists the pairs of words whose absence from the lexicon costs systems most:"
    " what their scores would gain if the two were synonyms, exactly, the largest gain first."
    " Delete the lines whose words do not mean the same; then use the file with"
    " --lexicon cilin --lexicon FILE.",
    epilog="Files are read as by celab score.",
)
def main(request: SuggestRequest) -> Outcome:
    """Find the pairs of words, and return what to print."""
    by_name, texts = load(request, loading.files_of(request), check_single)
    (metric,) = by_name.values()
    with progress.show(0, "explaining", "outputs", quiet=request.output.quiet) as bar:
        suggestions = suggest(
            metric,
            texts,
            most=request.most,
            min_segments=request.min_segments,
            progress=bar,
        )
    text = suggestions.to_json(indent=2) + "\n" if request.output.json else str(suggestions)
    written = output_files.write(request, text)
    note(*loading.describe_corpus(texts))
    if suggestions.n_left_out and not suggestions.pairs:
        note("--min-segments 1 also tries the pairs that were left out")
    return output_files.finish(request, written)
