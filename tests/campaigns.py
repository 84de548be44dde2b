"""Campaigns for the tests of results and reports."""

from dataclasses import replace
from importlib.util import find_spec

import pytest
from conftest import ROOT

from celab.systems.campaign import Campaign
from celab.tables import table
from celab.tables.table import text_columns

EXAMPLES = ROOT / "examples"
A, B, REF1, REF2 = (
    (EXAMPLES / name).read_text("utf-8").splitlines()
    for name in ("hyp1.zh", "hyp2.zh", "ref1.zh", "ref2.zh")
)

LIBRARIES = [
    pytest.param(name, marks=pytest.mark.skipif(not find_spec(name), reason=f"{name} is not here"))
    for name in table.FRAME_LIBRARIES
]


def run(metrics, corpus, **test):
    """Scores, and a test if there are several systems."""
    campaign = Campaign(corpus).score(metrics)
    return campaign.test(**test) if len(corpus.systems) > 1 else campaign


def text_table(headings, rows, right=(), **settings):
    """Return a table of ready-made texts, for people and for programs."""
    columns = [replace(x, names=x.heading) for x in text_columns(headings, right)]
    return table.Table(name="row", columns=columns, rows=rows, **settings)
