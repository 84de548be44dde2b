"""Flags and words of other programs, and their equivalents in celab.

Everything is only a hint in an error, except for `--help` and `--version`, which do no harm.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterable
from itertools import pairwise

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
# Options of gates and tables, with the commands that have them.
ELSEWHERE = {
    "baseline": "compare",
    "error-profile": "score",
    "fail-if-worse": "compare board",
    "fail-under": "score terms",
    "filters": "check",
    "margin": "compare",
}
# Options of programs that run neural metrics, and of other servers.
_NEEDLESS = dict.fromkeys(
    ("gpu", "gpus", "device", "cuda", "batch-size", "fp16"),
    "celab needs no GPU and no batch size; leave this option out",
)
_NEEDLESS["host"] = "celab serve listens on this machine only; forward its port with ssh -L"
_NOT_ASCII = "dashes or full-width characters that are not ASCII; type"
# Characters that word processors and input methods put in place of ASCII.
_ASCII = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_ASCII |= dict.fromkeys(map(ord, "‐‑‒–—―−﹣"), "-") | {ord("　"): " ", ord("、"): ","}


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
    ('did you mean -s (--systems)?', 'celab needs no GPU and ...')
    >>> flag_hint("--terms", ["--test"], places=["glossary"])
    'give GLOSSARY without a flag'
    >>> flag_hint("--LANG", ["--lang"]), flag_hint("-R", ["-R", "-r"])
    ('did you mean --lang?', 'did you mean -R?')
    >>> flag_hint("--fail-if-worse", ["--fail-on"])
    'celab compare and celab board have it'
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
    if flag is None and (others := ELSEWHERE.get(name)):
        commands = " and ".join(f"celab {command}" for command in others.split())
        return f"{commands} {'have' if ' ' in others else 'has'} it"
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
    """Return a word with hyphens for dashes, and without full-width characters and commas.

    >>> in_ascii("ｌａｎｇ＝zh"), in_ascii("celab，chrf"), in_ascii("1–3、5")
    ('lang=zh', 'celab,chrf', '1-3,5')
    """
    return word.translate(_ASCII)


def flag_in_ascii(word: str, flags: Collection[str]) -> str:
    """Return the flag that a word spells with other dashes or characters, with its value, else "".

    A word processor makes one dash of two hyphens, and an input method two of one key.

    >>> flags = ["--lang", "--metric", "-m"]
    >>> flag_in_ascii("－－ｌａｎｇ＝zh", flags), flag_in_ascii("——metric", flags)
    ('--lang=zh', '--metric')
    >>> flag_in_ascii("—m", flags), flag_in_ascii("--lang=，", flags), flag_in_ascii("——x", flags)
    ('-m', '', '')
    """
    name = re.split(r"[=＝\s]", word, maxsplit=1)[0]
    equals, value = word[len(name) :][:1], word[len(name) + 1 :]
    plain = in_ascii(name)
    if (name + equals).isascii() or plain[:1] != "-":
        return ""
    spellings = (f"{dashes}{plain.lstrip('-')}" for dashes in ("--", "-"))
    flag = next((spelling for spelling in spellings if spelling in flags), "")
    return flag and f"{flag}{in_ascii(equals)}{value}"


def character_hint(message: str, words: Iterable[str]) -> str:
    """Return the correction of a word with full-width characters, for an error.

    It is "" if the error is about no such word. A path may have any characters.

    >>> character_hint("unknown metric 'celab，chrf'", ["-m", "celab，chrf"])
    '-m celab，chrf has dashes or full-width characters that are not ASCII; type -m celab,chrf'
    >>> character_hint("译文，新.txt: no such file", ["译文，新.txt"])
    ''
    """
    words = [*words]
    if "--text" in words or _NOT_ASCII in message:
        return ""
    for before, word in pairwise(["", *words]):
        flag = f"{before} " if re.match("--?[a-zA-Z]", before) and "=" not in before else ""
        name, equals, value = word.partition("=")
        if equals and name[:2] == "--":
            flag, word = f"{name}=", value
        places = (place for place, character in enumerate(word) if ord(character) in _ASCII)
        is_named = any(word[max(0, place - 1) : place + 2] in message for place in places)
        if is_named and not _may_be_path(word, message):
            return not_ascii(f"{flag}{word}", f"{flag}{shlex.quote(in_ascii(word))}")
    return ""


def _may_be_path(word: str, message: str) -> bool:
    if re.search(r"/|\.[A-Za-z]\w*$", word) or os.path.lexists(word):
        return True
    return "no such file" in message and in_ascii(word)[:1] != "-"


def not_ascii(word: str, plain: str) -> str:
    """Return the error about a word that must be typed in ASCII."""
    return f"{word} has {_NOT_ASCII} {plain}"
