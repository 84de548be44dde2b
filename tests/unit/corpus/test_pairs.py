"""Files with several language pairs: the lines of one pair, or an error that names them all."""

import json

import commands
import pytest

import celab
from celab import corpus

TEXTS = {
    "en-zh_CN": ["渡轮九点开船。", "请带水。"],
    "cs-de_DE": ["Die Fähre fährt.", "Bring Wasser."],
}
ROWS = [(pair, n, text) for pair, texts in TEXTS.items() for n, text in enumerate(texts)]
NAMES = "2 language pairs: cs-de_DE, en-zh_CN; choose one: language_pair='"


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def by_fields(side):
    rows = []
    for pair, n, text in ROWS:
        source, target = pair.split("-")
        rows.append({"id": f"{pair}{n}", "src_lang": source, "tgt_lang": target, side: text})
    return jsonl(rows)


def by_pair(side):
    return jsonl([{"id": f"{pair}{n}", "lp": pair, side: text} for pair, n, text in ROWS])


def by_document(side):
    return jsonl([{"doc_id": f"{p}_#_news_#_d.{n}", side: text} for p, n, text in ROWS])


def table(side):
    rows = [f"{pair}{n},{pair},{text}\n" for pair, n, text in ROWS]
    return "".join([f"id,langs,{side}\n", *rows])


def sgml(side):
    tag = {"ref": "refset", "hyp": "tstset"}[side]
    sets = []
    for pair, texts in TEXTS.items():
        source, target = pair.split("-")
        segments = "".join(f"<seg id={n}>{text}</seg>" for n, text in enumerate(texts))
        sets.append(
            f'<{tag} setid=s srclang="{source}" trglang="{target}" sysid=x><doc docid="{pair}">'
            f"{segments}</doc></{tag}>\n"
        )
    return "".join(sets)


def wmt(side):
    documents = []
    for pair, texts in TEXTS.items():
        source, target = pair.split("-")
        segments = "".join(f'<seg id="{n}">{text}</seg>' for n, text in enumerate(texts))
        documents.append(
            f'<doc id="{pair}"><src lang="{source}"><seg id="0">x</seg></src>'
            f'<{side} lang="{target}" system="x">{segments}</{side}></doc>'
        )
    return f"<dataset>{''.join(documents)}</dataset>"


WRITERS = {
    "fields.jsonl": by_fields,
    "pair.jsonl": by_pair,
    "document.jsonl": by_document,
    "table.csv": table,
    "set.sgm": sgml,
    "set.xml": wmt,
}


@pytest.fixture(params=WRITERS)
def files(request, tmp_path, monkeypatch):
    """Write references and outputs in all pairs; return their names."""
    monkeypatch.chdir(tmp_path)
    names = [f"{side}-{request.param}" for side in ("ref", "hyp")]
    for name, side in zip(names, ("ref", "hyp"), strict=True):
        (tmp_path / name).write_text(WRITERS[request.param](side), "utf-8")
    return names


@pytest.mark.parametrize("pair", ["en-zh", "en-zh_CN", "en-zh-CN", "zh", "eng-zho"])
def test_a_pair_takes_its_lines(files, pair):
    texts = corpus.read(files[:1], files[1:], language_pair=pair)
    assert texts.refs == [TEXTS["en-zh_CN"]]
    assert [*texts.systems.values()] == texts.refs


def test_several_pairs_are_an_error_that_names_them(files):
    with pytest.raises(celab.InputError) as error:
        corpus.read(files[:1], files[1:])
    assert f"{files[0]} has {NAMES}" in str(error.value)


@pytest.mark.parametrize("pair", ["en-de", "en-zh-TW", "ja"])
def test_a_pair_that_no_line_has_is_an_error(files, pair):
    with pytest.raises(celab.InputError) as error:
        corpus.read(files[:1], files[1:], language_pair=pair)
    assert str(error.value) == (
        f"{files[0]} has nothing in {pair}; its language pairs are cs-de_DE, en-zh_CN"
    )


