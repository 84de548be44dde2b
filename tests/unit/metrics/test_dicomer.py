"""DICOMER: scores by hand, orders of sentences, models, relations of a parser, and wrong input."""

import json
import math
import pickle

import numpy as np
import pytest

import celab
from celab.metrics.factory import make_metric
from celab.trained.ranking import rank_weights, sparse_rows, split_folds
from celab.trained.relations import Connectives, split_sentences
from celab.trained.roles import NAMES, role_matrix, shares
from celab.trained.topics import Topics

pytest.importorskip("sklearn", reason="scikit-learn (extra train) is not installed")
pytest.importorskip("HanTa", reason="HanTa (extra en) is not installed")

# Original texts; the same sentences in another order are worse.
TEXTS = [
    "The river rose all night. So the mayor closed the bridge. However, two drivers crossed the"
    " bridge. Finally, the river fell.",
    "The team lost the first game. Then the coach changed the defense. As a result, the team won"
    " the second game. The coach praised the defense.",
    "The bakery opened in spring. It sells bread and cakes. But the cakes are expensive. Still,"
    " customers buy the cakes.",
]
ORDERS = ([3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 1, 3])


def permuted(text, order):
    sentences = split_sentences(text)
    return " ".join(sentences[place] for place in order)


TOPICS = [[text, *(permuted(text, order) for order in ORDERS)] for text in TEXTS]
RATINGS = [[2, 1, 1, 1]] * len(TOPICS)


@pytest.fixture(scope="module")
def fitted():
    return celab.Dicomer(lang="en").fit(TOPICS, RATINGS)


