"""The elastic pools on AWS: single GPUs, started by Karpenter. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.elastic import ElasticMachines, old_plan_pools
from gpucluster.components.shapes import elastic_shape
from gpucluster.components.spec.cluster import ClusterSpec


def plan_elastic(spec: ClusterSpec) -> ElasticMachines | None:
    """None if the spec requests another engine."""
    elastic = spec.elastic
    if elastic is None or elastic.engine != "karpenter":
        return None
    shape = elastic_shape("aws", spec.accelerator)
    return ElasticMachines(shape=shape, pools=old_plan_pools(elastic, shape))


def elastic_not_built(spec: ClusterSpec) -> list[str]:
    """Parts that the spec requests and this cluster lacks."""
    if spec.elastic is None or spec.elastic.engine == "karpenter":
        return []
    return ["elastic.engine native: on AWS Karpenter runs the elastic pools"]
