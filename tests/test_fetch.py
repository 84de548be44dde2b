"""Fetching, against a server of our own on 127.0.0.1: nothing leaves the machine."""

import contextlib
import errno
import hashlib
import io
import os
import re
import socket
import struct
import threading
import time
import zipfile
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib import request
from urllib.parse import urlsplit

import pytest

from celab.errors import LexiconError
from celab.lexicon import fetch as room
from celab.lexicon.fetch import _Redirects, fetch
from celab.lexicon.known import KNOWN, Known
from celab.lexicon.readers import FORMATS

BODY = bytes(range(256)) * 1200  # 307,200 bytes: more than one chunk
DIGEST = hashlib.sha256(BODY).hexdigest()
DATE = "Sun, 15 Nov 2026 03:00:00 GMT"
QUICK = 0.3  # seconds of patience
WEB = room.web()  # one for all: making it reads the system's certificates, a tenth of a second


@dataclass
class Plan:
    """What the server does next, and what it has seen."""

    body: bytes = BODY
    etag: str | None = '"one"'
    modified: str | None = None
    ranges: bool = True  # whether Range is honoured
    length: int | str | None = -1  # Content-Length: -1 the true one, None none at all
    chunked: bool = False
    stop_after: int | None = None  # bytes of the body, then the connection ends
    reset: bool = False  # and ends by a reset, not in peace
    status: int = 200
    redirect: tuple[int, str] | None = None  # status and location of all but /moved
    wait: threading.Event | None = None  # before the first byte, or where it stops
    # To the first request, in place of what it would send; None for nothing.
    headers: dict[str, str | None] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)  # bytes of body, one number a request


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        plan = self.server.plan
        plan.asked.append({"path": self.path, **{k.lower(): v for k, v in self.headers.items()}})
        plan.sent.append(0)
        self.close_connection = True
        if plan.redirect is not None and self.path != "/moved":
            self.send_response(plan.redirect[0])
            self.send_header("Location", plan.redirect[1])
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif plan.status >= 400:
            self.send_error(plan.status, "words\tof the server")
        elif plan.reset and plan.stop_after is None:
            self.part_in_anger()
        else:
            self.answer(plan)

    def answer(self, plan):
        begin, total = 0, len(plan.body)
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        same = self.headers.get("If-Range") in (plan.etag, plan.modified)
        status = plan.status
        if asked and plan.ranges and same:
            begin = int(asked[1])
            if begin >= total:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{total}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            status = 206
        self.send_response(status)
        found = {"ETag": plan.etag, "Last-Modified": plan.modified}
        if status == 206:
            found["Content-Range"] = f"bytes {begin}-{total - 1}/{total}"
        if plan.chunked:
            found["Transfer-Encoding"] = "chunked"
        elif plan.length is not None:
            found["Content-Length"] = total - begin if plan.length == -1 else plan.length
        if len(plan.asked) == 1:
            found |= plan.headers
        for name, value in found.items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()
        body = plan.body[begin:]
        if plan.stop_after is not None:
            body = body[: plan.stop_after]
        self.send_body(body, plan)
        if plan.wait is not None:
            self.wfile.flush()
            plan.wait.wait(5)
        if plan.reset:
            self.part_in_anger()

    def send_body(self, body, plan):
        for i in range(0, len(body), 10_000):
            piece = body[i : i + 10_000]
            try:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if plan.chunked else piece)
            except OSError:  # who asked has left
                return
            plan.sent[-1] += len(piece)
        if plan.chunked and plan.stop_after is None:
            self.wfile.write(b"0\r\n\r\n")

    def part_in_anger(self):
        self.wfile.flush()
        time.sleep(0.05)  # what is under way arrives before the reset
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        pass

    def shutdown_request(self, connection):
        with contextlib.suppress(OSError):
            super().shutdown_request(connection)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(room, "web", lambda: WEB)
    with Server(("127.0.0.1", 0), Handler) as running:
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
        name="test", address=f"{server.at}/there", file="words.tsv", format="tsv", language="zh",
        licence="none", what="a test", sha256=DIGEST, size=len(BODY),
    )  # fmt: skip


