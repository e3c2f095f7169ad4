"""The line of a spec that a finding is about."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from gpucluster.core.text.project_file import read_project
from gpucluster.core.text.yaml_text import BadYaml, read
from gpucluster.errors import InputError


@dataclass(frozen=True)
class SpecPlace:
    """A field in a spec's file. line: from 1, None if the file does not have it."""

    file: Path
    field: str
    line: int | None


def spec_place(files: Sequence[Path], field: str) -> SpecPlace | None:
    """The place of a field in the first of the files that states it or its parent; None without a readable file.

    field: its full name, such as `budget.monthly_usd`.
    """
    readable = [file for file in files if file.is_file()]
    found = (SpecPlace(file, field, line) for file in readable if (line := _line(_lines(file), field)))
    return next(found, SpecPlace(readable[0], field, None) if readable else None)


def specs_of(config: str, folder: Path) -> list[Path]:
    """The spec's file of a stack, in the project around `folder`; none if there is no such project or file.

    config: the stack's `gpucluster:spec`, a path relative to the program.
    """
    root = next((above for above in (folder, *folder.parents) if (above / "Pulumi.yaml").is_file()), None)
    if root is None or not config:
        return []
    try:
        program = root / read_project(root / "Pulumi.yaml").main
    except InputError:
        return []
    file = ((program if program.is_dir() else program.parent) / config).resolve()
    return [file] if file.is_file() and file.is_relative_to(root.resolve()) else []


def to_edit(specs: Sequence[Path], field: str) -> str:
    """The place for users: `: stacks/specs/trial.yaml:35, budget.monthly_usd`; empty without a field or a file."""
    place = spec_place(specs, field) if field else None
    if place is None:
        return ""
    near, line = os.path.relpath(place.file), f":{place.line}" if place.line else ""
    return f": {place.file if near.startswith(os.pardir) else near}{line}, {place.field}"


def _line(lines: Mapping[str, int], field: str) -> int | None:
    steps = field.split(".")
    return next((lines[name] for end in range(len(steps), 0, -1) if (name := ".".join(steps[:end])) in lines), None)


@cache
def _lines(file: Path) -> Mapping[str, int]:
    try:
        root = read(file).root
    except (OSError, BadYaml):
        return {}
    return dict(_walk(root, "")) if root is not None else {}


def _walk(node: yaml.Node, above: str) -> Iterator[tuple[str, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = f"{above}{key.value}"
            yield name, key.start_mark.line + 1
            yield from _walk(value, f"{name}.")
