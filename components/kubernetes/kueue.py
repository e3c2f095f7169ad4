"""Kueue's objects, `kueue.x-k8s.io/v1beta2`, as far as clusters here use them, with the rules its API applies.

Source: kubernetes-sigs/kueue v0.16.9, apis/kueue/v1beta2 and pkg/webhooks.
"""

from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from gpucluster.components.kubernetes.objects import Amount, Part, Spec, well_formed_labels
from gpucluster.components.kubernetes.syntax import key_problem, name_problem

__all__ = [
    "GROUP",
    "PROVISIONING",
    "AdmissionCheck",
    "ClusterQueue",
    "LocalQueue",
    "ProvisioningRequestConfig",
    "ResourceFlavor",
    "Topology",
    "WorkloadPriorityClass",
]

GROUP: Final = "kueue.x-k8s.io"
PROVISIONING: Final = "kueue.x-k8s.io/provisioning-request"
"""The controller of Kueue's own that asks a cluster autoscaler for nodes."""
_VERSION: Final = f"{GROUP}/v1beta2"
_HOST: Final = "kubernetes.io/hostname"


def _name(value: str) -> str:
    if (allowed := name_problem(value)) is not None:
        raise ValueError(f"is {value!r}; allowed: {allowed}; change it")
    return value


def _short_name(value: str) -> str:
    if (allowed := name_problem(value, longest=63)) is not None:
        raise ValueError(f"is {value!r}; allowed: {allowed}; change it")
    return value


def _resource(value: str) -> str:
    if (allowed := key_problem(value)) is not None:
        raise ValueError(f"is {value!r}; allowed: {allowed}; write cpu or nvidia.com/gpu")
    return value


def _quota(value: str) -> str:
    if value.startswith("-"):
        raise ValueError(f"is {value!r}; allowed: 0 or more; raise it")
    return value


Name = Annotated[str, AfterValidator(_name)]
ShortName = Annotated[str, AfterValidator(_short_name)]
Resource = Annotated[str, AfterValidator(_resource)]
Quota = Annotated[Amount, AfterValidator(_quota)]
StopPolicy = Literal["None", "Hold", "HoldAndDrain"]


class ResourceFlavor(Spec):
    """Nodes of one kind. Tolerations are left out: Kueue would add them to pods, which bring their own here."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "ResourceFlavor"

    nodeLabels: dict[str, str] = Field(default={}, max_length=8, description="up to 8 labels")
    topologyName: Name | None = None

    labels_are_well_formed = field_validator("nodeLabels")(well_formed_labels)

    @model_validator(mode="after")
    def topology_needs_nodes(self) -> Self:
        if self.topologyName is not None and not self.nodeLabels:
            raise ValueError(
                f"has topologyName {self.topologyName!r} and no nodeLabels; allowed with it: at least one label; add it"
            )
        return self


class TopologyLevel(Part):
    nodeLabel: Resource


class Topology(Spec):
    """How near nodes are to each other: labels of nodes, those of the widest domains first. It never changes."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "Topology"

    levels: list[TopologyLevel] = Field(min_length=1, max_length=16, description="1 to 16 levels")

    @model_validator(mode="after")
    def levels_differ_and_the_host_is_last(self) -> Self:
        labels = [level.nodeLabel for level in self.levels]
        problems = [
            f"has the level {label} twice; allowed: each level once; remove one"
            for label in sorted({label for label in labels if labels.count(label) > 1})
        ]
        if _HOST in labels[:-1]:
            problems.append(f"has {_HOST} before {labels[-1]}; allowed: as the last level; move it")
        if problems:
            raise ValueError("\n".join(problems))
        return self


class WorkloadPriorityClass(Spec):
    """value: of jobs in a queue; those with more go first. Its fields stand beside `metadata`, not in a `spec`."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "WorkloadPriorityClass"
    nested: ClassVar[bool] = False

    value: int = Field(ge=-(2**31), le=2**31 - 1, description="a whole number of 32 bits", examples=[500])
    description: str = Field(default="", max_length=2048, description="up to 2,048 characters")


class RetryStrategy(Part):
    """Kueue's own: 3 times, after 60 s, 120 s, ...; a job that fails the last time stays out until it is resumed."""

    backoffLimitCount: int | None = Field(default=None, ge=0, description="0 or more", examples=[3])
    backoffBaseSeconds: int | None = Field(default=None, ge=0, description="seconds, 0 or more", examples=[60])
    backoffMaxSeconds: int | None = Field(default=None, ge=0, description="seconds, 0 or more", examples=[1800])


