"""What is fuzzed: each target makes cases of plain literals, and checks what must hold of them.

`make(rng)` gives a case, the same for the same seed. `check(case, folder)` may raise `CelabError`
where the input is wrong, and `AssertionError` or anything else where we are; it returns whether the
case was taken.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import math
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import reader_samples

import celab
from celab.base.errors import InputError, LexiconError, OptionError
from celab.base.options import info_of
from celab.base.run import Run
from celab.base.text.normalize import Normalization, Normalizer
from celab.base.text.tokens import TOKENIZER_IDS, cut, is_blank
from celab.cli import score as score_command
from celab.lexicon import catalog, compiled, source, store
from celab.lexicon.readers import FORMATS
from celab.lexicon.source import Group, ReaderSettings
from celab.metrics.options import TeslaCelabOptions
from celab.metrics.registry import METRICS
from fuzz import glossaries, inputs, judges, models, outputs, signals
from fuzz import test_fuzz_corpus as corpora
from fuzz.target import Target


def declared_values(metric: str) -> dict[str, list[Any]]:
    """Values of all options of a metric that declare their choices or their range."""
    values: dict[str, list[Any]] = {}
    for options in METRICS[metric].options:
        for field in fields(options):
            choices, between = info_of(field).choices, info_of(field).between
            if options is Run or (choices is None and between is None):
                continue
            if choices is not None:
                values[field.name] = list(choices)
            elif isinstance(between[0], int):
                values[field.name] = list(range(between[0], between[1] + 1))
            else:
                values[field.name] = [between[0], info_of(field).default, 0.5, between[1]]
    return values


CELAB_OPTIONS = declared_values("celab")
CELAB_OPTIONS["tokenize"].remove("parts")  # which needs a language with compounds
TESLA_M_OPTIONS = declared_values("tesla-m")
# The whole program of a long pair takes HiGHS its time; the reduction must not mind.
MOST_CHECKED = 24
# What HiGHS may take, well within what a case may: long segments that repeat can take it minutes.
TIME_LIMIT = 5.0


def in_range(score: Any) -> None:
    """Numbers from 0 to 1 and nothing else."""
    for value in (score.score, score.precision, score.recall):
        assert math.isfinite(value) and 0.0 <= value <= 1.0, value


def written(groups: list[list[str]], folder: Path) -> Path | str:
    """The groups as a TSV that celab can name a lexicon by; none if there are none."""
    lines = ["\t".join(group) for group in groups]
    if not lines:
        return None
    path = folder / "groups.tsv"
    path.write_bytes("\n".join([*lines, "伞\t雨伞", ""]).encode("utf-8", "replace"))
    for old in folder.glob("groups.tsv-*.lexc"):
        old.unlink()  # each case has its own
    return path


def scored(metric: Any, hyp: str, refs: list[str]) -> Any:
    """A sentence's score; None if none of the references has a token."""
    try:
        found = metric.sentence_score(hyp, refs)
    except InputError:
        assert all(is_blank(ref) for ref in refs) or isinstance(metric, celab.TeslaM)
        return None
    in_range(found)
    return found


# ---- text -------------------------------------------------------------------------------------


def make_celab(rng: Random) -> Any:
    options = inputs.chosen(rng, CELAB_OPTIONS)
    hyp, ref = inputs.pair(rng, rng.choice((8, 20, 60)))
    options["solver"] = "check" if max(len(hyp), len(ref)) <= MOST_CHECKED else "auto"
    lexicon = inputs.groups(rng) if rng.random() < 0.5 else []
    return options, lexicon, hyp, ref, inputs.text(rng) if rng.random() < 0.2 else None


def check_celab(case: Any, folder: Path) -> bool:
    options, lexicon, hyp, ref, other = case
    try:
        metric = celab.TeslaCelab(
            lexicon=written(lexicon, folder), time_limit=TIME_LIMIT, **options
        )
    except LexiconError:
        return False
    one = scored(metric, hyp, [ref])
    if other is not None:
        both = scored(metric, hyp, [ref, other])
        assert (one is None) <= (both is None or is_blank(ref))
    if one is None:
        return False
    if options.get("script", "auto") != "auto":  # else each side is read by what it holds
        turned = scored(metric, ref, [hyp])
        if turned is not None and not is_blank(ref):
            assert math.isclose(turned.recall, one.precision, abs_tol=1e-9)
            assert math.isclose(turned.precision, one.recall, abs_tol=1e-9)
    if len(hyp) <= MOST_CHECKED and len(ref) <= MOST_CHECKED:
        assert metric.explain(hyp, ref).score == one.score
    return True


