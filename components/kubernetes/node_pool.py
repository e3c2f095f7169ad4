"""Karpenter's NodePool, `karpenter.sh/v1`, with the rules its API applies.

Source: kubernetes-sigs/karpenter, pkg/apis/v1/nodepool.go, nodepool_validation.go and labels.go; the rules for the
domains of labels: aws/karpenter-provider-aws v1.14.1, pkg/apis/crds/karpenter.sh_nodepools.yaml, and
cloudpilot-ai/karpenter-provider-gcp v0.5.0, pkg/apis/v1alpha1/labels.go, and Azure/karpenter-provider-azure v1.14.2,
pkg/apis/crds/karpenter.sh_nodepools.yaml.
"""

from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from gpucluster.components.kubernetes.objects import Amount, Part, Spec, Text, label_problems
from gpucluster.components.kubernetes.syntax import key_problem

__all__ = ["CAPACITY_TYPE", "NodePool"]

CAPACITY_TYPE: Final = "karpenter.sh/capacity-type"
_CAPACITY_TYPES: Final = frozenset({"on-demand", "spot", "reserved"})
_COMPARISONS: Final = frozenset({"Gt", "Lt", "Gte", "Lte"})

# Karpenter's own domains: only what it knows itself may stand there.
_RESTRICTED: Final = (
    "karpenter.sh",
    "karpenter.k8s.aws",
    "karpenter.k8s.gcp",
    "karpenter.azure.com",
    "kubernetes.azure.com",
)
# The last four are AKS's own.
_FORBIDDEN: Final = frozenset(
    {
        "karpenter.sh/nodepool",
        "kubernetes.io/hostname",
        "accelerator",
        "agentpool",
        "storageprofile",
        "storagetier",
    }
)
_WELL_KNOWN: Final = frozenset(
    {CAPACITY_TYPE, "karpenter.k8s.aws/ec2nodeclass", "karpenter.k8s.aws/nitro-sandbox"}
    | {
        f"karpenter.k8s.aws/{word}"
        for word in (
            "capacity-reservation-id",
            "capacity-reservation-interruptible",
            "capacity-reservation-type",
            "instance-accelerator-count",
            "instance-accelerator-manufacturer",
            "instance-accelerator-name",
            "instance-capability-flex",
            "instance-category",
            "instance-cpu",
            "instance-cpu-manufacturer",
            "instance-cpu-sustained-clock-speed-mhz",
            "instance-ebs-bandwidth",
            "instance-encryption-in-transit-supported",
            "instance-family",
            "instance-generation",
            "instance-gpu-count",
            "instance-gpu-manufacturer",
            "instance-gpu-memory",
            "instance-gpu-name",
            "instance-hypervisor",
            "instance-local-nvme",
            "instance-memory",
            "instance-network-bandwidth",
            "instance-size",
            "instance-tenancy",
            "placement-group-id",
            "placement-group-partition",
        )
    }
    | {
        f"karpenter.k8s.gcp/instance-{word}"
        for word in (
            "category",
            "cpu",
            "cpu-model",
            "family",
            "generation",
            "gpu-count",
            "gpu-manufacturer",
            "gpu-memory",
            "gpu-name",
            "memory",
            "shape",
            "size",
        )
    }
    | {
        f"karpenter.azure.com/{word}"
        for word in (
            "aksnodeclass",
            "placement-scope",
            "sku-cpu",
            "sku-family",
            "sku-gpu-count",
            "sku-gpu-manufacturer",
            "sku-gpu-name",
            "sku-memory",
            "sku-name",
            "sku-networking-accelerated",
            "sku-series",
            "sku-storage-ephemeralos-maxsize",
            "sku-storage-premium-capable",
            "sku-storage-ultra-ssd",
            "sku-version",
        )
    }
    | {
        f"kubernetes.azure.com/{word}"
        for word in (
            "cluster",
            "ebpf-dataplane",
            "ebpf-host-routing",
            "fips_enabled",
            "hostedvm",
            "mode",
            "network-policy",
            "os-sku",
            "priority",
            "scalesetpriority",
            "sku-cpu",
            "sku-memory",
        )
    }
)

Duration = Annotated[str, Field(pattern=r"^([0-9]+(s|m|h))+$")]
DurationOrNever = Annotated[str, Field(pattern=r"^(([0-9]+(s|m|h))+|Never)$")]


def _key(value: str) -> str:
    allowed = key_problem(value) or _restricted(value)
    if allowed is not None:
        raise ValueError(f"is {value!r}; allowed: {allowed}; choose another key")
    return value


def _restricted(key: str) -> str | None:
    domain = key.rpartition("/")[0]
    ours = any(domain == own or domain.endswith(f".{own}") for own in _RESTRICTED)
    if key in _FORBIDDEN or (ours and key not in _WELL_KNOWN):
        forbidden = ", ".join(sorted(key for key in _FORBIDDEN if not key.startswith(_RESTRICTED)))
        return f"a key outside {', '.join(_RESTRICTED)}, and none of {forbidden}: Karpenter and the clouds set those"
    return None


Key = Annotated[str, AfterValidator(_key)]


