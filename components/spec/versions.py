"""Which versions a cluster has, in the words of a spec. Imports no Pulumi."""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from gpucluster.components.spec.model import Model

_MINOR: Final = r"^[1-9]\d*\.(0|[1-9]\d*)$"
# A minor version, a patch version, a release of EKS' images, or a version of GKE's.
_NODES: Final = r"^[1-9]\d*\.\d+(\.\d+(-\d{8}|-gke\.\d+)?)?$"

DEFAULT: Final = "default"
"""Of an add-on: the build that EKS chooses."""

Support = Literal["standard", "extended"]


def _minor(value: str) -> str:
    if not re.fullmatch(_MINOR, value):
        raise ValueError("is not a minor version of Kubernetes; write one in quotes, such as '1.35'")
    return value


def _nodes(value: str) -> str:
    if not re.fullmatch(_NODES, value):
        raise ValueError(
            "is not a version of nodes; write one in quotes, such as '1.35', 1.35.2-20260714 or 1.35.2-gke.1"
        )
    return value


_Minor = Annotated[str, AfterValidator(_minor), WithJsonSchema({"type": "string", "pattern": _MINOR})]
_Nodes = Annotated[str, AfterValidator(_nodes), WithJsonSchema({"type": "string", "pattern": _NODES})]


class Versions(Model):
    """Versions of the cluster's parts; default: those of this release of gpucluster."""

    kubernetes: _Minor | None = Field(
        default=None,
        description="Minor version of the control plane; upgrade one minor version at a time",
        examples=["1.35"],
    )
    system: _Nodes | None = Field(
        default=None,
        description="Version of the CPU nodes, written as for `nodes`; default: the version they were created with. "
        "Not on Azure, where a command of `gpucluster upgrade --plan` changes it",
        examples=["1.35"],
    )
    nodes: _Nodes | None = Field(
        default=None,
        description="Version of all training and MIG nodes: a minor version or, which pins kernel and driver, the "
        "release of the image on AWS (1.35.2-20260714) or the version on Google Cloud (1.35.2-gke.1842000); default: "
        "the version they were created with, on Azure that of the control plane",
        examples=["1.35"],
    )
    image: str | None = Field(
        default=None,
        description="Id of a node pool snapshot on Azure: the training nodes keep its image, with kernel and Lustre "
        "client; `nodes` is its version of Kubernetes. `gpucluster upgrade --plan` prints how to take one",
        examples=[
            "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/images/providers"
            "/Microsoft.ContainerService/snapshots/trial-1-36"
        ],
    )
    charts: str | None = Field(
        default=None,
        description="Set of charts; a release of gpucluster with another set is refused",
        examples=["2026-11.2"],
    )
    fabric: str | None = Field(
        default=None,
        description="Release of the training nodes' GPU fabric on Google Cloud, by the version of its plugin; "
        "default: the first of those in `gpucluster/core/catalog/fabric_releases.csv`",
        examples=["v1.0.16"],
    )
    addons: dict[str, str] = Field(
        default_factory=dict,
        description="Builds of EKS add-ons by name; `default`: the build that EKS chooses when it creates the add-on; "
        "left out: the one of this release of gpucluster, or the choice of EKS",
        examples=[{"coredns": "v1.13.2-eksbuild.31"}],
    )
    support: Support = Field(
        default="standard",
        description="extended: the cloud's long-term support, at its price (EKS extended support, GKE's Extended "
        "channel, AKS' Premium tier)",
    )
