"""Waits until Google Cloud applies what was created: requests that rely on it are refused earlier, and not retried."""

from __future__ import annotations

from typing import Final

import pulumi

from gpucluster.components.resources.simulated import wait

_GRANT_TAKES: Final = 120
"""Seconds. Source: IAM documentation, "Access change propagation": typically two minutes, seven or longer at times."""
_API_TAKES: Final = 60
"""Seconds; Google gives no number: the error says "wait a few minutes", and 60 is taken here. Source:
hashicorp/terraform-provider-google issue 2129 (an API "can't always be used right away" after the request returns)."""


def granted() -> pulumi.ResourceHookBinding:
    """For a grant: its dependents are created two minutes after it; an existing grant causes no wait."""
    return pulumi.ResourceHookBinding(after_create=[_wait_for_grant])


def enabled() -> pulumi.ResourceHookBinding:
    """For an API: its dependents are created a minute after it; an existing resource causes no wait."""
    return pulumi.ResourceHookBinding(after_create=[_wait_for_api])


async def _wait_for_grant(args: pulumi.ResourceHookArgs) -> None:
    await wait(_GRANT_TAKES, args.urn)


async def _wait_for_api(args: pulumi.ResourceHookArgs) -> None:
    await wait(_API_TAKES, args.urn)
