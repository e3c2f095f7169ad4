"""Finds files of Pulumi's file backend that a killed engine truncated.

The backend writes a file under another name and renames it, but not the attributes beside it: an empty
`<stack>.json.attrs` makes every command fail with "failed to load checkpoint: EOF". Without the file the backend reads
the state.
"""

from __future__ import annotations

import json
from pathlib import Path

from gpucluster.sandbox.project import Project


def cut_short(project: Project, stack: str) -> list[Path]:
    """Truncated files of a stack that are safe to remove while no engine uses it."""
    root = project.store.state / ".pulumi"
    files = [
        *root.glob("meta.yaml*"),
        *(root / "stacks" / project.name).glob(f"{stack}.json*"),
        *(file for kind in ("history", "backups") for file in (root / kind / project.name / stack).glob("*")),
    ]
    return sorted(file for file in files if file.suffix == ".tmp" or (file.suffix == ".attrs" and not _is_json(file)))


def _is_json(file: Path) -> bool:
    try:
        json.loads(file.read_text())
    except ValueError:
        return False
    return True
