"""azurerm's names for the types and properties of azure-native: `types.csv` and `properties.csv`.

azurerm writes Microsoft's names with underscores. `properties.csv` has the rest, by the documentation of the resources
in both systems. Its columns: type, `*` for every one; path, without the positions in lists, empty for properties that
only azurerm has; schema, the name in azurerm in the enclosing object, empty if azurerm has none, `.` if the members are
in the enclosing object; how:

=======  ===============================================================================================================
``map``  the keys are user-defined
``?``    azurerm requires it, and azure-native expresses it differently: unknown
``~x``   azurerm expresses the value x by omitting it
=======  ===============================================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.judges.names import table
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import is_list, is_object

TYPES: Final[Mapping[str, str]] = {
    row["type"]: row["schema"] for row in table("gpucluster.judges.azurerm", "types.csv")
}
"""Type token of azure-native -> resource of azurerm."""

_TABLE: Final = table("gpucluster.judges.azurerm", "properties.csv")
_ROWS: Final = {(row["type"], row["path"]): row for row in _TABLE if row["path"]}
_EVERY: Final = "*"
_NOT_KNOWN: Final = "74D93920-ED26-11E3-AC10-0800200C9A66"
"""hashicorp/terraform-plugin-sdk, internal/configs/hcl2shim (UnknownVariableValue)."""

_OF_THE_PROVIDER: Final = frozenset({"azureApiVersion"})


def configuration(type_: str, inputs: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """azurerm's configuration, and the inputs without a name in it."""
    left: list[str] = []
    found = _object(type_, inputs, (), left)
    implied = [row["schema"] for row in _TABLE if row["type"] in (type_, _EVERY) and not row["path"]]
    return dict.fromkeys(implied, _NOT_KNOWN) | found, left


def _object(type_: str, values: Mapping[str, Any], path: tuple[str, ...], left: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if value is None or name.startswith("__") or name in _OF_THE_PROVIDER:
            continue
        at = (*path, name)
        row = _row(type_, at)
        if row is None:
            found[_with_underscores(name)] = _value(type_, value, at, left)
        elif not row["schema"]:
            left.append(".".join(at))
        elif row["schema"] == ".":
            found |= _object(type_, value, at, left) if is_object(value) else {}
        elif row["how"] != f"~{value}":
            found[row["schema"]] = _value(type_, value, at, left, row["how"])
    return found


def _row(type_: str, at: tuple[str, ...]) -> Mapping[str, str] | None:
    return _ROWS.get((type_, ".".join(at))) or (_ROWS.get((_EVERY, at[0])) if len(at) == 1 else None)


def _value(type_: str, value: Any, at: tuple[str, ...], left: list[str], how: str = "") -> Any:
    if value is UNKNOWN or how == "?":
        return _NOT_KNOWN
    if is_object(value):
        if how == "map":
            return {key: _NOT_KNOWN if item is UNKNOWN else item for key, item in value.items()}
        return _object(type_, value, at, left)
    return [_value(type_, item, at, left) for item in value] if is_list(value) else value


def _with_underscores(name: str) -> str:
    """`osDiskSizeGB` -> `os_disk_size_gb`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
