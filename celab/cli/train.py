"""`celab train`: folders with human judgments → a model for TESLA-F."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.cli import inputs, judges, metrics, progress, requests, terminal
from celab.cli.arguments import Parser
from celab.cli.metric_names import names_of
from celab.cli.requests import MetricRequest, judged_files
from celab.metrics.registry import arguments_of

if TYPE_CHECKING:
    from celab.family.training import Trained

COMMAND = "celab train"
METRICS = "celab,chrf"


@dataclass(frozen=True, kw_only=True)
class TrainRequest(MetricRequest):
    """Request of `celab train`."""

    default_metrics = METRICS

    dataset: tuple[str, ...] = ()
    output: str
    lm: tuple[str, ...] = ()
    refs: str | None = None
    count_from: int | None = None
    folds: int = 5
    seed: int = 12345
    json: bool = False

    def files_of(self, name: str, value: str) -> Iterator[str]:
        """Yield the files that the value of a field may stand for."""
        return judged_files(value) if name == "dataset" else super().files_of(name, value)


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-m -o --lang --lexicon --pivot --lm --refs --json",
        example=f"{command} wmt24-en-zh -m celab chrf -o model.json",
        usage=f"{command} [options] DATASET... -o MODEL",
        description="Learns the weights of TESLA-F from human judgments of segments. The features"
        " are figures of the metrics that -m names.",
        epilog="DATASET is a folder as celab meta reads it, with pairs.tsv, rankings.tsv or"
        " human-seg.tsv. Needs scikit-learn (extra: train).",
    )
    parser.add_argument("dataset", nargs="*", metavar="DATASET", help="folders of judged systems")
    add = parser.group("Training")
    add("-o --output FILE", "model to write, atomically; JSON", required=True)
    add(
        "--lm FILE",
        "language model in ARPA format; may be repeated (extra: lm)",
        action="append",
        default=[],
    )
    add("--refs NAMES", "references, such as A,B (default: all, or the first of mt-metrics-eval)")
    judges.add_count_from(add)
    add("--folds N", "number of folds of the cross-validation", default=5, between=(2, 100))
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add("--json", "print JSON, with every digit")
    add("-q --quiet", "suppress status messages and progress")
    metrics.add_metrics(parser, METRICS)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str]:
    """Return the text for stdout and the remark for stderr."""
    request = requests.read(TrainRequest, _parser(command), argv)
    if not request.dataset:
        raise OptionError(f"no folder is given; use {command} DATASET -o MODEL")
    for name in names_of(request.metric):
        if "model" in arguments_of(name):
            raise OptionError(f"--metric is {name}, which is what is trained; name its features")

    from celab.family.training import train

    metrics_by_name, notices = metrics.make_metrics(request)
    bars = progress.ProgressBar(0, "scoring", "segments", quiet=request.quiet)
    with inputs.show_warnings(request), bars as bar:
        trained = train(
            request.dataset,
            metrics_by_name,
            output=request.output,
            language_models=request.lm,
            refs=None if request.refs is None else request.refs.split(","),
            count_from=request.count_from,
            folds=request.folds,
            seed=request.seed,
            progress=bar,
        )
    if request.json:
        from celab.base.text.escapes import dump_json

        return dump_json(trained.model, indent=2), "; ".join(notices)
    n = trained.model["training"]["pairs"]
    remarks = [] if request.quiet else [f"{request.output}: {n:,} pairs"]
    return _table(trained), "; ".join([*remarks, *notices])


def _table(trained: Trained) -> str:
    lines = [f"{'consistency, held out':24}{'ties wrong':>12}{'ties half':>12}"]
    lines += [
        f"{name:24}{consistency.ties_wrong:12.4f}{consistency.ties_half:12.4f}"
        for name, consistency in trained.held_out.items()
    ]
    lines += ["", f"{'feature':36}{'weight':>12}"]
    model = trained.model
    lines += [
        f"{name:36}{weight:12.4f}"
        for name, weight in zip(model["features"], model["weights"], strict=True)
    ]
    return "".join(f"{line}\n" for line in lines)


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
