import pickle
import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from rich.cells import cell_len

import celab
from celab.base.signature import Signature
from celab.base.text.escapes import visible
from celab.corpus import Corpus, Segment
from celab.metrics.explaining import printed as terminal
from celab.metrics.explaining.drawing import join_tokens, token_states
from celab.metrics.explaining.explanation import Explanation
from celab.metrics.explaining.links import Link, Ngram, Piece
from celab.metrics.registry import METRICS
from celab.metrics.scores import Score, Segments
from celab.statistics.difference import Difference
from celab.systems import verdict
from celab.systems.campaign import Campaign, compare
from celab.systems.significance import paired_bootstrap
from celab.tables.palette import ERRORS, MATCHES

VALUES = np.array([[[0.1, 0.2, 1 / 3], [0.5, 0.6, 0.7]], [[0.3, 0.4, 1 / 3], [np.nan] * 3]])


@pytest.fixture
def score():
    segments = Segments(VALUES.copy(), present=~np.isnan(VALUES[:, :, 0]))
    return Score(
        score=0.35,
        precision=0.45,
        recall=31 / 60,
        segments=segments,
        signature="celab|n:4",
        n_references=2,
        statistics=segments.figures[:, :1],
    )


def campaign(*systems, segments=None, **of_metrics):
    """What has been scored: each metric's scores in the order of the systems."""
    corpus = Corpus(
        segments=segments or [Segment("", "1"), Segment("", "2")],
        systems={name: ["x", "y"] for name in systems},
        refs=[["x", "y"]],
        ref_names=["ref"],
    )
    scores = {metric: dict(zip(systems, some, strict=True)) for metric, some in of_metrics.items()}
    comparisons = {}
    if len(systems) > 1:
        comparisons = {metric: compare(of, n_resamples=100) for metric, of in scores.items()}
    return Campaign(corpus, scores=scores, comparisons=comparisons)


def test_json_never_writes_nan(score):
    broken = replace(score, score=float("nan"))
    written = campaign("h", celab=[broken]).to_json()
    assert "NaN" not in written and '"score": null' in written


@pytest.mark.parametrize("name", METRICS)
def test_every_output_shows_the_digits_of_the_metric(name):
    values = VALUES[:1, :, : 3 if METRICS[name].has_rates else 1] / 3
    segments = Segments(values, "mean" if METRICS[name].has_rates else "all")
    scored = Score.of(segments, Signature(name, [("v", "1")]))
    tested = campaign("a", "b", **{name: [scored, scored]})
    n = METRICS[name].digits
    assert str(scored).split(" = ")[1].split()[0] == f"{scored.score:.{n}f}"
    shown = [f"{value:.{n}f}" for value in segments.scores]
    comparison = tested.comparisons[name]
    for result, numbers in (
        (scored, [f"{scored.score:.{n}f}"]),
        (scored.segments, shown),
        (scored.segments[1:], shown[1:]),
        (pickle.loads(pickle.dumps(scored.segments)), shown),
        (scored.segments[1], shown[1:]),
        (comparison, [f"{score:.{n}f}" for score in comparison.scores]),
        (paired_bootstrap(scored, scored, n_resamples=50), [f"{0:+.{n}f}"]),
    ):
        cells = re.findall(r">([-+]?[\d.]+)</td>", result._repr_html_())
        assert set(numbers) <= set(cells), (type(result), cells)
        assert "digits" not in result.to_dict()
    assert f"{scored.score:.{n}f}" in str(tested)


