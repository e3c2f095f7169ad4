"""fabric-interfaces-valid: one mutation of the compliant launch template per case."""

from __future__ import annotations

from gpucluster.policies.rules.fabric_interfaces_valid import RULE
from tests.says import Says


def test_the_first_interface_must_have_an_address(program, found):
    program["template"]["networkInterfaces"][0]["interfaceType"] = "efa-only"
    program["template"]["networkInterfaces"].pop(1)
    assert found(RULE, program) == [("template", Says("0", "0", "efa-only", "interface", "efa"))]
