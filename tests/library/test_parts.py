"""Networks and training pools by themselves, for clusters of the user's own, on the real engine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("parts.py").read_text()
PLACES = """\
config:
  aws:region: us-east-1
  gcp:project: my-project
  gcp:region: us-central1
  azure-native:subscriptionId: 00000000-0000-0000-0000-000000000000
  azure-native:location: eastus
"""


@pytest.mark.usefixtures("full_output")
@pytest.mark.engine
@pytest.mark.slow
def test_parts_of_all_clouds_are_built_for_clusters_of_the_users_own(
    sandbox: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text(PLACES)
    up = sandbox(PROGRAM, "up", "--yes", "--skip-preview")
    assert up.code == 0, up.text
    plan = sandbox(PROGRAM, "preview", "--json", "--show-sames")
    steps = json.loads(plan.text[plan.text.index("{") :])["steps"]
    assert {step["op"] for step in steps} == {"same"}
    states = {step["urn"].rsplit("::", 1)[1]: step["newState"] for step in steps}
    inputs = {name: states[name]["inputs"] for name in ("p5-nodes", "mega-nodes", "nd-nodes")}
    eks = inputs["p5-nodes"]
    assert (eks["scalingConfig"]["desiredSize"], eks["labels"]["gpucluster/pool"]) == (5, "p5")
    assert (inputs["mega-nodes"]["nodeCount"], inputs["mega-nodes"]["name"]) == (4, "mega")
    assert (inputs["nd-nodes"]["count"], inputs["nd-nodes"]["agentPoolName"]) == (5, "nd")
    facts = [states[name]["inputs"] for name in ("p5", "mega", "nd")]
    assert [(found["trainingGpus"], found["durationDays"]) for found in facts] == [(32, 14)] * 3
    assert re.search(r"^    p5: on demand does not guarantee capacity", up.text, re.MULTILINE)
