"""The reader of PO files against polib: the files that both accept have the same texts."""

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from celab.base.errors import InputError
from celab.corpus.formats.units import po
from celab.corpus.model import TextFile

polib = pytest.importorskip("polib", reason="polib is not installed: pip install polib")

TEXTS = st.text('ab买卖 #~,[]\n\t\\"', max_size=6)
# Strays may stand inside an entry, too, where polib takes a previous msgid for part of it.
STRAYS = ["", "# who", "#. why", "#: a.c:1", "#, fuzzy", "#, no-fuzzy", "msgid", '"', 'msgstr "x"']
COMMENTS = ['#| msgid "old"', '#~ msgid "gone"\n#~ msgstr "去"', "#, c-format, fuzzy", *STRAYS]


def quoted(text):
    """Return a string of PO in one or more lines."""
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\t", r"\t")
    lines = [line.replace("\n", r"\n") for line in escaped.splitlines(keepends=True)]
    return "\n".join(f'"{line}"' for line in (["", *lines] if len(lines) != 1 else lines))


@st.composite
def catalogs(draw):
    """Return a catalog, whose comments and strays may come anywhere between its lines."""
    lines = []
    for _ in range(draw(st.integers(1, 5))):
        lines += draw(st.lists(st.sampled_from(COMMENTS), max_size=2))
        prefix = draw(st.sampled_from(["", "", "#~ "]))
        entry = [f"msgctxt {quoted(draw(TEXTS))}"] if draw(st.booleans()) else []
        entry.append(f"msgid {quoted(draw(TEXTS.filter(bool)))}")
        if draw(st.integers(0, 3)) == 0:
            entry.append(f"msgid_plural {quoted(draw(TEXTS))}")
            entry += [f"msgstr[{n}] {quoted(draw(TEXTS))}" for n in range(draw(st.integers(1, 3)))]
        else:
            entry.append(f"msgstr {quoted(draw(TEXTS))}")
        lines += [prefix + line for part in entry for line in part.split("\n")]
    if draw(st.integers(0, 3)) == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(STRAYS)))
    return draw(st.sampled_from(["\n", "\r\n"])).join([*lines, ""])


def ours(content):
    """Return the texts of a catalog by the key of their segments; None if it is refused."""
    try:
        parts = po(TextFile(path="a.po", name="a.po", text=content, role="system"))
    except InputError:
        return None
    return next(dict(zip(p.keys, p.texts, strict=True)) for p in parts if p.role == "system")


def theirs(content):
    """Return the same by polib; None if it is refused."""
    try:
        entries = polib.pofile(content)
    except OSError:
        return None
    texts = {}
    for entry in entries:
        if entry.obsolete or entry.fuzzy:
            continue
        name = entry.msgid if entry.msgctxt is None else f"{entry.msgctxt}\x04{entry.msgid}"
        forms = {f"[{n}]": text for n, text in entry.msgstr_plural.items()}
        for number, text in (forms or {"": entry.msgstr}).items():
            if text.strip():
                texts["", name + number, ""] = text
    return texts


@examples(200)
@given(catalogs())
def test_catalogs_that_both_accept_have_the_same_texts(content):
    texts, expected = ours(content), theirs(content)
    if texts is not None and expected is not None:
        assert texts == expected
