"""training-pool-in-one-domain: the fix is that of the cloud."""

from __future__ import annotations

from gpucluster.policies.rules.training_pool_in_one_domain import RULE
from tests.says import Says


def test_the_fix_is_that_of_azure(nd, messages):
    nd["train"]["vmSize"] = "Standard_ND96is_H100_v5"
    [text] = messages(RULE, nd)
    assert text == Says("AgentPool", "VirtualMachineScaleSets")
    assert "placement_policy" not in text


def test_the_fix_is_that_of_google_cloud(mega, messages):
    del mega["train"]["placementPolicy"]
    [text] = messages(RULE, mega)
    assert text == Says("placement_policy", "COMPACT")
    assert "placementGroup" not in text
