"""What holds for the trial cluster of every cloud: four nodes of eight GPUs for jobs, and a spare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import yaml

from gpucluster.sandbox.live import node_events
from gpucluster.sandbox.live.commands.node import state_of
from tests.live import harness
from tests.live import wrong as manifests
from tests.live.harness import Live, Object, trainjob

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]


def _has_ended(live: Live, name: str) -> bool:
    return bool(live.condition(live.workload(name), "Finished"))


def test_a_job_runs_on_as_many_whole_nodes_as_it_asks_for(live: Live) -> None:
    """Five nodes are free. The job's two pods run on two of them, under one leaf switch where nodes tell theirs."""
    live.submit(trainjob("pytorch"))
    nodes = live.running("pytorch", 2)
    assert len({*nodes}) == 2
    if live.client.list("kueue.x-k8s.io/v1beta2", "Topology"):
        assert len({live.leaf(name) for name in nodes}) == 1


def test_a_job_over_mpi_runs_with_its_launcher_on_a_node_of_its_own(live: Live) -> None:
    """Five nodes are free. NCCL's test over mpirun runs as two pods, the launcher one of them, on two nodes."""
    live.submit(trainjob("all-reduce", example="nccl-all-reduce"))
    assert len({*live.running("all-reduce", 2)}) == 2


def test_a_job_over_mpi_starts_where_one_switch_has_a_single_free_node(live: Live) -> None:
    """Two nodes under one switch are taken, one is free there and two under the other. The job of two starts."""
    names = [node["metadata"]["name"] for node in live.nodes()]
    leaves: dict[str, list[str]] = {}
    for index, name in enumerate(names):
        told = live.client.list("kueue.x-k8s.io/v1beta2", "Topology")
        leaves.setdefault(live.leaf(name) if told else str(index % 2), []).append(name)
    larger = max(leaves.values(), key=len)
    live.fill(larger[:2])
    live.submit(trainjob("all-reduce", example="nccl-all-reduce"))
    assert not {*live.running("all-reduce", 2)} & {*larger[:2]}


def test_a_job_waits_for_all_of_its_nodes_and_says_so(live: Live) -> None:
    """A job has two of four nodes. One of four waits, with no pod at all, until the first has finished."""
    live.submit(trainjob("first"))
    live.running("first", 2)
    live.submit(trainjob("second", nodes=4))
    assert "nvidia.com/gpu" in live.waits("second", "insufficient")
    live.holds_nothing("second")
    live.end("first", 0)
    live.wait_until("first has finished", lambda: _has_ended(live, "first") or None)
    live.running("second", 4)


def test_a_job_that_is_larger_than_the_cluster_never_holds_a_node(live: Live) -> None:
    """Five nodes are free. A job of 100 is refused, or waits and says why; none of its pods ever runs."""
    said = live.refusal(trainjob("too-large", nodes=100))
    if not said:
        live.submit(trainjob("too-large", nodes=100))
        said = live.waits("too-large")
        live.holds_nothing("too-large")
    assert "more than" in said or "maximum capacity" in said


def test_a_large_job_of_high_priority_is_not_starved_by_small_ones(live: Live) -> None:
    """Two jobs of low priority have two nodes each. One of four nodes and high priority takes their place."""
    for name in ("small-1", "small-2"):
        live.submit(trainjob(name, priority_class="low"))
        live.running(name, 2)
    live.submit(trainjob("large", nodes=4, priority_class="high"))
    live.running("large", 4)
    live.waits("small-1")
    live.waits("small-2")


def test_a_container_that_fails_restarts_the_whole_job(live: Live) -> None:
    """Two pods run. One ends with exit code 1: both are replaced and run again."""
    live.submit(trainjob("pytorch"))
    live.running("pytorch", 2)
    before = {pod["metadata"]["uid"] for pod in live.pods("pytorch")}
    live.end("pytorch", 1)
    live.wait_until("both pods are others", lambda: _others(live, before))
    live.running("pytorch", 2)


def _others(live: Live, before: set[str]) -> bool | None:
    now = {pod["metadata"]["uid"] for pod in live.pods("pytorch")}
    return (len(now) == 2 and not now & before) or None


def test_a_job_that_finishes_leaves_its_nodes_free(live: Live) -> None:
    """A job runs on four nodes. Its pods end with exit code 0: it is finished, and the next job has its nodes."""
    live.submit(trainjob("first", nodes=4))
    live.running("first", 4)
    live.end("first", 0)
    live.wait_until("first has finished", lambda: _has_ended(live, "first") or None)
    live.submit(trainjob("second", nodes=4))
    live.running("second", 4)


