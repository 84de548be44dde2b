"""Checks what a release would publish: `make release-check`, and the workflow of wheels.

Builds the sdist and a wheel, checks their metadata and contents, installs each into clean
environments, and runs the commands of README.md with what is installed, outside the checkout.

    python .ci/release_check.py [--no-isolation] [--output FOLDER]

`--no-isolation` builds with the tools of the running Python, as the workflow does, which pins them.
"""

from __future__ import annotations

import argparse
import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import pages  # noqa: E402  # the documentation test reads README.md by it, too

PYTHONS = [f"python3.{minor}" for minor in (11, 12, 13, 14)]
# In the checkout, but in no package.
NOT_PACKED = (".ci/", ".gitignore", ".gitattributes")
SMOKE = """
import celab
score = celab.TeslaCelab().corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
assert round(score.score, 4) == 0.6, score
assert celab.recommended("zh").sentence_score("买伞", ["买雨伞"]).score == 1
assert celab.TeslaCelab().explain("买伞", "买雨伞").links
assert score.signature.part("v") == celab.__version__
print(celab.__version__, celab.__file__)
"""


def main() -> None:
    """Run all checks; the first that fails ends the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--no-isolation", action="store_true", help="build with installed tools")
    parser.add_argument("--output", type=Path, help="keep sdist and wheel here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        output = (arguments.output or scratch / "dist").resolve()
        # What is committed, without what was built or measured in the working tree.
        run("git", "clone", "--quiet", ROOT, scratch / "checkout")
        sdist, wheel = build(scratch / "checkout", output, isolated=not arguments.no_isolation)
        check_metadata(wheel)
        check_sdist(sdist)
        check_wheel(wheel)
        check_links(sdist)
        example = scratch / "outside"
        shutil.copytree(ROOT / "examples", example / "examples")
        for package, pythons in ((wheel, found_pythons()), (sdist, [sys.executable])):
            for python in pythons:
                check_installed(package, python, scratch, example)
        for package in (sdist, wheel):
            print(f"{package.name}: {package.stat().st_size / 2**20:.2f} MB")
    print("the release could go out")


def build(checkout: Path, output: Path, *, isolated: bool) -> tuple[Path, Path]:
    """Build sdist and wheel, the wheel from the sdist, and let twine check both."""
    tools = [] if isolated else ["--no-isolation"]
    run(sys.executable, "-m", "build", "--outdir", output, *tools, checkout)
    (sdist,), (wheel,) = output.glob("*.tar.gz"), output.glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    return sdist, wheel


def check_metadata(wheel: Path) -> None:
    """Version, citation, changes and the metadata of the wheel name one version."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(packed.read(name))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = metadata["Version"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    expect(f"\nversion: {version}\n" in citation, f"CITATION.cff does not name version {version}")
    expect(
        re.search(rf"^## {re.escape(version)}\b", changes, re.M), f"CHANGELOG.md lacks {version}"
    )
    expect(metadata["Requires-Python"] == project["requires-python"], "Requires-Python differs")
    expect(metadata["License-Expression"] or metadata["License"], "there is no licence")


def check_sdist(sdist: Path) -> None:
    """Check that the sdist has the files of the repository, and those of setuptools, no others."""
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames() if name.count("/")}
    listed = output_of("git", "-C", ROOT, "-c", "core.quotepath=off", "ls-files").splitlines()
    wanted = {name for name in listed if not name.startswith(NOT_PACKED)}
    folders = {str(parent) for name in names for parent in Path(name).parents}
    added = {name for name in names - wanted - folders if "egg-info" not in name}
    expect(not wanted - names, f"the sdist lacks {sorted(wanted - names)[:5]}")
    expect(added <= {"PKG-INFO", "setup.cfg"}, f"the sdist has {sorted(added)[:5]}, too")


def check_wheel(wheel: Path) -> None:
    """Check that the wheel has modules, kernels, lexicons, templates, and no source of kernels."""
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if not name.endswith("/")}
    package = ROOT / "celab"
    modules = {path.relative_to(ROOT).as_posix() for path in package.rglob("*.py")}
    templates = {
        path.relative_to(ROOT).as_posix()
        for path in (package / "report" / "html" / "templates").iterdir()
        if path.is_file()
    }
    kernels = {path.stem for path in (package / "_native").glob("*.pyx")} | {"_shared"}
    built = {Path(name).name.partition(".")[0] for name in names if name.endswith((".so", ".pyd"))}
    lexicons = [name for name in names if name.endswith(".lex")]
    others = {name for name in names if not name.startswith("celab") or "/tests/" in name}
    expect(
        modules | templates <= names, f"the wheel lacks {sorted((modules | templates) - names)[:5]}"
    )
    expect(built == kernels, f"the wheel has the kernels {sorted(built ^ kernels)} or lacks them")
    expect(lexicons, "the wheel has no lexicons")
    expect(not others, f"the wheel has {sorted(others)[:5]}")
    sources = [name for name in names if name.endswith((".cpp", ".c", ".pyx"))]
    expect(not sources, f"the wheel has {sources[:5]}")


def check_links(sdist: Path) -> None:
    """Every file that README.md links to is in the sdist."""
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for page in ("README.md", "README.zh-CN.md", "docs/README.md"):
        text = (ROOT / page).read_text("utf-8")
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)|src(?:set)?=\"([^\"]+)\"", text):
            path = os.path.normpath(Path(page).parent / (target[0] or target[1]))
            expect(path in names, f"{page} links to {path}, which the sdist lacks")


def found_pythons() -> list[str]:
    """Return the interpreters that are supported and installed, or the running one."""
    found = [path for name in PYTHONS if (path := shutil.which(name)) and works(path)]
    return found or [sys.executable]


def works(python: str) -> bool:
    """Return whether an interpreter starts and can make environments."""
    return subprocess.run([python, "-m", "venv", "--help"], capture_output=True).returncode == 0


def check_installed(package: Path, python: str, scratch: Path, example: Path) -> None:
    """Install into a clean environment; run a smoke test and the commands of README.md."""
    version = output_of(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    environment = scratch / f"{version}-{package.suffix[1:]}"
    run(python, "-m", "venv", environment)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    run(scripts / "python", "-m", "pip", "install", "--quiet", package)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    clean |= {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    printed = output_of(scripts / "python", "-c", SMOKE, cwd=example, env=clean)
    expect(str(environment) in printed, f"another celab was imported: {printed}")
    commands = pages.commands((ROOT / "README.md").read_text("utf-8"))
    expect(commands, "README.md has no command")
    for _, command, shown in commands:
        done = subprocess.run(
            command, shell=True, cwd=example, env=clean, capture_output=True, encoding="utf-8"
        )
        printed = done.stdout + done.stderr
        expect(pages.is_shown(shown, printed), f"{command}\nprints\n{printed}")
    print(f"{package.name} on Python {version}: smoke test, {len(commands)} commands of README.md")


def run(*command: object, **settings: object) -> None:
    """Show a command and run it."""
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **settings)  # type: ignore[call-overload]


def output_of(*command: object, **settings: object) -> str:
    """Return what a command prints."""
    words = [str(word) for word in command]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8", **settings)  # type: ignore[call-overload]
    return str(done.stdout)


def expect(right: object, message: str) -> None:
    """End the program with a message unless something is as it must be."""
    if not right:
        raise SystemExit(f"release check: {message}")


if __name__ == "__main__":
    main()
