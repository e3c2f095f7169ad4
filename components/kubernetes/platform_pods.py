"""Whose pods may use GPUs without a queue: those that the cluster and this project install. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.components.kubernetes.cel import text, texts
from gpucluster.components.names import SYSTEM_NAMESPACE

ALLOWED_LABEL: Final = "gpucluster/gpu-nodes"
"""Label of a namespace by which an administrator lets all of its pods do so, with the value `allowed`."""

EXPORTER_NAMESPACE: Final = "gpu-exporter"
EXPORTER_ACCOUNT: Final = "dcgm-exporter"

# Namespace -> service accounts of what is installed there.
_ACCOUNTS: Final[Mapping[str, tuple[str, ...]]] = {EXPORTER_NAMESPACE: (EXPORTER_ACCOUNT,)}
# NVIDIA's operators start pods of their own, with accounts that they name; a pod without one gets `default`.
# Sources: NVIDIA/gpu-operator v26.3.3, assets; Mellanox/network-operator v26.4.0, manifests.
_OPERATORS: Final = ("gpu-operator", "network-operator")


def is_platform(account: str) -> str:
    """Whether a request is for one of these, in CEL. account: expression of the service account of its pods.

    The cluster's own are in kube-system, where nobody but an administrator may start anything.
    """
    ours = [
        f"(request.namespace == {text(space)} && {account} in {texts(accounts)})"
        for space, accounts in _ACCOUNTS.items()
    ]
    operators = f"(request.namespace in {texts(_OPERATORS)} && {account} != 'default')"
    return " || ".join([f"request.namespace == {text(SYSTEM_NAMESPACE)}", *ours, operators])
