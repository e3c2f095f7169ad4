"""Common parts of the plan of a cluster on every cloud. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping

from gpucluster.components.buckets import IdentityPlan, OwnBucketPlan
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan
from gpucluster.components.registry import RegistryPlan
from gpucluster.components.spec.operations import BrokenNodes
from gpucluster.components.teams import PeoplePlan
from gpucluster.components.versions import VersionPlan
from gpucluster.program.facts import Facts
from gpucluster.record import record


@record(kw_only=True)
class PlannedCluster:
    """cluster_name: of the cloud's Kubernetes cluster, known before its creation. Each cloud adds place, access,
    network, pools and storage. grace_seconds: as in the spec's health.
    """

    name: str
    cluster_name: str
    stack: str
    labels: Mapping[str, str]
    versions: VersionPlan
    people: PeoplePlan
    bucket: OwnBucketPlan | None
    identities: tuple[IdentityPlan, ...]
    broken_nodes: BrokenNodes
    grace_seconds: int
    registry: RegistryPlan | None
    keep_logs_days: int
    telemetry: TelemetryPlan
    facts: Facts

    @property
    def kubernetes_version(self) -> str:
        """Minor version of the control plane."""
        return self.versions.control_plane
