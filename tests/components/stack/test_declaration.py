"""What Pulumi is told of the place where a part of a cluster is declared."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks

from gpucluster import aws, azure, gcp
from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.kubernetes.objects.charts import CHART_SET
from gpucluster.components.shared.fleet import Worker
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.stack import declaration
from gpucluster.components.stack.declaration import declaration_context, declare, read_trial_start
from gpucluster.components.stack.stack_config import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.readers import last_outputs as module
from gpucluster.core.program.readers.records import call_of, resource_of
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import InputError

ROOT = Path(__file__).parents[3]

PLAN: Any = SimpleNamespace(
    name="trial",
    training=SimpleNamespace(shape=SimpleNamespace(cloud="aws")),
    facts=SimpleNamespace(losses=(), before_up=(), notes=()),
)


class Nothing(Mocks):
    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        # A managed cluster's identity goes in as a list and comes out as a map.
        return args.name, {key: value for key, value in args.inputs.items() if key != "identity"}

    def call(self, args: MockCallArgs) -> Any:
        return {
            "azure-native:authorization:getClientConfig": {"objectId": "whoever"},
            "azure-native:authorization:getClientToken": {"token": "header.e30.signature"},  # {} in base64
            "azure-native:containerservice:listManagedClusterUserCredentials": {"kubeconfigs": []},
            "azure-native:features:getSubscriptionFeatureRegistration": {"properties": {"state": "Registered"}},
        }.get(args.token, {})


class Monitor(MockMonitor):
    """Keeps what it is asked to register, by name, components left out."""

    def __init__(self) -> None:
        super().__init__(Nothing())
        self.asked: dict[str, Any] = {}

    def RegisterResource(self, request: Any) -> Any:
        if request.custom:
            self.asked[request.name] = request
        return super().RegisterResource(request)

    def places(self) -> dict[str, tuple[str, int]]:
        return {name: (asked.sourcePosition.uri, asked.sourcePosition.line) for name, asked in self.asked.items()}


class Thing(pulumi.CustomResource):
    def __init__(self, name: str) -> None:
        super().__init__("test:index:Thing", name, {})


def _deep(name: str, calls: int) -> int:
    """Declares it below so many calls, in the line that is returned."""
    if calls:
        return _deep(name, calls - 1)
    Thing(name)
    return inspect.currentframe().f_lineno - 1


def test_pulumi_learns_the_line_of_a_resource_and_few_of_the_calls_that_led_there() -> None:
    monitor = Monitor()
    pulumi.runtime.set_mocks(Nothing(), monitor=monitor)
    lines: dict[str, int] = {}

    @pulumi.runtime.test
    def program() -> None:
        with declaration_context(PLAN):
            lines["within"] = _deep("within", 30)
        lines["after"] = _deep("after", 30)

    program()
    within, after = monitor.asked["within"], monitor.asked["after"]
    here = Path(__file__).as_uri()
    assert monitor.places() == {name: (here, line) for name, line in lines.items()}
    assert 1 < len(within.stackTrace.frames) < 4
    assert len(after.stackTrace.frames) > 30


def test_the_limit_of_whoever_runs_the_program_is_kept_also_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (3, 500):
        monkeypatch.setattr(sys, "tracebacklimit", limit, raising=False)
        with pytest.raises(ZeroDivisionError), declaration_context(PLAN):
            assert sys.tracebacklimit == min(limit, 8)
            raise ZeroDivisionError
        assert sys.tracebacklimit == limit


def test_no_line_of_a_program_is_read_while_resources_are_declared_and_each_is_afterwards() -> None:
    linecache.clearcache()
    with declaration_context(PLAN):
        assert linecache.getline(__file__, 1) == ""
    assert linecache.getline(__file__, 1).startswith('"""What Pulumi')


def _places_in_trial(cloud: str) -> dict[str, tuple[str, int]]:
    plan: Any = plan_stack(read_stack(f"{cloud}-trial", ROOT), plan_prices)
    monitor = Monitor()
    pulumi.runtime.set_mocks(Nothing(), project="gpucluster", stack=f"{cloud}-trial", preview=True, monitor=monitor)

    @pulumi.runtime.test
    def program() -> None:
        declare(plan)

    program()
    return monitor.places()


