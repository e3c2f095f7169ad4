"""The driver in EKS' own machine images against that of the GPU Operator.

Source: EKS page "Use EKS-optimized accelerated AMIs": images with NVIDIA in their amiType have driver and toolkit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import NODE_GROUP
from gpucluster.policies.clouds.kubernetes.charts import gpu_operators
from gpucluster.policies.rule import Finding, Stack, Violation
from gpucluster.program.values import text

FIX: Final = "Set driver.enabled and toolkit.enabled of the GPU Operator to false: the image has both."
READS: Final = f"{NODE_GROUP}, kubernetes:helm.sh/v3:Release"


def check(stack: Stack) -> Iterator[Finding]:
    with_driver = [
        group.name
        for group in stack.resources.of_type(NODE_GROUP)
        if "NVIDIA" in str(text(group.inputs, "amiType") or "")
    ]
    for operator in gpu_operators(stack.resources) if with_driver else ():
        if operator.on("driver") is True:
            yield Violation(
                operator.resource, f"driver.enabled, and the machine image of `{with_driver[0]}` has a driver"
            )
