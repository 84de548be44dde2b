"""Translations that people, or XCOMET, have annotated with errors → judgments with their spans.

    mqm       TSV of the MQM campaigns: a row per error, `<v>` … `</v>` around it
    rating    mt-metrics-eval's .seg.rating: a line per segment with JSON of its errors
    appraise  CSV of Appraise (ESA): 12 columns without a header
    pearmut   JSON Lines of Pearmut, or one object of lists of them
    wmt25     JSON Lines of WMT25: judgments by paragraph
    xcomet    JSON of XCOMET with `errors`
    plain     TSV with a header: system, segment, start, end, severity, category

In the plain table, a row without a start and an end is an error without a location if it has a
severity or a category, and an output without errors if it has neither.

Here spans are half-open ranges of code points of the translation. Appraise and Pearmut count UTF-16
units, and include the end; Pearmut does not count line ends. The span of an omission, or of an
error in the source, is None.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.errors import InputError
from celab.base.json_files import JsonError, parse_json
from celab.base.options import decimal
from celab.corpus.formats.quoting import rows_of
from celab.findings.marked_errors import SEVERITIES
from celab.people.score_files import (
    ErrorSpan,
    Judgment,
    comet_items,
    lines_of,
    number_in,
    try_object,
    whole_number,
)


def object_in(text: str, where: str) -> JsonObject:
    """Return the JSON object in a text; `InputError` if it holds another value."""
    value = try_object(text)
    if value is None:
        raise InputError(f"{where}: {text[:30]!r} is not a JSON object")
    return value


def objects_in(text: str, name: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield the location and the object of each line of JSON Lines."""
    for where, line in lines_of(text, name):
        yield where, object_in(line, where)


def as_object(value: Any, where: str) -> JsonObject:
    """Return a value that must be an object."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: {str(value)[:30]!r} is not a JSON object")
    return value


def ends_of(fields: JsonObject, first: str, last: str, where: str) -> tuple[int, int]:
    """Return the two ends of a span, which must be whole numbers."""
    ends = []
    for field in (first, last):
        value = fields.get(field)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise InputError(f"{where}: {field} is {value!r}; it must be a whole number, 0 or more")
        ends.append(value)
    return ends[0], ends[1]


# Points of MQM by severity (Freitag et al. 2021); a critical error counts as a major one (WMT24).
POINTS = dict(zip(SEVERITIES, (5.0, 5.0, 1.0, 0.0), strict=True))
NON_TRANSLATION, PUNCTUATION = 25.0, 0.1
NO_ERROR = ("no-error", "no error", "")
PLAIN = ("system", "segment", "start", "end")
_APPRAISE_COLUMNS = 12
_SKIPPED_DOCUMENTS = ("#bad", "#dup", "#incomplete", "-tutorial")
_RATING = re.compile(r"(?P<system>[^\s{]\S*)\s+(?P<json>None|\{.*\})(?:\s+(?P<judge>\S+))?")
_TAGS = re.compile("</?v>")


class Annotations(NamedTuple):
    """The judgments of a file, and how it counts segments.

    `numbering` is "order" (segments in the order of the texts), "table" (numbers from 0 or from 1,
    see `matching.first_number`), "line" (likewise, but from 0 if the texts begin with WMT's canary
    line), "one" (numbers from 1) or "text" (no numbers: the translation identifies the segment).
    """

    kind: str
    numbering: str
    judgments: list[Judgment]


def annotations_in(
    text: str, path: io.AnyPath, *, without: Collection[str] = ()
) -> Annotations | None:
    """Return the judgments of the text of a file; None if it is in none of the formats.

    Formats in `without` are not recognized.
    """
    name = io.display_name(path)
    for kind, (recognize, read, numbering) in _FORMATS.items():
        if kind not in without and recognize(text, name):
            return Annotations(kind, numbering, [*read(text, name)])
    return None


def _first_line(text: str) -> str:
    return text.lstrip("\ufeff").partition("\n")[0].rstrip("\r")


def _header(text: str) -> list[str]:
    return [cell.strip().lower() for cell in _first_line(text).split("\t")]


# ---- MQM ----


def _is_mqm(text: str, name: str) -> bool:
    header = _header(text)
    return header[:2] == ["system", "doc"] and {"target", "category", "severity"} <= set(header)


def _mqm(text: str, name: str) -> Iterator[Judgment]:
    header = _header(text)
    column = "globalsegid" if "globalsegid" in header else "seg_id"
    if column not in header:
        raise InputError(f"{name} has neither globalSegId nor seg_id; it must have one of them")
    judged: dict[tuple[str, str, str], Judgment] = {}
    for where, row in _table(text, name, header):
        segment = whole_number(row[column], where, column)
        judge = row.get("rater", "")
        key = (row["system"], str(segment), judge)
        target = _TAGS.sub("", row["target"])
        judgment = judged.get(key)
        if judgment is None:
            judgment = Judgment(
                where=where,
                system=row["system"],
                segment=segment,
                score=0.0,
                judge=judge,
                text=target,
            )
        elif target.split() != (judgment.text or "").split():
            raise InputError(
                f"{where}: the target is another text than on the first line of segment {segment}"
                f" of {row['system']} by rater {judge!r}; it must be the same without <v> and </v>"
            )
        severity, category = row["severity"].strip().lower(), row["category"].strip()
        if category.lower() not in NO_ERROR or severity not in NO_ERROR:
            place = _tagged(row["target"], row.get("source", ""), where)
            span = ErrorSpan(place, severity, category, _points(severity, category), where)
            score = (judgment.score or 0.0) - (span.points or 0.0)
            judgment = replace(judgment, spans=(*judgment.spans, span), score=score)
        judged[key] = judgment
    # Without errors, the negative sum is -0.0, which must become 0.0.
    yield from (
        replace(judgment, score=(judgment.score or 0.0) + 0.0) for judgment in judged.values()
    )


def _tagged(target: str, source: str, where: str) -> tuple[int, int] | None:
    start, end = target.find("<v>"), target.find("</v>")
    if start < 0 and end < 0:
        return None  # the error is in the source, or the whole output is marked
    if start < 0 or end < start:
        tag = "<v>" if start < 0 else "</v>"
        raise InputError(f"{where}: target has no {tag} in its place; an error is in <v> … </v>")
    return start, end - len("<v>")


def _points(severity: str, category: str) -> float:
    lowered = category.lower()
    if lowered.startswith("non-translation"):
        return NON_TRANSLATION
    if severity == "minor" and lowered == "fluency/punctuation":
        return PUNCTUATION
    return POINTS.get(severity, 0.0)


def _table(text: str, name: str, header: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the location and the cells of each row; some files of 2020 are quoted as CSV."""
    for number, cells in rows_of(text, name):
        if number == 1 or not any(cell.strip() for cell in cells):
            continue
        where = f"{name}, line {number}"
        if len(cells) != len(header):
            raise InputError(f"{where}: {len(cells)} columns, but the header has {len(header)}")
        yield where, dict(zip(header, cells, strict=True))


