"""AKS's requirements for a change of version.

Sources: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/upgrade-aks-control-plane.md (also of clusters with
long-term support, which may skip versions); its words: rancher/dashboard #11884.
"""

from __future__ import annotations

from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.pools import CLUSTER
from gpucluster.sandbox.clouds.azure.rules.rule import refused, rule
from gpucluster.sandbox.clouds.azure.versions import may_be

# Maximum minor versions of the nodes behind the control plane.
_SKEW = 3


@rule(CLUSTER)
def version_can_be(managed: ManagedResource) -> None:
    """The version may exist. AKS' words: microsoft/Microsoft-Defender-for-Cloud, issue 923."""
    version = managed.inputs.get("kubernetesVersion")
    if version is not None and not may_be(str(version)):
        message = (
            f"Managed cluster {managed.name} has invalid version {version}. Please use [az aks get-versions] command "
            "to get the supported version list in this region. For more information, please check "
            "https://aka.ms/supported-version-list"
        )
        raise refused("K8sVersionNotSupported", message)


@rule(CLUSTER)
def one_minor_version_at_a_time(managed: ManagedResource) -> None:
    """The same or the next minor version; never a lower one."""
    old = str(managed.previous.get("currentKubernetesVersion") or managed.previous.get("kubernetesVersion") or "")
    new = str(managed.inputs.get("kubernetesVersion") or "")
    if not old or not new:
        return
    before, after = (tuple(map(int, one.split(".")[:2])) for one in (old, new))
    steps = _SKEW if managed.inputs.get("supportPlan") == "AKSLongTermSupport" else 1
    if not 0 <= after[1] - before[1] <= steps:
        message = (
            f"Upgrading Kubernetes version {old} to {new} is not allowed. Available upgrades: "
            f"[{before[0]}.{before[1] + 1}]. Please see https://aka.ms/aks-supported-k8s-ver for version details."
        )
        raise refused("OperationNotAllowed", message)
