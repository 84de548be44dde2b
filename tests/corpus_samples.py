"""A sample of each corpus format, and a writer of it.

`SAMPLES` has one for every format: tests/unit/corpus/test_formats.py reads, changes,
damages and writes each of them.
"""

import csv
import html
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from celab.corpus import Fields

SGML = """\
<srcset setid="s"><doc docid="d1"><seg id="1">An umbrella</seg>
<seg id="2">AT&amp;T</seg></doc></srcset>
<refset setid="s" refid="A"><doc docid="d1"><p><seg id="1"> 雨伞 </seg></p>
<seg id="2">AT&amp;T</seg></doc></refset>
<tstset setid="s" sysid="x"><doc docid="d1"><seg id="2">ATT</seg><seg id="1">伞</seg></doc></tstset>
"""
WMT = """\
<?xml version='1.0' encoding='utf-8'?>
<dataset id="s"><collection id="c"><doc id="d1">
<src lang="en"><p><seg id="1">An umbrella</seg><seg id="2">AT&amp;T</seg></p></src>
<ref lang="zh" translator="A"><p><seg id="1">雨伞</seg><seg id="2">AT&amp;T</seg></p></ref>
<hyp system="x"><p><seg id="1">伞</seg><seg id="2">ATT</seg></p></hyp>
</doc></collection></dataset>
"""
TSV = "doc\tid\tsrc\tref\tx\nd1\t1\tAn umbrella\t雨伞\t伞\nd1\t2\tAT&T\tAT&T\tATT\n"
JSONL = (
    '{"doc": "d1", "id": 1, "src": "An umbrella", "ref": "雨伞", "x": "伞"}\n'
    '{"doc": "d1", "id": "2", "src": "AT&T", "ref": ["AT&T"], "x": "ATT"}\n'
)
CSV = "doc,id,src,ref,x\nd1,1,An umbrella,雨伞,伞\nd1,2,AT&T,AT&T,ATT\n"
JSON = f"[{', '.join(JSONL.splitlines())}]\n"
LM_EVAL = (
    '{"doc_id": 1, "doc": {"translation": {"en": "An umbrella", "zh": "雨伞"}}, "target": " 雨伞",'
    ' "resps": [[" 伞"]], "filtered_resps": [" 伞"], "filter": "none", "metrics": ["bleu"]}\n'
    '{"doc_id": 2, "doc": {"translation": {"en": "AT&T", "zh": "AT&T"}}, "target": " AT&T",'
    ' "resps": [["ATT"]], "filtered_resps": ["ATT"], "filter": "none", "metrics": ["bleu"]}\n'
)
INSPECT = """\
{"version": 2, "status": "success", "eval": {"task": "translate", "model": "lab/x"},
 "samples": [
  {"id": 1, "epoch": 1, "input": "An umbrella", "target": "雨伞", "output": {"completion": "伞",
   "choices": [{"message": {"content": "伞", "role": "assistant"}}]}},
  {"id": "2", "epoch": 1, "input": [{"role": "system", "content": "Translate"},
   {"role": "user", "content": [{"type": "text", "text": "AT&T"}]}], "target": ["AT&T"],
   "output": {"choices": [{"message": {"content": "ATT", "role": "assistant"}}]}}
 ]}
"""
OPENAI_EVALS = """\
{"spec": {"completion_fns": ["x"], "eval_name": "translate.dev.v0"}}
{"sample_id": 1, "type": "sampling", "data": {"prompt": "An umbrella", "sampled": ["伞"]}}
{"sample_id": 1, "type": "match", "data": {"expected": "雨伞", "sampled": "伞"}}
{"sample_id": 2, "type": "sampling", "data": {"prompt": [{"role": "user", "content": "AT&T"}],\
 "sampled": ["ATT"]}}
{"sample_id": 2, "type": "match", "data": {"expected": ["AT&T"], "sampled": null}}
{"final_report": {"accuracy": 0.0}}
"""
BATCH = """\
{"id": "batch_req_b", "custom_id": "2", "response": {"status_code": 200, "body": {"choices":\
 [{"index": 0, "message": {"role": "assistant", "content": "AT&T"}}]}}, "error": null}
{"custom_id": "1", "result": {"type": "succeeded", "message": {"content":\
 [{"type": "thinking", "thinking": "An umbrella…"}, {"type": "text", "text": "雨伞"}]}}}
"""
PLAIN = "雨伞\nAT&T\n"
XLIFF = """\
<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="d1" source-language="en" target-language="zh-CN" datatype="plaintext"><body>
  <trans-unit id="1"><source>An umbrella</source><target>雨伞</target>
   <alt-trans><source>Umbrella</source><target>伞</target></alt-trans></trans-unit>
  <trans-unit id="2"><source>AT&amp;T</source><target>AT&amp;T</target></trans-unit>
 </body></file>
</xliff>
"""
TMX = """\
<tmx version="1.4"><header srclang="en" segtype="sentence"/><body>
 <tu tuid="1"><tuv xml:lang="en"><seg>An umbrella</seg></tuv>
  <tuv xml:lang="zh-CN"><seg>雨伞</seg></tuv></tu>
 <tu tuid="2"><tuv xml:lang="en"><seg>AT&amp;T</seg></tuv>
  <tuv xml:lang="zh-CN"><seg>AT&amp;T</seg></tuv></tu>
</body></tmx>
"""
PO = """\
msgid ""
msgstr "Language: zh_CN\\n"

#: door.c:7
msgid "An umbrella"
msgstr "雨伞"

msgid "AT&T"
msgstr ""
"AT&T"
"""
SRT = """\
1
00:00:01,000 --> 00:00:02,500
雨伞

2
00:00:03,000 --> 00:00:04,500
AT&T
"""
VTT = """\
WEBVTT - door

NOTE a comment

00:01.000 --> 00:02.500 align:start
雨伞

00:03.000 --> 00:04.500
AT&amp;T
"""

