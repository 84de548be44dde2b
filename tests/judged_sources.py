"""Small sources of each kind that bench/get_data.py reads, by the paths of their files."""

import csv
import io
import sys
import tarfile

from conftest import ROOT

BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
import get_data  # noqa: E402

CLUSTERS = """Processing annotations

[eng-->jpn]
MiSS: 2758
0.43 ('Facebook-AI', 2375, 0.43001040646296895, 86.4326737521093, 4.0)
0.31 ('translator-A', 2515, 0.3136146372663768, 85.32525592310652, 4.0)
-0.04 ('MiSS', 2758, -0.042482247000047865, 71.75673099660018, 3.658536585365854)
--------------------------------------------------------------------------------
14                                         Facebook-AI  0.43001 4.00000 86.43267

[eng-->ces]
0.40 ('Online-A', 4251, 0.3971961366787646, 90.22089559889838, 4.0)
"""
DIRECT = {
    "txt/sources/newstest2021.en-ja.src.en": "\ufeffa\u2028b\nc\n",
    "txt/references/newstest2021.en-ja.ref.A.ja": "あ\nい\n",
    "txt/system-outputs/newstest2021.en-ja.hyp.Facebook-AI.ja": "あ \nう\n",
    "txt/system-outputs/newstest2021.en-ja.hyp.MiSS.ja": "え\n\n",
    "humaneval/newstest2021-EX_and_XY/wmt21clusters.filtered.20210930.txt": CLUSTERS,
}
MQM = {
    "txt/sources/newstest2021.zh-en.src.zh": "一\n二\n三\n",
    "txt/references/newstest2021.zh-en.ref.A.en": "one\ntwo\nthree\n",
    "txt/system-outputs/newstest2021.zh-en.hyp.NVIDIA-NeMo.en": "a\nb\nc\n",
    "txt/system-outputs/newstest2021.zh-en.hyp.B.en": "d\ne\nf\n",
    "txt/system-outputs/newstest2021.zh-en.hyp.unjudged.en": "-\n-\n-\n",
    "newstest2021/zhen/mqm_newstest2021_zhen.avg_seg_scores.tsv": (
        "system mqm_avg_score seg_id\nNemo\tNone 1\nNemo\t-1.0 2\nNemo\t-2.333333333 3\n"
        "B\tNone 1\nB\t-0.5 2\nB\tNone 3\nmetricsystem1\t0.0 1\n"
    ),
}
ESA = {
    "txt/documents/en-ja.docs": "canary\tcanary\nnews\td1\nnews\td1\nliterary\td2\nspeech\td3\n",
    "txt/sources/en-ja.txt": "canary\nb\nc\nd\ne\n",
    "txt/references/en-ja.refA.txt": "0\n1\n2\n3\n4\n",
    "txt/system-outputs/en-ja/X.txt": "x0\nx1\nx2\nx3\nx4\n",
    "txt/system-outputs/en-ja/Y.txt": "y0\ny1\ny2\ny3\ny4\n",
    "txt/system-outputs/en-ja/unjudged.txt": "-\n-\n-\n-\n-\n",
    "humeval/esa_generalMT2024_wave2.csv": (
        'u,Y,1,TGT,eng,jpn,80,d1,False,"[{""a"": 1}, 2]",0,1\n'
        "u,X,1,TGT,eng,jpn,90,d1,False,[],0,1\n"
        "u,X,1,BAD,eng,jpn,1,d1,False,[],0,1\n"
        "u,X,1,TGT,eng,jpn,2,d1#dup,False,[],0,1\n"
        "u,en-tutorial,1,TGT,eng,jpn,3,d1,False,[],0,1\n"
        "u,X,1,TGT,eng,ces,4,d1,False,[],0,1\n"
        "u,X,1,TGT,deu,jpn,5,d1,False,[],0,1\n"
        "u,X,3,TGT,eng,jpn,6,d2,False,[],0,1\n"
    ),
    "humeval/esa_generalMT2024_wave3.csv": (
        "v,X,1,TGT,eng,jpn,91,d1,False,[],0,1\n"
        "v,X,1,TGT,eng,jpn,91,d1,False,[],0,1\n"
        "v,X,4,TGT,eng,jpn,70,d3,False,[],0,1\n"
        "v,refA,4,TGT,eng,jpn,99,d3,False,[],0,1\n"
        "v,refA,4,TGT,eng,jpn,100,d3,False,[],0,1\n"
    ),
}
KOREAN = {
    "En_Ko_MQM_Quality_Scores.tsv": (
        "type\tcorpus\ten_source\tko_reference\tko_target\taccuracy\tfluency\tstyle\ttotal\n"
        "training\tTED\t-\t-\t-\t0\t0\t0\t0\n"
        'test\tGlobal Voices\tone "two\t하나 \t한\t1\t0\t0.5\t1.5\n'
    )
}
DIRECT_TABLE = (
    "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\n"
    '0\tHe "ran" .\t{}London Bridge跑了。\t[60, 70]\t65\t[0.1, 0.2]\t0.15\n'
)
MLQE = "data/direct-assessments/dev/en-zh-dev.tar.gz", "data/post-editing/dev/en-zh-dev.tar.gz"


