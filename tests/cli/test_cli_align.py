"""`celab align`, and --align of the other commands."""

import json

import pytest
from scores_json import systems_of

from celab.cli import align, compare, explain, meta, score

REFS = [
    f"第{n}段说的是{name}。" for n, name in enumerate("天地山水火木金土日月星云风雨雷电花草鱼虫", 1)
]
HYPS = [ref.replace("说的是", "讲") for ref in REFS]
LINES = "\n".join(HYPS) + "\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.zh").write_text("\n".join(REFS) + "\n", "utf-8")
    (tmp_path / "true.txt").write_text(LINES, "utf-8")
    (tmp_path / "one.txt").write_text("".join(HYPS), "utf-8")
    (tmp_path / "two.txt").write_text("".join(HYPS[:10]) + "\n" + "".join(HYPS[10:]), "utf-8")
    return tmp_path


def test_several_texts_keep_their_file_names(folder):
    assert align.main(["-r", "ref.zh", "-s", "one.txt", "two.txt", "-o", "aligned"]) == 0
    assert {path.name: path.read_text("utf-8") for path in (folder / "aligned").iterdir()} == {
        "one.txt": LINES,
        "two.txt": LINES,
    }
    again = ["ref.zh", "one.txt", "-o", "aligned/"]  # a folder that is there
    assert (align.main(again), align.main([*again, "--overwrite"])) == (2, 0)


def test_an_input_is_not_overwritten(folder, capsys):
    assert align.main(["ref.zh", "one.txt", "two.txt", "-o", "."]) == 2
    assert "same file as input" in capsys.readouterr().err
    assert (folder / "one.txt").read_text("utf-8") == "".join(HYPS)


def test_tables_have_documents(folder, capsys):
    (folder / "docs.txt").write_text("a\n" * 10 + "b\n" * 10, "utf-8")
    words = ["-q", "--tsv", "ref.zh", "two.txt", "--documents", "docs.txt"]
    assert align.main([*words, "--text-documents", "lines"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["document", "segment", "text"]
    assert rows[1] == ["a", "1", HYPS[0]] and rows[20] == ["b", "20", HYPS[19]]


def test_every_command_scores_the_lines(folder, capsys):
    def report(command, *words):
        assert command.main([*words, "--quiet"]) == 0
        return json.loads(capsys.readouterr().out)

    given = systems_of(report(score, "--json", "ref.zh", "true.txt"))[0]["metrics"]["celab"]
    for text in ("one.txt", "two.txt"):
        aligned = systems_of(report(score, "--json", "--align", "ref.zh", text))[0]["metrics"][
            "celab"
        ]
        assert aligned == given | {"signature": given["signature"] + "|align:edit+dp-1"}
    words = ("--json", "-m", "celab", "-r", "ref.zh", "-s")
    compared = report(compare, *words, "one.txt", "two.txt", "--align")["metric"][0]
    assert compared["a"] == compared["b"] == given["score"]
    assert compared["signature"].endswith("|align:edit+dp-1")
    explained = [
        json.dumps(report(explain, "3", "--json", "-r", "ref.zh", "-s", text, *flags))
        for text, flags in (("one.txt", ["--align"]), ("true.txt", []))
    ]
    assert '|align:edit+dp-1"' in explained[0]
    plain = explained[0].replace("|align:edit+dp-1", "").replace('"one"', '"true"')
    assert plain == explained[1]
    rows = "".join(f"{system}\t{value}\n" for system, value in (("one", 1), ("two", 2)))
    (folder / "human.tsv").write_text("system\tscore\n" + rows, "utf-8")
    measured = report(meta, *words, "one.txt", "two.txt", "--human", "human.tsv", "--align")
    assert "align:edit+dp-1" in json.dumps(measured)


def test_the_report_is_of_the_aligned_lines(folder):
    words = ["-q", "--align", "ref.zh", "one.txt", "--html", "report.html"]
    assert score.main(words) == 0
    page = (folder / "report.html").read_text("utf-8")
    assert "align:edit+dp-1" in page and "--align" in page


def test_blank_segments_and_references_are_remarked(folder, capsys):
    (folder / "less.txt").write_text("".join(HYPS[:4] + HYPS[5:]), "utf-8")
    assert align.main(["-q", "ref.zh", "less.txt"]) == 0
    assert capsys.readouterr() == ("\n".join([*HYPS[:4], "", *HYPS[5:]]) + "\n", "")
    assert align.main(["-r", "ref.zh", "true.txt", "-s", "less.txt", "-o", "out.zh"]) == 0
    assert capsys.readouterr().err.endswith(
        "20 segments\n"
        "celab align: note: aligned by ref.zh\n"
        "celab align: note: 1 of 20 segments got no text (5)\n"
    )
    assert (folder / "out.zh").read_text("utf-8") == "\n".join([*HYPS[:4], "", *HYPS[5:]]) + "\n"


@pytest.mark.parametrize("kind", ["lines", "blank"])
def test_outputs_of_judged_systems_have_documents(folder, capsys, kind):
    judged = folder / "judged"
    (judged / "hyp").mkdir(parents=True)
    (judged / "ref-A.txt").write_text("\n".join(REFS) + "\n", "utf-8")
    (judged / "docs.tsv").write_text(
        "domain\tdocument\n" + "".join(f"news\td{n // 10}\n" for n in range(20)), "utf-8"
    )
    documents = ["".join(HYPS[:10]), "".join(HYPS[10:])]
    text = ("\n" if kind == "lines" else "\n\n").join(documents)
    for name in ("one", "two"):
        (judged / "hyp" / f"{name}.txt").write_text(text + "\n", "utf-8")
    (judged / "human-sys.tsv").write_text("system\tscore\none\t1\ntwo\t2\n", "utf-8")
    words = ["-q", "-m", "celab", "judged"]
    assert meta.main([*words, "--align", "--text-documents", kind]) == 0
    assert capsys.readouterr().err == ""
    (judged / "hyp" / "one.txt").write_text(text + ("\n" if kind == "lines" else "\n\n") + "多\n")
    assert meta.main([*words, "--align", "--text-documents", kind]) == 2
    assert ", but the reference has 2 documents; each document must" in capsys.readouterr().err
    (judged / "docs.tsv").unlink()
    assert meta.main([*words, "--align", "--text-documents", kind]) == 2
    told = capsys.readouterr().err
    assert told.endswith(
        f"judged does not say the document of each segment, which --text-documents {kind} needs;"
        " add docs.tsv to a folder, or give --documents\n"
    )
    assert meta.main([*words, "--text-documents", kind]) == 2
    assert "--text-documents needs --align" in capsys.readouterr().err
