"""A metric whose model `fit` makes in memory, and `save` writes to a file that can be loaded."""

from __future__ import annotations

import hashlib
import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

from celab.base import io
from celab.base.arguments import Arguments, JsonObject, check_path
from celab.base.errors import InputError, OptionError, Setting
from celab.base.json_files import Object
from celab.base.options import complete, copy_with
from celab.base.run import RunOptions
from celab.base.signature import Signature
from celab.base.text.escapes import dump_json, escape_controls
from celab.base.version import __version__
from celab.metrics.base import Metric
from celab.metrics.options import DiscourseData
from celab.metrics.tesla_f import read_model


class ModelFile(NamedTuple):
    """The content of a model, its digest, and the path that it was read from."""

    content: JsonObject
    digest: str
    path: str

    @classmethod
    def of(cls, content: JsonObject) -> ModelFile:
        """Return a model that is not in a file; its digest is that of the file it would be."""
        digest = hashlib.sha256(_written(content).encode()).hexdigest()
        return cls(content, digest, "in memory")


def _written(content: JsonObject) -> str:
    return dump_json(content, indent=1)


@dataclass(frozen=True, eq=False, repr=False)
class TrainedMetric(Metric, RunOptions, DiscourseData):
    """A metric of discourse with a model; without one it can only be trained."""

    format: ClassVar[str]  # name of the model file's format
    shape: ClassVar[Object]
    of_model: ClassVar[tuple[str, ...]]  # options that the model decides
    combine = "all"

    @cached_property
    def _model(self) -> ModelFile | None:
        if self.model is None:
            return None
        content, digest = read_model(self.model, self.format, self.shape)
        path = os.fspath(self.model)
        # Absolute, so that a copy made in another folder finds the file.
        complete(self, model=os.path.abspath(path))
        self._check_given(content, self.of_model, path)
        return ModelFile(content, digest, path)

    def _check_given(self, content: JsonObject, options: Sequence[str], path: str) -> None:
        """Raise `OptionError` if an option is set to another value than that of the model."""
        for option in options:
            if (value := getattr(self, option)) is not None and content[option] != value:
                raise OptionError(
                    (
                        f"model {path} has {option} {content[option]!r}, but ",
                        Setting(option),
                        f" is {value!r}",
                    ),
                    hint="they must agree",
                )

    @property
    def content(self) -> JsonObject:
        """The content of the model; `OptionError` before `fit`."""
        if self._model is None:
            raise OptionError(
                f"{self.name} needs a model; celab train makes one, see docs/other-metrics.md"
            )
        return self._model.content

    def _option(self, name: str, default: Any = None) -> Any:
        """Return an option: as it is given, as the model has it, or its default."""
        if self._model is not None:
            return self._model.content[name]
        value = getattr(self, name)
        return default if value is None else value

    def save(self, path: io.AnyPath) -> None:
        """Write the model, which `load` and `celab score --model` read."""
        check_path("path", path)
        io.write(path, _written(self.content))

    @classmethod
    def load(cls, path: io.AnyPath, **settings: Any) -> Self:
        """Return the metric with the model in a file.

        Parameters:
            path: the file.
            settings: other arguments of the class, such as relations.
        """
        return cls(path, **settings)

    @abstractmethod
    def with_content(self, content: JsonObject) -> Self:
        """Return a copy with a model that is not in a file."""

    def _with_content(self, content: JsonObject, **parts: object) -> Self:
        """Return a copy with a model in memory, and with the attributes made from it."""
        new = copy_with(self, model=None, _model=ModelFile.of(content), **parts)
        return complete(new, signature=new._sign())

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        return self._sign()

    @abstractmethod
    def _parts(self) -> list[tuple[str, str]]:
        """Return the parts of the signature without the model and the version."""

    def _sign(self) -> Signature:
        parts = self._parts()
        if self._model is not None:
            theirs = Signature.parse(self._model.content["trained_with"])
            if theirs != (ours := self.trained_with()):
                difference = theirs.difference(ours) or (theirs, ours)
                raise InputError(
                    f"model {self._model.path} was trained with {escape_controls(difference[0])},"
                    f" but here it is {difference[1]}; use the same packages and settings, or train"
                    " it again"
                )
            parts = [*parts, ("model", f"@{self._model.digest[:12]}")]
        return Signature(self.name, [*parts, ("v", __version__)])

    def trained_with(self) -> Signature:
        """Return the signature that must be equal where a model is used; it has no parsed texts."""
        parts = [
            (key, "conll" if value.startswith("conll@") else value) for key, value in self._parts()
        ]
        return Signature(self.name, parts)

    def __reduce__(self) -> tuple[object, ...]:
        if self.model is None and self._model is not None:
            return _unpickle, (type(self), self.arguments() | asdict(self.run), self.content)
        return super().__reduce__()


def _unpickle(kind: type[TrainedMetric], arguments: Arguments, content: JsonObject) -> Metric:
    return kind(**arguments).with_content(content)
