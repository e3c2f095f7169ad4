"""A GKE cluster without an address on the internet, on the real engine: in two steps, or by its DNS name."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
STACK = "gcp-trial"
PUBLIC = """access:
  kind: public
  cidrs:
    - 203.0.113.0/24    # replace with the range of your office or VPN
"""


def closed(project: Any, access: str) -> None:
    """Makes the stack's spec one whose API has no address outside."""
    shutil.copy(ROOT / "examples/specs/gcp/mega-on-demand.yaml", project.path / "stacks/specs/trial.yaml")
    project.change("stacks/specs/trial.yaml", PUBLIC, f"access:\n  kind: private\n  {access}\n")


@pytest.mark.slow
def test_network_and_control_plane_can_be_made_first(project: Any) -> None:
    closed(project, "via: inside")
    targets = re.findall(r"--target '(\S*gcp:\S*)'", (ROOT / "docs/run/access.md").read_text())
    assert len(targets) == 5
    first = project.pulumi("up", "--yes", "--skip-preview", *(f"--target={target}" for target in targets), stack=STACK)
    assert first.code == 0, first.text
    types = {item["type"] for item in project.ledger()}
    assert {"gcp:container/cluster:Cluster", "gcp:compute/routerNat:RouterNat"} <= types
    assert types & {"gcp:container/nodePool:NodePool", "gcp:lustre/instance:Instance"} == set()
    done = project.pulumi("up", "--yes", "--skip-preview", stack=STACK)
    assert done.code == 0, done.text


@pytest.mark.usefixtures("full_output")
@pytest.mark.slow
def test_by_its_dns_name_up_needs_no_way_into_the_network(project: Any) -> None:
    closed(project, "via: dns")
    done = project.pulumi("up", "--yes", "--skip-preview", "--policy-pack", "policies", stack=STACK)
    assert done.code == 0, done.text
    assert "mandatory" not in done.text
    assert "API reachable by its DNS name only" in done.out
