"""Flags → metrics: what `celab-score` and `celab-meta` share."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from celab.cli.arguments import add_options, chosen_options
from celab.errors import OptionError
from celab.options import TeslaCelabOptions, TeslaMOptions

if TYPE_CHECKING:
    from celab.metrics.base import Metric

OURS = ("celab", "tesla-m")
THEIRS = ("bleu", "chrf", "chrf++", "ter")
METRICS = (*OURS, *THEIRS)


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """`-m` and every flag that a metric takes."""
    parser.add_argument_group("the lexicon").add_argument(
        "--lexicon", action="append", metavar="NAME|PATH",
        help="cilin, zh-core, de-core, wordnet, the path of a .lex file or of a source in any known"
        " format, or none (default: cilin for Chinese, de-core for German); several are merged",
    )  # fmt: skip
    chosen = parser.add_argument_group("which metric")
    chosen.add_argument(
        "-m", "--metric", action="append", metavar="NAME...",
        help=f"one or more of {', '.join(METRICS)} (default: celab)",
    )  # fmt: skip
    chosen.add_argument(
        "--lang", metavar="LANG",
        help="the language of the translation; celab: zh (default), de (compound parts as tokens),"
        " ja or ko; tesla-m: de, en or zh",
    )  # fmt: skip
    chosen.add_argument(
        "--counts", metavar="FILE",
        help="German: a corpus, or a table of words and counts, by which compounds are split"
        " (default: wordfreq's)",
    )  # fmt: skip
    chosen.add_argument("--analysis", choices=("tagged", "surface"), help="tesla-m: in place of"
                        " a language's: word|lemma|TAG as given, or forms only")  # fmt: skip
    chosen.add_argument("--separator", metavar="TEXT", help="tesla-m: of tagged words (default: |)")
    chosen.add_argument(
        "--function-tags", metavar="TAGS", help="tesla-m: of tagged words, separated by commas"
    )
    add_options(parser, TeslaCelabOptions, "the metrics")
    add_options(parser, TeslaMOptions, "tesla-m", shared=TeslaCelabOptions)


def gathered(argv: Sequence[str], known: Sequence[str] = METRICS) -> list[str]:
    """The names that follow `-m` joined to one value, so that they are not taken for files."""
    result: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        result.append(word)
        if word in ("-m", "--metric"):
            names: list[str] = []
            while rest and (not names or rest[0] in known):
                names.append(rest.pop(0))
            result += [",".join(names)] if names else []
    return result


def names_of(given: Sequence[str] | None, known: Sequence[str] = METRICS) -> list[str]:
    """The metrics that were asked for, each once."""
    names = [name for some in given or ["celab"] for name in some.split(",")]
    for name in names:
        if name not in known:
            raise OptionError(
                f"--metric is {name!r}; it must be one or more of: {', '.join(known)}"
            )
    return list(dict.fromkeys(names))


def made(arguments: argparse.Namespace) -> tuple[dict[str, Metric], list[str]]:
    """The metrics by name, and notices about them, such as on a lexicon that stands in."""
    with warnings.catch_warnings(record=True) as notices:
        warnings.simplefilter("always")
        metrics = {name: metric(name, arguments) for name in names_of(arguments.metric)}
    return metrics, [str(notice.message) for notice in notices]


def metric(name: str, arguments: argparse.Namespace) -> Metric:
    """One of them, as the flags say."""
    import celab

    lexicon = lexicon_of(arguments.lexicon)
    if name == "celab":
        return celab.TeslaCelab(
            lexicon=lexicon,
            lang=arguments.lang,
            counts=arguments.counts,
            **chosen_options(arguments, TeslaCelabOptions),
        )
    if name in THEIRS:
        from celab.metrics.baselines import Baseline

        return Baseline(name, arguments.lang)
    extra: dict[str, Any] = {}
    if arguments.separator is not None:
        extra["separator"] = arguments.separator
    if arguments.function_tags is not None:
        extra["function_tags"] = arguments.function_tags.split(",")
    return celab.TeslaM(
        lang=arguments.lang,
        analysis=arguments.analysis,
        lexicon=lexicon,
        counts=arguments.counts,
        **chosen_options(arguments, TeslaMOptions),
        **extra,
    )


def lexicon_of(given: list[str] | None) -> str | list[str] | None:
    """What `--lexicon` names, once or several times, as the metrics take it."""
    if given is None:
        return "default"
    if "none" in given:
        if len(given) > 1:
            raise OptionError("--lexicon none is given beside others; it must stand alone")
        return None
    return given[0] if len(given) == 1 else given
