"""Reads a stack's configuration from its file, as Pulumi would pass it to the program; needs no engine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from gpucluster.components.planning.configuration import did_you_mean
from gpucluster.components.planning.yaml_file import read_yaml, shown_path
from gpucluster.components.stack.stack_config import StackConfig, stack_config
from gpucluster.core.text.project_file import ProjectFile, read_project
from gpucluster.errors import InputError

_WHAT = "a stack's file is a mapping with config:"


def read_stack(stack: str, folder: Path) -> StackConfig:
    """The configuration of a stack of the project at or above `folder`, with every problem in it.

    Raises InputError if its file can't be read.
    """
    root, project = _project(stack, folder)
    program = root / project.main
    stacks = root / project.stack_folder
    path = stacks / f"Pulumi.{stack}.yaml"
    if not path.exists():
        known = sorted(file.name[len("Pulumi.") : -len(".yaml")] for file in stacks.glob("Pulumi.*.yaml"))
        listed = f"; stacks here: {', '.join(known) or 'none yet'}{did_you_mean(stack, known)}"
        raise InputError(f"stack {stack}", [f"{shown_path(path)} does not exist{listed}"])
    if not path.read_bytes().strip():
        return stack_config({}, project=project.name, stack=stack, program=program, root=root)
    file = read_yaml(path, what=_WHAT)
    if twice := [str(fault) for fault in file.faults if fault.repeats]:  # Pulumi itself reads the values
        raise InputError(file.source, twice)
    config: Any = file.data.get("config") or {}
    if not isinstance(config, dict):
        raise InputError(file.source, ["config is not a mapping; write a mapping from keys to values"])
    values = {str(key): _text(value) for key, value in cast(Mapping[Any, Any], config).items()}
    return stack_config(values, project=project.name, stack=stack, program=program, root=root)


def project_of(stack: str, folder: Path) -> str:
    """The name of the project of a stack. Raises InputError if there is none."""
    return _project(stack, folder)[1].name


def _project(stack: str, folder: Path) -> tuple[Path, ProjectFile]:
    """Folder and file of the project at or above a folder."""
    root = next((place for place in (folder, *folder.parents) if (place / "Pulumi.yaml").is_file()), None)
    if root is None:
        raise InputError(f"stack {stack}", [f"{folder} and its parents have no Pulumi.yaml; run this in the project"])
    return root, read_project(root / "Pulumi.yaml")


def _text(value: Any) -> str:
    """A value as the program sees it: Pulumi passes text, and JSON for nested values."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | dict | list):
        return json.dumps(value, separators=(",", ":"))
    return yaml.safe_dump(value).split("\n")[0]
