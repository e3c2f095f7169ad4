"""Who judges what, and what is said where a judge is missing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.judges import verdicts
from tests.gpucluster.operate.judges.conftest import resources
from tests.says import Says
from tests.test_layers import BELOW

STACK = resources(
    group=("azure-native:resources:ResourceGroup", {"location": "eastus"}),
    network=("gcp:compute/network:Network", {"routingMode": "Bogus"}),
    provider=("pulumi:providers:gcp", {}),
    pet=("random:index/randomPet:RandomPet", {}),
)


Hide = Callable[..., None]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Hide:
    """Hides modules from the judges."""

    def hide(*modules: str) -> None:
        there = verdicts.find_spec
        monkeypatch.setattr(verdicts, "find_spec", lambda name: None if name in modules else there(name))

    return hide


def said(only: tuple[str, ...] = ()) -> list[tuple[str, str, str, str]]:
    found = verdicts.judged(STACK, only)
    return [(verdict.resource.name, verdict.judge, verdict.outcome.value, verdict.why) for verdict in found]


def test_every_resource_of_a_cloud_has_one_verdict_in_the_order_of_the_plan() -> None:
    assert said() == [
        ("group", "azure", "accepted", ""),
        ("network", "gcp", "refused", ""),
        ("pet", "", "not judged", "no judge covers the package random"),
    ]


def test_one_judge_alone_sees_its_own_resources() -> None:
    assert said(only=("gcp",)) == [("network", "gcp", "refused", "")]


def test_without_its_judge_a_resource_is_not_judged_and_the_command_is_named(without: Hide) -> None:
    without("googleapiclient")
    why = Says("not", "installed", "install", "google-api-python-client>=2.202,<3")
    assert said()[1] == ("network", "gcp", "not judged", why)


def test_without_any_judge_of_the_plan_there_is_one_error_that_names_the_commands(without: Hide) -> None:
    without("googleapiclient", "pulumi_azure_native")
    with pytest.raises(InputError) as error:
        verdicts.judged(STACK)
    assert str(error.value) == Says("no", "google-api-python-client>=2.202,<3", "pulumi-azure-native>=3.12,<4")


def test_a_judge_that_was_asked_for_and_is_missing_is_an_error_whatever_the_plan_holds(without: Hide) -> None:
    without("cfnlint")
    with pytest.raises(InputError) as error:
        verdicts.judged(STACK, only=("aws",))
    assert str(error.value) == Says("--judge", "AWS", "CloudFormation", "IAM", "cfn-lint", "not", "cfn-lint>=1.58,<2")


def test_no_program_and_so_no_preview_may_import_a_judge() -> None:
    assert {folder for folder, below in BELOW.items() if "gpucluster/operate/judges" in below} == {
        "gpucluster",
        "gpucluster/operate/pull_request",
    }
