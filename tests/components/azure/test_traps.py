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

from gpucluster.components.azure import propagation
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.plan import plan_cluster
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
        plan = plan_cluster(spec, here, stack="azure-trial", machine=machine)
        return {name: given for _, name, given in registered(lambda: TrainingCluster(plan.name, plan))}

    return run


def pools(found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: given for name, given in found.items() if "agentPoolName" in given}


# The fabric: one scale set, one zone, addresses of its own, drivers of one owner.


def test_one_pool_is_the_whole_fabric_and_it_is_one_scale_set_of_an_infiniband_size_in_one_zone(inputs: Inputs) -> None:
    found = pools(
        inputs(
            training={"nodes": 90, "spares": 10},
            mig=MIG,
            elastic={"engine": "native", "pools": {"dev": {"max_gpus": 4}}},
        )
    )
    fabric = {name: given for name, given in found.items() if "isr_" in given["vmSize"]}
    assert set(found) == {POOL, "trial-mig-nodes", "trial-elastic-dev-nodes"}
    assert set(fabric) == {POOL}
    pool = fabric[POOL]
    assert (pool["type"], pool["availabilityZones"], pool["count"]) == ("VirtualMachineScaleSets", ["1"], 100)


def test_the_fabric_pool_never_autoscales_and_needs_no_spare_node_to_be_upgraded(inputs: Inputs) -> None:
    pool = inputs()[POOL]
    assert pool["enableAutoScaling"] is False
    assert pool["upgradeSettings"] == {
        "maxSurge": "0",
        "maxUnavailable": "1",
        "drainTimeoutInMinutes": 30,
        "undrainableNodeBehavior": "Cordon",
    }


def test_every_range_is_clear_of_the_fabrics_own(inputs: Inputs) -> None:
    found = inputs()
    network = found[CLUSTER]["networkProfile"]
    ranges = [
        network["podCidr"],
        network["serviceCidr"],
        *found["trial-network-vnet"]["addressSpace"]["addressPrefixes"],
    ]
    assert ranges == ["10.4.0.0/14", "10.1.0.0/20", "10.0.0.0/16"]


def test_a_proximity_group_is_an_option_and_no_part_of_the_fabric(inputs: Inputs) -> None:
    assert "proximityPlacementGroupID" not in inputs()[POOL]
    with_one = inputs(Settings(proximity_group=True))
    assert with_one[POOL]["proximityPlacementGroupID"] == "trial-training-proximity"
    # A zone goes only with the sizes that are meant for it.
    proximity = with_one["trial-training-proximity"]
    assert (proximity["zones"], proximity["intent"]) == (["1"], {"vmSizes": ["Standard_ND96isr_H100_v5"]})


@pytest.mark.parametrize(("driver", "written"), [("operators", "None"), ("aks", "Install")])
def test_one_owner_has_the_drivers_of_all_gpu_nodes(inputs: Inputs, driver: Any, written: str) -> None:
    found = inputs(Settings(driver=driver), mig=MIG)
    assert {given["gpuProfile"]["driver"] for given in pools(found).values()} == {written}
    assert found["trial-elastic-class"]["spec"]["gpu"]["mode"] == ("None" if driver == "operators" else "Driver")
    values = found["trial-gpu-software-gpu"]["values"]
    assert values["driver"]["enabled"] is values["toolkit"]["enabled"] is (driver == "operators")


def test_aks_slices_only_gpus_whose_driver_it_owns(inputs: Inputs) -> None:
    ours, theirs = inputs(mig=MIG)["trial-mig-nodes"], inputs(Settings(driver="aks"), mig=MIG)["trial-mig-nodes"]
    assert "gpuInstanceProfile" not in ours
    assert ours["nodeLabels"]["nvidia.com/mig.config"] == "all-1g.12gb"
    assert theirs["gpuInstanceProfile"] == "MIG1g"
    assert "nvidia.com/mig.config" not in theirs["nodeLabels"]


