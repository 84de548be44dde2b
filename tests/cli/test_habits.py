"""What people type who know sacreBLEU or COMET: it works, or is answered with the right line."""

import importlib
import itertools
import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import commands
import pytest
from conftest import ROOT
from scores_json import systems_of

from celab import Campaign, corpus
from celab.base.text import scripts
from celab.cli import loading
from celab.cli.main import COMMANDS
from celab.corpus import testsets
from celab.corpus.formats import is_nearer
from celab.corpus.join import short_names
from celab.corpus.model import FilePart

REF = ["今天天气很好", "他买了一把雨伞", "我们明天去北京旅游"] * 4
GOOD = ["今天天气很好", "他买了一把伞", "我们明天去北京旅行"] * 4
BAD = ["天气好", "他卖伞", "我去北京"] * 4
SOURCE = ["The weather is fine today", "He bought an umbrella", "We go to Beijing"] * 4


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A reference, systems in a folder, the source, documents."""
    (tmp_path / "hyp").mkdir()
    for name, lines in {
        "ref.zh": REF,
        "src.en": SOURCE,
        "hyp/GPT-4.txt": GOOD,
        "hyp/Old.v2.txt": BAD,
        "docs.tsv": ["domain\tdocid", *(f"news\td{n // 6}" for n in range(12))],
    }.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words, stdin=None):
    """Runs celab-score in this process; gives code, out and err. A list is standard input."""
    lexicon = () if {"-m", "--metrics"} & {*words} else ("--lexicon", "none")
    sent = None if stdin is None else "".join(f"{line}\n" for line in stdin)
    done = commands.run("score", *words, *lexicon, input=sent, encoding="utf-8")
    return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)


# Standard input


@pytest.mark.parametrize("more", [(), ("--segments",), ("-r", "ref.zh")])
def test_the_hypothesis_may_come_by_a_pipe(more):
    refs = () if "-r" in more else ("ref.zh",)
    usual = run("-r", "ref.zh", "-s", "hyp/GPT-4.txt", *(m for m in more if m == "--segments"))
    piped = run(*refs, *more, stdin=GOOD)
    assert (piped.code, piped.out) == (0, usual.out)
    assert "hypothesis standard input, reference ref.zh, 12 segments" in piped.err


def test_a_file_that_holds_a_system_does_not_wait_for_a_pipe(folder):
    records = [{"ref": ref, "hyp": hyp} for ref, hyp in zip(REF, GOOD, strict=True)]
    (folder / "all.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    for flags in ((), ("--segments",)):
        found = run("all.jsonl", *flags, stdin=BAD)
        assert found.out == run("ref.zh", "hyp/GPT-4.txt", *flags).out


@pytest.mark.parametrize("flags", [(), ("--segments",)])
@pytest.mark.parametrize("given", ["/dev/null", "pipe", "closed"])
def test_without_a_hypothesis_the_usage_is_said(folder, given, flags):
    if given == "closed":
        words = ["sh", "-c", '"$@" <&-', "sh", sys.executable, "-m", "celab", "score", "ref.zh"]
        settings = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "text": True}
        done = subprocess.run([*words, *flags], capture_output=True, **settings)
    else:
        sent = {"/dev/null": None, "pipe": b""}[given]
        done = commands.run("score", "ref.zh", *flags, input=sent, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    what = "standard input is empty" if given == "pipe" else "no system output in ref.zh"
    assert what in done.stderr and re.search("celab.score REF < HYP", done.stderr)


# Two strings


@pytest.mark.parametrize("more", [(), ("--segments",), ("--json",), ("-b",), ("-m", "chrf")])
def test_texts_on_the_command_line_are_scored_as_in_files(folder, more):
    for name, text in {"ref": "他买了一把雨伞", "hyp.txt": "他买一把伞"}.items():
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    found = run("--text", "他买了一把雨伞", "他买一把伞", *more)
    assert (found.code, found.out) == (0, run("ref", "hyp.txt", *more).out)
    assert "hypothesis 他买一把伞, reference 他买了一把雨伞, 1 segment" in found.err


def test_a_text_that_is_the_name_of_a_file_is_a_text():
    found = run("--text", "ref.zh", "ref.zh", "-b")
    assert (found.code, found.out) == (0, "1.0000\n")
    assert found.err.count("ref.zh is a file, but with --text the word itself is scored") == 1
    output = run("--text", "买雨伞", "买伞", "-q", "-o", "买伞")  # no file that is also an input
    assert (output.code, output.err) == (0, "")


# Several lexicons as one value


def test_lexicons_may_be_separated_by_commas_unless_a_file_has_that_name(folder):
    (folder / "my.tsv").write_text("今天\t今日\n", encoding="utf-8")
    usual = run(
        "ref.zh", "hyp/GPT-4.txt", "-m", "celab", "--lexicon", "zh-core", "--lexicon", "my.tsv"
    )
    found = run("ref.zh", "hyp/GPT-4.txt", "-m", "celab", "--lexicon", "zh-core,my.tsv")
    assert (found.code, found.out) == (0, usual.out) and "zh-core" in found.out
    clash = run(
        "ref.zh", "hyp/GPT-4.txt", "-m", "celab", "--lexicon", "zh-core,my.tsv", "-o", "my.tsv"
    )
    assert clash.code == 2 and "same file as input my.tsv" in clash.err
    (folder / "zh-core,my.tsv").write_text("雨伞\t伞\n", encoding="utf-8")
    named = run("ref.zh", "hyp/GPT-4.txt", "-m", "celab", "--lexicon", "zh-core,my.tsv")
    assert named.code == 0 and named.out != usual.out


# sacreBLEU's flags


def test_flags_of_sacrebleu():
    usual = run("ref.zh", "hyp/GPT-4.txt", "-m", "bleu", "chrf")
    for words in (
        ["ref.zh", "-i", "hyp/GPT-4.txt", "-m", "BLEU", "chrF"],
        ["ref.zh", "--input", "hyp/GPT-4.txt", "--metrics", "bleu", "chrF2"],
        ["-r", "ref.zh", "-m", "bleu,chrf", "hyp/GPT-4.txt"],
        ["ref.zh", "hyp/GPT-4.txt", "-m", "bleu", "chrf", "-l", "en-zh", "-f", "text"],
    ):
        found = run(*words)
        assert (found.code, found.out) == (0, usual.out)
    assert usual.out.splitlines()[0].split() == ["system", "BLEU", "chrF2"]
    assert run("ref.zh", "hyp/GPT-4.txt", "-m", "chrf++").out.startswith("chrF2++ = ")
    full = json.loads(run("ref.zh", "hyp/GPT-4.txt", "-m", "bleu", "-f", "json").out)
    bleu = systems_of(full)[0]["metrics"]["bleu"]["score"]
    for flags in (("-w", "5"), ("--width", "5"), ("--digits", "5")):
        assert run("ref.zh", "hyp/GPT-4.txt", "-m", "bleu", "-bq", *flags).out == f"{bleu:.5f}\n"
    table = run("-r", "ref.zh", "-s", "hyp/GPT-4.txt", "hyp/Old.v2.txt", "-m", "bleu", "-w", "0")
    assert f"GPT-4 {bleu:.0f}* Old.v2 " in " ".join(table.out.split())


# Systems that are read as references

WAYS = [(), ("--segments",), ("--json",), ("-b",), ("--strict",), ("--segments", "-o", "out.tsv")]


def without_lengths(err):
    """Return lines but those about outputs that are long or short."""
    return [line for line in err.splitlines() if not line.endswith(" as long as the references")]


@pytest.mark.parametrize("more", WAYS)
def test_a_reference_in_the_folder_of_the_hypothesis_is_warned_about(more):
    done = run("-q", "ref.zh", "hyp/GPT-4.txt", "hyp/Old.v2.txt", *more)
    assert done.code == 0
    warning, *others = done.err.splitlines()
    assert warning == (
        "celab-score: warning: hyp/GPT-4.txt is read as a reference, but is in the folder of the"
        " hypothesis hyp/Old.v2.txt; if it is a system, use -r ref.zh -s hyp/GPT-4.txt"
        " hyp/Old.v2.txt"
    )
    length = "celab-score: finding: Old.v2: outputs are 0.47 times as long as the references"
    assert others == ([] if more == ("-b",) else [length])
    meant = run("-q", "-r", "ref.zh", "-s", "hyp/GPT-4.txt", "hyp/Old.v2.txt")
    assert (meant.code, without_lengths(meant.err)) == (0, [])


@pytest.mark.parametrize("more", WAYS)
def test_a_system_among_the_references_of_r_is_warned_about(more):
    done = run("-q", "-r", "ref.zh", "hyp/GPT-4.txt", "-s", "hyp/Old.v2.txt", *more)
    assert done.code == 0
    assert "warning: hyp/GPT-4.txt is read as a reference, but is in the folder of the" in done.err
    assert "use -r ref.zh -s hyp/GPT-4.txt hyp/Old.v2.txt\n" in done.err


@pytest.mark.parametrize("more", WAYS)
def test_a_reference_like_the_hypothesis_is_warned_about(folder, more):
    for name, lines in {"a b": GOOD, "c": [*GOOD[:-1], "我们"]}.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    free = ["外面阳光明媚", "那人购得雨具", "次日大家要往首都游玩"] * 4
    (folder / "ref.zh").write_text("\n".join(free) + "\n", encoding="utf-8")
    done = run("-q", "ref.zh", "a b", "c", *more)
    assert done.code == 0 and done.err == (
        "celab-score: warning: a b is read as a reference, but is more like the hypothesis c than"
        " like the reference ref.zh; if it is a system, use -r ref.zh -s 'a b' c\n"
    )


@pytest.mark.parametrize(("n_refs", "is_warned"), [(4, False), (5, True)])
def test_more_than_four_references_may_be_systems(n_refs, is_warned):
    request = SimpleNamespace(program="celab score", inputs=SimpleNamespace(has_roles=False))
    refs = [f"{number}.zh" for number in range(n_refs)]
    assert bool([*loading.many_references(request, refs, ["hyp.zh"])]) == is_warned


def test_the_other_references_stay_references(folder):
    (folder / "more.zh").write_text("\n".join(REF) + "\n", encoding="utf-8")
    done = run("-q", "ref.zh", "more.zh", "hyp/GPT-4.txt", "hyp/Old.v2.txt")
    assert "use -r ref.zh more.zh -s hyp/GPT-4.txt hyp/Old.v2.txt\n" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ["hyp/GPT-4.txt", "ref.zh", "hyp/Old.v2.txt"],  # the first one is in that folder, too
        ["ref.zh", "ref.zh", "hyp/GPT-4.txt", "--no-check"],  # which tells that they are equal
        ["-r", "ref.zh", "ref.zh", "-s", "hyp/GPT-4.txt", "hyp/Old.v2.txt", "--no-check"],
    ],
)
def test_references_that_are_none_of_this_have_no_warning(words):
    assert without_lengths(run("-q", *words).err) == []


def test_references_and_a_system_that_are_swapped_have_one_warning():
    assert run("-q", "-r", "hyp/GPT-4.txt", "hyp/Old.v2.txt", "-s", "ref.zh").err == (
        "celab-score: warning: ref.zh is scored as a system, and hyp/GPT-4.txt is its reference:"
        " are the files swapped?\n"
    )


@pytest.mark.thorough
def test_references_of_published_data_have_no_warning(shared):
    """Each reference after each other one, with every system: 106 times."""
    n_tried = n_found = 0
    for folder in sorted((shared / "data").iterdir()):
        refs, hyps = (
            [path.read_text("utf-8").split("\n")[:200] for path in sorted(folder.glob(pattern))]
            for pattern in ("ref-*.txt", "hyp/*.txt")
        )
        for first, ref in itertools.permutations(refs, 2):
            for hyp in hyps:
                n_tried += 1
                assert not is_nearer(ref, first, hyp), folder.name
        if folder.name == "wmt21-enzh-sys":
            n_found = sum(is_nearer(a, refs[0], b) for a, b in itertools.pairwise(hyps))
            assert n_found == len(hyps) - 1
    assert n_tried and n_found


# Test sets


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of sacreBLEU with one set, and no network."""
    from sacrebleu import dataset, utils
    from sacrebleu.dataset import base

    place = tmp_path / "cache"
    for name, n_lines in (("wmt17", 12), ("wmt18", 3)):
        (place / name).mkdir(parents=True)
        for field in dataset.DATASETS[name].fieldnames("en-zh"):
            lines = {"src": SOURCE, "ref": REF}.get(field, ["-"] * 12)[:n_lines]
            text = "".join(f"{line}\n" for line in lines)
            (place / name / f"{name}.en-zh.{field}").write_text(text, encoding="utf-8")
    monkeypatch.setattr(utils, "SACREBLEU_DIR", str(place))
    for name in ("wmt17", "wmt18", "wmt19"):
        monkeypatch.setattr(dataset.DATASETS[name], "_outdir", str(place / name))
        monkeypatch.setattr(dataset.DATASETS[name], "_rawdir", str(place / name / "raw"))

    def offline(*_, **__):
        import urllib.error

        raise urllib.error.URLError("no network")

    monkeypatch.setattr(base, "download_file", offline)
    return place


