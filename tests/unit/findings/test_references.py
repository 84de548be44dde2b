import random
from dataclasses import asdict

import pytest
from generated_texts import campaign, sentence, varied

import celab
from celab.base.text.counts import count_texts
from celab.base.text.normalize import Normalizer
from celab.corpus import Corpus, Segment
from celab.findings.references import (
    StreamedReferences,
    check_references,
    copies_table,
    reference_lines,
    script_of,
)
from celab.findings.references.shifts import find_shift, shift_warnings
from celab.findings.references.twins import find_twins
from celab.metrics.options import TeslaCelabOptions

N = 100


def corpus_of(systems, *refs):
    segments = [Segment("", str(number)) for number in range(1, len(refs[0]) + 1)]
    names = [f"ref-{letter}" for letter, _ in zip("ABC", refs, strict=False)]
    return Corpus(segments=segments, systems=systems, refs=[*refs], ref_names=names)


def planted(n_copies=8, n_near=0):
    """Return a reference in which the first segments are those of A, and the systems."""
    ref, systems = campaign(N)
    ref[:n_copies] = systems["A"][:n_copies]
    near = slice(n_copies, n_copies + n_near)
    ref[near] = [f"一{text[1:]}！" for text in systems["A"][near]]
    return ref, systems


def test_independent_references_give_nothing():
    ref, systems = campaign(N)
    reference_problems = check_references(corpus_of(systems, ref))
    assert (
        reference_problems.copies,
        reference_problems.twins,
        reference_problems.shifts,
        reference_problems.scripts,
    ) == ((), (), (), ())


def test_copies_and_close_edits_are_counted():
    ref, systems = planted(8, 3)
    (row,) = check_references(corpus_of(systems, ref)).copies
    assert (row.name, row.system, row.copies, row.near, row.others) == ("ref-A", "A", 8, 3, 0)
    assert row.segments == tuple(range(1, 12)) and row.p < 0.001
    (written,) = copies_table([row]).records()
    assert written["segments"] == ",".join(map(str, range(1, 12))) and written["p"] == row.p
    assert [*written] == ["reference", "system", "copies", "near", "others", "p", "segments"]


def test_each_reference_is_tested_by_itself():
    ref, systems = planted()
    other, _ = campaign(N)
    assert [row.name for row in check_references(corpus_of(systems, other, ref)).copies] == [
        "ref-B"
    ]


def test_rows_come_by_number():
    ref, systems = planted(8)
    ref[20:32] = systems["C"][20:32]
    rows = check_references(corpus_of(systems, ref)).copies
    assert [(row.system, row.copies) for row in rows] == [("C", 12), ("A", 8)]
    (text,) = reference_lines(check_references(corpus_of(systems, ref)), N)
    assert text == "ref-A: 20 of 100 segments are copies of outputs: C 12, A 8"


def test_two_systems_are_named_and_the_others_counted():
    ref, systems = planted(8)
    ref[20:32], ref[40:50] = systems["C"][20:32], systems["B"][40:50]
    (text,) = reference_lines(check_references(corpus_of(systems, ref)), N)
    assert text.endswith(" of outputs: C 12, B 10, 1 more")


@pytest.mark.parametrize(("n_segments", "found"), [(49, []), (50, ["A"])])
def test_close_edits_count_in_fifty_long_segments(n_segments, found):
    ref, systems = planted(0, 10)
    systems = {name: texts[:n_segments] for name, texts in systems.items()}
    rows = check_references(corpus_of(systems, ref[:n_segments])).copies
    assert [row.system for row in rows] == found


def test_a_system_like_the_copied_one_is_not_named():
    ref, systems = planted(16)
    draw = random.Random(9)
    systems["B"] = [
        text if draw.random() < 0.5 else other
        for text, other in zip(systems["A"], systems["B"], strict=True)
    ]
    (row,) = check_references(corpus_of(systems, ref)).copies
    assert row.system == "A" and 3 < row.others < 14


