"""Parts of a cluster that are declared alone."""

from gpucluster.components.problem import BadSpecValue
from gpucluster.components.spec.agreement import purchase_problems
from gpucluster.components.spec.cluster import ClusterSpec, Labels
from gpucluster.components.spec.fields import Field
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.training import GroupPlacement, OnDemandPurchase, Placement, Purchase, Training
from gpucluster.components.spec.values import Accelerator, Duration, Name


class PoolSpec(Model):
    """A training pool in an existing cluster."""

    name: Name
    accelerator: Accelerator = "h100"
    training: Training
    purchase: Purchase = OnDemandPurchase()
    placement: Placement = GroupPlacement()
    labels: Labels = Field(default_factory=dict, description="On every resource")
    duration: Duration = None

    def check(self) -> None:
        problems = purchase_problems(self.training, self.purchase, self.placement, self.duration)
        if problems:
            raise BadSpecValue(problems)


class NetworkSpec(Model):
    """A network alone. private_services: the cloud's own services, such as its file systems, appear inside."""

    name: Name
    nat: bool = Field(default=True, description="Internet access")
    private_services: bool = Field(default=False, description="Private endpoints of the cloud's services")
    labels: Labels = Field(default_factory=dict, description="On every resource")


TrainingSpec = ClusterSpec | PoolSpec
"""What tells of a training pool."""
