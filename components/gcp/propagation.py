"""Waits until a granted role has propagated in Google Cloud: earlier, the creation of a cluster is refused."""

from __future__ import annotations

from asyncio import sleep
from typing import Final

import pulumi

from gpucluster.components.simulated import simulated

_TAKES: Final = 120
"""Seconds. Source: IAM documentation, "Access change propagation": typically two minutes, seven or longer at times."""


def known_everywhere() -> pulumi.ResourceHookBinding:
    """For a grant: its dependents are created two minutes after it; an existing grant causes no wait."""
    return pulumi.ResourceHookBinding(after_create=[_wait])


async def _wait(_: pulumi.ResourceHookArgs) -> None:
    if not simulated():
        await sleep(_TAKES)
