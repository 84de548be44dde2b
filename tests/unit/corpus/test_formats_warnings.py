"""Files that are hardly what is meant are warned about."""

import os
import threading

import pytest
from commands import refusal, run, write_lines

import celab

DOUBTFUL = [
    ("t.tsv", "id\ttext\n1\t买伞\n", "is read as plain text, tabs included; name its columns, or "),
    (
        "t.txt",
        "1\t买伞\n2\t去北京\n",
        "is read as plain text, tabs included; name its columns, or ",
    ),
    ("t.txt", '[["买伞"],\n["去北京"]]\n', "is read as plain text, but it is JSON"),
    ("t.txt", "买伞\r去北京\r\n", "is one line with 2 parts that end in a carriage return"),
    ("t.txt", "\n \n", "has no text, only blank lines; check that it is the right file"),
    ("t.txt", "买@@ 伞\n去 北@@ 京\n", "has marks of subwords (@@ or ▁) in 100% of its lines"),
    ("t.txt", "▁买 伞\n去\n", "has marks of subwords (@@ or ▁) in 50% of its lines"),
    ("t.txt", "AT&amp;T\n去\n", "has HTML entities in 50% of its lines; replace them by the"),
    ("t.txt", "&#20080;伞\n去\n", "has HTML entities in 50% of its lines; replace them by the"),
    ("t.txt", "\\u4e70\n去\n", "has escapes such as \\u4e70 in 50% of its lines; replace them"),
    ("t.txt", "0 ||| 买伞 ||| -1\n1 ||| 去 ||| -1\n", "looks like an n-best list"),
    ("t.txt", "\ufffd\ufffd伞\n去\n", "has 2 replacement characters (U+FFFD) in 2 lines"),
]

NUL = "NUL characters are dropped; remove them, or give the right encoding, such as utf-16"


@pytest.mark.parametrize("flags", [[], ["--segments"]])
@pytest.mark.parametrize("line", [2, 150, 1500])  # in any batch of a long file
def test_nul_characters_are_warned_about(tmp_path, monkeypatch, flags, line):
    monkeypatch.setattr("celab.cli.batches.STREAM_BATCH", 1000)
    lines = ["买雨伞"] * 2500
    ref = write_lines(tmp_path / "ref.zh", *lines)
    lines[line - 1] = lines[-1] = "买\0雨伞"
    hyp = write_lines(tmp_path / "hyp.zh", *lines)
    told = f"{hyp}, line {line}: {NUL}"
    done = run("score", "-q", *flags, ref, hyp, encoding="utf-8")
    assert done.returncode == 0 and done.stderr == f"celab-score: warning: {told}\n"
    done = run("score", "--strict", *flags, ref, hyp, "-o", tmp_path / "out", encoding="utf-8")
    assert done.returncode == 2 and done.stderr.endswith(f"{told}; --strict makes this an error\n")
    with pytest.warns(celab.InputWarning) as seen:
        celab.Campaign.read(ref, hyp)
    assert [str(warning.message) for warning in seen] == [told]


def test_nul_characters_of_json_and_of_nbest_lists_are_warned_about(tmp_path):
    table = write_lines(tmp_path / "t.jsonl", r'{"ref": "买伞", "hyp": "买\u0000伞"}')
    flags = ["-q", "--ref-fields", "ref", "--hyp-fields", "hyp"]
    assert f", line 1: {NUL}" in run("score", *flags, table, encoding="utf-8").stderr
    nbest = write_lines(tmp_path / "nbest.txt", "0 ||| 买伞", "0 ||| 买\0伞")
    for command, *arguments in (("mbr", nbest), ("tune", nbest, "-r", nbest)):
        if command == "mbr":
            done = run(command, "-q", *arguments, encoding="utf-8")
            assert done.returncode == 0 and f"{nbest}, line 2: {NUL}" in done.stderr
        assert f"{nbest}, line 2: {NUL}; --strict" in refusal(command, "--strict", *arguments)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--weights", "pipe"], "pipe is a pipe; it must be a regular file"),
        (["--lang", "de", "--counts", "pipe"], "pipe is a pipe; it must be a regular file"),
        (["-m", "tesla-f", "--model", "pipe"], "model pipe is a pipe; it must be a file of"),
        (["-m", "tesla-b", "--pivot", "pipe"], "pivot table pipe is a pipe; it must be a .pivot"),
    ],
)
def test_pipes_are_not_waited_for(put, flags, told):
    text = put("text.zh", "买伞\n")
    os.mkfifo("pipe")
    # A reader would get an empty file, not wait for ever.
    writer = threading.Thread(target=lambda: open("pipe", "wb").close())
    writer.start()
    try:
        assert told in refusal("score", *flags, text, text)
    finally:
        reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)


