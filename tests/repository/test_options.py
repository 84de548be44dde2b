"""What docs and docstrings say of options is what the fields that declare them say."""

import inspect
import re
import runpy
from dataclasses import fields

import pytest
from conftest import ROOT
from test_docs import PAGES, name_of, read

import celab
from celab.base.options import LIMITS, RESAMPLES, Size, info_of
from celab.base.run import RunOptions
from celab.cli.board import BoardRequest
from celab.cli.compare import CompareRequest
from celab.cli.flags import flag, flags_of
from celab.cli.meta import MetaRequest
from celab.cli.option_groups import JudgeOptions, TermOptions
from celab.cli.score_request import ScoreRequest
from celab.cli.tune import TuneRequest
from celab.corpus.options import Inputs
from celab.metrics import options

SCRIPT = runpy.run_path(str(ROOT / "docs" / "make_options.py"))
# Parameters that mean the same in Python and on the command line, wherever they are.
SHARED = ("test", "n_resamples", "seed", "count_from", "source_lang")
FLAGS = {"n_resamples": "resamples"}
# The phrases of help texts that say what an option is.
PHRASE = re.compile(r"[^;:,(]*[^;:,( ]")
DEFAULT = re.compile(r"\(default: ([^()]*)\)")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_tables_of_options_have_the_facts_of_the_fields(page):
    assert read(page) == SCRIPT["written"](read(page)), "run python docs/make_options.py"


def test_every_table_of_options_is_on_one_page():
    names = [block[2] for page in PAGES for block in SCRIPT["BLOCK"].finditer(read(page))]
    assert sorted(names) == sorted(SCRIPT["TABLES"])


def rows(page, heading):
    """Return the cells of the rows of the tables after a heading or a line."""
    text = read(ROOT / "docs" / page).partition(heading)[2]
    lines = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_choices_of_tesla_s_are_its_defaults():
    defaults = {flag(spec.name): info_of(spec).default for spec in fields(options.TeslaSOptions)}
    shown = re.findall(
        r"`(--\S+) (\S+)`", str(rows("other-metrics.md", "**Definition.** Two bags"))
    )
    assert len(shown) == 4
    assert {name: str(defaults[name]) for name, _ in shown} == dict(shown)


def test_options_of_sacrebleu_are_those_of_its_metrics():
    shared = {spec.name for kind in (RunOptions, options.BaselineData) for spec in fields(kind)}
    table = rows("score-and-compare.md", "-m bleu -tok char -lc")
    kinds = (celab.Bleu, celab.Chrf, celab.Ter)
    for kind, (_, flags, python) in zip(kinds, table, strict=True):
        own = [spec for spec in fields(kind) if spec.name not in shared]
        shown = set(re.findall(r"`(-[^`]+)`", flags))
        spelled = [shown.intersection(info_of(spec).flags or [flag(spec.name)]) for spec in own]
        assert sum(map(len, spelled)) == len(shown) == len(own)
        assert set(re.findall(r"(\w+)=…", python)) == {spec.name for spec in own}


@pytest.mark.parametrize("page", ["ci.md", "zh/ci.md"])
def test_flags_of_the_board_are_its_own(page):
    known = flags_of(BoardRequest)
    cells = re.findall(r"^\| (`--[^|]*)\|", read(ROOT / "docs" / page), re.MULTILINE)
    names = re.findall(r"--([a-z-]+)", " ".join(cells))
    assert len(names) == 7
    known = known | known["tables"].info.value_flags
    assert not {name.replace("-", "_") for name in names} - known.keys()


def test_limits_are_those_of_the_options():
    shown = dict(rows("security.md", "## Limits"))
    assert shown["a line"] == f"{LIMITS.max_line // 2**20} MiB (`--max-line`)"
    (file,) = (value for name, value in shown.items() if name.startswith("a text file"))
    assert file == f"{LIMITS.max_file // Size('1G')} GiB (`--max-file`)"
    assert shown["time per pair: kernels, then HiGHS"].startswith(f"{RunOptions().time_limit:g} s")
    most_starts = flags_of(TuneRequest)["restarts"].info.between[1]
    (tested,) = (value for name, value in shown.items() if name.startswith("bootstrap resamples"))
    assert tested == f"{RESAMPLES[1]:,}; {most_starts:,}"


def functions():
    """Return the public functions and methods, by name."""
    members = {"corpus.read": celab.corpus.read}
    for name in celab.__all__:
        value = getattr(celab, name)
        if inspect.isfunction(value):
            members[name] = value
        elif inspect.isclass(value) or inspect.ismodule(value):
            public = getattr(value, "__all__", None) or [n for n in dir(value) if n[0] != "_"]
            for member in public:
                function = getattr(value, member, None)
                if inspect.isfunction(function) or inspect.ismethod(function):
                    members[f"{name}.{member}"] = function
    return members


def documented(function):
    """Return what a docstring says of each parameter."""
    section = re.search(r"^Parameters:\n((?: {4}.*\n?|\n)*)", inspect.getdoc(function) or "", re.M)
    lines = {}
    for names, text in re.findall(
        r"^ {4}(\w[\w, ]*): (.*\n?(?: {8}.*\n?)*)", section[1] if section else "", re.M
    ):
        lines |= dict.fromkeys(names.split(", "), " ".join(text.split()))
    return lines


def helps(name):
    """Return what is known of an option, as each command has them."""
    requests = (ScoreRequest, CompareRequest, MetaRequest)
    flags = [flags_of(kind).get(FLAGS.get(name, name)) for kind in requests]
    declared = [
        info_of(spec)
        for kind in (JudgeOptions, TermOptions)
        for spec in fields(kind)
        if spec.name == name
    ]
    return [*(known.info for known in flags if known), *declared]


PARAMETERS = [
    (function, name)
    for function, value in functions().items()
    for name in inspect.signature(value).parameters
    if name in SHARED and name in documented(value)
]


def test_parameters_are_looked_at():
    assert {name for _, name in PARAMETERS} == set(SHARED)
    assert len(PARAMETERS) > 20


def check_facts(text, info, default):
    """The text must have the values of an option, and its default if the signature has none."""
    assert all(str(choice) in text for choice in info.choices or ()), text
    if (in_help := DEFAULT.search(info.help)) and default in (None, ()):
        assert f"(default: {in_help[1]}" in text


@pytest.mark.parametrize(("function", "name"), PARAMETERS)
def test_docstrings_have_the_facts_of_options(function, name):
    value = functions()[function]
    text, parameter = documented(value)[name], inspect.signature(value).parameters[name]
    if re.search(r"as in `|^where |^of the ", text):
        return  # said elsewhere
    known = helps(name)
    assert any(text.startswith(PHRASE.match(info.help)[0].split(" in tables")[0]) for info in known)
    check_facts(text, known[0], parameter.default)
    if name == "n_resamples":
        assert text.endswith(f"{RESAMPLES[0]} or more.")


def test_reading_is_documented_by_the_options_of_texts():
    parameters, lines = (
        inspect.signature(celab.corpus.read).parameters,
        documented(celab.corpus.read),
    )
    assert list(lines) == list(parameters)
    specs = {spec.name: info_of(spec) for spec in fields(Inputs) if "option" in spec.metadata}
    shared = [name for name in parameters if name in specs and name != "systems"]  # never stdin
    assert len(shared) > 12
    for name in shared:
        assert lines[name].startswith(PHRASE.match(specs[name].help)[0]), name
        check_facts(lines[name], specs[name], parameters[name].default)