Sides = list[tuple[str, str, list[str]]]  # kind (src, ref, hyp), name and texts


def as_plain(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return "".join(f"{line}\n" for line in lines)


def as_sgml(sides: Sides) -> str:
    parts = []
    for kind, name, lines in sides:
        tag = {"src": "srcset", "ref": "refset", "hyp": "tstset"}[kind]
        parts.append(f'<{tag} setid=s sysid="{name}">')
        for number, line in enumerate(lines):
            text = html.escape(line, quote=number % 2 == 0)
            parts.append(f'<doc docid="d{number // 7}"><seg id={number % 7}> {text} </seg></doc>')
        parts.append(f"</{tag}>")
    return "\n".join(parts)


def as_wmt(sides: Sides) -> str:
    parts = ["<dataset>"]
    for number in range(len(sides[0][2])):
        parts.append(f'<doc id="d{number}">')
        for kind, name, lines in sides:
            text = f'<seg id="1">{html.escape(lines[number])}</seg>'
            parts.append(f'<{kind} translator="{name}" system="{name}">{text}</{kind}>')
        parts.append("</doc>")
    return "\n".join([*parts, "</dataset>"])


def as_jsonl(sides: Sides) -> str:
    records = [{"id": number} for number in range(len(sides[0][2]))]
    for kind, name, lines in sides:
        for record, line in zip(records, lines, strict=True):
            if kind == "ref":
                record.setdefault("ref", []).append(line)
            else:
                record[name] = line
    return "".join(json.dumps(record) + "\n" for record in records)


def as_tsv(sides: Sides) -> str:
    rows = zip(*(lines for _, _, lines in sides), strict=True)
    return "".join("\t".join(row) + "\n" for row in [[name for _, name, _ in sides], *rows])


def as_csv(sides: Sides) -> str:
    rows = zip(*(lines for _, _, lines in sides), strict=True)
    written = io.StringIO()
    csv.writer(written).writerows([[name for _, name, _ in sides], *rows])
    return written.getvalue()


def as_json(sides: Sides) -> str:
    return json.dumps([json.loads(line) for line in as_jsonl(sides).splitlines()], indent=1)


def samples(sides: Sides) -> list[tuple[str, list[str], list[str]]]:
    """Return source, references and outputs of each segment."""
    rows = []
    for number in range(len(sides[0][2])):
        texts = {"src": [], "ref": [], "hyp": []}
        for kind, _, lines in sides:
            texts[kind].append(lines[number])
        rows.append((texts["src"][0], texts["ref"], texts["hyp"]))
    return rows


def as_lm_eval(sides: Sides) -> str:
    records = [
        {
            "doc_id": number,
            "doc": {"src": source},
            "target": str(refs) if len(refs) > 1 else f" {refs[0]}",
            "filtered_resps": [f" {output}"],
            "filter": f"filter {place}",
        }
        for number, (source, refs, outputs) in enumerate(samples(sides))
        for place, output in enumerate(outputs)
    ]
    return "".join(json.dumps(record) + "\n" for record in records)


def as_inspect(sides: Sides) -> str:
    rows = [
        {
            "id": number,
            "epoch": epoch,
            "input": source,
            "target": refs,
            "output": {"completion": output, "choices": [{"message": {"content": output}}]},
        }
        for number, (source, refs, outputs) in enumerate(samples(sides))
        for epoch, output in enumerate(outputs, start=1)
    ]
    return json.dumps({"eval": {"model": "x"}, "samples": rows}, indent=1)


def as_openai_evals(sides: Sides) -> str:
    events = []
    for number, (source, refs, (output,)) in enumerate(samples(sides)):
        sampling = {"prompt": source, "sampled": [output]}
        match = {"expected": refs, "sampled": output}
        events.append({"sample_id": number, "type": "sampling", "data": sampling})
        events.append({"sample_id": number, "type": "match", "data": match})
    rows = [{"spec": {"completion_fns": ["x"]}}, *events, {"final_report": {}}]
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_batch(sides: Sides) -> str:
    ((_, _, lines),) = sides
    rows = [
        {
            "custom_id": f"request-{number}",
            "response": {"body": {"choices": [{"message": {"content": line}}]}},
        }
        for number, line in enumerate(lines)
    ]
    return "".join(json.dumps(row) + "\n" for row in reversed(rows))


def as_xliff(sides: Sides) -> str:
    ((_, _, lines),) = sides
    units = [
        f'<trans-unit id="{n}"><source>{n}</source><target>{html.escape(line)}</target>'
        "</trans-unit>"
        for n, line in enumerate(lines)
    ]
    return f'<xliff version="1.2"><file original="d"><body>{"".join(units)}</body></file></xliff>'


def as_tmx(sides: Sides) -> str:
    ((_, _, lines),) = sides
    units = [f'<tu><tuv xml:lang="zh"><seg>{html.escape(line)}</seg></tuv></tu>' for line in lines]
    return f'<tmx version="1.4"><header srclang="en"/><body>{"".join(units)}</body></tmx>'


def as_po(sides: Sides) -> str:
    ((_, _, lines),) = sides
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return "".join(f'msgid "{n}"\nmsgstr "{line}"\n' for n, line in enumerate(escaped))


def as_srt(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return "".join(
        f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{line}\n\n" for n, line in enumerate(lines, 1)
    )


def as_vtt(sides: Sides) -> str:
    ((_, _, lines),) = sides
    cues = as_srt([("ref", "r", [line.replace("&", "&amp;") for line in lines])])
    return "WEBVTT\n\n" + cues.replace(",000", ".000").replace(",900", ".900")


@dataclass
class Sample:
    """A file with two segments, their source, a reference A and a system x."""

    file: str
    content: str
    write: Callable[[Sides], str]
    damaged: list[tuple[str, str]]  # contents, and a regular expression for the message
    cannot_hold: str = ""  # characters that have a meaning in the format
    collapses_spaces: bool = False
    fields: Fields = field(default_factory=Fields)
    has_one_side: bool = False  # no file holds references and systems
    has_ids: bool = True
    document: str = "d1"
    strips_spaces: bool = False
    most_systems: int = 2
    ids: tuple[str, str] = ("1", "2")


SAMPLES = {
    "plain": Sample(
        "text.zh",
        PLAIN,
        as_plain,
        [
            ("", r"text\.zh is empty"),
            ("\n\n", r"line 1 is blank in text\.zh"),
            (PLAIN.replace("\n", "\r"), r"text\.zh has 2 lines that end in a carriage return"),
            ("%PDF-1.7\n", r"text\.zh is a PDF document; copy its text"),
            ("{\\rtf1 伞}\n", r"text\.zh is an RTF document"),
        ],
        cannot_hold="\n",
        has_one_side=True,
        has_ids=False,
    ),
    "sgml": Sample(
        "set.sgm",
        SGML,
        as_sgml,
        [
            (SGML[:-12], r"set\.sgm: <tstset> is not closed"),
            (SGML.replace("</seg>", "", 1), r"set\.sgm, line 1: this <seg> has no </seg>"),
            (SGML.replace(' id="1"', ""), r"set\.sgm, line 1: the segment has no id"),
            (SGML.replace('"1">伞', '"3">伞'), "segment 1"),
            (SGML.replace("refset", "tstset"), r"there is no reference in set\.sgm"),
        ],
        collapses_spaces=True,
    ),
    "wmt": Sample(
        "set.xml",
        WMT,
        as_wmt,
        [
            (
                WMT[:-12],
                r"set\.xml, line 6: broken XML: the end is missing .*; the file must be whole",
            ),
            (WMT.replace('<seg id="2">', "", 1), r"set\.xml, line 3: broken XML: mismatched tag"),
            (
                WMT.replace("An umb", "A & b"),
                r"set\.xml, line 3: .* near .*A & b.*; write < as &lt;",
            ),
            (WMT.replace("An", "<b>An</b>"), r"set\.xml, line 3: <b> in a segment; write < as &lt"),
            (WMT.replace('"2">ATT', '"1">ATT'), "segment 1"),
            (WMT.replace(' id="1"', "", 1), r"set\.xml, line 3: the segment has no id"),
            (WMT.replace("AT&amp;T", "&nbsp;", 1), "line 3: broken XML: undefined entity .*&nbsp;"),
            (WMT.replace("<src", '<seg id="1">x</seg><src'), "line 3: the segment stands in no "),
            (WMT.replace('"1">伞', '"3">伞'), r"system x in set\.xml is missing 1 segment \("),
            ('<!DOCTYPE x [<!ENTITY a "b">]>' + WMT, r"set\.xml, line 1: .* entities of its own"),
        ],
        collapses_spaces=True,
    ),
    "tsv": Sample(
        "set.tsv",
        TSV,
        as_tsv,
        [
            (TSV + "d1\t3\tAn\t雨\n", r"set\.tsv, line 4: 4 columns, but line 1 has 5"),
            (TSV.replace("src", "ref", 1), r"set\.tsv, line 1: column 'ref' occurs 2 times"),
            (TSV.replace("ref", "A", 1), r"set\.tsv has no 'ref' for the reference"),
        ],
        cannot_hold='\t\n"',
        fields=Fields(ref=["ref"], hyp=["x"], source="src", document="doc", id="id"),
    ),
    "jsonl": Sample(
        "set.jsonl",
        JSONL,
        as_jsonl,
        [
            (JSONL + "nonsense\n", r"set\.jsonl, line 3, column 1: broken JSON: expecting value"),
            (JSONL + "[1]\n", r"set\.jsonl, line 3: '\[1\]' is not a JSON object"),
            (JSONL[:-5], r"set\.jsonl, line 2, column \d+: broken JSON: unterminated string"),
            (JSONL.replace('"伞"', "1"), r"set\.jsonl, line 1: 'x' is 1; it must be a text"),
            (JSONL.replace('"伞"', r'"\ud800"'), r"set\.jsonl, line 1: .* half of a surrogate"),
            (JSONL.replace('"id": 1', '"id": 2'), "segment 2"),
            (
                JSONL.replace('"x": "伞"', '"x": "伞", "x": "雨"'),
                r"line 1: 'x' occurs twice in one",
            ),
            ("# v1\n" + JSONL, r"set\.jsonl, line 1, column 1: broken JSON: expecting value"),
        ],
        fields=Fields(hyp=["x"]),
    ),
    "csv": Sample(
        "set.csv",
        CSV,
        as_csv,
        [
            (CSV + "d1,3,An,雨\n", r"set\.csv, line 4: 4 columns, but line 1 has 5"),
            (CSV + 'd1,3,"An\numbrella",雨伞,伞\n', r"set\.csv, line 4: a quoted cell has a line"),
            (CSV + 'd1,3,"An,雨伞,伞\n', r"set\.csv, line 4: .* quotation mark is not closed"),
            (CSV + 'd1,3,"An"x,雨伞,伞\n', r"set\.csv, line 4: this is not valid CSV"),
            (CSV.replace("src", "ref", 1), r"set\.csv, line 1: column 'ref' occurs 2 times"),
            (CSV.replace("doc,id", "id,doc").replace("ref", "1", 1), r"set\.csv has no 'ref'"),
            (CSV.replace("\n", "\r"), r"set\.csv has 3 lines that end in a carriage return"),
            (CSV.replace("ref", "A", 1), r"set\.csv has no 'ref' for the reference"),
        ],
        cannot_hold="\n\r",
        fields=Fields(ref=["ref"], hyp=["x"], source="src", document="doc", id="id"),
    ),
    "json": Sample(
        "set.json",
        JSON,
        as_json,
        [
            (JSON[:-2], r"set\.json, line 1, column 139: broken JSON: expecting"),
            (JSON.replace('"伞"', "伞"), r"set\.json, line 1, column 65: broken JSON: expecting"),
            (JSON.replace("[", '["雨伞", ', 1), r"set\.json, item 2: .* is not a text, but"),
            (JSON.replace('"伞"', "1"), r"set\.json, item 1: 'x' is 1; it must be a text"),
            (JSON.replace('"伞"', r'"\ud800"'), r"set\.json, item 1: .* half of a surrogate"),
            (JSON.replace('"id": 1', '"id": 2'), "segment 2"),
            (JSON.replace('"x": "伞"', '"x": "伞", "x": "雨"'), r"item 1: 'x' occurs twice in one"),
            ("[]", r"set\.json is an empty JSON array"),
            ("[1]", r"set\.json, item 1: 1 is neither a text nor an object"),
            ("[" * 100_000, r"set\.json, item 1: the JSON is nested too deeply"),
            ("伞", r"set\.json is not a JSON array"),
        ],
        fields=Fields(hyp=["x"]),
    ),
    "lm-eval": Sample(
        "samples_task.jsonl",
        LM_EVAL,
        as_lm_eval,
        [
            (LM_EVAL[:-9], r"samples_task\.jsonl, line 2, column \d+: broken JSON"),
            (
                LM_EVAL.replace('[" 伞"]', "[[-1.5, true]]"),
                r"line 1: 'filtered_resps' is \[\[-1\.5",
            ),
            (
                LM_EVAL.replace('"doc_id": 2', '"doc_id": 1'),
                r"line 2: the target of sample 1 is not that of samples_task\.jsonl, line 1; keep",
            ),
            (LM_EVAL.splitlines(keepends=True)[0] * 2, r"1 segment more than once"),
            (LM_EVAL.replace('"doc_id": 2, ', ""), r"line 2: 'doc_id' is None; it must be"),
            (LM_EVAL.replace('" 雨伞"', "3"), r"line 1: 'target' is 3; it must be a text or a"),
        ],
        document="",
        strips_spaces=True,
    ),
    "inspect": Sample(
        "log.json",
        INSPECT,
        as_inspect,
        [
            (INSPECT[:-3], r"log\.json, line \d, column \d+: broken JSON"),
            (INSPECT.replace('"samples"', '"rows"'), r"log\.json has no samples"),
            (
                INSPECT.replace('"id": 1', '"id": 2').replace('"epoch": 1', '"epoch": 2', 1),
                r"sample 2: the target of sample 2 is not that of log\.json, sample 1; keep one",
            ),
            (
                INSPECT.replace('"id": 1', '"id": 2').replace('["AT&T"]', '"雨伞"'),
                r"1 segment more than once",
            ),
            (INSPECT.replace('"id": 1', '"id": null'), r"log\.json, sample 1: 'id' is None"),
            (INSPECT.replace('"choices"', '"none"'), r"lab/x in log\.json is missing 1 segment"),
            (INSPECT.replace('["AT&T"]', "[1]"), r"log\.json, sample 2: 'target' is \[1\]; it"),
            ("[]", r"log\.json is not a JSON object"),
        ],
        document="",
        strips_spaces=True,
    ),
    "openai-evals": Sample(
        "run.jsonl",
        OPENAI_EVALS,
        as_openai_evals,
        [
            (OPENAI_EVALS[:-4], r"run\.jsonl, line 6, column \d+: broken JSON"),
            (OPENAI_EVALS.replace('"match"', '"other"'), r"run\.jsonl has no event of the type"),
            (
                OPENAI_EVALS.replace('"sample_id": 2', '"sample_id": 1'),
                r"run\.jsonl, line 5: the match of sample 1 is not that of run\.jsonl, line 3; ",
            ),
            (
                OPENAI_EVALS.replace('"sampled": "伞"', '"sampled": null').replace(
                    '"sample_id": 2, "type": "sampling"', '"sample_id": 1, "type": "sampling"'
                ),
                r"run\.jsonl, line 4: the output of sample 1 is not that of run\.jsonl, line 2; ",
            ),
            (OPENAI_EVALS.replace('"雨伞"', "null"), r"line 3: 'expected' is None; it must be"),
        ],
        document="",
        strips_spaces=True,
        most_systems=1,
    ),
    "batch": Sample(
        "batch_output.jsonl",
        BATCH,
        as_batch,
        [
            (BATCH[:-9], r"batch_output\.jsonl, line 2, column \d+: broken JSON"),
            (
                BATCH.replace('"custom_id": "1"', '"custom_id": 1'),
                r"line 2: 'custom_id' is 1; each",
            ),
            (BATCH.replace('"custom_id": "1"', '"custom_id": "2"'), r"1 segment more than once"),
            (BATCH.replace('"AT&T"}}', '"AT&T"}}, {}'), r"line 1 has 2 choices; each request must"),
            (BATCH.replace('"雨伞"', r'"\ud800"'), r"line 2: .* half of a surrogate"),
        ],
        has_one_side=True,
        document="",
    ),
    "xliff": Sample(
        "set.xlf",
        XLIFF,
        as_xliff,
        [
            (
                XLIFF[:-10],
                r"set\.xlf, line 7: broken XML: the end is missing .*; the file must be",
            ),
            (
                XLIFF.replace("</target>", "", 1),
                r"line 5: broken XML: mismatched tag near .*</trans-unit>.*; each element must be",
            ),
            (XLIFF.replace("&amp;T</t", "<T</t"), r"line 6: broken XML: .* near .*T<T</target>"),
            (
                XLIFF.replace("<alt-trans>", "<target>伞</target><alt-trans>"),
                r"set\.xlf, line 5: a second <target>; the first is in line 4; keep one of them",
            ),
            (
                XLIFF.replace("雨伞</target>", "雨伞</target>\n<trans-unit id='3'/>"),
                r"set\.xlf, line 5: this <trans-unit> is inside the one of line 4; close that one",
            ),
            (
                XLIFF.replace(">AT&amp;T</target>", ">&nbsp;</target>"),
                r"line 6: broken XML: undefined entity near .*&nbsp;.*; write the character, or",
            ),
            (
                '<!DOCTYPE xliff SYSTEM "xliff.dtd">' + XLIFF.replace('id="2"', 'id="&nbsp;2"'),
                r"line 6: broken XML: undefined entity near .*&nbsp;",
            ),
            (XLIFF.replace(' id="2"', ""), r"set\.xlf, line 6: this <trans-unit> has no id"),
            (XLIFF.replace('"2"', '"1"'), r"1 segment more than once \(document d1 segment 1\)"),
            (XLIFF.replace("target", "note"), r"set\.xlf has no translation: 2 units, 2 untransl"),
            (XLIFF.replace(">雨伞", ">").replace(">AT&amp;T</t", "></t"), "2 untranslated; give"),
            ("<xliff/>", r"set\.xlf has no translation and no unit; give the translated file"),
            (
                "\n" + "<g>" * 200 + "</g>" * 200,
                r"set\.xlf, line 2: more than 100 elements are nested",
            ),
            ('<!DOCTYPE x [<!ENTITY a "b">]>' + XLIFF, r"set\.xlf, line 1: .* entities of its own"),
        ],
        has_one_side=True,
    ),
    "tmx": Sample(
        "set.tmx",
        TMX,
        as_tmx,
        [
            (TMX[:-7], r"set\.tmx, line 6: broken XML: the end is missing"),
            (TMX.replace('"2"', '"1"'), r"set\.tmx has 1 segment more than once \(segment 1\)"),
            (TMX.replace("zh-CN", "en"), r"line 3: a second <tuv> of en; the first is in line 2"),
            (
                TMX.replace("雨伞<", "雨<").replace("雨</seg>", "雨</seg>\n<seg>伞</seg>"),
                r"set\.tmx, line 4: a second <seg>; the first is in line 3; keep one of them",
            ),
            (
                TMX.replace("zh-CN", "zh-TW", 1),
                r"2 languages .* meant by zh: zh-TW, zh-CN",
            ),
            (TMX.replace(' xml:lang="zh-CN"', ""), r"set\.tmx, line 3: this <tuv> has no xml:lang"),
            ("<tmx/>", r"set\.tmx has no text in zh; there are: no languages"),
        ],
        has_one_side=True,
        document="",
    ),
    "po": Sample(
        "zh.po",
        PO,
        as_po,
        [
            (
                PO.replace("AT&T", "An umbrella"),
                r"1 segment more than once \(segment An umb",
            ),
            (
                PO.replace('msgstr "雨伞"', ""),
                r"zh\.po, line 5: the entry has no msgstr",
            ),
            (PO.replace('"雨伞"', "雨伞"), r"zh\.po, line 6: this is no line of a PO file"),
            (PO.replace('msgid "An', 'msgstr "An'), r"zh\.po, line 6: msgstr comes twice in an"),
            (PO.replace("雨伞", "").replace('\n"AT&T"', ""), r"2 units, 2 untranslated"),
            (
                "#, fuzzy\n" + PO.replace("\n\n", "\n#, fuzzy\n"),
                r"no translation: 2 units, 2 fuzzy",
            ),
        ],
        cannot_hold="\n",
        has_one_side=True,
        document="",
        ids=("An umbrella", "AT&T"),
    ),
    "srt": Sample(
        "film.srt",
        SRT,
        as_srt,
        [
            (
                SRT.replace("\n2\n", "\n1\n"),
                r"1 segment more than once \(segment 1\)",
            ),
            (
                SRT.replace("02,5", "00,5"),
                r"film\.srt, line 2: the times run backward",
            ),
            (
                SRT.replace("00:00:03", "00:00:00"),
                r"line 6: the times run backward: .* begins before the cue above it; sort the cues",
            ),
            (SRT.replace("-->", "to"), r"film\.srt has no cue; a line such as 00:00:01,000 -->"),
            ("Intro\n\n" + SRT, r"film\.srt, line 1: 'Intro' is in no cue"),
            (SRT.replace("雨伞", "").replace("AT&T", ""), r"2 units, 2 untranslated"),
        ],
        cannot_hold="\n<{",
        has_one_side=True,
        document="",
    ),
    "vtt": Sample(
        "film.vtt",
        VTT,
        as_vtt,
        [
            (VTT.replace("02.5", "00.5"), r"film\.vtt, line 5: the times run backward"),
            ("WEBVTT\n", r"film\.vtt has no cue"),
        ],
        cannot_hold="\n<{",
        has_one_side=True,
        document="",
    ),
}
