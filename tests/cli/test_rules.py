"""Rules of options: a misspelt name fails at import, and every rule refuses what it says."""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import refusal, requests, run

from celab.base.errors import OptionError
from celab.base.options import option, option_group
from celab.cli import batches, score
from celab.cli.arguments import Parser
from celab.cli.command import CommandGroup, make
from celab.cli.flags import add_flags, flags_of, number
from celab.cli.option_groups import OutputOptions
from celab.cli.requests import Request
from celab.cli.rules import (
    Rule,
    ShortForm,
    conflict,
    means,
    members,
    needs,
    not_taken,
    refuse,
    rules_of,
    spellings,
    stand_in,
    takes,
    value,
)
from celab.cli.terminal import Outcome

REQUESTS = {name: kind for name, kind, _ in requests()}


def _import_with(tmp_path, name, before, after):
    """Import a copy of a module in `celab.cli`, in which a text is replaced."""
    text = Path(importlib.util.find_spec(f"celab.cli.{name}").origin).read_text("utf-8")
    assert before in text
    path = tmp_path / f"misspelt_{name}.py"
    path.write_text(text.replace(before, after), "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look it up
    try:
        spec.loader.exec_module(module)
        if name == "score_request":
            rules_of(module.ScoreRequest)  # as `celab.cli.score` does, where the command is made
    finally:
        del sys.modules[path.stem]


@pytest.mark.parametrize(
    ("name", "before", "after", "misspelt"),
    [
        ("score_request", "r.brief, r.output.json", "r.brief, r.output.jsn", "output.jsn"),
        ("score_request", "needs(r.label,", "needs(r.lable,", "lable"),
        ("score_request", "(r.report.html,", "(r.report.htm,", "report.htm"),
        ("compare", "r.report.html,", "r.report.plot,", "report.plot"),
        ("check", "--filters --json", "--filter --json", "--filter"),
        ("compare", "group(JudgeOptions)", "group(JudgeOptions, socres='scores')", "socres"),
    ],
)
def test_a_misspelt_option_fails_when_the_module_is_imported(
    tmp_path, name, before, after, misspelt
):
    with pytest.raises(TypeError) as raised:
        _import_with(tmp_path, name, before, after)
    assert misspelt in str(raised.value)


def test_the_same_module_without_a_misspelling_is_imported(tmp_path):
    for name in ("score_request", "compare", "check", "para"):
        _import_with(tmp_path, name, "", "")


def _asked_for():
    """Yield where a module asks for an option by a text, and the text."""
    for path in sorted(Path(score.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="is_set"), args=[asked, *_]):
                    yield f"{path.name}:{node.lineno}", getattr(asked, "value", asked)
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute(attr="values"), attr="get"),
                    args=[ast.Constant(asked), *_],
                ):
                    yield f"{path.name}:{node.lineno}", asked


def test_an_option_that_is_asked_for_by_its_name_is_one_of_a_command():
    known = {name for kind in REQUESTS.values() for name in flags_of(kind)}
    asked = dict(_asked_for())
    assert "fail_on" in asked.values()
    assert {place: name for place, name in asked.items() if name not in known} == {}


@dataclass(frozen=True, kw_only=True)
class Misspelt(Request):
    """A request of a command whose rule names an option that it does not have."""

    output: OutputOptions = option_group(OutputOptions, without=["color", "digits"])

    @staticmethod
    def rules(r):
        """Yield a rule."""
        yield conflict(r.output.json, r.output.no_such_table)


def test_a_command_of_a_group_is_checked_where_it_is_defined():
    def build(request):
        return Outcome()

    with pytest.raises(TypeError, match=r"Misspelt has no option output\.no_such_table"):
        CommandGroup("new", "A new one.").command(Misspelt, "build")(build)


LEVELS = ("system", "document", "segment")


