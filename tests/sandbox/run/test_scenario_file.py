"""Scenarios: what was there before any stack, what lasts or fails, and what a file may not say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.events.scenario import Call, Capacity, Disturbance, Drift, Existing, Quota, Scenario
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import Sdk, installed_sdks, site_packages
from gpucluster.sandbox.project.project import Project, find_project
from gpucluster.sandbox.run.scenario_file import put_calls, put_other_stacks, read_scenario
from gpucluster.sandbox.run.seed import seed
from tests.sandbox.conftest import PulumiProject

ROOT = Path(__file__).parents[3]
SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Scenario]:
    """Reads a scenario from a text."""

    def run(text: str) -> Scenario:
        file = tmp_path / "scenario.yaml"
        file.write_text(dedent(text))
        return read_scenario(file)

    return run


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "clouds.sqlite3")


@pytest.fixture(scope="module")
def sdks() -> dict[str, Sdk]:
    return dict(installed_sdks(site_packages(None)))


def test_a_file_says_what_was_there_and_what_lasts(read: Callable[[str], Scenario]) -> None:
    scenario = read("""
        exists:
          - provider: {region: us-east-1}
            resources: [{type: "aws:s3/bucket:Bucket", inputs: {bucket: data}}, {type: "aws:sqs/queue:Queue"}]
        operations:
          - {type: "azure-native:network:Subnet", name: nodes, seconds: 2.5, error: full}
    """)
    region = {"region": "us-east-1"}
    assert scenario == Scenario(
        exists=(
            Existing(type="aws:s3/bucket:Bucket", provider=region, inputs={"bucket": "data"}),
            Existing(type="aws:sqs/queue:Queue", provider=region, inputs={}),
        ),
        operations=(
            Disturbance(type="azure-native:network:Subnet", name="nodes", seconds=2.5, fails="partial", error="full"),
        ),
    )


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "examples/scenarios").glob("*.yaml")))
def test_every_example_can_be_read_and_put_into_the_clouds(name: str, sdks: dict[str, Sdk], ledger: Ledger) -> None:
    scenario = read_scenario(ROOT / "examples/scenarios" / name)
    seed(scenario, sdks, ledger)
    assert [entry.type for entry in ledger.all()] == [each.type for each in scenario.exists]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("[1", ["line 1: the bracket is not closed; add ]"]),
        (
            "operations: [{type: 'azure-native:network:Subnet', seconds: 1:30}]",
            ["1 problem", "  line 1: operations[0].seconds is 1:30, which YAML 1.1 reads as 90 and YAML 1.2 as text"],
        ),
        ("a", ["holds 'a'; write one or more of exists:, quotas:, capacity:, operations:, drift:"]),
        (
            "exist: []",
            ["1 problem", "  exist is not a field here; allowed: exists, quotas, capacity, operations, drift"],
        ),
        (
            "operations: [{type: 'x:y:Z'}, {type: '*', fails: refused}, {type: 'aws:ec2/vpc:Vpc', fails: not-yet}]",
            [
                "operations[0].type is 'x:y:Z'; it begins with one of aws, azure-native, gcp, kubernetes, or is",
                "operations[1].fails is 'refused'; add `error:`, what the cloud says",
                "operations[2].fails is 'not-yet', for which aws:ec2/vpc:Vpc has no known text; add `error:`",
            ],
        ),
        (
            "quotas: [{cloud: aws, name: P5, region: r, limit: 1}, {cloud: gcp, name: NVIDIA_H100_GPUS, limit: 1}]",
            [
                "quotas[0].name is 'P5', which is not counted here; known of aws: L-0263D0A3, L-1216C47A, L-417A185B",
                "quotas[1].region is missing; add the region in which NVIDIA_H100_GPUS has this limit",
            ],
        ),
        (
            "operations: [{type: 'aws:ec2/vpc:Vpc', seconds: 5}]",
            [
                "operations[0].seconds is 5, and requests for aws:ec2/vpc:Vpc are done at once; those that last: "
                "aws:ec2/"
            ],
        ),
    ],
)
def test_every_mistake_is_named(read: Callable[[str], Scenario], text: str, problems: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        read(text)
    assert [problem for problem in problems if problem not in str(refusal.value)] == []


WRONG = """
    exists: [{resources: []}, {resources: [{type: 7, input: {}}]}, aws]
    quotas: [{cloud: ibm, name: x, limit: -1}, {name: x, limit: 1.5}]
    capacity: [{cloud: gcp, zone: 1, machine: m, available: many}, {cloud: azure, zone: "1", machine: m, available: 1}]
    operations:
      - {type: "*", request: write, fails: sometimes, seconds: 100000}
      - {type: "aws:eks/cluster:Cluster", at: 0, times: 1:30, fails: crash, error: e}
      - {type: "aws:eks/cluster:Cluster", request: read, fails: partial}
    drift: [{type: t}, {type: t, set: [], deleted: perhaps}]
    data: [{function: f, result: {}}]
    stacks: {mine: {}, 1: {}, organization/p/s: []}
    """


def test_all_mistakes_of_every_kind_are_told_at_once_and_in_our_words(
    read: Callable[[str], Scenario], tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refusal:
        read(WRONG)
    assert str(refusal.value).replace(str(tmp_path), "").splitlines() == [
        "the scenario /scenario.yaml: 25 problems",
        "  line 7: operations[1].times is 1:30, which YAML 1.1 reads as 90 and YAML 1.2 as text; write 90, or "
        '"1:30" for the text',
        "  exists[0].resources is an empty list; write one entry or more",
        "  exists[1].resources[0].type is 7, which YAML does not read as text; put it in quotes",
        "  exists[1].resources[0].input is not a field here; allowed: type, inputs",
        "  exists[2] is 'aws'; write a mapping",
        "  quotas[0].cloud is 'ibm'; allowed: aws, gcp, azure",
        "  quotas[0].limit is -1; write a number of at least 0",
        "  quotas[1].cloud is missing; add it",
        "  quotas[1].limit is 1.5; write a whole number",
        "  capacity[0].zone is 1, which YAML does not read as text; put it in quotes",
        "  capacity[0].available is 'many'; write a whole number",
        "  capacity[1].region is missing; the zone 1 exists in every region",
        "  operations[0].request is 'write'; write one of create, update, delete, read, any",
        "  operations[0].seconds is 100000; write a number of at most 86,400",
        "  operations[0].fails is 'sometimes'; write one of refused, partial, throttled, timeout, not-yet, crash",
        "  operations[1].at is 0; write a number of at least 1",
        "  operations[1].error is set, but a provider that crashes prints none; remove it",
        "  operations[2].fails is 'partial', which does not happen to a read request; "
        "allowed: not-yet, refused, throttled",
        "  drift[0] needs `set:` or `deleted: true`, and not both",
        "  drift[1].set is an empty list; write a mapping",
        "  drift[1].deleted is 'perhaps'; write true or false",
        "  data[0].result is an empty mapping; write one entry or more",
        "  stacks.mine is not a stack name here; write organization/PROJECT/STACK, as the program must "
        "with a file backend",
        "  stacks[1] is not text; put it in quotes",
        "  stacks.organization/p/s is an empty list; write a mapping",
    ]


def test_a_file_answers_what_a_program_asks_itself(read: Callable[[str], Scenario], tmp_path: Path) -> None:
    found = read("""
        calls:
          - {url: "https://ip.example/", result: 192.0.2.1}
          - {url: "https://*.cloud.example/", body: "*Action=List*", result: {id: one}}
    """).calls
    assert found == (
        Call(url="https://ip.example/", result="192.0.2.1"),
        Call(url="https://*.cloud.example/", body="*Action=List*", result={"id": "one"}),
    )
    put_calls(tmp_path / "calls", found)
    assert [each["body"] for each in json.loads((tmp_path / "calls").read_text())] == ["*", "*Action=List*"]
    with pytest.raises(InputError, match=r"calls\[0\].url is 'ip.example'"):
        read("calls: [{url: ip.example, result: a}]")


def test_a_file_says_what_there_is_too_little_of_and_what_changed(read: Callable[[str], Scenario]) -> None:
    assert read("""
        quotas: [{cloud: aws, name: L-417A185B, region: us-east-1, limit: 384, usage: 192}]
        capacity: [{cloud: azure, region: eastus, zone: "1", machine: Standard_ND96isr_H100_v5, available: 2}]
        operations: [{type: "aws:ec2/*", request: any, at: 2, times: 3, fails: throttled}]
        drift: [{type: "aws:ec2/vpc:Vpc", set: {tags.owner: me}}, {type: "aws:s3/bucket:Bucket", deleted: true}]
    """) == Scenario(
        quotas=(Quota(cloud="aws", name="L-417A185B", region="us-east-1", limit=384, usage=192),),
        capacity=(Capacity(cloud="azure", region="eastus", zone="1", machine="Standard_ND96isr_H100_v5", available=2),),
        operations=(Disturbance(type="aws:ec2/*", request="any", at=2, times=3, fails="throttled"),),
        drift=(
            Drift(type="aws:ec2/vpc:Vpc", set={"tags.owner": "me"}),
            Drift(type="aws:s3/bucket:Bucket", deleted=True),
        ),
    )


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'none'}: 1 problem\n  cannot be read: No such file")):
        read_scenario(tmp_path / "none")


GROUP = Existing(
    type="azure-native:resources:ResourceGroup",
    provider={"subscriptionId": SUBSCRIPTION},
    inputs={"resourceGroupName": "data", "location": "eastus"},
)
OF_EACH_CLOUD = (
    Existing(type="aws:s3/bucket:Bucket", provider={"region": "us-east-1"}, inputs={"bucket": "data"}),
    Existing(type="aws:ec2/vpc:Vpc", provider={"region": "us-east-1"}, inputs={"cidrBlock": "10.0.0.0/16"}),
    Existing(
        type="gcp:storage/bucket:Bucket", provider={"project": "p"}, inputs={"name": "mydata", "location": "US-EAST1"}
    ),
    GROUP,
)


def test_what_was_there_is_made_once_on_each_cloud_and_belongs_to_no_stack(
    sdks: dict[str, Sdk], ledger: Ledger
) -> None:
    for _ in range(2):
        seed(Scenario(exists=OF_EACH_CLOUD), sdks, ledger)
    entries = ledger.all()
    assert [entry.type for entry in entries] == [each.type for each in OF_EACH_CLOUD]
    assert [entry.urn for entry in entries if entry.urn.startswith("urn:pulumi:")] == []
    assert entries[-1].id == f"/subscriptions/{SUBSCRIPTION}/resourceGroups/data"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "digitalocean:Thing"}, "simulated here: aws, azure-native, gcp, kubernetes"),
        ({"type": "azure-native:resources:Group"}, "azure-native:resources:Group, which azure-native 3"),
        ({"provider": {"subscriptionId": "mine"}}, "subscriptionId: 'mine' is not a GUID"),
        ({"inputs": {"resourceGroupName": "data"}}, "cannot exist: location: missing required property 'location'"),
        ({"inputs": {**GROUP.inputs, "colour": "red"}}, "cannot exist: colour: unknown property 'colour'"),
    ],
)
def test_what_no_cloud_would_have_is_refused(
    change: dict[str, Any], message: str, sdks: dict[str, Sdk], ledger: Ledger
) -> None:
    wrong = replace(GROUP, **change)
    with pytest.raises(InputError, match=re.escape(message)):
        seed(Scenario(exists=(wrong,)), sdks, ledger)
    assert ledger.all() == []


def test_a_cloud_whose_sdk_is_not_installed_is_named_with_what_brings_it(ledger: Ledger) -> None:
    said = "the scenario has azure-native:resources:ResourceGroup, which needs pulumi-azure-native: pip install"
    with pytest.raises(InputError, match=re.escape(f"{said} 'pulumi-azure-native>=3.12,<4'")):
        seed(Scenario(exists=(GROUP,)), {}, ledger)


_PROGRAM = """
    import pulumi
    import pulumi_aws as aws

    network = pulumi.StackReference("acme/network/prod")
    image = aws.ec2.get_ami(owners=["amazon"], most_recent=True)
    pulumi.export("vpc", network.require_output("vpc"))
    pulumi.export("image", image.id)
    pulumi.export("region", image.region)
