"""Manifests for `kubectl apply` with variables to substitute. A comment at their top lists the variables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import yaml

_PLACE: Final = r"\$\{(\w+)\}"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def manifests(file: Path, values: Mapping[str, object]) -> list[dict[str, Any]]:
    """The objects of a file.

    values: replace `${name}`: unchanged if the placeholder is the whole text; as JSON in an `expression`, since CEL
    reads it; else as words, with commas in a list.
    """
    loaded: list[dict[str, Any]] = list(yaml.load_all(file.read_text(encoding="utf-8"), _LOADER))
    try:
        return [_filled(manifest, values) for manifest in loaded]
    except KeyError as unknown:
        known = ", ".join(sorted(values))
        raise ValueError(f"{file.name}: ${{{unknown.args[0]}}} has no value; known: {known}") from None


def _filled(node: Any, values: Mapping[str, object], key: str = "") -> Any:
    if isinstance(node, dict):
        members = cast("dict[str, Any]", node)
        return {name: _filled(inner, values, name) for name, inner in members.items()}
    if isinstance(node, list):
        return [_filled(inner, values) for inner in cast("list[Any]", node)]
    if not isinstance(node, str) or "${" not in node:
        return node
    write = _cel if key == "expression" else _text
    place = re.fullmatch(_PLACE, node)
    if place and write is _text:
        return values[place[1]]
    return re.sub(_PLACE, lambda place: write(values[place[1]]), node)


def _cel(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ", ".join(cast("Sequence[str]", value)) or "none"
