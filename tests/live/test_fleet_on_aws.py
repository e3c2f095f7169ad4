"""One queue over three clusters: a manager on AWS, and workers on Google Cloud and Azure."""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpucluster.operate.jobs.jobs import State
from tests.live.conftest import ROOT, need_programs, sandbox
from tests.live.harness import EXAMPLES, Live, Object, living
from tests.live.listed import listed

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(1200)]

_KUEUE: Final = "kueue.x-k8s.io/v1beta2"
_SIDES: Final = {
    "gcp": {"manager": "aws-trial"},
    "azure": {"manager": "aws-trial"},
    "aws": {"workers": ["azure-trial", "gcp-trial"]},
}
"""Cloud -> its side of the fleet, in the order in which they come up."""


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Live]]:
    """The three clusters by the names of their stacks; those of GPUCLUSTER_LIVE_PROJECT where they stand already."""
    need_programs()
    given = os.environ.get("GPUCLUSTER_LIVE_PROJECT")
    path = tmp_path_factory.mktemp("fleet") if given is None else Path(given)
    if given is None:
        _bring_up(path)
    with ExitStack() as stack:
        yield {f"{cloud}-trial": stack.enter_context(living(path, f"{cloud}-trial", cloud)) for cloud in _SIDES}
    for cloud in [*_SIDES] if given is None else []:
        sandbox(path, "stop", "--stack", f"{cloud}-trial")


