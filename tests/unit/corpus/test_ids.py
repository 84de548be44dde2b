"""Records of several files are joined by the fields that identify them, whatever their names."""

import csv
import io
import json
import random

import pytest
from commands import run
from hypothesis import given
from hypothesis import strategies as st
from workbooks import workbook

from celab import corpus
from celab.base.errors import InputError
from celab.corpus import Fields

TEXTS = [
    *("渡轮九点开船。", "博物馆今天闭馆。", "请带水和两张地图。", "他买了一把雨伞。", "天气很好。"),
    *("我们明天去北京。", "书在桌子上。", "火车晚点了。", "门后面有一把伞。", "孩子们在唱歌。"),
]
ORDER = [3, 0, 7, 1, 9, 4, 8, 2, 6, 5]
NAMES = (
    *("doc_id", "segment_id", "seg_id", "sample_id", "uid", "index", "custom_id", "segmentId"),
    *("item_id", "line", "key", "line_number", "meta.uid", "编号"),
)


def jsonl(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def table(records):
    text = io.StringIO()
    writer = csv.DictWriter(text, [*records[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def sheet(records):
    return workbook([[*records[0]], *([*map(str, record.values())] for record in records)])


WRITERS = {"jsonl": jsonl, "csv": table, "xlsx": sheet}


def records(name, ids, field, order=range(10)):
    return [{name: ids[row], field: TEXTS[row]} for row in order]


def read(put, refs, *systems, suffix="jsonl", **options):
    """Return the corpus of tables, each a list of records."""
    write = WRITERS[suffix]
    ref = put(f"ref.{suffix}", write(refs))
    hyps = [put(f"hyp{n}.{suffix}", write(hyp)) for n, hyp in enumerate(systems)]
    return corpus.read([ref], hyps, **options)


def refused(put, *tables, **options):
    with pytest.raises(InputError) as caught:
        read(put, *tables, **options)
    return str(caught.value)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("ids", [[f"x{n}" for n in range(10)], range(10)])
@pytest.mark.parametrize("name", NAMES)
def test_fields_that_are_called_like_ids_join(put, name, ids, suffix):
    refs, hyps = records(name, ids, "ref"), records(name, ids, "hypothesis", ORDER)
    texts = read(put, refs, hyps, suffix=suffix)
    assert texts.hyps == texts.refs[0] == TEXTS
    assert (texts.joined_by, [key.id for key in texts.segments]) == (name, [*map(str, ids)])


def test_the_layout_of_wmt25(put):
    doc_ids = [f"en-zh_CN_#_news_#_travel.{n}" for n in range(10)]
    refs = [{"doc_id": doc_ids[n], "domain": "news", "ref": TEXTS[n]} for n in range(10)]
    systems = [
        [
            {"doc_id": doc_ids[n], "hypothesis": TEXTS[n], "paragraphs_match": True}
            for n in random.Random(seed).sample(range(10), 10)
        ]
        for seed in (1, 2)
    ]
    texts = read(put, refs, *systems)
    assert texts.joined_by == "doc_id"
    assert list(texts.systems.values()) == [TEXTS, TEXTS]


def test_published_files_of_wmt25(shared, put):
    outputs = (shared / "data/formats/wmt25-sysA.jsonl").read_text("utf-8").splitlines()
    ids = [json.loads(line)["doc_id"] for line in outputs]
    ref = put("r.jsonl", jsonl({"doc_id": id, "ref": id} for id in ids))
    hyp = put("h.jsonl", "\n".join(reversed(outputs)) + "\n")
    texts = corpus.read([ref], hyp)
    assert texts.joined_by == "doc_id"
    assert texts.hyps == [json.loads(line)["hypothesis"] for line in outputs]


def test_fields_of_any_name_join_if_their_values_have_letters(put):
    ids = [f"travel {n}" for n in range(10)]
    texts = read(put, records("name", ids, "ref"), records("name", ids, "hypothesis", ORDER))
    assert (texts.hyps, texts.joined_by, texts.names) == (TEXTS, "name", [*range(1, 11)])
    texts = read(put, records("name", ids, "ref"), records("name", ids, "hypothesis"))
    assert (texts.hyps, texts.joined_by, texts.by_line) == (TEXTS, "", True)


@pytest.mark.parametrize("field", ["source", "ref"])
def test_the_source_or_a_reference_of_its_own_joins_an_output(put, field):
    other = [{"ref": text} for text in TEXTS]
    if field == "source":
        other = [{"ref": text, "source": f"Text {n}"} for n, text in enumerate(TEXTS)]
    hyps = [{"hyp": TEXTS[n], field: TEXTS[n] if field == "ref" else f"Text {n}"} for n in ORDER]
    texts = read(put, other, hyps)
    assert (texts.hyps, texts.refs[0], texts.joined_by) == (TEXTS, TEXTS, field)


@pytest.mark.parametrize("name", ["n", "score", "n_tokens", "length", "time"])
def test_counts_and_scores_do_not_join(put, name):
    values = [f"12:0{n}" if name == "time" else n for n in range(10)]
    texts = read(put, records(name, values, "ref"), records(name, values, "hypothesis", ORDER))
    assert (texts.joined_by, texts.hyps) == ("", [TEXTS[row] for row in ORDER])


def test_nearly_the_same_ids_are_named(put):
    refs = records("doc_id", [f"x{n}" for n in range(10)], "ref")
    hyps = records("doc_id", [f"x{n + 1}" for n in range(10)], "hypothesis", ORDER)
    assert refused(put, refs, hyps).endswith(
        "hyp0.jsonl is missing 1 segment (segment x0) and has 1 segment that no reference has"
        " (segment x10), joined by doc_id; use skip_missing=True to ignore them"
    )
    texts = read(put, refs, hyps, skip_missing=True)
    assert (texts.n_left_out, texts.hyps) == (2, TEXTS[:9])
    assert texts.refs == [TEXTS[1:]]


def test_ids_of_requests_are_ignored(put):
    refs = records("request_id", [f"x{n}" for n in range(10)], "ref")
    texts = read(put, refs, records("request_id", [f"y{n}" for n in range(10)], "hypothesis"))
    assert (texts.hyps, texts.joined_by, texts.by_line) == (TEXTS, "", True)


def test_numbers_that_count_both_files_from_other_numbers_are_lines(put):
    texts = read(put, records("index", range(10), "ref"), records("index", range(1, 11), "hyp"))
    assert (texts.hyps, texts.joined_by) == (TEXTS, "")


def test_two_fields_may_agree(put):
    refs = [{"doc_id": f"x{n}", "uid": n, "ref": TEXTS[n]} for n in range(10)]
    hyps = [{"doc_id": f"x{n}", "uid": n, "hyp": TEXTS[n]} for n in ORDER]
    assert read(put, refs, hyps).hyps == TEXTS


@pytest.mark.parametrize("name", ["uid", "id"])
def test_two_fields_that_disagree_are_refused(put, name):
    refs = [{"doc_id": f"x{n}", name: n, "ref": TEXTS[n]} for n in range(10)]
    hyps = [{"doc_id": f"x{n}", name: k, "hyp": TEXTS[n]} for k, n in enumerate(ORDER)]
    message = refused(put, refs, hyps)
    assert "'doc_id'" in message
    assert f"{name!r}" in message
    assert "record 1 is record" in message
    for field, expected in (("doc_id", TEXTS), (name, [TEXTS[row] for row in ORDER])):
        assert read(put, refs, hyps, fields=Fields(id=field)).hyps == expected


def test_ids_without_a_value_in_common_do_not_hide_the_field_that_joins(put):
    refs = [{"id": n, "doc_id": f"x{n}", "ref": TEXTS[n]} for n in range(10)]
    hyps = [{"id": f"request {n}", "doc_id": f"x{n}", "hyp": TEXTS[n]} for n in ORDER]
    assert "have no id in common; they have the same 'doc_id'" in refused(put, refs, hyps)
    assert read(put, refs, hyps, fields=Fields(id="doc_id")).hyps == TEXTS


def test_files_with_no_id_in_common_are_not_skipped(put):
    refs, hyps = records("id", range(10), "ref"), records("id", range(20, 30), "hyp")
    message = refused(put, refs, hyps)
    assert "skip_missing" not in message
    assert message.endswith("they have no id in common, so they are hardly of one test set")


@pytest.mark.parametrize(
    ("own", "other"), [("id", "doc_id"), ("doc_id", "id"), ("segmentId", "segment_id")]
)
@pytest.mark.parametrize("ids", [[f"x{n}" for n in range(10)], range(10)])
def test_the_same_ids_may_have_two_names(put, own, other, ids):
    texts = read(put, records(own, ids, "ref"), records(other, ids, "hypothesis", ORDER))
    assert (texts.hyps, texts.joined_by) == (TEXTS, f"{own} and {other}")


@pytest.mark.parametrize(
    ("document", "segment", "name"),
    [
        ("doc_id", "seg_id", "doc_id and seg_id"),
        ("doc", "seg_id", "document and seg_id"),
    ],
)
def test_documents_and_numbers_join_together(put, document, segment, name):
    places = [{document: f"d{n // 3}", segment: n % 3} for n in range(10)]
    refs = [{**places[n], "ref": TEXTS[n]} for n in range(10)]
    texts = read(put, refs, [{**places[n], "hyp": TEXTS[n]} for n in ORDER])
    assert (texts.hyps, texts.joined_by) == (TEXTS, name)
    assert [key[:2] for key in texts.segments[:4]] == [
        *(("d0", "0"), ("d0", "1"), ("d0", "2"), ("d1", "0"))
    ]


def test_a_system_may_lack_a_record_that_documents_and_numbers_join(put):
    places = [{"doc": f"d{n}", "seg_id": 1} for n in range(3)]
    refs = [{**places[n], "ref": TEXTS[n]} for n in range(3)]
    hyps = [{**places[n], "A": TEXTS[n], "B": TEXTS[n] if n == 2 else None} for n in (2, 0, 1)]
    texts = read(put, refs, hyps, fields=Fields(hyp=["A", "B"]), skip_missing=True)
    assert (texts.systems, texts.n_left_out) == ({"A": [TEXTS[2]], "B": [TEXTS[2]]}, 2)


def test_documents_stay_beside_ids_of_the_whole_file(put):
    refs = [{"doc": f"d{n // 3}", "globalSegId": n, "ref": TEXTS[n]} for n in range(10)]
    hyps = [{"doc": f"d{n // 3}", "globalSegId": n, "hyp": TEXTS[n]} for n in ORDER]
    texts = read(put, refs, hyps)
    assert (texts.hyps, texts.joined_by) == (TEXTS, "globalSegId")
    assert texts.segments[3][:2] == ("d1", "3")


def test_a_plain_file_joins_the_first_table_by_line(put):
    ids = [f"x{n}" for n in range(10)]
    ref = put("ref.zh", "\n".join(TEXTS) + "\n")
    first = put("a.jsonl", jsonl(records("doc_id", ids, "hyp")))
    second = put("b.jsonl", jsonl(records("doc_id", ids, "hyp", ORDER)))
    texts = corpus.read([ref], [first, second])
    assert texts.refs[0] == texts.systems["a"] == texts.systems["b"] == TEXTS


def test_numbered_records_in_another_order_are_not_joined_to_lines(put):
    ref = put("ref.zh", "\n".join(TEXTS) + "\n")
    hyp = put("h.jsonl", jsonl(records("index", range(10), "hyp", ORDER)))
    with pytest.raises(InputError, match=r"not in the order of its 'index': record 1 is number 3"):
        corpus.read([ref], hyp)
    assert corpus.read([ref], put("h.jsonl", jsonl(records("index", range(10), "hyp")))).by_line


def test_a_batch_is_joined_to_ids_of_another_name(put):
    results = [
        {"custom_id": f"x{n}", "response": {"body": {"choices": [{"text": TEXTS[n]}]}}}
        for n in ORDER
    ]
    ref = put("r.jsonl", jsonl(records("doc_id", [f"x{n}" for n in range(10)], "ref")))
    assert corpus.read([ref], put("b.jsonl", jsonl(results))).hyps == TEXTS


def test_an_id_that_occurs_twice_is_refused(put):
    refs = records("doc_id", [f"x{n}" for n in range(10)], "ref")
    hyps = records("doc_id", [f"x{max(n, 1)}" for n in range(10)], "hyp", ORDER)
    assert "has 1 segment more than once by 'doc_id' (segment x1)" in refused(put, refs, hyps)


def test_a_reference_that_has_an_id_twice_is_refused(put):
    refs = records("uid", ["x0", "x1", "x2", "x3", "x0"], "ref", range(5))
    hyps = records("uid", [f"x{n}" for n in range(5)], "hyp", range(4, -1, -1))
    with pytest.raises(InputError, match=r"ref\.jsonl has 1 segment more than once by 'uid'"):
        read(put, refs, hyps, hyps)


def test_a_record_without_its_id_is_refused(put):
    refs = records("doc_id", [f"x{n}" for n in range(10)], "ref")
    hyps = records("doc_id", [f"x{n}" if n else None for n in range(10)], "hyp", ORDER)
    assert "record 2: no 'doc_id', by which the files are joined" in refused(put, refs, hyps)


def test_a_record_without_output_names_the_id_to_join_by(put):
    refs = records("doc_id", [f"x{n}" for n in range(10)], "ref")
    hyps = records("doc_id", [f"x{n}" for n in range(10)], "hyp", ORDER)
    hyps[4]["hyp"] = None
    assert refused(put, refs, hyps).endswith("use fields=Fields(id='doc_id')")
    texts = read(put, refs, hyps, fields=Fields(id="doc_id"), skip_missing=True)
    assert texts.hyps == TEXTS[:9]


def test_documents_in_folders_are_joined_by_fields_too(tmp_path, put):
    ids = [f"x{n}" for n in range(10)]
    for folder, field, order in (("ref", "ref", range(10)), ("hyp", "hypothesis", ORDER)):
        for name, rows in (("a", order), ("b", order[:5] if folder == "ref" else None)):
            chosen = [*rows] if rows is not None else [4, 2, 0, 1, 3]
            path = tmp_path / folder / f"{name}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_text(jsonl(records("doc_id", ids, field, chosen)), "utf-8")
    texts = corpus.read([str(tmp_path / "ref")], str(tmp_path / "hyp"))
    assert texts.hyps == texts.refs[0] == [*TEXTS, *TEXTS[:5]]


def test_the_status_line_names_the_field(tmp_path):
    for name, field, order in (("r", "ref", (0, 1)), ("h", "hypothesis", (1, 0))):
        lines = jsonl(records("doc_id", "ab", field, order))
        (tmp_path / f"{name}.jsonl").write_text(lines, "utf-8")
    done = run("score", "r.jsonl", "h.jsonl", "-b", cwd=tmp_path, encoding="utf-8")
    assert (done.stdout, done.returncode) == ("1.0000\n", 0)
    assert done.stderr == (
        "celab-score: note: hypothesis h.jsonl, reference r.jsonl, 2 segments, joined by doc_id\n"
    )


@given(
    ids=st.lists(st.text("ab12_-", min_size=1, max_size=5), min_size=2, max_size=8, unique=True),
    seed=st.integers(0, 99),
)
def test_no_order_of_records_changes_a_corpus(tmp_path_factory, ids, seed):
    folder = tmp_path_factory.mktemp("ids")
    order = random.Random(seed).sample(range(len(ids)), len(ids))
    refs, hyps = folder / "r.jsonl", folder / "h.jsonl"
    refs.write_text(jsonl({"key": id, "ref": f"参考 {id}"} for id in ids), "utf-8")
    hyps.write_text(jsonl({"key": ids[n], "hyp": f"参考 {ids[n]}"} for n in order), "utf-8")
    texts = corpus.read([str(refs)], str(hyps))
    assert texts.hyps == texts.refs[0]