@pytest.mark.parametrize("cloud", clouds())
def test_pulumi_learns_the_place_of_every_resource_of_a_trial(cloud: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """That which it learns without a limit: reports, SARIF and judges point there."""
    places = _places_in_trial(cloud)
    monkeypatch.setattr(declaration, "_CALLS", 1000)
    assert places == _places_in_trial(cloud)
    assert len(places) > 80
    assert all(uri.startswith("file:///") and line for uri, line in places.values())


BEGUN = "2026-11-01T08:00:00+00:00"


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds slept."""
    found: list[float] = []
    monkeypatch.setattr(module.time, "sleep", found.append)
    for name in ("organization", "project", "stack"):
        monkeypatch.setattr(pulumi, f"get_{name}", lambda name=name: name)
    return found


def _answers(monkeypatch: pytest.MonkeyPatch, *answers: Any) -> None:
    left = list(answers)

    def invoke(token: str, args: dict[str, Any]) -> Any:
        assert (token, args) == ("pulumi:pulumi:readStackOutputs", {"name": "organization/project/stack"})
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(value=answer)

    monkeypatch.setattr(pulumi.runtime, "invoke", invoke)


def test_a_state_that_is_just_written_is_read_again(monkeypatch: pytest.MonkeyPatch, waited: list[float]) -> None:
    broken = Exception("invoke of pulumi:pulumi:readStackOutputs failed: failed to load checkpoint: EOF")
    _answers(monkeypatch, broken, broken, {"outputs": {"begun": BEGUN}})
    assert read_trial_start() == datetime(2026, 11, 1, 8, tzinfo=UTC)
    assert waited == [0.05, 0.1]


def test_a_state_that_stays_unreadable_ends_the_program_with_its_error(
    monkeypatch: pytest.MonkeyPatch, waited: list[float]
) -> None:
    _answers(monkeypatch, *[Exception("failed to load checkpoint: EOF")] * 6)
    with pytest.raises(Exception, match="failed to load checkpoint: EOF"):
        read_trial_start()
    assert sum(waited) < 2


def test_a_preview_before_the_first_update_knows_no_beginning(
    monkeypatch: pytest.MonkeyPatch, waited: list[float]
) -> None:
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: True)
    _answers(monkeypatch, {"outputs": {}})
    assert (read_trial_start(), waited) == (None, [])


class Clusters(MockMonitor):
    """Keeps the records of clusters as the engine writes them, in a project in the folder of this file."""

    def __init__(self) -> None:
        super().__init__(Nothing())
        self.records: list[dict[str, Any]] = []

    def RegisterResource(self, request: Any) -> Any:
        if request.type.endswith(":TrainingCluster"):
            positions = [frame.pc for frame in request.stackTrace.frames]
            files = [os.path.relpath(one.uri.removeprefix("file://"), Path(__file__).parent) for one in positions]
            frames = zip(files, positions, strict=True)
            trace = [{"sourcePosition": f"project:///{file}#{one.line}"} for file, one in frames]
            urn = f"urn:pulumi:dev::mine::{request.type}::{request.name}"
            self.records.append(
                {"urn": urn, "type": request.type, "sourcePosition": trace[0]["sourcePosition"], "stackTrace": trace}
            )
        return super().RegisterResource(request)


SPEC: dict[str, Any] = {
    "training": {"nodes": 4},
    "storage": {"shared": {"usable_tib": 20}},
    "access": {"kind": "public", "cidrs": ["198.18.0.0/24"]},
}


@pytest.mark.parametrize(
    ("cloud", "place"),
    [
        (aws, aws.Location(region="us-east-1", zone="us-east-1a")),
        (gcp, gcp.Location(project="my-project", region="us-central1", zone="us-central1-a")),
        (azure, azure.Location(subscription="00000000-0000-0000-0000-000000000000", region="eastus", zone="1")),
    ],
    ids=["aws", "gcp", "azure"],
)
def test_a_plan_has_the_line_in_which_a_program_declares_a_cluster(cloud: Any, place: Any) -> None:
    monitor, lines = Clusters(), list[int]()
    pulumi.runtime.set_mocks(monitor.mocks, project="mine", stack="dev", preview=True, monitor=monitor)

    @pulumi.runtime.test
    def program() -> None:
        lines.append(inspect.currentframe().f_lineno + 1)
        cloud.TrainingCluster("trial", SPEC, place)

    program()
    [record] = monitor.records
    assert "components" in record["sourcePosition"]
    assert resource_of(record, "plan.json", "").source_position == f"{Path(__file__).name}#{lines[0]}"
    assert len(call_of(record)) == 2
    assert call_of({**record, "type": "aws:s3/bucket:Bucket", "custom": True}) == []


@pytest.fixture
def manager(trial: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The plan of the manager of two workers."""
    monkeypatch.setattr(pulumi, "get_stack", lambda: "aws-trial")
    spec = ClusterSpec.model_validate({**trial, "fleet": {"workers": ["gcp-trial", "azure-trial"]}})
    aws = cloud_of("aws")
    return aws.plan_cluster(spec, aws.locate(aws.keys)[0], "aws-trial")


def _outputs(stack: str, price: str) -> dict[str, Any]:
    worker = Worker(
        stack=stack,
        manager="aws-trial",
        namespaces=["training"],
        nodes=4,
        gpus=8,
        quotas={"cpu": "832"},
        cidrs=["203.0.113.0/24"],
        charts=CHART_SET,
        leader_worker_sets=False,
    )
    return {"fleet": worker.facts, "fleetKubeconfig": "{}", "perTrainingGpuHour": price}


def test_the_workers_of_a_fleet_come_from_their_stacks_the_cheapest_first(
    manager: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = {"gcp-trial": _outputs("gcp-trial", "14.94"), "azure-trial": _outputs("azure-trial", "12.80")}
    monkeypatch.setattr(declaration, "stack_outputs", outputs.get)
    found = declaration._with_workers(manager, manager.fleet)
    assert [(worker.stack, str(worker.gpu_hour_usd)) for worker in found.workers] == [
        ("azure-trial", "12.80"),
        ("gcp-trial", "14.94"),
    ]


def test_a_stack_without_a_worker_is_refused_with_each_other_before_anything_is_declared(
    manager: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The SDK raises for a stack that does not exist; one without the field has no such outputs.
    monkeypatch.setattr(declaration, "stack_outputs", {"azure-trial": {"kubeconfig": "{}"}}.__getitem__)
    with pytest.raises(InputError) as refusal:
        declaration._with_workers(manager, manager.fleet)
    assert [problem.split(",")[0] for problem in refusal.value.problems] == [
        "fleet.workers has gcp-trial",
        "fleet.workers has azure-trial",
    ]


def test_without_an_engine_the_workers_are_as_large_as_the_manager(
    manager: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declaration, "stack_outputs", lambda _: None)
    found = declaration._with_workers(manager, manager.fleet)
    assert [(worker.stack, worker.nodes, worker.quotas) for worker in found.workers] == [
        ("gcp-trial", 4, {"nvidia.com/gpu": "32"}),
        ("azure-trial", 4, {"nvidia.com/gpu": "32"}),
    ]
