"""Spreadsheets for tests: rows → the bytes of an .xlsx file, in the shape that Excel writes."""

import html
import io
import zipfile

_SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORKBOOK = (
    '<workbook xmlns="{space}" xmlns:{prefix}="{links}"><sheets>{hidden}'
    '<sheet name="Other" sheetId="7" {prefix}:id="rId3"/>'
    '<sheet name="Notes" sheetId="1" {prefix}:id="rId1"/></sheets></workbook>'
)
_HIDDEN = '<sheet name="Hidden" sheetId="9" state="hidden" {prefix}:id="rId1"/>'
_RELATIONS = (
    f'<Relationships xmlns="{_PACKAGE}">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml"/>'
    '<Relationship Id="rId3" Target="/xl/worksheets/sheet2.xml"/></Relationships>'
)


def workbook(
    rows: list[list[str]],
    *,
    prefix: str = "r",
    is_hidden: bool = False,
    more: str = "",
    notes: list[list[str]] | None = None,
) -> bytes:
    """Return a workbook whose first sheet, which is not its first file, has these rows.

    `prefix` is that of ids of relationships, `more` has rows in XML, and `notes` are the rows of
    the second sheet, `Notes`. A hidden sheet may precede.
    """
    second = notes or []
    strings = list(dict.fromkeys(cell for row in [*rows, *second] for cell in row))
    numbers = {string: number for number, string in enumerate(strings)}
    shared = "".join(
        f'<si><t xml:space="preserve">{html.escape(string)}</t></si>' for string in strings
    )
    return packed(
        {
            "xl/workbook.xml": _WORKBOOK.format(
                space=_SPACE,
                links=_LINKS,
                prefix=prefix,
                hidden=_HIDDEN.format(prefix=prefix) if is_hidden else "",
            ),
            "xl/_rels/workbook.xml.rels": _RELATIONS,
            "xl/sharedStrings.xml": f'<sst xmlns="{_SPACE}">{shared}</sst>',
            "xl/worksheets/sheet1.xml": _sheet(_rows(second, numbers)),
            "xl/worksheets/sheet2.xml": _sheet(_rows(rows, numbers) + more),
        }
    )


def _sheet(rows: str) -> str:
    return f'<worksheet xmlns="{_SPACE}"><sheetData>{rows}</sheetData></worksheet>'


def _rows(rows: list[list[str]], numbers: dict[str, int]) -> str:
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = "".join(
            f'<c r="{_letters(place)}{number}" t="s"><v>{numbers[cell]}</v></c>'
            for place, cell in enumerate(row)
            if cell
        )
        lines.append(f'<row r="{number}">{cells}</row>')
    return "".join(lines)


def packed(members: dict[str, str]) -> bytes:
    """Return a ZIP archive, the same bytes each time."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return file.getvalue()


def _letters(place: int) -> str:
    """Return the letters of a column, from 0."""
    first, last = divmod(place, 26)
    return (_letters(first - 1) if first else "") + chr(ord("A") + last)
