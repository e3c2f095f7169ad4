"""Kubernetes' syntax of names, labels and quantities: `*_problem` returns the allowed syntax, None if valid.

Sources: Kubernetes documentation, "Object Names and IDs"; kubernetes/apimachinery,
pkg/util/validation and pkg/api/resource (Quantity).
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.catalog.labels import is_kubernetes_name, is_kubernetes_prefix
from gpucluster.core.catalog.nodes import KUBELET_DOMAINS, problem_of_node_label

_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_NAME: Final = rf"{_LABEL}(\.{_LABEL})*"
_QUANTITY: Final = r"[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?"


def name_problem(name: str, *, longest: int = 253) -> str | None:
    """longest: 253 for most kinds, 63 for a namespace (which holds no dots), 53 for a Helm release."""
    pattern = _LABEL if longest == 63 else _DNS_NAME
    if len(name) <= longest and re.fullmatch(pattern, name):
        return None
    dots = "" if longest == 63 else ", dots"
    return f"1 to {longest} lower-case letters, digits{dots} and hyphens, with a letter or digit at both ends"


def key_problem(key: str) -> str | None:
    """Key of a label, an annotation or a taint."""
    prefix, slash, word = key.rpartition("/")
    if not is_kubernetes_name(word):
        return "1 to 63 letters, digits, -, _ and ., with a letter or digit at both ends, after an optional domain/"
    if slash and not is_kubernetes_prefix(prefix):
        return "before the slash a domain of lower-case letters, digits, dots and hyphens"
    return None


def label_problem(value: str) -> str | None:
    """Value of a label or of a taint."""
    if not value or is_kubernetes_name(value):
        return None
    return "up to 63 letters, digits, -, _ and ., with a letter or digit at both ends"


def node_label_problem(key: str) -> str | None:
    """Key of a label that a kubelet gives its own node at start."""
    if problem_of_node_label(key, KUBELET_DOMAINS) is not None:
        return "a key outside the kubernetes.io and k8s.io domains, with which the kubelet does not start"
    return None


def quantity_problem(value: str) -> str | None:
    """An amount such as 500m, 8 or 20480Gi."""
    if re.fullmatch(_QUANTITY, value):
        return None
    return "a number with an optional unit: m, k, M, G, T or Ki, Mi, Gi, Ti"
