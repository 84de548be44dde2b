"""Parquet files: tables of texts like any other, where PyArrow is installed."""

import random
import sys

import commands
import pytest

from celab import Campaign
from celab.base.errors import CelabError, InputError, LimitError
from celab.base.options import Limits
from celab.corpus.formats.sheets import parquet_text
from celab.terminology import glossary

pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
from pyarrow import parquet  # noqa: E402

REFS, HYPS = ["买雨伞", "去北京"], ["买伞", "去"]


@pytest.fixture
def path(tmp_path):
    columns = {
        "id": ["a", "b"],
        "reference": REFS,
        "hypothesis": HYPS,
        "picture": [b"\x89", b"\xff"],
        "messages": [[{"content": "Buy"}, {"content": ref}] for ref in REFS],
    }
    path = tmp_path / "set.parquet"
    parquet.write_table(pa.table(columns), path)
    return path


def test_columns_are_found_by_name(path):
    corpus = Campaign.read(path).corpus
    assert [list(side) for side in corpus.refs] == [REFS]
    assert [list(side) for side in corpus.systems.values()] == [HYPS]


def test_columns_are_chosen_by_path(path):
    chosen = ("--ref-fields", "messages.-1.content", "--hyp-fields", "hypothesis")
    by_path = commands.run("score", "-b", *chosen, str(path)).stdout
    assert by_path == commands.run("score", "-b", str(path)).stdout
    assert by_path == b"0.6000\n"


def test_it_is_known_by_its_bytes_and_may_be_compressed(path, tmp_path):
    import gzip

    packed = tmp_path / "set.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert Campaign.read(packed).corpus.refs == Campaign.read(path).corpus.refs


def test_damage_and_size_are_named(path):
    data = path.read_bytes()
    with pytest.raises(InputError):
        parquet_text(data[: len(data) // 2], "set.parquet")
    with pytest.raises(LimitError):
        parquet_text(data, "set.parquet", Limits(max_file=20))


def test_a_table_without_rows_is_an_error(tmp_path):
    parquet.write_table(pa.table({"ref": pa.array([], pa.string())}), tmp_path / "no.parquet")
    with pytest.raises(InputError):
        Campaign.read(tmp_path / "no.parquet")


def test_a_glossary_is_no_parquet_file(path):
    with pytest.raises(InputError):
        glossary.read(path, "zh")


def test_without_pyarrow_the_error_says_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="pyarrow"):
        Campaign.read(path)


def test_any_damage_is_an_error_or_a_table(path):
    draws = random.Random(6)
    for _ in range(300):
        data = bytearray(path.read_bytes())
        for _ in range(draws.choice((1, 3, 20))):
            data[draws.randrange(4, len(data))] = draws.randrange(256)
        try:
            parquet_text(bytes(data), "set.parquet")
        except CelabError:
            continue
