"""Charts that install the same component twice, or only one of two that belong together.

Sources: NVIDIA/gpu-operator documentation, "Common deployment scenarios"; NVIDIA/network-operator documentation, "Node
feature discovery": one NFD for both operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.charts import RELEASES, Chart, device_plugins, gpu_operators, nfd_bringers
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN

FIX: Final = (
    "Remove one of the charts, or disable the part that both install: set devicePlugin.enabled or nfd.enabled to "
    "false; set driver.enabled and toolkit.enabled to the same value."
)
READS: Final = ", ".join(RELEASES)


def check(stack: Stack) -> Iterator[Finding]:
    for what, found in (
        ("offers nvidia.com/gpu", device_plugins(stack.resources)),
        ("installs node feature discovery", nfd_bringers(stack.resources)),
    ):
        for second in _doubled(found):
            yield Violation(second.resource, f"it {what}, and so does `{found[0].resource.name}`")
    for operator in gpu_operators(stack.resources):
        driver, toolkit = operator.on("driver"), operator.on("toolkit")
        if UNKNOWN in (driver, toolkit):
            yield CannotTell(operator.resource, "whether it installs the driver is not known yet")
        elif driver and not toolkit:
            yield Violation(operator.resource, "driver.enabled without toolkit.enabled: containers see no driver")


def _doubled(found: list[Chart]) -> list[Chart]:
    """Charts in one cluster after the first."""
    return [chart for chart in found[1:] if chart.resource.provider == found[0].resource.provider]
