"""The Python side of the golden files: names, small texts and what is shown of a result."""

import json
import shutil
import tomllib
import warnings

import corpus_samples
from frozen import GOLDEN
from shell import folded
from workbooks import packed, workbook

import celab
from celab import corpus
from celab.agreement import dataset
from celab.base import io
from celab.metrics import language_model
from celab.metrics.factory import make_metric
from celab.nbest.nbest import NBestList

# A table with a header, and the texts of a set of judged translations.
TABLE = 'doc\tseg\tsrc\tA\tB\tone\ttwo\nd\t1\tx\t甲\t\t“一\t壹\nd\t2\ty\t乙\t贰\t"二\t两\n'
JUDGED = {
    "ref-A.txt": "一\n二\n三\n",
    "ref-B.txt": "甲\n\n丙\n",
    "hyp/x.txt": "一\n二\n\n",
    "hyp/y.txt": "<一>\n二\n四\n",
}
FEATURES = {"metric": "celab", "arguments": {"lexicon": None}, "figures": ["precision", "recall"]}
ARPA = (
    "\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n-0.5\t买\t-0.2\n"
    "-0.9\t伞\n-0.7\t</s>\n\n\\2-grams:\n-0.2\t<s> 买\n-0.1\t伞 </s>\n\n\\end\\\n"
)
TBX = (
    '<tbx xml:lang="en"><text><body><conceptEntry>\n'
    '<langSec xml:lang="en"><termSec><term>ferry</term></termSec></langSec>\n'
    '<langSec xml:lang="zh"><termSec><term>渡轮</term></termSec></langSec>\n'
    "</conceptEntry></body></text></tbx>\n"
)
TEXTS = tomllib.loads((GOLDEN / "texts.toml").read_text(encoding="utf-8"))


def namespace(folder):
    """Names that the lines of a golden file may use."""

    def lines(name):
        return (folder / name).read_text(encoding="utf-8").splitlines()

    def write(name, content):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def judged(**files):
        """Read a set with these files; `human_seg__tsv` stands for human-seg.tsv."""
        names = {name: name.replace("__", ".").replace("_", "-") for name in files}
        shutil.rmtree(folder / "set", ignore_errors=True)
        for name, content in (JUDGED | {names[name]: files[name] for name in files}).items():
            write(f"set/{name}", content)
        return dataset.read("set")

    def model(features=None, **keys):
        """Return TESLA-F by a model of one metric, after these changes of its features and keys."""
        signature = celab.TeslaCelab(lexicon=None).signature.without("refs", "v")
        own = FEATURES | {"signature": str(signature)} | (features or {})
        made = {"format": "celab tesla-f 1", "lang": "zh", "weights": [1.0, 1.0], "models": []}
        write("model.json", json.dumps(made | {"metrics": [own]} | keys))
        return celab.TeslaF("model.json")

    def damaged(name, content):
        """Read a file with this content in the format of a sample."""
        sample = corpus_samples.SAMPLES[name]
        write(sample.file, content)
        systems = [sample.file] if sample.has_one_side else ()
        return corpus.read([sample.file], systems, fields=sample.fields, format=name)

    def frame(n):
        """Return a data frame of so many pairs."""
        import pandas

        return pandas.DataFrame({"hypothesis": ["买伞"] * n, "reference": ["买雨伞"] * n})

    def total(data, **settings):
        """Return the score of pairs that Dask computes."""
        from celab import distributed

        return distributed.total(data, metric=celab.TeslaCelab(lexicon=None), **settings)

    def check_header(path):
        """Check the header of a language model."""
        with io.open_binary(path) as stream:
            language_model.check_header(stream, f"language model {path}")

    public = {name: getattr(celab, name) for name in celab.__all__}
    ours = {"lines": lines, "write": write, "show": show, "as_json": as_json, "judged": judged}
    ours |= {"model": model, "workbook": workbook, "packed": packed, "check_header": check_header}
    ours |= {"damaged": damaged, "frame": frame, "total": total}
    samples = {name: text for name, text in vars(corpus_samples).items() if name.isupper()}
    readers = {"corpus": corpus, "Fields": corpus.Fields, "NBestList": NBestList, "TABLE": TABLE}
    texts = {"ARPA": ARPA, "TBX": TBX}
    texts["CAMPAIGN"] = celab.Campaign.from_lists({"A": ["渡轮"]}, ["渡轮"], source=["ferry"])
    texts["TWO"] = celab.Campaign.from_lists({"x": ["一"] * 2, "y": ["一"] * 2}, ["一"] * 2)
    return {**samples, **public, **ours, **readers, **texts, "make_metric": make_metric}


def as_json(result):
    """The JSON of a result, broken into lines."""
    return "\n".join(folded(json.loads(result.to_json())))


def evaluate(line, names):
    """What a line shows: the value of an expression, or the error; a statement shows nothing."""
    try:
        code = compile(line, "<golden>", "eval")
    except SyntaxError:
        exec(line, names)
        return ""
    value, seen = outcome(lambda: eval(code, names))
    shown = "" if value is None else f"{shown_value(value)}\n"
    return shown + "".join(f"{text}\n" for text in seen)


def outcome(call):
    """The value of a call, and our warnings as text; of an error, its class and its message."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            value = call()
        except (celab.CelabError, TypeError, AttributeError) as error:
            value = f"{type(error).__name__}: {error}"
    ours = [warning for warning in seen if "site-packages" not in warning.filename]
    return value, [f"{warning.category.__name__}: {warning.message}" for warning in ours]


def show(metric, language):
    """The metric's signature, and its scores of the small texts of a language."""
    hyps, *refs = TEXTS[language].values()
    score = metric.corpus_score(hyps, refs)
    figures = [_figures(score), *map(_figures, score.segments)]
    return "\n".join([metric.get_signature(), *figures])


def shown_value(value):
    """A score with all digits of all segments, a metric by its signature, others as Python does."""
    if isinstance(value, str):
        return value
    if isinstance(value, celab.Score):
        return "\n".join(_score_lines(value))
    if hasattr(value, "get_signature"):
        return value.get_signature()
    return repr(value)


def _score_lines(score):
    yield score.signature
    yield f"system {_figures(score)}"
    for number, segment in enumerate(score.segments, 1):
        yield f"{number} {_figures(segment)}"
        if len(segment.references) > 1:
            for reference in segment.references:
                yield f"  against {reference.index}: {_figures(reference)}"


def _figures(value):
    figures = (value.score, value.precision, value.recall)
    return " ".join(repr(figure) for figure in figures if figure is not None)