@pytest.fixture
def moving(known):
    """A source of which no digest is known."""
    return replace(known, sha256=None, size=None)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def refused(known, folder, words, **settings):
    """The message, which is one line, names the address and has these words."""
    with pytest.raises(LexiconError) as caught:
        fetch(known, folder, **settings)
    message = str(caught.value)
    assert "\n" not in message
    assert words in message
    return message


def interrupted(server, known, folder, after=100_000, **plan):
    """A first try that gets so many bytes; the server is well again afterwards."""
    server.plan = Plan(stop_after=after, **plan)
    with pytest.raises(LexiconError):
        fetch(known, folder, patience=QUICK)
    assert (folder / "words.tsv.part").read_bytes() == BODY[:after]
    assert not (folder / "words.tsv").exists()
    server.plan = Plan(**plan)


def whole(path):
    return path.read_bytes() == BODY and files(path.parent) == [path.name]


def test_the_whole_file_arrives(server, known, tmp_path):
    seen = []
    path = fetch(known, tmp_path / "new" / "folder", progress=lambda *done: seen.append(done))
    assert path == tmp_path / "new" / "folder" / "words.tsv"
    assert whole(path)
    assert seen[-1] == (len(BODY), len(BODY))
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    (asked,) = server.plan.asked
    assert asked["user-agent"].startswith("celab/")
    assert "range" not in asked


def test_what_is_there_is_not_asked_for(server, known, moving, tmp_path):
    for one in (known, moving):
        fetch(one, tmp_path)
    assert len(server.plan.asked) == 1


def test_what_is_there_but_not_the_expected_version_is_replaced(server, known, tmp_path):
    (tmp_path / "words.tsv").write_bytes(b"an older version")
    assert whole(fetch(known, tmp_path))


@pytest.mark.parametrize(
    "plan", [{}, {"etag": None, "modified": DATE}, {"etag": 'W/"weak"', "modified": DATE}]
)
@pytest.mark.parametrize("reset", [False, True])
def test_after_an_interruption_only_the_rest_is_sent(server, moving, tmp_path, plan, reset):
    interrupted(server, moving, tmp_path, **plan)
    if reset:  # a second one, the hard way
        server.plan = Plan(stop_after=50_000, reset=True, **plan)
        refused(moving, tmp_path, " of 307200 bytes")
        server.plan = Plan(**plan)
    have = (tmp_path / "words.tsv.part").stat().st_size
    seen = []
    assert whole(fetch(moving, tmp_path, progress=lambda *done: seen.append(done)))
    (asked,) = server.plan.asked
    assert asked["range"] == f"bytes={have}-"
    assert asked["if-range"] == (DATE if plan else '"one"')
    assert server.plan.sent == [len(BODY) - have]
    assert seen[0][0] > have and seen[-1] == (len(BODY), len(BODY))


def test_a_server_that_ignores_ranges_is_listened_to_from_the_start(server, known, tmp_path):
    interrupted(server, known, tmp_path)
    server.plan = Plan(ranges=False)
    assert whole(fetch(known, tmp_path))
    assert server.plan.sent == [len(BODY)]  # in one request


def test_a_resource_that_changed_is_fetched_anew(server, moving, tmp_path):
    interrupted(server, moving, tmp_path)
    server.plan = Plan(etag='"two"', body=BODY[::-1])
    path = fetch(moving, tmp_path)
    assert path.read_bytes() == BODY[::-1]
    assert server.plan.sent == [len(BODY)]


@pytest.mark.parametrize(
    "headers",
    [
        {"ETag": '"two"'},  # If-Range ignored: the rest of another version
        {"Content-Range": "bytes 5-307199/307200"},
        {"Content-Range": "bytes 100000-307198/307200"},
        {"Content-Range": "bytes 100000-307200/307201"},
        {"Content-Range": "words"},
        {"Content-Range": None},
    ],
)
def test_a_rest_that_does_not_fit_is_not_taken(server, moving, tmp_path, headers):
    interrupted(server, moving, tmp_path)
    server.plan.headers = headers
    assert whole(fetch(moving, tmp_path))
    assert ["range" in asked for asked in server.plan.asked] == [True, False]


