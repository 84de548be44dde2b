"""`celab align`: outputs whose lines are not the reference's lines → one line for each segment.

It parses, reads, aligns and writes, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from celab.base import io
from celab.base.errors import OptionError
from celab.base.messages import note
from celab.base.options import Limits, option, option_group
from celab.base.text.escapes import escape_controls
from celab.cli import loading, output_files, progress
from celab.cli.command import command
from celab.cli.option_groups import LANGUAGE, OutputOptions, WarningOptions, texts_group
from celab.cli.requests import Request
from celab.cli.terminal import Outcome
from celab.corpus import Corpus
from celab.corpus.options import Inputs

# Suffixes that a file of aligned text must not have, because it is plain text.
_STRUCTURED = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xml", ".sgm", ".sgml")


@dataclass(frozen=True, kw_only=True)
class AlignRequest(Request):
    """Request of `celab align`."""

    usages = "{0} REF TEXT..., {0} REF < TEXT, or {0} -r REF... -s TEXT..."
    heading = "Output"
    output_format = ""  # plain text, in which no existing file can be recognized as ours

    texts: Inputs = texts_group(
        without=["align", "text"], files="reference, then texts to cut", lang=LANGUAGE
    )
    output: OutputOptions = option_group(
        OutputOptions,
        only=["output", "overwrite", "quiet"],
        output="output file, written atomically (default: stdout); for several texts a folder, in"
        " which they keep their file names",
        quiet="suppress progress and status messages",
    )
    tsv: bool = option(False, "TSV table with document, segment and the line of each text")
    strictness: WarningOptions = option_group(WarningOptions, only=["strict"])
    limits: Limits = option_group(Limits)

    @property
    def inputs(self) -> Inputs:
        """The options of reading texts, with `align`."""
        return replace(super().inputs, align=True)

    @property
    def is_folder(self) -> bool:
        """Whether `--output` is a folder: it exists, ends in a slash, or is for several texts."""
        output = self.output.output
        if output is None or self.tsv:
            return False
        n_texts = len(self.inputs.systems or self.inputs.files[1:])
        is_named = output.endswith(("/", os.sep))
        return os.path.isdir(output) or is_named or n_texts > 1

    @property
    def output_files(self) -> dict[str, str]:
        """Flag → files that the command writes; files in a folder are checked later."""
        return {} if self.is_folder else super().output_files


@command(
    AlignRequest,
    "align",
    usage="[options] REF TEXT...\n[options] -r REF... -s TEXT... -o FOLDER",
    common="-r -s --documents --text-documents -o --tsv --strict",
    example="{0} ref.zh output.txt -o aligned.zh",
    description="Cuts text whose lines are not the reference's lines, such as the translation"
    " of a talk, into one line for each segment of the reference. Nothing but white space at"
    " the cuts is lost.",
    epilog="Line ends of TEXT mean nothing. Documents match by name in SGML, XML, JSONL with a"
    " document field and folders with one file for each document; in plain text by"
    " --text-documents. Several references: a document is cut by the first that has it."
    " celab score --align does this on the way to a score.",
)
def main(request: AlignRequest) -> Outcome:
    """Cut the texts, write them, and return what to print."""
    n_systems = max(1, len(request.inputs.files) - 1)
    files = loading.files_of(request, n_systems)
    quiet = request.output.quiet or loading.is_typed(files)
    with progress.show(0, "aligning", quiet=quiet):
        texts = loading.read(request, files)
    if request.is_folder:
        write_files(request, "--output", files_in(str(request.output.output), texts))
        report = ""
    elif len(texts.systems) > 1 and not request.tsv:
        raise OptionError(
            f"{len(texts.systems)} texts are given; add -o FOLDER/, or --tsv for one table"
        )
    else:
        table = _table(texts) if request.tsv else _lines(texts.hyps)
        report = output_files.write(request, table)
    note(*loading.describe_corpus(texts))
    return output_files.finish(request, report)


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(line.replace("\n", " ") for line in lines) + "\n"


def _table(texts: Corpus) -> str:
    names = ["text"] if len(texts.systems) == 1 else list(texts.systems)
    rows = [["document", "segment", *names]]
    for segment, *lines in zip(texts.segments, *texts.systems.values(), strict=True):
        rows.append([segment.document, segment.id, *lines])
    return "".join("\t".join(map(escape_controls, row)) + "\n" for row in rows)


def files_in(folder: str, texts: Corpus) -> dict[str, str]:
    """Return the text of each file to write in a folder, by path."""
    system_by_name: dict[str, str] = {}
    for system in texts.systems:
        source = os.path.basename(texts.file_of(system).rstrip("/"))
        has_name = texts.file_of(system) != system and os.path.exists(texts.file_of(system))
        stem, suffix = os.path.splitext(source)
        name = stem if suffix in io.COMPRESSED else source
        is_text = has_name and io.suffix_of(name) not in _STRUCTURED
        name = name if is_text else f"{system}.txt"
        if name in system_by_name:
            path = os.path.join(folder, name)
            raise OptionError(f"two texts would be written to {path}; use --names and --tsv")
        system_by_name[name] = system
    files = io.file_names(system_by_name)
    return {
        os.path.join(folder, files[name]): _lines(texts.systems[system])
        for name, system in system_by_name.items()
    }


def write_files(request: Request, flag: str, files: Mapping[str, str]) -> None:
    """Write the files of a folder, which a flag names; it is made if it is not there."""
    folder = os.path.dirname(next(iter(files)))
    is_new = not os.path.isdir(folder)
    for path in [folder] if is_new else files:
        output_files.check_file_in_folder(flag, path, request)
    if is_new:
        with io.writing(folder):
            os.mkdir(folder)
    for path, text in files.items():
        io.write(path, text)
