"""What Kubernetes takes for a name, a label and a quantity: `*_problem` gives what is allowed, None for what fits.

Sources: Kubernetes documentation, "Object Names and IDs" and "Labels and Selectors"; kubernetes/apimachinery,
pkg/util/validation and pkg/api/resource (Quantity).
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["key_problem", "label_problem", "name_problem", "node_label_problem", "quantity_problem"]

_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL: Final = re.compile(_LABEL)
_DNS_NAME: Final = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_WORD: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_QUANTITY: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?")

# What a kubelet may be told of its own node: every other key of these domains keeps it from starting.
# Source: kubernetes/kubernetes v1.34, staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go.
_KUBELET_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
_KUBELET_KEYS: Final = frozenset(
    (
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    )
)


def name_problem(name: str, *, longest: int = 253) -> str | None:
    """longest: 253 for most kinds, 63 for a namespace (which holds no dots), 53 for a Helm release."""
    pattern = _DNS_LABEL if longest == 63 else _DNS_NAME
    if len(name) <= longest and pattern.fullmatch(name):
        return None
    dots = "" if longest == 63 else ", dots"
    return f"1 to {longest} lower-case letters, digits{dots} and hyphens, with a letter or digit at both ends"


def key_problem(key: str) -> str | None:
    """Key of a label, an annotation or a taint."""
    prefix, slash, word = key.rpartition("/")
    if len(word) > 63 or not _WORD.fullmatch(word):
        return "1 to 63 letters, digits, -, _ and ., with a letter or digit at both ends, after an optional domain/"
    if slash and (len(prefix) > 253 or not _DNS_NAME.fullmatch(prefix)):
        return "before the slash a domain of lower-case letters, digits, dots and hyphens"
    return None


def label_problem(value: str) -> str | None:
    """Value of a label or of a taint."""
    if not value or (len(value) <= 63 and _WORD.fullmatch(value)):
        return None
    return "up to 63 letters, digits, -, _ and ., with a letter or digit at both ends"


def node_label_problem(key: str) -> str | None:
    """Key of a label that a kubelet gives its own node at start."""
    domain = key.rpartition("/")[0]
    if key in _KUBELET_KEYS or any(_within(domain, own) for own in _KUBELET_DOMAINS):
        return None
    if _within(domain, "kubernetes.io") or _within(domain, "k8s.io"):
        return "a key outside the kubernetes.io and k8s.io domains: a kubelet that is given another does not start"
    return None


def quantity_problem(value: str) -> str | None:
    """An amount such as 500m, 8 or 20480Gi."""
    if _QUANTITY.fullmatch(value):
        return None
    return "a number with an optional unit: m, k, M, G, T or Ki, Mi, Gi, Ti"


def _within(domain: str, parent: str) -> bool:
    return domain == parent or domain.endswith(f".{parent}")
