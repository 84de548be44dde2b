"""`celab serve` stops the work that exceeds a limit, and not only the answer."""

import asyncio
import contextlib
import difflib
import errno
import gzip
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from unittest import mock

import pytest
from conftest import ROOT

pytest.importorskip("fastapi", reason="celab[serve] is not installed")
pytest.importorskip("uvicorn", reason="celab[serve] is not installed")

from serving import LONG, PAIR, PATIENCE, Process, asking, file, refusal, serve, soon, workers

from celab import serve as limits
from celab._native import watch
from celab.base import errors
from celab.serve import answers, app, jobs, models

on_unix = pytest.mark.skipif(os.name != "posix", reason="signals, ps and RLIMIT_AS are of Unix")
# Ten long pairs, so minutes of work.
SLOW_REPORT = {
    "references": [file("ref.zh", f"{'买雨伞' * 6666}\n" * 10)],
    "systems": [file("a.zh", f"{'买伞' * 9999}\n" * 10)],
}
SMALL_REPORT = {"references": [file("r", "买雨伞\n")], "systems": [file("s", "买伞\n")]}


def in_background(ask, *request):
    """Send a request that may fail because the server ends; returns the thread."""

    def send():
        with contextlib.suppress(OSError, http.client.HTTPException):
            ask(*request)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def send_and_wait(client, path, request):
    """Send a request on a connection, without taking the answer."""
    body = json.dumps(request).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


@pytest.fixture
def worker_asked(monkeypatch):
    """Return an event that is set when a server in this process gives a worker a task."""
    event = threading.Event()
    ask = jobs.Pool._ask

    def observed(*arguments):
        event.set()
        return ask(*arguments)

    monkeypatch.setattr(jobs.Pool, "_ask", observed)
    return event


