"""A namespace: the pod security standard that it enforces, its network policy, and its quota of critical pods.

Every client in a cluster can reach a pod until a policy selects the pod; the kubelet can always reach it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import pulumi

from gpucluster.components.kubernetes.objects.objects import (
    NAMESPACE,
    NETWORK_POLICY,
    RESOURCE_QUOTA,
    Declared,
    manifest_of,
)

PodSecurity = Literal["baseline", "privileged", "restricted"]
"""A standard that pods must meet. Source: Kubernetes documentation, "Pod Security Standards"."""


def namespace(object_name: str, enforce: PodSecurity, *, warn: PodSecurity | None = None) -> dict[str, Any]:
    """Its manifest. enforce: the standard that pods must meet. warn: a standard whose violation gets a warning; None
    for none.
    """
    modes: Mapping[str, PodSecurity | None] = {"enforce": enforce, "warn": warn}
    labels = {f"pod-security.kubernetes.io/{mode}": standard for mode, standard in modes.items() if standard}
    return manifest_of(NAMESPACE, {}, object_name=object_name, labels=labels)


# Security contexts for pods in a namespace that enforces the standard `restricted`. Source: as above.
RESTRICTED_CONTAINER: Final[Mapping[str, Any]] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def restricted_pod(user: int) -> dict[str, Any]:
    """user: id of the user that its image runs as."""
    return {"runAsNonRoot": True, "runAsUser": user, "seccompProfile": {"type": "RuntimeDefault"}}


_EVERYWHERE: Final = "0.0.0.0/0"


def only_from_within(name: str, *, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions) -> pulumi.CustomResource:
    """Pods of the namespace reach each other on any port; all other clients are refused."""
    rules: dict[str, Any] = {"policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": {}}]}]}
    return _policy(name, "only-from-within", rules, namespace, opts)


def not_to_these(
    name: str,
    addresses: Sequence[str],
    *,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Pods of the namespace reach every pod and every address except these.

    Pods have their own rule, because Cilium does not match pods by address. Source: Cilium documentation, "Layer 3
    Policies".
    """
    block = {"cidr": _EVERYWHERE, "except": [f"{address}/32" for address in addresses]}
    rules: dict[str, Any] = {
        "policyTypes": ["Egress"],
        "egress": [{"to": [{"namespaceSelector": {}}, {"ipBlock": block}]}],
    }
    return _policy(name, "not-to-the-machine", rules, namespace, opts)


def only_these_ports(
    name: str,
    ports: Sequence[int],
    *,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Any client reaches the pods, only on these TCP ports: the API server calls them, from outside any pod."""
    open_ports = [{"protocol": "TCP", "port": port} for port in ports]
    rules: dict[str, Any] = {"policyTypes": ["Ingress"], "ingress": [{"ports": open_ports}]}
    return _policy(name, "only-these-ports", rules, namespace, opts)


def _policy(
    name: str,
    object_name: str,
    rules: Mapping[str, Any],
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    return Declared(
        name,
        manifest_of(NETWORK_POLICY, {"podSelector": {}, **rules}, object_name=object_name, namespace=namespace),
        opts,
    )


CLUSTER_CRITICAL: Final = "system-cluster-critical"
NODE_CRITICAL: Final = "system-node-critical"
_PODS: Final = "1000000"
"""Practically no limit: only the existence of the quota matters."""


def critical_pods(
    name: str,
    priority: str,
    *,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> Declared:
    """GKE allows pods of such a priority only in namespaces with a quota for them; elsewhere it changes nothing.

    Source: NVIDIA's documentation of its GPU Operator, "NVIDIA GPU Operator with Google GKE".
    """
    priorities = {"scopeName": "PriorityClass", "operator": "In", "values": [priority]}
    spec = {"hard": {"pods": _PODS}, "scopeSelector": {"matchExpressions": [priorities]}}
    return Declared(name, manifest_of(RESOURCE_QUOTA, spec, object_name="critical-pods", namespace=namespace), opts)