# ---- mt-metrics-eval ----


def _is_rating(text: str, name: str) -> bool:
    match = _RATING.fullmatch(_first_line(text).strip())
    is_named = name.endswith(".seg.rating")
    return is_named or (match is not None and match["json"] != "None" and "errors" in match["json"])


def _rating(text: str, name: str) -> Iterator[Judgment]:
    numbers: dict[str, int] = {}
    for where, line in lines_of(text, name):
        match = _RATING.fullmatch(line.strip())
        if match is None:
            raise InputError(f"{where}: {line[:40]!r} is not SYSTEM, JSON of errors or None, RATER")
        system = match["system"]
        segment = numbers[system] = numbers.get(system, -1) + 1
        judge = match["judge"] or ""
        if match["json"] == "None":
            yield Judgment(where=where, system=system, segment=segment)  # not judged
            continue
        errors = object_in(match["json"], where).get("errors")
        if not isinstance(errors, list):
            raise InputError(f"{where}: errors is missing; it must be a list")
        spans = tuple(_rating_span(error, where) for error in errors)
        score = -sum(span.points or 0.0 for span in spans) + 0.0
        yield Judgment(
            where=where,
            system=system,
            segment=segment,
            score=score,
            judge=judge or "rater",
            spans=spans,
        )


def _rating_span(error: Any, where: str) -> ErrorSpan:
    fields = as_object(error, where)
    severity = str(fields.get("severity", "")).lower()
    category = str(fields.get("category") or "")
    points = fields.get("score")
    known = number_in(points, where, "score")
    known = _points(severity, category) if known is None else known
    if fields.get("is_source_error"):
        return ErrorSpan(None, severity, category, known)
    return ErrorSpan(ends_of(fields, "start", "end", where), severity, category, known)


# ---- Appraise, Pearmut, WMT25: UTF-16 units, ends included ----


def _is_appraise(text: str, name: str) -> bool:
    try:
        cells = next(csv.reader([_first_line(text)]))
    except (csv.Error, StopIteration):
        return False
    return (
        len(cells) == _APPRAISE_COLUMNS and cells[9].startswith("[") and cells[3] in ("TGT", "BAD")
    )


