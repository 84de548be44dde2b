"""Folders of documents: references and outputs with one file for each document."""

import pytest
from commands import refusal, run

import celab
from celab import corpus
from celab.base.errors import InputError, InputWarning

REFS = {
    "talk1": ["大家好。", "今天谈谈树木。", "谢谢大家。"],
    "talk2": ["我们测量了温度。", "结果清楚。"],
}
TIMES = [(0, 2000), (3000, 5000), (6000, 8000)]


def clock(milliseconds):
    seconds, rest = divmod(milliseconds, 1000)
    return f"00:00:{seconds:02},{rest:03}"


def srt(texts, times=TIMES):
    cues = zip(texts, times, strict=False)
    lines = (f"{clock(start)} --> {clock(end)}\n{text}\n" for text, (start, end) in cues)
    return "\n".join(f"{number}\n{cue}" for number, cue in enumerate(lines, 1))


def plain(texts):
    return "".join(f"{text}\n" for text in texts)


def xliff(texts):
    units = "".join(
        f'<trans-unit id="{number}"><source>s{number}</source><target>{text}</target></trans-unit>'
        for number, text in enumerate(texts, 1)
    )
    return (
        '<xliff version="1.2"><file original="a" source-language="en" target-language="zh"><body>'
        f"{units}</body></file></xliff>"
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, texts, suffix=".txt", form=plain):
        (tmp_path / name).mkdir(exist_ok=True)
        for document, lines in texts.items():
            (tmp_path / name / f"{document}{suffix}").write_text(form(lines), "utf-8")
        return name

    return write


def joined(texts):
    """The texts of each document as one line."""
    return {name: ["".join(lines)] for name, lines in texts.items()}


def segments(texts):
    return [(segment.document, segment.id) for segment in texts.segments]


NUMBERED = [("talk1", "1"), ("talk1", "2"), ("talk1", "3"), ("talk2", "1"), ("talk2", "2")]
ALL = [line for lines in REFS.values() for line in lines]


@pytest.mark.parametrize(("suffix", "form"), [(".txt", plain), (".srt", srt), (".xlf", xliff)])
def test_files_of_the_same_names_are_documents(folder, suffix, form):
    texts = corpus.read(folder("ref", REFS, suffix, form), folder("A", REFS, suffix, form))
    assert (segments(texts), texts.refs, texts.systems) == (NUMBERED, [ALL], {"A": ALL})
    assert texts.source == (["s1", "s2", "s3", "s1", "s2"] if form is xliff else None)


def test_each_folder_is_a_reference_a_system_or_the_source(folder):
    for name in ("ref1", "ref2", "A", "B"):
        folder(name, REFS)
    folder("source", {"talk1": ["a", "b", "c"], "talk2": ["d", "e"]})
    texts = corpus.read(["ref1", "ref2/"], ["A/", "B"], source="source")
    assert (texts.refs, texts.ref_names) == ([ALL, ALL], ["ref1", "ref2"])
    assert (texts.systems, texts.source) == ({"A": ALL, "B": ALL}, list("abcde"))
    (source := folder("one", {"source": list("abcde")}, ".en"))
    assert corpus.read("ref1", "A", source=f"{source}/source.en").source == list("abcde")


@pytest.mark.parametrize("times", [False, True])
def test_documents_are_aligned_one_by_one(folder, times):
    if times:
        folder("ref", REFS, ".srt", srt)
        spans = {1: [(0, 8000)], 2: [(0, 2000), (3000, 8000)]}
        cues = {"talk1": ["".join(REFS["talk1"])], "talk2": REFS["talk2"]}
        folder("A", cues, ".vtt", lambda lines: "WEBVTT\n\n" + vtt(lines, spans[len(lines)]))
    else:
        folder("ref", REFS)
        folder("A", joined(REFS))
    texts = corpus.read("ref", "A", align=True)
    assert (segments(texts), texts.hyps) == (NUMBERED, ALL)
    (alignment,) = texts.alignments.values()
    assert [document.name for document in alignment.documents] == ["talk1", "talk2"]
    assert [document.uses_times for document in alignment.documents] == [times or None] * 2
    campaign = celab.Campaign.read("ref", ["A"], align=True).score("celab")
    done = run("score", "-q", "--align", "-r", "ref/", "-s", "A/", encoding="utf-8")
    score = campaign.scores["celab"]["A"].score
    assert done.returncode == 0 and done.stdout.startswith(f"TESLA-CELAB = {score:.4f} ")
    assert "|align-docs:2@" in done.stdout


def vtt(texts, times):
    return srt(texts, times).replace(",", ".")


