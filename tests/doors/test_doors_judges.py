"""One file of scores or spans, one result: the campaign and the commands agree."""

import json
import re

import commands
import pytest
from conftest import ROOT
from scores_json import systems_of

import celab
from celab.agreement import dataset
from celab.corpus.options import Inputs

EXAMPLES = ROOT / "examples"
REF, A, B = (EXAMPLES / name for name in ("ref1.zh", "hyp1.zh", "hyp2.zh"))
COMET, ESA = EXAMPLES / "judges" / "comet.json", EXAMPLES / "judges" / "esa.tsv"
FLAGS = ["--scores", f"COMET={COMET}", "--human", str(ESA), "--spans", str(COMET)]


def printed(command, *words):
    files = ["-r", str(REF), "-s", str(A), str(B), "-m", "celab"]
    done = commands.run(command, *words, *files, *FLAGS, "--json", "-q", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def campaign():
    scored = celab.Campaign.read([REF], [A, B]).score("celab")
    return scored.with_scores({"COMET": COMET, "human": ESA}).with_spans(COMET)


def test_score_has_what_the_campaign_has(campaign):
    data, expected = printed("score", "--segments"), campaign.test().to_dict()
    assert data == expected
    assert {row["metric"] for row in data["judge"]} == {"COMET", "human"}
    pairs = dict.fromkeys((row["judge"], row["other_judge"]) for row in data["disagreement"])
    assert [*pairs] == [("celab", "COMET")]
    assert data["spans"]["n_spans"] == len(data["span"]) == 3


def test_compare_has_what_the_comparison_has(campaign):
    data, expected = printed("compare"), campaign.compare("hyp1", "hyp2").to_dict()
    assert data == expected
    assert [row["metric"] for row in data["metric"]] == ["celab", "COMET", "human"]
    assert len(data["span"]) == 3


def test_score_and_compare_agree():
    score, compare = printed("score"), printed("compare")
    for name in ("COMET", "human"):
        (figures,) = (row for row in compare["metric"] if row["metric"] == name)
        of_systems = [system["metrics"][name]["score"] for system in systems_of(score)]
        assert [figures["a"], figures["b"]] == of_systems
        p_values = {row["p hyp2"] for row in score["system"] if row["system"] == "hyp1"}
        assert figures["p"] in p_values


def test_explain_has_the_segments_of_the_campaign(campaign):
    data = printed("explain", "16")
    for row in data["judgments"]:
        score = campaign.scores[row["judge"]][row["system"]]
        assert row["score"] == score.segments.scores[row["segment"] - 1]
    assert len(data["judgments"]) == 4
    spans = [span for span in campaign.to_dict()["span"] if span["segment"] == 16]
    assert data["spans"] == spans


@pytest.mark.parametrize("command", ["score", "compare"])
def test_pages_have_the_judges(campaign, command, tmp_path):
    page = tmp_path / "page.html"
    printed(command, "--html", str(page))
    texts = re.findall(
        r'<script[^>]*type="application/json"[^>]*>(.*?)</script>',
        page.read_text("utf-8"),
        re.DOTALL,
    )
    data = next(data for data in map(json.loads, texts) if "hyps" in data)
    for judge in data["judges"]:
        scores = campaign.scores[judge["key"]]
        assert judge["systems"] == [scores[name].score for name in ("hyp1", "hyp2")]
    marked = [group["rows"] for group in data["findings"] if group["check"] == "people"]
    assert sum(map(len, marked)) == len(campaign.spans.spans)


@pytest.mark.parametrize("level", ["system", "segment"])
def test_frames_have_the_judges(campaign, level):
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = campaign.to_dataframe("pandas", level=level)
    for (metric, system), rows in frame.groupby(["metric", "system"]):
        score = campaign.scores[metric][system]
        expected = [score.score] if level == "system" else score.segments.scores.tolist()
        assert rows["score"].tolist() == expected


def test_adding_judges_moves_nothing_of_ours():
    files = ["-r", str(REF), "-s", str(A), str(B), "-m", "celab", "chrf", "bleu", "--json", "-q"]
    for words in ([], ["--segments"], ["--jobs", "2"], ["--max-order", "2"], ["--no-check"]):
        plain, judged = (
            json.loads(commands.run("score", *words, *files, *flags, encoding="utf-8").stdout)
            for flags in ([], FLAGS)
        )
        for ours, beside in zip(systems_of(plain), systems_of(judged), strict=True):
            kept = {k: v for k, v in beside["metrics"].items() if k not in ("COMET", "human")}
            assert kept == ours["metrics"]
        assert all(test in judged["test"] for test in plain["test"])


SEGMENTS = range(3, 9)  # of 20, from 0: neither the first nor the last
TABLES = {
    "scores": (
        "system\tsegment\tscore",
        lambda system, i: (str(60 + 3 * i + (system == "hyp2") * (i % 3)),),
    ),
    "spans": ("system\tsegment\tstart\tend", lambda system, i: ("0", str(1 + i % 2))),
}


def numbered(folder, kind, first):
    """Return a table whose segments are counted from 0 or from 1."""
    header, values = TABLES[kind]
    rows = [
        "\t".join((system, str(i + first), *values(system, i)))
        for system in ("hyp1", "hyp2")
        for i in SEGMENTS
    ]
    place = folder / str(first) / f"{kind}.tsv"
    place.parent.mkdir(exist_ok=True)
    place.write_text("\n".join([header, *rows, ""]), "utf-8")
    return place


def judged_by(command, table, flag):
    """Return what a command says of a table, or the error."""
    files = ["-r", str(REF), "-s", str(A), str(B), "-m", "celab", "--json", "-q"]
    words = ["explain", "4,5"] if command == "explain" else [command]
    name = f"X={table}" if flag == "--scores" else str(table)
    return lambda *more: commands.run(*words, *files, flag, name, *more, encoding="utf-8")


COMMANDS = [
    *((command, flag) for command in ("score", "compare", "explain") for flag in FLAGS[::2]),
    ("meta", "--human"),
]


@pytest.mark.parametrize(("command", "flag"), COMMANDS)
def test_commands_count_from_0_and_from_1(tmp_path, command, flag):
    kind = "spans" if flag == "--spans" else "scores"
    found = []
    for first in (0, 1):
        table = numbered(tmp_path, kind, first)
        run = judged_by(command, table, flag)
        unclear = run()
        assert unclear.returncode == 2
        assert "give --count-from 0 or --count-from 1" in unclear.stderr
        assert unclear.stderr.count("\n") == 1
        done = run("--count-from", str(first))
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.replace(str(table), kind))
    assert found[0] == found[1]
    shifted = run("--count-from", "0")
    assert shifted.stdout != done.stdout  # it is not that nothing depends on it


