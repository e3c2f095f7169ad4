"""A transformation that adds labels to all resources below a component."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import pulumi

from gpucluster.components.planning.labels import aws_tags, azure_tags, gcp_labels, kubernetes_labels

NODE_LABELS: Final[Mapping[str, Sequence[str]]] = {
    "aws:eks/nodeGroup:NodeGroup": ("labels",),
    "azure-native:containerservice:AgentPool": ("node_labels",),
    "azure-native:containerservice:ManagedCluster": ("agent_pool_profiles", "node_labels"),
    "gcp:container/nodePool:NodePool": ("node_config", "labels"),
    "kubernetes:cloud.google.com/v1:ComputeClass": ("spec", "nodePoolConfig", "nodeLabels"),
    "kubernetes:karpenter.sh/v1:NodePool": ("spec", "template", "metadata", "labels"),
}
"""Type -> path of the labels that its nodes get in Kubernetes, as the program writes it; in each item of a list."""

_IN_KUBERNETES: Final[Mapping[str, Sequence[str]]] = {
    **NODE_LABELS,
    "kubernetes:apps/v1:DaemonSet": ("spec", "template", "metadata", "labels"),
    "kubernetes:apps/v1:Deployment": ("spec", "template", "metadata", "labels"),
    "kubernetes:apps/v1:StatefulSet": ("spec", "template", "metadata", "labels"),
}
"""The same, including the labels of pods."""

_MACHINE_LABELS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "aws:ec2/launchTemplate:LaunchTemplate": ("aws", ("tag_specifications", "tags")),
    "azure-native:containerservice:ManagedCluster": ("azure-native", ("agent_pool_profiles", "tags")),
    "gcp:container/nodePool:NodePool": ("gcp", ("node_config", "resource_labels")),
    "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass": ("azure-native", ("spec", "tags")),
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": ("aws", ("spec", "tags")),
    "kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass": ("gcp", ("spec", "labels")),
}
"""Type -> the cloud, and the path of the labels that the cloud shows for its machines."""

_CLOUDS: Final[Mapping[str, Callable[..., dict[str, str]]]] = {
    "aws": aws_tags,
    "azure-native": azure_tags,
    "gcp": gcp_labels,
}


def labelled(
    labels: Mapping[str, str], opts: pulumi.ResourceOptions | None, *, stack: str | None = None
) -> pulumi.ResourceOptions:
    """The options of a component: all resources below it get these labels and the labels of their owner. A resource's
    own labels take precedence. stack: the owner, by default the one that runs.
    """
    whose = {"project": pulumi.get_project(), "stack": stack or pulumi.get_stack()}

    def of_cloud(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        props, cloud = args.props, args.type_.partition(":")[0]
        if cloud in _CLOUDS and (field := _field(props)) is not None:
            props = _below(props, (field,), _CLOUDS[cloud](labels, **whose, name=args.name))
        if args.type_ in _MACHINE_LABELS:
            cloud, path = _MACHINE_LABELS[args.type_]
            props = _below(props, path, _CLOUDS[cloud](labels, **whose, name=args.name))
        return pulumi.ResourceTransformationResult(props, args.opts)

    return pulumi.ResourceOptions.merge(
        pulumi.ResourceOptions(transformations=[of_cloud]), labelled_objects(kubernetes_labels(labels, **whose), opts)
    )


def labelled_objects(labels: Mapping[str, str], opts: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions:
    """The same only for Kubernetes: objects, pods and nodes. Patches are excluded: they change others' objects."""

    def of_kubernetes(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        props, kind = args.props, args.type_
        if kind.startswith("kubernetes:") and "metadata" in props and not kind.endswith("Patch"):
            props = _below(props, ("metadata", "labels"), labels)
        if kind in _IN_KUBERNETES:
            props = _below(props, _IN_KUBERNETES[kind], labels)
        return pulumi.ResourceTransformationResult(props, args.opts)

    return pulumi.ResourceOptions.merge(pulumi.ResourceOptions(transformations=[of_kubernetes]), opts)


def _field(props: Any) -> str | None:
    """The argument of a cloud's resource that labels it. Google Cloud's `labels` mean something else on resources for
    which the provider does not return all labels (`core.catalog.labels`).
    """
    if "effective_labels" in props:
        return "labels" if "labels" in props else "resource_labels"
    return "tags" if "tags" in props else None


def _below(value: Any, path: Sequence[str], labels: Mapping[str, str]) -> Any:
    """A copy of a value with labels added at a path; labels that it already has there take precedence."""
    if isinstance(value, list):
        return [_below(item, path, labels) for item in cast("list[Any]", value)]
    if value is None or isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value or {})
        return {**members, path[0]: _below(members.get(path[0]), path[1:], labels)} if path else {**labels, **members}
    made = copy.copy(value)
    vars(made)[path[0]] = _below(vars(value).get(path[0]), path[1:], labels)
    return made