@dataclass(frozen=True, kw_only=True)
class New(Request):
    """A request with a rule of each kind."""

    output: OutputOptions = option_group(OutputOptions, without=["color", "digits"])
    brief: bool = option(False, "only the score")
    level: str = option("system", "level", choices=LEVELS)
    scale: float | None = option(None, "scale", between=(0, 1), convert=number)
    weights: str = option("uniform", "weights", choices=("uniform", "softmax"))
    text: bool = option(False, "texts")
    rows: bool = option(False, "rows")
    steps: int = option(10, "steps", between=(1, 20))

    @staticmethod
    def short_forms(r: "New") -> Iterator[ShortForm]:
        """Yield an option that is short for two."""
        yield means(r.rows, value(r.level, "segment"), r.output.json)

    @staticmethod
    def rules(r: "New") -> Iterator[Rule]:
        """Yield a rule of each kind."""
        yield conflict(r.brief, r.output)
        yield conflict(r.output.tables, r.output.tables)
        yield conflict(value(r.level, "document"), r.brief, because="documents have tables")
        yield needs(r.scale, value(r.weights, "softmax"), r.output.json)
        yield needs(r.steps, r.rows)
        yield refuse(_wrong_scale)
        yield takes(
            r.text, r.text, r.brief, value(r.level, "segment"), value(r.output.tables, "tsv")
        )


def _wrong_scale(request):
    return "--scale is 1" if request.scale == 1 else ""


def read(*words):
    return _request(New, *words)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--brief --json", "--brief and --json are both given; choose one of them"),
        ("--brief --quiet", "--brief and --quiet are both given; choose one of them"),
        ("--tsv --latex", "--tsv and --latex are both given; choose one of them"),
        (
            "--level document --brief",
            "--level document and --brief are both given; documents have tables",
        ),
        ("--scale 0", "--scale needs --weights softmax or --json"),
        ("--scale 0 --weights uniform", "--scale needs --weights softmax or --json"),
        ("--scale 1 --json", "--scale is 1"),
        ("--steps 10", "--steps needs --rows"),  # its default
        ("--text --json", "--text does not take --json; leave one of them out"),
        ("--text --latex", "--text does not take --latex; leave one of them out"),
        (
            "--text --level document",
            "--text does not take --level document, only segment; leave one of them out",
        ),
    ],
)
def test_each_kind_of_rule_refuses_with_one_line(words, problem):
    with pytest.raises(OptionError) as raised:
        read(*words.split())
    assert str(raised.value) == problem


@pytest.mark.parametrize(
    "words",
    [
        "--brief",
        "--tsv",
        "--tsv --tsv",
        "--level segment --brief",
        "--level system --brief",
        "--scale 0 --weights softmax",
        "--scale 0 --json",
        "--text",
        "--text --brief",
        "--text --tsv",
        "--text --level segment",
        "--text --level system",  # the default
    ],
)
def test_what_no_rule_is_against_is_taken(words):
    assert isinstance(read(*words.split()), New)


def test_an_option_may_be_short_for_others():
    request = read("--rows")
    assert (request.rows, request.level, request.output.json) == (True, "segment", True)
    assert read("--level", "document").output.json is False
    with pytest.raises(OptionError, match="--brief and --json are both given"):
        read("--rows", "--brief")
    with pytest.raises(OptionError, match="--rows and --level system are both given"):
        read("--rows", "--level", "system")  # the default


# ---- every rule of every command ----

SAMPLES = {
    "fail_on": "empty",
    "count_from": "0",
    "fail_under": "0.5",
    "format": "wmt",
    "scale": "0.5",
    "test_set": "wmt24 -l en-zh",
    "margin": "0.5",
    "label": "set=a",
    "engine": "dask",
    "digits": "3",
    "max_line": "5M",
    "max_file": "5M",
}


def _words(member, spelling):
    """Return words that give an option, as it is spelled, with a value if it takes one."""
    flag, *given = spelling.split()
    if given or member.info.value_type is bool or member.info.value_flags:
        return [flag, *given]
    info = member.info
    if sample := SAMPLES.get(member.name):
        return [flag, *sample.split()]
    if choices := info.choices or info.completions:
        return [flag, next(str(each) for each in choices if each != info.default)]
    if info.between:
        low, high = info.between
        return [flag, str(low if low != info.default else high)]
    return [flag, "x"]


def _spelled(options):
    """Return words and spelling of each option, and of each option of a group."""
    for each in options:
        for member in members(each):
            if not member.info.is_argument:
                for spelling in spellings(each):
                    if spelling.split()[0] in member.spellings:
                        yield _words(member, spelling), spelling


def _pairs():
    for name, kind in REQUESTS.items():
        for rule in rules_of(kind).rules:
            if rule.made_by == "conflict":
                first, *others = rule.options
                for words, spelling in _spelled([first]):
                    for other_words, other in _spelled(others):
                        if spelling != other:
                            yield name, (*words, *other_words), (spelling, other)


PAIRS = [*_pairs()]


