"""Parcels: the large things a metric stands on, sent to each worker once, under their digest.

    driver   lexicon, or pickled metric → `Parcel`, registered with the scheduler
    worker   parcel → a file in the worker's lexicon folder, mapped by all metrics that need it

The scheduler hands a parcel to every worker there is and to every one that joins later, such as the
one that takes the place of a worker that died. Nothing is looked for on the worker: it needs celab,
and neither the lexicon's source nor the package that brings it.
"""

from __future__ import annotations

import contextlib
import hashlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from celab.errors import InputError, OptionError
from celab.lexicon.compiled import Compiled, load, save
from celab.lexicon.folders import cache_folder
from celab.lexicon.lexicon import Lexicon

try:
    from distributed import WorkerPlugin
except ModuleNotFoundError:  # whoever asks for work is told, in `celab.distributed`
    WorkerPlugin = object  # type: ignore[assignment, misc, unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Iterable

_received: dict[str, Parcel] = {}  # of this process, by digest
_sent: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()  # by client


class Parcel(ABC):
    """Something with a digest that can be unpacked, on any machine."""

    def __init__(self, digest: str) -> None:
        self.digest = digest

    def arrive(self, folder: Path) -> None:  # noqa: B027 (not every parcel has something to do)
        """Called once in each process that receives it; `folder` can be written if any can."""

    @abstractmethod
    def unpacked(self) -> Any:
        """What was packed."""


class LexiconParcel(Parcel):
    """A compiled lexicon; of no use under another version of celab, which the signature tells."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.cited = lexicon.cited
        self.index = {"n_groups": lexicon.n_groups}
        self.arrays: dict[str, Any] = _arrays_of(lexicon)
        self.path: Path | None = None
        super().__init__(_digest(self.cited, self.arrays))

    def arrive(self, folder: Path) -> None:
        """Keeps the arrays in a file, which the workers of one machine share in memory."""
        for place in (cache_folder(), folder):
            path = place / f"shipped-{self.digest[:24]}.lexc"
            with contextlib.suppress(OSError):
                if load(self.digest, path) is None:
                    save(Compiled(self.index, self.arrays, None), self.digest, path)
                self.path, self.arrays = path, {}
                return

    def unpacked(self) -> Lexicon:
        """The lexicon, as the driver has it."""
        compiled: Compiled | None = Compiled(self.index, self.arrays, None)
        if self.path is not None:
            compiled = load(self.digest, self.path)
        if compiled is None:
            raise InputError(
                f"the lexicon that was sent is gone or damaged ({self.path});"
                " it must stay there until all is scored"
            )
        return Lexicon(self.cited, compiled)


class BytesParcel(Parcel):
    """A pickle; whoever receives it unpickles it."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        super().__init__(hashlib.sha256(content).hexdigest())

    def unpacked(self) -> bytes:
        """The bytes."""
        return self.content


class Delivery(WorkerPlugin):  # type: ignore[misc, unused-ignore]  # no class without the extra
    """How a parcel reaches a worker."""

    def __init__(self, parcel: Parcel) -> None:
        self.parcel = parcel
        self.name = name_of(parcel)

    def setup(self, worker: Any) -> None:
        """Before the worker gets its first task."""
        receive(self.parcel, Path(worker.local_directory))


def name_of(parcel: Parcel) -> str:
    """What the scheduler calls it."""
    return f"celab-{parcel.digest[:24]}"


def send(parcel: Parcel, client: Any) -> None:
    """To all workers of the client, unless it was sent before; without a client to this process."""
    if client is None:
        receive(parcel, cache_folder())
        return
    sent = _sent.setdefault(client, set())
    if parcel.digest in sent:
        return
    try:
        client.register_plugin(Delivery(parcel), name=name_of(parcel))
    except ModuleNotFoundError as error:
        raise OptionError(
            f"a worker has no module {error.name!r}; celab[dask] must be installed on all of them"
        ) from None
    sent.add(parcel.digest)


def receive(parcel: Parcel, folder: Path) -> None:
    """Makes the parcel known in this process."""
    if parcel.digest not in _received:
        parcel.arrive(folder)
        _received[parcel.digest] = parcel


def is_received(digest: str) -> bool:
    """Whether this process has the parcel with that digest."""
    return digest in _received


def content_of(digest: str) -> Any:
    """What is in the parcel with that digest."""
    if not is_received(digest):
        raise InputError(
            f"what was sent as {digest[:24]} is not in this process;"
            " the scores must be computed by the client that `score` was given"
        )
    return _received[digest].unpacked()


def _arrays_of(lexicon: Lexicon) -> dict[str, Any]:
    _, slots, root, word_start, word_group = lexicon.native.buffer
    labels = [lexicon.label(group).encode() for group in range(lexicon.n_groups)]
    named: Iterable[tuple[str, Any]] = zip(
        ("vocabulary_letter", "vocabulary_begin", "vocabulary_slot"),
        lexicon.vocabulary.arrays(),
        strict=True,
    )
    return {
        "slots": np.asarray(slots),
        "root": np.asarray(root),
        "word_start": np.asarray(word_start),
        "word_group": np.asarray(word_group),
        "label_start": np.cumsum([0, *map(len, labels)], dtype=np.int64),
        "label_text": np.frombuffer(b"".join(labels), np.uint8),
        **dict(named),
    }


def _digest(cited: str, arrays: dict[str, Any]) -> str:
    found = hashlib.sha256(cited.encode())
    for name, array in arrays.items():
        found.update(f"|{name} {array.dtype.str} {array.nbytes}|".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()
