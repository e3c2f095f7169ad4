"""Plans on Azure: what a spec becomes, what is lost, and everything that is refused, at once."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.planning.pools import plan_mig
from gpucluster.components.azure.pools.job_pools import job_pools
from gpucluster.components.azure.settings import Settings
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.spec.cluster import ClusterSpec

TRIAL = yaml.safe_load((Path(__file__).parents[4] / "stacks/specs/trial.yaml").read_text())
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
RESERVATION = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/reserved/providers/Microsoft.Compute/capacityReservationGroups/h100"
)
SHARED = {"usable_tib": 20, "gb_per_s": 3, "protect": False}


def here(**settings: Any) -> Location:
    return Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=Settings(**settings))


def plan(location: Location | None = None, machine: str | None = None, **changes: Any) -> AzureClusterPlan:
    spec = ClusterSpec.model_validate({**TRIAL, **changes})
    return CLOUD.plan_cluster(spec, location or here(), stack="azure-trial", machine=machine)


def refused(location: Location | None = None, machine: str | None = None, **changes: Any) -> list[str]:
    with pytest.raises(PlanError) as caught:
        plan(location, machine, **changes)
    return list(map(str, caught.value.problems))


def nodes(count: int, spares: int = 0) -> dict[str, int]:
    return {"nodes": count, "spares": spares, "fabric_gbps": 1600}


@pytest.mark.parametrize(
    ("accelerator", "instead"),
    [
        ("b200", "B200 only in racks, as GB200: Standard_ND128isr_NDR_GB200_v6"),
        ("b300", "B300 only in racks, as GB300: Standard_ND128isr_GB300_v6"),
    ],
)
def test_azure_sells_no_machine_with_eight_blackwell_gpus(accelerator: str, instead: str) -> None:
    assert refused(accelerator=accelerator, mig={"nodes": 1, "layout": "all-balanced"}) == [
        f"accelerator is '{accelerator}', of which no machine with 8 GPUs is sold here; allowed: h100, h200, "
        f"a100-80gb, a100-40gb; Azure sells {instead}, 4 GPUs a machine with ARM CPUs"
    ]


def test_machines_without_infiniband_are_said_to_wait_for_cards_where_the_operators_own_the_driver() -> None:
    def said(*args: Any, **change: Any) -> list[str]:
        notes = plan(*args, **change).facts.notes
        return [note.partition(" without InfiniBand: ")[0] for note in notes if "nvidia-peermem-ctr" in note]

    small, double = "Standard_NC40ads_H100_v5", "Standard_NC80adis_H100_v5"
    sliced = {"nodes": 1, "layout": "all-1g.10gb"}
    assert said(mig=sliced) == [f"{small} and {double}"]
    assert said(elastic=None, mig=sliced) == [double]
    assert said(elastic=None) == []
    assert said(here(driver="aks"), mig=sliced) == []
    assert said(machine=small, training={"nodes": 1, "fabric_gbps": 0}) == []


@pytest.mark.parametrize(
    ("torsets", "topology", "said"),
    [(False, ((), None), "AKS sets no leaf-switch labels"), (True, (("ib/torset",), "ib/torset"), "run Micr")],
)
def test_a_queue_knows_leaf_switches_only_where_nodes_are_labelled(
    torsets: bool, topology: tuple[Any, Any], said: str
) -> None:
    made = plan(here(torsets=torsets))
    [training, *others] = job_pools(made)
    assert (training.topology, training.near) == topology
    assert {(pool.topology, pool.near) for pool in others} == {((), None)}
    [note] = [note for note in made.facts.notes if note.startswith("queue")]
    assert said in note


class OneList:
    """Prices of one machine in one region."""

    def storage_price(self, cloud: str, region: str, tier: int) -> None:
        del cloud, region, tier

    def storage_price_in_other_regions(self, cloud: str, tier: int) -> None:
        del cloud, tier

    def machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
        del purchase
        return self.machines_usd(cloud, region).get(machine_type)

    def own_machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> None:
        del cloud, region, machine_type, purchase

    def machines_usd(self, cloud: str, region: str) -> Mapping[str, Decimal]:
        del cloud
        return {"Standard_ND96isr_H100_v5": Decimal("98.32")} if region == "eastus" else {}


@pytest.mark.parametrize(("region", "zone"), [("eastus", "1"), ("brazilsouth", None)])
def test_where_machines_are_sold_is_said_as_far_as_it_is_known(region: str, zone: str | None) -> None:
    settings = Settings(lustre_zone=None if zone else "2")
    place = Location(subscription=SUBSCRIPTION, region=region, number=zone, settings=settings)
    spec = ClusterSpec.model_validate({**TRIAL, "mig": {"nodes": 1, "layout": "all-1g.10gb"}})
    notes = CLOUD.plan_cluster(spec, place, stack="azure-trial", prices=OneList()).facts.before_up
    here = (
        "all GPU nodes are in zone 1: the zones of eastus with Standard_ND96isr_H100_v5 depend on your subscription: "
        "az aks list-vm-skus --location eastus --size Standard_ND96isr_H100_v5 --all; if AKS lists none, write "
        "gpucluster:zone: none"
    )
    unlisted = {"elastic pools": "Standard_NC40ads_H100_v5", "MIG pool": "Standard_NC80adis_H100_v5"}
    unlisted = unlisted if zone else {"training pool": "Standard_ND96isr_H100_v5", **unlisted}
    said = [f"{pool}: no price list has {machine} in {region}: whether " for pool, machine in unlisted.items()]
    found = [note for note in notes if "price list" in note or note.startswith("all GPU")]
    assert [note.removesuffix("it is available there is unknown") for note in found] == said + ([here] if zone else [])


def test_spot_counts_against_a_quota_of_its_own() -> None:
    made = plan(
        elastic={"engine": "native", "pools": {"dev": {"max_gpus": 8, "purchase": ["spot"]}}},
        mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "spot"},
    )
    assert made.facts.before_up[-1] == (
        "required quotas in eastus, in vCPUs: 480 of standardNDSH100v5Family, 32 of standardDDSv5Family, 512 of Total "
        "Regional vCPUs, 640 of Total Regional Spot vCPUs; also the Azure Managed Lustre quota for 28 TiB more; quota "
        "is not capacity"
    )


@pytest.mark.parametrize(
    ("training", "chosen", "machine", "quota"),
    [
        (nodes(99), None, "Standard_D8ds_v5", "32 of standardDDSv5Family"),
        (nodes(99, 1), None, "Standard_D16ds_v5", "64 of standardDDSv5Family"),
        (nodes(99, 1), "Standard_D8ads_v5", "Standard_D8ads_v5", "32 of standardDADSv5Family"),
    ],
)
def test_the_system_pool_is_sized_by_the_cluster_unless_the_stack_chooses(
    training: dict[str, int], chosen: str | None, machine: str, quota: str
) -> None:
    planned = plan(here(system_machine=chosen), training=training, elastic=None)
    [quotas] = [note for note in planned.facts.before_up if note.startswith("required quotas")]
    assert (planned.system.machine_type, planned.system.nodes) == (machine, 3)
    assert f", {quota}, " in quotas


@pytest.mark.parametrize(
    ("engine", "purchase", "said"),
    [
        ("karpenter", ["spot", "on-demand"], True),
        ("karpenter", ["spot"], False),
        ("native", ["spot", "on-demand"], False),
    ],
)
def test_node_auto_provisioning_is_said_not_to_fall_back_from_spot(
    engine: str, purchase: list[str], said: bool
) -> None:
    notes = plan(
        elastic={"engine": engine, "pools": {"dev": {"max_gpus": 8, "purchase": purchase}}}
    ).facts.registered()["notes"]
    assert any("does not fall back to on demand within one request" in note for note in notes) is said


def test_sliced_gpus_differ_by_memory_and_by_their_number_in_a_machine() -> None:
    made = plan(mig={"nodes": 2, "layout": "all-3g.40gb"}, elastic=None)
    assert made.mig is not None
    assert (made.mig.shape.machine_type, made.mig.nodes, made.mig.layout, made.mig.pool.slices) == (
        "Standard_NC80adis_H100_v5",
        8,
        "all-3g.47gb",
        {"3g.47gb": 32},
    )
    assert made.facts.registered()["losses"] == [
        "MIG pool: H100 NVL with 94 GB instead of SXM with 80 GB, so slices are 3g.47gb instead of 3g.40gb; 8 x "
        "Standard_NC80adis_H100_v5 have the GPUs of 2 x 8"
    ]


def test_h200_is_sliced_on_the_training_machine_and_nothing_is_lost() -> None:
    made = plan(accelerator="h200", mig={"nodes": 2, "layout": "all-1g.18gb"}, elastic=None)
    assert made.mig is not None
    assert (made.mig.shape.machine_type, made.mig.nodes) == ("Standard_ND96isr_H200_v5", 2)
    assert made.mig.pool.slices == {"1g.18gb": 112}
    assert made.facts.registered()["losses"] == []


@pytest.mark.parametrize(
    ("count", "limit", "problems"),
    [
        (100, 100, []),
        (
            101,
            100,
            [
                "scaleSetLimit is 100, and training.nodes and training.spares make 101 nodes in one scale set, the "
                "InfiniBand domain; ask Microsoft support to raise it and write the new limit, at most 300, or "
                "request fewer nodes"
            ],
        ),
        (300, 300, []),
        (
            301,
            300,
            [
                "training.nodes and training.spares make 301 nodes; InfiniBand works within one scale set, which holds "
                "at most 300: request fewer"
            ],
        ),
    ],
)
def test_a_scale_set_has_100_nodes_and_300_where_support_raised_it(count: int, limit: int, problems: list[str]) -> None:
    asked: dict[str, Any] = {"training": nodes(count - 1, 1), "elastic": None}
    if problems:
        assert refused(here(scale_set_limit=limit), **asked) == problems
    else:
        assert plan(here(scale_set_limit=limit), **asked).training.size == count


def test_machines_without_infiniband_train_on_no_more_than_one_node() -> None:
    said = (
        "machine is 'Standard_NC80adis_H100_v5', which has no InfiniBand (no r in its name): it is for single nodes, "
        "sliced GPUs and the elastic pools; with accelerator h100: Standard_ND96isr_H100_v5"
    )
    assert refused(machine="Standard_NC80adis_H100_v5") == [said]
    single = plan(machine="Standard_NC80adis_H100_v5", training=nodes(1), elastic=None)
    assert single.facts.registered()["losses"] == [
        "GPU fabric: 1,600 Gb/s a node requested, 0 on Standard_NC80adis_H100_v5",
        "GPUs a node: 8 requested, 2 on Standard_NC80adis_H100_v5",
    ]


def test_a_misspelt_machine_is_corrected() -> None:
    assert refused(machine="Standard_ND96isr_H100_v4") == [
        "machine is 'Standard_ND96isr_H100_v4'; with accelerator h100: Standard_ND96isr_H100_v5; did you mean "
        "Standard_ND96isr_H100_v5?"
    ]


def test_everything_that_azure_does_not_sell_or_build_is_refused_at_once() -> None:
    said = refused(
        purchase={"kind": "capacity-block"},
        placement={"kind": "reservation", "id": "cr-0123456789"},
        training=nodes(70),
        duration="30w",
        elastic={"pools": {"dev": {"max_gpus": 8, "purchase": ["flex-start"]}}},
        mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "flex-start"},
        access={
            "kind": "private",
            "via": "vpn",
            "cidrs": ["10.0.0.0/16", "172.16.8.0/24"],
            "egress": "none",
            "registry": "mirror.example.com",
            "admins": ["group:ml"],
        },
    )
    assert {*said} == {
        "elastic.pools.dev.purchase has flex-start, which is available on Google Cloud but not on Azure; choose from "
        "on-demand and spot",
        "mig.purchase is 'flex-start', which is available on Google Cloud but not on Azure; choose on-demand or spot",
        "placement.id is 'cr-0123456789'; on Azure write the id of a capacity reservation group, "
        "/subscriptions/ID/resourceGroups/GROUP/providers/Microsoft.Compute/capacityReservationGroups/NAME",
        "training.nodes and training.spares make 70 nodes; one capacity block holds at most 64: request fewer",
        "purchase.kind is 'capacity-block', on Azure for 1 to 14 days or 3 to 26 weeks, and duration is 210 days; "
        "shorten duration or choose on-demand",
        "access.egress is 'none', which is not supported on Azure: nodes without internet access need a container "
        "registry in their network to start; choose nat",
        "access.admins[0] is 'group:ml'; on Azure write the object id of a Microsoft Entra group, such as "
        "00000000-0000-0000-0000-000000000000 (`az ad group show --group NAME --query id`)",
        "access.cidrs has 172.16.8.0/24, which overlaps 172.16.0.0/16, reserved for InfiniBand, and nodes reach "
        "nothing else there; name other ranges",
        "access.cidrs has 10.0.0.0/16, which overlaps the cluster's network (10.0.0.0/16): traffic cannot be routed "
        "to both; write ranges outside of it",
    }


def test_the_system_of_the_nodes_decides_which_kubernetes_is_allowed() -> None:
    assert plan(here(ubuntu="24.04"), versions={"kubernetes": "1.37"}).kubernetes_version == "1.37"
    [new] = refused(versions={"kubernetes": "1.37"})
    assert "versions.kubernetes is '1.37', but nodes run Ubuntu 22.04, which AKS has from 1.25 to 1.36" in new
    [old] = refused(here(ubuntu="24.04"), versions={"kubernetes": "1.36", "nodes": "1.34"})
    assert "versions.nodes is '1.34', but nodes run Ubuntu 24.04, which AKS has from 1.35 to 1.37" in old


def test_a_reservation_is_in_no_group() -> None:
    assert refused(placement={"kind": "reservation", "id": RESERVATION, "group": "mine"}) == [
        "placement.group is set; on Azure capacity reservations and proximity placement groups exclude each other: "
        "remove it"
    ]


def test_flex_start_is_not_sold_for_training() -> None:
    assert refused(purchase={"kind": "flex-start"}, duration="7d") == [
        "purchase.kind is 'flex-start', which is available on Google Cloud but not on Azure; choose on-demand, or "
        "capacity-block for capacity with fixed dates"
    ]


def test_a_proximity_group_and_a_reservation_exclude_each_other() -> None:
    assert refused(here(proximity_group=True), placement={"kind": "reservation", "id": RESERVATION}) == [
        "proximityGroup is 'true', but placement.kind is 'reservation': Azure does not support proximity placement "
        "groups for reserved capacity; remove it"
    ]


@pytest.mark.parametrize("layout", ["all-1g.20gb", "all-balanced", "2x1g.10gb", "4g.40gb+3g.40gb"])
def test_aks_makes_no_slices_that_it_has_no_profile_for(layout: str) -> None:
    mig = {"nodes": 1, "layout": layout}
    assert refused(here(driver="aks"), mig=mig) == [
        f"gpuDriver is 'aks', but AKS has no profile for mig.layout '{layout}'; remove gpuDriver, so that "
        "the operators' MIG manager slices, or change mig.layout to one of all-1g.10gb, all-2g.20gb, all-3g.40gb, "
        "all-4g.40gb, all-7g.80gb"
    ]
    assert plan(mig=mig).mig is not None


# Typed from NVIDIA/gpu-operator v26.3.3, assets/state-mig-manager/0400_configmap.yaml: of one GPU.
LAYOUTS: dict[str, dict[str, tuple[str, dict[str, int]]]] = {
    "h100": {
        "all-1g.10gb": ("all-1g.12gb", {"1g.12gb": 7}),
        "all-1g.20gb": ("all-1g.24gb", {"1g.24gb": 4}),
        "all-2g.20gb": ("all-2g.24gb", {"2g.24gb": 3}),
        "all-3g.40gb": ("all-3g.47gb", {"3g.47gb": 2}),
        "all-4g.40gb": ("all-4g.47gb", {"4g.47gb": 1}),
        "all-7g.80gb": ("all-7g.94gb", {"7g.94gb": 1}),
        "all-balanced": ("all-balanced", {"1g.12gb": 2, "2g.24gb": 1, "3g.47gb": 1}),
    },
    "h200": {
        "all-1g.35gb": ("all-1g.35gb", {"1g.35gb": 4}),
        "all-7g.141gb": ("all-7g.141gb", {"7g.141gb": 1}),
        "all-balanced": ("all-balanced", {"1g.18gb": 2, "2g.35gb": 1, "3g.71gb": 1}),
    },
    "a100-80gb": {
        "all-1g.20gb": ("all-1g.20gb", {"1g.20gb": 4}),
        "all-balanced": ("all-balanced", {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}),
    },
    "a100-40gb": {
        "all-1g.10gb": ("all-1g.10gb", {"1g.10gb": 4}),
        "all-balanced": ("all-balanced", {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1}),
    },
}


@pytest.mark.parametrize(
    ("accelerator", "layout"), [(accelerator, layout) for accelerator, known in LAYOUTS.items() for layout in known]
)
def test_the_mig_manager_makes_every_layout_it_knows_for_the_gpu(accelerator: str, layout: str) -> None:
    spec = ClusterSpec.model_validate({**TRIAL, "accelerator": accelerator, "mig": {"nodes": 1, "layout": layout}})
    made = plan_mig(spec.mig, accelerator, CLOUD.planning(None, "dev"))
    assert made is not None
    name, of_a_gpu = LAYOUTS[accelerator][layout]
    slices = {size: 8 * count for size, count in of_a_gpu.items()}
    assert (made.layout, made.pool.slices, made.profile, made.config) == (name, slices, None, None)


@pytest.mark.parametrize(
    ("layout", "strategy", "resources", "said"),
    [
        ("all-1g.10gb", "single", {"nvidia.com/gpu": 112}, "112 x nvidia.com/gpu"),
        (
            "3x2g.20gb+1x1g.10gb",
            "mixed",
            {"nvidia.com/mig-1g.12gb": 16, "nvidia.com/mig-2g.24gb": 48},
            "16 x nvidia.com/mig-1g.12gb, 48 x nvidia.com/mig-2g.24gb",
        ),
        (
            "all-balanced",
            "mixed",
            {"nvidia.com/mig-1g.12gb": 32, "nvidia.com/mig-2g.24gb": 16, "nvidia.com/mig-3g.47gb": 16},
            "32 x nvidia.com/mig-1g.12gb, 16 x nvidia.com/mig-2g.24gb, 16 x nvidia.com/mig-3g.47gb",
        ),
    ],
)
def test_the_plan_says_what_pods_ask_for(layout: str, strategy: str, resources: dict[str, int], said: str) -> None:
    made = plan(mig={"nodes": 2, "layout": layout})
    assert made.mig is not None
    assert (made.mig.pool.strategy, made.mig.pool.resources) == (strategy, resources)
    assert [note for note in made.facts.notes if note.startswith("MIG")] == [
        f"MIG pool: {said}; pods select gpucluster/pool: mig, because whole GPUs and slices have the same name"
    ]


def test_a_mixture_of_ones_own_is_told_to_the_mig_manager_which_aks_can_not_make() -> None:
    made = plan(mig={"nodes": 1, "layout": "4g.40gb+3g.40gb"}).mig
    assert made is not None
    assert (made.layout, made.config) == ("1x4g.47gb-1x3g.47gb", {"3g.47gb": 1, "4g.47gb": 1})
    by_aks = plan(here(driver="aks"), mig={"nodes": 1, "layout": "3x2g.20gb"}).mig
    assert by_aks is not None
    assert (by_aks.profile, by_aks.config) == ("MIG2g", None)


def test_a_linked_container_needs_what_its_roles_are_given_by() -> None:
    shared = {**SHARED, "bucket": "https://corpora.blob.core.windows.net/text"}
    [said] = refused(storage={"shared": shared})
    assert said.startswith("bucketGroup is missing, and storage.shared.bucket is set")
    assert said.endswith("add bucketGroup and lustrePrincipal")


def test_names_are_no_longer_than_azure_takes_them() -> None:
    spec = ClusterSpec.model_validate(TRIAL)
    with pytest.raises(PlanError) as caught:
        CLOUD.plan_cluster(spec, here(), stack="a-stack-with-a-name-that-goes-on-and-on-and-on-for-long")
    assert list(map(str, caught.value.problems)) == [
        "name and stack give the cluster name 'trial-a-stack-with-a-name-that-goes-on-and-on-and-on-for-long'; AKS "
        "allows 54 characters: shorten one of them"
    ]


def test_home_folders_are_a_share_of_at_least_100_gib() -> None:
    small = plan(storage={"shared": SHARED, "home": {"expected_gib": 10}}).home
    large = plan(storage={"shared": SHARED, "home": {"expected_gib": 500}}).home
    assert small is not None
    assert large is not None
    assert (small.capacity_gib, large.capacity_gib) == (100, 625)
    assert refused(storage={"shared": SHARED, "home": {"expected_gib": 100_000}}) == [
        "storage.home.expected_gib is 100,000; a share of Azure Files holds at most 102,400 GiB, including 25 % "
        "headroom: request less"
    ]
