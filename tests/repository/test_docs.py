"""The pages: what they show is what the commands print, and the Chinese ones follow the English.

Commands of one page run one after the other in one folder, beside `examples/`; `pages.py` says how
they are written. Blocks that need what is not in the repository are ```sh blocks and are not run.
"""

import doctest
import functools
import re
import shlex
from importlib.util import find_spec

import commands as in_process
import pytest
from conftest import ROOT
from pages import blocks, commands, is_shown, unversioned

from celab.cli.main import COMMANDS
from celab.corpus import FORMATS as CORPUS_FORMATS
from celab.lexicon.readers import FORMATS as LEXICON_FORMATS

README, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
DOCS = ROOT / "docs"
TRANSLATED = tuple(sorted((DOCS / "zh").glob("*.md")))  # each follows the page of the same name
PAGES = (README, CHINESE, *sorted(DOCS.glob("*.md")), *TRANSLATED)
FENCES = {"console", "sh", "pycon", "python", "nginx", "xml", "csv", "tsv", "yaml", "text"}
PIVOT = [["pivot", name] for name in ("build", "lookup", "lexicon")]
PROGRAMS = ("$ ", ">>> ", "celab ", "celab-", "make ", "pip ", "python ", "SET=")
# Packages that a command needs, by what it is told.
NEEDED = {
    "wordfreq": r"--lang de",
    "HanTa": r"tesla-m .*--lang (de|en)|^celab terms|--terms ",
    "simplemma": r"tesla-m .*--lang de",
    "jieba": r"tesla-m .*--lang zh",
}


def read(page):
    return page.read_text(encoding="utf-8")


def name_of(page):
    return str(page.relative_to(ROOT))


def run(command, folder):
    """What the command prints, in that folder."""
    words = shlex.split(command)
    kept = target = None
    given = None
    if words[-2] == "<":
        given, words = (folder / words[-1]).read_bytes(), words[:-2]
    if words[-3:-1] == ["|", "head"]:
        kept, words = int(words[-1].removeprefix("-")), words[:-3]
    elif words[-2] == ">":
        target, words = folder / words[-1], words[:-2]
    program, _, alias = words[0].partition("-")
    is_ours = program == "celab" and (not alias or alias in COMMANDS)
    assert is_ours, f"{command}: only our commands are run"
    assert not {"|", ">", "&&", ";"} & set(words), f"{command}: this is beyond the test's shell"
    settings = {"cwd": folder, "env": {"COLUMNS": "100"}, "encoding": "utf-8"}
    done = in_process.run(alias or "main", *words[1:], input=given, **settings)
    assert "Traceback" not in done.stderr, done.stderr
    if target is not None:
        target.write_text(done.stdout, encoding="utf-8")
        return done.stderr
    printed = done.stdout.splitlines(keepends=True)
    return "".join(printed if kept is None else printed[:kept]) + done.stderr


def lacking(command):
    """Packages that the command needs and that are not here."""
    return [
        name for name, told in NEEDED.items() if re.search(told, command) and not find_spec(name)
    ]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_print_what_the_page_shows(page, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    skipped, wrong = [], []
    for line, command, shown in commands(read(page)):
        if missing := lacking(command):
            skipped.append(f"{command} needs {' and '.join(missing)}")
            continue
        printed = run(command, tmp_path)
        if not is_shown(shown, printed):
            wrong.append(f"{name_of(page)}:{line}: {command}\n{printed}")
    assert not wrong, "the page shows something else than\n\n" + "\n".join(wrong)
    if skipped:
        pytest.skip("not all were run: " + "; ".join(skipped))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fence_says_what_it_holds(page):
    for block in blocks(read(page)):
        kind = block.info.partition(" ")[0]
        assert kind in FENCES or not block.info, f"line {block.line}: ```{block.info}"
        if kind == "sh":
            assert not any(line.startswith("$ ") for line in block.lines), f"line {block.line}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_are_shown_as_they_are(page):
    # ```xml examples/campaign.xml shows that file, or parts of it around lines of three dots.
    for block in blocks(read(page)):
        _, _, path = block.info.partition(" ")
        if path:
            shown = "".join(
                r"(?:.*\n)*" if line.strip() == "..." else re.escape(line) + r"\n"
                for line in block.lines
            )
            assert re.fullmatch(shown, read(ROOT / path)), f"line {block.line}: {path}"


@pytest.mark.parametrize("page", [page for page in PAGES if page != README], ids=name_of)
def test_python_examples(page):
    # Those of README.md run as a doctest of their own.
    examples = [block for block in blocks(read(page)) if block.info == "pycon"]
    text = "\n".join("\n".join(block.lines) + "\n" for block in examples)
    test = doctest.DocTestParser().get_doctest(text, {}, name_of(page), str(page), 0)
    if page == CHINESE:
        assert test.examples
    if "TeslaM(lang=" in text and not all(map(find_spec, ("HanTa", "simplemma", "wordfreq"))):
        pytest.skip("HanTa, simplemma or wordfreq is not here: German cannot be analyzed")
    printed = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=printed.append)
    assert not printed, "".join(printed)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_flags_are_known(page):
    known = set(re.findall(r"--[a-z][a-z-]*", helped()))
    known |= {
        "--page",
        "--from",
        "--unchecked",
        "--edits",
        "--ter",
        "--no-index",
    }  # of bench/*.py and pip
    known |= {"--tasks", "--include"}  # of lm_eval (--include_path)
    known |= {"--install"}  # of xcode-select
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", read(page)))
    assert used <= known, sorted(used - known)


