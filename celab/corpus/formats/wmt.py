"""WMT's XML of 2021 and later: source, references and systems of each document side by side.

    <dataset> <collection id> <doc id domain>
      <src>  <ref translator>  <hyp system>
        <p> <seg id> text </seg>

A reference is named by its translator, a system by `system`; without that it has the name of the
file. The domain is that of the document, else the name of the collection.
"""

from __future__ import annotations

from celab.corpus.formats.markup import first_element, line_of, prepared, scan
from celab.corpus.model import Gathered, Kind, Part, TextFile
from celab.errors import InputError

_SIDES: dict[str, tuple[Kind, str]] = {
    "src": ("source", ""),
    "ref": ("reference", "translator"),
    "hyp": ("system", "system"),
}


def recognises(file: TextFile) -> bool:
    """Whether the first element is a dataset."""
    return first_element(file.text) == "dataset"


def read(file: TextFile) -> list[Part]:
    """One part for the source, each reference and each system."""
    text = prepared(file.text, file.name)
    gathered = Gathered(file.name)
    side: tuple[Kind, str] | None = None
    document = collection = ""
    whole = False
    for tag in scan(text, file.name, ("dataset", "collection", "doc", *_SIDES)):
        if tag.name == "seg":
            number = tag.attributes.get("id", "")
            if side is None or not number:
                wrong = "has no id" if side else "stands in no src, ref or hyp"
                raise InputError(
                    f"{file.name}, line {line_of(text, tag.start)}: the segment {wrong}; "
                    "it must be <seg id=...> in one of them"
                )
            if file.wants(side[0]):
                gathered.add(*side, (document, number), tag.text)
        elif tag.name in _SIDES:
            kind, attribute = _SIDES[tag.name]
            side = None if tag.closes else (kind, tag.attributes.get(attribute) or file.name)
        elif tag.name == "dataset":
            whole = tag.closes
        elif tag.name == "collection":
            collection = tag.attributes.get("id", "")
        elif not tag.closes:
            document = tag.attributes.get("id", "")
            gathered.domains.setdefault(document, tag.attributes.get("domain") or collection)
    if not whole:
        raise InputError(f"{file.name}: <dataset> is not closed; the file must be whole")
    return gathered.parts()
