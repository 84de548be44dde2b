"""The FastAPI application, its socket and uvicorn: who may ask, and what.

Every request must name this machine in Host, and this server in Origin if it has one, so that no
other site can use the server through a browser, not even by DNS rebinding.
"""

from __future__ import annotations

import asyncio
import errno
import json
import secrets
import socket
import tempfile
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Never

import h11
import uvicorn
from fastapi import FastAPI, HTTPException
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from celab.base.arguments import JsonObject
from celab.base.errors import CelabError
from celab.base.json_files import RepeatedKeyError, refuse_constant, unique_keys
from celab.base.messages import warn
from celab.base.text.escapes import dump_json
from celab.base.version import __version__
from celab.report.html.page import policy_of
from celab.serve import LIMITS, ServerLimits, answers, models
from celab.serve.jobs import BUG, RefusedRequest, Runner, refusal, run_until_disconnect

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

HOST = "127.0.0.1"
HOST_NAMES = {HOST, "localhost", "[::1]"}
RETRY_SECONDS = 1  # until a client may send a refused request again
# A request that is too long is read, up to this many times its limit, before it is refused: most
# clients read the answer only after they have sent everything.
MAX_READ_FACTOR = 4
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "model": models.Error}
    for status, description in {
        400: "Not valid JSON, a wrong type, an unknown field or setting, or a wrong value.",
        403: "Host or Origin is not that of this server.",
        413: "The request, a text, a list or the files are too long.",
        415: "The content type is not application/json.",
        422: "The pair is too long to be scored or explained.",
        503: "No answer within the time limit, a lexicon that is being prepared, or too many"
        " requests at once. With Retry-After, send the request again after that many seconds.",
    }.items()
}
# FastAPI can send traces of requests to a collector that the environment names.
NO_TELEMETRY: Any = dict.fromkeys(
    ("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False
)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def application(runner: Runner, connections: Connections) -> ASGIApp:
    """Return the whole application, with the limits of the runner."""
    limits = runner.limits
    reports: dict[str, bytes] = {}
    page, policy = answers.playground()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(connections.on_error)
        yield
        await runner.close()

    app = FastAPI(
        title="celab",
        version=__version__,
        description="TESLA-CELAB scores of translations. Texts are in UTF-8.",
        docs_url=None,
        redoc_url=None,
        telemetry=NO_TELEMETRY,
        lifespan=lifespan,
        exception_handlers={
            StarletteHTTPException: _on_http_error,
            RequestValidationError: _on_invalid,
            CelabError: partial(_on_celab_error, limits.pair_seconds),
            RefusedRequest: _on_refused,
            Exception: _on_bug,
        },
    )
    app.state.limits = limits
    app.router.route_class = _LimitedRoute
    post = partial(app.post, responses=RESPONSES)

    @post("/score", summary="Score a translation", response_model=models.ScoreAnswer)
    async def score(request: Request, pair: models.PairRequest) -> Response:
        return await _answered(request, _run_pair(runner, "score", pair))

    @post(
        "/explain", summary="Show where a score comes from", response_model=models.ExplanationAnswer
    )
    async def explain(request: Request, pair: models.PairRequest) -> Response:
        return await _answered(request, _run_pair(runner, "explain", pair))

    @post(
        "/lookup", summary="Show the synonym groups of a word", response_model=models.SynonymsAnswer
    )
    async def look_up(request: Request, word: models.WordRequest) -> Response:
        return await _answered(request, _look_up(runner, word))

    @post("/columns", summary="Show the columns of a table", response_model=models.ColumnsAnswer)
    async def show_columns(request: Request, table: models.TableFile) -> Response:
        return await _answered(request, _work_on_files(runner, "columns", table))

    @post("/report", summary="Make a report from files", response_model=models.ReportAnswer)
    async def make_report(request: Request, files: models.ReportRequest) -> Response:
        work = _work_on_files(runner, "report", files)
        answer = await run_until_disconnect(work, request.receive())
        token = _keep(reports, answer.pop("html").encode(), limits.kept_reports)
        return _as_json({"report": f"/report/{token}"} | answer)

    @app.get("/", include_in_schema=False)
    async def show_page() -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})

    @app.get("/report/{token}", include_in_schema=False)
    async def show_report(token: str) -> Response:
        html = reports.get(token)
        if html is None:
            raise RefusedRequest(
                404, f"this report is gone; the last {limits.kept_reports} are kept"
            )
        return HTMLResponse(html, headers={"Content-Security-Policy": policy_of(html.decode())})

    return _Guard(app, limits.requests)


def _keep(reports: dict[str, bytes], html: bytes, max_reports: int) -> str:
    """Add a report, delete the oldest ones above `max_reports`, and return its token."""
    while len(reports) >= max_reports:
        del reports[next(iter(reports))]
    token = secrets.token_urlsafe(16)
    reports[token] = html
    return token


