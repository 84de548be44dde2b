"""`celab para`: sources and paraphrases → meaning, difference and fluency of each, as TSV."""

from __future__ import annotations

from dataclasses import dataclass

from celab.base import io
from celab.base.errors import InputError
from celab.base.languages import language_code
from celab.base.messages import note
from celab.base.options import Limits, option, option_group
from celab.base.text.escapes import dump_json, escape_controls
from celab.cli import loading, output_files
from celab.cli.command import command
from celab.cli.metrics import lexicon_of
from celab.cli.option_groups import OutputOptions, WarningOptions
from celab.cli.requests import Request
from celab.cli.terminal import Outcome
from celab.metrics.options import language_names, lexicon_names
from celab.training.pem import Pem

COLUMNS = ["source", "candidate"]


@dataclass(frozen=True, kw_only=True)
class ParaRequest(Request):
    """Request of `celab para`."""

    heading = "Figures"

    pairs: str = option("", "TSV file, or - for standard input", metavar="PAIRS", is_argument=True)
    lang: str | None = option(
        None,
        "language of the texts (default: zh)",
        metavar="LANG",
        file="none",
        known_names=language_names,
    )
    lexicon: tuple[str, ...] | None = option(
        None,
        "synonym lexicon of TESLA-CELAB (default: by language); or none",
        metavar="NAME|PATH",
        repeats=True,
        known_names=lexicon_names,
    )
    pivot: str | None = option(
        None,
        "pivot table; meaning is then the pivot F1 of the paper (2010)",
        metavar="FILE",
    )
    lm: str | None = option(
        None,
        "language model in ARPA format, for fluency (extra: lm)",
        metavar="FILE",
    )
    model: str | None = option(
        None,
        "model of celab.Pem.fit, for one score; docs/other-metrics.md",
        metavar="FILE",
    )
    jobs: int = option(1, "number of threads", metavar="N", between=(1, 1024))
    strictness: WarningOptions = option_group(WarningOptions, only=["strict"])
    output: OutputOptions = option_group(
        OutputOptions,
        only=["json", "output", "overwrite", "quiet"],
        output="output file, written atomically (default: stdout)",
        json="print JSON, with all digits and the signature",
        quiet="suppress status messages",
    )
    limits: Limits = option_group(Limits)

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of standard output."""
        return "json" if self.output.json else "tsv"


@command(
    ParaRequest,
    "para",
    usage="[options] PAIRS",
    common="--lang --lexicon --pivot --lm --model -o --json",
    example="{0} pairs.tsv",
    description="Scores paraphrases by how much of the meaning they keep, how different they"
    " are and how fluent. PAIRS is a TSV file with the columns source and candidate.",
    epilog="Without a header, there must be these two columns; with one, others are ignored."
    " Higher figures mean more meaning, more difference, more fluent.",
)
def main(request: ParaRequest) -> Outcome:
    """Score the paraphrases, and return what to print."""
    pairs = _read(request.pairs, request.limits)

    pem = Pem(
        language_code(request.lang),
        lexicon=lexicon_of(request.lexicon),
        pivot=request.pivot,
        lm=request.lm,
        model=request.model,
        jobs=request.jobs,
    )
    texts = [text for pair in pairs for text in pair]
    loading.warn_of_languages([pem], [(request.pairs, texts)])
    scores = pem.scores(*zip(*pairs, strict=True))
    columns = {
        name: values.tolist() for name, values in scores._asdict().items() if values is not None
    }
    figures = list(zip(*columns.values(), strict=True))
    if request.output.json:
        rows = [
            dict(zip((*COLUMNS, *columns), (*pair, *row), strict=True))
            for pair, row in zip(pairs, figures, strict=True)
        ]
        text = dump_json({"signature": pem.signature, "pairs": rows}, indent=2)
    else:
        lines = ["\t".join((*COLUMNS, *columns))]
        lines += [
            "\t".join((*map(escape_controls, pair), *(f"{value:.4f}" for value in row)))
            for pair, row in zip(pairs, figures, strict=True)
        ]
        text = "".join(f"{line}\n" for line in lines)
    if not request.output.json:
        note(pem.signature)
    return Outcome(output_files.write(request, text))


def _read(path: str, limits: Limits) -> list[tuple[str, str]]:
    from celab.corpus.formats.quoting import rows_of

    name = io.display_name(path)
    lines = list(rows_of(io.read_text(path, limits=limits), name))
    header = [cell.strip().lower() for cell in lines[0][1]]
    at, first = [0, 1], 0
    if set(COLUMNS) <= set(header):
        at, first = [header.index(column) for column in COLUMNS], 1
    elif len(header) != 2:
        raise InputError(
            f"{name}, line 1: {len(header)} columns ({', '.join(header)[:80]}); there must be"
            " source and candidate"
        )
    pairs = []
    for number, cells in lines[first:]:
        if len(cells) != max(2, len(header)):
            raise InputError(
                f"{name}, line {number}: {len(cells)} columns; there must be {max(2, len(header))}"
            )
        source, candidate = (cells[k] for k in at)
        if not source.strip():
            raise InputError(f"{name}, line {number}: the source is blank; it must contain text")
        pairs.append((source, candidate))
    if not pairs:
        raise InputError(f"{name} has no pairs; it must have at least one")
    return pairs
