"""argv → requests: what a command is asked to do, as frozen dataclasses.

A request is made in one place, `read`, from what the parser of the command has understood, and is
whole and checked then: everything after it is typed. A field has the name of its flag.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from celab.base import io
from celab.base.dicts import Arguments
from celab.base.errors import OptionError
from celab.base.languages import language_code
from celab.base.numbers import is_digits
from celab.base.options import LIMITS, Limits
from celab.base.run import Run
from celab.base.view.renderers import TABLES
from celab.cli import output_files
from celab.cli.arguments import Output, Parser, chosen_options, flag
from celab.cli.metric_names import ALL_OPTIONS, join_metric_names, words_of
from celab.metrics.registry import METRICS

if TYPE_CHECKING:
    from celab.corpus import Fields
    from celab.statistics.significance import Test

MOST_DIGITS = 15
Given = MappingProxyType[str, Any]
R = TypeVar("R", bound="Request")
# Fields of files that a command writes; those of all others may be files that it reads.
_OUTPUTS = ("output", "html", "plot", "write_scores")
# Fields that are never files, although there may be a file of that name.
_NO_FILES = (
    *("color", "engine", "format", "lang", "level", "masses", "merge", "metric", "output_format"),
    *("profile", "program", "report_lang", "run", "request", "test", "text_documents", "unit"),
)
# Flags about files, of which there are none with `--text`.
_OF_FILES = (
    "test_set",
    "source",
    "documents",
    "align",
    "format",
    "encoding",
    "skip_missing",
    "ref_fields",
    "hyp_fields",
    "source_field",
    "document_field",
    "id_field",
    "only_refs",
    "only_systems",
    "names",
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """Fields that every command has."""

    # Pairs of flags that ask for different things; `table` is the flag of a format of tables.
    exclusive: ClassVar[tuple[tuple[str, str], ...]] = ()
    # Whether files that exist and are not ours are kept without `--overwrite`.
    keeps_files: ClassVar[bool] = False

    # Values of fields that may name files to read. Made of all arguments, so none is forgotten.
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    program: str
    quiet: bool = False
    strict: bool = False
    overwrite: bool = False
    limits: Limits = LIMITS
    tables: tuple[str, ...] = ()  # formats of tables that are asked for, of which there may be one

    def __post_init__(self) -> None:
        clashes = [pair for pair in self.exclusive if all(map(self.is_given, pair))]
        if len(set(self.tables)) > 1:
            first, second, *_ = dict.fromkeys(self.tables)
            clashes.append((first, second))
        if clashes:
            names = [self.table or name if name == "table" else name for name in clashes[0]]
            both = " and ".join(map(flag, names))
            raise OptionError(f"{both} are both given; choose one of them")

    def is_given(self, name: str) -> bool:
        """Return whether a flag has a value."""
        value = getattr(self, name)
        return value is not None and value is not False  # 0 is a value

    @property
    def table(self) -> str | None:
        """The format of tables, if one is asked for."""
        return next(iter(self.tables), None)

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of what is printed: a key of `FILES` in `renderers`."""
        return self.table or "text"

    @property
    def output_files(self) -> dict[str, str]:
        """The files that the command writes, by flag."""
        paths = {flag(name): getattr(self, name, None) for name in _OUTPUTS}
        return {name: path for name, path in paths.items() if path is not None}

    def input_files(self) -> Iterator[str]:
        """Yield all files that the command may read, and those in its folders; `-` is no file."""
        for name, values in self.named.items():
            for value in values:
                yield from self.files_of(name, value)

    def files_of(self, name: str, value: str) -> Iterator[str]:
        """Yield the files that the value of a field may stand for."""
        for path in possible_paths(value):
            yield from io.files_at(path)

    @classmethod
    def of(cls, values: Arguments) -> Self:
        """Return the request for the values of the flags, which subclasses complete."""
        names = {spec.name for spec in fields(cls)}
        values = values | {"tables": tuple(values.get("tables") or ())}
        return cls(**{name: value for name, value in values.items() if name in names})


