"""Pools without capacity on the real engine: what stays failed, what tells of it, and the commands that repair it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = (Path(__file__).parent / "parts.py").read_text()
LARGER = PROGRAM.replace('"nodes": 4', '"nodes": 6')
UP = ("up", "--yes", "--skip-preview")
ALL = (*UP, "--continue-on-error")


def _capacity(aws: int, gcp: int, azure: int) -> str:
    return f"""capacity:
- {{cloud: aws, zone: us-east-1a, machine: p5.48xlarge, available: {aws}}}
- {{cloud: gcp, zone: us-central1-a, machine: a3-megagpu-8g, available: {gcp}}}
- {{cloud: azure, region: eastus, zone: "1", machine: Standard_ND96isr_H100_v5, available: {azure}}}
"""


@pytest.fixture
def run(sandbox: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Runs a command under a capacity; every pool has its cluster already."""
    (tmp_path / "Pulumi.dev.yaml").write_text(
        "config: {aws:region: us-east-1, gcp:project: my-project, gcp:region: us-central1, "
        "azure-native:subscriptionId: 00000000-0000-0000-0000-000000000000, azure-native:location: eastus}\n"
    )
    return sandbox


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("started", [0, 3])
def test_a_pool_without_capacity_stays_failed_until_the_command_that_is_printed(run: Any, started: int) -> None:
    none, enough = _capacity(started, started, started), _capacity(5, 5, 5)
    first = run(PROGRAM, *ALL, scenario=none)
    assert first.code != 0
    for pool in ("p5", "mega", "nd"):
        assert f"What this means: {pool}-nodes stays failed: " in first.text, first.text

    # The engine updates what failed: EKS and GKE are asked for nothing, AKS fails again.
    second = run(PROGRAM, *ALL, scenario=none)
    assert second.code != 0
    assert "ZonalAllocationFailed" in second.text
    dead = ["p5-nodes is CREATE_FAILED: EKS neither repairs nor updates it"]
    dead.append(f"mega-nodes has {started} of 4 machines: GKE keeps looking")
    assert any(f"error: {one}" in second.text for one in dead), second.text

    # A refresh forgets the failure, and the preview finds it in the states.
    run(PROGRAM, "refresh", "--yes", "--skip-preview", scenario=none)
    told = run(PROGRAM, "up", "--yes", scenario=none)
    dead.append("nd-nodes is Failed: its last request failed")
    assert [f"warning: {one}" in told.text for one in dead] == [True] * 3, told.text
    assert (told.code != 0, any(f"error: {one}" in told.text for one in dead)) == (True, True), told.text

    urns = {urn for urn in re.findall(r"up --replace '(\S+)'", told.text) if "mega" not in urn}
    assert len(urns) == 2, urns
    replaced = run(PROGRAM, *UP, *(f"--replace={urn}" for urn in urns), scenario=enough)
    assert replaced.code == 0, replaced.text
    assert "+-" in replaced.text
    kept = run(PROGRAM, "preview", "--expect-no-changes")
    assert (kept.code, re.findall("-nodes (?:is|has) ", kept.text)) == (0, []), kept.text


@pytest.mark.engine
@pytest.mark.slow
def test_a_pool_whose_growth_fails_keeps_its_nodes(run: Any) -> None:
    assert run(PROGRAM, *UP, scenario=_capacity(5, 5, 5)).code == 0
    short = _capacity(6, 6, 6)
    assert run(LARGER, *ALL, scenario=short).code != 0
    for _ in range(2):
        again = run(LARGER, *ALL, scenario=short)
        assert (again.code != 0, "replac" in again.text.split("Diagnostics:")[0]) == (True, False), again.text
    grown = run(LARGER, *UP, scenario=_capacity(7, 7, 7))
    assert (grown.code, "replac" in grown.text.split("Diagnostics:")[0]) == (0, False), grown.text
