"""`celab train`: folders with human judgments → a model for TESLA-F."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from celab.base.errors import OptionError
from celab.base.messages import note
from celab.base.options import option, part
from celab.base.text.escapes import dump_json
from celab.cli import progress
from celab.cli.command import Request, command, judged_files
from celab.cli.groups import Counting, Datasets, JsonOutput, Seed
from celab.cli.metrics import Metrics, metrics
from celab.cli.terminal import Outcome
from celab.family.training import Trained, train
from celab.metrics.registry import arguments_of

METRICS = "celab,chrf"


@dataclass(frozen=True, kw_only=True)
class TrainRequest(Request):
    """Request of `celab train`."""

    heading = "Training"
    output_format = ""  # a model has no mark

    sets: Datasets = part(Datasets)
    output: JsonOutput = part(
        JsonOutput,
        output={"help": "model to write, atomically; JSON", "required": True},
    )
    lm: tuple[str, ...] = option(
        (),
        "language model in ARPA format; may be repeated (extra: lm)",
        metavar="FILE",
        repeats=True,
    )
    judges: Counting = part(Counting)
    folds: int = option(5, "number of folds of the cross-validation", metavar="N", between=(2, 100))
    tests: Seed = part(Seed, seed={"group": "Training"})
    metrics: Metrics = metrics(METRICS)

    def files_of(self, name: str, value: str) -> Iterator[str]:
        """Yield the files that the value of a field may stand for."""
        return judged_files(value) if name == "dataset" else super().files_of(name, value)


@command(
    "train",
    usage="[options] DATASET... -o MODEL",
    common="-m -o --lang --lexicon --pivot --lm --refs --json",
    example="{0} wmt24-en-zh -m celab chrf -o model.json",
    description="Learns the weights of TESLA-F from human judgments of segments. The features"
    " are figures of the metrics that -m names.",
    epilog="DATASET is a folder as celab meta reads it, with pairs.tsv, rankings.tsv or"
    " human-seg.tsv. Needs scikit-learn (extra: train).",
)
def main(request: TrainRequest) -> Outcome:
    """Train a model, and return what to print."""
    if not request.sets.dataset:
        raise OptionError(f"no folder is given; use {request.program} DATASET -o MODEL")
    for name in request.metrics.chosen():
        if "model" in arguments_of(name):
            raise OptionError(f"--metric is {name}, which is what is trained; name its features")

    metrics_by_name = request.metrics.make()
    with progress.show(0, "scoring", "segments", quiet=request.output.quiet) as bar:
        trained = train(
            request.sets.dataset,
            metrics_by_name,
            output=str(request.output.output),
            language_models=request.lm,
            refs=request.sets.chosen,
            count_from=request.judges.count_from,
            folds=request.folds,
            seed=request.tests.seed,
            progress=bar,
        )
    if request.output.json:
        return Outcome(dump_json(trained.model, indent=2))
    n = trained.model["training"]["pairs"]
    note(f"{request.output.output}: {n:,} pairs")
    return Outcome(_table(trained))


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
