"""`celab tune`: n-best lists with features, and references → weights; or weights → choices.

It parses, reads, scores, tunes and writes, in this order, and writes only when all of it has
succeeded.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from celab.base import io
from celab.base.errors import OptionError
from celab.base.text.escapes import dump_json, escape_controls
from celab.base.version import __version__
from celab.cli import inputs, metrics, progress, requests, terminal
from celab.cli.arguments import Parser, add_limits
from celab.cli.requests import MetricRequest
from celab.metrics.registry import digits_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from celab.family.reranking.features import Weights
    from celab.family.reranking.nbest import NBestList, Sentence
    from celab.family.reranking.tuning import Tuned

COMMAND = "celab tune"
LONG = 1.1  # times the references' length: a warning


@dataclass(frozen=True, kw_only=True)
class TuneRequest(MetricRequest):
    """Request of `celab tune`."""

    nbest_lists: tuple[str, ...] = ()
    references: tuple[str, ...] | None = None
    format: str | None = None
    encoding: str | None = None
    restarts: int = 10
    seed: int = 12345
    initial: str | None = None
    apply: str | None = None
    nbest: bool = False
    plot: str | None = None
    output: str | None = None


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-r -m --lang --lexicon --f --restarts --seed --initial --plot --apply -o",
        example=f"{command} nbest.txt -r ref.zh -o weights.json",
        usage=f"{command} [options] NBEST... -r REF...\n       {command} --apply WEIGHTS NBEST...",
        description="Tunes the weights of the features of n-best lists, so that the chosen"
        " candidates score best (minimum error rate training).",
        epilog="NBEST are files of n-best lists as Moses writes them (id ||| text ||| features |||"
        " score), or JSONL with id, text and features. Ids are lines of the references, counted"
        " from 0. Several files may have candidates of the same sentence. If candidates are"
        " equal, the first one is chosen. Files may be compressed; - is standard input.",
    )
    parser.add_argument("nbest_lists", nargs="*", metavar="NBEST", help="files of n-best lists")
    add = parser.group("Input")
    add("-r --references REF...", "references, text files with one sentence per line")
    add("--format", "format of the n-best lists (default: auto-detect)", choices=("moses", "jsonl"))
    add("--encoding NAME", "text encoding, such as gb18030 or utf-16 (default: UTF-8)")
    add = parser.group("Tuning")
    add("--restarts N", "number of random starts", default=10, between=(0, 10_000))
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add("--initial WEIGHTS", "weights to start from, written by -o (default: equal weights)")
    add = parser.group("Output")
    add("-o --output FILE", "write the weights and the report as JSON; with --apply, the choices")
    add("--plot FILE", "also draw the convergence; .svg or .png (needs matplotlib)")
    add("--apply WEIGHTS", "print the choices of these weights; tunes nothing")
    add(
        "--nbest",
        "with --apply, print all candidates, reranked, with the weighted sums as total scores",
    )
    add("-q --quiet", "suppress status messages and progress")
    add_limits(parser)
    metrics.add_metrics(parser, renamed={"weights": "--ngram-weights"})
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str]:
    """Return the text for stdout and the remark for stderr."""
    request = requests.read(TuneRequest, _parser(command), argv)
    _check(request, command)
    refs = request.references or ()
    from celab.family.reranking.features import read_weights
    from celab.family.reranking.nbest import NBestList

    limits = request.limits
    weights = request.initial or request.apply
    initial_weights = None if weights is None else read_weights(weights)
    with inputs.show_warnings(request):
        lists = [
            NBestList(path, format=request.format, encoding=request.encoding, limits=limits)
            for path in request.nbest_lists
        ]
    if request.apply is not None:
        assert initial_weights is not None
        report = "".join(
            _format_choice(sentence, initial_weights, nbest.format if request.nbest else "")
            for nbest in lists
            for sentence in nbest
        )
        if request.output is not None:
            io.write(request.output, report)
            report = ""
        return report, ""
    name = metrics.single_name(request)
    metrics_by_name, notices = metrics.make_metrics(request)
    from celab.family.reranking.references import read_references
    from celab.family.reranking.tuning import tune

    with inputs.show_warnings(request):
        sides = read_references(refs, request.encoding, limits)
    named_sides = [*zip(refs, sides, strict=True)]
    inputs.warn(request, inputs.misfits(metrics_by_name.values(), named_sides))
    with progress.ProgressBar(0, "scoring", "candidates", quiet=request.quiet) as bar:
        tuned = tune(
            lists,
            sides,
            metrics_by_name[name],
            restarts=request.restarts,
            seed=request.seed,
            initial=initial_weights,
            progress=bar,
        )
    _write(tuned, request)
    if tuned.after.length > LONG * tuned.reference_length:
        f = getattr(getattr(metrics_by_name[name], "options", None), "f", 1.0)
        cure = "; --f 1 makes precision count as much as recall" * (f < 1)
        long = f"{tuned.after.length / tuned.reference_length:.2f} times as long as the references"
        metrics.warn(notices, [f"the chosen translations are {long}{cure}"], request.strict)
    remarks = [] if request.quiet else [_describe_input(tuned, lists), tuned.signature]
    return _text(tuned), "; ".join(remarks + notices)


def _check(request: TuneRequest, command: str) -> None:
    if not request.nbest_lists:
        raise OptionError(f"no n-best list is given; use {command} NBEST... -r REF...")
    if request.apply is None:
        if not request.references:
            raise OptionError(f"no references are given; use {command} NBEST... -r REF...")
        if request.nbest:
            raise OptionError("--nbest is given without --apply; it prints what weights choose")
        if request.plot is not None:
            from celab.benchmark.report import check_plot

            check_plot(request.plot)
        return
    for name in ("references", "initial", "plot"):
        if getattr(request, name) is not None:
            raise OptionError(f"--apply and --{name} are both given; choose one of them")


def _format_choice(sentence: Sentence, weights: Weights, format: str) -> str:
    """Return the best candidate as a line, or with a format all of them, the best first."""
    from celab.family.reranking.features import features_of, totals

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
    if request.plot is not None:
        from celab.report import plots

        figure = cast("Figure", tuned.plot().figure)
        drawing = plots.saved(figure, request.plot.rpartition(".")[2])
        io.write(request.plot, drawing)
    if request.output is not None:
        record = {"celab_version": __version__, **tuned.to_dict()}
        io.write(request.output, dump_json(record, indent=1))


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
        f" {tuned.restarts + 1} starts, best: {tuned.best + 1}, {tuned.iterations} rounds"
    )


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
