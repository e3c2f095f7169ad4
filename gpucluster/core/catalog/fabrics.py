"""Compatible versions for jobs on a GPU fabric: `fabric_releases.csv`.

A row is a release: of plugin, daemon, NCCL and the images that load them. The first row of a machine is the default
of clusters. Empty columns: no source, or not applicable.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from packaging.version import Version

from gpucluster.core.catalog.machines import Machine, machines
from gpucluster.core.catalog.tables import Row, rows

LIKE_TCP: Final = 0.1
"""Share of a fabric's line rate: TCP over the host's own interface stays below it, whatever the fabric supports."""


@dataclass(frozen=True, kw_only=True)
class FabricRelease:
    """One row.

    machines: those it supports, none for all of the fabric. plugin, daemon: with their version after the last colon;
    on Google Cloud images. nccl: the plugin's version, empty if the job image's own is used. nccl_net: value of
    NCCL_NET, without which NCCL falls back to TCP if it does not find the plugin. cuda: required major version of a
    job's image, as the plugin loads its libcudart. torch_below: PyTorch from this version on needs functions that
    nccl lacks. driver: the branch that GKE installs, default or latest; empty on other clouds. driver_from,
    driver_below: versions of the GPU driver. kubernetes_from: version of Kubernetes. topology, topology_sha256:
    NCCL's description of the machine, as in its source. waits_for: the resource that a node has only with its fabric,
    or its folder with an entry for each network card. pytorch, mpi: base images of jobs. tests: folder of NCCL's
    tests in mpi.
    """

    fabric: str
    machines: tuple[str, ...]
    plugin: str
    daemon: str
    nccl: str
    nccl_net: str
    cuda: int | None
    torch_below: str
    driver: str
    driver_from: str
    driver_below: str
    kubernetes_from: str
    topology: str
    topology_sha256: str
    waits_for: str
    pytorch: str
    mpi: str
    tests: str

    @property
    def plugin_version(self) -> str:
        return self.plugin.partition("@")[0].rpartition(":")[2]

    @property
    def drivers(self) -> str:
        """The supported versions of the GPU driver as text; empty for any."""
        least, end = self.driver_from and f"from {self.driver_from}", self.driver_below and f"below {self.driver_below}"
        return " ".join(filter(None, (least, end)))

    def driven_by(self, driver: str) -> bool:
        """Whether the release supports a branch of the GPU driver, such as 580, or a version of it."""
        least, end = (Version(text).release if text else None for text in (self.driver_from, self.driver_below))
        have = Version(driver).release
        return (least is None or have >= least[: len(have)]) and (end is None or have < end)


def releases_of(machine: Machine) -> tuple[FabricRelease, ...]:
    """The releases for a machine, the clusters' default first. Rows that name the machine replace those of its
    fabric.
    """
    found = _releases().get(machine.fabric, ())
    own = tuple(release for release in found if machine.machine_type in release.machines)
    return own or tuple(release for release in found if not release.machines)


def release_of(machine: Machine, named: str | None = None) -> FabricRelease:
    """The clusters' default release, or the one whose plugin has this version."""
    return next(one for one in releases_of(machine) if named in (None, one.plugin_version))


def none_release() -> FabricRelease:
    """The release of nodes without fabric: the images of jobs."""
    return _releases()["none"][0]


@functools.cache
def _releases() -> dict[str, Sequence[FabricRelease]]:
    found: dict[str, list[FabricRelease]] = {}
    for row in rows("fabric_releases"):
        found.setdefault(row["fabric"], []).append(_release(row))
    return dict(found)


def _release(row: Row) -> FabricRelease:
    named = tuple(row["machines"].split())
    if unknown := [name for name in named if name not in machines()]:
        raise row.bad(
            "machines",
            f"{', '.join(unknown)} has no row in gpucluster/core/catalog/machines.csv; add it or remove it here",
        )
    if bool(row["topology"]) != bool(row["topology_sha256"]):
        raise row.bad("topology_sha256", "write the SHA-256 of the file in topology, or leave both empty")
    if row["cuda"] and not row["cuda"].isdecimal():
        raise row.bad("cuda", "write a whole number, or leave it empty")
    if row["torch_below"] and not re.fullmatch(r"\d[.]\d", row["torch_below"]):
        raise row.bad("torch_below", "write two numbers of one digit, as in 2.7, or leave it empty")
    if row["driver"] not in ("", "default", "latest"):
        raise row.bad("driver", "write default or latest, or leave it empty")
    texts = {column: row[column] for column in row if column not in ("machines", "cuda", "source", "as_of")}
    return FabricRelease(machines=named, cuda=int(row["cuda"]) if row["cuda"] else None, **texts)


Kind = Literal["TCPX", "TCPXO", "RoCE"]

MTU: Final = 8896
"""Maximum of a VPC network, used by clusters without a GPU fabric. Source: VPC documentation, "Maximum transmission
unit"."""


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """GPU network of multi-node jobs on a machine type.

    name: for texts. host_networks: additional networks before those of the GPUs. gpu_networks: those of the GPUs:
    VPCs, with RoCE subnets of one VPC. device_mode: of the GPU networks. mtu: of the GPU networks, bytes; with
    TCPX and TCPXO of the cluster's own network too.
    """

    kind: Kind
    name: str
    host_networks: int
    gpu_networks: int
    device_mode: Literal["NetDevice", "RDMA"]
    mtu: int

    @property
    def networks(self) -> int:
        """The additional networks of a node."""
        return self.host_networks + self.gpu_networks

    @property
    def device_modes(self) -> tuple[str, ...]:
        """The device mode of each additional network, in the order of a node's interfaces."""
        return (*("NetDevice",) * self.host_networks, *(self.device_mode,) * self.gpu_networks)


def fabric_of(machine: Machine) -> Fabric | None:
    """The fabric of a machine, None if its nodes only have the network interface of every machine."""
    found = _fabrics().get(machine.fabric)
    return None if found is None else replace(found, gpu_networks=machine.network_cards)


@functools.cache
def _fabrics() -> Mapping[str, Fabric]:
    return {
        row["fabric"]: Fabric(
            kind=cast(Kind, row["fabric"]),
            name=row["name"],
            host_networks=int(row["host_networks"]),
            gpu_networks=0,
            device_mode=cast(Any, row["device_mode"]),
            mtu=int(row["mtu"]),
        )
        for row in rows("gpudirect")
    }


CUDA: Final = "cu(?:da)?-?(1[0-9])"
"""Regular expression of a CUDA major in a tag."""


@dataclass(frozen=True, kw_only=True)
class DatedTag:
    """One row. image: its path in every registry and mirror."""

    image: str
    tag_from: str
    cuda: int
    torch: str


def dated_tags() -> tuple[DatedTag, ...]:
    """Every row, oldest of an image first."""
    return tuple(
        DatedTag(image=row["image"], tag_from=row["tag_from"], cuda=int(row["cuda"]), torch=row["torch"])
        for row in rows("image_tags")
    )


def torch_from(version: str) -> str:
    """Regular expression for the names of PyTorch's own images from a version on, such as 2.7, of one digit each."""
    major, minor = map(int, version.split("."))
    return f"(?:^|/)pytorch/pytorch:(?:{major}[.](?:[{minor}-9]|[1-9][0-9])|[{major + 1}-9][.])"
