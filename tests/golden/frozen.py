"""Compares outputs with golden files, and writes them anew with `pytest tests/golden --update`.

A golden file holds what was typed and what was printed: a line that starts with the prompt (`$ ` or
`>>> `), then the output up to the next prompt. Text before the first prompt is a comment; a line
`# needs: jieba` in it names packages without which the file is skipped. To add a case, write its
line and run `make golden`; outputs are never written by hand.
"""

import difflib
import platform
import re
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ROOT

from celab import __version__

GOLDEN = Path(__file__).parent
MADE_ON = GOLDEN / "made-on.txt"
MOST_SHOWN, LONGEST_SHOWN = 60, 1000  # lines of a difference, and characters of a line

# Versions, machines and times: (what to replace, replacement).
RULES = (
    (rf"(?<![\w.]){re.escape(__version__)}(?![\w.])", "<version>"),
    (r"(\bopencc:|\|version:)\d+(?:\.\d+)+", r"\1<version>"),
    (r"(\b(?:HanTa|simplemma|wordfreq|r?jieba)-)\d+(?:\.\d+)+", r"\1<version>"),
    (r"^(Python|HiGHS|OpenCC|NumPy|sacreBLEU) \d.*$", r"\1 <version>"),
    (r"(\|model:@?)[0-9a-f]{12}", r"\1<digest>"),  # of weights that scikit-learn computes
    (r'pip install (?:-e )?"(?:<repository>|celab)\[', 'pip install "celab['),  # of an extra
    (r"; the machine is busy \(load [\d.]+\), rely on ratios only", ""),
)
_LONG_NUMBER = re.compile(r"\d+\.\d{9,}(?:e-?\d+)?")


class Places:
    """Replaces the folders of a test, which have another name on every run."""

    def __init__(self, **folders):
        installed = Path(sysconfig.get_path("purelib"))
        every = {**folders, "site-packages": installed, "repository": ROOT}
        self.folders = [
            (str(path), name)
            for name, folder in every.items()
            for path in {folder: 0, folder.resolve(): 0}
        ]

    def normalized(self, text):
        """The text without folders, versions and control characters."""
        for path, name in self.folders:
            text = text.replace(path, f"<{name}>")
        for pattern, replacement in RULES:
            text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
        return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", lambda control: ascii(control[0])[1:-1], text)


def check_session(path, prompt, run, update):
    """Runs the lines of a golden file that have the prompt; the outputs must be the file's."""
    text = path.read_text(encoding="utf-8")
    comment, *cases = re.split(rf"^{re.escape(prompt)}", text, flags=re.MULTILINE)
    skip_without(comment)
    actual = comment
    for case in cases:
        typed = case.partition("\n")[0]
        output = run(typed)
        assert f"\n{prompt}" not in f"\n{output}", f"{typed}: an output looks like a prompt"
        assert not output.endswith("[70]\n"), f"{typed}: no golden file may have a bug\n{output}"
        actual += f"{prompt}{typed}\n{output}"
    check(path, actual, update)


def skip_without(comment):
    """Skips the test if a package that the comment needs is not installed."""
    needed = re.findall(r"^# needs: (.*)$", comment, flags=re.MULTILINE)
    lacking = [name for name in " ".join(needed).split() if find_spec(name) is None]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)}")


def check(path, actual, update):
    """The text must be that of the file; with `--update` it becomes the file's."""
    if update:
        path.write_text(actual, encoding="utf-8")
        MADE_ON.write_text(f"{machine()}\n", encoding="utf-8")
        return
    expected = path.read_text(encoding="utf-8")
    if machine() != MADE_ON.read_text(encoding="utf-8").strip():
        expected, actual = portable(expected), portable(actual)
    if expected != actual:
        lines = difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), path.name, "now", n=1, lineterm=""
        )
        shown = [
            line if len(line) <= LONGEST_SHOWN else line[:LONGEST_SHOWN] + "[…]" for line in lines
        ]
        pytest.fail(
            "\n".join([*shown[:MOST_SHOWN], *(["[…]"] if len(shown) > MOST_SHOWN else [])])
            + "\nIf this change is wanted, run `make golden` and review the difference.",
            pytrace=False,
        )


def machine():
    """What the last digits of a logarithm and the line breaks of a help text depend on."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"{platform.system()} {platform.machine()}, Python {python}"


def portable(text):
    """The text as far as it is the same on all machines: 12 digits, and words without spacing."""
    text = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.12g}", text)
    return "\n".join(text.split())
