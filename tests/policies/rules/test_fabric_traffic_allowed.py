"""fabric-traffic-allowed after the update, when groups are known by their ids."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.fabric_traffic_allowed import RULE
from tests.says import Says


@pytest.mark.parametrize("closed", [range(1, 33), [7]], ids=["all but the first", "one"])
def test_efa_interfaces_without_the_open_group_are_found(program, found, closed):
    program.add("aws:ec2/securityGroup:SecurityGroup", "closed", {"vpcId": program.unknown})
    program.depends("template", "networkInterfaces", "efa", "closed")
    program["efa"]["id"], program["closed"]["id"] = "sg-open", "sg-closed"
    for number, entry in enumerate(program["template"]["networkInterfaces"]):
        entry["securityGroups"] = ["sg-closed" if number in closed else "sg-open"]
    assert found(RULE, program) == [("train", Says("no", "EFA", "closed"))]
