"""Every way in: each command, function, class, adapter and address that gives a score by a name.

A door takes a name of the registry, options as Python spells them, and texts; it returns what it
says about the score. `test_doors.py` compares all of them, and fails if one is missing here.
"""

import contextlib
import json
import re
import sys
import types
from base64 import b64encode
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import commands
import numpy as np
from scores_json import systems_of
from workbooks import workbook

import celab
from celab.base.options import flag_name
from celab.base.signature import Signature
from celab.metrics.factory import make_metric
from celab.metrics.registry import METRICS, arguments_of, fields_of, metric_class, title_of
from celab.trained.relations import split_sentences

CELAB = ("celab", "celab-recommended")
ALONE = tuple(name for name, entry in METRICS.items() if not entry.needs_references)
FLAGS = {"pivots": "--pivot"}


@dataclass(frozen=True)
class Answer:
    """What a door says; None where it says nothing of the kind."""

    system: float | None = None
    segments: tuple[float, ...] | None = None
    signature: str | None = None
    title: str | None = None
    digits: int | None = None  # of the numbers, if they are rounded
    features: tuple[str, ...] = ()  # signatures, among others of each view


@dataclass(frozen=True)
class Texts:
    """Two segments with one reference."""

    hyps: tuple[str, str]
    refs: tuple[str, str]

    def write(self) -> None:
        """Write the files that the commands read, in the working folder."""
        Path("hyp.txt").write_text("".join(f"{line}\n" for line in self.hyps), "utf-8")
        Path("ref.txt").write_text("".join(f"{line}\n" for line in self.refs), "utf-8")


@dataclass(frozen=True)
class Door:
    """A way in, the names it takes (default: all), and the options (default: all)."""

    open: object
    names: tuple[str, ...] | None = None
    options: frozenset[str] | None = None

    def takes(self, name: str, options: dict) -> bool:
        """Return whether the door is for this name and these options."""
        return (self.names is None or name in self.names) and (
            self.options is None or self.options.issuperset(options)
        )


DOORS: dict[str, Door] = {}


def door(name, names=None, options=None):
    """Register a door."""

    def register(function):
        DOORS[name] = Door(function, names, None if options is None else frozenset(options))
        return function

    return register


def of_score(score) -> Answer:
    """Return all that a `Score` says."""
    segments = tuple(score.segments.scores.tolist())
    return Answer(score.score, segments, score.signature, score.name)


# ---- Python -------------------------------------------------------------------------------------


def arguments(name: str, options: dict) -> dict:
    """Return the options that the metric of a name takes."""
    has_lexicon = any(spec.name == "lexicon" for spec in fields_of(name))
    return {k: value for k, value in options.items() if k != "lexicon" or has_lexicon}


@door("celab.TeslaCelab", names=("celab",))
def _(name, options, texts):
    return of_score(celab.TeslaCelab(**options).corpus_score(texts.hyps, [texts.refs]))


@door("class", names=tuple(name for name in METRICS if not METRICS[name].preset))
def _(name, options, texts):
    metric = metric_class(name)(**arguments(name, options))
    return of_score(metric.corpus_scores({"a": texts.refs, "b": texts.hyps}, [texts.refs])["b"])


@door("celab.TeslaCelab.recommended", names=("celab-recommended",))
def _(name, options, texts):
    metric = celab.TeslaCelab.recommended(**options)
    return of_score(metric.scorer([texts.refs])(texts.hyps, [texts.refs]))


@door("celab.recommended", names=("celab-recommended",))
def _(name, options, texts):
    segments = [
        celab.recommended(**options).sentence_score(hyp, [ref]).score
        for hyp, ref in zip(texts.hyps, texts.refs, strict=True)
    ]
    return Answer(segments=tuple(segments))


@door("make_metric")
def _(name, options, texts):
    score = make_metric(name.upper(), **options).corpus_score(texts.hyps, [texts.refs])
    return of_score(score)


