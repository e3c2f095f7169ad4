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
from tests.says import Says


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
        Says(
            "location.zone",
            "us-west-2a",
            "us-east-1",
            "us-east-1a",
            "use1-az1",
            "use1-az2",
            "use1-az3",
            "use1-az4",
            "use1-az5",
            "use1-az6",
        ),
        Says(
            "location.second_zone",
            "us-east-1",
            "us-east-1",
            "us-east-1a",
            "use1-az1",
            "use1-az2",
            "use1-az3",
            "use1-az4",
            "use1-az5",
            "use1-az6",
        ),
        "spec of trial: 5 problems",
        Says("budget.on_exceed", "stop", "fail", "warn"),
        Says("14", "no", "unit", "36h", "14d", "2w"),
        "  labels.team is 5, not a string; write '5'",
        Says("training.nodes", "0", "1", "4,096"),
        Says("training.sparess", "not", "spares"),
    ]


def test_what_the_cloud_can_not_carry_is_told_with_the_machine(declared: Declared) -> None:
    spec = {**SPEC, "training": {"nodes": 2000}}
    assert refused(declared, lambda: aws.TrainingCluster("trial", spec, EAST, machine="p6.48xlarge")) == [
        "gpucluster.aws.TrainingCluster trial: 1 problem",
        Says("p6.48xlarge", "h100", "p5.48xlarge", "p5.4xlarge", "p5.48xlarge"),
        "spec of trial: 1 problem",
        Says("training.nodes", "training.spares", "2000", "GPU", "1927"),
    ]


