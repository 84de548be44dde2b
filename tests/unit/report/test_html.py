"""The HTML report without a browser: what stands in the file, and what never does."""

import base64
import hashlib
import itertools
import json
import re
import shlex
import zlib
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import generated_texts
import numpy as np
import pytest
from campaigns import run, text_table
from jinja2 import ChoiceLoader, DictLoader

from celab import Campaign, TeslaCelab
from celab.corpus import Corpus, Segment
from celab.metrics.base import Metric, Scorer
from celab.metrics.baselines import Chrf
from celab.metrics.scores import Score, Segments
from celab.report.html import campaign_page, check_page, explanations, terms_page, views
from celab.report.html import page as pages
from celab.report.html.agreement import Against, Section, meta_page, scatter
from celab.report.html.drawings import axis
from celab.report.html.explanations import BLOCK, chosen
from celab.report.html.findings import findings_in
from celab.report.html.page import as_json
from celab.report.html.views import errors_view
from celab.tables import palette

NASTY = "</script><script>document.title = 'run'</script><!-- & \" ' \u2028 \u2029 \0"


def corpus(systems=None, refs=None):
    systems = systems or {"good": ["我买雨伞", "你好吗", "天"], "bad": ["他卖雨衣", "你好", ""]}
    n = len(next(iter(systems.values())))
    refs = refs or [["我买伞", "你好吗", "天"][:n]]
    segments = [Segment("d1" if i < 2 else "d2", f"s{i}") for i in range(n)]
    names = [f"ref{r}" for r in range(len(refs))]
    return Corpus(
        segments=segments,
        systems=systems,
        refs=refs,
        ref_names=names,
        source=["I buy", "How are you", "sky"][:n],
    )


@pytest.fixture(scope="module")
def metric():
    return TeslaCelab()


@pytest.fixture(scope="module")
def campaign(metric):
    return run({"celab": metric}, corpus(), n_resamples=50)


@pytest.fixture(scope="module")
def page(campaign, metric):
    return campaign_page(campaign, {"celab": metric}, lang="zh")


class LengthScorer(Scorer):
    """Counts characters."""

    def _score(self, hyps, refs, progress):
        values = np.array([[[float(len(hyp)), 0.0, 0.0] for hyp in hyps]])
        made = Score.of(Segments(values), self.signature)
        return Score(
            score=made.score,
            precision=None,
            recall=None,
            segments=made.segments,
            signature=made.signature,
            n_references=1,
            statistics=made.statistics,
            higher_is_better=False,
        )


class Lengths(Metric):
    """A metric that explains nothing; fewer characters are better."""

    signature = "lengths|v:1"
    scorer_class = LengthScorer


class Parsed(HTMLParser):
    """Elements with their attributes, and the text of each kind."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self._inside = [], {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._inside.append(tag)

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, text):
        for tag in self._inside[-1:]:
            self.texts.setdefault(tag, []).append(text)

    def count(self, tag):
        return sum(name == tag for name, _ in self.elements)


def text_of(page):
    """Return the text of the page without its scripts, with single spaces."""
    body = re.sub("<(script|style).*?</\\1>", "", page, flags=re.S)
    return " ".join(unescape(re.sub("<.*?>", "", body, flags=re.S)).split())


def data_of(page):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    )


def blocks_of(page, metric=0):
    """Return the blocks of a metric by number, as the page's script reads them."""
    blocks = re.findall(rf'<script type="text/plain" id="explained-{metric}-(\d+)">(.*?)<', page)
    return {
        int(number): json.loads(zlib.decompress(base64.b64decode(text))) for number, text in blocks
    }


def explained_of(page, metric=0):
    """For each system its explanations by the segments' places, from all blocks of a metric."""
    of_systems = [{} for _ in data_of(page)["systems"]]
    for block in blocks_of(page, metric).values():
        for place, by_system in block["explained"].items():
            for system, explained in by_system.items():
                of_systems[int(system)][place] = explained
    return of_systems


def test_the_data_are_those_of_the_campaign(page, campaign):
    data = data_of(page)
    texts = campaign.corpus
    assert data["systems"] == ["good", "bad"]
    assert data["hyps"] == [texts.systems["good"], texts.systems["bad"]]
    assert (data["refs"], data["source"]) == (texts.refs, texts.source)
    assert [data["documents"][d] for d in data["segments"]] == ["d1", "d1", "d2"]
    (of_metric,) = data["metrics"]
    for row, score in zip(of_metric["scores"], campaign.scores["celab"].values(), strict=True):
        assert row == pytest.approx(score.segments.scores.tolist(), abs=1e-6)


