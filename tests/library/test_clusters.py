"""Clusters and parts of them as a program declares them: what it is told, what it gets, and what it is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import pulumi
import pulumi_aws
import pytest

import gpucluster
from gpucluster import aws, azure, gcp
from gpucluster.errors import InputError


class Declared(Protocol):
    """Runs a program. seen: what the last one registered."""

    seen: list[Any]

    def __call__(self, program: Callable[[], object]) -> list[Any]: ...


SPEC: dict[str, Any] = {
    "training": {"nodes": 4},
    "storage": {"shared": {"usable_tib": 20}},
    "access": {"kind": "public", "cidrs": ["198.18.0.0/24"]},
}
EAST = aws.Location(region="us-east-1", zone="us-east-1a")
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"


def refused(declared: Declared, program: Callable[[], object]) -> list[str]:
    """The lines of what a program is refused with, which registers nothing."""
    with pytest.raises(pulumi.RunError) as caught:
        declared(program)
    assert isinstance(caught.value, InputError)
    assert [item.name for item in declared.seen] == []
    return str(caught.value).splitlines()


def test_every_mistake_is_told_at_once_with_its_field_as_it_is_in_python(declared: Declared) -> None:
    spec = {
        **SPEC,
        "training": {"nodes": 0, "sparess": 1},
        "labels": {"team": 5},
        "budget": {"monthly_usd": 100, "on_exceed": "stop"},
        "duration": 14,
    }
    location = aws.Location(region="us-east-1", zone="us-west-2a", second_zone="us-east-1")
    assert refused(declared, lambda: aws.TrainingCluster("trial", spec, location)) == [
        "gpucluster.aws.TrainingCluster trial: 2 problems",
        "  location.zone is 'us-west-2a'; write a zone of us-east-1, such as us-east-1a, or an id: "
        "use1-az1, use1-az2, use1-az3, use1-az4, use1-az5, use1-az6",
        "  location.second_zone is 'us-east-1'; write a zone of us-east-1, such as us-east-1a, or an id: "
        "use1-az1, use1-az2, use1-az3, use1-az4, use1-az5, use1-az6",
        "spec of trial: 5 problems",
        "  budget.on_exceed is 'stop'; allowed: fail, warn",
        "  duration is 14: it has no unit; write hours, days or weeks, such as 36h, 14d or 2w",
        "  labels.team is 5, not a string; write '5'",
        "  training.nodes is 0; write a whole number from 1 to 4,096",
        "  training.sparess is not a field; did you mean spares?",
    ]


def test_what_the_cloud_can_not_carry_is_told_with_the_machine(declared: Declared) -> None:
    spec = {**SPEC, "training": {"nodes": 2000}}
    assert refused(declared, lambda: aws.TrainingCluster("trial", spec, EAST, machine="p6.48xlarge")) == [
        "gpucluster.aws.TrainingCluster trial: 1 problem",
        "  machine is 'p6.48xlarge'; with accelerator h100: p5.48xlarge, p5.4xlarge; did you mean p5.48xlarge?",
        "spec of trial: 1 problem",
        "  training.nodes and training.spares make 2000 nodes; the GPU subnet has addresses for at most 1927: request "
        "fewer",
    ]


def test_a_file_is_told_of_with_its_lines(declared: Declared, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: other\ntraining: {nodes: 4}\naccess: {kind: open}\nstorage: {shared: {usable_tib: 20}}\n")
    for spec in (path, str(path)):
        assert refused(declared, lambda spec=spec: aws.TrainingCluster("trial", spec, EAST)) == [
            f"{tmp_path.name}/mine.yaml: 2 problems",
            "  line 1: name is 'other', but the component is named 'trial'; use the same name",
            "  line 3: access.kind is 'open'; allowed: public, private",
        ]


@pytest.mark.parametrize(
    "given", [{**SPEC, "name": "other"}, gpucluster.ClusterSpec.model_validate({**SPEC, "name": "other"})]
)
def test_a_cluster_has_one_name(given: Any, declared: Declared) -> None:
    assert refused(declared, lambda: aws.TrainingCluster("trial", given, EAST)) == [
        "spec of trial: 1 problem",
        "  name is 'other', but the component is named 'trial'; use the same name",
    ]


def test_the_name_is_that_of_every_resource_and_has_to_fit_them(declared: Declared) -> None:
    assert refused(declared, lambda: aws.TrainingCluster("My_Cluster", SPEC, EAST)) == [
        "spec of My_Cluster: 1 problem",
        "  name is 'My_Cluster'; write 1 to 20 lower-case letters, digits and hyphens, starting with a letter",
    ]


def test_what_no_preview_knows_is_refused_by_name(declared: Declared) -> None:
    def program() -> None:
        later = pulumi.Output.from_input("198.18.0.0/24")
        location: Any = aws.Location(region="us-east-1", zone=later)  # pyright: ignore[reportArgumentType]
        aws.TrainingCluster("trial", {**SPEC, "access": {"kind": "public", "cidrs": [later]}}, location)

    assert refused(declared, program) == [
        "gpucluster.aws.TrainingCluster trial: 1 problem",
        "  location.zone is an Output, unknown in a preview; write its value such as 'us-east-1a'",
        "spec of trial: 1 problem",
        "  access.cidrs[0] is of type Output; use a string, number, boolean, list or mapping with a value known "
        "before the update",
    ]


def test_a_name_that_no_file_could_have_is_refused(declared: Declared) -> None:
    spec: Any = {**SPEC, ("a", 1): 2, "labels": {b"team": "research"}}
    assert refused(declared, lambda: aws.TrainingCluster("trial", spec, EAST)) == [
        "spec of trial: 2 problems",
        "  the mapping has the key ('a', 1); write a string",
        "  labels has the key b'team'; write a string",
    ]


def test_choices_of_azure_have_the_names_of_python(declared: Declared) -> None:
    location = azure.Location(
        subscription=SUBSCRIPTION,
        region="eastus",
        zone="4",
        scale_set_limit=7,
        gpu_driver="nobody",  # pyright: ignore
    )
    assert refused(declared, lambda: azure.TrainingCluster("trial", SPEC, location)) == [
        "gpucluster.azure.TrainingCluster trial: 3 problems",
        "  location.zone is '4'; write the number of a zone, in quotes: 1, 2, 3",
        "  location.scale_set_limit is '7'; write a whole number from 100, the default of a subscription, to 300, the "
        "most that Microsoft support sets",
        "  location.gpu_driver is 'nobody'; allowed: operators, aks",
    ]
    linked = {**SPEC, "storage": {"shared": {"usable_tib": 20, "bucket": "https://a.blob.core.windows.net/b"}}}
    place = azure.Location(subscription=SUBSCRIPTION, region="eastus", zone="1")
    found = refused(declared, lambda: azure.TrainingCluster("trial", linked, place))
    assert found[1].startswith("  location.bucket_group is missing, and storage.shared.bucket is set")
    assert found[1].endswith("add location.bucket_group and location.lustre_principal")


@pytest.mark.parametrize("cloud", [aws, gcp, azure])
def test_a_location_of_another_cloud_is_refused(cloud: ModuleType, declared: Declared) -> None:
    name = cloud.__name__
    other: Any = EAST if cloud is not aws else gcp.Location(project="my-project", region="a", zone="b")
    found = refused(declared, lambda: cloud.TrainingCluster("trial", SPEC, other))
    assert found == [
        f"{name}.TrainingCluster trial: 1 problem",
        f"  location is {other!r}; write a {name}.Location",
    ]


def test_other_values_are_for_previews(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUCLUSTER_SET", '{"training.nodes": "6"}')
    clusters: list[aws.TrainingCluster] = []
    seen = declared(lambda: clusters.append(aws.TrainingCluster("trial", SPEC, EAST)))
    assert clusters[0].pools["training"].nodes == 6
    (cluster,) = [item for item in seen if item.typ == "gpucluster:aws:TrainingCluster"]
    assert cluster.inputs["whatIf"] == ["training.nodes is 6, 4 in the spec"]
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: False)
    assert refused(declared, lambda: aws.TrainingCluster("trial", SPEC, EAST))[0] == "GPUCLUSTER_SET: 1 problem"


def test_a_cluster_tells_what_it_lacks_and_who_reaches_it(declared: Declared, logged: list[str]) -> None:
    spec = {**SPEC, "training": {"nodes": 4, "fabric_gbps": 12_000}}
    declared(lambda: aws.TrainingCluster("trial", spec, EAST))
    assert "warn: trial: not available on AWS: GPU fabric: 12,000 Gb/s a node requested, 3,200 on p5.48xlarge" in logged
    notes = [text for text in logged if text.startswith("info: trial: ")]
    assert notes[-1] == (
        "info: trial: API reachable over the internet from 198.18.0.0/24, and from the nodes; admins: the identity "
        "that runs the first `pulumi up`"
    )
    assert len(notes) == 9


def test_a_cluster_that_names_its_account_is_built_in_no_other(declared: Declared) -> None:
    place = aws.Location(region="us-east-1", zone="us-east-1a", account="123456789012")
    seen = declared(lambda: aws.TrainingCluster("trial", SPEC, place))
    [provider] = [one for one in seen if one.typ == "pulumi:providers:aws"]
    assert json.loads(provider.inputs["allowedAccountIds"]) == ["123456789012"]


def test_a_cluster_that_names_a_role_is_built_and_entered_by_it(declared: Declared) -> None:
    role = "arn:aws:iam::123456789012:role/up"
    place = aws.Location(region="us-east-1", zone="us-east-1a", role=role)
    kubeconfigs: list[str] = []

    def program() -> None:
        aws.TrainingCluster("trial", SPEC, place).kubeconfig.apply(kubeconfigs.append)

    seen = declared(program)
    [provider] = [one for one in seen if one.typ == "pulumi:providers:aws"]
    assert json.loads(provider.inputs["assumeRoles"]) == [{"roleArn": role}]
    [user] = json.loads(kubeconfigs[0])["users"]
    assert user["user"]["exec"]["args"][-2:] == ["--role-arn", role]


def test_a_role_of_another_account_is_refused(declared: Declared) -> None:
    place = aws.Location(
        region="us-east-1", zone="us-east-1a", account="123456789012", role="arn:aws:iam::210987654321:role/up"
    )
    with pytest.raises(gpucluster.Error) as caught:
        declared(lambda: aws.TrainingCluster("trial", SPEC, place))
    assert str(caught.value).splitlines()[1] == (
        "  location.role is in account 210987654321, but account is 123456789012; name one account"
    )


def test_an_account_that_is_none_is_refused_with_all_else(declared: Declared) -> None:
    with pytest.raises(gpucluster.Error) as caught:
        declared(lambda: aws.TrainingCluster("trial", SPEC, aws.Location(region="us", zone="a", account="1234")))
    assert str(caught.value).splitlines()[:2] == [
        "gpucluster.aws.TrainingCluster trial: 2 problems",
        "  location.account is '1234'; write the 12 digits of the account, in quotes (`aws sts get-caller-identity "
        "--query Account`)",
    ]


def test_a_program_reads_name_pools_and_storage(declared: Declared) -> None:
    read: dict[str, Any] = {}

    def program() -> None:
        spec = {**SPEC, "elastic": {"pools": {"dev": {"max_gpus": 8}}}}
        cluster = aws.TrainingCluster("trial", spec, EAST)
        read["pools"] = {
            name: (pool.machine_type, pool.gpus, pool.nodes, pool.elastic) for name, pool in cluster.pools.items()
        }
        read["claim"] = (cluster.storage.namespace, cluster.storage.claim, cluster.storage.usable_gib)
        pulumi.Output.all(cluster.cluster_name, cluster.storage.id).apply(lambda both: read.update(outputs=both))

    declared(program)
    assert read == {
        "pools": {"training": ("p5.48xlarge", 8, 4, False), "dev": ("p5.4xlarge", 1, 8, True)},
        "claim": ("training", "shared", 20 * 1024),
        "outputs": ["trial-dev", "trial-storage-shared-id"],
    }


def providers(seen: list[Any]) -> set[str]:
    """Names of the AWS providers that resources of the cluster have."""
    used = {item.provider for item in seen if item.typ.startswith("aws:")}
    return {provider.split("::")[-2] for provider in used}


def test_each_cluster_has_a_provider_of_its_own(declared: Declared) -> None:
    def program() -> None:
        aws.TrainingCluster("one", SPEC, EAST)
        aws.TrainingCluster("two", SPEC, aws.Location(region="us-west-2", zone="us-west-2b"))

    seen = declared(program)
    made = {item.name: item.inputs["region"] for item in seen if item.typ == "pulumi:providers:aws"}
    assert made == {"one-aws": "us-east-1", "two-aws": "us-west-2"}
    assert providers(seen) == {"one-aws", "two-aws"}
    names = [item.name for item in seen]
    assert len(names) == len({*names})


@pytest.mark.parametrize("way", ["provider", "providers", "named", "parent"])
def test_a_provider_that_a_program_brings_is_taken(way: str, declared: Declared) -> None:
    def program() -> None:
        mine = pulumi_aws.Provider("mine", region="us-east-1")
        parent = pulumi.ComponentResource("my:own:Thing", "thing", {}, pulumi.ResourceOptions(providers=[mine]))
        opts = {
            "provider": pulumi.ResourceOptions(provider=mine),
            "providers": pulumi.ResourceOptions(providers=[mine]),
            "named": pulumi.ResourceOptions(providers={"aws": mine}),
            "parent": pulumi.ResourceOptions(parent=parent),
        }
        aws.TrainingCluster("trial", SPEC, EAST, opts[way])

    seen = declared(program)
    assert [item.name for item in seen if item.typ == "pulumi:providers:aws"] == ["mine"]
    assert providers(seen) == {"mine"}


def test_a_provider_of_something_else_stays_beside_the_clusters_own(declared: Declared) -> None:
    def program() -> None:
        other = pulumi_aws.Provider("mine", region="us-east-1")
        other.package = "something"
        aws.TrainingCluster("trial", SPEC, EAST, pulumi.ResourceOptions(provider=other))

    seen = declared(program)
    assert [item.name for item in seen if item.typ == "pulumi:providers:aws"] == ["mine", "trial-aws"]
    assert providers(seen) == {"trial-aws"}


def test_parts_are_refused_in_the_same_words(declared: Declared) -> None:
    place = azure.Location(subscription=SUBSCRIPTION, region="eastus", zone="1")
    there = gcp.Location(project="my-project", region="us-central1", zone="us-central1-a")
    pool: dict[str, Any] = {"cluster_name": "mine", "vpc_id": "vpc", "subnet_id": "subnet"}

    def eks() -> None:
        aws.TrainingPool("gpus", {"training": {"nodes": 900}, "mig": {}}, EAST, cluster_security_group_id="sg", **pool)

    assert refused(declared, eks) == [
        "spec of gpus: 1 problem",
        "  mig is not a field; allowed: accelerator, duration, labels, name, placement, purchase, training",
    ]
    assert refused(
        declared,
        lambda: azure.TrainingPool(
            "gpu-nodes",
            {"training": {"nodes": 200}},
            place,
            resource_group="mine",
            cluster_name="mine",
            subnet_id="subnet",
        ),
    ) == [
        "gpucluster.azure.TrainingPool gpu-nodes: 1 problem",
        "  location.scale_set_limit is 100, and training.nodes and training.spares make 200 nodes in one scale set, "
        "the InfiniBand domain; ask Microsoft support to raise it and write the new limit, at most 300, or request "
        "fewer nodes",
        "spec of gpu-nodes: 1 problem",
        "  name is 'gpu-nodes'; AKS allows 1 to 12 lower-case letters and digits for a pool, starting with a letter",
    ]
    assert refused(
        declared,
        lambda: gcp.TrainingPool(
            "gpus", {"training": {"nodes": 2}}, there, cluster_name="mine", service_account="a@b", gpu_subnets=[]
        ),
    ) == [
        "gpucluster.gcp.TrainingPool gpus: 1 problem",
        "  gpu_subnets has 0; a3-highgpu-8g has 4 GPU networks: give one for each",
    ]
    assert refused(declared, lambda: gcp.Network("net", there, machine="a3-hihgpu-8g", labels={"0": "x"})) == [
        "gpucluster.gcp.Network net: 1 problem",
        "  machine is 'a3-hihgpu-8g'; allowed: a3-highgpu-8g, a3-megagpu-8g, a3-ultragpu-8g, a2-ultragpu-8g, "
        "a2-highgpu-8g; did you mean a3-highgpu-8g?",
        "spec of net: 1 problem",
        "  labels has the name '0'; on Google Cloud a label's name starts with a letter",
    ]


def test_a_cluster_that_can_not_be_declared_to_its_end_leaves_nothing(
    declared: Declared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in an object may turn out wrong when half of the cluster is queued."""
    from gpucluster.components import shared_cluster
    from gpucluster.components.planning import PlanError

    def wrong(*_: object, **__: object) -> None:
        raise PlanError(["Namespace trial: metadata.name is 'X'"])

    monkeypatch.setattr(shared_cluster, "Jobs", wrong)
    assert refused(declared, lambda: aws.TrainingCluster("trial", SPEC, EAST)) == [
        "cluster trial: 1 problem",
        "  Namespace trial: metadata.name is 'X'",
    ]
