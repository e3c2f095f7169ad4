from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.rehearse.outcome import Verdict
from gpucluster.sandbox.live import node_events
from gpucluster.sandbox.live.commands.node import state_of
from tests.live.accepted import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.conftest import brought_up
from tests.live.elastic import *  # noqa: F403 - the same
from tests.live.everywhere import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.harness import Live, trainjob
from tests.live.listed import *  # noqa: F403 - the same, on this cloud alone
from tests.live.queue_counts import *  # noqa: F403 - the same
from tests.live.rehearsed import *  # noqa: F403 - the same
from tests.live.rehearsed import of, rehearsal, there
from tests.live.wrong import WRONG

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The trial stack on this cloud."""
    yield from brought_up(tmp_path_factory.mktemp("aws"), "aws")


def test_aws_tells_a_cluster_nothing_before_it_takes_an_on_demand_machine(live: Live) -> None:
    """A node is interrupted by name. The command says that nobody in the cluster is told, and what to do instead."""
    name = live.nodes()[0]["metadata"]["name"]
    with pytest.raises(InputError) as caught:
        node_events.interrupt(live.client, live.node(name), live.entry)
    assert str(caught.value) == (
        f"{name} is bought on demand: its cloud gives no notice before it removes the machine; "
        f"gpucluster sandbox node delete {name} deletes it without notice"
    )


def test_a_lost_gpu_is_told_by_the_monitoring_agent_of_eks(live: Live) -> None:
    """A GPU of a node is lost. Its device plugin counts it out, and the agent writes AcceleratedHardwareReady=False."""
    broken = live.nodes()[0]["metadata"]["name"]
    said = node_events.degrade(live.client, live.node(broken), live.entry, live.cluster.ledger.all())
    assert "NvidiaXID79Error" in said
    assert state_of(live.node(broken)) == "Ready, AcceleratedHardwareReady, 7 of 8 nvidia.com/gpu work"


def test_a_broken_node_that_has_been_repaired_takes_jobs_again(live: Live) -> None:
    """A GPU of a node is lost, which taints it. Its machine restarts: two minutes later the taint is gone."""
    name = live.nodes()[0]["metadata"]["name"]
    node_events.degrade(live.client, live.node(name), live.entry, live.cluster.ledger.all())
    live.wait_until("it is tainted", lambda: live.is_broken(name) or None)
    node_events.repair(live.client, live.node(name), live.entry, live.cluster.ledger.all())
    assert live.is_broken(name)
    live.wait_until("it takes jobs again", lambda: not live.is_broken(name) or None)


def test_a_job_leaves_a_node_that_stays_silent_by_itself(live: Live) -> None:
    """A job has four of five nodes. A kubelet stops for good: 5 minutes later the job runs again, with the spare."""
    live.submit(trainjob("pytorch", nodes=4))
    used = live.running("pytorch", 4)
    [spare] = {node["metadata"]["name"] for node in live.nodes()} - {*used}
    node_events.fail(live.client, live.node(used[0]))
    # Silent after 40 s, 60 more that pods tolerate it, their grace period of 120, and Kueue's minute.
    live.wait_until("no pod is bound to it", lambda: live.leaves("pytorch", used[0]))
    assert spare in live.running("pytorch", 4)
    assert live.restarts() == (1, 0)


def test_a_job_that_asks_for_more_interfaces_than_a_node_has_never_holds_a_node(live: Live) -> None:
    """A plain job with a queue asks for 33 EFA interfaces of 32. It is refused, or waits and says why; none starts."""
    said = live.refusal(_interfaces(33))
    if not said:
        live.submit(_interfaces(33))
        said = live.waits("interfaces")
        live.holds_nothing("interfaces")
    assert "vpc.amazonaws.com/efa" in said


def test_a_schedule_a_group_of_pods_and_a_new_claim_are_rehearsed(live: Live) -> None:
    """A CronJob, two pods of a group and a Job with a new claim are rehearsed. A Job of the first would run, the pods
    together too; of the third nothing can be told. Nothing stays.
    """
    job: Any = _plain_job("claims", {"nvidia.com/gpu": 1})
    job["spec"]["template"]["spec"]["tolerations"] = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
    template = {"metadata": {"labels": job["metadata"]["labels"]}, "spec": job["spec"]}
    at = {"schedule": "0 3 * * *", "jobTemplate": template}
    nightly = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {**job["metadata"], "name": "nightly"}}
    with_claim: Any = copy.deepcopy(job)
    with_claim["spec"]["template"]["spec"]["volumes"] = [{"name": "a", "persistentVolumeClaim": {"claimName": "data"}}]
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "training"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}},
    }
    labels = {**job["metadata"]["labels"], "kueue.x-k8s.io/pod-group-name": "pair"}
    counted = {"kueue.x-k8s.io/pod-group-total-count": "2"}
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "training", "labels": labels, "annotations": counted},
            "spec": job["spec"]["template"]["spec"],
        }
        for name in ("one", "two")
    ]
    before = there(live)
    report = rehearsal(live, *map(of, [{**nightly, "spec": at}, *pods, claim, with_claim]))
    assert [(one.outcome.manifest.name, one.outcome.verdict) for one in report.jobs] == [
        ("nightly", Verdict.RUNS),
        ("one", Verdict.RUNS),
        ("two", Verdict.RUNS),
        ("claims", Verdict.UNKNOWN),
    ]
    assert there(live) == before


@pytest.mark.parametrize("wrong", [*WRONG])
def test_what_could_not_run_as_it_should_is_refused_with_a_reason(live: Live, wrong: str) -> None:
    """A manifest with one mistake is submitted. The API server names the mistake and what to do; nothing is made."""
    document, words = WRONG[wrong]
    assert words in live.refusal(document)


def _interfaces(number: int) -> dict[str, object]:
    return _plain_job("interfaces", {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": number})


def _plain_job(name: str, devices: dict[str, int]) -> dict[str, object]:
    """A plain Job of Kubernetes, in the queue of the training pool."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1", "resources": {"limits": devices}}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "training",
            "labels": {"kueue.x-k8s.io/queue-name": "training"},
        },
        "spec": {"template": {"spec": pod}},
    }
