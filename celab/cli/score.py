"""`celab-score`: reference files and a hypothesis file → its TESLA-CELAB score.

It parses, reads, scores and reports, in this order, and writes only when all of it has succeeded.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celab.cli import progress, terminal
from celab.cli.arguments import Parser, add_options, chosen_options, refuse_together
from celab.errors import OptionError
from celab.options import TeslaCelabOptions, TeslaMOptions

if TYPE_CHECKING:
    from celab import TeslaCelab
    from celab.corpus import Corpus
    from celab.metrics.base import Metric, Score

COMMAND = "celab-score"
METRICS = ("celab", "tesla-m")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return terminal.run(COMMAND, lambda: _work(argv))


def _parser() -> Parser:
    parser = Parser(
        COMMAND,
        usage=f"{COMMAND} [options] REF... HYP",
        description="Scores a Chinese translation against one or more references.",
        epilog="Files hold one segment a line, in UTF-8; .gz, .xz and .bz2 are read too, and - is "
        "standard input. A line may be blank in some of the references, but not in all.",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="the references, then, last, the hypothesis"
    )
    output = parser.add_argument_group("the output")
    output.add_argument("--segments", action="store_true", help="a TSV table of the segments")
    output.add_argument("--json", action="store_true", help="JSON; with --segments, these too")
    output.add_argument("--brief", action="store_true", help="the score alone")
    output.add_argument(
        "--explain", type=int, metavar="N", help="show where the score of segment N comes from"
    )
    output.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto",
        help="colours in --explain (default: auto, which means in a terminal)",
    )  # fmt: skip
    output.add_argument("--quiet", action="store_true", help="no remarks, no progress bar")
    parser.add_argument_group("the lexicon").add_argument(
        "--lexicon", action="append", metavar="NAME|PATH",
        help="cilin, zh-core, de-core, the path of a .lex file or of a source in any known format,"
        " or none (default: cilin); several are merged",
    )  # fmt: skip
    chosen = parser.add_argument_group("which metric")
    chosen.add_argument(
        "-m", "--metric", action="append", metavar="NAME...",
        help=f"one or more of {', '.join(METRICS)} (default: celab)",
    )  # fmt: skip
    chosen.add_argument("--lang", metavar="LANG", help="tesla-m: de, en or zh")
    chosen.add_argument("--analysis", choices=("tagged", "surface"), help="tesla-m: in place of"
                        " a language's: word|lemma|TAG as given, or forms only")  # fmt: skip
    chosen.add_argument("--separator", metavar="TEXT", help="tesla-m: of tagged words (default: |)")
    chosen.add_argument(
        "--function-tags", metavar="TAGS", help="tesla-m: of tagged words, separated by commas"
    )
    add_options(parser, TeslaCelabOptions, "the metrics")
    add_options(parser, TeslaMOptions, "tesla-m", shared=TeslaCelabOptions)
    return parser


def _gathered(argv: Sequence[str]) -> list[str]:
    """The names that follow `-m` joined to one value, so that they are not taken for files."""
    gathered: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        gathered.append(word)
        if word in ("-m", "--metric"):
            names: list[str] = []
            while rest and (not names or rest[0] in METRICS):
                names.append(rest.pop(0))
            gathered += [",".join(names)] if names else []
    return gathered


def _work(argv: Sequence[str] | None) -> tuple[str, str]:
    """What to write to stdout, and what to remark on stderr."""
    arguments = _parser().parse_intermixed_args(_gathered(sys.argv[1:] if argv is None else argv))
    refuse_together(
        arguments,
        ("brief", "json"), ("brief", "segments"), ("brief", "explain"),
        ("explain", "json"), ("explain", "segments"),
    )  # fmt: skip
    *ref_paths, hyp_path = _at_least_two(arguments.files)

    import celab
    from celab import corpus

    with warnings.catch_warnings(record=True) as notices:
        warnings.simplefilter("always")  # a notice about the lexicon is said below
        metrics = {name: _metric(name, arguments) for name in _names(arguments.metric)}
    texts = corpus.read(ref_paths, hyp_path)
    if arguments.explain is None:
        report = _scores(metrics, texts, arguments, hyp_path)
    else:
        celab_metric = metrics.get("celab")
        if len(metrics) > 1 or not isinstance(celab_metric, celab.TeslaCelab):
            raise OptionError("--explain shows where a score of celab comes from; leave out -m")
        report = _explanations(celab_metric, texts, arguments)
    if arguments.quiet:
        return report, ""
    said = [_what_was_read(texts), *(str(notice.message) for notice in notices)]
    return report, "; ".join(said)


def _names(given: Sequence[str] | None) -> list[str]:
    names = [name for some in given or ["celab"] for name in some.split(",")]
    for name in names:
        if name not in METRICS:
            known = ", ".join(METRICS)
            raise OptionError(f"--metric is {name!r}; it must be one or more of: {known}")
    return list(dict.fromkeys(names))


def _metric(name: str, arguments: argparse.Namespace) -> Metric:
    import celab

    lexicon = arguments.lexicon
    if lexicon is not None and len(lexicon) == 1:
        (lexicon,) = lexicon
    if name == "celab":
        return celab.TeslaCelab(lexicon or "cilin", **chosen_options(arguments, TeslaCelabOptions))
    extra: dict[str, Any] = {}
    if arguments.separator is not None:
        extra["separator"] = arguments.separator
    if arguments.function_tags is not None:
        extra["function_tags"] = arguments.function_tags.split(",")
    return celab.TeslaM(
        arguments.lang,
        analysis=arguments.analysis,
        lexicon=lexicon or "default",
        **chosen_options(arguments, TeslaMOptions),
        **extra,
    )


def _at_least_two(files: Sequence[str]) -> Sequence[str]:
    if len(files) < 2:
        seen = f"only {files[0]} is given" if files else "no files are given"
        raise OptionError(
            f"{seen}; there must be one or more references and then the hypothesis: "
            f"{COMMAND} REF... HYP"
        )
    return files


def _scores(
    metrics: Mapping[str, Metric],
    texts: Corpus,
    arguments: argparse.Namespace,
    hyp_path: str,
) -> str:
    from celab.report import json, text, tsv

    scores: dict[str, Score] = {}
    for name, metric in metrics.items():
        if progress.is_welcome(arguments.quiet):
            with progress.ProgressBar(len(texts.hyps)) as bar:
                scores[name] = metric.corpus_score(texts.hyps, texts.refs, progress=bar)
        else:
            scores[name] = metric.corpus_score(texts.hyps, texts.refs)
    if arguments.json:
        return json.systems([(hyp_path, scores)], segments=arguments.segments)
    if arguments.segments:
        return tsv.segments(scores)
    write = text.brief if arguments.brief else text.line
    return "".join(map(write, scores.values()))


def _explanations(metric: TeslaCelab, texts: Corpus, arguments: argparse.Namespace) -> str:
    """One view for each reference that is present, and the mean if there are several."""
    from celab.report import explain
    from celab.tokens import is_blank

    number, n_segments = arguments.explain, len(texts.hyps)
    if not 1 <= number <= n_segments:
        raise OptionError(f"--explain is {number}; {texts.hyp_name} has segments 1 to {n_segments}")
    # Normalised as sides of the corpus, so that the view shows what was scored.
    hyps, *refs = (metric.normalizer.side(side) for side in (texts.hyps, *texts.refs))
    hyp = hyps[number - 1]
    named = zip(texts.ref_names, (ref[number - 1] for ref in refs), strict=True)
    present = [(name, ref) for name, ref in named if not is_blank(ref)]
    views = [
        explain.view(
            f"segment {number} of {n_segments}: {texts.hyp_name} against {name}",
            metric.explain(hyp, ref, normalized=True),
            width=terminal.width(),
            colour=terminal.wants_colour(arguments.color),
        )
        for name, ref in present
    ]
    if len(present) > 1:
        views.append(explain.mean(metric.segments(hyps, refs, slice(number - 1, number))[0]))
    return "\n".join(views)


def _what_was_read(texts: Corpus) -> str:
    plural = "s" * (len(texts.ref_names) > 1)
    n_segments = len(texts.hyps)
    return (
        f"hypothesis {texts.hyp_name}, reference{plural} {' '.join(texts.ref_names)}, "
        f"{n_segments} segment{'s' * (n_segments != 1)}"
    )


if __name__ == "__main__":
    sys.exit(main())
