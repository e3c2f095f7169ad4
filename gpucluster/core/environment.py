"""Whether the packages of an environment are complete: an interrupted installation leaves some without their files.

Uses only the standard library, because packages may be missing. `make` runs it as a script:

    python installed.py VENV          forget incomplete packages, so that the next installation has them again; print
                                      those with changed files, which an installer may have linked from its cache
    python installed.py VENV --list   print the installed packages
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

_INFO = ".dist-info"
_CHANGED = "has a changed"
_LISTS = (".ready", ".ready-dev")
"""Files of `make` in the environment: the packages after an installation."""
_CHECKED = ".checked"
"""File of `make` in the environment, newer than its lists if an installation is needed."""


def incomplete(site: Path) -> dict[str, str]:
    """Name and version of each package without all of its files -> what is wrong with the first: "lacks FILE".

    site: the folder of the packages. Compares sizes of the files in it; those that Python compiled itself have none.
    Commands outside of it may be missing on purpose.
    """
    return {info.stem: wrong for info in sorted(site.glob(f"*{_INFO}")) if (wrong := next(_wrong(site, info), ""))}


def _wrong(site: Path, info: Path) -> Iterator[str]:
    try:
        with (info / "RECORD").open(newline="", encoding="utf-8") as file:
            rows = [(row[0], row[2]) for row in csv.reader(file) if len(row) == 3]
    except (OSError, ValueError):
        yield f"lacks {info.name}/RECORD"
        return
    for path, size in rows:
        if size and not path.startswith(".."):
            try:
                there = os.stat(f"{site}/{path}").st_size  # noqa: PTH116  # 50,000 files: a Path takes as long again
            except OSError:
                yield f"lacks {path}"
            else:
                if str(there) != size:
                    yield f"{_CHANGED} {path}"


def lacking(error: Exception) -> str:
    """The user's remedy for a missing module; empty for a module of this package, and for any other error."""
    name = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    top = name.partition(".")[0]
    if top == "gpucluster":
        from gpucluster.checkout import folders

        checkout = Path(__file__).resolve().parents[2]
        # Of an editable installation, `python -m` in the clone finds the folder `gpucluster` alone.
        advice = (
            f"{sys.executable} does not find {name} of {checkout}: run `make` there, or this command in another folder"
        )
        return advice if name in folders(checkout) else ""
    if not top:
        return ""
    if top in sys.stdlib_module_names:
        return f"{sys.executable} lacks {name} of Python's standard library: use a complete Python"
    return f"the environment {sys.prefix} lacks {name}: {repair_advice()}"


def repair_advice() -> str:
    """The command that completes the environment."""
    checkout = Path(__file__).resolve().parents[2]
    if Path(sys.prefix) == checkout / ".venv" and (checkout / "Makefile").exists():
        return f"run `make` in {checkout}"
    return f"install its packages again, by `{sys.executable} -m pip install --force-reinstall`"


def _check(venv: Path) -> None:
    for site in venv.glob("lib/python*/site-packages"):
        listed = {line for name in _LISTS if (venv / name).exists() for line in (venv / name).read_text().splitlines()}
        found = dict.fromkeys(sorted(listed - _names(site)), "is gone") | incomplete(site)
        for name, wrong in found.items():
            print(f"{name} in {venv} {wrong}: installing it again", file=sys.stderr)
            if wrong.startswith(_CHANGED):
                print(_name(name))
            shutil.rmtree(site / f"{name}{_INFO}", ignore_errors=True)
        if found:
            (venv / _CHECKED).touch()


def _list(venv: Path) -> None:
    for site in venv.glob("lib/python*/site-packages"):
        print("\n".join(sorted(_names(site))))


def _names(site: Path) -> set[str]:
    """The installed packages, of any version: users may install others."""
    return {_name(info.stem) for info in site.glob(f"*{_INFO}")}


def _name(package: str) -> str:
    return package.rpartition("-")[0]


def installing(package: str) -> str:
    """The command for a package of one of our extras; for any other package, without a version."""
    try:
        requirements = requires("gpucluster") or []
    except PackageNotFoundError:
        requirements = []
    found = [
        match[1]
        for each in requirements
        if (match := re.match(rf"{re.escape(package)}((?:[<>=!~].*?)?)\s*(?:;|$)", each))
    ]
    lowest_first = ",".join(sorted(found[0].split(","), reverse=True)) if found else ""
    return f"pip install '{package}{lowest_first}'"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    _list(folder) if sys.argv[2:] == ["--list"] else _check(folder)
