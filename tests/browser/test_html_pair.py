"""The section "A against B" in a browser."""

import pytest
from campaigns import run
from opening import metric

from celab.corpus import Corpus, Segment
from celab.report.html import campaign_page

pytestmark = pytest.mark.browser

# How many segments A wins, ties and loses.
SHARES = [(20, 0, 0), (11, 1, 8), (1, 0, 199)]


@pytest.mark.parametrize("shares", SHARES)
@pytest.mark.parametrize("width", [1280, 390])
def test_the_bar_of_wins_has_exact_widths(browser, metric, tmp_path, shares, width):
    wins, ties, losses = shares
    better, worse = "我买伞", "他卖"
    a = [better] * (wins + ties) + [worse] * losses
    b = [worse] * wins + [better] * (ties + losses)
    n = len(a)
    segments = [Segment("", str(i + 1)) for i in range(n)]
    corpus = Corpus(
        segments=segments, systems={"A": a, "B": b}, refs=[[better] * n], ref_names=["ref"]
    )
    path = tmp_path / "report.html"
    campaign = run({"celab": metric}, corpus, n_resamples=50)
    path.write_text(campaign_page(campaign, {"celab": metric}, explained=0), "utf-8")
    page = browser.open(f"{path.as_uri()}#a=A&b=B", width)
    whole, *parts = page.run(
        "[...document.querySelectorAll('.shares .parts, .shares i')].map((x) =>"
        " x.getBoundingClientRect().width)"
    )
    counts = [count for count in shares if count]
    assert [part / whole for part in parts] == pytest.approx([c / n for c in counts], abs=0.002)
    labels = page.run("[...document.querySelectorAll('.shares span')].map((x) => x.textContent)")
    names = ("A", "equal", "B")
    wanted = [f"{name} {count}" for name, count in zip(names, shares, strict=True) if count]
    assert labels == wanted
    page.close()
