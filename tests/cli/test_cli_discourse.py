"""DICOMER and CREMER on the command line: without references, of documents, explained, trained."""

import json

import commands
import numpy as np
import pytest
from scores_json import systems_of

import celab
from celab.trained.relations import split_sentences

pytest.importorskip("sklearn", reason="scikit-learn (extra train) is not installed")
pytest.importorskip("HanTa", reason="HanTa (extra en) is not installed")

TEXTS = (
    "The river rose all night. So the mayor closed the bridge. However, two drivers crossed the"
    " bridge. Finally, the river fell.",
    "The team lost the first game. Then the coach changed the defense. As a result, the team won"
    " the second game. The coach praised the defense.",
    "The bakery opened in spring. It sells bread and cakes. But the cakes are expensive. Still,"
    " customers buy the cakes.",
)
WORSE = [" ".join(split_sentences(text)[::-1]) for text in TEXTS]
GIVEN = ["-m", "dicomer", "--model", "model.json"]
BOTH = ["-m", "dicomer", "chrf", "--model", "model.json", "--lang", "en"]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Texts a and b, the sentences of a in lines, their documents, and a model."""
    folder = tmp_path_factory.mktemp("discourse")
    sentences = [split_sentences(text) for text in TEXTS]
    write(folder / "a.txt", TEXTS)
    write(folder / "b.txt", WORSE)
    write(folder / "lines.txt", [line for lines in sentences for line in lines])
    write(folder / "docs.txt", [f"d{k}" for k, lines in enumerate(sentences) for _ in lines])
    topics = [[*pair] for pair in zip(TEXTS, WORSE, strict=True)]
    celab.Dicomer(lang="en").fit(topics, [[2, 1]] * len(topics)).save(folder / "model.json")
    return folder


@pytest.fixture
def run(folder):
    """Run a command in the folder; return what it prints, and its messages."""

    def run(command, *words):
        done = commands.run(command, *words, cwd=folder, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    return run


def scores(run, *words):
    """Return the scores of texts by system."""
    data = json.loads(run("score", *GIVEN, *words, "--json", "--level", "segment")[0])
    return {
        system["name"]: [segment["score"] for segment in system["metrics"]["dicomer"]["segments"]]
        for system in systems_of(data)
    }


def test_texts_are_scored_with_and_without_references(run, folder):
    metric = celab.Dicomer(folder / "model.json")
    expected = {"a": [*map(metric.score, TEXTS)], "b": [*map(metric.score, WORSE)]}
    assert scores(run, "-s", "a.txt", "b.txt") == expected
    assert scores(run, "-r", "b.txt", "-s", "a.txt", "b.txt") == expected
    assert scores(run, "a.txt") == {"a": expected["a"]}
    out, err = run("score", *GIVEN, "a.txt")
    mean = np.mean(expected["a"])
    assert out.startswith(f"DICOMER = {mean:.4f} [") and "(3 segments, 0 references)" in out
    assert "hypothesis a.txt, no reference, 3 segments" in err
    out, _ = run("score", *GIVEN, "-s", "a.txt", "b.txt", "--details")
    assert "Scores measure overlap" not in out


def test_lines_of_a_document_are_one_text(run):
    by_line = scores(run, "lines.txt", "--documents", "docs.txt")
    assert by_line == {"lines": scores(run, "a.txt")["a"]}
    out, _ = run("score", *GIVEN, "lines.txt", "--documents", "docs.txt", "--level", "document")
    assert [line.split()[0] for line in out.splitlines()] == ["document", "d0", "d1", "d2"]


def test_texts_of_one_sentence_are_warned_about(run):
    _, err = run("score", *GIVEN, "-q", "lines.txt")
    assert err == (
        "celab-score: warning: system lines.txt has 12 texts of one sentence, such as segment 1;"
        " dicomer is about the order of sentences, so their scores mean nothing\n"
    )
    assert run("score", *GIVEN, "-q", "a.txt")[1] == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            [*GIVEN, "a.txt", "--html", "page.html"],
            "--html needs a reference, and none is given",
        ),
        (
            [*GIVEN, "a.txt", "--error-profile"],
            "--error-profile needs a reference, and none is given",
        ),
        (
            [*GIVEN, "a.txt", "--fail-on", "empty"],
            "--fail-on needs a reference, and none is given",
        ),
        (
            [*GIVEN, "a.txt", "--align"],
            "there is no reference whose segments the outputs could be aligned with",
        ),
        ([*GIVEN, "a.txt", "--without-copies"], "--without-copies needs a reference, and none is"),
        ([*GIVEN, "a.txt", "--engine", "dask"], "no references are given; at least one is needed"),
        ([*GIVEN, "--text"], "--text needs a text; use celab-score --text"),
        ([*GIVEN[:2], "--model", "docs.txt", "a.txt"], "docs.txt is not a model of celab"),
        (
            [*BOTH, "-r", "lines.txt", "-s", "lines.txt", "--documents", "docs.txt"],
            "dicomer scores documents, and chrf scores their segments; give them to two commands",
        ),
        (
            ["-m", "dicomer", "--lang", "en", "a.txt"],
            "dicomer needs a model; celab train makes one, see docs/other-metrics.md",
        ),
        ([*GIVEN, "--lang", "zh", "a.txt"], "model model.json has lang 'en', but --lang is 'zh';"),
        ([*GIVEN, "--relations", "parsed", "a.txt"], "parsed/parses.json: no such file"),
    ],
)
def test_what_cannot_be_scored(folder, words, message):
    assert message in commands.refusal("score", *words, cwd=folder)


def test_relations_of_other_texts_name_the_line_or_the_document(folder, tmp_path):
    parses = {"d": {"sentences": [{"words": [[word, {}] for word in "It rained .".split()]}]}}
    (tmp_path / "parses.json").write_text(json.dumps(parses), "utf-8")
    (tmp_path / "relations.json").write_text("", "utf-8")
    model = json.loads((folder / "model.json").read_text("utf-8"))
    names = [part.partition(":")[0] for part in model["trained_with"].split("|")]
    parts = dict(zip(names, model["trained_with"].split("|"), strict=True))
    trained_with = "|".join((parts | {"relations": "relations:conll"}).values())
    (tmp_path / "model.json").write_text(json.dumps(model | {"trained_with": trained_with}))
    write(tmp_path / "x.txt", ["It rained.", "Snow fell."])
    write(tmp_path / "documents.txt", ["r", "s"])
    given = [*GIVEN, "--relations", ".", "x.txt"]
    for more, place in (([], "x.txt, line 2"), (["--documents", "documents.txt"], "document s")):
        assert commands.refusal("score", *given, *more, cwd=tmp_path).endswith(
            f"{place}: ./parses.json does not have the text 'Snow fell.'; relations must be those"
            " of the texts"
        )


# ---- explanations ----


def test_a_role_matrix_is_a_table_of_terms_and_sentences(run, folder):
    out, _ = run("explain", "2", *GIVEN, "a.txt")
    explanation = celab.Dicomer(folder / "model.json").explain(TEXTS[1])
    rows = dict(line.split(maxsplit=1) for line in out.splitlines() if len(line.split()) > 1)
    assert out.startswith("segment 2: a\n")
    assert rows["term"].split() == ["1", "2", "3", "4"]
    assert rows["lose"].split() == ["Temp.Arg1", "nil", "nil", "nil"]
    (first, *_) = explanation.transitions
    assert rows[first.name].split() == [f"{value:.4f}" for value in first[1:]]
    assert f"score {explanation.score:.4f}, 4 sentences" in out
    full, _ = run("explain", "2", *GIVEN, "--details", "a.txt")
    assert len(full.splitlines()) > len(out.splitlines())
    assert all(f"\n{x.name} " in full for x in explanation.transitions)


def test_documents_and_several_systems_are_explained(run):
    whole, _ = run("explain", "2", *GIVEN, "-q", "a.txt")
    by_line, _ = run("explain", "d1", *GIVEN, "-q", "lines.txt", "--documents", "docs.txt")
    assert by_line.splitlines()[1:] == whole.splitlines()[1:]
    out, _ = run("explain", "1,2", *GIVEN, "-s", "a.txt", "b.txt")
    titles = [line for line in out.splitlines() if line.startswith("segment ")]
    assert titles == ["segment 1: a", "segment 1: b", "segment 2: a", "segment 2: b"]
    data = json.loads(run("explain", "2", *GIVEN, "--json", "a.txt")[0])
    (explained,) = data["explanations"]
    assert explained["roles"]["lose"] == [["Temp.Arg1"], [], [], []]
    assert explained["references"] == [] and explained["n_sentences"] == 4


def test_a_text_on_the_command_line_is_explained(run):
    out, _ = run("explain", "--text", *GIVEN, "It rained. So we left.")
    assert "rain   Cont.Arg1  nil\nleave  nil        Cont.Arg2\n" in out


# ---- training ----


def judge(folder, texts, ratings, refs=None):
    """Write a folder of judged systems: a row of texts, and one of ratings, for each system."""
    (folder / "hyp").mkdir(parents=True)
    write(folder / "ref-A.txt", refs or texts[0])
    rows = ["system\tsegment\tscore\tfluency"]
    for number, (of_system, rated) in enumerate(zip(texts, ratings, strict=True)):
        write(folder / "hyp" / f"s{number}.txt", of_system)
        rows += [f"s{number}\t{k}\t1\t{rating}" for k, rating in enumerate(rated)]
    write(folder / "human-seg.tsv", rows)
    return folder


def train(folder, *words):
    done = commands.run(
        *("main", "train", folder, *words, "--lang", "en", "-o", "m.json", "--overwrite"),
        cwd=folder,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done


def test_a_trained_model_is_that_of_fit(tmp_path):
    folder = judge(tmp_path / "judged", [TEXTS, WORSE], [[2, 2, 3], [1, 1, 2]])
    done = train(folder, "-m", "dicomer", "--rating", "fluency", "--folds", "3")
    topics = [[*pair] for pair in zip(TEXTS, WORSE, strict=True)]
    fitted = celab.Dicomer(lang="en").fit(topics, [[2, 1], [2, 1], [3, 2]])
    content = json.loads((folder / "m.json").read_text("utf-8"))
    assert content["weights"] == fitted.content["weights"]
    loaded = celab.Dicomer(folder / "m.json")
    assert loaded.score(TEXTS[0]) == fitted.score(TEXTS[0])
    held_out = content["training"]["held_out"]
    assert f"trained                 {held_out['ties_wrong']:12.4f}" in done.stdout
    greatest = max(content["weights"], key=lambda name: abs(content["weights"][name]))
    assert f"\n{greatest:36}{content['weights'][greatest]:12.4f}\n" in done.stdout
    assert done.stderr.endswith("m.json: 6 texts of 3 topics\n")
    assert json.loads(train(folder, "-m", "dicomer", "--rating", "fluency", "--json").stdout)


def test_held_out_topics_are_scored_by_weights_of_the_others(tmp_path):
    folder = judge(tmp_path / "judged", [TEXTS, WORSE], [[2, 2, 1], [1, 1, 2]])
    train(folder, "-m", "dicomer", "--rating", "fluency", "--folds", "3")
    margins = []
    topics, ratings = [[*pair] for pair in zip(TEXTS, WORSE, strict=True)], [[2, 1], [2, 1], [1, 2]]
    for k in range(3):
        rest = [i for i in range(3) if i != k]
        learnt = celab.Dicomer(lang="en").fit([topics[i] for i in rest], [ratings[i] for i in rest])
        difference = learnt.score(topics[k][0]) - learnt.score(topics[k][1])
        margins.append(difference if ratings[k][0] > ratings[k][1] else -difference)
    content = json.loads((folder / "m.json").read_text("utf-8"))
    right = sum(margin > 0 for margin in margins) / 3
    assert content["training"]["held_out"]["ties_wrong"] == pytest.approx(right)
    assert right < 1  # as it is where it was learnt


def test_documents_of_the_folder_are_texts(tmp_path):
    lines = [[line for text in side for line in split_sentences(text)] for side in (TEXTS, WORSE)]
    n_lines = len(lines[0])
    folder = judge(tmp_path / "judged", lines, [[2] * n_lines, [1] * n_lines])
    numbers = [k for k, text in enumerate(TEXTS) for _ in split_sentences(text)]
    rows = [f"{line}\tnews\td{number}" for line, number in enumerate(numbers)]
    write(folder / "docs.tsv", ["segment\tdomain\tdocument", *rows])
    done = train(folder, "-m", "dicomer", "--rating", "fluency")
    topics = [[*pair] for pair in zip(TEXTS, WORSE, strict=True)]
    fitted = celab.Dicomer(lang="en").fit(topics, [[2, 1]] * 3)
    content = json.loads((folder / "m.json").read_text("utf-8"))
    assert content["weights"] == fitted.content["weights"]
    assert done.stderr.endswith("m.json: 6 texts of 3 topics\n")


def test_cremer_is_trained_with_the_references(tmp_path):
    n = 4
    folder = judge(
        tmp_path / "judged", [TEXTS * n, WORSE * n], [[2, 2, 3] * n, [1, 1, 2] * n], WORSE * n
    )
    done = train(folder, "-m", "cremer", "--kernel", "linear", "--rating", "fluency")
    topics = [[*pair] for pair in zip(TEXTS * n, WORSE * n, strict=True)]
    ratings = [[2, 1], [2, 1], [3, 2]] * n
    fitted = celab.Cremer(lang="en", kernel="linear").fit(topics, WORSE * n, ratings)
    loaded = celab.Cremer(folder / "m.json")
    assert loaded.sentence_score(TEXTS[0], WORSE[0]) == fitted.sentence_score(TEXTS[0], WORSE[0])
    assert "transition" not in done.stdout
    assert done.stderr.endswith("m.json: 24 texts of 12 topics\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "dicomer"], "no topic has two texts with different ratings; there must be one"),
        (
            ["-m", "dicomer", "--rating", "grace"],
            "the columns system, segment, score, fluency; none is grace; choose one of them, such"
            " as --rating score",
        ),
        (["-m", "dicomer", "chrf"], "--metric is dicomer, chrf; give one metric"),
        (["-m", "chrf", "--rating", "fluency"], "--rating applies only to dicomer and cremer, not"),
        (
            ["-m", "dicomer", "--lm", "x.arpa"],
            "--lm is given, which is a feature of tesla-f; leave",
        ),
        (["-m", "dicomer", "--model", "x"], "--model is given, which is what is made; leave it"),
        (
            ["-m", "cremer", "--lang", "en", "--rating", "fluency"],
            "there are 6 rated texts of 3 topics; training needs at least 20 texts of 2 topics",
        ),
    ],
)
def test_what_cannot_be_trained(tmp_path, words, message):
    folder = judge(tmp_path / "judged", [TEXTS, WORSE], [[2, 2, 3], [1, 1, 2]])
    lang = [] if "chrf" in words[:2] else ["--lang", "en"]
    assert message in commands.refusal("main", "train", folder, *words, *lang, "-o", "x.json")


def test_texts_of_one_sentence_have_nothing_to_learn_from(tmp_path):
    short = [["It rained.", "Snow fell."], ["Rain fell.", "It snowed."]]
    folder = judge(tmp_path / "short", short, [[2, 2], [1, 1]])
    words = ["-m", "dicomer", "--lang", "en", "--rating", "fluency", "-o", "x.json"]
    assert commands.refusal("main", "train", folder, *words).endswith(
        "texts with different ratings have the same role transitions; training needs texts of two"
        " sentences or more"
    )
    more = [[TEXTS[0], *short[0]], [WORSE[0], *short[1]]]
    folder = judge(tmp_path / "judged", more, [[2, 2, 2], [1, 1, 1]])
    told = train(folder, "-m", "dicomer", "--rating", "fluency").stderr
    assert "judged: 4 of 6 texts have one sentence or none, and so no transition to learn" in told
