"""`celab train`: folders with human judgments → a model for TESLA-F, DICOMER or CREMER."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.base.messages import note
from celab.base.options import option, option_group
from celab.base.text.escapes import dump_json
from celab.cli import progress
from celab.cli.command import command
from celab.cli.datasets import Datasets
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import JudgeOptions, OutputOptions, SignificanceOptions
from celab.cli.requests import Request, judged_files
from celab.cli.terminal import Outcome
from celab.metrics.registry import METRICS, arguments_of
from celab.tables.cells import quantity
from celab.trained.ranking import Consistency
from celab.training.feature_weights import Trained, train

if TYPE_CHECKING:
    # Only training on texts loads it.
    from celab.training.rated_texts import TrainedOnTexts

FEATURES = "celab,chrf"
MAX_TRANSITIONS = 20


@dataclass(frozen=True, kw_only=True)
class TrainRequest(Request):
    """Request of `celab train`."""

    heading = "Training"
    output_format = ""  # a model has no mark

    sets: Datasets = option_group(Datasets)
    output: OutputOptions = option_group(
        OutputOptions,
        only=["json", "output", "overwrite", "quiet"],
        output={"help": "model to write, atomically; JSON", "required": True},
    )
    lm: tuple[str, ...] = option(
        (),
        "language model in ARPA format; may be repeated (extra: lm)",
        metavar="FILE",
        repeats=True,
    )
    judges: JudgeOptions = option_group(JudgeOptions, only=["count_from"])
    folds: int = option(5, "number of folds of the cross-validation", metavar="N", between=(2, 100))
    tests: SignificanceOptions = option_group(
        SignificanceOptions, only=["seed"], seed={"group": "Training"}
    )
    rating: str = option(
        "score",
        "dicomer, cremer: column of human-seg.tsv with the ratings of texts (default: score)",
        metavar="NAME",
        file="none",
    )
    metrics: Metrics = metrics_group(FEATURES)

    def files_of(self, name: str, value: str) -> Iterator[str]:
        """Yield the files that the value of a field may stand for."""
        return judged_files(value) if name == "dataset" else super().files_of(name, value)


@command(
    TrainRequest,
    "train",
    usage="[options] DATASET... -o MODEL",
    common="-m -o --lang --lexicon --pivot --lm --refs --json",
    example="{0} wmt24-en-zh -m celab chrf -o model.json",
    description="Learns the weights of TESLA-F from human judgments of segments. The features"
    " are figures of the metrics that -m names. -m dicomer and -m cremer learn DICOMER and CREMER"
    " from ratings of texts.",
    epilog="DATASET is a folder as celab meta reads it, with pairs.tsv, rankings.tsv or"
    " human-seg.tsv. Needs scikit-learn (extra: train).",
)
def main(request: TrainRequest) -> Outcome:
    """Train a model, and return what to print."""
    if not request.sets.dataset:
        raise OptionError(f"no folder is given; use {request.program} DATASET -o MODEL")
    names = request.metrics.chosen()
    if of_texts := [name for name in names if METRICS[name].reads_documents]:
        return _train_on_texts(request, of_texts[0])
    if request.is_set("rating"):
        raise OptionError(f"--rating applies only to dicomer and cremer, not {' or '.join(names)}")
    for name in names:
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


def _train_on_texts(request: TrainRequest, name: str) -> Outcome:
    """Train DICOMER or CREMER, and return what to print."""
    request.metrics.single_name()
    if request.is_set("model"):
        raise OptionError(f"--model is given, which is what is made; leave it out with {name}")
    if request.is_set("lm"):
        raise OptionError(f"--lm is given, which is a feature of tesla-f; leave it out with {name}")

    from celab.training import rated_texts

    (metric,) = request.metrics.make().values()
    with progress.show(title="training", quiet=request.output.quiet):
        trained = rated_texts.train(
            request.sets.dataset,
            metric,  # type: ignore[arg-type]
            output=str(request.output.output),
            rating=request.rating,
            refs=request.sets.chosen,
            count_from=request.judges.count_from,
            folds=request.folds,
            seed=request.tests.seed,
        )
    content = trained.metric.content
    if request.output.json:
        return Outcome(dump_json(content, indent=1))
    learnt = content["training"]
    counted = f"{learnt['texts']:,} texts of {quantity(learnt['topics'], 'topic')}"
    note(f"{request.output.output}: {counted}")
    return Outcome(_table_of_texts(trained))


def _table_of_texts(trained: TrainedOnTexts) -> str:
    held_out = {} if trained.held_out is None else {"trained": trained.held_out}
    lines = _consistencies(held_out) if held_out else ["too few topics to hold some out"]
    weights = trained.metric.content.get("weights", {})
    greatest = sorted(weights, key=lambda name: -abs(weights[name]))[:MAX_TRANSITIONS]
    if greatest:
        lines += ["", f"{'transition':36}{'weight':>12}"]
        lines += [f"{name:36}{weights[name]:12.4f}" for name in greatest]
    return "".join(f"{line}\n" for line in lines)


def _consistencies(held_out: Mapping[str, Consistency]) -> list[str]:
    return [
        f"{'consistency, held out':24}{'ties wrong':>12}{'ties half':>12}",
        *(
            f"{name:24}{consistency.ties_wrong:12.4f}{consistency.ties_half:12.4f}"
            for name, consistency in held_out.items()
        ),
    ]


def _table(trained: Trained) -> str:
    lines = _consistencies(trained.held_out)
    lines += ["", f"{'feature':36}{'weight':>12}"]
    model = trained.model
    lines += [
        f"{name:36}{weight:12.4f}"
        for name, weight in zip(model["features"], model["weights"], strict=True)
    ]
    return "".join(f"{line}\n" for line in lines)
