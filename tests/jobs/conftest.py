"""TrainJobs as clusters would run them: expanded by Trainer's and JobSet's own code, with the runtimes of a plan."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.aws.pools.job_pools import job_pools as aws_pools
from gpucluster.components.azure.pools.job_pools import job_pools as azure_pools
from gpucluster.components.cluster.cloud import ClusterPlan, cloud_of
from gpucluster.components.gcp.pools.job_pools import job_pools as gcp_pools
from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.jobs import runtimes_of
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[2]
POOLS: Mapping[str, Callable[[Any], list[JobPool]]] = {"aws": aws_pools, "azure": azure_pools, "gcp": gcp_pools}

Pools = Callable[..., list[JobPool]]
Expand = Callable[..., dict[str, Any]]


def planned(cloud: str, **changes: Any) -> ClusterPlan:
    """The plan of the trial's spec, or of one like it, in the region that the cloud's own example names."""
    spec = ClusterSpec.model_validate({**yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text()), **changes})
    own = cloud_of(cloud)
    # A zone that lists every machine here.
    zone = "us-central1-b" if cloud == "gcp" else own.zone_in(own.keys["region"])
    location, problems = own.locate({**own.keys, "zone": zone})
    assert location is not None, problems
    return own.plan_cluster(spec, location, "test", None, None)


@pytest.fixture(scope="session")
def pools() -> Pools:
    """The pools of a cluster as jobs see them."""
    return lambda cloud, **changes: POOLS[cloud](planned(cloud, **changes))


@pytest.fixture(scope="session")
def program() -> Path:
    spec = importlib.util.spec_from_file_location("expander", Path(__file__).with_name("expander.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.expander(print)


@pytest.fixture(scope="session")
def expand(program: Path, pools: Pools) -> Expand:
    """What Trainer and JobSet make of a TrainJob on a cloud: their answer, with Jobs or with what was refused."""

    def run(cloud: str, job: Mapping[str, Any], *, home: bool = False, **changes: Any) -> dict[str, Any]:
        runtimes = [
            {
                "apiVersion": "trainer.kubeflow.org/v1alpha1",
                "kind": "ClusterTrainingRuntime",
                "metadata": {"name": name},
                "spec": spec,
            }
            for name, spec in runtimes_of(pools(cloud, **changes), home=home, registry=None).items()
        ]
        question = json.dumps({"runtimes": runtimes, "job": job})
        done = subprocess.run([program], input=question, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def example() -> Callable[[str], dict[str, Any]]:
    """A job of examples/jobs."""
    return lambda name: yaml.safe_load((ROOT / "examples/jobs" / f"{name}.yaml").read_text())


@pytest.fixture(scope="session")
def trial_training() -> dict[str, Any]:
    """What the trial's spec says of training."""
    return yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())["training"]
