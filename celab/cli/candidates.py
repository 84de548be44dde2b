"""Options of the commands that read n-best lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from celab.base.arguments import Arguments
from celab.base.options import option
from celab.cli.requests import Request
from celab.nbest.nbest import NBestList


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Candidates:
    """Files of n-best lists."""

    heading: ClassVar[str] = "Input"

    nbest_lists: tuple[str, ...] = option(
        (), "file of n-best lists", metavar="NBEST", is_argument=True, nargs="*"
    )
    format: str | None = option(
        None, "input format (default: auto-detect)", choices=("moses", "jsonl")
    )
    encoding: str | None = option(
        None, "text encoding, such as gb18030 or utf-16 (default: UTF-8)", metavar="NAME"
    )


def read_candidates(request: Request, candidates: Candidates) -> list[NBestList]:
    """Return the n-best lists in all files."""
    settings: Arguments = {"format": candidates.format, "encoding": candidates.encoding}
    return [NBestList(path, **settings, limits=request.limits) for path in candidates.nbest_lists]
