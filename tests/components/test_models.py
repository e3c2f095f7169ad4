"""The models of custom kinds beside the definitions their projects publish: a plan lets nothing pass that they lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from gpucluster.components.kubernetes import charts
from gpucluster.components.kubernetes.objects import Spec
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.narrow import items, mapping

AWS = "karpenter-crd", charts.KARPENTER_CRD.version
KUEUE = "kueue", charts.KUEUE.version
TRAINER = "kubeflow-trainer", charts.TRAINER.version
DISCOVERY = "network-operator", charts.NETWORK_OPERATOR.version
PUBLISHED = {
    "aws.ec2_node_class.EC2NodeClass": AWS,
    "azure.aks_node_class.AKSNodeClass": ("aks", ""),
    "azure.node_feature_rule.NodeFeatureRule": DISCOVERY,
    "gcp.managed_prometheus.ClusterRules": ("gke-prometheus", ""),
    "gcp.managed_prometheus.PodMonitoring": ("gke-prometheus", ""),
    "gcp.network_objects.GKENetworkParamSet": ("gke", ""),
    "gcp.network_objects.Network": ("gke", ""),
    "kubernetes.kueue.AdmissionCheck": KUEUE,
    "kubernetes.kueue.ClusterQueue": KUEUE,
    "kubernetes.kueue.LocalQueue": KUEUE,
    "kubernetes.kueue.ProvisioningRequestConfig": KUEUE,
    "kubernetes.kueue.ResourceFlavor": KUEUE,
    "kubernetes.kueue.Topology": KUEUE,
    "kubernetes.kueue.WorkloadPriorityClass": KUEUE,
    "kubernetes.node_pool.NodePool": AWS,
    "kubernetes.training_runtime.ClusterTrainingRuntime": TRAINER,
}


def _schema(model: type[Spec], source: tuple[str, str]) -> Mapping[str, Any]:
    """The published schema of `spec`, or of what holds its fields, in the version of the model."""
    found = source_of(*source)
    assert found is not None
    for definition in definitions_of(found):
        spec = mapping(definition["spec"])
        for version in items(spec["versions"]):
            if (f"{spec['group']}/{version['name']}", spec["names"]["kind"]) == (model.api_version, model.kind):
                whole = version["schema"]["openAPIV3Schema"]
                return whole["properties"]["spec"] if model.nested else whole
    raise AssertionError(f"{model.kind} is in no definition of {source}")


def _differences(model: type[BaseModel], schema: Mapping[str, Any], at: str = "") -> Iterator[str]:
    """What a plan would let pass and the API not, a line each; what a model leaves out, a plan refuses."""
    properties, required = mapping(schema.get("properties")), {*items(schema.get("required"))}
    for name, field in model.model_fields.items():
        wire = field.alias or name
        here = f"{at}{wire}"
        if wire not in properties:
            yield f"{here} is not published"
            continue
        published = _innermost(mapping(properties[wire]))
        known = {*items(published.get("enum"))}
        yield from (
            f"{here} {word} is not published" for word in _choices(field.annotation) if known and word not in known
        )
        inner = _model_in(field.annotation)
        if inner is not None:
            yield from _differences(inner, published, f"{here}.")
    needed = {field.alias or name for name, field in model.model_fields.items() if field.is_required()}
    yield from (f"{at}{name} is required by the API" for name in sorted(required - needed))


def _innermost(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of the items of a list, or the values of a mapping."""
    for step in ("items", "additionalProperties"):
        if isinstance(schema.get(step), Mapping):
            return _innermost(mapping(schema[step]))
    return schema


def _choices(annotation: Any) -> Iterator[str]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
        return
    for inner in get_args(annotation):
        yield from _choices(inner)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


@pytest.mark.parametrize("place", PUBLISHED)
def test_what_a_model_takes_is_published(place: str) -> None:
    module, _, name = place.rpartition(".")
    model = getattr(import_module(f"gpucluster.components.{module}"), name)
    assert [*_differences(model, _schema(model, PUBLISHED[place]))] == []