def test_twins_are_named_together():
    ref, systems = planted(10)
    systems["B"] = [*systems["A"]]
    reference_problems = check_references(corpus_of(systems, ref))
    assert [row.system for row in reference_problems.copies] == ["A", "B"]
    assert [(pair.kind, pair.names, pair.equal) for pair in reference_problems.twins] == [
        ("systems", ("A", "B"), N)
    ]
    assert next(reference_lines(reference_problems, N)) == (
        "systems A and B are equal in all 100 segments: are they one system?"
    )


def test_references_that_are_given_twice_or_as_a_system():
    ref, systems = campaign(N)
    nearly = [*ref[:98], "去北京", "去上海"]
    reference_problems = check_references(corpus_of({**systems, "R": ref}, ref, nearly))
    assert [(pair.kind, pair.names, pair.equal) for pair in reference_problems.twins] == [
        ("references", ("ref-A", "ref-B"), 98),
        ("reference-and-system", ("ref-A", "R"), 100),
        ("reference-and-system", ("ref-B", "R"), 98),
    ]
    texts = [*reference_lines(reference_problems, N)]
    assert texts == [
        "references ref-A and ref-B are equal in 98 of 100 segments: is one reference given twice?",
        "ref-A and the outputs of R are equal in all 100 segments: is the reference given as a"
        " system?",
        "ref-B and the outputs of R are equal in 98 of 100 segments: is the reference given as a"
        " system?",
    ]


def test_few_or_repeated_lines_are_no_twins():
    draw = random.Random(1)
    ref = [sentence(draw) for _ in range(5)]
    assert check_references(corpus_of({"A": ref[:4]}, ref[:4])).twins == ()
    assert len(check_references(corpus_of({"A": ref}, ref)).twins) == 1
    assert check_references(corpus_of({"A": ["是的"] * 30}, ["是的"] * 30)).twins == ()


@pytest.mark.parametrize("at", [0, 3, 50, N - 11])
@pytest.mark.parametrize("is_dropped", [True, False])
def test_shifted_lines(at, is_dropped):
    ref, systems = campaign(N)
    texts = systems["A"]
    shifted = [*texts[:at], *texts[at + 1 :], texts[-1]]
    if not is_dropped:
        shifted = [*texts[: at + 1], *texts[at:-1]]
    (shift,) = check_references(corpus_of({**systems, "A": shifted}, ref)).shifts
    assert (shift.name, shift.reference) == ("A", "ref-A")
    assert shift.offset == (1 if is_dropped else -1) and abs(shift.first - at - 1) <= 2
    where, lost = ("later", "missing") if is_dropped else ("earlier", "doubled")
    assert [*shift_warnings([shift])] == [
        f"A fits ref-A one line {where} from line {shift.first} on: is a line {lost} there?"
    ]


def test_a_shift_may_end():
    ref, systems = campaign(N)
    texts = systems["A"]
    shifted = [*texts[:30], *texts[31:60], texts[59], *texts[60:]]
    (shift,) = check_references(corpus_of({"A": shifted, "B": [*shifted]}, ref)).shifts[:1]
    assert not shift.is_to_end and abs(shift.last - 59) <= 1
    (text,) = shift_warnings(
        check_references(corpus_of({"A": shifted, "B": [*shifted]}, ref)).shifts
    )
    assert text.startswith("A and B fit ref-A one line later from line 31 to line")


@pytest.mark.parametrize("n_lines", [40, N])
@pytest.mark.parametrize("order", ["random", "reversed", "sorted"])
def test_lines_in_another_order(n_lines, order):
    ref, systems = campaign(n_lines)
    texts = list(systems["A"])
    if order == "random":
        random.Random(n_lines).shuffle(texts)
    elif order == "reversed":
        texts.reverse()
    else:
        texts.sort()
    reference_problems = check_references(corpus_of({**systems, "A": texts}, ref))
    (shift,) = reference_problems.shifts
    assert (shift.name, shift.reference, shift.offset) == ("A", "ref-A", 0)
    assert [*shift_warnings([shift])] == [
        "most lines of A fit another line of ref-A much better than their own: are they in another"
        " order?"
    ]


def test_lines_of_another_text_are_in_no_order():
    ref, _ = campaign(N)
    _, others = campaign(N, seed=2)
    assert check_references(corpus_of({"A": others["A"]}, ref)).shifts == ()
    assert check_references(corpus_of({"A": ["是的"] * N}, ref)).shifts == ()