def _bring_up(path: Path) -> None:
    shutil.copy(ROOT / "Pulumi.yaml", path)
    for folder in ("stacks", "policies"):
        shutil.copytree(ROOT / folder, path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (path / ".venv").symlink_to(ROOT / ".venv")
    fields = yaml.safe_load((path / "stacks/specs/trial.yaml").read_text())
    for cloud, side in _SIDES.items():
        (path / f"stacks/specs/{cloud}.yaml").write_text(yaml.safe_dump({**fields, "fleet": side}))
        file = path / f"stacks/Pulumi.{cloud}-trial.yaml"
        file.write_text(file.read_text().replace("specs/trial.yaml", f"specs/{cloud}.yaml"))
        up = ("pulumi", "up", "--yes", "--skip-preview", "--stack", f"{cloud}-trial")
        sandbox(path, "--kubernetes", "live", *up)


@pytest.fixture(scope="module")
def live(clusters: dict[str, Live]) -> Live:
    """The manager."""
    return clusters["aws-trial"]


@pytest.fixture
def order(live: Live) -> list[str]:
    """The workers as Kueue tries them, once it is connected to both."""
    config = live.client.get({"apiVersion": _KUEUE, "kind": "MultiKueueConfig", "metadata": {"name": "fleet"}})
    assert config is not None

    def connected() -> bool:
        clusters = live.client.list(_KUEUE, "MultiKueueCluster")
        return [live.condition(it, "Active").get("status") for it in clusters] == ["True", "True"]

    live.wait_until("Kueue is connected to both workers", connected)
    return list(config["spec"]["clusters"])


def job(name: str) -> dict[str, Any]:
    """The example under another name."""
    found: dict[str, Any] = yaml.safe_load((EXAMPLES / "fleet/whole-node.yaml").read_text())
    found["metadata"]["name"] = name
    return found


def jobset(name: str, nodes: int = 2) -> dict[str, Any]:
    """The pods of the example on several nodes."""
    one = job(name)
    template = copy.deepcopy(one["spec"]["template"])
    spec = {"parallelism": nodes, "completions": nodes, "template": template}
    replicated = {"name": "node", "replicas": 1, "template": {"spec": spec}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": one["metadata"],
        "spec": {"replicatedJobs": [replicated]},
    }


def runs_in(live: Live, clusters: dict[str, Live], name: str, stack: str, number: int = 1) -> list[Object]:
    """The pods of a job, once the manager says that it runs in a cluster, and so many do there."""
    worker = clusters[stack]

    def look() -> list[Object] | None:
        pods = [pod for pod in worker.client.list("v1", "Pod", namespace="training") if _owner(pod) == name]
        there = live.workload(name).get("status", {}).get("clusterName") == stack
        return pods if there and [pod["status"].get("phase") for pod in pods] == ["Running"] * number else None

    found = worker.wait_until(f"{name} runs in {stack}", look)
    assert live.client.list("v1", "Pod", namespace="training") == []
    return found


def _owner(pod: Object) -> str | None:
    labels = pod["metadata"].get("labels", {})
    return labels.get("jobset.sigs.k8s.io/jobset-name", labels.get("job-name"))


def test_a_job_and_a_jobset_of_the_fleet_run_in_the_cheapest_cluster(
    live: Live, clusters: dict[str, Live], order: list[str]
) -> None:
    """A Job and a JobSet of two nodes wait in the manager's queue. Both run in the worker with the cheapest GPU-hour,
    the manager lists it, and the Job ends in both clusters.
    """
    live.submit(job("single"))
    live.submit(jobset("double"))
    runs_in(live, clusters, "single", order[0])
    runs_in(live, clusters, "double", order[0], 2)
    assert listed(live, "double", State.RUNNING).reason == f"in the cluster {order[0]}"
    clusters[order[0]].end("single")
    listed(live, "single", State.FINISHED)


def test_a_job_that_finds_the_first_cluster_full_runs_in_the_second(
    live: Live, clusters: dict[str, Live], order: list[str]
) -> None:
    """A JobSet has all four nodes of the first worker. A Job waits there; after 5 minutes it runs in the second, where
    the manager lists it, and its copy in the first is gone.
    """
    live.submit(jobset("all", nodes=4))
    runs_in(live, clusters, "all", order[0], 4)
    live.submit(job("next"))
    name = live.wait_until("it has a record", lambda: live.workload("next"))["metadata"]["name"]
    first = clusters[order[0]]

    def copied() -> bool:
        """A copy has no owner before its admission."""
        there = first.client.list(_KUEUE, "Workload", namespace="training")
        return name in [it["metadata"]["name"] for it in there]

    first.wait_until("its copy waits there", copied)
    runs_in(live, clusters, "next", order[1])
    assert listed(live, "next", State.RUNNING).reason == f"in the cluster {order[1]}"
    first.wait_until("its copy is gone", lambda: not copied())


def test_a_job_of_a_cluster_that_leaves_the_fleet_comes_back_and_runs_in_the_next(
    live: Live, clusters: dict[str, Live], order: list[str]
) -> None:
    """A Job runs in the first worker, which leaves the fleet. Within 5 minutes the Job runs in the second; the first
    joins again, and a new Job runs there.
    """
    live.submit(job("moves"))
    runs_in(live, clusters, "moves", order[0])
    fleet = {"apiVersion": _KUEUE, "kind": "MultiKueueConfig", "metadata": {"name": "fleet"}}
    try:
        live.client.patch(fleet, {"spec": {"clusters": order[1:]}})
        runs_in(live, clusters, "moves", order[1])
    finally:
        live.client.patch(fleet, {"spec": {"clusters": order}})
        clusters[order[0]].client.delete(job("moves"))
    live.submit(job("returns"))
    runs_in(live, clusters, "returns", order[0])


REFUSED: Final = {
    "a Deployment": "takes only the kinds Job, JobSet and CronJob",
    "a claim": "a volume is a persistentVolumeClaim, such as shared",
    "more nodes than a worker has": "its pods together ask for more than their queue has",
}
"""What could not travel -> what the API server says."""


@pytest.mark.parametrize("what", [*REFUSED])
def test_a_job_that_could_not_travel_is_refused(live: Live, what: str) -> None:
    """A Deployment, a claim, or more nodes than the largest worker has: `kubectl apply` refuses it with the reason."""
    document = job("refused")
    spec = document["spec"]["template"]["spec"]
    if what == "a claim":
        spec["volumes"] = [{"name": "a", "persistentVolumeClaim": {"claimName": "shared"}}]
    elif what == "a Deployment":
        spec["restartPolicy"] = "Always"
        labels = {"app": "a"}
        template = {"metadata": {"labels": labels}, "spec": spec}
        document |= {"apiVersion": "apps/v1", "kind": "Deployment"}
        document["spec"] = {"selector": {"matchLabels": labels}, "template": template}
    else:
        document["spec"] |= {"parallelism": 5, "completions": 5}
    assert REFUSED[what] in live.refusal(document)