@pytest.mark.parametrize(("name", "content", "told"), DOUBTFUL)
@pytest.mark.parametrize("flags", [[], ["--segments"]])
def test_files_that_are_hardly_what_is_meant_are_warned_about(tmp_path, name, content, told, flags):
    hyp = tmp_path / name
    hyp.write_bytes(content.encode())
    ref = write_lines(tmp_path / "ref.zh", *["买雨伞", "去北京"][: content.count("\n") or 1])
    done = run("score", *flags, ref, hyp, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert f"warning: {hyp} {told}" in done.stderr
    assert f"{hyp} {told}" in refusal("score", "--strict", *flags, ref, hyp)
    with pytest.warns(celab.InputWarning) as seen:
        celab.Campaign.read(ref, hyp)
    assert f"{hyp} {told}" in str(seen[0].message)
    assert {warning.filename for warning in seen} == {__file__}


def test_a_table_may_be_meant_as_plain_text(tmp_path):
    table = write_lines(tmp_path / "t.tsv", "id\ttext", "1\t买伞")
    assert f"{table} is read as plain text, " in refusal("score", "--strict", table, table)
    assert run("score", "--strict", "--format", "plain", table, table).returncode == 0
    with pytest.warns(celab.InputWarning):
        celab.Campaign.read(table, table)


@pytest.mark.parametrize(
    "content",
    [
        "买伞\r\n去北京\r\n",
        "买伞\r\n去\r北京\n",
        "买伞\n\n",
        "买伞\n去\t北京\n",
        "[买伞]\n{去}\n",
        '["买伞"\n去\n',
        "写到 a@@b.cn\n去\n",
        "1 | 买伞\n去\n",
    ],
)
@pytest.mark.parametrize("flags", [[], ["--segments"]])
def test_other_files_are_not_warned_about(tmp_path, content, flags):
    hyp, ref = tmp_path / "hyp.tsv", write_lines(tmp_path / "ref.zh", "买雨伞", "去北京")
    hyp.write_bytes(content.encode())
    done = run("score", "--strict", *flags, ref, hyp, encoding="utf-8")
    assert done.returncode == 0, done.stderr


SENTENCES = [
    "今天天气很好。",
    "他买了一把雨伞。",
    "我们明天去北京。",
    "书在桌子上。",
    "火车晚点了。",
] * 4


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ("{n}. {text}", "has numbers before 100% of its lines; remove them first"),
        ("[{n}] {text}", "has numbers before 100% of its lines"),
        ("{n}、{text}", "has numbers before 100% of its lines"),
        ("{n} {text}", "has numbers before 100% of its lines"),
        ('"{text}"', "has quotation marks around 100% of its lines; remove them first"),
        ("“{text}”", "has quotation marks around 100% of its lines"),
        ("「{text}」", "has quotation marks around 100% of its lines"),
        (r"{text}\n{text}", r"has line breaks written as \n in 100% of its lines; replace them by"),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--segments"]])
@pytest.mark.parametrize("first", [0, 1])
def test_frames_of_all_lines_are_warned_about(tmp_path, frame, told, flags, first):
    ref = write_lines(tmp_path / "ref.zh", *SENTENCES)
    lines = [frame.format(n=n, text=text) for n, text in enumerate(SENTENCES, first)]
    hyp = write_lines(tmp_path / "hyp.zh", *lines)
    done = run("score", "-q", *flags, ref, hyp, encoding="utf-8")
    assert f"warning: {hyp} {told}" in done.stderr
    table = write_lines(
        tmp_path / "h.csv", "hyp", *(f'"{x.replace(chr(34), 2 * chr(34))}"' for x in lines)
    )
    assert f"{table} {told}" in run("score", "-q", ref, table, encoding="utf-8").stderr


@pytest.mark.parametrize(
    "lines",
    [
        [f"{n}年过去了。" for n in range(2001, 2010, 2)] * 4,
        ["“好。”"] * 4 + SENTENCES[:16],
        ["C:\\new", *SENTENCES[1:]],
        ["1. 好", "2. 去", "3. 来", "4. 走"] * 5,
    ],
)
def test_some_numbers_and_quotations_are_text(tmp_path, lines):
    ref = write_lines(tmp_path / "ref.zh", *SENTENCES)
    done = run("score", "-q", ref, write_lines(tmp_path / "h.zh", *lines), encoding="utf-8")
    assert "remove" not in done.stderr
    assert "replace" not in done.stderr


def test_messages_of_programs_may_have_escapes(tmp_path):
    unit = '<trans-unit id="1"><source>A\\nB</source><target>甲\\n乙</target></trans-unit>'
    begin = '<xliff version="1.2"><file original="a" source-language="en" target-language="zh">'
    content = f"{begin}<body>{unit}</body></file></xliff>"
    path = write_lines(tmp_path / "a.xlf", content)
    assert run("score", "--strict", "-q", path, path, encoding="utf-8").returncode == 0
