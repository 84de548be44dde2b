"""Short work in threads, long work in worker processes; both are stopped, not only abandoned.

A thread is stopped in its kernels (`celab._native.watch`); what runs outside them is short because
the texts are. A lexicon that must be loaded or compiled first is prepared by other threads, once
for all requests that wait for it, and to its end: the next request finds it ready. A worker process
is killed: at its time limit, when its client leaves, and when the server ends. The files of a
report are in a temporary folder, removed when the process has ended.
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
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import IO, Never, TypeVar, cast

from celab._native.watch import Stop
from celab.base import io
from celab.base.dicts import Arguments, JsonObject
from celab.serve.answers import Lazy
from celab.serve.limits import ServerLimits

T = TypeVar("T")
THREAD_NAME = "celab-answer"
# The worker finds modules where this process does, and not in the working folder.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from celab.serve.worker import main; main(int(sys.argv[2]))"
)
# Address space is limited, and a BLAS reserves some for each of its threads.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Refused(Exception):
    """A request that is answered with an error: an HTTP status and one line.

    With `is_temporary`, the client is told to send it again.
    """

    def __init__(self, status: int, message: str, *, is_temporary: bool = False) -> None:
        super().__init__(message)
        self.status, self.is_temporary = status, is_temporary


class Worker:
    """A worker process and the pipes to it."""

    def __init__(self, limits: ServerLimits) -> None:
        self._most = limits.answer
        # A session of its own: Ctrl-C in a terminal goes to the server alone, which kills workers.
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-c", _START),
                *(json.dumps([*map(str, sys.path)]), str(limits.worker_memory)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ONE_THREAD,
            start_new_session=True,
        )

    @property
    def is_alive(self) -> bool:
        """Whether it can take a task."""
        return self._process.poll() is None

    def ask(self, task: JsonObject) -> tuple[int, bytes]:
        """Return the HTTP status and the body of the answer to a task."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None
        try:
            requests.write(f"{json.dumps(task)}\n".encode())
            requests.flush()
            status, size = map(int, answers.readline().split())
            if size > self._most:
                raise Refused(413, f"the answer has more than {self._most:,} bytes; try less text")
            return status, answers.read(size)
        except (OSError, ValueError):  # a broken pipe, or no answer
            code = self._process.wait()
            message = f"the worker process ended with code {code}; try less text"
            raise Refused(500, message) from None

    def kill(self) -> None:
        """End the process; does not wait for it."""
        self._process.kill()

    def close(self) -> None:
        """End the process and wait for it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was written has not been read
                cast(IO[bytes], pipe).close()


class Workers:
    """Worker processes; those that have answered wait for the next long pair."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._lock = Lock()
        self._idle: list[Worker] = []
        self._is_closed = False

    def take(self) -> Worker:
        """Return a worker that has no task."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive:
                    return worker
                worker.close()
        return Worker(self._limits)

    def give_back(self, worker: Worker) -> None:
        """Keep a worker for later."""
        with self._lock:
            if not self._is_closed and len(self._idle) < self._limits.long_pairs:
                self._idle.append(worker)
                return
        worker.close()

    def close(self) -> None:
        """End those that wait."""
        with self._lock:
            self._is_closed = True
            for worker in self._idle:
                worker.close()
            self._idle.clear()


class Job:
    """A task for a worker process, with the files that it needs (name → content in base64)."""

    def __init__(
        self,
        workers: Workers,
        work: str,
        arguments: Arguments,
        data: Mapping[str, str] | None = None,
    ) -> None:
        self._workers, self._work, self._arguments, self._data = workers, work, arguments, data
        self._lock = Lock()
        self._worker: Worker | None = None
        self._is_killed = False

    def run(self) -> bytes:
        """Return the body of the answer; raises `Refused` if there is none.

        A killed process has ended when this returns, and the files are gone.
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
        """End the process, if it has begun; does not wait for it."""
        with self._lock:
            self._is_killed = True
            if self._worker is not None:
                self._worker.kill()

    def _store(self, folder: Path) -> None:
        for name, data in (self._data or {}).items():
            if self._is_killed:
                return
            try:
                content = base64.b64decode(data, validate=True)
            except (binascii.Error, ValueError):
                raise Refused(400, f"{Path(name).name}: data is not base64") from None
            (folder / name).parent.mkdir()
            io.write(folder / name, content)

    def _answer(self, folder: str | None) -> bytes:
        worker = self._workers.take()
        with self._lock:
            self._worker = worker
            if self._is_killed:
                worker.kill()
        is_reusable = False
        try:
            arguments = self._arguments | ({} if folder is None else {"folder": folder})
            task = {"work": self._work, "arguments": arguments, "folder": folder}
            status, body = worker.ask(task)
            # After a report, a worker may hold much memory.
            is_reusable = folder is None and status in (200, 400, 422)
        except Refused:
            if self._is_killed:
                raise Refused(503, "stopped") from None
            raise
        finally:
            with self._lock:
                self._worker = None
                is_reusable = is_reusable and not self._is_killed
            if is_reusable:
                self._workers.give_back(worker)
            else:
                worker.close()
        if status != 200:
            raise Refused(status, body.decode())
        return body


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


