"""Parts of a cluster that are declared alone."""

from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from gpucluster.components.problem import BadSpecValue
from gpucluster.components.spec.agreement import purchase_problems
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.training import GroupPlacement, OnDemandPurchase, Placement, Purchase, Training
from gpucluster.components.spec.values import Accelerator, Duration, Name


class PoolSpec(Model):
    """A training pool alone, in a cluster that is there already."""

    name: Name
    accelerator: Accelerator = "h100"
    training: Training
    purchase: Purchase = OnDemandPurchase()
    placement: Placement = GroupPlacement()
    labels: dict[str, str] = Field(default_factory=dict, description="On every resource")
    duration: Duration = None

    @field_validator("labels", mode="before")
    @classmethod
    def labels_are_portable(cls, value: Any) -> Any:
        return ClusterSpec.labels_are_complete_and_portable(value)

    @model_validator(mode="after")
    def purchase_fits_placement(self) -> Self:
        problems = purchase_problems(self.training, self.purchase, self.placement, self.duration)
        if problems:
            raise BadSpecValue(problems)
        return self


class NetworkSpec(Model):
    """A network alone. private_services: the cloud's own services, such as its file systems, appear inside."""

    name: Name
    nat: bool = Field(default=True, description="A way out to the internet")
    private_services: bool = Field(default=False, description="Services of the cloud appear inside")
    labels: dict[str, str] = Field(default_factory=dict, description="On every resource")

    @field_validator("labels", mode="before")
    @classmethod
    def labels_are_portable(cls, value: Any) -> Any:
        return ClusterSpec.labels_are_complete_and_portable(value)


TrainingSpec = ClusterSpec | PoolSpec
"""What tells of a training pool."""
