"""The elastic pools on AWS: single GPUs, started by Karpenter. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.machines import check_sale
from gpucluster.components.aws.planning.quotas import ON_DEMAND, SPOT
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.pools.elastic import ElasticMachines, plan_pools, refuse_flex_start
from gpucluster.components.shared.pools.machine_choice import elastic_shape
from gpucluster.components.spec.pools import Elastic


def plan_elastic(elastic: Elastic | None, accelerator: str, planning: Planning[Location]) -> ElasticMachines | None:
    """None if the spec requests another engine. accelerator: of the training nodes."""
    refuse_flex_start("AWS", planning, elastic=elastic)
    if elastic is None:
        return None
    if elastic.engine != "karpenter":
        planning.not_built.append("elastic.engine native: on AWS Karpenter runs the elastic pools")
        return None
    shape = elastic_shape("aws", accelerator)
    plan = ElasticMachines(shape=shape, pools=plan_pools(elastic, accelerator, shape, planning))
    check_sale(shape, "the elastic pools", planning)
    planning.quotas[ON_DEMAND] += plan.bought("on-demand") * shape.vcpus
    planning.quotas[SPOT] += plan.bought("spot") * shape.vcpus
    return plan
