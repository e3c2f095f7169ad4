"""When the resources of the clouds' SDKs are imported: their thousands of types take seconds."""

from __future__ import annotations

import json
import subprocess
import sys

LOADED = """
import json, sys
import gpucluster.aws, gpucluster.azure, gpucluster.gcp
sdks = ("pulumi_aws.", "pulumi_azure_native.", "pulumi_gcp.", "pulumi_kubernetes.")
print(json.dumps([name for name in sys.modules if name.startswith(sdks) and name.count(".") > 1 and "_inputs" in name]))
"""

PART = """
import json, sys
from gpucluster.components.aws import s3
s3.BucketPublicAccessBlock
loaded = [name for name in sys.modules if name.startswith("pulumi_aws.s3.bucket")]
try:
    s3.Bucketful
except AttributeError as unknown:
    print(json.dumps([loaded, str(unknown)]))
"""


def found(program: str) -> list[object]:
    return json.loads(subprocess.check_output([sys.executable, "-c", program], text=True))


def test_the_clusters_are_imported_without_any() -> None:
    assert found(LOADED) == []


def test_a_resource_is_imported_when_it_is_declared_and_a_name_that_is_not_there_is_no_attribute() -> None:
    assert found(PART) == [
        ["pulumi_aws.s3.bucket_public_access_block"],
        "module 'gpucluster.components.aws.s3' has no attribute 'Bucketful'",
    ]
