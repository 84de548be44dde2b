"""Gates pass only what they have tested: segments and units that were left out are said."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from commands import refusal, run

from celab.cli import hints
from celab.cli.main import COMMANDS

N = 20
REFS = [f"第{n}把雨伞放在门口。" for n in range(1, N + 1)]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """References with ids, a system that has one of 20 outputs, and one that has all."""
    monkeypatch.chdir(tmp_path)
    texts = {"ref": REFS, "one": REFS[:1], "all": REFS}
    for name, lines in texts.items():
        field = "ref" if name == "ref" else "hypothesis"
        rows = [json.dumps({"id": f"s{n}", field: text}) for n, text in enumerate(lines, 1)]
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def said(code, command, *arguments):
    done = run(command, *arguments)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


SKIPPING = ("-r", "ref.jsonl", "--skip-missing")
ONE = (*SKIPPING, "-s", "one.jsonl")


def test_missing_outputs_fail_strict_gates():
    text, errors = said(1, "check", *ONE, "--strict", "-q")
    assert errors == "celab check: finding: gate failed: 19 outputs are missing: one 19\n"
    assert "\nsystem  missing\none          19\n" in text
    _, errors = said(1, "score", *ONE, "-q", "--fail-on", "missing")
    assert "gate failed: 19 findings: one 19 missing\n" in errors
    gate = (*SKIPPING, "-q", "--fail-on", "missing", "-s")
    _, errors = said(1, "compare", *gate, "all.jsonl", "one.jsonl")
    assert "gate failed: 19 findings: one 19 missing, where all has none of that kind\n" in errors
    said(3, "compare", *gate, "one.jsonl", "all.jsonl")


def test_missing_outputs_are_listed_by_their_ids():
    text, _ = said(0, "check", *ONE, "-q", "--segments")
    assert [line.split("\t") for line in text.splitlines()[1:3]] == [
        ["one", "s2", "missing", "", ""],
        ["one", "s3", "missing", "", ""],
    ]
    found = json.loads(said(0, "check", *ONE, "-q", "--json")[0])
    assert found["finding"] == [
        {"system": "one", "segment": f"s{n}", "kind": "missing", "text": "", "form": ""}
        for n in range(2, N + 1)
    ]
    (one,) = found["system"]
    assert (one["system"], one["not translations"]) == ("one", 0)
    assert json.loads(said(0, "check", "ref.jsonl", "all.jsonl", "--json")[0])["finding"] == []
    said(0, "check", *ONE, "-q", "--html", "page.html")
    assert "Missing outputs" in Path("page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("score", ("-s", "one.jsonl", "--fail-under", "0.5")),
        ("score", ("-s", "one.jsonl", "--fail-on", "empty")),
        ("check", ("-s", "one.jsonl", "--fail-on", "empty")),
        ("compare", ("-s", "one.jsonl", "all.jsonl", "--fail-if-worse", "--margin", "0.1")),
        ("compare", ("-s", "all.jsonl", "one.jsonl", "--fail-on", "empty")),
    ],
)
@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_a_gate_that_passes_says_what_it_has_not_tested(command, flags, quiet):
    _, errors = said(3, command, *SKIPPING, *flags, *quiet)
    (line,) = (line for line in errors.splitlines() if "gate passed: " in line)
    assert line.endswith("; not tested: 19 segments left out")
    gate = json.loads(said(3, command, *SKIPPING, *flags, "--json")[0])["gate"]
    assert gate["untested"] == 19 and line.endswith(gate["reason"])


def test_a_gate_that_has_tested_everything_passes():
    _, errors = said(0, "check", "ref.jsonl", "all.jsonl", "--strict", "--skip-missing")
    assert "celab check: note: gate passed: no finding in 20 outputs (9 kinds)\n" in errors
    out, _ = said(0, "check", "ref.jsonl", "all.jsonl", "--strict", "--json")
    assert json.loads(out)["gate"].keys() == {"failed", "reason", "metric", "significant"}
    _, errors = said(0, "check", "ref.jsonl", "all.jsonl", "--fail-on", "empty,too-long")
    assert "gate passed: no finding of empty or too-long in 20 outputs\n" in errors


def test_a_segment_without_a_reference_is_not_a_missing_output(tmp_path):
    rows = (tmp_path / "ref.jsonl").read_text("utf-8").replace(json.dumps(REFS[3]), '""')
    (tmp_path / "blank.jsonl").write_text(rows, "utf-8")
    flags = ("-r", "blank.jsonl", "-s", "all.jsonl", "--skip-missing", "-q")
    text, errors = said(3, "check", *flags, "--strict")
    assert "missing" not in text
    assert "(9 kinds); not tested: 1 segment left out\n" in errors


UNIT = (
    '<trans-unit id="{0}"><source>Close the lid</source><target{1}>盖上盖子</target></trans-unit>'
)


def test_units_that_are_not_translated_are_not_tested(tmp_path):
    states = ["", ' state="needs-translation"', ""]
    units = "".join(UNIT.format(n, state) for n, state in enumerate(states))
    units += '<trans-unit id="9" translate="no"><source>OK</source></trans-unit>'
    text = f'<xliff version="1.2"><file original="a" target-language="zh">{units}</file></xliff>'
    (tmp_path / "app.xlf").write_text(text, "utf-8")
    _, errors = said(3, "check", "app.xlf", "--strict", "-q")
    assert errors.endswith("; not tested: 1 unit without a translation\n")


@pytest.mark.parametrize("name", hints.ELSEWHERE)
def test_flags_are_named_with_the_commands_that_have_them(name):
    having = [
        command
        for command in COMMANDS
        if f"--{name}" in import_module(f"celab.cli.{command}").main.parser().flags
    ]
    assert having == hints.ELSEWHERE[name].split()
    assert hints.flag_hint(f"--{name}", ["--fail-on"]).startswith(f"celab {having[0]} ")


def test_check_warns_of_files_in_another_language(tmp_path):
    english = "They took their umbrellas to the station, because it was raining.\n"
    (tmp_path / "src.en").write_text(english * 2, "utf-8")
    (tmp_path / "hyp.zh").write_text("第二天早上，他们带着雨伞去了火车站。\n" * 2, "utf-8")
    warning = (
        "warning: src.en: almost no Chinese characters found; check that this is the right file"
    )
    for command in ("check", "score"):
        assert warning in said(0, command, "src.en", "hyp.zh")[1]
    _, errors = said(1, "check", "hyp.zh", "src.en", "--strict")  # the outputs are findings
    assert warning in errors and "2 other-language" in errors
    assert warning not in said(0, "check", "hyp.zh", "hyp.zh")[1]
    assert warning not in said(0, "check", "src.en", "src.en", "--lang", "en")[1]


@pytest.mark.parametrize(
    ("lang", "target", "kinds"),
    [("zh", "Close the lid", "copied"), ("de", "Close the lid", "copied"), ("zh", "盖上盖子", "")],
)
def test_bilingual_files_are_checked_against_their_own_source(tmp_path, lang, target, kinds):
    units = "".join(UNIT.format(n, "") for n in range(3)).replace("盖上盖子", target)
    text = (
        f'<xliff version="1.2"><file original="a" target-language="{lang}">{units}</file></xliff>'
    )
    (tmp_path / "app.xlf").write_text(text, "utf-8")
    catalog = (
        f'msgid ""\nmsgstr "Language: {lang}\\n"\n\nmsgid "Close the lid"\nmsgstr "{target}"\n'
    )
    (tmp_path / "app.po").write_text(catalog, "utf-8")
    for name, n in (("app.xlf", 3), ("app.po", 1)):
        for flags in (("--strict",), ("--fail-on", "copied")):
            _, errors = said(int(bool(kinds)), "check", name, "-q", *flags)
            assert f"{n} {kinds}" in errors or not kinds


def test_copies_are_not_dropped_for_error_rates_whose_aim_they_are():
    line = refusal("score", "-r", "ref.jsonl", "-s", "all.jsonl", "-m", "cer", "--without-copies")
    assert line.endswith("equal their reference, which is the aim of cer")


def test_a_gate_that_is_given_twice_has_all_kinds(tmp_path):
    (tmp_path / "r.zh").write_text("买雨伞\n去北京\n", encoding="utf-8")
    (tmp_path / "h.zh").write_text("\n去北京\n", encoding="utf-8")
    for kinds, code in ((["empty", "refusal"], 1), (["refusal", "empty"], 1), (["refusal"], 0)):
        flags = [word for kind in kinds for word in ("--fail-on", kind)]
        assert run("check", "-q", "r.zh", "h.zh", *flags).returncode == code
