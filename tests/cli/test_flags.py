"""A flag is declared once, as a field; parsers, checks and requests follow."""

import inspect
import json
from argparse import ArgumentError
from collections import defaultdict
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pytest
from commands import refusal, requests, run

import celab
from celab.agreement import meta
from celab.base.options import RESAMPLES, SEED, SEEDS, info_of, option, option_group
from celab.cli.arguments import Parser
from celab.cli.command import command, make
from celab.cli.flags import add_flags, build, flags_of
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import OutputOptions, SignificanceOptions
from celab.cli.requests import Request
from celab.corpus import Fields, Inputs
from celab.corpus import read as read_corpus
from celab.training.feature_weights import train

REQUESTS = {name: (kind, parser) for name, kind, parser in requests()}


def _declarations(kind):
    """Each dataclass and field that declares an option of a command, by the option's name."""
    declared = {}
    for name, flag in flags_of(kind).items():
        owner = kind
        if "options" in flag.path:  # of a metric, whose flags are those of its fields
            continue
        for step in flag.path[:-1]:
            (spec,) = (spec for spec in fields(owner) if spec.name == step)
            owner = spec.metadata["group"].cls
        (owner,) = (
            base for base in owner.__mro__ if flag.path[-1] in inspect.get_annotations(base)
        )
        declared[name] = (owner.__module__, owner.__name__, flag.path[-1])
    return declared


# Names that mean something else in another command, or a thing that only these commands have.
MEANINGS = {
    "against": 2,  # a metric, a version
    "details": 5,
    "fail_if_worse": 2,  # of two systems, of the last versions
    "fail_under": 2,  # a score, a rate
    "lang": 4,  # of texts, paraphrases, words to keep, phrases
    "lexicon": 4,  # of a metric or a command, or the one to show, to look words up in, to export
    "format": 3,  # of texts, of n-best lists, of sources of a lexicon
    "encoding": 3,  # of texts, of n-best lists, of the references of `celab stream`
    "level": 3,
    "name": 3,  # of a lexicon, of a table, of a source
    "segments": 3,  # a table of segments, outputs as a table, the number of segments to show
    "lm": 2,  # for fluency, for features
    "nbest": 2,
    "pivot": 2,
    "references": 2,  # a flag, or words
    "strict": 3,  # of warnings, of a gate, of lines of a source
    "text": 2,
    "threshold": 2,
    "tsv": 2,
    "words": 2,
}


def test_an_option_is_declared_once_for_each_meaning():
    places = defaultdict(set)
    for kind, _ in REQUESTS.values():
        for name, place in _declarations(kind).items():
            places[name].add(place)
    several = {name: sorted(classes) for name, classes in places.items() if len(classes) > 1}
    assert {name: len(classes) for name, classes in several.items()} == MEANINGS, several


@dataclass(frozen=True, kw_only=True)
class _Twice:
    output: OutputOptions = option_group(OutputOptions)
    quiet: bool = option(False, "a second one")


@dataclass(frozen=True, kw_only=True)
class _LikeAMetric:
    max_order: int = option(4, "as that of TESLA-CELAB", between=(1, 6))
    metrics: Metrics = metrics_group()


@dataclass(frozen=True, kw_only=True)
class _SameFlag:
    output: OutputOptions = option_group(OutputOptions)
    other: bool = option(False, "of another name", flags="-q --other")


@pytest.mark.parametrize("kind", [_Twice, _LikeAMetric, _SameFlag])
def test_two_options_of_one_name_are_refused_when_the_parser_is_made(kind):
    with pytest.raises((TypeError, ArgumentError)):
        add_flags(Parser("celab new"), kind)


@dataclass(frozen=True, kw_only=True)
class _WholeNumber(Request):
    lines: int | None = option(None, "how many")


@dataclass(frozen=True, kw_only=True)
class _Decimal(Request):
    share: float = option(0.5, "of the lines", between=(0, 1))


@pytest.mark.parametrize(
    ("kind", "missing"), [(_WholeNumber, "between="), (_Decimal, "convert=number")]
)
def test_a_command_whose_parser_would_leave_a_number_as_text_is_refused(kind, missing):
    with pytest.raises(TypeError, match=missing):
        command(kind, "new", usage="[options]", example="{0}")(lambda request: None)


def test_a_group_has_the_options_that_a_command_names():
    @dataclass(frozen=True, kw_only=True)
    class New:
        tests: SignificanceOptions = option_group(SignificanceOptions, seeds="a help")

    with pytest.raises(TypeError):
        add_flags(Parser("celab new"), New)


@pytest.mark.parametrize("names", [{"only": ["seeds"]}, {"without": ["seeds"]}])
def test_a_command_takes_options_that_the_group_has(names):
    with pytest.raises(TypeError, match="has no option that is called seeds"):
        option_group(SignificanceOptions, **names)