@pytest.mark.parametrize(("name", "words", "both"), PAIRS, ids=str)
def test_every_conflict_is_refused_with_a_line_that_names_both(name, words, both):
    line = refusal(name, *words)
    assert all(spelling in line for spelling in both), line


def _option(kind, member):
    """Return what stands for an option in the rules of a request."""
    option = stand_in(kind)
    for step in member.path:
        option = getattr(option, step)
    return option


NEEDS = [
    (name, rule.options[0], rule.options[1:])
    for name, kind in REQUESTS.items()
    for rule in rules_of(kind).rules
    if rule.made_by == "needs"
]


@pytest.mark.parametrize(("name", "option", "others"), NEEDS, ids=str)
def test_every_option_that_needs_another_says_which(name, option, others):
    ((words, spelling),) = _spelled([option])
    line = refusal(name, *words)
    assert f"{spelling} needs " in line
    for other_words, other in _spelled(others):
        assert other in line
        done = run(name, *words, *other_words, encoding="utf-8")  # no file is given
        assert done.returncode == 2 and " needs --" not in done.stderr


MEANINGS = [
    (name, *short) for name, kind in REQUESTS.items() for short in rules_of(kind).short_forms
]


@pytest.mark.parametrize(("name", "option", "others"), MEANINGS, ids=str)
def test_every_option_that_is_short_for_others_gives_them_their_values(name, option, others):
    ((words, _),) = _spelled([option])
    short = _request(REQUESTS[name], *words).command_line.values
    for other_words, _ in _spelled(others):
        given = _request(REQUESTS[name], *other_words).command_line.values
        assert given and given.items() <= short.items()


def _request(kind, *words):
    """Return the request of a command line."""
    parser = Parser("celab")
    add_flags(parser, kind)
    return make(kind, parser.parse_args(words))


# A command line for each rule that is a function, by its name.
REFUSED = {
    "_wrong_label": "score --json --label set",
    "_hidden_spans": "score --spans spans.tsv --brief",
    "_negative_margin": "compare --fail-if-worse --margin -1",
    "_wrong_sets": "meta data -r ref.zh",
}


@pytest.mark.parametrize(("function", "words"), REFUSED.items())
def test_every_rule_that_is_a_function_refuses(function, words):
    name, *arguments = words.split()
    (problem,) = (
        rule.problem
        for rule in rules_of(REQUESTS[name]).rules
        if rule.made_by == "refuse" and rule.problem.__name__ == function
    )
    without_rules = type("WithoutRules", (REQUESTS[name],), {"rules": Request.rules})
    message = problem(_request(without_rules, *arguments))
    assert message
    with pytest.raises(OptionError) as raised:
        _request(REQUESTS[name], *arguments)
    assert str(raised.value) == message


def test_there_are_rules():
    assert len(PAIRS) > 60 and len(NEEDS) > 15 and len(MEANINGS) > 5
    kinds = {"conflict", "needs", "refuse", "takes"}
    every = [rule for kind in REQUESTS.values() for rule in rules_of(kind).rules]
    assert {rule.made_by for rule in every} == kinds
    functions = {rule.problem.__name__ for rule in every if rule.made_by == "refuse"}
    assert functions == REFUSED.keys()


# ---- every option in every way to work ----

WAYS = {
    ("score", "--engine dask"): ["ref", "hyp", "--engine", "dask"],
    ("score", "--text"): ["--text", "买雨伞", "买伞"],
    ("explain", "--text"): ["--text", "买雨伞", "买伞"],
}


def _options(command):
    """Return words, spelling and name of each option that is not one of the metrics."""
    kind = REQUESTS[command]
    return [
        (words, spelling, member.name)
        for member in flags_of(kind).values()
        if member.path[0] != "metrics"
        for words, spelling in _spelled([_option(kind, member)])
    ]


def _rule(command, way):
    """Return the rule of what a way to work takes."""
    rules = [rule for rule in rules_of(REQUESTS[command]).rules if rule.made_by == "takes"]
    (rule,) = (rule for rule in rules if spellings(rule.options[0]) == [way])
    return rule


def test_every_rule_of_what_a_way_takes_is_tried():
    ways = {
        (command, *spellings(rule.options[0]))
        for command, kind in REQUESTS.items()
        for rule in rules_of(kind).rules
        if rule.made_by == "takes"
    }
    assert ways == WAYS.keys()