def test_a_resource_that_became_shorter_is_fetched_anew(server, moving, tmp_path):
    interrupted(server, moving, tmp_path)
    server.plan = Plan(body=BODY[:1000])  # 416, then the whole
    assert fetch(moving, tmp_path).read_bytes() == BODY[:1000]
    assert [("range" in asked) for asked in server.plan.asked] == [True, False]


@pytest.mark.parametrize("note", [None, "", "{", "[]", '{"address": 1}', "null"])
def test_a_part_without_a_good_note_is_not_trusted(server, moving, tmp_path, note):
    interrupted(server, moving, tmp_path)
    if note is None:
        (tmp_path / "words.tsv.part.json").unlink()
    else:
        (tmp_path / "words.tsv.part.json").write_text(note)
    assert whole(fetch(moving, tmp_path))
    assert server.plan.sent == [len(BODY)]


def test_a_part_from_another_address_is_not_trusted(server, moving, tmp_path):
    interrupted(server, moving, tmp_path)
    assert whole(fetch(replace(moving, address=f"{server.at}/elsewhere"), tmp_path))
    assert server.plan.sent == [len(BODY)]


def test_without_etag_and_date_there_is_nothing_to_resume_by(server, moving, tmp_path):
    interrupted(server, moving, tmp_path, etag=None)
    assert whole(fetch(moving, tmp_path))
    assert "range" not in server.plan.asked[0]


def test_all_bytes_but_the_last_step_need_no_request(server, known, tmp_path, monkeypatch):
    def interrupt(part):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(room, "_verify", interrupt)
        with pytest.raises(KeyboardInterrupt):
            fetch(known, tmp_path)
    server.plan = Plan()
    assert whole(fetch(known, tmp_path))
    assert server.plan.asked == []


@pytest.mark.parametrize("resumed", [False, True])
def test_corrupt_bytes_are_removed_and_both_digests_named(server, known, tmp_path, resumed):
    if resumed:
        interrupted(server, known, tmp_path)
    corrupt = BODY[:-1] + b"\0"
    server.plan = Plan(body=corrupt)
    message = refused(known, tmp_path, known.address)
    assert DIGEST in message and hashlib.sha256(corrupt).hexdigest() in message
    assert files(tmp_path) == []


def test_another_length_than_the_known_is_refused_before_a_byte(server, known, tmp_path):
    server.plan = Plan(body=BODY + BODY)
    refused(known, tmp_path, "is 614400 bytes long; it must be 307200")
    assert files(tmp_path) == []


@pytest.mark.parametrize("more", [b"", BODY])
def test_another_length_shows_when_it_was_not_announced(server, known, tmp_path, more):
    server.plan = Plan(body=BODY[:-1] + more, chunked=True)
    refused(known, tmp_path, "307200")
    assert files(tmp_path) == []


def test_nothing_at_all_is_refused(server, moving, tmp_path):
    server.plan = Plan(body=b"")
    refused(moving, tmp_path, f"{moving.address} is empty")
    assert files(tmp_path) == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(server, known, tmp_path, status):
    server.plan = Plan(redirect=(status, "/moved"))
    assert whole(fetch(known, tmp_path))
    assert [asked["path"] for asked in server.plan.asked] == ["/there", "/moved"]


@pytest.mark.parametrize("status", [301, 302])
@pytest.mark.parametrize("to", ["file:///etc/passwd", "FILE:///etc/passwd", "ftp://a/b", "data:,x"])
def test_redirects_to_other_schemes_are_refused(server, known, tmp_path, status, to):
    server.plan = Plan(redirect=(status, to))
    message = refused(known, tmp_path, "which is not followed")
    assert known.address in message
    assert files(tmp_path) == []


