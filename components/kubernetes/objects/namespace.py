"""A namespace, with the pod security standard that it enforces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from gpucluster.components.kubernetes.objects.kinds import NAMESPACE
from gpucluster.components.kubernetes.objects.objects import manifest_of

PodSecurity = Literal["baseline", "privileged", "restricted"]
"""A standard that pods must meet. Source: Kubernetes documentation, "Pod Security Standards"."""


def namespace(object_name: str, enforce: PodSecurity, *, warn: PodSecurity | None = None) -> dict[str, Any]:
    """Its manifest. enforce: the standard that pods must meet. warn: a standard whose violation gets a warning; None
    for none.
    """
    modes: Mapping[str, PodSecurity | None] = {"enforce": enforce, "warn": warn}
    labels = {f"pod-security.kubernetes.io/{mode}": standard for mode, standard in modes.items() if standard}
    return manifest_of(NAMESPACE, {}, object_name=object_name, labels=labels)
