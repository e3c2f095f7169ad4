"""Where any resource carries labels: asks the cloud its type belongs to."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.policies.clouds.aws import labels as aws
from gpucluster.policies.clouds.azure import labels as azure
from gpucluster.policies.clouds.gcp import labels as gcp
from gpucluster.policies.clouds.kubernetes import labels as kubernetes
from gpucluster.policies.label_sets import LabelSet
from gpucluster.program.resources import Resource, Resources

__all__ = ["label_sets", "label_sets_in"]


def label_sets_in(resource: Resource, resources: Resources) -> Iterator[LabelSet]:
    """Its label sets, those of machines with what other resources of the stack give them."""
    sets = label_sets(resource, resources.get(resource.provider))
    yield from gcp.with_cluster(aws.with_group_tags(sets, resource, resources), resource, resources)


def label_sets(resource: Resource, provider: Resource | None = None) -> Iterator[LabelSet]:
    """Label sets of a resource, empty for what takes none; `provider` adds its default tags."""
    if not resource.custom:
        return
    match resource.type.split(":", 1)[0]:
        case "aws":
            yield from aws.label_sets(resource, provider)
        case "gcp":
            yield from gcp.label_sets(resource, provider)
        case "azure-native":
            yield from azure.label_sets(resource)
        case "kubernetes":
            yield from kubernetes.label_sets(resource)
        case _:
            return
