"""Where things lie on the user's disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Compiled lexicons, and what `celab-lexicon fetch` brought."""
    if named := os.environ.get("CELAB_LEXICONS"):
        return Path(named)
    try:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # a user without a home; below this nothing can be written
        base = os.devnull
    return Path(base) / "celab"


def bundled_folder() -> Path:
    """The lexicons that come with the package."""
    return Path(__file__).parent / "bundled"
