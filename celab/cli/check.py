"""`celab check`: references and systems → outputs that are no translations, by system and kind.

It parses, reads, checks and reports, in this order. `celab.evaluation.checks` defines the kinds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.base.languages import language_code
from celab.base.text.escapes import dump_json
from celab.cli import gates, inputs, output_files, outputs, requests, terminal
from celab.cli.arguments import Parser, add_limits
from celab.cli.requests import TextRequest
from celab.metrics.options import LANGUAGE_DEFAULTS

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs
    from celab.evaluation.systems.gate import Gate

COMMAND = "celab check"
USAGE = "{0} REF... HYP, {0} -r REF... -s SYSTEM..., or one file that holds them all"


@dataclass(frozen=True, kw_only=True)
class CheckRequest(TextRequest):
    """Request of `celab check`."""

    exclusive = (("json", "table"), ("segments", "json"))
    keeps_files = True

    segments: bool = False
    filters: bool = False
    json: bool = False

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of what is printed."""
        if self.json:
            return "json"
        return self.table or ("tsv" if self.segments else "text")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.segments and self.table not in (None, "tsv"):
            raise OptionError(f"--segments and --{self.table} are both given; choose one of them")


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-r -s --source --lang --segments --filters --json --strict -o",
        example=f"{command} -r ref.zh -s A.zh B.zh --source src.en",
        usage=f"{command} [options] REF... HYP\n       {command} [options] -r REF... -s SYSTEM...",
        description="Finds outputs that are no translations: empty, copied from the source, in"
        " another language, repeated, or much longer or shorter than the references.",
        epilog="Files are read as by celab score. No score depends on what is found. Languages are"
        " told apart by script, so German instead of English is not found.",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="references, then the hypothesis; only references with -s, only systems with -r or -t",
    )
    inputs.add_files(parser)
    add = parser.group("Check")
    add(
        "--lang NAME",
        "target language (default: zh)",
        type=language_code,
        choices=tuple(LANGUAGE_DEFAULTS),
    )
    add(
        "--filters",
        "report lost numbers and damaged addresses, too; needs a source; they are no verdict",
    )
    add("--strict", "exit code 1 if an output is no translation")
    add = parser.group("Output")
    add("--segments", "TSV with a line per output: system, segment (from 1), kind, text")
    add("--json", "print JSON, with all outputs that are no translations")
    parser.add_tables(add, "print a {} table")
    add("-o --output FILE", "output file, written atomically (default: stdout)")
    output_files.add_overwrite(add)
    add("-q --quiet", "suppress status messages")
    add_limits(parser)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    request = requests.read(CheckRequest, _parser(command), argv)
    files = inputs.files_of(request, USAGE)
    if request.strict:
        gates.check_summary(request)
    texts = inputs.read(request, files)
    if request.filters and texts.source is None:
        raise OptionError("--filters is given without a source; add --source FILE")
    from celab.evaluation.checks.outputs import Outputs

    checked = Outputs.of_corpus(texts, request.lang, filters=request.filters, findings=True)
    gate = _gate(checked) if request.strict else None
    text = outputs.write(request, _report(checked, request, gate))
    read = "" if request.quiet else inputs.describe_corpus(texts)
    return text, *gates.outcome(request, gate, checked.view(), (read, 0))


def _gate(checked: Outputs) -> Gate:
    from celab.evaluation.systems.gate import all_translated

    return all_translated(checked)


def _report(checked: Outputs, request: CheckRequest, gate: Gate | None) -> str:
    from celab.base.view.renderers import RENDERERS
    from celab.base.view.tables import ViewOptions

    if request.json:
        return dump_json(checked.to_dict() | ({} if gate is None else {"gate": gate.to_dict()}))
    level = "segment" if request.segments else "system"
    return RENDERERS[request.output_format](checked.view(ViewOptions(level=level)))


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
