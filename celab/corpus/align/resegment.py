"""Systems whose lines are not the references' lines → parts that are aligned with the references.

A plain text is one document, or has one document a line (`lines`) or between blank lines (`blank`);
its documents are those of the references, in order. Other formats name their documents: SGML, XML,
tables and JSON with a document field, and a folder with one file for each document. These match by
name, in any order. A file whose segments have no documents is one text.
"""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from celab.base import io
from celab.base.errors import InputError, OptionError, Setting
from celab.base.messages import warn
from celab.base.options import Limits
from celab.corpus import formats
from celab.corpus.align.alignment import Alignment, align_documents, warn_if_doubtful
from celab.corpus.align.characters import TimedCues
from celab.corpus.answers.forms import Context, Inside, count_forms, text_inside
from celab.corpus.folders import document_name
from celab.corpus.formats import logs, nul_warning
from celab.corpus.formats.json_text import abbreviate, json_object, records_of_lines
from celab.corpus.formats.pairs import PairFilter, pair_in_name
from celab.corpus.join import OrderedReferences
from celab.corpus.model import TEXT_DOCUMENTS, FilePart, Segment, TextFile, gather_parts, set_once
from celab.tables.cells import quantity

_DOCUMENT_FIELD = "doc_id"  # the field in files of WMT25 and WMT26
_UNNAMED = ""  # name of the only document
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_WMT26 = re.compile(r"\s*+(?:<p>(?:(?!</?p>).)*+</p>\s*+)++", re.DOTALL)
_PARAGRAPHS = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


class DocumentTexts(NamedTuple):
    """The texts of a system, by document."""

    part: FilePart  # its name and its file
    texts: dict[str, str]
    n_lines: int
    cues: Mapping[str, TimedCues] = MappingProxyType({})  # document → cues of its subtitles


def parse(file: TextFile, format: str | None) -> list[FilePart]:
    """Return the parts of a file of references or sources, or of a test set of WMT25 or WMT26."""
    first = _first_object(file) if format in (None, "jsonl") else {}
    if "src_text" in first and isinstance(first.get("refs"), dict):
        return _wmt25(file)
    return _parts_in_documents(file, format)[0]


def _first_object(file: TextFile) -> Mapping[str, object]:
    return json_object(file.text.lstrip().partition("\n")[0]) or {}


def _parts_in_documents(file: TextFile, format: str | None) -> tuple[list[FilePart], bool]:
    """Return the parts of a file, and whether `doc_id` names their documents, as in WMT25."""
    first = _first_object(file)
    in_documents = file._replace(fields=replace(file.fields, document=_DOCUMENT_FIELD))
    if _DOCUMENT_FIELD in first:
        is_log = bool(logs.recognize(first))  # doc_id of a log is the id of a segment
        is_chosen = is_log or file.fields.document is not None
        return formats.parse(file if is_chosen else in_documents, format), True
    parts = formats.parse(file, format)
    if any(_DOCUMENT_FIELD in part.columns and not _has_documents(part) for part in parts):
        return formats.parse(in_documents, format), True
    return parts, False


def _has_documents(part: FilePart) -> bool:
    return any(key.document for key in part.keys or ())


def _wmt25(file: TextFile) -> list[FilePart]:
    """Return source and references of WMT25, whose segments are the paragraphs of a document."""
    segments: list[Any] = []
    pairs = PairFilter(file)
    for where, row in records_of_lines(file):
        if not isinstance(document := row.get("doc_id"), str):
            raise InputError(f"{where}: no doc_id; each line must be an object that has one")
        refs = row.get("refs") or {}
        if not refs or not pairs.takes(pair_in_name(document)):
            continue  # most documents of a test set have no reference of their own
        if not isinstance(refs, dict) or not all(isinstance(ref, dict) for ref in refs.values()):
            raise InputError(
                f"{where}: 'refs' is {abbreviate(refs)}; it must have an object with 'ref' for each"
                " reference"
            )
        sides = [("reference", name, ref.get("ref")) for name, ref in refs.items()]
        for role, name, text in [("source", file.name, row.get("src_text")), *sides]:
            if not isinstance(text, str):
                raise InputError(f"{where}: the {role} {name} is not a string")
            for paragraph, part in enumerate(_paragraphs(text), start=1):
                key = Segment(document, str(paragraph), str(row.get("domain") or ""))
                segments.append((role, name, key, part.replace("\n", " ")))
    pairs.check()
    return gather_parts(file, segments)