def test_a_redirect_from_https_to_http_is_refused():
    asked = request.Request("https://127.0.0.1/a")
    with pytest.raises(LexiconError, match=r"must be https$"):
        _Redirects().http_error_301(
            asked, io.BytesIO(), 301, "", {"location": "http://127.0.0.1/a"}
        )


@pytest.mark.parametrize("to", ["/there", ""])
def test_redirects_that_lead_nowhere_end(server, known, tmp_path, to):
    server.plan = Plan(redirect=(302, to))
    refused(known, tmp_path, f"{known.address} answered with status 302")
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("status", "meaning"),
    [(404, "Not Found"), (500, "Internal Server Error"), (416, "Requested Range Not Satisfiable"),
     (599, "unknown"), (204, "No Content"), (206, "Partial Content")],
)  # fmt: skip
def test_a_status_is_named_with_the_address(server, known, tmp_path, status, meaning):
    server.plan = Plan(status=status)
    if status == 416:
        meaning = "416"  # Python has changed the phrase
    message = refused(known, tmp_path, meaning)
    assert message.startswith(f"{known.address} answered with status {status} ")
    assert files(tmp_path) == []


@pytest.mark.parametrize("status", [404, 500])
def test_a_failure_between_leaves_the_part(server, known, tmp_path, status):
    interrupted(server, known, tmp_path)
    server.plan = Plan(status=status)
    refused(known, tmp_path, str(status))
    server.plan = Plan()
    assert whole(fetch(known, tmp_path))
    assert server.plan.sent == [len(BODY) - 100_000]


def test_a_reset_before_the_answer_is_named(server, known, tmp_path):
    server.plan = Plan(reset=True)
    refused(known, tmp_path, f"{known.address} cannot be fetched: ")
    assert files(tmp_path) == []


