"""Commands that install optional packages."""


def install_command(extra: str) -> str:
    """Return the pip command that adds an extra to the installation that runs now.

    Before the first release `celab[…]` is nothing that pip could find, so an installation from a
    checkout names its folder, as long as it is there. Shells such as zsh need the quotes.
    """
    folder, option = _checkout()
    return f'pip install {option}"{folder}[{extra}]"'


def _checkout() -> tuple[str, str]:
    # Imported here, because they load much, and a package is seldom absent.
    import importlib.metadata
    import json
    from pathlib import Path
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        text = importlib.metadata.distribution("celab").read_text("direct_url.json")
        origin = json.loads(text or "{}")
        folder = Path(url2pathname(urlsplit(origin["url"]).path))
        is_editable = origin["dir_info"].get("editable", False)
    except (importlib.metadata.PackageNotFoundError, ValueError, KeyError):
        return "celab", ""  # from a package index, a wheel or a repository, or not installed
    if not (folder / "pyproject.toml").is_file():
        return "celab", ""
    return str(folder), "-e " if is_editable else ""