def read_outputs(
    paths: Sequence[str],
    documents: Sequence[str],
    *,
    are_documents: bool = False,
    text_documents: str,
    template: TextFile,
    format: str | None,
    encoding: str | None,
    limits: Limits,
) -> list[DocumentTexts]:
    """Return the systems in files and folders; `documents` are those of the references.

    A folder with a file for each document is one system, and each folder is if `are_documents`.
    """
    if text_documents not in TEXT_DOCUMENTS:
        raise OptionError(
            "text_documents", text_documents, f"choose from {', '.join(TEXT_DOCUMENTS)}"
        )
    outputs: list[DocumentTexts] = []
    template = template._replace(all_pairs=True)  # those of the references are taken later
    for path in paths:
        files = io.expand(path)
        parsed = (formats.read_file(template, file, encoding, limits) for file in files)
        is_shared = are_documents or not set(documents).isdisjoint(map(document_name, files))
        if os.path.isdir(path) and is_shared:
            name = io.display_name(path.rstrip(os.sep))
            outputs.append(_of_folder(name, parsed, format))
            continue
        for file in parsed:
            outputs += _outputs(file, documents, text_documents, format)
    return outputs


def _of_folder(name: str, files: Iterable[TextFile], format: str | None) -> DocumentTexts:
    """Return a system that has a file for each document, which may be of any format."""
    kept: dict[str, tuple[str, str]] = {}
    cues: dict[str, TimedCues] = {}
    had_codes, n_left_out = False, Counter[str]()
    for file in files:
        outputs, stem = _outputs(file, (), "none", format), document_name(file.path)
        if len(outputs) != 1 or len(outputs[0].texts) != 1:
            raise InputError(
                f"{file.name} has more than one system or document; in a folder with a file for"
                " each document it must have one"
            )
        (output,) = outputs
        (text,) = output.texts.values()
        set_once(kept, stem, text, file.name, f"the text of document {stem}")
        if _UNNAMED in output.cues:
            cues[stem] = output.cues[_UNNAMED]
        had_codes |= output.part.had_codes
        n_left_out.update(output.part.n_left_out)
    texts = {stem: text for stem, (text, _) in kept.items()}
    part = FilePart(
        role="system", name=name, where=name, texts=[], had_codes=had_codes, n_left_out=n_left_out
    )
    return DocumentTexts(part, texts, sum(text.count("\n") for text in texts.values()), cues)


def _outputs(
    file: TextFile, documents: Sequence[str], text_documents: str, format: str | None
) -> list[DocumentTexts]:
    if (file.format or format or formats.recognize(file)) == "plain":
        io.refuse_lone_cr(file.text, file.name)
        lines = io.split_lines(file.text)
        formats.warn_of_plain(file, is_given=format is not None)
        if warning := nul_warning(file.name, lines):
            warn(warning)
        part = FilePart(role="system", name=file.name, where=file.name, texts=[])
        return [DocumentTexts(part, _plain(file, lines, documents, text_documents), len(lines))]
    outputs = []
    parts, has_doc_ids = _parts_in_documents(file, format)
    for part in parts:
        if part.role != "system":
            continue
        if part.words:
            raise InputError(
                f"{file.name} is .ctm, whose words have times, by which they go to the segments of"
                " a .stm",
                hint=("leave ", Setting("align"), " out"),
            )
        texts: dict[str, list[str]] = {}
        for name, text in zip(
            _documents_of(part, documents, text_documents), part.texts, strict=True
        ):
            texts.setdefault(name, []).append(text)
        by_document = {name: "\n".join(parts) for name, parts in texts.items()}
        if has_doc_ids:
            by_document = _of_these_pairs(by_document, documents)
            by_document = {
                name: "\n".join(_paragraphs(text, "\n")) for name, text in by_document.items()
            }
        outputs.append(DocumentTexts(part, by_document, len(part.texts), _cues(part)))
    return outputs


def _documents_of(part: FilePart, documents: Sequence[str], text_documents: str) -> Sequence[str]:
    """Return the document of each text of a system whose format is not plain text."""
    names = [key.document for key in part.keys] if part.keys else [_UNNAMED] * len(part.texts)
    if text_documents == "none":
        return names
    setting = Setting("text_documents", text_documents)
    if _has_documents(part):
        raise InputError(
            (f"{part.label} names its documents, so that ", setting, " has no effect"),
            hint="leave it out",
        )
    unit = part.unit if part.keys is None else "segment"
    if text_documents == "blank":
        raise InputError(
            (
                f"{part.label} has {unit}s, not blank lines between documents, which ",
                setting,
                " needs",
            ),
            hint=("if each is a document, give ", Setting("text_documents", "lines")),
        )
    _check_number(part.label, len(names), unit, documents, setting)
    return documents


def _cues(part: FilePart) -> dict[str, TimedCues]:
    """Return the cues of a subtitle file, which is one document without a name."""
    if not part.times:
        return {}
    return {_UNNAMED: TimedCues.of(part.texts, [part.times[key] for key in part.keys or ()])}


