"""`celab lexicon suggest`: systems → the pairs of words that their lexicon misses most."""

from __future__ import annotations

from dataclasses import dataclass

from celab.base.messages import note
from celab.base.options import Limits, option, part
from celab.cli import inputs, outputs, progress
from celab.cli.command import Request, command
from celab.cli.groups import AlignedTexts, JsonOutput, texts_part
from celab.cli.inputs import check_single, load
from celab.cli.metrics import Metrics, metrics_part
from celab.cli.terminal import Outcome
from celab.evaluation.suggestions import MIN_SEGMENTS, MOST, suggest


@dataclass(frozen=True, kw_only=True)
class SuggestRequest(Request):
    """Request of `celab lexicon suggest`."""

    usages = "{0} REF... HYP, or {0} -r REF... -s SYSTEM..."
    heading = "Output"
    output_format = ""  # a list to edit, which has no mark

    texts: AlignedTexts = texts_part(AlignedTexts, files="references and the hypothesis")
    most: int = option(MOST, "number of pairs", metavar="N", between=(1, 100_000))
    min_segments: int = option(
        MIN_SEGMENTS,
        "only pairs seen in N segments or more, without handles, URLs and numbers; with 1, all",
        metavar="N",
        between=(1, 1_000_000),
    )
    output: JsonOutput = part(JsonOutput, json="print JSON")
    limits: Limits = part(Limits)
    metrics: Metrics = metrics_part()


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
    by_name, texts = load(request, inputs.files_of(request), check_single)
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
    written = outputs.write(request, text)
    note(*inputs.describe_corpus(texts))
    if suggestions.n_left_out and not suggestions.pairs:
        note("--min-segments 1 also tries the pairs that were left out")
    return outputs.end(request, written)