def test_references_come_from_a_test_set(cache):
    found = run("-t", "wmt17", "-l", "en-zh", "hyp/GPT-4.txt", "hyp/Old.v2.txt", "--json")
    assert found.code == 0, found.err
    usual = run("-r", "ref.zh", "-s", "hyp/GPT-4.txt", "hyp/Old.v2.txt", "--json")
    assert found.out == usual.out
    assert "reference wmt17 en-zh reference, 12 segments" in found.err
    piped = run("-t", "wmt17", "-l", "en-zh", "--segments", stdin=GOOD)
    assert piped.out == run("ref.zh", "hyp/GPT-4.txt", "--segments").out
    both = run("--test-set", "wmt17,wmt18", "--language-pair", "en-zh", "-b", stdin=GOOD + GOOD[:3])
    assert (both.code, len(both.out.split())) == (0, 1)
    read = Campaign.read([], ["hyp/GPT-4.txt"], test_set="wmt17", language_pair="en-zh").corpus
    assert (read.refs, read.source) == ([REF], SOURCE)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-t", "wmt19", "-l", "en-zh"], "test set wmt19, en-zh, is not in "),
        (["-t", "wmt18", "-l", "en-zh"], "has 12 lines but wmt18 en-zh reference has 3"),
    ],
)
def test_test_sets_that_are_not_there(cache, words, line):
    found = run(*words, "hyp/GPT-4.txt")
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert line in found.err
    if "not in" in line:
        assert f"{cache} and cannot be downloaded (no network)" in found.err


