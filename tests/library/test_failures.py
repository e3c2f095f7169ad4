"""Pools without capacity on the real engine: what stays failed, what tells of it, and the commands that repair it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.library.test_parts import PLACES, PROGRAM

LARGER = PROGRAM.replace('"nodes": 4', '"nodes": 6')
UP = ("up", "--yes", "--continue-on-error")
ONE = Path(__file__).with_name("failing.py").read_text()
NAT, CLUSTER = "aws:ec2/natGateway:NatGateway", "gcp:container/cluster:Cluster"


def _capacity(machines: int) -> str:
    return f"""capacity:
- {{cloud: aws, zone: us-east-1a, machine: p5.48xlarge, available: {machines}}}
- {{cloud: gcp, zone: us-central1-a, machine: a3-megagpu-8g, available: {machines}}}
- {{cloud: azure, region: eastus, zone: "1", machine: Standard_ND96isr_H100_v5, available: {machines}}}
"""


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("started", [0, 3])
def test_a_pool_without_capacity_stays_failed_until_the_command_that_is_printed_and_one_that_works_is_kept(
    sandbox: Callable[..., Any], tmp_path: Path, started: int
) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text(PLACES)
    none = _capacity(started)
    # A program ends at the first resource that is refused, as a tag of a group that failed: what still waits for others
    # comes with a later update. It updates what failed: EKS and GKE are asked for nothing, AKS fails again.
    text = ""
    for _ in range(3):
        failed = sandbox(PROGRAM, *UP, "--skip-preview", scenario=none)
        assert failed.code != 0
        text += failed.text
    assert [f": {pool}-nodes stays failed: " in text for pool in ("p5", "mega", "nd")] == [True] * 3, text
    assert re.search("error: (p5-nodes is CREATE_FAILED|mega-nodes has .* of 4 machines): ", text), text
    assert "ZonalAllocationFailed" in text
    # A refresh forgets the failures, and the states have them.
    sandbox(PROGRAM, "refresh", "--yes", "--skip-preview", scenario=none)
    told = sandbox(PROGRAM, *UP, scenario=none)
    dead = {"p5-nodes is CREATE_FAILED", f"mega-nodes has {started} of 4 machines", "nd-nodes is Failed"}
    assert {*re.findall("warning: (.*-nodes [^:]+): ", told.text)} == dead, told.text
    assert len(set(re.findall("error: (.*-nodes [^:]+): ", told.text)) & dead) == 1, told.text
    # The pool of GKE needs no command.
    urns = {urn for urn in re.findall(r"up --replace '(\S+)'", told.text) if "gcp" not in urn}
    replaced = sandbox(PROGRAM, *UP, *(f"--replace={urn}" for urn in urns), scenario=_capacity(5))
    assert (replaced.code, len(urns), re.findall("-nodes (?:is|has) ", replaced.text)) == (0, 2, []), replaced.text
    # Six and seven nodes instead of four and five.
    assert [sandbox(LARGER, *UP, scenario=_capacity(6)).code == 0 for _ in range(2)] == [False, False]
    grown = sandbox(LARGER, *UP, scenario=_capacity(7))
    assert (grown.code, "replac" in grown.text.split("Diagnostics:")[0]) == (0, False), grown.text


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    ["aws:eks/cluster:Cluster", "aws:eks/addon:Addon", "aws:fsx/lustreFileSystem:LustreFileSystem", NAT, CLUSTER],
)
def test_what_failed_ends_every_update_with_an_error_until_the_command_that_is_printed(
    sandbox: Callable[..., Any], tmp_path: Path, kind: str
) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text(PLACES)
    program, up = ONE.replace(f'KIND = "{NAT}"', f'KIND = "{kind}"'), (*UP, "--skip-preview")
    fails = f"operations:\n- {{type: '{kind}', request: create, fails: partial, error: it went wrong}}\n"
    ended = [sandbox(program, *up, scenario=scenario) for scenario in (fails, "", "")]
    assert [each.code != 0 for each in ended] == [True] * 3
    plan = sandbox(program, "preview")
    (command,) = {urn for each in (*ended[1:], plan) for urn in re.findall(r"up --replace '(\S+)'", each.text)}
    assert (plan.code, plan.text.count("warning: made")) == (0, 1), plan.text
    replaced = sandbox(program, *up, f"--replace={command}")
    assert replaced.code == 0, replaced.text
    assert sandbox(program, *up, "--expect-no-changes").code == 0


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "code"), [(NAT, 0), ("aws:eks/addon:Addon", 1), (CLUSTER, 1)])
def test_what_only_took_too_long_is_read_again(
    sandbox: Callable[..., Any], tmp_path: Path, kind: str, code: int
) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text(PLACES)
    program, up = ONE.replace(f'KIND = "{NAT}"', f'KIND = "{kind}"'), (*UP, "--skip-preview")
    slow = f"operations:\n- {{type: '{kind}', request: create, fails: timeout}}\n"
    assert sandbox(program, *up, scenario=slow).code != 0
    again = sandbox(program, *up)
    assert (again.code != 0, "else type gpucluster sandbox pulumi up --refresh" in again.text) == (code != 0,) * 2
    assert sandbox(program, *up, "--refresh").code == 0
