"""sacreBLEU's flags: the numbers and signatures of its own command, and an answer to each flag."""

import json
import os
import re
import signal
import sys
from types import SimpleNamespace
from unittest import mock

import commands
import pytest
from scores_json import systems_of

from celab.base.signature import Signature
from celab.cli.arguments import RemovedOption
from celab.cli.flags import flags_of
from celab.cli.score import main
from celab.corpus.options import Inputs
from celab.metrics import baselines
from celab.metrics.options import TOKENIZERS, SacrebleuTokenizer

REFS = [
    "The cat (a tabby) sat on the Mat.",
    "He bought 2 umbrellas, today!",
    "Ein Haus",
    "去北京 OK",
]
MORE = [
    "A cat sat upon the mat.",
    "Today he bought two umbrellas.",
    "Das Haus ist alt",
    "到 北京 去",
]
HYPS = ["the cat, a Tabby, sat on a mat", "He bought umbrellas today", "ein haus", "去 北京 ok"]
# The flags of a metric, as sacreBLEU's command takes them.
SETTINGS = {
    "bleu": [
        "",
        "-lc",
        "--lowercase -tok intl",
        "-tok none",
        "-tok char",
        "-tok zh --smooth-method exp",
        "--smooth-method none",
        "--smooth-method floor",
        "--smooth-method floor --smooth-value 0.01",
        "--smooth-method add-k -lc",
        "--smooth-method add-k -sv 2.5",
        "--force",
    ],
    "chrf": [
        "",
        "--chrf-word-order 2",
        "-cw 1 -cc 4",
        "--chrf-char-order 3 --chrf-beta 1",
        "--chrf-beta 3 --chrf-word-order 2",
        "--chrf-lowercase",
        "--chrf-whitespace",
        "--chrf-eps-smoothing --chrf-lowercase",
    ],
    "ter": [
        "",
        "--ter-case-sensitive",
        "--ter-no-punct",
        "--ter-normalized",
        "--ter-normalized --ter-asian-support",
        "--ter-no-punct --ter-asian-support",
    ],
}
CASES = [(metric, flags.split()) for metric, settings in SETTINGS.items() for flags in settings]
# Flags that mean something else here, and where a test shows what is said about them.
CLASHES = {
    "-s": "systems; tests/golden/errors.toml",
    "--tokenize": "an option of celab; tests/golden/errors.toml",
    "--format": "the format of the input; tests/golden/errors.toml",
}
NOT_APPLICABLE = {}  # flags without an answer, and why
REFUSED = sorted(
    name
    for name, flag in main.parser()._option_string_actions.items()
    if isinstance(flag, RemovedOption) and name != "--explain"  # of celab
)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Two references and a hypothesis."""
    for name, lines in {"ref": REFS, "more": MORE, "hyp": HYPS}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    monkeypatch.chdir(tmp_path)


def sacrebleu_module():
    """Return the module of sacreBLEU's command."""
    before = signal.getsignal(signal.SIGPIPE)
    from sacrebleu import sacrebleu as command

    signal.signal(signal.SIGPIPE, before)  # it made a broken pipe end the process
    return command


