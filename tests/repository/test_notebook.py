"""The notebook in examples/ runs, and its stored outputs are those that it has now.

`pytest tests/repository/test_notebook.py --update` stores them anew, where a font for Chinese is
installed. Pictures depend on fonts and on the version of matplotlib: they are only counted.
"""

import base64
import json
import re
import warnings
from importlib.util import find_spec

import pytest
from conftest import ROOT

NOTEBOOK = ROOT / "examples" / "notebook.ipynb"
NEEDED = ("ipykernel", "nbclient", "matplotlib", "pandas", "sacrebleu", "jinja2")
PICTURE = "image/png"
VERSIONS = re.compile(r"(?<=opencc:)[\d.]+|(?<=version:)[\d.]+|(?<=\bv:)[\w.]+")


def has_font():
    """Whether matplotlib finds a font for Chinese."""
    from celab.report import plots

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(plots.fonts("买"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def texts_of(notebook):
    """Return the texts that each cell shows, by their kind; those of pictures are empty."""
    return [
        [
            {kind: shown_text(kind, content) for kind, content in output["data"].items()}
            for output in cell["outputs"]
            if "data" in output
        ]
        for cell in code_cells(notebook)
    ]


def shown_text(kind, content):
    text = content if isinstance(content, str) else "".join(content)
    return "" if kind == PICTURE else VERSIONS.sub("N", text)


def streams_of(notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell["outputs"]]
    return ["".join(output["text"]) for output in outputs if output["output_type"] == "stream"]


def stored():
    return json.loads(NOTEBOOK.read_text("utf-8"))


@pytest.fixture(scope="module")
def executed():
    """The notebook with the outputs that it has now."""
    missing = [name for name in NEEDED if not find_spec(name)]
    if missing:
        pytest.skip(f"the notebook cannot be run here: {' and '.join(missing)} not installed")
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in code_cells(notebook):
        cell.outputs = []
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        NotebookClient(notebook, timeout=120, resources=where, record_timing=False).execute()
    return json.loads(nbformat.writes(notebook))


def store(notebook):
    """Write the notebook as it is kept: without the version of the Python that ran it."""
    notebook["metadata"]["language_info"] = {"name": "python"}
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True)
    NOTEBOOK.write_text(text + "\n", "utf-8")


@pytest.mark.font
def test_stored_outputs_are_up_to_date(executed, request):
    if request.config.getoption("--update"):
        assert has_font(), "its pictures would lack Chinese characters"
        store(executed)
    assert texts_of(stored()) == texts_of(executed)


@pytest.mark.font
def test_the_notebook_warns_once_without_a_font(executed):
    streams = streams_of(executed)
    if has_font():
        assert streams == []
    else:  # one warning in one cell, not in each that draws
        (warning,) = streams
        assert warning.count("Warning") == 1 and "install one, such as Noto Sans CJK" in warning


def test_stored_outputs_show_what_the_notebook_is_about():
    notebook = stored()
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    assert counts == list(range(1, 1 + len(counts)))
    assert all(cell["outputs"] for cell in code_cells(notebook))
    assert streams_of(notebook) == []
    shown = [output for cell in texts_of(notebook) for output in cell]
    assert sum(PICTURE in output for output in shown) == 3
    html = "".join(output.get("text/html", "") for output in shown)
    for words in ("TESLA-CELAB", "two-sided", "95% interval", "synonym"):
        assert words in html
    assert shown[-1]["text/plain"] == "True"


def test_the_stored_notebook_tells_nothing_of_a_machine():
    text = NOTEBOOK.read_text("utf-8")
    assert len(text) < 400_000
    assert stored()["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert all(cell["metadata"] == {} for cell in stored()["cells"])
    outputs = json.dumps(texts_of(stored()))
    assert not re.search(
        r"/(?:home|root|tmp|work|usr|Users|opt)/|[A-Z]:\\\\|site-packages", outputs
    )
    for cell in code_cells(stored()):
        for output in cell["outputs"]:
            if picture := output.get("data", {}).get(PICTURE):
                content = base64.b64decode("".join(picture))
                assert str(ROOT).encode() not in content
