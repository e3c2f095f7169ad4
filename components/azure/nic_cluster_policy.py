"""The Network Operator's NicClusterPolicy, `mellanox.com/v1alpha1`: the driver of the InfiniBand cards, and the plugin
by which pods ask for them.

Source: Mellanox/network-operator v26.4.0, api/v1alpha1/nicclusterpolicy_types.go and validator/nicpolicy_webhook.go.
"""

import json
import re
from typing import Annotated, Any, ClassVar, Final, cast

from pydantic import Field, field_validator

from gpucluster.components.kubernetes.chart_values import Toleration
from gpucluster.components.kubernetes.node_affinity import NodeAffinity
from gpucluster.components.kubernetes.objects import Part, Spec, Text

__all__ = ["NAME", "NicClusterPolicy"]

NAME: Final = "nic-cluster-policy"
"""The operator ignores a policy of any other name."""

_RESOURCE: Final = re.compile(r"[a-zA-Z0-9_]+")

_Repository = Annotated[str, Field(pattern=r"^[a-zA-Z0-9.\-/]+$")]
_ImageName = Annotated[str, Field(pattern=r"^[a-zA-Z0-9\-]+$")]


class Image(Part):
    """All three are given: without a version the operator takes the newest it knows."""

    repository: _Repository = Field(description="a registry and a path: letters, digits, -, . and /")
    image: _ImageName = Field(description="letters, digits and -")
    version: Text


class Variable(Part):
    name: Text
    value: str


class Drain(Part):
    """timeoutSeconds: before it gives up; 0 for never. force, deleteEmptyDir: also pods that nothing starts again, and
    pods whose local data are lost.
    """

    enable: bool = Field(description="true or false")
    force: bool = Field(description="true or false")
    deleteEmptyDir: bool = Field(description="true or false")
    timeoutSeconds: int = Field(ge=0, description="0 or more seconds", examples=[300])


class UpgradePolicy(Part):
    """maxParallelUpgrades: nodes at a time; 0 is all at once."""

    autoUpgrade: bool = Field(description="true or false")
    maxParallelUpgrades: int = Field(ge=1, description="1 or more nodes: 0 would be all at once", examples=[1])
    drain: Drain


class Probe(Part):
    """In seconds."""

    initialDelaySeconds: int = Field(ge=0, description="0 or more seconds", examples=[10])
    periodSeconds: int = Field(ge=1, description="1 or more seconds", examples=[30])


class OfedDriver(Image):
    """forcePrecompiled: false builds the driver on a node whose kernel no image was built for."""

    env: list[Variable] = Field(default=[], description="a list of names and values")
    forcePrecompiled: bool = Field(description="true or false")
    upgradePolicy: UpgradePolicy
    startupProbe: Probe
    livenessProbe: Probe
    readinessProbe: Probe


class DevicePlugin(Image):
    """config: JSON, as the plugin reads it."""

    config: str = Field(description="JSON with a resourceList")

    @field_validator("config")
    @classmethod
    def config_lists_infiniband_resources(cls, value: str) -> str:
        """A plugin without this selector offers the Ethernet interface of every Azure machine as well."""
        problems = _config_problems(value)
        if problems:
            raise ValueError("\n".join(problems))
        return value


def _config_problems(config: str) -> list[str]:
    try:
        document: Any = json.loads(config)
    except ValueError:
        return ["is no JSON; allowed: JSON with a resourceList; correct it"]
    found: Any = cast("dict[str, Any]", document).get("resourceList") if isinstance(document, dict) else None
    if not isinstance(found, list) or not found:
        return ["has no resourceList; allowed: at least one resource; add it"]
    problems: list[str] = []
    for index, item in enumerate(cast("list[dict[str, Any]]", found)):
        name, selectors = item.get("resourceName"), item.get("selectors", {})
        if not isinstance(name, str) or not _RESOURCE.fullmatch(name):
            problems.append(
                f"has resourceList[{index}].resourceName {name!r}; allowed: letters, digits and _; change it"
            )
        if selectors.get("linkTypes") != ["infiniband"]:
            problems.append(
                f"has resourceList[{index}].selectors.linkTypes {selectors.get('linkTypes')!r}; allowed: "
                "['infiniband']; write that, or pods get the Ethernet interface"
            )
        if selectors.get("isRdma") is not True:
            problems.append(
                f"has resourceList[{index}].selectors.isRdma {selectors.get('isRdma')!r}; allowed: true; write true, "
                "or pods get no /dev/infiniband"
            )
    return problems


class NicClusterPolicy(Spec):
    """nodeAffinity: without it the driver goes onto every machine, for each has a card of NVIDIA's for Ethernet.

    sriovDevicePlugin: without it only privileged pods reach the cards.
    """

    api_version: ClassVar[str] = "mellanox.com/v1alpha1"
    kind: ClassVar[str] = "NicClusterPolicy"

    nodeAffinity: NodeAffinity
    tolerations: list[Toleration] = Field(description="a list of tolerations")
    ofedDriver: OfedDriver
    sriovDevicePlugin: DevicePlugin

    @classmethod
    def name_problem(cls, name: str) -> str | None:
        return None if name == NAME else NAME