def test_nobody_there_is_named(server, known, tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/a"
        refused(replace(known, address=address), tmp_path, f"{address} cannot be fetched: ")
    assert files(tmp_path) == []


@pytest.mark.parametrize("after", [0, 100_000])
def test_patience_ends(server, known, tmp_path, after):
    server.plan = Plan(stop_after=after, wait=threading.Event())
    began = time.monotonic()
    message = refused(known, tmp_path, "timed out", patience=QUICK)
    assert time.monotonic() - began < 3
    assert known.address in message
    assert files(tmp_path) == (["words.tsv.part", "words.tsv.part.json"] if after else [])


@pytest.mark.parametrize("length", [len(BODY) + 1, 10**12])
def test_a_length_too_great_is_never_reached(server, moving, tmp_path, length):
    server.plan = Plan(length=length)
    refused(moving, tmp_path, f"ended after {len(BODY)} of {length} bytes")
    assert "words.tsv" not in files(tmp_path)
    server.plan = Plan()  # it has seen its error: 416, or the right length, and all anew
    assert whole(fetch(moving, tmp_path))


def test_a_length_too_small_is_found_by_the_digest(server, known, tmp_path):
    server.plan = Plan(length=1000)
    refused(known, tmp_path, "is 1000 bytes long; it must be 307200")
    refused(replace(known, size=None), tmp_path, hashlib.sha256(BODY[:1000]).hexdigest())
    assert files(tmp_path) == []


@pytest.mark.parametrize("length", [None, "words", "-5"])
def test_without_a_length_only_a_digest_can_tell_a_part_from_the_whole(
    server, known, moving, tmp_path, length
):
    server.plan = Plan(length=length)
    refused(moving, tmp_path, "comes without its length")
    assert files(tmp_path) == []
    assert whole(fetch(known, tmp_path))


def test_chunks_have_an_end_of_their_own(server, moving, tmp_path):
    server.plan = Plan(chunked=True, stop_after=100_000)
    refused(moving, tmp_path, "cannot be fetched after 100000 of ? bytes")
    assert files(tmp_path) == ["words.tsv.part", "words.tsv.part.json"]
    server.plan = Plan(chunked=True)
    assert whole(fetch(moving, tmp_path))
    assert server.plan.sent == [len(BODY) - 100_000]


def test_ctrl_c_leaves_only_the_part(server, known, tmp_path):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(known, tmp_path, progress=interrupt)
    assert files(tmp_path) == ["words.tsv.part", "words.tsv.part.json"]
    have = (tmp_path / "words.tsv.part").stat().st_size
    assert 0 < have < len(BODY)
    server.plan = Plan()
    assert whole(fetch(known, tmp_path))
    assert server.plan.sent == [len(BODY) - have]


def test_a_full_disk_is_named(server, known, tmp_path, monkeypatch):
    class Full(io.FileIO):
        def write(self, data):
            if self.tell() + len(data) > 50_000:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return super().write(data)

    with monkeypatch.context() as patched:
        patched.setattr(room.io, "FileIO", Full)
        refused(known, tmp_path, f"words.tsv.part cannot be written ({os.strerror(errno.ENOSPC)})")
    assert "words.tsv" not in files(tmp_path)
    assert whole(fetch(known, tmp_path))


def test_a_folder_that_cannot_be_is_named(server, known, tmp_path):
    (tmp_path / "file").touch()
    refused(known, tmp_path / "file", "cannot be written")
    (tmp_path / "words.tsv.part").mkdir()
    refused(known, tmp_path, "words.tsv.part cannot be written")
    assert server.plan.asked == []


@pytest.mark.skipif(os.name == "nt", reason="no locks there")
def test_two_at_once_do_not_write_one_file(server, known, tmp_path):
    server.plan = Plan(stop_after=100_000, wait=threading.Event())
    arrived = threading.Event()
    outcome = []

    def first():
        try:
            fetch(known, tmp_path, progress=lambda *_: arrived.set())
        except LexiconError as error:
            outcome.append(str(error))

    thread = threading.Thread(target=first)
    thread.start()
    assert arrived.wait(5)
    refused(known, tmp_path, "is being written by another fetch")
    server.plan.wait.set()
    thread.join()
    assert "ended after 100000" in outcome[0]
    server.plan = Plan()
    assert whole(fetch(known, tmp_path))


def zipped(files, method=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def test_what_comes_in_a_zip_is_taken_out(server, moving, tmp_path):
    known = replace(moving, member="words.txt")
    server.plan = Plan(body=zipped({"LICENSE": "free", "some/folder/words.txt": BODY}))
    path = fetch(known, tmp_path)
    assert path.name == "words.tsv" and whole(path)
    fetch(known, tmp_path)
    assert len(server.plan.asked) == 1


@pytest.mark.parametrize("damage", ["no zip", "no member", "bytes"])
def test_a_damaged_zip_leaves_nothing(server, moving, tmp_path, damage):
    body = zipped({"words.txt": BODY}, zipfile.ZIP_STORED)
    body = {
        "no zip": b"<html>sorry</html>",
        "no member": zipped({"other.txt": BODY}),
        "bytes": body[:5000] + b"?" + body[5001:],
    }[damage]
    server.plan = Plan(body=body)
    refused(replace(moving, member="words.txt"), tmp_path, "something else than a ZIP")
    assert files(tmp_path) == []


def test_the_table_is_in_order():
    assert all(name == known.name for name, known in KNOWN.items())
    assert len({known.file for known in KNOWN.values()}) == len(KNOWN)
    for known in KNOWN.values():
        assert known.format in FORMATS
        assert known.language in ("zh", "de", "ja")
        assert re.fullmatch(r"[\w.-]+", known.file) and not known.file.endswith(".part")
        assert urlsplit(known.address).scheme == "https"
        assert known.licence and known.what
        # What has a digest lies under an address that names a commit, and the other way round.
        assert (known.sha256 is not None) == bool(re.search(r"/[0-9a-f]{40}/", known.address))
        assert (known.sha256 is None) == (known.size is None)
        assert known.sha256 is None or re.fullmatch("[0-9a-f]{64}", known.sha256)


@pytest.mark.parametrize("known", [k for k in KNOWN.values() if k.sha256], ids=lambda k: k.name)
def test_the_digests_are_those_of_the_published_files(known, shared):
    content = (shared / "lexicons" / known.file).read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (known.size, known.sha256)
