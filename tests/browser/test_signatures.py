"""Signatures in notebooks and pages are broken between their parts, never inside one."""

import json

import pytest
from commands import REF, A, B

import celab

pytestmark = pytest.mark.browser

# The lines in which the browser shows a paragraph with this text.
LINES = """((text) => {
  const shown = [...document.querySelectorAll("p")].find((node) => node.textContent === text);
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT), lines = new Map();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let i = 0; i < node.length; i += 1) {
      const range = document.createRange();
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const { bottom } = range.getBoundingClientRect();
      lines.set(bottom, (lines.get(bottom) ?? "") + node.data[i]);
    }
  }
  return [...lines.values()];
})"""


@pytest.fixture(scope="module")
def fragments():
    """What shows a signature, with the signature."""
    campaign = celab.Campaign.read([REF], [A, B]).score(["celab"])
    signature = campaign.scores["celab"]["hyp1"].signature
    explained = celab.explain("他买伞", "买雨伞")
    terms = celab.terms({"买": "买"}, campaign, source_lang="en")
    return [
        (campaign._repr_html_(), signature),
        (explained._repr_html_(), explained.against[0].signature),
        (terms._repr_html_(), terms.signature),  # with hyphens after which a line could end
    ]


@pytest.mark.parametrize("width", [320, 390, 460, 700])
def test_a_signature_is_broken_between_its_parts(browser, tmp_path, fragments, width):
    path = tmp_path / "page.html"
    for html, signature in fragments:
        path.write_text(f"<!doctype html><meta charset=utf-8><body>{html}", "utf-8")
        page = browser.open(path.as_uri(), width)
        lines = page.run(f"{LINES}({json.dumps(signature)})")
        page.close()
        assert "".join(lines) == signature
        assert len(lines) > 1 or width == 700
        assert all(line.endswith("|") for line in lines[:-1]), lines
