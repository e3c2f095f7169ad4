"""The values we set in each chart. Helm ignores a value it does not know, so a misspelt one would silently do nothing.

Sources: values.yaml of the charts in `charts.py`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from components.kubernetes.objects import Part, Text

__all__ = ["DevicePlugin", "Karpenter", "KarpenterGcp", "NoValues"]


class NoValues(Part):
    """A chart taken as it is."""


class Image(Part):
    """Where an image comes from, when not from its usual registry."""

    repository: Text


class Toleration(Part):
    key: Text | None = None
    operator: Literal["Exists", "Equal"] = "Equal"
    value: Text | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None


class DevicePlugin(Part):
    """The NVIDIA and the EFA device plugin alike."""

    nodeSelector: dict[str, str] = Field(description="labels of the nodes it runs on")
    tolerations: list[Toleration] = Field(description="a list of tolerations")
    image: Image | None = None


class FeatureGates(Part):
    """Karpenter's own defaults: reservedCapacity on, the others off."""

    nodeRepair: bool | None = None
    reservedCapacity: bool | None = None
    staticCapacity: bool | None = None


class KarpenterSettings(Part):
    """isolatedVPC: no way to AWS but by endpoints, so prices are not looked up."""

    clusterName: Text
    clusterEndpoint: Text
    interruptionQueue: Text
    isolatedVPC: bool | None = None
    featureGates: FeatureGates | None = None


class ServiceAccount(Part):
    name: Text


class Controller(Part):
    image: Image


class Karpenter(Part):
    settings: KarpenterSettings
    serviceAccount: ServiceAccount
    controller: Controller | None = None


class GcpSettings(Part):
    """clusterLocation: the region its machine types are looked up in; nodeLocation: where GKE has the cluster, where
    that is a zone. defaultNodePoolTemplateName: the node pool whose start-up data its machines take.
    """

    projectID: Text
    clusterLocation: Text
    nodeLocation: Text | None = None
    clusterName: Text
    defaultNodePoolTemplateName: Text | None = None
    defaultNodepoolServiceAccount: Text | None = None


class GcpController(Part):
    settings: GcpSettings
    image: Image | None = None


class GcpCredentials(Part):
    """enabled: a key in a secret; the chart's default is true."""

    enabled: bool = Field(description="true or false")


class GcpServiceAccount(Part):
    name: Text
    annotations: dict[str, Text] = Field(description="keys and values of text")


class KarpenterGcp(Part):
    controller: GcpController
    credentials: GcpCredentials
    serviceAccount: GcpServiceAccount
