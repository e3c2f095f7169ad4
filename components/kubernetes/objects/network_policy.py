"""Ingress and egress of the pods of a namespace. In Kubernetes every client can reach a pod until a policy selects it;
the kubelet can always reach it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.kinds import NETWORK_POLICY
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of

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
