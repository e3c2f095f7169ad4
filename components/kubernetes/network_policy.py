"""Who reaches the pods of a namespace, and whom they reach: `networking.k8s.io/v1`, NetworkPolicy, as far as it is used
here.

A plain object rather than the SDK's class, whose module a preview would import for it alone.
Source: Kubernetes API reference v1.35, NetworkPolicy.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

import pulumi
from pydantic import Field

from gpucluster.components.kubernetes.objects import Part, Spec, Text, custom_object

__all__ = ["NetworkPolicy", "not_to_these", "only_from_within", "only_these_ports"]

_EVERYWHERE: Final = "0.0.0.0/0"


class Selector(Part):
    """An empty one selects everything."""

    matchLabels: dict[str, str] = Field(default={}, description="keys and values of text")


class Port(Part):
    protocol: Literal["TCP", "UDP", "SCTP"]
    port: int = Field(ge=1, le=65535, description="a port")


class Block(Part):
    """Addresses. excluded: of those in the block. Its name on the wire is `except`."""

    cidr: Text
    excluded: list[Text] = Field(default=[], alias="except")


class Peer(Part):
    """One of these: pods of the same namespace, of namespaces, or addresses."""

    podSelector: Selector | None = None
    namespaceSelector: Selector | None = None
    ipBlock: Block | None = None


class Ingress(Part):
    """peers: everybody without any. Their name on the wire is `from`."""

    peers: list[Peer] | None = Field(default=None, alias="from")
    ports: list[Port] | None = None


class Egress(Part):
    to: list[Peer] = Field(min_length=1, description="one peer or more")


class NetworkPolicy(Spec):
    """Kubernetes lets everybody reach a pod until one policy selects it; the kubelet reaches it always."""

    api_version: ClassVar[str] = "networking.k8s.io/v1"
    kind: ClassVar[str] = "NetworkPolicy"

    podSelector: Selector
    policyTypes: list[Literal["Ingress", "Egress"]] = Field(min_length=1, description="one type or both")
    ingress: list[Ingress] = Field(default=[], description="a list of rules")
    egress: list[Egress] = Field(default=[], description="a list of rules")


def only_from_within(
    name: str, *, namespace: pulumi.Input[str], labels: Mapping[str, str], opts: pulumi.ResourceOptions
) -> pulumi.CustomResource:
    """Pods of the namespace reach each other, by any port, and nobody else reaches them."""
    rules: dict[str, Any] = {"policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": {}}]}]}
    return _policy(name, "only-from-within", rules, namespace, labels, opts)


def not_to_these(
    name: str,
    addresses: Sequence[str],
    *,
    namespace: pulumi.Input[str],
    labels: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Pods of the namespace reach every pod and every address but these.

    Pods are named apart, for Cilium takes none by its address. Source: Cilium documentation, "Layer 3 Policies".
    """
    block = {"cidr": _EVERYWHERE, "except": [f"{address}/32" for address in addresses]}
    rules: dict[str, Any] = {
        "policyTypes": ["Egress"],
        "egress": [{"to": [{"namespaceSelector": {}}, {"ipBlock": block}]}],
    }
    return _policy(name, "not-to-the-machine", rules, namespace, labels, opts)


def only_these_ports(
    name: str,
    ports: Sequence[int],
    *,
    namespace: pulumi.Input[str],
    labels: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Everybody reaches the pods, by these ports of TCP alone: the API server calls them, from outside of any pod."""
    open_ports = [{"protocol": "TCP", "port": port} for port in ports]
    rules: dict[str, Any] = {"policyTypes": ["Ingress"], "ingress": [{"ports": open_ports}]}
    return _policy(name, "only-these-ports", rules, namespace, labels, opts)


def _policy(
    name: str,
    object_name: str,
    rules: Mapping[str, Any],
    namespace: pulumi.Input[str],
    labels: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    return custom_object(
        name,
        NetworkPolicy,
        {"podSelector": {}, **rules},
        object_name=object_name,
        namespace=namespace,
        labels=labels,
        opts=opts,
    )
