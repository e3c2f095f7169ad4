"""The Google Cloud APIs that the cluster needs, enabled in its project."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_gcp import projects

from gpucluster.components.gcp.control_plane.propagation import enabled
from gpucluster.components.gcp.planning.plan import DAYS_OF_DEFAULT, GcpClusterPlan
from gpucluster.components.shared.storage.buckets import BucketPlan


def services_of(plan: GcpClusterPlan) -> list[str]:
    """The APIs in use, such as `container`."""
    mounted = isinstance(plan.storage, BucketPlan)
    return [
        *(["artifactregistry"] if plan.registry is not None else []),
        "cloudkms",
        "compute",
        "container",
        "dns",
        *(["file"] if plan.home is not None else []),
        "iam",
        *(["logging"] if plan.keep_logs_days not in (0, DAYS_OF_DEFAULT) else []),
        *(["servicenetworking"] if plan.network.private_services else []),
        *(["storage"] if mounted or plan.bucket is not None else []),
        *([] if mounted else ["lustre"]),
    ]


def enabled_services(name: str, services: Sequence[str], opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """One resource for each API, such as `container`. They stay on after a destroy: others in the project use them."""
    slow = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(hooks=enabled()))
    return [
        projects.Service(f"{name}-{service}", service=f"{service}.googleapis.com", disable_on_destroy=False, opts=slow)
        for service in services
    ]
