"""A namespace, with the pod security standard that it enforces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pulumi

from gpucluster.components.kubernetes.kinds import NAMESPACE
from gpucluster.components.kubernetes.objects import Declared, declared

PodSecurity = Literal["baseline", "privileged", "restricted"]


def namespace(
    name: str,
    object_name: str,
    enforce: PodSecurity,
    *,
    warn: PodSecurity | None = None,
    opts: pulumi.ResourceOptions,
) -> Declared:
    """enforce: what pods must meet. warn: what those that miss it are warned of."""
    modes: Mapping[str, PodSecurity | None] = {"enforce": enforce, "warn": warn}
    labels = {f"pod-security.kubernetes.io/{mode}": standard for mode, standard in modes.items() if standard}
    return declared(name, NAMESPACE, {}, object_name=object_name, labels=labels, opts=opts)
