"""Scenarios: what was there before any stack, what lasts or fails, and what a file may not say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.scenario import Existing, LastingOperation, Scenario
from gpucluster.sandbox.clouds.sdk import Sdk, installed_sdks, site_packages
from gpucluster.sandbox.scenario_file import read_scenario, seed

ROOT = Path(__file__).parents[2]
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
        operations=(LastingOperation(type="azure-native:network:Subnet", name="nodes", seconds=2.5, error="full"),),
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
        ("a", ["holds 'a'; write `exists:` or `operations:`, or both"]),
        ("exist: []", ["1 problem", "  exist is not a field here"]),
        (
            "exists: [{resources: []}]\noperations: [{seconds: -1}, {type: 1}]",
            [
                "4 problems",
                "  exists.0.resources is an empty list: list should have at least 1 item",
                "  operations.0.type is missing; add it",
                "  operations.0.seconds is -1: input should be greater than or equal to 0",
                "  operations.1.type is 1: input should be a valid string",
            ],
        ),
        (
            "operations: [{type: 'aws:ec2/vpc:Vpc'}]",
            ["operations.0.type is 'aws:ec2/vpc:Vpc', whose operations are done at once; allowed: azure-native:"],
        ),
    ],
)
def test_every_mistake_is_named(read: Callable[[str], Scenario], text: str, problems: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        read(text)
    assert [problem for problem in problems if problem not in str(refusal.value)] == []


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'none'} cannot be read: No such file")):
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
        ({"provider": {}}, "azure-native has no subscription"),
        ({"inputs": {"resourceGroupName": "data"}}, "cannot be there: location: missing required property 'location'"),
        ({"inputs": {**GROUP.inputs, "colour": "red"}}, "cannot be there: colour: unknown property 'colour'"),
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
    with pytest.raises(InputError, match=re.escape(f"{said} 'gpucluster[azure]'")):
        seed(Scenario(exists=(GROUP,)), {}, ledger)