def _appraise(text: str, name: str) -> Iterator[Judgment]:
    for where, line in lines_of(text, name):
        try:
            cells = next(csv.reader([line], strict=True))
        except csv.Error as error:
            raise InputError(f"{where}: this is not valid CSV: {error}") from None
        if len(cells) != _APPRAISE_COLUMNS:
            raise InputError(f"{where}: {len(cells)} columns; Appraise writes {_APPRAISE_COLUMNS}")
        judge, system, line_id, kind, _, _, score, document, _, errors = cells[:10]
        is_skipped = any(mark in f"{document} {system}" for mark in _SKIPPED_DOCUMENTS)
        if kind != "TGT" or is_skipped:
            continue
        value = decimal(score)
        if value is None:
            raise InputError(f"{where}: the score is {score[:40]!r}; it must be a number")
        segment = whole_number(line_id, where, "the line id")
        try:
            spans = _indexed(parse_json(errors), where)
        except JsonError as error:
            raise InputError(f"{where}: the error spans: {error}") from None
        yield Judgment(
            where=where, system=system, segment=segment, score=value, judge=judge, spans=spans
        )


def _is_pearmut(text: str, name: str) -> bool:
    first = try_object(_first_line(text))
    if first is None:
        return False
    if "annotation" in first:
        return "item" in first
    return bool(first) and all(
        isinstance(rows, list) and rows and isinstance(rows[0], dict) and "annotation" in rows[0]
        for rows in first.values()
    )


def _pearmut(text: str, name: str) -> Iterator[Judgment]:
    rows: list[tuple[str, JsonObject]] = []
    for where, row in objects_in(text, name):
        if "annotation" in row:
            rows.append((where, row))
        else:
            for group, values in row.items():
                if not isinstance(values, list):
                    raise InputError(f"{where}: {group} is not a list of annotations")
                rows += [(f"{where}, {group}", as_object(value, where)) for value in values]
    valid: dict[tuple[str, str], list[Judgment]] = {}
    for where, record in rows:
        number = str(record.get("item_i", ""))
        key = (str(record.get("user_id", "")), number)
        if number.startswith(("welcome_", "random_")):
            continue
        if record.get("annotation") == "__RESET__":
            valid.pop(key, None)
            continue
        valid[key] = [*_pearmut_row(where, record, key[0])]
    for judgments in valid.values():
        yield from judgments


def _pearmut_row(where: str, row: JsonObject, judge: str) -> Iterator[Judgment]:
    annotations, items = row.get("annotation"), row.get("item")
    if not isinstance(annotations, list) or not isinstance(items, list):
        raise InputError(f"{where}: annotation and item must be lists")
    for annotation, item in zip(annotations, items, strict=False):
        texts = as_object(as_object(item, where).get("tgt"), where)
        for system, judged in as_object(annotation, where).items():
            fields, text = as_object(judged, where), texts.get(system)
            if not isinstance(text, str):
                raise InputError(f"{where}: tgt has no text of {system}")
            spans = _indexed(fields.get("error_spans") or [], where, text)
            known = number_in(fields.get("score"), where, "score")
            yield Judgment(
                where=where,
                system=system,
                segment=None,
                score=known,
                judge=judge,
                text=text,
                spans=spans,
            )


def _is_wmt25(text: str, name: str) -> bool:
    first = try_object(_first_line(text))
    return first is not None and {"scores", "tgt_text", "doc_id"} <= set(first)


def _wmt25(text: str, name: str) -> Iterator[Judgment]:
    for where, row in objects_in(text, name):
        texts = as_object(row.get("tgt_text"), where)
        for system, judged in as_object(row.get("scores"), where).items():
            fields, output = as_object(judged, where), texts.get(system)
            if not isinstance(output, str):
                raise InputError(f"{where}: tgt_text has no text of {system}")
            number = 1
            while f"human{number}" in fields:
                spans = _indexed(fields.get(f"errors{number}") or [], where)
                judge = str(fields.get(f"annotator{number}", number))
                known = number_in(fields[f"human{number}"], where, f"human{number}")
                yield Judgment(
                    where=where,
                    system=system,
                    segment=None,
                    score=known,
                    judge=judge,
                    text=output,
                    spans=spans,
                )
                number += 1


