"""Under stress: memory stays where it is over many corpora, and threads may share a metric."""

import gc
import multiprocessing
import os
import random
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from celab import TeslaCelab, TeslaM

pytestmark = pytest.mark.thorough
N_CORPORA = 2_000
N_WARM = 500
N_DISTINCT = 500  # as many as TESLA-M may remember, and it remembers them from the warm-up
MOST_GROWTH = 3 << 18  # bytes: a leak of a kilobyte a corpus would be nearly twice that
GROUPS = ["雨伞 伞 洋伞", "买 购买", "了 完", "的 地 得"]
LETTERS = "买购雨伞洋了的 a1"


def sentence(rng, most=10):
    return "".join(rng.choices(LETTERS, k=rng.randint(1, most))) + "伞"


def tagged(rng, most=8):
    words = (
        (rng.choice("abcde"), rng.choice(["N", "V", "F"])) for _ in range(rng.randint(1, most))
    )
    return " ".join(f"{lemma}|{lemma}|{tag}" for lemma, tag in words)


def corpora(make, n, seed=1, size=2):
    rng = random.Random(seed)
    for _ in range(n):
        yield tuple([make(rng) for _ in range(size)] for _ in range(2))


def resident():
    """Bytes of this process in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def load_solver():
    """HiGHS takes 6 MB when it is first needed, which may be after the warm-up."""
    assert TeslaCelab(lexicon=None, solver="highs").sentence_score("伞", ["伞"]).score == 1.0


@pytest.fixture
def synonyms(make_lexicon):
    return make_lexicon(GROUPS)


def celab_with_lexicon(path):
    return TeslaCelab(lexicon=path, script="keep")


def tesla_m(**options):
    return TeslaM(analysis="tagged", function_tags=["F"], lexicon=None, **options)


METRICS = {
    "celab without lexicon": (lambda path: TeslaCelab(lexicon=None), sentence),
    "celab": (celab_with_lexicon, sentence),
    "celab of the release": (lambda path: TeslaCelab(lexicon=path, links="release-2012"), sentence),
    "celab by HiGHS": (lambda path: TeslaCelab(lexicon=path, solver="highs"), sentence),
    "tesla-m": (lambda path: tesla_m(), tagged),
    "tesla-m by HiGHS": (lambda path: tesla_m(max_order=1, solver="highs"), tagged),
}

needs_statm = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory is measured by /proc/self/statm"
)
freed = pytest.mark.unsanitized(reason="AddressSanitizer keeps freed memory for a while")


def in_a_new_process(work, *arguments):
    """What `work` returns there: in this one, a leak may hide in what other tests have freed."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def growth_over_corpora(name, path):
    make, text = METRICS[name]
    metric = make(path)
    load_solver()
    before = 0
    todo = list(corpora(text, N_DISTINCT, size=1))
    for number in range(N_CORPORA):
        if number == N_WARM:
            before = resident()
        hyps, refs = todo[number % N_DISTINCT]
        metric.corpus_score(hyps, [refs])
    return resident() - before


@needs_statm
@freed
@pytest.mark.parametrize(
    "name",
    [
        "celab without lexicon",
        "celab",
        "tesla-m",
        "celab of the release",
        "celab by HiGHS",
    ],
)
def test_memory_is_flat_over_thousands_of_corpora(synonyms, name):
    assert in_a_new_process(growth_over_corpora, name, synonyms) < MOST_GROWTH


def growth_over_metrics(path):
    # Of two equal spans: a leak grows in both, Python's table of interned strings at most in one.
    sizes, open_files = [], 0
    for number in range(1901):
        if number in (300, 1100, 1900):
            sizes.append(resident())
        if number == 300:
            open_files = len(os.listdir("/proc/self/fd"))
        TeslaCelab(lexicon=path, script="keep").sentence_score("买伞", ["购买雨伞"])
    growth = min(sizes[1] - sizes[0], sizes[2] - sizes[1])
    return growth, len(os.listdir("/proc/self/fd")) - open_files