def test_a_set_with_more_references_than_the_other(monkeypatch, folder):
    (folder / "second.zh").write_text("一\n" * 12, encoding="utf-8")
    files = {"one": ["src.en", "ref.zh", "second.zh"], "two": ["src.en", "ref.zh"]}
    monkeypatch.setattr(testsets, "_files", lambda name, pair: files[name])
    source, first, second = testsets.read_test_set("one,two", "en-zh")
    assert (source.role, first.role, second.name) == (
        "source",
        "reference",
        "one,two en-zh reference 2",
    )
    assert (first.texts, second.texts) == (REF + REF, ["一"] * 12 + [""] * 12)


# Warnings


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (
            ["ref.zh", "src.en"],
            "no Chinese characters found; check that this is the right",
        ),
        (["ref.zh", "src.en", "--segments"], "src.en: almost no Chinese characters found"),
        (["src.en", "hyp/GPT-4.txt", "-l", "en-zh"], "src.en: almost no Chinese characters found"),
        (
            ["ref.zh", "hyp/GPT-4.txt", "--lang", "ja"],
            "no kana found; did you mean --lang zh?",
        ),
    ],
)
def test_text_in_another_script(folder, words, seen):
    found = run("-q", *words)
    # Outputs that may not be translations have a line, too.
    # So have those that are long or short, which other scripts are.
    others = " translation", " times as long"
    warnings = [line for line in found.err.splitlines() if not any(map(line.__contains__, others))]
    assert (found.code, len(warnings)) == (0, 1) and found.out
    assert "celab-score: warning: " in found.err and seen in found.err
    strict = run("-q", *words, "--strict", "-o", "out.txt")
    assert (strict.code, strict.out) == (2, "")
    assert seen in strict.err and "--strict makes this an error" in strict.err
    assert not list(folder.glob("out.txt*"))


