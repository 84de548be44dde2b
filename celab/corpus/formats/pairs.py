"""Files with several language pairs, such as WMT25's official JSONL: the lines of one pair.

Records say it in fields (`src_lang` and `tgt_lang`, or `lp`), or in the name of their document, as
those of WMT25 and WMT26; markup in attributes. Without a pair from the caller, several are an error
that names them: scores of different languages are never averaged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from celab.base.errors import InputError, Setting
from celab.base.languages import canonical_tag, language_code, split_pair
from celab.corpus.formats.json_text import JsonRecord
from celab.corpus.model import TextFile

# Names of fields for source, target and both, in lower case.
_SOURCES = ("src_lang", "source_lang", "source_language", "srclang")
_TARGETS = ("tgt_lang", "target_lang", "target_language", "trg_lang", "trglang", "tgtlang")
_PAIRS = ("lp", "language_pair", "lang_pair", "langpair", "langs")
_DOCUMENTS = ("doc_id", "document", "doc")
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
MAX_LISTED = 12  # pairs in a message


def pair_in_name(document: str) -> str:
    """Return the language pair in the name of a document of WMT25 or WMT26, or "".

    >>> pair_in_name("en-zh_CN_#_news_#_travel.1")
    'en-zh_CN'
    >>> pair_in_name("WMT26_###_news_###_eng_Latn_###_zho_Hans_###_travel.1")
    'eng_Latn-zho_Hans'
    """
    parts = document.split("_###_")
    if len(parts) > 4:
        return "-".join(parts[2:4])
    pair, separator, _ = document.partition("_#_")
    return pair if separator else ""


def pair_of_record(values: Mapping[str, object]) -> str:
    """Return the language pair that a record says it is in, or "".

    >>> pair_of_record({"src_lang": "en", "tgt_lang": "zh_CN"}), pair_of_record({"lp": "cs-de"})
    ('en-zh_CN', 'cs-de')
    >>> pair_of_record({"doc_id": "en-zh_CN_#_news_#_a.1"}), pair_of_record({"tgt_lang": "Chinese"})
    ('en-zh_CN', '')
    """
    source, target = (_code(values, names) for names in (_SOURCES, _TARGETS))
    if target:
        return f"{source}-{target}" if source else target
    named = next((x for name in _PAIRS if isinstance(x := values.get(name), str)), "")
    if all(map(_CODE.fullmatch, split_pair(named))):
        return named
    documents = (values.get(name) for name in _DOCUMENTS)
    return next((pair for x in documents if isinstance(x, str) and (pair := pair_in_name(x))), "")


def _code(values: Mapping[str, object], names: Iterable[str]) -> str:
    found = next((x for name in names if isinstance(x := values.get(name), str)), "")
    return found if _CODE.fullmatch(found) else ""


def pair_of_attributes(attributes: Mapping[str, str]) -> str:
    """Return the language pair of a set of mteval, or "" if it has no codes of both languages.

    >>> pair_of_attributes({"srclang": "en", "trglang": "zh"})
    'en-zh'
    """
    codes = [attributes.get("srclang", ""), attributes.get("trglang", "")]
    return "-".join(codes) if all(map(_CODE.fullmatch, codes)) and "any" not in codes else ""


def is_pair(pair: str, wanted: str) -> bool:
    """Return whether a pair is the one that is wanted, which may have fewer subtags.

    >>> [is_pair(x, "en-zh") for x in ("en-zh_CN", "eng_Latn-zho_Hans", "cs-zh", "en-de")]
    [True, True, False, False]
    >>> is_pair("en-zh_TW", "en-zh-TW"), is_pair("en-zh_CN", "en-zh-TW"), is_pair("en-zh", "zh")
    (True, False, True)
    """
    own, theirs = split_pair(pair), split_pair(wanted)
    return all(not x or not y or _is_language(x, y) for x, y in zip(own, theirs, strict=True))


def _is_language(code: str, wanted: str) -> bool:
    own, theirs = (canonical_tag(name).split("-") for name in (code, wanted))
    return language_code(own[0]) == language_code(theirs[0]) and (
        not theirs[1:] or not own[1:] or {*theirs[1:]} <= {*own[1:]}
    )


class PairFilter:
    """The choice of parts from a file with several language pairs."""

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._pairs: dict[str, bool] = {}  # all, and whether they are taken

    def takes(self, pair: str) -> bool:
        """Return whether parts in this language pair are chosen; "" is an unknown pair."""
        if not pair or self._file.all_pairs:
            return True
        wanted = self._file.pair
        return self._pairs.setdefault(pair, wanted is None or is_pair(pair, wanted))

    def check(self) -> None:
        """Raise `InputError` if what was taken is in several pairs, or nothing is."""
        taken: list[str] = []
        for pair, is_taken in self._pairs.items():
            if is_taken and not any(is_pair(pair, other) for other in taken):
                taken.append(pair)
        if len(taken) == 1 or not self._pairs:
            return
        wanted, names = self._file.pair, _listed(self._pairs)
        if not taken:
            raise InputError(
                f"{self._file.name} has nothing in {wanted}; its language pairs are {names}"
            )
        what = (
            f"{len(taken)} language pairs that may be {wanted}"
            if wanted
            else (f"{len(taken)} language pairs")
        )
        raise InputError(
            f"{self._file.name} has {what}: {_listed(taken)}",
            hint=("choose one: ", Setting("language_pair", taken[0])),
        )

    def records(self, records: Iterable[JsonRecord]) -> Iterator[JsonRecord]:
        """Yield the records that are taken; `InputError` at the end as by `check`."""
        for record in records:
            if self.takes(pair_of_record(record.values)):
                yield record
        self.check()


def _listed(pairs: Collection[str]) -> str:
    more = len(pairs) - MAX_LISTED
    return ", ".join([*sorted(pairs)[:MAX_LISTED], *[f"and {more} more"] * (more > 0)])