@functools.cache
def helped():
    """The help of all commands."""
    subcommands = "build info lookup diff export list cache suggest fetch".split()
    asked = [["main"], *([name] for name in COMMANDS), *PIVOT]
    asked += [["lexicon", name] for name in subcommands]
    helps = [in_process.run(name, *rest, "--help-all", encoding="utf-8") for name, *rest in asked]
    assert not any(done.returncode for done in helps)
    return "".join(done.stdout for done in helps)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        path, _, anchor = target.partition("#")
        if not path:
            assert anchor in headings, target
        elif "://" not in path:
            assert (page.parent / path).exists(), target


def test_every_subject_has_one_page():
    pages = [page for page in PAGES if page.parent == DOCS]
    assert len(pages) <= 23, "add a section to the page of the subject"
    said = {}
    for page in pages:
        for sentence in sentences(page):
            said.setdefault(sentence, []).append(name_of(page))
    assert len(said) > 1000
    twice = {sentence: names for sentence, names in said.items() if len(names) > 1}
    assert not twice


def sentences(page):
    """All sentences of a page that have seven words or more, without code."""
    prose = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    found = re.split(r"(?<=[.!?:])\s+|\n\n", prose)
    return [" ".join(sentence.split()) for sentence in found if len(sentence.split()) >= 7]


@pytest.mark.parametrize("folder", ["celab", "bench", "tests"])
def test_pages_that_the_code_names_are_there(folder):
    sources = [
        path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".pyx", ".toml")
    ]
    named = {
        page for path in sources for page in re.findall(r"\b(?:docs|bench)/[a-z-]+\.md", read(path))
    }
    assert named
    assert not [page for page in named if not (ROOT / page).is_file()]


def typed(page):
    """All that the page tells the reader to type, comments aside."""
    found = []
    for block in blocks(read(page)):
        for line in block.lines:
            if block.info == "sh" or line.startswith(PROGRAMS):
                found.append(re.sub(r"\s+#.*", "", line))
    return found


def links(page, prose):
    """The files that a page leads to, those in Chinese as the English ones that they follow."""
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", prose)
    paths = {target if ":" in target else (page.parent / target).resolve() for target in targets}
    return {DOCS / path.name if path in TRANSLATED else path for path in paths} - {page}


def marks(page):
    """What a page in Chinese must have in common with the English one."""
    prose = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    return {
        "commands": typed(page),
        "headings": re.findall(r"^(#+) ", read(page), re.MULTILINE),
        "code": set(re.findall(r"`([^`\n]+)`", prose)),
        "links": links(page, prose) - {README, CHINESE},
        "rows": re.findall(r"^\| (`.*?) \|", prose, re.MULTILINE),
    }


def test_both_readmes_say_the_same():
    english, chinese = marks(README), marks(CHINESE)
    assert len(english["commands"]) > 5 and len(english["headings"]) > 8
    for kind in english:
        assert english[kind] == chinese[kind], kind


@pytest.mark.parametrize("page", TRANSLATED, ids=name_of)
def test_pages_in_chinese_follow_the_english_ones(page):
    english, chinese = marks(DOCS / page.name), marks(page)
    assert english["headings"] and english["code"]
    chinese["links"].remove(DOCS / page.name)  # the page in English
    for kind in english:
        assert english[kind] == chinese[kind], kind
    assert outputs(page) == outputs(DOCS / page.name)
    assert numbers(page) == numbers(DOCS / page.name)