class Requirement(Part):
    """What a machine must be for this pool to start it."""

    key: Key
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]
    values: list[str] = Field(default=[], description="a list of texts")
    minValues: int | None = Field(default=None, ge=1, le=50, description="1 to 50", examples=[1])

    @model_validator(mode="after")
    def values_fit_the_operator(self) -> Self:
        problems: list[str] = []
        count = len(self.values)
        if self.operator == "In" and not count:
            problems.append(f"has no values for {self.key}; allowed with In: at least one; add it")
        if self.operator in ("Exists", "DoesNotExist") and count:
            problems.append(f"has values {self.values}; allowed with {self.operator}: none; remove them")
        if self.operator in _COMPARISONS and not (count == 1 and self.values[0].isdecimal()):
            problems.append(
                f"has values {self.values}; allowed with {self.operator}: one whole number of 0 or more; write it so"
            )
        if self.operator == "In" and self.minValues is not None and count < self.minValues:
            problems.append(
                f"has minValues {self.minValues} and {count} values; allowed: no more than values; lower it"
            )
        unknown = sorted(set(self.values) - _CAPACITY_TYPES) if self.key == CAPACITY_TYPE else []
        if unknown:
            problems.append(
                f"has values {unknown}; allowed for {self.key}: on-demand, spot, reserved; write one of these"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self


class Taint(Part):
    key: Text
    value: str | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class NodeClassRef(Part):
    group: Text
    kind: Text
    name: Text


class TemplateMetadata(Part):
    labels: dict[str, str] = Field(default={}, description="keys and values of text")
    annotations: dict[str, str] = Field(default={}, description="keys and values of text")

    @field_validator("labels")
    @classmethod
    def labels_are_free_to_set(cls, value: dict[str, str]) -> dict[str, str]:
        problems = label_problems(value)
        for key in value:
            allowed = _restricted(key)
            if allowed is not None:
                problems.append(f"has the key {key!r}; allowed: {allowed}; choose another key")
        if problems:
            raise ValueError("\n".join(problems))
        return value


class TemplateSpec(Part):
    """expireAfter is forceful and ignores budgets; Karpenter's own default is 720h."""

    nodeClassRef: NodeClassRef
    requirements: list[Requirement] = Field(max_length=100, description="up to 100 requirements")
    taints: list[Taint] = Field(default=[], description="a list of taints")
    startupTaints: list[Taint] = Field(default=[], description="a list of taints")
    expireAfter: DurationOrNever | None = Field(
        default=None, description="hours, minutes and seconds, or Never", examples=["720h"]
    )
    terminationGracePeriod: Duration | None = Field(
        default=None, description="hours, minutes and seconds", examples=["24h"]
    )


class Template(Part):
    metadata: TemplateMetadata = TemplateMetadata()
    spec: TemplateSpec


class Budget(Part):
    """How many machines may be disrupted at a time, for these reasons; for all when none is named."""

    nodes: str = Field(
        pattern=r"^((100|[0-9]{1,2})%|[0-9]+)$", description="a count or a share, as text", examples=["'0' or '10%'"]
    )
    reasons: list[Literal["Underutilized", "Empty", "Drifted"]] | None = Field(default=None, max_length=50)
    schedule: str | None = Field(
        default=None,
        pattern=r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$",
        description="five cron fields in UTC, or @daily and its like",
        examples=["0 9 * * 1-5"],
    )
    duration: str | None = Field(
        default=None,
        pattern=r"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$",
        description="hours and minutes",
        examples=["8h"],
    )

    @model_validator(mode="after")
    def schedule_and_duration_go_together(self) -> Self:
        if (self.schedule is None) != (self.duration is None):
            has, lacks = ("schedule", "duration") if self.duration is None else ("duration", "schedule")
            raise ValueError(
                f"has {has} {getattr(self, has)!r} and no {lacks}; allowed: both or neither; "
                f"add {lacks} or remove {has}"
            )
        return self


class Disruption(Part):
    consolidationPolicy: Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"] | None = None
    consolidateAfter: DurationOrNever = Field(description="hours, minutes and seconds, or Never", examples=["5m"])
    budgets: list[Budget] | None = Field(default=None, max_length=50, description="up to 50 budgets")


class NodePool(Spec):
    """A pool with `replicas` is static: a fixed number of machines, whatever the jobs."""

    api_version: ClassVar[str] = "karpenter.sh/v1"
    kind: ClassVar[str] = "NodePool"

    template: Template
    disruption: Disruption | None = None
    limits: dict[str, Amount] = Field(default={}, description="amounts as text by resource", examples=["'8'"])
    weight: int | None = Field(default=None, ge=1, le=100, description="1 to 100", examples=[10])
    replicas: int | None = Field(default=None, ge=0, description="0 or more", examples=[2])

    @model_validator(mode="after")
    def static_pool_has_neither_weight_nor_other_limits(self) -> Self:
        problems: list[str] = []
        other: list[Any] = sorted(set(self.limits) - {"nodes"})
        if self.replicas is not None and self.weight is not None:
            problems.append(
                f"has replicas {self.replicas} and weight {self.weight}; allowed with replicas: no weight; remove one"
            )
        if self.replicas is not None and other:
            problems.append(
                f"has replicas {self.replicas} and limits for {', '.join(other)}; allowed with replicas: limits.nodes "
                "alone; remove the others"
            )
        if problems:
            raise ValueError("\n".join(problems))
        return self