def test_several_folders_are_systems(folder):
    folder("ref", REFS)
    folder("A", joined(REFS))
    folder("B", REFS)
    texts = corpus.read("ref", ["A", "B"], align=True)
    assert texts.systems == {"A": ALL, "B": ALL}
    done = run("compare", "-q", "--align", "-r", "ref", "-s", "A", "B", "-m", "chrf")
    assert done.returncode == 0


EQUAL = {"a": ["买伞", "去北京"], "b": ["好", "再见"]}


def test_documents_of_one_length_are_matched_by_name(folder, tmp_path):
    folder("ref", EQUAL)
    folder("more", {name: EQUAL[name] for name in ("b", "a")})
    (tmp_path / "sys").mkdir()
    folder("sys/A", EQUAL)
    folder("sys/B", {"a": EQUAL["b"], "b": EQUAL["a"]})
    texts = corpus.read("ref", ["sys"])
    assert segments(texts) == [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]
    lines = [line for name in EQUAL for line in EQUAL[name]]
    assert texts.refs == [lines] and list(texts.systems) == ["A", "B"]
    assert texts.systems["A"] == lines and texts.systems["B"] == lines[2:] + lines[:2]
    assert corpus.read("ref", "more").hyps == lines
    done = run("score", "-r", "ref", "-s", "sys", "-m", "chrf", encoding="utf-8")
    assert done.returncode == 0 and "2 systems, reference ref, 4 segments" in done.stderr
    done = run("score", "--segments", "-q", "ref", "more", encoding="utf-8")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 1 + len(lines)
    ref3 = folder("ref3", EQUAL | {"c": ["甲", "乙"]})
    missing = "more is missing 2 segments (document c segment 1, document c segment 2)"
    assert missing in refusal("score", ref3, "more")
    texts = corpus.read("ref/*", "more/*")
    assert (len(texts.refs), list(texts.systems)) == (2, ["a", "b"])


def test_files_that_may_be_documents_are_warned_about_once(folder):
    ref, hyp = folder("ref", EQUAL), folder("hyp", {name: EQUAL[name] for name in ("b", "a")})
    files = ("-r", f"{ref}/a.txt", f"{ref}/b.txt", "-s", f"{hyp}/a.txt", f"{hyp}/b.txt")
    done = run("score", *files, "-m", "chrf", encoding="utf-8")
    (line,) = [line for line in done.stderr.splitlines() if ": warning: " in line]
    assert line.endswith("give their folders: --references ref --systems hyp")
    # The outputs are more like the second reference than that is like the first.
    files = ("-r", f"{ref}/a.txt", f"{ref}/b.txt", "-s", f"{hyp}/b.txt")
    done = run("score", *files, "-m", "chrf", encoding="utf-8")
    assert "is read as a reference, but is more like the hypothesis" in done.stderr


def test_other_ids_in_each_file_tell_documents(folder):
    for name in ("ref", "hyp"):
        for document, lines in EQUAL.items():
            content = xliff(lines).replace('"a"', f'"{document}.docx"')
            folder(name, {document: [content]}, ".xlf", "".join)
    assert segments(corpus.read("ref", "hyp")) == [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]


def test_files_may_have_documents_of_their_own(folder):
    unit = "<trans-unit id='1'><source>s</source><target>{}</target></trans-unit>"
    file = f"<file original='{{}}' target-language='zh'><body>{unit}</body></file>"
    content = "<xliff version='1.2'>{}{}</xliff>"
    for name, last in {"ref": "去", "hyp": ""}.items():
        texts = [content.format(file.format("x", "买"), file.format("y", last))]
        folder(name, {"a": texts, "b": [xliff(["好", "坏"])]}, ".xlf", "".join)
    texts = corpus.read("ref", "hyp", skip_missing=True)
    assert segments(texts) == [("a/x", "1"), ("b", "1"), ("b", "2")]


def test_folders_with_other_names_stand_for_their_files(folder):
    folder("ref", EQUAL)
    folder("hyp", {"A": EQUAL["a"], "B": EQUAL["b"]})
    folder("more", EQUAL | {"c": ["甲", "乙"]})
    folder("single", {"a": EQUAL["a"]})
    assert [*corpus.read("ref", "hyp").systems] == ["A", "B"]
    assert [*corpus.read("ref", "more").systems] == ["a", "b", "c"]
    assert corpus.read("single", "single").ref_files == ["single/a.txt"]


