"""The notebook in examples/ runs from its first cell to its last, and shows something."""

import warnings
from importlib.util import find_spec

import pytest
from conftest import ROOT

NEEDED = ("ipykernel", "nbclient", "matplotlib", "pandas", "sacrebleu", "jinja2")


def has_font():
    """Whether matplotlib finds a font for Chinese."""
    from celab.report import plots

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(plots.fonts("买"))


@pytest.mark.font
def test_the_notebook_runs(monkeypatch):
    missing = [name for name in NEEDED if not find_spec(name)]
    if missing:
        pytest.skip(f"the notebook cannot be run here: {' and '.join(missing)} not installed")
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code)  # kept without outputs
    where = {"metadata": {"path": str(ROOT / "examples")}}
    NotebookClient(notebook, timeout=120, resources=where).execute()
    shown = [output.data for cell in code for output in cell.outputs if "data" in output]
    assert sum("image/png" in data for data in shown) == 3
    html = "".join(data.get("text/html", "") for data in shown)
    for words in ("TESLA-CELAB", "two-sided", "95% interval", "synonym"):
        assert words in html
    streams = [o.text for cell in code for o in cell.outputs if o.output_type == "stream"]
    if has_font():
        assert streams == []
    else:  # one warning in one cell, not in each that draws
        (warning,) = streams
        assert warning.count("Warning") == 1 and "install one, such as Noto Sans CJK" in warning
    assert shown[-1]["text/plain"] == "True"
