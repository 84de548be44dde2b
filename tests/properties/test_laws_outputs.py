"""Laws of output checks: against the slow twin, and what neither kinds nor scores depend on."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from oracle import outputs as oracle

import celab
from celab.base.text.scripts import SCRIPT_OF
from celab.findings import translations
from celab.findings.translations.outputs import StreamedOutputs
from celab.findings.translations.screening import Expectations, find

LANGUAGES = ("zh", "ja", "ko", "en")
LETTERS = "买雨伞去a b1，。かカ우 "
short = st.text(LETTERS, max_size=8)
repeated = st.builds(lambda piece, times: piece * times, short, st.integers(1, 9))
# Of one piece, of several, and long ones of a single script, on both sides of every threshold.
texts = st.one_of(
    short,
    st.lists(repeated, max_size=3).map("".join),
    st.text("买雨伞去北京", max_size=50),
    st.text("abc de", max_size=30),
)
references = texts.filter(str.strip)
fillers = st.sampled_from([*oracle.VALUES, *oracle.TOKENS, "[None]", "???", "，。"])


@st.composite
def segments(draw, most=4):
    """References, sources and outputs; an output is often the source, or a part of a reference."""
    n = draw(st.integers(1, most))
    refs = draw(st.lists(st.lists(references, min_size=n, max_size=n), min_size=1, max_size=2))
    sources = draw(st.lists(texts, min_size=n, max_size=n))
    outputs = [
        draw(
            st.one_of(
                *(texts, fillers, st.just("好的，我去。"), st.just(sources[i])),
                *(st.just(refs[0][i][:2]), st.just(refs[0][i])),
            )
        )
        for i in range(n)
    ]
    return refs, sources, outputs


def kinds(outputs, refs, sources=None, lang="zh", **settings):
    """The kind of each output, "" for a translation."""
    found = ["" for _ in outputs]
    for finding in find(outputs, Expectations(refs, sources, lang), **settings):
        found[finding.segment] = finding.kind
    return found


@given(segments(most=8), st.sampled_from(LANGUAGES), st.booleans())
@example(([["雨"], ["伞"]], ["1"], ["1"]), "zh", True)  # one word may stay
@example(([["雨", "伞", "去"]], ["a", "b", "c"], ["好的，我去。"] * 3), "zh", True)
@example(([["雨", "伞", "去"]], ["a", "b", "a"], ["好的，我去。"] * 3), "zh", True)
def test_kinds_are_those_of_the_twin(case, lang, has_source):
    refs, sources, outputs = case
    sources, of_segments = sources if has_source else None, [*zip(*refs, strict=True)]
    given = oracle.given_to_many(outputs, of_segments, sources)
    expected = [
        oracle.kind(output, of_refs, sources[i] if sources else None, SCRIPT_OF[lang], i in given)
        for i, (output, of_refs) in enumerate(zip(outputs, of_segments, strict=True))
    ]
    assert kinds(outputs, refs, sources, lang) == expected


@given(st.text("ab伞", min_size=2, max_size=7), st.integers(2, 9), short, short)
@example("ababababab伞", 5, "", "")  # a repetition of repetitions, each too short alone
def test_repetitions_are_those_of_the_twin(piece, times, before, after):
    output, ref = before + piece * times + after, "伞去北京"
    expected = oracle.kind(output, [ref], None, "Han")
    assert kinds([output], [[ref]]) == [expected]


def test_every_kind_is_drawn():
    # Else the twin would not be asked about it.
    refs, source = (
        ["他买了一把雨伞，然后去北京看望朋友和老师。"],
        "He bought an umbrella, then left",
    )
    cases = {
        "empty": "　",
        "filler": "[null]",
        "copied": "he bought an umbrella then left!",
        "other-language": "I cannot say it",
        "repeated": "很好" * 6,
        "too-long": "他买了一把雨伞，然后去了北京看望他的朋友和老师，" * 3,
        "too-short": "买伞",
        "": "他买伞去北京看望朋友和老师",
    }
    # Refusals and wrapped outputs are told by phrases, which tests/answers.jsonl tries.
    others = ("refusal", "wrapped", "same-text")
    assert list(cases)[:-1] == [x for x in translations.verdicts() if x not in others]
    for kind, output in cases.items():
        assert kinds([output], [refs], [source]) == [kind]
        assert oracle.kind(output, refs, source, "Han") == kind
    same = ["去买伞吧"] * 5, [[f"{'他' * n}买了{n}把雨伞" for n in range(5)]]
    assert kinds(*same) == ["same-text"] * 5
    assert oracle.given_to_many(same[0], [*zip(*same[1], strict=True)]) == {*range(5)}


@given(segments(), texts)
def test_kinds_do_not_depend_on_other_systems(case, other):
    refs, sources, outputs = case
    others = [other] * len(outputs)
    alone = celab.check({"A": outputs}, refs, source=sources).kinds("A")
    for systems in ({"A": outputs, "B": others}, {"B": others, "A": outputs}):
        assert celab.check(systems, refs, source=sources).kinds("A") == alone


@given(segments())
def test_kinds_do_not_depend_on_the_order_of_references(case):
    refs, sources, outputs = case
    expected = kinds(outputs, refs, sources)
    assert kinds(outputs, refs[::-1], sources) == expected
    assert kinds(outputs, [*refs, refs[0]], sources) == expected


@given(segments(most=8))
def test_kinds_do_not_depend_on_batches(case):
    refs, sources, outputs = case
    expected = kinds(outputs, refs, sources)
    assert kinds(outputs[::-1], [ref[::-1] for ref in refs], sources[::-1]) == expected[::-1]
    apart = kinds(outputs, refs, whole=False)  # without what outputs tell only together
    assert "same-text" not in apart
    together = zip(apart, kinds(outputs, refs), strict=True)
    assert all(b in (a, "same-text") for a, b in together)
    streamed = StreamedOutputs("zh")
    for start in range(0, len(outputs), 3):
        stop = start + 3
        streamed.add_batch(outputs[start:stop], [ref[start:stop] for ref in refs])
    found = ["" for _ in outputs]
    for kind, numbers in streamed.kinds.items():
        for number in numbers:
            found[number - 1] = kind
    assert found == apart  # streams have no source


@given(segments(), st.sampled_from(["celab", "chrf", "bleu"]))
def test_no_check_moves_a_score(case, metric):
    refs, _, outputs = case
    campaign = celab.Campaign.from_lists({"A": outputs, "B": outputs[::-1]}, refs)
    checked, unchecked = (campaign.score(metric, check=check) for check in (True, False))
    assert checked.scores == unchecked.scores and unchecked.outputs is None
    threads = campaign.score(metric, jobs=2)
    assert threads.scores == checked.scores and threads.outputs == checked.outputs
    assert campaign.score(metric).outputs == checked.outputs  # with what is cached by now
    assert checked.outputs == celab.check(campaign.corpus.systems, refs)
