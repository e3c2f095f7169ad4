"""Values written in Python, in the form of a parsed YAML file: both are checked the same way."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, cast

from gpucluster.components.yaml_file import YamlFile
from gpucluster.errors import InputError

_PLAIN: Final = (str, bool, int, float, Decimal, datetime.date, type(None))


def python_file(values: Mapping[str, Any], source: str) -> YamlFile:
    """The values as a file without lines. source: its name in messages.

    Raises InputError with each value that is not plain, such as an Output, which is unknown in a preview.
    """
    problems: list[str] = []
    data = _plain(values, "", problems)
    if problems:
        raise InputError(source, problems)
    return YamlFile(source, None, data, ())


def _plain(value: Any, at: str, problems: list[str]) -> Any:
    """The value in dicts and lists. at: its full name."""
    if isinstance(value, Mapping):
        members = cast(Mapping[Any, Any], value)
        for key in members:
            if type(key) not in _PLAIN:
                problems.append(f"{at or 'the mapping'} has the key {key!r}; write a string")
        return {key: _plain(member, f"{at}.{key}" if at else str(key), problems) for key, member in members.items()}
    if isinstance(value, list | tuple):
        items = cast("list[Any] | tuple[Any, ...]", value)
        return [_plain(item, f"{at}[{index}]", problems) for index, item in enumerate(items)]
    if type(value) not in _PLAIN:
        problems.append(
            f"{at} is of type {type(value).__name__}; use a string, number, boolean, list or mapping with a value "
            "known before the update"
        )
    return value
