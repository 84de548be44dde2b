"""`celab stream`, driven by its line protocol: all at once, or from a second process."""

import os
import random
import signal
import subprocess
import sys
import threading

import commands
import pytest

import celab
from celab.base.errors import InputError
from celab.nbest import references
from celab.nbest.references import LoadedReferences, read_references

COMMAND = [sys.executable, "-m", "celab", "stream"]
REF1 = ["买雨伞", "今天天气很好", "", "我在北京"]
REF2 = ["买一把伞", "", "谢谢你", "我住在北京"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = os.path.dirname(os.path.abspath(celab.__path__[0]))
    monkeypatch.setenv("PYTHONPATH", here)  # commands run the package that is being tested
    write("ref1.zh", REF1)
    write("ref2.zh", REF2)


def write(name, lines):
    with open(name, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_the_help_has_one_rule_for_traditional_text():
    help = commands.run("stream", "--help-all").stdout.decode()
    assert help.count("Traditional") == 1  # at --script


def replies(*arguments, sent):
    done = commands.run("stream", "--lexicon", "none", "--quiet", *arguments, input=sent)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().splitlines()


class Dialogue:
    """The command, running, with lines to it and from it."""

    def __init__(self, *arguments, **settings):
        self.process = subprocess.Popen(
            [*COMMAND, "--lexicon", "none", "--quiet", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **settings,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if not pipe.closed:
                pipe.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def send(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode())
        self.process.stdin.flush()

    def line(self):
        return self.process.stdout.readline().decode().removesuffix("\n")


# The protocol.


def test_lines_of_an_nbest_list_can_be_sent_as_they_are():
    sent = "1 ||| 今天天气很好 ||| LM0= -2 ||| -3.5\n1 ||| 今天天气很好\n"
    assert replies("ref1.zh", "ref2.zh", sent=sent) == ["1.0", "1.0"]


def test_a_tab_first_makes_bars_part_of_the_text():
    sent = "0\ta ||| b\n0\ta\n"
    write("bars.zh", ["a ||| b"])
    first, second = replies("bars.zh", sent=sent)
    assert first == "1.0" != second


@pytest.mark.parametrize(
    ("request_line", "reply"),
    [
        ("", "'' has neither a tab nor ||| after a segment number"),
        ("0 买伞", "'0 买伞' has neither a tab nor ||| after a segment number"),
        ("x\t买伞", "the segment is 'x'; it must be a whole number"),
        ("-1\t买伞", "the segment is '-1'; it must be a whole number"),
        ("１\t买伞", "the segment is '１'; it must be a whole number"),
        ("4\t买伞", "the segment is 4; it must be 0 to 3"),
        ("9" * 5000 + "\t买伞", "the segment is 99999999999999999999...; it must be 0 to 3"),
        (
            b"0\t\xe4\xb9",
            "byte 3 of the line, 0xE4, is not part of a UTF-8 character; the line must be UTF-8",
        ),
        (
            b"\xff",
            "byte 1 of the line, 0xFF, is not part of a UTF-8 character; the line must be UTF-8",
        ),
        (b"0\t" + b"x" * 65_535, "the line is longer than 65536 bytes"),
        (b"x" * 1_000_000, "the line is longer than 65536 bytes"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_malformed_request_gets_an_error_line_and_the_stream_goes_on(request_line, reply):
    line = request_line if isinstance(request_line, bytes) else request_line.encode()
    good = "0\t买雨伞\n".encode()
    first, told, last = replies("ref1.zh", "ref2.zh", sent=good + line + b"\n" + good)
    assert told == f"ERROR {reply}"
    assert first == last != ""


def test_an_error_line_is_one_line():
    assert references.reply("a\nb\x1b") == "ERROR a\\nb\\x1b\n"


def test_a_line_may_be_as_long_as_is_allowed():
    line = b"0\t" + b"x" * (references.MAX_BYTES - 2)
    assert references.parse_request(line, 1) == (0, "x" * (references.MAX_BYTES - 2))
    with pytest.raises(InputError):
        references.parse_request(line + b"x", 1)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 1000])
def test_pieces_of_any_size_make_the_same_lines(size, monkeypatch):
    monkeypatch.setattr(references, "MAX_BYTES", 50)
    texts = [b"a", b"", b"b\r", b"\xe4\xb9\xb0", b"x" * 300, b"x" * 50 + b"\r"]
    data = b"\xef\xbb\xbf" + b"\n".join(texts)
    lines, found = references.Lines(), []
    for i in range(0, len(data), size):
        found += lines.whole(data[i : i + size])
    found += lines.last()
    assert lines.last() == []
    assert found[:4] == [b"a", b"", b"b", b"\xe4\xb9\xb0"]
    assert len(found[4]) > references.MAX_BYTES == len(found[5])


def test_dos_lines_a_byte_order_mark_and_a_last_line_without_end():
    sent = b"\xef\xbb\xbf" + "1\t今天天气很好\r\n1\t今天天气很好".encode()
    assert replies("ref1.zh", "ref2.zh", sent=sent) == ["1.0", "1.0"]


def test_the_end_of_the_input_is_the_end():
    for sent, summary in (("0\t买雨伞\nx\n", "2 requests, 1 error"), ("", "0 requests, 0 errors")):
        done = commands.run("stream", "--lexicon=none", "ref2.zh", "ref1.zh", input=sent)
        assert (done.returncode, done.stdout.count(b"\n")) == (0, sent.count("\n"))
        first, signature = done.stderr.decode().splitlines()
        assert first == f"celab stream: note: {summary}"
        assert signature.startswith("celab stream: note: celab|refs:2|")


# As it comes.


def test_a_reply_does_not_wait_for_the_next_request():
    with Dialogue("ref1.zh", "ref2.zh") as talk:
        for _ in range(3):
            talk.send("1\t今天天气")
            talk.send("很好\n")
            assert talk.line() == "1.0"
        talk.send("1\t今天天气很好\n1\t\n1\t今")
        assert [talk.line(), talk.line()] == ["1.0", "0.0"]
        talk.send("天天气很好\n")
        assert talk.line() == "1.0"


def test_thousands_of_requests():
    rng = random.Random(2012)
    letters = "今天气很好我在北京买雨伞一把你他"
    refs = [["".join(rng.choices(letters, k=rng.randint(4, 12))) for _ in range(200)] for _ in "AB"]
    write("a.zh", refs[0])
    write("b.zh", refs[1])
    bad = [b"no separator", b"x\ty", b"200\tz", b"3\t\xff", b"", b"-1 ||| a"]
    asked, wrong = [], set()
    lines = []
    for i in range(3000):
        if rng.random() < 0.01:
            wrong.add(i)
            asked.append(None)
            lines.append(rng.choice(bad) + b"\n")
            continue
        segment = rng.randrange(200)
        text = list(refs[rng.randrange(2)][segment])
        for _ in range(3):
            text[rng.randrange(len(text))] = rng.choice(letters)
        text = "".join(text) * (rng.random() > 0.02)
        asked.append((segment, text))
        form = "{}\t{}\n" if rng.random() < 0.5 else "{} ||| {} ||| f= 1 ||| -2.5\n"
        lines.append(form.format(segment, text).encode())
    got = []
    with Dialogue("a.zh", "b.zh") as talk:
        for line in lines[:200]:  # one by one
            talk.send(line)
            got.append(talk.line())
        begin = 200
        for size in (2, 3, 50, 100):  # bursts
            for _ in range(5):
                talk.send(b"".join(lines[begin : begin + size]))
                got += [talk.line() for _ in range(size)]
                begin += size
        rest = b"".join(lines[begin:])  # all at once, read while it is written
        writer = threading.Thread(target=lambda: (talk.send(rest), talk.process.stdin.close()))
        writer.start()
        got += talk.process.stdout.read().decode().splitlines()
        writer.join()
        assert talk.process.wait(timeout=60) == 0
        assert talk.process.stderr.read() == b""
    assert len(got) == 3000 and len(wrong) > 10
    assert {i for i, line in enumerate(got) if line.startswith("ERROR ")} == wrong
    good = [one for one in asked if one is not None]
    sides = [[side[segment] for segment, _ in good] for side in refs]
    expected = celab.TeslaCelab(lexicon=None).corpus_score([text for _, text in good], sides)
    replied = [line for i, line in enumerate(got) if i not in wrong]
    assert replied == [repr(score) for score in expected.segments.scores.tolist()]


# How it ends.


def test_who_stops_reading_ends_it_quietly():
    with Dialogue("ref1.zh", "ref2.zh") as talk:
        talk.send("1\t今天天气很好\n")
        assert talk.line() == "1.0"
        talk.process.stdout.close()
        talk.send("1\t今天天气很好\n")
        assert talk.process.wait(timeout=60) == 141
        assert talk.process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_interrupted():
    with Dialogue("ref1.zh", "ref2.zh") as talk:
        talk.send("1\t今天天气很好\n")
        assert talk.line() == "1.0"
        talk.process.send_signal(signal.SIGINT)
        assert talk.process.wait(timeout=60) == 130
        assert talk.process.stderr.read() == b"celab stream: interrupted\n"


# What scores.


def test_one_that_fails_does_not_take_others_along():
    metric = celab.TeslaM(analysis="tagged")
    found = LoadedReferences(metric, [["a|a|N", "b|b|N"]])
    texts = ["a|a|N", "bad", "b|b|N", "a|a|N", "worse"]
    rows = found.rows([0, 0, 1, 1, 1], texts)
    assert [isinstance(row, InputError) for row in rows] == [False, True, False, False, True]
    assert rows[0][0] == rows[2][0] == 1.0
    assert rows[3][0] < 1.0
    assert "sentence 1" not in str(rows[1])  # a request has no number
    assert "bad" in str(rows[1])


# The references.


def test_references_in_other_encodings():
    with open("gb.zh", "wb") as file:
        file.write("买伞\n好\n".encode("gb18030"))
    assert read_references(["gb.zh"], "gb18030") == [["买伞", "好"]]
    assert replies("--encoding", "gb18030", "gb.zh", sent="0\t买伞\n") == ["1.0"]
