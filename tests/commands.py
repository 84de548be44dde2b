"""Runs a command in this process, with its own standard streams: no interpreter is started.

What differs in a process of its own (signals, a closed stream, a full disk, the locale, the limits
of memory) is tested in one, by `subprocess`.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from unittest import mock

from conftest import ROOT

EXAMPLES = str(ROOT / "examples")
REF, REF2, A, B = (
    os.path.join(EXAMPLES, name) for name in ("ref1.zh", "ref2.zh", "hyp1.zh", "hyp2.zh")
)


def run(command, *arguments, input=None, env=None, cwd=None, encoding=None):
    """As `subprocess.run([python, "-m", "celab.cli.COMMAND", ...], capture_output=True)`.

    `command` is the name of a module in `celab.cli`, or the module.
    """
    module = import_module(f"celab.cli.{command}") if isinstance(command, str) else command
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(_in_memory()) for _ in range(3)]
        if input is None:
            streams[0] = stack.enter_context(open(os.devnull, "rb"))
        else:
            streams[0].write(input if isinstance(input, bytes) else input.encode())
            streams[0].seek(0)
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        stack.enter_context(mock.patch.dict(os.environ, env or {}))
        with _redirected(streams):
            try:
                code = module.main(list(map(str, arguments)))
            except SystemExit as ended:
                code = ended.code
        for stream in streams[1:]:
            stream.seek(0)
        out, err = (stream.read() for stream in streams[1:])
    if encoding is not None:
        out, err = out.decode(encoding), err.decode(encoding)
    return subprocess.CompletedProcess([command, *arguments], code, out, err)


def refusal(command, *arguments, **settings):
    """Return the only line that a command prints when it refuses its input."""
    done = run(command, *arguments, encoding="utf-8", **settings)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def caller(command, capsys):
    """Return a function that calls a command and returns what it prints on stdout and stderr.

    `command` is a module in `celab.cli`. An error must be one line, and print nothing else.
    """

    def call(*arguments, code=0):
        assert command.main(list(map(str, arguments))) == code
        told = capsys.readouterr()
        assert code != 2 or (told.out, len(told.err.splitlines())) == ("", 1)
        return told

    return call


def requests():
    """Yield the name, the request and the parser of each command and subcommand."""
    from celab.cli.main import COMMANDS

    for name in (*COMMANDS, "suggest"):
        module = import_module(f"celab.cli.{name}")
        parser = module.main.parser()
        subparsers = [a for a in parser._actions if isinstance(a.choices, dict)]
        if not subparsers:
            yield name, getattr(module, f"{name.title()}Request"), parser
        for command, parsed in subparsers[0].choices.items() if subparsers else ():
            yield f"{name} {command}", parsed.get_default("request"), parsed


def write_lines(path, *lines):
    """Write a text file; return its path."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def _in_memory():
    """Return a file without a name; where the system has such files, on no disk."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("stream"), "w+b")
    return tempfile.TemporaryFile()


@contextlib.contextmanager
def _redirected(streams):
    """Makes these files standard input, output and error, for Python and for libraries in C."""
    kept = [os.dup(number) for number in range(3)]
    before = sys.stdin, sys.stdout, sys.stderr
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            for number, mode in enumerate("rww")
        )
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdin, sys.stdout, sys.stderr = before
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)
