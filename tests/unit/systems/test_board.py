"""Boards: which scores are compared, what is tested and marked, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scores_json import file_of

import celab
from celab import Campaign, InputError, OptionError
from celab.statistics.difference import Difference, holm
from celab.systems import stored
from celab.tables.table import Table

SIGNATURE = "celab|refs:1|n:4|f:0.25|v:0.5.0"
DIGEST = "0123456789ab"


def result(
    segments: Any,
    *,
    system: str = "model",
    labels: Mapping[str, str] | None = None,
    test_set: str = DIGEST,
    signature: str = SIGNATURE,
    metric: str = "celab",
    keep_segments: bool = True,
) -> dict[str, Any]:
    """Return the JSON of a system, with these scores of its segments."""
    scores = [float(x) for x in segments]
    values: dict[str, Any] = {"score": float(np.mean(scores)), "signature": signature}
    if keep_segments:
        values["segments"] = [{"score": score} for score in scores]
    data = {
        "celab_version": "0.5.0",
        "test_set": test_set,
        "systems": [{"name": system, "metrics": {metric: values}}],
    }
    return data if labels is None else data | {"labels": dict(labels)}


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """A function that writes results to a folder, which it returns."""

    def write_results(**results: Mapping[str, Any]) -> Path:
        for name, data in results.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(file_of(data)), encoding="utf-8")
        return tmp_path

    return write_results


def versions(*segments: Any, **settings: Any) -> dict[str, dict[str, Any]]:
    """Return a result for each version, v1 and so on, on the set `a`."""
    return {
        f"r{i}": result(x, labels={"set": "a", "version": f"v{i}"}, **settings)
        for i, x in enumerate(segments, 1)
    }


RANDOM = np.random.default_rng(5)
BASE = RANDOM.uniform(0.3, 0.7, 100)


def test_the_first_version_has_no_change_and_others_that_of_the_one_before(write: Any) -> None:
    better, same = BASE + RANDOM.normal(0.05, 0.05, 100), BASE
    board = celab.board(write(**versions(BASE, better, same)))
    first, second, third = board.cells
    assert (first.change, first.p, first.mark) == (None, None, None)
    assert second.change == pytest.approx(np.mean(better - BASE)) and second.mark == "better"
    assert third.change == pytest.approx(np.mean(BASE - better)) and third.mark == "worse"
    assert board.tests == 2


def test_p_is_that_of_the_tests_of_two_systems(write: Any) -> None:
    other = BASE + RANDOM.normal(0.004, 0.03, 100)
    (_, cell) = celab.board(write(**versions(BASE, other))).cells
    assert cell.p == celab.significance.paired_bootstrap(other, BASE).p


def test_versions_are_in_natural_order_or_in_that_given(write: Any) -> None:
    folder = write(
        **{v: result(BASE, labels={"set": "a", "version": v}) for v in ("v10", "v9", "v2")}
    )
    assert celab.board(folder).versions == ("v2", "v9", "v10")
    assert celab.board(folder, order=["v9", "v10", "v2", "v1"]).versions == ("v9", "v10", "v2")
    with pytest.raises(InputError):
        celab.board(folder, order=["v9", "v10"])


def test_against_one_version(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE + 0.1, BASE + 0.2)), against="v2")
    assert [cell.change and round(cell.change, 6) for cell in board.cells] == [-0.1, None, 0.1]
    with pytest.raises(OptionError):
        celab.board(write(**versions(BASE, BASE)), against="v33")


def test_a_rerun_has_no_mark(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE, BASE)))
    assert [cell.mark for cell in board.cells] == [None] * 3
    assert not board.gate().failed


def test_without_labels_the_references_are_the_set_and_the_system_is_the_version(
    write: Any,
) -> None:
    board = celab.board(write(one=result(BASE, system="A"), two=result(BASE, system="B")))
    assert board.sets == (f"one@{DIGEST}",)
    assert [(cell.system, cell.version) for cell in board.cells] == [("A", "A"), ("B", "B")]


def test_systems_of_one_version_are_followed_apart(write: Any) -> None:
    results = {
        f"{system}{version}": result(
            BASE + gain * version, system=system, labels={"set": "a", "version": f"v{version}"}
        )
        for (system, gain), version in itertools.product({"A": 0.1, "B": -0.1}.items(), (1, 2))
    }
    board = celab.board(write(**results))
    marks = {(cell.system, cell.version): cell.mark for cell in board.cells}
    assert marks == {
        ("A", "v1"): None,
        ("A", "v2"): "better",
        ("B", "v1"): None,
        ("B", "v2"): "worse",
    }
    assert board.gate().failed and "v2 on a by celab" in board.gate().reason


@pytest.mark.parametrize(
    ("settings", "where", "name"),
    [
        ({"test_set": "ba9876543210"}, "set", "a (references ba9876543210)"),
        ({"signature": SIGNATURE.replace("n:4", "n:3")}, "metric", "celab (n:3)"),
        ({"signature": SIGNATURE.replace("0.5.0", "0.4.0")}, "metric", "celab (v:0.4.0)"),
    ],
)
def test_scores_that_cannot_be_compared_are_another_column(
    write: Any, settings: Any, where: str, name: str
) -> None:
    results = versions(BASE, BASE)
    results["other"] = result(BASE + 0.1, labels={"set": "a", "version": "v3"}, **settings)
    board = celab.board(write(**results))
    assert board.cells[-1].change is None
    assert getattr(board.cells[-1], where) == name
    assert [note for note in board.notes if "other.json" in note]


def test_lower_is_better_by_ter(write: Any) -> None:
    results = versions([50.0] * 30, [40.0] * 30, metric="ter", signature="ter|nrefs:1|v:2")
    cell = celab.board(write(**results)).cells[1]
    assert (cell.change, cell.p, cell.mark) == (-10.0, None, None)
    for result, edits in zip(results.values(), (5.0, 4.0), strict=True):
        result["systems"][0]["metrics"]["ter"]["statistics"] = [[edits, 10.0]] * 30
    cell = celab.board(write(**results)).cells[1]
    assert (cell.change, cell.mark, cell.test) == (-10.0, "better", "randomization")


def test_what_is_not_tested_is_said_once(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE, BASE, keep_segments=False)))
    assert board.tests == 0
    assert [note for note in board.notes if "no segments" in note] == list(board.notes)


def test_few_segments_are_never_marked(write: Any) -> None:
    board = celab.board(write(**versions([0.1] * 19, [0.9] * 19)))
    assert board.cells[1].mark is None and board.cells[1].p is not None and board.cells[1].p < 0.01


def test_segments_that_one_version_lacks_are_left_out(write: Any) -> None:
    results = versions(BASE, BASE + 0.01)
    values = results["r2"]["systems"][0]["metrics"]["celab"]
    values["segments"][0]["score"] = None
    values["score"] = float(np.mean(BASE[1:] + 0.01))
    assert celab.board(write(**results)).cells[1].change == pytest.approx(0.01)


def test_files_of_the_command_are_read_with_their_other_metrics(tmp_path: Path) -> None:
    texts = ["买雨伞", "去北京", "你好吗", "他买书"]
    for name, outputs in {"v1": ["买伞", "去", "好", "书"], "v2": texts}.items():
        campaign = Campaign.from_lists({name: outputs}, texts).score(["celab", "bleu", "ter"])
        path = tmp_path / f"{name}.json"
        path.write_text(stored.to_json_line(campaign, level="segment"), encoding="utf-8")
    board = celab.board(tmp_path)
    assert board.metrics == ("celab", "bleu", "ter")
    assert board.notes == ("celab, bleu, ter: fewer than 20 segments, no verdict",)


@pytest.mark.parametrize(
    "metric",
    [
        celab.Bleu(),
        celab.Bleu(smooth_method="floor", smooth_value=0.123),
        celab.Bleu(smooth_method="add-k"),
        celab.Chrf(),
        celab.Chrf(beta=3, word_order=1),
        celab.Chrf(eps_smoothing=True),
        celab.ChrfPlusPlus(),
        celab.Ter(),
    ],
)
def test_metrics_of_counts_are_tested_as_two_systems_are(metric: Any, tmp_path: Path) -> None:
    refs = [f"第{n}天早上，他们带着雨伞去了火车站。" for n in range(25)]
    old = [f"第{n}天早晨，他们带伞去了火车站。" for n in range(25)]
    new = [*(text.replace("火车", "车") for text in old[:8]), *old[8:]]
    for version, outputs in {"v1": old, "v2": new}.items():
        campaign = Campaign.from_lists({version: outputs}, refs).score(metric)
        text = stored.to_json_line(campaign, level="segment")
        (tmp_path / f"{version}.json").write_text(text, encoding="utf-8")
    (_, cell) = celab.board(tmp_path).cells
    scores = [metric.corpus_score(outputs, [refs]) for outputs in (new, old)]
    alone = celab.significance.paired_bootstrap(*scores)
    assert (cell.p, cell.test) == (alone.p, "exact") and cell.untested is None
    assert cell.change == pytest.approx(alone.value, abs=1e-9)


def test_counts_of_another_score_are_refused(write: Any) -> None:
    results = versions([50.0] * 30, metric="ter", signature="ter|nrefs:1|v:2")
    values = results["r1"]["systems"][0]["metrics"]["ter"]
    for rows in ([[4.0, 10.0]] * 30, [[1.0]] * 30, [[4.0, 10.0], [1.0]]):
        values["statistics"] = rows
        with pytest.raises(InputError):
            celab.board(write(**results))


def test_the_gate_does_not_pass_without_a_test(write: Any) -> None:
    """The score falls, and nothing can say whether by chance."""
    untested = [
        versions([45.0] * 30, [0.0] * 30, metric="bleu", signature="bleu|nrefs:1|smooth:exp"),
        versions(BASE, BASE - 0.3, keep_segments=False),
        versions(BASE[:19], BASE[:19] - 0.3),
    ]
    other = versions(BASE)
    label = {"set": "a", "version": "v2"}
    other["r2"] = result(BASE - 0.3, labels=label, signature=SIGNATURE.replace("n:4", "n:3"))
    reasons = [
        "no segments",
        "no segments",
        "fewer than 20 segments",
        "other references or settings",
    ]
    for results, reason in zip((*untested, other), reasons, strict=True):
        with pytest.raises(InputError, match=f"v2 on a.* was not tested .*{reason}"):
            celab.board(write(**results)).gate()


def test_a_worse_score_fails_the_gate_even_if_others_are_not_tested(write: Any) -> None:
    few = result(BASE[:5], labels={"set": "b", "version": "v2"}, test_set="ba9876543210")
    results = versions(BASE, BASE - 0.1) | {"b2": few}
    few_before = result(
        BASE[:5] + 0.1, labels={"set": "b", "version": "v1"}, test_set="ba9876543210"
    )
    gate = celab.board(write(**results, b1=few_before)).gate()
    assert gate.failed and "v2 on a by celab" in gate.reason


def test_what_the_gate_does_not_compare_is_named(write: Any) -> None:
    alone = result(BASE, labels={"set": "b", "version": "v2"}, test_set="ba9876543210")
    same = versions(BASE[:20], BASE[:20])
    board = celab.board(write(**same, alone=alone))
    assert (board.tests, board.cells[1].p, board.cells[1].untested) == (1, 1.0, None)
    assert not board.gate().failed
    assert board.gate().reason.endswith("(1 test, Holm's correction); nothing to compare with: b")


def test_the_same_outputs_on_few_segments_have_no_verdict_either(write: Any) -> None:
    board = celab.board(write(**versions(BASE[:19], BASE[:19])))
    assert board.cells[1].untested == "fewer than 20 segments, no verdict"
    with pytest.raises(InputError, match="fewer than 20 segments, no verdict"):
        board.gate()


def on_set_b(version: str, segments: Any = BASE, **settings: Any) -> dict[str, Any]:
    """Return a result of a version on another set."""
    labels = {"set": "b", "version": version}
    return result(segments, labels=labels, test_set="ba9876543210", **settings)


def test_a_set_without_the_newest_version_is_no_pass(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE), b1=on_set_b("v1")))
    with pytest.raises(InputError, match=r"newest version, v2, has no result .*: b; .* retired"):
        board.gate()
    gate = board.gate(retired=["b"])
    assert not gate.failed and gate.reason.endswith("; retired: b")


def test_a_metric_or_a_system_without_the_newest_version_is_no_pass(write: Any) -> None:
    chrf = {"metric": "chrf", "signature": "chrf|nrefs:1"}
    results = {
        "b1": on_set_b("v1"),
        "b1-chrf": on_set_b("v1", **chrf),
        "b2": on_set_b("v2"),
    }
    board = celab.board(write(**results))
    with pytest.raises(InputError, match=r"v2, has no result .*: on b by chrf;"):
        board.gate()
    assert not board.gate(retired=["chrf"]).failed
    board = celab.board(write(**results, other=on_set_b("v1", system="other")))
    with pytest.raises(InputError, match=r"v2, has no result .*: other on b by celab"):
        board.gate(retired=["chrf"])
    assert not board.gate(retired=["chrf", "other"]).failed


def test_what_is_retired_has_no_result_of_the_newest_version(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE - 0.3)))
    for name in ("a", "b"):  # it would hide a worse score, it is not there
        with pytest.raises(OptionError, match=f"retired is '{name}'"):
            board.gate(retired=[name])


def test_a_gate_is_not_corrected_for_the_tests_of_old_versions(write: Any) -> None:
    worse = BASE + np.random.default_rng(3).normal(-0.012, 0.05, 100)
    board = celab.board(write(**versions(*[BASE] * 40, worse)))
    cell = board.cells[-1]
    assert cell.p is not None and 0.05 / 40 < cell.p < 0.05
    assert cell.mark is None and board.tests == 40  # of a board, all tests count
    gate = board.gate()
    assert gate.failed and gate.reason.endswith("v41 on a by celab (1 test, Holm's correction)")


def test_an_old_loss_does_not_fail_the_gate(write: Any) -> None:
    assert not celab.board(write(**versions(BASE, BASE - 0.1, BASE - 0.1))).gate().failed


def test_versions_by_the_names_of_systems_have_no_order_for_a_gate(write: Any) -> None:
    folder = write(one=result(BASE, system="B"), two=result(BASE - 0.1, system="A"))
    with pytest.raises(InputError, match=r"no order of time; .* order"):
        celab.board(folder).gate()
    assert celab.board(folder, order=["B", "A"]).gate().failed
    assert not celab.board(folder, order=["A", "B"]).gate().failed


def test_the_newest_version_of_the_order_must_be_there(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE)), order=["v1", "v2", "v3"])
    with pytest.raises(InputError, match="no result of the newest version, v3"):
        board.gate()


def test_the_newest_version_is_not_compared_with_itself(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE - 0.1)), against="v2")
    with pytest.raises(OptionError, match="against is 'v2'; it is the newest version"):
        board.gate()


@pytest.mark.parametrize("label", ["Version", "verson", "versoin", "VERSION", "sets", "Lang"])
def test_labels_like_a_known_one_are_refused(write: Any, label: str) -> None:
    results = versions(BASE, BASE - 0.1)
    results["r2"]["labels"] = {"set": "a", label: "v2"}
    with pytest.raises(InputError, match=rf"r2\.json: its label '{label}' differs from"):
        celab.board(write(**results))


def test_versions_of_thousands_of_digits_are_in_order(write: Any) -> None:
    names = ["v" + "9" * 5000, "v1" + "0" * 5000, "v2"]
    folder = write(
        **{f"r{i}": result(BASE, labels={"set": "a", "version": v}) for i, v in enumerate(names)}
    )
    assert celab.board(folder).versions == (names[2], names[0], names[1])


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (
            {"x": result(BASE), "y": result(BASE)},
            r"x\.json and .*y\.json both have model, version model",
        ),
        (
            {"x": result(BASE), "y": result(BASE, keep_segments=False)},
            r"x\.json and .*y\.json both have model, version model",
        ),
        (
            {
                "x": result(BASE, labels={"set": "a", "version": "1", "lang": "zh"}),
                "y": result(BASE, labels={"set": "a", "version": "2", "lang": "ja"}),
            },
            r"x\.json and .*y\.json: the set a has the label lang=zh",
        ),
    ],
)
def test_wrong_files_are_named(write: Any, results: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        celab.board(write(**results))


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(InputError):
        celab.board(tmp_path)


def test_text_tsv_json_and_frame_have_the_same_cells(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE + 0.1)))
    text, tsv = (board.render(kind) for kind in ("text", "tsv"))
    assert "(+0.1000▲)" in text
    header, *rows = (line.split("\t") for line in tsv.splitlines())
    assert header == list(board.to_dict()["cell"][0])
    assert [float(row[4]) for row in rows] == [cell.score for cell in board.cells]
    frame = board.to_dataframe()
    assert [*frame.columns] == header and [*frame["score"]] == [c.score for c in board.cells]


def holm_by_definition(p_values: list[float], level: float) -> list[bool]:
    """Return what Holm's correction rejects: the adjusted p-values, one after the other."""
    order = np.argsort(p_values, kind="stable")
    adjusted, highest = [1.0] * len(p_values), 0.0
    for step, place in enumerate(order):
        highest = max(highest, (len(p_values) - step) * p_values[place])
        adjusted[place] = highest
    return [p < level for p in adjusted]