def test_a_shifted_reference_is_found_beside_the_first():
    ref, systems = campaign(N)
    other = [varied(text, random.Random(4)) for text in ref]
    reference_problems = check_references(
        corpus_of(systems, ref, [*other[:40], *other[41:], other[0]])
    )
    assert [(shift.name, shift.first) for shift in reference_problems.shifts] == [("ref-B", 41)]


def test_repeated_lines_are_not_shifted():
    draw = random.Random(2)
    ref = [sentence(draw) for _ in range(10)] * 10
    for lines_of_ref in (ref, [line for line in ref for _ in range(3)], [ref[0]] * 50):
        hyp = [varied(line, draw, 0.6) for line in lines_of_ref]
        assert (
            check_references(corpus_of({"A": hyp, "B": [*lines_of_ref]}, lines_of_ref)).shifts == ()
        )


def test_mixed_scripts():
    convert = Normalizer.of(TeslaCelabOptions(script="traditional")).texts
    ref = ["我们买了两张去北京的车票", "这个问题应该让专家来说明"] * 10
    hyp = ["我们订了两张到北京的车票", "这个问题需要请专家说明"] * 10
    (mixed,) = check_references(corpus_of({"A": convert(hyp), "B": hyp}, ref)).scripts
    assert (mixed.systems, mixed.script, mixed.other_script) == (
        ("A",),
        "Simplified",
        "Traditional",
    )
    (mixed,) = check_references(corpus_of({"A": convert(hyp), "B": hyp}, convert(ref))).scripts
    assert (mixed.systems, mixed.script) == (("B",), "Traditional")
    assert check_references(corpus_of({"A": convert(hyp)}, ref), "ja").scripts == ()
    assert check_references(corpus_of({"A": hyp}, ref)).scripts == ()


def test_a_campaign_without_copies():
    ref, systems = planted(8)
    scored = celab.Campaign(corpus_of(systems, ref)).score("chrf")
    without = celab.Campaign(corpus_of(systems, ref)).without_copies().score("chrf")
    assert without.corpus.names == [*range(9, N + 1)]
    parts = {score.signature.part("copies") for score in without.scores["chrf"].values()}
    (part,) = parts
    assert part.startswith("8-dropped@") and len(part) == len("8-dropped@") + 12
    rest = celab.Campaign(corpus_of({k: v[8:] for k, v in systems.items()}, ref[8:])).score("chrf")
    for system, score in without.scores["chrf"].items():
        assert score.score == rest.scores["chrf"][system].score
        assert scored.scores["chrf"][system].signature.part("copies") is None
    assert without.outputs.references == ()
    assert list(without.to_dataframe("pandas")["segment"][: N - 8]) == [*range(9, N + 1)]
    assert celab.Campaign(corpus_of(systems, ref)).score("chrf", check=False).outputs is None


def test_nothing_is_left_of_a_copy():
    ref, systems = campaign(20)
    with pytest.raises(celab.InputError):
        celab.Campaign(corpus_of({"A": ref, "B": systems["B"]}, ref)).without_copies()


def test_the_line_has_the_score_without_copies():
    ref, systems = planted(8)
    scored = celab.Campaign(corpus_of(systems, ref)).score("chrf")
    without = celab.Campaign(corpus_of(systems, ref)).without_copies().score("chrf")
    (text,) = reference_lines(scored.outputs.reference_problems, N, scored.scores["chrf"])
    value, before = (each.scores["chrf"]["A"].score for each in (without, scored))
    change = f"score {value - before:+.2f} without them"
    assert text == f"ref-A: 8 of 100 segments are copies of outputs: A 8 ({change})"


@pytest.mark.parametrize("size", [7, 40, 100])
def test_batches_give_what_the_whole_gives(size):
    ref, systems = planted(30, 4)
    shifted = [*systems["A"][:60], *systems["A"][61:], "去北京"]
    whole = check_references(corpus_of({"A": shifted}, ref))
    streamed = StreamedReferences("A", ["ref-A"])
    shifts = []
    for start in range(0, N, size):
        batch = slice(start, start + size)
        shifts += streamed.add_batch(shifted[batch], [ref[batch]], ["A", "ref-A"])
    assert [asdict(row) for row in streamed.copies()] == [asdict(row) for row in whole.copies]
    assert streamed.n_segments == N
    assert len(shifts) == 1 and abs(shifts[0].first - whole.shifts[0].first) <= size
    assert size < N or shifts == [*whole.shifts]


