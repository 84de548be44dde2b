"""Boards: which scores are compared, what is tested and marked, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import celab
from celab import Campaign, InputError, OptionError
from celab.base.view.renderers import RENDERERS
from celab.evaluation.board.changes import holm
from celab.evaluation.systems import stored

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
        "format": 1,
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
            (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
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
    with pytest.raises(InputError, match="does not have v2"):
        celab.board(folder, order=["v9", "v10"])


def test_against_one_version(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE + 0.1, BASE + 0.2)), against="v2")
    assert [cell.change and round(cell.change, 6) for cell in board.cells] == [-0.1, None, 0.1]
    with pytest.raises(OptionError, match="v3"):
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


def test_what_is_not_tested_is_said_once(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE, BASE, keep_segments=False)))
    assert board.tests == 0
    assert [note for note in board.notes if "without segments" in note] == list(board.notes)


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
        path.write_text(stored.written(campaign, level="segment"), encoding="utf-8")
    board = celab.board(tmp_path)
    assert board.metrics == ("celab", "bleu", "ter")
    assert any("not means of segments: bleu, ter" in note for note in board.notes)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({"x": {"a": 1}}, r"x\.json: .*a board is made of JSON"),
        ({"x": {"format": 2}}, r"x\.json: its format is 2, and this version reads 1"),
        (
            {"x": result(BASE), "y": result(BASE)},
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
    with pytest.raises(InputError, match="no JSON files"):
        celab.board(tmp_path)


def test_text_tsv_json_and_frame_have_the_same_cells(write: Any) -> None:
    board = celab.board(write(**versions(BASE, BASE + 0.1)))
    text, tsv = (RENDERERS[kind](board.view()) for kind in ("text", "tsv"))
    assert "(+0.1000▲)" in text
    header, *rows = (line.split("\t") for line in tsv.splitlines())
    assert header == list(board.to_dict()["cells"][0])
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
        assert holm(p_values) == holm_by_definition(p_values, 0.05)


def test_boards_without_a_difference_seldom_have_a_mark(write: Any) -> None:
    # 60 boards here, 1,000 in bench/board.py; 5% are expected, and 9 or more have p < 0.004.
    draw = np.random.default_rng(11)
    n_marked = 0
    for _ in range(60):
        results = versions(*(BASE + draw.normal(0, 0.05, 100) for _ in range(3)))
        n_marked += any(cell.mark for cell in celab.board(write(**results)).cells)
    assert n_marked < 9
