"""Messages of the playground: in the language of the page, without words of Python or commands."""

import base64
import re

import pytest
from refused_files import REFUSED, WARNED
from test_playground import playground, port

from celab.base.errors import CelabError
from celab.serve import LIMITS, answers, jobs

pytestmark = pytest.mark.browser

# Names of formats, encodings and files, which Chinese writes in Latin letters.
NAMES = re.compile(
    r"'[^']*'|[\w.]*\.[a-z]+\d?|UTF-8|gb18030|JSON|XML|CSV|PO|XLIFF|ZIP|PDF|CR|LF|MiB|Java|Word|OpenDocument"
    r"|0xFF|Other|Notes|mteval.*plist|msg\w+|\bja\b|\bref\b|\bdoc_id\b|\bapp\b|\b[acxyf]\b|\\n"
)
FOREIGN = re.compile(r"--\w|\b(?:None|True|False|str|dict|Traceback)\b|\w=[\w'\[{]")
# Of the server itself, with its limits.
SERVER = [
    "too long: there is no answer after 5 s; try shorter text",
    "too long: no optimum was proved in 5 s",
    "too many reports at once; try again later",
    "too many long pairs at once; try again later",
    "the worker process ended with code -9; try less text",
    "the answer has more than 67,108,864 bytes; try less text",
    "this needs more than 2,048 MiB of memory; try less text",
    "the request has more than 50,331,648 bytes",
    "the request did not arrive in 30 s",
    jobs.BUG,
    "references is a list of 11; it must have 1 to 10",
    "systems is a list of 101; it must have 0 to 100",
]


def report(folder, refs, systems, **limits):
    sides = [
        [
            (name, base64.b64encode(data if isinstance(data, bytes) else data.encode()))
            for name, data in side.items()
        ]
        for side in (refs, systems)
    ]
    folder.mkdir()
    return answers.report(str(folder), *sides, {}, **limits)


def refusals(tmp_path):
    """Return the answers to files that cannot be scored, by the reader itself."""
    cases = [(case, {}) for case in REFUSED]
    small = {"ref.txt": "伞\n伞\n"}, {"a.txt": "伞\n伞\n"}
    cases += [(small, {"segments": 1}), (small, {"unpacked_bytes": 10})]
    for number, (case, limits) in enumerate(cases):
        with pytest.raises(CelabError) as error:
            report(tmp_path / str(number), *case, **limits)
        yield jobs.refusal(error.value, LIMITS.pair_seconds)[1]
    yield from ({"error": message} for message in SERVER)


def shown(page, answer, status):
    """Let the server answer so to a request for a report; return what the page shows."""
    page.page.unroute_all(behavior="ignoreErrors")
    page.page.route("**/report", lambda route: route.fulfill(json=answer, status=status))
    page.page.locator("#made").evaluate("(node) => node.replaceChildren()")
    page.click("#report > p:last-child button")
    page.page.wait_for_selector("#made .notice")
    return page.text("#made .notice")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_refusal_is_in_the_words_of_the_page(playground, tmp_path, language):
    page = playground(f"page={language}")
    page.page.fill("#report [name=reference]", "伞")
    page.page.fill("#report [name=system]", "伞")
    wrong = []
    for answer in refusals(tmp_path):
        text = shown(page, answer, 400)
        rest = NAMES.sub("", text)
        if FOREIGN.search(rest) or (language == "zh" and re.search("[A-Za-z]", rest)):
            wrong.append(text)
        assert (page.count("#made button") == 1) == answer.get("can_align", False)
    page._complaints.clear()  # of the browser, about the status 400
    assert wrong == []


def test_warnings_are_in_the_language_of_the_page(playground, tmp_path):
    page = playground("page=zh")
    page.page.fill("#report [name=reference]", "伞")
    page.page.fill("#report [name=system]", "伞")
    page.page.context.on("page", lambda other: other.close())
    for number, case in enumerate(WARNED):
        warnings = report(tmp_path / str(number), *case)["warnings"]
        text = shown(page, {"report": "/#", "warnings": warnings}, 200)
        assert text and not re.search("[A-Za-z]", NAMES.sub("", text)), text


def test_a_wrong_setting_is_named_in_chinese(playground):
    page = playground("ref=买雨伞&hyp=买伞&option-f=2&page=zh")
    page.page.locator("#settings [name=f]").fill("-3")
    page.page.wait_for_selector("#setting-f-problem")
    text = page.text("#setting-f-problem")
    assert "-3" in text and not re.search("[A-Za-z]", NAMES.sub("", text)), text
    page._complaints.clear()  # of the browser, about the status 400


def test_a_message_without_chinese_is_told_from_the_others(playground):
    page = playground("page=zh")
    page.page.fill("#report [name=reference]", "伞")
    page.page.fill("#report [name=system]", "伞")
    assert (
        shown(page, {"error": "quite another thing"}, 400)
        == "服务器提示（英文）：quite another thing"
    )
    page._complaints.clear()
