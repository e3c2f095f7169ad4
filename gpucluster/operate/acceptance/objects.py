"""Kubernetes objects, as far as a measurement reads them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, cast

from pydantic import BaseModel, BeforeValidator, Field, model_validator


def _without_nulls(value: Any) -> Any:
    """As Kubernetes reads it: null is as good as absent."""
    if not isinstance(value, dict):
        return value
    return {key: inner for key, inner in cast(dict[str, Any], value).items() if inner is not None}


class _Object(BaseModel):
    """A part of an object."""

    @model_validator(mode="before")
    @classmethod
    def _present(cls, value: Any) -> Any:
        return _without_nulls(value)


_Texts = Annotated[dict[str, str], BeforeValidator(_without_nulls)]


class Metadata(_Object):
    """The name of an object."""

    name: str = ""
    namespace: str = ""
    labels: _Texts = {}


class NodeSpec(_Object):
    """provider_id: of its machine, in the cloud's terms."""

    provider_id: str = Field(default="", alias="providerID")
    unschedulable: bool = False


class NodeStatus(_Object):
    """info: Kubernetes' nodeInfo."""

    info: _Texts = Field(default={}, alias="nodeInfo")


class NodeObject(_Object):
    """A node."""

    kind: Literal["Node"] = "Node"
    metadata: Metadata = Metadata()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class NodeList(_Object):
    """`kubectl get nodes -o json`."""

    items: list[NodeObject]


class Resources(_Object):
    """limits: quantities by name."""

    limits: dict[str, Any] = {}


class Container(_Object):
    """A container of a pod."""

    resources: Resources = Resources()


class PodSpec(_Object):
    """node: where it is scheduled, empty before."""

    node: str = Field(default="", alias="nodeName")
    hostname: str = ""
    containers: list[Container] = []


class PodStatus(_Object):
    """The phase of a pod."""

    phase: str = "Unknown"


class Pod(_Object):
    """A pod."""

    metadata: Metadata
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()


class PodList(_Object):
    """`kubectl get pods -o json`."""

    items: list[Pod]


class Condition(_Object):
    """A condition of a job."""

    type: str = ""
    status: str = ""


class JobStatus(_Object):
    """The conditions of a job."""

    conditions: list[Condition] = []


class Job(_Object):
    """A Job or TrainJob."""

    status: JobStatus = JobStatus()


_SCALES: Final = {
    **{suffix: 10 ** (3 * power) for power, suffix in enumerate(("", "k", "M", "G", "T", "P", "E"))},
    **{suffix: 2 ** (10 * power) for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)},
}


def _units(value: Any) -> Any:
    """The API server writes 8000 as 8k, and 1.5 as 1500m."""
    found = re.fullmatch(r"(\d{1,19})([kMGTPE]|[KMGTPE]i|m)?", value) if isinstance(value, str) else None
    if found is None:
        return value
    return int(found[1]) // 1000 if found[2] == "m" else int(found[1]) * _SCALES[found[2] or ""]


class Quota(_Object):
    """nominal: whole units of a resource, rounded down."""

    name: str
    nominal: Annotated[int, BeforeValidator(_units)] = Field(alias="nominalQuota")


class Flavor(_Object):
    """The quotas of one kind of node."""

    resources: list[Quota]


class ResourceGroup(_Object):
    """Resources with the same flavors."""

    flavors: list[Flavor]


class QueueSpec(_Object):
    """The quotas of a queue. checks: other conditions that a job waits for, such as nodes that start for it."""

    groups: list[ResourceGroup] = Field(alias="resourceGroups")
    checks: dict[str, Any] = Field(default_factory=dict, alias="admissionChecksStrategy")


class ClusterQueue(_Object):
    """Kueue's ClusterQueue."""

    spec: QueueSpec
