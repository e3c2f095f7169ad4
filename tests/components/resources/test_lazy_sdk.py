"""When the resources of the clouds' SDKs are imported: their thousands of types take seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

LOADED = """
import json, sys
import gpucluster.aws, gpucluster.azure, gpucluster.gcp
sdks = ("pulumi_aws.", "pulumi_azure_native.", "pulumi_gcp.", "pulumi_kubernetes.")
print(json.dumps([name for name in sys.modules if name.startswith(sdks) and name.count(".") > 1 and "_inputs" in name]))
"""

KUBERNETES = """
import json, sys
from gpucluster.operate.quote.plan_declaration import declared
from gpucluster.components.stack.stack_config import stack_config
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices
from pathlib import Path
import yaml
stack, folder = f"{sys.argv[1]}-trial", Path("stacks").resolve()
config = yaml.safe_load((folder / f"Pulumi.{stack}.yaml").read_text())["config"]
running = stack_config(config, project="gpucluster", stack=stack, program=folder, root=folder.parent)
assert any(one.type == "kubernetes:core/v1:Namespace" for one in declared(plan_stack(running, plan_prices)))
# Others are named by the package above them, and not loaded.
loaded = [name for name, module in sys.modules.items() if type(module) is type(json)]
print(json.dumps(sorted(name for name in loaded if name.split(".")[0] == "pulumi_kubernetes")))
"""

PART = """
import json, sys
from gpucluster.components.aws.storage import s3
s3.BucketPublicAccessBlock
loaded = [name for name in sys.modules if name.startswith("pulumi_aws.s3.bucket")]
try:
    s3.Bucketful
except AttributeError as unknown:
    print(json.dumps([loaded, str(unknown)]))
"""


def found(program: str, *arguments: str) -> list[object]:
    """What it prints; the trials tell their losses on stderr."""
    command = [sys.executable, "-c", program, *arguments]
    return json.loads(subprocess.check_output(command, cwd=ROOT, text=True))


def test_the_clusters_are_imported_without_any() -> None:
    assert found(LOADED) == []


def test_a_resource_is_imported_when_it_is_declared_and_a_name_that_is_not_there_is_no_attribute() -> None:
    assert found(PART) == [
        ["pulumi_aws.s3.bucket_public_access_block"],
        "module 'gpucluster.components.aws.storage.s3' has no attribute 'Bucketful'",
    ]


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_objects_in_the_cluster_need_none_of_the_classes_for_them(cloud: str) -> None:
    inner = ("_inputs", "_utilities", "provider")
    assert found(KUBERNETES, cloud) == ["pulumi_kubernetes", *(f"pulumi_kubernetes.{name}" for name in inner)]
