"""What is fuzzed of outputs: odd targets and odd names.

POSIX only: there are links, pipes and names of any bytes.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from celab.cli import lexicon, mbr, meta, score
from fuzz.target import Target

TEXTS = {
    "ref": "买雨伞\n天气很好\n",
    "hyp": "买伞\n天气好\n",
    "lex": "雨伞\t伞\n",
    "nbest": "0 ||| 买伞\n0 ||| 买雨伞\n",
}
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LEX = ("--quiet", "--lexicon", "lex")
# Command, arguments, flag of the output; what it writes goes to stdout without the flag, or not.
COMMANDS: list[tuple[Callable[[list[str]], int], list[str], str, bool]] = [
    (score.main, [*LEX, "ref", "hyp"], "-o", True),
    (score.main, [*LEX, "ref", "hyp", "--segments"], "-o", True),
    (score.main, [*LEX, "ref", "hyp", "--segments", "--json"], "-o", True),
    (score.main, [*LEX, "ref", "hyp"], "--html", False),
    (mbr.main, [*LEX, "nbest"], "-o", True),
    (lexicon.main, ["build", "--quiet", "lex"], "-o", False),
    (lexicon.main, ["export", "lex"], "-o", True),
]
KINDS = "absent file link dangling chain loop pipe null full folder input slash descriptor".split()
KINDS += ["second name", "link to input", "no folder"]


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[Path]:
    """An empty folder to work in, with the texts; all of it goes at the end."""
    place, before = folder / "outputs", os.getcwd()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    os.chdir(place)
    try:
        for name, text in TEXTS.items():
            Path(name).write_text(text, "utf-8")
        yield place
    finally:
        os.chdir(before)
        shutil.rmtree(place, ignore_errors=True)


SAID = re.compile(r"celab(?:-score| [a-z]+): (?:error|warning|finding|note): ")


def ran(main: Callable[[list[str]], int], arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(out):
        code = main(arguments)
    lines = said.getvalue().splitlines()
    assert all(map(SAID.match, lines)), said.getvalue()
    assert len(lines) == 1 or not any(": error: " in line for line in lines), said.getvalue()
    assert not OBEYED.search(said.getvalue()), said.getvalue()
    return code, out.getvalue(), said.getvalue()


# ---- odd targets --------------------------------------------------------------------------------


def make_target(rng: Random) -> Any:
    command = rng.randrange(len(COMMANDS))
    kind, text = rng.choice(KINDS), rng.choice(sorted(TEXTS))
    return command, kind, text, rng.random() < 0.5


def put(
    kind: str, input_name: str, out: str, stack: contextlib.ExitStack
) -> tuple[str, list[bytes]]:
    """The target, and what a pipe has got so far."""
    got: list[bytes] = []
    Path("sub").mkdir()
    suffix = Path(out).suffix  # of a link, name and target must have it
    real = f"sub/real{suffix}"
    Path(real).write_text("old")
    if kind in ("file", "second name"):
        shutil.copy(real, out) if kind == "file" else os.link(input_name, out)
    elif kind in ("link", "dangling", "link to input", "loop"):
        leads = {"link": real, "dangling": f"sub/new{suffix}", "loop": out}
        os.symlink(leads.get(kind, input_name), out)
    elif kind == "chain":
        os.symlink(f"sub/../{real}", "middle")
        os.symlink(f"{os.getcwd()}/middle", out)
    elif kind == "pipe":
        os.mkfifo(out)
        reader = os.open(out, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reader, True)

        def read() -> None:
            while data := os.read(reader, 1 << 16):
                got.append(data)

        keeper = os.open(out, os.O_WRONLY)  # so that the reader waits for the command
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        stack.callback(os.close, reader)
        stack.callback(thread.join)
        stack.callback(os.close, keeper)
    elif kind in ("null", "full"):
        os.symlink(f"/dev/{kind}", out)
    elif kind == "folder":
        Path(out).mkdir()
    elif kind == "descriptor":
        opened = os.open("file", os.O_WRONLY | os.O_CREAT)
        stack.callback(os.close, opened)
        return f"/dev/fd/{opened}", got
    names = {"input": input_name, "no folder": f"none/{out}", "slash": "new/"}
    return names.get(kind, out), got


def check_target(case: Any, folder: Path) -> bool:
    number, kind, input_name, overwrites = case
    main, arguments, flag, same = COMMANDS[number]
    overwrite = ["--overwrite"] if overwrites else []
    with inside(folder), contextlib.ExitStack() as stack:
        expected = ran(main, arguments)[1].encode() if same else None
        output, got = put(kind, input_name, "out.html" if flag == "--html" else "out", stack)
        before = {path: path.lstat().st_mode for path in Path().rglob("*")}
        code, out, _ = ran(main, [*arguments, flag, output, *overwrite])
        stack.close()
        assert code in (0, 2) and (code == 0 or not out), code
        for name, text in TEXTS.items():  # an input is never changed, whatever happens
            is_other = kind in ("second name", "link to input", "input") and name == input_name
            if not is_other or name in arguments or not overwrite:
                assert Path(name).read_text("utf-8") == text, f"{name} was changed"
        for path, mode in before.items():
            assert stat.S_IFMT(path.lstat().st_mode) == stat.S_IFMT(mode), f"{path} was replaced"
        assert not list(Path().rglob("*celab-*"))
        if kind in ("loop", "full", "folder", "no folder", "slash"):
            assert code == 2
        elif kind in ("file", "link", "chain"):
            assert code == (0 if overwrite else 2)
        elif kind in ("absent", "dangling"):
            assert code == 0
        if code == 0 and expected is not None and kind != "null":
            where = "file" if kind == "descriptor" else output
            found = b"".join(got) if kind == "pipe" else Path(where).read_bytes()
            assert found == expected, (found, expected)
        if code == 2 and kind not in ("absent", "dangling"):
            assert next(Path("sub").glob("real*")).read_text() == "old"
    return code == 0


# ---- odd names ----------------------------------------------------------------------------------

# Bytes that are no UTF-8, what a terminal obeys, line ends, and what means something somewhere.
PIECES = [b"\xff", b"\xe4\xbc", b"\x1b[2J", b"\n", b"\r", b"\t", b" ", b"\xc2\x9b"]
PIECES += [text.encode() for text in ("伞", "\u202e", "\u2028")]
PIECES += b"- {0} [/red] %s $x$ | + @ : ' \" <b> \\ .gz .tsv , = a * ~ ?".split()
FLAGS = [[flag] for flag in "--json --tsv --markdown --latex --segments --brief".split()]
FLAGS += [[], ["--level", "document"]]


def make_names(rng: Random) -> Any:
    names = [
        b"".join(rng.choice([*PIECES, rng.randbytes(1)]) for _ in range(rng.randint(1, 8)))
        for _ in range(5)
    ]
    return [name.replace(b"/", b"_").replace(b"\0", b"_") for name in names], rng.randrange(1 << 30)


def check_names(case: Any, folder: Path) -> bool:
    names, seed = case
    rng = Random(seed)
    with inside(folder):
        start = rng.choice(("{0}{1}", "./{1}{0}", "{0}/../{0}{1}"))
        for letter in "rhlod":
            Path(letter).mkdir()
        ref, hyp, lex, out, data = (
            start.format(letter, os.fsdecode(name))
            for letter, name in zip("rhlod", names, strict=True)
        )
        for name, text in ((ref, "ref"), (hyp, "hyp"), (lex, "lex")):
            Path(name).write_text(TEXTS[text], "utf-8")
        common = ["--lexicon", lex] if rng.random() < 0.7 else ["--lexicon", "none"]
        if rng.random() < 0.5:
            flags = rng.choice(FLAGS)
            main, arguments = score.main, [*common, *flags, "--", ref, hyp]
            if rng.random() < 0.3:
                arguments = [*common, *flags, "-s", hyp, ref, "-r", ref]
            if rng.random() < 0.3:
                arguments = ["-o", out, *arguments]
            elif rng.random() < 0.3 and "--brief" not in flags:
                arguments = ["--html", f"{out}.html", *arguments]
        elif rng.random() < 0.5:
            main, arguments = (
                lexicon.main,
                rng.choice(
                    [
                        ["info", lex],
                        ["info", "--json", lex],
                        ["lookup", lex, "--lexicon", lex],
                        ["lookup", "伞", "--json", "--lexicon", lex],
                        ["diff", lex, "lex"],
                        ["build", lex, "-o", out, "--name", data],
                        ["info", out],
                        ["export", lex],
                    ]
                ),
            )
        else:
            os.makedirs(f"{data}/hyp")
            Path(data, f"ref-{os.path.basename(ref)}.txt").write_text(TEXTS["ref"], "utf-8")
            Path(data, "hyp", f"{os.path.basename(hyp)}.txt").write_text(TEXTS["hyp"], "utf-8")
            Path(data, "hyp", "t.txt").write_text(TEXTS["hyp"], "utf-8")
            Path(data, "human-sys.tsv").write_text("system\tscore\nt\t1\n")
            flags = rng.choice([[], ["--json"], ["--tsv"], ["--latex"], ["--html", f"{out}.html"]])
            main, arguments = meta.main, ["-m", "celab", *common, "--resamples=40", *flags, data]
        code, shown, _ = ran(main, arguments)
        assert code in (0, 2), code
        if "export" not in arguments:
            assert not OBEYED.search(shown), shown
        shown.encode("utf-8", "backslashreplace")
        assert not list(Path().rglob(".celab-*"))
    return code == 0


TARGETS = {
    "outputs": Target(make_target, check_target),
    "names": Target(make_names, check_names),
}