@pytest.fixture(scope="module")
def path(fitted, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "dicomer.json"
    fitted.save(path)
    return path


# ---- scores ----


def test_a_score_is_the_sum_of_weighted_shares(fitted):
    words = fitted._words.analyze(split_sentences(TEXTS[0]))
    matrix = role_matrix(Connectives("en").relate(words), "ce")
    weights = fitted.content["weights"]
    numbers, values = shares(matrix, "ce")
    products = [
        weights.get(NAMES[number], 0.0) * value
        for number, value in zip(numbers.tolist(), values.tolist(), strict=True)
    ]
    assert fitted.score(TEXTS[0]) == math.fsum(products) != 0
    assert fitted.explain(TEXTS[0]).score == fitted.score(TEXTS[0])


@pytest.mark.parametrize("features", ["lin", "c", "e", "ce"])
def test_the_better_order_has_the_higher_score_where_it_was_learnt(features):
    metric = celab.Dicomer(lang="en", features=features).fit(TOPICS, RATINGS, cost=1e4)
    for of_topic in TOPICS:
        original, *others = metric.values(of_topic)
        assert original > max(others)
    has_explicit = any(name.startswith("E.") for name in metric.content["weights"])
    has_pairs = any("+" in name for name in metric.content["weights"])
    assert (has_pairs, has_explicit) == ("c" in features, "e" in features)


def test_weights_are_those_of_the_hinge_with_its_cost():
    """At the optimum of the ranking SVM, no step in any direction makes the loss smaller."""
    metric = celab.Dicomer(lang="en", features="lin").fit(TOPICS, RATINGS)
    topics = Topics.of(TOPICS, RATINGS)
    rows = np.zeros((len(topics.texts), len(NAMES)))
    for row, (numbers, values) in zip(rows, metric._shares(topics.texts), strict=True):
        row[numbers] = values
    better, worse = topics.pairs().T
    difference = rows[better] - rows[worse]

    def loss(weights):
        return weights @ weights / 2 + (np.maximum(0, 1 - difference @ weights) ** 2).sum()

    weights = metric._weights
    rng = np.random.default_rng(1)
    for _ in range(50):
        step = rng.normal(size=len(weights)) * (np.abs(difference).sum(axis=0) > 0) * 1e-3
        assert loss(weights + step) > loss(weights)


def test_a_text_is_scored_alone_in_any_company(fitted):
    hyps = [text for of_topic in TOPICS for text in of_topic]
    scores = fitted.corpus_score(hyps)
    assert scores.segments.scores.tolist() == [fitted.score(text) for text in hyps]
    assert fitted.corpus_scores({"a": hyps})["a"] == scores
    assert fitted.corpus_scores([hyps])[0] == scores
    halves = [fitted.scorer([])(part, [[""] * 6]) for part in (hyps[:6], hyps[6:])]
    assert celab.Score.joined(halves).segments == scores.segments
    assert fitted.sentence_score(hyps[0]).score == scores.segments[0].score


def test_references_do_not_count(fitted):
    alone, beside = fitted.corpus_score(TEXTS), fitted.corpus_score(TEXTS, [TEXTS[::-1]])
    assert alone.segments == beside.segments and alone.signature == beside.signature
    assert alone.n_references == 0 and alone.test_set is None and "refs" not in alone.signature
    assert beside.test_set is not None


def test_chinese_is_scored_in_both_scripts():
    pytest.importorskip("jieba", reason="jieba (extra zh) is not installed")
    text = "昨天下了大雨。因此学校关门。但是学生去了学校。后来学校开门。"
    worse = [permuted(text, order) for order in ORDERS]
    metric = celab.Dicomer(lang="zh").fit([[text, *worse]], [[2, 1, 1, 1]])
    assert metric.score(text) > max(map(metric.score, worse))
    traditional = "昨天下了大雨。因此學校關門。但是學生去了學校。後來學校開門。"
    assert metric.score(traditional) == metric.score(text)
    assert [name for name, _ in metric.signature.parts] == [
        *("features", "relations", "words", "opencc", "model", "v")
    ]


def test_a_text_of_one_sentence_is_warned_about(fitted):
    with pytest.warns(celab.InputWarning, match=r"has 1 text of one sentence, such as segment 2;"):
        fitted.corpus_score([TEXTS[0], "The river rose."])


# ---- models ----


def test_a_model_is_the_same_from_its_file(fitted, path):
    loaded = celab.Dicomer.load(path)
    assert loaded == fitted and loaded.score(TEXTS[0]) == fitted.score(TEXTS[0])
    assert loaded.language == "en" and make_metric("dicomer", model=path) == loaded
    assert fitted.signature.part("features") == "ce"
    assert fitted.signature.part("relations").startswith("connectives@")
    assert fitted.signature.part("model").startswith("@")


def test_metrics_with_and_without_a_file_can_be_pickled(fitted, path):
    for metric in (fitted, celab.Dicomer(path), celab.Dicomer(lang="en", features="lin")):
        copy = pickle.loads(pickle.dumps(metric))
        assert copy == metric and copy.signature == metric.signature


def edited(path, tmp_path, **changes):
    content = json.loads(path.read_text("utf-8")) | changes
    (tmp_path / "m.json").write_text(json.dumps(content), "utf-8")
    return tmp_path / "m.json"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"weights": {"Comp.Arg9→nil": 1.0}},
            "m.json is damaged: 'Comp.Arg9→nil' is not a feature",
        ),
        ({"weights": {"nil→nil": "x"}}, r"weights.*nil→nil'\] is 'x'; it must be a number"),
        ({"lang": "fr"}, "lang is 'fr'; it must be one of en, zh"),
        ({"format": "celab tesla-f 1"}, "it must be 'celab dicomer 1'"),
        (
            {"trained_with": "dicomer|features:ce|relations:connectives@0"},
            r"was trained with relations:connectives@0, but here it is relations:connectives@.*;"
            " use the same",
        ),
    ],
)
def test_a_model_that_cannot_be_used(path, tmp_path, changes, message):
    with pytest.raises(celab.InputError, match=message):
        celab.Dicomer(edited(path, tmp_path, **changes))


def test_settings_must_be_those_of_the_model(path):
    with pytest.raises(celab.OptionError, match=r"has features 'ce', but features is 'lin'; they"):
        celab.Dicomer(path, features="lin")
    with pytest.raises(celab.OptionError, match=r"has lang 'en', but lang is 'zh'; they must"):
        celab.Dicomer(path, "zh")


def test_what_cannot_be_scored_or_written():
    metric = celab.Dicomer(lang="en")
    for call in (lambda: metric.score("a"), lambda: metric.save("m"), lambda: metric.explain("a")):
        with pytest.raises(celab.OptionError, match="dicomer needs a model; celab train makes one"):
            call()
    with pytest.raises(celab.OptionError, match=r"lang is 'fr'; dicomer supports en, zh"):
        celab.Dicomer(lang="fr")