def test_an_option_that_a_group_is_taken_without_keeps_its_default():
    @dataclass(frozen=True, kw_only=True)
    class New:
        lang: str | None = option(None, "of the command")
        texts: Inputs = option_group(Inputs, without=["lang"])

    request = build(New, {"lang": "de", "references": ("ref.zh",)})
    assert (request.lang, request.texts.lang) == ("de", None)
    assert request.texts.references == ("ref.zh",)


def test_a_command_has_the_options_of_its_groups_with_its_own_help():
    @dataclass(frozen=True, kw_only=True)
    class New:
        tests: SignificanceOptions = option_group(
            SignificanceOptions, only=["seed"], seed="of this command"
        )

    parser = Parser("celab new")
    add_flags(parser, New)
    assert "--seed N" in parser.format_help() and "of this command" in parser.format_help()
    assert "--resamples" not in parser.format_help()
    assert build(New, vars(parser.parse_args(["--seed", "7"]))).tests.seed == 7


@dataclass(frozen=True, kw_only=True)
class _SomeTexts(Request):
    texts: Inputs = option_group(Inputs, only=["references"])


def test_an_option_of_texts_that_a_command_lacks_has_its_default():
    parser = Parser("celab new")
    add_flags(parser, _SomeTexts)
    request = make(_SomeTexts, parser.parse_args(["-r", "ref.zh"]))
    assert asdict(request.inputs) == asdict(Inputs(references=("ref.zh",)))


def test_every_command_with_resamples_has_the_same_range():
    with_resamples = [n for n, (kind, _) in REQUESTS.items() if "resamples" in flags_of(kind)]
    assert with_resamples == ["score", "compare", "terms", "meta"]
    for name in with_resamples:
        line = refusal(name, "x", "y", "--resamples", "39")
        assert "'39' is given; it must be a whole number from 40 to 10000000" in line, name
    score = celab.TeslaCelab(lexicon=None).corpus_score(["买伞", "天"], [["买雨伞", "天气"]])
    with pytest.raises(celab.OptionError):
        score.interval(39)


@pytest.mark.parametrize(
    "function",
    [
        celab.compare,
        celab.terms,
        celab.Campaign.test,
        celab.Campaign.bootstrap,
        meta.evaluate,
        train,
    ],
)
def test_python_has_the_defaults_of_the_command_line(function):
    parameters = inspect.signature(function).parameters
    flags = {spec.name: info_of(spec) for spec in fields(SignificanceOptions)}
    assert flags["resamples"].between == RESAMPLES and flags["seed"].between == SEEDS
    assert parameters["seed"].default == flags["seed"].default == SEED
    if "n_resamples" in parameters:
        assert parameters["n_resamples"].default == flags["resamples"].default
    if "test" in parameters:
        assert parameters["test"].default == "bootstrap"
        assert "(default: bootstrap)" in flags["test"].help


def test_python_reads_with_the_defaults_of_the_command_line():
    parameters = inspect.signature(read_corpus).parameters
    options = {spec.name for spec in fields(Inputs) if "option" in spec.metadata}
    defaults = {
        spec.name: info_of(spec).default if spec.name in options else spec.default
        for spec in fields(Inputs)
    }
    others = {"refs", "systems", "needs_refs", "limits", "fields"}
    others |= {"text_documents", "blank_refs"}
    for name in parameters.keys() - others:
        assert parameters[name].default == defaults[name], name
    assert parameters["fields"].default == Fields() == Inputs().fields
    assert parameters["text_documents"].default == "none"  # None is none, too
    assert defaults.keys() - parameters.keys() == {
        "files",
        "references",
        "text",
        "are_expanded",
        "written_lang",
    }


def test_every_command_that_reads_texts_takes_a_language():
    for name, (kind, parser) in REQUESTS.items():
        if "test_set" in flags_of(kind):
            assert "--lang" in parser.flags, name


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Rows of Hugging Face with two languages, and a text of each."""
    monkeypatch.chdir(tmp_path)
    pairs = [("Buy an umbrella.", "买雨伞。"), ("It rains.", "下雨了。")]
    lines = [json.dumps({"translation": {"en": en, "zh": zh}}) for en, zh in pairs]
    Path("rows.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    Path("en.txt").write_text("Buy an umbrella. It\nrains.\n", "utf-8")
    Path("zh.txt").write_text("买雨伞。下\n雨了。\n", "utf-8")


def test_align_reads_the_references_of_a_language(rows):
    aligned = run("align", "-q", "rows.jsonl", "zh.txt", encoding="utf-8")
    assert aligned.stdout == "买雨伞。\n下雨了。\n"
    for flags in (["--lang", "en"], ["--lang", "en-GB"], ["-l", "zh-en"]):
        aligned = run("align", "-q", "rows.jsonl", "en.txt", *flags, encoding="utf-8")
        assert (aligned.stdout, aligned.stderr) == ("Buy an umbrella.\nIt rains.\n", "")
    line = refusal("align", "rows.jsonl", "en.txt", "--lang", "zh", "-l", "zh-en")
    assert line.endswith("--lang is zh, but -l is zh-en; leave one of them out")
