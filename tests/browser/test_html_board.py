"""The page of `celab board` in a browser: filters, language and width."""

import json

import pytest
from scores_json import file_of

import celab

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    for set_name, digest in (("news", "0" * 12), ("talks", "1" * 12)):
        for version, score in (("v1", 0.5), ("v2", 0.25), ("v3", 0.25)):
            metrics = {
                metric: {
                    "score": score,
                    "signature": f"{metric}|refs:1|v:0.5.0",
                    "segments": [{"score": score}] * 30,
                }
                for metric in ("celab", "tesla-m")
            }
            labels = {"set": set_name, "version": version, "team": "new" if score < 0.5 else "old"}
            data = {
                "celab_version": "0.5.0",
                "test_set": digest,
                "labels": labels,
                "systems": [{"name": "model", "metrics": metrics}],
            }
            path = folder / f"{set_name}-{version}.json"
            path.write_text(json.dumps(file_of(data)), encoding="utf-8")
    path = folder / "board.html"
    celab.board([*folder.glob("*.json")]).html(path)
    return path.as_uri()


SHOWN = (
    "[...document.querySelectorAll('.of-metric:not([hidden]) tbody tr:not([hidden])')].map((row) =>"
    " [...row.children].filter((cell) => !cell.hidden)"
    ".map((cell) => cell.innerText.split(/\\s/)[0])"
    ".join(' '))"
)


def test_filters_are_kept_in_the_address(browser, address):
    page = browser.open(address)
    assert page.run(SHOWN) == ["v1 0.5000 0.5000", "v2 0.2500 0.2500", "v3 0.2500 0.2500"] * 2
    page.run("""(() => { for (const [name, value] of [["metric", "TESLA-M"], ["set", "talks"]]) {
      const field = document.querySelector(`[name=${name}]`);
      field.value = value;
      field.dispatchEvent(new Event("change", {bubbles: true})); } })()""")
    page.until("location.hash.includes('talks') && location.hash.includes('TESLA-M')")
    assert page.run(SHOWN) == ["v1 0.5000", "v2 0.2500", "v3 0.2500"]
    page.close()


@pytest.mark.parametrize(
    ("state", "rows"),
    [("marked=1&metric=TESLA-M", ["v2"]), ("label.team=new&metric=TESLA-M", ["v2", "v3"])],
)
def test_an_address_opens_with_its_filters(browser, address, state, rows):
    page = browser.open(f"{address}#{state}")
    assert [row.split()[0] for row in page.run(SHOWN)] == rows
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_window(browser, address, width):
    page = browser.open(f"{address}#page=zh", width)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.documentElement.lang") == "zh-CN"
    page.close()
