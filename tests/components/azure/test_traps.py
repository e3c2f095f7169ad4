"""What the SDK and Azure's own defaults do wrong unless they are told otherwise, and the rules of the fabric."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_type_hints

import pulumi
import pytest
import yaml
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks

from gpucluster.components.azure import identity
from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.settings import Settings
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.errors import InputError
from tests.components.azure.conftest import token

TRIAL = yaml.safe_load((Path(__file__).parents[3] / "stacks/specs/trial.yaml").read_text())
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
CLUSTER, POOL = "trial-control-plane-cluster", "trial-training-nodes"
MIG = {"nodes": 1, "layout": "all-1g.10gb"}

Registered = list[tuple[str, str, dict[str, Any]]]
Inputs = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture
def inputs(registered: Callable[[Callable[[], object]], Registered]) -> Inputs:
    """The inputs by logical name of a cluster like the trial's."""

    def run(
        settings: Settings | None = None, *, machine: str | None = None, **changes: Any
    ) -> dict[str, dict[str, Any]]:
        from gpucluster.components.azure.cluster import TrainingCluster

        here = Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=settings or Settings())
        spec = ClusterSpec.model_validate({**TRIAL, **changes})
        plan = CLOUD.plan_cluster(spec, here, stack="azure-trial", machine=machine)
        return {name: given for _, name, given in registered(lambda: TrainingCluster(plan.name, plan))}

    return run


@pytest.mark.parametrize("state", ["NotRegistered", "Registering", "Pending", None])
@pytest.mark.slow
def test_nothing_dear_is_made_where_the_feature_of_the_subscription_is_not_registered(
    inputs: Inputs, recorder: Any, monkeypatch: pytest.MonkeyPatch, state: str | None
) -> None:
    monkeypatch.setattr(recorder, "feature", state)
    with pytest.raises(InputError) as refused:
        inputs()
    assert str(refused.value).startswith(
        f"cluster trial: 1 problem\n  the feature AKSInfinibandSupport is {state or 'in an unknown state'} in the "
        "subscription: "
    )
    made = [name for kind, name, _ in recorder.seen if not kind.startswith("gpucluster:")]
    assert not any("network" in name or name in (CLUSTER, POOL, "trial-storage-shared") for name in made)
    assert {CLUSTER, POOL} <= set(inputs(Settings(infiniband_feature="waived")))


def test_the_feature_is_not_asked_for_where_no_machine_has_infiniband(
    inputs: Inputs, recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "feature", "NotRegistered")
    found = inputs(
        training={"nodes": 1, "fabric_gbps": 0}, placement={"kind": "none"}, machine="Standard_NC40ads_H100_v5"
    )
    assert POOL in found


# The SDK.


def test_pools_are_declared_by_keywords_because_an_object_of_arguments_collides() -> None:
    """Once the SDK takes one, components may be written like all others."""
    from pulumi_azure_native import containerservice

    args = containerservice.AgentPoolArgs(resource_group_name="group", resource_name="cluster")
    with pytest.raises(TypeError, match="multiple values for argument 'resource_name'"):
        containerservice.AgentPool("pool", args)


def test_what_the_sdk_can_not_say_is_not_relied_on() -> None:
    from pulumi_azure_native import compute, containerservice

    assert set(get_type_hints(containerservice.GPUProfileArgs.__init__)) - {"return"} == {"driver"}
    for absent in ("node_initialization_taints", "single_placement_group"):
        assert not hasattr(containerservice.AgentPoolArgs, absent)
    assert not hasattr(compute.CapacityReservationGroupArgs, "reservation_type")
    assert "Ubuntu2404" not in {item.value for item in containerservice.OSSKU}


# Azure's defaults.