async def _answered(request: Request, work: Coroutine[object, Never, JsonObject]) -> Response:
    return _as_json(await run_until_disconnect(work, request.receive()))


async def _look_up(runner: Runner, word: models.WordRequest) -> JsonObject:
    await runner.load(answers.load_thesaurus, word.lexicon)
    return await runner.in_thread(partial(answers.look_up, word.word, word.lexicon))


async def _run_pair(runner: Runner, work: str, pair: models.PairRequest) -> JsonObject:
    """Score or explain a pair, in a worker process if it is long, else in a thread."""
    seconds = runner.limits.pair_seconds
    arguments = pair.arguments() | {"time_limit": seconds}
    await runner.load(answers.load_metric, answers.key_of(pair.chosen_settings()), seconds)
    if pair.n_characters > runner.limits.long_pair_characters:
        return await runner.long_pairs.run(seconds, work, arguments)
    return await runner.in_thread(partial(getattr(answers, work), **arguments))


async def _work_on_files(
    runner: Runner, work: str, request: models.TableFile | models.ReportRequest
) -> JsonObject:
    limits, arguments = runner.limits, request.arguments()
    if isinstance(request, models.ReportRequest):
        # The server compiles the lexicon, which may take long, so that the worker finds it on disk.
        key = answers.key_of(request.chosen_settings())
        await runner.load(answers.load_metric, key, limits.pair_seconds)
        arguments |= {"time_limit": limits.pair_seconds, "segments": limits.segments}
    with tempfile.TemporaryDirectory(prefix="celab-", ignore_cleanup_errors=True) as folder:
        arguments |= {"folder": folder, "unpacked_bytes": limits.unpacked_bytes}
        return await runner.reports.run(limits.report_seconds, work, arguments)


# ---- requests -----------------------------------------------------------------------------------


