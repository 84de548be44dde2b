"""Short work in threads, long work in worker processes; both are stopped at their deadline.

A thread is stopped in its kernels (`celab._native.watch`); what runs outside them is short because
the texts are. A worker process is killed: at its deadline, when its client leaves, and when the
server ends. Its memory is limited.

Standard input of a worker has a task on each line, `[name in celab.serve.answers, arguments]`, and
its standard output the answer, `[HTTP status, answer or error]`, both in JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import traceback
import warnings
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Never, TypeVar

from celab._native.watch import Stop
from celab.base.arguments import Arguments, JsonObject
from celab.base.errors import CelabError, LimitError, MismatchError, SolverError
from celab.base.run import TooLong
from celab.base.text.escapes import dump_json
from celab.serve import ServerLimits, answers

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

T = TypeVar("T")
# The worker finds modules where this process does, and not in the working folder.
_WORKER_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from celab.serve.jobs import work; work(int(sys.argv[2]))"
)
# The address space of a worker is limited, and a BLAS reserves some for each of its threads.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
BUG = "internal error; see the server log"
WORKER_NICENESS = 5  # lower priority than the server, so that short answers come first
_REUSABLE = (200, 400, 422)  # statuses after which a worker may take another task


class RefusedRequest(Exception):
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
        raise RefusedRequest(503, message) from None


class Pool:
    """Worker processes for one kind of work.

    A worker is killed at its deadline; the next task starts a new one.
    """

    def __init__(self, what: str, n_workers: int, limits: ServerLimits) -> None:
        self._what, self._limits = what, limits
        self._slots, self._n_free = asyncio.Semaphore(n_workers), n_workers + limits.waiting
        self._workers: set[Process] = set()
        self._idle: list[Process] = []

    async def run(self, seconds: float, work: str, arguments: Arguments) -> JsonObject:
        """Return the answer of `answers.WORK(**arguments)`, from a worker process."""
        if not self._n_free:
            raise RefusedRequest(503, f"too many {self._what} at once; try again later")
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
        # asyncio warns if a worker is killed that has just ended, which does no harm.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        # A session of its own: Ctrl-C in a terminal goes to the server alone, which kills workers.
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _WORKER_CODE),
            *(json.dumps([*map(str, sys.path)]), str(self._limits.worker_memory_bytes)),
            stdin=PIPE,
            stdout=PIPE,
            limit=self._limits.answer_bytes,
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
            line = await _read_line(worker.stdout, self._limits.answer_bytes)
            if not line:
                code = await worker.wait()
                message = f"the worker process ended with code {code}; try less text"
                raise RefusedRequest(500, message)
            status, answer = json.loads(line)
        finally:
            # After a report, a worker may hold much memory.
            if status in _REUSABLE and work != "report":
                self._idle.append(worker)
            else:
                await self._kill(worker)
        if status != 200:
            raise RefusedRequest(status, **answer)
        return answer  # type: ignore[no-any-return]

    async def _kill(self, worker: Process) -> None:
        with suppress(ProcessLookupError):  # it has ended
            worker.kill()
        await worker.wait()
        self._workers.discard(worker)


async def _read_line(stream: asyncio.StreamReader, limit: int) -> bytes:
    try:
        return await stream.readline()
    except ValueError:  # asyncio's error for a line longer than the stream's limit
        message = f"the answer has more than {limit:,} bytes; try less text"
        raise RefusedRequest(413, message) from None


class Runner:
    """Runs the work of a server, and ends it with the server."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.long_pairs = Pool("long pairs", limits.long_pair_workers, limits)
        self.reports = Pool("reports", 1, limits)
        self._threads = ThreadPoolExecutor(limits.threads, "celab-answer")
        self._loading: dict[Hashable, asyncio.Future[object]] = {}

    async def load(self, load: Callable[..., object], *key: Hashable) -> None:
        """Call `load(*key)`, once for all requests that wait for it; it goes on if they leave."""
        if key not in self._loading:
            loop = asyncio.get_running_loop()
            # A new stop event, because the stop event of the last request is set.
            loading = self._loading[key] = loop.run_in_executor(
                self._threads, _follow, Stop(), lambda: load(*key)
            )

            def forget(done: asyncio.Future[object]) -> None:
                del self._loading[key]
                if not done.cancelled():
                    # asyncio logs an exception that nobody has asked for. Each request that waits
                    # gets it; if all have left, nobody needs it.
                    done.exception()

            loading.add_done_callback(forget)
        try:
            async with asyncio.timeout(self.limits.loading_seconds):
                await asyncio.shield(self._loading[key])
        except TimeoutError:
            message = "the lexicon is being prepared; try again in a few seconds"
            raise RefusedRequest(503, message, is_temporary=True) from None

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Return the result of short work; its kernels are stopped if this is cancelled."""
        stop, loop = Stop(), asyncio.get_running_loop()
        try:
            async with _deadline(self.limits.pair_seconds):
                return await loop.run_in_executor(self._threads, _follow, stop, work)
        finally:
            stop.set()

    async def close(self) -> None:
        """Kill the workers, and cancel work that has not begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self.long_pairs.close()
        await self.reports.close()


def _follow(stop: Stop, work: Callable[[], T]) -> T:
    """Return the result of work in this thread, whose kernels end when `stop` is set."""
    stop.follow()
    try:
        return work()
    except KeyboardInterrupt:  # kernels raise it; it must not reach the event loop
        raise RefusedRequest(503, "time limit exceeded") from None


async def run_until_disconnect(work: Coroutine[object, Never, T], gone: Awaitable[object]) -> T:
    """Return the result of `work`, which is cancelled when `gone` returns: the client has left."""
    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone)
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise RefusedRequest(400, "client disconnected")
    finally:
        leaving.cancel()
        task.cancel()
        await asyncio.wait({task, leaving})  # until a worker process has ended


def refusal(error: CelabError, time_limit: float) -> tuple[int, JsonObject]:
    """Return the HTTP status and the answer to an error of celab."""
    message = answers.message_of(error)
    if isinstance(error, TooLong):
        return 422, {"error": f"too long: {message}"}
    if isinstance(error, SolverError):
        return 422, {"error": f"too long: no optimum was proved in {time_limit:g} s"}
    if isinstance(error, MismatchError) and error.can_align:
        return 400, {"error": message, "can_align": True}
    return 413 if isinstance(error, LimitError) else 400, {"error": message}


def work(memory: int) -> None:
    """Answer the tasks on standard input until it ends; `memory` is the bytes of address space."""
    if resource is not None:
        with suppress(OSError, ValueError):  # macOS has no such limit
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if hasattr(os, "nice"):
        os.nice(WORKER_NICENESS)
    warnings.simplefilter("ignore")  # the answers have them
    with os.fdopen(os.dup(1), "wb", buffering=0) as output, suppress(BrokenPipeError):
        os.dup2(2, 1)  # a library that prints must not write into the answer
        for task in sys.stdin.buffer:
            name, arguments = json.loads(task)
            answer = _answer(name, arguments, memory)
            left = memoryview(dump_json(answer).encode("utf-8", "replace"))
            while left:
                left = left[output.write(left) :]


def _answer(name: str, arguments: Arguments, memory: int) -> tuple[int, object]:
    try:
        return 200, getattr(answers, name)(**arguments)
    except CelabError as error:
        return refusal(error, arguments.get("time_limit", 0))
    except MemoryError:
        message = f"this needs more than {memory >> 20:,} MiB of memory; try less text"
        return 413, {"error": message}
    except Exception as error:
        traceback.print_exception(error)  # a bug keeps its trace
        return 500, {"error": BUG}
