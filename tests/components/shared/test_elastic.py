"""Elastic pools: how many machines they may have, and with which GPU."""

from __future__ import annotations

from gpucluster.components.shared.elastic import ElasticMachines, PoolPlan, plan_pools, pool_rows, refuse_flex_start
from gpucluster.components.shared.machine_choice import elastic_shape, shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.pools import Elastic
from tests.components.conftest import Vary
from tests.components.told import reports, told

NC80 = shape("azure", "Standard_NC80adis_H100_v5")  # of 2 GPUs


def pool(name: str, max_gpus: int, *purchase: str) -> PoolPlan:
    return PoolPlan(
        name=name, max_gpus=max_gpus, expected_gpus=None, purchase=purchase, keep_empty=5, expire_after=None
    )


def test_machines_are_counted_whole_and_by_each_way_to_buy() -> None:
    dev, big = pool("dev", 8, "spot", "on-demand"), pool("big", 6, "on-demand")
    elastic = ElasticMachines(shape=NC80, pools=(dev, big))
    assert (elastic.nodes(dev), elastic.most_nodes) == (4, 7)
    assert {way: elastic.bought(way) for way in ("spot", "on-demand", "flex-start")} == {
        "spot": 4,
        "on-demand": 7,
        "flex-start": 0,
    }


def test_another_gpu_than_the_training_nodes_is_a_loss() -> None:
    small, asked = elastic_shape("aws", "h200"), Elastic.model_validate({"pools": {"dev": {"max_gpus": 8}}})
    none, other = reports(), reports()
    assert plan_pools(asked, "h100", small, none) == plan_pools(asked, "h200", small, other)
    assert none.losses == []
    assert other.losses == ["elastic pools: no machine with a single H200; p5.4xlarge has one H100"]


def test_people_read_what_scales_each_pool() -> None:
    dev = pool("dev", 8, "spot", "on-demand")
    assert pool_rows(ElasticMachines(shape=NC80, pools=(dev,)), native="autoscaler") == [
        ("elastic", "dev: Karpenter, up to 8 GPUs on Standard_NC80adis_H100_v5, spot or on-demand")
    ]
    assert pool_rows(ElasticMachines(engine="native", shape=NC80, pools=(dev,)), native="autoscaler") == [
        ("elastic", "dev: autoscaler, up to 8 GPUs on Standard_NC80adis_H100_v5, spot or on-demand")
    ]
    assert pool_rows(None) == [("elastic", "none")]


POOLS = {"dev": {"max_gpus": 8, "purchase": ["spot", "flex-start"]}, "big": {"max_gpus": 8, "purchase": ["spot"]}}


def problems(spec: ClusterSpec, title: str) -> list[str]:
    planning = reports()
    refuse_flex_start(title, planning, purchase=spec.purchase, elastic=spec.elastic, mig=spec.mig)
    return told(planning.problems)


def test_each_field_that_asks_for_it_is_named(vary: Vary) -> None:
    asked = vary(
        purchase={"kind": "flex-start"},
        duration="6d",
        elastic={"pools": POOLS},
        mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "flex-start"},
    )
    assert problems(asked, "AWS") == [
        "purchase.kind is 'flex-start', which is available on Google Cloud but not on AWS; choose on-demand, or "
        "capacity-block for capacity with fixed dates",
        "elastic.pools.dev.purchase has flex-start, which is available on Google Cloud but not on AWS; choose from "
        "on-demand and spot",
        "mig.purchase is 'flex-start', which is available on Google Cloud but not on AWS; choose on-demand or spot",
    ]


def test_other_ways_to_buy_are_no_problem(vary: Vary) -> None:
    asked = vary(mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "spot"})
    assert problems(asked, "Azure") == []
