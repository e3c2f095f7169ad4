"""The Google Cloud APIs that the cluster needs, enabled in its project."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_gcp import projects

from gpucluster.components.gcp.propagation import enabled


def enabled_services(name: str, services: Sequence[str], opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """One resource for each API, such as `container`. They stay on after a destroy: others in the project use them."""
    slow = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(hooks=enabled()))
    return [
        projects.Service(f"{name}-{service}", service=f"{service}.googleapis.com", disable_on_destroy=False, opts=slow)
        for service in services
    ]
