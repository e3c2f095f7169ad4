"""Who reaches the pods of a namespace: `networking.k8s.io/v1`, NetworkPolicy, as far as it is used here.

A plain object rather than the SDK's class, whose module a preview would import for it alone.
Source: Kubernetes API reference v1.35, NetworkPolicy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import pulumi
from pydantic import Field

from components.kubernetes.objects import Part, Spec, custom_object

__all__ = ["NetworkPolicy", "only_from_within", "only_these_ports"]


class Selector(Part):
    """An empty one selects everything."""

    matchLabels: dict[str, str] = Field(default={}, description="keys and values of text")


class Port(Part):
    protocol: Literal["TCP", "UDP", "SCTP"]
    port: int = Field(ge=1, le=65535, description="a port")


class Peer(Part):
    podSelector: Selector


class Ingress(Part):
    """peers: everybody without any. Their name on the wire is `from`."""

    peers: list[Peer] | None = Field(default=None, alias="from")
    ports: list[Port] | None = None


class NetworkPolicy(Spec):
    """Kubernetes lets everybody reach a pod until one policy selects it; the kubelet reaches it always."""

    api_version: ClassVar[str] = "networking.k8s.io/v1"
    kind: ClassVar[str] = "NetworkPolicy"

    podSelector: Selector
    policyTypes: list[Literal["Ingress", "Egress"]] = Field(min_length=1, description="one type or both")
    ingress: list[Ingress] = Field(default=[], description="a list of rules")


def only_from_within(
    name: str, *, namespace: pulumi.Input[str], labels: Mapping[str, str], opts: pulumi.ResourceOptions
) -> pulumi.CustomResource:
    """Pods of the namespace reach each other, by any port, and nobody else reaches them."""
    return _policy(name, "only-from-within", [{"from": [{"podSelector": {}}]}], namespace, labels, opts)


def only_these_ports(
    name: str,
    ports: Sequence[int],
    *,
    namespace: pulumi.Input[str],
    labels: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Everybody reaches the pods, by these ports of TCP alone: the API server calls them, from outside of any pod."""
    rules = [{"ports": [{"protocol": "TCP", "port": port} for port in ports]}]
    return _policy(name, "only-these-ports", rules, namespace, labels, opts)


def _policy(
    name: str,
    object_name: str,
    ingress: list[dict[str, Any]],
    namespace: pulumi.Input[str],
    labels: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    return custom_object(
        name,
        NetworkPolicy,
        {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": ingress},
        object_name=object_name,
        namespace=namespace,
        labels=labels,
        opts=opts,
    )
