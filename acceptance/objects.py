"""Kubernetes objects, as far as a measurement reads them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

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


class Quota(_Object):
    """nominal: whole units of a resource."""

    name: str
    nominal: int = Field(alias="nominalQuota")


class Flavor(_Object):
    """The quotas of one kind of node."""

    resources: list[Quota]


class ResourceGroup(_Object):
    """Resources with the same flavors."""

    flavors: list[Flavor]


class QueueSpec(_Object):
    """The quotas of a queue."""

    groups: list[ResourceGroup] = Field(alias="resourceGroups")


class ClusterQueue(_Object):
    """Kueue's ClusterQueue."""

    spec: QueueSpec