"""
_SCENARIO = """
    stacks:
      organization/network/prod: {vpc: vpc-0123456789abcdef0}
    data:
      - function: aws:ec2/getAmi:getAmi
        args: {owners: [amazon]}
        result: {id: ami-0123456789abcdef0}
"""


@pytest.mark.engine
def test_a_program_reads_what_the_scenario_says(project: PulumiProject) -> None:
    project.write(_PROGRAM)
    file = project.root / "scenario.yaml"
    file.write_text(_SCENARIO)
    done = project.run("--scenario", str(file), "pulumi", "up", "--yes", "--skip-preview", "--stack", "dev")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "made up" not in done.stdout
    assert project.outputs() == {
        "vpc": "vpc-0123456789abcdef0",
        "image": "ami-0123456789abcdef0",
        "region": "us-east-1",
    }


def test_a_stack_of_the_project_itself_is_made_by_its_own_up(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    project = find_project(tmp_path)
    assert isinstance(project, Project)
    with pytest.raises(InputError, match=r"organization/small/prod, which belongs to this project"):
        put_other_stacks(project, {"organization/small/prod": {}})


@pytest.mark.parametrize("name", ["prod", "acme/network/prod", "organization//prod", "organization/../prod"])
def test_a_name_that_no_program_could_use_here_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(f"stacks: {{{name}: {{}}}}\n")
    with pytest.raises(InputError, match=f"stacks.{name} is not a stack name here; write organization/PROJECT/STACK"):
        read_scenario(file)
