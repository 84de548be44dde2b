"""Files of a report that are refused or warned of: (references, systems), by name and content."""

import json

from workbooks import workbook

REF = "他昨天买了一把雨伞。\n我们明天去北京。\n"
HYP = "他买了一把伞。\n明天我们去北京。\n"
LINES = {"ref.txt": REF}
SYSTEM = {"a.txt": HYP}
SRT = "{}\n00:00:0{},000 --> 00:00:0{},500\n{}\n\n"


def cues(*cells):
    return "".join(SRT.format(*cell) for cell in cells)


MARKED = (
    '<xliff><file original="a"><trans-unit id="1"><source>a</source><seg-source><mrk mtype="seg"/>'
    '</seg-source><target><mrk mtype="seg">伞</mrk>雨</target></trans-unit></file></xliff>'
)


def records(field, **uids):
    """Return a file of records with a document and an id that may be none."""
    rows = ({"doc_id": name, "uid": uid, field: "伞"} for name, uid in uids.items())
    return {f"{field}.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}


PAIRS = [["他买了一把雨伞。", "他买了一把伞。"], ["我们明天去北京。", "明天我们去北京。"]]
REFUSED = [
    (LINES, {"a.txt": "他买伞。\n"}),
    ({"ref.txt": REF, "ref2.txt": "伞\n"}, SYSTEM),
    ({"ref.txt": ""}, SYSTEM),
    ({"ref.txt": "\n\n"}, SYSTEM),
    ({"ref.txt": "伞\n\n"}, SYSTEM),
    ({"ref.txt": b"\xff\xfe\xff\n"}, SYSTEM),
    ({"ref.txt": "伞\n".encode() + b"\xff\n"}, SYSTEM),
    ({"ref.txt": REF.replace("\n", "\r")}, SYSTEM),
    ({"ref.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0\0"}, SYSTEM),
    ({"ref.png": b"\x89PNG\r\n\x1a\n\0\0"}, SYSTEM),
    ({"ref.xlsx": b"PK\3\4"}, SYSTEM),
    ({"ref.gz": b"\x1f\x8b\x08\0"}, SYSTEM),
    ({"a.xlsx": workbook([["x", "y"], ["1", "2"]])}, {}),
    ({"a.csv": "x,y\n1,2\n"}, {}),
    ({"a.csv": "ref,hyp\n伞\n"}, {}),
    ({"a.csv": 'ref,hyp\n"伞,伞\n'}, {}),
    ({"a.csv": "ref,ref\n伞,伞\n"}, {}),
    ({"a.csv": "ref\n伞\n"}, {}),
    ({"a.jsonl": '{"ref": "伞", "hyp": "伞"}\n{"ref": \n'}, {}),
    ({"a.jsonl": '{"ref": "伞", "hyp": 3}\n'}, {}),
    ({"a.jsonl": '{"x": "伞"}\n'}, {}),
    ({"a.jsonl": '{"ref": "伞", "hyp": "伞"}\n[1]\n'}, {}),
    ({"a.jsonl": '{"id": 1, "ref": "伞", "hyp": "伞"}\n' * 2}, {}),
    ({"a.json": "[]"}, {}),
    ({"a.json": '{"ref": "伞"}'}, {}),
    ({"a.xml": "<p>伞</p>"}, {}),
    ({"a.xlf": "<xliff><file>"}, {}),
    ({"a.xlf": "伞"}, {}),
    ({"a.srt": "伞\n"}, SYSTEM),
    ({"a.srt": cues((1, 1, 2, "伞"))}, {"b.srt": cues((1, 1, 2, "伞"), (2, 3, 4, "雨"))}),
    ({"a.srt": cues((1, 1, 2, "伞"))}, {"b.srt": cues((1, 5, 6, "伞"))}),
    ({"a.srt": cues((1, 1, 2, "伞"))}, {"b.srt": cues((1, 2, 1, "伞"))}),
    ({"a.srt": cues((1, 1, 2, "伞\n\n2\n雨"))}, SYSTEM),
    ({"a.po": 'msgid ""\nmsgstr "伞"\n'}, SYSTEM),
    ({"a.xlf": MARKED}, SYSTEM),
    ({"a.xlsx": workbook([["ref"]], more='<row r="2"><c r="A2"><f>B2</f></c></row>')}, SYSTEM),
    ({"a.docx": b"PK\3\4"}, SYSTEM),
    ({"a.odt": b"PK\3\4"}, SYSTEM),
    ({"a.pptx": b"PK\3\4"}, SYSTEM),
    ({"a.ods": b"PK\3\4"}, SYSTEM),
    ({"a.po": "伞\n"}, SYSTEM),
    ({"a.properties": "k=伞\n"}, SYSTEM),
    (
        {"a.jsonl": json.dumps({"id": 1, "ref": "伞"})},
        {"b.jsonl": json.dumps({"id": 2, "hyp": "伞"})},
    ),
    (records("ref", a=1, b=2), records("hyp", b=1, a=2)),
    (records("ref", a=None, b=None), records("hyp", b=None, c=None)),
    (records("ref", a=1, b=2), {"h.txt": "伞\n雨\n\n"}),
    ({"ref.txt": REF}, {"a.txt": f"{HYP}\n\n"}),
    ({"ref.txt": REF}, {"a.txt": "\n" + HYP}),
    ({"ref.txt": REF}, {"a.jsonl": '{"line": 2, "hyp": "伞"}\n{"line": 1, "hyp": "雨"}\n'}),
    ({"a.json": '{"app": {"open": "打开"}}'}, SYSTEM),
    (LINES, {}),
    (SYSTEM, {"ref.txt": REF, "b.csv": "x,y\n1,2\n"}),
    ({"a.csv": "\n\n"}, {}),
    ({"a.jsonl": '{"ref": ["伞", "雨"]}\n' * 2}, {"a.txt": "伞\n"}),
    ({"ref.txt": "伞\n雨\n"}, {"a.jsonl": '{"hyp": "伞"}\n', "b.txt": "伞\n雨\n"}),
]

WARNED = [
    ({"ref.ja": "私は学生でした。\n"}, {"a.ja": "私は学生です。\n"}),
    (LINES, {"a.txt": HYP.replace("一把", "一@@ 把")}),
    (LINES, {"a.txt": HYP.encode("gb18030") * 1}),
    ({"r.txt": REF * 3}, {"a.txt": "".join(f"{n}. 他买了一把伞。\n" for n in range(1, 7))}),
    ({"r.txt": REF * 3}, {"a.txt": '"他买了一把伞。"\n' * 6}),
    (LINES, {"a.txt": HYP.replace("。", "\\n")}),
    ({"a.xlsx": workbook([["ref", "hyp"], *PAIRS], notes=[["ref", "hyp"], *PAIRS])}, {}),
]
