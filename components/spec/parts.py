"""Parts of a cluster that are declared alone."""

from pydantic import Field

from gpucluster.components.spec.agreement import POOL_CHECKS
from gpucluster.components.spec.cluster import ClusterSpec, Labels
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.training import GroupPlacement, OnDemandPurchase, Placement, Purchase, Training
from gpucluster.components.spec.values import Accelerator, Duration, Name


class PoolSpec(Model):
    """A training pool in an existing cluster."""

    checks = POOL_CHECKS

    name: Name
    accelerator: Accelerator = "h100"
    training: Training
    purchase: Purchase = OnDemandPurchase(kind="on-demand")
    placement: Placement = GroupPlacement(kind="group")
    labels: Labels = Field(default_factory=dict, description="On every resource")
    duration: Duration = None


class NetworkSpec(Model):
    """A network alone. private_services: the cloud's own services, such as its file systems, appear inside."""

    name: Name
    nat: bool = Field(default=True, description="Internet access")
    private_services: bool = Field(default=False, description="Private endpoints of the cloud's services")
    labels: Labels = Field(default_factory=dict, description="On every resource")


TrainingSpec = ClusterSpec | PoolSpec
"""What tells of a training pool."""
