"""The types of one SDK, extracted on first use and kept in the user's cache folder."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpucluster.core.cache import cache_folder
from gpucluster.sandbox.clouds.types.sdk_types import Sdk


@dataclass(frozen=True)
class Property:
    """One input or output: its type in the form of `sdk_types.read_type`, and whether it is always present."""

    type: Any
    required: bool


@dataclass(frozen=True)
class ResourceType:
    """The inputs and outputs of a resource type.

    open: the SDK does not contain the type (a custom Kubernetes resource), so any property is accepted.
    api_version: of the API of the type, empty if it is missing in the SDK.
    """

    token: str
    inputs: Mapping[str, Property]
    outputs: Mapping[str, Property]
    types: Mapping[str, Mapping[str, Property]] = field(default_factory=dict[str, Mapping[str, Property]])
    open: bool = False
    api_version: str = ""


class Schema:
    """The resource types of one installed SDK."""

    def __init__(self, sdk: Sdk) -> None:
        self.sdk = sdk
        self._folder = cache_folder() / "sdk-types" / f"{sdk.package}-{sdk.version}"
        self._types: dict[str, ResourceType | None] = {}

    @property
    def used(self) -> list[str]:
        """The resource types that were looked up so far."""
        return [token for token, type_ in self._types.items() if type_ is not None and token in self.sdk.modules]

    def resource_type(self, token: str) -> ResourceType | None:
        """The type or data source with this token, None if the SDK does not have it."""
        if token not in self._types:
            raw = self._cached(token)
            self._types[token] = _resource_type(token, raw) if raw else None
        return self._types[token]

    def _cached(self, token: str) -> dict[str, Any] | None:
        from gpucluster.sandbox.clouds.types import sdk_types

        file = self._folder / f"{sdk_types.FORMAT}-{token.replace('/', '_').replace(':', '_')}.json"
        try:
            return json.loads(file.read_text())
        except (OSError, ValueError):
            declaration = self.sdk.declaration(token)
            if declaration is None:
                return None
            raw = sdk_types.read_type(self.sdk.root, declaration)
            _write(file, json.dumps(raw, separators=(",", ":")))
            return raw


def _resource_type(token: str, raw: Mapping[str, Any]) -> ResourceType:
    return ResourceType(
        token,
        _properties(raw["inputs"]),
        _properties(raw["outputs"]),
        {name: _properties(properties) for name, properties in raw["types"].items()},
        api_version=raw["api_version"],
    )


def _properties(raw: Mapping[str, Any]) -> dict[str, Property]:
    return {name: Property(prop["type"], prop["required"]) for name, prop in raw.items()}


def _write(file: Path, text: str) -> None:
    """Writes completely or not at all; an unwritable cache only costs time."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as scratch:
            scratch.write(text)
        Path(scratch.name).replace(file)
    except OSError:
        return