def test_reports_import_rich_only_when_they_draw():
    code = (
        "import sys; from celab.report import html;"
        "from celab.systems import stored, view;"
        "sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


# Explanations, drawn.


def spans(n_tokens, max_order=4):
    return [(i, i + n) for n in range(1, max_order + 1) for i in range(n_tokens - n + 1)]


def explanation(hyp, ref, links=(), hyp_states=None, ref_states=None):
    """An explanation whose n-grams are unmatched unless `…_states` says `span: (state, cover)`."""

    def ngrams(tokens, states):
        return tuple(
            Ngram(span, *(states or {}).get(span, ("unmatched", 0.0)))
            for span in spans(len(tokens))
        )

    return Explanation(
        hyp_tokens=tuple(hyp),
        ref_tokens=tuple(ref),
        score=1.0,
        precision=1.0,
        recall=1.0,
        links=tuple(links),
        hyp_ngrams=ngrams(hyp, hyp_states),
        ref_ngrams=ngrams(ref, ref_states),
        signature="celab|n:4",
    )


def umbrella():
    """The paper's 买雨伞 / 买伞: one link of two pieces covers everything."""
    pieces = (
        Piece((0, 1), (0, 1), "equal", ()),
        Piece((1, 2), (1, 3), "synonym", ("cilin Bp31B01=",)),
    )
    link = Link((0, 2), (0, 3), 1.0, "synonym", pieces, tuple(spans(2)), tuple(spans(3)))
    hyp = {(0, 1): ("equal", 1.0), (1, 2): ("synonym", 1.0), (0, 2): ("synonym", 1.0)}
    ref = dict.fromkeys(spans(3), ("covered", 1.0))
    ref |= {(0, 1): ("equal", 1.0), (1, 3): ("synonym", 1.0), (0, 3): ("synonym", 1.0)}
    return explanation("买伞", "买雨伞", [link], hyp, ref)


def draw(e, width=80, color=False, title="segment 1"):
    return terminal.explanation(title, e.drawing(), width=width, color=color, ngrams=True)


def test_color_adds_nothing_but_color(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")  # the caller has decided already
    monkeypatch.setenv("TERM", "dumb")
    colored = draw(umbrella(), color=True)
    assert "\x1b[4m雨\x1b[0m" in colored  # a synonym has a thin line
    assert MATCHES["equal"].terminal == ""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    stripped = "".join(f"{line.rstrip()}\n" for line in plain.splitlines())
    assert stripped == draw(umbrella())


def luminance(number):
    """Return the relative luminance (WCAG) of one of the 216 colors of xterm's cube."""
    levels = [(number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6]
    channels = [0 if level == 0 else (55 + 40 * level) / 255 for level in levels]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_errors_have_colors_that_can_be_read_on_white_and_on_black():
    colored = draw(celab.TeslaCelab().explain("明天他们不来了", "他们明天来吧"), color=True)
    for text, state in (("吧", "missing"), ("了", "extra"), ("他", "moved")):
        style = ERRORS[state].terminal
        number = int(re.search(r"color\((\d+)\)", style)[1])
        bold = "1;" if "bold" in style else ""
        assert f"\x1b[{bold}38;5;{number}m{text}" in colored
        assert min(1.05 / (luminance(number) + 0.05), (luminance(number) + 0.05) / 0.05) >= 3


def test_no_color_means_no_escapes(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in draw(umbrella())


@pytest.mark.parametrize("width", [20, 48, 57, 80])
def test_rows_wrap_with_their_marks_under_them(width):
    tokens = [*"今天天气很好我们去公园散步吧", "GPS-2000", *"明天可能会下雨"] * 2
    lines = draw(explanation(tokens, tokens), width).splitlines()
    lines = lines[lines.index("", 3) :]  # after the sentence on what is matched
    upper = [line for line in lines if any(token in line for token in "今天气公园散步雨")]
    assert len(upper) > 2
    for i, line in enumerate(lines):
        assert cell_len(line) <= max(width, 48)
        if line in upper:
            assert set(lines[i + 1]) == {" ", "."}
            gaps = [cell_len(line[:at]) for at, char in enumerate(line) if char == " " and at > 5]
            assert all(lines[i + 1][gap] == " " for gap in gaps if gap < len(lines[i + 1]))


def test_a_token_wider_than_the_terminal_is_cut():
    lines = draw(explanation(["x" * 100], ["好"]), 48).splitlines()
    parts = [line for line in lines[: lines.index("no links")] if "x" in line]
    assert [part.removeprefix("hyp").strip() for part in parts] == ["x" * 43, "x" * 43, "x" * 14]
    assert max(map(cell_len, lines)) == 48


def test_long_sentences_get_counts():
    tokens = "好" * 41
    view = draw(explanation(tokens, tokens, hyp_states={(0, 1): ("equal", 1.0)}))
    assert "1    = 1  ~ 0  + 0  . 40\n" in view
    assert "4    = 0  ~ 0  + 0  . 38\n" in view


def test_the_longest_missing_pieces_are_named_first():
    ref = "一二一三四一五一六一七一八一九一十一百一千万亿" + "东" * 13
    matched = {(at, at + 1): ("equal", 1.0) for at, token in enumerate(ref) if token == "一"}
    view = terminal.explanation(
        "", explanation("一", ref, ref_states=matched).drawing(), width=300, color=False
    )
    assert f"Missing: 千万亿{'东' * 9} …, 三四, 二, 五, 六, 七, 八, 九 and 2 more." in view
    assert "n-grams of hyp\n" not in view


def test_part_of_a_cover_is_written_out():
    view = draw(explanation("好", "好", hyp_states={(0, 1): ("equal", 0.5)}))
    assert view.split("n-grams of hyp\n")[1].splitlines()[:2] == ["1    好", "     =0.50"]


def test_a_token_takes_the_state_of_its_piece_or_of_its_cover():
    heavy = [((0, 1), "equal"), ((1, 3), "synonym")]
    light = [((2, 4), "equal")]
    ngrams = [Ngram((4, 5), "covered", 0.5), Ngram((4, 6), "covered", 1.0)]
    assert token_states(6, heavy + light, ngrams) == [
        "equal",
        "synonym",
        "synonym",
        "equal",
        "covered",
        "unmatched",
    ]


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("好", "好"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\0", r"\x00"),
        ("\u202e", r"\u202e"),
        ("\u200b", r"\u200b"),
        ("\u0301", "\u25cc\u0301"),
        ("e\u0301", "e\u0301"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("[red]:smile:", "[red]:smile:"),
        ("", ""),
    ],
)
def test_a_token_cannot_command_the_terminal(token, shown):
    assert visible(token) == shown
    if token:
        assert f"ref  {shown}" in draw(explanation("好", [token]))


def test_spelling_keeps_words_apart():
    assert join_tokens(["买", "雨", "伞"], (0, 3)) == "买雨伞"
    assert join_tokens(["New", "York", "的", "雨"], (0, 4)) == "New York 的雨"
    assert join_tokens(["a", "b"], (0, 2)) == "a b"


def link_of(*pieces, weight=1.0):
    """A link made of (ref span, hyp span) pieces."""
    parts = tuple(Piece(hyp, ref, "equal", ()) for ref, hyp in pieces)
    ref, hyp = (
        (getattr(parts[0], side)[0], getattr(parts[-1], side)[1]) for side in ("ref", "hyp")
    )
    return Link(hyp, ref, weight, "equal", parts, (hyp,), (ref,))


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([], [((0, 4), (0, 3))]),
        (
            [link_of(((1, 2), (0, 1)), ((2, 4), (1, 3)))],
            [((0, 1), (0, 0)), ((1, 2), (0, 1)), ((2, 4), (1, 3))],
        ),
        (  # crossing links: the one with more support stays
            [link_of(((0, 1), (2, 3))), link_of(((1, 2), (0, 1)), ((2, 3), (1, 2)))],
            [((0, 1), (0, 0)), ((1, 2), (0, 1)), ((2, 3), (1, 2)), ((3, 4), (2, 3))],
        ),
    ],
)
def test_columns_keep_the_order_of_both_sentences(links, expected):
    told = Explanation(
        hyp_tokens=tuple("买雨伞"),
        ref_tokens=tuple("下雨买伞"),
        score=0,
        precision=0,
        recall=0,
        links=tuple(links),
        hyp_ngrams=(),
        ref_ngrams=(),
        signature="",
    )
    assert told.columns == expected


@pytest.mark.parametrize(
    ("n_segments", "p", "difference", "higher_is_better", "holds"),
    [
        (20, 0.0499, 0.1, True, True),
        (20, 0.05, 0.1, True, False),  # significant is less than 0.05
        (20, 0.01, -0.1, True, False),
        (20, 0.01, -0.1, False, True),
        (20, 0.01, 0.1, False, False),
        (20, 0.01, 0.0, True, False),
        (19, 0.01, 0.1, True, False),  # too few for a verdict
    ],
)
def test_a_lead_holds_without_outputs_that_are_no_translations(
    n_segments, p, difference, higher_is_better, holds
):
    tested = Difference(
        a=difference, b=0.0, p=p, n_segments=n_segments, higher_is_better=higher_is_better
    )
    assert verdict.lead_holds(SimpleNamespace(difference=tested)) == holds