class _LimitedRequest(Request):
    """A request that is read within limits, and whose JSON has only what JSON allows."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        super().__init__(scope, receive)
        self._limits: ServerLimits = self.app.state.limits
        self._content: bytes | None = None

    async def body(self) -> bytes:
        """Return the bytes of the request."""
        if self._content is None:
            kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise HTTPException(415, "the content type must be application/json")
            try:
                async with asyncio.timeout(self._limits.body_seconds):
                    self._content = await self._read()
            except TimeoutError:
                seconds = f"{self._limits.body_seconds:g} s"
                raise HTTPException(408, f"the request did not arrive in {seconds}") from None
            except ClientDisconnect:
                raise HTTPException(400, "the request is incomplete") from None
        return self._content

    async def json(self) -> Any:
        """Return the object that the request holds."""
        try:
            return json.loads(
                (await self.body()).decode(),
                parse_constant=refuse_constant,
                object_pairs_hook=unique_keys,
            )
        except RepeatedKeyError as error:
            raise HTTPException(400, f"{error}; give it once") from None
        except RecursionError:
            raise HTTPException(400, "the JSON is nested too deeply") from None
        except ValueError as error:  # including `UnicodeDecodeError`
            raise HTTPException(400, f"the request is not JSON in UTF-8 ({error})") from None

    async def _read(self) -> bytes:
        has_files = self.url.path in ("/columns", "/report")
        limit = self._limits.report_body_bytes if has_files else self._limits.body_bytes
        body, n_read = bytearray(), 0
        async for chunk in self.stream():
            n_read += len(chunk)
            if n_read <= limit:
                body += chunk
            elif n_read > limit * MAX_READ_FACTOR:
                break
        if n_read > limit:
            raise HTTPException(413, f"the request has more than {limit:,} bytes")
        if not body:
            raise HTTPException(400, "the request is not JSON in UTF-8 (it is empty)")
        return bytes(body)


class _LimitedRoute(APIRoute):
    """A route whose requests are read within limits."""

    def get_route_handler(self) -> Handler:
        """Return the handler that gets the limited request."""
        handle = super().get_route_handler()

        async def handle_limited(request: Request) -> Response:
            return await handle(_LimitedRequest(request.scope, request.receive))

        return handle_limited


class _Guard:
    """Refuses requests of other sites and too many at once; adds headers to every answer."""

    def __init__(self, app: ASGIApp, n_requests: int) -> None:
        self._app, self._n_free = app, n_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        why = _why_foreign(Headers(scope=scope))
        busy = RefusedRequest(503, "too many requests at once; try again later", is_temporary=True)
        is_free = self._n_free > 0
        answer = _error(403, why) if why else self._app if is_free else _refusal(busy)
        self._n_free -= 1
        try:
            await answer(scope, receive, send_with_headers)
        finally:
            self._n_free += 1


def _why_foreign(headers: Headers) -> str | None:
    """Return why a request comes from another site, or None."""
    # The port is not compared: through a tunnel, clients use another one.
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    name, colon, port = hosts[0].rpartition(":") if hosts else ("", "", "")
    if len(hosts) != 1 or (name if colon and port.isdecimal() else hosts[0]) not in HOST_NAMES:
        return f"Host is {', '.join(hosts) or 'missing'}; it must be {HOST} or localhost"
    if origins and origins != [f"http://{hosts[0]}"]:
        return f"Origin is {', '.join(origins)}; only the page of this server may send requests"
    site = headers.get("sec-fetch-site", "none")
    if site not in ("none", "same-origin"):
        return f"Sec-Fetch-Site is {site}; only the page of this server may send requests"
    return None


# ---- answers ------------------------------------------------------------------------------------


def _as_json(value: object, status: int = 200) -> Response:
    return Response(dump_json(value).encode(), status, media_type="application/json")


def _error(status: int, message: str, **more: bool) -> Response:
    return _as_json({"error": " ".join(message.split())} | more, status)


def _refusal(error: RefusedRequest) -> Response:
    response = _error(error.status, str(error), **{"can_align": True} if error.can_align else {})
    if error.is_temporary:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    response = _error(error.status_code, error.detail)
    response.headers.update(error.headers or {})
    return response


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _error(*models.explain_errors(error.errors()))


async def _on_celab_error(time_limit: float, request: Request, error: Exception) -> Response:
    assert isinstance(error, CelabError)
    status, answer = refusal(error, time_limit)
    return _refusal(RefusedRequest(status, **answer))


async def _on_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedRequest)
    return _refusal(error)


async def _on_bug(request: Request, error: Exception) -> Response:
    traceback.print_exception(error)  # a bug keeps its trace
    return _error(500, BUG)


# ---- connections --------------------------------------------------------------------------------

MAX_HEAD_BYTES = 16 << 10
# Connections that the system holds until they are accepted. asyncio accepts up to this many at a
# time before `_Connection` can close any.
BACKLOG = 128
_OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Connections:
    """The connections that have sent no request yet; warns once if there are too many."""

    def __init__(self, limits: ServerLimits, tell: Callable[[str], object] = warn) -> None:
        self.head_seconds, self.max_connections = limits.head_seconds, limits.connections
        n_files = -1 if resource is None else resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if n_files > 0:  # else files are not limited
            self.max_connections = min(self.max_connections, n_files // 2)
        self.waiting: dict[_Connection, None] = {}  # the one that waits longest comes first
        self._tell: Callable[[str], object] | None = tell

    def tell(self, what: str) -> None:
        """Warn of too many connections; only the first call does, however many there are."""
        if (tell := self._tell) is not None:
            self._tell = None
            tell(what)

    def on_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an error of the event loop: one warning if no connection can be accepted.

        asyncio would print a trace at each attempt to accept one.
        """
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in _OUT_OF_RESOURCES:
            self.tell(f"no connection can be accepted ({error.strerror}); trying again")
        else:
            loop.default_exception_handler(context)


class _Connection(H11Protocol):
    """A connection whose head must arrive in time; of too many, the one that waits longest ends."""

    def __init__(self, shared: Connections, **settings: Any) -> None:
        super().__init__(**settings)
        self._shared = shared
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self._shared.max_connections:
            self._shared.tell(
                f"more than {self._shared.max_connections} connections at once; those that have"
                " sent no request are closed"
            )
            next(iter(self._shared.waiting)).end()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def end(self) -> None:
        """Close the connection at once."""
        self._stop_waiting()
        self.connections.discard(self)
        self.transport.abort()

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self._shared.head_seconds, self.end)
            self._shared.waiting[self] = None

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            del self._shared.waiting[self]


def listen(port: int) -> socket.socket:
    """Return a socket that listens on a port, on a free one if it is 0; raises `OSError`."""
    # asyncio sets TCP_NODELAY only if the protocol is given; without it, answers take 40 ms more.
    listening = socket.socket(proto=socket.IPPROTO_TCP)
    # On Windows, SO_REUSEADDR would let two servers share a port.
    if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # a second server may bind the port, but not listen
    except OSError:
        listening.close()
        raise
    return listening


def make_server(
    limits: ServerLimits = LIMITS, tell: Callable[[str], object] = warn
) -> uvicorn.Server:
    """Return the server; its `run(sockets=[…])` answers until a signal comes, then stops all work.

    `tell` is called once with a warning if there are too many connections.
    """
    connections = Connections(limits, tell)
    protocol: Any = partial(_Connection, connections)  # uvicorn wants a class, and calls it
    return uvicorn.Server(
        uvicorn.Config(
            application(Runner(limits), connections),
            loop="asyncio",
            http=protocol,
            backlog=BACKLOG,
            ws="none",
            lifespan="on",
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=0,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        )
    )
