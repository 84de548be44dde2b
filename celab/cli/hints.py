"""Words that people type from the habit of other programs, and what they mean here.

Everything is only a hint in an error, except for `--help` and `--version`, which do no harm.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable

from celab.base.errors import nearest

# Flags of ours, each with names that other programs or people give it.
_FLAGS = {
    "--references": "ref refs reference refs-file reference-file gold golds target targets tgt",
    "--systems": "hyp hyps hypo hypothesis hypotheses hyp-file sys mt candidate candidates cand"
    " prediction predictions preds translation translations outputs",
    "--source": "src source-file",
    "--lang": "language langs tgt-lang target-lang trg-lang target-language",
    "--profile recommended": "recommended",
    "--jobs": "threads num-threads n-threads workers num-workers cpus processes",
    "--output": "out outfile out-file output-file save",
    "--resamples": "n bootstrap n-resamples num-resamples n-boot n-bootstrap samples",
    "--lexicon none": "no-lexicon no-synonyms",
    "--lexicon": "synonyms thesaurus dictionary dict",
    "--details": "verbose",
    "--segments": "segment sentences per-segment segment-level",
    "--html": "report",
    "--seed": "random-seed",
    "--encoding": "charset enc",
    "--max-order": "ngram ngrams order",
    "--metric": "measure",
    "-tok": "tok",
    "--terms": "glossary glossaries termbase terminology",
    "--port": "p",
    "--version": "v V",
    "--help": "? usage man",
}
_FLAG_OF = {name: flag for flag, names in _FLAGS.items() for name in names.split()}
# Arguments without a flag, likewise.
_PLACES = {"glossary": "terms glossary glossaries termbase terminology"}
_COMMANDS = {
    "score": "evaluate eval sacrebleu scores calculate run",
    "compare": "diff test",
    "explain": "why show inspect",
    "check": "validate lint",
    "serve": "server web ui gui playground",
    "lookup": "show search find synonyms",
    "list": "ls",
    "build": "make create compile",
    "fetch": "download get install",
}
_COMMAND_OF = {name: command for command, names in _COMMANDS.items() for name in names.split()}
# Options of programs that run neural metrics, and of other servers.
_NEEDLESS = dict.fromkeys(
    ("gpu", "gpus", "device", "cuda", "batch-size", "fp16"),
    "celab computes without a GPU and without batches; leave it out",
)
_NEEDLESS["host"] = "celab serve answers only this machine; ssh -L gives others access"
_DASHES = dict.fromkeys(map(ord, "‐‑‒–―−﹣－"), "-") | {ord("—"): "--", ord("　"): " "}


def flag_hint(
    option: str,
    flags: Collection[str],
    refused: Collection[str] = (),
    places: Iterable[str] = (),
) -> str:
    """Return a hint for an option that a command does not have; "" if nothing resembles it.

    `places` are the names of its arguments without a flag.

    >>> flag_hint("--langauge", ["--lang", "--language-pair"])
    'did you mean --lang?'
    >>> flag_hint("-hyp", ["-s", "--systems"]), flag_hint("--gpus", [])
    ('did you mean -s (--systems)?', 'celab computes without a GPU ...')
    >>> flag_hint("--terms", ["--test"], places=["glossary"])
    'give GLOSSARY without a flag'
    >>> flag_hint("--LANG", ["--lang"]), flag_hint("-R", ["-R", "-r"])
    ('did you mean --lang?', 'did you mean -R?')
    """
    name = option.lstrip("-").replace("_", "-")
    if len(name) > 1:
        name = name.lower()
    if name in _NEEDLESS:
        return _NEEDLESS[name]
    if place := next((x for x in places if name in _PLACES.get(x, "").split()), None):
        return f"give {place.upper()} without a flag"
    if len(name) == 1 and f"-{name}" in flags:
        return f"did you mean -{name}?"
    names = {flag[2:]: flag for flag in flags if flag[:2] == "--" and flag not in refused}
    likely = {name: flag for name, flag in _FLAG_OF.items() if flag.split()[0] in flags}
    flag = likely.get(name) or names.get(name)
    if flag is None and _FLAG_OF.get(name) in ("--references", "--systems"):
        return "give the files without a flag"
    is_known = name in _FLAG_OF or f"--{name}" in _FLAGS  # but not here
    if (
        flag is None
        and not is_known
        and len(name) > 1
        and (close := nearest(name, [*names, *likely]))
    ):
        flag = names.get(close) or likely[close]
    short = {"--references": "-r", "--systems": "-s"}.get(flag or "")
    return f"did you mean {f'{short} ({flag})' if short in flags else flag}?" if flag else ""


def is_meant(option: str, flags: Collection[str]) -> bool:
    """Return whether a command has a flag of this name, or of this meaning: -lang, --ref."""
    name = option.lstrip("-")
    return len(name) > 1 and (
        f"--{name}" in flags or _FLAG_OF.get(name, " ").split(" ")[0] in flags
    )


def command_hint(word: str, commands: Iterable[str]) -> str:
    """Return a hint for a word that is not a command; "" if nothing resembles it.

    >>> command_hint("eval", ["score", "compare"]), command_hint("Score", ["score"])
    ("did you mean 'score'?", "did you mean 'score'?")
    """
    commands = list(commands)
    plain = in_ascii(word).lower()
    likely = _COMMAND_OF.get(plain)
    command = likely if likely in commands else nearest(plain, commands)
    return f"did you mean {command!r}?" if command else ""


def in_ascii(word: str) -> str:
    """Return a word with hyphens for dashes, and without full-width characters.

    >>> in_ascii("－－ｌａｎｇ＝zh"), in_ascii("—metric"), in_ascii("–m")
    ('--lang=zh', '--metric', '-m')
    """
    return unicodedata.normalize("NFKC", word.translate(_DASHES))
