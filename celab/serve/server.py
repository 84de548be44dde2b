"""The socket, the connections and uvicorn.

A connection must send the head of a request in time and take the answer in time. If there are too
many, the longest silent of those without a complete request gives way, so that silent connections
lock nobody out. It is answered with 503 and stays open until the client closes it or its time is
over: if a connection is closed before all that was sent is read, the client gets a reset instead of
the answer. New connections wait meanwhile if too many have been refused.
"""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import sys
from contextlib import suppress
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
    b"Connection: close\r\nRetry-After: %d\r\nContent-Length: %d\r\n\r\n%b"
    % (app.RETRY_SECONDS, len(BUSY), BUSY)
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
        self._limits, self._runner, self._pending = (
            limits,
            Runner(limits),
            PendingConnections(limits),
        )
        self._has_warned = False
        self._accepting: list[asyncio.Task[None]] = []
        config = uvicorn.Config(
            app.application(self._runner),
            loop="asyncio",
            http=cast(Any, partial(Connection, limits, self._pending)),
            ws="none",
            lifespan="off",
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=cast(int, limits.idle_seconds),
            timeout_graceful_shutdown=0,
            h11_max_incomplete_event_size=MAX_HEAD,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup([])  # connections are accepted here, not by uvicorn
        self._accepting = [asyncio.ensure_future(self._accept(each)) for each in sockets or ()]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the worker processes, then the connections."""
        for task in self._accepting:
            task.cancel()
        self._runner.close()
        self._pending.close()
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        listening.setblocking(False)
        listening.listen(self._limits.backlog)
        while True:
            await self._pending.has_room.wait()
            try:
                client, _ = await loop.sock_accept(listening)
                await loop.connect_accepted_socket(self._connection, client)
            except ConnectionError:  # the client has left
                continue
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE) and not self._has_warned:
                    self._has_warned = True
                    print("celab serve: too many open files; new connections wait", file=sys.stderr)
                await asyncio.sleep(1)

    def _connection(self) -> Connection:
        make = cast(Any, self.config.http_protocol_class)
        connection: Connection = make(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return connection


class PendingConnections:
    """The connections that have no complete request."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self.waiting: dict[Connection, None] = {}  # for a request, the longest silent first
        self._refused: set[Connection] = set()
        self.has_room = asyncio.Event()
        self.has_room.set()

    def add_refused(self, connection: Connection) -> None:
        """Count a connection that was refused, until it is closed."""
        self._refused.add(connection)
        if len(self._refused) >= self._limits.refused:
            self.has_room.clear()

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        self.waiting.pop(connection, None)
        self._refused.discard(connection)
        if len(self._refused) < self._limits.refused:
            self.has_room.set()

    def close(self) -> None:
        """Close those that were refused; the others are uvicorn's."""
        for connection in self._refused:
            connection.transport.abort()


class Connection(H11Protocol):
    """A connection that may not be silent for long."""

    def __init__(self, limits: ServerLimits, pending: PendingConnections, **settings: Any) -> None:
        super().__init__(**settings)
        self._limits, self._pending = limits, pending
        self._is_refused = False
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, if necessary in the place of another connection."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that `pause_writing` tells of any delay
        self._expect_request()
        if len(self.connections) > self._limits.connections:
            longest_silent = next(iter(self._pending.waiting))
            longest_silent.give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self._pending.remove(self)
        self._stop_head_timer()
        self._stop_write_timer()
        super().connection_lost(exc)

    def give_way(self) -> None:
        """Refuse the request that has not arrived, because others wait."""
        self._pending.waiting.pop(self, None)
        self.connections.discard(self)
        if self.transport.is_closing():
            return
        self._is_refused = True
        self._pending.add_refused(self)
        self._start_head_timer(self._limits.refused_seconds)
        self._unset_keepalive_if_required()
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # nobody waits for the answer
            self.cycle.message_event.set()
        self.flow.resume_reading()
        self.transport.write(BUSY_ANSWER)
        with suppress(OSError):  # the client has left
            self.transport.write_eof()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; that of a refused one is only taken off the line."""
        if not self._is_refused:
            super().data_received(data)

    def handle_events(self) -> None:
        """Note what has arrived of a request."""
        super().handle_events()
        if self.cycle is None or self.cycle.response_complete:
            self._note_data()
        else:
            self._stop_head_timer()
            if self.cycle.more_body and not self.cycle.response_started:
                self._note_data()
            else:
                self._pending.waiting.pop(self, None)

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
        self._note_data()
        self._start_head_timer(self._limits.head_seconds)

    def _note_data(self) -> None:
        # Those that were silent for longer come first.
        self._pending.waiting.pop(self, None)
        self._pending.waiting[self] = None

    def _start_head_timer(self, seconds: float) -> None:
        self._stop_head_timer()
        self._head_timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
