"""Plans on Google Cloud: what a spec becomes, what is lost, and everything that is refused, at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.plan import GcpClusterPlan
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.core.catalog.fabrics import fabric_of
from gpucluster.core.catalog.machines import machines

TRIAL = yaml.safe_load((Path(__file__).parents[4] / "stacks/specs/trial.yaml").read_text())
HERE = Location(project="my-project", region="us-central1", zone="us-central1-b")
RESERVATION = "projects/my-project/reservations/mega"


def spec(**changes: Any) -> ClusterSpec:
    return ClusterSpec.model_validate({**TRIAL, **changes})


def plan(location: Location = HERE, machine: str | None = None, **changes: Any) -> GcpClusterPlan:
    return CLOUD.plan_cluster(spec(**changes), location, stack="gcp-trial", machine=machine)


def refused(location: Location = HERE, machine: str | None = None, **changes: Any) -> list[str]:
    with pytest.raises(PlanError) as caught:
        plan(location, machine, **changes)
    return list(map(str, caught.value.problems))


def training(**changes: Any) -> Mapping[str, Any]:
    return {"nodes": 4, "spares": 1, "fabric_gbps": 1600, **changes}


@pytest.mark.parametrize(
    ("accelerator", "gbps", "machine", "networks", "mtu"),
    [
        ("h100", 0, "a3-highgpu-8g", ["NetDevice"] * 4, 8244),
        ("h100", 800, "a3-highgpu-8g", ["NetDevice"] * 4, 8244),
        ("h100", 1600, "a3-megagpu-8g", ["NetDevice"] * 8, 8244),
        ("h100", 3200, "a3-megagpu-8g", ["NetDevice"] * 8, 8244),
        ("h200", 3200, "a3-ultragpu-8g", ["NetDevice", *["RDMA"] * 8], 8896),
        ("b200", 3200, "a4-highgpu-8g", ["NetDevice", *["RDMA"] * 8], 8896),
    ],
)
def test_the_fabric_asked_chooses_machine_networks_and_mtu(
    accelerator: str, gbps: int, machine: str, networks: list[str], mtu: int
) -> None:
    made = plan(
        accelerator=accelerator, training=training(fabric_gbps=gbps), purchase={"kind": "flex-start"}, duration="7d"
    )
    found = (made.training.shape.machine_type, list(made.network.gpu_networks), made.network.mtu)
    assert found == (machine, networks, mtu)
    assert len(made.network.addresses.gpu) == len(networks)


def test_b200_is_bought_by_flex_start_calendar_or_reservation() -> None:
    asked: dict[str, Any] = {"accelerator": "b200", "training": training(fabric_gbps=3200), "elastic": None}
    why = "a4-highgpu-8g is not sold on demand: N/A on demand on Google's price page for accelerator-optimized machines"
    assert refused(**asked, mig={"nodes": 1, "layout": "all-3g.90gb"}) == [
        f"purchase.kind is 'on-demand', and {why}; choose flex-start or capacity-block, or a reservation",
        f"mig.purchase is 'on-demand', and {why}; choose spot or flex-start",
    ]
    reserved = {"kind": "reservation", "id": RESERVATION}
    assert plan(**asked, placement=reserved).training.placement.reservation == RESERVATION
    assert plan(**asked, placement=reserved, purchase={"kind": "capacity-block"}).training.calendar
    assert plan(**asked, purchase={"kind": "flex-start"}, duration="7d").training.flex_start_hours == 7 * 24


def test_b300_is_sold_in_racks_only() -> None:
    assert refused(accelerator="b300") == [
        "accelerator is 'b300', of which no machine with 8 GPUs is sold here; allowed: h100, h200, b200, a100-80gb, "
        "a100-40gb; Google Cloud sells B300 only in racks, as GB300: a4x-maxgpu-4g-metal, 4 GPUs a machine with ARM "
        "CPUs"
    ]


def test_a_calendar_reservation_takes_no_quota_of_its_machines() -> None:
    bought: dict[str, Any] = {
        "purchase": {"kind": "capacity-block"},
        "placement": {"kind": "reservation", "id": RESERVATION},
    }
    planned = plan(accelerator="h200", training=training(fabric_gbps=3200), elastic=None, **bought)
    [note] = [note for note in planned.facts.registered()["notes"] if note.startswith("required quotas")]
    assert note == (
        "required quotas in us-central1: 600 SSD_TOTAL_GB, 27,000 GiB of Managed Lustre, 3 VPC networks, "
        "IN_USE_ADDRESSES for NAT; GPUS-ALL-REGIONS-per-project limits all GPUs together"
    )


def test_pools_of_one_kind_of_gpu_share_a_quota() -> None:
    planned = plan(
        training=training(fabric_gbps=800, spares=1), elastic=None, mig={"nodes": 2, "layout": "all-1g.10gb"}
    )
    [note] = [note for note in planned.facts.registered()["notes"] if note.startswith("required quotas")]
    assert note.startswith("required quotas in us-central1: 56 NVIDIA_H100_GPUS, 1,456 vCPUs of A3 ")


def test_more_fabric_than_h100_has_is_a_loss_that_names_where_it_is() -> None:
    assert plan(training=training(fabric_gbps=3200), elastic=None).facts.registered()["losses"] == [
        "GPU fabric: 3,200 Gb/s a node requested, 1,600 on a3-megagpu-8g; RoCE at 3,200 Gb/s needs H200 "
        "(a3-ultragpu-8g)"
    ]


def test_the_machine_of_the_configuration_holds() -> None:
    made = plan(machine="a3-highgpu-8g", elastic=None)
    assert made.training.shape.machine_type == "a3-highgpu-8g"
    assert made.facts.registered()["losses"][0].startswith(
        "GPU fabric: 1,600 Gb/s a node requested, 800 on a3-highgpu-8g"
    )


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        (
            "a3-megagpu-8",
            "machine is 'a3-megagpu-8'; with accelerator h100: a3-highgpu-8g, a3-megagpu-8g; did you mean "
            "a3-megagpu-8g?",
        ),
        ("a3-ultragpu-8g", "machine is 'a3-ultragpu-8g'; with accelerator h100: a3-highgpu-8g, a3-megagpu-8g"),
        (
            "a3-highgpu-4g",
            "machine is 'a3-highgpu-4g', which is sold as Spot or flex-start only, for the elastic pools; with "
            "accelerator h100: a3-highgpu-8g, a3-megagpu-8g",
        ),
    ],
)
def test_a_machine_that_can_not_train_is_refused(machine: str, said: str) -> None:
    assert refused(machine=machine) == [said]


def test_a_zone_without_the_machine_is_refused_with_those_that_have_it() -> None:
    there = Location(project="my-project", region="us-central1", zone="us-central1-f")
    zones = "it is listed in us-central1: us-central1-a, us-central1-b, us-central1-c"
    assert refused(there) == [
        f"zone is 'us-central1-f', which does not list a3-highgpu-1g for the elastic pools; {zones}",
        f"zone is 'us-central1-f', which does not list a3-megagpu-8g for the training pool; {zones}",
    ]
    [problem] = refused(
        Location(project="my-project", region="us-west3", zone="us-west3-a"), accelerator="h200", elastic=None
    )
    assert problem == (
        "zone is 'us-west3-a', which does not list a3-ultragpu-8g for the training pool; it is listed in no zone of "
        "us-west3; listed in asia-south1-b, asia-south2-c, europe-west1-b, europe-west4-a, us-central1-b, us-east4-b, "
        "us-east5-a, us-south1-b, us-west1-c"
    )


@pytest.mark.parametrize(
    ("accelerator", "days", "losses"),
    [
        (
            "h100",
            7,
            [
                "flex-start: all nodes of a job start at once when capacity is available, are not repaired, and are "
                "deleted after 168 hours",
                "co-location: Google Cloud places flex-start nodes of a3-megagpu-8g as close as it can, and does not "
                "support compact placement for them",
            ],
        ),
        (
            "h200",
            2,
            [
                "flex-start: all nodes of a job start at once when capacity is available, are not repaired, and are "
                "deleted after 48 hours",
                "co-location: Google Cloud places flex-start nodes of a3-ultragpu-8g as close as it can, and does not "
                "support compact placement for them",
            ],
        ),
    ],
)
def test_flex_start_lasts_as_long_as_the_cluster_comes_at_once_and_is_never_compact(
    accelerator: str, days: int, losses: list[str]
) -> None:
    made = plan(accelerator=accelerator, purchase={"kind": "flex-start"}, duration=f"{days}d", elastic=None)
    assert made.training.flex_start_hours == days * 24
    assert (made.training.queued, made.training.placement.compact) == (True, False)
    assert made.facts.registered()["losses"] == losses


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"purchase": {"kind": "flex-start"}, "duration": "8d"},
            "purchase.kind is 'flex-start', with nodes for at most 7 days, but duration is 8 days; shorten "
            "duration, or choose on-demand or capacity-block",
        ),
        (
            {
                "training": {"nodes": 4, "spares": 0, "fabric_gbps": 1600},
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "blocks", "blocks": {"cr-1": 4}},
            },
            "placement.kind is 'blocks', which Google Cloud does not have; choose reservation, with its id",
        ),
        (
            {"placement": {"kind": "reservation", "id": "cr-0123456789abcdef0"}},
            "placement.id is 'cr-0123456789abcdef0'; on Google Cloud write projects/PROJECT/reservations/NAME, where "
            "wanted with /reservationBlocks/BLOCK",
        ),
        (
            {
                "training": training(fabric_gbps=800),
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "reservation", "id": RESERVATION},
            },
            "purchase.kind is 'capacity-block', on Google Cloud a calendar reservation, not sold for a3-highgpu-8g; "
            "choose on-demand, or set training.fabric_gbps to 1600 (a3-megagpu-8g)",
        ),
        (
            {
                "training": training(nodes=80),
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "reservation", "id": RESERVATION},
            },
            "training.nodes and training.spares make 81 nodes; a calendar reservation holds at most 80: request fewer",
        ),
        (
            {
                "duration": "91d",
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "reservation", "id": RESERVATION},
            },
            "purchase.kind is 'capacity-block', on Google Cloud a calendar reservation of at most 90 days, and "
            "duration is 91 days; shorten duration or choose on-demand",
        ),
        (
            {"training": training(nodes=1000)},
            "training.nodes and training.spares make 1001 nodes; a GKE node pool holds at most 1,000 in a zone: "
            "request fewer",
        ),
        (
            {"labels": {**TRIAL["labels"], "2nd-team": "x"}},
            "labels has the name '2nd-team'; on Google Cloud a label's name starts with a letter",
        ),
        (
            {"access": {**TRIAL["access"], "admins": ["arn:aws:iam::123456789012:role/x"]}},
            "access.admins[0] is 'arn:aws:iam::123456789012:role/x'; on Google Cloud write a person or a service "
            "account, such as user:ada@example.com or serviceAccount:deploy@my-project.iam.gserviceaccount.com",
        ),
        (
            {"access": {"kind": "private", "via": "vpn", "cidrs": ["10.4.128.0/17"]}},
            "access.cidrs has 10.4.128.0/17, which overlaps the cluster's pods (10.4.0.0/14): traffic cannot be "
            "routed to both; write ranges outside of it",
        ),
        (
            {"mig": {"nodes": 1, "layout": "all-4g.40gb"}},
            "mig.layout is 'all-4g.40gb', which GKE does not accept for h100; allowed: all-1g.10gb, all-1g.20gb, "
            "all-2g.20gb, all-3g.40gb, all-7g.80gb",
        ),
        (
            {"mig": {"nodes": 1, "layout": "all-balanced"}},
            "mig.layout is 'all-balanced', which GKE does not accept for h100; allowed: all-1g.10gb, all-1g.20gb, "
            "all-2g.20gb, all-3g.40gb, all-7g.80gb",
        ),
        (
            {"mig": {"nodes": 1, "layout": "6x1g.10gb"}},
            "mig.layout is '6x1g.10gb', which GKE does not accept for h100; allowed: all-1g.10gb, all-1g.20gb, "
            "all-2g.20gb, all-3g.40gb, all-7g.80gb",
        ),
        (
            {"mig": {"nodes": 1, "layout": "7x1g.10gb", "strategy": "mixed"}},
            "mig.strategy is 'mixed', which GKE does not support: slices are nvidia.com/gpu there; remove it",
        ),
        (
            {"elastic": {"pools": {"dev": {"max_gpus": 8, "purchase": ["spot", "flex-start"]}}}},
            "elastic.pools.dev.purchase has flex-start, which elastic.engine karpenter does not support on Google "
            "Cloud; allowed: on-demand, spot; write elastic.engine: native",
        ),
        (
            {"storage": {**TRIAL["storage"], "home": {"expected_gib": 90000}}},
            "storage.home.expected_gib is 90,000; Filestore holds at most 102,400 GiB, including 25 % headroom: "
            "request less",
        ),
        (
            {"storage": {"shared": {"usable_tib": 99999}}},
            "storage.shared requests 99999 TiB of data, plus 25 % headroom, and 0 GB/s; Managed Lustre has at most "
            "12,240,000 GiB at 125 MB/s per TiB, 40,032,000 GiB at 250 MB/s per TiB, 20,016,000 GiB at 500 MB/s per "
            "TiB, 10,008,000 GiB at 1000 MB/s per TiB: request less",
        ),
    ],
)
def test_what_google_cloud_can_not_carry_is_refused_with_the_way_out(changes: dict[str, Any], said: str) -> None:
    assert refused(**changes) == [said]


def test_every_reason_comes_at_once() -> None:
    problems = refused(
        machine="p5.48xlarge",
        name="a-name-of-20-letters",
        mig={"nodes": 1, "layout": "all-4g.40gb"},
        purchase={"kind": "flex-start"},
        elastic={"pools": {"dev": {"max_gpus": 8, "purchase": ["flex-start"]}}},
    )
    assert [problem.split()[0] for problem in problems] == [
        "machine",
        "purchase.kind",
        "mig.layout",
        "elastic.pools.dev.purchase",
    ]


def test_a_cluster_name_too_long_for_gke_is_refused() -> None:
    with pytest.raises(PlanError) as caught:
        CLOUD.plan_cluster(spec(name="a-name-of-20-letters"), HERE, stack="a-stack-of-many-words")
    assert tuple(map(str, caught.value.problems)) == (
        "name and stack give the cluster name 'a-name-of-20-letters-a-stack-of-many-words'; GKE allows 40 characters: "
        "shorten one of them",
    )


def test_stack_names_become_names_that_gke_takes() -> None:
    assert CLOUD.plan_cluster(spec(), HERE, stack="Dev.Ada_1").cluster_name == "trial-dev-ada-1"


def test_four_hundred_nodes_have_addresses_everywhere_and_no_range_is_another() -> None:
    made = plan(training=training(nodes=400))
    assert made.network.addresses.named() == {
        "nodes": "10.0.0.0/20",
        "services": "10.0.32.0/20",
        "private services": "10.0.64.0/20",
        "pods": "10.4.0.0/14",
        **{f"GPU network {index}": f"10.8.{index * 16}.0/20" for index in range(8)},
    }


def test_the_elastic_pool_keeps_the_ways_to_buy_that_its_machines_are_sold_in() -> None:
    found = {}
    for engine, purchase in (
        ("karpenter", ["on-demand"]),
        ("karpenter", ["on-demand", "spot"]),
        ("native", ["flex-start", "spot"]),
        ("native", ["on-demand"]),
    ):
        elastic = plan(elastic={"engine": engine, "pools": {"dev": {"max_gpus": 3, "purchase": purchase}}}).elastic
        assert elastic is not None
        [pool] = elastic.pools
        found[engine, *purchase] = pool.purchase
    assert found == {
        ("karpenter", "on-demand"): ("spot",),
        ("karpenter", "on-demand", "spot"): ("spot",),
        ("native", "flex-start", "spot"): ("flex-start", "spot"),
        ("native", "on-demand"): ("spot",),
    }


NATIVE = {"engine": "native", "pools": {"dev": {"max_gpus": 8, "purchase": ["spot", "flex-start"]}}}
HIGH_BY_FLEX_START: dict[str, Any] = {
    "training": training(fabric_gbps=800),
    "purchase": {"kind": "flex-start"},
    "duration": "7d",
    "budget": {"monthly_usd": 400000, "on_exceed": "warn"},
}
MIG = {"nodes": 2, "layout": "all-1g.10gb"}


@pytest.mark.parametrize(
    ("changes", "limits"),
    [
        # 3 x e2-standard-4, 5 x a3-megagpu-8g and 8 x a3-highgpu-1g.
        ({"elastic": NATIVE}, {"cpu": 1272, "memory": 11328, "nvidia-h100-80gb": 8}),
        # The training nodes have the GPUs of the elastic ones, and so have MIG nodes.
        (
            {"elastic": NATIVE, "training": training(fabric_gbps=800), "mig": MIG},
            {"cpu": 1688, "memory": 15072, "nvidia-h100-80gb": 8 + 40 + 16},
        ),
        # A pool that is bought in one way ends at its own size; so does Karpenter's, at its limit.
        ({"elastic": {"engine": "native", "pools": {"dev": {"max_gpus": 8, "purchase": ["spot"]}}}}, None),
        ({}, None),
    ],
)
def test_where_gke_makes_pools_by_itself_the_cluster_ends_at_the_gpus_asked(
    changes: Mapping[str, Any], limits: Mapping[str, int] | None
) -> None:
    made = plan(**changes)
    assert made.limits == limits
    assert not [loss for loss in made.facts.losses if loss.startswith("elastic.pools.dev.max_gpus")]


def test_gpus_that_other_pools_wait_for_are_named_as_what_the_limit_leaves_open() -> None:
    made = plan(**HIGH_BY_FLEX_START, elastic=NATIVE, mig={**MIG, "purchase": "flex-start"})
    assert [loss for loss in made.facts.losses if loss.startswith("elastic.pools.dev.max_gpus")] == [
        "elastic.pools.dev.max_gpus: GKE limits all nvidia-h100-80gb of the cluster together; while other pools have "
        "no machines, this pool may have up to 56 GPUs more"
    ]


@pytest.mark.parametrize(
    ("accelerator", "size", "slices"),
    [("h100", "1g.20gb", 64), ("h100", "7g.80gb", 16), ("h200", "4g.71gb", 16), ("a100-80gb", "1g.10gb", 112)],
)
def test_a_mig_pool_counts_its_slices(accelerator: str, size: str, slices: int) -> None:
    zone = "us-central1-a" if accelerator == "a100-80gb" else HERE.zone
    made = plan(
        Location(project="my-project", region="us-central1", zone=zone),
        accelerator=accelerator,
        mig={"nodes": 2, "layout": f"all-{size}"},
    )
    assert made.mig is not None
    assert (made.mig.size, made.mig.pool.resources) == (size, {"nvidia.com/gpu": slices})
    assert [note for note in made.facts.notes if note.startswith(f"MIG pool: {slices} x nvidia.com/gpu")] == [
        f"MIG pool: {slices} x nvidia.com/gpu; pods select cloud.google.com/gke-gpu-partition-size: {size}, because "
        "whole GPUs and slices have the same name"
    ]
    assert made.facts.registered()["outsideTraining"] == ["trial-elastic", "trial-mig"]


def test_a_bucket_promises_no_throughput_and_a_linked_one_is_followed_by_nothing() -> None:
    bucket = plan(storage={"shared": {"kind": "bucket", "usable_tib": 20}})
    assert "storageGbPerS" not in bucket.facts.registered()["equivalence"]
    assert bucket.facts.registered()["equivalence"]["storageGib"] == 20480
    assert bucket.network.private_services is False
    linked = plan(storage={"shared": {"usable_tib": 20, "bucket": "gs://data", "fabric": True}})
    assert [loss.partition(": ")[0] for loss in linked.facts.registered()["losses"]][:2] == [
        "storage.shared.fabric",
        "storage.shared.bucket",
    ]


def test_a_node_has_the_networks_that_its_fabric_names_objects_for() -> None:
    from tests.components.gcp.fabrics import FABRICS

    modes = {machine: [network.device_mode for network in fabric.networks] for machine, fabric in FABRICS.items()}
    of_catalog = {machine: fabric_of(machines()[machine]) for machine in modes}
    assert {machine: fabric and list(fabric.device_modes) for machine, fabric in of_catalog.items()} == modes


@pytest.mark.parametrize(("nodes", "queued"), [(1, False), (2, True)])
def test_flex_start_nodes_are_queued_where_a_job_needs_several(nodes: int, queued: bool) -> None:
    bought: dict[str, Any] = {"purchase": {"kind": "flex-start"}, "duration": "7d"}
    assert plan(training=training(nodes=nodes, spares=0), **bought).training.queued is queued


@pytest.mark.parametrize(("nodes", "most"), [(4, 6), (128, 8), (400, 16)])
def test_the_system_pool_grows_with_the_gpu_nodes(nodes: int, most: int) -> None:
    system = plan(training=training(nodes=nodes), elastic=None).system
    assert (system.nodes, system.most) == (3, most)
