"""Reads a YAML file that holds one mapping, and reports errors of the YAML itself in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import yaml

from gpucluster.components.planning.configuration import did_you_mean
from gpucluster.core.text.yaml_text import BadYaml, Unclear, read
from gpucluster.errors import InputError

STDIN: Final = "/dev/stdin"
"""The file that a command reads for the argument -."""


@dataclass(frozen=True)
class YamlFile:
    """root: the mapping with its lines, None if it is from Python. data: its plain values. faults: of the YAML."""

    source: str
    root: yaml.MappingNode | None
    data: dict[Any, Any]
    faults: tuple[Unclear, ...]


def shown_path(path: Path) -> str:
    """The file's name with its folder."""
    if str(path) == STDIN:
        return "stdin"
    near = Path(*path.parts[-2:])
    return str(path if len(path.parts) == len(near.parts) + 1 and path.anchor else near)


def read_yaml(path: Path, *, what: str) -> YamlFile:
    """The mapping in a file. what: the expected content, for the message. Raises InputError."""
    source = shown_path(path)
    try:
        found = read(path)
    except FileNotFoundError:
        raise InputError(source, [f"no such file{_neighbours(path)}"]) from None
    except (IsADirectoryError, NotADirectoryError):
        raise InputError(source, [f"is not a file; give one{_neighbours(path / '_')}"]) from None
    except OSError as error:
        raise InputError(source, [f"can't be read: {error.strerror}"]) from None
    except BadYaml as error:
        raise InputError(source, [f"{error}; {what}" if "nested" in str(error) else str(error)]) from None
    if not isinstance(found.root, yaml.MappingNode):
        seen = "is empty" if found.data is None else "is not a mapping"
        raise InputError(source, [f"{seen}; {what}"])
    return YamlFile(source, found.root, cast(dict[Any, Any], found.data), found.faults)


def _neighbours(path: Path) -> str:
    folder = path.parent
    names = sorted(other.name for other in folder.glob("*.yaml")) if folder.is_dir() else []
    found = f"; found there: {', '.join(names)}" if names else ""
    return did_you_mean(path.name, names) or found