@dataclass(frozen=True, kw_only=True)
class MetricRequest(Request):
    """Fields of commands that make metrics.

    `metric` has the names as they were given, and `given` the options of metrics, by flag.
    """

    default_metrics: ClassVar[str] = "celab"

    metric: tuple[str, ...] = ()
    has_metrics: bool = False  # whether they were named
    slow: bool = False
    given: Given = field(default_factory=lambda: MappingProxyType({}))

    @property
    def lang(self) -> str | None:
        """The target language, if it is given."""
        return language_code(self.given.get("lang"))

    @property
    def run(self) -> Run:
        """Settings that move no score."""
        names = {spec.name for spec in fields(Run)}
        return Run(**{name: value for name, value in self.given.items() if name in names})

    @classmethod
    def of(cls, values: Arguments) -> Self:
        """Return the request, with the options of metrics apart from the command's own."""
        own = {spec.name for spec in fields(cls)}
        given = {
            name: values[name]
            for name in ALL_OPTIONS
            if name not in own and values.get(name) is not None
        }
        names = values.get("metric") or [cls.default_metrics]
        named = {"metric": tuple(names), "has_metrics": bool(values.get("metric"))}
        return super().of(values | named | {"given": MappingProxyType(given)})


def check_text_documents(text_documents: str | None, align: bool) -> None:
    """Raise if `--text-documents` is given without `--align`."""
    if text_documents is not None and not align:
        raise OptionError("--text-documents is given without --align; add --align")


@dataclass(frozen=True, kw_only=True)
class TextRequest(MetricRequest):
    """Fields of commands that read references and systems, in any format."""

    takes_text: ClassVar[bool] = False  # whether the command has `--text`

    files: tuple[str, ...] = ()
    text: bool = False
    references: tuple[str, ...] | None = None
    systems: tuple[str, ...] | None = None
    test_set: str | None = None
    language_pair: str | None = None
    source: str | None = None
    documents: str | None = None
    align: bool = False
    text_documents: str | None = None
    format: str | None = None
    encoding: str | Mapping[str, str] | None = None
    skip_missing: bool = False
    ref_fields: tuple[str, ...] | None = None
    hyp_fields: tuple[str, ...] | None = None
    source_field: str | None = None
    document_field: str | None = None
    id_field: str | None = None
    only_refs: tuple[str, ...] | None = None
    only_systems: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    scores: tuple[str, ...] | None = None
    lower_is_better: tuple[str, ...] | None = None
    human: str | None = None
    spans: str | None = None
    count_from: int | None = None
    output: str | None = None
    digits: int | None = None
    level: str | None = None

    @classmethod
    def of(cls, values: Arguments) -> Self:
        """Return the request, with all that follows from sacreBLEU's flags, such as `-l`."""
        values = dict(values)
        pair, width = values["language_pair"], values.get("width", "")
        if values["test_set"] is not None and pair is None:
            raise OptionError(
                f"-t {values['test_set']} is given without -l; add one, such as -l en-zh"
            )
        if pair is not None:
            values["lang"] = _target(pair, values["test_set"], values["lang"])
        if width in map(str, range(MOST_DIGITS + 1)):
            values["digits"] = int(width)  # as in sacreBLEU; celab's own --width takes words
            del values["width"]
        if values["encoding"]:
            values["encoding"] = _encodings(values["encoding"])
        for name in ("ref_fields", "hyp_fields", "only_refs", "only_systems", "names"):
            if values[name] is not None:
                values[name] = tuple(values[name].split(","))
        return super().of(values)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_text_documents(self.text_documents, self.align)
        if self.count_from is not None and not (self.scores or self.human or self.spans):
            raise OptionError(
                "--count-from is given without --scores, --human or --spans; it is of no use alone"
            )
        for name in _OF_FILES if self.text else ():
            if getattr(self, name) not in (None, False):
                raise OptionError(
                    f"--text and {flag(name)} are both given; with --text no file is read, so leave"
                    " one of them out"
                )

    @property
    def has_roles(self) -> bool:
        """Whether flags say which files are references or systems."""
        return self.references is not None or self.systems is not None

    @property
    def columns(self) -> Fields:
        """The columns that `--ref-fields` and similar flags name."""
        from celab.corpus import Fields

        refs, hyps = ([*map(_column, names or ())] for names in (self.ref_fields, self.hyp_fields))
        single = (self.source_field, self.document_field, self.id_field)
        return Fields(refs, hyps, *(None if name is None else _column(name) for name in single))


