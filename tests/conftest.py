"""What all tests share: a cache folder of their own, published data, small lexicons."""

import gc
import os
import random
import re
import shutil
import signal
import tempfile
from collections import Counter
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import chromium
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Cases of a test that Hypothesis draws; `make check` draws more.
_EXAMPLES = int(os.environ.get("CELAB_EXAMPLES", "10"))
settings.register_profile("celab", deadline=None, max_examples=_EXAMPLES)
# The same examples on every run: a change that is not to blame must not be stopped.
settings.register_profile("ci", settings.get_profile("celab"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "celab")


def scaled(number):
    """Return how many cases to draw: this many at CELAB_EXAMPLES=50, else in proportion."""
    return max(2, round(number * _EXAMPLES / 50))


def examples(number):
    """Return settings of Hypothesis with a scaled number of cases."""
    return settings(max_examples=scaled(number))


def each_pair(cases, values=tuple):
    """Return parameters: cases with each pair of values first, and all others as `thorough`."""
    pairs = [set(combinations(sorted(set(values(case))), 2)) for case in cases]
    chosen, covered = set(), set()
    for n_new in range(max(map(len, pairs)), 0, -1):  # those that add most first, so few are needed
        for i, own in enumerate(pairs):
            if len(own - covered) >= n_new:
                chosen.add(i)
                covered |= own
    thorough = pytest.mark.thorough
    return [
        pytest.param(*case, marks=() if i in chosen else thorough) for i, case in enumerate(cases)
    ]


# The packages of languages, and how celab says that one is needed.
ABSENT = {name for name in ("HanTa", "jieba", "simplemma", "wordfreq") if find_spec(name) is None}
_NEEDED = re.compile(
    r"package '(\w+)' is not installed and this analysis needs it: pip install .*\[\w+\]\""
)


class SkipWithoutPackages:
    """Skips a test that needs the package of a language where that is not installed.

    Which tests these are celab itself says. A package that a test hides is not absent.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        needed = _NEEDED.search(report.longreprtext) if report.failed else None
        if needed and needed[1] in ABSENT:
            report.outcome = "skipped"
            report.longrepr = str(item.path), item.location[1], f"Skipped: {needed[0]}"
        return report


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write the golden files anew")
    parser.addoption(
        "--random-order",
        type=int,
        metavar="SEED",
        help="run the files in random order, and the tests of each file",
    )


def pytest_configure(config):
    # A shell script starts background jobs with SIGINT ignored, and what they start inherits that:
    # the tests that interrupt a command would wait forever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(SkipWithoutPackages())  # for doctests too
    os.environ.pop("GITHUB_ACTIONS", None)  # a gate prints more if it is set
    # Thousands of tests are collected and stay: to look for garbage among them takes long.
    gc.disable()
    # Before anything is imported, so that doctests and the commands that tests start have it too.
    # Workers of pytest-xdist inherit the folder of the process that started them.
    if not hasattr(config, "workerinput"):
        config.lexicon_folder = tempfile.TemporaryDirectory(prefix="celab-lexicons-")
        os.environ["CELAB_LEXICONS"] = config.lexicon_folder.name


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    seed = config.getoption("--random-order")
    if seed is None:
        return
    # The tests of a file stay together: what they share is made once. All workers of pytest-xdist
    # have one seed, as they must, because they have to agree on the order.
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    rng = random.Random(seed)
    paths = list(files)
    rng.shuffle(paths)
    for path in paths:
        rng.shuffle(files[path])
    items[:] = [item for path in paths for item in files[path]]


_LONG = ("browser", "thorough")  # what `make test` leaves out


def pytest_deselected(items):
    # Each worker of pytest-xdist leaves out the same tests, and tells the process that started it.
    config = items[0].config
    marks = [mark for item in items for mark in _LONG if item.get_closest_marker(mark)]
    getattr(config, "workeroutput", vars(config))["left_out"] = dict(Counter(marks))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    node.config.left_out = getattr(node, "workeroutput", {}).get("left_out", {})


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    for mark, number in sorted(getattr(config, "left_out", {}).items()):
        terminalreporter.write_line(f"left out: {number} tests ({mark}); `make check` runs them")
    if (seed := config.getoption("--random-order")) is not None:
        terminalreporter.write_line(f"in random order: --random-order {seed}")


def pytest_collection_finish():
    gc.enable()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    # `make sanitize` sets the variable for the build and for the tests.
    is_sanitized = os.environ.get("CELAB_SANITIZE", "0") not in ("", "0")
    if is_sanitized and (mark := item.get_closest_marker("unsanitized")):
        pytest.skip(mark.kwargs["reason"])
    if item.get_closest_marker("browser"):
        if is_sanitized:
            pytest.skip("a browser does not start under LD_PRELOAD, and runs no kernel")
        if chromium.found() is None:
            pytest.skip(f"there is no browser: none of {', '.join(chromium.NAMES)}")
        pytest.importorskip("playwright", reason="Playwright is not installed: no browser can run")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    try:
        return (yield)
    finally:
        # Tests without a browser may start an event loop, which Playwright's would not allow.
        if nextitem is None or not nextitem.get_closest_marker("browser"):
            chromium.stop_shared()


def pytest_unconfigure(config):
    chromium.stop_shared()  # still runs if the tests were interrupted
    if hasattr(config, "lexicon_folder"):
        config.lexicon_folder.cleanup()


@pytest.fixture(scope="session")
def shared():
    """The folder of published data beside the repository."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("../shared is not here: the published scores cannot be read")
    return folder


@pytest.fixture(scope="session")
def metric():
    """TESLA-CELAB with our own lexicon."""
    import celab

    return celab.TeslaCelab(lexicon="zh-core")


@pytest.fixture(scope="session")
def campaign(metric):
    """Both systems of the examples, scored and tested."""
    from campaigns import REF1, REF2, A, B

    import celab
    from celab.corpus import Corpus, Segment

    segments = [Segment("", str(n + 1)) for n in range(20)]
    corpus = Corpus(
        segments=segments, systems={"one": A, "other": B}, refs=[REF1, REF2], ref_names=["x", "y"]
    )
    return celab.Campaign(corpus).score(metric).test()


@pytest.fixture(scope="session")
def compared(metric):
    """Both systems of the examples, compared; names and documents are odd."""
    from campaigns import REF1, REF2, A, B

    import celab

    documents = ["news"] * 8 + ["talk"] * 12
    return celab.compare(A, B, [REF1, REF2], metric, names=("a<b>", "乙"), documents=documents)


@pytest.fixture
def judged(tmp_path):
    """A copy of the examples with human judgments."""
    return Path(shutil.copytree(ROOT / "examples" / "judged", tmp_path / "judged"))


@pytest.fixture
def browser():
    """A browser without pages; it runs until a test without the marker `browser` follows."""
    shared = chromium.start_shared()
    yield shared
    shared.close_pages()


@pytest.fixture
def make_lexicon(tmp_path):
    """Writes groups of words, such as `["雨伞 伞", "买 购"]`, as a TSV; gives its path."""

    def make(groups, name="synonyms.tsv"):
        path = tmp_path / name
        lines = ["\t".join(group.split()) + "\n" for group in groups]
        path.write_bytes("".join(lines).encode())
        return path

    return make


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Return a function that writes a file (text or bytes) to a temporary working folder."""
    monkeypatch.chdir(tmp_path)

    def put(name, data):
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        return name

    return put


@pytest.fixture
def run(request, capsys):
    """Return a function that calls the command that the test's module names `COMMAND`."""
    from commands import caller

    return caller(request.module.COMMAND, capsys)


@pytest.fixture
def write_source(tmp_path):
    """Writes a file (text or bytes) or a folder (a dict of them); gives it as a source."""
    # Not above: nothing of ours is imported before `pytest_configure`.
    from reader_samples import source_at

    def make(content, name="lexicon.txt", **settings):
        return source_at(tmp_path / name, content, **settings)

    return make


@pytest.fixture
def no_font(monkeypatch):
    """A machine without a font for Chinese, Japanese and Korean, where no plot was drawn yet."""
    from celab.report import plots

    monkeypatch.setattr(plots, "FONTS", ())
    plots._wide_font.cache_clear()
    yield
    plots._wide_font.cache_clear()
