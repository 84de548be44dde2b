"""`--time-limit` and `--on-error` on the command line: what is left out is told, by exit code 3."""

import pytest

from celab.cli.score import main

# The reduction leaves the second to HiGHS.
HYPS, REFS = ["买伞", "雨雨伞雨伞雨伞", "好"], ["买雨伞", "伞雨伞", "好"]
LIMITED = ["--lexicon=none", "--script=keep", "--time-limit=1e-9"]
SKIPPED = "1 segment skipped, because no optimum was proved"


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, lines in (("ref", REFS), ("hyp", HYPS)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        paths.append(str(tmp_path / name))
    return paths


def test_tables_say_on_how_many_segments_systems_are_compared(files, capsys, tmp_path):
    other = tmp_path / "other"
    other.write_text("伞\n雨\n坏\n", "utf-8")
    command = ["-r", files[0], "-s", str(other), files[1], "--resamples=40", "--quiet"]
    assert main([*LIMITED, "--on-error=skip", *command]) == 3
    told = capsys.readouterr().out
    note = "compared on 2 of 3 segments; for the others no optimum was proved\n"
    assert note in told and "|skipped:" not in told
    assert main(["--lexicon=none", *command]) == 0
    assert "compared on" not in capsys.readouterr().out
