"""Lists the packages of the folders that pyproject.toml maps into `gpucluster`."""

import tomllib
from pathlib import Path

from setuptools import find_packages, setup

_SETTINGS = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]

setup(
    packages=[
        ".".join(filter(None, (package, below)))
        for package, folder in _SETTINGS["package-dir"].items()
        for below in ("", *find_packages(folder))
    ],
)
