import importlib.metadata
import json

import pytest

from celab.base.errors import install_command


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({"dir_info": {}}, 'pip install "{}[de]"'),
        ({"dir_info": {"editable": True}}, 'pip install -e "{}[de]"'),
        ({"archive_info": {}}, 'pip install "celab[de]"'),  # a wheel
        (None, 'pip install "celab[de]"'),  # from a package index
    ],
)
def test_a_checkout_is_named_by_its_folder(origin, command, tmp_path, monkeypatch):
    folder = tmp_path / "my files"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    record_origin(monkeypatch, origin and {"url": folder.as_uri(), **origin})
    assert install_command("de") == command.format(folder)


def test_a_folder_that_is_gone_is_not_named(tmp_path, monkeypatch):
    record_origin(monkeypatch, {"url": (tmp_path / "gone").as_uri(), "dir_info": {}})
    assert install_command("de") == 'pip install "celab[de]"'


def test_source_that_is_not_installed(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    assert install_command("de") == 'pip install "celab[de]"'


def record_origin(monkeypatch, origin):
    class Installed:
        def read_text(self, name):
            assert name == "direct_url.json"
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed())
