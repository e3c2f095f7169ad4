"""The values we set in each chart. Helm ignores a value it does not know, so a misspelt one would silently do nothing.

Sources: values.yaml of the charts in `charts.py`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from components.kubernetes.objects import Part, Text

__all__ = ["DevicePlugin", "Karpenter", "NoValues"]


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
