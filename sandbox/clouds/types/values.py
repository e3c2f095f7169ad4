"""Pulumi property values as plain Python values, to and from the engine's wire form.

Plain means str, int, float, bool, None, list and dict, and two more: `UNKNOWN` for a value that is only known
after an update, and `Secret` around a value the engine must encrypt. Assets and archives stay the tagged dicts they are
on the wire.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import struct_pb2

from gpucluster.core.text.type_guards import is_list, is_object

_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"
_SEALED: Final = "ciphertext"
_SHOWN: Final = "plaintext"
"""Key of a secret's JSON, beside the tag, in a deployment of the engine: encrypted, or in plain text on request."""
# The engine's values for an unknown string, boolean, number, array, asset, archive and object (pulumi/pulumi
# sdk/go/common/resource/plugin/rpc.go).
_UNKNOWN_WORDS: Final = frozenset(
    {
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
_UNKNOWN_WORD: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


class Unknown(enum.Enum):
    """The type of `UNKNOWN`."""

    UNKNOWN = "known after the update"

    def __bool__(self) -> bool:
        raise TypeError("a value that is not known yet is neither true nor false; compare with `is UNKNOWN`")


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True)
class Secret:
    """A value the engine encrypts in its state and masks in its output."""

    value: Any


def forgotten(value: Any, texts: Collection[str]) -> Any:
    """The value with `UNKNOWN` for every text that contains one of these."""
    if isinstance(value, str):
        return UNKNOWN if any(text in value for text in texts) else value
    if isinstance(value, Secret):
        return Secret(forgotten(value.value, texts))
    if is_object(value):
        return {key: forgotten(item, texts) for key, item in value.items()}
    if is_list(value):
        return [forgotten(item, texts) for item in value]
    return value


def from_struct(struct: struct_pb2.Struct) -> dict[str, Any]:
    """The values of the engine's protobuf struct."""
    return {key: _from_value(value) for key, value in struct.fields.items()}


def _from_value(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return UNKNOWN if value.string_value in _UNKNOWN_WORDS else value.string_value
    if kind == "number_value":
        return _number(value.number_value)
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        return [_from_value(item) for item in value.list_value.values]
    if kind == "struct_value":
        return _untag(from_struct(value.struct_value))
    return None


def _number(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _untag(value: dict[str, Any]) -> Any:
    return Secret(value.get("value")) if value.get(_SIGNATURE) == _SECRET else value


def to_wire(value: Any, seal: Callable[[str], str] | None = None) -> Any:
    """A value in the JSON form of the wire: secrets tagged, unknowns as the engine's word for them.

    seal: encrypts the content of a secret, as JSON; on the wire it is in plain text.
    """
    if value is UNKNOWN:
        return _UNKNOWN_WORD
    if isinstance(value, Secret):
        inner = to_wire(value.value)
        return {_SIGNATURE: _SECRET, **({_SEALED: seal(json.dumps(inner))} if seal else {"value": inner})}
    if is_object(value):
        return {str(key): to_wire(item, seal) for key, item in value.items()}
    if is_list(value):
        return [to_wire(item, seal) for item in value]
    return value


def from_wire(value: Any, opened: Callable[[str], str] | None = None) -> Any:
    """The inverse of `to_wire`, also for a deployment that shows its secrets. opened: decrypts the output of `seal`."""
    if isinstance(value, str):
        return UNKNOWN if value in _UNKNOWN_WORDS else value
    if is_object(value):
        if value.get(_SIGNATURE) == _SECRET:
            return Secret(_hidden(value, opened))
        return {key: from_wire(item, opened) for key, item in value.items()}
    if is_list(value):
        return [from_wire(item, opened) for item in value]
    return value


def _hidden(secret: Mapping[str, Any], opened: Callable[[str], str] | None) -> Any:
    if _SHOWN in secret:
        return from_wire(json.loads(secret[_SHOWN]))
    if opened is not None and _SEALED in secret:
        return from_wire(json.loads(opened(str(secret[_SEALED]))))
    return from_wire(secret.get("value"), opened)


def to_struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """The protobuf struct of these values."""
    struct = struct_pb2.Struct()
    for key, value in values.items():
        _set(struct.fields[key], value)
    return struct


def _set(target: struct_pb2.Value, value: Any) -> None:
    if value is None:
        target.null_value = struct_pb2.NULL_VALUE
    elif isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int | float):
        target.number_value = value
    elif isinstance(value, str):
        target.string_value = value
    elif value is UNKNOWN:
        target.string_value = _UNKNOWN_WORD
    elif isinstance(value, Secret):
        _set(target, {_SIGNATURE: _SECRET, "value": value.value})
    elif is_object(value):
        target.struct_value.SetInParent()
        for key, item in value.items():
            _set(target.struct_value.fields[str(key)], item)
    else:
        target.list_value.SetInParent()
        for item in value:
            _set(target.list_value.values.add(), item)


def plain(value: Any) -> Any:
    """A value without its secret marks, for rules that must read the content."""
    if isinstance(value, Secret):
        return plain(value.value)
    if is_object(value):
        return {key: plain(item) for key, item in value.items()}
    if is_list(value):
        return [plain(item) for item in value]
    return value
