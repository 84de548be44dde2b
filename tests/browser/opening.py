"""Fixtures: a small report in a browser."""

from contextlib import contextmanager
from functools import partial

import pytest
from campaigns import run
from reports import texts

from celab import TeslaCelab
from celab.report.html import campaign_page


@pytest.fixture(scope="module")
def metric():
    return TeslaCelab()


@pytest.fixture(scope="module")
def campaign(metric):
    return run({"celab": metric}, texts(), n_resamples=50)


@pytest.fixture(scope="module")
def address(campaign, metric, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(campaign_page(campaign, {"celab": metric}, lang="zh"), "utf-8")
    return path.as_uri()


def uncover(page):
    """Open the evidence, which is closed at first."""
    page.run("document.querySelectorAll('details.part').forEach((part) => { part.open = true; })")


def complete(page):
    """Wait for what a report draws after the texts of a segment, such as its explanation."""
    page.until("!document.querySelector('.reading, [aria-busy=true]')")


@contextmanager
def report_pages(browser):
    """Give a function that opens reports; they must complain of nothing and ask for nothing."""
    pages = []

    def open_page(address, state="", *, closed=False, **size):
        pages.append(browser.open(f"{address}#{state}", **size))
        if not closed:
            uncover(pages[-1])
        complete(pages[-1])
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.complaints() == []
        assert page.requests() == []
        page.close()


def opener(name):
    """Return a fixture that opens the page, in a state, whose address another fixture has."""

    @pytest.fixture
    def opened(browser, request):
        with report_pages(browser) as open_page:
            yield partial(open_page, request.getfixturevalue(name))

    return opened


opened = opener("address")
