"""What is fuzzed of other judges: files of scores, human scores and error spans in every format.

A damaged file is refused with an error of ours, or it means what it says: a finite score or none
for each segment, and spans inside the texts.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random
from typing import Any

from celab import Campaign
from celab.people.error_spans import read_spans
from fuzz import inputs, models
from fuzz.target import Target

A, B = ["买了雨伞😀。", "门 开着。"], ["买伞。", "门关了。"]
REF = ["买雨伞😀。", "门开了。"]
CAMPAIGN = Campaign.from_lists({"A": A, "B": B}, REF)


def _esa(system: str, line: int, score: int, spans: Any) -> str:
    written = json.dumps(spans).replace('"', '""')
    return f'u,{system},{line},TGT,eng,zho,{score},d,False,"{written}",1.0,2.0\n'


_UNITS = {"start_i": 4, "end_i": 5, "severity": "major", "error_type": None}
_MISSING = {"start_i": "missing", "end_i": "missing", "severity": "minor"}
_CODE_POINTS = {"start": 2, "end": 4, "severity": "major", "category": "x"}
_MQM = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
_COMET = {
    f"out/{name}.txt": [
        {"mt": text, "COMET": 0.5, "errors": [{"start": 0, "end": 1, "severity": "minor"}]}
        for text in texts
    ]
    for name, texts in (("A", A), ("B", B))
}
_PEARMUT = {
    "annotation": [{"A": {"score": 61, "error_spans": [_UNITS, _MISSING]}}],
    "item": [{"item_id": "d", "src": "s", "tgt": {"A": A[0], "B": B[0]}}],
    "user_id": "u",
    "item_i": 0,
}
_WMT25 = {
    "scores": {"A": {"human1": 61.0, "errors1": [_UNITS], "annotator1": "u", "human2": 70}},
    "tgt_text": {"A": A[0], "B": B[0]},
    "doc_id": "d",
}
_METRICX = [{"hypothesis": text, "prediction": 0.25} for text in A]


def _lines(values: list[Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


# Each file is read for scores, for spans, or for both; one that is refused whole is damaged less.
FILES = {
    "comet.json": json.dumps(_COMET, ensure_ascii=False, indent=1),
    "comet.txt": "".join(f"out/A.txt\tSegment {i}\tscore: 0.{i}5\n" for i in range(2))
    + "out/A.txt\tscore: 0.1\n",
    "A.jsonl": _lines(_METRICX),
    "x.seg.score": "A 1.5\nA None\nB 4\nB -5e-3\n",
    "x.sys.score": "A\t0.8\nB\t0.7\n",
    "x.tsv": "system\tsegment\tscore\nA\t0\t7\nA\t1\tNone\nB\t1\t9\n",
    "x.csv": 'system,segment,score\nA,0,7\nA,1,"8"\n',
    "mqm.tsv": _MQM + "A\td\t1\t1\tr\ts\t买了<v>雨伞</v>😀。\tAccuracy/Mistranslation\tMajor\t{}\n"
    f"B\td\t2\t2\tr\t<v>s</v>\t{B[1]}\tAccuracy/Omission\tminor\t{{}}\n"
    f"B\td\t1\t1\tr\ts\t{B[0]}\tNo-error\tNo-error\t{{}}\n",
    "x.seg.rating": f"A\t{json.dumps({'errors': [_CODE_POINTS]})}\tr\nA\tNone\n",
    "esa.csv": _esa("A", 0, 61, [_UNITS, _MISSING]) + _esa("B", 1, 7, []),
    "pearmut.jsonl": _lines([_PEARMUT]),
    "wmt25.jsonl": _lines([_WMT25]),
    "plain.tsv": "system\tsegment\tstart\tend\tseverity\tcategory\n"
    "A\t0\t2\t4\tmajor\tx\nB\t1\t\t\t\t\n",
}
PIECES = [
    *b'A B C out/A.txt 0 1 2 99 -1 -0 1e999 nan None null true "" [] {} [ { " , :'.split(),
    *b"<v> </v> start_i end_i missing errors COMET prediction annotation __RESET__ scores".split(),
    *(b"\t", b" ", b"\n", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", "😀".encode(), b"9" * 30),
    *(b"[" * 500, b"system\tsegment\tscore\n", b"Segment 0\tscore: "),
]


VALUES = {
    "comet.json": [_COMET],
    "A.jsonl": _METRICX,
    "x.seg.rating": [{"errors": [_CODE_POINTS]}] * 2,
    "esa.csv": [[_UNITS, _MISSING]],
    "pearmut.jsonl": [{"en-zh": [_PEARMUT, _PEARMUT]}],
    "wmt25.jsonl": [_WMT25],
}


def _with_other_values(rng: Random, name: str) -> str:
    """A file of JSON that has another value somewhere."""
    values = [models.changed(rng, value) for value in VALUES[name]]
    if name == "x.seg.rating":
        return "".join(f"A\t{json.dumps(value)}\tr\n" for value in values)
    if name == "esa.csv":
        return _esa("A", 0, 61, values[0])
    return _lines(values)


def make(rng: Random) -> Any:
    name = rng.choice(list(FILES))
    data = FILES[name].encode()
    if name in VALUES and rng.random() < 0.5:
        data = _with_other_values(rng, name).encode("utf-8", "surrogatepass")
    elif rng.random() < 0.95:
        data = inputs.damaged(rng, data, PIECES, rng.choice((1, 2, 4)))
    return name if rng.random() < 0.9 else rng.choice(list(FILES)), data


def check_scores(case: Any, folder: Path) -> bool:
    name, data = case
    (folder / name).write_bytes(data)
    scores = CAMPAIGN.with_scores({"X": folder / name}).scores["X"]
    assert scores
    for score in scores.values():
        assert math.isfinite(score.score)
        assert len(score.segments) == len(REF)
        assert not any(map(math.isinf, score.segments.scores.tolist()))
    return True


def check_spans(case: Any, folder: Path) -> bool:
    name, data = case
    (folder / name).write_bytes(data)
    judgments = read_spans(folder / name, CAMPAIGN.corpus)
    assert judgments
    for judgment in judgments:
        text = CAMPAIGN.corpus.systems[judgment.system][judgment.segment]
        for span in judgment.spans:
            assert span.place is None or 0 <= span.place[0] < span.place[1] <= len(text)
    return True


TARGETS = {"judges": Target(make, check_scores), "spans": Target(make, check_spans)}