def test_an_explanation_can_be_read_back(page, metric):
    data = data_of(page)
    explanation = metric.explain("我买雨伞", "我买伞")
    found = explained_of(page)[0]["0"]
    (pair,) = found["against"]
    assert found["combine"] == "mean" and pair["ref"] == 0
    assert pair["tokens"] == [["", "我买雨伞"], ["", "我买伞"]]
    assert pair["values"][0] == pytest.approx(explanation.score, abs=1e-6)
    n_hyp, n_ref = len(explanation.hyp_ngrams), len(explanation.ref_ngrams)
    c_hyp, c_ref = pair["covered"]
    f = data["metrics"][0]["settings"]["f"]
    assert pair["values"] == pytest.approx(
        [(c_ref + f * c_hyp) / (n_ref + f * n_hyp), c_hyp / n_hyp, c_ref / n_ref], abs=1e-5
    )
    assert sum(pair["columns"][0::2]) == 4 and sum(pair["columns"][1::2]) == 3
    assert len(pair["links"]) == len(explanation.links)
    groups = {
        label for link in explanation.links for piece in link.pieces for label in piece.groups
    }
    assert groups and groups <= set(blocks_of(page)[0]["labels"])


def test_tokens_of_several_characters_are_kept_apart(metric):
    texts = corpus({"x": ["Tierra del Sol 很好"]}, [["Tierra del Sol 好"]])
    made = campaign_page(run({"celab": metric}, texts), {"celab": metric})
    (pair,) = explained_of(made)[0]["0"]["against"]
    assert [text.split(between) for between, text in pair["tokens"]] == [
        ["Tierra", "del", "Sol", "很", "好"],
        ["Tierra", "del", "Sol", "好"],
    ]


@pytest.mark.parametrize("where", ["system", "document", "hyp", "ref", "reference name"])
def test_no_text_becomes_markup(metric, where, page):
    said = {
        place: NASTY if place == where else "x"
        for place in ("system", "document", "hyp", "ref", "reference name")
    }
    texts = Corpus(
        segments=[Segment(said["document"], "1")] * 2,
        systems={said["system"]: [said["hyp"]] * 2, "y": ["y"] * 2},
        refs=[[said["ref"]] * 2],
        ref_names=[said["reference name"]],
    )
    made = campaign_page(run({"celab": metric}, texts), {"celab": metric})
    usual, parsed = Parsed(page), Parsed(made)
    assert parsed.count("script") == usual.count("script") == 3  # data, a block, the script
    assert made.count("</script") == 3 and "<!--" not in made
    assert not any("\u2028" in json for json in re.findall('application/json".*', made))
    in_data = json.dumps(data_of(made), ensure_ascii=False)
    assert json.dumps(NASTY, ensure_ascii=False)[1:-1] in in_data


def test_attributes_hold_what_they_are_given(metric):
    texts = corpus({'"><b onclick="x">': ["我", "你", "他"], "y": ["我", "你", "它"]})
    parsed = Parsed(campaign_page(run({"celab": metric}, texts), {"celab": metric}))
    assert not any("onclick" in attributes for _, attributes in parsed.elements)
    assert any('"><b onclick="x">' in (a.get("aria-label") or "") for _, a in parsed.elements)


def test_lone_surrogates_can_be_written(metric):
    assert as_json({"x": "\ud800<>&\u2028"}) == '{"x":"\\ud800\\u003c\\u003e\\u0026\\u2028"}'
    assert json.loads(as_json({"x": NASTY})) == {"x": NASTY}


def test_nothing_is_loaded(page):
    made = meta_page([Section(name="", metrics=[Against("m", [("a", 1.0, 2.0), ("b", 2.0, 3.0)])])])
    for text in (page, made):
        without_digests = re.sub("sha256-[^']+", "", text)  # these may have any signs
        assert not re.search("https?:|//[a-z]|url\\(|@import|import\\(", without_digests)
        parsed = Parsed(text)
        for tag, attributes in parsed.elements:
            assert tag not in ("link", "img", "iframe", "object", "embed", "base")
            assert "src" not in attributes and "style" not in attributes
            assert attributes.get("href", "#").startswith("#")
            assert not any(name.startswith("on") for name in attributes)


def test_the_policy_names_this_style_and_this_script(page):
    parsed = Parsed(page)
    (policy,) = [
        a["content"] for _, a in parsed.elements if a.get("http-equiv") == "Content-Security-Policy"
    ]
    script, style = (
        re.search(f"<{tag}>(.*?)</{tag}>", page, re.S)[1] for tag in ("script", "style")
    )
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_every_table_has_a_caption_and_headings(page):
    tables = [("t", text_table(headings=["metric", "r"], rows=[["m", "0.9"]]))]
    made = meta_page(
        [
            Section(
                name="", metrics=[Against("m", [("a", 1.0, 2.0), ("b", 2.0, 3.0)])], tables=tables
            )
        ],
        {"r": [("set", "m", 0.5, 0.25, 0.75)]},
    )
    for text in (page, made):
        tables = re.findall("<table.*?</table>", text, re.S)
        assert len(tables) >= 2
        for table in tables:
            assert text_of(re.search("<caption.*?</caption>", table)[0])
            assert 'scope="col"' in table and 'scope="row"' in table


