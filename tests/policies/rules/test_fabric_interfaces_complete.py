"""fabric-interfaces-complete: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.core.catalog.machines import machines
from gpucluster.policies.rules.fabric_interfaces_complete import RULE


def _layout(machine):
    """The interfaces EC2's documentation gives: IP on card 0 device 0, EFA on device 1 of card 0, else device 0."""
    efa = [(card, 1 if card == 0 else 0) for card in machines()[machine].fabric_cards]
    pairs = [(0, 0, "interface"), *((card, device, "efa-only") for card, device in efa)]
    return [{"networkCardIndex": c, "deviceIndex": d, "interfaceType": kind} for c, d, kind in pairs]


@pytest.mark.parametrize(
    ("machine", "interfaces"),
    [
        ("p5.48xlarge", 33),
        ("p5e.48xlarge", 33),
        ("p5en.48xlarge", 17),
        ("p5.4xlarge", 2),
        ("p4d.24xlarge", 5),
        ("p4de.24xlarge", 5),
        ("p6-b200.48xlarge", 9),
        ("p6-b300.48xlarge", 17),
    ],
)
def test_the_layout_of_every_machine_type_is_complete(program, found, unknown, machine, interfaces):
    program["template"].update(instanceType=machine, networkInterfaces=_layout(machine))
    assert len(program["template"]["networkInterfaces"]) == interfaces
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


@pytest.mark.parametrize(
    "machine", sorted(name for name, known in machines().items() if known.fabric == "EFA" and known.whole_node)
)
def test_a_missing_card_is_found_on_every_machine_type(program, found, machine):
    program["template"].update(instanceType=machine, networkInterfaces=_layout(machine)[:-1])
    total, last = len(machines()[machine].fabric_cards), machines()[machine].fabric_cards[-1]
    assert found(RULE, program) == [
        ("train", f"5 nodes of {machine} with EFA on {total - 1} of {total} network cards; missing on card {last}")
    ]


def test_the_older_layout_with_efa_on_device_1_is_complete(program, found):
    program["template"]["networkInterfaces"] = [
        {"networkCardIndex": float(card), "deviceIndex": float(card > 0), "interfaceType": "efa"} for card in range(32)
    ]
    assert found(RULE, program) == []


def test_the_fix_names_the_missing_cards(program, messages):
    program["template"]["networkInterfaces"].pop()
    assert messages(RULE, program) == [
        "5 nodes of p5.48xlarge with EFA on 31 of 32 network cards; missing on card 31\nwhy: Each missing interface "
        "is bandwidth that you pay for but cannot use. Without any, NCCL falls back to TCP.\nfix: List an interface "
        "of type `efa-only` on card 31 in networkInterfaces of the launch template: device 1 on card 0, device 0 on "
        "the others.\nsee: gpucluster guardrails explain fabric-interfaces-complete"
    ]