@pytest.mark.parametrize(
    "words",
    [
        ["ref.zh", "hyp/GPT-4.txt", "--lang", "zh"],
        ["src.en", "src.en", "--lang", "en", "-m", "bleu"],
        ["src.en", "src.en", "-m", "chrf"],  # no language is assumed
        ["src.en", "src.en", "--tokenize", "space"],
        ["src.en", "src.en", "-m", "tesla-m", "--analysis", "surface"],
        ["src.en", "src.en", "--lang", "fr", "-m", "bleu"],
    ],
)
def test_text_that_fits_or_cannot_be_judged(words):
    strict = run("-q", *words, "--strict")
    # That a system is the reference has a line, which is no warning.
    warnings = [line for line in strict.err.splitlines() if " are equal in all " not in line]
    assert (run("-q", *words).code, strict.code, warnings) == (0, 0, [])


def test_scripts_of_real_text(shared):
    for name, lang in (
        ("wmt24-enzh-esa", "zh"),
        ("wmt24-enja-esa-news-speech", "ja"),
        ("enko-mqm-globalvoices", "ko"),
        ("wmt21-ende-mqm", "de"),
    ):
        texts = corpus.read_lines(shared / "data" / name / "ref-A.txt")
        assert scripts.script_mismatch(texts, lang) is None
        for other in {"zh", "ja", "ko", "de"} - {lang}:
            found = scripts.script_mismatch(texts, other)
            if (lang, other) != ("ja", "zh"):  # Japanese has Han, too
                assert found is not None and found[2] == lang, (lang, other)


