"""`celab.board`: stored scores of many test sets, systems and versions, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from celab.base import io
from celab.base.arguments import JsonObject, check_list, check_path, list_paths
from celab.base.errors import InputError, OptionError, Setting, suggest
from celab.findings.finding import Gate
from celab.metrics.registry import METRICS, digits_of
from celab.statistics import resampling
from celab.statistics.difference import NO_VERDICT, Difference, Side, holm
from celab.statistics.significance import name_tests
from celab.systems.board.comparisons import (
    NOT_COMPARABLE,
    BoardColumn,
    Marked,
    StoredScore,
    columns_of,
    differences_of,
    read,
    series_of,
)
from celab.tables import cells
from celab.tables.cells import Look, Phrase, quantity
from celab.tables.result import Result
from celab.tables.table import NAME, SCORE, TEXT, Column, Kind, Part, Table
from celab.tables.view import Detail, Line, Name, line

MARKS: dict[Side | None, Marked] = {"a": "better", "b": "worse"}


COLUMNS = [
    *(Column("", NAME, attrgetter(x), x) for x in ("set", "system", "version", "metric")),
    *(Column("", SCORE, attrgetter(x), x) for x in ("score", "low", "high", "change", "p")),
    *(Column("", TEXT, attrgetter(x), x) for x in ("mark", "test", "untested")),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCell(Result):
    """A score on the board; `COLUMNS` are its columns in JSON.

    Attributes:
        low, high: ends of its 95% interval; None if they are not stored.
        difference: difference from the version that it is compared with, or None.
        is_apart: whether other versions have other references or settings.
        labels: labels of its file.
        n_segments: number of segments; None if it is not known.
        is_newest: whether it is of the last version of its set, metric and system.
    """

    set: str
    system: str
    version: str
    metric: str
    score: float
    low: float | None
    high: float | None
    difference: Difference | None
    is_apart: bool
    labels: Mapping[str, str] = field(repr=False)
    n_segments: int | None = field(repr=False)
    is_newest: bool = field(repr=False)

    @property
    def change(self) -> float | None:
        """Difference of the scores; None if there is no other version."""
        return None if self.difference is None else self.difference.value

    @property
    def p(self) -> float | None:
        """Two-sided p-value of the change, not corrected; None if it was not tested."""
        return None if self.difference is None else self.difference.p

    @property
    def test(self) -> str | None:
        """Test that p comes from."""
        return None if self.difference is None else self.difference.test

    @property
    def mark(self) -> Marked | None:
        """ "better" or "worse", as in JSON, for a significant improvement or decline, else None."""
        if self.difference is None or not self.difference.significant or not self.is_tested:
            return None
        return MARKS.get(self.difference.better)

    @property
    def is_tested(self) -> bool:
        """Whether there is a test, on 20 segments or more."""
        difference = self.difference
        return difference is not None and difference.is_tested and not difference.too_few

    @property
    def untested(self) -> str | None:
        """Why no test of the change counts; None if one does, or there is no change."""
        if self.is_apart:
            return NOT_COMPARABLE
        if self.difference is None or self.is_tested:
            return None
        return self.difference.untested or NO_VERDICT

    @property
    def is_better(self) -> bool | None:
        """Whether the change is an improvement; None if there is no change."""
        better = None if self.difference is None else self.difference.better
        return None if better is None else better == "a"

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the cell as a row."""
        yield Table(name="cell", columns=COLUMNS, rows=[self])


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Result):
    """Scores of versions on test sets, with significant changes marked.

    Attributes:
        sets, systems, versions, metrics: all names, in the order in which they are shown.
        cells: a score for each set, system, version and metric that was stored.
        tests: number of tests, for which the marks are corrected.
        against: the version that all others are compared with; None if each version is compared
            with the one before it.
        notes: lines about columns that were kept apart, and about changes that were not tested.
        by_system: whether versions belong to systems, which have rows of their own.
        newest: the last version, which the gate is about.
        is_ordered: whether the order of versions is known, by labels or by `order`.
    """

    sets: tuple[str, ...]
    systems: tuple[str, ...]
    versions: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[BoardCell, ...]
    tests: int
    against: str | None
    notes: tuple[str, ...]
    by_system: bool = field(repr=False)
    newest: str = field(repr=False)
    is_ordered: bool = field(repr=False)

    def facts(self) -> JsonObject:
        """Return the names in their order, the number of tests, and notes."""
        names = ("sets", "systems", "versions", "metrics", "tests", "against", "notes")
        return {name: getattr(self, name) for name in names}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield versions by sets for each metric, and for programs a row per cell."""
        yield [line(text) for text in self.headlines]
        for metric in self.metrics:
            for i in range(0, len(self.sets), MAX_SETS_IN_TABLE):
                yield from _tables(self, metric, self.sets[i : i + MAX_SETS_IN_TABLE])
        yield [*_notes(self)]
        yield Table(name="cell", columns=COLUMNS, rows=self.cells)

    @property
    def headlines(self) -> tuple[Phrase, ...]:
        """A sentence on the changes of each last version, by metric, the newest version first."""
        by_version: dict[tuple[str, str, str], list[BoardCell]] = {}
        for cell in self.cells:
            if cell.is_newest and cell.change is not None:
                key = cell.metric, cell.version, cell.system * self.by_system
                by_version.setdefault(key, []).append(cell)
        metrics = [*dict.fromkeys(metric for metric, _, _ in by_version)]
        ordered = sorted(
            by_version, key=lambda key: (metrics.index(key[0]), -self.versions.index(key[1]))
        )
        sentences = []
        for metric, version, system in ordered:
            name = " ".join(filter(None, (system, version)))
            of_version = by_version[metric, version, system]
            name = Phrase("{0} against {1}", name, self._before(of_version))
            if len(self.metrics) > 1:
                name = Phrase("{0} by {1}", name, title_of_metric(metric))
            sentences.append(_headline(name, of_version))
        return tuple(sentences)

    def _before(self, changed: Sequence[BoardCell]) -> str:
        """Return the version that the cells are compared with; "the version before" if several."""
        if self.against is not None:
            return self.against
        before = {
            next(
                (
                    version
                    for version in reversed(self.versions[: self.versions.index(cell.version)])
                    if cell.system in (systems := self._systems_of(version, cell))
                    or len(systems) == 1
                ),
                "",
            )
            for cell in changed
        }
        name = before.pop()
        return Phrase("the version before") if before or not name else name

    def _systems_of(self, version: str, cell: BoardCell) -> set[str]:
        """Return the systems of a version that are scored on the set of a cell, by its metric."""
        of_cell = (version, cell.set, cell.metric)
        return {x.system for x in self.cells if (x.version, x.set, x.metric) == of_cell}

    def html(
        self,
        path: io.AnyPath | None = None,
        *,
        report_lang: str = "en",
        command: str | None = None,
    ) -> str:
        """Return the board as one HTML page, or write it; returns the page, or the path.

        Parameters:
            path: file to write, atomically; without it the page itself is returned.
            report_lang: language of the page, `en` or `zh`; its reader can change it.
            command: the command that makes the page again, which its end shows.
        """
        from celab.report.html.board import board_page

        if path is not None:
            check_path("path", path)
        page = board_page(self, report_lang=report_lang, command=command)
        return io.write_or_return(path, page)

    def gate(self, *, retired: Sequence[str] = ()) -> Gate:
        """Return the gate that fails if the newest version has declined significantly on a set.

        Only its own tests count, so p-values are corrected for these, not for all of the board.

        It is an `InputError` if nothing says which version is the newest, or if the newest has no
        result where an older one has. If no score has declined, it is also an error if a score was
        not tested although there is an older one; scores of other judges need no test if another
        score of the set has one.

        Parameters:
            retired: sets, systems or metrics that are left out, because newer versions have no
                results of them.
        """
        check_list("retired", retired)
        self._check_gate(retired)
        last = [cell for cell in self.cells if cell.version == self.newest]
        tested = [cell for cell in last if cell.is_tested]
        corrected = holm([cell.difference for cell in tested if cell.difference is not None])
        worse = [
            cell
            for cell, difference in zip(tested, corrected, strict=True)
            if difference.significant and difference.better == "b"
        ]
        correction = f"({quantity(len(tested), 'test')}, Holm's correction)"
        if worse:
            named = ", ".join(map(_name, worse))
            reason = f"significant loss: {named} {correction}"
            return Gate(True, reason, worse[0].metric, True)
        tested_sets = {cell.set for cell in tested}
        untested = [cell for cell in last if cell.untested is not None]
        for cell in untested:
            if cell.set not in tested_sets or cell.metric.partition(" ")[0] in METRICS:
                raise InputError(
                    f"{_name(cell)} was not tested against another version: {cell.untested}",
                    hint="a gate needs a test",
                )
        reason = f"no significant loss of {self.newest} {correction}"
        alone = dict.fromkeys(
            cell.set for cell in last if cell.change is None and cell.untested is None
        )
        for what, names in (
            ("not tested", ", ".join(map(_name, untested))),
            ("nothing to compare with", ", ".join(alone)),
            ("retired", ", ".join(retired)),
        ):
            reason += f"; {what}: {names}" if names else ""
        return Gate(False, reason, None, False)

    def _check_gate(self, retired: Sequence[str]) -> None:
        """Raise `InputError` unless the newest version is known and has all results."""
        if not self.is_ordered and len(self.versions) > 1:
            raise InputError(
                "versions without the label version have the names of their systems, which are in"
                " no order of time",
                hint=("a gate needs the label, or ", Setting("order")),
            )
        if self.against == self.newest:
            raise OptionError(
                "against", self.against, "it is the newest version, which a gate compares"
            )
        known = {name: cell for cell in self.cells for name in self._names(cell)}
        last = [cell for cell in self.cells if cell.version == self.newest]
        if not last:
            raise InputError(f"there is no result of the newest version, {self.newest}")
        for name in retired:
            if name not in known:
                raise OptionError("retired", name, suggest(name, known))
            if any(name in self._names(cell) for cell in last):
                raise OptionError("retired", name, f"{self.newest} has a result of it")
        absent = [
            cell
            for cell in self.cells
            if cell.is_newest and cell not in last and self._names(cell).isdisjoint(retired)
        ]
        if absent:
            present = {cell.set for cell in last}
            names = dict.fromkeys(
                self._place(cell) if cell.set in present else cell.set for cell in absent
            )
            raise InputError(
                f"the newest version, {self.newest}, has no result where older ones have:"
                f" {', '.join(names)}",
                hint=("score it there, or name what has ended with ", Setting("retired")),
            )

    def _names(self, cell: BoardCell) -> set[str]:
        """Return the names by which a score can be retired: its set, metric and system."""
        names = {cell.set, cell.labels.get("set", cell.set)}
        names |= {cell.metric, cell.metric.partition(" ")[0]}
        return names | {cell.system} if self.by_system else names

    def _place(self, cell: BoardCell) -> str:
        system = f"{cell.system} " if self.by_system else ""
        return f"{system}on {cell.set} by {cell.metric}"


def board(
    paths: io.AnyPath | Sequence[io.AnyPath],
    *,
    order: Sequence[str] | None = None,
    against: str | None = None,
    seed: int = resampling.SEED,
) -> Board:
    """Show stored results of many test sets, systems and versions together.

    Parameters:
        paths: files of `celab score --json`, or folders of them. With `--segments`, changes are
            tested; the labels `set` and `version` name the set and version of a file
            (`celab score --label`).
        order: the versions, the oldest first (default: natural order of their names).
        against: version that all others are compared with (default: the one before each).
        seed: random seed.

    >>> import tempfile, celab
    >>> from pathlib import Path
    >>> from celab.systems import stored
    >>> folder = Path(tempfile.mkdtemp())
    >>> for version, text in (("v1", "买"), ("v2", "买雨伞")):
    ...     campaign = celab.Campaign.from_lists({version: [text]}, ["买雨伞"]).score("celab")
    ...     text = stored.to_json_line(campaign, level="segment")
    ...     _ = (folder / f"{version}.json").write_text(text)
    >>> [cell.change for cell in board(folder).cells]
    [None, 0.8]
    """
    if order is not None:
        check_list("order", order)
    columns = columns_of(read(list_paths("paths", paths)), order)
    if against is not None and against not in columns.versions:
        raise OptionError("against", against, suggest(against, columns.versions))
    differences, apart = differences_of(columns, against, seed)
    last = {scores[-1] for scores in series_of(columns)}
    cells = tuple(
        _cell(
            column, score, differences.get(score), is_apart=score in apart, is_newest=score in last
        )
        for column in columns.columns
        for score in column.scores
    )
    return Board(
        sets=tuple(dict.fromkeys(cell.set for cell in cells)),
        systems=tuple(dict.fromkeys(cell.system for cell in cells)),
        versions=columns.versions,
        metrics=tuple(dict.fromkeys(cell.metric for cell in cells)),
        cells=cells,
        tests=sum(cell.is_tested for cell in cells),
        against=against,
        notes=(*columns.notes, *_untested(cells)),
        by_system=columns.by_system,
        newest=columns.versions[-1] if order is None else order[-1],
        is_ordered=order is not None or all("version" in cell.labels for cell in cells),
    )


def _cell(
    column: BoardColumn,
    score: StoredScore,
    difference: Difference | None,
    *,
    is_apart: bool,
    is_newest: bool,
) -> BoardCell:
    low, high = score.interval or (None, None)
    return BoardCell(
        set=column.set,
        system=score.system,
        version=score.version,
        metric=column.metric,
        score=score.score,
        low=low,
        high=high,
        difference=difference,
        is_apart=is_apart,
        labels=score.labels,
        n_segments=None if score.statistics is None else len(score.statistics),
        is_newest=is_newest,
    )


def _headline(name: str, cells: Sequence[BoardCell]) -> Phrase:
    """Return a sentence on the changes of a version."""
    higher = [cell for cell in cells if (cell.change or 0) > 0]
    lower = [cell for cell in cells if (cell.change or 0) < 0]
    n_sets = str(len(cells))
    if higher and lower:
        counts = (str(len(lower)), n_sets, _significance(lower), str(len(higher)))
        pattern = "{0}: lower on {1} of {2} sets ({3}), higher on {4} ({5})."
        return Phrase(pattern, name, *counts, _significance(higher))
    changed = higher or lower
    if not changed:
        return Phrase("{0}: no change.", name)
    if len(cells) == 1:
        pattern = "{0}: higher, {1}." if higher else "{0}: lower, {1}."
        return Phrase(pattern, name, _verdict(changed[0]))
    pattern = (
        "{0}: higher on {1} of {2} sets, {3}." if higher else "{0}: lower on {1} of {2} sets, {3}."
    )
    return Phrase(pattern, name, str(len(changed)), n_sets, _significance(changed))


def _verdict(change: BoardCell) -> Phrase:
    if change.untested:
        return Phrase("no verdict" if change.untested == NO_VERDICT else "not tested")
    return Phrase("not significantly" if change.mark is None else "significantly")


def _significance(changes: Sequence[BoardCell]) -> Phrase:
    """Return a text on the number of significant changes."""
    if all(change.untested == NO_VERDICT for change in changes):
        return Phrase("no verdict")
    if all(change.untested for change in changes):
        return Phrase("not tested")
    n_significant = sum(change.mark is not None for change in changes)
    return (
        Phrase("{0} significantly", str(n_significant))
        if n_significant
        else Phrase("none significantly")
    )


def _untested(cells: Sequence[BoardCell]) -> Iterator[str]:
    """Yield lines on metrics that were not tested, with the reason."""
    metrics: dict[str, dict[str, None]] = {}
    for cell in cells:
        if cell.untested not in (None, NOT_COMPARABLE):
            metrics.setdefault(cell.untested, {})[cell.metric] = None
    for why, names in metrics.items():
        yield f"{', '.join(names)}: {why if why == NO_VERDICT else f'not tested, because {why}'}"


def _name(cell: BoardCell) -> str:
    return f"{cell.version} on {cell.set} by {cell.metric}"


MAX_SETS_IN_TABLE = 5  # a terminal is no wider
SIGNS = {"better": "▲", "worse": "▼", None: ""}


def _tables(board: Board, metric: str, sets: tuple[str, ...]) -> Iterator[Table]:
    in_table = [cell for cell in board.cells if cell.metric == metric and cell.set in sets]
    sets = tuple(name for name in sets if any(cell.set == name for cell in in_table))
    if not sets:
        return
    by_row: dict[tuple[str, str], dict[str, BoardCell]] = {}
    for cell in in_table:
        system = cell.system if board.by_system else ""
        by_row.setdefault((system, cell.version), {})[cell.set] = cell
    order = {version: place for place, version in enumerate(board.versions)}

    def of_set(name: str) -> Column:
        return Column(Name(name), CHANGED_SCORE, lambda row: by_row[row].get(name))

    yield Table(
        columns=[
            *([Column("system", NAME, itemgetter(0))] if board.by_system else []),
            Column("version", NAME, itemgetter(1)),
            *map(of_set, sets),
        ],
        rows=sorted(by_row, key=lambda row: (row[0], order[row[1]])),
        digits=digits_of_metric(metric),
        title=title_of_metric(metric),
    )


def title_of_metric(metric: str) -> str:
    """Return the title of a metric, with the settings that differ between columns."""
    name, space, settings = metric.partition(" ")
    return f"{METRICS[name].full_title() if name in METRICS else name}{space}{settings}"


def digits_of_metric(metric: str) -> int:
    """Return the number of decimals that a metric is shown with."""
    name = metric.partition(" ")[0]
    return digits_of(name) if name in METRICS else 4


def _changed_score(cell: BoardCell, digits: int, look: Look) -> str:
    """Return the score, and its change with the mark of a significant one."""
    score = cells.score(cell.score, digits, look)
    if cell.change is None:
        return score
    return f"{score} ({cells.difference(cell.change, digits, look)}{SIGNS[cell.mark]})"


# Cell of a board.
CHANGED_SCORE = Kind(show=_changed_score)


def _notes(board: Board) -> Iterator[Line]:
    against = "the version before" if board.against is None else board.against
    yield line(f"in brackets: change against {against}")
    if names := [cell.test for cell in board.cells if cell.test and cell.untested is None]:
        tests = f"{board.tests} tests" if board.tests > 1 else "1 test"
        yield line(
            f"▲ ▼: significant gain or loss ({name_tests(names)}, two-sided"
            f" p < 0.05 after Holm's correction for {tests})"
        )
    for note in board.notes:
        yield line(note)
