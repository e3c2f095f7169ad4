"""The AWS plan of a spec."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucluster.components.aws.cloud import CLOUD
from gpucluster.components.aws.location import Location
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.shared.machine_choice import shape
from gpucluster.components.spec.cluster import ClusterSpec

HERE = Location(region="us-east-1", zone="us-east-1a")
GROUP = "arn:aws:resource-groups:us-east-1:123456789012:group"
Vary = Callable[..., ClusterSpec]
IP = "shared storage, S3 and checkpoints share 100 Gb/s a node: one of its 32 network cards carries IP traffic"
CLUSTER = (
    ", 8 vCPUs of running on-demand standard instances (L-1216C47A, 5 by default: raise it), a VPC (L-F678F1CE, 5 by "
    "default), an Elastic IP (L-0263D0A3, 5 by default), 26,400 GiB of Lustre PERSISTENT_2 (L-8F1B9C74)"
)
ZONE_NAMES = (
    "EKS places no control plane in use1-az3, which us-east-1a or us-east-1b may be in your account: `aws ec2 "
    "describe-availability-zones --query 'AvailabilityZones[].[ZoneName,ZoneId]'` shows it; zones may be written as ids"
)
ON_DEMAND = (
    "on demand does not guarantee capacity: if us-east-1a has no 5 x p5.48xlarge, the node group fails with "
    "CREATE_FAILED; a reservation or a capacity block guarantees them"
)


@pytest.mark.parametrize(("nodes", "system"), [(1, 2), (56, 2), (57, 3), (119, 4), (400, 10)])
def test_the_system_pool_is_sized_by_the_cluster(vary: Vary, nodes: int, system: int) -> None:
    """The trial has eight machines in its elastic pool."""
    plan = CLOUD.plan_cluster(vary(training={"nodes": nodes, "spares": 0}), HERE, stack="aws-trial")
    assert plan.system.nodes == system
    vcpus = f"{4 * system} vCPUs of running on-demand standard instances"
    assert [vcpus in note for note in plan.facts.before_up if "standard instances" in note] == [True]


@pytest.mark.parametrize(
    ("accelerator", "layout", "machine", "nodes", "resources"),
    [
        ("h100", "all-1g.10gb", "p5.4xlarge", 16, {"nvidia.com/gpu": 112}),
        ("h100", "all-balanced", "p5.4xlarge", 16, {"1g.10gb": 32, "2g.20gb": 16, "3g.40gb": 16}),
        ("h200", "7x1g.18gb", "p5en.48xlarge", 2, {"nvidia.com/gpu": 112}),
    ],
)
def test_slices_are_on_machines_with_one_gpu_where_there_are_some(
    vary: Vary, accelerator: str, layout: str, machine: str, nodes: int, resources: dict[str, int]
) -> None:
    made = CLOUD.plan_cluster(vary(accelerator=accelerator, mig={"nodes": 2, "layout": layout}), HERE, stack="s")
    assert made.mig is not None
    found = {name.removeprefix("nvidia.com/mig-"): count for name, count in made.mig.pool.resources.items()}
    assert (made.mig.shape.machine_type, made.mig.nodes, found) == (machine, nodes, resources)
    assert "trial-mig" in made.facts.registered()["outsideTraining"]


def test_slices_on_an_a100_are_not_built_and_flex_start_is_not_sold(vary: Vary) -> None:
    old = CLOUD.plan_cluster(vary(accelerator="a100-80gb", mig={"nodes": 1, "layout": "all-1g.10gb"}), HERE, stack="s")
    assert (old.mig, old.facts.registered()["notBuilt"]) == (
        None,
        ["mig: 1 nodes of all-1g.10gb; on a100-80gb MIG mode needs a GPU reset"],
    )
    with pytest.raises(PlanError) as caught:
        CLOUD.plan_cluster(vary(mig={"nodes": 1, "layout": "all-1g.10gb", "purchase": "flex-start"}), HERE, stack="s")
    assert list(map(str, caught.value.problems)) == [
        "mig.purchase is 'flex-start', which is available on Google Cloud but not on AWS; choose on-demand or spot"
    ]


def test_the_name_of_the_node_group_of_a_block_is_no_longer_than_eks_allows(vary: Vary) -> None:
    blocks = {"kind": "blocks", "blocks": {"cr-0123456789abcdef0": 5}}
    spec = vary(name="a-name-of-20-letters", purchase={"kind": "capacity-block"}, placement=blocks)
    (part,) = CLOUD.plan_cluster(spec, HERE, stack="s").training.parts
    assert len(f"{spec.name}-training{part.suffix}-nodes-0123456") <= 63


@pytest.mark.parametrize(("active", "roll", "told"), [(True, True, 1), (True, False, 0), (False, True, 0)])
def test_nodes_of_a_block_are_updated_while_there_are_none(vary: Vary, active: bool, roll: bool, told: int) -> None:
    spec = vary(
        training={"nodes": 4, "spares": 0, "roll": roll},
        purchase={"kind": "capacity-block", "active": active},
        placement={"kind": "reservation", "id": "cr-1"},
    )
    notes = CLOUD.plan_cluster(spec, HERE, stack="s").facts.registered()["notes"]
    assert sum(note.startswith("training.roll: EKS asks for a node group without nodes") for note in notes) == told


def test_the_vcpus_of_sliced_machines_count_against_their_quota(vary: Vary) -> None:
    def said(**mig: object) -> str:
        made = CLOUD.plan_cluster(vary(elastic=None, mig={"nodes": 1, "layout": "all-1g.10gb", **mig}), HERE, stack="s")
        return made.facts.before_up[-1].partition(" of ")[0]

    assert said() == "required quotas: 1,088 vCPUs"  # 5 x 192 and 8 x 16
    assert said(purchase="spot") == "required quotas: 960 vCPUs"


def test_the_native_engine_is_named_as_not_built(vary: Vary) -> None:
    plan = CLOUD.plan_cluster(vary(elastic={"engine": "native", "pools": {"dev": {"max_gpus": 8}}}), HERE, stack="s")
    assert (plan.elastic, plan.facts.registered()["notBuilt"]) == (
        None,
        ["elastic.engine native: on AWS Karpenter runs the elastic pools"],
    )


def test_the_cluster_is_named_after_spec_and_stack(vary: Vary) -> None:
    assert CLOUD.plan_cluster(vary(), HERE, stack="dev.eu").cluster_name == "trial-dev-eu"


def test_a_closed_network_has_endpoints_for_karpenters_queue_only_with_karpenter(vary: Vary) -> None:
    access = {"kind": "private", "via": "inside", "egress": "none", "registry": "mirror.example"}
    networks = [
        CLOUD.plan_cluster(vary(access=access, **more), HERE, stack="s").network for more in ({}, {"elastic": None})
    ]
    assert [(network.nat, "sqs" in network.services) for network in networks] == [(False, True), (False, False)]


def test_a_name_that_eks_does_not_take_is_refused(vary: Vary) -> None:
    with pytest.raises(PlanError, match="EKS allows 100 characters: shorten one of them"):
        CLOUD.plan_cluster(vary(), HERE, stack="s" * 95)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"training": {"nodes": 1927, "spares": 1}},
            "training.nodes and training.spares make 1928 nodes; the GPU subnet has addresses for at most 1927: "
            "request fewer",
        ),
        (
            {
                "training": {"nodes": 64, "spares": 1},
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "reservation", "id": "cr-1"},
            },
            "training.nodes and training.spares make 65 nodes; placement.kind reservation has one capacity block, "
            "which holds at most 64: request fewer, or choose placement.kind blocks for several",
        ),
        (
            {"access": {"kind": "public", "cidrs": [f"8.8.{at}.0/24" for at in range(41)]}},
            "access.cidrs has 41 ranges; EKS allows 40 for a public API: merge or remove some",
        ),
        (
            {"access": {"kind": "public", "cidrs": ["203.0.113.0/24"], "admins": ["alice"]}},
            "access.admins[0] is 'alice'; on AWS write the ARN of an IAM role or user, such as "
            "arn:aws:iam::123456789012:role/platform-admin",
        ),
        (
            {"placement": {"kind": "reservation", "id": "cr-1", "host_maintenance": "periodic"}},
            "placement.host_maintenance is 'periodic', which only reservations of Google Cloud have; remove it",
        ),
        (
            {"placement": {"kind": "reservation", "id": "r-123"}},
            "placement.id is 'r-123'; write the id of an AWS reservation or capacity block: cr-..., or the ARN of a "
            "resource group of reservations",
        ),
        (
            {
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "reservation", "id": f"{GROUP}/h100"},
            },
            f"placement.id is '{GROUP}/h100', but EKS takes a capacity block only by its own id; write cr-..., or for "
            "several blocks placement.kind blocks",
        ),
        (
            {"placement": {"kind": "reservation", "id": f"{GROUP.replace('us-east-1', 'us-west-2')}/h100"}},
            "placement.id is in us-west-2, but the GPU nodes are in us-east-1; write the resource group of that region",
        ),
        (
            {
                "training": {"nodes": 68, "spares": 0},
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "blocks", "blocks": {"cr-1": 64, "block": 4}},
            },
            "placement.blocks.block is not the id of a capacity block; write its id: cr-...",
        ),
        (
            {
                "training": {"nodes": 68, "spares": 0},
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "blocks", "blocks": {"cr-1": 65, "cr-2": 3}},
            },
            "placement.blocks.cr-1 is 65; a capacity block holds 1 to 64",
        ),
        (
            {"storage": {"shared": {"usable_tib": 20, "bucket": "gs://data"}}},
            "storage.shared.bucket is 'gs://data'; on AWS write s3://name or s3://name/prefix, or own for "
            "storage.bucket",
        ),
    ],
)
def test_what_aws_cant_carry_is_refused(vary: Vary, changes: dict[str, object], problem: str) -> None:
    with pytest.raises(PlanError) as caught:
        CLOUD.plan_cluster(vary(**changes), HERE, stack="s")
    assert tuple(map(str, caught.value.problems)) == (problem,)


def test_a_machine_of_the_stacks_configuration_must_have_the_specs_accelerator(vary: Vary) -> None:
    plan = CLOUD.plan_cluster(vary(accelerator="h200"), HERE, stack="s", machine="p5e.48xlarge")
    assert plan.training.shape == shape("aws", "p5e.48xlarge")
    with pytest.raises(PlanError) as caught:
        CLOUD.plan_cluster(vary(accelerator="h200"), HERE, stack="s", machine="p5.48xlarge")
    assert tuple(map(str, caught.value.problems)) == (
        "machine is 'p5.48xlarge'; with accelerator h200: p5en.48xlarge, p5e.48xlarge",
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"training": {"nodes": 460}, "elastic": None},
            "required quotas: 88,320 vCPUs of running on-demand P instances (L-417A185B, often 0 in a new account), "
            "15,180 network interfaces (L-DF5E4CA3, 5,000 by default: raise it), 460 nodes in a node group "
            f"(L-BD136F5B, 450 by default: raise it){CLUSTER.replace(', 8 ', ', 40 ')}",
        ),
        (
            {
                "training": {"nodes": 4},
                "purchase": {"kind": "capacity-block"},
                "placement": {"kind": "reservation", "id": "cr-1"},
                "elastic": {"pools": {"dev": {"max_gpus": 10, "purchase": ["spot"]}}},
            },
            "required quotas: 160 vCPUs of P5 spot requests (L-C4BD4855, 0 by default), 4 instances in capacity blocks "
            "(at most 256 at a time in an organization), 132 network interfaces (L-DF5E4CA3, 5,000 by default), 4 "
            f"nodes in a node group (L-BD136F5B, 450 by default){CLUSTER}",
        ),
    ],
)
def test_a_plan_names_the_quotas_it_needs(vary: Vary, changes: dict[str, object], expected: str) -> None:
    assert CLOUD.plan_cluster(vary(**changes), HERE, stack="s").facts.before_up[-1] == expected


@pytest.mark.parametrize(("nodes", "more"), [(450, ""), (451, ": raise it")])
def test_a_quota_is_to_be_raised_beyond_its_default(vary: Vary, nodes: int, more: str) -> None:
    note = CLOUD.plan_cluster(vary(training={"nodes": nodes, "spares": 0}), HERE, stack="s").facts.before_up[-1]
    assert f"{nodes} nodes in a node group (L-BD136F5B, 450 by default{more})" in note