def test_skip_missing_explains_itself(folder):
    found = run("-q", "--skip-missing", "ref.zh", "hyp/GPT-4.txt")
    assert (
        found.code == 0
        and "--skip-missing has no effect: these files have no segment ids" in found.err
    )
    (folder / "short.zh").write_text("一\n", encoding="utf-8")
    found = run("--skip-missing", "ref.zh", "short.zh")
    assert found.code == 2
    assert "ref.zh has 12; lines have no ids, so none can be skipped" in found.err


# Names, documents, encodings


def test_systems_have_short_names_everywhere(folder):
    given = ["-r", "ref.zh", "-s", "hyp/GPT-4.txt", "hyp/Old.v2.txt"]
    first_words = [line.split(" ")[0] for line in run(*given).out.splitlines()]
    assert {"GPT-4", "Old.v2"} <= {*first_words}
    for flags in (
        ["--details"],
        ["--tsv"],
        ["--markdown"],
        ["--latex"],
        ["--level", "segment"],
        ["--json"],
    ):
        out = run(*given, *flags).out
        assert "GPT-4" in out and "hyp/" not in out and ".txt" not in out
    assert run(*given, "--html", "page.html").code == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Old.v2" in page and ">hyp/" not in page  # files are named in commands only
    named = json.loads(run(*given, "--names", "new,old", "--json").out)
    assert [one["name"] for one in systems_of(named)] == ["new", "old"]
    one = run(*given, "--only-systems", "Old.v2", "-m", "bleu")
    assert "hypothesis hyp/Old.v2.txt" in one.err  # the file that was read
    read = Campaign.read(["ref.zh"], ["hyp/GPT-4.txt", "hyp/Old.v2.txt"])
    assert list(read.corpus.systems) == ["GPT-4", "Old.v2"]
    assert read.corpus.ref_names == ["ref"]


