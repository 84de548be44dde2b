"""The page of a board."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from scores_json import file_of

import celab


def _write(folder: Path, version: str, score: float, **labels: str) -> None:
    data = {
        "celab_version": "0.5.0",
        "test_set": "0123456789ab",
        "labels": {"set": "news", "version": version, **labels},
        "systems": [
            {
                "name": "model",
                "metrics": {
                    "celab": {
                        "score": score,
                        "signature": "celab|refs:1|v:0.5.0",
                        "segments": [{"score": score}] * 30,
                    }
                },
            }
        ],
    }
    (folder / f"{version}.json").write_text(json.dumps(file_of(data)), encoding="utf-8")


def test_it_has_scores_changes_and_marks(tmp_path: Path) -> None:
    _write(tmp_path, "v1", 0.5)
    _write(tmp_path, "v2", 0.25)
    page = celab.board(tmp_path).html()
    assert "0.5000" in page and "−0.2500" in page
    assert page.count("significantly lower") >= 1 and "significantly higher</span>" not in page


def test_the_headline_is_on_the_last_version_and_cells_have_p_and_n(tmp_path: Path) -> None:
    for version, score in (("v1", 0.25), ("v2", 0.5), ("v3", 0.4)):
        _write(tmp_path, version, score, team=version)
    page = celab.board(tmp_path).html()
    assert "v3 against v2: lower, significantly." in re.sub("<[^>]*>", "", page)
    assert "v2 against v1" not in page
    assert page.count("30</bdi> segments</span></small>") == 1 and page.count("<small>p ") == 2
    assert '<polyline points="0,20 48,0 96,8"/>' in page
    assert '<option value="" label="All"' in page
    assert "v3 与 v2 对比：更低，显著。" in re.sub(
        "<[^>]*>", "", celab.board(tmp_path).html(report_lang="zh")
    )


@pytest.mark.parametrize(
    ("report", "is_linked"),
    [
        ("reports/v1.html", True),
        ("https://example.org/v1.html", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,x", False),
    ],
)
def test_only_addresses_of_pages_are_linked(tmp_path: Path, report: str, is_linked: bool) -> None:
    _write(tmp_path, "v1", 0.5, report=report)
    page = celab.board(tmp_path).html()
    assert (f'href="{report}"' in page) == is_linked
    assert is_linked or not re.search("<main.*<a [^>]*href.*</main>", page, re.S)


def test_names_are_text(tmp_path: Path) -> None:
    _write(tmp_path, "v1", 0.5, team="<script>x</script>")
    _write(tmp_path, "v2", 0.5, team="<b>")
    page = celab.board(tmp_path).html()
    assert "<script>x" not in page and '<b>"' not in page


def test_it_is_written_to_a_file(tmp_path: Path) -> None:
    _write(tmp_path, "v1", 0.5)
    path = tmp_path / "board.html"
    assert celab.board(tmp_path).html(path, report_lang="zh") == str(path)
    assert 'lang="zh-CN"' in path.read_text("utf-8")
