"""The page of `celab meta` in a browser."""

from itertools import pairwise

import pytest

from celab.report.html import Overview, Section, meta_page

pytestmark = pytest.mark.browser

ROWS = [("wmt", "TESLA-CELAB", 0.495, 0.4851, 0.5059), ("wmt", "chrF2", 0.498, 0.4882, 0.5073)]


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_of_axes_do_not_touch(browser, tmp_path, width):
    path = tmp_path / "meta.html"
    section = Section("wmt", (), verdict=["TESLA-CELAB has the highest r, 0.5."])
    overview = [Overview("acc*eq of segments", ROWS), Overview("Pearson of systems", ROWS)]
    path.write_text(meta_page((), overview=overview, more=[section]), "utf-8")
    page = browser.open(path.as_uri(), width)
    axes = page.run(
        "[...document.querySelectorAll('.axis')].map((axis) => [...axis.querySelectorAll('text')]"
        ".map((x) => x.getBoundingClientRect()).map(({left, right}) => [left, right]))"
    )
    assert len(axes) == 2
    for labels in axes:
        assert len(labels) >= 3
        assert all(right < left for (_, right), (left, _) in pairwise(labels))
    verdict, first = page.run(
        "['.verdict', '.overviews'].map((x) =>"
        " document.querySelector(x).getBoundingClientRect().top)"
    )
    assert verdict < first
    assert page.run("document.documentElement.scrollWidth") <= width
    page.close()
