"""A spec's promises of its cluster, as far as logs can prove them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gpucluster.components.spec.cluster import ClusterSpec


@dataclass(frozen=True)
class Promise:
    """field: its path in the spec."""

    value: Decimal
    field: str


@dataclass(frozen=True, kw_only=True)
class Promises:
    """bus_gb_per_s: number of nodes -> bus bandwidth of a ring, GB/s. storage_gb_per_s: GB/s of all nodes together.

    files_per_s: small files per second of all nodes together. replacement_hours: until a broken node has a successor.
    """

    bus_gb_per_s: Mapping[int, Promise] = field(default_factory=dict[int, Promise])
    storage_gb_per_s: Promise | None = None
    files_per_s: Promise | None = None
    replacement_hours: Promise | None = None


def promises_of(spec: ClusterSpec) -> Promises:
    """The spec's `promises`; for storage, its requested values if nothing more is promised."""
    given, asked = spec.promises, spec.storage.shared.gb_per_s
    storage = given.storage_gb_per_s if given else None
    by_storage = Promise(asked, "storage.shared.gb_per_s") if asked else None
    return Promises(
        bus_gb_per_s={
            nodes: Promise(speed, f"promises.bus_gb_per_s.{nodes}")
            for nodes, speed in (given.bus_gb_per_s if given else {}).items()
        },
        storage_gb_per_s=by_storage if storage is None else Promise(storage, "promises.storage_gb_per_s"),
        files_per_s=_promise(given.files_per_s if given else None, "files_per_s"),
        replacement_hours=_promise(given.replacement_hours if given else None, "replacement_hours"),
    )


def _promise(value: Decimal | None, name: str) -> Promise | None:
    return None if value is None else Promise(value, f"promises.{name}")