class Preparations:
    """Loads lexicons, each once for all who wait, and goes on when they leave."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.preparing, THREAD_NAME)
        self._tasks: dict[Lazy[object], asyncio.Task[None]] = {}
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by lexicon

    async def wait(self, lazy: Lazy[object]) -> None:
        """Wait until the value is ready; raises `Refused` if that takes too long."""
        if lazy.is_ready:
            return
        if lazy not in self._tasks:
            if len(self._tasks) >= self._limits.waiting:
                message = "too many lexicons are being prepared; try again later"
                raise Refused(503, message, is_temporary=True)
            task = self._tasks[lazy] = asyncio.ensure_future(self._prepare(lazy))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            async with asyncio.timeout(self._limits.pair_seconds):
                await asyncio.shield(self._tasks[lazy])
        except TimeoutError:
            message = "the lexicon is being prepared; try again in a few seconds"
            raise Refused(503, message, is_temporary=True) from None

    async def _prepare(self, lazy: Lazy[object]) -> None:
        try:
            async with AsyncExitStack() as stack:
                for name in sorted(lazy.lexicons):  # so that nothing is compiled twice at once
                    await stack.enter_async_context(self._locks[name])
                await asyncio.get_running_loop().run_in_executor(self._threads, lazy.get)
        finally:
            del self._tasks[lazy]

    def close(self) -> None:
        """Begin nothing more; does not wait."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Runner:
    """Runs the work of a server, and ends it with the server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.long_pairs = Queue("long pairs", limits.long_pairs, limits.waiting)
        self.reports = Queue("reports", 1, limits.waiting)
        self._threads = ThreadPoolExecutor(limits.threads, THREAD_NAME)
        self._waiters = ThreadPoolExecutor(limits.long_pairs + 1, "celab-worker")
        self._preparations = Preparations(limits)
        self.workers = Workers(limits)
        self._jobs: set[Job] = set()
        self._is_closed = False

    async def in_thread(self, needed: Lazy[object], work: Callable[[], T]) -> T:
        """Return the result of short work; its kernels are stopped if this is cancelled."""
        self._check_open()
        await self._preparations.wait(needed)
        self._check_open()
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

    async def in_process(
        self, needed: Lazy[object], queue: Queue, job: Job, seconds: float
    ) -> bytes:
        """Return the answer of a worker process, which is killed if this is cancelled.

        The process finds the lexicon in the cache, compiled.
        """
        self._check_open()
        await self._preparations.wait(needed)
        async with queue.turn():
            self._check_open()
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

    def _check_open(self) -> None:
        # A request may arrive while the server ends.
        if self._is_closed:
            raise Refused(503, "the server is ending")

    def close(self) -> None:
        """Kill the worker processes and wait until they have ended and their files are gone."""
        self._is_closed = True
        for job in list(self._jobs):
            job.kill()
        self._waiters.shutdown(cancel_futures=True)
        self.workers.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._preparations.close()


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


async def run_until_disconnect(work: Coroutine[object, Never, T], gone: Awaitable[object]) -> T:
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