class ProvisioningRequestConfig(Spec):
    """How nodes are asked for. managedResources: pods that ask for none of these wait for no node."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "ProvisioningRequestConfig"

    provisioningClassName: Name
    parameters: dict[str, Annotated[str, Field(max_length=255, description="up to 255 characters")]] = Field(
        default={}, max_length=100, description="up to 100 parameters"
    )
    managedResources: list[Resource] = Field(default=[], max_length=100, description="up to 100 resources")
    retryStrategy: RetryStrategy | None = None
    podSetMergePolicy: Literal["IdenticalPodTemplates", "IdenticalWorkloadSchedulingRequirements"] | None = None


class Parameters(Part):
    apiGroup: Name
    kind: str = Field(
        pattern=r"^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$",
        max_length=63,
        description="the name of a kind",
        examples=[ProvisioningRequestConfig.kind],
    )
    name: ShortName


class AdmissionCheck(Spec):
    """What a job that has its quota must pass before it starts."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "AdmissionCheck"

    controllerName: str = Field(
        min_length=1, max_length=253, description="1 to 253 characters", examples=[PROVISIONING]
    )
    parameters: Parameters | None = None


class ResourceQuota(Part):
    name: Resource
    nominalQuota: Quota


class FlavorQuotas(Part):
    name: Name
    resources: list[ResourceQuota] = Field(min_length=1, max_length=64, description="1 to 64 resources")


class ResourceGroup(Part):
    coveredResources: list[Resource] = Field(min_length=1, max_length=64, description="1 to 64 resources")
    flavors: list[FlavorQuotas] = Field(min_length=1, max_length=64, description="1 to 64 flavors")

    @model_validator(mode="after")
    def each_flavor_has_a_quota_for_each_resource(self) -> Self:
        problems: list[str] = []
        for flavor in self.flavors:
            quotas = [quota.name for quota in flavor.resources]
            if quotas != self.coveredResources:
                problems.append(
                    f"has quotas for {', '.join(quotas)} of the flavor {flavor.name}; allowed: those of "
                    f"coveredResources in their order, {', '.join(self.coveredResources)}; write these"
                )
        if problems:
            raise ValueError("\n".join(problems))
        return self


class NamespaceSelector(Part):
    """An empty one selects every namespace; without one a queue takes no job at all."""

    matchLabels: dict[str, str] = Field(default={}, description="keys and values of text")


class AdmissionCheckRule(Part):
    """onFlavors: those whose jobs need the check; all where none is named."""

    name: Name
    onFlavors: list[Name] = Field(default=[], max_length=64, description="up to 64 flavors")


class AdmissionChecks(Part):
    admissionChecks: list[AdmissionCheckRule] = Field(min_length=1, max_length=64, description="1 to 64 checks")


class ClusterQueue(Spec):
    """What jobs may use together. One that asks for a resource outside of coveredResources is never admitted."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "ClusterQueue"

    resourceGroups: list[ResourceGroup] = Field(default=[], max_length=16, description="up to 16 groups")
    queueingStrategy: Literal["StrictFIFO", "BestEffortFIFO"] | None = None
    namespaceSelector: NamespaceSelector
    admissionChecksStrategy: AdmissionChecks | None = None
    stopPolicy: StopPolicy | None = None

    @model_validator(mode="after")
    def everything_is_in_one_group_and_checks_name_flavors_of_the_queue(self) -> Self:
        problems: list[str] = []
        flavors = [flavor.name for group in self.resourceGroups for flavor in group.flavors]
        resources = [resource for group in self.resourceGroups for resource in group.coveredResources]
        for what, names in (("flavor", flavors), ("resource", resources)):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                problems.append(
                    f"has the {what} {', '.join(twice)} twice; allowed: each {what} once; remove all but one"
                )
        checks = self.admissionChecksStrategy.admissionChecks if self.admissionChecksStrategy else []
        for check in checks:
            unknown = sorted(set(check.onFlavors) - set(flavors))
            if unknown:
                problems.append(
                    f"has onFlavors {', '.join(unknown)} of the check {check.name}; allowed: flavors of the queue, "
                    f"{', '.join(flavors) or 'none'}; write one of these"
                )
        if problems:
            raise ValueError("\n".join(problems))
        return self


class LocalQueue(Spec):
    """The queue that jobs of one namespace name, by the label `kueue.x-k8s.io/queue-name`."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "LocalQueue"

    clusterQueue: Name
    stopPolicy: StopPolicy | None = None
