"""The protocol without the SDK."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from gpucluster.core.light_import import install_empty_sdk

install_empty_sdk()
from gpucluster.sandbox.clouds import registry
from pulumi.runtime.proto import provider_pb2

print(sorted(name for name in sys.modules if name.startswith("pulumi") and "proto" not in name))
"""


def test_the_clouds_load_without_the_sdk() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['pulumi', 'pulumi.runtime']\n", "")


def test_an_sdk_that_is_there_stays() -> None:
    program = "import pulumi\n" + PROGRAM + "assert pulumi.Output\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "pulumi.output" in done.stdout


def test_a_pack_is_served_without_the_sdk_which_a_later_import_loads() -> None:
    program = """
import sys
import gpucluster.policies.engine.serve
assert "pulumi" not in sys.modules and "pulumi.runtime.proto.analyzer_pb2" in sys.modules
import pulumi
from pulumi.runtime.proto import analyzer_pb2, engine_pb2
assert pulumi.Output and pulumi.runtime.settings and analyzer_pb2 and engine_pb2
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