def make_repeated(rng: Random) -> Any:
    letters = inputs.LETTERS[: rng.randint(1, 5)]
    most = rng.choice((10, 20, 100, 400))
    options = inputs.chosen(rng, {name: CELAB_OPTIONS[name] for name in ("max_order", "links")})
    options["solver"] = "check" if most <= MOST_CHECKED else "auto"
    lexicon = inputs.groups(rng, letters) if rng.random() < 0.7 else []
    hyp, ref = inputs.repeated(rng, letters, most), inputs.repeated(rng, letters, most)
    return options | {"script": "keep"}, lexicon, hyp, ref, None


def make_tesla_m(rng: Random) -> Any:
    options = inputs.chosen(rng, TESLA_M_OPTIONS)
    kind = rng.choice(("tagged", "surface"))
    if kind == "tagged":
        hyp, ref = (inputs.tagged(rng, rng.choice((4, 12))) for _ in range(2))
    else:
        hyp, ref = inputs.pair(rng)
    small = max(len(hyp.split()), len(ref.split())) <= 12
    options["solver"] = "check" if small and len(hyp) + len(ref) < 400 else "auto"
    lexicon = inputs.groups(rng, "abcd伞") if rng.random() < 0.4 else []
    return kind, options, lexicon, hyp, ref


def check_tesla_m(case: Any, folder: Path) -> bool:
    kind, options, lexicon, hyp, ref = case
    told = {"function_tags": ["ART", "$."]} if kind == "tagged" else {}
    try:
        metric = celab.TeslaM(analysis=kind, lexicon=written(lexicon, folder), **options, **told)
    except (LexiconError, OptionError):
        return False
    found = scored(metric, hyp, [ref])
    if found is None:
        return False
    explained = metric.explain(hyp, ref)
    assert explained.score == found.score
    return True


def make_normalize(rng: Random) -> Any:
    names = CELAB_OPTIONS.keys() & {spec.name for spec in fields(Normalization)}
    options = inputs.chosen(rng, {name: CELAB_OPTIONS[name] for name in sorted(names)}, 0.6)
    return (
        options,
        [inputs.text(rng, 80) for _ in range(rng.randint(1, 4))],
        rng.choice([*TOKENIZER_IDS]),
    )


def check_normalize(case: Any, folder: Path) -> bool:
    options, texts, tokenize = case
    normalizer = Normalizer.of(TeslaCelabOptions(**options))
    side = normalizer.texts(list(texts))
    assert len(side) == len(texts)
    for text in side:
        tokens = cut(text, tokenize=tokenize, fold=normalizer.folds)
        assert is_blank(text) == (not tokens)
        assert all(tokens)
    return True


# ---- files ------------------------------------------------------------------------------------

STORED = ("celab-lexicon 1\n", [("0", "line 1", "雨伞", "伞"), ("0", "line 2", "买", "购")])


def stored(rng: Random) -> bytes:
    """A `.lex` file whose digest is right, whatever its rows and its head hold."""
    kind, rows = STORED
    body = "".join("\t".join(row) + "\n" for row in rows).encode()
    if rng.random() < 0.7:
        body = inputs.damaged(rng, body, [b"\t", b"\n", b"1", b"-1", b"99", b"x", b"\0"], 2)
    body_text = body.decode("utf-8", "replace")
    source: Any = dict.fromkeys(("origin", "licence", "version"), "")
    source |= {"name": "a", "format": "tsv", "digest": "0"}
    head: Any = {"name": "a", "sources": [source], "n_groups": 2}
    head["sha256"] = hashlib.sha256(body_text.encode("utf-8", "surrogatepass")).hexdigest()
    if rng.random() < 0.5:
        where = rng.choice((head, source))
        where[rng.choice([*where, "x"])] = rng.choice([None, 1, "", [], {}, [1], "cilin", 1e400])
    if rng.random() < 0.2:
        source.pop(rng.choice(list(source)))
    return f"{kind}{json.dumps(head)}\n".encode() + body_text.encode("utf-8", "surrogatepass")


SOURCE_PIECES = [
    *corpora.PIECES,
    *b"@ = # | ; ( ) BZh {{ }} [[ ]] <page> </page> 999999999 \x1f\x8b \xfd7zXZ &a;".split(b" "),
    b"00000101 03 n ff",
    b"\r",
    b'{"word": ',
    b'"synonyms": [',
    b"SQLite format 3\0",
    b"celab-lexicon 1\n",
    b"<!ENTITY a 'b'>",
    b"[" * 3000,
    b'{"a":' * 3000,
    b"<a>" * 3000,
    b"{{a|" * 500,
    b"(" * 500,
]