def test_what_is_left_of_a_finished_job_goes_after_its_time(live: Live) -> None:
    """A job has finished, its week cut to seconds. Its JobSet and pods go; the TrainJob stays, and makes nothing."""
    job = trainjob("done", nodes=1)
    runtime = {
        "apiVersion": job["apiVersion"],
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": job["spec"]["runtimeRef"]["name"]},
    }
    live.client.patch(runtime, {"spec": {"template": {"spec": {"ttlSecondsAfterFinished": 5}}}})
    try:
        live.submit(job)
        live.running("done", 1)
    finally:
        live.client.patch(runtime, {"spec": {"template": {"spec": {"ttlSecondsAfterFinished": 7 * 24 * 3600}}}})
    live.end("done", 0)
    live.wait_until("it has finished", lambda: _has_ended(live, "done") or None)
    live.wait_until("its pods are gone", lambda: not live.pods("done", ended=True) or None)
    # Trainer, which makes the next one, has seen that these are gone.
    live.submit(trainjob("next", nodes=1))
    live.running("next", 1)
    jobsets = live.client.list("jobset.x-k8s.io/v1alpha2", "JobSet", namespace="training")
    assert [jobset["metadata"]["name"] for jobset in jobsets] == ["next"]
    there = live.client.get(job)
    assert there is not None
    assert live.condition(there, "Complete")["status"] == "True"