def test_holm_is_that_of_adjusted_p_values() -> None:
    draw = np.random.default_rng(1)
    for _ in range(300):
        p_values = (draw.uniform(0, 1, draw.integers(1, 12)) ** 4).tolist()
        tested = [Difference(a=1, b=0, p=p, n_segments=20) for p in p_values]
        passes = [difference.passes for difference in holm(tested)]
        assert passes == holm_by_definition(p_values, 0.05)


def test_boards_without_a_difference_seldom_have_a_mark(write: Any) -> None:
    # 60 boards here, 1,000 in bench/board.py; 5% are expected, and 9 or more have p < 0.004.
    draw = np.random.default_rng(11)
    n_marked = 0
    for _ in range(60):
        results = versions(*(BASE + draw.normal(0, 0.05, 100) for _ in range(3)))
        n_marked += any(cell.mark for cell in celab.board(write(**results)).cells)
    assert n_marked < 9


def test_five_sets_share_a_table(write: Any) -> None:
    def n_tables(sets: str) -> int:
        results = {x: result(BASE, labels={"set": x, "version": "v1"}) for x in sets}
        tables = celab.board(write(**results)).tables()
        return sum(isinstance(part, Table) and part.is_shown for part in tables)

    assert [n_tables("abcde"), n_tables("f")] == [1, 2]  # the folder has all that was written
