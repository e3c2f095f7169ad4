"""EKS's requirements for a change of version.

Sources: Amazon EKS user guide, "Update existing cluster to new Kubernetes version"; the words of UpdateClusterVersion,
as users of the Terraform provider got them.
"""

from __future__ import annotations

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule


@rule("aws:eks/cluster:Cluster")
def one_minor_version_at_a_time(managed: ManagedResource) -> None:
    """The same or the next minor version; never a lower one."""
    old, new = str(managed.previous.get("version") or ""), str(managed.inputs.get("version") or "")
    if not old or not new or old == new:
        return
    before, after = (tuple(map(int, one.split(".")[:2])) for one in (old, new))
    if after != (before[0], before[1] + 1):
        message = f"Unsupported Kubernetes minor version update from {old} to {new}"
        raise refused(managed, "EKS: UpdateClusterVersion", 400, "InvalidParameterException", message)
