"""Short work in threads, long work in worker processes; both are stopped, not only abandoned.

A thread is stopped in its kernels (`celab._native.watch`); what runs outside them is short because
the texts are. A worker process is killed: at its time limit, when its client leaves, and when the
server ends. Its files are in a temporary folder of its own, removed after the process has ended.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from celab import files
from celab._native.watch import Stop
from celab.serve.limits import ServerLimits

T = TypeVar("T")
THREAD_NAME = "celab-answer"
# The worker finds modules where this process does, and not in the working folder.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from celab.serve.worker import main; main()"
)
# Address space is limited, and a BLAS reserves some for each of its threads.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Refused(Exception):
    """A request that is answered with an error: an HTTP status and one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Job:
    """A task for a worker process, with the files that it needs (name → content in base64)."""

    def __init__(
        self,
        work: str,
        arguments: dict[str, Any],
        limits: ServerLimits,
        data: Mapping[str, str] | None = None,
    ) -> None:
        self._work, self._arguments, self._limits, self._data = work, arguments, limits, data
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False

    def run(self) -> bytes:
        """Return the body of the answer; blocks until the process has ended and its files are gone.

        Raises `Refused` if there is none.
        """
        folder = None if self._data is None else tempfile.mkdtemp(prefix="celab-")
        try:
            if folder is not None:
                self._store(Path(folder))
            return self._answer(folder)
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)

    def kill(self) -> None:
        """End the process, if there is one; does not wait for it."""
        with self._lock:
            self._is_killed = True
            if self._process is not None:
                self._process.kill()

    def _store(self, folder: Path) -> None:
        for name, data in (self._data or {}).items():
            if self._is_killed:
                return
            try:
                content = base64.b64decode(data, validate=True)
            except (binascii.Error, ValueError):
                raise Refused(400, f"{Path(name).name}: data is not base64") from None
            (folder / name).parent.mkdir()
            files.write(folder / name, content)

    def _answer(self, folder: str | None) -> bytes:
        arguments = self._arguments | ({} if folder is None else {"folder": folder})
        task = {
            "work": self._work,
            "arguments": arguments,
            "folder": folder,
            "memory": self._limits.worker_memory,
        }
        with self._lock:
            if self._is_killed:
                raise Refused(503, "stopped")
            self._process = process = _start_worker()
        assert process.stdin is not None and process.stdout is not None
        output = b""
        try:
            with process.stdout:
                process.stdin.write(f"{json.dumps(task)}\n".encode())
                process.stdin.flush()
                output = process.stdout.read(self._limits.answer + 1)
        except OSError:  # it ended before it read its task
            pass
        finally:
            process.kill()  # if it has more to say
            code = process.wait()
            _close_input(process)
        return self._checked(output, code)

    def _checked(self, output: bytes, code: int) -> bytes:
        if self._is_killed:
            raise Refused(503, "stopped")
        if len(output) > self._limits.answer:
            raise Refused(413, f"the answer has more than {self._limits.answer:,} bytes; use celab")
        status, _, body = output.partition(b"\n")
        if not status:
            raise Refused(500, f"the worker process ended with code {code}; try less text")
        if status != b"200":
            raise Refused(int(status), body.decode())
        return body


def _start_worker() -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C in a terminal goes to the server alone, which kills its workers.
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _START, json.dumps([*map(str, sys.path)])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | _ONE_THREAD,
        start_new_session=True,
    )


def _close_input(process: subprocess.Popen[bytes]) -> None:
    try:
        assert process.stdin is not None
        process.stdin.close()
    except OSError:  # what was written has not been read
        pass


class Queue:
    """A bounded queue for a number of worker processes."""

    def __init__(self, what: str, n_running: int, n_waiting: int) -> None:
        self._what, self._most = what, n_running + n_waiting
        self._running = asyncio.Semaphore(n_running)
        self._n = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn; raises `Refused` if too many wait."""
        if self._n >= self._most:
            raise Refused(503, f"too many {self._what} at once; try again later")
        self._n += 1
        try:
            async with self._running:
                yield
        finally:
            self._n -= 1


class Runner:
    """Runs the work of a server, and ends it with the server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.long_pairs = Queue("long pairs", limits.long_pairs, limits.waiting)
        self.reports = Queue("reports", 1, limits.waiting)
        self._threads = ThreadPoolExecutor(limits.threads, THREAD_NAME)
        self._waiters = ThreadPoolExecutor(limits.long_pairs + 1, "celab-worker")
        self._jobs: set[Job] = set()
        self._is_closed = False

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of short work; its kernels are stopped if this is cancelled."""
        stop = Stop()
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, _follow, stop, work)
        try:
            async with _time_limit(self.limits.pair_seconds):
                return await asyncio.shield(future)
        finally:
            stop.set()
            if not future.cancel():  # it has begun, so the kernels end it
                future.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def in_process(self, queue: Queue, job: Job, seconds: float) -> bytes:
        """Return the answer of a worker process, which is killed if this is cancelled."""
        async with queue.turn():
            if self._is_closed:
                raise Refused(503, "the server is ending")
            self._jobs.add(job)
            future = asyncio.get_running_loop().run_in_executor(self._waiters, job.run)
            try:
                async with _time_limit(seconds):
                    return await asyncio.shield(future)
            finally:
                job.kill()
                await asyncio.wait({future})  # until the process has ended and its files are gone
                if not future.cancelled():
                    future.exception()  # has been seen
                self._jobs.discard(job)

    def close(self) -> None:
        """Kill the worker processes and wait until they have ended and their files are gone."""
        self._is_closed = True
        for job in list(self._jobs):
            job.kill()
        self._waiters.shutdown(cancel_futures=True)
        self._threads.shutdown(wait=False, cancel_futures=True)


@asynccontextmanager
async def _time_limit(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        message = f"too long: there is no answer after {seconds:g} s; try shorter text"
        raise Refused(503, message) from None


def _follow(stop: Stop, work: Callable[[], T]) -> T:
    stop.follow()
    try:
        return work()
    except KeyboardInterrupt:  # from the kernels; it must not reach the event loop
        raise Refused(503, "too long: stopped") from None


async def until_gone(work: Coroutine[Any, Any, T], gone: Awaitable[Any]) -> T:
    """Return the result of `work`, which is cancelled when `gone` returns: the client has left."""
    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone)
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Refused(400, "the client has left")
    finally:
        leaving.cancel()
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # has been seen