def test_the_pod_of_a_cordoned_node_comes_back_on_another(live: Live) -> None:
    """A job runs on two nodes. One is cordoned and its pod deleted: the job runs again, and not there."""
    live.submit(trainjob("pytorch"))
    cordoned = live.running("pytorch", 2)[0]
    node_events.cordon(live.client, live.node(cordoned))
    [pod] = [it for it in live.pods("pytorch") if it["spec"]["nodeName"] == cordoned]
    live.client.delete({"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]})
    live.wait_until("no pod is left there", lambda: live.leaves("pytorch", cordoned))
    assert cordoned not in live.running("pytorch", 2)


def test_a_job_goes_on_on_the_spare_when_the_cloud_takes_a_machine(live: Live) -> None:
    """A job has four of five nodes. The machine of one is gone: the job runs again on four, the spare among them."""
    live.submit(trainjob("pytorch", nodes=4))
    used = live.running("pytorch", 4)
    [spare] = {node["metadata"]["name"] for node in live.nodes()} - {*used}
    node_events.take_away(live.client, live.node(used[0]))
    live.wait_until("no pod is bound to it", lambda: live.leaves("pytorch", used[0]))
    assert spare in live.running("pytorch", 4)


def test_the_cloud_makes_another_machine_under_another_name(live: Live) -> None:
    """Five nodes. One is gone; a moment later there are five again, the new one ready and under a new name."""
    before = {node["metadata"]["name"] for node in live.nodes()}
    node_events.take_away(live.client, live.node(min(before)))
    live.resync()
    live.wait_until(
        "five nodes are ready",
        lambda: (len(live.nodes()) == 5 and all(state_of(node) == "Ready" for node in live.nodes())) or None,
    )
    after = {node["metadata"]["name"] for node in live.nodes()}
    assert min(before) not in after
    assert len(after - before) == 1


def test_a_node_that_falls_silent_is_unreachable_and_gets_no_pod(live: Live) -> None:
    """Five nodes are ready. A kubelet stops: in a minute its node is unreachable, and a job of four goes around it."""
    silent = live.nodes()[0]["metadata"]["name"]
    node_events.fail(live.client, live.node(silent))
    live.wait_until("it is unreachable", lambda: state_of(live.node(silent)).startswith("Unreachable") or None)
    live.submit(trainjob("pytorch", nodes=4))
    assert silent not in live.running("pytorch", 4)


def test_a_node_with_a_broken_gpu_gets_no_whole_node_job(live: Live) -> None:
    """Five nodes are free. A GPU of one is lost: seven are left there, and a job of four nodes takes the others."""
    broken = live.nodes()[0]["metadata"]["name"]
    node_events.degrade(live.client, live.node(broken), live.entry, live.cluster.ledger.all())
    assert "7 of 8 nvidia.com/gpu work" in state_of(live.node(broken))
    live.submit(trainjob("pytorch", nodes=4))
    assert broken not in live.running("pytorch", 4)


def test_a_broken_node_is_drained_by_itself_and_its_job_goes_on_on_the_spare(live: Live) -> None:
    """A job has four of five nodes. A GPU of one is lost: the job runs again on four, the spare among them, unasked."""
    live.submit(trainjob("pytorch", nodes=4))
    used = live.running("pytorch", 4)
    [spare] = {node["metadata"]["name"] for node in live.nodes()} - {*used}
    node_events.degrade(live.client, live.node(used[0]), live.entry, live.cluster.ledger.all())
    live.wait_until("no pod is left there", lambda: live.leaves("pytorch", used[0]))
    assert spare in live.running("pytorch", 4)
    assert live.is_broken(used[0])
    assert live.restarts() == (1, 0)


def test_a_job_goes_on_from_its_checkpoints_on_the_spare_with_the_script_that_it_brought(live: Live) -> None:
    """A job with a script of a ConfigMap has four of five nodes. A GPU of one is lost: its new pods, one of them on the
    spare, have the same script and the folder of its checkpoints.
    """
    script = (harness.EXAMPLES / "resume.py").read_text()
    metadata = {"name": "resume", "namespace": "training"}
    live.submit({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"resume.py": script}})
    live.submit(trainjob("resume", nodes=4, example="resume"))
    used = live.running("resume", 4)
    before = {pod["metadata"]["uid"]: _program(pod) for pod in live.pods("resume")}
    [spare] = {node["metadata"]["name"] for node in live.nodes()} - {*used}
    node_events.degrade(live.client, live.node(used[0]), live.entry, live.cluster.ledger.all())
    live.wait_until("no pod is left there", lambda: live.leaves("resume", used[0]))
    assert spare in live.running("resume", 4)
    after = {pod["metadata"]["uid"]: _program(pod) for pod in live.pods("resume")}
    assert not {*before} & {*after}
    arguments = ("/code/resume.py", "--checkpoints=/shared/checkpoints/resume", "--steps=2000", "--every=50")
    assert [*before.values(), *after.values()] == 8 * [("torchrun", *arguments, "resume", "shared")]


def _program(pod: Object) -> tuple[str, ...]:
    """What a pod runs, with the ConfigMap at /code and the claim at /shared."""
    container = next(one for one in pod["spec"]["containers"] if one["name"] == "node")
    mounts = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
    volumes = {one["name"]: one for one in pod["spec"]["volumes"]}
    code, shared = volumes[mounts["/code"]], volumes[mounts["/shared"]]
    program = (*container["command"], *container["args"])
    return (*program, code["configMap"]["name"], shared["persistentVolumeClaim"]["claimName"])


def test_a_model_on_two_nodes_waits_for_both_and_restarts_as_one(live: Live) -> None:
    """A job has three of four nodes. A replica of two waits; after the job both its pods run, on two nodes. One is
    deleted: both are replaced.
    """
    live.submit(trainjob("pytorch", nodes=3))
    live.running("pytorch", 3)
    replica: Any = next(yaml.safe_load_all((harness.EXAMPLES / "lws/vllm.yaml").read_text()))
    replica["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "medium"  # `high` would end the job
    live.submit(replica)
    live.waits("vllm", "insufficient")
    assert [pod for pod in _of_replica(live) if "nodeName" in pod["spec"]] == []
    live.end("pytorch")
    before = live.wait_until("both run", lambda: _both(live))
    assert len({pod["spec"]["nodeName"] for pod in before}) == 2
    live.client.delete({"apiVersion": "v1", "kind": "Pod", **before[1]})
    ids = {pod["metadata"]["uid"] for pod in before}

    def replaced() -> list[Object] | None:
        pods = _both(live)
        return pods if pods and not ids & {pod["metadata"]["uid"] for pod in pods} else None

    live.wait_until("both are replaced", replaced)


def _of_replica(live: Live) -> Sequence[Object]:
    return live.client.list("v1", "Pod", namespace="training", labels="leaderworkerset.sigs.k8s.io/name=vllm")


def _both(live: Live) -> list[Object] | None:
    """The leader and its worker, once both run."""
    pods = sorted(_of_replica(live), key=lambda pod: pod["metadata"]["name"])
    run = [pod["metadata"]["name"] for pod in pods if pod["status"].get("phase") == "Running"]
    return pods if run == ["vllm-0", "vllm-0-1"] else None


@pytest.mark.parametrize("wrong", manifests.SOME_WRONG)
def test_what_could_not_run_as_it_should_is_refused_with_a_reason(live: Live, wrong: str) -> None:
    """A manifest with one mistake is submitted. The API server names the mistake and what to do; nothing is made."""
    document, words = manifests.WRONG[wrong]
    assert words in live.refusal(document)