def make_source(rng: Random) -> Any:
    kind = rng.randrange(8)
    if kind == 0:
        data, name = rng.randbytes(rng.randint(0, 200)), None
    elif kind == 1:
        data, name = stored(rng), None
    else:
        name = rng.choice(list(FORMATS))
        sample = reader_samples.SAMPLES[name].content
        if isinstance(sample, dict):
            sample = sample["data.noun"]
        data = sample if isinstance(sample, bytes) else sample.encode()
        if rng.random() < 0.95:
            data = inputs.damaged(rng, data, SOURCE_PIECES)
    if rng.random() < 0.1:
        data = inputs.damaged(rng, gzip.compress(data), [b"\0"], 1)
    if rng.random() < 0.3:
        name = rng.choice([*FORMATS, None])
    elif rng.random() < 0.5:
        name = None
    settings = inputs.chosen(
        rng, {"language": ["zh", "de", "en", "ja"], "top_level": [True], "strict": [True]}
    )
    return data, name, settings


def check_source(case: Any, folder: Path) -> bool:
    data, name, settings = case
    path = folder / ("data.noun" if name == "wordnet" else "source")
    path.write_bytes(data)
    try:
        found = catalog.load(catalog.locate(path), ReaderSettings(**settings), name)
    except LexiconError as error:
        assert "\n" not in str(error), error
        return False
    finally:
        for made in (path, *folder.glob("source-*.lexc")):
            made.unlink(missing_ok=True)
    if not data.startswith(source.STORED):
        assert found.groups and all(group.label for group in found.groups)
        assert all(len(set(group.words)) == len(group.words) > 1 for group in found.groups)
        assert all(word == word.strip() for group in found.groups for word in group.words)
    again = folder / "again.lex"
    store.write(found, again)
    assert [len(group.words) for group in store.load(again).groups] == [
        len(group.words) for group in found.groups
    ]
    metric = celab.TeslaCelab(lexicon=again, script="keep")
    for old in folder.glob("again.lex-*.lexc"):
        old.unlink()
    some = [word for group in found.groups[:3] for word in group.words[:2]]
    return scored(metric, "".join(some), ["".join(reversed(some))]) is not None


KEY = "a key"
_sound: dict[int, bytes] = {}


def sound(which: int, folder: Path) -> bytes:
    """A compiled lexicon as a file's bytes; there are four."""
    if which not in _sound:
        lines = [["雨伞", "伞", "洋伞"], ["买", "购买"], ["卡拉OK", "KTV"], ["𠮷利", "吉利"]]
        options = TeslaCelabOptions()
        groups = [Group(f"line {k}", tuple(line)) for k, line in enumerate(lines)]
        made = compiled.compile_groups(groups[: 2 + which], normalizer=Normalizer.of(options))
        compiled.save(made, KEY, folder / "sound")
        _sound[which] = (folder / "sound").read_bytes()
    return _sound[which]


def make_compiled(rng: Random) -> Any:
    # As edits of a sound file, which is too long to write down: (at, cut away, put there).
    edits = []
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.choice((rng.randrange(48), rng.randrange(1500), rng.randrange(1 << 20)))
        edits.append(
            (at, rng.choice((0, 1, 1, 1, 4, 1 << 30)), rng.randbytes(rng.choice((0, 1, 1, 4))))
        )
    return rng.randrange(4), edits


def check_compiled(case: Any, folder: Path) -> bool:
    which, edits = case
    whole = sound(which, folder)
    data = bytearray(whole)
    for at, away, new in edits:
        at %= len(data) + 1
        data[at : at + away] = new
    path = folder / "compiled"
    path.write_bytes(data)
    found = compiled.load(KEY, path)
    assert (found is not None) == (bytes(data) == whole), "a damaged file was believed"
    return found is not None


def check_recompiled(case: Any, folder: Path) -> bool:
    """The same by way of the cache: what is damaged is made again, and the answer stays."""
    which, edits = case
    source = folder / "kept.tsv"
    source.write_text("雨伞\t伞\n买\t购买\n", "utf-8")
    pair = "买伞", ["购买雨伞"]
    before = celab.TeslaCelab(lexicon=source, script="keep", max_order=which + 1).sentence_score(
        *pair
    )
    (path,) = folder.glob("kept.tsv-*.lexc")
    whole = path.read_bytes()
    data = bytearray(whole)
    for at, away, new in edits:
        at %= len(data) + 1
        data[at : at + away] = new
    path.write_bytes(data)
    metric = celab.TeslaCelab(lexicon=source, script="keep", max_order=which + 1)
    assert metric.sentence_score(*pair) == before
    assert path.read_bytes() == whole
    return True


