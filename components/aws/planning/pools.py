"""The MIG pool and the elastic pools on AWS as plain values. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.planning.machines import check_sale
from gpucluster.components.aws.planning.quotas import LATER, machine_quota
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.elastic import ElasticMachines, plan_own_prices, plan_pools, refuse_flex_start
from gpucluster.components.shared.machine_choice import elastic_shape, shapes_with, training_shape
from gpucluster.components.shared.mig import MigMachines, report_mig, sliced
from gpucluster.components.spec.pools import Elastic, Mig
from gpucluster.core.catalog.machines import Machine

_CLOUD: Final = "aws"
# GPUs that need a reset for MIG mode, which AWS may refuse until the machine restarts; from Hopper on none does.
# Sources: NVIDIA Multi-Instance GPU user guide, "Deployment considerations"; NVIDIA/gpu-operator #1606.
_MIG_NEEDS_RESET: Final = ("a100-80gb", "a100-40gb")


@dataclass(frozen=True, kw_only=True)
class MigPlan(MigMachines):
    """spot: bought as spot."""

    spot: bool

    @property
    def slices_of_a_gpu(self) -> tuple[str, ...]:
        """Sizes, the large ones first: they fit in the fewest positions."""
        sizes = reversed(self.pool.layout.sizes(self.pool.gpu).items())
        return tuple(size for size, count in sizes for _ in range(count))


def plan_mig(mig: Mig | None, accelerator: str, planning: Planning[Location]) -> MigPlan | None:
    """The pool, of single-GPU machines if available: small machines are bought, started and lost one by one."""
    refuse_flex_start("AWS", planning, mig=mig)
    if mig is None:
        return None
    if accelerator in _MIG_NEEDS_RESET:
        why = f"on {accelerator} MIG mode needs a GPU reset"
        planning.not_built.append(f"mig: {mig.nodes} nodes of {mig.layout}; {why}")
        return None
    shape, spot = _shape(accelerator), mig.purchase == "spot"
    nodes, pool = sliced(mig, accelerator, shape)
    check_sale(shape, "the MIG pool", planning)
    report_mig(mig, pool, planning)
    planning.quotas[machine_quota(shape, spot=spot)] += nodes * shape.vcpus
    return MigPlan(shape=shape, nodes=nodes, pool=pool, roll=mig.roll, spot=spot)


def _shape(accelerator: str) -> Machine:
    rows = [row for row in shapes_with(_CLOUD, accelerator) if row.gpus == 1]
    return rows[0] if rows else training_shape(_CLOUD, accelerator, 0)


def plan_elastic(elastic: Elastic | None, accelerator: str, planning: Planning[Location]) -> ElasticMachines | None:
    """None if the spec requests another engine. accelerator: of the training nodes."""
    refuse_flex_start("AWS", planning, elastic=elastic)
    if elastic is None:
        return None
    if elastic.engine != "karpenter":
        planning.not_built.append("elastic.engine native: on AWS Karpenter runs the elastic pools")
        return None
    shape = elastic_shape("aws", accelerator)
    pools = plan_pools(elastic, accelerator, shape, planning)
    plan = ElasticMachines(shape=shape, pools=pools, own_prices=plan_own_prices(elastic, shape, pools, planning))
    check_sale(shape, "the elastic pools", planning, later=True)
    for purchase in ("on-demand", "spot"):
        text, vcpus = machine_quota(shape, spot=purchase == "spot"), plan.bought(purchase) * shape.vcpus
        planning.quotas[text] += vcpus
        planning.quotas[LATER[text]] += vcpus
    return plan
