"""The objects of a fleet: what the manager has for each worker, and what a worker grants it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final

import pulumi
import pytest

from gpucluster.components.kubernetes.jobs.fleet import (
    DISPATCHER,
    WATCHED,
    FleetManager,
    FleetWorker,
    manager_kubeconfig,
)
from gpucluster.components.kubernetes.jobs.job_controllers import KUEUE_CONFIG, kueue_config
from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.job_rules import limit_values
from gpucluster.components.planning.names import GPU
from gpucluster.components.shared.fleet import FleetPlan, Worker
from gpucluster.core.catalog.machines import machines

Registered = Callable[[Callable[[], object]], list[tuple[str, str, Any]]]

CLUSTER: Final = json.dumps(
    {
        "clusters": [{"name": "x", "cluster": {"server": "https://a.example", "certificate-authority-data": "Q0E="}}],
        "users": [{"name": "x", "user": {"exec": {"command": "aws"}}}],
    }
)


def worker(stack: str, nodes: int) -> Worker:
    return Worker(
        stack=stack,
        manager="aws-trial",
        namespaces=["training"],
        nodes=nodes,
        gpus=8,
        quotas={GPU: str(8 * nodes)},
        cidrs=["203.0.113.0/24"],
        charts="2026-11.2",
        leader_worker_sets=False,
        kubeconfig=CLUSTER,
    )


PLAN: Final = FleetPlan(
    manager=None,
    names=["gcp-trial", "azure-trial"],
    cidrs=[],
    workers=[worker("azure-trial", 2), worker("gcp-trial", 4)],
)
POOL: Final = JobPool(name="training", shape=machines()["p5.48xlarge"], nodes=4, gpus={GPU: 32}, ask={GPU: 8})


def test_a_manager_has_a_queue_checked_against_its_workers_in_their_order(registered: Registered) -> None:
    spaces = {"training": "training", "team-vision": "team-vision"}
    found = registered(lambda: FleetManager("fleet", PLAN, namespaces=spaces, address=None, after=[]))
    specs = {name: inputs.get("spec") for _, name, inputs in found}
    accesses = {name: inputs["metadata"] for kind, name, inputs in found if kind.endswith(":Secret")}
    assert accesses == {
        f"fleet-{stack}-access": {"name": f"fleet-{stack}", "namespace": "kueue-system"}
        for stack in ("azure-trial", "gcp-trial")
    }
    assert specs["fleet-gcp-trial-cluster"] == {
        "clusterSource": {"kubeConfig": {"location": "fleet-gcp-trial", "locationType": "Secret"}}
    }
    assert specs["fleet-config"] == {"clusters": ["azure-trial", "gcp-trial"]}
    assert specs["fleet-check"] == {
        "controllerName": "kueue.x-k8s.io/multikueue",
        "parameters": {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "fleet"},
    }
    assert specs["fleet-cluster-queue"]["admissionChecksStrategy"] == {"admissionChecks": [{"name": "fleet"}]}
    assert specs["fleet-cluster-queue"]["resourceGroups"][0]["flavors"] == [
        {"name": "fleet", "resources": [{"name": GPU, "nominalQuota": "48"}]}
    ]
    queues = {name: inputs["metadata"]["namespace"] for kind, name, inputs in found if kind.endswith(":LocalQueue")}
    assert queues == {"fleet-queue": "training", "fleet-team-vision-queue": "team-vision"}


@pytest.mark.parametrize("preview", [True, False])
def test_a_preview_fails_if_a_worker_does_not_admit_the_manager(
    registered: Registered, monkeypatch: pytest.MonkeyPatch, *, preview: bool
) -> None:
    said: list[str] = []
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: preview)
    monkeypatch.setattr(pulumi.log, "warn", lambda text, *_: said.append(text))

    def declare() -> None:
        address = pulumi.Output.from_input("198.51.100.7")
        FleetManager("fleet", PLAN, namespaces={"training": "training"}, address=address, after=[])

    if preview:
        with pytest.raises(pulumi.RunError, match=r"whose access\.cidrs lack 198\.51\.100\.7"):
            registered(declare)
    else:
        registered(declare)
        assert [text.split(",")[0] for text in said] == [
            "fleet.workers has azure-trial",
            "fleet.workers has gcp-trial",
        ]


def test_a_worker_grants_the_manager_jobs_in_its_namespaces_and_a_look_at_the_rest(registered: Registered) -> None:
    found = registered(
        lambda: FleetWorker(
            "fleet", namespace="training", spaces=[], cluster=pulumi.Output.from_input(CLUSTER), after=[]
        )
    )
    rules = {inputs["metadata"].get("namespace"): inputs["rules"] for _, _, inputs in found if "rules" in inputs}
    assert rules == {
        None: [
            {"apiGroups": [group], "resources": [*kinds], "verbs": ["get", "list", "watch"]}
            for group, kinds in WATCHED.items()
        ],
        "training": [
            {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create", "delete"]},
            {"apiGroups": ["jobset.x-k8s.io"], "resources": ["jobsets"], "verbs": ["create", "delete"]},
            {
                "apiGroups": ["kueue.x-k8s.io"],
                "resources": ["workloads"],
                "verbs": ["create", "delete", "update", "patch"],
            },
            {
                "apiGroups": ["kueue.x-k8s.io"],
                "resources": ["workloads/status"],
                "verbs": ["get", "update", "patch"],
            },
        ],
    }
    queues = [inputs for kind, _, inputs in found if kind.endswith(":LocalQueue")]
    assert [(it["metadata"], it["spec"]) for it in queues] == [
        ({"name": "fleet", "namespace": "training"}, {"clusterQueue": "training"})
    ]


def test_the_access_has_the_token_that_kubernetes_writes_the_certificate_and_no_command(
    registered: Registered, recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, found = recorder.new_resource, list[str]()

    def with_token(args: Any) -> Any:
        id_, state = make(args)
        data = {"token": base64.b64encode(b"t0ken").decode()}
        return id_, {**state, "data": data} if args.typ.endswith(":Secret") else state

    def declare() -> None:
        cluster = pulumi.Output.from_input(CLUSTER)
        FleetWorker("fleet", namespace="training", spaces=[], cluster=cluster, after=[]).kubeconfig.apply(found.append)

    monkeypatch.setattr(recorder, "new_resource", with_token)
    registered(declare)
    made = json.loads(found[0])
    assert made["users"] == [{"name": "fleet", "user": {"token": "t0ken"}}]
    assert made["clusters"] == [
        {"name": "fleet", "cluster": {"server": "https://a.example", "certificate-authority-data": "Q0E="}}
    ]


def test_there_is_no_access_without_a_token() -> None:
    assert manager_kubeconfig(CLUSTER, None) == ""


def test_the_manager_s_kueue_takes_workers_in_their_order_and_no_kind_that_they_lack() -> None:
    config = kueue_config([], manages_fleet=True)
    assert config["multiKueue"] == DISPATCHER
    frameworks = KUEUE_CONFIG["integrations"]["frameworks"]
    assert config["integrations"]["frameworks"] == [name for name in frameworks if not name.startswith("ray.io/")]


@pytest.mark.parametrize(
    ("plan", "nodes"), [(PLAN, 4), (FleetPlan(manager="azure-trial", names=[], cidrs=[]), 4)], ids=["manager", "worker"]
)
def test_a_job_of_the_fleet_fits_into_one_worker(plan: FleetPlan, nodes: int) -> None:
    limits: Any = limit_values([POOL], {"training": ["training"]}, plan)
    assert limits["pools"] == ["training", "fleet"]
    assert limits["machine"]["fleet"] == {GPU: 8}
    assert limits["most"]["fleet"] == {GPU: 8 * nodes}
    assert limits["limits"].endswith("; fleet 4 with 8 nvidia.com/gpu each")
