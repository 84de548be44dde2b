"""Servers of `celab serve` for tests, with smaller limits than usual, and clients of them."""

import base64
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

from conftest import ROOT

from celab.base.messages import warn
from celab.serve import LIMITS
from celab.serve import app as serving

PATIENCE = (
    60  # seconds for what happens at once unless the machine is busy; nothing is proved by it
)
PAIR = {"reference": "买雨伞", "hypothesis": "买伞"}
# Seconds of work, by the links that are slow in long texts; each of the texts is short enough.
LONG = {
    "reference": ["买雨伞" * 850] * 7,
    "hypothesis": "买伞" * 1275,
    "settings": {"links": "release-2012"},
}
# A busy machine must not meet a time limit that a test is not about.
UNLIMITED = dict.fromkeys(
    ("pair_seconds", "loading_seconds", "report_seconds", "body_seconds"), PATIENCE
)
# Under AddressSanitizer, which maps more memory than any limit allows, workers have no such limit.
if os.environ.get("CELAB_SANITIZE", "0") not in ("", "0"):
    UNLIMITED["worker_memory_bytes"] = 2**62
# A server as a process of its own: the limits are in JSON, and it prints its port, and a line for
# each worker that it starts.
SCRIPT = """
import asyncio, json, sys
from celab.base.messages import warn
from celab.cli import terminal
from celab.serve import ServerLimits
from celab.serve.app import listen, make_server

start = asyncio.create_subprocess_exec

async def start_and_tell(*words, **settings):
    process = await start(*words, **settings)
    print("worker", flush=True)
    return process

asyncio.create_subprocess_exec = start_and_tell

def tell(text):
    warn(text)
    terminal.print_messages("warning", program="celab serve")

def work():
    with listen(0) as listening:
        print(listening.getsockname()[1], flush=True)
        make_server(ServerLimits(**json.loads(sys.argv[1])), tell).run(sockets=[listening])
    return "", ""

sys.exit(terminal.run("celab serve", work))
"""


@contextmanager
def serve(tell=warn, **changed):
    """Run a server in a thread, with some limits changed; yields its port."""
    changed = UNLIMITED | changed
    listening, server = serving.listen(0), serving.make_server(replace(LIMITS, **changed), tell)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(PATIENCE)
    listening.close()
    assert not thread.is_alive()


def workers():
    """Return id, parent and words of all worker processes."""
    # With AddressSanitizer's library loaded first, as by `make sanitize`, ps does not end.
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = ["ps", "-eww", "-o", "pid,ppid,args"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=env)
    lines = (line.split(None, 2) for line in listed.stdout.splitlines()[1:])
    return [
        (int(pid), int(parent), words)
        for pid, parent, words in lines
        if "celab.serve.jobs" in words
    ]


class Process:
    """A server in a process, whose temporary files are in `folder`."""

    def __init__(self, folder, before="", cwd=None, **changed):
        script = folder.parent / f"{folder.name}.py"
        script.write_text(before + SCRIPT, encoding="utf-8")
        folder.mkdir()
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, script, json.dumps(UNLIMITED | changed)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=cwd,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)},
        )
        self.port = int(self._line())
        self.ask = asking(self.port)

    def _line(self):
        """Return the next line that it prints."""
        deadline = threading.Timer(PATIENCE, self.process.kill)  # `readline` has none
        deadline.start()
        line = self.process.stdout.readline()
        deadline.cancel()
        return line

    def has_started_a_worker(self):
        """Wait for the next worker that it starts; returns whether it does."""
        return self._line() == "worker\n"

    def workers(self):
        """Return the ids of its worker processes, also of those that outlive it."""
        mark = str(self.folder.parent)  # the folder of the script is in the worker's path
        return [pid for pid, _, words in workers() if mark in words]

    def files(self):
        return os.listdir(self.folder)

    def end(self, number):
        """Send a signal as a terminal does; returns the exit code and what is on stderr."""
        os.killpg(self.process.pid, number)
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def soon(is_true, seconds=PATIENCE):
    """Wait until a condition holds; returns whether it does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_true():
            return True
        time.sleep(0.02)
    return False


def asking(port):
    """Return a function that sends a request: status, headers, and the body, decoded."""

    def send(path, body=None, method=None, **headers):
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            given.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request(method or ("GET" if body is None else "POST"), path, body, given)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        is_json = answer.headers["content-type"] == "application/json"
        return answer.status, answer.headers, json.loads(read) if is_json else read.decode()

    return send


def refusal(answer):
    """(status, the one line that says why)."""
    status, _, body = answer
    assert {"error"} <= body.keys() <= {"error", "can_align"}
    assert "\n" not in body["error"] and body["error"]
    return status, body["error"]


def file(name, text):
    """Return a file as requests for reports have it."""
    data = text if isinstance(text, bytes) else text.encode()
    return {"name": name, "data": base64.b64encode(data).decode()}
