"""Pools of a live cluster that never get a machine, because the component that would start one does not run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.live.karpenter.start import without_machines
from gpucluster.sandbox.type_guards import mapping

_LABEL: Final = "gpucluster/pool"
_FLAVOR: Final = ("kueue.x-k8s.io/v1beta2", "ResourceFlavor")
_NODE_POOL: Final = ("karpenter.sh/v1", "NodePool")


def unsimulated_pools(client: Client) -> dict[str, str]:
    """Name of a pool without nodes -> the component that would start one. Raises ObjectRefused."""
    with_nodes = {_labels(node).get(_LABEL) for node in client.list("v1", "Node")}
    karpenter = {name_of(pool): pool for pool in listed(client, *_NODE_POOL)}
    not_here = without_machines(karpenter.values())
    queued = {
        str(mapping(mapping(flavor.get("spec")).get("nodeLabels")).get(_LABEL) or name_of(flavor))
        for flavor in listed(client, *_FLAVOR)
    }
    return {
        name: not_here.get(name, "the cloud's own autoscaler")
        for name in sorted(queued | {*not_here})
        if name not in with_nodes and (name in not_here or name not in karpenter)
    }


def listed(client: Client, api_version: str, kind: str) -> list[Mapping[str, Any]]:
    """All objects of a kind; empty for a kind that the cluster does not have. Raises ObjectRefused."""
    return [*client.list(api_version, kind)] if client.knows(api_version, kind) else []


def _labels(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(node.get("metadata")).get("labels"))


def name_of(item: Mapping[str, Any]) -> str:
    """The name of an object of the cluster."""
    return str(mapping(item.get("metadata")).get("name"))
