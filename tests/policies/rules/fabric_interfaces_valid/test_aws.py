"""fabric-interfaces-valid: one mutation of the compliant launch template per case."""

from __future__ import annotations

from gpucluster.policies.rules.fabric_interfaces_valid import RULE


def test_the_documented_layout_can_be_launched(program, found, unknown):
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_a_pair_given_twice_is_refused(program, found):
    program["template"]["networkInterfaces"].append(dict(program["template"]["networkInterfaces"][8]))
    assert found(RULE, program) == [("template", "2 interfaces with card 7 device 0; each pair must be unique")]


def test_the_first_interface_must_have_an_address(program, found):
    program["template"]["networkInterfaces"][0]["interfaceType"] = "efa-only"
    program["template"]["networkInterfaces"].pop(1)
    assert found(RULE, program) == [
        (
            "template",
            "the interface with card 0 device 0 is `efa-only`; the machine's first one must be `interface` or `efa`",
        )
    ]


def test_there_must_be_a_first_interface(program, found):
    program["template"]["networkInterfaces"].pop(0)
    assert found(RULE, program) == [
        ("template", "no interface with card 0 device 0; the machine's first one must be `interface` or `efa`")
    ]


def test_card_and_device_are_0_when_not_given(program, found):
    program["template"]["networkInterfaces"][0] = {"interfaceType": "interface"}
    assert found(RULE, program) == []


def test_a_public_address_is_refused_beside_other_interfaces(program, found):
    program["template"]["networkInterfaces"][0]["associatePublicIpAddress"] = "true"
    assert found(RULE, program) == [
        (
            "template",
            "a public IP address is requested; EC2 assigns none at launch to a machine with several interfaces",
        )
    ]


def test_a_card_carries_one_efa(program, found):
    program["template"]["networkInterfaces"].append(
        {"networkCardIndex": 9.0, "deviceIndex": 1.0, "interfaceType": "efa"}
    )
    assert found(RULE, program) == [("template", "more than one EFA on card 9; a card supports one")]


def test_a_card_the_machine_does_not_have_is_refused(program, found):
    program["template"]["networkInterfaces"].append({"networkCardIndex": 32.0, "interfaceType": "efa-only"})
    assert found(RULE, program) == [("template", "EFA on card 32; p5.48xlarge supports it on cards 0-31")]


def test_a_card_takes_so_many_interfaces(program, found):
    program["template"]["networkInterfaces"] += [
        {"networkCardIndex": 4.0, "deviceIndex": float(device), "interfaceType": "interface"} for device in (1, 2)
    ]
    assert found(RULE, program) == [("template", "too many interfaces on card 4; p5.48xlarge supports 2 a card")]


def test_every_problem_is_told_at_once(program, found):
    program["template"]["networkInterfaces"][0]["associatePublicIpAddress"] = True
    program["template"]["networkInterfaces"].append(dict(program["template"]["networkInterfaces"][8]))
    assert found(RULE, program) == [
        (
            "template",
            "2 interfaces with card 7 device 0; each pair must be unique; "
            "a public IP address is requested; EC2 assigns none at launch to a machine with several interfaces",
        )
    ]


def test_interfaces_not_known_yet_are_said(program, found, unknown):
    program["template"]["networkInterfaces"] = program.unknown
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("template", "its network interfaces are not known yet")]


def test_an_unknown_pair_is_not_a_duplicate(program, found):
    for entry in program["template"]["networkInterfaces"][7:9]:
        entry["networkCardIndex"] = program.unknown
    assert found(RULE, program) == []


def test_templates_without_efa_are_not_looked_at(program, found):
    program["template"]["networkInterfaces"] = [{"associatePublicIpAddress": "true", "deviceIndex": 3.0}]
    assert found(RULE, program) == []