# ---- reports and long pairs ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def limited_server(tmp_path_factory):
    """A server in a process, with short time limits."""
    folder = tmp_path_factory.mktemp("limited") / "files"
    with Process(folder, report_seconds=1.0, pair_seconds=1.0) as server:
        for settings in ({}, LONG["settings"]):  # until all is loaded, which the limit counts, too
            assert soon(
                lambda given=settings: server.ask("/score", PAIR | {"settings": given})[0] == 200
            )
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server in a process whose working folder has modules that must not be imported."""
    cwd = tmp_path_factory.mktemp("cwd")
    (cwd / "json.py").write_text("raise SystemExit('imported')\n")
    (cwd / "celab").mkdir()
    (cwd / "celab" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (cwd / "scripts").mkdir()
    with Process(cwd / "scripts" / "files", cwd=cwd, long_pair_characters=0) as server:
        yield server


@on_unix
@pytest.mark.parametrize(
    ("path", "request_"), [("/report", SLOW_REPORT), ("/score", LONG)], ids=["report", "pair"]
)
def test_a_worker_is_killed_at_its_time_limit(limited_server, path, request_):
    server, refused = limited_server, []
    thread = threading.Thread(target=lambda: refused.append(refusal(server.ask(path, request_))))
    thread.start()
    assert server.has_started_a_worker()
    thread.join()
    # The answer comes after the end of the process.
    assert server.workers() == [] and server.files() == []
    status, said = refused[0]
    assert status == 503 and said.startswith("too long: there is no answer after 1 s")
    short = PAIR | {"settings": {"lexicon": "none"}}
    assert soon(lambda: server.ask("/score", short)[0] == 200)


@on_unix
def test_a_worker_is_killed_when_its_client_leaves(server):
    with connect(server.port) as client:
        send_and_wait(client, "/report", SLOW_REPORT)
        assert soon(lambda: server.workers() and server.files() != [])
        before = len(server.workers())  # this report's, and idle ones of other tests
    assert soon(lambda: len(server.workers()) < before and server.files() == [])
    assert server.ask("/report", SMALL_REPORT)[0] == 200


@pytest.mark.thorough
@on_unix
@pytest.mark.parametrize(
    ("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")]
)
def test_a_signal_ends_the_workers(tmp_path, number, word):
    with Process(tmp_path / "files") as server:
        with connect(server.port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") as client:
            assert client.recv(1) == b"H"  # and it stays open
            threads = [
                in_background(server.ask, *request)
                for request in (("/report", SLOW_REPORT), ("/score", LONG))
            ]
            assert soon(lambda: len(server.workers()) == 2) and server.files() != []
            assert server.end(number) == (128 + number, f"celab serve: {word}\n")
        assert server.workers() == [] and server.files() == []
        for thread in threads:
            thread.join()


@pytest.mark.thorough
@on_unix
def test_workers_of_a_killed_server_end(tmp_path):
    with Process(tmp_path / "files", long_pair_characters=0) as server:
        assert server.ask("/score", PAIR)[0] == 200
        assert len(server.workers()) == 1
        assert server.end(signal.SIGKILL) == (-signal.SIGKILL, "")
        assert soon(lambda: server.workers() == [])


def test_a_thread_that_was_stopped_loads_the_next_lexicon():
    async def work():
        runner = jobs.Runner(limits.ServerLimits(threads=1))
        await runner.in_thread(int)
        await runner.load(watch.check)
        await runner.close()

    asyncio.run(work())


@pytest.mark.thorough
def test_a_thread_that_is_loading_does_not_delay_the_end(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, time\n"
        "from celab.cli.main import main\n"
        "from celab.serve import answers\n"
        "def look_up(*_):\n"
        "    print('loading', flush=True)\n"
        "    time.sleep(3600)\n"
        "answers.look_up = look_up\n"
        "sys.exit(main(['serve', '--port', '0', '--quiet']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        port = int(process.stdout.readline().rpartition(":")[2].strip("/\n"))
        thread = in_background(asking(port), "/lookup", {"word": "伞"})
        assert process.stdout.readline() == "loading\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "celab serve: interrupted\n")
    thread.join()


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS limits nothing here")
@pytest.mark.unsanitized(reason="AddressSanitizer maps more memory than any limit allows")
def test_memory_is_limited():
    packed = gzip.compress((b"x" * (10 << 20) + b"\n") * 10, 1)
    request = {"references": [file("r.gz", packed)], "systems": [file("s", "一\n" * 10)]}
    with serve(worker_memory_bytes=400 << 20) as port:
        status, said = refusal(asking(port)("/report", request))
        assert (status, said) == (413, "this needs more than 400 MiB of memory; try less text")
        assert asking(port)("/report", SMALL_REPORT)[0] == 200


def test_a_worker_answers_as_a_thread_does():
    settings = {"lexicon": "zh-core", "max_order": 3, "f": 1}
    requests = [
        PAIR,
        PAIR | {"reference": ["买雨伞", "去\u2028买\ud800"], "settings": settings},
        PAIR | {"reference": " "},
        {"reference": "雨伞" * 700, "hypothesis": "雨伞" * 700},
    ]
    with serve(long_pair_characters=0) as long, serve() as short:
        for path in ("/score", "/explain"):
            for request in requests:
                process, thread = asking(long)(path, request), asking(short)(path, request)
                assert process[0] == thread[0] and process[2] == thread[2]


@on_unix
def test_a_worker_is_used_again(server):
    pids = set()
    for _ in range(3):
        assert server.ask("/score", PAIR)[0] == 200
        pids.update(server.workers())
    assert len(pids) == 1
    os.kill(pids.pop(), signal.SIGKILL)
    assert soon(lambda: server.ask("/score", PAIR)[0] == 200)


@pytest.mark.thorough
@on_unix
def test_a_worker_that_is_killed_is_answered(tmp_path):
    answers = []
    with Process(tmp_path / "files") as server:
        thread = threading.Thread(
            target=lambda: answers.append(refusal(server.ask("/report", SLOW_REPORT)))
        )
        thread.start()
        assert server.has_started_a_worker()
        os.kill(server.workers()[0], signal.SIGKILL)  # as Linux does without memory
        thread.join()
        message = f"the worker process ended with code {-signal.SIGKILL}; try less text"
        assert answers == [(500, message)] and server.files() == []
        assert server.ask("/report", SMALL_REPORT)[0] == 200


@pytest.mark.thorough
@on_unix
def test_idle_workers_end_with_the_server():
    with serve(long_pair_characters=0) as port:
        assert asking(port)("/score", PAIR)[0] == 200
        assert os.getpid() in [parent for _, parent, _ in workers()]
    assert os.getpid() not in [parent for _, parent, _ in workers()]


def test_a_worker_imports_nothing_from_the_working_folder(server):
    assert server.ask("/score", PAIR)[0] == 200  # by a worker: every pair is long here


def test_those_that_wait_for_a_worker_are_limited(worker_asked):
    with serve(waiting=0) as port, connect(port) as client:
        ask = asking(port)
        send_and_wait(client, "/report", SLOW_REPORT)
        assert worker_asked.wait(PATIENCE)
        assert refusal(ask("/report", SMALL_REPORT)) == (
            503,
            "too many reports at once; try again later",
        )
        assert ask("/score", PAIR)[0] == 200
        client.close()  # which ends the report
        assert soon(lambda: ask("/report", SMALL_REPORT)[0] == 200)


# ---- how much a report may have -----------------------------------------------------------------


def files_of(count):
    return [file(f"{n}", "买\n") for n in range(count)]


def dataset(n_systems):
    systems = "".join(f'<hyp system="s{n}"><seg id="1">买伞</seg></hyp>' for n in range(n_systems))
    ref = '<ref translator="A"><seg id="1">买雨伞</seg></ref>'
    return file("x.xml", f'<dataset><doc id="d">{ref}{systems}</doc></dataset>')


PACKED = gzip.compress(f"{'买' * 200_000}\n".encode())
BLANK = file("blank", "\n" * 9000)


@pytest.fixture(scope="module")
def ask_small():
    """Requests to a server whose reports must be small."""
    with serve(segments=2, unpacked_bytes=1 << 20) as port:
        yield asking(port)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"systems": files_of(limits.MAX_SYSTEMS + 1)}, "systems is a list of 101"),
        ({"references": files_of(limits.MAX_REFERENCES + 1)}, "references is a list of 11"),
        (
            {"references": [dataset(limits.MAX_SYSTEMS + 1)], "systems": []},
            "the files have 101 systems; a report may have 100",
        ),
        (
            {"references": [file("r", "买\n" * 3)], "systems": [file("s", "买\n" * 3)]},
            "the files have 3 segments; a report may have 2",
        ),
        (
            {"references": [file("r.gz", PACKED)], "systems": [file("s.gz", PACKED)]},
            "the files have more than 1,048,576 bytes after decompression",
        ),
        (
            {"references": [BLANK], "systems": [BLANK]},
            "the files have more than 1,048,576 bytes after decompression",
        ),
    ],
    ids=["systems", "references", "systems of a file", "segments", "unpacked_bytes", "blank lines"],
)
def test_what_a_report_may_have_is_limited(ask_small, request_, message):
    status, said = refusal(ask_small("/report", SMALL_REPORT | request_))
    assert (status, said[: len(message)]) == (413, message)


def test_a_report_within_the_limits_is_made(ask_small):
    small = {"references": [file("r.gz", PACKED)], "systems": [file("s", "买\n")]}
    assert ask_small("/report", small)[0] == 200


# ---- strings and lists --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ask():
    with serve() as port:
        yield asking(port)


@pytest.mark.parametrize(
    ("path", "request_", "status", "message"),
    [
        ("/lookup", {"word": "伞", "lexicon": {}}, 400, "lexicon is an object; choose from "),
        ("/lookup", {"word": "伞", "lexicon": ["cilin"]}, 400, "lexicon is a list; choose from"),
        ("/lookup", {"word": "伞", "lexicon": None}, 400, "lexicon is null; choose from "),
        ("/lookup", {"word": "伞", "lexicon": "none"}, 400, "lexicon is 'none'; choose from "),
        ("/lookup", {"word": ["伞"]}, 400, "word is a list; it must be a string"),
        ("/lookup", {"word": "伞" * 101}, 413, "word has 101 characters; it may have 100"),
        ("/score", PAIR | {"reference": ["x"] * 11}, 413, "reference is a list of 11; it must"),
        (
            "/score",
            PAIR | {"settings": {"lexicon": ["zh-core"] * 90_000}},
            413,
            "lexicon is a list of 90,000; it may have 8",
        ),
        ("/score", PAIR | {"settings": {"lexicon": [{}] * 90_000}}, 413, "lexicon is a list of 90"),
        ("/score", PAIR | {"settings": {"lexicon": "x" * 10**6}}, 400, "lexicon is 'xxxxxxxx"),
        ("/score", PAIR | {"settings": {"script": "x" * 10**6}}, 400, "script is 'xxxxxxxx"),
        ("/score", PAIR | {"settings": {"x" * 10**6: 1}}, 400, "'xxxxxxxx"),
        ("/score", PAIR | {"settings": {"f": [0] * 300_000}}, 400, "f is a list; it must be"),
        ("/score", PAIR | {"settings": {"f": 10**4000}}, 400, "f is a number of more than"),
        ("/score", {"x" * 10**6: 1}, 400, "'xxxxxxxx"),
        ("/score", {f"{n}": 0 for n in range(80_000)}, 400, "'0' is not a field here"),
        (
            "/report",
            SMALL_REPORT | {"references": [{"name": "x" * 1001, "data": ""}]},
            413,
            "name of references 1 has 1,001 characters; it may have 1,000",
        ),
    ],
)
def test_long_values_are_refused_before_any_work(
    ask, compared, monkeypatch, path, request_, status, message
):
    listed = []
    monkeypatch.setattr(models, "lexicons", lambda: listed.append(1) or answers.lexicons())
    for work in ("_metric", "look_up", "report"):
        monkeypatch.setattr(answers, work, None)
    answer = refusal(ask(path, request_))
    assert (answer[0], answer[1][: len(message)]) == (status, message)
    assert len(answer[1]) < 300  # what was sent is not echoed whole
    assert len(compared) <= 1 and len(listed) <= 1


@pytest.fixture
def compared(monkeypatch):
    """Collect the words for which difflib looks for similar ones; a long one is an error."""
    words = []
    similar = difflib.get_close_matches

    def get_close_matches(word, *arguments):
        assert len(word) <= errors.MAX_NAME_CHARACTERS
        words.append(word)
        return similar(word, *arguments)

    monkeypatch.setattr(difflib, "get_close_matches", get_close_matches)
    return words


def test_only_short_words_get_suggestions(compared):
    assert errors.suggest("celba", ["celab", "bleu"]) == "did you mean 'celab'?"
    long = "celab" * 200_000
    assert errors.suggest(long, ["celab", "bleu"]) == "choose from celab, bleu"
    assert compared == ["celba"]


# ---- connections --------------------------------------------------------------------------------


def connect(port, sent=b""):
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    client.sendall(sent)
    return client


def test_requests_at_once_are_limited(worker_asked):
    with serve(requests=1) as port, connect(port) as long:
        ask = asking(port)
        send_and_wait(long, "/report", SLOW_REPORT)
        assert worker_asked.wait(PATIENCE)
        answer = ask("/score", PAIR)
        assert refusal(answer) == (503, "too many requests at once; try again later")
        assert answer[1]["retry-after"] == "1"
        long.close()  # which ends the report
        assert soon(lambda: ask("/score", PAIR)[0] == 200)


HEAD = b"Host: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changed", "sent", "answer"),
    [
        (
            {"body_seconds": 0.3, "idle_seconds": 1},
            b"POST /score HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\n{",
            b'{"error": "the request did not arrive in 0.3 s"}\n',
        ),
        (
            {"idle_seconds": 1},
            b"GET /none HTTP/1.1\r\n" + HEAD + b"\r\n",
            b'{"error": "Not Found"}\n',
        ),
    ],
    ids=["half a body", "idle"],
)
def test_connections_that_wait_are_closed(changed, sent, answer):
    with serve(**changed) as port, connect(port, sent) as client:
        received = client.makefile("rb").read()  # until the connection is closed
    assert received.endswith(answer)
    assert received.startswith(b"HTTP/1.1 408 ") == ("body_seconds" in changed)


NO_END = b"GET / HTTP/1.1\r\nHost: localhost\r\n"  # of a head, which an empty line ends


@pytest.mark.parametrize("sent", [b"", NO_END], ids=["nothing", "half a head"])
def test_a_head_that_does_not_end_is_not_waited_for(sent):
    with serve(head_seconds=0.2) as port, connect(port, sent) as client:
        assert is_closed(client)


def test_a_second_head_that_does_not_end_is_not_waited_for():
    first = b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with (
        serve(head_seconds=0.2, idle_seconds=PATIENCE) as port,
        connect(port, first) as client,
    ):
        received = b""
        while not received.endswith(b'{"error": "Not Found"}\n'):
            received += client.recv(1000)
        client.sendall(NO_END)
        assert is_closed(client)


def is_closed(client):
    """Wait until the other side closes a connection; return whether it has sent nothing."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def test_too_many_connections_are_one_line_and_requests_are_answered():
    told = []
    limits = {"connections": 5, "head_seconds": PATIENCE}
    with serve(told.append, **limits) as port, contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(connect(port, NO_END)) for _ in range(40)]
        assert asking(port)("/none")[0] == 404
        assert all(map(is_closed, waiting[:35]))  # the oldest
    assert told == ["more than 5 connections at once; those that have sent no request are closed"]


@on_unix
def test_a_server_with_few_files_survives_many_connections(tmp_path):
    n = 200  # connections, of which it could open 100
    before = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))\n"
    with (
        Process(tmp_path / "files", before, head_seconds=PATIENCE) as server,
        contextlib.ExitStack() as stack,
    ):
        for _ in range(n):
            stack.enter_context(connect(server.port, NO_END))
        assert server.ask("/none")[0] == 404
        code, told = server.end(signal.SIGINT)
    assert code == 130 and told.count("\n") <= 3, told


def test_a_process_without_files_is_told_of_in_one_line():
    told = []
    connections, loop = app.Connections(limits.LIMITS, told.append), mock.Mock()
    error = OSError(errno.EMFILE, "Too many open files")
    for _ in range(1000):
        connections.on_error(loop, {"message": "accept", "exception": error})
    assert told == ["no connection can be accepted (Too many open files); trying again"]
    connections.on_error(loop, {"message": "a bug", "exception": ValueError()})
    loop.default_exception_handler.assert_called_once()