def outputs(page):
    """The blocks of a page that show what a program prints or what a file holds."""
    return [block[1:] for block in blocks(read(page)) if block.info not in ("", "sh", "text")]


def numbers(page):
    """The rows of the tables of figures of a page."""
    return re.findall(r"^\| (?:[\w-]+ \(\w\w\)|all|合计) (\|.*)$", read(page), re.MULTILINE)


def test_the_task_pages_and_reading_scores_are_in_chinese():
    _, _, tasks = read(DOCS / "README.md").partition("## Tasks\n")
    names = set(re.findall(r"\]\(([\w-]+\.md)\)", tasks.partition("\n## ")[0]))
    assert len(names) == 11
    assert {page.name for page in TRANSLATED} == names | {"reading-scores.md"}


@pytest.mark.parametrize(
    ("shown", "printed", "matches"),
    [
        (["a", "...", "c"], "a\nb\nb\nc\n", True),
        (["a", "[… b, twice …]", "c"], "a\nb\nb\nc\n", True),
        (["a … c"], "a b c\n", True),
        (["..."], "", True),
        (["a"], "b\n", False),
        (["a"], "a\nb\n", False),
        (["a", "b"], "a\n", False),
        (["a … c"], "a b\n", False),
        (["a", "...", "c"], "a\nb\n", False),
        (["a"], "a \n", False),
    ],
)
def test_only_what_is_left_out_may_be_anything(shown, printed, matches):
    assert is_shown(shown, printed) == matches


def test_only_versions_of_others_are_free():
    line = "opencc:1.4.2|lex:cilin@797071bd99dc|v:0.2.0|split:compounds@wordfreq-3.1.1"
    assert unversioned(line) == (
        "opencc:N|lex:cilin@797071bd99dc|v:0.2.0|split:compounds@wordfreq-N"
    )
    assert unversioned("version:2.6.0") == "version:N"


@pytest.mark.parametrize("page", [DOCS / "reporting.md", DOCS / "zh" / "reporting.md"], ids=name_of)
def test_the_caption_names_the_test_of_its_table(page):
    (test,) = re.findall(r"^% Tests: (.+?), \d+ resamples", read(page), re.MULTILINE)
    chinese = {"paired bootstrap": "配对自助法", "approximate randomization": "近似随机化"}
    _, _, caption = read(page).partition(r"\caption{")
    caption = caption.partition("Signatures:" if page.parent == DOCS else "签名：")[0]
    assert (test if page.parent == DOCS else chinese[test]) in caption


@pytest.mark.parametrize("page", [DOCS / "judges.md", DOCS / "zh" / "judges.md"], ids=name_of)
def test_figures_have_the_names_of_the_field(page):
    rows = dict(
        re.findall(r"^\| (soft accuracy|acc\\\*eq) \|.*?\|(.*)\|$", read(page), re.MULTILINE)
    )
    assert "SPA" in rows["soft accuracy"]
    assert "`acc23`" in rows[r"acc\*eq"]


def first_cells(page, heading):
    """The first column of the table under a heading, as it stands."""
    _, _, after = read(ROOT / "docs" / page).partition(f"## {heading}\n")
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", after.partition("\n## ")[0], re.MULTILINE)
    return dict(rows)


@pytest.mark.parametrize(
    ("page", "heading", "formats"),
    [
        ("lexicons.md", "Sources", LEXICON_FORMATS),
        ("score-and-compare.md", "Files", CORPUS_FORMATS),
    ],
)
def test_all_formats_are_listed(page, heading, formats):
    assert {f"`{name}`" for name in formats} == set(first_cells(page, heading)) - {"format"}


def test_function_tags_are_those_of_the_code():
    from celab.words.analyzers import PENN_FUNCTION_TAGS, UD_FUNCTION_TAGS
    from celab.words.hanover import German

    rows = first_cells("other-metrics.md", "Tagged text")
    listed = {name: set(tags.replace(",", "").split()) for name, tags in rows.items()}
    assert listed["Universal Dependencies"] == UD_FUNCTION_TAGS
    penn = {tag for tag in PENN_FUNCTION_TAGS if tag[0].isalpha()}
    assert listed["Penn, and TreeTagger's English"] == penn | {"punctuation"}
    stts = {tag for tag in German.function_tags if tag[0].isalpha()}
    begins = tuple(word[:-1] for word in listed["STTS"] if word.endswith("…"))
    assert begins
    assert {tag for tag in stts if not tag.startswith(begins)} == {
        word for word in listed["STTS"] if word.isupper() and not word.endswith("…")
    }