@pytest.mark.parametrize("first", [0, 1])
def test_python_counts_as_the_commands(tmp_path, first):
    scores, spans = (numbered(tmp_path, kind, first) for kind in TABLES)
    scored = celab.Campaign.read([REF], [A, B]).score("celab")
    for change in (
        lambda **settings: scored.with_scores({"X": scores}, **settings),
        lambda **settings: scored.with_scores({"human": scores}, **settings),
        lambda **settings: scored.with_spans(spans, **settings),
        lambda **settings: dataset.read_files(
            Inputs(references=[REF], systems=[A, B]), scores, **settings
        ),
    ):
        with pytest.raises(celab.InputError):
            change()
        change(count_from=first)
    done = judged_by("score", scores, "--human")("--count-from", str(first), "--segments")
    campaign = scored.with_scores({"human": scores}, count_from=first)
    printed_scores = [
        [segment["score"] for segment in system["metrics"]["human"]["segments"]]
        for system in systems_of(json.loads(done.stdout))
    ]
    in_python = [
        [None if score != score else score for score in by.segments.scores.tolist()]
        for by in campaign.scores["human"].values()
    ]
    judged = dataset.read_files(Inputs(references=[REF], systems=[A, B]), scores, count_from=first)
    in_meta = [[None if x != x else x for x in row] for row in judged.people.segments.tolist()]
    assert printed_scores == in_python == in_meta


def test_folders_count_from_0_and_from_1(tmp_path):
    found = []
    for first in (0, 1):
        folder = tmp_path / f"set-{first}" / "set"
        (folder / "hyp").mkdir(parents=True)
        for path, name in ((REF, "ref-A.txt"), (A, "hyp/hyp1.txt"), (B, "hyp/hyp2.txt")):
            (folder / name).write_bytes(path.read_bytes())
        (folder / "human-seg.tsv").write_bytes(numbered(tmp_path, "scores", first).read_bytes())
        pairs = [f"{i + first}\thyp1\thyp2\n" for i in SEGMENTS]
        (folder / "pairs.tsv").write_text("".join(pairs), "utf-8")
        with pytest.raises(celab.InputError):
            celab.meta.evaluate(folder, ["celab"])
        settings = {"n_resamples": 40, "count_from": first}
        evaluation = celab.meta.evaluate(folder, ["celab"], **settings).to_dict()
        words = ["-m", "celab", "--json", "-q", "--resamples", "40", "--count-from", str(first)]
        done = commands.run("meta", str(folder), *words, encoding="utf-8")
        assert json.loads(done.stdout) == evaluation
        found.append(evaluation)
    assert found[0] == found[1]