@pytest.mark.parametrize(
    ("texts", "ratings", "message"),
    [
        ([["A. B.", "B. A."]], [[1, 1]], "no topic has two texts with different ratings"),
        ([["A. B."], ["B. A."]], [[1], [2]], "no topic has two texts with different ratings"),
        ([["It rained.", "Snow."]], [[1, 2]], "have the same role transitions; training needs"),
        ([["A.", "B."]], [[1]], "topic 1 has 2 texts and 1 rating; there must be one for each"),
        ([["A.", "B."]], [[1, 2], [3]], "texts of 1 topic and ratings of 2; they must agree"),
        ([["A.", "B."]], [[1, math.nan]], "a rating of topic 1 is 'nan'; it must be a number"),
        ([["A.", "B."]], [[1, "2"]], "a rating of topic 1 is '2'; it must be a number"),
        ([["A.", None]], [[1, 2]], "None, a missing value"),
        (["A.", "B."], [1, 2], "a str was given in place of a sequence"),
    ],
)
def test_what_cannot_be_learnt_from(texts, ratings, message):
    with pytest.raises(celab.InputError, match=message):
        celab.Dicomer(lang="en").fit(texts, ratings)


# ---- relations of a parser ----

PARSED = {
    "en": ["The river rose . So the bridge closed .", "-LRB- Drivers crossed the bridge . -RRB-"],
    "zh": ["下 了 大 雨 ， 因此 学校 关门 。", "学生 去 了 学校 。"],
}


def relation(type, sense, arg1, arg2, name="d"):
    args = {"Arg1": {"TokenList": arg1}, "Arg2": {"TokenList": arg2}}
    return {"DocID": name, "Type": type, "Sense": sense, **args}


def parsed(folder, lang, relations):
    sentences = [{"words": [[form, {}] for form in text.split()]} for text in PARSED[lang]]
    (folder / "parses.json").write_text(json.dumps({"d": {"sentences": sentences}}), "utf-8")
    lines = "".join(f"{json.dumps(relation)}\n" for relation in relations)
    (folder / "relations.json").write_text(lines, "utf-8")
    return folder


def test_relations_of_a_parser_give_the_matrix_that_a_person_reads_off(tmp_path):
    relations = [
        # As in gold files: the numbers of sentence and token are the last two.
        relation(
            "Explicit",
            ["Contingency.Cause.Result"],
            [[0, 3, 0, 0, 0], [4, 9, 1, 0, 1], [10, 14, 2, 0, 2]],
            [[0, 0, 5, 0, 5], [0, 0, 6, 0, 6], [0, 0, 7, 0, 7]],
        ),
        # As in the output of parsers: numbers in the document.
        relation("Implicit", ["Comparison.Contrast", "Expansion"], [6], [10, 11, 13]),
    ]
    metric = celab.Dicomer(lang="en", relations=parsed(tmp_path, "en", relations))
    (text,) = metric.discourses(
        ["The river rose. So the bridge closed.\n(Drivers crossed the bridge.)"]
    )
    matrix = role_matrix(text, "lin")
    assert {term: matrix.column(term) for term in matrix.terms} == {
        "river": [("Cont.Arg1",), ()],
        "rise": [("Cont.Arg1",), ()],
        "bridge": [("Comp.Arg1", "Cont.Arg2", "Exp.Arg1"), ("Comp.Arg2", "Exp.Arg2")],
        "close": [("Cont.Arg2",), ()],
        "driver": [(), ("Comp.Arg2", "Exp.Arg2")],
        "cross": [(), ("Comp.Arg2", "Exp.Arg2")],
    }
    assert role_matrix(text, "e").column("river") == [("Cont.Arg1", "E.Cont.Arg1"), ()]
    assert metric.signature.part("relations").startswith("conll@")


def test_flat_senses_of_chinese(tmp_path):
    pytest.importorskip("jieba", reason="jieba (extra zh) is not installed")
    relations = [
        relation("Explicit", ["Causation"], [3], [6, 7]),
        relation("Implicit", ["Conjunction"], [6], [9, 12]),
    ]
    metric = celab.Dicomer(lang="zh", relations=parsed(tmp_path, "zh", relations))
    (text,) = metric.discourses(["下了大雨，因此学校关门。学生去了学校。"])
    matrix = role_matrix(text, "lin")
    assert matrix.column("学校") == [("Cont.Arg2", "Exp.Arg1"), ("Exp.Arg2",)]
    assert matrix.column("学生") == [(), ("Exp.Arg2",)]


