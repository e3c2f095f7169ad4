"""The schemas of Kubernetes' own kinds, of one minor version each (`kubernetes-validate`)."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from referencing import Registry, Resource

from gpucluster.judges.kubernetes.validator import validator


def nearest(version: str | None) -> str:
    """The newest version of the package that is not newer than the requested one, such as 1.35; else the oldest."""
    have = sorted(_folders(), key=_number)
    if version is None:
        return have[-1]
    return next((one for one in reversed(have) if _number(one) <= _number(version)), have[0])


@cache
def schema_of(version: str, api_version: str, kind: str) -> Any | None:
    """The validator of a kind, which refuses properties that are not in the schema; None for a foreign kind."""
    group, _, last = api_version.rpartition("/")
    name = "-".join(filter(None, (kind.lower(), group.partition(".")[0], last)))
    file = _folders()[version] / f"{name}.json"
    if not file.is_file():
        return None
    schema = json.loads(file.read_text(encoding="utf-8"))
    # Foreign groups share their first word with Kubernetes' own, as networking.gke.io does.
    named = schema.get("x-kubernetes-group-version-kind", [])
    if {"group": group, "kind": kind, "version": last} not in named:
        return None
    return validator(schema, registry=_registry(version))


@cache
def _registry(version: str) -> Any:
    definitions = json.loads((_folders()[version] / "_definitions.json").read_text(encoding="utf-8"))
    empty: Registry[Any] = Registry()
    return Resource.from_contents(definitions) @ empty


@cache
def _folders() -> dict[str, Path]:
    """Minor version -> folder of its strict schemas."""
    spec = find_spec("kubernetes_validate")
    assert spec is not None and spec.origin is not None
    found = (Path(spec.origin).parent / "kubernetes-json-schema").glob("v*-local-strict")
    return {re.sub(r"^v(\d+\.\d+).*", r"\1", path.name): path for path in found}


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
