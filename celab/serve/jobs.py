"""Short work in threads, long work in worker processes; both are stopped at their deadline.

A thread is stopped in its kernels (`celab._native.watch`); what runs outside them is short because
the texts are. A worker process is killed: at its deadline, when its client leaves, and when the
server ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Never, TypeVar

from celab._native.watch import Stop
from celab.base.dicts import Arguments, JsonObject
from celab.serve import ServerLimits

T = TypeVar("T")
# The worker finds modules where this process does, and not in the working folder.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from celab.serve.worker import main; main(int(sys.argv[2]))"
)
# Address space is limited, and a BLAS reserves some for each of its threads.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_REUSABLE = (200, 400, 422)  # statuses after which a worker may take another task


class Refused(Exception):
    """A request that is answered with an error: an HTTP status and one line.

    With `is_temporary`, the client is told to send it again, with `can_align` to try `align`.
    """

    def __init__(
        self, status: int, error: str, *, is_temporary: bool = False, can_align: bool = False
    ) -> None:
        super().__init__(error)
        self.status, self.is_temporary, self.can_align = status, is_temporary, can_align


@asynccontextmanager
async def _deadline(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        message = f"too long: there is no answer after {seconds:g} s; try shorter text"
        raise Refused(503, message) from None


class Pool:
    """Worker processes for one kind of work, each killed at its deadline; the next one is new."""

    def __init__(self, what: str, n_workers: int, limits: ServerLimits) -> None:
        self._what, self._limits = what, limits
        self._slots, self._n_free = asyncio.Semaphore(n_workers), n_workers + limits.waiting
        self._workers: set[Process] = set()
        self._idle: list[Process] = []

    async def run(self, seconds: float, work: str, arguments: Arguments) -> JsonObject:
        """Return the answer of `answers.WORK(**arguments)`, from a worker process."""
        if not self._n_free:
            raise Refused(503, f"too many {self._what} at once; try again later")
        self._n_free -= 1
        try:
            async with self._slots, _deadline(seconds):
                return await self._ask(await self._take(), work, arguments)
        finally:
            self._n_free += 1

    async def close(self) -> None:
        """Kill all workers, and wait until they have ended."""
        for worker in list(self._workers):
            await self._kill(worker)

    async def _take(self) -> Process:
        while self._idle:
            worker = self._idle.pop()
            if worker.returncode is None:
                return worker
            self._workers.discard(worker)
        # A worker that is killed after its end may be reaped twice, of which asyncio warns.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        # A session of its own: Ctrl-C in a terminal goes to the server alone, which kills workers.
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _START),
            *(json.dumps([*map(str, sys.path)]), str(self._limits.worker_memory)),
            stdin=PIPE,
            stdout=PIPE,
            limit=self._limits.answer,
            env=os.environ | _ONE_THREAD,
            start_new_session=True,
        )
        self._workers.add(worker)
        return worker

    async def _ask(self, worker: Process, work: str, arguments: Arguments) -> JsonObject:
        assert worker.stdin is not None and worker.stdout is not None
        status = 0
        try:
            worker.stdin.write(f"{json.dumps([work, arguments])}\n".encode())
            line = await _read_line(worker.stdout, self._limits.answer)
            if not line:
                code = await worker.wait()
                message = f"the worker process ended with code {code}; try less text"
                raise Refused(500, message)
            status, answer = json.loads(line)
        finally:
            # After a report, a worker may hold much memory.
            if status in _REUSABLE and work != "report":
                self._idle.append(worker)
            else:
                await self._kill(worker)
        if status != 200:
            raise Refused(status, **answer)
        return answer  # type: ignore[no-any-return]

    async def _kill(self, worker: Process) -> None:
        with suppress(ProcessLookupError):  # it has ended
            worker.kill()
        await worker.wait()
        self._workers.discard(worker)


async def _read_line(stream: asyncio.StreamReader, limit: int) -> bytes:
    try:
        return await stream.readline()
    except ValueError:
        message = f"the answer has more than {limit:,} bytes; try less text"
        raise Refused(413, message) from None


class Runner:
    """Runs the work of a server, and ends it with the server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.long_pairs = Pool("long pairs", limits.long_pairs, limits)
        self.reports = Pool("reports", 1, limits)
        self._threads = ThreadPoolExecutor(limits.threads, "celab-answer")
        self._loading: dict[Hashable, asyncio.Future[object]] = {}

    async def load(self, load: Callable[..., object], *key: Hashable) -> None:
        """Call `load(*key)`, once for all requests that wait; it goes on when they leave."""
        if key not in self._loading:
            loop = asyncio.get_running_loop()
            # With a stop of its own: a thread still follows that of its last request, which is set.
            loading = self._loading[key] = loop.run_in_executor(
                self._threads, _follow, Stop(), lambda: load(*key)
            )

            def forget(done: asyncio.Future[object]) -> None:
                del self._loading[key]
                if not done.cancelled():
                    done.exception()  # each request has seen it, or nobody waits

            loading.add_done_callback(forget)
        try:
            async with asyncio.timeout(self.limits.loading_seconds):
                await asyncio.shield(self._loading[key])
        except TimeoutError:
            message = "the lexicon is being prepared; try again in a few seconds"
            raise Refused(503, message, is_temporary=True) from None

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of short work; its kernels are stopped if this is cancelled."""
        stop, loop = Stop(), asyncio.get_running_loop()
        try:
            async with _deadline(self.limits.pair_seconds):
                return await loop.run_in_executor(self._threads, _follow, stop, work)
        finally:
            stop.set()

    async def close(self) -> None:
        """End the workers, and begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self.long_pairs.close()
        await self.reports.close()


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
        await asyncio.wait({task, leaving})  # until a worker process has ended
