"""What people marked and the one segment of the first screen, in the words of a page."""

import re
from html import unescape

import pytest

from celab import Campaign

REF = [f"第{n}天早上他们带着雨伞去了火车站" for n in range(8)]
HYPS = {"A": [text.replace("雨伞", "伞") for text in REF], "B": [text[2:] for text in REF]}
ERRORS = "A\t0\t1\t2\tmajor\tAddition\nA\t0\t3\t4\tmajor\tAddition\nB\t1\t0\t1\tmajor\tAddition\n"
HEADING = "system\tsegment\tstart\tend\tseverity\tcategory\n"
NOTE = "The file lists errors alone, so all outputs count as judged."


def section_of(tmp_path, lines):
    (tmp_path / "s.tsv").write_text(HEADING + lines, "utf-8")
    page = Campaign.from_lists(HYPS, REF).score("celab").with_spans(tmp_path / "s.tsv").html()
    body = page[page.index('id="errors-by-system"') :]
    body = body[: body.index("</section>")]
    cells = re.findall(r'<tr><th scope="row">(.*?)</tr>', body, re.S)
    rows = [re.sub("<[^>]*>", " ", row).split() for row in cells]
    return sorted(rows[:2]), " ".join(unescape(re.sub("<[^>]*>", " ", body)).split())


def test_all_outputs_count_as_judged_if_the_file_lists_errors_alone(tmp_path):
    rows, text = section_of(tmp_path, ERRORS)
    assert rows == [["A", "8", "2", "25.0"], ["B", "8", "1", "12.5"]]  # of eight outputs each
    assert NOTE in text
    assert re.search(r"unmatched runs in the 2 outputs with marks are in no marked error", text)


def test_outputs_that_people_judged_count_if_the_file_names_them(tmp_path):
    rows, text = section_of(tmp_path, ERRORS + "B\t2\t\t\t\t\nB\t3\t\t\t\t\n")
    assert rows == [["A", "1", "2", "200.0"], ["B", "3", "1", "33.3"]]
    assert NOTE not in text and "unmatched runs in the judged outputs" in text


@pytest.mark.parametrize("judge", [False, True])
def test_a_low_score_is_not_called_the_lowest(judge):
    # The lowest score is that of an empty output, which is not shown as an example.
    campaign = Campaign.from_lists({"A": ["", "第1天", *HYPS["A"][2:]]}, REF).score("celab")
    if judge:
        campaign = campaign.with_scores({"X": {"A": [1, 2, *range(3, 9)]}})
    text = " ".join(unescape(re.sub("<[^>]*>", "", campaign.html())).split())
    assert ("A segment that X rates low" if judge else "A segment with a low score") in text
    assert "segment with the lowest score" not in text and "rates lowest" not in text
