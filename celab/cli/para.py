"""`celab para`: sources and paraphrases → meaning, difference and fluency of each, as TSV."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from celab.base.errors import InputError
from celab.base.options import Limits
from celab.base.text.escapes import dump_json, escape_controls
from celab.cli import inputs, metrics, requests, terminal
from celab.cli.arguments import Parser, add_limits
from celab.cli.requests import MetricRequest

COMMAND = "celab para"
COLUMNS = ["source", "candidate"]


@dataclass(frozen=True, kw_only=True)
class ParaRequest(MetricRequest):
    """Request of `celab para`."""

    pairs: str
    lexicon: tuple[str, ...] | None = None
    pivot: str | None = None
    lm: str | None = None
    model: str | None = None
    jobs: int = 1
    output: str | None = None
    json: bool = False


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="--lang --lexicon --pivot --lm --model -o --json",
        example=f"{command} pairs.tsv",
        usage=f"{command} [options] PAIRS",
        description="Scores paraphrases by how much of the meaning they keep, how different they"
        " are and how fluent. PAIRS is a TSV file with the columns source and candidate.",
        epilog="Without a header, there must be these two columns; with one, others are ignored."
        " Higher figures mean more meaning, more difference, more fluent.",
    )
    parser.add_argument("pairs", metavar="PAIRS", help="TSV file, or - for standard input")
    add = parser.group("Figures")
    add("--lang LANG", "language of the texts (default: zh)")
    add(
        "--lexicon NAME|PATH",
        "synonym lexicon of TESLA-CELAB (default: by language); or none",
        action="append",
    )
    add("--pivot FILE", "pivot table; meaning is then the pivot F1 of the paper (2010)")
    add("--lm FILE", "language model in ARPA format, for fluency (extra: lm)")
    add("--model FILE", "model of celab.Pem.fit, for one score; docs/other-metrics.md")
    add("--jobs N", "number of threads", default=1, between=(1, 1024))
    metrics.add_strict(parser)
    add = parser.group("Output")
    add("-o --output FILE", "output file, written atomically (default: standard output)")
    add("--json", "print JSON, with every digit and the signature")
    add("-q --quiet", "suppress status messages")
    add_limits(parser)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str]:
    """Return the text for stdout and the remark for stderr."""
    request = requests.read(ParaRequest, _parser(command), argv)
    with inputs.show_warnings(request):
        pairs = _read(request.pairs, request.limits)

    from celab.family.pem import Pem

    with metrics.collect_warnings(request.strict) as notices:
        pem = Pem(
            request.lang,
            lexicon=metrics.lexicon_of(request.lexicon),
            pivot=request.pivot,
            lm=request.lm,
            model=request.model,
            jobs=request.jobs,
        )
    texts = [text for pair in pairs for text in pair]
    inputs.warn(request, inputs.misfits([pem], [(request.pairs, texts)]))
    scores = pem.scores(*zip(*pairs, strict=True))
    columns = {
        name: values.tolist() for name, values in scores._asdict().items() if values is not None
    }
    figures = list(zip(*columns.values(), strict=True))
    if request.json:
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
    if not request.quiet and not request.json:
        notices.append(pem.signature)
    if request.output is not None:
        from celab.base import io

        io.write(request.output, text)
        text = ""
    return text, "; ".join(notices)


def _read(path: str, limits: Limits) -> list[tuple[str, str]]:
    from celab.base import io
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


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