def sacrebleu(*words):
    """What sacreBLEU's own command prints."""

    # It opens standard streams anew, and would close those of this process.
    def open_copy(file, **settings):
        return open(os.dup(file) if isinstance(file, int) else file, **settings)

    def main(words):
        command = sacrebleu_module()
        with (
            mock.patch.multiple(
                sys, argv=["sacrebleu", *words], stdin=sys.stdin, stdout=sys.stdout
            ),
            mock.patch.object(command, "open", open_copy, create=True),
        ):
            command.main()
            sys.stdin.close()
            sys.stdout.close()
        return 0

    program = SimpleNamespace(main=main)
    done = commands.run(program, *words, "--quiet", "--no-color", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def celab_score(*words):
    """What celab score prints; English, so that nothing follows from Chinese."""
    done = commands.run("score", *words, "--lang", "en", "-q", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("metric", "flags"), CASES, ids=lambda part: " ".join(part))
def test_numbers_and_signatures_are_those_of_its_command(metric, flags):
    refs = ["ref", "more"]
    expected = json.loads(sacrebleu(*refs, "-i", "hyp", "-m", metric, "-w", "12", *flags))
    words = [*refs, "hyp", "-m", metric, *flags]
    found = systems_of(json.loads(celab_score(*words, "--json")))[0]["metrics"][metric]
    assert found["score"] == pytest.approx(expected["score"], abs=1e-9)
    signature = Signature.parse(found["signature"])
    beta = signature.part("beta")  # which sacreBLEU has in the name only
    assert f"{metric}|{expected['signature']}" == signature.without("beta")
    assert beta is None or expected["name"].startswith(f"chrF{beta}")
    title = celab_score(*words).partition(" = ")[0]
    assert title == expected["name"]
    assert celab_score(*words, "-b", "-w", "3") == f"{expected['score']:.3f}\n"


@pytest.mark.parametrize(("metric", "flags"), CASES, ids=lambda part: " ".join(part))
def test_scores_of_sentences_are_those_of_its_command(metric, flags):
    words = ["-m", metric, *flags, "-sl"]
    lines = sacrebleu("ref", "-i", "hyp", *words, "-b", "-w", "6").split()
    _, *rows = (row.split("\t") for row in celab_score("ref", "hyp", *words).splitlines())
    assert [float(row[1]) for row in rows] == pytest.approx(list(map(float, lines)), abs=2e-6)


def flags_of_sacrebleu():
    """All flags that its parser has."""
    with (
        mock.patch.object(sys, "argv", ["sacrebleu"]),
        mock.patch("argparse.ArgumentParser.parse_args", autospec=True) as parse,
    ):
        sacrebleu_module().parse_args()
    (parser,) = parse.call_args.args
    return {name for action in parser._actions for name in action.option_strings}


def test_every_flag_is_taken_answered_or_not_applicable():
    ours = main.parser()._option_string_actions
    theirs = flags_of_sacrebleu()
    assert len(theirs) > 60 and {"-tok", "--paired-bs", "--chrf-beta"} <= theirs
    for flag in sorted(theirs):
        ways = [flag in ours and flag not in CLASHES, flag in CLASHES, flag in NOT_APPLICABLE]
        assert sum(ways) == 1, flag
    assert set(REFUSED) <= theirs | {"--align"}
    tried = {word for _, flags in CASES for word in flags if word.startswith("-")}
    numbers = {flag for flag in theirs if re.match("--(chrf|ter|smooth|lowercase)", flag)}
    assert numbers <= tried


@pytest.mark.parametrize("flag", REFUSED)
def test_what_is_refused_names_what_to_use(flag):
    done = commands.run("score", "ref", "hyp", flag, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"error: {flag} is not an option of celab-score: " in done.stderr


def test_a_file_called_as_a_smoothing_is_a_system(tmp_path):
    (tmp_path / "exp").write_text("".join(f"{line}\n" for line in HYPS), "utf-8")
    assert celab_score("-r", "ref", "-s", "exp", "-m", "bleu") == celab_score(
        "ref", "hyp", "-m", "bleu"
    )


# ---- tokenizers that need packages or models ----

MODELS = ("spm", "flores101", "flores200", "spBLEU-1K")


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    """sacreBLEU's folder is empty, and a download fails the test."""
    from sacrebleu import utils
    from sacrebleu.tokenizers import tokenizer_spm

    def download(*_, **__):
        pytest.fail("sacreBLEU downloads")

    monkeypatch.setattr(tokenizer_spm, "download_file", download)
    for module in (utils, tokenizer_spm):
        monkeypatch.setattr(module, "SACREBLEU_DIR", str(tmp_path / "folder"))
    return tmp_path / "folder" / "models"


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_looked_for_before_sacrebleu_downloads_it(no_network, monkeypatch, name):
    monkeypatch.setattr(baselines, "find_spec", lambda package: package)  # all are installed
    done = commands.run("score", "ref", "hyp", "-m", "bleu", "-tok", name, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"--bleu-tokenize is '{name}'; its model is not there; save https://" in done.stderr
    assert str(no_network) in done.stderr and not no_network.exists()


@pytest.mark.parametrize("name", [*MODELS, "ja-mecab", "ko-mecab"])
def test_a_package_that_is_not_installed_is_named(no_network, monkeypatch, name):
    monkeypatch.setattr(baselines, "find_spec", lambda package: None)
    done = commands.run("score", "ref", "hyp", "-m", "bleu", "-tok", name, encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert re.search(rf"--bleu-tokenize is '{name}'; it needs .*: pip install ", done.stderr)


def test_a_model_that_is_there_is_used(no_network, monkeypatch):
    """With a stand-in for sentencepiece that cuts a text into pairs of characters."""
    pieces = mock.Mock()
    processor = pieces.SentencePieceProcessor.return_value
    processor.EncodeAsPieces.side_effect = lambda line: re.findall("..?", line)
    monkeypatch.setitem(sys.modules, "sentencepiece", pieces)
    monkeypatch.setattr(baselines, "find_spec", lambda package: package)
    no_network.mkdir(parents=True)
    (no_network / "flores200sacrebleuspm").touch()
    words = ["ref", "hyp", "-m", "bleu", "-tok", "flores200", "--json"]
    found = systems_of(json.loads(celab_score(*words)))[0]["metrics"]["bleu"]
    assert "|tok:flores200|" in found["signature"] and found["score"] > 0


def test_languages_that_it_cuts_otherwise_are_named_at_the_language_pair():
    from sacrebleu.metrics import BLEU

    help = flags_of(Inputs)["language_pair"].info.help
    for lang, name in BLEU._TOKENIZER_MAP.items():
        if TOKENIZERS[lang] != name:
            assert f"en-{lang}" in help and f"-tok {name}" in help


def test_all_its_tokenizers_are_known():
    from typing import get_args

    from sacrebleu.metrics import BLEU

    assert set(get_args(SacrebleuTokenizer)) == set(BLEU.TOKENIZERS)
