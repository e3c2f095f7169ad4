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
