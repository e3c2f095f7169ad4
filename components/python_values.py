"""Values written in Python, in the form of a parsed YAML file: both are checked the same way."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, cast

import yaml

from gpucluster.components.yaml_file import YamlFile
from gpucluster.errors import InputError

PYTHON: Final = "python"
"""Name in the marks of such values, in place of a file."""

_NOWHERE: Final = yaml.Mark(PYTHON, 0, -1, -1, None, 0)
_TAGS: Final[Mapping[type, str]] = {
    str: "str",
    bool: "bool",
    int: "int",
    float: "float",
    Decimal: "float",
    datetime.date: "timestamp",
    type(None): "null",
}


def python_file(values: Mapping[str, Any], source: str) -> YamlFile:
    """The values as a file without lines. source: its name in messages.

    Raises InputError with each value that is not plain, such as an Output, which is unknown in a preview.
    """
    problems: list[str] = []
    data = _plain(values, "", problems)
    if problems:
        raise InputError(source, problems)
    return YamlFile(source, cast(yaml.MappingNode, _node(data)), data, ())


def _plain(value: Any, at: str, problems: list[str]) -> Any:
    """The value in dicts and lists. at: its full name."""
    if isinstance(value, Mapping):
        members = cast(Mapping[Any, Any], value)
        for key in members:
            if type(key) not in _TAGS:
                problems.append(f"{at or 'the mapping'} has the key {key!r}; write a string")
        return {key: _plain(member, f"{at}.{key}" if at else str(key), problems) for key, member in members.items()}
    if isinstance(value, list | tuple):
        items = cast("list[Any] | tuple[Any, ...]", value)
        return [_plain(item, f"{at}[{index}]", problems) for index, item in enumerate(items)]
    if type(value) not in _TAGS:
        problems.append(
            f"{at} is of type {type(value).__name__}; use a string, number, boolean, list or mapping with a value "
            "known before the update"
        )
    return value


def _node(value: Any) -> yaml.Node:
    if isinstance(value, dict):
        members = cast(dict[Any, Any], value).items()
        pairs = [(_node(key), _node(member)) for key, member in members]
        return yaml.MappingNode("tag:yaml.org,2002:map", pairs, _NOWHERE, _NOWHERE)
    if isinstance(value, list):
        items = [_node(item) for item in cast(list[Any], value)]
        return yaml.SequenceNode("tag:yaml.org,2002:seq", items, _NOWHERE, _NOWHERE)
    return yaml.ScalarNode(f"tag:yaml.org,2002:{_TAGS[type(value)]}", str(value), _NOWHERE, _NOWHERE)