@pytest.mark.parametrize(
    ("given", "short"),
    [
        (["a/x.txt"], ["x"]),
        (["a/x.zh", "b/x.zh"], ["a/x", "b/x"]),
        (["a/x.zh", "a/x.de"], ["x.zh", "x.de"]),
        (["/data/x/s.out", "/data/y/s.out", "/data/y/t.out"], ["x/s", "y/s", "y/t"]),
        (["m.v1", "m.v2"], ["m.v1", "m.v2"]),
        (["sys.zh-CN.txt.gz", "sgml.sgml"], ["sys", "sgml"]),
        ([".txt", "standard input"], [".txt", "standard input"]),
        (["a/x.zh", "a/b/x", "x.zh"], ["a/x", "a/b/x", "x"]),
        (["", "/"], ["", "/"]),
    ],
)
def test_short_names(given, short):
    assert short_names(given) == short


def test_a_short_name_is_no_other_systems_name(put_parts):
    texts = put_parts([("x", "all.xml"), ("hyp/x.txt", "hyp/x.txt")])
    assert list(texts.systems) == ["x", "hyp/x.txt"]


@pytest.fixture
def put_parts():
    """A corpus of systems with these names in these files."""
    from celab.corpus.join import add_titles, join

    def put(systems):
        parts = [FilePart(role="reference", name="r", where="r", texts=["甲"])]
        parts += [
            FilePart(role="system", name=name, where=where, texts=["甲"]) for name, where in systems
        ]
        return join(add_titles(parts), missing=None, strict_source=False)

    return put


def test_documents_of_plain_text(folder):
    given = ["ref.zh", "hyp/GPT-4.txt", "--level", "document", "--documents"]
    by_table = run(*given, "docs.tsv")
    assert [line.split("\t")[0] for line in by_table.out.splitlines()] == ["document", "d0", "d1"]
    (folder / "list.txt").write_text("d0\n" * 6 + "d1\n" * 6, encoding="utf-8")
    assert run(*given, "list.txt").out == by_table.out
    domains = run(*given, "docs.tsv", "--document-field", "domain").out
    assert domains == run(*given, "docs.tsv", "--document-field", "1").out
    assert domains.splitlines()[1].startswith("news\t")
    segments = run("ref.zh", "hyp/GPT-4.txt", "--segments", "--documents", "list.txt").out
    assert segments.splitlines()[7].startswith("d1\t7\t")


@pytest.mark.parametrize("flags", [(), ("--segments",)])
def test_an_encoding_for_each_role(folder, flags):
    (folder / "h.gb").write_bytes("\n".join(GOOD).encode("gb18030"))
    (folder / "r.big5").write_bytes("\n".join(["今天天氣很好"] * 12).encode("big5"))
    given = run("r.big5", "h.gb", "--encoding", "hyp=gb18030,ref=big5", *flags)
    assert given.code == 0, given.err
    assert run("ref.zh", "h.gb", "--encoding", "hyp=gb18030", *flags).out == (
        run("ref.zh", "hyp/GPT-4.txt", *flags).out
    )
    encodings = {"hyp": "gb18030", "ref": "big5"}
    assert corpus.read(["r.big5"], ["h.gb"], encoding=encodings).hyps == GOOD