def _indexed(errors: Any, where: str, uncounted: str | None = None) -> tuple[ErrorSpan, ...]:
    """Return spans in UTF-16 units, which `code_points` converts to code points.

    `uncounted` is a text whose line ends are not counted.
    """
    if not isinstance(errors, list):
        raise InputError(f"{where}: the error spans must be a list")
    spans = []
    for error in errors:
        fields = as_object(error, where)
        severity = str(fields.get("severity") or "").lower()
        category = str(fields.get("category") or fields.get("error_type") or "")
        ends = fields.get("start_i"), fields.get("end_i")
        place: tuple[int, int] | None
        if "missing" in ends:
            place = None
        else:
            start, last = ends_of(fields, "start_i", "end_i", where)
            place = start, last + 1
            if uncounted is not None:
                place = _with_line_ends(place, uncounted)
        spans.append(ErrorSpan(place, severity, category))
    return tuple(spans)


def _with_line_ends(place: tuple[int, int], text: str) -> tuple[int, int] | None:
    """Return a span in units that include line ends; None if it is behind the last character."""
    chars = [char for char in text for _ in range(1 + (ord(char) > 0xFFFF))]
    units = [unit for unit, char in enumerate(chars) if char != "\n"]
    start, end = place
    if start == end - 1 == len(units):
        return None  # the mark of an omission stands after the text
    if start >= end or end > len(units):
        return start + text.count("\n"), end + text.count("\n")  # beyond the text: an error later
    return units[start], units[end - 1] + 1


def code_points(place: tuple[int, int], text: str) -> tuple[int, int] | None:
    """Return the range of code points for a range of UTF-16 units; None if it is not in the text.

    >>> code_points((2, 5), "水😀和地图")
    (1, 4)
    """
    owners = [i for i, char in enumerate(text) for _ in range(1 + (ord(char) > 0xFFFF))]
    start, end = place
    if not 0 <= start < end <= len(owners):
        return None
    return owners[start], owners[end - 1] + 1


# ---- XCOMET, and the plain table ----


def _is_xcomet(text: str, name: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("{") and '"COMET"' in text and '"mt"' in text


def _xcomet(text: str, name: str) -> Iterator[Judgment]:
    for where, file, number, item in comet_items(text.lstrip("\ufeff \t\r\n"), name):
        output = item.get("mt")
        if not isinstance(output, str):
            raise InputError(f"{where}: mt is missing; it must be the translation")
        spans = []
        errors = item.get("errors") or []
        if not isinstance(errors, list):
            raise InputError(f"{where}: errors is {str(errors)[:30]!r}; it must be a list")
        for error in errors:
            fields = as_object(error, where)
            start, end = ends_of(fields, "start", "end", where)
            end = end or len(output)  # XCOMET writes 0 for the end of the text
            spans.append(ErrorSpan((start, end), str(fields.get("severity", "")).lower()))
        known = number_in(item["COMET"], where, "COMET")
        yield Judgment(
            where=where, system=file, segment=number, score=known, text=output, spans=tuple(spans)
        )


def _is_plain(text: str, name: str) -> bool:
    return set(PLAIN) <= set(_header(text))


def _plain(text: str, name: str) -> Iterator[Judgment]:
    judged: dict[tuple[str, int], Judgment] = {}
    for where, row in _table(text, name, _header(text)):
        system, segment = row["system"].strip(), whole_number(row["segment"], where, "segment")
        judgment = judged.get(
            (system, segment), Judgment(where=where, system=system, segment=segment)
        )
        severity = row.get("severity", "").strip().lower()
        category = row.get("category", "").strip()
        ends: tuple[int, int] | None = None
        if row["start"].strip() or row["end"].strip():
            start, end = (whole_number(row[name], where, name) for name in ("start", "end"))
            if start >= end:
                raise InputError(f"{where}: start is {start} and end is {end}; end must be greater")
            ends = start, end
        if ends is not None or severity not in NO_ERROR or category.lower() not in NO_ERROR:
            span = ErrorSpan(ends, severity, category, where=where)
            judgment = replace(judgment, spans=(*judgment.spans, span))
        judged[system, segment] = judgment
    yield from judged.values()


_Recognize = Callable[[str, str], bool]
_Read = Callable[[str, str], Iterator[Judgment]]
_FORMATS: dict[str, tuple[_Recognize, _Read, str]] = {
    "mqm": (_is_mqm, _mqm, "one"),
    "rating": (_is_rating, _rating, "order"),
    "appraise": (_is_appraise, _appraise, "line"),
    "pearmut": (_is_pearmut, _pearmut, "text"),
    "wmt25": (_is_wmt25, _wmt25, "text"),
    "xcomet": (_is_xcomet, _xcomet, "order"),
    "plain": (_is_plain, _plain, "table"),
}
UTF16 = ("appraise", "pearmut", "wmt25")
