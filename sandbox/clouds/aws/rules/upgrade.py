"""EKS's requirements for versions of clusters and node groups.

Sources: Amazon EKS user guide, "Update existing cluster to new Kubernetes version" (nodes may be three minor versions
behind); Amazon EKS API, CreateNodegroup (the cluster's version "is the only accepted specified value") and
UpdateNodegroupVersion ("cannot roll back a node group to an earlier Kubernetes version"); the text of
UpdateClusterVersion and UpdateNodegroupVersion as users of the Terraform provider and of eksctl got them
(hashicorp/terraform-provider-aws issue 19478, eksctl-io/eksctl issue 7976). "Rollback cluster to previous Kubernetes
version", which EKS lets users do for seven days after an upgrade, isn't here.
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule

_CLUSTER: Final = "aws:eks/cluster:Cluster"
_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_SKEW: Final = 3


@rule(_CLUSTER)
def one_minor_version_at_a_time(managed: ManagedResource) -> None:
    """The same or the next minor version; never a lower one."""
    old, new = str(managed.previous.get("version") or ""), str(managed.inputs.get("version") or "")
    if not old or not new or old == new:
        return
    before, after = minor(old), minor(new)
    if after != (before[0], before[1] + 1):
        message = f"Unsupported Kubernetes minor version update from {old} to {new}"
        raise refused(managed, "EKS: UpdateClusterVersion", 400, "InvalidParameterException", message)


@rule(_CLUSTER)
def node_groups_keep_up(managed: ManagedResource) -> None:
    """No group, with nodes or without, is left more than three minor versions behind."""
    old, new = str(managed.previous.get("version") or ""), str(managed.inputs.get("version") or "")
    if not old or not new or old == new:
        return
    groups = (one for one in managed.others(_NODE_GROUP) if one.inputs.get("clusterName") == managed.name)
    late = sorted(one.name for one in groups if minor(new)[1] - minor(str(one.outputs["version"]))[1] > _SKEW)
    if late:
        message = (
            f"Nodegroups {', '.join(late)} must be updated to match cluster version {old} before updating cluster "
            "version"
        )
        raise refused(managed, "EKS: UpdateClusterVersion", 400, "InvalidParameterException", message)


@rule(_NODE_GROUP)
def nodes_have_a_version_of_the_cluster(managed: ManagedResource) -> None:
    """A new group has the cluster's version. A group that exists keeps its own, or takes one up to the cluster's, even
    if it has no nodes.
    """
    name = managed.inputs["clusterName"]
    cluster = next((one for one in managed.others(_CLUSTER, name) if one.name == name), None)
    if cluster is None or not ({"version", "releaseVersion"} & managed.changed or not managed.previous):
        return
    top, old = str(cluster.outputs["version"]), str(managed.previous.get("version") or "")
    new = str(managed.inputs.get("version") or old or top)
    release = str(managed.inputs.get("releaseVersion") or "")
    message = ""
    if (minor(new) != minor(top)) if not old else not minor(old) <= minor(new) <= minor(top):
        message = f"Requested Kubernetes version {new} is not valid for a node group of a cluster of version {top}"
    elif release and minor(release) != minor(new):
        message = f"Requested release version {release} is not valid for kubernetes version {new}"
    if message:
        action = "UpdateNodegroupVersion" if managed.previous else "CreateNodegroup"
        raise refused(managed, f"EKS: {action}", 400, "InvalidParameterException", message)
