"""What a release is made of: versions, workflows, the sdist, the site and its pictures."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
from unicodedata import east_asian_width
from urllib.parse import unquote

import pytest
import yaml
from conftest import ROOT

from celab import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DOCS = ROOT / "docs"
BENCH = ROOT / "bench" / "README.md"


def versions():
    """The Python versions of the classifiers."""
    found = re.findall(r":: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert len(found) >= 4
    return found


def workflow(name):
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text("utf-8"))


def test_the_version_is_one():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == __version__
    release = re.match(r"\d+(\.\d+)+", __version__)[0]
    assert f"\n## {release}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert PROJECT["project"]["requires-python"] == f">={versions()[0]}"


def test_python_versions_are_tested_and_have_wheels():
    assert workflow("tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == versions()
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in versions()]


def test_each_system_is_tested_and_has_wheels():
    for file in ("tests.yml", "wheels.yml"):
        (job,) = (job for job in workflow(file)["jobs"].values() if "strategy" in job)
        systems = {name.partition("-")[0] for name in job["strategy"]["matrix"]["os"]}
        assert systems == {"ubuntu", "macos", "windows"}, file


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_no_more_than_they_must(path):
    read = workflow(path.name)
    assert read["permissions"] == {"contents": "read"}
    writing = {name for name, job in read["jobs"].items() if "permissions" in job}
    assert writing <= {"publish", "deploy"}
    for job in read["jobs"].values():
        assert job["timeout-minutes"] <= (180 if path.name == "weekly.yml" else 60)
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)


def test_actions_are_pinned_by_commit():
    """And by one commit each, with its version as a comment."""
    pins = set()
    for path in WORKFLOWS:
        text = path.read_text("utf-8")
        n_steps = sum(
            "uses" in step for job in workflow(path.name)["jobs"].values() for step in job["steps"]
        )
        lines = re.findall(r"^ +(?:- )?uses: (.*)$", text, re.MULTILINE)
        assert len(lines) == n_steps > 0, path.name
        for line in lines:
            pin = re.fullmatch(r"([\w-]+/[\w-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", line)
            assert pin, f"{path.name}: {line}"
            pins.add(pin.groups())
    assert len(pins) == len({action for action, _, _ in pins}) >= 8


def test_the_tools_of_a_release_are_pinned_with_hashes():
    folder = ROOT / ".github" / "requirements"
    pinned = {}
    for name in ("build", "release"):
        text = re.sub(r"#.*", "", (folder / f"{name}.txt").read_text("utf-8"))
        requirements = text.replace("\\\n", " ").split("\n")
        for requirement in filter(str.strip, requirements):
            pin = re.fullmatch(
                r"([\w-]+)==\S+ (?:;.*?)?((?: +--hash=sha256:[0-9a-f]{64})+) *", requirement
            )
            assert pin, requirement
            assert pinned.setdefault((name, pin[1]), requirement) == requirement
    assert {name for kind, name in pinned if kind == "build"} == {"cython", "setuptools"}
    for name in ("cython", "setuptools"):  # the same in both files
        build, release = (pinned[kind, name].split()[0] for kind in ("build", "release"))
        assert build == release
    wanted = PROJECT["build-system"]["requires"]
    assert (folder / "build.in").read_text("utf-8").split("\n")[:-1] == wanted
    assert {
        ("release", name) for name in ("build", "cibuildwheel", "cyclonedx-bom", "twine")
    } <= set(pinned)
    # Whatever a release installs comes from these files, or is the release itself.
    built = PROJECT["tool"]["cibuildwheel"]
    assert built["build-frontend"]["args"] == ["--no-isolation"]
    commands = [built["before-build"]]
    for job in workflow("wheels.yml")["jobs"].values():
        commands += [line for step in job["steps"] for line in step.get("run", "").split("\n")]
    for line in commands:
        if "pip install" in line:
            assert re.search(
                r"--require-hashes --requirement .*\.txt$|(dist|wheels)/\*\S+$", line
            ), line
        assert " -m build " not in line or "--no-isolation" in line


def test_publishing_needs_a_tag_and_every_file():
    job = workflow("wheels.yml")["jobs"]["publish"]
    assert "refs/tags/v" in job["if"] and set(job["needs"]) == {"wheels", "sdist", "sbom"}
    assert job["permissions"] == {"id-token": "write", "attestations": "write"}
    assert "secrets" not in (ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8")


def test_every_published_file_is_attested():
    steps = workflow("wheels.yml")["jobs"]["publish"]["steps"]
    places = [step["with"]["path"] for step in steps if "download-artifact" in step.get("uses", "")]
    names = [step["uses"].partition("@")[0] for step in steps if "uses" in step]
    assert names[-2:] == ["actions/attest-build-provenance", "pypa/gh-action-pypi-publish"]
    subjects = steps[-2]["with"]["subject-path"].split()
    assert subjects == [f"{place}/*" for place in places] == ["dist/*", "sbom/*"]
    assert steps[-1]["with"]["attestations"] is True


def test_long_checks_run_every_week():
    weekly = workflow("weekly.yml")
    assert weekly[True]["schedule"]  # YAML 1.1 reads `on` as a truth value
    jobs = weekly["jobs"]
    targets = jobs["suite"]["strategy"]["matrix"]["target"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert targets == ["debug", "sanitize"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    scripts = jobs["random"]["strategy"]["matrix"]["script"]
    assert scripts == ["tests/fuzz/run.py", "tests/properties/run.py"]
    (command,) = [
        step["run"] for step in jobs["random"]["steps"] if "script" in step.get("run", "")
    ]
    for script in scripts:
        source = (ROOT / script).read_text("utf-8")
        for option in re.findall(r"--\w+", command):
            assert f'"{option}"' in source, (script, option)


def test_the_parts_of_the_check_end_in_time_and_are_described():
    check = runpy.run_path(str(ROOT / ".ci" / "check.py"))
    assert check["MINUTES"] < 90  # when CI ends a run
    makefile = (ROOT / "Makefile").read_text("utf-8")
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for name, part in check["PARTS"].items():
        assert 0 < part.minutes <= (45 if name == "test" else 25)
        for target in re.findall(r"make ([\w./-]+)", f"{part.command} {part.needs}"):
            assert re.search(rf"^(\S+ )*{re.escape(target)}( \S+)*:", makefile, re.MULTILINE), (
                target
            )
        for script in re.findall(r"(?<=python )\S+\.py|^\.ci/\S+", part.command):
            assert (ROOT / script).is_file(), script
        if name in check["CHECKS"]:
            assert re.search(rf"^\|.*`{name}`.* \| .* \|$", page, re.MULTILINE), name


# What installs the tools that targets of the Makefile run in .venv.
EXTRA_OF = {
    "pytest": "test",
    **dict.fromkeys(("ruff", "mypy", "codespell", "cython-lint", "lint-imports"), "lint"),
    "mkdocs": "docs",
}


def test_targets_need_what_they_run():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    n_checked = 0
    for rule in re.finditer(r"^([\w/. -]+):(?!=)([^\n#]*)[^\n]*((?:\n\t[^\n]*)*)", makefile, re.M):
        for tool in re.findall(r"\$\(BIN\)/([\w-]+)", rule[3]):
            if tool in EXTRA_OF:
                n_checked += 1
                assert f".venv/{EXTRA_OF[tool]}" in rule[2].split(), f"{rule[1]} runs {tool}"
    assert n_checked > 5


def test_lower_bounds_are_releases_that_pip_can_install():
    done = subprocess.run(
        [sys.executable, ".ci/lowest.py"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    lowest = done.stdout.splitlines()
    wanted = [
        *PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"]["de"],
    ]
    assert len(wanted) < len(lowest) == len(set(lowest))
    for requirement in wanted:
        name, _, bound = requirement.partition(",")[0].partition(">=")
        assert f"{name}=={bound}" in lowest


by_a_shell = pytest.mark.skipif(os.name != "posix", reason="commands of a POSIX shell")


@by_a_shell
@pytest.mark.parametrize(
    ("command", "seconds", "result"),
    [
        ("echo 3 passed in 0.10s", 30, ("passed", "3 passed in 0.10s")),
        ("echo '=== 1 failed, 2 passed in 0.10s (0:01:02) ==='; exit 1", 30, None),
        ("echo no; exit 7", 30, ("FAILED", "exit code 7")),
        ("sleep 600", 0.5, ("FAILED", "not done after 0 minutes")),
        ("sleep 600 & exit 3", 30, ("FAILED", "exit code 3")),
    ],
)
def test_a_part_of_the_check_says_what_became_of_it(command, seconds, result, tmp_path):
    check = runpy.run_path(str(ROOT / ".ci" / "check.py"))
    check["outcome"].__globals__["LOGS"] = tmp_path
    found = check["outcome"]("part", check["Part"](seconds / 60, command), float("inf"))
    expected = result or ("FAILED", "1 failed, 2 passed in 0.10s (0:01:02)")
    assert (found.result, found.why) == expected


@by_a_shell
def test_a_part_of_the_check_is_skipped_for_a_reason(tmp_path):
    check = runpy.run_path(str(ROOT / ".ci" / "check.py"))
    check["outcome"].__globals__["LOGS"] = tmp_path
    retry = "WARNING: Retrying after connection broken by 'NewConnectionError(...)'"
    part = check["Part"](1, "exit 1", needs=f'echo "{retry}"; exit 1')
    found = check["outcome"]("part", part, float("inf"))
    assert (found.result, found.why) == ("skipped", "no registry of packages can be reached")
    broken = check["Part"](1, "true", needs="echo ERROR: no such package; exit 1")
    assert check["outcome"]("part", broken, float("inf")).result == "FAILED"
    assert check["outcome"]("part", part, 0.0).result == "FAILED"  # no time is left


@by_a_shell
def test_the_last_lines_of_the_check_name_what_did_not_run(tmp_path, capsys):
    check = runpy.run_path(str(ROOT / ".ci" / "check.py"))
    check["outcome"].__globals__["LOGS"] = tmp_path
    skips = "echo 'SKIPPED [72] tests/a.py:2: no axe'; echo 'skipped: eslint: no npm'; exit"
    parts = {
        "passes": check["Part"](1, f"{skips} 0"),
        "fails": check["Part"](1, f"{skips} 1"),
        "lacks": check["Part"](1, "true", lacks=lambda: "there is no gcc"),
    }
    check["report"](
        {name: check["outcome"](name, part, float("inf")) for name, part in parts.items()}
    )
    assert capsys.readouterr().out.splitlines()[-6:] == [
        "not run: passes: [72] tests/a.py:2: no axe",
        "not run: passes: eslint: no npm",
        "not run: fails: [72] tests/a.py:2: no axe",
        "not run: fails: eslint: no npm",
        "not run: lacks: there is no gcc",
        "failed: fails",
    ]


def test_every_extra_is_described():
    page = (DOCS / "python.md").read_text("utf-8").partition("### Extras")[2].partition("\n###")[0]
    extras = set(PROJECT["project"]["optional-dependencies"])
    assert extras == set(re.findall(r"`([a-z]+)`", page)) & extras
    for name, brought in re.findall(r"^\| `(\w+)` \| (`.*?`) \|", page, re.MULTILINE):
        needed = PROJECT["project"]["optional-dependencies"][name]
        assert re.findall(r"`(.+?)`", brought) == [re.match(r"[\w-]+", one)[0] for one in needed]


@pytest.mark.thorough
def test_the_sdist_has_all_that_a_build_needs(tmp_path):
    tree = tmp_path / "tree"
    ignored = shutil.ignore_patterns(*".git .venv build *.egg-info __pycache__ .*_cache".split())
    shutil.copytree(ROOT, tree, ignore=ignored)
    command = "from setuptools import build_meta; print(build_meta.build_sdist('..'))"
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=tree, capture_output=True, text=True, check=True
    )
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for folder in ("celab", "lexicons", "docs", "tests", "examples", ".github"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and not re.search(r"\.(cpp|so|pyd|pyc|lex)$|_shared\.c$", path.name):
                assert path.relative_to(ROOT).as_posix() in names, path
    assert {"setup.py", "pyproject.toml", "LICENSE", "README.md", "CITATION.cff"} <= names
    assert not [name for name in names if name.endswith((".cpp", "_shared.c", ".so", ".pyc"))]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` does; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


def pages(site):
    return {path: path.read_text("utf-8") for path in site.rglob("*.html")}


@pytest.mark.thorough
def test_every_page_is_in_the_site(site):
    names = {path.stem for path in DOCS.glob("*.md")} - {"README"}
    assert names | {"index", "zh", "changelog", "bench"} <= {path.stem for path in pages(site)}
    navigation = pages(site)[site / "index.html"].partition("<nav ")[2].partition("</nav>")[0]
    for name in names:
        assert f'href="{name}.html"' in navigation, name


@pytest.mark.thorough
def test_links_in_the_site_lead_somewhere(site):
    made = pages(site)
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in made.items()}
    for path, text in made.items():
        if path.name == "404.html":
            continue  # its links are those of the server's root
        for target in re.findall(r'\b(?:href|src)="([^"]+)"', text):
            if re.match(r"https?:|mailto:|data:", target):
                continue
            place, _, anchor = unquote(target).partition("#")
            found = (path.parent / place).resolve() if place else path
            found = found / "index.html" if found.is_dir() else found
            assert found.is_file(), f"{path.name}: {target}"
            if anchor and found in anchors:
                assert anchor in anchors[found], f"{path.name}: {target}"


@pytest.mark.thorough
def test_the_site_loads_nothing_from_elsewhere(site):
    loading = r'<(?:script|img|iframe)[^>]*\bsrc="(?:https?:)?//|<link[^>]*\bhref="(?:https?:)?//'
    for path, text in pages(site).items():
        assert not re.search(loading, text), path.name
    for path in site.rglob("*.svg"):
        assert "url(http" not in path.read_text("utf-8"), path.name


@pytest.mark.thorough
def test_the_site_has_a_live_report(site):
    assert 'href="example-report.html"' in pages(site)[site / "report-and-playground.html"]
    assert "fluent" in pages(site)[site / "example-report.html"]


@pytest.mark.browser
def test_the_site_opens_in_a_browser(site, browser):
    page = browser.open((site / "report-and-playground.html").as_uri())
    assert page.run("[...document.images].every((one) => one.naturalWidth > 0)")
    assert page.count("img") >= 6
    assert all(address.startswith(("file:", "data:")) for address in page.requests())


# Characters of blocks that do not stand in the column that a terminal would give them.
OUT_OF_COLUMN = """((wide) => {
  const shifted = [];
  for (const block of document.querySelectorAll("pre code")) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const ruler = block.appendChild(document.createElement("span"));
    ruler.textContent = "0".repeat(100);
    const column = ruler.getBoundingClientRect().width / 100;
    ruler.remove();
    const padding = parseFloat(getComputedStyle(block).paddingLeft);
    const left = block.getBoundingClientRect().left + block.clientLeft + padding;
    let [place, line] = [0, ""];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let i = 0; i < node.length; i += 1) {
        const character = node.data[i];
        if (character === "\\n") { [place, line] = [0, ""]; continue; }
        const range = document.createRange();
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        line += character;
        const shift = range.getBoundingClientRect().left - left - place * column;
        if (Math.abs(shift) > 0.5) shifted.push([line, shift]);
        place += wide.includes(character) ? 2 : 1;
      }
    }
  }
  return shifted;
})"""


@pytest.mark.browser
def test_blocks_keep_marks_under_their_characters(site, browser):
    for name in ("index", "zh", "report-and-playground", "terms", "language-models"):
        text = (site / f"{name}.html").read_text("utf-8")
        wide = "".join(sorted(filter(lambda x: east_asian_width(x) in "WF", set(text))))
        assert len(wide) > 20
        page = browser.open((site / f"{name}.html").as_uri())
        assert page.run(f"{OUT_OF_COLUMN}({json.dumps(wide)})") == []
        page.close()


# Texts that differ too little from the background behind them (WCAG, level AA).
FAINT_TEXTS = """(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (v) => (v / 255 <= 0.04045 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) + 0.05;
  const behind = (element) => {
    const color = channels(getComputedStyle(element).backgroundColor);
    return color[3] === 0 ? behind(element.parentElement) : color;
  };
  const isShown = (element) => element.getClientRects().length > 0 &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  return [...document.querySelectorAll("body *")].filter(isShown).filter((element) => {
    const pair = [channels(getComputedStyle(element).color), behind(element)].map(light);
    return Math.max(...pair) / Math.min(...pair) < 4.5;
  }).map((element) => element.outerHTML.slice(0, 200));
})()"""


@pytest.mark.browser
def test_the_site_can_be_read_in_light_and_dark(site, browser):
    for width in (1280, 390):
        page = browser.open((site / "report-and-playground.html").as_uri(), width)
        for colors in ("light", "dark"):
            page.page.emulate_media(color_scheme=colors)
            page.page.reload()  # the colors of buttons would change gradually
            assert page.run(FAINT_TEXTS) == []
            assert page.run("document.documentElement.scrollWidth") <= width
            paper = page.run("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(252, 252, 252)") == (colors == "light")
        page.close()


def test_pictures_are_made_by_commands_of_the_page():
    script = runpy.run_path(str(DOCS / "make_gallery.py"))
    made = script["pictures"]()
    plots = runpy.run_path(str(DOCS / "make_pictures.py"))["PLOTS"]
    plots = {f"plot-{draw.__name__}.svg" for draw in plots}
    dark = {name.replace(".png", "-dark.png") for name in script["DARK"]}
    assert set(made) | plots | dark == {path.name for path in (DOCS / "pictures").iterdir()}
    text = "".join(path.read_text("utf-8") for path in (*DOCS.glob("*.md"), BENCH))
    assert plots == set(re.findall(r"\((?:../docs/)?pictures/(plot-.+?)\)", text))
    assert all(re.match(r"celab [a-z]+ ", command) for command in made.values())
    assert set(script["PLACES"]) | set(script["SIZES"]) <= set(made)
    for path in (DOCS / "pictures").iterdir():
        assert path.stat().st_size < 150_000, path.name


def test_plots_show_the_figures_of_the_pages():
    pytest.importorskip("matplotlib", reason="celab[plot] is not installed")
    script = runpy.run_path(str(DOCS / "make_pictures.py"))
    above, below = script["speed"]().figure.axes
    page = BENCH.read_text("utf-8")
    shown = [text.get_text() for text in above.texts]
    assert len(shown) == 3 and all(f" | {number} |" in page for number in shown)
    assert below.texts[1].get_text() in page
    table = (
        "### wmt\n\nThree.\n\n|  | Pearson |\n|---|---:|\n"
        + "".join(f"| {name} | 0.{k}12 ± 0.017 |\n" for k, name in enumerate(script["METRICS"], 5))
        + "\n| difference | Pearson |\n|---|---:|\n| x | +0.1 |\n\n"
    )
    drawn = script["agreement"](table)
    assert [text.get_text() for text in drawn.get_yticklabels()] == ["wmt\nPearson"]
    values = [line.get_xdata()[0] for line in drawn.get_lines() if len(line.get_xdata()) == 1]
    assert values[:4] == [0.512, 0.612, 0.712, 0.812]
    assert script["agreement"]("no table") is None


def test_the_page_of_benchmarks_shows_the_results(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    run = runpy.run_path(str(ROOT / "bench" / "run.py"))
    below = BENCH.read_text("utf-8").partition(run["MARK"])[2]
    assert below == run["tidied"]("\n".join(run["page"]()))
    assert below.count("\n## ") > 10
    scripts = {path.stem for path in (ROOT / "bench").glob("*.py")}
    assert set(run["LONG"]) < set(run["TITLES"]) < scripts


def test_terminal_pictures_break_signatures_between_their_parts():
    script = runpy.run_path(str(DOCS / "make_gallery.py"))
    parts = "|".join(f"key-{n}:value" for n in range(20))
    lines = script["with_broken_signatures"](f"买 | 卖\n{parts}\n").split("\n")
    assert lines[0] == "买 | 卖" and lines[-1] == ""
    assert "".join(lines[1:-1]) == parts
    assert len(lines) > 4 and all(line.endswith("|") for line in lines[1:-2])
    assert all(len(line) <= script["COLUMNS"] for line in lines)
