"""What a real API server of each side of a fleet says of jobs for its queue."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.job_rules import rules_of
from gpucluster.components.kubernetes.jobs.jobs import queues_of
from gpucluster.components.kubernetes.objects import charts
from gpucluster.components.planning.names import GPU, NAMESPACE
from gpucluster.components.shared.fleet import FleetPlan, Worker
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import open_server
from tests.jobs.test_rules import Judge
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

WORKER: Final = Worker(
    stack="gcp-trial",
    manager="aws-trial",
    namespaces=[NAMESPACE],
    nodes=3,
    gpus=8,
    quotas={GPU: "24"},
    cidrs=[],
    charts=charts.CHART_SET,
    leader_worker_sets=False,
)
SIDES: Final = {
    "manager": FleetPlan(manager=None, names=["gcp-trial"], cidrs=[], workers=[WORKER]),
    "worker": FleetPlan(manager="aws-trial", names=[], cidrs=[]),
}
EXAMPLE: Final = Path(__file__).parents[2] / "examples/jobs/fleet/whole-node.yaml"
MANAGER: Final = "system:serviceaccount:kueue-system:fleet"


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory, pools: Callable[..., list[JobPool]]) -> Iterator[dict[str, Judge]]:
    """A server for each side, with the rules of a cluster on AWS."""
    versions = {"jobset": charts.JOBSET.version, "kuberay-operator": "1.6.2"}
    sources = [source_of(chart, version) for chart, version in versions.items()]
    definitions = [it for source in sources if source is not None for it in definitions_of(source)]
    found = pools("aws")
    with ExitStack() as stack:
        judges: dict[str, Judge] = {}
        for side, fleet in SIDES.items():
            server = stack.enter_context(open_server(tmp_path_factory.mktemp(side), find_binaries()))
            judge = judges[side] = Judge("aws", Client(server), server)
            judge.client.define([it for it in definitions if it["metadata"]["name"] != "rayservices.ray.io"])
            judge.client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
            rules = rules_of(
                found,
                release=found[0].release,
                queues=queues_of(found),
                namespaces=[NAMESPACE],
                restricted=True,
                fleet=fleet,
            )
            for manifest in (manifest for rule in rules.values() for manifest in rule):
                if manifest["metadata"]["name"] != "training-jobs":
                    judge.client.apply(manifest)
        # A server acts on new rules a moment later.
        wait_for("the rules are in force", lambda: all(judge(job(nodes=9)) for judge in judges.values()))
        wait_for("the manager's rule is in force", lambda: judges["manager"](job(claim="shared")))
        yield judges


def job(*, nodes: int = 1, claim: str | None = None, kind: str = "Job", queue: str = "fleet") -> dict[str, Any]:
    """The example with changes."""
    document: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text())
    document["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = queue
    document["spec"] |= {"parallelism": nodes, "completions": nodes}
    template = document["spec"]["template"]
    if claim is not None:
        template["spec"]["volumes"] = [{"name": "a", "persistentVolumeClaim": {"claimName": claim}}]
    if kind == "Deployment":
        labels = {"app": "a"}
        pod = {**template["spec"], "restartPolicy": "Always"}
        spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
        return {**document, "apiVersion": "apps/v1", "kind": kind, "spec": spec}
    if kind == "RayCluster":
        return {
            **document,
            "apiVersion": "ray.io/v1",
            "kind": kind,
            "spec": {"headGroupSpec": {"rayStartParams": {}, "template": copy.deepcopy(template)}},
        }
    if kind == "JobSet":
        inner = {"parallelism": nodes, "completions": nodes, "template": template}
        replicated = [{"name": "node", "template": {"spec": inner}}]
        return {
            **document,
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": kind,
            "spec": {"replicatedJobs": replicated},
        }
    return document


@pytest.mark.parametrize("kind", ["Job", "JobSet"])
@pytest.mark.parametrize("side", [*SIDES])
def test_a_job_that_fits_into_a_worker_is_taken_by_both_sides(sides: dict[str, Judge], side: str, kind: str) -> None:
    assert sides[side](job(nodes=3, kind=kind), user=MANAGER if side == "worker" else None) == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nodes": 4}, "its pods together ask for more than their queue has"),
        ({"claim": "shared"}, "a volume is a persistentVolumeClaim, such as shared"),
        ({"kind": "Deployment"}, "takes only the kinds Job, JobSet and CronJob"),
        ({"kind": "RayCluster", "queue": "training"}, "its queues take no jobs of Ray"),
    ],
    ids=["more nodes than the largest worker has", "a claim", "a Deployment", "Ray in another queue"],
)
def test_the_manager_refuses_what_could_not_run_in_a_worker(
    sides: dict[str, Judge], changes: dict[str, Any], said: str
) -> None:
    assert said in sides["manager"](job(**changes))


def test_the_worker_takes_ray_and_claims_in_its_own_queues(sides: dict[str, Judge]) -> None:
    assert sides["worker"](job(kind="RayCluster", queue="training")) == ""
    assert sides["worker"](job(claim="shared", queue="training")) == ""


def test_several_nodes_of_a_fleet_are_warned_of_tcp_with_the_queue_that_has_the_fabric(
    sides: dict[str, Judge],
) -> None:
    warning = sides["manager"].warning(job(nodes=2, kind="JobSet"))
    assert "NCCL will use TCP" in warning
    assert warning.endswith("jobs of the queue fleet have no fabric: use training")
