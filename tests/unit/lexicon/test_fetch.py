"""Fetching, against a server of our own on 127.0.0.1: nothing leaves the machine."""

import contextlib
import hashlib
import io
import os
import re
import sys
import threading
import zipfile
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from celab.base.errors import LexiconError
from celab.lexicon.fetch import KNOWN, Known, _check, _PoochBar, fetch

BODY = bytes(range(256)) * 1200  # 307,200 bytes: more than one chunk
DIGEST = hashlib.sha256(BODY).hexdigest()

pytest.importorskip("pooch")


@dataclass
class Plan:
    """What the server does next, and what it has seen."""

    body: bytes = BODY
    headers: dict[str, str] | None = None  # None: the true length
    chunked: bool = False
    stop_after: int | None = None  # bytes of the body, then the connection ends
    status: int = 200
    redirect: tuple[int, str] | None = None  # status and location of all but /moved
    wait: threading.Event | None = None  # before the body
    asked: list[dict[str, str]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        plan = self.server.plan
        plan.asked.append({"path": self.path, **{k.lower(): v for k, v in self.headers.items()}})
        headers = {"Content-Length": str(len(plan.body))} if plan.headers is None else plan.headers
        status, body = plan.status, plan.body[: plan.stop_after]
        if plan.redirect is not None and self.path != "/moved":
            (status, location), body = plan.redirect, b""
            headers = {"Location": location, "Content-Length": "0"}
        elif plan.chunked:
            headers = {"Transfer-Encoding": "chunked"}
            body = b"%x\r\n%s\r\n" % (len(body), body)
            body += b"0\r\n\r\n" if plan.stop_after is None else b""
        self.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        if plan.wait is not None:
            plan.wait.wait(5)
        with contextlib.suppress(OSError):  # who asked has left
            self.wfile.write(body)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.plan = Plan()
        running.at = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        if running.plan.wait is not None:
            running.plan.wait.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def known(server):
    return Known(
        name="test",
        file="words.tsv",
        url=f"{server.at}/there",
        licence="none",
        what="a test",
        sha256=DIGEST,
    )


@pytest.fixture
def moving(known):
    """A source of which no digest is known."""
    return replace(known, sha256=None)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def refused(known, folder, *words, **settings):
    """The message is one line that has these words, and nothing is left in the folder."""
    with pytest.raises(LexiconError) as caught:
        fetch(known, folder, **settings)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message
    assert not folder.is_dir() or files(folder) == []


def whole(path):
    return path.read_bytes() == BODY and files(path.parent) == [path.name]


def test_the_whole_file_arrives(server, known, tmp_path, capsys):
    seen = []
    path = fetch(known, tmp_path / "new" / "folder", progress=lambda *done: seen.append(done))
    assert path == tmp_path / "new" / "folder" / "words.tsv"
    assert whole(path)
    assert seen[-1] == (len(BODY), len(BODY)) and len(seen) > 3
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert server.plan.asked[0]["user-agent"].startswith("celab/")
    assert capsys.readouterr() == ("", "")  # pooch's own remarks are not ours


def test_what_is_there_is_not_asked_for_unless_it_is_another_version(
    server, known, moving, tmp_path
):
    (tmp_path / "words.tsv").write_bytes(b"an older version")
    assert whole(fetch(known, tmp_path))
    for source in (known, moving):
        fetch(source, tmp_path)
    assert len(server.plan.asked) == 1


def test_a_length_that_is_not_announced_is_no_obstacle(server, known, moving, tmp_path):
    server.plan = Plan(chunked=True)
    assert whole(fetch(moving, tmp_path / "chunked"))
    server.plan = Plan(headers={})
    assert whole(fetch(known, tmp_path / "known"))


def test_a_server_that_falls_silent_is_left(server, moving, tmp_path):
    server.plan = Plan(wait=threading.Event())
    refused(moving, tmp_path, f"{moving.url} cannot be fetched: timed out", timeout=0.2)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(server, known, tmp_path, status):
    server.plan = Plan(redirect=(status, "/moved"))
    assert whole(fetch(known, tmp_path))
    assert [asked["path"] for asked in server.plan.asked] == ["/there", "/moved"]


def test_a_redirect_from_https_to_http_is_refused():
    answer = SimpleNamespace(
        is_redirect=False, status_code=200, url="http://a/b", headers={"Content-Length": "1"}
    )
    with pytest.raises(LexiconError, match=r"redirects to 'http://a/b'.*must be https$"):
        _check(KNOWN["cow"], answer)
    answer.url = "https://a/b"
    _check(KNOWN["cow"], answer)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x", "http://", "nothing", "http://[::1"])
def test_a_url_that_leads_nowhere_is_named(known, tmp_path, url):
    refused(replace(known, url=url), tmp_path / "folder", f"{url} cannot be fetched: ")


def test_a_folder_that_cannot_be_is_named(server, known, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LexiconError):
        fetch(known, tmp_path / "file")
    assert server.plan.asked == []


@pytest.mark.parametrize("zipped_up", [False, True])
def test_several_at_once_leave_one_whole_file(server, moving, tmp_path, zipped_up):
    server.plan = Plan(body=zipped({"words.txt": BODY}) if zipped_up else BODY)
    known = replace(moving, member="words.txt" if zipped_up else None)
    server.plan.wait = threading.Event()
    outcome = []
    threads = [
        threading.Thread(target=lambda: outcome.append(fetch(known, tmp_path))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    while len(server.plan.asked) < 3:
        assert all(thread.is_alive() for thread in threads)
    server.plan.wait.set()
    for thread in threads:
        thread.join()
    assert outcome == [tmp_path / "words.tsv"] * 3 and whole(outcome[0])


def zipped(content, method=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return made.getvalue()


def test_what_comes_in_a_zip_is_taken_out(server, moving, tmp_path):
    known = replace(moving, member="words.txt")
    server.plan = Plan(body=zipped({"LICENSE": "free", "some/folder/words.txt": BODY}))
    path = fetch(known, tmp_path)
    assert path.name == "words.tsv" and whole(path)
    fetch(known, tmp_path)
    assert len(server.plan.asked) == 1


STORED = zipped({"words.txt": BODY}, zipfile.ZIP_STORED)
CORRUPT = BODY[:-1] + b"\0"
CANNOT = "/there cannot be fetched: "


@pytest.mark.parametrize(
    ("plan", "changes", "words"),
    [
        (Plan(body=CORRUPT), {}, [DIGEST, hashlib.sha256(CORRUPT).hexdigest()]),
        (Plan(stop_after=100_000), {"sha256": None}, [CANNOT]),
        (Plan(stop_after=100_000, chunked=True), {"sha256": None}, [CANNOT]),
        (Plan(headers={}), {"sha256": None}, ["/there", "has no Content-Length header"]),
        (Plan(body=b""), {"sha256": None}, ["/there is empty"]),
        *(
            (Plan(redirect=(302, to)), {}, [CANNOT])
            for to in ("file:///etc/passwd", "FILE:///etc/passwd", "ftp://a/b", "data:,x")
        ),
        (Plan(redirect=(302, "/there")), {}, [f"{CANNOT}Exceeded"]),
        *(
            (Plan(status=status), {}, [f"/there returned HTTP status {status}; expected 200"])
            for status in (404, 500, 416, 599, 206)
        ),
        *(
            (Plan(body=body), {"sha256": None, "member": "words.txt"}, ["is not a ZIP archive"])
            for body in (
                b"<html>sorry</html>",
                zipped({"other.txt": BODY}),
                STORED[:5000] + b"?" + STORED[5001:],
            )
        ),
    ],
)
def test_what_cannot_be_fetched_leaves_nothing(server, known, tmp_path, plan, changes, words):
    server.plan = plan
    known = replace(known, **changes)
    refused(known, tmp_path, *words)
    server.plan = Plan(body=STORED if known.member else BODY)
    assert whole(fetch(known, tmp_path))


def test_without_pooch_the_extra_is_named(known, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    refused(known, tmp_path, "'pooch' is not installed", "[fetch]")
    assert os.listdir(tmp_path) == []


def test_the_table_is_in_order():
    assert all(name == known.name for name, known in KNOWN.items())
    assert len({known.file for known in KNOWN.values()}) == len(KNOWN)
    for known in KNOWN.values():
        assert re.fullmatch(r"[\w.-]+", known.file)
        assert urlsplit(known.url).scheme == "https"
        assert known.licence and known.what
        # What has a digest lies under an address that names a commit, and the other way round.
        assert (known.sha256 is not None) == bool(re.search(r"/[0-9a-f]{40}/", known.url))
        assert known.sha256 is None or re.fullmatch("[0-9a-f]{64}", known.sha256)


@pytest.mark.parametrize("known", [k for k in KNOWN.values() if k.sha256], ids=lambda k: k.name)
def test_the_digests_are_those_of_the_published_files(known, shared):
    content = (shared / "lexicons" / known.file).read_bytes()
    assert hashlib.sha256(content).hexdigest() == known.sha256


def test_progress_of_a_download_is_in_bytes():
    told = []
    bar = _PoochBar(lambda *numbers: told.append(numbers))
    bar.total = 10
    for n_bytes in (4, 4, 4):
        bar.update(n_bytes)
    assert told == [(4, 10), (8, 10), (10, 10)]
