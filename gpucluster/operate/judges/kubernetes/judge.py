"""The judge of Kubernetes objects: schemas of its kinds in one minor version, and schemas of CRDs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from referencing import Registry, Resource

from gpucluster.core.program.resources import Resource as ResourcesResource
from gpucluster.core.program.resources import Resources
from gpucluster.core.program.values import is_object, text
from gpucluster.operate.judges.kubernetes.object_names import name_refused
from gpucluster.operate.judges.names import table
from gpucluster.operate.judges.verdicts import Remark, Verdict
from gpucluster.sandbox.api_server.definitions import Source, definitions_of, source_of, sources
from gpucluster.sandbox.clouds.kubernetes.definitions import known_chart
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE


def nearest(version: str | None) -> str:
    """The newest version of the package that is not newer than the requested one, such as 1.35; else the oldest."""
    have = sorted(_folders(), key=_number)
    if version is None:
        return have[-1]
    return next((one for one in reversed(have) if _number(one) <= _number(version)), have[0])


@cache
def schema_of(version: str, api_version: str, kind: str) -> Any | None:
    """The validator of a kind, which refuses properties that are not in the schema; None for a foreign kind."""
    from gpucluster.operate.judges.kubernetes.validator import validator

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


_DEFINITION: Final = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"

Kind = tuple[str, str]
"""apiVersion and kind."""


class Custom:
    """The custom kinds of a stack."""

    def __init__(self, around: Resources) -> None:
        declared: dict[Kind, Any] = {}
        for resource in around.of_type(_DEFINITION):
            declared.update(_kinds(resource.inputs))
        self._known = [declared, *map(_of_source, _released(around))]

    def validators(self, api_version: str, kind: str) -> Sequence[Any]:
        """The validators of the definition in use; if the plan does not determine it, of all pinned ones; else none."""
        for known in self._known:
            if found := known.get((api_version, kind)):
                return [found]
        everywhere = (_of_source(source).get((api_version, kind)) for source in sources())
        return [found for found in everywhere if found]


def _released(around: Resources) -> Iterator[Source]:
    for release in around.of_type(RELEASE):
        version = release.inputs.get("version")
        source = source_of(known_chart(release.inputs), version) if isinstance(version, str) else None
        if source is not None:
            yield source


@cache
def _of_source(source: Source) -> Mapping[Kind, Any]:
    """Empty if they were not downloaded: a judge downloads nothing."""
    if source.installation.read() is None:
        return {}
    return {kind: one for definition in definitions_of(source) for kind, one in _kinds(definition).items()}


def _kinds(definition: Mapping[str, Any]) -> dict[Kind, Any]:
    """The validators in one definition."""
    from gpucluster.operate.judges.kubernetes.validator import validator

    spec = definition.get("spec", {})
    found: dict[Kind, Any] = {}
    for version in spec.get("versions", ()):
        schema = version.get("schema", {}).get("openAPIV3Schema")
        if schema is not None:
            found[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = validator(_closed(schema, top=True))
    return found


_BROUGHT: Final[Mapping[str, Any]] = {"apiVersion": {}, "kind": {}, "metadata": {}}
"""Properties of every object, whatever its definition contains."""


def _closed(schema: Any, *, top: bool = False) -> Any:
    """The schema as JSON Schema, which refuses properties that are not in Kubernetes' structural schema."""
    if not is_object(schema):
        return schema
    found: dict[str, Any] = {key: value for key, value in schema.items() if not key.startswith("x-kubernetes-")}
    found |= {key: _closed(schema[key]) for key in ("items", "additionalProperties") if key in schema}
    if "properties" in schema:
        found["properties"] = {name: _closed(inner) for name, inner in schema["properties"].items()}
        found["properties"] |= _BROUGHT if top else {}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            found.setdefault("additionalProperties", False)
    return {"anyOf": [{"type": "null"}, found]} if schema.get("nullable") else found


_CLUSTERS: Final = {
    row["type"]: row["version"] for row in table("gpucluster.operate.judges.kubernetes", "clusters.csv")
}
"""Type of a managed cluster -> the input with its version."""


class _Published:
    name = "kubernetes"
    title = "Kubernetes' published schemas (kubernetes-validate) and pinned definitions of custom kinds"
    package = "kubernetes"
    needs = ("kubernetes_validate", "kubernetes-validate")

    def judge(self, asked: Sequence[ResourcesResource], around: Resources) -> Iterator[Verdict]:

        version, custom = nearest(_version(around)), Custom(around)
        for resource in asked:
            api_version, kind = _kind(resource.type)
            if why := _beyond(api_version, kind):
                yield Verdict(resource=resource, judge=self.name, why=why)
            else:
                yield self._verdict(resource, _validators(version, custom, api_version, kind))

    def _verdict(self, resource: ResourcesResource, validators: Sequence[Any]) -> Verdict:
        from gpucluster.operate.judges.kubernetes.validator import remarks

        api_version, kind = _kind(resource.type)
        if not validators:
            why = f"no local schema of {api_version} {kind}; `gpucluster sandbox kubernetes` fetches the pinned ones"
            return Verdict(resource=resource, judge=self.name, why=why)
        document = {**resource.inputs, "apiVersion": api_version, "kind": kind}
        found: list[tuple[Remark, ...]] = [tuple(remarks(one, document)) for one in validators]
        refusals = name_refused(api_version, kind, resource.inputs) + (() if () in found else found[0])
        return Verdict(resource=resource, judge=self.name, refusals=refusals)


JUDGE: Final = _Published()


def _validators(version: str, custom: Any, api_version: str, kind: str) -> Sequence[Any]:

    own = schema_of(version, api_version, kind)
    return [own] if own is not None else custom.validators(api_version, kind)


def _kind(type_: str) -> tuple[str, str]:
    """apiVersion and kind of a type token such as `kubernetes:core/v1:ConfigMap`."""
    _, api_version, kind = type_.split(":")
    return api_version.removeprefix("core/"), kind


def _beyond(api_version: str, kind: str) -> str:
    """Why no schema can judge it; empty if one can."""
    if api_version.startswith("helm.sh/"):
        return "the objects that a Helm chart renders are not in the plan"
    if kind.endswith("Patch"):
        return "a patch is only part of an object"
    return ""


def _version(around: Resources) -> str | None:
    """The version of the plan's clusters; None if it contains none, or several."""
    found = {
        version
        for type_, field in _CLUSTERS.items()
        for cluster in around.of_type(type_)
        if isinstance(version := text(cluster.inputs, field), str) and version[:1].isdigit()
    }
    return found.pop() if len(found) == 1 else None
