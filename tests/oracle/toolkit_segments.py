"""Segments of translators' files as translate-toolkit reads them: paths → JSON, by path.

This is run by the Python of an environment that has translate-toolkit, never imported here:
translate-toolkit is under the GPL. A row has the source, or null if the unit has plural forms, and
the translation; units that are not translated are left out.
"""

import json
import sys


def rows(path):
    """Return source and translation of each segment."""
    from translate.storage import factory

    for unit in factory.getobject(path).units:
        is_text = not unit.isheader() and not unit.isobsolete() and unit.istranslatable()
        if not is_text or unit.isfuzzy() or not unit.istranslated():
            continue
        forms = [str(form) for form in getattr(unit.target, "strings", [unit.target])]
        source = None if len(forms) > 1 or unit.hasplural() else str(unit.source)
        yield from ([source, form] for form in forms if form.strip())


if __name__ == "__main__":
    json.dump({path: list(rows(path)) for path in sys.argv[1:]}, sys.stdout)