def mlqe(gap=" " * 3, start="他"):
    """Return two archives; a space of the text is this gap between words."""
    edited = {
        "dev.mt": f"他 London{gap}Bridge 跑 了 。\n",
        "dev.pe": f"他 在 London{gap}Bridge 。\n",
    }
    tables = {"dev.enzh.df.short.tsv": DIRECT_TABLE.format(start)}
    return {
        name: packed({f"en-zh-dev/{member}": text for member, text in files.items()})
        for name, files in zip(MLQE, (tables, edited), strict=True)
    }


def packed(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


# ---- the matrix: segments are found by chrF, which does not tell lines 2 and 4 apart ----

REFS = ["canary", "一二三四", "上午", "五六七八", "下午", "甲乙丙丁"]
OUTPUTS = {
    "X_Y": ["canary", "一二三四", "上午", "五六七", "下午", "甲乙"],
    "MSLC": ["canary", "一二", "上午", "五六", "下午", "甲乙丙丁"],
}
COLUMNS = ["segment_id", "system_id", "MQM", *get_data.MATRIX_METRICS, "damonmonli"]


def matrix(order=(1, 2, 3, 4), column="YiSi-1"):
    """Return the files; the segments are these lines, in this order."""
    texts = {"ref-A": REFS, **{f"hyp/{system}": hyps for system, hyps in OUTPUTS.items()}}
    values = get_data.chrf_of(texts, list(OUTPUTS))
    rows = [
        {**dict.fromkeys(COLUMNS, 0.5), "MQM": "-0.2000", "chrF": f"{values[line, k]:.4f}"}
        | {"segment_id": number, "system_id": system}
        for number, line in enumerate(order, 1)
        for k, system in enumerate(["X_Y", "F*"])
    ]
    rows.append(dict.fromkeys(COLUMNS, 3) | {"segment_id": 1, "system_id": "A", "MQM": "null"})
    table = io.StringIO()
    columns = [column if name == "YiSi-1" else name for name in COLUMNS]
    csv.writer(table).writerows([columns, *(row.values() for row in rows)])
    files = {"sources/ja-zh": REFS, "references/ja-zh.refA": REFS}
    for system, hyps in OUTPUTS.items():
        files[f"system-outputs/ja-zh/{system.replace('_', '-')}"] = hyps
    return {
        "docs/2024/interactive/hum-matrix/hum-jazh-matrix.csv": table.getvalue(),
        "txt/documents/ja-zh.docs": "canary\tcanary\n" + "news\td1\n" * 4 + "speech\td2\n",
        **{f"txt/{name}.txt": "\n".join(lines) + "\n" for name, lines in files.items()},
    }
