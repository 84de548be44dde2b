"""Figures as text: each becomes text in one place in Python, and in one in the script of pages."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import subprocess

import pytest
from conftest import ROOT
from jinja2 import DictLoader

from celab.tables.cells import (
    count,
    difference,
    estimate,
    interval,
    p_value,
    ranks,
    score,
)
from celab.tables.templating import templates_of
from celab.tables.view import Name

SCRIPT = ROOT / "celab" / "report" / "html" / "templates" / "figures.js"


def test_what_is_missing_and_what_is_unknown():
    for make in (score, difference):
        assert make(None, 4) == "" and make(math.nan, 4) == "–"
    assert interval(None, 2) == "" and p_value(None) == ""


def test_zero_has_no_sign_of_its_own():
    assert score(-0.0, 2) == "0.00" and difference(-0.0, 2) == "+0.00"


def test_a_page_has_dashes_and_a_minus_sign():
    figures = [
        [ranks((1, 3), look), interval((-1.5, 2.0), 1, look), difference(-1.0, 0, look)]
        for look in ("plain", "page")
    ]
    assert figures == [["1-3", "[-1.5, 2.0]", "-1"], ["1–3", "−1.5–2.0", "−1"]]
    assert interval((-1.5, 2.0), 1, signed=True) == "[-1.5, +2.0]"


def test_an_error_follows_the_figure():
    assert estimate(0.5, 0.0125, 3) == "0.500 ± 0.013" and estimate(None, 0.0125, 3) == ""


def figures() -> list[tuple[float, int]]:
    """Return values and digits: drawn ones, and all ties of small denominators."""
    draw = random.Random(0)
    values = [draw.uniform(-1, 1) * 10 ** draw.randint(-6, 3) for _ in range(2000)]
    values += [k / 64 for k in range(-200, 200)] + [0.0, -0.0, 1e-9, -1e-9, 100.0, 0.03125, 2.675]
    return [(value, digits) for value in values for digits in (0, 2, 3, 4, 6)]


def test_the_script_of_pages_writes_the_same_figures():
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node, to run the script")
    wanted = figures()
    counts = [0, 999, 1000, 1234567]
    code = SCRIPT.read_text("utf-8").replace("export ", "") + (
        'const [figures, numbers] = JSON.parse(require("fs").readFileSync(0, "utf-8"));'
        "console.log(JSON.stringify([figures.map(([v, n]) => format(v, n)),"
        " figures.map(([v, n]) => signed(v, n)), numbers.map(grouped),"
        " [format, signed].map((write) => write(NaN, 2))]));"
    )
    run = subprocess.run(
        [node, "-e", code], input=json.dumps([wanted, counts]), capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    scores, differences, grouped, unknown = json.loads(run.stdout)
    assert scores == [score(value, digits, "page") for value, digits in wanted]
    assert differences == [difference(value, digits, "page") for value, digits in wanted]
    assert grouped == [count(number) for number in counts]
    assert unknown == ["–", "–"]


def test_figures_become_text_only_here():
    """Digits of scores are a variable; a format that uses it belongs to `celab.tables.cells`."""
    allowed = {"metrics/scores.py", "cli/tune.py"}
    pattern = re.compile(r":[+]?\.\{\w+\}f")
    users = {
        str(path.relative_to(ROOT / "celab"))
        for path in (ROOT / "celab").rglob("*.py")
        if pattern.search(path.read_text("utf-8"))
    }
    assert users - {"report/html/drawings.py"} <= allowed  # labels of an axis have its own digits
    scripts = SCRIPT.parent.glob("*.js")
    places = {
        path.name for path in scripts if re.search(r"toFixed|toLocaleString", path.read_text())
    }
    assert places == {"figures.js", "scatter.js"}  # places in a drawing


def test_only_a_name_is_isolated_in_html():
    written = templates_of(DictLoader({})).filters["written"]
    assert written(Name("<A>\u202e")) == r"<bdi>&lt;A&gt;\u202e</bdi>"
    assert written("<b>") == "&lt;b&gt;"
