"""A pod on every node of some pools that prepares the node itself.

Such pods are privileged, share the host's network and processes, and run on nodes that nothing else may use yet. Their
volumes are only those they mount. A policy exempts them by the name of the object, in namespace kube-system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi
from pulumi_kubernetes.apps import v1 as apps
from pulumi_kubernetes.core import v1 as core
from pulumi_kubernetes.meta import v1 as meta

from gpucluster.components.names import SYSTEM_NAMESPACE

SHELL = "ubuntu:24.04@sha256:80dd3c3b9c6cecb9f1667e9290b3bc61b78c2678c02cbdae5f0fea92cc6734ab"
"""Brings nsenter alone; all that runs by it is the node's own."""


def privileged_container(
    name: str,
    image: str,
    *,
    command: Sequence[str] = (),
    args: Sequence[str] = (),
    mounts: Mapping[str, str] | None = None,
    cpu: str | None = None,
) -> core.ContainerArgs:
    """mounts: name of a volume -> its path in the container."""
    return core.ContainerArgs(
        name=name,
        image=image,
        command=list(command) or None,
        args=list(args) or None,
        resources=core.ResourceRequirementsArgs(requests={"cpu": cpu}) if cpu else None,
        security_context=core.SecurityContextArgs(privileged=True),
        volume_mounts=[core.VolumeMountArgs(name=volume, mount_path=path) for volume, path in (mounts or {}).items()]
        or None,
    )


def node_daemon(
    name: str,
    *,
    object_name: str,
    nodes: Mapping[str, Sequence[str]],
    init_containers: Sequence[core.ContainerArgs] = (),
    container: core.ContainerArgs,
    host_paths: Mapping[str, str] | None = None,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> apps.DaemonSet:
    """nodes: label -> values a node may have there. host_paths: volume -> path on the node."""
    own = {"k8s-app": object_name}
    return apps.DaemonSet(
        name,
        metadata=meta.ObjectMetaArgs(name=object_name, namespace=SYSTEM_NAMESPACE, labels=own),
        spec=apps.DaemonSetSpecArgs(
            selector=meta.LabelSelectorArgs(match_labels=own),
            update_strategy=apps.DaemonSetUpdateStrategyArgs(type="RollingUpdate"),
            template=core.PodTemplateSpecArgs(
                metadata=meta.ObjectMetaArgs(labels=own),
                spec=core.PodSpecArgs(
                    priority_class_name="system-node-critical",
                    affinity=_on(nodes),
                    tolerations=[core.TolerationArgs(operator="Exists")],
                    host_network=True,
                    host_pid=True,
                    init_containers=list(init_containers) or None,
                    containers=[container],
                    volumes=[
                        # The driver's folders may be made after the pod has started.
                        core.VolumeArgs(
                            name=volume, host_path=core.HostPathVolumeSourceArgs(path=path, type="DirectoryOrCreate")
                        )
                        for volume, path in (host_paths or {}).items()
                    ]
                    or None,
                ),
            ),
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after))),
    )


def _on(nodes: Mapping[str, Sequence[str]]) -> core.AffinityArgs:
    return core.AffinityArgs(
        node_affinity=core.NodeAffinityArgs(
            required_during_scheduling_ignored_during_execution=core.NodeSelectorArgs(
                node_selector_terms=[
                    core.NodeSelectorTermArgs(
                        match_expressions=[
                            core.NodeSelectorRequirementArgs(key=key, operator="In", values=list(values))
                            for key, values in nodes.items()
                        ]
                    )
                ]
            )
        )
    )
