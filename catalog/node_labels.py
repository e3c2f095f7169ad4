"""Label keys that prevent a machine from joining a cluster.

A kubelet does not start with most labels of the kubernetes.io and k8s.io domains in --node-labels.
Sources: kubernetes/kubernetes v1.34, cmd/kubelet/app/options/options.go (ValidateKubeletFlags) and
staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go; kubernetes-sigs/karpenter, pkg/apis/v1/labels.go
(LabelDomainExceptions: Karpenter sets those itself, so that no kubelet receives them).
"""

from __future__ import annotations

from typing import Final

KUBELET_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
KARPENTER_DOMAINS: Final = (
    *KUBELET_DOMAINS,
    "kops.k8s.io",
    "node-restriction.kubernetes.io",
    "node-role.kubernetes.io",
)

_RESERVED: Final = ("kubernetes.io", "k8s.io")
_WELL_KNOWN: Final = frozenset(
    (
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    )
)


def problem_of_node_label(key: str, domains: tuple[str, ...]) -> str | None:
    """The problem of a key on a machine, None without one; `domains` of kubernetes.io are allowed there."""
    domain = key.rpartition("/")[0]
    if key in _WELL_KNOWN or _in(domain, domains) or not _in(domain, _RESERVED):
        return None
    return f"is in a domain that Kubernetes reserves, so the node does not join; allowed there: {', '.join(domains)}"


def _in(domain: str, names: tuple[str, ...]) -> bool:
    return any(domain == name or domain.endswith(f".{name}") for name in names)
