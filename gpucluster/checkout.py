"""The package of a checkout as one folder of links, made from the table of its folders in pyproject.toml.

Type checkers, editors and programs of another revision find modules by their paths alone. Uses only the standard
library, because `make` runs it as a script before an environment exists:

    python checkout.py CHECKOUT     make the links, and remove those without a file
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

LINKS = "build/checkout"
"""The folder that has the package, in a checkout."""


def python_path(checkout: Path) -> str:
    """The PYTHONPATH of programs that import `gpucluster` and other modules of this checkout.

    Of a project that is no checkout of this repository, or of a revision without the table, the folder itself. Raises
    OSError if the file system has no symbolic links.
    """
    linked = link(checkout)
    return os.pathsep.join(map(str, (checkout / LINKS, checkout) if linked else (checkout,)))


def link(checkout: Path) -> bool:
    """Whether the checkout has a table of folders; then its links are created. Raises OSError if they can't be."""
    table = folders(checkout)
    if "gpucluster" not in table:
        return False
    checkout = checkout.resolve()
    path = checkout / LINKS
    targets = {path / package.replace(".", "/"): checkout / folder for package, folder in table.items()}
    top = path / "gpucluster"
    targets |= {top / entry.name: entry for entry in targets.pop(top).iterdir() if entry.name != "__pycache__"}
    top.mkdir(parents=True, exist_ok=True)
    for old in top.iterdir():
        if old.is_symlink() and old.resolve() != targets.get(old):
            old.unlink(missing_ok=True)
    for new, target in targets.items():
        with suppress(FileExistsError):  # from before, or of another process
            new.symlink_to(os.path.relpath(target, new.parent), target_is_directory=target.is_dir())
    return True


def with_files(text: str, checkout: Path) -> str:
    """A text, such as a plan or an error, with the paths of files in the place of those of their links."""
    root = checkout.resolve()

    def file(link: re.Match[str]) -> str:
        return str((root / link[0]).resolve().relative_to(root))

    return re.sub(rf"{LINKS}/gpucluster/[\w./-]+", file, text)


def folders(checkout: Path) -> dict[str, str]:
    """Package -> its folder; empty for any other folder."""
    try:
        settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
        return settings["tool"]["setuptools"]["package-dir"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}


if __name__ == "__main__":
    try:
        link(Path(sys.argv[1]))
    except OSError as error:
        print(f"editors and `make check` will not find gpucluster.components: {error}", file=sys.stderr)
