"""The Google Cloud APIs of a cluster, and waits until Google Cloud applies an API or a grant: requests that rely on it
are refused earlier, and not retried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import projects

from gpucluster.components.resources.run import wait


def enabled_services(name: str, services: Sequence[str], opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """One resource for each API, such as `container`. They stay on after a destroy: others in the project use them."""
    slow = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(hooks=after_api()))
    return [
        projects.Service(f"{name}-{service}", service=f"{service}.googleapis.com", disable_on_destroy=False, opts=slow)
        for service in services
    ]


_GRANT_SECONDS: Final = 120
"""Seconds. Source: IAM documentation, "Access change propagation": typically two minutes, seven or longer at times."""
_API_SECONDS: Final = 60
"""Seconds; Google gives no number: the error says "wait a few minutes"; 60 is a choice of this project. Source:
hashicorp/terraform-provider-google issue 2129 (an API "can't always be used right away" after the request returns)."""


def after_grant() -> pulumi.ResourceHookBinding:
    """For a grant: its dependents are created two minutes after it; an existing grant causes no wait."""
    return pulumi.ResourceHookBinding(after_create=[_wait_for_grant])


def after_api() -> pulumi.ResourceHookBinding:
    """For an API: its dependents are created a minute after it; an existing resource causes no wait."""
    return pulumi.ResourceHookBinding(after_create=[_wait_for_api])


async def _wait_for_grant(args: pulumi.ResourceHookArgs) -> None:
    await wait(_GRANT_SECONDS, args.urn)


async def _wait_for_api(args: pulumi.ResourceHookArgs) -> None:
    await wait(_API_SECONDS, args.urn)