CORPUS_PIECES = [*corpora.PIECES, b"[" * 3000, b'{"a":' * 3000, b"<p>" * 3000]


def make_corpus(rng: Random) -> Any:
    def data() -> bytes:
        kind = rng.randrange(4)
        if kind == 0:
            return rng.randbytes(rng.randint(0, 80))
        if kind == 1:
            return b"".join(rng.choices(CORPUS_PIECES, k=rng.randint(0, 40)))
        return inputs.damaged(rng, rng.choice(corpora.SEEDS), CORPUS_PIECES)

    alone, packed = rng.random() < 0.5, rng.random() < 0.1
    format_name = rng.choice(corpora.FORMATS) if rng.random() < 0.3 else None
    fields = rng.randrange(len(corpora.FIELDS))
    return (
        data(),
        data(),
        alone,
        packed,
        format_name,
        rng.choice(corpora.ENCODINGS),
        fields,
        rng.random() < 0.5,
    )


def check_corpus(case: Any, folder: Path) -> bool:
    ref, hyp, alone, packed, format_name, encoding, fields, skip_missing = case
    (folder / "ref.tsv").write_bytes(gzip.compress(ref) if packed else ref)
    (folder / "hyp").write_bytes(hyp)
    found = corpora.check(
        [folder / "ref.tsv"],
        () if alone else [folder / "hyp"],
        format=format_name,
        encoding=encoding,
        fields=corpora.FIELDS[fields],
        skip_missing=skip_missing,
    )
    corpora.check_streamed([folder / "ref.tsv"], folder / "hyp", encoding)
    return found is not None


FLAGS = """
    --json --segments --brief --tsv --markdown --latex --level=document --level=segment
    --skip-missing --quiet --test=x --test=randomization --resamples=40 --max-order=2
    --max-order=9 --case=lower --solver=check --tokenize=space --encoding=gb18030 --format=tsv
    --ref-fields=1 --hyp-fields=2 --jobs=2 -m tesla-m --analysis=surface --analysis=tagged --
    \0 --f=nan --f=inf --seed=-1
""".split()


def make_command(rng: Random) -> Any:
    lines = rng.randint(1, 4)
    hyp, ref = (
        "\n".join(inputs.text(rng, 12).replace("\n", "") for _ in range(lines)).encode(
            "utf-8", "replace" if rng.random() < 0.8 else "surrogatepass"
        )
        + b"\n"
        for _ in range(2)
    )
    if rng.random() < 0.3:
        hyp, ref = make_corpus(rng)[:2]
    flags = [rng.choice(FLAGS) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return hyp, ref, flags


def check_command(case: Any, folder: Path) -> bool:
    hyp, ref, flags = case
    (folder / "ref").write_bytes(ref)
    (folder / "hyp").write_bytes(hyp)
    argv = [
        "--lexicon=none",
        f"--time-limit={TIME_LIMIT}",
        *flags,
        str(folder / "ref"),
        str(folder / "hyp"),
    ]
    said, out = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(out):
        code = score_command.main(argv)
    assert code in (0, 2), code
    assert (code == 0) == bool(out.getvalue())
    lines = said.getvalue().splitlines()
    levels = ("error",) if code else ("warning", "finding", "note")
    assert all(line.startswith(tuple(f"celab-score: {x}: " for x in levels)) for line in lines)
    assert len(lines) == len(set(lines))
    assert not code or len(lines) == 1
    return code == 0


TARGETS = {
    "celab": Target(make_celab, check_celab),
    "repeated": Target(make_repeated, check_celab),
    "tesla-m": Target(make_tesla_m, check_tesla_m),
    "normalize": Target(make_normalize, check_normalize),
    "source": Target(make_source, check_source),
    "compiled": Target(make_compiled, check_compiled),
    "recompiled": Target(make_compiled, check_recompiled),
    "corpus": Target(make_corpus, check_corpus),
    "command": Target(make_command, check_command),
    **glossaries.TARGETS,
    **judges.TARGETS,
    **models.TARGETS,
    **outputs.TARGETS,
    **signals.TARGETS,
}
