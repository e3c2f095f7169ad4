"""What belongs together for a GPU fabric to carry a job: `fabric_releases.csv`.

A row is a release: of plugin, daemon, NCCL and the images that load them. The first row of a machine is the one that
clusters get. Columns that are empty: no source says it, or there is no such thing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Final

from gpucluster.catalog.machines import Machine, machines
from gpucluster.catalog.rows import Row, rows
from gpucluster.record import record

LIKE_TCP: Final = 0.1
"""Of a fabric's line rate: below is where TCP over the host's own interface ends up, whatever the fabric could do."""


@record(kw_only=True)
class FabricRelease:
    """One row.

    machines: those it is for, none for all of the fabric. plugin, daemon: with their version after the last colon; on
    Google Cloud images. nccl: the version that the plugin brings, empty where that of the job's image stays. nccl_net:
    value of NCCL_NET, without which NCCL goes on over TCP where it does not find the plugin. cuda: major version that a
    job's image must have, for the plugin loads its libcudart. torch_below: PyTorch from this version on needs functions
    that nccl lacks. driver_from, driver_below: versions of the GPU driver. kubernetes_from: version of Kubernetes.
    topology, topology_sha256: NCCL's description of the machine, as its source has it. waits_for: the resource that a
    node has only with its fabric, or its folder with an entry for each network card. pytorch, mpi: images that jobs
    start from. tests: folder of NCCL's tests in mpi.
    """

    fabric: str
    machines: tuple[str, ...]
    plugin: str
    daemon: str
    nccl: str
    nccl_net: str
    cuda: int | None
    torch_below: str
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
        return self.plugin.rpartition(":")[2]

    def driven_by(self, driver: str) -> bool:
        """Whether a branch of the GPU driver, such as 580, or a version of it has versions that the release takes."""
        least, end = (version(text) if text else None for text in (self.driver_from, self.driver_below))
        have = version(driver)
        return (least is None or have >= least[: len(have)]) and (end is None or have < end)


def version(text: str) -> tuple[int, ...]:
    """A version as numbers that compare."""
    return tuple(map(int, text.split(".")))


def releases_of(machine: Machine) -> tuple[FabricRelease, ...]:
    """The releases for a machine, the one that clusters get first. A row that names the machine stands before those of
    its fabric.
    """
    found = _releases().get(machine.fabric, ())
    own = tuple(release for release in found if machine.machine_type in release.machines)
    return own or tuple(release for release in found if not release.machines)


def release_of(machine: Machine, named: str | None = None) -> FabricRelease:
    """The release that clusters get, or the one whose plugin has this version, which is one of theirs."""
    return next(one for one in releases_of(machine) if named in (None, one.plugin_version))


def none_release() -> FabricRelease:
    """Where nodes have no fabric: the images of jobs."""
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
        raise row.bad("machines", f"{', '.join(unknown)} has no row in catalog/machines.csv; add it or remove it here")
    if bool(row["topology"]) != bool(row["topology_sha256"]):
        raise row.bad("topology_sha256", "write the SHA-256 of the file in topology, or leave both empty")
    if row["cuda"] and not row["cuda"].isdecimal():
        raise row.bad("cuda", "write a whole number, or leave it empty")
    if row["torch_below"] and not re.fullmatch(r"\d[.]\d", row["torch_below"]):
        raise row.bad("torch_below", "write two numbers of one digit, as in 2.7, or leave it empty")
    texts = {column: row[column] for column in row if column not in ("machines", "cuda", "source", "as_of")}
    return FabricRelease(machines=named, cuda=int(row["cuda"]) if row["cuda"] else None, **texts)
