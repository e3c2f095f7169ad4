"""The file system for small files on clouds that bill its provisioned size. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpucluster.components.planning.planning import HEADROOM, Planning
from gpucluster.components.spec.storage import HomeStorage


@dataclass(frozen=True, kw_only=True)
class HomePlan:
    """capacity_gib: provisioned and billed, GiB. expected_gib: average GiB stored, as the spec states."""

    capacity_gib: int
    expected_gib: Decimal
    protect: bool


def home_part(home: HomePlan | None, service: str) -> str:
    """A description to print."""
    if home is None:
        return "none"
    return f"{service} for small files, {home.capacity_gib:,} GiB for {home.expected_gib} GiB"


def plan_home_files(
    home: HomeStorage, planning: Planning[Any], *, capacity_gib: int, most_gib: int, service: str, store: str
) -> HomePlan:
    """capacity_gib: that holds the expected size plus headroom. most_gib: that the service, or one share of it, holds.
    store: the service's name in notes.
    """
    if home.expected_gib * HEADROOM > most_gib:
        fix = f"{service} holds at most {most_gib:,} GiB, including 25 % headroom: request less"
        planning.refuse("storage.home.expected_gib", f"is {home.expected_gib:,}", fix)
    planning.notes.append(
        f"home folders: {store} is billed by its provisioned size, {capacity_gib:,} GiB, not by stored data"
    )
    return HomePlan(capacity_gib=capacity_gib, expected_gib=home.expected_gib, protect=home.protect)
