"""GKE's requirements for a change of version.

Sources: GKE documentation, "GKE versioning and support"; its text: hashicorp/terraform-provider-google #1682 (nodes)
and kubeflow/code-intelligence #153 (control plane).
"""

from __future__ import annotations

from gpucluster.sandbox.clouds.gcp.machines import CLUSTER, NODE_POOL, Pool, resolved
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, refused, rule


@rule(CLUSTER)
def one_minor_version_at_a_time(managed: ManagedResource) -> None:
    """The same or the next minor version; a lower requested one has no effect, because it is a minimum."""
    old = str(managed.previous.get("masterVersion") or "")
    new = resolved(str(managed.inputs.get("minMasterVersion") or ""), old)
    if old and _minor(new) > (_minor(old)[0], _minor(old)[1] + 1):
        message = (
            f'Master cannot be upgraded to "{new}": cannot upgrade the master more than a minor version at a time.'
        )
        raise refused(managed, message)


@rule(NODE_POOL)
def nodes_are_no_newer_than_the_control_plane(managed: ManagedResource) -> None:
    """Compares minor versions; the sandbox chooses patches of both independently."""
    cluster, requested = Pool(managed).cluster, str(managed.inputs.get("version") or "")
    if cluster is None or "." not in requested:
        return
    top = str(cluster.outputs.get("masterVersion"))
    if _minor(requested) > _minor(top):
        raise refused(
            managed, f'desired node version "{requested}" cannot be greater than current master version "{top}".'
        )


def _minor(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)