@dataclass(frozen=True, kw_only=True)
class ReportRequest(TextRequest):
    """Fields of commands that print tables and write reports."""

    keeps_files = True

    json: bool = False
    details: bool = False
    html: str | None = None
    explained: int = 2_000
    report_lang: str | None = None
    reviews: str | None = None
    test: str | None = None
    resamples: int = 1000
    seed: int = 12345
    no_check: bool = False
    terms: str | None = None
    source_lang: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.source_lang is not None and self.looks_for_terms is False:
            raise OptionError("--source-lang is given without --terms; it is of no use alone")
        if self.report_lang is not None and self.html is None:
            raise OptionError("--report-lang is given without --html; add --html FILE")
        if self.reviews is not None and self.html is None:
            raise OptionError("--reviews is given without --html; add --html FILE")
        if self.html == "-":
            raise OptionError("--html is -; a report is not printed, so give it the name of a file")

    @property
    def looks_for_terms(self) -> bool:
        """Whether terms of a glossary are looked for."""
        return self.terms is not None

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of what is printed."""
        return "json" if self.json else self.table or "text"


@dataclass(frozen=True, kw_only=True)
class ScoreRequest(ReportRequest):
    """Request of `celab score`."""

    exclusive = (
        ("brief", "json"),
        ("brief", "segments"),
        ("brief", "explain"),
        ("brief", "test"),
        *(("details", other) for other in ("brief", "json", "segments", "explain")),
        ("no_interval", "test"),
        ("no_interval", "confidence"),
        ("explain", "json"),
        ("explain", "segments"),
        ("explain", "html"),
        ("explain", "fail_under"),
        ("resume", "fail_under"),
        ("explain", "terms"),
        ("text", "resume"),
        ("without_copies", "no_check"),
        ("without_copies", "resume"),
        *(
            (name, judge)
            for name in ("resume", "without_copies")
            for judge in ("scores", "human", "spans")
        ),
        *(("table", other) for other in ("brief", "json", "explain")),
    )

    takes_text = True

    level: str = "system"
    test: Test | None = None
    segments: bool = False
    brief: bool = False
    explain: int | None = None
    resume: bool = False
    color: str = "auto"
    without_copies: bool = False
    no_interval: bool = False
    confidence: bool = False
    fail_under: float | None = None
    engine: str = "local"
    scheduler: str | None = None
    partition_size: int | None = None

    @classmethod
    def of(cls, values: Arguments) -> ScoreRequest:
        """Return the request, with what `--segments` and `-f` stand for."""
        values = dict(values)
        if values["segments"]:
            values["level"] = "segment"
        values["json"] |= values["output_format"] == "json"
        if values["output_format"] in TABLES:
            values["tables"] = [*(values["tables"] or ()), values["output_format"]]
        return super().of(values)

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of what is printed."""
        is_table = self.level != "system" and self.explain is None
        return "tsv" if is_table and not self.json and not self.tables else super().output_format

    @property
    def output_files(self) -> dict[str, str]:
        """The files that the command writes, by flag; with Dask, `--output` is a new folder."""
        paths = super().output_files
        if self.engine == "dask":
            paths.pop("--output", None)
        return paths

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.details and self.level != "system":
            raise OptionError(f"--details shows systems, but --level is {self.level}")
        has_spans = self.level == "system" and not self.brief
        if self.spans is not None and not (has_spans or self.json or self.html):
            raise OptionError(
                "--spans is given, but the output has no error spans; add --json or --html, or"
                " leave out --brief, --segments and --level"
            )
        if self.resume and self.output is None:
            raise OptionError(
                "--resume is given without --output; add --output, the file to continue"
            )
        if self.resume and self.align:
            raise OptionError(
                "--resume and --align are both given; celab align writes the lines, which --resume"
                " can score"
            )