def test_the_script_never_writes_markup(page):
    script = re.search("<script>(.*?)</script>", page, re.S)[1]
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in script


def test_the_same_input_gives_the_same_bytes(page, campaign, metric):
    again = campaign_page(campaign, {"celab": metric}, lang="zh")
    assert again.encode() == page.encode()


def test_a_metric_that_cannot_explain_is_shown_all_the_same(metric):
    metrics = {"celab": metric, "lengths": Lengths()}
    made = campaign_page(run(metrics, corpus(), n_resamples=50), metrics)
    data = data_of(made)
    assert [m["explained"] is None for m in data["metrics"]] == [False, True]
    assert [m["digits"] for m in data["metrics"]] == [4, 4]
    text = text_of(made)
    assert "lengths has nothing to explain" in text
    assert "lengths ↓" in text and "Systems by lengths (lower is better)" in text


def test_one_system_needs_no_comparison(metric):
    made = campaign_page(
        run({"celab": metric}, corpus({"only": ["我", "你", "他"]})), {"celab": metric}
    )
    text = text_of(made)
    assert "Significance" not in text and "A against B" not in text
    score = metric.corpus_score(["我", "你", "他"], corpus().refs)
    low, high = score.interval()
    assert f'aria-label="{low:.4f}–{high:.4f}"' in made
    assert made.count('class="histogram"') == 1


def first_lines(made):
    """Return the sentence, and the line of evidence by the metric."""
    section = re.search('<section class="answer".*?</section>', made, re.S)[0]
    return (text_of(re.search(f"<{tag}.*?</{tag}>", section, re.S)[0]) for tag in ("h1", "dd"))


def test_the_page_opens_with_the_answer(campaign, metric):
    made = campaign_page(campaign, {"celab": metric})
    sentence, evidence = first_lines(made)
    found = campaign.compare("good", "bad", n_resamples=50)["celab"].difference
    score = campaign.scores["celab"]["good"].score
    few = "ewer than 20 segments, no verdict."
    assert sentence == f"good has the highest score, {score:.3f}; f{few}"
    p = f"p = {found.p:.3f}, scale 0–1"
    assert evidence == f"good is {found.value:.3f} ahead of bad ({p}): f{few}"
    assert made.index('class="answer"') < made.index('class="board"')


def test_a_lead_with_few_translations_is_no_verdict(metric):
    # 4 of 23 outputs are empty: without them, 19 segments cannot say who leads.
    refs = [f"第{n}天，他们带着雨伞去了火车站。" for n in range(23)]
    outputs = {"good": refs, "bad": [*[""] * 4, *(f"第{n}天，他们走了。" for n in range(4, 23))]}
    made = campaign_page(Campaign.from_lists(outputs, refs).score(metric).test(), {"celab": metric})
    sentence, evidence = first_lines(made)
    assert sentence == "good is closest to the reference."
    assert "Without" not in evidence


def test_figures_of_the_page_are_those_of_json(campaign, metric):
    made, figures = campaign_page(campaign, {"celab": metric}), campaign.to_dict()
    rows = re.findall('<tr data-system="(\\d)".*?</tr>', made, re.S)
    board = re.search('<table class="board">.*?</table>', made, re.S)[0]
    for row in re.findall('<tr data-system="\\d".*?</tr>', board, re.S):
        name = text_of(re.search('<th scope="row".*?</th>', row, re.S)[0])
        (found,) = (x for x in figures["system"] if x["system"] == name)
        assert found["metric"] == "celab"
        low, high = found["low"], found["high"]
        cells = [text_of(x) for x in re.findall("<td.*?</td>", row, re.S)]
        assert cells[0] == f"{found['score']:.4f}"
        assert f'data-copy="[{low:.4f}, {high:.4f}]"' in row or f"{low:.4f}–{high:.4f}" in row
        assert f"{found['length_ratio']:.2f}" in cells
    assert len(rows) == len(figures["system"])
    data = data_of(made)["metrics"][0]
    (pair,) = data["pairs"]
    (tested,) = figures["pair"]
    p_values = {row["system"]: row for row in figures["system"]}
    first, second = tested["a"], tested["b"]
    assert pair["p"] == f"= {p_values[first][f'p {second}']:.3f}"
    assert p_values[second][f"p {first}"] == p_values[first][f"p {second}"]
    assert pair["test"] == tested["test"]
    scores = {x["system"]: x["score"] for x in figures["system"]}
    assert pair["difference"] == pytest.approx(scores["good"] - scores["bad"], abs=1e-6)


