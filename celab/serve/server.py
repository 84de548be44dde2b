"""The socket, the connections and uvicorn.

A connection must send the head of a request in time and take the answer in time. If there are too
many, the one that has waited longest without a request is closed, so that silent connections lock
nobody out.
"""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import sys
from functools import partial
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from celab.serve import app
from celab.serve.jobs import Runner
from celab.serve.limits import LIMITS, ServerLimits

MAX_HEAD = 16 << 10  # bytes of the head of a request
BUSY = json.dumps({"error": "too many requests at once; try again later"}).encode() + b"\n"
BUSY_ANSWER = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(BUSY), BUSY)
)


def listen(port: int) -> socket.socket:
    """Return a socket of that port, or of a free one if it is 0; raises `OSError`."""
    # asyncio sets TCP_NODELAY only if the protocol is given; without it, answers take 40 ms more.
    listening = socket.socket(proto=socket.IPPROTO_TCP)
    if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows, where the other lets two share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((app.HOST, port))
        listening.listen()  # a second server may bind the port, but not listen
    except OSError:
        listening.close()
        raise
    return listening


class Server(uvicorn.Server):
    """The server: `run(sockets=[…])` answers until a signal comes; then its workers are killed."""

    def __init__(self, limits: ServerLimits = LIMITS) -> None:
        self._runner = Runner(limits)
        self._has_warned = False
        idle: dict[Connection, None] = {}
        config = uvicorn.Config(
            app.application(self._runner),
            loop="asyncio",
            http=cast(Any, partial(Connection, limits, idle)),
            ws="none",
            lifespan="off",
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=limits.backlog,
            timeout_keep_alive=cast(int, limits.idle_seconds),
            timeout_graceful_shutdown=0,
            h11_max_incomplete_event_size=MAX_HEAD,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        asyncio.get_running_loop().set_exception_handler(self._on_loop_error)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the worker processes, then the connections."""
        self._runner.close()
        await super().shutdown(sockets)

    def _on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
        elif not self._has_warned:
            # asyncio tries again a second later.
            self._has_warned = True
            print("celab serve: too many open files; new connections wait", file=sys.stderr)


class Connection(H11Protocol):
    """A connection that may not be silent for long."""

    def __init__(self, limits: ServerLimits, idle: dict[Connection, None], **settings: Any) -> None:
        super().__init__(**settings)
        self._limits = limits
        self._idle = idle  # connections without a request, the longest waiting first
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, if necessary in the place of another connection."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that `pause_writing` tells of any delay
        self._expect_request()
        if len(self.connections) > self._limits.connections:
            longest = next(iter(self._idle))
            longest.give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self._stop_expecting()
        self._stop_write_timer()
        super().connection_lost(exc)

    def give_way(self) -> None:
        """Close the connection, because others wait."""
        self._stop_expecting()
        if not self._idle:  # all others have requests
            self.transport.write(BUSY_ANSWER)
            self.transport.close()
        else:
            self.transport.abort()

    def handle_events(self) -> None:
        """Note that a request has arrived."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_expecting()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        if not self.transport.is_closing():
            self._expect_request()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Give the client some time to take the answer."""
        super().pause_writing()
        self._stop_write_timer()
        seconds = self._limits.write_seconds
        self._write_timer = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Note that the client has taken the answer."""
        super().resume_writing()
        self._stop_write_timer()

    def _expect_request(self) -> None:
        self._stop_expecting()
        self._idle[self] = None
        self._head_timer = self.loop.call_later(self._limits.head_seconds, self.transport.abort)

    def _stop_expecting(self) -> None:
        self._idle.pop(self, None)
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
