"""The socket and uvicorn."""

from __future__ import annotations

import socket

import uvicorn

from celab.serve import app
from celab.serve.jobs import Runner
from celab.serve.limits import LIMITS, ServerLimits

MAX_HEAD = 16 << 10  # bytes of the head of a request


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


def make_server(limits: ServerLimits = LIMITS) -> uvicorn.Server:
    """Return the server: `run(sockets=[…])` answers until a signal comes; then work is stopped."""
    return uvicorn.Server(
        uvicorn.Config(
            app.application(Runner(limits)),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="on",
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=0,
            h11_max_incomplete_event_size=MAX_HEAD,
        )
    )
