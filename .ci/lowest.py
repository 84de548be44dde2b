"""Print what a user of celab may have at least: all packages in the lowest versions allowed.

The Makefile installs them for `make test-lowest`. A lower bound is a release that exists, so that
pip can install it.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Print the requirements for pip, one per line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    (everything,) = extras["all"]  # celab[de,en,...]
    names = re.findall(r"\w+", everything)[1:]
    allowed = [*project["dependencies"], *(one for name in names for one in extras[name])]
    for requirement in dict.fromkeys(allowed):
        print(requirement.partition(",")[0].replace(">=", "=="))


if __name__ == "__main__":
    main()