def many_segments(n, n_worse):
    """A corpus of which one system is worse on some of the segments, and better on one."""
    refs = [f"今天{i}点我买了一把雨伞" for i in range(n)]
    worse = [f"他{i}" if i < n_worse else ref for i, ref in enumerate(refs)]
    better = [*refs[:-1], "明天"]
    segments = [Segment("", f"{i}") for i in range(n)]
    return Corpus(
        segments=segments, systems={"good": better, "bad": worse}, refs=[refs], ref_names=["ref"]
    )


@pytest.mark.parametrize(("n_worse", "is_significant"), [(2, False), (12, True)])
def test_twenty_segments_have_a_verdict(metric, n_worse, is_significant):
    metrics = {"celab": metric}
    scored = run(metrics, many_segments(20, n_worse))
    made = campaign_page(scored, metrics)
    verdict, _ = first_lines(made)
    winner = "good is closest to the reference."
    if not is_significant:
        winner = "No clear winner: good or bad may be closest to the reference."
    assert verdict == winner
    pair = data_of(made)["metrics"][0]["pairs"][0]
    found = scored.compare("good", "bad")["celab"].difference
    assert pair["significant"] == found.significant == is_significant
    assert ("△" in made or "▲" in made) and "Rank" in made.split("<script")[0]


def test_nineteen_segments_have_no_verdict(metric):
    metrics = {"celab": metric}
    scored = run(metrics, many_segments(19, 18))
    assert scored.comparisons["celab"].p_values[0, 1] < 0.001
    made = campaign_page(scored, metrics)
    symbols = set(re.findall('<td data-symbol="(.)"', made))
    assert symbols == {"·"}
    assert "Rank" not in made.split("<script")[0]
    assert text_of(made).count("ewer than 20 segments, no verdict") == 4
    data = data_of(made)["metrics"][0]
    assert data["too_few"] and not data["pairs"][0]["significant"]
    assert data["pairs"][0]["p"] == "< 0.001"


def test_a_p_value_is_rounded_once(campaign, metric):
    """0.4955044955 was 0.496 in the result, and 0.495 in the comparison, which had 0.4955."""
    p = 496 / 1001
    assert (f"{p:.3f}", f"{float(f'{p:.4g}'):.3f}") == ("0.496", "0.495")
    tested = replace(
        campaign.comparisons["celab"], p_values=np.array([[1.0, p], [p, 1.0]]), test="bootstrap"
    )
    made = campaign_page(replace(campaign, comparisons={"celab": tested}), {"celab": metric})
    assert "(p = 0.496, " in [*first_lines(made)][1]
    assert data_of(made)["metrics"][0]["pairs"][0]["p"] == "= 0.496"
    assert made.count("good</bdi> scores higher than <bdi>bad</bdi>: p <bdi>= 0.496</bdi>") == 1
    assert made.count(">.496</span>") == 1


def test_a_lead_is_below_zero_where_lower_is_better():
    metrics = {"lengths": Lengths()}
    refs = ["我买雨伞", "你好"] * 10
    systems = {"long": ["我买雨伞了啊", "你好吗好吗"] * 10, "short": ["我", "你"] * 10}
    texts = Corpus(
        segments=[Segment("", str(i)) for i in range(20)],
        systems=systems,
        refs=[refs],
        ref_names=["ref"],
    )
    verdict, evidence = first_lines(campaign_page(run(metrics, texts, n_resamples=50), metrics))
    assert verdict == "short is closest to the reference."
    assert re.match(r"short leads long by [\d.]+ \(p ", evidence)


def test_figures_of_all_pairs_are_those_of_compare(campaign, metric):
    data = data_of(campaign_page(campaign, {"celab": metric}))["metrics"][0]
    found = campaign.compare("good", "bad", n_resamples=50)["celab"]
    (pair,) = data["pairs"]
    tested = found.difference
    assert pair["test"] == tested.test == "exact"
    assert pair["difference"] == pytest.approx(tested.value, abs=1e-6)
    assert (pair["low"], pair["high"]) == pytest.approx(tested.interval, abs=1e-6)
    assert (pair["wins"], pair["ties"]) == (found.wins, found.ties)
    assert pair["p"] == f"= {tested.p:.3f}"
    assert data["too_few"] and not pair["significant"]
    assert data["ranked"] == [0, 1]


