"""One shape of finding: what is written is read again, and every producer writes it."""

from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.findings.finding import Check, Needs, Subject
from celab.findings.translations import CHECKS
from celab.report.html import data
from celab.report.html.findings import PageFinding, findings_data, findings_in, of_table

SPANS = st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9))
TEXTS = st.sampled_from(["", "a", "{0}"])
FINDINGS = st.builds(
    PageFinding,
    *(st.integers(0, 2), st.integers(0, 40), st.sampled_from(["outputs", "markup"])),
    *(st.sampled_from(["empty", "x"]), SPANS, TEXTS, TEXTS, st.none() | st.just(0)),
)


def written(findings):
    """Return the findings as they are read, by what is said and where."""
    return sorted(findings, key=repr)


@examples(100)
@given(st.lists(FINDINGS, unique=True))
def test_what_is_written_is_read_again(findings):
    data = {"systems": "ABC"} | findings_data(findings, n_systems=3)
    assert written(findings_in(data)) == written(findings)


def test_findings_with_columns_keep_their_order_and_share_a_kind():
    rows = [PageFinding(0, 1, "people", "", (2, 3)), PageFinding(1, 0, "people", "", (0, 1))]
    assert findings_data(rows, 2) == {
        "findings": [
            {"check": "people", "kind": "", "rows": [2, -1], "span": [(2, 3), (0, 1)]},
        ]
    }


def test_a_kind_says_whether_it_is_a_verdict(monkeypatch):
    def shouts(output, expected):
        return output.isupper() and "loud"

    shouted = Check(
        name="shouted", meaning="capitals alone", rule=shouts, needs=Needs.NOTHING, verdict=False
    )
    monkeypatch.setitem(CHECKS, "shouted", shouted)
    lines = [f"第{n}天早上，他们带着{n * 7}把雨伞去了火车站，然后坐车去北京。" for n in range(12)]
    checked = celab.check({"A": ["", "BEIJING", *lines]}, ["买", "去", *lines])  # without a source
    said = of_table(checked.table, Subject(corpus=checked.corpus))
    verdicts = {x["kind"]: (x.get("verdict", True), x.get("note")) for x in said["findings"]}
    assert verdicts["empty"] == (True, None) and verdicts["shouted"] == (False, ["loud"])
    assert not verdicts["reference-copy"][0]


def test_an_output_has_its_findings_in_the_page_of_a_campaign():
    campaign = celab.Campaign.from_lists(
        {"A": ["", "他买了伞"]}, ["你好", "他买了 %s"], source=["Hello", "He bought %s"]
    )
    scored = campaign.score("chrf")
    page, _ = data.of_campaign(scored, scored.metrics, 0, "zh", None)
    said = {(x.check, x.kind, x.segment, x.text, x.note) for x in findings_in(page)}
    assert ("outputs", "empty", 0, "", "") in said
    assert ("markup", "placeholder", 1, "%s", "lost") in said
    assert ("differences", "omitted", 0, "", "") in said