@pytest.mark.parametrize(
    ("mig", "driver", "strategy", "manager"),
    [
        (None, "operators", "single", False),
        (MIG, "operators", "single", True),
        (MIG, "aks", "single", False),
        ({"nodes": 1, "layout": "all-balanced"}, "operators", "mixed", True),
    ],
)
def test_the_mig_manager_comes_only_where_it_slices(
    inputs: Inputs, mig: Any, driver: Any, strategy: str, manager: bool
) -> None:
    found = inputs(Settings(driver=driver), mig=mig)
    values = found["trial-gpu-software-gpu"]["values"]
    assert (values["mig"], values["migManager"]) == ({"strategy": strategy}, {"enabled": manager})
    labelled = [name for name, given in pools(found).items() if "nvidia.com/mig.config" in given["nodeLabels"]]
    assert labelled == (["trial-mig-nodes"] if manager else [])


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


def test_no_pool_autoscales_beside_node_auto_provisioning(inputs: Inputs) -> None:
    provisioned, scaled = inputs(), inputs(elastic={"engine": "native", "pools": {"dev": {"max_gpus": 4}}})
    assert provisioned[CLUSTER]["nodeProvisioningProfile"] == {"mode": "Auto", "defaultNodePools": "None"}
    assert not any(given["enableAutoScaling"] for given in pools(provisioned).values())
    assert scaled[CLUSTER]["nodeProvisioningProfile"] == {"mode": "Manual", "defaultNodePools": "None"}
    assert pools(scaled)["trial-elastic-dev-nodes"]["enableAutoScaling"] is True
    assert "trial-elastic-dev-pool" not in scaled


def test_node_auto_provisioning_makes_no_machines_with_infiniband(inputs: Inputs) -> None:
    requirements = inputs()["trial-elastic-dev-pool"]["spec"]["template"]["spec"]["requirements"]
    machines = next(item for item in requirements if item["key"] == "node.kubernetes.io/instance-type")
    assert machines["values"] == ["Standard_NC40ads_H100_v5"]


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


def test_names_on_the_wire_are_azures_own(inputs: Inputs) -> None:
    group = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/r/providers/Microsoft.Compute/capacityReservationGroups/g"
    found = inputs(placement={"kind": "reservation", "id": group})
    assert {"capacityReservationGroupID", "osDiskSizeGB", "osSKU", "vnetSubnetID", "gpuProfile"} <= set(found[POOL])
    assert {"storageCapacityTiB", "maintenanceWindow"} <= set(found["trial-storage-shared"])
    assert found["trial-storage-shared"]["maintenanceWindow"]["timeOfDayUTC"] == "03:00"


def test_default_node_pools_are_refused_in_either_mode(inputs: Inputs) -> None:
    """Left out, the SDK asks for Auto: CPU machines of any kind, and all of them gone once it is taken back."""
    for engine in ("karpenter", "native"):
        profile = inputs(elastic={"engine": engine, "pools": {"dev": {"max_gpus": 4}}})[CLUSTER][
            "nodeProvisioningProfile"
        ]
        assert profile["defaultNodePools"] == "None"


# Azure's defaults.


def test_no_image_or_version_reaches_a_node_by_itself(inputs: Inputs) -> None:
    assert inputs()[CLUSTER]["autoUpgradeProfile"] == {"upgradeChannel": "none", "nodeOSUpgradeChannel": "None"}


def test_every_pool_has_one_system_named_by_its_version(inputs: Inputs) -> None:
    found = inputs(mig=MIG)
    [system] = found[CLUSTER]["agentPoolProfiles"]
    assert {system["osSKU"], *(given["osSKU"] for given in pools(found).values())} == {"Ubuntu2204"}
    assert found["trial-elastic-class"]["spec"]["imageFamily"] == "Ubuntu2204"


def test_one_pool_is_part_of_the_cluster_and_has_no_gpu(inputs: Inputs) -> None:
    [system] = inputs()[CLUSTER]["agentPoolProfiles"]
    assert (system["name"], system["mode"], system["vmSize"]) == ("system", "System", "Standard_D8ds_v5")
    assert system["availabilityZones"] == ["1", "2", "3"]