def test_a_model_is_for_other_texts_with_relations_of_the_same_kind(tmp_path):
    relations = [relation("Explicit", ["Temporal"], [1], [6])]
    (tmp_path / "a").mkdir()
    folder = parsed(tmp_path / "a", "en", relations)
    texts = ["The river rose. So the bridge closed. (Drivers crossed the bridge.)"]
    metric = celab.Dicomer(lang="en", relations=folder)
    with pytest.raises(celab.InputError, match="no topic has two texts"):
        metric.fit([texts], [[1]])
    model = tmp_path / "m.json"
    celab.Dicomer(lang="en").fit(TOPICS, RATINGS).save(model)
    with pytest.raises(celab.InputError, match="was trained with relations:connectives@"):
        celab.Dicomer(model, relations=folder)
    content = json.loads(model.read_text("utf-8"))
    content["trained_with"] = content["trained_with"].replace("connectives@", "conll|x@")
    parts = [p for p in content["trained_with"].split("|") if "@" not in p]
    model.write_text(json.dumps(content | {"trained_with": "|".join(parts)}), "utf-8")
    one = celab.Dicomer(model, relations=folder)
    assert isinstance(one.score(texts[0]), float)
    with pytest.raises(celab.InputError, match=r"does not have the text 'The river fell\.'; rel"):
        one.score("The river fell.")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"DocID": "other"}, r"relations\.json, line 2: 'other' is not a document of parses\.json"),
        ({"Sense": ["Comparisons"]}, "line 2: unknown sense 'Comparisons'; it must begin with one"),
        ({"Sense": []}, "line 2: Sense has 0 values; it must have 1"),
        ({"Type": "explicit"}, "line 2: Type is 'explicit'; it must be one of Explicit, Implicit"),
        ({"Arg1": {"TokenList": [99]}}, "line 2: Arg1 has the token 99, which the text does not"),
        (
            {"Arg2": {"TokenList": [[0, 0, 0, 1, 8]]}},
            r"line 2: Arg2 has the token \[0, 0, 0, 1, 8\]",
        ),
        ({"Arg2": {"TokenList": ["3"]}}, "line 2: Arg2 has the token 3, which the text does not"),
        ({"Arg2": {}}, "line 2: Arg2 has no TokenList"),
    ],
)
def test_relations_that_do_not_fit(tmp_path, changed, message):
    good = relation("Explicit", ["Temporal"], [1], [6])
    folder = parsed(tmp_path, "en", [good, good | changed])
    with pytest.raises(celab.InputError, match=message):
        celab.Dicomer(lang="en", relations=folder)


def test_files_that_are_not_those_of_a_parser(tmp_path):
    folder = parsed(tmp_path, "en", [])
    assert (
        celab.Dicomer(lang="en", relations=folder)
        .discourses(["The river rose. So the bridge closed. (Drivers crossed the bridge.)"])[0]
        .relations
        == []
    )
    (folder / "relations.json").write_text("[1]\n", "utf-8")
    with pytest.raises(celab.InputError, match=r"relations\.json, line 1: it is not an object"):
        celab.Dicomer(lang="en", relations=folder)
    (folder / "parses.json").write_text('{"d": {"words": []}}', "utf-8")
    with pytest.raises(celab.InputError, match=r"parses\.json has no sentences of CoNLL"):
        celab.Dicomer(lang="en", relations=folder)
    with pytest.raises(celab.InputError, match=r"absent.parses\.json: no such file"):
        celab.Dicomer(lang="en", relations=folder / "absent")


# ---- explanations ----


def test_an_explanation_shows_roles_and_transitions(fitted):
    explanation = fitted.explain(TEXTS[0])
    assert explanation.n_sentences == 4
    assert explanation.roles["bridge"][1] == ("Cont.Arg2", "Comp.Arg1")[::-1]
    products = [abs(transition.product) for transition in explanation.transitions]
    assert products == sorted(products, reverse=True)
    text = str(explanation)
    assert "roles by sentence" in text and "transitions that count most" in text
    assert explanation.to_dict()["roles"]["river"][0] == ["Cont.Arg1"]
    assert set(explanation.to_dict()) == {
        *("format", "score", "n_sentences", "roles", "transition", "signature")
    }
    with pytest.raises(celab.OptionError, match="has no links to draw"):
        explanation.plot()


