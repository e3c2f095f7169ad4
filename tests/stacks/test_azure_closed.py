"""A private AKS cluster on the real engine, in the two steps that docs/run/access.md asks for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
STACK = "azure-trial"


def test_network_and_control_plane_can_be_made_first(project: Any) -> None:
    file = project.path / "stacks/specs/trial.yaml"
    spec = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**spec, "access": {"kind": "private", "via": "inside"}}))
    targets = re.findall(r"--target '(\S*azure\S*)'", (ROOT / "docs/run/access.md").read_text())
    assert len(targets) == 6
    first = project.pulumi("up", "--yes", "--skip-preview", *(f"--target={target}" for target in targets), stack=STACK)
    assert first.code == 0, first.text
    types = {item["type"] for item in project.ledger()}
    assert {"azure-native:containerservice:ManagedCluster", "azure-native:network:NatGateway"} <= types
    assert types & {"azure-native:containerservice:AgentPool", "azure-native:storagecache:AmlFilesystem"} == set()
    done = project.pulumi("up", "--yes", "--skip-preview", stack=STACK)
    assert done.code == 0, done.text
    again = project.pulumi("preview", "--expect-no-changes", stack=STACK)
    assert again.code == 0, again.text
