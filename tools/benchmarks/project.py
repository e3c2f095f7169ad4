"""A copy of the project with its own sandbox, to change and to run the command in."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
GPUCLUSTER: Final = Path(sys.executable).parent / "gpucluster"


def copied(folder: Path) -> Path:
    """The folder, created if missing."""
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    for part in ("stacks", "policies"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder
