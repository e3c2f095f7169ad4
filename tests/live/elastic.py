"""What holds for a pool of single GPUs that Karpenter scales, with its own controllers."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml

from gpucluster.components.kubernetes.jobs.job_controllers import KUEUE_CONFIG
from gpucluster.components.kubernetes.jobs.job_pool import kept
from gpucluster.components.kubernetes.jobs.runtimes import FORCED
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.live import node_events
from tests.live import harness
from tests.live.harness import Live, Object, trainjob

POOL = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "dev"}}
RUNTIME = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "single-gpu"},
}
JOBSET = "jobset.sigs.k8s.io/jobset-name"
INDEX = "batch.kubernetes.io/job-completion-index"
_KUEUE = "kueue.x-k8s.io/v1beta2"
BOUGHT = "karpenter.sh/capacity-type"
MACHINES = {"aws": "p5.4xlarge", "azure": "Standard_NC40ads_H100_v5"}


@pytest.fixture
def pool(live: Live) -> Iterator[Live]:
    """The pool `dev`, which lets an empty machine go after seconds; as it was afterwards."""
    before: Any = live.client.get(POOL)
    live.client.patch(POOL, {"spec": {"disruption": {"consolidateAfter": "3s"}}})
    yield live
    for document in live.left:
        live.client.delete(document)
    live.wait_until("no machine is left", lambda: not live.nodes("dev") or None)
    live.client.patch(POOL, {"spec": before["spec"]})


def single(name: str) -> dict[str, Any]:
    return trainjob(name, nodes=1, example="single-gpu")


def bought(live: Live, name: str) -> str:
    return live.node(name)["metadata"]["labels"][BOUGHT]


def buy(live: Live, *ways: str) -> None:
    """Changes how the pool may buy."""
    there: Any = live.client.get(POOL)
    requirements = [
        {**one, "values": [*ways]} if one["key"] == BOUGHT else one
        for one in there["spec"]["template"]["spec"]["requirements"]
    ]
    live.client.patch(POOL, {"spec": {"template": {"spec": {"requirements": requirements}}}})


def test_a_machine_comes_for_a_job_and_goes_after_it(pool: Live) -> None:
    """The pool has no machine. A job of one GPU brings the cheapest that has one; deleted, it leaves none behind."""
    assert pool.nodes("dev") == []
    pool.submit(single("single"))
    [name] = pool.running("single", 1)
    labels = pool.node(name)["metadata"]["labels"]
    assert (labels["node.kubernetes.io/instance-type"], labels["karpenter.sh/nodepool"]) == (
        MACHINES[pool.cloud],
        "dev",
    )
    [claim] = pool.client.list("karpenter.sh/v1", "NodeClaim")
    pool.client.delete(single("single"))
    pool.wait_until("no machine is left", lambda: not pool.nodes("dev") or None)
    pool.wait_until("no claim is left", lambda: pool.client.get(claim) is None or None)


def test_two_jobs_get_a_machine_each(pool: Live) -> None:
    """The pool has no machine. Two jobs of one GPU run on two."""
    for name in ("one", "two"):
        pool.submit(single(name))
    assert len({*pool.running("one", 1), *pool.running("two", 1)}) == 2


def test_a_pool_never_grows_beyond_its_limit(pool: Live) -> None:
    """The pool may have one GPU. Of two jobs one runs; the other waits, and Karpenter says why, until that is gone."""
    pool.client.patch(POOL, {"spec": {"limits": {"nvidia.com/gpu": "1"}}})
    pool.submit(single("one"))
    pool.running("one", 1)
    pool.submit(single("two"))
    pool.wait_until("Karpenter says that its limit is reached", lambda: _says(pool, "two", "exceed limits"))
    assert len(pool.nodes("dev")) == 1
    pool.client.delete(single("one"))
    pool.running("two", 1)


def test_a_job_whose_pods_never_run_is_put_back_and_at_last_stopped(pool: Live) -> None:
    """The pool may have no machine, and a job ten seconds to start, not half an hour. Three times the job gives its GPU
    back and waits again; the fourth time it is stopped for good.
    """
    pool.client.patch(POOL, {"spec": {"limits": {"nvidia.com/gpu": "0"}}})
    strategy = {**KUEUE_CONFIG["waitForPodsReady"]["requeuingStrategy"], "backoffBaseSeconds": 1}
    with pool.configured(waitForPodsReady={"timeout": "10s", "requeuingStrategy": strategy}):
        pool.submit(single("single"))
        reasons, turns = set[str](), set[int]()

        def stopped() -> bool | None:
            load = pool.workload("single")
            reasons.add(str(pool.condition(load, "Evicted").get("reason", "")))
            turns.add(load.get("status", {}).get("requeueState", {}).get("count", 0))
            return load.get("spec", {}).get("active") is False or None

        pool.wait_until("it is stopped", stopped)
        assert "PodsReadyTimeout" in reasons
        assert max(turns) == strategy["backoffLimitCount"] == 3
        pool.wait_until("no pod is left", lambda: not pool.pods("single") or None)
        assert pool.condition(pool.workload("single"), "Evicted")["reason"] == "DeactivatedDueToRequeuingLimitExceeded"

        def released() -> bool | None:
            return pool.condition(pool.workload("single"), "QuotaReserved").get("status") == "False" or None

        pool.wait_until("its GPU is given back", released)


def test_a_notebook_a_service_and_a_plain_job_run_in_the_pool(pool: Live) -> None:
    """The pool has no machine. A StatefulSet, a Deployment and a Job, each by the queue, bring three."""
    kinds = {"notebook": "StatefulSet", "serving": "Deployment", "batch": "Job"}
    for name, kind in kinds.items():
        documents = yaml.safe_load_all((harness.EXAMPLES / f"{name}.yaml").read_text())
        pool.submit(next(document for document in documents if document["kind"] == kind))

    def running() -> set[str] | None:
        pods = pool.client.list("v1", "Pod", namespace="training")
        found = {pod["spec"]["nodeName"] for pod in pods if pod["status"].get("phase") == "Running"}
        return found if len(found) == len(kinds) else None

    nodes = pool.wait_until("three pods run", running)
    assert nodes == {node["metadata"]["name"] for node in pool.nodes("dev")}


def test_ray_runs_in_the_pool_where_somebody_installs_it(pool: Live) -> None:
    """KubeRay's definitions are installed, and its operator runs. Head and worker of a RayCluster run by the queue."""
    source = source_of("kuberay-operator", "1.6.2")
    assert source is not None
    pool.client.define(definitions_of(source))
    with pool.anew():
        pool.submit(yaml.safe_load((harness.EXAMPLES / "ray/cluster.yaml").read_text()))
        nodes = pool.wait_until("head and worker run", lambda: _of_ray(pool))
    assert nodes <= {node["metadata"]["name"] for node in pool.nodes("dev")}
    assert pool.condition(pool.workload("ray"), "Admitted")["status"] == "True"


def _of_ray(live: Live) -> set[str] | None:
    pods = live.client.list("v1", "Pod", namespace="training", labels="ray.io/cluster=ray")
    run = [pod for pod in pods if pod["status"].get("phase") == "Running"]
    kinds = {pod["metadata"]["labels"]["ray.io/node-type"] for pod in run}
    return {pod["spec"]["nodeName"] for pod in run} if kinds == {"head", "worker"} else None


def test_spot_comes_before_on_demand(pool: Live) -> None:
    """The pool may buy both ways. The machine of a job is a Spot machine."""
    buy(pool, "on-demand", "spot")
    pool.submit(single("single"))
    assert [bought(pool, name) for name in pool.running("single", 1)] == ["spot"]


def test_an_interruption_moves_the_job(pool: Live) -> None:
    """A job runs on a Spot machine. With the cloud's notice it is told to end, and runs again on another one."""
    buy(pool, "on-demand", "spot")
    with _runtime_of_spot(pool):
        pool.submit(single("single"))
        [before] = pool.running("single", 1)
        node_events.interrupt(pool.client, pool.node(before), pool.entry)
        _moves(pool, before)


def _moves(pool: Live, before: str) -> None:
    pool.wait_until("no pod is bound to it", lambda: _left(pool, before))
    [after] = pool.running("single", 1)
    assert after != before
    if pool.cloud == "aws":  # Karpenter asks for no Spot machine of the type for three minutes.
        assert bought(pool, after) == "on-demand"


@contextmanager
def _runtime_of_spot(live: Live) -> Generator[None]:
    """The runtime as it is where the spec lets a pool buy Spot machines."""
    there: Any = live.client.get(RUNTIME)
    spec = copy.deepcopy(there["spec"])
    [job] = spec["template"]["spec"]["replicatedJobs"]
    job["template"]["spec"]["template"]["metadata"]["annotations"] = {**kept(["spot"]), **FORCED}
    live.client.patch(RUNTIME, {"spec": spec})
    try:
        yield
    finally:
        live.client.patch(RUNTIME, {"spec": there["spec"]})


def _says(live: Live, job: str, words: str) -> bool | None:
    names = {pod["metadata"]["name"] for pod in live.pods(job)}
    events = live.client.list("v1", "Event", namespace="training")
    return any(_about(event) in names and words in event["message"] for event in events) or None


def _about(event: Object) -> str:
    return event["involvedObject"]["name"]


def _left(live: Live, node: str) -> bool | None:
    return all(pod["spec"].get("nodeName") != node for pod in live.pods("single")) or None


QUEUE = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "dev"}}
GPU = "nvidia.com/gpu"


@pytest.fixture
def two(pool: Live) -> Iterator[Live]:
    """The queue of the pool with two GPUs, of which a pool of eight would buy eight machines."""
    before: Any = pool.client.get(QUEUE)
    spec = copy.deepcopy(before["spec"])
    [group] = spec["resourceGroups"]
    [flavor] = group["flavors"]
    next(one for one in flavor["resources"] if one["name"] == GPU)["nominalQuota"] = "2"
    pool.client.patch(QUEUE, {"spec": {"resourceGroups": spec["resourceGroups"]}})
    yield pool
    pool.client.patch(QUEUE, {"spec": {"resourceGroups": before["spec"]["resourceGroups"]}})


def _run(live: Live, labels: str = "") -> list[Object]:
    """The pods that run, in the order of their names."""
    pods = live.client.list("v1", "Pod", namespace="training", labels=labels)
    running = [pod for pod in pods if pod["status"].get("phase") == "Running"]
    return sorted(running, key=lambda pod: pod["metadata"]["name"])


def _names(pods: list[Object], label: str) -> list[str]:
    return sorted(pod["metadata"]["labels"][label] for pod in pods)


def test_a_sweep_of_100_jobs_takes_the_gpus_one_by_one_and_loses_none(two: Live) -> None:
    """The queue has two GPUs. Of 100 jobs of a sweep two run and 98 wait; as each ends, another takes its GPU."""
    made = subprocess.run([sys.executable, harness.EXAMPLES / "sweep.py"], capture_output=True, text=True, check=True)
    for job in json.loads(made.stdout)["items"]:
        two.submit(job)
    ended = set[str]()

    def others() -> set[str] | None:
        found = {*_names(_run(two), JOBSET)}
        return found if len(found) == 2 and not found & ended else None

    for _ in range(3):
        running = two.wait_until("two others run", others)
        for name in running:
            two.end(name)
        ended |= running
    two.wait_until("two others run", others)
    waiting = [load for load in two.client.list(_KUEUE, "Workload", namespace="training") if _state(two, load) == ""]
    assert (len(ended), len(waiting)) == (6, 92)


def _state(live: Live, load: Object) -> str:
    """What has become of a workload; nothing of one that waits."""
    found = [kind for kind in ("Finished", "Admitted") if live.condition(load, kind).get("status") == "True"]
    return found[0] if found else ""


def test_an_array_runs_on_the_gpus_that_are_free(two: Live) -> None:
    """One of two GPUs is taken. An array of 100 runs, four at once, starts with one; the next one follows it."""
    two.submit(single("single"))
    two.running("single", 1)
    two.submit(yaml.safe_load((harness.EXAMPLES / "array.yaml").read_text()))
    for index in range(3):
        two.wait_until(
            f"run {index} has the GPU",
            lambda index=index: _names(_run(two, "job-name=array"), INDEX) == [str(index)] or None,
        )
        two.end("array")
    array: Any = two.client.get({"apiVersion": "batch/v1", "kind": "Job", "metadata": _named("array")})
    assert (array["spec"]["parallelism"], array["spec"]["completions"]) == (1, 100)


def _named(name: str) -> dict[str, str]:
    return {"name": name, "namespace": "training"}


def test_a_service_gets_its_new_image_while_its_queue_is_full(two: Live) -> None:
    """A service has one of two GPUs, a job the other, a third waits. With a new image the service has its GPU again."""
    serving = next(yaml.safe_load_all((harness.EXAMPLES / "serving.yaml").read_text()))
    two.submit(serving)
    two.submit(trainjob("other", nodes=1, example="single-gpu", priority_class="high"))
    two.running("other", 1)
    old = two.wait_until("the service runs", lambda: _run(two, "app=serving"))
    two.submit(trainjob("waits", nodes=1, example="single-gpu", priority_class="medium"))
    two.waits("waits", "insufficient")
    [container] = copy.deepcopy(serving["spec"]["template"]["spec"]["containers"])
    container["image"] = "vllm/vllm-openai:v0.11.1"
    two.client.patch(serving, {"spec": {"template": {"spec": {"containers": [container]}}}})

    def updated() -> Object | None:
        pods = _run(two, "app=serving")
        images = [pod["spec"]["containers"][0]["image"] for pod in pods]
        return pods[0] if images == [container["image"]] else None

    new = two.wait_until("the new image runs", updated)
    assert new["metadata"]["name"] != old[0]["metadata"]["name"]
    two.waits("waits", "insufficient")
    two.running("other", 1)