def _paragraphs(text: str, separator: str = "\n\n") -> list[str]:
    """Return the paragraphs of a document of WMT25, or, all in markup, of WMT26.

    >>> _paragraphs("<p>AT&amp;T</p>\\n<p>去北京</p>"), _paragraphs("去 <p>\\n\\n北京")
    (['AT&T', '去北京'], ['去 <p>', '北京'])
    """
    if _WMT26.fullmatch(text):
        return [html.unescape(paragraph) for paragraph in _PARAGRAPH.findall(text)]
    return text.split(separator)


def _of_these_pairs(texts: dict[str, str], documents: Sequence[str]) -> dict[str, str]:
    # Outputs of WMT have all language pairs in one file.
    pairs = set(filter(None, map(pair_in_name, documents)))
    return {
        name: text
        for name, text in texts.items()
        if not pairs or not pair_in_name(name) or pair_in_name(name) in pairs
    }


def _plain(
    file: TextFile, lines: Sequence[str], documents: Sequence[str], text_documents: str
) -> dict[str, str]:
    if text_documents == "none":
        return {_UNNAMED: file.text}
    if text_documents == "lines":
        texts = [line for line in lines if line.strip()]
    else:
        texts = [text for text in _PARAGRAPHS.split(file.text.strip("\n")) if text.strip()]
    unit, between = ("line", "") if text_documents == "lines" else ("text", " between blank lines")
    setting = Setting("text_documents", text_documents)
    _check_number(file.name, len(texts), unit, documents, setting, between)
    return dict(zip(documents, texts, strict=True))


def _check_number(
    name: str,
    n_texts: int,
    unit: str,
    documents: Sequence[str],
    setting: Setting,
    between: str = "",
) -> None:
    """Raise `InputError` unless there is a text for each document of the references."""
    if not documents:
        raise InputError(
            ("the reference has no documents, which ", setting, " needs"),
            hint=("give them with ", Setting("documents")),
        )
    if n_texts != len(documents):
        raise InputError(
            f"{name} has {quantity(n_texts, unit)}{between}, but the reference has"
            f" {quantity(len(documents), 'document')}; each document must be one {unit}"
        )


def unwrap_outputs(
    outputs: Sequence[DocumentTexts], refs: OrderedReferences, *, unwrap: bool
) -> tuple[list[DocumentTexts], dict[str, dict[str, int]]]:
    """Return the systems with the translation inside each document, and the forms by system.

    Outputs that are not to be unwrapped are returned as they are.
    """
    unwrapped, forms = [], {}
    for output in outputs:
        if not unwrap:
            unwrapped.append(output)
            continue
        insides: dict[str, Inside] = {}
        for name, text in output.texts.items():
            rows = [n for n, document in enumerate(refs.documents) if name in (_UNNAMED, document)]
            references = ["\n".join(side[n] for n in rows) for side in refs.texts]
            source = "\n".join(refs.source[n] for n in rows) if refs.source else None
            insides[name] = text_inside(text, Context(source, references))
        texts = {name: inside.text for name, inside in insides.items()}
        cues = {name: own for name, own in output.cues.items() if texts[name] == output.texts[name]}
        unwrapped.append(output._replace(texts=texts, cues=cues))
        forms[output.part.name] = count_forms(output.texts.values(), insides.values())
    return unwrapped, forms


def align_outputs(
    outputs: Sequence[DocumentTexts], refs: OrderedReferences
) -> list[tuple[FilePart, Alignment]]:
    """Return each system, cut into the segments of the references."""
    aligned = []
    n_segments = len(refs.documents)
    for output in outputs:
        label, is_whole = output.part.label, list(output.texts) == [_UNNAMED]
        if not any(map(str.strip, output.texts.values())):
            raise InputError(f"{label} has no text; there must be some to align")
        if not is_whole and not all(refs.documents):
            raise InputError(
                f"{label} has documents, but the reference has none",
                hint=("give them with ", Setting("documents")),
            )
        if output.n_lines > 1 == n_segments:
            warn(
                f"the reference has 1 segment, and {label} has {output.n_lines} lines; are the"
                " files swapped?"
            )
        names = [_UNNAMED] * n_segments if is_whole else refs.documents
        try:
            alignment = align_documents(output.texts, refs.texts, names, output.cues, refs.times)
        except InputError as error:
            raise error.within(label) from None
        warn_if_doubtful(alignment, label)
        keys = refs.keys
        part = replace(output.part, texts=alignment.lines, keys=keys, order=keys or ())
        # The segments are others now, so these no longer belong to them.
        part = replace(part, codes=(), times={})
        aligned.append((part, alignment))
    return aligned