def test_what_needs_a_new_role_waits_until_all_of_azure_knows_it(
    inputs: Inputs, recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_before: list[set[str]] = []

    async def wait(seconds: int, urn: str) -> None:
        assert seconds > 300 and "RoleAssignment" in urn
        made_before.append({name for _, name, _ in recorder.seen})

    monkeypatch.setattr(identity, "wait", wait)
    # Later than this test, however long it takes.
    monkeypatch.setattr(recorder, "granted", (datetime.now(UTC) + timedelta(hours=1)).isoformat())
    shared = {"usable_tib": 20, "gb_per_s": 3, "bucket": "https://corpora.blob.core.windows.net/text"}
    found = inputs(Settings(bucket_group="data", lustre_principal=SUBSCRIPTION), storage={"shared": shared})
    waits = {
        "trial-control-plane-cluster": {"trial-identity-network"},
        "trial-storage-shared": {"trial-storage-bucket-account", "trial-storage-bucket-data"},
        "trial-workspace-namespace": {"trial-control-plane-caller"},
    }
    assert set(waits) <= set(found)
    for late, roles in waits.items():
        assert any(roles <= names and late not in names for names in made_before), late


@pytest.mark.parametrize(
    ("claims", "kind"), [({"scp": "user_impersonation"}, "User"), ({"idtyp": "app"}, "ServicePrincipal")]
)
def test_whoever_runs_up_has_all_rights_in_this_cluster_and_nowhere_else(
    inputs: Inputs, recorder: Any, monkeypatch: pytest.MonkeyPatch, claims: dict[str, str], kind: str
) -> None:
    """The SDK calls everybody a User, and Azure refuses that of a pipeline's application."""
    monkeypatch.setattr(recorder, "token", token(**claims))
    found = {name: given for name, given in inputs().items() if given.get("principalId") == "whoever-runs-up"}
    assert {name: (given["scope"], given["principalType"]) for name, given in found.items()} == {
        "trial-control-plane-caller": (CLUSTER, kind)
    }


# What only a registration shows.


class _FirstPreview(Mocks):
    """Echoes inputs, but for a list that comes out as a map; no id is known."""

    def new_resource(self, args: MockResourceArgs) -> tuple[None, dict[Any, Any]]:
        return None, {key: value for key, value in args.inputs.items() if (args.name, key) != (CLUSTER, "identity")}

    def call(self, args: MockCallArgs) -> Any:
        raise AssertionError(f"a first preview must ask no cloud: {args.token}")


class _Monitor(MockMonitor):
    """Keeps what it is asked to register, options and all."""

    def __init__(self) -> None:
        super().__init__(_FirstPreview())
        self.requests: dict[str, Any] = {}

    def RegisterResource(self, request: Any) -> Any:
        self.requests[request.name] = request
        return super().RegisterResource(request)


@pytest.fixture
def requests() -> Callable[..., dict[str, Any]]:
    """What the engine is asked to register in a first preview, by logical name."""

    def run(settings: Settings | None = None, **changes: Any) -> dict[str, Any]:
        monitor = _Monitor()
        pulumi.runtime.set_mocks(monitor.mocks, preview=True, monitor=monitor)
        here = Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=settings or Settings())
        plan = CLOUD.plan_cluster(ClusterSpec.model_validate({**TRIAL, **changes}), here, stack="azure-trial")

        @pulumi.runtime.test
        def started() -> None:
            from gpucluster.components.azure.cluster import TrainingCluster

            TrainingCluster(plan.name, plan)

        started()
        return monitor.requests

    return run


def test_a_first_preview_asks_no_cloud(requests: Callable[..., dict[str, Any]]) -> None:
    """Whoever answers a function raises."""
    assert {CLUSTER, POOL} <= set(requests())


@pytest.mark.parametrize("protect", [True, False])
def test_storage_is_protected_unless_the_spec_says_otherwise(
    requests: Callable[..., dict[str, Any]], protect: bool
) -> None:
    shared = {"usable_tib": 20, "gb_per_s": 3, **({} if protect else {"protect": False})}
    home = {"expected_gib": 100, **({} if protect else {"protect": False})}
    found = requests(storage={"shared": shared, "home": home})
    kept = ("trial-storage-shared", "trial-home-account", "trial-home-files")
    assert [found[name].protect for name in kept] == [protect] * 3
