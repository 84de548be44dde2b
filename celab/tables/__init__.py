"""Tables of results: text, TSV, Markdown, LaTeX, JSON, data frames and notebooks.

A new table needs four classes: a `Column` has a heading for people, a `Kind` by which its values
are shown, and names for programs; a `Table` has columns and rows; a `Result` yields its tables, and
every output follows from them. `celab.tables.table` begins with an example, and a result is

    COLUMNS = [
        Column("system", NAME, attrgetter("name"), "system"),
        Column("accuracy", SCORE, attrgetter("accuracy"), "accuracy"),
        Column("95% interval", INTERVAL, attrgetter("interval"), ("low", "high")),
        Column("", TEXT, attrgetter("signature"), "signature"),  # only in JSON
    ]

    class Accuracy(Result):
        def tables(self, detail: Detail = "normal") -> Iterator[Part]:
            yield [line("accuracy: occurrences of terms that are right")]
            yield Table(name="system", columns=COLUMNS, rows=self.systems, digits=3)

        def facts(self) -> JsonObject:
            return {"glossary": self.glossary}

`accuracy.render("markdown")`, `to_dict()` (which has `"format"`, the facts and `"system"`, a list
of rows), `to_dataframe(level="system")` and HTML for notebooks have the same columns, and programs
get every digit. What `celab check --level NAME` prints is the table of that name.

table      kinds, columns and tables
view       what stands beside tables: lines and drawings
formats    tables, lines and drawings → text, TSV, Markdown or LaTeX
result     base class of results: printing, JSON and data frames
cells      figures → text; phrases that a page can say in another language
sentences  sentences that several places say
templating templates of HTML; results → HTML for notebooks
palette    colors and marks of matches; two texts, with what only one of them has in color
"""