def test_references_in_columns_are_read_as_the_advice_says(folder):
    lines = [f"{ref}\t{good}" for ref, good in zip(REF, GOOD, strict=True)]
    for name in ("refs.tsv", "refs.zh"):
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
        refused = run(name, "hyp/GPT-4.txt", "--num-refs", "2")
        flags = refused.err.strip().rpartition("columns: ")[2].split()
        assert (refused.code, flags[0]) == (2, "--format")
        done = run(name, "hyp/GPT-4.txt", *flags)
        assert done.code == 0
        assert "2 references" in done.out
        assert "warning" not in done.err


@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_beginning_of_other_flags_is_unknown(command):
    done = commands.run(command, "-n", "500", "ref.zh", "hyp/GPT-4.txt", encoding="utf-8")
    assert (done.returncode, done.stdout) == (2, "")
    assert "-n is not an option of celab" in done.stderr
    assert done.stderr.endswith("; did you mean --resamples?\n")
    assert commands.run("score", "ref.zh", "hyp/GPT-4.txt", "-b", "-mchrf").returncode == 0


# Full-width characters, dashes and lists

DASHES = ["—", "——", "－", "－－", "–", "–‑", "−−", "―"]


@pytest.mark.parametrize("dashes", DASHES)
@pytest.mark.parametrize("flag", ["--quiet", "--json", "--fail-under", "-q", "-o"])
def test_flags_with_other_dashes_say_what_to_type(dashes, flag):
    done = run("ref.zh", "hyp/GPT-4.txt", flag.replace(flag[: -len(flag.lstrip("-"))], dashes))
    assert done.code == 2 and done.err.endswith(f"that are not ASCII; type {flag}\n")


def test_words_that_may_have_full_width_characters(folder):
    label = "note=你好，世界——再见"
    for words in (["--label", label], [f"--label={label}"]):
        done = run("ref.zh", "hyp/GPT-4.txt", "--json", "-q", *words)
        assert json.loads(done.out)["labels"] == {"note": label.partition("=")[2]}
    assert run("--text", "买雨伞，好", "—买伞", "-qb").code == 0
    (folder / "译文，新（1）").write_text("好\n", "utf-8")
    assert "译文，新（1） has 1 line but" in run("ref.zh", "译文，新（1）").err
    assert run("ref.zh", "参考，二").err.endswith("参考，二: no such file\n")
    assert "no such file" in run("ref.zh", "a，b.txt").err


def test_a_list_after_which_files_follow_is_a_list():
    systems = ["-s", "hyp/GPT-4.txt", "hyp/Old.v2.txt", "-r", "ref.zh", "-q"]
    for words in (["--only-systems", "GPT-4", *systems], [*systems, "--only-systems=GPT-4"]):
        assert run(*words).code == 0
    assert run("--only-systems", "GPT-4", "ref.zh", "hyp/GPT-4.txt", "-q").code == 0
    missing = run("--only-systems", "GPT-4", "ref2.zh", "hyp/GPT-4.txt")
    assert missing.err.endswith("ref2.zh: no such file\n")
    explained = ["explain", "--names", "A", "2", "-r", "ref.zh", "-s", "hyp/GPT-4.txt", "-q"]
    assert commands.run(*explained, encoding="utf-8").returncode == 0
    found = commands.run("lexicon", "lookup", "--lexicon", "cilin", "雨伞", encoding="utf-8")
    assert found.returncode == 0 and "雨伞: 1 group" in found.stdout


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("lexicon", "pivot")])
def test_every_list_says_that_its_items_are_separated_by_commas(command):
    parser = importlib.import_module(f"celab.cli.{command}").main.parser()
    for action in parser._actions:
        if action.option_strings and "separated by commas" in str(action.help):
            assert parser.infos[action].items, action.option_strings
