"""HTTP on the loopback interface: who may ask, how much, and for how long.

Every request must name this machine in Host, and this server in Origin if it has one, so that no
other site can use the server through a browser, not even by DNS rebinding. Work is done in
threads. One that takes too long, or whose client has gone, is stopped in its kernels.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from celab._native.watch import Stop
from celab.errors import CelabError, LimitError, SolverError
from celab.escapes import dumped
from celab.report.html.page import policy_of
from celab.run import TooLong
from celab.serve import answers
from celab.serve.description import openapi

HOST = "127.0.0.1"
NAMES = {HOST, "localhost", "[::1]"}
N_THREADS = 16  # a long pair keeps one of them until its time is over
MOST_BODY = 1 << 20  # bytes of a request
MOST_FILES = 48 << 20  # bytes of a request for a report
MOST_READ = 4  # times as much is read, so that the client gets the answer, and dropped
READ_LIMIT = 30.0  # seconds in which a request must arrive
REPORT_LIMIT = 120.0  # seconds for a report
N_REPORTS = 4  # that are kept
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
Answer = Callable[[dict[str, Any]], Any]


def bound(port: int) -> socket.socket:
    """A socket of that port, or of a free one if it is 0; raises `OSError`."""
    # asyncio sets TCP_NODELAY only if the protocol is given; without it, answers take 40 ms more.
    made = socket.socket(proto=socket.IPPROTO_TCP)
    if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows, where the other lets two share a port
        made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
        made.listen()  # a second server may bind the port, but not listen
    except OSError:
        made.close()
        raise
    return made


def server() -> uvicorn.Server:
    """What answers, once its `run` gets the socket, until a signal comes."""
    return uvicorn.Server(uvicorn.Config(
        application(), log_level="critical", access_log=False, lifespan="off", ws="none",
        server_header=False, proxy_headers=False, limit_concurrency=64,
        timeout_graceful_shutdown=0,
    ))  # fmt: skip


def application() -> ASGIApp:
    """The whole server."""
    short = ThreadPoolExecutor(N_THREADS, "celab-answer")
    long = ThreadPoolExecutor(1, "celab-report")
    reports: dict[str, str] = {}
    page, policy = answers.playground()

    def endpoint(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def respond(request: Request) -> Response:
            given = await _json(request, MOST_BODY)
            limit = answers.TIME_LIMIT
            return _as_json(await _worked(short, partial(answer, given), request, limit))

        return respond

    async def show(request: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})

    async def describe(request: Request) -> Response:
        return _as_json(openapi())

    async def report(request: Request) -> Response:
        given = await _json(request, MOST_FILES)
        made = await _worked(long, partial(answers.report, given), request, REPORT_LIMIT)
        while len(reports) >= N_REPORTS:
            del reports[next(iter(reports))]
        token = secrets.token_urlsafe(16)
        reports[token] = made
        return _as_json({"report": f"/report/{token}"})

    async def kept(request: Request) -> Response:
        made = reports.get(request.path_params["token"])
        if made is None:
            raise HTTPException(404, f"this report is gone; the last {N_REPORTS} are kept")
        return HTMLResponse(made, headers={"Content-Security-Policy": policy_of(made)})

    def post(path: str, act: Callable[[Request], Awaitable[Response]]) -> Route:
        return Route(path, act, methods=["POST"])

    app = Starlette(
        routes=[
            Route("/", show), Route("/openapi.json", describe), Route("/report/{token}", kept),
            post("/score", endpoint(answers.score)), post("/explain", endpoint(answers.explain)),
            post("/lookup", endpoint(answers.look_up)), post("/report", report),
        ],
        exception_handlers={HTTPException: _refused, CelabError: _failed, Exception: _broken},
    )  # fmt: skip
    return _Guard(app)


class _Guard:
    """Refuses requests of other sites, and adds headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        why = _foreign(Headers(scope=scope))

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (_error(403, why) if why else self.app)(scope, receive, with_headers)


def _foreign(headers: Headers) -> str | None:
    # Any port is right: a tunnel has its own.
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    name, colon, port = hosts[0].rpartition(":") if hosts else ("", "", "")
    if len(hosts) != 1 or (name if colon and port.isdecimal() else hosts[0]) not in NAMES:
        return f"Host is {', '.join(hosts) or 'missing'}; it must be {HOST} or localhost"
    if origins and origins != [f"http://{hosts[0]}"]:
        return f"Origin is {', '.join(origins)}; only the page of this server may send requests"
    site = headers.get("sec-fetch-site", "none")
    if site not in ("none", "same-origin"):
        return f"Sec-Fetch-Site is {site}; only the page of this server may send requests"
    return None


async def _json(request: Request, most: int) -> dict[str, Any]:
    """The object that a request holds."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "the content type must be application/json")
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(READ_LIMIT):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= most:
                    body += chunk
                elif size > most * MOST_READ:
                    break
    except TimeoutError:
        raise HTTPException(408, f"the request did not arrive in {READ_LIMIT:g} s") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request is incomplete") from None
    if size > most:
        raise LimitError(f"the request has more than {most:,} bytes")
    try:
        given = json.loads(body.decode(), parse_constant=_no_number)
    except RecursionError:
        raise HTTPException(400, "the JSON is nested too deeply") from None
    except ValueError as error:  # also what is not UTF-8
        raise HTTPException(400, f"the request is not JSON in UTF-8 ({error})") from None
    if not isinstance(given, dict):
        raise HTTPException(400, "the request must be a JSON object; see /openapi.json")
    return given


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


async def _worked(
    pool: ThreadPoolExecutor, work: Callable[[], Any], request: Request, limit: float
) -> Any:
    """What `work` returns; it is stopped if it takes too long, or if the client has gone."""
    stop = Stop()
    future = asyncio.get_running_loop().run_in_executor(pool, _followed, stop, work)
    gone = asyncio.ensure_future(request.receive())  # the body has been read; the end is next
    try:
        await asyncio.wait({future, gone}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        if future.done():
            return future.result()
        raise HTTPException(
            503, f"too long: there is no answer after {limit:g} s; try shorter text"
        )
    finally:
        gone.cancel()
        stop.set()
        if not future.cancel():  # it has begun, so the kernels end it
            future.add_done_callback(lambda done: done.cancelled() or done.exception())


def _followed(stop: Stop, work: Callable[[], Any]) -> Any:
    stop.follow()
    try:
        return work()
    except KeyboardInterrupt:  # from the kernels; it must not reach the event loop
        raise HTTPException(503, "too long: stopped") from None


def _as_json(value: Any, status: int = 200) -> Response:
    return Response(dumped(value).encode(), status, media_type="application/json")


def _error(status: int, message: str) -> Response:
    return _as_json({"error": " ".join(message.split())}, status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = _error(error.status_code, error.detail)
    response.headers.update(error.headers or {})
    return response


async def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, SolverError):
        limit = f"no optimum was proved in {answers.TIME_LIMIT:g} s"
        return _error(422, f"too long: {error if isinstance(error, TooLong) else limit}")
    return _error(413 if isinstance(error, LimitError) else 400, str(error))


async def _broken(request: Request, error: Exception) -> Response:
    traceback.print_exception(error)  # a bug keeps its trace
    return _error(500, "an error in celab; the server has printed where")
