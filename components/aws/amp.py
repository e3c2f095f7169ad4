"""The resources of Amazon Managed Service for Prometheus in use, without the others of `pulumi_aws.amp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpucluster.components.lazy_sdk import resources_of

if TYPE_CHECKING:
    from pulumi_aws.amp import (
        AlertManagerDefinition,
        RuleGroupNamespace,
        Scraper,
        ScraperDestinationAmpArgs,
        ScraperDestinationArgs,
        ScraperSourceArgs,
        ScraperSourceEksArgs,
        Workspace,
    )

__all__ = [
    "AlertManagerDefinition",
    "RuleGroupNamespace",
    "Scraper",
    "ScraperDestinationAmpArgs",
    "ScraperDestinationArgs",
    "ScraperSourceArgs",
    "ScraperSourceEksArgs",
    "Workspace",
]

if not TYPE_CHECKING:
    __getattr__ = resources_of("pulumi_aws.amp", __all__, __name__)
