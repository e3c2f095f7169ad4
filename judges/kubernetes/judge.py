"""The judge of Kubernetes objects: the schemas that Kubernetes publishes for the version of the plan's cluster, and the
definitions of custom kinds. It does not check CEL rules, admission and the content of Helm charts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.judges.names import table
from gpucluster.judges.verdict import Remark, Verdict
from gpucluster.program.resources import Resource, Resources
from gpucluster.program.values import text

_CLUSTERS: Final = {row["type"]: row["version"] for row in table("gpucluster.judges.kubernetes", "clusters.csv")}
"""Type of a managed cluster -> the input with its version."""


class _Published:
    name = "kubernetes"
    title = "Kubernetes' published schemas (kubernetes-validate) and pinned definitions of custom kinds"
    package = "kubernetes"
    needs = ("kubernetes_validate", "kubernetes-validate")

    def judge(self, asked: Sequence[Resource], around: Resources) -> Iterator[Verdict]:
        from gpucluster.judges.kubernetes.custom import Custom
        from gpucluster.judges.kubernetes.published import nearest

        version, custom = nearest(_version(around)), Custom(around)
        for resource in asked:
            api_version, kind = _kind(resource.type)
            if why := _beyond(api_version, kind):
                yield Verdict(resource=resource, judge=self.name, why=why)
            else:
                yield self._verdict(resource, _validators(version, custom, api_version, kind))

    def _verdict(self, resource: Resource, validators: Sequence[Any]) -> Verdict:
        from gpucluster.judges.kubernetes.validator import remarks

        api_version, kind = _kind(resource.type)
        if not validators:
            why = f"no local schema of {api_version} {kind}; `gpucluster sandbox kubernetes` fetches the pinned ones"
            return Verdict(resource=resource, judge=self.name, why=why)
        document = {**resource.inputs, "apiVersion": api_version, "kind": kind}
        found: list[tuple[Remark, ...]] = [tuple(remarks(one, document)) for one in validators]
        return Verdict(resource=resource, judge=self.name, refusals=() if () in found else found[0])


JUDGE: Final = _Published()


def _validators(version: str, custom: Any, api_version: str, kind: str) -> Sequence[Any]:
    from gpucluster.judges.kubernetes.published import schema_of

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
