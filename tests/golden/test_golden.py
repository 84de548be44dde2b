"""Frozen outputs: signatures, scores, transcripts and error lines must not change unnoticed.

`make golden` writes the files of this folder anew; review the difference before you commit it.
"""

import json
import os
import re
import sys
import tomllib
from contextlib import closing
from pathlib import Path

import frozen
import pytest
from conftest import ROOT
from frozen import GOLDEN
from python_session import evaluate, namespace, outcome
from shell import Shell

from celab.lexicon.readers import wordnets

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="golden files have paths and system messages of POSIX"
)
ENVIRONMENT = {
    "COLUMNS": "100",
    "LINES": "40",
    "TERM": "dumb",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
UNSET = ["NO_COLOR", "FORCE_COLOR", "CELAB_WORDNET", "WNHOME", "WNSEARCHDIR", "WN_DATA_DIR"]
ERRORS = GOLDEN / "errors.toml"
SESSIONS = sorted(GOLDEN.glob("*.pycon"))
TRANSCRIPTS = sorted((GOLDEN / "transcripts").glob("*.console"))


@pytest.fixture
def update(request):
    return request.config.getoption("--update")


@pytest.fixture(scope="module")
def lexicons():
    """A folder of compiled lexicons that no other test writes to; all workers share it."""
    folder = Path(os.environ["CELAB_LEXICONS"]) / "golden"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def folder(tmp_path, lexicons, monkeypatch):
    """The working folder, beside `examples`, in an environment without the machine's settings."""
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CELAB_LEXICONS", str(lexicons))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(wordnets, "PLACES", ())  # no WordNet of the machine's
    place = tmp_path / "work"
    place.mkdir()
    (place / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def places(folder, lexicons):
    return frozen.Places(folder=folder, lexicons=lexicons)


@pytest.fixture
def shell(folder, places):
    with closing(Shell(folder, places)) as shell:
        yield shell


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_signatures_and_scores(path, folder, places, update):
    names = namespace(folder)
    frozen.check_session(
        path, ">>> ", lambda line: places.normalized(evaluate(line, names)), update
    )


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcripts(path, shell, update):
    frozen.check_session(path, "$ ", shell, update)


def test_error_lines(folder, places, shell, update, capsys):
    text = ERRORS.read_text(encoding="utf-8")
    frozen.skip_without(text)
    cases = tomllib.loads(text)
    write_files(folder, cases["files"], cases["bytes"])
    names, not_errors = namespace(folder), {}
    before = set(folder.rglob("*"))

    def of_command(line):
        done = shell.run(line)
        if done.stdout or done.stderr.count("\n") != 1:
            not_errors[line] = f"{line} prints\n{done.stdout}{done.stderr}"
        return f"[{done.returncode}, {quoted(places.normalized(done.stderr[:-1]))}]"

    def of_expression(line):
        value, _ = outcome(lambda: eval(line, names))
        if not re.match(r"\w+Error: ", str(value)):
            not_errors[line] = f"{line} raises nothing"
        return quoted(places.normalized(str(value)))

    lines, n_run = [], 0
    for section, key, line in keyed_lines(text):
        if line == "[python]":
            written = set(folder.rglob("*")) - before
            assert not written, f"written in spite of an error: {written}"
        if key:
            (typed,) = tomllib.loads(line)
            run = of_command if section == "[command]" else of_expression
            line = f"{key}{run(typed)}"
            n_run += 1
            if update and typed in not_errors:
                continue
        lines.append(f"{line}\n")
    assert n_run == len(cases["command"]) + len(cases["python"]), "a case is not on one line"
    report_not_errors(not_errors.values(), update, capsys)
    frozen.check(ERRORS, "".join(lines), update)


def keyed_lines(text):
    """Yield the section, the key with ` = ` or "", and the whole of each line of the file."""
    section = ""
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("["):
            section = line
        case = re.match(r"""("(?:[^"\\]|\\.)*"|'[^']*') = """, line)
        yield section, case[0] if case and section in ("[command]", "[python]") else "", line


def report_not_errors(descriptions, update, capsys):
    """Fail if a case is no error line; `make golden` removes such cases and prints them instead."""
    found = "not one error line:\n" + "\n".join(descriptions)
    assert update or not descriptions, found
    if descriptions:
        with capsys.disabled():
            print(f"\nremoved from {ERRORS.name}, {found}")


def write_files(folder, texts, hexadecimal):
    contents = {name: text.encode() for name, text in texts.items()}
    contents |= {name: bytes.fromhex(digits) for name, digits in hexadecimal.items()}
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def quoted(text):
    """The text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False)