# ---- published texts ----


PENN = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"'}


@pytest.mark.parametrize(
    ("lang", "first", "columns"),
    [
        (
            "en",
            2,
            {
                # "... that program trading causes wild swings ..." is said in other words by
                # "... have attacked program trading"; "... backed off from program trading" is
                # contrasted by "most of them moved back in"; then entities are taken up.
                "program": ["Exp.Arg1", "Exp.Arg2", "Comp.Arg1", "", "EntRel.Arg1 EntRel.Arg2", ""],
                "crash": ["Exp.Arg1", "", "Comp.Arg1", "", "", ""],
                "option": ["", "", "", "", "EntRel.Arg1 EntRel.Arg2", "EntRel.Arg2"],
                "evil": ["", "Exp.Arg2", "", "", "", ""],
            },
        ),
        (
            "zh",
            1,
            {
                # The second of these is an expansion of the first, and within it the project is
                # the reason (因此) that there are new problems, which the next sentence expands.
                "领域": ["", "Exp.Arg1", ""],
                "有序": ["", "Exp.Arg1 Exp.Arg2", ""],
                "工程": ["", "", "Cont.Arg1 Exp.Arg1 Exp.Arg2"],
                "问题": ["", "", "Cont.Arg2 Exp.Arg1 Exp.Arg2"],
            },
        ),
    ],
)
def test_gold_relations_give_the_matrix_that_a_person_reads_off(shared, lang, first, columns):
    if lang == "zh":
        pytest.importorskip("jieba", reason="jieba (extra zh) is not installed")
    folder = shared / "data" / "conll16" / lang
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    (parsed_text,) = json.loads((folder / "parses.json").read_text("utf-8")).values()
    sentences = [[form for form, _ in x["words"]] for x in parsed_text["sentences"]]
    text = "\n".join(" ".join(PENN.get(form, form) for form in forms) for forms in sentences)
    (discourse,) = celab.Dicomer(lang=lang, relations=folder).discourses([text])
    matrix = role_matrix(discourse, "lin")
    assert len(discourse.sentences) == len(sentences)
    for term, roles in columns.items():
        column = matrix.column(term)[first : first + len(roles)]
        assert [" ".join(cell) for cell in column] == roles, term


def documents(folder):
    """The English documents of WMT24 with five lines or more, sentence by sentence."""
    lines = (folder / "src.txt").read_text("utf-8").splitlines()
    names = [x.split("\t")[2] for x in (folder / "docs.tsv").read_text("utf-8").splitlines()[1:]]
    by_name = {}
    for name, line in zip(names, lines, strict=True):
        by_name.setdefault(name, []).append(line)
    return [split_sentences("\n".join(x)) for x in by_name.values() if len(x) >= 5]


@pytest.mark.thorough
def test_sentences_in_their_order_are_above_others(shared):
    """Of documents that were not learnt from, in 60% of pairs and more, with C = 10.

    Of the draws of orders that were tried, this has the lowest shares, .650 and .622; the standard
    error over documents is .04. docs/other-metrics.md has the mean of three draws.
    """
    folder = shared / "data" / "wmt24-enzh-esa"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    rng, n_orders = np.random.default_rng(1), 20
    topics = []
    for sentences in documents(folder):
        n = len(sentences)
        orders = [range(n), *(rng.permutation(n) for _ in range(n_orders))]
        topics.append(["\n".join(sentences[k] for k in order) for order in orders])
    assert len(topics) == 58
    folds = split_folds(np.arange(len(topics)), 5, rng)
    discourses = celab.Dicomer(lang="en").discourses([text for x in topics for text in x])
    owner = np.repeat(np.arange(len(topics)), n_orders)
    for features in ("lin", "ce"):
        _, rows = sparse_rows([shares(role_matrix(x, features), features) for x in discourses])
        originals = np.arange(len(topics)) * (n_orders + 1)
        others = np.setdiff1d(np.arange(len(discourses)), originals)
        difference = rows[np.repeat(originals, n_orders)] - rows[others]
        n_right = 0
        for fold in folds:
            held = np.isin(owner, fold)
            margins = difference[held] @ rank_weights(difference[~held], 10.0)
            n_right += (margins > 1e-12).sum()  # ties are wrong
        assert n_right / len(owner) >= 0.60, features
