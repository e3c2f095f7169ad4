"""A wait until a granted right has propagated in Google Cloud: a cluster created earlier is refused."""

from __future__ import annotations

from asyncio import sleep
from typing import Final

import pulumi

from gpucluster.components.simulated import simulated

_TAKES: Final = 120
"""Seconds. Source: IAM documentation, "Access change propagation": typically two minutes, seven or longer at times."""


def known_everywhere() -> pulumi.ResourceHookBinding:
    """For a grant: what depends on it is made two minutes after it was created; one that stands is not waited for."""
    return pulumi.ResourceHookBinding(after_create=[_wait])


async def _wait(_: pulumi.ResourceHookArgs) -> None:
    if not simulated():
        await sleep(_TAKES)