def test_a_link_across_a_word_boundary_is_marked(metric):
    found = metric.explain("位于市区", "号于市区")
    pieces = [piece for link in found.links for piece in link.pieces]
    assert [piece.cuts for piece in pieces if piece.kind == "synonym"] == [("位于",)]
    assert all(piece.cuts == () for piece in pieces if piece.kind == "equal")
    (whole,) = metric.explain("买雨伞", "买伞").links
    assert [piece.cuts for piece in whole.pieces] == [(), ()]
    texts = corpus({"x": ["位于市区"]}, [["号于市区"]])
    made = campaign_page(run({"celab": metric}, texts), {"celab": metric})
    (pair,) = explained_of(made)[0]["0"]["against"]
    assert "位于" in {x for link in pair["links"] for piece in link[5:] for y in piece for x in y}


def test_what_is_explained_is_bounded_and_said(campaign, metric):
    told = []
    made = campaign_page(
        campaign, {"celab": metric}, explained=4, progress=lambda *numbers: told.append(numbers)
    )
    assert [len(of_system) for of_system in explained_of(made)] == [2, 2]
    assert data_of(made)["metrics"][0]["explained"] == 4
    assert told == [(4, 4)]
    assert data_of(made)["metrics"][0]["places"] == [[*map(int, x)] for x in explained_of(made)]
    assert "4 of 6 outputs are explained" in text_of(made)
    none = campaign_page(campaign, {"celab": metric}, explained=0)
    assert data_of(none)["metrics"][0]["explained"] == 0 and "explained-0" not in none


def test_processes_make_the_same_page(metric, monkeypatch):
    monkeypatch.setattr(explanations, "WORTH_WORKERS", 2)
    n = 2 * BLOCK + 1
    segments = [Segment("", str(i)) for i in range(n)]
    systems = {"x": ["买伞"] * n, "y": [f"买{i}" for i in range(n)]}
    metrics = {"celab": metric, "chrf": Chrf(), "equal": TeslaCelab(lexicon=None)}
    campaign = run(
        metrics,
        Corpus(segments=segments, systems=systems, refs=[["买雨伞"] * n], ref_names=["ref"]),
    )
    told = []
    made = campaign_page(campaign, metrics, jobs=2, progress=lambda *x: told.append(x))
    assert made == campaign_page(campaign, metrics)
    assert told[-1] == (4 * n, 4 * n) and told == sorted(told)


class Unreadable:
    """A scorer that other processes cannot read."""

    def __init__(self, scorer):
        self.explain = scorer.explain

    def __reduce__(self):
        return int, ("not a number",)  # which fails where it is read


def test_a_scorer_that_processes_cannot_read_explains_here(metric, monkeypatch):
    monkeypatch.setattr(explanations, "WORTH_WORKERS", 1)
    scorer = metric.scorer([["买雨伞"]])
    output = explanations.ExplainedOutput(0, 0, "买伞", ["买雨伞"], 0)
    tasks = [explanations._Task(0, 0, [output])] * 3
    here = [*explanations._blocks([scorer], tasks, 1)]
    assert [*explanations._blocks([Unreadable(scorer)], tasks, 2)] == here
    assert here[0].explained == [(0, 0)]


def test_an_output_without_explanation_has_its_command(metric):
    texts = replace(
        corpus(), ref_files=["ref's.zh"], system_files={"good": "a b.zh", "bad": "bad.zh"}
    )
    scored = run({"celab": metric}, texts, n_resamples=50)
    flags = {"celab": ["--f", "0.5"]}
    data = data_of(campaign_page(scored, {"celab": metric}, explained=0, flags=flags))
    before, middle, after = data["commands"]["celab"]
    command = " ".join([before, "3", middle, data["files"][0], after])
    assert shlex.split(command) == [
        *("celab", "explain", "3", "-r", "ref's.zh", "-s", "a b.zh"),
        *("-m", "celab", "--f", "0.5"),
    ]
    assert "commands" not in data_of(campaign_page(scored, {"celab": metric}, explained=0))


def test_metrics_that_disagree_are_named(metric):
    metrics = {"celab": metric, "lengths": Lengths()}
    systems = {"good": ["我买雨伞了", "你好吗", "天"], "bad": ["他", "你", ""]}
    made = campaign_page(run(metrics, corpus(systems), n_resamples=50), metrics)
    assert "bad is first by lengths." in text_of(made)
    assert made.count('title="rank 2 by lengths"') == made.count(">▼1<") / 2 == 1
    metrics = {"celab": metric, "chrf": Chrf()}
    made = campaign_page(run(metrics, corpus(systems), n_resamples=50), metrics)
    assert "is first by" not in [*first_lines(made)][1]


