"""Small JSON files: what is read, and what is refused before it takes much time or memory."""

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import tracemalloc
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab.base import json_files
from celab.base.errors import InputError, LimitError
from celab.base.json_files import (
    Anything,
    Dictionary,
    JsonError,
    List,
    Number,
    Object,
    Optional,
    ShapeError,
    Text,
    Whole,
    check,
    parse_json,
    read_json,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_json_writes_is_read(value):
    assert parse_json(json.dumps(value)) == value


@given(st.binary(max_size=60) | st.text('[]{}",:0-1eEtrue.\\', max_size=60))
def test_any_bytes_are_read_or_refused(data):
    try:
        parse_json(data)
    except JsonError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
        (b'"' + b'\\"' * 200_000, "not JSON"),
        (b"NaN", "NaN is not a number of JSON"),
        (b'{"skipped": Infinity}', "Infinity is not a number of JSON"),
        (b"[-Infinity]", "-Infinity is not a number of JSON"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' occurs twice"),
        (b"\xff", "not JSON"),
        (b"", "not JSON"),
        (b"1 2", "not JSON"),
        (b"9" * 100_000, "not JSON"),
    ],
)
def test_what_is_not_json(data, told):
    with pytest.raises(JsonError, match=told):
        parse_json(data)


def test_brackets_in_strings_are_no_nesting():
    assert parse_json('["' + "[" * 1000 + '", "\\"[[[", {"]": 1}]')[0] == "[" * 1000
    assert parse_json(b"[" * 20 + b"]" * 20)
    assert parse_json("[1" + "0" * 400 + "]") == [10**400]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_files_may_be_compressed(tmp_path, pack):
    (tmp_path / "x").write_bytes(pack(b'{"a": 1}'))
    assert read_json(tmp_path / "x", "x", "JSON")[0] == {"a": 1}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, partial(lzma.compress, preset=0)])
def test_a_small_file_that_unpacks_to_a_large_one(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(json_files, "MAX_BYTES", 1 << 20)
    unpacked = json_files.MAX_BYTES * 8
    (tmp_path / "x").write_bytes(pack(bytes(unpacked)))
    tracemalloc.start()
    with pytest.raises(LimitError):
        read_json(tmp_path / "x", "file x", "JSON")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < unpacked


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither /dev/zero nor mkfifo")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/dev/zero", "is a device; it must be JSON"),
        ("link", "is a device; it must be JSON"),
        ("pipe", "is a pipe; it must be JSON"),
        (".", "is a directory; it must be JSON"),
        ("absent", ".*no such file"),
        ("a\0b", "cannot be read"),
    ],
)
def test_devices_and_pipes_are_not_opened(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    os.symlink("/dev/zero", "link")
    with pytest.raises(InputError, match=f"file x.*{message}"):
        read_json(path, "file x", "JSON")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    assert read_json("-", "standard input", "JSON")[0] == [1]


SHAPE = Object(
    {
        "text": Text("[a-z]+"),
        "numbers": List(Number(0, 1), least=1, most=3),
        "count": Whole(most=9),
        "maybe": Optional(Whole()),
        "table": Dictionary(Number()),
    },
    optional={"rest": Anything()},
)
SOUND = {
    "text": "a",
    "numbers": [0, 0.5],
    "count": 3,
    "maybe": None,
    "table": {"x": -1e100},
}


def test_a_sound_value():
    check(SOUND, SHAPE)
    check(SOUND | {"maybe": 1, "rest": [{}]}, SHAPE)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"text": 1}, "text is 1; it must be a string"),
        ({"text": "A"}, "text is 'A'; it must be a string"),
        ({"text": None}, "text is None; it must be a string"),
        ({"text": ["a"]}, "text is a list; it must be a string"),
        ({"numbers": []}, "numbers has 0 values; it must have 1 to 3"),
        ({"numbers": [0, 1, 0, 1]}, "numbers has 4 values; it must have 1 to 3"),
        ({"numbers": {"0": 1}}, "numbers is an object; it must be a list"),
        ({"numbers": [0, 2]}, "numbers[1] is 2; it must be a number from 0 to 1"),
        ({"numbers": [True]}, "numbers[0] is True; it must be a number from 0 to 1"),
        ({"numbers": [float("nan")]}, "numbers[0] is nan; it must be a number from 0 to 1"),
        ({"numbers": [10**400]}, "numbers[0] is a number of 401 digits; it must be"),
        ({"count": 1.0}, "count is 1.0; it must be a whole number from 0 to 9"),
        ({"count": 10}, "count is 10; it must be a whole number from 0 to 9"),
        ({"maybe": "x"}, "maybe is 'x'; it must be a whole number from 0 to"),
        ({"table": []}, "table is a list; it must be an object"),
        ({"table": {"a b": "x"}}, "table.['a b'] is 'x'; it must be a number from"),
        ({"table": {"\x1b": "x"}}, "table.['\\x1b'] is 'x'; it must be a number from"),
        ({"table": {"y": float("inf")}}, "table.y is inf; it must be a number from"),
        ({"more": 1}, "it has the key 'more', which is unknown"),
    ],
)
def test_values_of_another_shape(change, told):
    with pytest.raises(ShapeError) as error:
        check(SOUND | change, SHAPE)
    assert str(error.value).startswith(told)


def test_a_key_that_is_missing():
    with pytest.raises(ShapeError):
        check({key: value for key, value in SOUND.items() if key != "count"}, SHAPE)
    with pytest.raises(ShapeError):
        check([], SHAPE)
