"""`celab tune`: n-best lists with features, and references → weights; or weights → choices.

It parses, reads, scores, tunes and writes, in this order, and writes only when all of it has
succeeded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from celab.base import io
from celab.base.errors import OptionError
from celab.base.messages import note, warn
from celab.base.options import Limits, option, option_group
from celab.base.text.escapes import dump_json, escape_controls
from celab.base.version import __version__
from celab.cli import loading, output_files, progress
from celab.cli.candidates import Candidates, read_candidates
from celab.cli.command import command
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import OutputOptions, ReportOptions, SignificanceOptions
from celab.cli.requests import Request
from celab.cli.rules import Rule, conflict, needs
from celab.cli.terminal import Outcome
from celab.corpus.options import Inputs
from celab.metrics.registry import digits_of
from celab.nbest.nbest import (
    NBestList,
    Sentence,
    Weights,
    features_of,
    read_weights,
    totals,
)
from celab.nbest.references import read_references
from celab.nbest.tuning import Tuned, tune
from celab.tables.cells import quantity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_LENGTH_RATIO = 1.1  # output length / reference length; above it there is a warning


@dataclass(frozen=True, kw_only=True)
class TuneRequest(Request):
    """Request of `celab tune`."""

    heading = "Tuning"

    candidates: Candidates = option_group(
        Candidates,
        nbest_lists="files of n-best lists",
        format="format of the n-best lists (default: auto-detect)",
    )
    texts: Inputs = option_group(
        Inputs,
        only=["references"],
        references={
            "metavar": "REF",
            "help": "references, text files with one sentence per line",
        },
    )
    restarts: int = option(10, "number of random starts", metavar="N", between=(0, 10_000))
    tests: SignificanceOptions = option_group(
        SignificanceOptions, only=["seed"], seed={"group": "Tuning"}
    )
    initial: str | None = option(
        None, "weights to start from, written by -o (default: equal weights)", metavar="WEIGHTS"
    )
    output: OutputOptions = option_group(
        OutputOptions,
        only=["output", "overwrite", "quiet"],
        output="write the weights and the report as JSON; with --apply, the choices",
    )
    page: ReportOptions = option_group(
        ReportOptions,
        only=["plot"],
        plot="also draw the convergence; .svg, .png or .pdf (needs matplotlib)",
    )
    apply: str | None = option(
        None,
        "print the candidates that these weights choose; no tuning",
        metavar="WEIGHTS",
        group="Output",
    )
    nbest: bool = option(
        False,
        "with --apply, print all candidates, reranked, with the weighted sums as total scores",
        group="Output",
    )
    limits: Limits = option_group(Limits)
    metrics: Metrics = metrics_group(weights={"flags": ("--ngram-weights",)})

    @staticmethod
    def rules(r: TuneRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield needs(r.nbest, r.apply)
        yield conflict(r.apply, r.texts.references, r.initial, r.page.plot)

    @property
    def output_format(self) -> str:
        """Format of `--output`: JSON of weights; "" for choices, which are plain text."""
        return "json" if self.apply is None else ""


@command(
    TuneRequest,
    "tune",
    usage="[options] NBEST... -r REF...\n--apply WEIGHTS NBEST...",
    common="-r -m --lang --lexicon --f --restarts --seed --initial --plot --apply -o",
    example="{0} nbest.txt -r ref.zh -o weights.json",
    description="Tunes the weights of the features of n-best lists, so that the chosen"
    " candidates have the highest score (minimum error rate training).",
    epilog="NBEST are files of n-best lists as Moses writes them (id ||| text ||| features |||"
    " score), or JSONL with id, text and features. Ids are lines of the references, counted"
    " from 0. Several files may have candidates of the same sentence. If candidates are"
    " equal, the first one is chosen. Files may be compressed; - is standard input.",
)
def main(request: TuneRequest) -> Outcome:
    """Tune weights, or apply them, and return what to print."""
    _check(request)
    weights = request.initial or request.apply
    initial_weights = None if weights is None else read_weights(weights)
    lists = read_candidates(request, request.candidates)
    if request.apply is not None:
        assert initial_weights is not None
        report = "".join(
            _format_choice(sentence, initial_weights, nbest.format if request.nbest else "")
            for nbest in lists
            for sentence in nbest
        )
        return Outcome(output_files.write(request, report))
    tuned = _tune(request, lists, initial_weights)
    _write(tuned, request)
    note(_describe_input(tuned, lists), tuned.signature)
    return Outcome(_text(tuned))


def _tune(request: TuneRequest, lists: Sequence[NBestList], initial: Weights | None) -> Tuned:
    """Return the tuned weights, and warn about them."""
    name = request.metrics.single_name()
    metrics_by_name = request.metrics.make()
    refs = loading.words(request.inputs.references)
    sides = read_references(refs, request.candidates.encoding, request.limits)
    named_sides = [*zip(refs, sides, strict=True)]
    loading.warn_of_languages(metrics_by_name.values(), named_sides)
    with progress.show(0, "scoring", "candidates", quiet=request.output.quiet) as bar:
        tuned = tune(
            lists,
            sides,
            metrics_by_name[name],
            restarts=request.restarts,
            seed=request.tests.seed,
            initial=initial,
            progress=bar,
        )
    if tuned.after.length > MAX_LENGTH_RATIO * tuned.reference_length:
        f = getattr(getattr(metrics_by_name[name], "options", None), "f", 1.0)
        cure = "; --f 1 makes precision count as much as recall" if f < 1 else ""
        long = f"{tuned.after.length / tuned.reference_length:.2f} times as long as the references"
        warn(f"the chosen translations are {long}{cure}")
    return tuned


def _check(request: TuneRequest) -> None:
    if not request.candidates.nbest_lists:
        raise OptionError(f"no n-best list is given; use {request.program} NBEST... -r REF...")
    if request.apply is None:
        if not request.inputs.references:
            raise OptionError(f"no references are given; use {request.program} NBEST... -r REF...")
        if request.page.plot is not None:
            from celab.report import plots

            plots.format_of(request.page.plot)


def _format_choice(sentence: Sentence, weights: Weights, format: str) -> str:
    """Return the best candidate as a line, or with a format all of them, the best first."""
    sums = totals(sentence, weights)
    order = sorted(range(len(sums)), key=lambda k: -sums[k])  # stable: the first of equals wins
    if not format:
        return f"{' '.join(sentence.candidates[order[0]].text.splitlines())}\n"
    lines = []
    for k in order:
        candidate = sentence.candidates[k]
        if format == "moses":
            fields = (
                str(sentence.id),
                candidate.text,
                candidate.rest[0],
                repr(sums[k]),
                *candidate.rest[2:],
            )
            lines.append(" ||| ".join(fields) + "\n")
        else:
            features = features_of(sentence, candidate)
            lines.append(
                dump_json(
                    {
                        "id": sentence.id,
                        "text": candidate.text,
                        "features": features,
                        "score": sums[k],
                    }
                )
            )
    return "".join(lines)


def _write(tuned: Tuned, request: TuneRequest) -> None:
    if request.output.output is not None:
        output_files.write(
            request, dump_json({"celab_version": __version__, **tuned.to_dict()}, indent=1)
        )
    if (plot := request.page.plot) is not None:
        from celab.report import plots

        figure = cast("Figure", tuned.plot().figure)
        io.write(plot, plots.saved(figure, plots.format_of(plot)))


def _text(tuned: Tuned) -> str:
    weights = {escape_controls(name): weight for name, weight in tuned.weights.items()}
    width = max(map(len, (*weights, tuned.metric, "tokens")))
    digits = digits_of(tuned.signature.name)
    lines = [f"{name:<{width}}  {weight:+.6f}" for name, weight in weights.items()]
    before, after = tuned.before, tuned.after
    lines += [
        "",
        f"{tuned.metric:<{width}}  {before.score:.{digits}f} → {after.score:.{digits}f}",
        f"{'tokens':<{width}}  {before.length:.2f} → {after.length:.2f}"
        f" (references {tuned.reference_length:.2f})",
    ]
    return "\n".join(lines) + "\n"


def _describe_input(tuned: Tuned, lists: Sequence[NBestList]) -> str:
    names = ", ".join(nbest.name for nbest in lists)
    return (
        f"{names}, {tuned.n_sentences} sentences, {tuned.n_candidates} candidates;"
        f" start {tuned.best + 1} of {tuned.restarts + 1} chosen,"
        f" {quantity(tuned.iterations, 'round')}"
    )