def possible_paths(value: str) -> list[str]:
    """Return all parts of an argument that may be paths.

    >>> possible_paths("comet=comet.tsv"), possible_paths("zh-core:1,my.tsv:0.6")[-2:]
    (['comet=comet.tsv', 'comet.tsv'], ['zh-core', 'my.tsv'])
    """
    parts = [value, *(value.split(",") if "," in value else ())]
    parts += [part.partition("=")[2] for part in (value,) if "=" in part]
    parts += [part.rpartition(":")[0] for part in value.split(",") if ":" in part]
    return [part for part in dict.fromkeys(parts) if part]


def judged_files(folder: str) -> Iterator[str]:
    """Yield the files in a folder of judged systems that may be read."""
    from celab.evaluation.meta import layout

    return map(str, layout.files_in(folder))


def read(
    kind: type[R],
    parser: Parser,
    argv: Sequence[str] | None,
    known_metrics: Collection[str] | None = None,
) -> R:
    """Return the request of a command line (default: of the process)."""
    known = METRICS if known_metrics is None else known_metrics
    words = join_metric_names(words_of(argv), known)
    return make(kind, parser.parse_intermixed_args(words))


def make(kind: type[R], arguments: argparse.Namespace) -> R:
    """Return the request for arguments that a parser has understood."""
    values = values_of(arguments)
    more = {"limits": Limits(**chosen_options(arguments, Limits)), "named": _named(values)}
    request = kind.of(values | more)
    if isinstance(request, MetricRequest):
        _ = request.run  # checked before anything is read
    output_files.check(request)
    return request


def values_of(arguments: argparse.Namespace) -> Arguments:
    """Return the values of all arguments by name, with tuples for lists."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(arguments).items()
    }


def _named(values: Arguments) -> dict[str, tuple[str, ...]]:
    """Return the values that may name files to read, by field."""
    words = ("files", "references", "systems") if values.get("text") is True else ()
    named = {}
    for name, value in values.items():
        each = value if isinstance(value, tuple) else (value,)
        texts = tuple(text for text in each if isinstance(text, str))
        if texts and name not in (*_OUTPUTS, *_NO_FILES, *words):
            named[name] = texts
    return named


def run_command(parser: Parser, argv: Sequence[str] | None) -> Output:
    """Run the command that the first word names, with its request."""
    arguments = parser.parse_args(argv)
    if arguments.run is None:
        raise OptionError(f"no command is given; see {parser.prog} --help")
    output: Output = arguments.run(make(arguments.request, arguments))
    return output


def _target(pair: str, test_set: str | None, lang: str | None) -> str:
    from celab.corpus.testsets import target_of

    # The region or script of a language has a capital, as in zh-CN; the target of a pair has none.
    is_language = re.fullmatch("[A-Za-z]{2,3}([-_][A-Z][A-Za-z]+)*", pair)
    target = pair if test_set is None and is_language else target_of(pair)
    if language_code(lang) not in (None, language_code(target)):
        raise OptionError(f"--lang is {lang}, but -l is {pair}; leave one of them out")
    return target


def _encodings(text: str) -> str | dict[str, str]:
    roles = [part.partition("=") for part in text.split(",")] if "=" in text else []
    for role, equals, _ in roles:
        if not equals:
            raise OptionError(
                f"--encoding is {text}; {role} has no role, such as hyp={role} or ref={role}"
            )
    return {role: name for role, _, name in roles} or text


def _column(name: str) -> str | int:
    return int(name) if is_digits(name) else name
