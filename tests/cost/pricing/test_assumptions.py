"""Regions of what says none: by `--region`, else by the environment, and said in the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpucluster.core.program.resources import Resource
from gpucluster.cost import Assumptions, Estimate
from gpucluster.cost.commands.report import report
from gpucluster.cost.pricing.assumptions import regions_in_use
from tests.says import Says

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


def test_an_option_goes_before_the_environment_and_each_cloud_has_its_own() -> None:
    environ = {"AWS_DEFAULT_REGION": "us-west-2", "AWS_REGION": "us-east-2", "CLOUDSDK_COMPUTE_ZONE": "us-east4-b"}
    assert regions_in_use((), environ) == {
        "aws": ("us-east-2", "AWS_REGION"),
        "gcp": ("us-east4", "CLOUDSDK_COMPUTE_ZONE"),
    }
    assert regions_in_use(("eu-west-1", "eastus2"), environ) == {
        "aws": ("eu-west-1", "--region"),
        "azure-native": ("eastus2", "--region"),
        "gcp": ("us-east4", "CLOUDSDK_COMPUTE_ZONE"),
    }
    assert regions_in_use((), {}) == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("Mars 1",), Says("Mars 1", "not", "us-east-1", "us-central1", "eastus")),
        (("us-east-1", "us-west-2"), Says("us-east-1", "us-west-2")),
    ],
)
def test_what_cannot_be_is_refused(given: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError) as refused:
        regions_in_use(given, {})
    assert str(refused.value) == said


def test_it_prices_what_says_no_region_and_the_report_says_so(make: Make, cost_of: CostOf) -> None:
    disk = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    assert [item.reason.partition(":")[0] for item in cost_of(disk, region=None).not_priced] == [
        "its region is not known"
    ]
    taken = Assumptions(regions=regions_in_use(("us-east-1",), {}))
    found = cost_of(disk, region=None, assumptions=taken)
    assert f"{found.monthly.expected}" == "8.00"
    assert found.assumptions == (Says("us-east-1", "--region"),)
    assert cost_of(disk, region="us-east-1", assumptions=taken).assumptions == ()


def test_an_input_goes_before_outputs_those_before_the_provider_and_that_before_the_configuration(
    make: Make, cost_of: CostOf
) -> None:
    provider = make("pulumi:providers:aws", "p", region="us-east-2")
    answered = {"availabilityZone": "us-west-2a"}

    def region(inputs: dict[str, str], outputs: dict[str, str], of: Resource | None) -> str:
        logs = make("aws:cloudwatch/logGroup:LogGroup", "l", outputs=outputs, provider=of, **inputs)
        found = cost_of(*([] if of is None else [of]), logs, region="us-west-1")
        return found.lines[0].region if found.lines else found.not_priced[0].own_row.split(",")[1]

    assert region({"region": "us-east-1"}, answered, provider) == "us-east-1"
    assert region({}, answered, provider) == "us-west-2"
    assert region({}, {}, provider) == "us-east-2"
    assert region({}, {}, None) == "us-west-1"


@pytest.mark.parametrize(
    ("options", "environ", "said"),
    [
        (["--region", "us-east-1"], {"AWS_REGION": "us-west-2"}, "--region"),
        ([], {"AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-west-2"}, "AWS_REGION"),
    ],
)
def test_a_plan_of_a_default_provider_is_priced_by_the_command(
    options: list[str], environ: dict[str, str], said: str, tmp_path: Path
) -> None:
    type_ = "aws:ebs/volume:Volume"
    state = {"urn": f"urn:pulumi:d::p::{type_}::disk", "type": type_, "custom": True,
             "inputs": {"type": "gp3", "size": 100}}  # fmt: skip
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"steps": [{"op": "create", "urn": state["urn"], "newState": state}]}))
    done = CliRunner().invoke(report, [str(plan), "--format", "markdown", *options], env=environ)
    assert done.exit_code == 0, done.output
    assert "costs $8.00 a month" in done.output
    assert done.output.replace("\\", "") == Says("us-east-1", said, "without")