def test_documents_that_are_missing_or_twice_are_named(folder):
    folder("ref", REFS)
    folder("hyp", REFS | {"talk3": ["好"]})
    line = refusal("score", "--align", "ref", "hyp")
    assert "hyp: the output has document talk3, which the reference does not have" in line
    folder("less", {"talk1": REFS["talk1"], "talk2": REFS["talk2"]})
    folder("ref3", REFS | {"talk3": ["好"]})
    line = refusal("score", "-r", "ref3", "-s", "less")
    assert "less is missing 1 segment (document talk3 segment 1); use --skip-missing" in line
    assert len(corpus.read("ref3", "less", skip_missing=True).segments) == len(ALL)
    folder("other", {"x": ["好"], "y": ["好"]})
    line = refusal("score", "--align", "-r", "ref", "-s", "hyp", "other")
    assert "document" in line
    folder("short", {"talk1": REFS["talk1"], "talk2": ["我们"]})
    assert "short/talk2.txt has 1 line but ref/talk2.txt has 2" in refusal("score", "ref", "short")
    for name in ("ref", "short"):
        folder(name, {"talk1": REFS["talk1"]}, ".md")
    assert "ref/talk1.txt and ref/talk1.md have the same name" in refusal("score", "ref", "short")


def test_folders_are_read_as_one_file_with_documents_is(folder, tmp_path):
    outputs = {"talk1": ["大家好！", "今天谈树。", "谢谢。"], "talk2": ["测量了温度。", "很清楚。"]}
    folder("ref", REFS)
    folder("A", outputs)
    documents = [name for name, lines in REFS.items() for _ in lines]
    for name, lines in {
        "ref.txt": ALL,
        "A.txt": [*outputs["talk1"], *outputs["talk2"]],
        "docs": documents,
    }.items():
        (tmp_path / name).write_text(plain(lines), "utf-8")
    texts, expected = corpus.read("ref", "A"), corpus.read("ref.txt", "A.txt", documents="docs")
    assert (texts.refs, texts.systems) == (expected.refs, expected.systems)
    assert [segment.document for segment in texts.segments] == documents
    whole = {name: "\n".join(lines) for name, lines in outputs.items()}
    aligned = celab.align(whole, ALL, documents=documents)
    assert corpus.read("ref", "A", align=True).hyps == aligned.lines


def test_a_folder_of_folders_stands_for_systems(folder, tmp_path):
    folder("ref", REFS)
    (tmp_path / "sys").mkdir()
    names = ["sys/A", "sys/v2", "sys/v10"]
    for name in names:
        folder(name, REFS)
    texts = corpus.read("ref", "sys")
    assert list(texts.systems) == ["A", "v2", "v10"]
    assert (texts.systems, texts.refs) == (corpus.read("ref", names).systems, [ALL])
    cut = corpus.read("ref", "sys", align=True)
    assert list(cut.systems) == ["A", "v2", "v10"]
    # A file beside the folders is a system, as before.
    (tmp_path / "sys" / "one.txt").write_text(plain(ALL), "utf-8")
    (tmp_path / "ref.txt").write_text(plain(ALL), "utf-8")
    assert list(corpus.read("ref.txt", "sys").systems) == ["one"]


def test_talks_that_are_given_as_texts_get_the_folders_to_type(folder, tmp_path):
    folder("ref", REFS)
    (tmp_path / "sys").mkdir()
    for name in ("sys/A", "sys/B"):
        folder(name, REFS)
    ref, a, b = ([f"{name}/{talk}.txt" for talk in REFS] for name in ("ref", "sys/A", "sys/B"))
    line = refusal("score", "-r", *ref, "-s", *a, *b)
    hint = "if each file is a document, give their folders: --references ref --systems sys/A sys/B"
    same = "2 references and 4 systems have the same names, but other segments"
    assert line == f"celab-score: error: {same}; {hint}"
    # Of one number of lines, they may be what they are given as.
    for name in ("ref", "sys/A"):
        folder(name, {talk: ["好。"] for talk in REFS})
    with pytest.warns(InputWarning, match="2 references and 2 systems have the same names; if ea"):
        assert list(corpus.read(ref, a).systems) == ["talk1", "talk2"]
    for name in ("ref", "sys/A"):
        folder(name, REFS)
    with pytest.raises(InputError, match=r"refs=\['ref'\] systems=\['sys/A'\]$"):
        corpus.read(ref, a)
    # Files of one folder, and files with other names, are texts.
    folder("other", {"x": REFS["talk1"], "y": REFS["talk2"]})
    for systems in (["other/x.txt", "other/y.txt"], a[:1], [*reversed(ref)]):
        assert "folders" not in refusal("score", "-r", *ref, "-s", *systems)
