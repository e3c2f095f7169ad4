"""Versions of Kubernetes on the clouds, and what goes with each: EKS add-ons, GPU drivers, pods of a node."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.tables import rows
from gpucluster.core.catalog.versions import KnownVersion, known_versions

_MINOR = r"(\d+)\.(\d+)"


@functools.cache
def kubernetes_versions(cloud: str) -> Mapping[str, KnownVersion]:
    """Current and former minor versions on a cloud, oldest first."""
    found = known_versions().get(("kubernetes", cloud), ())
    return {one.version: one for one in sorted(found, key=lambda one: minor(one.version))}


def minor(version: str) -> tuple[int, int]:
    """The first two numbers of a version such as 1.35.2-gke.1842000. Raises ValueError if it has none."""
    found = re.match(_MINOR, version)
    if found is None:
        raise ValueError(f"{version!r} is not a Kubernetes version")
    return int(found[1]), int(found[2])


def default_driver(cloud: str, kubernetes: str) -> str | None:
    """The branch, such as 580; None without a source."""
    return _table().get((cloud, kubernetes))


@functools.cache
def _table() -> Mapping[tuple[str, str], str]:
    return {(row["cloud"], row["kubernetes"]): row["driver"] for row in rows("gpu_drivers")}


@dataclass(frozen=True, kw_only=True)
class Builds:
    """Recorded builds of one add-on for one version of Kubernetes, the default of that day first: EKS has more builds
    and publishes no list of all (`aws eks describe-addon-versions` prints it). pinned: None if clusters get the choice
    of EKS.
    """

    recorded: tuple[str, ...]
    pinned: str | None


def eks_addons() -> tuple[str, ...]:
    """Names of the add-ons of a cluster."""
    return tuple(sorted({addon for addon, _ in _eks_table()}))


def builds_of(addon: str, kubernetes: str) -> Builds:
    """Recorded builds of an add-on. kubernetes: a minor version."""
    return _eks_table().get((addon, kubernetes), Builds(recorded=(), pinned=None))


@functools.cache
def _eks_table() -> Mapping[tuple[str, str], Builds]:
    found = dict[tuple[str, str], Builds]()
    for (kind, addon), builds in known_versions().items():
        for one in builds if kind == "add-on" else ():
            old = found.get((addon, one.kubernetes), Builds(recorded=(), pinned=None))
            pinned = one.version if one.pin == "here" else old.pinned
            found[addon, one.kubernetes] = Builds(recorded=(*old.recorded, one.version), pinned=pinned)
    return found


_KUBELET: Final = 110
"""The kubelet's default, for machines that are not in `eks_pods.csv`.

Source: awslabs/amazon-eks-ami 81fec2e8, nodeadm/internal/kubelet/eni_max_pods.go.
"""


def eks_pods(machine_type: str) -> int:
    """Maximum pods of a node: an address for each except the first of an interface, and two that need none."""
    return _eks_pods_table().get(machine_type, _KUBELET)


@functools.cache
def _eks_pods_table() -> Mapping[str, int]:
    return {row["machine_type"]: int(row["interfaces"]) * (int(row["addresses"]) - 1) + 2 for row in rows("eks_pods")}
