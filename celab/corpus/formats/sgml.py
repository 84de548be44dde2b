"""mteval's sets, in SGML or XML: NIST, CWMT and IWSLT. One file may hold any number of them.

    <mteval>                                           may be left out
      <srcset>  <refset refid>  <tstset sysid>
        <system sysid> description </system>           CWMT
        <doc docid genre sysid|site|refid>
          <hl> or <p>, may be left out                 not looked at
            <seg id> text </seg>

A reference is named by `refid` of document or set, else by `sysid` or `site`; a system by `sysid`
of document or set, else by CWMT's `<system>`, else by `site`. Without any of them it has the name
of the file. `genre` is the domain. `docid` may be missing, which is one document without a name.
"""

from __future__ import annotations

from celab.corpus.formats.markup import Tag, first_element, line_of, prepared, scan
from celab.corpus.model import Gathered, Kind, Part, TextFile
from celab.errors import InputError

_SETS: dict[str, Kind] = {"srcset": "source", "refset": "reference", "tstset": "system"}
_TAGS = ("mteval", *_SETS, "system", "doc")
_NAMES = {  # where the name of a side is looked for, in this order
    "reference": ("doc refid", "set refid", "doc sysid", "doc site", "set sysid", "set site"),
    "system": ("doc sysid", "set sysid", "system sysid", "doc site", "set site", "system site"),
    "source": (),
}


def recognises(file: TextFile) -> bool:
    """Whether the first element is one of the sets, or what holds them."""
    return first_element(file.text) in ("mteval", *_SETS)


def read(file: TextFile) -> list[Part]:
    """One part for each source, reference and system."""
    text = prepared(file.text, file.name)
    gathered = Gathered(file.name)
    open_set = ""
    described: dict[str, str] = {}  # attributes of what is open: "doc sysid" and so on
    for tag in scan(text, file.name, _TAGS):
        if tag.name == "seg":
            number = tag.attributes.get("id", "")
            if not open_set or not number:
                wrong = "has no id" if open_set else "stands in no srcset, refset or tstset"
                raise InputError(
                    f"{file.name}, line {line_of(text, tag.start)}: the segment {wrong}; "
                    "it must be <seg id=...> in one of them"
                )
            kind = _SETS[open_set]
            if file.wants(kind):
                name = next(filter(None, map(described.get, _NAMES[kind])), file.name)
                gathered.add(kind, name, (_document(described), number), tag.text)
        elif tag.name in _SETS:
            if open_set and not (tag.closes and tag.name == open_set):
                break
            open_set = "" if tag.closes else tag.name
            described = _described("set", tag)
        elif tag.name in ("system", "doc") and not tag.closes:
            outer = {k: v for k, v in described.items() if not k.startswith(f"{tag.name} ")}
            described = outer | _described(tag.name, tag)
            if tag.name == "doc" and (genre := tag.attributes.get("genre")):
                gathered.domains.setdefault(_document(described), genre)
    if open_set:
        raise InputError(f"{file.name}: <{open_set}> is not closed; the file must be whole")
    return gathered.parts()


def _described(by: str, tag: Tag) -> dict[str, str]:
    return {f"{by} {name}": value for name, value in tag.attributes.items()}


def _document(described: dict[str, str]) -> str:
    return described.get("doc docid") or described.get("doc id", "")
