"""Makes results of four versions on three test sets, to show a board.

    python examples/make_board.py FOLDER

The sets are domains of `examples/campaign`, and its four systems stand for versions of one system.
A file is what `celab score --json --segments --label set=DOMAIN --label version=VERSION` writes.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

CAMPAIGN = Path(__file__).parent / "campaign"
DOMAINS = ("news", "product", "speech")
VERSIONS = {"v1": "small", "v2": "literal", "v3": "fluent", "v4": "model"}


def main(folder: Path) -> None:
    """Score each version on each set."""
    folder.mkdir(parents=True, exist_ok=True)
    _, *rows = (CAMPAIGN / "docs.tsv").read_text("utf-8").splitlines()
    domains = [row.split("\t")[0] for row in rows]
    with tempfile.TemporaryDirectory() as name:
        texts = Path(name)
        for domain in DOMAINS:
            places = [i for i, other in enumerate(domains) if other == domain]
            write(CAMPAIGN / "ref.zh", texts / "ref.zh", places)
            for version, system in VERSIONS.items():
                write(CAMPAIGN / "systems" / f"{system}.zh", texts / "model.zh", places)
                files = [str(texts / "ref.zh"), str(texts / "model.zh")]
                labels = ["--label", f"set={domain}", "--label", f"version={version}"]
                output = ["-o", str(folder / f"{version}-{domain}.json")]
                command = [sys.executable, "-m", "celab", "score", "-q", "--json", "--segments"]
                flags = ["-m", "celab", "chrf", "--no-check", *labels, *output]
                subprocess.run([*command, *files, *flags], check=True)


def write(path: Path, part: Path, places: list[int]) -> None:
    """Write some lines of a file to another."""
    lines = path.read_text("utf-8").splitlines()
    part.write_text("".join(f"{lines[place]}\n" for place in places), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
