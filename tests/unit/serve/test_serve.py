"""`celab serve`: who may ask, what is answered, and the page in a browser."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT

import celab
from celab.base.options import info_of
from celab.cli import serve as command

pytest.importorskip("fastapi", reason="celab[serve] is not installed")
pytest.importorskip("uvicorn", reason="celab[serve] is not installed")

from serving import LONG, PAIR, PATIENCE, asking, file, refusal, serve, soon

from celab import serve as limits
from celab.metrics.options import TeslaCelabOptions
from celab.report.html.page import playground_translations
from celab.serve import LIMITS, answers, jobs
from celab.serve import app as serving

SCRIPT = "<script>document.title = 'hacked'</script>"
IMAGE = "<img src=x onerror=\"document.title='hacked'\">"


@pytest.fixture(scope="module")
def port():
    answers.explain("买伞", ["买雨伞"], {})  # as the command does
    with serve() as port:
        yield port


@pytest.fixture
def ask(port):
    """Send a request; returns the status, the headers and the body."""
    return asking(port)


# ---- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({}, {}),
        ({"reference": ["买雨伞", "去买一把伞"]}, {}),
        ({"hypothesis": ""}, {}),
        (
            {"settings": {"lexicon": "none", "max_order": 2, "f": 1, "script": "keep"}},
            {"lexicon": None, "max_order": 2, "f": 1, "script": "keep"},
        ),
        ({"settings": {"lexicon": ["zh-core"], "lang": "zh"}}, {"lexicon": ["zh-core"]}),
        ({"settings": {"lang": "ja", "lexicon": None}}, {"lang": "ja"}),
    ],
)
def test_a_score_is_that_of_the_metric(ask, change, options):
    request = PAIR | change
    refs = request["reference"]
    refs = [[ref] for ref in (refs if isinstance(refs, list) else [refs])]
    expected = celab.TeslaCelab(**options).corpus_score([request["hypothesis"]], refs)
    status, _, body = ask("/score", request)
    assert status == 200
    names = ("score", "precision", "recall", "signature")
    kind = "" if request["hypothesis"] else "empty"
    assert body == {name: getattr(expected, name) for name in names} | {
        "output": kind,
        "form": "",
    }


@pytest.mark.parametrize(
    ("hyp", "lang", "kind"),
    [
        ("I cannot translate this.", "zh", "refusal"),
        ("Rain is expected today.", "zh", "other-language"),
        ("Rain is expected today.", "en", "too-long"),
        ("<think>雨伞", "zh", "wrapped"),
        ("", "zh", "empty"),
    ],
)
def test_an_answer_tells_outputs_that_are_no_translations(ask, hyp, lang, kind):
    settings = {"lang": lang, "lexicon": None}
    request = {
        "hypothesis": hyp,
        "reference": "雨伞" if lang == "zh" else "a",
        "settings": settings,
    }
    status, _, body = ask("/score", request)
    assert (status, body["output"]) == (200, kind)
    assert body["form"] == ("thinking" if kind == "wrapped" else "")


@pytest.mark.parametrize(
    ("lang", "hyp", "ref"), [("zh", "买伞", "买雨伞"), ("de", "ein Haus", "das Haus")]
)
def test_a_profile_replaces_the_defaults(ask, lang, hyp, ref):
    request = {
        "hypothesis": hyp,
        "reference": ref,
        "settings": {"lang": lang, "profile": "recommended"},
    }
    expected = celab.recommended(lang).corpus_score([hyp], [[ref]])
    status, _, body = ask("/score", request)
    assert (status, body["score"], body["signature"]) == (200, expected.score, expected.signature)
    status, _, body = ask("/explain", request)
    n_parts = len(getattr(celab.recommended(lang), "parts", ()))
    assert status == 200 and len(body.get("parts", ())) == n_parts


def test_a_profile_is_a_setting_with_two_values(ask):
    answer = ask("/score", PAIR | {"settings": {"profile": "best"}})
    assert refusal(answer) == (400, "profile is 'best'; choose from paper, recommended")
    answer = ask("/score", PAIR | {"profile": "recommended"})
    assert refusal(answer) == (400, "'profile' is a setting; give it in settings")
    paper, default = (
        ask("/score", PAIR | {"settings": settings})[2] for settings in ({"profile": "paper"}, {})
    )
    assert paper == default


def test_settings_that_are_equal_in_python_are_kept_apart(ask):
    for value, status in ((True, 400), (1, 200), (1.0, 400), (1, 200)):
        assert ask("/score", PAIR | {"settings": {"max_order": value}})[0] == status


def test_any_text_is_scored(ask):
    for text in (SCRIPT, "\u202e买\u2066", "a\0b", "\ud800", "👨‍👩‍👧", "买\u2028"):
        status, _, body = ask("/score", {"reference": text, "hypothesis": text})
        assert (status, body["score"]) == (200, 1)
        assert ask("/explain", {"reference": "买" + text, "hypothesis": text})[0] == 200


def test_an_explanation_is_what_the_report_has(ask):
    from celab.report.html.explanations import segment

    labels = {}
    wanted = segment(celab.explain("买伞", "买雨伞"), labels)
    status, _, body = ask("/explain", PAIR)
    assert status == 200 and body["labels"] == list(labels)
    assert body["against"] == json.loads(json.dumps(wanted["against"]))
    _, _, body = ask("/explain", PAIR | {"settings": {"f": 1}})
    assert json.dumps(body["settings"]["f"]) == "1"  # as it was sent


def test_words_are_looked_up(ask):
    status, _, body = ask("/lookup", {"word": "雨伞", "lexicon": "zh-core"})
    groups = celab.lexicon.lookup("雨伞", "zh-core")
    assert status == 200
    assert body["groups"] == [{"label": g.label, "words": list(g.words)} for g in groups] != []
    assert ask("/lookup", {"word": "<无此词>"})[2]["groups"] == []


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"hypothesis": "x"}, "reference is missing; it must be a string or a list"),
        (PAIR | {"hypothesis": 3}, "hypothesis is 3; it must be a string"),
        (PAIR | {"reference": None}, "reference is null; it must be a string or a list"),
        (PAIR | {"reference": []}, "reference is a list of 0; it must have 1 to 10"),
        (PAIR | {"reference": ["x", {}]}, "reference 2 is an object; it must be a string"),
        (PAIR | {"reference": " "}, "segment 1 has no reference"),
        (PAIR | {"refs": "x"}, "'refs' is not a field here"),
        (PAIR | {"settings": []}, "settings is a list; it must be an object"),
        (b"", "the request is not JSON in UTF-8 (it is empty)"),
        (b'{"reference": "\xff"}', "the request is not JSON in UTF-8"),
        (b'{"f": NaN}', "the request is not JSON in UTF-8 (NaN is not a number of JSON)"),
        (
            b'{"reference": "x", "hypothesis": "y", "settings": {"f": 1, "f": 2}}',
            "the key 'f' occurs twice in an object; give it once",
        ),
        (b"[" * 100_000, "the JSON is nested too deeply"),
        (b'{"f": ' + b"1" * 10_000 + b"}", "the request is not JSON"),
    ],
)
def test_a_request_that_is_wrong_is_answered_in_one_line(ask, request_, message):
    status, said = refusal(ask("/score", request_))
    assert (status, said[: len(message)]) == (400, message)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_ordr", 3, "'max_ordr' is not a setting here; did you mean"),
        ("max_order", True, "max_order is true; it must be a whole number"),
        ("f", "0.25", "f is '0.25'; it must be a number"),
        ("f", {}, "f is an object; it must be a number"),
        ("case", [[1]], "case is a list; choose from "),
        ("script", "simplifed", "script is 'simplifed'; did you mean"),
        ("lang", "xx", "lang is 'xx'; choose from zh, ja"),
        ("lang", 1, "lang is 1; choose from "),
        ("lexicon", "zhcore", "lexicon is 'zhcore'; did you mean 'zh-core'"),
        ("lexicon", "/etc/passwd", "lexicon is '/etc/passwd'; choose from"),
        ("weights", "/etc/passwd", "weights is '/etc/passwd'; choose from"),
        ("lexicon", ["zh-core", "../x"], "lexicon is '../x'; choose from"),
        ("lexicon", [["zh-core"]], "lexicon is a list; choose from "),
        ("lexicon", 7, "lexicon is 7; choose from"),
        ("time_limit", 1e9, "'time_limit' is not a setting here"),
    ],
)
def test_a_setting_that_is_wrong_is_answered_in_one_line(ask, name, value, message):
    status, said = refusal(ask("/score", PAIR | {"settings": {name: value}}))
    assert (status, said[: len(message)]) == (400, message)


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/score", b" " * (LIMITS.body_bytes + 1), {}, 413),
        ("/score", b"reference=x", {"Content_Type": "text/plain"}, 415),
        ("/score", None, {}, 405),
        ("/", b"{}", {}, 405),
        ("/nothing", None, {}, 404),
        ("/report/none", None, {}, 404),
        ("/../../etc/passwd", None, {}, 404),
    ],
)
def test_other_ways_are_refused(ask, path, body, headers, status):
    assert refusal(ask(path, body, **headers))[0] == status


def test_a_request_may_have_as_many_bytes_as_the_limit(ask):
    assert ask("/score", json.dumps(PAIR).encode().rjust(LIMITS.body_bytes))[0] == 200


# ---- who may ask --------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "localhost:9", "[::1]:8000"])
def test_this_machine_may_ask(ask, host):
    assert ask("/score", PAIR, Host=host)[0] == 200
    own_site = {"Origin": f"http://{host}", "Sec_Fetch_Site": "same-origin"}
    assert ask("/score", PAIR, Host=host, **own_site)[0] == 200


OTHER_HOSTS = ["example.com", "example.com:80", "127.0.0.1.example.com", "localhost:x", ""]
OTHER_HOSTS += ["x@localhost", "127.0.0.1:80:80", "0.0.0.0", "LOCALHOST.example"]


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_another_host_is_refused(ask, host):
    for path, body in (("/", None), ("/openapi.json", None), ("/score", PAIR)):
        status, said = refusal(ask(path, body, Host=host))
        assert status == 403 and said.startswith("Host is ")


@pytest.mark.parametrize(
    "origin", ["http://example.com", "null", "https://localhost", "http://localhost:1", "file://"]
)
def test_another_site_is_refused(ask, origin):
    status, said = refusal(ask("/score", PAIR, Host="localhost", Origin=origin))
    assert (status, said.partition(";")[0]) == (403, f"Origin is {origin}")
    assert ask("/score", PAIR, Sec_Fetch_Site="cross-site")[0] == 403


def test_every_answer_has_a_strict_policy(ask):
    for path, body in (("/", None), ("/score", PAIR), ("/nothing", None), ("/score", b"?")):
        _, headers, _ = ask(path, body)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ") and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and "http" not in policy and "*" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers and "server" not in headers


def test_only_the_loopback_interface_listens(port):
    listening = serving.listen(0)
    assert listening.getsockname()[0] == "127.0.0.1"
    listening.close()


LONG_PAIR = pytest.mark.parametrize("long_pair_characters", [100, 10**6], ids=["process", "thread"])


@LONG_PAIR
def test_a_long_pair_does_not_stop_the_others(long_pair_characters, monkeypatch):
    begun, released = threading.Semaphore(0), threading.Event()

    ask_worker, score = jobs.Pool._ask, answers.score

    def hold():
        begun.release()
        assert released.wait(PATIENCE)

    async def ask_and_wait(*arguments):
        await asyncio.to_thread(hold)
        return await ask_worker(*arguments)

    def score_and_wait(hypothesis, *given, **settings):
        if len(hypothesis) > 100:
            hold()
        return score(hypothesis, *given, **settings)

    monkeypatch.setattr(jobs.Pool, "_ask", ask_and_wait)
    monkeypatch.setattr(answers, "score", score_and_wait)
    request = {"reference": "买雨伞" * 51, "hypothesis": "买伞" * 51}
    statuses = []
    with serve(long_pair_characters=long_pair_characters) as port:
        ask = asking(port)
        threads = [
            threading.Thread(target=lambda: statuses.append(ask("/score", request)[0]))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        assert begun.acquire(timeout=PATIENCE) and begun.acquire(timeout=PATIENCE)
        assert ask("/score", PAIR)[0] == 200
        assert not statuses  # they are not over
        released.set()
        for thread in threads:
            thread.join()
    assert statuses == [200, 200]


@LONG_PAIR
def test_a_pair_that_takes_too_long_is_refused(long_pair_characters):
    with serve(pair_seconds=1.0, long_pair_characters=long_pair_characters) as port:
        ask = asking(port)
        ready = PAIR | {"settings": LONG["settings"]}
        assert soon(lambda: ask("/score", ready)[0] == 200)  # the lexicon is loaded
        too_long = "too long: there is no answer after 1 s; try shorter text"
        assert refusal(ask("/score", LONG)) == (503, too_long)


def test_a_client_may_leave(ask, port):
    body = json.dumps(LONG).encode()
    for sent in (body, body[:100]):
        with socket.create_connection(("127.0.0.1", port)) as client:
            head = "POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + sent)
            time.sleep(0.1)
    assert ask("/score", PAIR)[0] == 200


def test_the_longer_the_texts_the_fewer_words_are_scored_as_synonyms(ask):
    for n, most in ((200, 100), (600, 41), (1200, 20)):
        texts = ["".join(map(chr, range(start, start + n))) for start in (0x4E00, 0x6E00)]
        pair = dict(zip(("reference", "hypothesis"), texts, strict=True))
        status, _, body = ask("/explain", pair)
        rows = [row for row in body["against"][0]["unmatched"] if row[3] >= 0]  # with a nearest
        near, scored = set(), set()
        for side, *spans, _, score in (row[:7] for row in rows):
            words = tuple(spans if side else spans[2:] + spans[:2])
            near.add(words)
            scored |= {words} if score is not None else set()
        assert status == 200 and len(scored) == min(most, len(near))


def test_a_pair_that_cannot_be_explained_is_scored(ask):
    pair = {"reference": "雨伞" * 700, "hypothesis": "雨伞" * 700}
    assert ask("/score", pair)[2]["score"] == 1
    status, said = refusal(ask("/explain", pair))
    assert status == 422 and said.startswith("too long: ") and "links are too many" in said


def test_a_bug_is_answered_and_printed(ask, monkeypatch, capfd):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(answers, "_metric", broken)
    assert refusal(ask("/score", PAIR))[0] == 500
    monkeypatch.undo()
    assert "ZeroDivisionError" in capfd.readouterr().err
    assert ask("/score", PAIR)[0] == 200


# ---- reports ------------------------------------------------------------------------------------


def test_files_make_a_report(ask):
    request = {
        "references": [file("ref.zh", "买雨伞\n你好\n")],
        "systems": [file("../../a/A.zh", "买伞\n你好\n"), file(f"{SCRIPT}.zh", "卖\n你\n")],
    }
    status, _, body = ask("/report", request)
    assert status == 200, body
    status, headers, page = ask(body["report"])
    assert status == 200 and page.startswith("<!doctype html>")
    assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert "connect-src" not in headers["content-security-policy"]
    assert "<script>document" not in page and "a_A" in page
    assert page.count('class="interval"') == 2


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"references": []}, "references is a list of 0; it must have 1 to 10"),
        ({"references": {}}, "references is an object; it must be a list"),
        ({"references": ["/etc/passwd"]}, "references 1 is '/etc/passwd'; it must be an object"),
        ({"references": [{"name": "x", "data": "?"}]}, "x: data is not base64"),
        ({"references": [file("r", "一\n二\n")], "systems": [file("s", "一\n")]}, "s has 1 line"),
        ({"references": [file("r", b"\xff\n")], "systems": [file("s", "一\n")]}, "r, line 1"),
        ({"references": [file("r", "\n")], "systems": [file("s", "一\n")]}, ""),
    ],
)
def test_files_that_make_none(ask, request_, message):
    status, said = refusal(ask("/report", request_))
    assert (status, said[: len(message)]) == (400, message)
    assert "/tmp" not in said and "celab-" not in said


def test_the_columns_of_a_table_are_answered(ask):
    text = "原文,译文\nHe bought an umbrella.,他昨天在火车站买了一把很大的雨伞。\n"
    status, _, body = ask("/columns", file("a.csv", text.encode("gb18030")))
    assert status == 200 and [column["kind"] for column in body["columns"]] == ["source", "system"]
    assert body["has_names"] and body["warnings"] == ["a.csv is read as gb18030"]
    assert ask("/columns", file("a.txt", "伞\n"))[2] == {"columns": [], "has_names": False}
    status, said = refusal(ask("/columns", file("a.xlsx", b"PK\3\4")))
    assert (status, said[:6]) == (400, "a.xlsx") and "/" not in said


def test_columns_that_are_chosen_are_scored(ask):
    table = file("a.csv", "A,B,C\n他买伞。,他买了雨伞。,伞。\n")
    for hyp, score in (("A", 1.0), ("C", 0.0)):
        fields = {"ref": ["A"], "hyp": [hyp]}
        status, _, body = ask("/report", {"references": [table], "fields": fields})
        assert status == 200, body
        assert (f"{score:.4f}" in ask(body["report"])[2]) == (hyp == "A")
    wrong = {"references": [table], "fields": {"ref": ["A"], "hyp": ["D"]}}
    assert refusal(ask("/report", wrong))[1].startswith("a.csv has no 'D' for the system")
    status, said = refusal(ask("/report", {"references": [table]}))
    assert said.startswith("a.csv has the columns A, B, C") and "=" not in said and "--" not in said


def test_lengths_that_differ_can_be_aligned(ask):
    request = {
        "references": [file("r", "他买了雨伞。\n我们明天去北京。\n")],
        "systems": [file("s", "他买了一把伞。明天我们去北京。\n")],
    }
    status, _, body = ask("/report", request)
    assert (status, body) == (400, {"error": "s has 1 line but r has 2", "can_align": True})
    status, _, body = ask("/report", request | {"align": True})
    assert status == 200 and "align:edit" in ask(body["report"])[2]
    request["references"].append(file("q", "雨伞。\n"))
    assert "can_align" not in ask("/report", request)[2]  # references that differ, too


# ---- the description ----------------------------------------------------------------------------


def test_the_description_has_every_option(ask):
    status, _, body = ask("/openapi.json")
    assert status == 200 and body["openapi"].startswith("3.1")
    schemas = body["components"]["schemas"]
    settings = schemas["Settings"]["properties"]
    assert {"lang", "profile", "lexicon", *TeslaCelabOptions.__dataclass_fields__} == set(settings)
    order = settings["max_order"]
    assert (order["type"], order["minimum"], order["maximum"]) == ("integer", 1, 6)
    assert (order["default"], order["description"][:14]) == (4, "longest n-gram")
    text = json.dumps(body)
    assert all(name == "Settings" or f"schemas/{name}" in text for name in schemas)
    assert set(ask("/score", PAIR)[2]) == set(schemas["ScoreAnswer"]["required"])


@pytest.mark.filterwarnings("ignore:no settings are recommended")
def test_the_page_knows_the_defaults_of_each_profile_and_language():
    page, _ = answers.playground()
    usual = json.loads(re.search(r'id="data">(.+?)</script>', page)[1])["usual"]
    makers = {"paper": celab.TeslaCelab, "recommended": celab.recommended}
    assert usual.keys() == makers.keys()
    for profile, make in makers.items():
        for lang, shown_values in usual[profile].items():
            metric = make(lang=lang, lexicon=None)
            parts = [part.options for part in getattr(metric, "parts", [metric])]
            for name, spec in TeslaCelabOptions.__dataclass_fields__.items():
                expected = list(dict.fromkeys(getattr(part, name) for part in parts))
                assert shown_values.get(name, [info_of(spec).default]) == expected


def test_the_page_of_the_documentation_shows_what_is_answered(ask):
    text = (ROOT / "docs" / "report-and-playground.md").read_text("utf-8")
    request = re.search(r"-d '(.+)'\n", text)[1]
    answer, error = (json.loads(found) for found in re.findall(r"```text\n(.+)\n```", text))
    _, _, body = ask("/score", json.loads(request))
    assert body.pop("signature").startswith(answer.pop("signature").removesuffix("…"))
    assert body == answer
    wrong = PAIR | {"settings": {"max_order": 9}}
    assert ask("/score", wrong)[2] == error
    usual = LIMITS
    for row in (
        f"a text | {limits.MAX_TEXT:,} characters",
        f"references of a pair or a report | {limits.MAX_REFERENCES}",
        f"a word to look up | {limits.MAX_LEXICONS}; {limits.MAX_WORD} characters",
        f"{usual.body_bytes >> 20} MiB; {usual.report_body_bytes >> 20} MiB",
        f"to arrive | {usual.body_seconds:g} s",
        f"for a report | {usual.pair_seconds:g} s; {usual.report_seconds:g} s",
        f"| {usual.worker_memory_bytes >> 30} GiB",
        f"segments of a report | {limits.MAX_SYSTEMS}; {usual.segments:,}",
        f"| {usual.unpacked_bytes >> 20} MiB in all",
        f"an answer or report | {usual.answer_bytes >> 20} MiB",
        f"waiting for either | 1; {usual.long_pair_workers}; {usual.waiting}",
        f"requests at once | {usual.requests}",
        f"up to {usual.long_pair_characters:,} characters",
    ):
        assert row in text


# ---- the command --------------------------------------------------------------------------------


def test_a_port_in_use_is_one_line(port, capsys):
    assert command.main(["--port", str(port)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith(f"celab serve: error: port {port} is in use; give another with --port")


def test_every_text_of_the_page_has_its_chinese():
    folder = ROOT / "celab" / "report" / "html" / "templates"
    chinese = playground_translations()
    used = set()
    names = [path.name for path in folder.glob("playground*.js")]
    for name in (*names, "sentences.js", "arithmetic.js", "versus.js", "playground.html.j2"):
        source = (folder / name).read_text("utf-8")
        used.update(re.findall(r'(?:say|more)\((?:"hyps", |"refs", )?"([^"]+)"', source))
        used.update(re.findall(r'(?:text|title): "([^"]+)"', source))
        used.update(re.findall(r'said\("\w+", "([^"]+)"', source))
        used.update(re.findall(r'copyButton\([^"]+, "([^"]+)"', source))
    assert len(used) > 40
    assert used <= chinese.keys(), sorted(used - chinese.keys())
    for spec in TeslaCelabOptions.__dataclass_fields__.values():
        assert info_of(spec).omit_default_from_signature or info_of(spec).help in chinese


# ---- the page in a browser ----------------------------------------------------------------------

ANSWERED = (
    "!document.querySelector('#result.waiting')"
    " && document.querySelector('#result').childElementCount"
    " && [...document.querySelectorAll('.value')].every(x => x.childElementCount)"
)


@pytest.fixture
def opened(browser, port):
    """Opens the page; it must ask only its own server, and complain of nothing."""
    pages = []

    def open_page(**size):
        pages.append(browser.open(f"http://127.0.0.1:{port}/", **size))
        pages[-1].until(ANSWERED)
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.complaints() == []
        assert all(url.startswith(f"http://127.0.0.1:{port}/") for url in page.requests())
        assert page.run("document.title") == "TESLA-CELAB"
        page.close()


def fill(page, selector, text):
    """Types into a field in place of what is there."""
    page.run(
        f"(() => {{ const x = document.querySelector({json.dumps(selector)}); x.focus();"
        " x.select(); })()"
    )
    page.type(text)


def choose(page, name, value):
    page.run(
        f"(() => {{ const x = document.querySelector('#settings [name={name}]');"
        f" x.value = {json.dumps(value)};"
        " x.dispatchEvent(new Event('change')); })()"
    )


def shown(page, score):
    page.until(f"document.querySelector('.value b')?.textContent === '{score:.4f}'")
    page.until(ANSWERED)


@pytest.mark.browser
def test_settings_change_the_score(opened):
    page = opened()
    choose(page, "lexicon", "")
    shown(page, 1)
    choose(page, "max_order", "1")
    shown(page, celab.TeslaCelab(max_order=1).sentence_score("买伞", ["买雨伞"]).score)
    page.click("#settings summary")
    fill(page, "#settings [name=f]", "2")
    shown(page, celab.TeslaCelab(max_order=1, f=2).sentence_score("买伞", ["买雨伞"]).score)
    names = page.run("[...document.querySelectorAll('#settings [name]')].map(x => x.name)")
    assert set(names) == {"lang", "lexicon", *TeslaCelabOptions.__dataclass_fields__}
    page.click("[data-form=Command]")
    assert page.text("#code").endswith("celab explain 1 -r ref.txt -s hyp.txt --max-order 1 --f 2")
    choose(page, "lang", "ja")
    page.until("document.querySelector('#settings [name=script]').value === 'keep'")
    page.until("document.querySelector('.signature').textContent.includes('lang:ja')")


@pytest.mark.browser
def test_the_steps_show_the_rules(opened):
    page = opened()
    for step in (2, 3, 4):
        page.click(f"#steps button:nth-child({step})")
        shown(page, 1)
    page.until("document.querySelectorAll('.ngrams .token[data-state=covered]').length === 7")
    page.click("#steps button:nth-child(3)")
    page.until("document.querySelectorAll('.token.lit').length === 5")
    page.click("#steps button:nth-child(7)")
    page.until("document.querySelectorAll('.value b').length === 2")
    page.click("#hyps-1")
    page.until("document.querySelector('#result-heading').textContent.includes('translation B')")


@pytest.mark.browser
def test_the_page_speaks_chinese(opened):
    page = opened()
    page.click("#language")
    page.until(ANSWERED)
    assert page.run("document.documentElement.lang") == "zh-CN"
    page.click("#steps button:nth-child(5)")
    page.until(ANSWERED)
    text = page.run("document.querySelector('main').innerText")
    assert "召回率" in text and "链接" in text
    page.run("document.querySelectorAll('details').forEach(x => { x.open = true; })")
    for english in ("score", "recall", "link", "reference", "hypothesis", "Hover", "unmatched"):
        shown_text = page.run(
            "['#steps','#lesson','#fields','#result'].map(x =>"
            " document.querySelector(x).innerText).join(' ')"
        )
        shown_text = shown_text.replace(page.text(".signature"), "")
        assert english not in shown_text
    page.click("#language")
    assert page.run("document.documentElement.lang") == "en"


@pytest.mark.browser
@pytest.mark.parametrize(
    "text", [SCRIPT, IMAGE, "\u202e买\u2066伞\u200f", "a\0b", "'\"`${1}</script>"]
)
def test_hostile_text_is_only_text(opened, text):
    page = opened()
    for selector in ("#refs-0", "#hyps-0"):
        fill(page, selector, text)
    page.until(f"document.querySelector('#refs-0').value === {json.dumps(text)}")
    shown(page, celab.TeslaCelab(lexicon=None).sentence_score(text, [text]).score)
    fill(page, "[name=word]", text)
    page.until("document.querySelector('#groups .note')")
    for form in ("Command", "curl", "Python"):
        page.click(f"[data-form={form}]")
    assert page.count("img") == 0 and page.count("script") == 2


@pytest.mark.browser
def test_pasted_texts_make_a_report(opened, browser, port):
    page = opened()
    fill(page, "#report [name=reference]", "买雨伞\n你好")
    fill(page, "#report [name=system]", "买伞\n你好")
    page.click("#report p button")
    page.until("document.querySelector('#made a')")
    address = page.run("document.querySelector('#made a').href")
    report = browser.open(address)
    report.until("document.getElementById('count').textContent === '2 segments'")
    assert report.complaints() == []
    report.close()


@pytest.mark.browser
def test_dropped_files_make_a_report(opened):
    page = opened()
    page.run(
        "(() => { const given = new DataTransfer();"
        "for (const [name, text] of [['REF.zh', '买雨伞'], ['a.zh', '买伞'], ['b.zh', '卖']])"
        " given.items.add(new File([text], name));"
        "document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: given, bubbles: true,"
        " cancelable: true})); })()"
    )
    roles = page.run("[...document.querySelectorAll('#files select')].map(x => x.value)")
    assert roles == ["references", "systems", "systems"]
    page.click("#report p button")
    page.until("document.querySelector('#made a')")


@pytest.mark.browser
def test_what_is_copied_gives_the_same_score(opened, tmp_path):
    page = opened()
    hyp, ref = "买'伞\" $(x) \\n `", "买雨伞 $HOME"
    fill(page, "#refs-0", ref)
    fill(page, "#hyps-0", hyp)
    choose(page, "max_order", "3")
    metric = celab.TeslaCelab(max_order=3)
    score = metric.sentence_score(hyp, [ref]).score
    shown(page, score)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def printed(form, *program):
        page.click(f"[data-form={form}]")
        code = page.text("#code").replace("celab explain", f"{sys.executable} -m celab explain")
        done = subprocess.run(
            [*program, code], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert float(printed("Python", sys.executable, "-c")) == score
    assert f"score {score:.4f}" in printed("Command", "sh", "-c")
    page.click("[data-form=curl]")
    request = json.loads(page.text("#code").split(" -d ", 1)[1].strip()[1:-1].replace("'\\''", "'"))
    assert request == {
        "reference": ref,
        "hypothesis": hyp,
        "settings": {"max_order": 3},
    }


@pytest.mark.browser
def test_the_policy_stops_what_would_get_in(browser, port):
    page = browser.open(f"http://127.0.0.1:{port}/")
    page.until(ANSWERED)
    page.run(
        "(() => { const made = document.createElement('script');"
        "made.textContent = 'document.title = \"hacked\"'; document.body.append(made);"
        "fetch('http://127.0.0.2:1/').catch(() => { document.body.dataset.refused = 1; }); })()"
    )
    page.until("document.body.dataset.refused")
    assert page.run("document.title") == "TESLA-CELAB"
    refused = [said for said in page.complaints() if "Content Security Policy" in said]
    assert any("script-src" in said for said in refused)
    assert any("connect-src" in said for said in refused)
    page.close()
