"""The resources of Auto Scaling in use, without the others of `pulumi_aws.autoscaling`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpucluster.components.lazy_sdk import resources_of

if TYPE_CHECKING:
    from pulumi_aws.autoscaling import Tag, TagTagArgs

__all__ = ["Tag", "TagTagArgs"]

if not TYPE_CHECKING:
    __getattr__ = resources_of("pulumi_aws.autoscaling", __all__, __name__)