@pytest.mark.parametrize(
    ("n_equal", "n_other", "n_texts", "is_twin"),
    [
        (19, 1, 19, True),  # 95%
        (37, 2, 37, False),
        (5, 0, 5, True),  # five segments
        (4, 0, 4, False),
        (10, 0, 3, True),  # three texts
        (10, 0, 2, False),
    ],
)
def test_twins_have_enough_segments_and_texts(n_equal, n_other, n_texts, is_twin):
    equal = [f"第{k % n_texts}句" for k in range(n_equal)]
    sides = {name: [*equal, *[f"{name}句"] * n_other] for name in "AB"}
    assert bool(find_twins([], sides)) == is_twin


@pytest.mark.parametrize(("n_lines", "is_shift"), [(5, True), (4, False)])
def test_a_shift_has_five_lines(n_lines, is_shift):
    texts = [chr(0x4E00 + k) * 9 for k in range(n_lines + 1)]
    found = find_shift(count_texts([*texts[1:], "末"]), count_texts(texts))
    assert found == ((1, 0, n_lines) if is_shift else None)


@pytest.mark.parametrize(
    ("n_simplified", "n_traditional", "script"),
    [
        (20, 0, "Simplified"),  # characters enough
        (19, 0, None),
        (27, 3, "Simplified"),  # nine tenths
        (26, 3, None),
        (8, 12, "Traditional"),  # six tenths
        (9, 13, None),
        (10, 13, None),
    ],
)
def test_a_script_has_enough_characters_of_its_own(n_simplified, n_traditional, script):
    assert script_of(n_simplified, n_traditional) == script


def test_shifted_lines_are_warned_of_in_python():
    ref, systems = campaign(N)
    shifted = {"A": [*systems["A"][:40], *systems["A"][41:], "去"]}
    with pytest.warns(celab.InputWarning, match="A fits ref-A one line later from line 41 on"):
        celab.Campaign(corpus_of(shifted, ref)).score("chrf")


# Real sets, and whether their reference was made from a system.
SETS = {
    "wmt21-enja-sys": False,
    "wmt21-ende-mqm": False,
    "wmt21-zhen-mqm": False,
    "wmt21-enzh-sys": False,
    "wmt24-enzh-esa": False,
    "wmt24-enja-esa-news-speech": False,
    "wmt24-jazh-mqm": False,
    "enko-mqm-globalvoices": False,
    "mlqe20-enzh-da-dev": True,
}


@pytest.mark.parametrize("name", SETS)
def test_published_sets(shared, name):
    folder = shared / "data" / name
    if not folder.is_dir():
        pytest.skip(f"../shared/data has no {name}")

    def texts(pattern):
        paths = sorted(folder.glob(pattern))
        return {path.stem: path.read_text("utf-8").split("\n")[:-1] for path in paths}

    refs, systems = texts("ref-*.txt"), texts("hyp/*.txt")
    segments = [Segment("", str(n)) for n, _ in enumerate(next(iter(refs.values())), 1)]
    reference_problems = check_references(
        Corpus(segments=segments, systems=systems, refs=[*refs.values()], ref_names=[*refs])
    )
    assert (reference_problems.twins, reference_problems.shifts, reference_problems.scripts) == (
        (),
        (),
        (),
    )
    for system, side in systems.items():
        orders = random.Random(0).sample(side, len(side)), side[::-1], sorted(side)
        for order in orders:
            counts = [count_texts(texts) for texts in (order, next(iter(refs.values())))]
            assert find_shift(*counts) == (0, 0, len(side)), system
    assert bool(reference_problems.copies) == SETS[name]
    if reference_problems.copies:
        (row,) = reference_problems.copies
        assert row.copies > 250 and row.near > 150 and row.others == 0
