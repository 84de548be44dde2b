"""Segments of translators' files as other programs read them: paths → JSON, by path.

This is run by the Python of an environment that has them, never imported here: translate-toolkit
is under the GPL. A row has the source, or null if the unit has plural forms or the file has one
language, and the translation; units that are not translated are left out. A file that the program
cannot read has its error. Paths are words, or the lines of standard input.
"""

import json
import sys

UNTRANSLATED = ("new", "needs-translation", "initial")  # states of XLIFF


def store_of(path):
    """Return the file as translate-toolkit reads it."""
    from translate.storage import factory, subtitles, xliff2

    if path.endswith(".srt"):
        return subtitles.SubRipFile.parsefile(path)
    try:
        return factory.getobject(path)
    except ValueError:
        return xliff2.Xliff2File.parsefile(path)


def is_translation(unit, path):
    """Return whether a unit is to be translated, and is."""
    if unit.isheader() or unit.isobsolete() or not unit.istranslatable() or not unit.target:
        return False
    if not path.endswith((".xlf", ".xliff")):
        return not unit.isfuzzy() and unit.istranslated()
    # The toolkit calls all units fuzzy that are not approved.
    elements = [unit.xmlelement, *unit.xmlelement.iter("{*}target", "{*}segment")]
    return all(element.get("state") not in UNTRANSLATED for element in elements)


def rows(path):
    """Return source and translation of each segment."""
    if path.endswith(".vtt"):
        import webvtt

        yield from ([None, caption.text] for caption in webvtt.read(path))
    elif path.endswith(".srt"):
        yield from ([None, str(unit.source)] for unit in store_of(path).units)
    else:
        for unit in store_of(path).units:
            if is_translation(unit, path):
                forms = [str(form) for form in getattr(unit.target, "strings", [unit.target])]
                source = None if len(forms) > 1 or unit.hasplural() else str(unit.source)
                yield from ([source, form] for form in forms if form.strip())


def rows_or_error(path):
    """Return the rows of a file, or what is wrong with it."""
    try:
        return list(rows(path))
    except Exception as error:  # each program has errors of its own
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    paths = sys.argv[1:] or sys.stdin.read().splitlines()
    json.dump({path: rows_or_error(path) for path in paths}, sys.stdout)
