"""Specs with Slurm as the training pack judges them and as they are priced: it finds what it finds of the same cluster
with queues, and only a volume costs more.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from gpucluster.core.program.resources import Resources
from gpucluster.cost import estimate
from tools.pages.examples import ROOT, Example, declared
from tools.pages.mistakes import found

pytestmark = [pytest.mark.slow]

QUEUES: Final[dict[str, Any]] = {"scheduler": "kueue", "slurm_pools": [], "slurm_accounting": False}
SLURM: Final[dict[str, Any]] = {**QUEUES, "scheduler": "slurm"}
BOTH: Final[dict[str, Any]] = {**QUEUES, "scheduler": "both", "slurm_pools": ["training"]}
RECORDED: Final[dict[str, Any]] = {**SLURM, "slurm_accounting": True}
FINDINGS: Final = {
    "aws": set[tuple[str, str, str]](),
    "gcp": {
        (
            "not-known-yet",
            "slurm-training-nodes",
            "fabric-interfaces-complete not evaluated: the GKENetworkParamSets of its networks are not known yet",
        )
    },
    "azure": {
        (
            "not-known-yet",
            "slurm-control-plane-cluster",
            "control-plane-not-open not evaluated: ranges that reach its endpoint: 1 of 2 not known yet",
        )
    },
}
"""Of a first preview."""
VOLUMES: Final = {
    "aws": {"state": "0.32", "database": "1.28"},
    "gcp": {"state": "0.40", "database": "1.60"},
    "azure": {"state": "no price for managed-disk-E1-lrs", "database": "no price for managed-disk-E3-lrs"},
}
"""Volume -> USD a month, or why none: 4 GiB, and 16 GiB of records."""


@pytest.mark.parametrize("cloud", [*VOLUMES])
def test_slurm_adds_no_finding_and_no_cost_but_its_volumes(cloud: str) -> None:
    queues = _declared(cloud, QUEUES)
    assert found(queues) == FINDINGS[cloud]
    without, records = _costs(queues), VOLUMES[cloud]
    for jobs, volumes in (
        (SLURM, {"state": records["state"]}),
        (BOTH, {"state": records["state"]}),
        (RECORDED, records),
    ):
        resources = _declared(cloud, jobs)
        assert found(resources) == FINDINGS[cloud]
        added = {f"slurm-slurm-{name}-persistentvolumeclaim": cost for name, cost in volumes.items()}
        assert _costs(resources) == without | added


def _declared(cloud: str, jobs: dict[str, Any]) -> Resources:
    return declared(Example(spec=ROOT / f"examples/specs/{cloud}/slurm.yaml", cloud=cloud), {"jobs": jobs})


def _costs(resources: Resources) -> dict[str, str]:
    """Resource -> USD a month, or why it has no price."""
    made = estimate(resources)
    lines = {line.urn: line for line in made.lines}
    costs = {urn: str(sum(one.monthly for one in made.lines if one.urn == urn)) for urn in lines}
    costs |= {one.urn: one.reason.partition(" on_demand")[0] for one in made.not_priced}
    return {urn.rpartition("::")[2]: cost for urn, cost in costs.items()}
