"""The playground: a page and JSON endpoints, on this machine only (`celab serve`).

    models    the requests and answers, as pydantic models; one line for what is wrong
    answers   arguments → scores, explanations, words of lexicons, reports; knows nothing of HTTP
    jobs      runs short work in threads and long work in worker processes, and stops it
    app       the FastAPI application: who may ask, and what; the socket and uvicorn

How much a request may ask for, and for how long, is here. The page is built from the report's own
script and style (`celab.report.html`).
"""

from __future__ import annotations

from dataclasses import dataclass

# Checked by the models, so they are part of the OpenAPI description.
MAX_TEXT = 20_000  # characters of a text
MAX_REFERENCES = 10
MAX_LEXICONS = 8  # lexicons of one request
MAX_WORD = 100  # characters of a word to look up, and of a name
MAX_SYSTEMS = 100
MAX_COLUMNS = 100  # columns of a table to choose from
MAX_FILE_NAME = 1_000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Limits of a server; a field is a maximum unless its comment says otherwise."""

    # Requests
    body_bytes: int = 1 << 20
    report_body_bytes: int = 48 << 20  # requests with files, to /report or /columns
    body_seconds: float = 30.0  # until the whole request must have arrived

    # Work
    threads: int = 8
    pair_seconds: float = 5.0
    loading_seconds: float = 5.0  # wait for a lexicon that a pair needs
    long_pair_characters: int = 4_000  # all texts; longer pairs go to a worker process
    long_pair_workers: int = 2
    report_seconds: float = 120.0
    waiting: int = 8  # requests of each pool that wait for a worker process
    worker_memory_bytes: int = 2 << 30  # address space
    answer_bytes: int = 64 << 20  # returned by a worker

    # Reports
    segments: int = 50_000
    unpacked_bytes: int = 128 << 20  # all files, decompressed, plus 64 for each line or tag
    kept_reports: int = 4

    # Connections
    connections: int = 512  # at once, or half of the files that the process may open, if less
    head_seconds: float = 10.0  # until the head of a request must have arrived
    requests: int = 128  # requests answered at once
    idle_seconds: int = 5  # between two requests of a connection


LIMITS = ServerLimits()
