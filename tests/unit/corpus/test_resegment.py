"""Systems whose lines are not the references' lines, in every layout of documents."""

import json

import pytest

import celab
from celab import corpus
from celab.base.errors import InputError, InputWarning
from celab.corpus.formats.records import documents_of

REFS = ["今天天气很好。", "他买了一把雨伞。", "我们明天去北京。", "谢谢大家。"]
DOCUMENTS = ["a", "a", "b", "b"]
LINES = ["天气今天很好。", "他买了把伞。", "明天我们去北京。", "谢谢各位。"]
TEXTS = {"a": "天气今天很好。他买了把伞。", "b": "明天我们去北京。谢谢各位。"}


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return name

    write("ref.zh", "\n".join(REFS) + "\n")
    write("docs.txt", "\n".join(DOCUMENTS) + "\n")
    return write


def rows(*items):
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


LAYOUTS = {
    "none": (("hyp.txt", "".join(LINES) + "\n"), {}),
    "broken": (("hyp.txt", "天气今天\n很好。他买了\n把伞。明天我们去北京。谢谢各位。\n\n"), {}),
    "lines": (("hyp.txt", "\n".join(TEXTS.values()) + "\n"), {"text_documents": "lines"}),
    "blank": (
        ("hyp.txt", "\n天气今天很好。\n他买了把伞。\n \n\n明天我们去\n北京。谢谢各位。\n\n"),
        {"text_documents": "blank"},
    ),
    "jsonl": (
        (
            "hyp.jsonl",
            rows(
                {"doc": "b", "hyp": "明天我们去北京。"},
                {"doc": "a", "hyp": TEXTS["a"]},
                {"doc": "b", "hyp": "谢谢各位。"},
            ),
        ),
        {},
    ),
    "wmt25": (
        (
            "hyp.jsonl",
            rows(
                {"doc_id": "b", "hypothesis": TEXTS["b"].replace("。谢", "。\n\n谢")},
                {"doc_id": "a", "hypothesis": TEXTS["a"]},
            ),
        ),
        {},
    ),
    "iwslt": (
        (
            "hyp.xml",
            '<mteval><tstset setid="t" sysid="hyp"><doc docid="b"><seg id="1">明天我们去北京。谢谢'
            '</seg><seg id="2">各位。</seg></doc><doc docid="a"><seg id="1">天气今天很好。'
            "他买了把伞。</seg></doc></tstset></mteval>",
        ),
        {},
    ),
    "simuleval": (
        ("hyp.jsonl", rows({"index": 0, "prediction": "".join(LINES), "delays": []})),
        {"fields": corpus.Fields(hyp=["prediction"])},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, write):
    (name, text), settings = LAYOUTS[layout]
    read = corpus.read("ref.zh", write(name, text), documents="docs.txt", align=True, **settings)
    assert list(read.systems.values()) == [LINES]
    assert [segment.document for segment in read.segments] == DOCUMENTS
    (alignment,) = read.alignments.values()
    by_document = layout not in ("none", "broken", "simuleval")
    assert len(alignment.documents) == 1 + by_document
    score = celab.Campaign(read).score("celab").scores["celab"][read.hyp_name]
    assert score.signature.part("align") == "edit+dp-1"


def test_a_folder_has_a_file_for_each_document(write):
    write("sys/b.txt", "明天我们去北京。\n谢谢各位。\n")
    write("sys/a.txt", TEXTS["a"])
    read = corpus.read("ref.zh", "sys", documents="docs.txt", align=True)
    assert read.systems == {"sys": LINES}
    write("sys/c.txt", "别的。\n")
    with pytest.raises(InputError):
        corpus.read("ref.zh", "sys", documents="docs.txt", align=True)


CUES = {
    "srt": "1\n00:00:01,000 --> 00:00:03,000\n{}\n\n2\n00:00:03,000 --> 00:00:05,000\n<i>{}</i>\n",
    "vtt": "WEBVTT\n\n00:01.000 --> 00:03.000\n{}\n\n00:03.000 --> 00:05.000\n<i>{}</i>\n",
    "po": 'msgid "a"\nmsgstr "{}"\n\nmsgid "b"\nmsgstr "{}"\n',
    "jsonl": '{{"hyp": "{}"}}\n{{"hyp": "{}"}}\n',
}


@pytest.mark.parametrize("format", CUES)
def test_files_of_documents_are_read_in_their_formats(format, write):
    write(f"sys/a.{format}", CUES[format].format("天气今天很好。他", "买了把伞。"))
    write(f"sys/b.{format}", CUES[format].format("明天我们去", "北京。谢谢各位。"))
    read = corpus.read("ref.zh", "sys", documents="docs.txt", align=True)
    assert read.systems == {"sys": LINES}
    assert read.codes.are_out == (format in ("srt", "vtt"))


def test_documents_that_are_subtitles_are_cut_by_their_times(write):
    times = ["00:00:01,000 --> 00:00:02,000", "00:00:09,000 --> 00:00:10,000"]
    cues = [f"{number}\n{time}\n好的\n" for number, time in enumerate([*times, *times], 1)]
    later = "\n".join(cues[2:]).replace("00:00:", "00:01:")
    write("ref.srt", "\n".join([*cues[:2], later]))
    write("sys/a.srt", cues[0].replace("好的", "行"))
    write("sys/b.srt", cues[1].replace("00:00:", "00:01:").replace("好的", "行"))
    with pytest.warns(InputWarning):
        read = corpus.read("ref.srt", "sys", documents="docs.txt", align=True)
    assert read.hyps == ["行", "", "", "行"]


def test_a_folder_with_more_than_its_documents_is_refused(write):
    write("sys/a.jsonl", rows({"doc_id": "a", "hyp": "好"}, {"doc_id": "c", "hyp": "好"}))
    write("sys/b.jsonl", rows({"hyp": "好"}))
    with pytest.raises(InputError):
        corpus.read("ref.zh", "sys", documents="docs.txt", align=True)


def test_a_folder_of_systems_is_one_file_each(write):
    write("sys/x.txt", "".join(LINES))
    write("sys/y.txt", "\n".join(LINES))
    read = corpus.read("ref.zh", "sys", align=True)
    assert read.systems == {"x": LINES, "y": LINES} and list(read.alignments) == ["x", "y"]


def test_documents_of_the_references_file(write):
    write("ref.jsonl", rows(*({"doc": d, "ref": r} for d, r in zip(DOCUMENTS, REFS, strict=True))))
    write("hyp.txt", TEXTS["a"] + "\n" + TEXTS["b"] + "\n")
    read = corpus.read("ref.jsonl", "hyp.txt", align=True, text_documents="lines")
    assert read.hyps == LINES and not read.by_line


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv"])
def test_a_record_may_be_a_document(write, suffix):
    texts = list(TEXTS.values())
    content = {
        "jsonl": rows(*({"hyp": text} for text in texts)),
        "json": json.dumps([{"hyp": text} for text in texts]),
        "csv": "hyp\n" + "".join(f"{text}\n" for text in texts),
    }[suffix]
    hyp = write(f"h.{suffix}", content)
    options = {"align": True, "documents": "docs.txt"}
    read = corpus.read("ref.zh", hyp, **options, text_documents="lines")
    assert [len(each.documents) for each in read.alignments.values()] == [2]
    assert read.hyps == LINES


def test_records_that_are_not_the_documents_are_refused(write):
    options = {"align": True, "documents": "docs.txt"}
    three = write("three.jsonl", rows(*({"hyp": text} for text in LINES[:3])))
    with pytest.raises(InputError, match=r"3 records, but the reference has 2 documents"):
        corpus.read("ref.zh", three, **options, text_documents="lines")
    with pytest.raises(InputError, match=r"the reference has no documents"):
        corpus.read("ref.zh", three, align=True, text_documents="lines")
    with pytest.raises(InputError, match=r"three.jsonl has records, not blank lines between"):
        corpus.read("ref.zh", three, **options, text_documents="blank")
    named = write("n.jsonl", rows(*({"doc": name, "hyp": text} for name, text in TEXTS.items())))
    with pytest.raises(InputError, match=r"n.jsonl names its documents, .* leave it out"):
        corpus.read("ref.zh", named, **options, text_documents="lines")
    assert corpus.read("ref.zh", named, **options).hyps == LINES


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_doc_id_names_the_documents_of_any_table(write, suffix):
    items = [*TEXTS.items()][::-1]
    content = {
        "json": json.dumps([{"doc_id": name, "hyp": text} for name, text in items]),
        "csv": "doc_id,hyp\n" + "".join(f"{name},{text}\n" for name, text in items),
    }[suffix]
    hyp = write(f"h.{suffix}", content)
    assert corpus.read("ref.zh", hyp, align=True, documents="docs.txt").hyps == LINES


def test_wmt25_test_sets(write):
    document = {"collection_id": "general", "domain": "news", "src_lang": "en", "tgt_lang": "zh_CN"}
    write(
        "wmt25.jsonl",
        rows(
            document
            | {
                "doc_id": "en-zh_CN_#_news_#_one",
                "src_text": "It is fine today.\n\nHe bought an umbrella.",
                "refs": {"refA": {"ref": "\n\n".join(REFS[:2])}},
            },
            document | {"doc_id": "en-zh_CN_#_news_#_two", "src_text": "No.", "refs": {}},
        ),
    )
    output = {"doc_id": "en-zh_CN_#_news_#_one", "hypothesis": TEXTS["a"]}
    other = {"doc_id": "en-cs_CZ_#_news_#_one", "hypothesis": "Dnes je hezky."}
    write("sysA.jsonl", rows(output, other))
    read = corpus.read("wmt25.jsonl", "sysA.jsonl", align=True)
    assert read.refs == [REFS[:2]] and read.hyps == LINES[:2] and read.ref_names == ["refA"]
    assert read.segments[0].domain == "news" and read.source == [
        "It is fine today.",
        "He bought an umbrella.",
    ]


def test_wmt26_has_paragraphs_in_markup(write):
    name = "WMT26_###_news_###_eng_Latn_###_{}_###_one"
    ref = "\n".join(f"<p>{text}</p>" for text in (*REFS[:2], "他说 A&amp;B。"))
    document = {"doc_id": name.format("zho_Hans"), "domain": "news", "src_text": "One.\n\nTwo."}
    write("wmt26.jsonl", rows(document | {"refs": {"refA": {"ref": ref}}}))
    output = {"doc_id": name.format("zho_Hans"), "hypothesis": f"<p>{TEXTS['a']}A&amp;B。</p>\n"}
    other = {"doc_id": name.format("ces_Latn"), "hypothesis": "<p>Dnes je hezky.</p>"}
    write("sysA.jsonl", rows(output, other))
    read = corpus.read("wmt26.jsonl", "sysA.jsonl", align=True)
    assert read.refs == [[*REFS[:2], "他说 A&B。"]]
    assert read.hyps == [*LINES[:2], "A&B。"]
    plain = {"doc_id": name.format("zho_Hans"), "hypothesis": f"{TEXTS['a']}<p>A&amp;B。"}
    write("speech.jsonl", rows(plain))
    assert "".join(corpus.read("wmt26.jsonl", "speech.jsonl", align=True).hyps).endswith("&amp;B。")


def test_swapped_files(write):
    write("h.txt", "".join(LINES) + "\n")
    with pytest.warns(InputWarning):
        corpus.read("h.txt", "ref.zh", align=True)


def test_several_references(write):
    """A document is cut by the first reference that has it."""
    write(
        "second.jsonl", rows(*({"doc": d, "ref": r} for d, r in zip(DOCUMENTS, REFS, strict=True)))
    )
    first = [{"doc": "a", "id": i, "ref": r} for i, r in ((1, "天气好。"), (2, "他买了伞。"))]
    write("first.jsonl", rows(*({k: v for k, v in row.items() if k != "id"} for row in first)))
    write("h.txt", "".join(LINES) + "\n")
    text = write("h.jsonl", rows(*({"doc": d, "hyp": t} for d, t in TEXTS.items())))
    read = corpus.read(["first.jsonl", "second.jsonl"], text, align=True)
    (alignment,) = read.alignments.values()
    assert [document.reference for document in alignment.documents] == [0, 1]
    assert read.hyps == LINES


def test_campaign_from_lists():
    whole = celab.Campaign.from_lists({"A": "".join(LINES), "B": LINES}, REFS, align=True)
    given = celab.Campaign.from_lists({"A": LINES, "B": LINES}, REFS)
    assert whole.corpus.systems == given.corpus.systems
    scores = [campaign.score("celab").scores["celab"]["A"] for campaign in (whole, given)]
    assert scores[0].score == scores[1].score
    assert scores[0].signature == f"{scores[1].signature}|align:edit+dp-1"


def test_two_files_of_one_document_must_be_alike(write):
    for name, text in TEXTS.items():
        write(f"out/{name}.txt", text)
    write("out/a.zh", TEXTS["a"])
    assert corpus.read(["ref.zh"], "out", documents="docs.txt", align=True).hyps == LINES
    write("out/a.zh", TEXTS["b"])
    with pytest.raises(InputError):
        corpus.read(["ref.zh"], "out", documents="docs.txt", align=True)


@pytest.mark.parametrize(
    "refs", [{"A": "雨伞"}, {"A": {"ref": "雨伞"}, "B": None}, ["雨伞"], {"A": ["雨伞"]}, "雨伞"]
)
def test_references_of_wmt25_that_are_no_objects_are_refused(write, refs):
    first = {"doc_id": "d", "src_text": "x", "refs": {"A": {"ref": "雨"}}}
    path = write("wmt.jsonl", rows(first, {"doc_id": "e", "src_text": "x", "refs": refs}))
    with pytest.raises(InputError, match="line 2"):
        corpus.read([path], write("h.txt", "雨伞"), align=True)


def test_nul_characters_of_texts_to_align_are_warned_about(write):
    with pytest.warns(InputWarning):
        corpus.read(["ref.zh"], write("h.txt", "今天\0天气很好。" + "".join(LINES[1:])), align=True)


def test_documents_may_be_a_csv_table():
    for mark in (",", ";"):
        table = "".join(f"{mark.join(row)}\n" for row in (("n", "doc"), ("1", "a"), ("2", "b")))
        assert documents_of(table, "docs.csv") == [("a", ""), ("b", "")]
    for content in ('{"doc": "a"}\n', "<doc id=a>\n"):
        with pytest.raises(InputError):
            documents_of(content, "docs.txt")
    with pytest.raises(InputError):
        documents_of("2\tdoc\nx\ta\n", "docs.tsv", 2)


def test_json_that_is_to_be_aligned_as_text_is_told(write):
    with pytest.warns(InputWarning):
        corpus.read(["ref.zh"], write("h.txt", json.dumps([[line] for line in LINES])), align=True)
