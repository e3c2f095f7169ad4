"""What a cluster takes of the project's quotas, which a plan can't look up. Imports no Pulumi."""

from __future__ import annotations

from collections import Counter

from gpucluster.catalog.machines import Machine
from gpucluster.components.gcp.elastic import ElasticPlan
from gpucluster.components.gcp.mig import MigPlan
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import CapacityBlockPurchase, FlexStartPurchase

__all__ = ["quota_note"]


def quota_note(
    spec: TrainingSpec,
    shape: Machine,
    elastic: ElasticPlan | None,
    mig: MigPlan | None,
    *,
    region: str,
    networks: int | None,
) -> str:
    """The quotas that decide whether a cluster starts, with what it needs of each, in one line.

    Which quota a machine counts against: Compute Engine documentation, "Allocation quotas". networks: VPC networks of
    the cluster; None where they are there. A calendar reservation charges none; Spot and flex-start charge the
    preemptible one. Source: Google Cloud documentation, Cluster Director "Choose a consumption option".
    """
    needed = Counter[str]()
    if not isinstance(spec.purchase, CapacityBlockPurchase):
        nodes = spec.training.nodes + spec.training.spares
        metric = _metric(shape, preemptible=isinstance(spec.purchase, FlexStartPurchase))
        needed[metric] += nodes * shape.gpus
    if elastic is not None:
        metric = _metric(elastic.shape, preemptible=True)
        needed[metric] += elastic.max_gpus
    if mig is not None:
        metric = _metric(mig.shape, preemptible=mig.purchase != "on-demand")
        needed[metric] += mig.nodes * mig.shape.gpus
    parts = [f"{count:,} {metric} in {region}" for metric, count in needed.items()]
    if networks is not None:
        parts.append(f"{networks} VPC networks")
    return f"quotas to have: {', '.join(parts)}; GPUS-ALL-REGIONS-per-project caps all GPUs together"


def _metric(shape: Machine, *, preemptible: bool) -> str:
    return f"{'PREEMPTIBLE_' if preemptible else ''}{shape.quota}"
