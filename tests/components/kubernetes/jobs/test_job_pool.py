"""The pools of a plan as jobs see them, on every cloud."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpucluster.components.kubernetes.jobs.job_pool import (
    JobPool,
    elastic_job_pool,
    kept,
    mig_job_pool,
    training_job_pool,
)
from gpucluster.components.shared.elastic import ElasticMachines, PoolPlan
from gpucluster.components.shared.machine_choice import shape
from gpucluster.components.shared.mig import MigMachines, sliced
from gpucluster.components.shared.training import TrainingNodes
from gpucluster.components.spec.pools import Mig

P5, P5_4 = shape("aws", "p5.48xlarge"), shape("aws", "p5.4xlarge")


def test_training_jobs_get_whole_nodes_and_no_spares() -> None:
    assert training_job_pool(TrainingNodes(shape=P5, nodes=4, spares=1)) == JobPool(
        name="training", shape=P5, nodes=4, gpus={"nvidia.com/gpu": 32}, ask={"nvidia.com/gpu": 8}
    )


def test_elastic_jobs_get_a_gpu_of_as_many_as_there_may_be() -> None:
    pool = PoolPlan(name="dev", max_gpus=8, expected_gpus=None, purchase=("spot",), keep_empty=5, expire_after=None)
    assert elastic_job_pool(ElasticMachines(shape=P5_4, pools=(pool,)), pool) == JobPool(
        name="dev",
        shape=P5_4,
        nodes=8,
        gpus={"nvidia.com/gpu": 8},
        ask={"nvidia.com/gpu": 1},
        elastic=True,
        purchase=("spot",),
        annotations=kept(("spot",)),
    )


@pytest.mark.parametrize(
    ("purchase", "bought"),
    [((), None), (("spot",), "spot"), (("on-demand", "spot"), "on-demand-or-spot")],
)
def test_a_flavor_names_the_machine_and_how_it_is_bought(purchase: tuple[str, ...], bought: str | None) -> None:
    pool = replace(training_job_pool(TrainingNodes(shape=P5, nodes=4, spares=1)), region="us-east-1", purchase=purchase)
    assert pool.machine == {
        "node.kubernetes.io/instance-type": "p5.48xlarge",
        "topology.kubernetes.io/region": "us-east-1",
        **({"karpenter.sh/capacity-type": bought} if bought else {}),
    }


def test_jobs_on_slices_get_one_of_the_first_kind() -> None:
    nodes, pool = sliced(Mig(nodes=1, layout="4g.40gb+3g.40gb"), "h100", P5_4)
    assert mig_job_pool(MigMachines(shape=P5_4, nodes=nodes, pool=pool)) == JobPool(
        name="mig",
        shape=P5_4,
        nodes=8,
        gpus={"nvidia.com/mig-3g.40gb": 8, "nvidia.com/mig-4g.40gb": 8},
        ask={"nvidia.com/mig-3g.40gb": 1},
    )