@pytest.fixture
def pair(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("买雨伞\n天气好\n", "utf-8")
    Path("hyp").write_text("买伞\n天气\n", "utf-8")


@pytest.mark.parametrize(
    ("command", "way", "words", "spelling", "name"),
    [(*each, *option) for each in WAYS for option in _options(each[0])],
    ids=str,
)
def test_every_option_is_taken_by_a_way_to_work_or_refused_in_one_line(
    pair, command, way, words, spelling, name
):
    rule = _rule(command, way)
    taken = {each.name for option in rule.options for each in members(option)}
    given = [*WAYS[command, way], *words, "-q", "--lexicon", "none"]
    done = run(command, *given, encoding="utf-8")
    refused = (f"{way} does not take {spelling}", f"{' '.join(words)} does not take {way}")
    if done.returncode == 2:
        assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    else:
        assert done.returncode in (0, 1, 3), done.stderr
    if name not in taken and " both given" not in done.stderr:
        assert any(line in done.stderr for line in (*refused, " needs -"))
    elif name in taken:
        assert "does not take" not in done.stderr or f"{' '.join(words)}, only" in done.stderr


LISTS = {each: _rule(*each).options for each in WAYS} | {"in batches": score.IN_BATCHES}


@pytest.mark.parametrize("options", LISTS.values(), ids=map(str, LISTS))
def test_what_a_way_takes_is_listed_option_by_option(options):
    groups = [option for option in options if len(members(option)) > 1]
    assert [str(group) for group in groups if not str(group).endswith(".metrics")] == []


@dataclass(frozen=True, kw_only=True)
class NewOutput(OutputOptions):
    """A group that gets an option."""

    in_group: bool = option(False, "an option that nobody has thought of")


@dataclass(frozen=True, kw_only=True)
class NewScoreRequest(score.ScoreRequest):
    """A request of `celab score` that gets options."""

    output: NewOutput = option_group(NewOutput, without=["color"])
    of_command: bool = option(False, "an option that nobody has thought of")


@pytest.mark.parametrize("flag", ["--in-group", "--of-command"])
def test_a_new_option_is_refused_until_a_way_lists_it(flag):
    assert _request(NewScoreRequest, "ref", "hyp", flag).texts.files
    for words in (["--engine", "dask"], ["--text"]):
        with pytest.raises(OptionError) as raised:
            _request(NewScoreRequest, *words, flag)
        assert f"{' '.join(words)} does not take {flag}" in str(raised.value)
    request = _request(NewScoreRequest, "ref", "hyp", "--segments", flag)
    assert [*not_taken(score.IN_BATCHES, request)] == [flag]


@pytest.mark.parametrize(("words", "spelling", "name"), _options("score"), ids=str)
def test_segments_are_the_same_in_batches_and_as_a_whole(pair, monkeypatch, words, spelling, name):
    asked = ["ref", "hyp", "--segments", *words, "--lexicon", "none"]
    in_batches, ways = run("score", *asked, encoding="utf-8"), []

    def score_as_a_whole(*_):
        ways.append("batches")

    monkeypatch.setattr(batches, "score", score_as_a_whole)
    as_a_whole = run("score", *asked, "--overwrite", encoding="utf-8")
    assert in_batches.returncode == as_a_whole.returncode
    assert in_batches.stdout == as_a_whole.stdout
    if as_a_whole.returncode == 0:
        taken = {each.name for option in score.IN_BATCHES for each in members(option)}
        assert bool(ways) == (name in taken) or spelling in ("--latex", "--markdown", "-f")


@pytest.mark.parametrize(
    ("words", "both"),
    [
        (["--segments", "--level", "document"], "--segments and --level document"),
        (["-f", "text", "--json"], "-f text and --json"),
        (["--digits", "4", "--width", "2"], "--digits 4 and --width 2"),
        (["-b", "--level", "segment"], "--brief and --level segment"),
    ],
)
def test_what_an_option_is_short_for_is_not_given_otherwise(words, both):
    line = refusal("score", *words, "ref.zh", "hyp.zh")
    assert line.endswith(f"{both} are both given; choose one of them")


def test_what_stands_for_an_option_has_no_value_while_rules_are_made():
    r = stand_in(REQUESTS["score"])
    for ask in (
        lambda: bool(r.brief),
        lambda: r.level == "segment",
        lambda: r.level in ("segment",),
    ):
        with pytest.raises(TypeError, match="has no value while rules are made"):
            ask()
