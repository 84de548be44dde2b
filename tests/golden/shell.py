"""A small shell for transcripts: runs our commands in this process, and all others by sh.

    $ celab score ref.zh hyp.zh | head -3
    $ celab score --json ref.zh hyp.zh | json
    $ celab score ref.zh < hyp.zh > scores.txt
    $ LACKING=jieba celab score …

The output is standard output, then standard error with `2> ` before each line, then the exit code
in brackets if it is not 0. `json` breaks JSON into lines of at most 100 characters, and `shape`
also replaces its values by their types. `LACKING` names packages that cannot be imported.

    $ celab serve --port 0 &
    $ request POST /score '{"reference": "买雨伞", "hypothesis": "买伞"}'

starts a server, until the shell is closed, and shows the status and the JSON of its reply.
"""

import http.client
import json
import os
import re
import shlex
import subprocess
import sys

import commands
from conftest import ROOT

_FILTER = re.compile(r"(.*?) \| ((?:json|shape|head|tail|sed|grep|cut|wc)\b.*)")
_ASSIGNED = re.compile(r"([A-Z_]+)=(.*)")
_MAIN = "from celab.cli.main import main; sys.exit(main(sys.argv[1:]))"
WIDTH = 100


class Shell:
    """Runs commands in a folder."""

    def __init__(self, folder, places):
        self.folder, self.places, self.server = folder, places, None

    def close(self):
        """Ends the server, if one was started."""
        if self.server is not None:
            self.server.process.terminate()
            self.server.process.communicate(timeout=30)

    def __call__(self, command):
        """The output of a command, as a transcript shows it."""
        if command.startswith("#"):
            return ""
        done = self.run(command)
        assert "Traceback" not in done.stderr, done.stderr
        out = done.stdout
        if out and not out.endswith("\n"):
            out += "\n\\ No newline at end of output\n"
        errors = "".join(f"2> {line}\n" for line in done.stderr.splitlines())
        code = f"[{done.returncode}]\n" if done.returncode else ""
        return out + self.places.normalized(errors) + code

    def run(self, command):
        """The command's exit code, standard output and standard error."""
        filtered = _FILTER.fullmatch(command)
        done = self._run(filtered[1] if filtered else command)
        done.stdout = self.places.normalized(done.stdout)  # before a filter sees versions and times
        if filtered and done.stdout and filtered[2] in ("json", "shape"):
            value = json.loads(done.stdout)
            lines = folded(shape(value) if filtered[2] == "shape" else value)
            done.stdout = "".join(f"{line}\n" for line in lines)
        elif filtered:
            done.stdout = self._sh(filtered[2], done.stdout).stdout
        return done

    def _run(self, command):
        words = shlex.split(command)
        assigned = {}
        while match := _ASSIGNED.fullmatch(words[0]):
            assigned[match[1]] = match[2]
            words = words[1:]
        if words[-1] == "&":
            self.server = Server(words[1:-1], self.folder)
            return subprocess.CompletedProcess(words, 0, "", "")
        if words[0] == "request":
            return subprocess.CompletedProcess(words, 0, self.server.reply(*words[1:]), "")
        if not re.fullmatch(r"celab(-\w+)?", words[0]):
            return self._sh(command)
        content = target = None
        if words[-2:-1] == [">"]:
            target, words = self.folder / words[-1], words[:-2]
        if words[-2:-1] == ["<"]:
            content, words = (self.folder / words[-1]).read_bytes(), words[:-2]
        if lacking := assigned.pop("LACKING", ""):
            done = self._run_without(lacking.split(), words[1:])
        else:
            settings = {"cwd": self.folder, "env": assigned, "encoding": "utf-8"}
            program = words[0].removeprefix("celab").removeprefix("-") or "main"
            done = commands.run(program, *words[1:], input=content, **settings)
        if target is not None:
            target.write_text(done.stdout, encoding="utf-8")
            done.stdout = ""
        return done

    def _run_without(self, packages, arguments):
        # In a process of its own, because this one may have loaded and used the packages.
        code = f"import sys; sys.modules.update(dict.fromkeys({packages})); {_MAIN}"
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
        )

    def _sh(self, command, content=""):
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            input=content,
            capture_output=True,
            encoding="utf-8",
        )


class Server:
    """`celab serve` in a process of its own."""

    def __init__(self, arguments, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "celab", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self.address = self.process.stdout.readline().split("//")[1].strip("/\n")

    def reply(self, method, path, body=None):
        """The status and the JSON of a reply."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, path, body and body.encode(), headers)
        reply = connection.getresponse()
        lines = [f"{reply.status} {reply.headers['content-type']}"]
        lines += folded(json.loads(reply.read()))
        connection.close()
        return "".join(f"{line}\n" for line in lines)


def shape(value):
    """A JSON value with types in place of strings and numbers."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return "number" if isinstance(value, int | float) else type(value).__name__


def folded(value, indent="", name="", comma=""):
    """The lines of a JSON value; what does not fit into a line is broken, one item per line."""
    line = f"{indent}{name}{json.dumps(value, ensure_ascii=False)}{comma}"
    if len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return [line]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    if isinstance(value, dict):
        items = [(f"{json.dumps(key, ensure_ascii=False)}: ", item) for key, item in value.items()]
    else:
        items = [("", item) for item in value]
    lines = [f"{indent}{name}{opening}"]
    for number, (key, item) in enumerate(items, 1):
        lines += folded(item, indent + " ", key, "," if number < len(items) else "")
    return [*lines, f"{indent}{closing}{comma}"]