def campaign(name, options, texts):
    """Return a scored campaign of two systems, and the key of the metric."""
    systems = {"a": list(texts.hyps), "b": list(texts.refs)}
    made = celab.Campaign.from_lists(systems, [list(texts.refs)])
    return made.score(name, **options)


@door("celab.Campaign")
def _(name, options, texts):
    return of_score(campaign(name, options, texts).scores[name]["a"])


@door("celab.compare")
def _(name, options, texts):
    compared = celab.compare(texts.hyps, texts.refs, list(texts.refs), [name], **options)[name]
    segments = tuple(compared.segments[:, 0].tolist())
    return Answer(compared.difference.a, segments, compared.signature, compared.name)


@door("celab.score")
def _(name, options, texts):
    metric = make_metric(name, **options)
    score = celab.score(texts.hyps, list(texts.refs), name, **options)
    if not metric.depends_on_references:
        pairs = zip(texts.hyps, texts.refs, strict=True)
        segments = [celab.score(hyp, ref, name, **options).segments[0].score for hyp, ref in pairs]
        assert segments == list(score.segments.scores)
    return of_score(score)


EXPLAINED = tuple(name for name in METRICS if metric_class(name).explained_by)


@door("celab.explain", names=EXPLAINED)
def _(name, options, texts):
    pairs = zip(texts.hyps, texts.refs, strict=True)
    explained = [celab.explain(hyp, ref, name, **options) for hyp, ref in pairs]
    return Answer(segments=tuple(one.score for one in explained))