@pytest.mark.parametrize("command", ["score", "compare", "check"])
def test_commands_take_a_pair(files, command):
    systems = [files[1]] * (1 + (command == "compare"))
    for flags in ([], ["-l", "en-zh"]):
        done = commands.run(command, "-q", "-r", files[0], "-s", *systems, *flags, encoding="utf-8")
        assert ("2 language pairs" in done.stderr) == (not flags)
        assert "nothing in" not in done.stderr


def test_one_pair_spelled_in_two_ways_is_one(tmp_path):
    rows = [{"id": 1, "lp": "en-zh", "ref": "买"}, {"id": 2, "lp": "en-zh_CN", "ref": "伞"}]
    (tmp_path / "r.jsonl").write_text(jsonl(rows), "utf-8")
    (tmp_path / "h.jsonl").write_text(jsonl(rows).replace('"ref"', '"hyp"'), "utf-8")
    assert corpus.read(tmp_path / "r.jsonl", tmp_path / "h.jsonl").refs == [["买", "伞"]]


def test_names_of_languages_are_no_codes(tmp_path):
    rows = [{"id": n, "tgt_lang": name, "ref": "买"} for n, name in enumerate(("Chinese", "中文"))]
    (tmp_path / "r.jsonl").write_text(jsonl(rows), "utf-8")
    (tmp_path / "h.jsonl").write_text(jsonl(rows).replace('"ref"', '"hyp"'), "utf-8")
    assert len(corpus.read(tmp_path / "r.jsonl", tmp_path / "h.jsonl").segments) == 2


def test_outputs_in_all_pairs_are_aligned_with_references_in_one(tmp_path):
    rows = [
        {
            "doc_id": f"{pair}_#_news_#_d.{n}",
            "src_text": "x",
            "refs": {"refA": {"ref": text}},
        }
        for pair, n, text in ROWS
    ]
    (tmp_path / "r.jsonl").write_text(jsonl(rows), "utf-8")
    (tmp_path / "h.jsonl").write_text(by_document("hypothesis"), "utf-8")
    files = tmp_path / "r.jsonl", tmp_path / "h.jsonl"
    with pytest.raises(celab.InputError, match="2 language pairs"):
        corpus.read(*files, align=True)
    assert corpus.read(*files, align=True, language_pair="en-zh").hyps == TEXTS["en-zh_CN"]


def test_references_of_test_sets_of_wmt25_are_known(tmp_path):
    for name, texts in (("refA", "买伞"), ("refB", "买雨伞")):
        rows = [
            {"doc_id": f"{pair}_#_{n}", "src_text": "x", "refs": {name: {"ref": texts}}}
            for n in range(2)
            for pair in ("en-zh_CN", "cs-de_DE")
        ]
        (tmp_path / f"{name}.jsonl").write_text(jsonl(rows), "utf-8")
    outputs = [{"doc_id": f"en-zh_CN_#_{n}", "hypothesis": "伞"} for n in (1, 0)]
    (tmp_path / "h.jsonl").write_text(jsonl(outputs), "utf-8")
    refs = [tmp_path / "refA.jsonl", tmp_path / "refB.jsonl"]
    texts = corpus.read(refs, tmp_path / "h.jsonl", language_pair="en-zh")
    assert texts.refs == [["买伞", "买伞"], ["买雨伞", "买雨伞"]]
    assert (texts.source, texts.hyps) == (["x", "x"], ["伞", "伞"])


def test_published_files_of_wmt25_need_no_names_of_fields(shared):
    files = (shared / "data" / "formats" / f"wmt25{name}.jsonl" for name in ("", "-sysA"))
    texts = corpus.read(*files, language_pair="en-zh", missing="skip")
    assert texts.refs == [["渡轮九点开船。\n\n请带水😀和两张地图。"]]
