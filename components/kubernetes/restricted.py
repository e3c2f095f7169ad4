"""What a pod says of itself to be let into a namespace that enforces the standard `restricted`.

Source: Kubernetes documentation, "Pod Security Standards".
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import Field

from gpucluster.components.kubernetes.objects import Part, Text

__all__ = ["CONTAINER", "ContainerSecurity", "PodSecurity", "pod"]


class PodSecurity(Part):
    """Of a pod that meets the standard `restricted`."""

    runAsNonRoot: Literal[True]
    runAsUser: int = Field(ge=1, description="the number of a user who is not root")
    seccompProfile: dict[str, Text]


class DroppedCapabilities(Part):
    drop: list[Text]


class ContainerSecurity(Part):
    """Of a container that meets the standard `restricted`."""

    allowPrivilegeEscalation: Literal[False]
    capabilities: DroppedCapabilities


CONTAINER: Final[Mapping[str, Any]] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def pod(user: int) -> dict[str, Any]:
    """user: the number of the one its image runs as."""
    return {"runAsNonRoot": True, "runAsUser": user, "seccompProfile": {"type": "RuntimeDefault"}}
