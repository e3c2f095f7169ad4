"""GKE's objects for the additional networks of a node, `networking.gke.io/v1`, as far as device networks go.

Source: GKE documentation, "Set up multi-network support for Pods" and "Maximize GPU network bandwidth in Standard mode
clusters" (GKENetworkParamSet, Network, their device modes, and 41 characters for the name of a device network).
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from gpucluster.components.kubernetes.objects import Later, Part, Spec, Text
from gpucluster.components.kubernetes.syntax import name_problem

__all__ = ["GKENetworkParamSet", "Network"]

_LONGEST_NAME = 41

# A network or subnet as Compute Engine names it (RFC 1035), not a link to it.
_Name = Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"), Later]
_NAME = "the name of one, not a link: 1 to 63 lower-case letters, digits and hyphens, a letter first"


class GKENetworkParamSet(Spec):
    """The network and subnet behind one interface. deviceMode: NetDevice for gVNIC, RDMA for the cards of RoCE."""

    api_version: ClassVar[str] = "networking.gke.io/v1"
    kind: ClassVar[str] = "GKENetworkParamSet"

    vpc: _Name = Field(description=_NAME, examples=["trial-gpu-0"])
    vpcSubnet: _Name = Field(description=_NAME, examples=["trial-gpu-0"])
    deviceMode: Literal["NetDevice", "RDMA"]

    @classmethod
    def name_problem(cls, name: str) -> str | None:
        return name_problem(name, longest=_LONGEST_NAME)


class ParametersRef(Part):
    group: Literal["networking.gke.io"]
    kind: Literal["GKENetworkParamSet"]
    name: Text


class Network(Spec):
    """What pods name in their annotation `networking.gke.io/interfaces`."""

    api_version: ClassVar[str] = "networking.gke.io/v1"
    kind: ClassVar[str] = "Network"

    type: Literal["Device"]
    parametersRef: ParametersRef

    @classmethod
    def name_problem(cls, name: str) -> str | None:
        return name_problem(name, longest=_LONGEST_NAME)
