"""Packages of the folders that pyproject.toml maps into `gpucluster`; the README and links as PyPI shows them.

GPUCLUSTER_REPOSITORY: address of the repository, https://github.com/OWNER/NAME. If set, the metadata links to it, and
links of the README lead to its files in the tag of this version; otherwise they stay relative.
"""

import os
import re
import tomllib
from pathlib import Path

from setuptools import find_namespace_packages, setup

_SETTINGS = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
_REPOSITORY = os.environ.get("GPUCLUSTER_REPOSITORY", "").rstrip("/")


def _readme() -> str:
    text = Path("README.md").read_text(encoding="utf-8")
    files = f"{_REPOSITORY}/{{}}/v{_SETTINGS['project']['version']}"

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link[1].startswith("!") else "blob"
        return f"{link[1]}{files.format(kind)}/{link[2]}"

    # An image may be the text of a link: its own link is the first of the two.
    return (
        re.sub(r"(!?\[(?:[^][]|!\[[^][]*\]\([^)]*\))*\]\()(?!https?://|#)([^)]+)", absolute, text)
        if _REPOSITORY
        else text
    )


def _links() -> dict[str, str]:
    pages = {"Documentation": "/tree/main/docs", "Changelog": "/blob/main/CHANGELOG.md", "Issues": "/issues"}
    return (
        {"Repository": _REPOSITORY, **{name: _REPOSITORY + page for name, page in pages.items()}} if _REPOSITORY else {}
    )


setup(
    packages=[
        ".".join(filter(None, (package, below)))
        for package, folder in _SETTINGS["tool"]["setuptools"]["package-dir"].items()
        # Folders of data are packages, too: setuptools would warn of each that it leaves out.
        for below in ("", *find_namespace_packages(folder, exclude=["*__pycache__*"]))
    ],
    long_description=_readme(),
    long_description_content_type="text/markdown",
    project_urls=_links(),
    # Editors and type checkers of a user's project follow links of files, not the finder of the mode that `make` takes.
    options={"editable_wheel": {"mode": "strict"}},
)