def test_every_block_has_its_segments(metric):
    n = 2 * BLOCK + 1
    texts = Corpus(
        segments=[Segment("", str(i)) for i in range(n)],
        systems={"x": ["买伞"] * n, "y": ["买"] * n},
        refs=[["买雨伞"] * n],
        ref_names=["ref"],
    )
    made = campaign_page(run({"celab": metric}, texts, n_resamples=50), {"celab": metric})
    assert [*blocks_of(made)] == [0, 1, 2]
    for b, block in blocks_of(made).items():
        places = [*range(b * BLOCK, min(n, (b + 1) * BLOCK))]
        assert [*map(int, block["explained"])] == places
        assert all([*by_system] == ["0", "1"] for by_system in block["explained"].values())
    assert "All segments are explained." in made


def test_the_worst_are_the_highest_where_lower_is_better():
    scores = np.array([[1.0, 5.0, 3.0, 2.0]])
    assert chosen(scores, 2, True) == [[0, 3]]
    assert chosen(scores, 2, False) == [[1, 2]]


def test_several_references_are_explained_each(metric):
    texts = corpus(refs=[["我买伞", "你好吗", "天"], ["我要买伞", "", "天空"]])
    made = campaign_page(run({"celab": metric}, texts, n_resamples=50), {"celab": metric})
    of_good = explained_of(made)[0]
    assert [[pair["ref"] for pair in of_good[str(s)]["against"]] for s in range(3)] == [
        [0, 1],
        [0],
        [0, 1],
    ]


def test_words_are_explained_by_features():
    pytest.importorskip("jieba", reason="Chinese words need jieba")
    from celab import TeslaM

    metrics = {"tesla-m": TeslaM(lang="zh")}
    texts = corpus({"x": ["我买雨伞"]}, [["我买伞"]])
    made = campaign_page(run(metrics, texts), metrics)
    (of_metric,) = data_of(made)["metrics"]
    assert set(of_metric["settings"]) == {"alpha", "average", "max_order"}
    (pair,) = explained_of(made)[0]["0"]["against"]
    explanation = metrics["tesla-m"].explain("我买雨伞", "我买伞")
    assert pair["words"][0][0] == [word.form for word in explanation.hyp_words]
    assert [feature[2][5] for feature in pair["features"]] == pytest.approx(
        [feature.f for feature in explanation.features], abs=1e-6
    )


def test_every_system_is_a_point_with_its_numbers():
    systems = [("A & B", 0.5, 10.25), ("乙", -0.25, 12.5)]
    tables = [("Correlation <r>", text_table(headings=["metric", "r"], rows=[["m<1>", "0.93 "]]))]
    section = Section(
        name="", metrics=[Against("m<1>", systems)], tables=tables, remarks=["2 systems"]
    )
    made = meta_page([section], title="<T>")
    parsed = Parsed(made)
    labels = [a["aria-label"] for tag, a in parsed.elements if tag == "g"]
    assert labels == ["A & B: human score 0.5, m<1> 10.25", "乙: human score -0.25, m<1> 12.5"]
    assert {"<T>", "Correlation <r>", "m<1>", "2 systems"} <= set(parsed.texts["bdi"])
    assert "0.93" in parsed.texts["td"]


def test_a_point_has_whiskers_where_errors_are_known():
    systems, errors = [("A", 0.5, 10.0), ("B", 1.5, 20.0)], [(0.5, None), (None, 5.0)]
    drawn = scatter(Against("m", systems, errors=errors))
    a, b = drawn["points"]
    ticks = {text: place for place, text in drawn["across"]}
    assert a["across"] == (ticks["0.0"], ticks["1.0"]) and a["up"] is None
    ticks = {text: place for place, text in drawn["up"]}
    assert b["up"] == (ticks["15"], ticks["25"]) and b["across"] is None


@pytest.mark.parametrize("values", [[0.5], [0.5, 0.5], [0.0, 0.0], [-3, 250], [1e-6, 2e-6], []])
def test_an_axis_holds_its_values(values):
    made = axis(values, 100, 0)
    assert made.low < made.high and len(made.ticks) >= 2
    for value in values:
        assert made.low - 1e-9 <= value <= made.high + 1e-9
        assert -1 <= made.place(value) <= 101
    texts = [text for _, text in made.labels]
    assert len(set(texts)) == len(texts)


