"""The judge of azure-native: the enumerations in its SDK."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.judges.azure.judge import JUDGE
from gpucluster.operate.judges.verdicts import Outcome, Remark, Verdict
from tests.gpucluster.operate.judges.conftest import resources

POOL = "azure-native:containerservice:AgentPool"
RULES = "azure-native:network:NetworkSecurityGroup"


def verdict(type_: str, inputs: dict[str, Any]) -> Verdict:
    stack = resources(it=(type_, inputs))
    (found,) = JUDGE.judge([*stack], stack)
    return found


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        (POOL, {"mode": "User", "vmSize": "Standard_ND96isr_H100_v5", "nodeLabels": {"mode": "Bogus"}}),
        (POOL, {"osSKU": "Ubuntu2404"}),
        (POOL, {"mode": "${it}", "upgradeSettings": {"undrainableNodeBehavior": "Cordon"}}),
        ("azure-native:monitor:DataCollectionRule", {"dataFlows": [{"streams": ["Microsoft-PrometheusMetrics"]}]}),
        ("azure-native:compute:VirtualMachine", {"hardwareProfile": {"vmSize": "Standard_D2s_v5"}}),
    ],
)
def test_a_value_that_is_listed_or_in_no_closed_list_is_accepted(type_: str, inputs: dict[str, Any]) -> None:
    found = verdict(type_, inputs)
    assert (found.outcome, found.refusals, found.advice) == (Outcome.ACCEPTED, (), ())


OPEN = " (an open list: newer values are possible)"


@pytest.mark.parametrize(
    ("type_", "inputs", "path", "said"),
    [
        (POOL, {"mode": "Bogus"}, "mode", f"'Bogus' is not one of ['System', 'User', 'Gateway']{OPEN}"),
        (RULES, {"securityRules": [{"access": "Allow"}, {"access": "Bogus"}]}, "securityRules[1].access",
         f"'Bogus' is not one of ['Allow', 'Deny']{OPEN}"),
        (POOL, {"osSKU": "Bogus"}, "osSKU", "'Bogus' is not one of ['Ubuntu', 'AzureLinux', 'AzureLinux3', "
         f"'CBLMariner', 'Windows2019', 'Windows2022', 'Ubuntu2204', 'AzureContainerLinux', 'Ubuntu2404']{OPEN}"),
        ("azure-native:storage:StorageAccount", {"networkRuleSet": {"defaultAction": "Bogus"}},
         "networkRuleSet.defaultAction", "'Bogus' is not one of ['Allow', 'Deny']"),
    ],
)  # fmt: skip
def test_a_value_outside_a_list_is_refused_and_an_open_list_named(
    type_: str, inputs: Any, path: str, said: str
) -> None:
    assert verdict(type_, inputs).refusals == (Remark(path, said),)


def test_another_case_is_advice_since_apis_of_azure_take_most_of_them() -> None:
    found = verdict(RULES, {"securityRules": [{"protocol": "TCP"}]})
    assert (found.outcome, found.advice) == (
        Outcome.ACCEPTED,
        (Remark("securityRules[0].protocol", "'TCP' is listed as 'Tcp'"),),
    )


@pytest.mark.parametrize(
    "type_", ["azure-native:nowhere:Thing", "azure-native:network/v20160330:Subnet", "azure-native:network:Nothing"]
)
def test_a_type_that_the_sdk_lacks_is_not_judged(type_: str) -> None:
    assert verdict(type_, {}).why == "the installed SDK has no such type"


def test_an_input_that_the_sdk_lacks_is_left() -> None:
    assert verdict(POOL, {"quantum": 1, "upgradeSettings": {"quantum": 1}}).left == (
        "quantum",
        "upgradeSettings.quantum",
    )