def test_count_is_sent_with_every_pool(inputs: Inputs) -> None:
    found = pools(
        inputs(
            mig=MIG, elastic={"engine": "native", "pools": {"dev": {"max_gpus": 4, "purchase": ["on-demand", "spot"]}}}
        )
    )
    assert {name: given["count"] for name, given in found.items()} == {
        POOL: 5,
        "trial-mig-nodes": 4,
        "trial-elastic-dev-nodes": 0,
        "trial-elastic-dev-nodes-spot": 0,
    }


def test_the_cluster_is_of_the_kind_whose_quota_is_the_users_own(inputs: Inputs) -> None:
    assert inputs()[CLUSTER]["sku"] == {"name": "Base", "tier": "Standard"}


def test_nodes_taint_themselves_because_aks_does_not(inputs: Inputs) -> None:
    for given in pools(inputs(mig=MIG)).values():
        assert given["nodeTaints"] == ["nvidia.com/gpu=true:NoSchedule"]


def test_the_system_of_a_gpu_node_is_large_and_on_its_own_disk(inputs: Inputs) -> None:
    """The default of 128 GB is too small for CUDA's images; the machine's own disk has 1,024 GiB."""
    pool = inputs()[POOL]
    assert (pool["osDiskType"], pool["osDiskSizeGB"], pool["kubeletDiskType"]) == ("Ephemeral", 1000, "OS")


def test_names_of_pools_are_short_and_plain(inputs: Inputs) -> None:
    found = inputs(
        mig=MIG, elastic={"engine": "native", "pools": {"dev": {"max_gpus": 4, "purchase": ["spot", "on-demand"]}}}
    )
    names = sorted(given["agentPoolName"] for given in pools(found).values())
    assert names == ["dev", "devondem", "mig", "training"]
    assert all(len(name) <= 12 and name.isalnum() and name.islower() for name in names)


def test_the_cluster_acts_by_an_identity_that_has_its_roles_before(inputs: Inputs) -> None:
    assert inputs()[CLUSTER]["identity"] == {
        "type": "UserAssigned",
        "userAssignedIdentities": ["trial-identity-cluster"],
    }


