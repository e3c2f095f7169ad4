"""What a stack on Google Cloud imports of the SDKs."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import json, sys
import gpucluster.components.gcp.cluster
from gpucluster.components.gcp import compute
for name in compute.__all__: getattr(compute, name)
before = sorted(sys.modules)
import pulumi_gcp
alike = [getattr(pulumi_gcp.compute, name) is getattr(compute, name) for name in compute.__all__]
print(json.dumps({"before": before, "alike": all(alike), "other": pulumi_gcp.compute.Instance.__module__}))
"""


def test_a_stack_imports_the_resources_it_uses_and_leaves_the_sdk_as_it_is() -> None:
    found = json.loads(subprocess.check_output([sys.executable, "-c", PROGRAM], text=True))
    clouds = {name.split(".")[0] for name in found["before"] if name.startswith("pulumi_")}
    assert clouds == {"pulumi_gcp", "pulumi_kubernetes"}
    resources = {name.split(".")[2] for name in found["before"] if name.startswith("pulumi_gcp.compute.")}
    assert resources == {
        "_inputs",
        "outputs",
        "firewall",
        "global_address",
        "network",
        "resource_policy",
        "router",
        "router_nat",
        "subnetwork",
    }
    assert found["alike"]
    assert found["other"] == "pulumi_gcp.compute.instance"