def test_a_section_is_a_template_and_a_line(campaign, metric, monkeypatch):
    folder = Path(pages.__file__).parent / "templates"
    templates = {path.name for path in folder.glob("section-*")}
    sections = (*views.SECTIONS, *check_page.SECTIONS, *terms_page.SECTIONS)
    assert templates == {f"section-{section.name}.html.j2" for section in sections}
    toy = views.PageSection(
        "toy",
        "A toy",
        lambda page: max(page["corpus"].refs[0], key=len),
        chinese={"A toy": "示例"},
    )
    left_out = views.PageSection("none", "Nothing", lambda page: None)
    for module in (views, pages):
        monkeypatch.setattr(module, "SECTIONS", (toy, *views.SECTIONS, left_out))
    pages._texts.cache_clear()
    loader = DictLoader({"section-toy.html.j2": "<p>{{ heading }}: {{ view }}</p>"})
    environment = pages.environment()
    monkeypatch.setattr(environment, "loader", ChoiceLoader([loader, environment.loader]))
    made = campaign_page(campaign, {"celab": metric})
    assert f"<p>toy-heading: {max(campaign.corpus.refs[0], key=len)}</p>" in made
    parts = re.findall('<summary id="(.+?)"><h3>(.+?)</h3>', made)
    titles = [(heading, text_of(title)) for heading, title in parts]
    assert titles[:2] == [("toy-heading", "A toy"), ("scoreboard-heading", "All figures")]
    assert titles[-1] == ("data-heading", "Data and command")
    assert "Nothing" not in dict(titles).values()
    assert all(made.count(f' id="{heading}"') == 1 for heading, _ in titles)
    # Two systems are compared without a click.
    assert re.findall('<details class="part[^>]*id="part-(\\w+)" open', made) == ["pair"]
    contents = re.search('<nav class="contents".*?</nav>', made, re.S)[0]
    assert re.findall('href="#(.+?)"', contents) == ["data-heading", "segments-heading"]
    assert ">示例<" in campaign_page(campaign, {"celab": metric}, report_lang="zh")
    pages._texts.cache_clear()


