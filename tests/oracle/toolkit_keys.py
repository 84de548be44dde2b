"""Texts of apps as translate-toolkit reads and writes them: paths → JSON of keys and texts.

This is run by the Python of an environment that has it, never imported here. With `write FOLDER`,
the texts on standard input, by key, are written in all formats first. A text with plural forms is
a list.
"""

import json
import sys
from pathlib import Path


def classes():
    """Return the class of each file that is written, by its name."""
    from translate.storage import aresource, jsonl10n, properties, stringsdict

    return {
        "strings.xml": aresource.AndroidResourceFile,
        "Localizable.strings": properties.stringsutf8file,
        "Localizable16.strings": properties.stringsfile,
        "Localizable.stringsdict": stringsdict.StringsDictFile,
        "app_zh.arb": jsonl10n.ARBJsonFile,
        "messages.json": jsonl10n.WebExtensionJsonFile,
        "zh.json": jsonl10n.I18NextV4File,
        "messages_zh.properties": properties.javafile,
        "messages8_zh.properties": properties.javautf8file,
    }


def class_of(path):
    """Return the class that reads a file."""
    path, known = Path(path), classes()
    if path.name in known:
        return known[path.name]
    suffixes = {Path(name).suffix: each for name, each in known.items()}
    suffixes[".properties"] = known["messages8_zh.properties"]
    suffixes[".strings"] = known["Localizable.strings"]
    return suffixes[path.suffix]


def write(folder, texts):
    """Write texts by key in all formats; return the paths."""
    paths = []
    for name, each in classes().items():
        store = each()
        if hasattr(store, "settargetlanguage"):
            store.settargetlanguage("zh")
        for key, text in texts.items():
            store.addunit(unit_of(store, key, text))
        path = Path(folder) / name
        with path.open("wb") as file:
            store.serialize(file)
        paths.append(str(path))
    return paths


def unit_of(store, key, text):
    """Return the unit of a text."""
    from translate.storage.properties import propfile, propunit

    if not isinstance(store, propfile):
        unit = store.UnitClass(key)
        unit.setid(key)
        unit.target = text
        return unit
    unit = propunit(text, personality=store.personality.name)
    unit.name = key
    return unit


def texts_of(path):
    """Return the texts of a file by key; those that are empty are left out."""
    texts = {}
    for unit in class_of(path).parsefile(path).units:
        target = unit.target or unit.source if hasattr(unit, "value") else unit.target
        if unit.isheader() or not target:
            continue
        forms = [str(form) for form in getattr(target, "strings", [target])]
        forms = [form for form in forms if form]
        texts[unit.getid()] = forms if len(forms) != 1 else forms[0]
    return texts


def texts_or_error(path):
    """Return the texts of a file, or what is wrong with it."""
    try:
        return texts_of(path)
    except Exception as error:  # each class has errors of its own
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    paths = sys.argv[1:] or sys.stdin.read().splitlines()
    if paths[:1] == ["write"]:
        paths = write(paths[1], json.load(sys.stdin))
    json.dump({path: texts_or_error(path) for path in paths}, sys.stdout)
