"""`celab serve` compiles a lexicon once for all who wait, however long that takes."""

import asyncio
import threading
from dataclasses import replace

import pytest

from celab.serve import LIMITS
from celab.serve.jobs import Pool, RefusedRequest

pytest.importorskip("fastapi", reason="celab[serve] is not installed")
pytest.importorskip("uvicorn", reason="celab[serve] is not installed")

from serving import PAIR, PATIENCE, asking, file, refusal, serve, soon

import celab
from celab.base.errors import LexiconError
from celab.lexicon import lexicon
from celab.serve import answers, jobs

BEING_PREPARED = (503, "the lexicon is being prepared; try again in a few seconds")
SETTINGS = {"lexicon": "zh-core", "script": "traditional"}
SLOW = PAIR | {"settings": SETTINGS}
QUICK = PAIR | {"settings": {"lexicon": "none"}}


class Compiling:
    """Compilations that last until they are released."""

    def __init__(self, compile_groups):
        self._compile = compile_groups
        self.released = threading.Event()
        self.n_begun = 0
        self.error = None

    def __call__(self, *arguments, **settings):
        self.n_begun += 1
        assert self.released.wait(60)
        if self.error:
            raise self.error
        return self._compile(*arguments, **settings)


@pytest.fixture
def serving(monkeypatch, tmp_path):
    """Start a server whose later compilations last until they are released."""
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path))
    compiling = Compiling(lexicon.compile_groups)
    answers.load_metric.cache_clear()
    servers = []

    def start(patience=0.2, **limits):
        # Only the wait for a lexicon is short: a pair has the time that it needs.
        server = serve(loading_seconds=patience, **limits)
        port = server.__enter__()  # its page has a lexicon, too
        servers.append(server)
        monkeypatch.setattr(lexicon, "compile_groups", compiling)
        return port, compiling

    yield start
    compiling.released.set()
    for server in servers:
        server.__exit__(None, None, None)
    answers.load_metric.cache_clear()


def test_a_lexicon_is_compiled_once_for_all_who_wait(serving):
    port, compiling = serving()
    ask = asking(port)
    refused = []
    threads = [
        threading.Thread(target=lambda: refused.append(ask("/score", SLOW)))
        for _ in range(12)  # more than there are threads
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [refusal(answer) for answer in refused] == [BEING_PREPARED] * 12
    assert {answer[1]["retry-after"] for answer in refused} == {"1"}
    assert soon(lambda: ask("/score", QUICK)[0] == 200)  # others need not wait
    compiling.released.set()
    assert soon(lambda: ask("/score", SLOW)[0] == 200)
    metric = celab.TeslaCelab(**SETTINGS)
    expected = metric.corpus_score([PAIR["hypothesis"]], [[PAIR["reference"]]])
    assert ask("/score", SLOW)[2]["signature"] == expected.signature
    assert compiling.n_begun == 1


@pytest.mark.parametrize(
    ("path", "request_"),
    [
        ("/explain", SLOW),
        (
            "/report",
            {
                "references": [file("r", "买雨伞")],
                "systems": [file("s", "买伞")],
                "settings": SETTINGS,
            },
        ),
    ],
)
def test_a_worker_process_need_not_compile(serving, monkeypatch, path, request_):
    asked = []

    async def answer(_, seconds, work, arguments):
        asked.append(work)
        return {"html": ""}

    monkeypatch.setattr(jobs.Pool, "run", answer)
    port, compiling = serving(long_pair_characters=0)
    ask = asking(port)
    assert refusal(ask(path, request_)) == BEING_PREPARED
    assert asked == []
    compiling.released.set()
    assert soon(lambda: ask(path, request_)[0] == 200)
    assert len(asked) == 1 and compiling.n_begun == 1


def test_words_are_looked_up_when_their_lexicon_is_ready(serving, monkeypatch):
    loaded, released = [], threading.Event()
    load = answers.catalog.load
    answers.load_thesaurus.cache_clear()

    def wait_and_load(located):
        loaded.append(located.name)
        assert released.wait(60)
        return load(located)

    port, _ = serving()
    ask = asking(port)
    monkeypatch.setattr(answers.catalog, "load", wait_and_load)
    request = {"word": "雨伞", "lexicon": "zh-core"}
    for _ in range(3):
        assert refusal(ask("/lookup", request)) == BEING_PREPARED
    released.set()
    assert soon(lambda: ask("/lookup", request)[0] == 200)
    assert loaded == ["zh-core"]


def test_an_error_is_answered_and_the_next_request_tries_again(serving):
    port, compiling = serving(patience=PATIENCE)
    ask = asking(port)
    compiling.error = LexiconError("the lexicon is damaged")
    compiling.released.set()
    assert refusal(ask("/score", SLOW)) == (400, "the lexicon is damaged")
    compiling.error = None
    assert ask("/score", SLOW)[0] == 200
    assert compiling.n_begun == 2


@pytest.mark.browser
def test_the_page_asks_again_until_the_lexicon_is_ready(serving, browser):
    port, compiling = serving()
    options = "option-lexicon=%22zh-core%22&option-script=%22traditional%22"
    page = browser.open(f"http://127.0.0.1:{port}/#ref=买雨伞&hyp=买伞&{options}")
    page.until("document.querySelector('#alignment .notice')")
    assert page.text("#alignment").startswith("The lexicon is being prepared")
    compiling.released.set()
    page.until("document.querySelector('#result .signature')")
    assert "script:traditional" in page.text("#result .signature")
    page.close()


def test_so_many_may_work_and_wait_each_time(monkeypatch):
    async def check():
        pool, is_done = Pool("reports", 2, replace(LIMITS, waiting=1)), asyncio.Event()

        async def take():
            pass

        async def ask(*_):
            await is_done.wait()

        monkeypatch.setattr(pool, "_take", take)
        monkeypatch.setattr(pool, "_ask", ask)
        for _ in range(2):
            is_done.clear()
            running = [asyncio.create_task(pool.run(9, "x", {})) for _ in range(3)]
            await asyncio.sleep(0)
            with pytest.raises(RefusedRequest):
                await pool.run(9, "x", {})
            is_done.set()
            await asyncio.gather(*running)

    asyncio.run(check())
