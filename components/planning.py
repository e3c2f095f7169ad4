"""Common parts of every cloud's planning: the prices it reads, and the mistakes it reports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Protocol

from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.errors import InputError

# Lustre slows down above 80 % full: 25 % more than the data size keeps it below.
HEADROOM = Decimal("1.25")
GIB_PER_TIB = 1024


class Prices(Protocol):
    """Prices for a plan. The program provides them: a plan chooses by them and reports them, but contains none. None if
    no price is known.
    """

    def storage_price(self, cloud: str, region: str, tier: int) -> Decimal | None:
        """USD per GiB-month of shared storage. tier: MB/s per TiB."""
        ...

    def storage_price_elsewhere(self, cloud: str, tier: int) -> Decimal | None:
        """The lowest price known in any region of the cloud, else of any other cloud: only for ranking tiers."""
        ...

    def machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
        """USD per hour of a machine. purchase: its kind as the spec names it."""
        ...

    def machines_usd(self, cloud: str, region: str) -> Mapping[str, Decimal]:
        """Every machine type with a price in the region, and its USD per hour on demand."""
        ...


class PlanError(InputError):
    """A spec that this cloud can't run as requested, or an object that Kubernetes would refuse, with every reason.

    problems: texts are about objects, which have no field of the spec.
    """

    def __init__(self, problems: Sequence[Problem | str]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(Problem("", one) if isinstance(one, str) else one for one in problems)


def lower_case_name(spec: ClusterSpec, stack: str) -> str:
    """The cluster's name on clouds with lower-case names; characters that only stack names allow become hyphens."""
    return re.sub(r"[^a-z0-9-]+", "-", f"{spec.name}-{stack}".lower()).rstrip("-")


def name_problems(cluster_name: str, *, service: str, longest: int) -> list[Problem]:
    """Problems of a cluster's name. longest: characters that the service accepts."""
    if len(cluster_name) <= longest:
        return []
    return [
        Problem(
            "name",
            f"and stack give the cluster name {cluster_name!r}",
            f"{service} allows {longest} characters: shorten one of them",
        )
    ]
