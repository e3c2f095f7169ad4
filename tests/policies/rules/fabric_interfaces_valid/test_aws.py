"""fabric-interfaces-valid: one mutation of the compliant launch template per case."""

from __future__ import annotations

from gpucluster.policies.rules.fabric_interfaces_valid import RULE


def test_the_first_interface_must_have_an_address(program, found):
    program["template"]["networkInterfaces"][0]["interfaceType"] = "efa-only"
    program["template"]["networkInterfaces"].pop(1)
    assert found(RULE, program) == [
        (
            "template",
            "the interface with card 0 device 0 is `efa-only`; the machine's first one must be `interface` or `efa`",
        )
    ]