@needs_statm
@freed
def test_memory_is_flat_over_metrics_and_their_lexicons(synonyms):
    n_bytes, n_files = in_a_new_process(growth_over_metrics, synonyms)
    assert n_bytes < MOST_GROWTH and n_files <= 0


@needs_statm
def test_a_lexicon_leaves_no_file_open(synonyms):
    celab_with_lexicon(synonyms).sentence_score("买伞", ["购买雨伞"])
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        celab_with_lexicon(synonyms).sentence_score("买伞", ["购买雨伞"])
    assert len(os.listdir("/proc/self/fd")) <= before


def growth_over_explanations(path):
    metric, before, repeated = celab_with_lexicon(path), 0, []
    for number, (hyps, refs) in enumerate(corpora(sentence, 1500, size=1)):
        if number == 300:
            before = resident()
        if number < 300:  # references are kept, up to a limit, so later ones must not be new
            repeated.append(refs[0])
        metric.explain(hyps[0], repeated[number % 300])
    return resident() - before


@needs_statm
@freed
def test_memory_is_flat_over_explanations(synonyms):
    assert in_a_new_process(growth_over_explanations, synonyms) < MOST_GROWTH


def growth_of_a_leak():
    kept, before = [], 0
    for number in range(N_CORPORA):
        if number == N_WARM:
            before = resident()
        kept.append(bytearray(1000))
    return resident() - before


@needs_statm
@freed
def test_a_leak_would_be_seen():
    # The measure itself: a kilobyte a corpus is kept, and shows.
    assert in_a_new_process(growth_of_a_leak) > MOST_GROWTH


def in_eight_threads(work):
    """What each of eight threads gets, all begun at once and made to take turns often."""
    start = threading.Barrier(8)

    def begin(number):
        start.wait()
        return work(number)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(begin, range(8)))
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("name", METRICS)
def test_eight_threads_share_one_metric(synonyms, name):
    make, text = METRICS[name]
    metric = make(synonyms)
    todo = list(corpora(text, 8 if "HiGHS" in name else 25, seed=2, size=8))
    alone = [make(synonyms).corpus_score(hyps, [refs]) for hyps, refs in todo]

    def work(number):  # each in an order of its own
        order = random.Random(number).sample(range(len(todo)), len(todo))
        found = {k: metric.corpus_score(todo[k][0], [todo[k][1]]) for k in order}
        return [found[k] for k in range(len(todo))]

    assert in_eight_threads(work) == [alone] * 8


def test_eight_threads_share_one_metric_for_matrices(synonyms):
    metric = celab_with_lexicon(synonyms)
    todo = [hyps + refs for hyps, refs in corpora(sentence, 10, seed=4, size=5)]
    alone = [celab_with_lexicon(synonyms).pairwise(texts, texts).tolist() for texts in todo]
    found = in_eight_threads(lambda _: [metric.pairwise(texts, texts).tolist() for texts in todo])
    assert found == [alone] * 8


@pytest.mark.parametrize("name", ["celab", "tesla-m"])
def test_eight_threads_share_one_metric_that_explains(synonyms, name):
    make, text = METRICS[name]
    metric = make(synonyms)
    todo = [(hyps[0], refs[0]) for hyps, refs in corpora(text, 12, seed=3, size=1)]
    alone = [make(synonyms).explain(*pair) for pair in todo]
    assert in_eight_threads(lambda _: [metric.explain(*pair) for pair in todo]) == [alone] * 8


def test_eight_threads_share_an_analyzer_that_forgets():
    metric = tesla_m()
    metric.analyzer.remembered = 3
    todo = list(corpora(tagged, 40, seed=4, size=3))
    alone = [tesla_m().corpus_score(hyps, [refs]) for hyps, refs in todo]
    found = in_eight_threads(lambda _: [metric.corpus_score(hyps, [refs]) for hyps, refs in todo])
    assert found == [alone] * 8
