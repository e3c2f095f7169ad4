"""Builds of EKS add-ons by version of Kubernetes: `eks_addons.csv`.

Columns: add-on; version of Kubernetes; a build that EKS offers for it in commercial regions, the default of that day
first; whether clusters get it unless they choose another. EKS has more builds and publishes no list of all: `aws eks
describe-addon-versions` prints it.

Columns: interfaces of its first network card, IPv4 addresses of each. Nodes of machines outside the
table use the kubelet's default.
Source: awslabs/amazon-eks-ami 81fec2e8, nodeadm/internal/kubelet/eni_max_pods.go.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.tables import rows


@dataclass(frozen=True, kw_only=True)
class Builds:
    """Recorded builds of one add-on for one version of Kubernetes. pinned: None if clusters get the choice of EKS."""

    recorded: tuple[str, ...]
    pinned: str | None


def eks_addons() -> tuple[str, ...]:
    """Names of the add-ons of a cluster."""
    return tuple(sorted({addon for addon, _ in _table()}))


def builds_of(addon: str, kubernetes: str) -> Builds:
    """Recorded builds of an add-on. kubernetes: a minor version."""
    return _table().get((addon, kubernetes), Builds(recorded=(), pinned=None))


@functools.cache
def _table() -> Mapping[tuple[str, str], Builds]:
    found = dict[tuple[str, str], Builds]()
    for row in rows("eks_addons"):
        key = (row["addon"], row["kubernetes"])
        old = found.get(key, Builds(recorded=(), pinned=None))
        pinned = row["build"] if row["pinned"] == "yes" else old.pinned
        found[key] = Builds(recorded=(*old.recorded, row["build"]), pinned=pinned)
    return found


_KUBELET: Final = 110


def eks_pods(machine_type: str) -> int:
    """Maximum pods of a node: an address for each except the first of an interface, and two that need none."""
    return _eks_pods_table().get(machine_type, _KUBELET)


@functools.cache
def _eks_pods_table() -> Mapping[str, int]:
    return {row["machine_type"]: int(row["interfaces"]) * (int(row["addresses"]) - 1) + 2 for row in rows("eks_pods")}