def test_what_needs_a_new_role_waits_until_all_of_azure_knows_it(
    inputs: Inputs, recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_before: list[set[str]] = []

    async def sleep(seconds: float) -> None:
        assert seconds > 300
        made_before.append({name for _, name, _ in recorder.seen})

    monkeypatch.setattr(propagation, "sleep", sleep)
    # Later than this test, however long it takes.
    monkeypatch.setattr(recorder, "granted", (datetime.now(UTC) + timedelta(hours=1)).isoformat())
    shared = {"usable_tib": 20, "gb_per_s": 3, "bucket": "https://corpora.blob.core.windows.net/text"}
    found = inputs(Settings(bucket_group="data", lustre_principal=SUBSCRIPTION), storage={"shared": shared})
    waits = {
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


def test_who_submits_jobs_may_log_in_and_has_a_role_in_one_namespace(inputs: Inputs) -> None:
    group = "00000000-0000-0000-0000-00000000000c"
    made = inputs(access={**TRIAL["access"], "submitters": [group]})
    found = {name: given for name, given in made.items() if "-submitters-" in name}
    login = found.pop(f"trial-submitters-{group}")
    assert (login["scope"], login["principalId"], login["principalType"]) == (CLUSTER, group, "Group")
    assert login["roleDefinitionId"].endswith("/4abbcc35-e782-43d8-92c5-2d3f1bd2253f")
    assert found["trial-submitters-role"]["metadata"]["namespace"] == "training"
    rules = found["trial-submitters-role"]["rules"]
    found_verbs = {
        (rule["apiGroups"][0], what): " ".join(rule["verbs"]) for rule in rules for what in rule["resources"]
    }
    assert found_verbs == {
        **dict.fromkeys(
            [
                ("trainer.kubeflow.org", "trainjobs"),
                ("batch", "jobs"),
                ("apps", "deployments"),
                ("apps", "deployments/scale"),
                ("apps", "statefulsets"),
                ("apps", "statefulsets/scale"),
                ("ray.io", "rayclusters"),
                ("ray.io", "rayjobs"),
                ("ray.io", "rayservices"),
                ("", "pods/portforward"),
            ],
            "get list watch create update patch delete",
        ),
        **dict.fromkeys(
            [
                ("", "events"),
                ("", "persistentvolumeclaims"),
                ("", "pods"),
                ("", "pods/log"),
                ("", "services"),
                ("jobset.x-k8s.io", "jobsets"),
                ("kueue.x-k8s.io", "localqueues"),
                ("kueue.x-k8s.io", "workloads"),
            ],
            "get list watch",
        ),
    }
    assert found["trial-submitters-binding"]["subjects"] == [
        {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}
    ]
    assert set(found) == {"trial-submitters-role", "trial-submitters-binding"}
    assert not any("-submitters-" in name for name in inputs())


def test_a_team_has_the_topology_and_the_closed_addresses_in_its_own_namespace(inputs: Inputs) -> None:
    group = "00000000-0000-0000-0000-00000000000b"
    home = {**TRIAL["storage"], "home": {"expected_gib": 100}}
    found = inputs(teams={"vision": {"groups": [group], "gpus": {"training": 16}}}, storage=home)
    made = {name.partition(".")[2]: given for name, given in found.items() if name.startswith("trial-team-vision.")}
    assert set(made) == {
        "closed",
        "files-claim",
        "files-home-claim",
        "files-home-volume",
        "files-volume",
        "namespace",
        "network",
        "submitters-binding",
        "submitters-role",
        "topology",
    }
    assert made["topology"]["data"] == found["trial-topology"]["data"]
    assert made["closed"]["spec"] == found["trial-jobs-closed"]["spec"]
    assert made["namespace"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    # NFS of Azure Files is mounted once a node, by its handle.
    assert made["files-home-volume"]["spec"]["csi"]["volumeHandle"].endswith(".vision")
    selected = found["trial-jobs-rules-training-pods"]["spec"]["matchConstraints"]["namespaceSelector"]
    assert selected["matchExpressions"][0]["values"] == ["training", "team-vision"]
    assert found[f"trial-submitters-{group}"]["principalId"] == group


def test_nodes_reach_a_public_api_by_their_own_way_out(inputs: Inputs) -> None:
    assert inputs()[CLUSTER]["apiServerAccessProfile"]["authorizedIPRanges"] == ["203.0.113.0/24", "192.0.2.1/32"]


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
        plan = plan_cluster(ClusterSpec.model_validate({**TRIAL, **changes}), here, stack="azure-trial")

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


def test_edits_of_the_inline_pool_and_the_autoscalers_counts_are_left_alone(
    requests: Callable[..., dict[str, Any]],
) -> None:
    found = requests(elastic={"engine": "native", "pools": {"dev": {"max_gpus": 4}}})
    assert list(found[CLUSTER].ignoreChanges) == ["agentPoolProfiles"]
    assert list(found["trial-elastic-dev-nodes"].ignoreChanges) == ["count"]
    # AKS never changes what an earlier release has set.
    assert list(found[POOL].ignoreChanges) == ["kubeletConfig"]


@pytest.mark.parametrize("protect", [True, False])
def test_storage_is_protected_unless_the_spec_says_otherwise(
    requests: Callable[..., dict[str, Any]], protect: bool
) -> None:
    shared = {"usable_tib": 20, "gb_per_s": 3, **({} if protect else {"protect": False})}
    home = {"expected_gib": 100, **({} if protect else {"protect": False})}
    found = requests(storage={"shared": shared, "home": home})
    kept = ("trial-storage-shared", "trial-home-account", "trial-home-files")
    assert [found[name].protect for name in kept] == [protect] * 3