def judged(texts) -> None:
    """Write a folder of judged translations, in the working folder."""
    Path("data/hyp").mkdir(parents=True, exist_ok=True)
    files = {"ref-A": texts.refs, "hyp/a": texts.hyps, "hyp/b": texts.refs}
    for file, lines in files.items():
        Path(f"data/{file}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    Path("data/human-sys.tsv").write_text("a\t1\nb\t2\n", "utf-8")


@door("celab.meta")
def _(name, options, texts):
    judged(texts)
    evaluation = celab.meta.evaluate("data", [name], n_resamples=40, **options)
    metric = evaluation.metrics[name]
    title = title_of(metric.signature)
    return Answer(metric.scores["a"], signature=metric.signature, title=title)


def equal_candidates(texts):
    """Return lists of equal candidates with different features; any choice scores as the texts."""
    return [[(hyp, {"lm": 1.0}), (hyp, {"lm": 2.0})] for hyp in texts.hyps]


@door("celab.tune")
def _(name, options, texts):
    tuned = celab.tune(equal_candidates(texts), list(texts.refs), name, restarts=0, **options)
    return Answer(tuned.after.score, signature=tuned.signature, title=tuned.metric)


@door("celab.integrations.score_columns")
def _(name, options, texts):
    import pandas

    frame = pandas.DataFrame({"hypothesis": texts.hyps, "reference": texts.refs})
    scored = celab.integrations.score_columns(frame, metric=name, **options)
    return Answer(segments=tuple(scored["score"].tolist()))


# Error rates are rewards with unit=True alone, and metrics of discourse have no scale.
REWARDS = tuple(x for x in METRICS if x not in ("ter", "cer", "mer", "dicomer", "cremer"))


@door("celab.integrations.rewards", names=REWARDS)
def _(name, options, texts):
    reward = celab.integrations.reward(name, guard=False, **options)
    return Answer(segments=tuple(reward(list(texts.hyps), reference=list(texts.refs))))


@door("celab.integrations.verl", names=REWARDS)
def _(name, options, texts):
    from celab.integrations import verl

    settings = {"metric": name, "guard": False, "unit": False, **options}
    rewards = verl.compute_score_batched(["set"] * 2, texts.hyps, texts.refs, **settings)
    pairs = zip(texts.hyps, texts.refs, strict=True)
    assert [verl.compute_score("set", *pair, **settings) for pair in pairs] == rewards
    return Answer(segments=tuple(rewards))


@door("celab.distributed")
def _(name, options, texts):
    import pandas
    import pytest

    pytest.importorskip("dask.dataframe", reason="Dask (extra dask) is not installed")
    from celab import distributed

    frame = pandas.DataFrame({"hypothesis": texts.hyps, "reference": texts.refs})
    return of_score(distributed.total(frame, metric=make_metric(name, **options)))


# ---- adapters, with stand-ins for packages that are not installed ------------------------------


@contextlib.contextmanager
def stand_ins(adapter, **modules):
    """Import an adapter anew, with modules that have these attributes."""
    made = {}
    for path, attributes in modules.items():
        module = types.ModuleType(path.replace("__", "."))
        vars(module).update(attributes)
        made[module.__name__] = module
    parents = {name.rpartition(".")[0] for name in made} - {""}
    for parent in sorted(parents | {p.rpartition(".")[0] for p in parents} - {""}):
        made.setdefault(parent, types.ModuleType(parent))
    with mock.patch.dict(sys.modules, made):
        sys.modules.pop(adapter, None)
        yield __import__(adapter, fromlist=["_"])
    sys.modules.pop(adapter, None)


@door("celab.integrations.sacrebleu", names=CELAB)
def _(name, options, texts):
    from celab.integrations.sacrebleu import SacrebleuTeslaCelab

    adapter = SacrebleuTeslaCelab(name, **options)
    score = adapter.corpus_score(list(texts.hyps), [list(texts.refs)])
    return Answer(score.score, signature=adapter.metric.signature, title=score.name)


@door("celab.integrations.lm_eval", names=CELAB)
def _(name, options, texts):
    aggregations = {}

    def register_aggregation(key):
        return lambda function: aggregations.setdefault(key, function)

    registry = {
        "register_aggregation": register_aggregation,
        "register_metric": lambda **_: lambda function: function,
    }
    with stand_ins("celab.integrations.lm_eval", lm_eval__api__registry=registry) as adapter:
        pairs = zip(texts.hyps, texts.refs, strict=True)
        items = [adapter.collect([ref], [hyp], **options) for hyp, ref in pairs]
        return Answer(aggregations[name.replace("-", "_")](items))


@door("celab.integrations.inspect_ai", names=CELAB)
def _(name, options, texts):
    import asyncio

    scorers = {
        "Score": lambda **score: types.SimpleNamespace(**score),
        "scorer": lambda **_: lambda function: function,
        **dict.fromkeys(("Scorer", "Target"), object),
        **dict.fromkeys(("mean", "stderr"), lambda: None),
    }
    solver = {"TaskState": object}
    with stand_ins(
        "celab.integrations.inspect_ai", inspect_ai__scorer=scorers, inspect_ai__solver=solver
    ) as adapter:
        score = adapter.celab(recommended=name == "celab-recommended", **options)
        answers = []
        for hyp, ref in zip(texts.hyps, texts.refs, strict=True):
            state = types.SimpleNamespace(output=types.SimpleNamespace(completion=hyp))
            answers.append(asyncio.run(score(state, [ref])))
    segments = tuple(answer.value for answer in answers)
    return Answer(segments=segments, signature=answers[0].metadata["signature"])


@door("celab.integrations.mbrs", names=CELAB, options=("lang", "lexicon"))
def _(name, options, texts):
    class Base:
        Config = object

        def __init__(self, cfg):
            self.cfg = cfg

    @contextlib.contextmanager
    def measure(_):
        yield mock.Mock()

    with stand_ins(
        "celab.integrations.mbrs",
        torch={"Tensor": object, "tensor": lambda values, dtype: values, "float32": None},
        mbrs={"timer": types.SimpleNamespace(measure=measure)},
        mbrs__metrics={"Metric": Base, "register": lambda _: lambda kind: kind},
    ) as adapter:
        if options.get("lexicon", "default") is None:
            options = options | {"lexicon": "none"}
        config = adapter.MetricCelab.Config(recommended=name == "celab-recommended", **options)
        metric = adapter.MetricCelab(config)
        hyps, refs = list(texts.hyps), list(texts.refs)
        segments = tuple(np.diagonal(metric.pairwise_scores(hyps, refs)).tolist())
        assert tuple(metric.scores(hyps, refs).tolist()) == segments
        system = metric.corpus_score(hyps, [refs])
        return Answer(system, segments, metric.metric.signature)


@door("celab.integrations.evaluate")
def _(name, options, texts):
    value = mock.Mock()
    evaluate = {"Metric": object, "MetricInfo": value}
    datasets = {"Value": value, "Features": value, "Sequence": value}
    with stand_ins(
        "celab.integrations.evaluate.celab.celab", evaluate=evaluate, datasets=datasets
    ) as adapter:
        answer = adapter.Celab()._compute(list(texts.hyps), list(texts.refs), name, **options)
    return Answer(answer["score"], tuple(answer["scores"]), answer["signature"])


# ---- commands -----------------------------------------------------------------------------------


def flags(name, options):
    """Return the flags for a name and options."""
    words = ["-m", name]
    for option, value in options.items():
        if isinstance(value, dict):
            value = ",".join(f"{key}:{credit}" for key, credit in value.items())
        (spec,) = (spec for spec in fields_of(name) if spec.name == option)
        flag = FLAGS.get(option, f"--{flag_name(spec).replace('_', '-')}")
        if value is True:
            words.append(flag)
            continue
        values = value if isinstance(value, list) else ["none" if value is None else value]
        words += [f"{flag}={value}" for value in values]
    return words


def run(command, name, options, *words, input=None):
    """Return what a command prints."""
    done = commands.run(command, *words, *flags(name, options), "-q", input=input, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@door("celab score")
def _(name, options, texts):
    texts.write()
    line, signature, *_ = run("score", name, options, "ref.txt", "hyp.txt").splitlines()
    title, number = re.match(r"(.*?) = (-?[\d.]+)", line).groups()
    return Answer(float(number), None, signature, title, digits=len(number.partition(".")[2]))


@door("celab score --text")
def _(name, options, texts):
    found = [
        of_json(run("score", name, options, "--text", ref, hyp, "--json", "--segments"), name)
        for hyp, ref in zip(texts.hyps, texts.refs, strict=True)
    ]
    segments = tuple(one.segments[0] for one in found)
    return Answer(segments=segments, signature=found[0].signature)


def of_json(out, name, system="hyp"):
    """Return what JSON says about a system."""
    (found,) = (entry for entry in systems_of(json.loads(out)) if entry["name"] == system)
    metric = found["metrics"][name]
    segments = metric.get("segments")
    if segments is not None:
        segments = tuple(segment["score"] for segment in segments)
    return Answer(metric["score"], segments, metric["signature"])


@door("celab score --json --segments")
def _(name, options, texts):
    texts.write()
    out = run("score", name, options, "ref.txt", "hyp.txt", "--json", "--segments")
    return of_json(out, name)


def sheet(header, *rows) -> None:
    """Write a sheet with a title above its header."""
    Path("sheet.xlsx").write_bytes(workbook([["Translations"], header, *map(list, rows)]))


def columns_sheet(texts) -> None:
    """Write a sheet with a column for each of two systems."""
    rows = zip("12", texts.refs, texts.hyps, "xy", strict=True)
    sheet(["id", "ref", "hyp", "other"], *rows)


@door("celab score --hyp-fields rest")
def _(name, options, texts):
    columns_sheet(texts)
    words = ["sheet.xlsx", "--hyp-fields", "rest", "--json", "--segments"]
    return of_json(run("score", name, options, *words), name)


@door("celab score --hyp-fields of a range")
def _(name, options, texts):
    columns_sheet(texts)
    words = ["sheet.xlsx", "--hyp-fields", "3-other", "--json", "--segments"]
    return of_json(run("score", name, options, *words), name)


@door("celab score --system-field")
def _(name, options, texts):
    rows = [*zip(["hyp"] * 2, "12", texts.refs, texts.hyps, strict=True), ["other", "2", "", "y"]]
    sheet(["who", "id", "ref", "out"], *rows, ["other", "1", "", "x"])
    words = ["sheet.xlsx", "--hyp-fields", "out", "--system-field", "who"]
    words += ["--json", "--segments"]
    return of_json(run("score", name, options, *words), name)


@door("celab score --resample-by document")
def _(name, options, texts):
    texts.write()
    Path("documents.txt").write_text("a\nb\n", "utf-8")
    words = ["--documents", "documents.txt", "--resample-by", "document", "--json", "--segments"]
    found = of_json(run("score", name, options, "ref.txt", "hyp.txt", *words), name)
    assert found.signature.endswith("|resample:document")
    return replace(found, signature=found.signature.removesuffix("|resample:document"))


@door("celab score without references", names=ALONE)
def _(name, options, texts):
    texts.write()
    return of_json(run("score", name, options, "hyp.txt", "--json", "--segments"), name)


@door("celab score --documents", names=ALONE)
def _(name, options, texts):
    sentences = [split_sentences(text) for text in texts.hyps]
    lines = [(f"d{k}", line) for k, of_text in enumerate(sentences) for line in of_text]
    for file, column in (("documents.txt", 0), ("lines.txt", 1)):
        Path(file).write_text("".join(f"{row[column]}\n" for row in lines), "utf-8")
    words = ["lines.txt", "--documents", "documents.txt", "--json", "--segments"]
    return of_json(run("score", name, options, *words), name, "lines")


@door("celab explain without references", names=ALONE)
def _(name, options, texts):
    texts.write()
    found = json.loads(run("explain", name, options, "1-2", "hyp.txt", "--json"))
    return Answer(segments=tuple(one["score"] for one in found["explanations"]))


@door("celab score --profile", names=("celab-recommended",))
def _(name, options, texts):
    texts.write()
    words = ["ref.txt", "hyp.txt", "--json", "--profile=recommended"]
    return of_json(run("score", "celab", options, *words), "celab")


@door("celab score --segments")
def _(name, options, texts):
    texts.write()
    out = run("score", name, options, "ref.txt", "hyp.txt", "--segments")
    heading, *rows = (line.split("\t") for line in out.splitlines())
    scores = (row[heading.index("score")] for row in rows)
    return Answer(segments=tuple(map(float, scores)), digits=6)


@door("celab score, two systems")
def _(name, options, texts):
    texts.write()
    systems = ["-r", "ref.txt", "-s", "hyp.txt", "ref.txt", "--resamples=40"]
    table = run("score", name, options, *systems, "--markdown")
    title = re.search(r"(?m)^\| system \| (.*?) \|", table)[1]
    answer = of_json(run("score", name, options, *systems, "--json"), name)
    return Answer(answer.system, answer.segments, answer.signature, title)


@door("celab score --html")
def _(name, options, texts):
    texts.write()
    answer = of_json(
        run("score", name, options, "ref.txt", "hyp.txt", "--json", "--html=page.html"), name
    )
    page = Path("page.html").read_text("utf-8")
    named = re.search(r'"name": ?"([^"]+)", ?"signature": ?"([^"]+)"', page)
    assert json.loads(f'"{named[2]}"') == answer.signature
    return Answer(answer.system, signature=answer.signature, title=json.loads(f'"{named[1]}"'))


@door("celab score --output")
def _(name, options, texts):
    texts.write()
    run(
        "score",
        name,
        options,
        "ref.txt",
        "hyp.txt",
        "--segments",
        "--output=segments.tsv",
        "--overwrite",
    )
    heading, *rows = (
        line.split("\t") for line in Path("segments.tsv").read_text("utf-8").splitlines()
    )
    scores = (row[heading.index("score")] for row in rows)
    return Answer(segments=tuple(map(float, scores)), digits=6)


@door("celab compare")
def _(name, options, texts):
    texts.write()
    words = ["-r", "ref.txt", "-s", "hyp.txt", "ref.txt", "--json", "--resamples=40"]
    (metric,) = json.loads(run("compare", name, options, *words))["metric"]
    return Answer(metric["a"], signature=metric["signature"], title=metric["name"])


@door("celab explain", names=EXPLAINED)
def _(name, options, texts):
    texts.write()
    found = json.loads(run("explain", name, options, "1-2", "ref.txt", "hyp.txt", "--json"))
    return Answer(segments=tuple(one["score"] for one in found["explanations"]))


@door("celab explain --text", names=EXPLAINED)
def _(name, options, texts):
    pairs = zip(texts.refs, texts.hyps, strict=True)
    found = [run("explain", name, options, "--text", *pair, "--json") for pair in pairs]
    return Answer(segments=tuple(json.loads(out)["explanations"][0]["score"] for out in found))


@door("celab meta")
def _(name, options, texts):
    judged(texts)
    out = run("meta", name, options, "data", "--resamples=40", "--json")
    report = json.loads(out)
    (metric,) = (row for row in report["metric"] if row["metric"] == name)
    (score,) = (row for row in report["score"] if (row["metric"], row["system"]) == (name, "a"))
    return Answer(score["score"], signature=metric["signature"])


@door("celab stream")
def _(name, options, texts):
    texts.write()
    requests = "".join(f"{number}\t{hyp}\n" for number, hyp in enumerate(texts.hyps))
    out = run("stream", name, options, "ref.txt", input=requests)
    return Answer(segments=tuple(map(float, out.split())))


def nbest(texts, *others):
    """Write n-best lists with these texts, and those of others, as candidates."""
    Path("nbest.txt").write_text(
        "".join(
            f"{number} ||| {text} ||| lm= {place}.0 ||| -1.0\n"
            for number, candidates in enumerate(zip(texts.hyps, *others, strict=True))
            for place, text in enumerate(candidates)
        ),
        "utf-8",
    )


@door("celab.mbr")
def _(name, options, texts):
    segments = []
    for hyp, ref in zip(texts.hyps, texts.refs, strict=True):
        reranked = celab.mbr([hyp, ref], name, **options)
        itself = make_metric(name, **options).sentence_score(hyp, [hyp]).score
        segments.append(2 * reranked.expected[0] - itself)  # the mean over both candidates
    return Answer(segments=tuple(segments))


@door("celab mbr")
def _(name, options, texts):
    nbest(texts, texts.refs)
    reranked = json.loads(run("mbr", name, options, "nbest.txt", "--json"))
    segments = []
    for sentence, hyp in zip(reranked["sentences"], texts.hyps, strict=True):
        (found,) = (c for c in sentence["candidates"] if c["text"] == hyp)
        itself = make_metric(name, **options).sentence_score(hyp, [hyp]).score
        segments.append(2 * found["expected"] - itself)  # the mean over both candidates
    return Answer(segments=tuple(segments), signature=reranked["signature"])


@door("celab tune")
def _(name, options, texts):
    texts.write()
    nbest(texts, texts.hyps)
    run("tune", name, options, "nbest.txt", "-r", "ref.txt", "--restarts=0", "-o", "w.json")
    tuned = json.loads(Path("w.json").read_text("utf-8"))
    return Answer(tuned["choice"][1]["score"], signature=tuned["signature"])


@door("celab train", names=tuple(name for name in METRICS if "model" not in arguments_of(name)))
def _(name, options, texts):
    import pytest

    pytest.importorskip("sklearn", reason="scikit-learn (extra train) is not installed")
    n = 20
    folder = Path("judged")
    (folder / "hyp").mkdir(parents=True, exist_ok=True)
    columns = {"ref-A": texts.refs[0], "hyp/a": texts.refs[0], "hyp/b": texts.hyps[0]}
    for file, text in columns.items():
        (folder / f"{file}.txt").write_text(f"{text}\n" * n, "utf-8")
    rows = [f"{system}\t{s}\t{v}\n" for system, v in (("a", 9), ("b", 1)) for s in range(n)]
    (folder / "human-seg.tsv").write_text("system\tsegment\tscore\n" + "".join(rows), "utf-8")
    run("train", name, options, "judged", "-o", "model.json", "--folds", "2", "--overwrite")
    model = json.loads(Path("model.json").read_text("utf-8"))
    return Answer(features=tuple(entry["signature"] for entry in model["metrics"]))


@door("celab lexicon suggest", names=CELAB)
def _(name, options, texts):
    texts.write()
    profile = {"celab": "paper", "celab-recommended": "recommended"}[name]
    words = ["suggest", "ref.txt", "hyp.txt", f"--profile={profile}", *flags(name, options)[2:]]
    done = commands.run("lexicon", *words, encoding="utf-8")
    if done.returncode == 2 and "has no words to suggest" in done.stderr:
        return Answer()
    assert done.returncode == 0, done.stderr
    return Answer(signature=done.stdout.partition("suggested for ")[2].split("\n")[0])


# ---- server -------------------------------------------------------------------------------------

SERVED = ("lang", "lexicon", "max_order", "decay", "f")


def post(address, name, options, body):
    """Return the answer of the server to a request with these settings."""
    import warnings

    from celab.serve import answers, models

    settings = {k: "none" if v is None else v for k, v in options.items() if v != "default"}
    settings |= {"profile": {"celab": "paper"}.get(name, "recommended")}
    kind = {"score": models.PairRequest, "explain": models.PairRequest}[address]
    request = kind.model_validate(body | {"settings": settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(answers, address)(**request.arguments())


def of_server(address, name, options, texts):
    """Return the scores and the signature that an address gives."""
    pairs = zip(texts.hyps, texts.refs, strict=True)
    found = [
        post(address, name, options, {"hypothesis": hyp, "reference": ref}) for hyp, ref in pairs
    ]
    return found, found[0]["signature"]


@door("POST /score", names=CELAB, options=SERVED)
def _(name, options, texts):
    found, signature = of_server("score", name, options, texts)
    return Answer(segments=tuple(one["score"] for one in found), signature=signature)


@door("POST /explain", names=CELAB, options=SERVED)
def _(name, options, texts):
    _, signature = of_server("explain", name, options, texts)
    return Answer(signature=signature)


@door("POST /report", names=CELAB, options=SERVED)
def _(name, options, texts):
    from celab.serve import answers, models

    texts.write()
    ref, hyp = ([(file, b64encode(Path(file).read_bytes()))] for file in ("ref.txt", "hyp.txt"))
    profile = {"celab": "paper"}.get(name, "recommended")
    sent = {k: "none" if v is None else v for k, v in options.items() if v != "default"}
    pair = {"hypothesis": "", "reference": "", "settings": sent | {"profile": profile}}
    settings = models.PairRequest.model_validate(pair).chosen_settings()  # as those of a report
    with TemporaryDirectory() as folder:
        answer = answers.report(folder, ref, hyp, settings)
    page = answer["html"]
    found = re.search(r'"name": ?"([^"]+)", ?"signature": ?"([^"]+)"', page)
    title, signature = (json.loads(f'"{text}"') for text in found.groups())
    return Answer(signature=signature, title=title)


def same_signature(a: str, b: str) -> bool:
    """Return whether two signatures agree, apart from the references and the version."""
    a, b = (Signature.parse(text).without("refs", "nrefs", "v", "version") for text in (a, b))
    return a == b