def test_a_file_is_told_of_with_its_lines(declared: Declared, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: other\ntraining: {nodes: 4}\naccess: {kind: open}\nstorage: {shared: {usable_tib: 20}}\n")
    for spec in (path, str(path)):
        assert refused(declared, lambda spec=spec: aws.TrainingCluster("trial", spec, EAST)) == [
            f"{path}: 2 problems",
            Says("1", "other", "trial", "same"),
            Says("3", "access.kind", "open", "public", "private"),
        ]


@pytest.mark.parametrize(
    "given", [{**SPEC, "name": "other"}, gpucluster.ClusterSpec.model_validate({**SPEC, "name": "other"})]
)
def test_a_cluster_has_one_name(given: Any, declared: Declared) -> None:
    assert refused(declared, lambda: aws.TrainingCluster("trial", given, EAST)) == [
        "spec of trial: 1 problem",
        Says("other", "trial", "same"),
    ]


def test_the_name_is_that_of_every_resource_and_has_to_fit_them(declared: Declared) -> None:
    assert refused(declared, lambda: aws.TrainingCluster("My_Cluster", SPEC, EAST)) == [
        "spec of My_Cluster: 1 problem",
        Says("My_Cluster", "1", "20"),
    ]


def test_what_no_preview_knows_is_refused_by_name(declared: Declared) -> None:
    def program() -> None:
        later = pulumi.Output.from_input("198.18.0.0/24")
        location: Any = aws.Location(region="us-east-1", zone=later)  # pyright: ignore[reportArgumentType]
        aws.TrainingCluster("trial", {**SPEC, "access": {"kind": "public", "cidrs": [later]}}, location)

    assert refused(declared, program) == [
        "gpucluster.aws.TrainingCluster trial: 1 problem",
        Says("location.zone", "Output", "unknown", "us-east-1a"),
        "spec of trial: 1 problem",
        Says("access.cidrs[0", "Output"),
    ]


def test_a_name_that_no_file_could_have_is_refused(declared: Declared) -> None:
    spec: Any = {**SPEC, ("a", 1): 2, "labels": {b"team": "research"}}
    assert refused(declared, lambda: aws.TrainingCluster("trial", spec, EAST)) == [
        "spec of trial: 2 problems",
        Says("('a', 1)", "not a field", "training"),
        Says("labels", "b'team'", "1 to 63 lower-case letters"),
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
        Says("location.zone", "4", "1", "2", "3"),
        Says("location.scale_set_limit", "7", "100", "300", "Microsoft"),
        Says("location.gpu_driver", "nobody", "operators", "aks"),
    ]
    linked = {**SPEC, "storage": {"shared": {"usable_tib": 20, "bucket": "https://a.blob.core.windows.net/b"}}}
    place = azure.Location(subscription=SUBSCRIPTION, region="eastus", zone="1")
    found = refused(declared, lambda: azure.TrainingCluster("trial", linked, place))
    assert found[1] == Says("location.bucket_group", "missing", "storage.shared.bucket")
    assert found[1].endswith("add location.bucket_group and location.lustre_principal")


@pytest.mark.parametrize("cloud", [aws, gcp, azure])
def test_a_location_of_another_cloud_is_refused(cloud: ModuleType, declared: Declared) -> None:
    name = cloud.__name__
    other: Any = EAST if cloud is not aws else gcp.Location(project="my-project", region="a", zone="b")
    found = refused(declared, lambda: cloud.TrainingCluster("trial", SPEC, other))
    assert found == [f"{name}.TrainingCluster trial: 1 problem", f"  location is {other!r}; write a {name}.Location"]


def test_other_values_are_for_previews(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUCLUSTER_SET", '{"training.nodes": "6"}')
    clusters: list[aws.TrainingCluster] = []
    seen = declared(lambda: clusters.append(aws.TrainingCluster("trial", SPEC, EAST)))
    assert clusters[0].pools["training"].nodes == 6
    (cluster,) = [item for item in seen if item.typ == "gpucluster:aws:TrainingCluster"]
    assert cluster.inputs["whatIf"] == ["training.nodes is 6, 4 in the spec"]
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: False)
    assert refused(declared, lambda: aws.TrainingCluster("trial", SPEC, EAST))[0] == "GPUCLUSTER_SET: 1 problem"


@pytest.mark.usefixtures("full_output")
def test_a_cluster_tells_what_it_lacks_and_who_reaches_it(declared: Declared, logged: list[str]) -> None:
    spec = {**SPEC, "training": {"nodes": 4, "fabric_gbps": 12_000}}
    declared(lambda: aws.TrainingCluster("trial", spec, EAST))
    assert "warn: trial: not available on AWS: GPU fabric: 12,000 Gb/s a node requested, 3,200 on p5.48xlarge" in logged
    notes = [text for text in logged if text.startswith("info: trial: ")]
    assert notes[-1] == Says("API", "over", "198.18.0.0/24")
    assert len(notes) == 9


def test_a_cluster_that_names_its_account_is_built_in_no_other(declared: Declared) -> None:
    place = aws.Location(region="us-east-1", zone="us-east-1a", account="123456789012")
    seen = declared(lambda: aws.TrainingCluster("trial", SPEC, place))
    [provider] = [one for one in seen if one.typ == "pulumi:providers:aws"]
    assert json.loads(provider.inputs["allowedAccountIds"]) == ["123456789012"]


def test_a_cluster_that_names_a_role_is_built_by_it_and_entered_by_users_as_themselves(declared: Declared) -> None:
    role = "arn:aws:iam::123456789012:role/up"
    place = aws.Location(region="us-east-1", zone="us-east-1a", role=role)
    kubeconfigs: list[str] = []

    def program() -> None:
        aws.TrainingCluster("trial", SPEC, place).kubeconfig.apply(kubeconfigs.append)

    seen = declared(program)
    [provider] = [one for one in seen if one.typ == "pulumi:providers:aws"]
    assert json.loads(provider.inputs["assumeRoles"]) == [{"roleArn": role}]
    [own] = [one.inputs["kubeconfig"] for one in seen if one.typ == "pulumi:providers:kubernetes"]
    commands = [json.loads(text)["users"][0]["user"]["exec"]["args"] for text in (own, kubeconfigs[0])]
    assert commands == [[*commands[1], "--role-arn", role], commands[1]]
    assert role not in kubeconfigs[0]


def test_a_role_of_another_account_is_refused(declared: Declared) -> None:
    place = aws.Location(
        region="us-east-1", zone="us-east-1a", account="123456789012", role="arn:aws:iam::210987654321:role/up"
    )
    with pytest.raises(gpucluster.Error) as caught:
        declared(lambda: aws.TrainingCluster("trial", SPEC, place))
    assert str(caught.value).splitlines()[1] == Says("location.role", "210987654321", "123456789012")


def test_an_account_that_is_none_is_refused_with_all_else(declared: Declared) -> None:
    with pytest.raises(gpucluster.Error) as caught:
        declared(lambda: aws.TrainingCluster("trial", SPEC, aws.Location(region="us", zone="a", account="1234")))
    assert str(caught.value).splitlines() == [
        "gpucluster.aws.TrainingCluster trial: 2 problems",
        Says("location.region", "us", "us-east-1"),
        Says("location.account", "1234", "12", "get-caller-identity", "--query", "Account"),
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
        Says("not", "accelerator", "duration", "labels", "name", "placement", "purchase", "training"),
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
        Says(
            "location.scale_set_limit",
            "100",
            "training.nodes",
            "training.spares",
            "200",
            "InfiniBand",
            "Microsoft",
            "300",
        ),
        "spec of gpu-nodes: 1 problem",
        Says("gpu-nodes", "AKS", "1", "12"),
    ]
    assert refused(
        declared,
        lambda: gcp.TrainingPool(
            "gpus", {"training": {"nodes": 2}}, there, cluster_name="mine", service_account="a@b", gpu_subnets=[]
        ),
    ) == ["gpucluster.gcp.TrainingPool gpus: 1 problem", Says("gpu_subnets", "0", "a3-highgpu-8g", "4", "GPU")]
    assert refused(declared, lambda: gcp.Network("net", there, machine="a3-hihgpu-8g", labels={"0": "x"})) == [
        "gpucluster.gcp.Network net: 1 problem",
        Says(
            "a3-hihgpu-8g",
            "a3-highgpu-8g",
            "a3-megagpu-8g",
            "a3-ultragpu-8g",
            "a2-ultragpu-8g",
            "a2-highgpu-8g",
            "a3-highgpu-8g",
        ),
        "spec of net: 1 problem",
        Says("0", "Google", "Cloud"),
    ]


def test_a_cluster_that_can_not_be_declared_to_its_end_leaves_nothing(
    declared: Declared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in an object may turn out wrong when half of the cluster is queued."""
    from gpucluster.components.cluster import shared_cluster
    from gpucluster.components.planning.planning import PlanError

    def wrong(*_: object, **__: object) -> None:
        raise PlanError(["Namespace trial: metadata.name is 'X'"])

    monkeypatch.setattr(shared_cluster, "Jobs", wrong)
    assert refused(declared, lambda: aws.TrainingCluster("trial", SPEC, EAST)) == [
        "cluster trial: 1 problem",
        "  Namespace trial: metadata.name is 'X'",
    ]
