"""GKE's ComputeClass, `cloud.google.com/v1`, as far as a pool of single-node GPU machines needs it.

Source: GKE documentation, "ComputeClass" custom resource definition, and the markers of its Go types (ComputeClassSpec,
Priority); "Define a custom compute class" for the name.
"""

from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from gpucluster.catalog.sold import flexible_only
from gpucluster.components.kubernetes.objects import Part, Spec, Text, well_formed_labels
from gpucluster.components.kubernetes.syntax import label_problem, name_problem

__all__ = ["ComputeClass"]

_LONGEST_RUN: Final = 604_800
"""Seconds that Flex-start capacity may be kept: 7 days."""


class Gpu(Part):
    """driverVersion: which driver GKE installs; without one its own default."""

    type: Text
    count: int = Field(ge=1, description="1 or more", examples=[1])
    driverVersion: Literal["default", "latest", "autoinstall-disabled"] | None = None


class NodeRecycling(Part):
    leadTimeSeconds: int = Field(ge=1, le=_LONGEST_RUN, description="1 to 604800 seconds", examples=[3600])


class FlexStart(Part):
    enabled: bool = Field(description="true or false")
    nodeRecycling: NodeRecycling | None = None


class Storage(Part):
    bootDiskSize: int | None = Field(default=None, ge=10, description="10 GB or more", examples=[200])
    bootDiskType: Literal["pd-balanced", "pd-standard", "pd-ssd", "hyperdisk-balanced"] | None = None
    localSSDCount: int | None = Field(default=None, ge=1, description="1 or more", examples=[2])


class Location(Part):
    zones: list[Text] = Field(min_length=1, description="one zone or more", examples=[["us-central1-a"]])


class Priority(Part):
    """One rule; GKE tries them from the first to the last. A rule that names node pools says nothing else."""

    nodepools: list[Text] | None = Field(default=None, min_length=1, description="one name of a node pool or more")
    machineType: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="a machine type", examples=["a3-highgpu-1g"]
    )
    gpu: Gpu | None = None
    spot: bool | None = Field(default=None, description="true or false")
    flexStart: FlexStart | None = None
    maxRunDurationSeconds: int | None = Field(
        default=None, ge=1, description="seconds; with Flex-start up to 604800", examples=[_LONGEST_RUN]
    )
    maxPodsPerNode: int | None = Field(default=None, ge=8, le=256, description="8 to 256", examples=[32])
    storage: Storage | None = None
    location: Location | None = None

    @model_validator(mode="after")
    def pools_stand_alone(self) -> Self:
        others = sorted(
            name for name in type(self).model_fields if name != "nodepools" and getattr(self, name) is not None
        )
        if self.nodepools is not None and others:
            raise ValueError(
                f"has nodepools and {', '.join(others)}; allowed: nodepools alone; move the others to a rule of "
                "their own"
            )
        if self.nodepools is None and not others:
            raise ValueError("is empty; allowed: nodepools, or a machine; add one")
        return self

    @model_validator(mode="after")
    def machine_can_be_bought_so(self) -> Self:
        flex = self.flexStart is not None and self.flexStart.enabled
        problems: list[str] = []
        if flex and self.spot:
            problems.append("has spot and flexStart; allowed: one of them; remove one")
        if self.machineType is not None and flexible_only(self.machineType) and not (flex or self.spot):
            problems.append(
                f"has machineType {self.machineType!r} on demand; allowed for it: spot or flexStart; add one of them"
            )
        if flex and (self.maxRunDurationSeconds is None or self.maxRunDurationSeconds > _LONGEST_RUN):
            problems.append(
                f"has maxRunDurationSeconds {self.maxRunDurationSeconds}; allowed with flexStart: 1 to {_LONGEST_RUN}; "
                "change it"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self


class NodePoolAutoCreation(Part):
    enabled: bool = Field(description="true or false")


class Taint(Part):
    key: Text
    value: str | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class NodePoolConfig(Part):
    """Of pools GKE makes; an existing pool belongs to the class only where it is configured so too."""

    serviceAccount: Text | None = None
    imageType: Literal["cos_containerd", "ubuntu_containerd"] | None = None
    ipType: Literal["public", "private"] | None = None
    workloadMetadata: Literal["GCE_METADATA", "GKE_METADATA"] | None = None
    nodeLabels: dict[str, str] = Field(default={}, max_length=100, description="up to 100 labels")
    taints: list[Taint] = Field(default=[], max_length=100, description="up to 100 taints")

    labels_are_well_formed = field_validator("nodeLabels")(well_formed_labels)


class AutoscalingPolicy(Part):
    consolidationDelayMinutes: int | None = Field(default=None, ge=1, le=1440, description="1 to 1440", examples=[5])
    consolidationThreshold: int | None = Field(default=None, ge=0, le=100, description="0 to 100 %", examples=[0])
    gpuConsolidationThreshold: int | None = Field(default=None, ge=0, le=100, description="0 to 100 %", examples=[1])


class ActiveMigration(Part):
    optimizeRulePriority: bool = Field(description="true or false")


class ComputeClass(Spec):
    """Which machines GKE starts for the pods that select the class, in which order."""

    api_version: ClassVar[str] = "cloud.google.com/v1"
    kind: ClassVar[str] = "ComputeClass"

    priorities: list[Priority] = Field(min_length=1, max_length=1000, description="1 to 1000 rules")
    nodePoolAutoCreation: NodePoolAutoCreation | None = None
    nodePoolConfig: NodePoolConfig | None = None
    activeMigration: ActiveMigration | None = None
    autoscalingPolicy: AutoscalingPolicy | None = None
    whenUnsatisfiable: Literal["DoNotScaleUp", "ScaleUpAnyway"] | None = None
    description: Text | None = None

    @classmethod
    def name_problem(cls, name: str) -> str | None:
        """It is the value of a node label, too."""
        if name.startswith(("gke", "autopilot")):
            return "a name that begins with neither gke nor autopilot"
        return name_problem(name) or label_problem(name)

    @model_validator(mode="after")
    def machines_need_pools_to_be_made(self) -> Self:
        made = self.nodePoolAutoCreation is not None and self.nodePoolAutoCreation.enabled
        if not made and any(rule.machineType is not None for rule in self.priorities):
            raise ValueError(
                "has rules with machineType and no nodePoolAutoCreation; allowed: such rules with it; set "
                "nodePoolAutoCreation.enabled to true"
            )
        return self