def contrast(color, other):
    """Return the contrast ratio of two colors, by WCAG."""

    def luminance(text):
        digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
        parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted(map(luminance, (color, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_text_has_enough_contrast(scheme):
    page = {name: colors[scheme] for name, colors in palette.PAGE.items()}
    pairs = [
        *((page[name], page[back]) for name in ("ink", "soft") for back in ("paper", "panel")),
        *((page["accent"], page["paper"]), (page["on-accent"], page["accent"])),
        (page["on-lit"], page["lit"]),
    ]
    for match in palette.MATCHES.values():
        mark, tint = ((match.light, match.light_tint), (match.dark, match.dark_tint))[scheme]
        back = page["paper"] if tint == "transparent" else tint
        pairs += [(mark, back), (page["ink"], back)]
    assert min(contrast(*pair) for pair in pairs) >= 4.5


def test_colors_are_those_of_the_palette():
    style = pages._joined(("playground.css", *pages.STYLE))  # what is for paper is last
    assert set(re.findall(r"--([\w-]+)(?=[,)])", style)) <= {
        *palette.PAGE,
        *(name for state in palette.SHOWN for name in (state, f"{state}-tint")),
        *("mark", "tint", "rule", "row", "columns", "of-judges", "part"),
        *("xs", "s", "m", "l", "xl", "xxl"),  # sizes of type
    }
    on_screen, on_paper, _ = style.partition("@media print")
    assert on_paper and not re.findall(r"#[0-9a-f]{3,6}\b", on_screen)
    for name, value in palette.PAGE.items():
        assert f"--{name}: {value[0]};" in palette.style_sheet()


def test_metrics_share_the_explanations(metric):
    texts = corpus({"x": ["我买雨伞", "天气好", "你"], "y": ["买", "好天气", "你们"]})
    metrics = {"celab": metric, "other": TeslaCelab(lexicon=None), "chrf": Chrf()}
    made = campaign_page(run(metrics, texts), metrics, explained=8)
    assert [of_metric["explained"] for of_metric in data_of(made)["metrics"]] == [4, 4, None]
    assert [sum(map(len, explained_of(made, m))) for m in range(2)] == [4, 4]


def test_references_made_from_outputs_have_a_section_and_a_filter():
    ref, systems = generated_texts.campaign(60, "AB")
    ref[:8] = systems["A"][:8]
    segments = [Segment("", f"s{number}") for number in range(1, 61)]
    scored = run(
        {"chrf": Chrf()},
        Corpus(segments=segments, systems=systems, refs=[ref], ref_names=["ref-A"]),
        n_resamples=50,
    )
    page = campaign_page(scored, metrics=scored.metrics)
    assert 'id="copies-in-references"' in page
    text = " ".join(re.sub("<[^>]+>", " ", unescape(page)).split())
    assert "segments are copies or close edits of outputs of" in text
    assert "8 of 60 references are copies or close edits of outputs of A ; without them it" in text
    found = data_of(page)
    copied = [x for x in findings_in(found) if x.check == "references"]
    assert [(x.system, x.segment, x.kind) for x in copied] == [
        (0, k, "reference-copy") for k in range(8)
    ]
    assert found["names"][:2] == ["s1", "s2"]
    noticed = replace(scored.outputs.reference_problems, copies=())
    independent = replace(scored, outputs=replace(scored.outputs, reference_problems=noticed))
    assert "copies-in-references" not in campaign_page(independent, metrics=scored.metrics)


def profile_sentences(rates, close=()):
    """Return the sentences on a profile of systems A, B …, of which some pairs do not differ."""
    names = "ABCDEF"[: len(rates)]
    kinds = ["omitted", "replaced", "latin"]
    pairs = [
        [["= 0.500", False] if x + y in close else ["< 0.001", True]] * 3
        for x, y in itertools.combinations(names, 2)
    ]
    rows = [[[3, rate, rate - 0.1, rate + 0.1]] * 3 for rate in rates]
    errors = {"kinds": kinds, "rates": rows, "pairs": pairs}
    return errors_view({"errors": errors, "systems": [*names], "metrics": [{}]})["most"]


def test_systems_with_equal_figures_share_the_most():
    for close in ((), ("AB",)):
        sentences = profile_sentences([1.204, 1.196, 0.5], close)
        assert sentences[0] == "Most is omitted by A and B (1.2)."


@pytest.mark.parametrize(
    ("close", "names"),
    [
        (["BD"], "D"),
        (["BD", "AB"], "D and A"),
        (["BD", "AB", "BE"], "D, A and another system"),
        (["BD", "AB", "BC", "BE", "CF"], "D, A and 2 other systems"),
    ],
)
def test_systems_that_have_not_significantly_less_are_named(close, names):
    rates = [41.2, 41.9, 30.1, 41.4, 40.0, 10.0]
    sentences = profile_sentences(rates, close)
    end = f"by B (41.9), not significantly more than by {names}."
    assert sentences == [
        f"Most is omitted {end}",
        f"Most is replaced {end}",
        f"Most Latin is left {end}",
    ]
    chinese = pages.Words("zh").phrase(sentences[0]).striptags()
    assert chinese.startswith("漏译最多的是 B（41.9），但与 D") and chinese.endswith(
        " 无显著差异。"
    )


def test_a_system_that_has_significantly_more_than_all_others():
    assert profile_sentences([1.0, 3.0, 2.0], ["AC"])[0] == "Most is omitted by B (3.0)."


def test_outputs_that_are_not_translations_have_their_cost():
    ref = ["他买了一把雨伞", "我们明天去北京", "天气很好"] * 10
    passed = ["他买了一把伞子", "我们后天去北京", "天气不错"] * 10
    last = ["她卖了雨衣", "明天去上海", "下雪了"] * 10
    systems = {"first": ref, "passed": passed, "last": last, "empty": [*ref[:6], *[""] * 24]}
    segments = [Segment("", str(number)) for number in range(1, 31)]
    scored = run(
        {"chrf": Chrf()},
        Corpus(segments=segments, systems=systems, refs=[ref], ref_names=["ref"]),
        n_resamples=50,
    )
    page = campaign_page(scored, metrics=scored.metrics)
    rows = re.findall('<tr data-system="(\\d)".*?data-column="without">(.*?)</td>', page, re.S)
    cells = {[*systems][int(i)]: text_of(cell).split() for i, cell in rows}
    change = f"+{100 - scored.scores['chrf']['empty'].score:.2f}"
    assert cells == {"first": [], "passed": [], "last": [], "empty": ["24", f"({change})"]}
    table = re.search('id="kinds-of-outputs".*?</table>', page, re.S)[0]
    costs = [text_of(x) for x in re.findall('<td class="number of-metric".*?</td>', table, re.S)]
    assert costs == [f"100.00 {change} ▲1"]


def test_systems_with_outputs_that_are_not_translations_are_in_the_order_of_their_ranks():
    ref = ["他买了一把雨伞", "我们明天去北京", "天气很好"] * 10
    systems = {"third": [*ref[:9], *[""] * 21], "first": ref, "second": [*ref[:18], *[""] * 12]}
    segments = [Segment("", str(number)) for number in range(1, 31)]
    scored = run(
        {"chrf": Chrf()},
        Corpus(segments=segments, systems=systems, refs=[ref], ref_names=["ref"]),
        n_resamples=50,
    )
    page = campaign_page(scored, metrics=scored.metrics)
    table = re.search('id="kinds-of-outputs".*?</table>', page, re.S)[0]
    rows = re.findall("<tr>.*?</tr>", table, re.S)
    assert [text_of(row).split()[:2] for row in rows] == [
        ["System", "empty"],
        ["second", "12"],
        ["third", "21"],
    ]
