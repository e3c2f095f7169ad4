"""The definitions of custom kinds: first those in the plan, then those of its Helm charts, then all that the sandbox
has pinned and downloaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from gpucluster.judges.kubernetes.validator import validator
from gpucluster.program.resources import Resources
from gpucluster.program.values import is_object
from gpucluster.sandbox.api_server.definitions import Source, definitions_of, source_of, sources
from gpucluster.sandbox.clouds.kubernetes.definitions import known_chart
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE

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
