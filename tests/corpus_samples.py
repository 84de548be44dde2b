"""A sample of each corpus format, and a writer of it.

`SAMPLES` has one for every format: tests/unit/corpus/test_formats.py reads, changes,
damages and writes each of them.
"""

import csv
import html
import io
import json
import re
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
ANDROID = """\
<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
  <!-- Door -->
  <string name="umbrella">雨伞</string>
  <string name="company" formatted="false">
    <xliff:g id="name" example="x">AT</xliff:g>&amp;T</string>
</resources>
"""
STRINGS = """\
/* Door */
"umbrella" = "雨伞";
company = "AT&T"; // a name
"""
STRINGSDICT = """\
<?xml version="1.0"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
 <key>umbrella</key>
 <dict><key>NSStringLocalizedFormatKey</key><string>%#@n@</string>
  <key>n</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
   <key>other</key><string>雨伞</string></dict></dict>
 <key>company</key><string>AT&amp;T</string>
</dict></plist>
"""
XCSTRINGS = """\
{"sourceLanguage": "en", "version": "1.0", "strings": {
  "An umbrella": {"localizations": {"zh-Hans":
    {"stringUnit": {"state": "translated", "value": "雨伞"}}}},
  "old": {"extractionState": "stale", "localizations": {"zh-Hans":
    {"stringUnit": {"state": "translated", "value": "旧"}}}},
  "AT&T": {"localizations": {"zh-Hans":
    {"stringUnit": {"state": "needs_review", "value": "AT&T"}}}}}}
"""
ARB = """\
{"@@locale": "zh", "umbrella": "雨伞", "@umbrella": {"description": "door"},
 "company": "AT&T"}
"""
JSON_KEYS = """\
{"@metadata": {"authors": ["x"]},
 "door": {"umbrella": "雨伞", "n": 2}, "door.company": "AT&T"}
"""
CHROME = """\
{"umbrella": {"message": "雨伞", "description": "door"},
 "company": {"message": "AT&T", "placeholders": {"name": {"content": "$1"}}}}
"""
PROPERTIES = """\
# Door
umbrella = \\u96e8\\
    伞
company:AT&T
"""
KALDI = "utt_1 雨伞\nutt_2 AT&T\n"
TRN = ";; a comment\n雨伞 (utt_1)\nAT&T (utt_2)\n"
STM = """\
;; a comment
talk 1 spk 0.00 1.50 <o,f0,male> 雨伞
talk 1 spk 1.5 2 IGNORE_TIME_SEGMENT_IN_SCORING
talk 1 spk 2.00 3.00 AT&T
"""
CTM = """\
;; a comment
utt_1 1 0.00 0.50 雨 0.9
utt_1 1 0.50 0.50 伞
utt_2 1 0.00 0.50 AT&T 1.0 lex spk
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


def as_kaldi(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return "".join(f"{n} {line}\n" for n, line in enumerate(lines, 1))


def as_trn(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return "".join(f"{line} ({n})\n" for n, line in enumerate(lines, 1))


def as_stm(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return "".join(f"talk 1 spk {n}.0 {n}.5 <o> {line}\n" for n, line in enumerate(lines, 1))


def as_ctm(sides: Sides) -> str:
    ((_, _, lines),) = sides
    words = [
        f"utt_{n} 1 {place}.0 0.5 {word}\n"
        for n, line in enumerate(lines)
        for place, word in enumerate(line.replace("\t", " ").split(" "))
        if word
    ]
    return "".join(words)


def as_android(sides: Sides) -> str:
    ((_, _, lines),) = sides
    escaped = [re.sub(r"([\\\\\"'])", r"\\\1", html.escape(line, quote=False)) for line in lines]
    rows = [f'<string name="k{n}">"{line}"</string>' for n, line in enumerate(escaped)]
    return f"<resources>{''.join(rows)}</resources>"


def as_strings(sides: Sides) -> str:
    ((_, _, lines),) = sides
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return "".join(f'"{n}" = "{line}";\n' for n, line in enumerate(escaped))


def as_stringsdict(sides: Sides) -> str:
    ((_, _, lines),) = sides
    rows = [f"<key>{n}</key><string>{html.escape(line)}</string>" for n, line in enumerate(lines)]
    return f"<plist><dict>{''.join(rows)}</dict></plist>"


def as_xcstrings(sides: Sides) -> str:
    ((_, _, lines),) = sides
    strings = {
        f"k{n}": {"localizations": {"zh": {"stringUnit": {"state": "translated", "value": line}}}}
        for n, line in enumerate(lines)
    }
    return json.dumps({"sourceLanguage": "en", "strings": strings})


def as_arb(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return json.dumps({"@@locale": "zh"} | {f"k{n}": line for n, line in enumerate(lines)})


def as_json_keys(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return json.dumps({"k": {str(n): line for n, line in enumerate(lines)}}, indent=1)


def as_chrome(sides: Sides) -> str:
    ((_, _, lines),) = sides
    return json.dumps({f"k{n}": {"message": line} for n, line in enumerate(lines)})


def as_properties(sides: Sides) -> str:
    ((_, _, lines),) = sides
    escaped = ["".join(f"\\{x}" if x in "\\#!=: \t" else x for x in line) for line in lines]
    return "".join(f"k{n}={line}\n" for n, line in enumerate(escaped)).replace("\\\t", "\\t")


@dataclass
class Sample:
    """A file with two segments, their source, a reference A and a system x."""

    file: str
    content: str
    write: Callable[[Sides], str]
    cannot_hold: str = ""  # characters that have a meaning in the format
    collapses_spaces: bool = False
    fields: Fields = field(default_factory=Fields)
    has_one_side: bool = False  # no file holds references and systems
    has_ids: bool = True
    document: str = "d1"
    strips_spaces: bool = False
    most_systems: int = 2
    ids: tuple[str, str] = ("1", "2")
    text: str = "雨伞"  # of the first segment


SAMPLES = {
    "plain": Sample(
        "text.zh",
        PLAIN,
        as_plain,
        cannot_hold="\n",
        has_one_side=True,
        has_ids=False,
    ),
    "sgml": Sample(
        "set.sgm",
        SGML,
        as_sgml,
        collapses_spaces=True,
    ),
    "wmt": Sample(
        "set.xml",
        WMT,
        as_wmt,
        collapses_spaces=True,
    ),
    "tsv": Sample(
        "set.tsv",
        TSV,
        as_tsv,
        cannot_hold='\t\n"',
        fields=Fields(ref=["ref"], hyp=["x"], source="src", document="doc", id="id"),
    ),
    "jsonl": Sample(
        "set.jsonl",
        JSONL,
        as_jsonl,
        fields=Fields(hyp=["x"]),
    ),
    "csv": Sample(
        "set.csv",
        CSV,
        as_csv,
        cannot_hold="\n\r",
        fields=Fields(ref=["ref"], hyp=["x"], source="src", document="doc", id="id"),
    ),
    "json": Sample(
        "set.json",
        JSON,
        as_json,
        fields=Fields(hyp=["x"]),
    ),
    "lm-eval": Sample(
        "samples_task.jsonl",
        LM_EVAL,
        as_lm_eval,
        document="",
        strips_spaces=True,
    ),
    "inspect": Sample(
        "log.json",
        INSPECT,
        as_inspect,
        document="",
        strips_spaces=True,
    ),
    "openai-evals": Sample(
        "run.jsonl",
        OPENAI_EVALS,
        as_openai_evals,
        document="",
        strips_spaces=True,
        most_systems=1,
    ),
    "batch": Sample(
        "batch_output.jsonl",
        BATCH,
        as_batch,
        has_one_side=True,
        document="",
    ),
    "xliff": Sample(
        "set.xlf",
        XLIFF,
        as_xliff,
        has_one_side=True,
    ),
    "tmx": Sample(
        "set.tmx",
        TMX,
        as_tmx,
        has_one_side=True,
        document="",
    ),
    "po": Sample(
        "zh.po",
        PO,
        as_po,
        cannot_hold="\n",
        has_one_side=True,
        document="",
        ids=("An umbrella", "AT&T"),
    ),
    "srt": Sample(
        "film.srt",
        SRT,
        as_srt,
        cannot_hold="\n<{",
        has_one_side=True,
        document="",
    ),
    "vtt": Sample(
        "film.vtt",
        VTT,
        as_vtt,
        cannot_hold="\n<{",
        has_one_side=True,
        document="",
    ),
    "android": Sample(
        "strings.xml",
        ANDROID,
        as_android,
        has_one_side=True,
        document="",
        ids=("umbrella", "company"),
    ),
    "strings": Sample(
        "zh.strings",
        STRINGS,
        as_strings,
        has_one_side=True,
        document="",
        ids=("umbrella", "company"),
    ),
    "stringsdict": Sample(
        "zh.stringsdict",
        STRINGSDICT,
        as_stringsdict,
        has_one_side=True,
        document="",
        ids=("umbrella[other]", "company"),
    ),
    "xcstrings": Sample(
        "app.xcstrings",
        XCSTRINGS,
        as_xcstrings,
        has_one_side=True,
        document="",
        ids=("An umbrella", "AT&T"),
    ),
    "arb": Sample(
        "app_zh.arb",
        ARB,
        as_arb,
        has_one_side=True,
        document="",
        ids=("umbrella", "company"),
    ),
    "json-keys": Sample(
        "zh.json",
        JSON_KEYS,
        as_json_keys,
        has_one_side=True,
        document="",
        ids=("door.umbrella", "door.company"),
    ),
    "chrome": Sample(
        "messages.json",
        CHROME,
        as_chrome,
        has_one_side=True,
        document="",
        ids=("umbrella", "company"),
    ),
    "properties": Sample(
        "zh.properties",
        PROPERTIES,
        as_properties,
        has_one_side=True,
        document="",
        ids=("umbrella", "company"),
    ),
    "kaldi": Sample(
        "text",
        KALDI,
        as_kaldi,
        cannot_hold="\n",
        has_one_side=True,
        document="",
        strips_spaces=True,
        ids=("utt_1", "utt_2"),
    ),
    "trn": Sample(
        "hyp.trn",
        TRN,
        as_trn,
        cannot_hold="\n(){",
        has_one_side=True,
        document="",
        strips_spaces=True,
        ids=("utt_1", "utt_2"),
    ),
    "stm": Sample(
        "ref.stm",
        STM,
        as_stm,
        cannot_hold="\n(){",
        has_one_side=True,
        document="talk",
        strips_spaces=True,
        ids=("1:0-1.5", "1:2-3"),
    ),
    "ctm": Sample(
        "hyp.ctm",
        CTM,
        as_ctm,
        cannot_hold="\n(){\u3000\u00a0\u0085\u2028",
        has_one_side=True,
        document="",
        collapses_spaces=True,
        ids=("utt_1", "utt_2"),
        text="雨 伞",
    ),
}
