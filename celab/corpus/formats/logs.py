"""Logs of evaluations of language models, and results of batch APIs → parts.

Segments are joined by the ids of samples.

lm-evaluation-harness, `samples_TASK_DATE.jsonl`: one line for each document and filter.

    doc_id, doc, target, filtered_resps, filter

`target` is the reference, or the list of references as Python writes it; each filter is a system.
The source is in `doc`, if that has one of the usual fields. White space around texts is dropped,
because tasks put a space before the target.

Inspect, JSON: an object with `eval` and `samples`, each of which has an id, an epoch, input, target
and output. The system has the name of the model; several epochs are several systems.

OpenAI evals, JSON Lines: `spec`, then events. `sampling` has the prompt and the output, `match`
what was expected. The system has the name of the completion function.

A sample that occurs again, for another filter or epoch or in another log, must expect the same.

A sample without output, because its request failed, is a segment that the system lacks.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from celab.base.errors import InputError
from celab.corpus.formats.fields import source_in
from celab.corpus.formats.json_text import (
    JsonRecord,
    abbreviate,
    check_surrogates,
    records_of_lines,
    value_at,
    whole_object,
)
from celab.corpus.model import FilePart, Role, Segment, TextFile, gather_parts, set_once

_SPACES = " \t\r\n"
_LISTS = ("['", '["')  # how Python writes a list of texts


def recognize(first: Mapping[str, object]) -> str:
    """Return the format of a log, by the first object of a file; "" for other files."""
    if "filtered_resps" in first and "doc_id" in first:
        return "lm-eval"
    if isinstance(first.get("eval"), dict) and isinstance(first.get("samples"), list):
        return "inspect"
    spec = first.get("spec")
    if isinstance(spec, dict) and "completion_fns" in spec:
        return "openai-evals"
    return ""


@dataclass(slots=True)
class _Sample:
    """A sample of a log; its outputs have the names of systems."""

    targets: list[str]
    source: str | None
    outputs: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Samples:
    """The samples of a log; a sample that occurs again must have the same expected answer."""

    by_key: dict[Segment, _Sample] = field(default_factory=dict)
    targets: dict[Segment, tuple[list[str], str]] = field(default_factory=dict)

    def add(self, key: Segment, where: str, targets: list[str], source: str | None) -> _Sample:
        """Return the sample of a key."""
        set_once(self.targets, key, targets, where, f"the target of sample {key.id}")
        return self.by_key.setdefault(key, _Sample(targets, source))


def _parts(file: TextFile, samples: Mapping[Segment, _Sample]) -> list[FilePart]:
    segments: list[tuple[Role, str, Segment, str]] = []
    n_targets = max((len(sample.targets) for sample in samples.values()), default=0)
    for key, sample in samples.items():
        if sample.source is not None:
            segments.append(("source", file.name, key, sample.source))
        for number, target in enumerate(sample.targets, start=1):
            name = f"target {number}" if n_targets > 1 else file.name
            segments.append(("reference", name, key, target))
        segments += [("system", name, key, output) for name, output in sample.outputs]
    targets = {key: sample.targets for key, sample in samples.items()}
    return [replace(part, targets=targets) for part in gather_parts(file, segments)]


def lm_eval(file: TextFile) -> list[FilePart]:
    """Return the source, the references and a system for each filter of lm-evaluation-harness."""
    samples = _Samples()
    for record in records_of_lines(file):
        target, doc = record.values.get("target"), record.values.get("doc")
        if isinstance(target, str) and target.startswith(_LISTS):
            target = _python_list(target) or target
        targets = _texts(record, "target", target)
        source = source_in(file, doc) if isinstance(doc, dict) else None
        source = None if source is None else _text(record.where, source)
        sample = samples.add(_key(record, "doc_id"), record.where, targets, source)
        output = record.values.get("filtered_resps")
        while isinstance(output, list):
            output = output[0] if output else None
        if not isinstance(output, str):
            raise InputError(
                f"{record.where}: 'filtered_resps' is"
                f" {abbreviate(record.values.get('filtered_resps'))}; its first item must be a text"
            )
        filter_name = str(record.values.get("filter", "none"))
        sample.outputs.append((filter_name, _text(record.where, output)))
    filters = {name for sample in samples.by_key.values() for name, _ in sample.outputs}
    if len(filters) == 1:
        for sample in samples.by_key.values():
            sample.outputs = [(file.name, output) for _, output in sample.outputs]
    return _parts(file, samples.by_key)


def _python_list(text: str) -> list[str]:
    """Return the texts of a list in Python syntax; [] for other text in brackets."""
    with warnings.catch_warnings(), suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        warnings.simplefilter("ignore", SyntaxWarning)  # escapes that Python does not know
        value = ast.literal_eval(text)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
    return []


def inspect(file: TextFile) -> list[FilePart]:
    """Return the source, the references and the model of a log of Inspect, for each epoch."""
    log = whole_object(file)
    rows = log.get("samples")
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{file.name} has no samples; it must be a log of Inspect with samples")
    head = log.get("eval")
    model = head.get("model") if isinstance(head, dict) else None
    name = model if isinstance(model, str) and model else file.name
    records = []
    for number, sample in enumerate(rows, start=1):
        where = f"{file.name}, sample {number}"
        if not isinstance(sample, dict):
            raise InputError(f"{where}: {abbreviate(sample)} is not an object")
        records.append(JsonRecord(where, sample))
    epochs = dict.fromkeys(_epoch(record) for record in records)
    samples = _Samples()
    for record in records:
        targets, source = (
            _texts(record, "target", record.values.get("target")),
            _prompt(record, "input"),
        )
        sample = samples.add(_key(record, "id"), record.where, targets, source)
        if (output := _inspect_output(record)) is not None:
            system = f"{name} epoch {_epoch(record)}" if len(epochs) > 1 else name
            sample.outputs.append((system, _text(record.where, output)))
    return _parts(file, samples.by_key)


def _epoch(record: JsonRecord) -> str:
    return str(record.values.get("epoch", 1))


def _inspect_output(record: JsonRecord) -> str | None:
    output = record.values.get("output")
    if not isinstance(output, dict):
        return None
    if isinstance(completion := output.get("completion"), str):
        return completion if completion or output.get("choices") else None
    return _message(value_at(output, "choices.0.message.content"))


def openai_evals(file: TextFile) -> list[FilePart]:
    """Return the source, the references and the system of a log of OpenAI evals."""
    name = file.name
    matches: dict[Segment, tuple[Mapping[str, object], str]] = {}
    samplings: dict[Segment, list[JsonRecord]] = {}
    for record in records_of_lines(file):
        function = _first(value_at(record.values, "spec.completion_fns"))
        name = function if isinstance(function, str) and function else name
        data, kind = record.values.get("data"), record.values.get("type")
        if not isinstance(data, dict) or "sample_id" not in record.values:
            continue
        if kind == "match":
            key = _key(record, "sample_id")
            set_once(matches, key, data, record.where, f"the match of sample {key.id}")
        elif kind == "sampling":
            key = _key(record, "sample_id")
            samplings.setdefault(key, []).append(JsonRecord(record.where, data))
    samples: dict[Segment, _Sample] = {}
    for key, (data, where) in matches.items():
        sampled = samplings.get(key, [])
        source = _prompt(sampled[0], "prompt") if sampled else None
        samples[key] = _Sample(
            _texts(JsonRecord(where, data), "expected", data.get("expected")), source
        )
        if (output := _first(data.get("sampled"))) is None:
            output = _sampled(key, sampled)
        if isinstance(output, str):
            samples[key].outputs.append((name, _text(where, output)))
    if not samples:
        raise InputError(
            f"{file.name} has no event of the type match; it must be a log of OpenAI evals that"
            " says what was expected"
        )
    return _parts(file, samples)


def _sampled(key: Segment, records: Sequence[JsonRecord]) -> object:
    """Return the output of a sample whose match has none."""
    kept: dict[Segment, tuple[object, str]] = {}
    output = None
    for where, values in records:
        value = _first(values.get("sampled"))
        output = set_once(kept, key, value, where, f"the output of sample {key.id}")
    return output


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _texts(record: JsonRecord, field: str, value: object) -> list[str]:
    items = value if isinstance(value, list) and value else [value]
    texts = [_text(record.where, item) for item in items if isinstance(item, str)]
    if len(texts) < len(items):
        raise InputError(
            f"{record.where}: {field!r} is {abbreviate(value)}; it must be a text or a list of"
            " texts"
        )
    return texts


def _prompt(record: JsonRecord, field: str) -> str | None:
    """Return a prompt, or the last message of the user."""
    value = record.values.get(field)
    if isinstance(value, list):
        users = [m for m in value if isinstance(m, dict) and m.get("role") == "user"]
        value = _message(users[-1].get("content")) if users else None
    return _text(record.where, value) if isinstance(value, str) else None


def _key(record: JsonRecord, field: str) -> Segment:
    value = record.values.get(field)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return Segment("", check_surrogates(record.where, str(value).strip()))
    raise InputError(
        f"{record.where}: {field!r} is {abbreviate(value)}; it must be a text or a whole number"
    )


def _text(where: str, text: str) -> str:
    return check_surrogates(where, text).strip(_SPACES)


# Results of batch APIs → a system: OpenAI's, which vLLM writes, too, and Anthropic's.
#
#     OpenAI, vLLM  custom_id, response.body.choices.0.message.content
#     Anthropic     custom_id, result.message.content.0.text
#
# `custom_id` is the id of the segment. Requests come in any order: if all ids are one prefix with
# a number, as `request-7`, the order is that of the numbers, and line n of a file without ids is
# the nth of them. A request that failed, or whose number is missing, is a segment that the system
# lacks. Where the API says that the model refused, the refusal is the output.

_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)


def is_batch(first: Mapping[str, object]) -> bool:
    """Return whether the first object of a file is a result of a batch API."""
    return "custom_id" in first and ("response" in first or "result" in first)


def batch(file: TextFile) -> list[FilePart]:
    """Return the system whose outputs are in the file, or what the file is given as."""
    ids: list[str] = []
    segments: list[tuple[Role, str, Segment, str]] = []
    for record in records_of_lines(file):
        ids.append(_custom_id(record))
        if (output := _output(record)) is not None:
            text = check_surrogates(record.where, output)
            segments.append((file.role or "system", file.name, Segment("", ids[-1]), text))
    order = _order(ids)
    parts = gather_parts(file, segments, [Segment("", name) for name in order or ids])
    return [replace(part, is_ordered=bool(order)) for part in parts]


def _custom_id(record: JsonRecord) -> str:
    value = record.values.get("custom_id")
    if isinstance(value, str) and value.strip():
        return check_surrogates(record.where, value.strip())
    raise InputError(
        f"{record.where}: 'custom_id' is {abbreviate(value)}; each line must be a result of a batch"
        " API, with the id of its request"
    )


def _order(ids: Sequence[str]) -> list[str]:
    """Return the ids in the order of their numbers, with missing ones; [] if they have no numbers.

    >>> _order(["r-3", "r-1", "r-0"]), _order(["a", "b"])
    (['r-0', 'r-1', 'r-2', 'r-3'], [])
    """
    matches = [_NUMBERED.fullmatch(id) for id in ids]
    numbered = [(match[1], match[2]) for match in matches if match]
    if len(numbered) < len(ids) or len({prefix for prefix, _ in numbered}) != 1:
        return []
    by_number = {int(digits): prefix + digits for prefix, digits in numbered}
    first, last = min(1, *by_number), max(by_number)
    width = len(ids[0]) if len({*map(len, ids)}) == 1 else 0
    if len(by_number) < len({*ids}) or last - first >= 2 * len(ids):
        return [by_number[number] for number in sorted(by_number)]
    prefix = numbered[0][0]
    return [
        by_number.get(number, prefix + str(number).zfill(width - len(prefix)))
        for number in range(first, last + 1)
    ]


def _output(record: JsonRecord) -> str | None:
    """Return the text of an answer; None if the request failed."""
    body, message = (value_at(record.values, path) for path in ("response.body", "result.message"))
    choices = value_at(body, "choices")
    if isinstance(choices, list) and len(choices) > 1:
        raise InputError(f"{record.where} has {len(choices)} choices; each request must have one")
    candidates = (
        value_at(choices, "0.message.content"),
        value_at(choices, "0.message.refusal"),
        value_at(choices, "0.text"),
        value_at(message, "content"),
        value_at(body, "content"),
        value_at(body, "output"),
    )
    return next((text for text in map(_message, candidates) if text is not None), None)


def _message(content: object) -> str | None:
    """Return the text of a message, which may be in parts; thinking is left out."""
    if isinstance(content, str):
        return content
    texts = list(_message_parts(content)) if isinstance(content, list) else []
    return "".join(texts) if texts else None


def _message_parts(parts: Iterable[object]) -> Iterable[str]:
    for part in parts:
        text, inner = value_at(part, "text"), value_at(part, "content")
        if isinstance(text, str):
            yield text
        elif isinstance(inner, list):  # OpenAI's responses have such lists
            yield from _message_parts(inner)
